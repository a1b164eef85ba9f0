"""Steps that wait until a condition holds on the page."""

from sparring_plugins.web.pages.conditions import holds
from sparring_plugins.web.runner.records import StepRecord
from sparring_plugins.web.runner.run_state import Patience
from sparring_plugins.web.runner.weak_steps import Hands
from sparring_plugins.web.step import Reading


async def wait_until(
    base: StepRecord, reading: Reading, hands: Hands, patience: Patience, limit_s: float
) -> StepRecord:
    """Wait until a reading's condition holds, at most for `limit_s` of the page's own time."""
    condition = reading.condition
    while condition is not None:
        task = hands.task()
        judged = holds(condition, task.view, (), task.before)
        if judged.truth is True:
            return base.model_copy(update={"outcome": "done", "observed": judged})
        if patience.is_over():
            reason = f"still after {limit_s:g} s: {judged.reason}"
            return base.model_copy(update={"observed": judged, "reason": reason})
        await hands.wait(patience)
    return base

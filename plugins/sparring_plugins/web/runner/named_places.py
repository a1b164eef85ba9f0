"""Things that lie in a place which has to be opened first: a list, a folder, a project."""

from sparring_plugins.web.pages.plans import Plan, Planner
from sparring_plugins.web.pages.weak.acts.making import MakingPlanner
from sparring_plugins.web.roles import Navigation
from sparring_plugins.web.runner.login_steps import read_all_intents
from sparring_plugins.web.runner.records import StepRecord
from sparring_plugins.web.runner.weak_steps import Hands
from sparring_plugins.web.step import Reading


async def enter_place(base: StepRecord, hands: Hands) -> StepRecord | None:
    """Open the place that a step names, then do there what its strict reading says.

    "Open 'Oak' in the Wood list" on a page that only links to that list. Returns None if nothing
    was done because no such place is in view.
    """
    reading, intents = base.step.reading, read_all_intents(base.step.text)
    target = reading.target if reading is not None else None
    if reading is None or target is None or not target.region or len(intents) != 1:
        return None
    if reading.action != "click" or not target.quoted or base.step.by:
        return None
    way = MakingPlanner(hands.task(), 0).plan(intents[0])
    if not (way.acts and way.again):
        return None
    record = await hands.carry_out(base, Navigation(acts=way.acts, reason=way.reason))
    if record.outcome != "done":
        return record
    inside = reading.model_copy(update={"target": target.model_copy(update={"region": None})})
    plan = await _await_plan(inside, hands)
    if plan.truth is not True or not plan.acts:
        reason = f"{record.target} was opened, but there {plan.reason}"
        return record.model_copy(update={"outcome": "inconclusive", "reason": reason})
    return await hands.carry_out(base, Navigation(acts=plan.acts, reason=plan.reason))


async def _await_plan(reading: Reading, hands: Hands) -> Plan:
    patience = hands.patience()
    while True:
        plan = Planner(hands.task().model_copy(update={"reading": reading})).plan()
        if plan.truth is True or patience.is_over():
            return plan
        await hands.wait(patience)

"""A rule's own message about a failure."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sparring_plugins.rules.compile.evaluation import Evaluator, Expression
from sparring_plugins.rules.run.decisions import one_line
from sparring_plugins.rules.values.errors import NeedsModel, RuleFault, UnknownName

YIELDS_LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class Said:
    """What the message says; or why it has no value, which must not hide the failure."""

    text: str = ""
    problem: str = ""

    def reason(self, why: str) -> str:
        """The reason of a failure: the message, and in brackets why the oracle is false."""
        if self.problem:
            return f"{why} (the message could not be made: {self.problem})"
        return f"{self.text} ({why})" if self.text else why


def said(
    message: Expression | None, evaluator: Evaluator, run: Callable[[Expression], Any]
) -> Said:
    """The message that `run` evaluates; nothing where the rule has none."""
    if message is None:
        return Said()
    try:
        return Said(one_line(evaluator.text(run(message)), YIELDS_LONGEST))
    except Exception as err:  # noqa: BLE001 - a broken message must not hide the failure
        if message.scope.sensei and isinstance(err, (UnknownName, NeedsModel)):
            return Said()
        kind = "" if isinstance(err, RuleFault) else f"{type(err).__name__}: "
        return Said(problem=f"{kind}{one_line(str(err), 120)}")

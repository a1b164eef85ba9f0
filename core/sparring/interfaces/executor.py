"""The interface `Executor`: who plays the cases of a run, this process or others."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from sparring.interfaces.plugin import ConfigT, Plugin
from sparring.model.case import Case
from sparring.model.talk import Trace
from sparring.model.verdict import Verdict


class Executor(Plugin[ConfigT]):
    """Plays a whole case and judges it by every oracle that needs its conversation alone.

    The run keeps the strategy, conditions over several conversations, the budget, the log and the
    reporters. A case may be played more than once (its machine may go away), and is returned once:
    the log has it once.
    """

    @abstractmethod
    async def start(self, work: Any) -> None:
        """Get ready to play the cases of `work`, an `engine.play.RunWork`.

        Raises ConfigurationError if the workers cannot be reached, or differ from this process.
        """

    @abstractmethod
    async def play(self, case: Case, leave: Callable[[], None]) -> tuple[Trace, Sequence[Verdict]]:
        """Play a case and return its trace and verdicts, whatever goes wrong in its parts.

        `leave` may be called as soon as another case can be played in its place. Raises BudgetSpent
        if a model's answer was refused, and ExecutorLost if nobody plays any more.
        """

"""The interface `Executor`: who plays the cases of a run, this process or others."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from sparring.interfaces.plugin import ConfigT, Plugin
from sparring.interfaces.search_strategy import Learning
from sparring.model.case import Case
from sparring.model.talk import Trace
from sparring.model.verdict import Verdict


class Executor(Plugin[ConfigT]):
    """Plays a whole case and judges it by every oracle that needs its conversation alone.

    The run keeps the strategy, conditions over several conversations, the budget, the log and the
    reporters. A case may be played more than once (its machine may go away), and is returned once:
    the log has it once.
    """

    def places(self, concurrency: int, learns: Learning) -> int:
        """Return how many cases may be asked for at once.

        `concurrency` is the suite's; more of them keep distant workers busy, but a strategy that
        learns (`learns`) should not propose cases that nobody can play yet.
        """
        return concurrency

    @abstractmethod
    async def start(self, work: Any) -> None:
        """Get ready to play the cases of `work`, an `engine.execution.RunWork`.

        Raises ConfigurationError if the workers cannot be reached, or differ from this process.
        """

    @abstractmethod
    async def play(self, case: Case, leave: Callable[[], None]) -> tuple[Trace, Sequence[Verdict]]:
        """Play a case and return its trace and verdicts, whatever goes wrong in its parts.

        `leave` may be called as soon as another case can be played in its place. Raises BudgetSpent
        if a model's answer was refused, and ExecutorLost if nobody plays any more.
        """

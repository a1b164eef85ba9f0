"""What the engine must be told of calls to models, and which case they are made for."""

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

from sparring.model.events import ModelCalled

CASE: ContextVar[str | None] = ContextVar("sparring_case", default=None)
"""The id of the case that is being played or judged in this task."""


@dataclass(slots=True)
class Price:
    """What answers are worth, in US dollars; `unknown` counts those whose price is not known.

    An answer from a cache or a recording is worth what it was paid for, so that what depends on
    it is the same when a run is repeated.
    """

    usd: float = 0.0
    unknown: int = 0

    def add(self, usd: float | None) -> None:
        """Count one answer."""
        self.usd += usd or 0.0
        self.unknown += usd is None


PRICE: ContextVar[Price | None] = ContextVar("sparring_price", default=None)
"""Where a player counts what the answers in its task are worth; None where nobody counts."""


class Ledger(Protocol):
    """Allows calls, and takes note of them."""

    def require(self, case_id: str | None) -> None:
        """Allow one more call; raises BudgetSpent."""

    def called(self, event: ModelCalled) -> None:
        """Count and log a call."""

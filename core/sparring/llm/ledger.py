"""What the engine must be told of calls to models, and which case they are made for."""

from contextvars import ContextVar
from typing import Protocol

from sparring.model.events import ModelCalled

CASE: ContextVar[str | None] = ContextVar("sparring_case", default=None)
"""The id of the case that is being played or judged in this task."""


class Ledger(Protocol):
    """Allows calls, and takes note of them."""

    def require(self, case_id: str | None) -> None:
        """Allow one more call; raises BudgetSpent."""

    def called(self, event: ModelCalled) -> None:
        """Count and log a call."""

"""The interface `SearchStrategy`: which case to try next."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import JsonValue

from sparring.interfaces.plugin import ConfigT, Plugin
from sparring.model.case import Case
from sparring.model.space import Space
from sparring.model.verdict import Verdict

Learning = Literal["never", "per-batch", "per-case"]
"""When a strategy is told verdicts; see `SearchStrategy`."""


class SearchStrategy(Plugin[ConfigT]):
    """Proposes cases and learns from their verdicts (ask and tell).

    `learns` says how the engine tells: ``never`` (order does not matter), ``per-batch`` (the
    verdicts of all cases of an `ask` are told in the order asked before the next `ask`), or
    ``per-case`` (each is told as it ends; cases are asked as there is room).

    What only some strategies can do, such as counting their cases beforehand, is in
    `sparring.interfaces.abilities`.
    """

    learns: ClassVar[Learning] = "never"

    @abstractmethod
    def start(self, space: Space, seed: int) -> None:
        """Begin anew; equal spaces and seeds give equal cases (given equal tells)."""

    @abstractmethod
    def ask(self, n: int) -> Sequence[Case]:
        """Return up to `n` further cases; a ``per-batch`` strategy may return its whole batch.

        No case is returned twice (`Case.repeat` tells equal contents apart). Empty means that
        nothing can be proposed until more is told, or that the search is done.
        """

    def tell(self, case: Case, verdicts: Sequence[Verdict]) -> None:
        """Learn from the verdicts on a case that was asked."""

    @property
    @abstractmethod
    def done(self) -> bool:
        """Whether no further case will ever be proposed."""

    @abstractmethod
    def state(self) -> JsonValue:
        """Return all that `restore` needs to go on from here after `start`."""

    @abstractmethod
    def restore(self, state: JsonValue) -> None:
        """Go on from a state saved by the same class over the same space and seed."""

"""The interface `SearchStrategy`: which case to try next."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import JsonValue

from sparring.interfaces.plugin import ConfigT, Plugin
from sparring.model.case import Case
from sparring.model.space import Space
from sparring.model.talk import Trace
from sparring.model.verdict import Verdict


class SearchStrategy(Plugin[ConfigT]):
    """Proposes cases and learns from their verdicts (ask and tell).

    `learns` says how the engine tells: ``never`` (order does not matter), ``per-batch`` (the
    verdicts of all cases of an `ask` are told in the order asked before the next `ask`), or
    ``per-case`` (each is told as it ends; cases are asked as there is room).
    """

    learns: ClassVar[Literal["never", "per-batch", "per-case"]] = "never"
    #: Which cases are refused before they are played for what they would say, where the suite does
    #: not say it (``strategy.duplicates``): those like any case before, like one of `population`.
    refuses: ClassVar[Literal["archive", "population", "none"]] = "none"

    def unknown_checks(self, known: frozenset[str]) -> Sequence[str]:
        """What is wrong with the checks that its settings name, for ``sparring validate``.

        `known` are those that the oracles' verdicts may be of, as ``check`` and ``oracle/check``.
        """
        return ()

    def learning(self) -> Literal["never", "per-batch", "per-case"]:
        """What holds of `learns` with the present settings."""
        return self.learns

    @abstractmethod
    def start(self, space: Space, seed: int) -> None:
        """Begin anew; equal spaces and seeds give equal cases (given equal tells)."""

    @abstractmethod
    def ask(self, n: int) -> Sequence[Case]:
        """Up to `n` further cases; a ``per-batch`` strategy may return its whole batch.

        No case is returned twice (`Case.repeat` tells equal contents apart). Empty means that
        nothing can be proposed until more is told, or that the search is done.
        """

    def refused(self, case: Case) -> None:
        """Hear that a case that was just asked is not played: a duplicate, or not to be said.

        It will not be told. `ask` is called again for others in its place, before any further
        `tell`; a ``per-batch`` strategy then returns what its batch lacks.
        """

    def drafts(self, n: int) -> Sequence[Case]:
        """Cases whose words it wants to know before an `ask` of `n`, cheap as that is.

        They are told by `read` where the player can say what it would say; they need not be asked.
        """
        return ()

    def read(self, case: Case, text: str) -> None:
        """Hear what would be said first for a case: a draft, or one that is about to be played."""

    def population(self) -> Sequence[str] | None:
        """Ids of the cases that duplicates of the population are duplicates of.

        None where there is no population: the cases of the last `ask` count.
        """
        return None

    def played(self, trace: Trace) -> None:
        """Hear how a case that was asked went, right before `tell` of it.

        It is for strategies that learn from the conversations themselves, such as how long they
        were; most learn from verdicts alone.
        """

    def tell(self, case: Case, verdicts: Sequence[Verdict]) -> None:
        """Learn from the verdicts on a case that was asked."""

    @property
    @abstractmethod
    def done(self) -> bool:
        """Whether no further case will ever be proposed."""

    @abstractmethod
    def state(self) -> JsonValue:
        """All that `restore` needs to go on from here after `start`."""

    @abstractmethod
    def restore(self, state: JsonValue) -> None:
        """Take up a state saved by the same class over the same space and seed."""

    def expected(self) -> int | None:
        """How many cases there will be in all, where that is known."""
        return None

    def open_ended(self) -> bool:
        """Whether a budget of cases, turns or time is how it is meant to end.

        A run that spends it is then complete. For others it is cut off, and may be resumed.
        """
        return self.expected() is None

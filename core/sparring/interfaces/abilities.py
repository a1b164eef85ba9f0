"""Optional abilities of parts: what only some players, strategies or connectors can do.

Each is a protocol: a part has the ability if it has the methods, whether or not it names the
protocol among its bases. The engine asks with ``isinstance`` before it uses one.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Literal, Protocol, runtime_checkable

from pydantic import JsonValue

from sparring.interfaces.app_connector import PageSession
from sparring.interfaces.search_strategy import Learning, SearchStrategy
from sparring.model.base import AppText, Value
from sparring.model.case import Case
from sparring.model.talk import Trace

# Players


class Preview(Value):
    """What a player would say to the app for a case, before it is played.

    `text` is the utterance, `written` the one before perturbations, and `before` what is said in
    advance if that differs from case to case. `wording` is for `Recalling`, if a model found the
    words: another time it may find others.
    """

    text: AppText
    written: AppText = ""
    before: AppText = ""
    wording: dict[str, JsonValue] = {}


@runtime_checkable
class Previewing(Protocol):
    """A player that knows what it would say first, without the app.

    Duplicates can then be refused before they are played.
    """

    async def preview(self, case: Case) -> Preview:
        """Return what it would say first for `case`; the same as when the case is played."""
        ...


@runtime_checkable
class Recalling(Protocol):
    """A player that can say a case in words that were found before.

    A resumed run, a case that is confirmed and one that is shrunk are said as they were at first.
    """

    def recall(self, case: Case, wording: Mapping[str, JsonValue] | None) -> None:
        """Say `case` in these words from now on, or forget them if `wording` is `None`.

        `wording` is that of a `Preview`, or the `meta` of a trace that this player made. What it
        cannot use is ignored.
        """


class CaseSequence(Value):
    """Cases that go on from each other: their `name`, and the `folder` of the run's with files."""

    name: str
    folder: str


@runtime_checkable
class PlaysSequences(Protocol):
    """A player whose cases go on from what others have left in files of the run's folder."""

    def sequence(self, case: Case) -> CaseSequence | None:
        """Return the sequence of a case: it comes after those asked before, with their files."""
        ...


# Strategies


@runtime_checkable
class LearnsAsConfigured(Protocol):
    """A strategy whose settings decide how it learns, instead of `SearchStrategy.learns`."""

    def learning(self) -> Learning:
        """Return what `learns` is with the present settings."""
        ...


@runtime_checkable
class LearnsFromConversations(Protocol):
    """A strategy that learns from the conversations themselves, such as from their length."""

    def played(self, trace: Trace) -> None:
        """Learn how a case that was asked went; called right before `tell` of it."""


@runtime_checkable
class CountsCases(Protocol):
    """A strategy that may know how many cases it will propose."""

    def expected(self) -> int | None:
        """Return how many cases there will be in all, `None` if that is not known."""


@runtime_checkable
class OpenEnded(Protocol):
    """A strategy that says itself whether a spent budget is how it is meant to end.

    Others are open-ended if they do not know how many cases there will be.
    """

    def open_ended(self) -> bool:
        """Return whether a run that spends its cases, turns or time is complete.

        If not, it is cut off and may be resumed.
        """
        ...


@runtime_checkable
class RefusesDuplicates(Protocol):
    """A strategy whose duplicates are refused if the suite does not set `strategy.duplicates`."""

    #: Whether duplicates of any case before are refused, or of one of the population.
    refuses: Literal["archive", "population", "none"]


@runtime_checkable
class ReplacesRefused(Protocol):
    """A strategy that must know which of the cases that it proposed are not played."""

    def refused(self, case: Case) -> None:
        """Forget a case that was just asked: it is a duplicate, or there is nothing to say.

        It will not be told. `ask` is called again for others in its place, before any further
        `tell`; a ``per-batch`` strategy then returns what its batch lacks.
        """


@runtime_checkable
class HasPopulation(Protocol):
    """A strategy with a population, of which duplicates may be refused."""

    def population(self) -> Sequence[str] | None:
        """Return the ids of its cases; `None` if the cases of the last `ask` count instead."""


@runtime_checkable
class ReadsPreviews(Protocol):
    """A strategy that learns from what cases would say, if the player is `Previewing`."""

    def read(self, case: Case, text: str) -> None:
        """Learn what would be said first for a draft, or for a case that is about to be played."""


@runtime_checkable
class DraftsCases(Protocol):
    """A strategy that wants to know the words of cases before it proposes some of them."""

    def drafts(self, n: int) -> Sequence[Case]:
        """Return cases to `read` before an `ask` of `n`; they need not be asked."""
        ...


@runtime_checkable
class ChecksNames(Protocol):
    """A strategy whose settings name checks of oracles, such as its objectives."""

    def unknown_checks(self, known: frozenset[str]) -> Sequence[str]:
        """Return what is wrong with the checks that it names, for ``sparring validate``.

        `known` are those that the oracles' verdicts may be of, as ``check`` and ``oracle/check``.
        """
        ...


ABILITIES_OF_PLAYERS: tuple[type, ...] = (Previewing, Recalling, PlaysSequences)
ABILITIES_OF_STRATEGIES: tuple[type, ...] = (
    *(LearnsAsConfigured, LearnsFromConversations, CountsCases, OpenEnded, ReplacesRefused),
    *(HasPopulation, ReadsPreviews, DraftsCases, ChecksNames),
)


def learning(strategy: SearchStrategy[Any]) -> Learning:
    """Return how a strategy learns."""
    return strategy.learning() if isinstance(strategy, LearnsAsConfigured) else strategy.learns


def expected_cases(strategy: SearchStrategy[Any]) -> int | None:
    """Return how many cases a strategy will propose, `None` if it does not know."""
    return strategy.expected() if isinstance(strategy, CountsCases) else None


def is_open_ended(strategy: SearchStrategy[Any]) -> bool:
    """Return whether a spent budget of cases, turns or time is how a search is meant to end."""
    if isinstance(strategy, OpenEnded):
        return strategy.open_ended()
    return expected_cases(strategy) is None


# Executors


@runtime_checkable
class AsksMore(Protocol):
    """An executor for which more cases are asked than the suite's `concurrency`."""

    def places(self, concurrency: int, learns: Learning) -> int:
        """Return how many cases may be asked for at once.

        More of them keep distant workers busy, but a strategy that learns per case (`learns`)
        should not propose cases that nobody can play yet.
        """
        ...


# Connectors


@runtime_checkable
class AttachesToPages(Protocol):
    """A connector that can take over a page that somebody else has opened."""

    def attach(self, page: object, case: Case) -> AbstractAsyncContextManager[PageSession]:
        """Open a session on a page; leaving the context leaves the page open.

        `page` is an object of the library that drives it. Raises ConfigurationError for one that
        this connector does not know.
        """
        ...


@runtime_checkable
class ReachesSeveralApps(Protocol):
    """A connector that reaches several apps: each scenario is played with each of them."""

    def apps(self) -> tuple[str, ...]:
        """Return their names; a case's parameter ``app`` says with which it is played."""
        ...


@runtime_checkable
class RepeatsConversations(Protocol):
    """A connector that answers from recorded conversations."""

    def recorded(self, case: Case) -> Trace | None:
        """Return the conversation that is repeated for `case`, `None` for a live app.

        If the same acts are done again, its times count and not the clock's.
        """


@runtime_checkable
class Probing(Protocol):
    """A connector that can ask whether the app is there, for `sparring doctor`."""

    async def probe(self) -> None:
        """Ask the app for a sign of life; raises AppError if there is none."""


ABILITIES_OF_CONNECTORS: tuple[type, ...] = (
    *(AttachesToPages, ReachesSeveralApps, RepeatsConversations, Probing),
)

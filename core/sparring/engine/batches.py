"""Batches of cases to play, as a strategy proposes them or without their duplicates."""

from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import JsonValue

from sparring.interfaces.abilities import ReadsPreviews
from sparring.interfaces.plugin import BuildContext
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.case import Case
from sparring.model.events import CasesAsked, Refusal
from sparring.model.run import Usage
from sparring.suite.model import Duplicates


@dataclass(slots=True)
class Batch:
    """Cases to play, the proposals that were refused, and what the cases will say first.

    `cut_off` says that the budget refused the answer of a model that would have found the words.
    `skipped` are the cases of other shards. `ended` says why there is nothing to play, if known.
    """

    cases: list[Case] = field(default_factory=list[Case])
    refused: list[Refusal] = field(default_factory=list[Refusal])
    texts: dict[str, str] = field(default_factory=dict[str, str])
    wordings: dict[str, dict[str, JsonValue]] = field(
        default_factory=dict[str, dict[str, JsonValue]]
    )
    previews: int = 0
    cut_off: bool = False
    skipped: int = 0
    ended: str = ""


class Batching(Protocol):
    """Asks a strategy for batches; what the suite key ``duplicates`` makes refuses duplicates."""

    async def next_batch(self, number: int) -> Batch:
        """Return up to `number` cases, or the whole batch of a strategy that learns per batch."""
        ...

    def interrupt(self) -> None:
        """Give up the batch that is being put together."""

    def resume(self, asked: CasesAsked) -> None:
        """Restore what an interrupted run knew after a proposal."""

    def counted(self, usage: Usage) -> Usage:
        """Return what a run spent, with the number of previews and refusals."""
        ...


class MakesBatching(Protocol):
    """The suite key ``strategy.duplicates``: see `Batching`."""

    def __call__(
        self,
        player: object,
        strategy: SearchStrategy[Any],
        duplicates: Duplicates | None,
        context: BuildContext,
        concurrency: int,
    ) -> Batching:
        """Return what puts batches together as the suite wants it.

        Raises ConfigurationError, MissingExtra or PluginError.
        """
        ...


class StrategyStates(Protocol):
    """The service ``states``: how the states of a strategy are stored with its proposals.

    `state` is the strategy's right after the proposal that was read last.
    """

    state: JsonValue

    def stored(self, state: JsonValue) -> tuple[JsonValue, JsonValue]:
        """Return the `state` and the `change` of `CasesAsked` for a state: one of them is None."""
        ...

    def read(self, asked: CasesAsked) -> None:
        """Take in a proposal, in the order of the log; raises StoredRunError if it does not fit."""


def read_again(strategy: SearchStrategy[Any], asked: CasesAsked) -> None:
    """Let a resumed strategy learn again what the cases of a proposal say."""
    if isinstance(strategy, ReadsPreviews):
        for case in asked.cases:
            if case.id in asked.texts:
                strategy.read(case, asked.texts[case.id])

"""Looks at what proposed cases would say, and refuses duplicates before they are played."""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from sparring.discovery import catalog, drivers
from sparring.discovery.groups import LIKENESS
from sparring.errors import BudgetSpent, ConfigurationError, MissingExtra, SparringError
from sparring.interfaces.agent import Player
from sparring.interfaces.likeness import Likeness, LikenessIndex
from sparring.interfaces.plugin import BuildContext
from sparring.interfaces.previewing import Preview, Previewing, Recalling
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.llm.ledger import CASE
from sparring.model.case import Case
from sparring.model.events import CasesAsked, Refusal
from sparring.model.run import Usage
from sparring.suite.model import Duplicates

_KEPT = 4_096
"""Cases whose words are kept, so that a draft is not put into words again when it is asked."""


@dataclass(slots=True)
class Screened:
    """What came of proposed cases: those to play, what they will say and how, those refused."""

    cases: list[Case] = field(default_factory=list[Case])
    refused: list[Refusal] = field(default_factory=list[Refusal])
    texts: dict[str, str] = field(default_factory=dict[str, str])
    wordings: dict[str, dict[str, JsonValue]] = field(
        default_factory=dict[str, dict[str, JsonValue]]
    )


class Screening:
    """Knows what the cases of a run say, and refuses those that say what another one said.

    Without an `index` nothing is refused. `previews` counts cases that were put into words,
    `refused` refusals by reason, both for the whole run.
    """

    def __init__(
        self,
        player: object,
        index: LikenessIndex | None,
        duplicates: Duplicates,
        *,
        of: str = "words",
        concurrency: int = 1,
    ) -> None:
        self._player = player if isinstance(player, Previewing) else None
        self._index = index
        self._duplicates = duplicates
        self._of = of
        self._gate = asyncio.Semaphore(concurrency)
        self._recalling = player if isinstance(player, Recalling) else None
        self._seen: OrderedDict[str, Preview | None] = OrderedDict()
        self.previews = 0
        self.refused: Counter[str] = Counter()

    @classmethod
    def of(
        cls,
        player: Player[Any],
        strategy: SearchStrategy[Any],
        wanted: Duplicates | None,
        context: BuildContext,
        concurrency: int,
    ) -> "Screening":
        """What a suite wants; raises ConfigurationError, MissingExtra, PluginError.

        A suite that says nothing gets what suits the strategy, as far as the player and what is
        installed allow.
        """
        duplicates = wanted or Duplicates()
        against = duplicates.against or (strategy.refuses if wanted is None else "archive")
        duplicates = duplicates.model_copy(update={"against": against})
        if against == "none":
            return cls(player, None, duplicates, concurrency=concurrency)
        previewing = isinstance(player, Previewing)
        if duplicates.by == "auto" and not previewing:
            context.warn(
                f"{type(player).__name__} cannot say what it would say, so that only equal cases "
                "are duplicates; compare the values of cases with strategy.duplicates.by: values"
            )
            return cls(player, None, duplicates, concurrency=concurrency)
        try:
            of, index = _index(duplicates.by, context)
        except MissingExtra as err:
            if wanted is not None:
                raise
            context.warn(f"duplicates are not refused before they are played: {err}")
            return cls(player, None, duplicates, concurrency=concurrency)
        if of == "words" and not previewing:
            raise ConfigurationError(
                f"strategy.duplicates.by: {duplicates.by} compares what is said, and "
                f"{type(player).__name__} cannot say it before the case is played; use by: values"
            )
        return cls(player, index, duplicates, of=of, concurrency=concurrency)

    @property
    def idle(self) -> bool:
        """Whether there is nothing to find out about a case before it is played."""
        return self._index is None

    @property
    def reads(self) -> bool:
        """Whether what a case would say can be found out."""
        return self._player is not None

    async def read(self, cases: Sequence[Case]) -> list[tuple[Case, str]]:
        """What cases would say, of those of which it can be known; raises BudgetSpent."""
        await asyncio.gather(*(self._text(case) for case in cases))
        found = ((case, self._seen.get(case.id)) for case in cases)
        return [(case, _said(seen)) for case, seen in found if seen is not None]

    async def screened(
        self, cases: Sequence[Case], population: Collection[str] | None, batch: Collection[str]
    ) -> Screened:
        """Sort cases, in their order; raises BudgetSpent.

        `population` are the ids that a duplicate of the population is a duplicate of; besides,
        those of the `batch` that is being put together count.
        """
        found = Screened()
        if self._index is None:
            found.cases = list(cases)
            found.wordings = self._wordings(cases)
            return found
        known = await self._compared(cases)
        await asyncio.to_thread(self._index.prepare, list(known.values()))
        own = {*(population or ()), *batch}
        for case in cases:
            text = known.get(case.id)
            refusal = None if text is None else self._refusal(case, text, own)
            if refusal is not None:
                self.refused[refusal.reason] += 1
                found.refused.append(refusal)
                continue
            found.cases.append(case)
            if text is not None:
                own.add(case.id)
                self._index.add(case.id, text)
                found.texts[case.id] = text
        found.wordings = self._wordings(found.cases)
        return found

    def _wordings(self, cases: Sequence[Case]) -> dict[str, dict[str, JsonValue]]:
        """What the player needs to say cases in the words that were found."""
        seen = ((case.id, self._seen.get(case.id)) for case in cases)
        return {name: one.wording for name, one in seen if one is not None and one.wording}

    def counted(self, usage: Usage) -> Usage:
        """What a run spent, with what was put into words and refused."""
        counts = {"previews": self.previews, "refused": dict(sorted(self.refused.items()))}
        return usage.model_copy(update=counts)

    def take_up(self, asked: CasesAsked) -> None:
        """Know again what an interrupted run knew after a proposal."""
        self.previews += asked.previews
        self.refused.update(one.reason for one in asked.refused)
        if self._index is not None:
            for case in asked.cases:
                if case.id in asked.texts:
                    self._index.add(case.id, asked.texts[case.id])
        if self._recalling is not None:
            for case in asked.cases:
                if case.id in asked.wordings:
                    self._recalling.recall(case, asked.wordings[case.id])

    def _refusal(self, case: Case, text: str, own: Collection[str]) -> Refusal | None:
        assert self._index is not None
        if self._of == "words" and not text.strip():
            return Refusal(case=case, reason="unspeakable")
        among = own if self._duplicates.against == "population" else None
        near = self._index.nearest(text, among)
        if near is None or near[1] < self._duplicates.threshold:
            return None
        return Refusal(case=case, reason="duplicate", text=text, like=near[0], likeness=near[1])

    async def _compared(self, cases: Sequence[Case]) -> dict[str, str]:
        """The texts that cases are compared by."""
        if self._of == "words":
            return {case.id: text for case, text in await self.read(cases)}
        return {
            case.id: "\n".join(
                (case.scenario, *(f"{name}={value!r}" for name, value in case.params.items()))
            )
            for case in cases
            if case.params
        }

    async def _text(self, case: Case) -> None:
        """Find out what a case would say; what cannot be put into words is found out in playing."""
        if case.id in self._seen or self._player is None:
            return
        async with self._gate:
            CASE.set(case.id)
            self.previews += 1
            try:
                seen: Preview | None = await self._player.preview(case)
            except BudgetSpent:
                raise
            except SparringError:
                seen = None
        self._seen[case.id] = seen
        while len(self._seen) > _KEPT:
            self._seen.popitem(last=False)


def _said(seen: Preview) -> str:
    return f"{seen.before} {seen.text}" if seen.before else seen.text


def _index(by: str, context: BuildContext) -> tuple[str, LikenessIndex]:
    """The index that a name stands for; of ``auto`` the best that is installed."""
    if by != "auto":
        named: Likeness = drivers.load_value(LIKENESS, by)
        return named.of, named.index()
    offered: list[Likeness] = [
        drivers.load_value(LIKENESS, name) for name in catalog.names(LIKENESS)
    ]
    usable = sorted((one for one in offered if one.of == "words"), key=lambda one: -one.preference)
    missing: list[str] = []
    for one in usable:
        try:
            index = one.index()
        except MissingExtra as err:
            missing.append(str(err))
            continue
        if missing:
            context.warn(f"duplicates are known by their words, not their meaning: {missing[0]}")
        return one.of, index
    raise MissingExtra(missing[0] if missing else "no measure of likeness is installed")

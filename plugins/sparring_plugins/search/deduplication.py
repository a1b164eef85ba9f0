"""Batches without duplicates: what cases would say is looked at before they are played."""

import asyncio
import sqlite3
from collections import Counter, OrderedDict
from collections.abc import Collection, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from pydantic import JsonValue

from sparring.discovery import catalog, drivers
from sparring.discovery.groups import LIKENESS
from sparring.engine.batches import Batch, Batching
from sparring.errors import (
    BudgetSpent,
    ConfigurationError,
    MissingExtra,
    SparringError,
    StorageError,
)
from sparring.interfaces.abilities import (
    DraftsCases,
    HasPopulation,
    Preview,
    Previewing,
    ReadsPreviews,
    Recalling,
    RefusesDuplicates,
    ReplacesRefused,
    expected_cases,
    learning,
)
from sparring.interfaces.plugin import BuildContext
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.llm.ledger import CASE
from sparring.model.case import Case
from sparring.model.events import CasesAsked, Refusal
from sparring.model.run import Usage
from sparring.suite.model import Duplicates
from sparring_plugins.execution.status import playing_workers
from sparring_plugins.gating.record_table import RecordTable
from sparring_plugins.language import embeddings
from sparring_plugins.search.similarity import MeaningIndex, Similarity, SimilarityIndex

_KEPT = 4_096
"""Cases whose words are kept, so that a draft is not put into words again when it is asked."""

# A strategy that learns nothing from refusals might propose the same cases without end.
_REFUSED_IN_A_ROW = 2_000
"""Cases that are refused one after the other before there is nothing new to say."""

_ADDED_AT_ONCE = 10_000
"""Texts of an interrupted run whose vectors are made before any is compared: 15 MB."""

_EQUAL = 1.0
"""Threshold for conversations: two that differ in one wish or trait take different ways."""

_ROUNDS = 5
"""Rounds after which the accepted cases are played, if the strategy does not learn."""


def deduplicated_batches(
    player: object,
    strategy: SearchStrategy[Any],
    duplicates: Duplicates | None,
    context: BuildContext,
    concurrency: int,
) -> Batching:
    """Return what puts batches together as a suite wants it (its key ``strategy.duplicates``).

    A suite that says nothing gets what suits the strategy, as far as the player and what is
    installed allow. Raises ConfigurationError, MissingExtra, PluginError.
    """
    wanted = duplicates or Duplicates()
    own = strategy.refuses if isinstance(strategy, RefusesDuplicates) else "none"
    against = wanted.against or (own if duplicates is None else "archive")
    wanted = wanted.model_copy(update={"against": against})
    previews = Previews(player, concurrency)
    if against == "none":
        return DeduplicatedBatches(strategy, Deduplication(previews, None, wanted))
    # Its module has many models: 50 ms, which most runs do without.
    from sparring_plugins.search.roles import PreviewsBeginnings

    previewing = isinstance(player, Previewing)
    if (
        wanted.by == "auto"
        and isinstance(player, PreviewsBeginnings)
        and player.previews_beginnings()
    ):
        wanted = _compare_conversations(wanted)
    if wanted.by == "auto" and not previewing:
        context.warn(
            f"{type(player).__name__} cannot say what it would say, so that only equal cases "
            "are duplicates; compare the values of cases with strategy.duplicates.by: values"
        )
        return DeduplicatedBatches(strategy, Deduplication(previews, None, wanted))
    try:
        of, index = _index(wanted.by, context)
    except MissingExtra as err:
        if duplicates is not None:
            raise
        context.warn(f"duplicates are not refused before they are played: {err}")
        return DeduplicatedBatches(strategy, Deduplication(previews, None, wanted))
    if of == "words" and not previewing:
        raise ConfigurationError(
            f"strategy.duplicates.by: {wanted.by} compares what is said, and "
            f"{type(player).__name__} cannot say it before the case is played; use by: values"
        )
    return DeduplicatedBatches(strategy, Deduplication(previews, index, wanted, of))


def _compare_conversations(wanted: Duplicates) -> Duplicates:
    """Return settings that compare values: conversations that begin alike may go on differently.

    "I'd like a tea" began 92 of 100 conversations with a skill; compared by these words, eight
    were played. A threshold in the suite still counts.
    """
    changes: dict[str, Any] = {"by": "values"}
    if "threshold" not in wanted.model_fields_set:
        changes["threshold"] = _EQUAL
    return wanted.model_copy(update=changes)


def _index(by: str, context: BuildContext) -> tuple[str, SimilarityIndex]:
    """What is compared, and the index that a name stands for; of ``auto`` the best installed."""
    if by != "auto":
        named: Similarity = drivers.load_value(LIKENESS, by, Similarity)
        return named.of, named.index()
    offered: list[Similarity] = [
        drivers.load_value(LIKENESS, name, Similarity) for name in catalog.names(LIKENESS)
    ]
    usable = sorted((item for item in offered if item.of == "words"), key=lambda m: -m.preference)
    missing: list[str] = []
    for measure in usable:
        try:
            index = measure.index()
        except MissingExtra as err:
            missing.append(str(err))
            continue
        if missing:
            context.warn(f"duplicates are known by their words, not their meaning: {missing[0]}")
        return measure.of, index
    raise MissingExtra(missing[0] if missing else "no similarity measure is installed")


class DeduplicatedBatches:
    """Puts batches together: drafts are read, duplicates refused, refused cases replaced."""

    def __init__(self, strategy: SearchStrategy[Any], deduplication: "Deduplication") -> None:
        self._strategy = strategy
        self._deduplication = deduplication
        self._previews = deduplication.previews
        self._task: asyncio.Task[None] | None = None
        self._interrupted = False
        self._is_anything_accepted = False
        self._is_starved = False  # the strategy had nothing more for the batch that is not refused

    def interrupt(self) -> None:
        """See `Batching.interrupt`."""
        self._interrupted = True
        if self._task is not None:
            self._task.cancel()

    def counted(self, usage: Usage) -> Usage:
        """See `Batching.counted`."""
        refused = dict(sorted(self._deduplication.refused.items()))
        return usage.model_copy(update={"previews": self._previews.count, "refused": refused})

    def resume(self, asked: CasesAsked) -> None:
        """See `Batching.resume`."""
        self._is_anything_accepted = self._is_anything_accepted or bool(asked.cases)
        self._deduplication.resume(asked)
        self._previews.resume(asked)

    async def next_batch(self, number: int) -> Batch:
        """See `Batching.next_batch`."""
        batch = Batch()
        if not self._deduplication.refuses and not self._previews.possible:
            batch.cases = list(self._strategy.ask(number))
            return batch
        before = self._previews.count
        self._is_starved = False
        self._task = asyncio.create_task(self._gather(batch, number))
        with suppress(asyncio.CancelledError):
            await self._task
        if self._task.cancelled() and not self._interrupted:
            raise asyncio.CancelledError
        self._task = None
        batch.previews = self._previews.count - before
        self._is_anything_accepted = self._is_anything_accepted or bool(batch.cases)
        batch.ended = self._why_ended(batch)
        return batch

    def _why_ended(self, batch: Batch) -> str:
        """Return why a search has nothing more to play; empty if refusals are not the reason.

        A strategy with a fixed number of cases loses those that are refused, as configured; that
        is worth a sentence only if nothing was played at all.
        """
        if not self._is_starved or not batch.refused or batch.cut_off or self._interrupted:
            return ""
        if self._is_anything_accepted and expected_cases(self._strategy) is not None:
            return ""
        refused = len(batch.refused)
        proposed = refused + len(batch.cases)
        reasons = Counter(refusal.reason for refusal in batch.refused)
        listed = ", ".join(f"{count:,} {reason}" for reason, count in sorted(reasons.items()))
        return (
            f"ended early: {refused:,} of the last {proposed:,} proposals refused ({listed}); "
            f"{self._deduplication.advice}"
        )

    async def _gather(self, batch: Batch, number: int) -> None:
        rounds = in_a_row = 0
        while in_a_row < _REFUSED_IN_A_ROW:
            try:
                proposal = await self._propose(batch, number)
            except BudgetSpent:
                batch.cut_off = True
                return
            if proposal is None:
                break
            in_a_row = 0 if proposal.cases else in_a_row + len(proposal.refused)
            rounds += 1
            if not proposal.refused and self._is_enough(batch, number):
                return
            if learning(self._strategy) == "never" and batch.cases and rounds >= _ROUNDS:
                return
        self._is_starved = len(batch.cases) < number

    def _is_enough(self, batch: Batch, number: int) -> bool:
        return learning(self._strategy) != "never" or len(batch.cases) >= number

    async def _propose(self, batch: Batch, number: int) -> Batch | None:
        """Add one proposal without its duplicates to a batch; `None` if there is none."""
        strategy, deduplication = self._strategy, self._deduplication
        per_batch = learning(strategy) == "per-batch"
        missing = number if per_batch else number - len(batch.cases)
        if missing <= 0:
            return None
        await self._read_drafts(missing)
        cases = strategy.ask(missing)
        if not cases:
            return None
        population = strategy.population() if isinstance(strategy, HasPopulation) else None
        proposal = await deduplication.sort(cases, population, [case.id for case in batch.cases])
        reads = isinstance(strategy, ReadsPreviews)
        if reads and not deduplication.compares_words:  # else its texts were just compared
            texts = await self._previews.texts(proposal.cases)
            proposal.texts = {case.id: text for case, text in texts}
            proposal.wordings = self._previews.wordings(proposal.cases)
        batch.texts |= proposal.texts
        batch.wordings |= proposal.wordings
        if isinstance(strategy, ReadsPreviews):
            for case in proposal.cases:
                if case.id in proposal.texts:
                    strategy.read(case, proposal.texts[case.id])
        if isinstance(strategy, ReplacesRefused):
            for refusal in proposal.refused:
                strategy.refused(refusal.case)
        batch.cases += proposal.cases
        batch.refused += proposal.refused
        return proposal

    async def _read_drafts(self, number: int) -> None:
        strategy = self._strategy
        if not (self._previews.possible and isinstance(strategy, DraftsCases)):
            return
        texts = await self._previews.texts(strategy.drafts(number))
        if isinstance(strategy, ReadsPreviews):
            for case, text in texts:
                strategy.read(case, text)


class Previews:
    """What cases would say, as far as the player knows it; `count` counts the calls."""

    def __init__(self, player: object, concurrency: int) -> None:
        self._player = player if isinstance(player, Previewing) else None
        self._recalling = player if isinstance(player, Recalling) else None
        self._gate = asyncio.Semaphore(concurrency)
        self._known: OrderedDict[str, Preview | None] = OrderedDict()
        self.count = 0

    @property
    def possible(self) -> bool:
        """Whether the player can preview cases at all."""
        return self._player is not None

    async def texts(self, cases: Sequence[Case]) -> list[tuple[Case, str]]:
        """Return the utterances of cases; cases whose utterance is unknown are left out.

        Raises BudgetSpent.
        """
        await asyncio.gather(*(self._preview(case) for case in cases))
        previews = ((case, self._known.get(case.id)) for case in cases)
        return [
            (case, f"{preview.before} {preview.text}" if preview.before else preview.text)
            for case, preview in previews
            if preview is not None
        ]

    def wordings(self, cases: Sequence[Case]) -> dict[str, dict[str, JsonValue]]:
        """Return what the player needs to say cases in the words that were found, by id."""
        previews = ((case.id, self._known.get(case.id)) for case in cases)
        return {key: found.wording for key, found in previews if found and found.wording}

    def resume(self, asked: CasesAsked) -> None:
        """Count the previews of an interrupted run, and have the player recall its words."""
        self.count += asked.previews
        if self._recalling is not None:
            for case in asked.cases:
                if case.id in asked.wordings:
                    self._recalling.recall(case, asked.wordings[case.id])

    async def _preview(self, case: Case) -> None:
        """Preview a case; one that cannot be put into words shows that when it is played."""
        if case.id in self._known or self._player is None:
            return
        async with self._gate:
            CASE.set(case.id)
            self.count += 1
            try:
                preview: Preview | None = await self._player.preview(case)
            except BudgetSpent:
                raise
            except SparringError:
                preview = None
        self._known[case.id] = preview
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)


class Deduplication:
    """Refuses cases that say what another one said; none without an `index`.

    `of` is what the index compares (``words`` or ``values``). `refused` counts the refusals of the
    whole run by reason.
    """

    def __init__(
        self,
        previews: Previews,
        index: SimilarityIndex | None,
        duplicates: Duplicates,
        of: str = "words",
    ) -> None:
        self.previews = previews
        self._index = index
        self._duplicates = duplicates
        self._of = of
        self._resumed = RecordTable[str]()
        self.refused: Counter[str] = Counter()

    @property
    def compares_words(self) -> bool:
        """Whether cases are compared by what they say first."""
        return self.refuses and self._of == "words"

    @property
    def advice(self) -> str:
        """What compares cases here, and which key of a suite changes that."""
        return (
            f"cases are compared by {self._of} at {self._duplicates.threshold:g}, "
            "see strategy.duplicates (threshold, by, or none)"
        )

    @property
    def refuses(self) -> bool:
        """Whether any case is refused."""
        return self._index is not None

    async def sort(
        self, cases: Sequence[Case], population: Collection[str] | None, batch: Collection[str]
    ) -> Batch:
        """Return proposed cases, in their order, as those to play and those refused.

        `population` are the ids of the strategy's population; those of the `batch` that is being
        put together count besides. Raises BudgetSpent.
        """
        proposal = Batch()
        if self._index is None:
            proposal.cases = list(cases)
            proposal.wordings = self.previews.wordings(cases)
            return proposal
        texts = await self._list_compared_texts(cases)
        await self._add_resumed(self._index)
        await _prepare(self._index, list(texts.values()))
        own = {*(population or ()), *batch}
        for case in cases:
            text = texts.get(case.id)
            refusal = None if text is None else self._refusal(self._index, case, text, own)
            if refusal is not None:
                self.refused[refusal.reason] += 1
                proposal.refused.append(refusal)
                continue
            proposal.cases.append(case)
            if text is not None:
                own.add(case.id)
                _add(self._index, case.id, text)
                if self._of == "words":
                    proposal.texts[case.id] = text
        proposal.wordings = self.previews.wordings(proposal.cases)
        return proposal

    def resume(self, asked: CasesAsked) -> None:
        """Count the refusals of an interrupted run, and know its texts again."""
        self.refused.update(refusal.reason for refusal in asked.refused)
        if self._index is not None:
            for case in asked.cases:
                text = _values_text(case) if self._of == "values" else asked.texts.get(case.id)
                if text:
                    self._resumed.add(case.id, text)

    async def _add_resumed(self, index: SimilarityIndex) -> None:
        """Know the texts of an interrupted run again: vectors of 100,000 take minutes."""
        resumed, self._resumed = self._resumed.in_order(), RecordTable[str]()
        while block := list(islice(resumed, _ADDED_AT_ONCE)):
            await _prepare(index, [text for _, text in block])
            for case_id, text in block:
                _add(index, case_id, text)

    def _refusal(
        self, index: SimilarityIndex, case: Case, text: str, own: Collection[str]
    ) -> Refusal | None:
        if self._of == "words" and not text.strip():
            return Refusal(case=case, reason="unspeakable")
        among = own if self._duplicates.against == "population" else None
        near = index.nearest(text, among)
        if near is None or near[1] < self._duplicates.threshold:
            return None
        return Refusal(case=case, reason="duplicate", text=text, like=near[0], likeness=near[1])

    async def _list_compared_texts(self, cases: Sequence[Case]) -> dict[str, str]:
        """The texts that cases are compared by, by id."""
        if self._of == "words":
            return {case.id: text for case, text in await self.previews.texts(cases)}
        return {case.id: _values_text(case) for case in cases if case.params}


def _add(index: SimilarityIndex, case_id: str, text: str) -> None:
    """Add a text; raises StorageError if it does not fit on the disk."""
    try:
        index.add(case_id, text)
    except (OSError, sqlite3.Error) as err:
        raise StorageError(
            "the texts of cases that duplicates are compared with cannot be kept in a temporary "
            f"file: {err}; set TMPDIR and SQLITE_TMPDIR to a folder with room"
        ) from err


async def _prepare(index: SimilarityIndex, texts: Sequence[str]) -> None:
    """Do the slow part of looking up texts, on the workers of the run if the texts are many."""
    workers = playing_workers() if len(texts) >= embeddings.MANY else None
    if workers is None or not isinstance(index, MeaningIndex):
        await asyncio.to_thread(index.prepare, texts)
        return
    from sparring_plugins.search.diversity import text_embedding
    from sparring_plugins.search.remote_embeddings import embed_parts

    parts = index.parts([text for text in texts if text.strip()])
    embedded = await embed_parts(workers, text_embedding("minilm"), parts)
    for part, rows in zip(parts, embedded, strict=True):
        index.take(part, list(rows))


def _values_text(case: Case) -> str:
    """Return the values of a case, one per line; empty without values: nothing is compared."""
    if not case.params:
        return ""
    return "\n".join((case.scenario, *(f"{name}={value!r}" for name, value in case.params.items())))

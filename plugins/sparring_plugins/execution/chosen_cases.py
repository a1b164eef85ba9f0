"""Some cases of a suite, by their ids: those that failed last time (``run --last-failed``)."""

from collections.abc import Iterator
from typing import Any

from sparring.engine.batches import Batch, Batching
from sparring.errors import ConfigurationError
from sparring.interfaces.abilities import learning
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.verdict import Outcome
from sparring.store import StoredRun
from sparring_plugins.gating.case_ids import has_id
from sparring_plugins.gating.records import case_key
from sparring_plugins.gating.repeats import WrappedBatching

_PASSED = (Outcome.PASS, Outcome.SKIPPED)


class ChosenCases(WrappedBatching):
    """Keeps of each batch the cases with certain ids.

    Raises ConfigurationError if the strategy learns: it would propose other cases.
    """

    def __init__(
        self, batching: Batching, strategy: SearchStrategy[Any], cases: frozenset[str]
    ) -> None:
        if learning(strategy) != "never":
            raise ConfigurationError(
                "the strategy learns from verdicts, so that single cases cannot be chosen; play "
                "failures again with: sparring confirm"
            )
        super().__init__(batching)
        self._cases = cases

    async def next_batch(self, number: int) -> Batch:
        """See `Batching.next_batch`: asks until some case is wanted, or there are none."""
        skipped = 0
        while True:
            batch = await self._batching.next_batch(number)
            if not batch.cases:
                return batch
            cases = [case for case in batch.cases if has_id(case.id, self._cases)]
            skipped += len(batch.cases) - len(cases)
            if cases:
                batch.cases, batch.skipped = cases, skipped
                case_ids = {case.id for case in cases}
                batch.texts = {key: batch.texts[key] for key in batch.texts if key in case_ids}
                batch.wordings = {
                    key: batch.wordings[key] for key in batch.wordings if key in case_ids
                }
                return batch


def cases_not_passed(stored: StoredRun) -> frozenset[str]:
    """Return the ids, without repeats, of the cases that failed or could not be decided.

    Those are among them that only together break a condition over several conversations.
    """
    return frozenset(_not_passed(stored))


def _not_passed(stored: StoredRun) -> Iterator[str]:
    together = {
        case_id
        for verdict in stored.concluded
        if verdict.gating and verdict.outcome not in _PASSED
        for case_id in verdict.case_ids
    }
    for judged in stored.judged():
        case = judged.trace.case
        alone = any(each.gating and each.outcome not in _PASSED for each in judged.verdicts)
        if alone or case.id in together:
            yield case_key(case)

"""Shards: one run in several parts that know nothing of each other, such as jobs of a CI matrix.

Case number i of all that the strategy proposes, from 0, belongs to the shard ``i % n + 1`` of n.
Each shard asks the strategy for all cases, and plays its own.
"""

import re
from dataclasses import dataclass, replace
from typing import Any

from sparring.engine.batches import Batch, Batching
from sparring.errors import ConfigurationError
from sparring.interfaces.abilities import LearnsAsConfigured, learning
from sparring.interfaces.plugin import UseOf
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.events import CasesAsked
from sparring.model.run import Usage
from sparring.suite.model import Repeats
from sparring.suite.reading import LoadedSuite, load_part

_WRITTEN = re.compile(r"(\d{1,6})/(\d{1,6})")
_MOST_ASKED = 10_000


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `number` of `count`, both from 1."""

    number: int = 1
    count: int = 1

    @classmethod
    def of(cls, text: str) -> "Shard":
        """Read ``3/16``; empty is the whole run. Raises ConfigurationError."""
        if not text:
            return cls()
        match = _WRITTEN.fullmatch(text.strip())
        if match is None:
            raise ConfigurationError(f"--shard {text!r}: expected K/N, as in 3/16")
        number, count = int(match[1]), int(match[2])
        if not 1 <= number <= count:
            raise ConfigurationError(
                f"--shard {text}: the first number counts from 1 to {max(count, 1)}"
            )
        return cls(number, count)

    def __str__(self) -> str:
        """As it is written; empty for the whole run."""
        return "" if self.count == 1 else f"{self.number}/{self.count}"

    def share(self, cases: int) -> int:
        """How many of the first so many cases belong to it."""
        return (cases - self.number) // self.count + 1 if cases >= self.number else 0

    def limited(self, loaded: LoadedSuite) -> LoadedSuite:
        """The suite with this shard's part of ``budget.cases``; raises ConfigurationError.

        A suite whose strategy learns is refused here, before anything is stored.
        """
        cases = loaded.suite.budget.cases
        if self.count > 1 and loaded.suite.repeats != Repeats():
            raise ConfigurationError(
                f"--shard {self}: how often a case is repeated (repeats) depends on all that were "
                "played before; play it on more cores (--workers) or on a cluster"
            )
        strategy = load_part(UseOf("sparring.strategies"), loaded.suite.strategy.use)
        if self.count > 1 and _learns_always(strategy):  # else it is refused once it is there
            raise _refusal(str(self))
        if self.count == 1 or cases is None:
            return loaded
        share = self.share(cases)
        if not share:
            raise ConfigurationError(
                f"--shard {self}: the budget of {cases} cases (budget.cases) leaves none for it; "
                f"take at most {cases} shards"
            )
        budget = loaded.suite.budget.model_copy(update={"cases": share})
        return replace(loaded, suite=loaded.suite.model_copy(update={"budget": budget}))


def _learns_always(strategy: type[Any]) -> bool:
    """Whether a strategy learns, whatever its settings are."""
    configured = issubclass(strategy, LearnsAsConfigured)
    return issubclass(strategy, SearchStrategy) and not configured and strategy.learns != "never"


def _refusal(shard: str) -> ConfigurationError:
    return ConfigurationError(
        f"--shard {shard}: the strategy learns from verdicts, which other shards would not hear "
        "of; play it on more cores (--workers) or on a cluster"
    )


class ShardedBatching(Batching):
    """Keeps of each batch the cases of one shard.

    Raises ConfigurationError if the strategy learns.
    """

    def __init__(self, batching: Batching, strategy: SearchStrategy[Any], shard: str) -> None:
        if learning(strategy) != "never":
            raise _refusal(shard)
        self._batching = batching
        self._strategy = strategy
        self._shard = Shard.of(shard)
        self._count = 0

    async def next_batch(self, number: int) -> Batch:
        """See `Batching.next_batch`: asks until some case is of this shard, or there are none."""
        skipped = 0
        while True:
            most = min(_MOST_ASKED, number * self._shard.count)
            batch = await self._batching.next_batch(most)
            if not batch.cases:
                return batch
            first, asked = self._count, len(batch.cases)
            self._count += asked
            batch.cases = [
                case
                for at, case in enumerate(batch.cases, first)
                if at % self._shard.count == self._shard.number - 1
            ]
            skipped += asked - len(batch.cases)
            if batch.cases:
                batch.skipped = skipped
                case_ids = {case.id for case in batch.cases}
                batch.texts = {key: batch.texts[key] for key in batch.texts if key in case_ids}
                batch.wordings = {
                    key: batch.wordings[key] for key in batch.wordings if key in case_ids
                }
                return batch

    def interrupt(self) -> None:
        """See `Batching.interrupt`."""
        self._batching.interrupt()

    def resume(self, asked: CasesAsked) -> None:
        """See `Batching.resume`."""
        self._count += len(asked.cases) + asked.skipped
        self._batching.resume(asked)

    def counted(self, usage: Usage) -> Usage:
        """See `Batching.counted`."""
        return self._batching.counted(usage)

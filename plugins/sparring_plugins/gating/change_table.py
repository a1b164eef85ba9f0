"""What changed between two runs, in reading order, most of it on the disk if it is much."""

import pickle
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from sparring_plugins.gating.records import CheckCounts
from sparring_plugins.output.temporary_files import temporary_database

Kind = Literal[
    "new failure",
    "fails more often",
    "new case fails",
    "undecided",
    "flaky",
    "still failing",
    "still undecided",
    "not checked",
    "missing case",
    "fixed",
    "fails less often",
    "new case",
]
"""What became of a check of a case; `WORSE` are those for which a comparison fails."""

WORSE: frozenset[Kind] = frozenset(("new failure", "fails more often", "new case fails"))
ORDER: tuple[Kind, ...] = Kind.__args__  # type: ignore[attr-defined]
"""The kinds in the order in which people read them."""

IN_MEMORY = 5_000
"""Changes that are kept in memory, as most comparisons have fewer."""


@dataclass(frozen=True, slots=True)
class Change:
    """A check of a case that does not pass before and after.

    `before` and `after` are its counts, `None` if it was not judged; `p` is that of Fisher's test
    for checks that sometimes pass, adjusted for how many there are.
    """

    kind: Kind
    case_id: str
    check: str
    before: CheckCounts | None
    after: CheckCounts | None
    p: float | None = None


class ChangeTable(Collection[Change]):
    """Changes by kind, id of the case and check, of which a million may be added in any order."""

    def __init__(self, in_memory: int = IN_MEMORY) -> None:
        self._newest: list[Change] = []
        self._in_memory = in_memory
        self._file: sqlite3.Connection | None = None
        self.counts: Counter[Kind] = Counter()

    def add(self, change: Change) -> None:
        """Add a change."""
        self.counts[change.kind] += 1
        self._newest.append(change)
        if len(self._newest) > self._in_memory:
            self._move_to_file()

    def __len__(self) -> int:
        return self.counts.total()

    def __contains__(self, change: object) -> bool:
        return any(each == change for each in self)

    def __iter__(self) -> Iterator[Change]:
        return self.of(*ORDER)

    def of(self, *kinds: Kind, most: int | None = None) -> Iterator[Change]:
        """Yield changes of some kinds in reading order, at most so many."""
        changes = self._all_of(sorted(set(kinds), key=ORDER.index))
        return islice(changes, most)

    def _all_of(self, kinds: list[Kind]) -> Iterator[Change]:
        if self._file is None:
            self._newest.sort(key=lambda c: (ORDER.index(c.kind), c.case_id, c.check))
            yield from (change for change in self._newest if change.kind in kinds)
            return
        self._move_to_file()
        query = "SELECT change FROM changes WHERE kind = ? ORDER BY id, name"
        for kind in kinds:
            for (data,) in self._file.execute(query, (ORDER.index(kind),)):
                change: Change = pickle.loads(data)
                yield change

    def _move_to_file(self) -> None:
        if self._file is None:
            self._file = temporary_database()
            self._file.execute(
                "CREATE TABLE changes (kind INTEGER, id BLOB, name BLOB, change BLOB)"
            )
        rows = [
            (
                ORDER.index(change.kind),
                change.case_id.encode("utf-8", "surrogatepass"),  # sorts as the texts do
                change.check.encode("utf-8", "surrogatepass"),
                pickle.dumps(change, protocol=pickle.HIGHEST_PROTOCOL),
            )
            for change in self._newest
        ]
        self._file.executemany("INSERT INTO changes VALUES (?, ?, ?, ?)", rows)
        self._newest.clear()

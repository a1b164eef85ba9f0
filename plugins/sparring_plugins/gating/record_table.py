"""Records of cases by their ids, most of them on the disk if there are many.

A comparison of two runs with a million cases each needs every record once or twice, in no order
that a log has: kept in memory they take 3 kB each. The table keeps the first ones as they are, and
the others in an SQLite file that is deleted with it.
"""

import pickle
import sqlite3
from collections.abc import Iterator, MutableMapping
from typing import Generic, TypeVar

RecordT = TypeVar("RecordT")

IN_MEMORY = 5_000
"""Records that are kept in memory: 15 MB. Most runs have fewer cases, and need no file."""

_PAGES_KB = 8_000


class RecordTable(MutableMapping[str, RecordT], Generic[RecordT]):
    """A mapping from ids to records, in the order in which the ids came.

    What is changed in a record counts only when it is set again.
    """

    def __init__(self, in_memory: int = IN_MEMORY) -> None:
        self._first: dict[str, RecordT] = {}
        self._in_memory = in_memory
        self._file: sqlite3.Connection | None = None

    def __getitem__(self, key: str) -> RecordT:
        if key in self._first or self._file is None:
            return self._first[key]
        row = self._file.execute("SELECT record FROM records WHERE id = ?", (key,)).fetchone()
        if row is None:
            raise KeyError(key)
        record: RecordT = pickle.loads(row[0])
        return record

    def __setitem__(self, key: str, record: RecordT) -> None:
        if key in self._first or (self._file is None and len(self._first) < self._in_memory):
            self._first[key] = record
            return
        if self._file is None:
            self._file = _open_file()
        data = pickle.dumps(record, protocol=pickle.HIGHEST_PROTOCOL)
        self._file.execute(
            "INSERT INTO records (id, record) VALUES (?, ?) "
            "ON CONFLICT (id) DO UPDATE SET record = excluded.record",
            (key, data),
        )

    def __delitem__(self, key: str) -> None:
        if key in self._first or self._file is None:
            del self._first[key]
            return
        if not self._file.execute("DELETE FROM records WHERE id = ?", (key,)).rowcount:
            raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        if key in self._first or self._file is None:
            return key in self._first
        row = self._file.execute("SELECT 1 FROM records WHERE id = ?", (key,)).fetchone()
        return row is not None

    def __iter__(self) -> Iterator[str]:
        yield from self._first
        if self._file is not None:
            for (key,) in self._file.execute("SELECT id FROM records ORDER BY number"):
                yield str(key)

    def __len__(self) -> int:
        if self._file is None:
            return len(self._first)
        (in_file,) = self._file.execute("SELECT COUNT(*) FROM records").fetchone()
        return len(self._first) + int(in_file)


def _open_file() -> sqlite3.Connection:
    """Open a temporary database, which SQLite deletes when it is closed."""
    file = sqlite3.connect("", isolation_level=None)
    file.execute("PRAGMA journal_mode = OFF")
    file.execute(f"PRAGMA cache_size = -{_PAGES_KB}")
    file.execute(
        "CREATE TABLE records (number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, record BLOB)"
    )
    file.execute("BEGIN")
    return file

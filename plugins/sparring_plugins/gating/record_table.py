"""Records of cases by their ids, most of them on the disk if there are many.

A comparison of two runs with a million cases each needs every record once. Kept in memory they take
3 kB each. The table keeps the newest ones as they are, and moves the others to an SQLite file that
is deleted with it, in the order in which they came: there is an index of their ids only if
one of them is looked up.
"""

import pickle
import sqlite3
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from itertools import islice
from typing import Any, Generic, TypeVar

from sparring_plugins.output.temporary_files import temporary_database

RecordT = TypeVar("RecordT")

IN_MEMORY = 5_000
"""Records that are kept in memory: 15 MB. Most runs have fewer cases, and need no file."""


class RecordTable(MutableMapping[str, RecordT], Generic[RecordT]):
    """A mapping from ids to records, in the order in which the ids came.

    What is changed in a record counts only when it is set again.
    """

    def __init__(self, in_memory: int = IN_MEMORY) -> None:
        self.newest: dict[str, RecordT] = {}
        self._in_memory = in_memory
        self._file: sqlite3.Connection | None = None
        self._is_indexed = False

    def __getitem__(self, key: str) -> RecordT:
        if key in self.newest:
            return self.newest[key]
        if (row := self.find_row(key)) is None:
            raise KeyError(key)
        return self.unpack(row[1])

    def __setitem__(self, key: str, record: RecordT) -> None:
        if key not in self.newest and (row := self.find_row(key)) is not None:
            self._execute("UPDATE records SET record = ? WHERE number = ?", _pack(record), row[0])
            return
        self.add(key, record)

    def add(self, key: str, record: RecordT) -> None:
        """Set the record of an id that is not among those on the disk, without looking there."""
        self.newest[key] = record
        if len(self.newest) > self._in_memory:
            self._move_older_half()

    def __delitem__(self, key: str) -> None:
        if key in self.newest:
            del self.newest[key]
            return
        if (row := self.find_row(key)) is None:
            raise KeyError(key)
        self._execute("DELETE FROM records WHERE number = ?", row[0])

    def __contains__(self, key: object) -> bool:
        return key in self.newest or self.find_row(key) is not None

    def __iter__(self) -> Iterator[str]:
        for _, key, _ in self.stored_rows("''"):
            yield key
        yield from self.newest

    def __len__(self) -> int:
        in_file = 0
        if self._file is not None:
            (in_file,) = self._execute("SELECT count(*) FROM records").fetchone()
        return int(in_file) + len(self.newest)

    def in_order(self) -> Iterator[tuple[str, RecordT]]:
        """Yield all ids with their records, without looking any up."""
        for _, key, record in self.stored_rows():
            yield key, self.unpack(record)
        yield from self.newest.items()

    def finder(self) -> Callable[[str], RecordT | None]:
        """Return a function like `get` for ids that are asked for in about the table's order.

        It reads on from where it is as long as each id follows the one before, and looks up others.
        """
        return _Finder(self).find

    def find_row(self, key: object) -> tuple[int, bytes] | None:
        """Return the number and the packed record of an id on the disk, or `None`."""
        if self._file is None or not isinstance(key, str):
            return None
        if not self._is_indexed:
            self._execute("CREATE INDEX ids ON records (id)")
            self._is_indexed = True
        query = "SELECT number, record FROM records WHERE id = ?"
        row: tuple[int, bytes] | None = self._execute(query, _key(key)).fetchone()
        return row

    def stored_rows(self, what: str = "record", after: int = 0) -> Iterator[tuple[int, str, bytes]]:
        """Yield number, id and packed record of what is on the disk, after a number."""
        if self._file is not None:
            query = f"SELECT number, id, {what} FROM records WHERE number > ? ORDER BY number"
            for number, key, record in self._execute(query, after):
                yield number, key.decode("utf-8", "surrogatepass"), record

    def _move_older_half(self) -> None:
        """Move the older half of what is in memory to the file, in its order."""
        if self._file is None:
            self._file = temporary_database()
            self._execute("CREATE TABLE records (number INTEGER PRIMARY KEY, id BLOB, record BLOB)")
        older = list(islice(self.newest, max(1, self._in_memory // 2)))
        rows = [(_key(key), _pack(self.newest.pop(key))) for key in older]
        self._file.executemany("INSERT INTO records (id, record) VALUES (?, ?)", rows)

    def _execute(self, query: str, *values: Any) -> sqlite3.Cursor:
        assert self._file is not None
        return self._file.execute(query, values)

    def unpack(self, data: bytes) -> RecordT:
        """Return a record as it was put in."""
        record: RecordT = pickle.loads(data)
        return record


class _Finder(Generic[RecordT]):
    """Looks ids up in a table, reading on while they come in its order."""

    def __init__(self, table: RecordTable[RecordT]) -> None:
        self._table = table
        self._at = 0
        self._ahead: Iterator[tuple[int, str, bytes]] | None = None
        self._next: tuple[int, str, bytes] | None = None
        self._read_on(0)

    def find(self, key: str) -> RecordT | None:
        """Return the record of an id, `None` if there is none."""
        table = self._table
        if key in table.newest:
            return table.newest[key]
        if self._next is not None and self._next[1] == key:
            self._at, _, record = self._next
            self._next = next(self._ahead, None) if self._ahead else None
            return table.unpack(record)
        if (row := table.find_row(key)) is None:
            return None
        # After one that stands elsewhere the next ones are looked up, too, until two follow each
        # other: reading on costs more than a look-up, and ids in no order never follow.
        if row[0] == self._at + 1:
            self._read_on(row[0])
        else:
            self._ahead = self._next = None
        self._at = row[0]
        return table.unpack(row[1])

    def _read_on(self, after: int) -> None:
        self._ahead = self._table.stored_rows(after=after)
        self._next = next(self._ahead, None)


def items_in_order(records: Mapping[str, RecordT]) -> Iterator[tuple[str, RecordT]]:
    """Yield the ids and records of a mapping in its order."""
    if isinstance(records, RecordTable):
        yield from records.in_order()
    else:
        yield from records.items()


def finder(records: Mapping[str, RecordT]) -> Callable[[str], RecordT | None]:
    """Return a function like `get`, for ids that are asked for in about the mapping's order."""
    return records.finder() if isinstance(records, RecordTable) else records.get


def _pack(record: object) -> bytes:
    return pickle.dumps(record, protocol=pickle.HIGHEST_PROTOCOL)


def _key(key: str) -> bytes:
    """Return an id as it is stored: SQLite takes no text with half a surrogate pair."""
    return key.encode("utf-8", "surrogatepass")

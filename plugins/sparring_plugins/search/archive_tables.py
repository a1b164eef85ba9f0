"""What an archive of texts keeps of each: its key, and its vector or the places that it fills.

The first ones stay in memory, and further ones go to files without a name, so that an archive of a
million texts takes the memory of one of some ten thousand. Files are read, not mapped:
all pages of a mapped file that is looked through count as memory of the process.
"""

# numpy is optional, and known by name only when an archive is made.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false

import sqlite3
from array import array
from collections.abc import Collection, Iterator
from io import FileIO
from typing import Any
from weakref import finalize

from sparring_plugins.output.temporary_files import temporary_database, temporary_file

BLOCK = 1_024
"""Vectors of a table: a further one is begun when it is full, so that none is ever copied."""

TABLES = 16
"""Full tables that are kept in memory: 25 MB of vectors by meaning."""

KEYS = 50_000
"""Keys that are kept in memory: 9 MB."""

NUMBERS = 2_000_000
"""Numbers of postings that are kept in memory, eight bytes each: 16 MB."""

_PLACE = 40
"""What a place takes by itself, in numbers: two arrays and an entry of a dictionary, 300 bytes.

Of values of cases, most are those of one case: a million of them took 300 MB.
"""


class KeyTable:
    """Different keys, numbered from 0 in the order in which they are added."""

    def __init__(self, in_memory: int = KEYS) -> None:
        self._in_memory = in_memory
        self._first: list[str] = []
        self._places: dict[str, int] = {}
        self._file: sqlite3.Connection | None = None
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, place: int) -> str:
        if place < len(self._first) or self._file is None:
            return self._first[place]
        row = self._file.execute("SELECT key FROM keys WHERE place = ?", (place,)).fetchone()
        return str(row[0].decode("utf-8", "surrogatepass"))

    def add(self, key: str) -> bool:
        """Add a key; returns whether it is new."""
        if self.place(key) is not None:
            return False
        if self._length < self._in_memory:
            self._places[key] = self._length
            self._first.append(key)
        else:
            if self._file is None:
                self._file = temporary_database()
                self._file.execute("CREATE TABLE keys (place INTEGER PRIMARY KEY, key BLOB UNIQUE)")
            row = self._length, key.encode("utf-8", "surrogatepass")
            self._file.execute("INSERT INTO keys VALUES (?, ?)", row)
        self._length += 1
        return True

    def place(self, key: str) -> int | None:
        """Return the number of a key, `None` if it was not added."""
        if key in self._places or self._file is None:
            return self._places.get(key)
        stored = (key.encode("utf-8", "surrogatepass"),)
        row = self._file.execute("SELECT place FROM keys WHERE key = ?", stored).fetchone()
        return None if row is None else int(row[0])


class VectorTables:
    """Rows of numbers, in tables of `BLOCK` that can be multiplied with a vector."""

    def __init__(self, in_memory: int = TABLES) -> None:
        self._in_memory = in_memory
        self._first: list[Any] = []
        self._file: FileIO | None = None
        self._in_file = 0
        self._last: Any = None
        self._rows = 0  # of the last table

    def append(self, vector: Any) -> None:
        """Add a row."""
        import numpy as np

        if self._last is None:
            self._last = np.zeros((BLOCK, len(vector)), np.float32)
        elif self._rows == BLOCK:
            self._put_away()
        self._last[self._rows] = vector
        self._rows += 1

    def tables(self, wanted: Collection[int] | None = None) -> Iterator[tuple[int, Any]]:
        """Yield tables, all or some by their numbers; each is valid until the next one."""
        for number, table in enumerate(self._first):
            if wanted is None or number in wanted:
                yield number, table
        yield from self._tables_in_file(wanted)
        last = len(self._first) + self._in_file
        if self._last is not None and (wanted is None or last in wanted):
            yield last, self._last

    def _tables_in_file(self, wanted: Collection[int] | None) -> Iterator[tuple[int, Any]]:
        import numpy as np

        if self._file is None:
            return
        table = np.empty_like(self._last)
        view: Any = memoryview(table).cast("B")
        for place in range(self._in_file):
            number = len(self._first) + place
            if wanted is not None and number not in wanted:
                continue
            self._file.seek(place * table.nbytes)
            done = 0
            while done < table.nbytes:  # a signal may cut a read short
                if not (read := self._file.readinto(view[done:])):
                    raise OSError("a temporary file was cut short")
                done += read
            yield number, table

    def _put_away(self) -> None:
        """Keep the last table, which is full, and begin another one."""
        import numpy as np

        self._rows = 0
        if len(self._first) < self._in_memory:
            self._first.append(self._last)
            self._last = np.zeros_like(self._last)
            return
        if self._file is None:
            self._file = temporary_file()
            finalize(self, self._file.close)  # else Python warns of a file that nobody closed
        left: Any = memoryview(self._last).cast("B")
        self._file.seek(self._in_file * self._last.nbytes)
        while left:
            left = left[self._file.write(left) :]
        self._in_file += 1
        self._last[:] = 0


class Postings:
    """The rows that fill each place, and the weight of each there."""

    def __init__(self, in_memory: int = NUMBERS) -> None:
        self._in_memory = in_memory
        self._newest: dict[int, tuple[array[int], array[float]]] = {}
        self._held = 0
        self._file: sqlite3.Connection | None = None

    def add(self, place: int, row: int, weight: float) -> None:
        """Add a row to those of a place; rows come in ascending order."""
        if place not in self._newest:
            self._newest[place] = array("I"), array("f")
            self._held += _PLACE
        rows, weights = self._newest[place]
        rows.append(row)
        weights.append(weight)
        self._held += 1
        if self._held > self._in_memory:
            self._move_to_file()

    def of(self, place: int) -> Iterator[tuple[Any, Any]]:
        """Yield the rows of a place and their weights, as buffers of ``uint32`` and ``float32``."""
        if self._file is not None:
            query = "SELECT rows, weights FROM postings WHERE place = ?"
            yield from self._file.execute(query, (place,))
        if place in self._newest:
            yield self._newest[place]

    def _move_to_file(self) -> None:
        if self._file is None:
            self._file = temporary_database()
            self._file.execute("CREATE TABLE postings (place INTEGER, rows BLOB, weights BLOB)")
            self._file.execute("CREATE INDEX places ON postings (place)")
        rows = (
            (place, rows.tobytes(), weights.tobytes())
            for place, (rows, weights) in sorted(self._newest.items())
        )
        self._file.executemany("INSERT INTO postings VALUES (?, ?, ?)", rows)
        self._newest.clear()
        self._held = 0

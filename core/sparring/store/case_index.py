"""The index of a log's cases, in constant memory: a database that spills to disk."""

import sqlite3
from collections.abc import Collection, Iterable, Iterator

_TABLES = """
PRAGMA cache_size = -8000;
CREATE TABLE cases (place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, offset INTEGER);
CREATE TABLE batches (offset INTEGER PRIMARY KEY);
"""


class CaseIndex(Collection[str]):
    """The ids of the judged cases of a log, in the order asked, and the offsets of their lines."""

    def __init__(self) -> None:
        database = sqlite3.connect("", check_same_thread=False)
        database.executescript(_TABLES)
        self._execute, self._execute_each = database.execute, database.executemany

    def __len__(self) -> int:
        return int(self._execute("SELECT count(offset) FROM cases").fetchone()[0])

    def __iter__(self) -> Iterator[str]:
        rows = self._execute("SELECT id FROM cases WHERE offset NOT NULL ORDER BY place")
        return (case_id for (case_id,) in rows)

    def __contains__(self, case_id: object) -> bool:
        return self.row(str(case_id)) is not None

    @property
    def unjudged(self) -> int:
        """How many cases were asked and not judged."""
        return int(self._execute("SELECT count(*) - count(offset) FROM cases").fetchone()[0])

    def ask(self, offset: int, case_ids: Iterable[str]) -> None:
        """Note a batch of cases that were asked, and the offset of its line."""
        self._execute("INSERT INTO batches VALUES (?)", (offset,))
        ids = ((case_id,) for case_id in case_ids)
        self._execute_each("INSERT OR IGNORE INTO cases (id) VALUES (?)", ids)

    def judge(self, offset: int, case_id: str) -> None:
        """Note the offset of the line in which a case was judged; the first one counts."""
        insert = "INSERT INTO cases (id, offset) VALUES (?, ?) ON CONFLICT (id) DO UPDATE "
        self._execute(insert + "SET offset = ? WHERE offset IS NULL", (case_id, offset, offset))

    def play_again(self, case_ids: Iterable[str]) -> set[int]:
        """Forget the verdicts of cases that are played again; returns their offsets."""
        rows = [row for case_id in case_ids if (row := self.row(case_id))]
        places = ((place,) for place, _ in rows)
        self._execute_each("UPDATE cases SET offset = NULL WHERE place = ?", places)
        return {offset for _, offset in rows}

    def row(self, case_id: str) -> tuple[int, int] | None:
        """The place of a judged case among all, and its offset; `None` if there is none."""
        query = "SELECT place, offset FROM cases WHERE id = ? AND offset NOT NULL"
        stored_id = case_id.encode(errors="replace").decode()
        row: tuple[int, int] | None = self._execute(query, (stored_id,)).fetchone()
        return row

    def offsets(self) -> Iterator[int]:
        """The offsets of all judged cases, in the order asked."""
        rows = self._execute("SELECT offset FROM cases WHERE offset NOT NULL ORDER BY place")
        return (offset for (offset,) in rows)

    def batches(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        """The offset of each batch, and the cases judged until the next one was asked."""
        self._execute("CREATE INDEX IF NOT EXISTS judged ON cases (offset)")
        between = "offset > ? AND offset < ifnull(?, 1 << 62)"
        query = f"SELECT id FROM cases WHERE {between} ORDER BY offset"
        pairs = "SELECT offset, lead(offset) OVER (ORDER BY offset) FROM batches"
        for start, end in self._execute(pairs):
            yield start, tuple(case_id for (case_id,) in self._execute(query, (start, end)))

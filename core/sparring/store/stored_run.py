"""Reading a run, also while it grows, in constant memory."""

import logging
import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from io import BufferedReader
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from sparring.errors import StoredRunError
from sparring.model.confirmation import Confirmation
from sparring.model.events import (
    CaseJudged,
    CasesAsked,
    CaseStarted,
    Event,
    FaultConfirmed,
    ModelCalled,
    ProblemNoted,
    RunConcluded,
    RunFinished,
    RunStarted,
)
from sparring.model.run import RUN_VERSION, Run, Summary
from sparring.model.talk import Trace
from sparring.model.verdict import Verdict
from sparring.store.log import LOG, MANIFEST, unseal

SALVAGE: ContextVar[bool] = ContextVar("salvage", default=False)
"""Whether stored runs that are opened leave damaged lines out (``--salvage``), or refuse them."""

View = Callable[[Trace], Trace]
"""Makes of a stored trace what is to be seen of it."""

_Read = TypeVar("_Read", bound=BaseModel)
_EVENT: TypeAdapter[Event] = TypeAdapter(Event)
_CASE_ID = re.compile(rb'"case":\{"id":"([^"\\]*)"')
_AT = re.compile(rb'\{"kind":"case_judged","at":"([^"]*)"')
_JUDGED = b'{"kind":"case_judged"'
_STARTED = b'{"kind":"run_started"'
_CALLED = b'{"kind":"model_called"'
_CASE = b'{"kind":"case_started"'
_KINDS = b"run_started cases_asked run_concluded run_finished problem_noted fault_confirmed"
_SMALL = tuple(b'{"kind":"%s"' % kind for kind in _KINDS.split())


_CASE_TABLES = """
PRAGMA cache_size = -8000;
CREATE TABLE cases (place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, offset INTEGER);
CREATE TABLE batches (offset INTEGER PRIMARY KEY);
"""


class CaseIndex(Collection[str]):
    """The ids of the judged cases of a log, in the order asked, and the offsets of their lines.

    In constant memory: a database that spills to disk.
    """

    def __init__(self) -> None:
        database = sqlite3.connect("", check_same_thread=False)
        database.executescript(_CASE_TABLES)
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


@dataclass(slots=True)
class _Index:
    """What one pass over the log finds; `dropped` are the lines whose verdicts count no more."""

    cases: CaseIndex = field(default_factory=CaseIndex)
    dropped: set[int] = field(default_factory=set[int])
    sessions: int = 0
    concluded: tuple[Verdict, ...] = ()
    summary: Summary | None = None
    problems: tuple[ProblemNoted, ...] = ()
    confirmed: list[int] = field(default_factory=list[int])


class StoredRun:
    """A run's folder. The log is indexed once, when it is first needed.

    Raises StoredRunError if the folder is no run, is of a newer Sparring, or its log is
    damaged elsewhere than in its last line (a torn last line is passed over). With `SALVAGE`,
    damaged lines are left out instead, and `left_out` says how many.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.salvage = SALVAGE.get()
        self._damaged = self._doubled = 0
        self.log = folder / LOG
        if not (folder / MANIFEST).is_file():
            raise StoredRunError(f"{folder} is not a run: it has no {MANIFEST}")

    @cached_property
    def manifest(self) -> Run:
        """The run's manifest."""
        try:
            run = Run.model_validate_json((self.folder / MANIFEST).read_bytes())
            run.created.astimezone(UTC)
            if "\0" in (run.suite_path or ""):
                raise ValueError("suite_path has a zero byte")
        except (OSError, OverflowError, ValueError) as err:
            raise StoredRunError(f"{self.folder / MANIFEST} cannot be read: {err}") from err
        if run.schema_version > RUN_VERSION:
            raise StoredRunError(f"{self.folder} was written by a newer sparring")
        return run

    @property
    def summary(self) -> Summary | None:
        """The sums of the last session; None while it runs, or when it was killed."""
        return self._index.summary

    @property
    def concluded(self) -> tuple[Verdict, ...]:
        """The verdicts over several or all conversations, of the last session."""
        return self._index.concluded

    @property
    def problems(self) -> tuple[ProblemNoted, ...]:
        """What went wrong in parts without stopping the run; first, what of the log is left out."""
        noted = ProblemNoted(at=self.manifest.created, source="log", message=self.left_out)
        return ((noted,) if self.left_out else ()) + self._index.problems

    @property
    def unjudged(self) -> int:
        """How many of the cases that were asked have no verdict: the run was not finished."""
        return self._index.cases.unjudged

    @cached_property
    def left_out(self) -> str:
        """Which lines of a damaged log are left out, in words; empty if there are none."""
        if not self.salvage:
            return ""
        last = max(self.intact, default=0)
        missing = [number for number in range(1, last + 1) if number not in self.intact]
        others = self._doubled + max(0, self._damaged - len(missing))
        if not (missing or others):
            return ""
        some = ", ".join(map(str, missing[:10])) + ", …" * (len(missing) > 10)
        what = f"{len(missing)} of {last} lines are missing or damaged" + f" ({some})" * bool(some)
        more = f"; {others} lines are there twice or belong nowhere" * bool(others)
        return f"left out of {self.log}: {what}{more}"

    def confirmations(self) -> list[Confirmation]:
        """What playing faults again brought, in the order of the cases that show them.

        Of two of one fault the later one; none of cases whose verdicts count no more.
        """
        latest: dict[tuple[str, ...], tuple[int, Confirmation]] = {}
        for event in self._read(self._index.confirmed, FaultConfirmed):
            again, fault = event.confirmation, event.confirmation.fault
            places = [row[0] for row in map(self.cases.row, again.case_ids) if row]
            latest[fault.oracle, fault.check, fault.key, again.app] = min(places, default=0), again
        order = sorted((place, key) for key, (place, _) in latest.items() if place)
        return [latest[key][1] for _, key in order]

    @property
    def sessions(self) -> int:
        """How often the run was begun or taken up again."""
        return self._index.sessions

    @property
    def cases(self) -> CaseIndex:
        """The ids of the judged cases in the order in which they were asked."""
        return self._index.cases

    @cached_property
    def case_ids(self) -> tuple[str, ...]:
        """All of `cases`, in memory."""
        return tuple(self.cases)

    def judged(self) -> Iterator[CaseJudged]:
        """Every judged case with its trace and verdicts, in the order asked."""
        return self._read(self._index.cases.offsets(), CaseJudged)

    def case(self, case_id: str) -> CaseJudged:
        """One judged case; raises KeyError."""
        if (row := self._index.cases.row(case_id)) is None:
            raise KeyError(case_id)
        return next(self._read(row[1:], CaseJudged))

    def traces(self, view: "View | None" = None) -> "StoredTraces":
        """The traces of all judged cases, in the order asked, to be iterated at will.

        `view` makes of each what is to be seen of it.
        """
        return StoredTraces(self, view)

    def events(self) -> Iterator[Event]:
        """Every event in the order in which it happened, but for verdicts that count no more."""
        for offset, line in self._lines():
            if offset not in self._index.dropped:
                yield self._parse(line, offset)

    def asked_batches(self) -> Iterator[tuple[CasesAsked, tuple[str, ...]]]:
        """Each proposal of the strategy, with the ids judged between it and the next."""
        for start, judged in self._index.cases.batches():
            yield next(self._read((start,), CasesAsked)), judged

    def clock(self) -> Iterator[tuple[datetime, str, ModelCalled | None]]:
        """When sessions began and cases were judged, and the calls of models, in order."""
        for offset, line in self._lines():
            if line.startswith(_JUDGED):
                yield self._time(line, offset), "case_judged", None
            elif line.startswith((_STARTED, _CALLED)):
                event = self._parse(line, offset)
                call = event if isinstance(event, ModelCalled) else None
                yield _aware(event.at), event.kind, call

    def model_calls(self) -> Iterator[tuple[int, ModelCalled | CaseStarted]]:
        """Where in the log models were called, and where cases began in between."""
        for offset, line in self._lines():
            event = self._parse(line, offset) if line.startswith((_CALLED, _CASE)) else None
            if isinstance(event, (ModelCalled, CaseStarted)):
                yield offset, event

    def model_call(self, offset: int) -> ModelCalled:
        """The call of a model at a place that `model_calls` gave; raises StoredRunError."""
        return next(self._read((offset,), ModelCalled))

    @cached_property
    def _index(self) -> _Index:
        index = _Index()
        try:
            for offset, line in self._lines():
                if line.startswith(_JUDGED):
                    known = _text(_CASE_ID.search(line))
                    case_id = known or self._read_as(CaseJudged, line, offset).trace.case.id
                    index.cases.judge(offset, case_id)
                elif line.startswith(_SMALL):
                    self._note(index, self._parse(line, offset), offset)
        except sqlite3.Error as err:  # no room for a temporary file
            raise StoredRunError(f"{self.log} cannot be indexed: {err}") from err
        return index

    def _note(self, index: _Index, event: Event, offset: int) -> None:
        match event:
            case RunStarted():
                index.sessions += 1
                index.concluded, index.summary = (), None
                index.dropped |= index.cases.play_again(event.again)
            case CasesAsked():
                index.cases.ask(offset, (case.id for case in event.cases))
            case RunConcluded():
                index.concluded = event.verdicts
            case RunFinished():
                index.summary = event.summary
            case ProblemNoted():
                index.problems = (*index.problems, event)
            case FaultConfirmed():
                index.confirmed.append(offset)
            case _:
                pass

    def lines(self) -> Iterator[bytes]:
        """The JSON of each event in the order of the log, without its seal."""
        return (event for _, event in self._lines())

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        """Each event with its offset; raises StoredRunError at the first damaged line."""
        if self.salvage:
            yield from self._iterate_whole_events()
            return
        required = self.manifest.schema_version >= 2
        for place, (offset, line) in enumerate(self._whole_lines(), 1):
            try:
                number, event = unseal(line, required=required)
                if number > place:
                    raise ValueError(f"it is line {number}: lines before it are missing")
                if 0 < number < place:
                    raise ValueError(f"it is line {number}, which is there twice or was moved")
            except ValueError as err:
                raise StoredRunError(f"{self.log}:{place}: the log is damaged: {err}") from err
            required = required or number > 0  # an older run that was resumed
            yield offset, event

    def _whole_lines(self, offset: int = 0) -> Iterator[tuple[int, bytes]]:
        with self._open() as file:
            for line in file:
                if not line.endswith(b"\n"):
                    return  # torn by a kill, or being written this moment
                yield offset, line
                offset += len(line)

    def _iterate_whole_events(self) -> Iterator[tuple[int, bytes]]:
        """The events whose lines are whole, each once, in the order in which they were written."""
        with self._open() as file:
            for number in sorted(self.intact):
                file.seek(self.intact[number])
                yield self.intact[number], unseal(file.readline(), checked=False)[1]

    @cached_property
    def intact(self) -> dict[int, int]:
        """Where the lines that are whole begin, by number."""
        intact: dict[int, int] = {}
        required = self.manifest.schema_version >= 2
        for place, (offset, line) in enumerate(self._whole_lines(), 1):
            try:
                number, event = unseal(line, required=required)
                if not number:  # only reading tells whether it is whole
                    _EVENT.validate_json(event)
            except ValueError:
                self._damaged += 1
                continue
            required = required or number > 0
            self._doubled += (number or place) in intact
            intact.setdefault(number or place, offset)
        return intact

    def _read(self, offsets: Iterable[int], kind: type[_Read]) -> Iterator[_Read]:
        """The events of one kind whose lines begin there; raises StoredRunError for another."""
        with self._open() as file:
            for offset in offsets:
                file.seek(offset)
                yield self._read_as(kind, file.readline(), offset)

    def _read_as(self, kind: type[_Read], line: bytes, offset: int) -> _Read:
        if isinstance(event := self._parse(line, offset), kind):
            return event
        raise StoredRunError(f"{self.log} was changed: there is no {kind.__name__} at {offset}")

    def _open(self) -> BufferedReader:
        if self.log.exists() and not self.log.is_file():  # a pipe may block, a device have no end
            raise StoredRunError(f"{self.log} cannot be read: it is no file")
        try:
            return self.log.open("rb")
        except OSError as err:
            raise StoredRunError(f"{self.log} cannot be read: {err.strerror}") from err

    def _time(self, line: bytes, offset: int) -> datetime:
        """When a case was judged."""
        try:
            return _aware(datetime.fromisoformat(_text(_AT.match(line))))
        except ValueError:
            return _aware(self._read_as(CaseJudged, line, offset).at)

    def _parse(self, line: bytes, offset: int) -> Event:
        try:
            return _EVENT.validate_json(unseal(line, checked=False)[1])
        except ValidationError as err:
            with self._open() as file:
                place = file.read(offset).count(b"\n") + 1
            what = err.errors()[0]["msg"]
            raise StoredRunError(f"{self.log}:{place}: the log is damaged: {what}") from err


def _text(match: re.Match[bytes] | None) -> str:
    """What was matched; empty if there is nothing, or no UTF-8."""
    return match[1].decode("utf-8", "ignore") if match else ""


def _aware(at: datetime) -> datetime:
    """A time of a foreign log that names no time zone is taken for UTC."""
    return at if at.tzinfo else at.replace(tzinfo=UTC)


class StoredTraces:
    """The traces of a stored run; each iteration reads the log again."""

    def __init__(self, run: StoredRun, view: "View | None" = None) -> None:
        self.run, self._view = run, view

    def __iter__(self) -> Iterator[Trace]:
        traces = (judged.trace for judged in self.run.judged())
        return traces if self._view is None else map(self._view, traces)

    def __len__(self) -> int:
        return len(self.run.cases)


def find_run(name: str, runs: Path, *, played: bool = False) -> StoredRun:
    """The run in a folder, or of an id in the folder of runs, or the ``last`` one there.

    With `played`, the last one is the last that played cases: checks of stored conversations
    are passed over, and calibrations always. Raises StoredRunError if there is none.
    """
    if (Path(name) / MANIFEST).is_file():
        return StoredRun(Path(name))
    stored = sorted(runs.glob(f"*/{MANIFEST}")) if runs.is_dir() else []
    by_age = sorted(stored, key=lambda path: (path.stat().st_mtime_ns, path.parent.name))
    if name == "last":
        for path in reversed(by_age):
            try:
                run = StoredRun(path.parent)
                kind = run.manifest.kind
            except StoredRunError as err:
                logging.getLogger("sparring").warning("sparring: passed over: %s", err)
                continue
            if kind == "run" or (not played and kind != "calibration"):
                return run
    if (runs / name / MANIFEST).is_file():
        return StoredRun(runs / name)
    if Path(name).is_dir():  # of a run that was killed while it looked for its workers, say
        raise StoredRunError(f"{name} is no stored run: there is no {MANIFEST} in it")
    latest = ", ".join(path.parent.name for path in by_age[-5:]) or "none"
    raise StoredRunError(f"no run is called {name!r} in {runs}. The newest there: {latest}.")

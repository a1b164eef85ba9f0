"""The index of a run: one pass over its log, so that 20,000 cases can be searched at once.

It is a file of SQLite with a full-text table (FTS5). `refresh` reads what the log has that the
index has not, so that a run that is being played grows in the viewer as it goes. Nothing here
changes the run.
"""

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, Thread

from pydantic import TypeAdapter, ValidationError

from sparring.model.events import (
    CaseJudged,
    CasesAsked,
    CaseStarted,
    Event,
    ProblemNoted,
    RunConcluded,
    RunFinished,
    RunStarted,
)
from sparring.model.run import Summary
from sparring.model.talk import Trace, act_text
from sparring.model.verdict import Outcome, Verdict
from sparring.store import StoredRun
from sparring.store.log import unseal
from sparring_plugins.language.text import one_line
from sparring_plugins.output.view_cache import index_files, view_index_path
from sparring_plugins.reporting.finding_words import TONES, Labels, extent
from sparring_plugins.reporting.findings import (
    RANK,
    Fault,
    Findings,
    brief_reason,
    brief_reason_of,
    case_length,
    worst,
)
from sparring_plugins.reporting.html.messages import brief, shown

VERSION = "2"
"""Version of the schema; an index of another one is made anew."""

_EVENT: TypeAdapter[Event] = TypeAdapter(Event)
_JUDGED, _TURN = b'{"kind":"case_judged"', b'{"kind":"turn_taken"'
_CALLED = b'{"kind":"model_called"'
# The id is read without parsing the line: a line with pictures' digests and pages has megabytes.
_CASE_ID = re.compile(rb'"case_id":"([^"\\]*)"')
_SMALL = (
    b'{"kind":"run_started"',
    b'{"kind":"cases_asked"',
    b'{"kind":"case_started"',
    b'{"kind":"run_concluded"',
    b'{"kind":"run_finished"',
    b'{"kind":"problem_noted"',
)
# A page that is open shows these cases while the rest of a long log is still read.
_BATCH = 500
_MOST_TEXT = 200_000
"""Characters of one conversation that can be searched."""

# A case of a large space has a hundred values; they are columns to filter by.
_MOST_VALUES = 60
_MOST_PLAYING = 100
_SCHEMA = Path(__file__).with_name("schema.sql")


@dataclass(frozen=True, slots=True)
class Stamp:
    """Which state of a log was read: `size` bytes of a file that nobody has changed since."""

    inode: int
    changed_ns: int
    size: int

    @classmethod
    def of(cls, log: Path) -> "Stamp":
        """The state of a log now; of one that is not there, that of an empty file."""
        try:
            status = log.stat()
        except OSError:
            return cls(0, 0, 0)
        return cls(status.st_ino, status.st_mtime_ns, status.st_size)


class RunIndex:
    """The index of one stored run; threads may share it. Use `refresh`, then `connect`."""

    def __init__(self, folder: Path, path: Path | None = None) -> None:
        self.stored = StoredRun(folder)
        self.path = path or view_index_path(folder)
        self._lock = Lock()
        self._starting = Lock()
        self._reader: Thread | None = None
        self._has_begun = False  # whether there is a file with tables to read
        self._stamp: Stamp | None = None
        self._findings: Findings | None = None
        self._concluded: tuple[Verdict, ...] = ()
        self._summary: Summary | None = None
        self._position = 0
        self._places: dict[str, int] = {}
        self._playing: dict[str, tuple[str, int]] = {}

    def connect(self) -> sqlite3.Connection:
        """Open the index for reading; the caller closes it."""
        connection = sqlite3.connect(f"{self.path.as_uri()}?mode=ro", uri=True, timeout=30)
        connection.row_factory = sqlite3.Row
        return connection

    def refresh_within(self, seconds: float) -> bool:
        """Take in what the log has besides, for so long; returns whether that was all of it.

        What is left goes on in a thread of its own: a large run can be looked at meanwhile. Only
        the request that starts it waits: of twenty letters typed while 20,000 cases are read, each
        would wait for `seconds` again.
        """
        with self._starting:  # requests are answered by several threads
            reader = self._reader
            is_started = reader is None or not reader.is_alive()
            if reader is None or is_started:
                reader = self._reader = Thread(target=self.refresh, daemon=True)
                reader.start()
        if is_started or not self._has_begun:
            reader.join(seconds)
        return not reader.is_alive()

    @property
    def is_busy(self) -> bool:
        """Whether a thread is reading the log now."""
        return self._reader is not None and self._reader.is_alive()

    def refresh(self) -> bool:
        """Take in what the log has besides; returns whether anything changed."""
        with self._lock:
            stamp = Stamp.of(self.stored.log)
            if stamp == self._stamp and self.path.is_file():
                return False
            if self._findings is None and self._is_whole(stamp):
                self._stamp, self._has_begun = stamp, True
                return True
            goes_on = (
                self._findings is not None
                and self._stamp is not None
                and stamp.inode == self._stamp.inode
                and stamp.size >= self._position
                and self.path.is_file()
            )
            if not goes_on:
                self._begin()
            with closing(sqlite3.connect(self.path, timeout=30)) as connection:
                self._read(connection)
                self._note_findings(connection, stamp)
            self._stamp = stamp
            return True

    def _is_whole(self, stamp: Stamp) -> bool:
        """Whether an index of just this state of the log lies there from before."""
        if not self.path.is_file():
            return False
        try:
            with closing(self.connect()) as connection:
                row = connection.execute("SELECT value FROM meta WHERE key = 'stamp'").fetchone()
        except sqlite3.Error:
            return False
        return row is not None and row["value"] == _stamp_text(stamp)

    def _begin(self) -> None:
        """Make an empty index in the place of what is there."""
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        for leftover in index_files(self.path):
            leftover.unlink(missing_ok=True)
        self.path.touch(mode=0o600)
        with closing(sqlite3.connect(self.path)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")  # readers do not wait for the writer
            connection.execute("PRAGMA synchronous = OFF")  # it can be made again
            connection.executescript(_SCHEMA.read_text(encoding="utf-8"))
            connection.commit()
        self._has_begun = True
        self._findings, self._concluded, self._summary = Findings(), (), None
        self._position = 0
        self._places, self._playing = {}, {}

    def _read(self, connection: sqlite3.Connection) -> None:
        """Read on from where the last reading ended, in batches that can be seen at once."""
        connection.execute("PRAGMA synchronous = OFF")
        for taken, (at, event) in enumerate(self._events(connection), 1):
            if isinstance(event, CaseJudged):
                self._add_case(connection, event, at)
            else:
                self._add_event(connection, event)
            if taken % _BATCH == 0:
                connection.commit()
        connection.commit()

    def _events(self, connection: sqlite3.Connection) -> Iterator[tuple[int, Event]]:
        """The events that the index is made of; damaged lines are counted and passed over."""
        damaged = 0
        with suppress(OSError), self.stored.log.open("rb") as file:
            file.seek(self._position)
            for line in file:
                if not line.endswith(b"\n"):
                    break  # being written this moment
                at, self._position = self._position, self._position + len(line)
                try:
                    if line.startswith((_JUDGED, *_SMALL)):
                        yield at, _EVENT.validate_json(unseal(line)[1])
                    elif line.startswith((_TURN, _CALLED)):
                        self._note_line(connection, line, at)
                except (ValueError, ValidationError):
                    damaged += 1
        if damaged:
            _put(connection, "damaged", str(damaged + int(_meta(connection, "damaged") or 0)))

    def _note_line(self, connection: sqlite3.Connection, line: bytes, at: int) -> None:
        """Note what is counted only: a turn of a case that goes on, a call for one."""
        match = _CASE_ID.search(line)
        if match is None:
            return
        case_id = match[1].decode("utf-8", "replace")
        if line.startswith(_CALLED):
            connection.execute("INSERT INTO calls VALUES (?, ?)", (case_id, at))
        else:
            scenario, turns = self._playing.get(case_id, ("", 0))
            self._playing[case_id] = scenario, turns + 1

    def _add_event(self, connection: sqlite3.Connection, event: Event) -> None:
        match event:
            case RunStarted():
                _put(connection, "expected", json.dumps(event.expected))
                _put(connection, "summary", "")
                self._concluded, self._summary = (), None
                self._forget(connection, event.again)
            case CasesAsked():
                for case in event.cases:
                    self._places.setdefault(case.id, len(self._places))
            case CaseStarted():
                self._playing[event.case.id] = one_line(event.case.scenario, 200), 0
            case RunConcluded():
                self._concluded = event.verdicts
            case RunFinished():
                _put(connection, "summary", event.summary.model_dump_json())
                self._summary = event.summary
                self._playing.clear()
            case ProblemNoted():
                problems = json.loads(_meta(connection, "problems") or "[]")
                problems.append([one_line(event.source, 80), one_line(event.message, 600)])
                _put(connection, "problems", json.dumps(problems[:200]))
            case _:
                pass

    def _forget(self, connection: sqlite3.Connection, again: tuple[str, ...]) -> None:
        """Drop cases that are played again: what was judged of them counts no more."""
        if not again:
            return
        for case_id in again:
            connection.execute("DELETE FROM cases WHERE id = ?", (case_id,))
            connection.execute("DELETE FROM shows WHERE case_id = ?", (case_id,))
        self._findings = Findings()
        for row in connection.execute("SELECT at FROM cases ORDER BY nr"):
            judged = self.judged_at(row[0])
            if judged is not None:
                self._findings.add_case(judged)

    def _add_case(self, connection: sqlite3.Connection, judged: CaseJudged, at: int) -> None:
        assert self._findings is not None
        trace, case = judged.trace, judged.trace.case
        self._playing.pop(case.id, None)
        place = self._places.setdefault(case.id, len(self._places))
        outcome = worst(judged.verdicts)
        values = {one_line(n, 60): shown(v) for n, v in list(case.params.items())[:_MOST_VALUES]}
        inserted = connection.execute(
            "INSERT OR IGNORE INTO cases VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(case.id, place, at),
                *(one_line(case.scenario, 200), outcome.value, brief(case.params)),
                *(
                    _headline(judged.verdicts, outcome),
                    case_length(trace),
                    trace.duration_s,
                ),
                *(one_line(trace.app.name, 120) if trace.app else "", json.dumps(values)),
            ),
        )
        if not inserted.rowcount:  # judged twice: the first verdicts count
            return
        self._findings.add_case(judged)
        texts = (_talk(trace), _checks(judged.verdicts), " ".join((case.id, *values.values())))
        connection.execute(
            "INSERT INTO words (rowid, talk, checks, inputs) VALUES (?, ?, ?, ?)",
            (inserted.lastrowid, *(text.encode("utf-8", "replace").decode() for text in texts)),
        )
        for verdict in judged.verdicts:
            if RANK[verdict.outcome] < RANK[Outcome.PASS]:
                key = self._findings.identity(verdict, trace)
                connection.execute(
                    "INSERT INTO shows VALUES (?, ?, ?)", (case.id, verdict.oracle, key)
                )

    def _note_findings(self, connection: sqlite3.Connection, stamp: Stamp) -> None:
        """Write the findings down as they are now, those over several conversations included."""
        assert self._findings is not None
        findings = self._findings
        if self._concluded:  # they would be counted again after the next case
            findings = deepcopy(findings)
            findings.add_concluded(self._concluded)
        connection.execute("DELETE FROM findings")
        connection.execute("DELETE FROM shows WHERE oracle = ''")
        labels = Labels(self._summary)
        for fault in findings.faults():
            key = findings.identity_of(fault.number)
            shown_as = _fault_json(fault, labels.of(fault), findings.noun)
            connection.execute(
                "INSERT INTO findings VALUES (?, ?, ?)", (fault.number, key, shown_as)
            )
        for verdict in self._concluded:
            if RANK[verdict.outcome] < RANK[Outcome.PASS]:
                key = findings.identity(verdict, None)
                shown_by = ((case_id, "", key) for case_id in verdict.case_ids[:1000])
                connection.executemany("INSERT INTO shows VALUES (?, ?, ?)", shown_by)
        connection.execute("DELETE FROM playing")
        rows = [(case_id, *each) for case_id, each in list(self._playing.items())[:_MOST_PLAYING]]
        connection.executemany("INSERT INTO playing VALUES (?, ?, ?)", rows)
        _put(connection, "noun", findings.noun)
        _put(connection, "asked", str(len(self._places)))
        _put(connection, "stamp", _stamp_text(stamp))
        connection.commit()

    def judged_at(self, at: int) -> CaseJudged | None:
        """The judged case whose event begins at a byte of the log; None if it cannot be read."""
        event = self.event_at(at)
        return event if isinstance(event, CaseJudged) else None

    def event_at(self, at: int) -> Event | None:
        """The event that begins at a byte of the log; None if it cannot be read."""
        try:
            with self.stored.log.open("rb") as file:
                file.seek(at)
                return _EVENT.validate_json(unseal(file.readline())[1])
        except (OSError, ValueError):
            return None


def _stamp_text(stamp: Stamp) -> str:
    return f"{VERSION} {stamp.inode} {stamp.changed_ns} {stamp.size}"


def _put(connection: sqlite3.Connection, key: str, value: str) -> None:
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def _meta(connection: sqlite3.Connection, key: str) -> str:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return row[0] if row else ""


def _headline(verdicts: tuple[Verdict, ...], outcome: Outcome) -> str:
    for verdict in verdicts:
        if verdict.gating and verdict.outcome is outcome and RANK[outcome] < RANK[Outcome.PASS]:
            label = one_line(f"{verdict.oracle} / {verdict.check}", 80)
            return f"{label}: {brief_reason_of(verdict, 240)}".removesuffix(": ")
    return ""


def _talk(trace: Trace) -> str:
    parts: list[str] = []
    for turn in trace.turns:
        parts.append(act_text(turn.act))
        if turn.observation is not None:
            parts += [turn.observation.text, *(choice.label for choice in turn.observation.choices)]
    parts += [incident.message for incident in trace.incidents]
    return "\n".join(parts)[:_MOST_TEXT]


def _checks(verdicts: tuple[Verdict, ...]) -> str:
    texts = (
        f"{v.oracle} {v.check} {v.reason}" for v in verdicts if RANK[v.outcome] < RANK[Outcome.PASS]
    )
    return "\n".join(texts)[:_MOST_TEXT]


def _fault_json(fault: Fault, label: str, noun: str) -> str:
    finding = fault.finding
    return json.dumps(
        {
            "number": fault.number,
            "oracle": one_line(finding.oracle, 80),
            "check": one_line(finding.check, 160),
            "label": label,
            "outcome": TONES.get(label, label),
            "owner": finding.owner.value,
            "description": fault.description,
            "reason": brief_reason(finding.reason, 600),
            "checks": finding.count,
            "cases": fault.cases,
            "extent": extent(fault, noun) if finding.count != fault.cases else "",
            "gating": finding.gating,
            "example": list(fault.example[:3]),
        }
    )

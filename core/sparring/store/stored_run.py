"""Reading a run, also while it grows, in constant memory."""

import logging
import re
from array import array
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from io import BufferedReader
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

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

_EVENT: TypeAdapter[Event] = TypeAdapter(Event)
_CASE_ID = re.compile(rb'"case":\{"id":"([^"\\]*)"')
_AT = re.compile(rb'\{"kind":"case_judged","at":"([^"]*)"')
_JUDGED = b'{"kind":"case_judged"'
_STARTED = b'{"kind":"run_started"'
_CALLED = b'{"kind":"model_called"'
_CASE = b'{"kind":"case_started"'
_KINDS = b"run_started cases_asked run_concluded run_finished problem_noted fault_confirmed"
_SMALL = tuple(b'{"kind":"%s"' % kind for kind in _KINDS.split())


@dataclass(slots=True)
class _Index:
    """What one pass over the log finds; `told` are the places of judged cases as they came."""

    places: dict[str, int]
    offsets: "array[int]"
    told: "array[int]"
    asked_at: list[int]
    dropped: set[int]
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
            text = (self.folder / MANIFEST).read_bytes()
            run = Run.model_validate_json(text)
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
        if not self.left_out:
            return self._index.problems
        at, message = self.manifest.created, self.left_out
        return (ProblemNoted(at=at, source="log", message=message), *self._index.problems)

    @property
    def unjudged(self) -> int:
        """How many of the cases that were asked have no verdict: the run was not finished."""
        return self._index.offsets.count(-1)

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
        listed = ", ".join(map(str, missing[:10])) + ("" if len(missing) <= 10 else ", …")
        what = f"{len(missing)} of {last} lines are missing or damaged" + f" ({listed})" * bool(
            missing
        )
        more = f"; {others} lines are there twice or belong nowhere" * bool(others)
        return f"left out of {self.log}: {what}{more}"

    def confirmations(self) -> list[Confirmation]:
        """What playing faults again brought, in the order of the cases that show them.

        Of two of one fault the later one; none of cases whose verdicts count no more.
        """
        places = {case_id: place for place, case_id in enumerate(self.case_ids)}
        latest: dict[tuple[str, ...], Confirmation] = {}
        with self._open() as file:
            for offset in self._index.confirmed:
                file.seek(offset)
                event = self._parse(file.readline(), offset)
                if isinstance(event, FaultConfirmed):
                    fault, app = event.confirmation.fault, event.confirmation.app
                    latest[fault.oracle, fault.check, fault.key, app] = event.confirmation
        kept = [each for each in latest.values() if any(i in places for i in each.case_ids)]
        return sorted(kept, key=lambda confirmation: _first(confirmation, places))

    @property
    def sessions(self) -> int:
        """How often the run was begun or taken up again."""
        return self._index.sessions

    @cached_property
    def case_ids(self) -> tuple[str, ...]:
        """The judged cases in the order in which they were asked."""
        pairs = zip(self._index.places, self._index.offsets, strict=True)
        return tuple(case_id for case_id, offset in pairs if offset >= 0)

    def judged(self) -> Iterator[CaseJudged]:
        """Every judged case with its trace and verdicts, in the order asked."""
        with self._open() as file:
            for offset in self._index.offsets:
                if offset >= 0:
                    file.seek(offset)
                    yield self._parse_judged(file.readline(), offset)

    def case(self, case_id: str) -> CaseJudged:
        """One judged case; raises KeyError."""
        with self._open() as file:
            if (offset := self._index.offsets[self._index.places[case_id]]) < 0:
                raise KeyError(case_id)
            file.seek(offset)
            return self._parse_judged(file.readline(), offset)

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
        ends = [*self._index.asked_at[1:], self.log.stat().st_size]
        told, ids = self._index.told, list(self._index.places)
        told_at = array("q", (self._index.offsets[place] for place in told))
        with self._open() as file:
            for start, end in zip(self._index.asked_at, ends, strict=False):
                file.seek(start)
                event = self._parse(file.readline(), start)
                places = told[bisect(told_at, start) : bisect(told_at, end)]
                if isinstance(event, CasesAsked):
                    yield event, tuple(ids[place] for place in places)

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
            if line.startswith((_CALLED, _CASE)):
                event = self._parse(line, offset)
                if isinstance(event, (ModelCalled, CaseStarted)):
                    yield offset, event

    def model_call(self, offset: int) -> ModelCalled:
        """The call of a model at a place that `model_calls` gave; raises StoredRunError."""
        with self._open() as file:
            file.seek(offset)
            event = self._parse(file.readline(), offset)
        if not isinstance(event, ModelCalled):
            raise StoredRunError(f"{self.log} holds no model's answer at byte {offset}")
        return event

    @cached_property
    def _index(self) -> _Index:
        index = _Index({}, array("q"), array("q"), [], set())
        for offset, line in self._lines():
            if line.startswith(_JUDGED):
                match = _CASE_ID.search(line)
                case_id = _text(match) or self._parse_judged(line, offset).trace.case.id
                if index.offsets[place := _place(index, case_id)] < 0:
                    index.offsets[place] = offset
                    index.told.append(place)
            elif line.startswith(_SMALL):
                self._note(index, self._parse(line, offset), offset)
        return index

    def _note(self, index: _Index, event: Event, offset: int) -> None:
        match event:
            case RunStarted():
                index.sessions += 1
                index.concluded, index.summary = (), None
                _play_again(index, event.again)
            case CasesAsked():
                index.asked_at.append(offset)
                for case in event.cases:
                    _place(index, case.id)
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
            required = required or number > 0  # an older run that was gone on with
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
            return _aware(self._parse_judged(line, offset).at)

    def _parse_judged(self, line: bytes, offset: int) -> CaseJudged:
        event = self._parse(line, offset)
        if not isinstance(event, CaseJudged):
            raise StoredRunError(f"{self.log} was changed while it was read")
        return event

    def _parse(self, line: bytes, offset: int) -> Event:
        try:
            return _EVENT.validate_json(unseal(line, checked=False)[1])
        except ValidationError as err:
            with self._open() as file:
                place = file.read(offset).count(b"\n") + 1
            what = err.errors()[0]["msg"]
            raise StoredRunError(f"{self.log}:{place}: the log is damaged: {what}") from err


def _first(confirmation: Confirmation, places: dict[str, int]) -> tuple[int, str, str, str]:
    """The place of the first case that shows a fault; then what the fault is."""
    first = min((places[i] for i in confirmation.case_ids if i in places), default=len(places))
    return first, confirmation.fault.oracle, confirmation.fault.check, confirmation.fault.key


def _place(index: _Index, case_id: str) -> int:
    """The place of a case among all, in the order in which they were asked."""
    place = index.places.setdefault(case_id, len(index.places))
    if place == len(index.offsets):
        index.offsets.append(-1)
    return place


def _play_again(index: _Index, case_ids: Iterable[str]) -> None:
    """Forget the verdicts of cases that are played again."""
    again = {index.places[case_id] for case_id in case_ids if case_id in index.places}
    index.dropped |= {index.offsets[place] for place in again} - {-1}
    for place in again:
        index.offsets[place] = -1
    if again:
        index.told = array("q", (place for place in index.told if place not in again))


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
        return len(self.run.case_ids)


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
    known = ", ".join(path.parent.name for path in by_age[-5:]) or "none"
    raise StoredRunError(f"no run is called {name!r} in {runs}. The newest there: {known}.")

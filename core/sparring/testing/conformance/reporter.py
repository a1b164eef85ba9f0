"""The conformance kit of the interface `Reporter`."""

import csv
import json
import random
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from sparring.errors import Problem
from sparring.interfaces.reporter import Reporter
from sparring.model.chat import ChatMessage, ChatReply, ChatRequest
from sparring.model.events import (
    Event,
    ModelCalled,
    ProblemNoted,
    RunFinished,
    RunStarted,
)
from sparring.model.run import Stop, Summary
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict
from sparring.store.log import LOG, MANIFEST, RunLog
from sparring.testing import hostile
from sparring.testing.conformance.kit import Build, PluginKit
from sparring.testing.conversations import EPOCH, run_events, store, trace_of
from sparring.testing.fakes import FakeContext

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class ReporterKit(PluginKit, kit=True):
    """Tests of a reporter: override the fixtures `plugin` and `settings`.

    The kit tells it of hostile runs, as they happen and afterwards from the store, and looks at
    the files that it says it wrote: CSV, HTML, JSON, JSON lines, XML and YAML must be well-formed
    and hold nothing of the app unescaped; in any other text there are no control characters.

    Unescaped is in HTML and XML a mark-up of the app's; in JSON, JSON lines and YAML what their
    libraries do not escape by themselves. In CSV it is a cell that a spreadsheet runs: one that
    begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return and is no number. Put an
    apostrophe before such a cell. Control characters other than line ends and tabs are nowhere
    allowed, so take them out of what the app said.
    """

    @pytest.fixture
    def folder(self, context: FakeContext) -> Path:
        """The run's folder."""
        assert context.run_dir is not None, "reporters are tested in a context with a run_dir"
        return context.run_dir

    def test_no_event_makes_it_fail(self, build: Build, folder: Path) -> None:
        _live(build(), folder, _hostile_events(folder))

    def test_events_may_come_in_any_order(self, build: Build, folder: Path) -> None:
        events = _hostile_events(folder)
        store(folder, events)
        for seed in range(5):
            _tell(build(), random.Random(seed).sample(events, len(events)))

    def test_a_run_without_a_case_is_reported(self, build: Build, folder: Path) -> None:
        _live(build(), folder, run_events([], folder=folder))

    def test_a_run_without_a_folder_is_borne(self, build: Build) -> None:
        _tell(build(), run_events([trace_of([("hi", "hello")])]))

    @pytest.mark.parametrize("stopped", list(Stop))
    def test_a_run_that_stopped_early_is_reported(
        self, build: Build, folder: Path, stopped: Stop
    ) -> None:
        events = run_events([trace_of([("hi", "hello")])], folder=folder)[:-2]
        summary = Summary(stopped=stopped, exit_code=4, reason=hostile.MARK)
        _live(build(), folder, [*events, RunFinished(at=EPOCH, summary=summary)])

    def test_what_it_says_it_wrote_is_there(self, build: Build, folder: Path) -> None:
        for path in _live(build(), folder, _hostile_events(folder)):
            assert path.exists(), f"written() names {path}, which is not there"

    def test_it_writes_nothing_but_what_it_says(
        self, build: Build, folder: Path, tmp_path: Path
    ) -> None:
        written = _live(build(), folder, _hostile_events(folder))
        found = {path for path in tmp_path.rglob("*") if path.is_file()}
        strays = found - set(_files(written)) - {folder / MANIFEST, folder / LOG}
        assert not strays, f"files that written() does not name: {sorted(map(str, strays))}"

    def test_equal_runs_give_equal_bytes(self, build: Build, folder: Path) -> None:
        first = _report(build(), folder)
        again = _report(build(), folder)
        assert again.keys() == first.keys(), "the second time it writes other files"
        different = [name for name, data in first.items() if again[name] != data]
        assert not different, f"equal runs, and different bytes in {different}"

    def test_from_the_store_comes_the_same_report(self, build: Build, folder: Path) -> None:
        live = _report(build(), folder)
        later = _report(build(), folder, afterwards=True)
        assert later.keys() == live.keys(), "from the stored run it writes other files"
        different = [name for name, data in live.items() if later[name] != data]
        assert not different, f"from the stored run come other bytes in {different}"

    def test_what_it_writes_is_well_formed(self, build: Build, folder: Path) -> None:
        for name, data in _report(build(), folder).items():
            _check_file(Path(name), data)

    def test_what_it_prints_cannot_steer_a_terminal(
        self, build: Build, folder: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        _live(build(), folder, _hostile_events(folder))
        for stream in capfd.readouterr():
            assert "\x1b" not in stream, "an escape code of the app's is printed"
            controls = {char for char in stream if ord(char) < 32} - set("\n\r\t")
            assert not controls, f"control characters of the app's are printed: {controls!r}"
            assert "\u202e" not in stream, "an override of the text's direction is printed"

    def test_it_returns_at_once(self, build: Build, folder: Path) -> None:
        talk = trace_of([(f"question {n}", "answer " * 20) for n in range(1000)])
        events = run_events([talk], folder=folder)
        started = time.process_time()
        _live(build(), folder, events)
        spent = time.process_time() - started
        assert spent < 5, f"{len(events)} events took {spent:.1f} s of processor time"


def _tell(reporter: Reporter[Any], events: Iterable[Event]) -> list[Path]:
    """Tell a reporter of events; what it wrote."""
    for event in events:
        try:
            reporter.handle(event)
        except Exception as err:  # noqa: BLE001 - whatever comes is what the test is about
            pytest.fail(f"handle({event.kind}) raised {type(err).__name__}: {str(err)[:300]}")
    return list(reporter.written())


def _live(reporter: Reporter[Any], folder: Path, events: Sequence[Event]) -> list[Path]:
    """Tell a reporter of a run as it happens, each event stored first; what it wrote."""
    started = events[0]
    assert isinstance(started, RunStarted)
    log = RunLog.create(folder, started.run)

    def logged() -> Iterator[Event]:
        for event in events:
            log.append_event(event)
            yield event

    try:
        return _tell(reporter, logged())
    finally:
        log.close()


def _report(reporter: Reporter[Any], folder: Path, *, afterwards: bool = False) -> dict[str, bytes]:
    """Report a hostile run as it happens or afterwards; the content of each file written."""
    shutil.rmtree(folder, ignore_errors=True)
    events = _hostile_events(folder)
    if afterwards:
        store(folder, events)
        written = _tell(reporter, [events[0], events[-1]])
    else:
        written = _live(reporter, folder, events)
    return {str(path): path.read_bytes() for path in _files(written)}


def _files(written: Iterable[Path]) -> Iterator[Path]:
    """The files named, and those in folders named."""
    for path in written:
        yield from (p for p in [path, *path.rglob("*")] if p.is_file())


def _hostile_events(folder: Path) -> list[Event]:
    """A run of awkward conversations with every kind of event and verdict in it."""
    traces = hostile.traces()
    concluded = _verdicts(traces[0])
    events = run_events(
        traces, _verdicts, concluded=concluded, name=hostile.MARK, folder=folder, suite=_SUITE
    )
    ask = ChatRequest(messages=(ChatMessage(role="user", content=hostile.MARK),), asker="judge")
    reply = ChatReply(text=hostile.storable(hostile.TEXTS[5]), model=hostile.MARK, cost_usd=None)
    events[3:3] = [
        ModelCalled(at=EPOCH, request=ask, reply=reply),
        ModelCalled(at=EPOCH, request=ask, error=hostile.MARK),
        ProblemNoted(at=EPOCH, source=hostile.MARK, message=str(Problem(hostile.TEXTS[5]))),
    ]
    return events


_SUITE: dict[str, Any] = {"name": hostile.MARK, "oracles": [{"use": hostile.MARK}], "llm": None}


def _verdicts(trace: Trace) -> list[Verdict]:
    """One verdict of each outcome on a trace, with hostile words in it."""
    owners = {Outcome.FAIL: Owner.APP, Outcome.ERROR: Owner.JUDGE, Outcome.INCONCLUSIVE: Owner.TEST}
    shown = (TurnRef(case_id=trace.case.id, turn=0),) if trace.turns else ()
    return [
        Verdict(
            oracle=hostile.MARK,
            check=f"{hostile.storable(hostile.TEXTS[4])}\x1b[1m\x00",
            outcome=outcome,
            case_ids=(trace.case.id,),
            owner=owners.get(outcome),
            reason=f"=1+1 {hostile.MARK} \x1b]0;owned\x07 \u202e " + "long " * 500,
            score=0.5,
            turns=shown,
            count=index + 1,
            gating=index % 2 == 0,
            details={hostile.MARK: [hostile.MARK, None, {"x": 1.5}]},
        )
        for index, outcome in enumerate(Outcome)
    ]


def _check_file(path: Path, data: bytes) -> None:
    """Check that a file is well-formed for its kind and holds nothing unescaped."""
    suffix = path.suffix.lower()
    text = data.decode("utf-8")
    if suffix in (".html", ".htm", ".svg", ".xml"):
        assert hostile.MARK not in text, f"{path.name}: markup of the app's is not escaped"
    if suffix in (".xml", ".svg"):
        ElementTree.fromstring(text)
    elif suffix == ".json":
        json.loads(text)
    elif suffix == ".jsonl":
        assert all(isinstance(json.loads(line), dict) for line in text.splitlines() if line)
    elif suffix in (".yaml", ".yml"):
        list(yaml.safe_load_all(text))
    elif suffix == ".csv":
        _check_csv(path, text)
    controls = {char for char in text if ord(char) < 32} - set("\n\r\t")
    assert not controls, f"{path.name} holds control characters: {sorted(controls)!r}"


def _check_csv(path: Path, text: str) -> None:
    usual = csv.field_size_limit(10**9)
    try:
        rows = list(csv.reader(text.splitlines(keepends=True)))
    finally:
        csv.field_size_limit(usual)
    for number, row in enumerate(rows, 1):
        assert len(row) == len(rows[0]), f"{path.name}: row {number} has {len(row)} cells"
        for cell in row:
            assert not cell.startswith(_FORMULA) or _is_number(cell), (
                f"{path.name}: row {number} has a cell that a spreadsheet runs: {cell[:40]!r}"
            )


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True

"""The reporter `console`: what a person sees in a pipe, on a terminal and on odd consoles."""

import asyncio
import io
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from sparring.model.chat import ChatMessage, ChatReply, ChatRequest
from sparring.model.events import (
    CaseJudged,
    CaseStarted,
    Event,
    ModelCalled,
    ProblemNoted,
    RunFinished,
)
from sparring.model.run import Spent, Stop, Summary, Usage
from sparring.model.talk import Trace
from sparring.model.verdict import Verdict
from sparring.testing import hostile
from sparring.testing.conversations import (
    EPOCH,
    run_events,
    store,
    stored_run,
    trace_of,
    verdict_of,
)
from sparring.testing.fakes import FakeContext
from sparring_plugins.reporting.console import ConsoleReporter
from sparring_plugins.reporting.console_medium import Output, survey
from sparring_plugins.reporting.console_progress import Progress

TERMINAL = {"TERM": "xterm-256color"}


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def __init__(self, encoding: str = "utf-8") -> None:
        super().__init__()
        self._encoding = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding

    def isatty(self) -> bool:
        return True


def told(events: Iterable[Event], folder: Path, **settings: Any) -> None:
    reporter = FakeContext(base_dir=folder).build(ConsoleReporter, **settings)
    for event in events:
        reporter.handle(event)
    # Not anyio: it refuses while a fixture of another test, as a browser for the session, keeps its
    # runner, though no event loop of this thread runs then.
    asyncio.run(reporter.close())


def judged_so(trace: Trace) -> list[Verdict]:
    """Every fifth conversation fails, every seventh is an error."""
    number = trace.case.params["nr"]
    assert isinstance(number, int)
    if number % 5 == 0:
        return [verdict_of(trace, "fail", check="price", reason=f"the price {number} is wrong")]
    if number % 7 == 0:
        return [verdict_of(trace, "error", oracle="judge", reason="no valid JSON")]
    return [verdict_of(trace, "pass")]


def a_run(folder: Path, count: int = 12) -> list[Event]:
    traces = [trace_of([("hi", "hello")], nr=number) for number in range(count)]
    events = run_events(traces, judged_so, name="pizzeria", folder=folder)
    store(folder, events)
    return events


def test_kinds_of_failures_are_counted_and_measures_are_no_checks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def verdicts(trace: Trace) -> list[Verdict]:
        number = trace.case.params["nr"]
        judged = verdict_of(trace, "fail" if number in (0, 1, 2) else "pass")
        measured = verdict_of(trace, "pass", check="tone", gating=False)
        kind = {"price": True, "size": number == 1}
        return [
            judged.model_copy(update={"details": {"kind": kind}}),
            measured.model_copy(update={"score": 0.4}),
        ]

    traces = [trace_of([("hi", "hello")], nr=number) for number in range(5)]
    events = run_events(traces, verdicts, folder=tmp_path / "run")
    store(tmp_path / "run", events)
    told(events, tmp_path)
    lines = capsys.readouterr().out.splitlines()
    assert "kinds    2 in 3 failed cases, as diverse as 1.9 equally frequent ones" in lines
    assert "checks   2 pass, 3 fail; 5 measured" in lines


def test_a_pipe_gets_one_plain_line_per_case_and_the_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told(a_run(tmp_path / "runs" / "one"), tmp_path)
    text = capsys.readouterr().out
    assert "\x1b" not in text
    lines = text.splitlines()
    assert sum(line.startswith("[") for line in lines) == 12
    assert lines[0].startswith("[ 1/12] FAIL  talk-")
    assert lines[0].endswith("rules / price: the price 0 is wrong")
    assert lines[1].startswith("[ 2/12] pass  talk-")
    assert lines[1].endswith("1 turn, 0 ms")
    assert "pizzeria: 3 of 12 conversations failed" in lines
    assert "FAIL  rules / price  3x, owner: app" in lines
    assert "cases    8 pass, 3 fail, 1 error" in lines
    assert "exit     1: at least one gating check failed" in lines


def test_each_finding_names_the_command_that_shows_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "runs" / "a run's"
    events = a_run(folder)
    told(events, tmp_path)
    case_id = trace_of([], nr=0).case.id
    assert f"      sparring show 'runs/a run'\"'\"'s' {case_id}" in capsys.readouterr().out


def test_told_only_of_the_first_and_last_event_it_prints_the_same_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    events = a_run(tmp_path / "run")
    told(events, tmp_path)
    live = capsys.readouterr().out
    told([events[0], events[-1]], tmp_path)
    later = capsys.readouterr().out
    assert later
    assert live.endswith(later)


def test_a_run_that_is_not_stored_is_reported_from_its_events(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    traces = [trace_of([("hi", "hello")], nr=number) for number in range(3)]
    told(run_events(traces, judged_so), tmp_path)
    text = capsys.readouterr().out
    assert "the price 0 is wrong" in text
    assert "sparring show" not in text


@pytest.mark.parametrize(
    ("verbosity", "progress", "turns"),
    [("quiet", False, False), ("normal", True, False), ("verbose", True, True)],
)
def test_verbosity_decides_how_much_is_said(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    verbosity: str,
    progress: bool,
    turns: bool,
) -> None:
    told(a_run(tmp_path / "run"), tmp_path, verbosity=verbosity)
    text = capsys.readouterr().out
    assert ("[ 1/12]" in text) is progress
    assert (" user hi" in text and " app  hello" in text) is turns
    assert "3 of 12 conversations failed" in text


def test_a_long_run_gets_a_line_every_few_seconds_instead(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told(a_run(tmp_path / "run", 400), tmp_path)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("[")]
    assert 200 <= len(lines) <= 205


def test_findings_beyond_the_limit_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = trace_of([("hi", "hello")], nr=1)
    verdicts = [verdict_of(trace, "fail", check=f"rule {letter}") for letter in "abcde"]
    told(run_events([trace], [verdicts], folder=None), tmp_path, max_failures=2)
    text = capsys.readouterr().out
    assert text.count("FAIL  rules / rule") == 2
    assert "... and 3 more findings; the reports and the run log have all of them" in text


def test_a_run_stopped_by_its_budget_says_how_to_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    events = a_run(tmp_path / "runs" / "one", 3)[:-1]
    models = Spent(calls=2, tokens=1234, unpriced=2)
    usage = Usage(cases=3, turns=3, seconds=75, cost_usd=None, models=models)
    summary = Summary(stopped=Stop.BUDGET, exit_code=4, reason="30 minutes are over", usage=usage)
    told([*events, RunFinished(at=EPOCH, summary=summary)], tmp_path)
    lines = capsys.readouterr().out.splitlines()
    assert "stopped  budget: 30 minutes are over" in lines
    assert "go on    sparring run --resume runs/one" in lines
    assert "exit     4: incomplete: the budget was spent; the run can be resumed" in lines
    spent = "3 cases, 3 turns, 1 min 15 s, 2 model calls, 1,234 tokens, price unknown"
    assert f"spent    {spent}" in lines


@pytest.mark.parametrize(
    ("count", "expected", "said"),
    [
        (4, 15, "pizzeria: 4 conversations of 15 were played: 3 pass, 1 fail"),
        (2, None, "pizzeria: 2 conversations were played: 1 pass, 1 fail"),
        (1, 15, "pizzeria: 1 conversation of 15 was played: 1 fail"),
        (0, 15, "pizzeria: no conversation of 15 was played"),
        (0, None, "pizzeria: no conversation was played"),
    ],
)
@pytest.mark.parametrize("is_stored", [True, False])
def test_an_interrupted_run_says_how_far_it_came(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    count: int,
    expected: int | None,
    said: str,
    is_stored: bool,
) -> None:
    traces = [trace_of([("hi", "hello")], nr=number) for number in range(count)]
    folder = tmp_path / "run" if is_stored else None
    events = run_events(traces, judged_so, name="pizzeria", folder=folder)
    finished = events[-1]
    assert isinstance(finished, RunFinished)
    stop = {"stopped": Stop.INTERRUPTED, "exit_code": 130, "reason": "interrupted"}
    summary = finished.summary.model_copy(update=stop)
    begun = events[0].model_copy(update={"expected": expected})
    events = [begun, *events[1:-1], RunFinished(at=EPOCH, summary=summary)]
    if folder:
        store(folder, events)
    told(events, tmp_path)
    lines = capsys.readouterr().out.splitlines()
    assert said in lines
    assert "stopped  interrupted" in lines


def test_a_run_of_nothing_is_told_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told(run_events([], name="pizzeria"), tmp_path)
    assert "pizzeria: no conversations were judged" in capsys.readouterr().out.splitlines()


def test_a_long_reason_keeps_its_message_and_loses_the_expression(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = trace_of([("hi", "hello")])
    reason = "too dear (`" + "price == 1 and " * 20 + "True` is false: price is 2)"
    told(run_events([trace], [[verdict_of(trace, "fail", reason=reason)]]), tmp_path)
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert "too dear" in lines
    assert any(line.endswith("rules / polite: too dear") for line in lines)


def test_a_resumed_run_counts_what_was_judged_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    traces = [trace_of([("hi", "hello")], nr=number) for number in range(5)]
    folder = tmp_path / "run"
    stored_run(folder, traces[:4], judged_so)
    again = run_events(traces, judged_so, folder=folder)
    begun = again[0].model_copy(update={"session": 2})
    last = [event for event in again if isinstance(event, CaseJudged)][-1:]
    told([begun, *last], tmp_path)
    assert "[5/5] pass" in capsys.readouterr().out


def test_problems_are_told_and_bounded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    events = run_events([])
    noted = [ProblemNoted(at=EPOCH, source="junit", message=f"\x1b[2J {n}") for n in range(50)]
    told([events[0], *noted, *events[1:]], tmp_path)
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("warning junit: \\x1b[2J") for line in lines) == 20


def test_nothing_that_an_app_says_steers_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    traces = hostile.traces()
    reasons = [hostile.storable(text) for text in hostile.TEXTS]

    def judge(trace: Trace) -> list[Verdict]:
        return [
            verdict_of(trace, "fail", oracle=reason[:50], check=reason[:50], reason=reason)
            for reason in reasons[:3] + reasons[4:9]
        ]

    events = run_events(traces, judge, name=hostile.storable(hostile.TEXTS[5]))
    told(events, tmp_path, verbosity="verbose")
    text = capsys.readouterr().out
    assert not {char for char in text if ord(char) < 32 or 127 <= ord(char) < 160} - {"\n"}
    assert not set(text) & set("\u202e\u2066\u2028\ufeff\u200b")
    assert max(len(line) for line in text.splitlines()) < 700


# --- what the medium can show ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("environment", "live", "colour"),
    [
        (TERMINAL, True, True),
        (TERMINAL | {"NO_COLOR": "1"}, False, False),
        (TERMINAL | {"NO_COLOR": ""}, True, True),
        (TERMINAL | {"CI": "true"}, False, True),
        (TERMINAL | {"CI": "false"}, True, True),
        ({"TERM": "dumb"}, False, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, False, False),
        (TERMINAL | {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False, False),
    ],
)
def test_a_terminal_is_used_as_the_environment_wants(
    environment: dict[str, str], live: bool, colour: bool
) -> None:
    medium = survey("auto", Terminal(), environment)
    assert (medium.is_live, medium.has_colour) == (live, colour)


@pytest.mark.parametrize(
    ("environment", "colour"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "0"}, False), (TERMINAL, False)],
)
def test_a_pipe_is_never_live_and_coloured_only_by_force(
    environment: dict[str, str], colour: bool
) -> None:
    medium = survey("auto", io.StringIO(), environment)
    assert (medium.is_live, medium.has_colour) == (False, colour)


@pytest.mark.parametrize(("setting", "live"), [("always", True), ("never", False)])
def test_the_setting_live_overrides_the_environment(setting: Any, live: bool) -> None:
    assert survey(setting, io.StringIO(), {"CI": "1"}).is_live is live
    assert survey("never", Terminal(), TERMINAL).is_live is False


@pytest.mark.parametrize("columns", ["80", "100", "140"])
def test_a_case_takes_one_line_of_a_terminal(
    columns: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    for name, text in {"COLUMNS": columns, "NO_COLOR": "1", "TERM": "xterm"}.items():
        monkeypatch.setenv(name, text)
    trace = trace_of([("hi", "hello")])
    verdict = verdict_of(trace, "fail", reason="the price of the large pizza is wrong " * 9)
    told(run_events([trace], [[verdict]]), tmp_path)
    (line,) = [line for line in screen.getvalue().splitlines() if line.startswith("[1/1]")]
    assert len(line) <= int(columns)
    assert "rules / polite: the price" in line


def test_a_reader_that_is_gone_does_not_stop_the_run() -> None:
    class Gone(io.StringIO):
        def write(self, text: str, /) -> int:
            raise BrokenPipeError

    output = Output(survey("auto", Gone(), {}))
    output.line(("one", ""))
    assert output.closed
    output.line(("two", ""))


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-8"])
def test_what_an_encoding_lacks_is_escaped(encoding: str) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="\n")
    Output(survey("auto", stream, {})).line(("é → 日本", ""))
    stream.seek(0)
    expected = {
        "cp1252": "é \\u2192 \\u65e5\\u672c\n",
        "ascii": "\\xe9 \\u2192 \\u65e5\\u672c\n",
        "utf-8": "é → 日本\n",
    }
    assert stream.read() == expected[encoding]


@pytest.mark.parametrize("width", [10, 20, 40, 64, 80, 200])
@pytest.mark.parametrize("fancy", [True, False])
def test_the_live_lines_fit_every_width(width: int, fancy: bool) -> None:
    progress = Progress(expected=120, before=0)
    for number in range(40):
        trace = trace_of([("hi", "hello")], nr=number)
        progress.hear(CaseStarted(at=EPOCH, case=trace.case))
        if number < 30:
            progress.hear(CaseJudged(at=EPOCH, trace=trace, verdicts=tuple(judged_so(trace))))
    for line in (progress.live_line(width, fancy=fancy), progress.playing_line(width)):
        text = "".join(part for part, _ in line)
        assert 0 < len(text) <= width
        assert fancy or text.isascii()


def test_progress_knows_what_is_spent_and_never_takes_unknown_for_nothing() -> None:
    progress = Progress(expected=None, before=0)
    assert progress.spent() == ""
    ask = ChatRequest(messages=(ChatMessage(role="user", content="?"),))
    cheap = ChatReply(text="!", input_tokens=10, output_tokens=5, cost_usd=0.25)
    progress.hear(ModelCalled(at=EPOCH, request=ask, reply=cheap))
    assert progress.spent() == "15 tokens, $0.2500"
    unpriced = cheap.model_copy(update={"cost_usd": None})
    for reply in (unpriced, cheap):
        progress.hear(ModelCalled(at=EPOCH, request=ask, reply=reply))
    assert progress.spent() == "45 tokens, price unknown"
    assert progress.place() == "0"


# --- in a process of its own ----------------------------------------------------------------

PROGRAM = """
import sys, asyncio
from pathlib import Path
from sparring.store import StoredRun
from sparring.testing.fakes import FakeContext
from sparring_plugins.reporting.console import ConsoleReporter
stored = StoredRun(Path(sys.argv[1]))
reporter = FakeContext(base_dir=Path(sys.argv[1])).build(ConsoleReporter)
for event in stored.events():
    reporter.handle(event)
asyncio.run(reporter.close())
print("rich" in sys.modules, "jinja2" in sys.modules, file=sys.stderr)
"""


def environment(**extra: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("TERM", "PYTHONIOENCODING")}
    return kept | {"PYTHONUTF8": "0"} | extra


def run_in_pipe(folder: Path, **extra: str) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-c", PROGRAM, str(folder)]
    return subprocess.run(command, capture_output=True, env=environment(**extra), check=True)


def test_rich_is_not_imported_for_a_pipe(tmp_path: Path) -> None:
    a_run(tmp_path / "run")
    done = run_in_pipe(tmp_path / "run", TERM="xterm")
    assert done.stderr.split() == [b"False", b"False"]
    assert b"\x1b" not in done.stdout


def test_forced_colours_reach_a_pipe_without_a_live_display(tmp_path: Path) -> None:
    a_run(tmp_path / "run")
    done = run_in_pipe(tmp_path / "run", FORCE_COLOR="1", PYTHONIOENCODING="utf-8")
    assert b"\x1b[1;31mFAIL" in done.stdout
    assert b"\x1b[?25l" not in done.stdout


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_a_console_of_another_encoding_gets_what_it_can_print(
    tmp_path: Path, encoding: str
) -> None:
    traces = hostile.traces()
    reason = "déjà vu → 日本"
    stored_run(tmp_path / "run", traces, lambda trace: [verdict_of(trace, "fail", reason=reason)])
    done = run_in_pipe(tmp_path / "run", PYTHONIOENCODING=encoding)
    shown = reason.encode(encoding, "backslashreplace")
    assert shown in done.stdout


def on_terminal(folder: Path, columns: int = 80, **extra: str) -> bytes:
    """What the reporter writes to a terminal of so many columns."""
    termios = pytest.importorskip("termios", reason="pseudo-terminals need POSIX")
    import fcntl
    import pty
    import struct

    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    command = [sys.executable, "-c", PROGRAM, str(folder)]
    env = environment(**({"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"} | extra))
    env.pop("COLUMNS", None)
    process = subprocess.Popen(command, stdout=slave, stderr=subprocess.PIPE, env=env)
    os.close(slave)
    seen = _read_all(master)
    with process:
        _, errors = process.communicate()
    os.close(master)
    assert process.returncode == 0, errors.decode()
    return seen


def _read_all(descriptor: int) -> bytes:
    chunks: list[bytes] = []
    while True:
        try:
            chunk = os.read(descriptor, 65_536)
        except OSError:  # Linux's way to say that the other end is closed
            break
        if not chunk:
            break
        chunks.append(chunk)
    return b"".join(chunks)


def test_a_terminal_gets_a_live_display_that_goes_away(tmp_path: Path) -> None:
    a_run(tmp_path / "run", 40)
    seen = on_terminal(tmp_path / "run")
    assert b"\x1b[?25l" in seen, "the cursor was never hidden: there was no live display"
    assert seen.rindex(b"\x1b[?25h") > seen.rindex(b"\x1b[?25l"), "the cursor stays hidden"
    assert b"8 of 40 conversations failed" in seen
    assert b"pass  talk-" not in seen, "a live display needs no line for each pass"


@pytest.mark.parametrize("extra", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_that_wants_no_escape_codes_gets_none(
    tmp_path: Path, extra: dict[str, str]
) -> None:
    a_run(tmp_path / "run")
    seen = on_terminal(tmp_path / "run", **extra)
    assert b"\x1b" not in seen
    assert b"[12/12]" in seen


def test_ci_gets_lines_even_on_a_terminal(tmp_path: Path) -> None:
    a_run(tmp_path / "run")
    seen = on_terminal(tmp_path / "run", CI="true")
    assert b"\x1b[?25l" not in seen
    assert b"pass " in seen


@pytest.mark.parametrize("columns", [20, 40])
def test_a_narrow_terminal_is_borne(tmp_path: Path, columns: int) -> None:
    a_run(tmp_path / "run")
    assert b"sparring show" in on_terminal(tmp_path / "run", columns)


def test_a_live_display_in_ascii_stays_ascii(tmp_path: Path) -> None:
    a_run(tmp_path / "run")
    assert on_terminal(tmp_path / "run", PYTHONIOENCODING="cp1252").isascii()


INVALID: Sequence[tuple[dict[str, Any], str]] = [
    ({"verbosity": "loud"}, "verbosity: input should be 'quiet', 'normal' or 'verbose'"),
    ({"live": True}, "live: input should be 'auto', 'never' or 'always'"),
    ({"max_failures": -1}, "max_failures: input should be greater than or equal to 0"),
    ({"max_failure": 3}, "Did you mean 'max_failures'?"),
]


@pytest.mark.parametrize(("settings", "message"), INVALID)
def test_wrong_settings_are_named(tmp_path: Path, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(Exception, match="settings of ConsoleReporter") as caught:
        FakeContext(base_dir=tmp_path).build(ConsoleReporter, **settings)
    assert message in str(caught.value)


def test_it_writes_no_file(tmp_path: Path) -> None:
    reporter = FakeContext(base_dir=tmp_path).build(ConsoleReporter)
    for event in run_events([]):
        reporter.handle(event)
    assert reporter.written() == ()
    assert list(tmp_path.iterdir()) == []

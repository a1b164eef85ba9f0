"""Situations and exit codes: the code, the console, JUnit and standard error agree on each.

Every row is a real suite, run through the command line. A run is green (0) only if something
passed, and nothing else is to be said of it.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

from sparring.cli.app import invoke

from .conftest import Program

FAKES = "sparring.testing.fakes:"
ODD = "tests.cli.odd_parts:"
REPOSITORY = Path(__file__).parents[2]

Write = Callable[[Mapping[str, Any]], None]


def suite(**changes: Any) -> dict[str, Any]:
    """A suite in which three cases pass, with changes; a key that is None is left out."""
    data = {
        "name": "table",
        "app": {"use": f"{FAKES}FakeConnector"},
        "agent": {"use": f"{FAKES}FakePlayer"},
        "strategy": {"use": f"{FAKES}FakeStrategy", "params": [{"n": n} for n in range(3)]},
        "oracles": [{"use": f"{FAKES}FakeOracle"}],
        "reporters": ["console", "junit"],
        **changes,
    }
    return {key: value for key, value in data.items() if value is not None}


def says(outcome: str, **more: Any) -> dict[str, Any]:
    """An oracle that always says the same."""
    return {"use": f"{FAKES}FakeOracle", "name": outcome, "judges": outcome, **more}


def connector(kind: str, **more: Any) -> dict[str, Any]:
    """An app that is reached in an odd way."""
    return {"use": f"{ODD}{kind}", **more}


@dataclass(frozen=True)
class Row:
    """A situation: the suite, how it is run, the exit code, and what is said of it.

    `junit` are the elements of the test cases that are no passes, None if nothing was run, so that
    there is no file. `words` are on standard output or error.
    """

    code: int
    words: str
    data: Mapping[str, Any] = field(default_factory=suite)
    arguments: tuple[str, ...] = ()
    junit: tuple[str, ...] | None = ()


ALL = 3
PASS, SKIP = says("pass"), says("skipped")
UNDECIDED = (says("inconclusive"), PASS)
TABLE = {
    "all passed": Row(0, "exit     0: at least one check passed"),
    "passed and skipped": Row(0, "exit     0: at least one", suite(oracles=[PASS, SKIP])),
    "failed": Row(
        1,
        "exit     1: at least one gating check failed",
        suite(oracles=[says("fail"), PASS]),
        junit=("failure",) * ALL,
    ),
    "failed, but it does not gate": Row(
        0, "exit     0: at least one", suite(oracles=[{**says("fail"), "gating": False}, PASS])
    ),
    "failed, exit code forgiven": Row(
        0,
        "exit     1: at least one gating check failed",
        suite(oracles=[says("fail")]),
        ("--exit-zero",),
        ("failure",) * ALL,
    ),
    "inconclusive": Row(
        3,
        "exit     3: nothing failed, but 3 checks could not be decided",
        suite(oracles=UNDECIDED),
        junit=("error",) * ALL,
    ),
    "inconclusive is an error": Row(
        3,
        "exit     3: nothing failed, but 3 checks could not be decided",
        suite(oracles=UNDECIDED, gate={"inconclusive": "error"}),
        junit=("error",) * ALL,
    ),
    "inconclusive is allowed": Row(
        0,
        "exit     0: no check failed; 3 checks could not be decided, which is allowed here",
        suite(oracles=UNDECIDED, gate={"inconclusive": "allow"}),
        junit=("skipped",) * ALL,
    ),
    "inconclusive is a failure": Row(
        1,
        "exit     1: 3 checks could not be decided, which counts as failed here",
        suite(oracles=UNDECIDED, gate={"inconclusive": "fail"}),
        junit=("failure",) * ALL,
    ),
    "inconclusive is a failure by --strict": Row(
        1,
        "exit     1: 3 checks could not be decided, which counts as failed here",
        suite(oracles=UNDECIDED, gate={"inconclusive": "allow"}),
        ("--strict",),
        ("failure",) * ALL,
    ),
    "nothing but inconclusive, which is allowed": Row(
        5,
        "exit     5: nothing passed: 3 checks could not be decided",
        suite(oracles=[says("inconclusive")], gate={"inconclusive": "allow"}),
        junit=(*("skipped",) * ALL, "error"),
    ),
    "an oracle that breaks": Row(
        3,
        "exit     3: nothing failed, but 3 checks ended in errors",
        suite(oracles=[{"use": f"{ODD}RaisingOracle"}, PASS]),
        junit=("error",) * ALL,
    ),
    "an app that cannot be reached": Row(
        3,
        "exit     3: nothing failed, but",
        suite(app={"use": f"{FAKES}FakeConnector", "fails_to_open": "unreachable"}, oracles=None),
        junit=("error",) * ALL,
    ),
    "an app that crashes": Row(
        1,
        "exit     1: at least one gating check failed",
        suite(app={"use": f"{FAKES}FakeConnector", "raises": {0: "crash"}}, oracles=None),
        junit=("failure",) * ALL,
    ),
    "a connector with a bug": Row(
        3,
        "exit     3: nothing failed, but",
        suite(app=connector("RaisingConnector"), oracles=None),
        junit=("error",) * ALL,
    ),
    "a connector that is cancelled by itself": Row(
        3,
        "exit     3: nothing failed, but",
        suite(app=connector("CancellingConnector"), oracles=None),
        junit=("error",) * ALL,
    ),
    "a connector that ends the program": Row(
        3,
        "exit     3: nothing failed, but",
        suite(app=connector("ExitingConnector"), oracles=None),
        junit=("error",) * ALL,
    ),
    "a connector that cannot be made": Row(
        6,
        "no connector today",
        suite(app=connector("UnbuildableConnector")),
        junit=None,
    ),
    "a connector that ends the program while it is made": Row(
        6, "SystemExit", suite(app=connector("ExitingAtBirth")), junit=None
    ),
    "a strategy that breaks": Row(
        6,
        "no more ideas",
        suite(strategy={"use": f"{ODD}RaisingStrategy", "params": [{"n": n} for n in range(3)]}),
        junit=("error",),
    ),
    "a strategy that asks for nothing": Row(
        5,
        "nothing was",
        suite(strategy={"use": f"{ODD}SilentStrategy", "params": [{"n": 1}]}),
        junit=("error",),
    ),
    "a reporter that breaks": Row(
        6,
        "internal error: a part, or Sparring itself, broke: reports are missing or incomplete",
        suite(reporters=["console", "junit", {"use": f"{ODD}RaisingReporter"}]),
    ),
    "a report for which the disk has no space": Row(
        7,
        "the disk is full, over quota or read-only; what was stored is kept: reports are missing",
        suite(reporters=["console", "junit", {"use": f"{ODD}FullDiskReporter"}]),
    ),
    "a reporter that breaks in a run that failed": Row(
        1,
        "exit     1: at least one gating check failed",
        suite(
            oracles=[says("fail")],
            reporters=["console", "junit", {"use": f"{ODD}RaisingReporter"}],
        ),
        junit=("failure",) * ALL,
    ),
    "nothing selected": Row(
        5,
        "nothing was selected by -k 'none'; scenarios: 'talk'",
        arguments=("-k", "none"),
        junit=None,
    ),
    "no oracle": Row(
        5,
        "exit     5: nothing was judged: there is no check",
        suite(oracles=[]),
        junit=(*("skipped",) * ALL, "error"),
    ),
    "no oracle, exit code not forgiven": Row(
        5,
        "sparring: nothing was judged: there is no check (exit code 5)",
        suite(oracles=[]),
        ("--exit-zero",),
        (*("skipped",) * ALL, "error"),
    ),
    "all skipped": Row(
        5,
        "exit     5: nothing was judged: no check applied to any conversation",
        suite(oracles=[SKIP]),
        junit=(*("skipped",) * ALL, "error"),
    ),
    "cut off by the budget": Row(
        4,
        "exit     4: incomplete: the budget was spent; the run can be resumed",
        arguments=("--budget", "cases=2"),
        junit=("error",),
    ),
    "every case dropped by the budget": Row(
        4,
        "exit     4: incomplete: the budget was spent; the run can be resumed",
        suite(
            agent={"use": f"{ODD}AskingTwice"},
            llm={"use": f"{FAKES}FakeLLM"},
            budget={"tokens": 1},
        ),
        junit=("error",),
    ),
    "an unknown key": Row(2, "unknown key", suite(colour="red"), junit=None),
    "an unknown part": Row(2, "no connector is called 'ecko'", suite(app="ecko"), junit=None),
    "no file": Row(2, "cannot be read", arguments=("nowhere.yaml",), junit=None),
    "wrong usage": Row(2, "No such option", arguments=("--no-such-option",), junit=None),
}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def _write(data: Mapping[str, Any]) -> None:
        (tmp_path / "suite.yaml").write_text(yaml.safe_dump(dict(data)), encoding="utf-8")

    return _write


@pytest.mark.parametrize("name", TABLE)
def test_code_console_and_junit_agree(
    name: str, write: Write, program: Program, tmp_path: Path
) -> None:
    row = TABLE[name]
    write(row.data)
    ran = program("run", *row.arguments)
    said = ran.out + ran.err
    assert ran.code == row.code, said
    assert row.words in said
    assert "Traceback" not in said
    if ran.code != 0:
        assert f"exit     {0}:" not in ran.out or row.code in (6, 7), "a reporter that broke"
    if row.code in (5, 6):
        assert f"(exit code {row.code})" in ran.err or "internal error" in ran.err
    assert red_cases(tmp_path) == row.junit


def red_cases(folder: Path) -> tuple[str, ...] | None:
    """The elements of the test cases in the one JUnit file that are no passes."""
    found = list(folder.glob("runs/*/junit.xml"))
    if not found:
        return None
    (path,) = found
    cases = ET.fromstring(path.read_bytes()).iter("testcase")
    tags = ("failure", "error", "skipped")
    return tuple(child.tag for case in cases for child in case if child.tag in tags)


def sparring(
    folder: Path,
    *arguments: str,
    stdout: int | None = None,
    stderr: int = subprocess.PIPE,
    first: Callable[[], None] | None = None,
) -> "subprocess.Popen[bytes]":
    """The program in a process of its own; `first` is done in it before the program starts."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "sparring", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        preexec_fn=first,
    )


PROCESSES = (
    *("all passed", "failed", "inconclusive", "all skipped", "cut off by the budget"),
    *("a connector that is cancelled by itself", "a connector that ends the program"),
    *("a connector that ends the program while it is made", "a reporter that breaks"),
)


@pytest.mark.parametrize("name", PROCESSES)
def test_the_process_ends_with_the_code(name: str, write: Write, tmp_path: Path) -> None:
    row = TABLE[name]
    write(row.data)
    process = sparring(
        tmp_path, "run", *row.arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    said = process.communicate(timeout=60)[0].decode()
    assert process.returncode == row.code, said
    assert row.words in said


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
@pytest.mark.parametrize(
    "name",
    [
        *("all passed", "failed"),
        *(pytest.param(n, marks=pytest.mark.thorough) for n in ("inconclusive", "all skipped")),
    ],
)
@pytest.mark.parametrize("leaves", ["before the start", "after the first line"])
def test_a_closed_pipe_changes_nothing(
    name: str, leaves: str, write: Write, tmp_path: Path
) -> None:
    """As in ``sparring run | head -1``: the code is the run's, and the run is whole."""
    row = TABLE[name]
    write(row.data)
    reading, writing = os.pipe()
    if leaves == "before the start":
        os.close(reading)
    process = sparring(
        tmp_path, "run", *row.arguments, "--set", "reporters.0.verbosity=verbose", stdout=writing
    )
    os.close(writing)
    if leaves == "after the first line":
        with os.fdopen(reading, "rb", buffering=0) as reader:
            assert reader.read(1)
    error = process.communicate(timeout=60)[1].decode()
    assert process.returncode == row.code, error
    assert "Broken pipe" not in error
    assert "problem:" not in error
    assert red_cases(tmp_path) == row.junit


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_both_pipes_may_be_closed_and_a_report_may_go_into_one(
    write: Write, tmp_path: Path
) -> None:
    write(suite(oracles=[says("fail")], reporters=["console", {"use": "junit", "path": "-"}]))
    reading, writing = os.pipe()
    os.close(reading)
    process = sparring(tmp_path, "run", stdout=writing, stderr=writing)
    os.close(writing)
    assert process.wait(timeout=60) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="descriptors of POSIX")
@pytest.mark.parametrize(("name", "code"), [("all passed", 0), ("failed", 1)])
def test_a_program_without_standard_output_runs_all_the_same(
    name: str, code: int, write: Write, tmp_path: Path
) -> None:
    """As in ``sparring run >&-``."""
    write(TABLE[name].data)
    process = sparring(tmp_path, "run", first=lambda: os.close(1))
    error = process.communicate(timeout=60)[1].decode()
    assert process.returncode == code, error
    assert "problem:" not in error


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        ("SystemExit(0)", 6),
        ("SystemExit('all is well')", 6),
        ("ValueError('odd')", 6),
        ("BrokenPipeError(32, 'Broken pipe')", 6),
        ("TimeoutError()", 6),
        ("GeneratorExit()", 6),
        ("__import__('asyncio').CancelledError()", 6),
        ("ExceptionGroup('several', [ValueError('odd')])", 6),
        ("KeyboardInterrupt()", 130),
        ("OSError(28, 'No space left on device')", 7),
        ("__import__('sparring.errors').errors.ConfigurationError('odd')", 2),
        ("__import__('sparring.errors').errors.AppUnreachable('odd')", 2),
        ("__import__('sparring.errors').errors.PartError('agent', 'x', 'act', 'odd')", 6),
    ],
)
@pytest.mark.parametrize("where", ["loading", "running"])
def test_what_a_foreign_command_raises_is_never_a_code_of_its_own(
    install: Any,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    raised: str,
    code: int,
    where: str,
) -> None:
    body = f"raise {raised}"
    at_load, at_run = (body, "") if where == "loading" else ("pass", body)
    name = f"odd{abs(hash((raised, where))):x}"
    install(
        f"{name}-package",
        "sparring.commands",
        f"odd-command = {name}:command",
        f"import click\n{at_load}\n@click.command()\ndef command():\n    {at_run or 'pass'}\n",
    )
    ended = invoke(["odd-command"])
    error = capfd.readouterr().err
    if where == "loading" and code != 130:
        assert ended in (2, 6, 7)  # a plugin that does not import is a plugin that cannot be used
    else:
        assert ended == code, error
    assert error.strip()
    assert "Traceback" not in error


def test_a_whole_traceback_is_shown_if_it_is_wanted(
    install: Any, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "import click\n@click.command()\ndef command():\n    raise ValueError('no\\x1b[31mway')\n"
    )
    install("bad-command", "sparring.commands", "bad-command = bad_command_module:command", code)
    assert invoke(["bad-command"]) == 6
    brief = capfd.readouterr().err
    assert "sparring: internal error: ValueError: no [31mway (" in brief
    assert "SPARRING_TRACEBACK=1" in brief
    monkeypatch.setenv("SPARRING_TRACEBACK", "1")
    assert invoke(["bad-command"]) == 6
    whole = capfd.readouterr().err
    assert "Traceback (most recent call last)" in whole
    assert "\x1b" not in brief + whole


def test_the_help_lists_every_code(program: Program) -> None:
    from sparring.engine.exit_codes import MEANINGS

    words = " ".join(program("--help").out.split())
    for code, meaning in MEANINGS.items():
        assert f"{code} {meaning}" in words

"""Any command line at all: a sentence and a code, never a traceback."""

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sparring.cli.app import invoke

from .conftest import SANE, Program

SUITE = """
name: small
app: echo
agent: {use: user-simulator, profiles: p.yaml}
oracles: [generic-failures, {use: rules, files: r.yaml}]
reporters: [console]
"""
PROFILE = """
test_name: order
user: {goals: ["say {{k}}", {k: {function: forward(), data: [a, b]}}]}
chatbot: {is_starter: false}
conversation: {number: 2, goal_style: {steps: 1}, interaction_style: [default]}
"""
LONG = "x" * 5000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a suite, files beside it and a stored run, to work in."""
    found = tmp_path_factory.mktemp("here")
    for name, text in (
        *(("suite.yaml", SUITE), ("p.yaml", PROFILE), ("r.yaml", "name: x\noracle: '1 == 1'\n")),
        *(("bad.yaml", "name: [x\n"), ("empty.yaml", ""), ("binary", "\ud800")),
    ):
        (found / name).write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(found)
        assert invoke(["run", "--set", "reporters=[]"]) == 0
        yield found


WORDS = (
    *("", " ", "-", "--", "last", "runs", "small", "order", "suite.yaml", "p.yaml", "r.yaml", "."),
    *("bad.yaml", "empty.yaml", "binary", "nothing", "nothing/x", "suite.yaml/x", "/dev/null"),
    *("/dev/null/x", "x.html", "x.xml", "x.csv", "x.jsonl", "x.unknown", "html=x", "html=", "=x"),
    *("console=x", "html", "junit", "csv", "jsonl", "sensei", "console", "os:system", ":", "a:b"),
    *(
        "name=x",
        "name=[",
        "name=!!python/name:os.system",
        "app.use=5",
        "app..use=1",
        "app.=1",
        "=1",
    ),
    *("use=x", "path=5", "seed=0x10", "seed=-1", "runs=suite.yaml", 'runs="a\\0b"', "agent=null"),
    *("oracles=[5]", "oracles=[[]]", "oracles.0=1", "reporters=[html, html]", "concurrency=1e9"),
    *("case_timeout=.nan", "judge_timeout=.inf", "llm=x", "hooks.disable=[1]", "budget.cases=0"),
    *("cases=1", "cases=", "=5", "minutes=.inf", "cost=1e999", "cost=2 USD", "tokens=x", "x=y=z"),
    *(
        "sensei",
        "0",
        "-1",
        "1",
        "9" * 500,
        "1e5",
        "nan",
        "\u0663",
        "[",
        "[!",
        "*",
        "{}",
        "\x1b[31m",
    ),
    *("\udcff", "\u202e", "a\nb", "%s", "{0}", "$HOME", "~nobody", LONG, "echo", "rest", "é"),
)
OPTIONS = (
    *("-k", "--resume", "--seed", "--concurrency", "--budget", "--max-failures", "--set", "-o"),
    *("--output", "--runs", "--no-plugin", "--strict", "--exit-zero", "--rules", "--conversations"),
    *("--suite", "--compat", "--all", "--use", "--template", "--force", "--offline", "--json"),
    *("-h", "--help", "--version", "--nope", "-x", "--set=name=y", "-oy.html", "--seed=1"),
)
COMMANDS = ("init", "run", "check", "validate", "show", "report", "plugins", "schema", "doctor")


def harmless(text: str) -> bool:
    """What cannot name a place outside of the folder."""
    return (
        not text.startswith(("/", "~"))
        and ".." not in text
        and "/" not in text
        and "\0" not in text
    )


word = st.one_of(
    st.sampled_from(WORDS), st.sampled_from(OPTIONS), st.text(max_size=12).filter(harmless)
)
pair = st.tuples(st.sampled_from(OPTIONS), word)
command_line = st.builds(
    lambda command, pairs, rest: [command, *(part for both in pairs for part in both), *rest],
    st.one_of(st.sampled_from(COMMANDS), word),
    st.lists(pair, max_size=3),
    st.lists(word, max_size=2),
)


def run(arguments: list[str]) -> tuple[int, str]:
    """In process, because a few hundred are tried; standard input is empty."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = invoke(arguments)
    return code, out.getvalue() + err.getvalue()


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(arguments=command_line)
@example(arguments=["report", "--use", "html", "--set", "use=x"])
@example(arguments=["schema", "-o", "nothing/x"])
@example(arguments=["init", "suite.yaml"])
@example(arguments=["run", "--seed", "9" * 5000])
def test_no_command_line_gives_a_traceback(folder: Path, arguments: list[str]) -> None:
    code, said = run(arguments)
    assert code in SANE, said
    assert "\x1b" not in said.replace(str(arguments), "") or "\x1b" in "".join(arguments)


LONG_OR_ODD = [
    *(["show", LONG], ["show", "last", LONG], ["show", ""], ["show", "--runs", LONG]),
    *(["show", "--runs", "/dev/null"], ["report", LONG, "-o", "x.html"], ["report", "-o", ""]),
    *(["report", "-o", f"{LONG}.html"], ["report", "-o", "/proc/x.html"], ["report", "-o", "."]),
    *(
        ["report", "--use", "jsonl", "-o", "/dev/full"],
        ["report", "--use", "html", "-o", "/dev/full"],
    ),
    *(
        ["report", "--use", "sensei", "-o", "suite.yaml"],
        ["check", LONG],
        ["check", "--suite", LONG],
    ),
    *(["check", "last", "--rules", LONG], ["check", "last", "--rules", "/dev/zero"]),
    *(["check", "--conversations", "/dev/zero", "--rules", "r.yaml"],),
    *(["check", "--conversations", "/dev/null", "--rules", "r.yaml"],),
    *(["check", "--conversations", LONG, "--rules", "r.yaml"], ["run", LONG], ["validate", LONG]),
    *(["run", "--resume", LONG], ["run", "--runs", LONG], ["run", "--runs", "/dev/null"]),
    *(["run", "--runs", "/proc/x"], ["schema", "-o", "."], ["schema", "-o", LONG], ["init", LONG]),
    *(["init", "/proc/x"], ["init", "/dev/null/x"], ["doctor", "--offline", LONG], [LONG]),
]


@pytest.mark.skipif(sys.platform == "win32", reason="names devices of POSIX")
@pytest.mark.parametrize("arguments", LONG_OR_ODD, ids=lambda a: " ".join(w[:20] for w in a))
def test_a_path_that_cannot_be_is_told_of(folder: Path, arguments: list[str]) -> None:
    code, said = run(arguments)
    assert code in (2, 5, 7), said  # 7: the device is full
    assert said.strip()


def test_a_closed_pipe_ends_quietly(folder: Path) -> None:
    """As in `sparring show | head -1`."""
    import subprocess

    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "sparring", "plugins"],
        cwd=folder,
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
        timeout=60,
    )
    os.close(writing)
    assert done.returncode == 0
    assert done.stderr == b""


@pytest.mark.skipif(sys.platform == "win32", reason="names devices of POSIX")
@pytest.mark.parametrize("reporter", ["html", "junit", "csv", "jsonl"])
def test_a_report_into_a_pipe_leaves_the_pipe(reporter: str, folder: Path) -> None:
    """Nothing takes the place of what is no file, as `-o /dev/stdout` would."""
    first = min((folder / "runs").glob("small-2*"))  # others may have judged nothing
    pipe = folder / f"pipe-{reporter}"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    code, said = run(["report", str(first), "--use", reporter, "-o", str(pipe)])
    got = os.read(reader, 10)
    os.close(reader)
    assert code == 0, said
    assert got
    assert pipe.is_fifo()


@pytest.mark.skipif(sys.platform == "win32", reason="folders in use cannot be removed there")
@pytest.mark.parametrize(
    "arguments", [["run"], ["show"], ["doctor", "--offline"], ["validate"], ["init"]]
)
def test_a_working_folder_that_is_gone_is_told_of(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    code, said = run(arguments)
    assert code == 2, said


def test_a_terminal_of_another_encoding_gets_marks(tmp_path: Path, program: Program) -> None:
    (tmp_path / "suite.yaml").write_text(SUITE.replace("small", "\u65e5\u672c\u8a9e \U0001f511"))
    (tmp_path / "p.yaml").write_text(PROFILE)
    (tmp_path / "r.yaml").write_text("name: \u65e5\noracle: '1 == 2'\n")
    assert program("run", environment={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}).code == 1

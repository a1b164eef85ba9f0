"""Run folders that are damaged, foreign or on a full disk: a sentence, never a traceback."""

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sparring.cli.app import invoke
from sparring.store.log import unseal

from .conftest import Program

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits and pipes are POSIX")

SUITE = """
name: kept
app: {use: echo, prefix: "You said: "}
agent: {use: user-simulator, profiles: p.yaml}
oracles: [generic-failures, {use: rules, files: r.yaml}]
reporters: [console, html, junit, csv, jsonl, sensei]
concurrency: 2
seed: 1
"""
PROFILE = """
test_name: order
user:
  goals: ["a {{size}} pizza", {size: {function: forward(), data: [small, medium, large, huge]}}]
chatbot: {is_starter: false, output: [{price: {type: money, description: the price}}]}
conversation: {number: 4, goal_style: {steps: 2}, interaction_style: [default]}
"""
RULES = """
name: one
oracle: len(chatbot_phrases) < 1000
---
name: pairs
conversations: 2
oracle: conv[0].size != conv[1].size
"""

Damage = Callable[[Path], object]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a suite and one finished run of it."""
    folder = tmp_path_factory.mktemp("finished")
    for name, text in (("suite.yaml", SUITE), ("p.yaml", PROFILE), ("r.yaml", RULES)):
        (folder / name).write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert invoke(["run", "--set", "reporters=[]"]) == 3
    return folder


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    """A copy of the finished run, to be damaged."""
    shutil.copytree(finished, tmp_path, dirs_exist_ok=True)
    (found,) = (tmp_path / "runs").iterdir()
    return found


def manifest(**changes: Any) -> Damage:
    def damage(run: Path) -> None:
        path = run / "run.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))

    return damage


def lines(change: Callable[[list[bytes]], list[bytes]]) -> Damage:
    """Change the log as it was before lines were sealed: who forges a run can seal it, too."""

    def damage(run: Path) -> None:
        manifest(schema_version=1)(run)
        path = run / "log.jsonl"
        sealed = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(change([unseal(line)[1] + b"\n" for line in sealed])))

    return damage


def events(kind: str, change: Callable[[dict[str, Any]], object]) -> Damage:
    """Change every event of a kind."""

    def changed(line: bytes) -> bytes:
        event = json.loads(line)
        if event["kind"] != kind:
            return line
        change(event)
        text = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "surrogatepass") + b"\n"

    return lines(lambda found: [changed(line) for line in found])


def judged(*path: str | int, to: Any) -> Damage:
    """Change one value of every judged case."""

    def change(event: Any) -> None:
        place = event
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = to

    return events("case_judged", change)


def replaced(name: str, by: Callable[[Path], object]) -> Damage:
    def damage(run: Path) -> None:
        (run / name).unlink()
        by(run / name)

    return damage


ESCAPE = "\x1b]0;x\x07\x1b[31m</script><script>../../x"
DEEP = b'{"kind":"problem_noted","at":' + b"[" * 500_000 + b"\n"
JUDGED = b'{"kind":"case_judged","at":"\xff\xfe","trace":{"case":{"id":"\xff"}}}\n'
CONCLUDED = {
    "oracle": ESCAPE,
    "check": ESCAPE,
    "outcome": "fail",
    "owner": "app",
    "case_ids": [ESCAPE, "nope"] * 3000,
    "reason": ESCAPE * 5000,
    "turns": [{"case_id": ESCAPE, "turn": -5}, {"case_id": "x", "turn": 10**30}],
    "details": {"position": 10**300},
}
SENSEI = {
    "sensei": {"metadata": 5, "talk": [1], "absent": [["metadata"], 3], "more": 5},
    "serial": "../../x",
    "profile": "../../../x",
    "source": f"../../{'9' * 5000}_a_2024-01-01-00-00-00.yml",
    "goals": {"a": 1},
    "conversation": "x",
    "context": 5,
}
ARTIFACTS = [
    {"name": ESCAPE, "media_type": ESCAPE, "path": path}
    for path in ("../../../etc/passwd", "/etc/passwd", "javascript:alert(1)", "a\0b", "z" * 9000)
]

#: What is wrong, and whether the run can still be shown.
DAMAGE: dict[str, tuple[Damage, bool]] = {
    "id with escapes": (manifest(id="../../x\x1b[31m"), True),
    "name with escapes": (manifest(name=ESCAPE), True),
    "begun before time": (manifest(created="0001-01-01T00:00:00+14:00"), False),
    "begun after time": (manifest(created="9999-12-31T23:59:59-14:00"), False),
    "begun nowhere": (manifest(created="2024-01-01T00:00:00"), True),
    "huge seed": (manifest(seed=10**3000), True),
    "suite nowhere": (manifest(suite_path="\0"), True),
    "suite without end": (manifest(suite_path="/dev/zero"), True),
    "suite with a long name": (manifest(suite_path="a" * 5000), True),
    "suite of nonsense": (manifest(suite_path="/nowhere/s.yaml", suite={"a": [1]}), True),
    "newer": (manifest(schema_version=99), False),
    "unknown key": (manifest(extra=1), False),
    "manifest cut": (lambda run: (run / "run.json").write_text('{"id":'), False),
    "manifest empty": (lambda run: (run / "run.json").write_bytes(b""), False),
    "manifest binary": (lambda run: (run / "run.json").write_bytes(bytes(range(256))), False),
    "manifest deep": (lambda run: (run / "run.json").write_text("[" * 100_000), False),
    "manifest without end": (replaced("run.json", lambda p: p.symlink_to("/dev/zero")), False),
    "no log": (lambda run: (run / "log.jsonl").unlink(), False),
    "empty log": (lambda run: (run / "log.jsonl").write_bytes(b""), True),
    "log is a folder": (replaced("log.jsonl", lambda path: path.mkdir()), False),
    "log without end": (replaced("log.jsonl", lambda p: p.symlink_to("/dev/zero")), False),
    "log is a link to itself": (replaced("log.jsonl", lambda p: p.symlink_to(p.name)), False),
    "log is a pipe": (replaced("log.jsonl", lambda path: os.mkfifo(path)), False),
    "log in UTF-16": (lines(lambda all: [b"".join(all).decode().encode("utf-16")]), True),
    "a line of nonsense": (lines(lambda all: [all[0], b"nonsense\n", *all[1:]]), True),
    "a case that is no text": (lines(lambda all: [*all, JUDGED]), False),
    "a case without time": (
        lines(lambda all: [line.replace(b'"at":"2', b'"at":"z') for line in all]),
        False,
    ),
    "cases without zone": (
        lines(lambda all: [line.replace(b'Z","trace"', b'","trace"') for line in all]),
        True,
    ),
    "a deep line": (lines(lambda all: [*all, DEEP]), False),
    "zero bytes": (lines(lambda all: [*all, b"\0" * 1_000_000 + b"\n"]), True),
    "torn": (lines(lambda all: [*all[:-1], all[-1][:20]]), True),
    "everything twice": (lines(lambda all: [*all, *all]), True),
    "a line of 50 MB": (
        judged("trace", "turns", 0, "observation", "text", to="x" * 12_500_000),
        True,
    ),
    "latency no number": (judged("trace", "turns", 0, "latency_s", to="NaN"), True),
    "latency without end": (judged("trace", "turns", 0, "latency_s", to="Infinity"), True),
    "latency of ages": (judged("trace", "turns", 0, "latency_s", to=1e308), True),
    "duration no number": (judged("trace", "duration_s", to="NaN"), True),
    "duration without end": (judged("trace", "duration_s", to="Infinity"), True),
    "started before time": (judged("trace", "started", to="0001-01-01T00:00:00+14:00"), True),
    "started after time": (judged("trace", "started", to="9999-12-31T23:59:59-14:00"), True),
    "case with escapes": (judged("trace", "case", "id", to=ESCAPE), True),
    "case without id": (judged("trace", "case", "id", to=""), True),
    "case with a lone surrogate": (judged("trace", "case", "id", to="\ud800"), False),
    "scenario with escapes": (judged("trace", "case", "scenario", to=f"{ESCAPE}\n.."), True),
    "params with escapes": (judged("trace", "case", "params", to={ESCAPE: ESCAPE}), True),
    "huge param": (judged("trace", "case", "params", to={"x": 10**4000}), True),
    "turns that are not there": (judged("verdicts", 0, "turns", to=CONCLUDED["turns"]), True),
    "huge count": (judged("verdicts", 0, "count", to=10**60), True),
    "meta of nonsense": (judged("trace", "meta", to=SENSEI), True),
    "source with escapes": (judged("trace", "meta", to={"source": f"{ESCAPE}\0"}), True),
    "artifacts elsewhere": (judged("trace", "artifacts", to=ARTIFACTS), True),
    "incident nowhere": (
        judged(
            "trace",
            "incidents",
            to=[
                {"kind": "crash", "message": ESCAPE, "owner": "app", "turn": t}
                for t in (-9, 10**20)
            ],
        ),
        True,
    ),
    "outputs of nonsense": (
        judged(
            "trace", "outputs", to=[{"name": ESCAPE, "value": ["NaN"], "type": "date", "turn": -3}]
        ),
        True,
    ),
    "usage without end": (
        events(
            "run_finished",
            lambda e: e["summary"]["usage"].update(seconds="Infinity", tokens=10**50),
        ),
        True,
    ),
    "code of nonsense": (
        events("run_finished", lambda e: e["summary"].update(exit_code=999, reason=ESCAPE)),
        True,
    ),
    "state of another": (
        events("cases_asked", lambda e: e.update(state={"positions": [10**15]})),
        True,
    ),
    "conditions with escapes": (
        events("run_concluded", lambda e: e.update(verdicts=[CONCLUDED] * 20)),
        True,
    ),
}

COMMANDS = (
    ("show", "RUN"),
    ("show", "RUN", "order", "--all"),
    *(("report", "RUN", "-o", f"x.{ending}") for ending in ("html", "xml", "csv", "jsonl")),
    ("report", "RUN", "--use", "sensei", "-o", "export"),
    ("report", "RUN", "--use", "console"),
    ("check", "RUN", "--rules", "r.yaml"),
    ("check", "RUN"),
    ("run", "--resume", "RUN"),
)


#: What is wrong in a case alone makes no difference to going on, the rest none to tables.
_SHOWN_ONLY = frozenset(
    {
        *("latency", "duration", "started", "scenario", "params", "turns", "meta", "source"),
        *("artifacts", "incident", "outputs", "usage", "code"),
    }
)


#: Like others, or large.
_SLOW = frozenset(
    {
        *(
            "a line of 50 MB",
            "begun after time",
            "begun nowhere",
            "huge seed",
            "newer",
            "unknown key",
        ),
        *("suite with a long name", "manifest empty", "manifest deep", "empty log", "torn"),
        *("log is a link to itself", "zero bytes", "latency no number", "duration no number"),
        *("started after time", "case without id", "huge param", "huge count", "code of nonsense"),
        *("a line of nonsense", "cases without zone", "manifest cut", "log is a folder"),
    }
)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.thorough) if name in _SLOW else name for name in DAMAGE],
)
def test_a_damaged_run_is_told_of_in_a_sentence(
    name: str,
    run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Every command that reads runs; in process, because each is asked many times."""
    damage, shown = DAMAGE[name]
    damage(run)
    monkeypatch.chdir(tmp_path)
    kind = name.split()[0]
    for command in COMMANDS:
        if command[0] == "run" and kind in _SHOWN_ONLY:
            continue
        if command[-1] in ("x.csv", "x.jsonl") and kind not in _SHOWN_ONLY:
            continue
        code = invoke([str(run) if word == "RUN" else word for word in command])
        said = capfd.readouterr()
        assert code in (0, 1, 2, 3, 4, 5), command
        assert not any(c in said.out + said.err for c in "\x1b\x07\x9b"), command
        if command == ("show", "RUN") and not shown:
            assert code == 2
            assert said.err.startswith("sparring: "), command
    written = {path.name for path in tmp_path.iterdir()}
    assert written <= {
        *("suite.yaml", "p.yaml", "r.yaml", "runs", "export", "report.html", "junit.xml"),
        *(f"x.{ending}" for ending in ("html", "xml", "csv", "jsonl")),
    }
    for path in (tmp_path / "export").rglob("*"):
        assert path.resolve().is_relative_to(tmp_path / "export")


@pytest.mark.parametrize(
    "size",
    [0, *(pytest.param(one, marks=pytest.mark.thorough) for one in (2_000, 4_000, 7_000)), 400],
)
def test_a_full_disk_loses_nothing_that_was_judged(
    size: int, run: Path, tmp_path: Path, program: Program
) -> None:
    shutil.rmtree(tmp_path / "runs")
    done = program("run", file_limit=size)
    assert done.code == 7
    assert done.err.startswith("sparring: the ")
    assert "File too large" in done.err
    found = list((tmp_path / "runs").glob("*/run.json"))
    if not found:
        return
    log = found[0].parent / "log.jsonl"
    before = [json.loads(line) for line in log.read_bytes().splitlines()]
    kept = [event["trace"]["case"]["id"] for event in before if event["kind"] == "case_judged"]
    assert program("run", "--resume", "last").code == 3
    after = [json.loads(line) for line in log.read_bytes().splitlines()]
    ids = [event["trace"]["case"]["id"] for event in after if event["kind"] == "case_judged"]
    assert ids[: len(kept)] == kept
    assert len(ids) == len(set(ids)) == 4


def test_a_report_that_does_not_fit_on_the_disk_is_told_of(
    run: Path, tmp_path: Path, program: Program
) -> None:
    shutil.rmtree(tmp_path / "runs")
    done = program("run", file_limit=30_000)
    assert done.code == 3
    assert "report.html cannot be written: File too large" in done.err
    (folder,) = (tmp_path / "runs").iterdir()
    assert not (folder / "report.html").exists()
    assert (folder / "junit.xml").exists()


def test_folders_that_may_not_be_written_are_named(run: Path, here: Program) -> None:
    for runs in ("suite.yaml", "p.yaml/x", "/dev/null/x", "/proc/x", "y" * 300):
        done = here("run", "--runs", runs)
        assert done.code == 2, runs
        assert done.err.startswith("sparring: "), done.err


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes anywhere")
def test_a_folder_that_is_read_only_is_named(run: Path, tmp_path: Path, program: Program) -> None:
    (tmp_path / "runs").chmod(0o555)
    done = program("run")
    assert done.code == 7
    assert "Permission denied" in done.err


@pytest.mark.parametrize(
    "name",
    [
        *("log.jsonl", "results.jsonl", "report.html", "junit.xml", "results.csv"),
        *(".report.html.new", ".junit.xml.new", ".results.csv.new"),
    ],
)
def test_a_link_in_a_foreign_run_lets_nothing_be_written_elsewhere(
    name: str, run: Path, tmp_path: Path, here: Program
) -> None:
    precious = tmp_path / "precious"
    precious.write_text("first line\nlast line without an end")
    before = precious.read_bytes()
    (run / name).unlink(missing_ok=True)
    (run / name).symlink_to(precious)
    here("run", "--resume", str(run))
    for reporter in ("html", "junit", "csv", "jsonl"):
        here("report", str(run), "--use", reporter)
    assert precious.read_bytes() == before

"""Each command through the front door: what it prints, where it writes, how it exits."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from sparring.cli import app
from sparring.store import StoredRun, find_run
from sparring.testing.conversations import stored_run, trace_of, verdict_of

from .conftest import Program
from .test_bad_suites import GOOD

FAKES = "sparring.testing.fakes:"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A suite of fakes in the current folder, whose second case fails."""
    data = yaml.safe_load(GOOD)
    data["agent"] = {"use": f"{FAKES}FakePlayer", "lines": ["hello", "secret \x1b[31mred"]}
    data["strategy"] = {"use": f"{FAKES}FakeStrategy", "params": [{"n": 0}, {"n": 1}]}
    data["oracles"] = [{"use": f"{__name__}:Odd", "name": "odd"}]
    (tmp_path / "suite.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    return tmp_path / "suite.yaml"


def _odd() -> type:
    from sparring.interfaces.oracle import Oracle
    from sparring.interfaces.plugin import PluginConfig
    from sparring.model.talk import Trace
    from sparring.model.verdict import Outcome, Owner, Verdict

    class Odd(Oracle[PluginConfig]):
        async def judge(self, trace: Trace) -> list[Verdict]:
            fails = trace.case.params["n"] == 1
            outcome = Outcome.FAIL if fails else Outcome.PASS
            return [
                Verdict(oracle="x", check="even", outcome=outcome, case_ids=(trace.case.id,),
                        owner=Owner.APP if fails else None, reason="odd \x1b]0;t\x07" if fails else "")
            ]  # fmt: skip

    return Odd


Odd = _odd()


def test_a_run_says_where_it_is_and_exits_by_its_verdicts(program: Program, suite: Path) -> None:
    ran = program("run")
    assert ran.code == 1
    assert "run   runs/good-" in ran.out
    assert program("run", "--exit-zero").code == 0
    assert program("run", suite, "-k", "nothing").code == 5
    assert "nothing was selected" in program("run", "-k", "nothing").err


def test_a_suite_is_found_upwards(
    program: Program, suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = suite.parent / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert program("validate", "--allow-code").code == 0


def test_without_a_suite_the_way_to_one_is_shown(program: Program) -> None:
    ran = program("run")
    assert ran.code == 2
    assert "Make one with 'sparring init'" in ran.err


def test_settings_of_the_command_line_replace_those_of_the_suite(
    program: Program, suite: Path
) -> None:
    program("run", "--set", "app.replies=[pong]", "--set", "seed=7", "--concurrency", "1")
    stored = find_run("last", Path("runs"))
    assert stored.manifest.seed == 7
    first = next(iter(stored.traces()))
    assert first.turns[0].observation is not None
    assert first.turns[0].observation.text == "pong"
    assert "expected key=value" in program("run", "--set", "seed").err
    assert "Did you mean 'seed'" in program("run", "--set", "sede=1").err


def test_budgets_of_the_command_line_hold_and_the_run_can_go_on(
    program: Program, suite: Path
) -> None:
    ran = program("run", "--budget", "cases=1")
    assert ran.code == 4
    ran = program("run", "--resume", "last")
    assert ran.code == 1
    stored = find_run("last", Path("runs"))
    assert len(stored.case_ids) == 2
    assert stored.sessions == 2
    assert program("run", "--max-failures", "1", "--concurrency", "1").code == 1


def test_show_lists_failures_and_shows_a_conversation_without_escapes(
    program: Program, suite: Path
) -> None:
    program("run")
    ran = program("show")
    assert ran.code == 0
    assert "fail" in ran.out
    failing = next(line.split()[1] for line in ran.out.splitlines() if line.startswith("fail"))
    ran = program("show", "last", failing)
    assert "> hello" in ran.out
    assert "fail (app) odd/even: odd" in ran.out
    assert "\x1b" not in ran.out
    assert "\x07" not in ran.out
    ran = program("show", "last", failing[:-1] + "x")
    assert ran.code == 2
    assert f"Did you mean '{failing}'?" in ran.err
    assert program("show", "no-such-run").code == 2


def test_reports_are_made_from_the_log(program: Program, suite: Path, tmp_path: Path) -> None:
    program("run")
    for name in ("again.html", "again.xml", "again.csv", "again.jsonl"):
        ran = program("report", "last", "-o", name)
        assert ran.code == 0, ran.err
        assert (tmp_path / name).stat().st_size > 0
    assert program("report", "last", "--use", "sensei", "-o", "out").code == 0
    assert list((tmp_path / "out").rglob("*.yml"))
    ran = program("report", "last", "-o", "x.doc")
    assert ran.code == 2
    assert "no reporter writes this kind of file" in ran.err
    assert program("report").code == 2


def test_a_report_of_a_run_without_cases_says_that_it_is_empty(
    program: Program, suite: Path, tmp_path: Path
) -> None:
    stored_run(tmp_path / "empty", [])
    ran = program("report", "empty", "-o", "x.xml")
    assert ran.code == 5
    assert "the report is empty: the run has no judged case (exit code 5)" in ran.err
    assert 'name="sparring / run"' in (tmp_path / "x.xml").read_text(encoding="utf-8")


def test_show_says_what_the_exit_code_was(program: Program, suite: Path) -> None:
    program("run", "--exit-zero")
    assert "exit code 1: at least one gating check failed" in program("show").out


def test_a_suite_that_would_judge_nothing_is_valid_with_a_warning(
    program: Program, suite: Path
) -> None:
    ran = program("validate", "--allow-code", "--set", "oracles=[]")
    assert ran.code == 0
    assert "warning: no oracle judges: a run ends with exit code 5, nothing judged" in ran.err
    ran = program("validate", "--allow-code", "--set", "agent.space={scenarios: []}")
    assert "warning: there is no case to play: a run ends with exit code 5" in ran.err
    assert "warning" not in program("validate", "--allow-code").err


def test_a_replay_that_leaves_cases_out_is_not_green(program: Program, suite: Path) -> None:
    judged = ("--set", f"oracles=[{{use: '{FAKES}FakeOracle'}}]")
    program("run", *judged)
    whole = find_run("last", Path("runs"))
    program("run", *judged, "--budget", "cases=1")
    part = next(one for one in Path("runs").iterdir() if one.name != whole.folder.name)
    ran = program("replay", whole.folder)
    assert ran.code == 0, ran.err
    ran = program("replay", whole.folder, "--set", f"strategy.run={part.absolute()}")
    assert ran.code == 3, ran.out + ran.err
    assert "1 cases were not repeated" in ran.err


def test_outputs_beside_the_suites_reporters(program: Program, suite: Path, tmp_path: Path) -> None:
    ran = program("run", "-o", "a.html", "-o", "b.junit.xml", "-o", "csv=c.txt")
    assert ran.code == 1
    for name in ("a.html", "b.junit.xml", "c.txt"):
        assert (tmp_path / name).is_file(), ran.err
        assert f"wrote {name}" in ran.out


def test_the_last_run_is_not_the_last_check(program: Program, suite: Path) -> None:
    program("run", "--budget", "cases=1")
    assert program("check").code == 0
    assert find_run("last", Path("runs")).manifest.kind == "check"
    assert program("run", "--resume", "last").code == 1
    assert len(find_run("last", Path("runs"), played=True).case_ids) == 2


def test_a_stored_run_is_judged_again_without_the_app(program: Program, suite: Path) -> None:
    program("run")
    text = suite.read_text(encoding="utf-8")
    suite.write_text(text.replace(f"{__name__}:Odd", f"{FAKES}FakeOracle"), encoding="utf-8")
    ran = program("check", "last")
    assert ran.code == 0, ran.err
    again = find_run("last", Path("runs"))
    assert again.manifest.name == "good-check"
    assert len(again.case_ids) == 2


def test_plugins_lists_everything_and_says_what_is_broken(program: Program, tmp_path: Path) -> None:
    ran = program("plugins", "--json")
    assert ran.code == 0
    rows = json.loads(ran.out)
    assert {"group", "name", "target", "package", "version", "problem"} == set(rows[0])
    assert any(row["name"] == "rest" for row in rows)


FINE = """
print("sparring.oracles=gone")
from sparring.testing.fakes import FakeOracle
"""


@pytest.mark.thorough
def test_plugins_check_finds_all_that_does_not_import(
    program: Program, install: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = program("plugins", "--check")
    assert ran.code == 0, ran.out
    entries = ("first = fine_one:FakeOracle\ngone = gone_one:FakeOracle\nwrong = fine_one:FINE\n"
               "last = fine_one:FakeOracle\nraises = raises_one:X")  # fmt: skip
    site = install("some-plugins", "sparring.oracles", entries, FINE).parent
    (site / "gone_one.py").write_text("import os\nos._exit(0)\n")
    (site / "raises_one.py").write_text("raise ValueError('no\\nway')\n")
    monkeypatch.setenv("PYTHONPATH", str(site))
    ran = program("plugins", "--check", "--json")
    assert ran.code == 2
    rows = [row for row in json.loads(ran.out) if row["problem"]]
    assert {row["package"] for row in rows} == {"some-plugins"}
    problems = {row["name"]: row["problem"] for row in rows}
    assert problems.keys() == {"gone", "wrong", "raises"}
    assert problems["gone"] == "its import ends the process with code 0"
    assert "does not import: AttributeError" in problems["wrong"]
    assert "does not import: ValueError: no way" in problems["raises"]


def test_the_schema_accepts_a_good_suite_and_knows_every_plugin(
    program: Program, tmp_path: Path
) -> None:
    ran = program("schema")
    assert ran.code == 0
    schema = json.loads(ran.out)
    text = json.dumps(schema)
    for name in ("rest", "echo", "user-simulator", "selectors", "rules", "junit"):
        assert f'"{name}"' in text
    assert "x-sparring-use" not in text
    assert program("schema", "-o", "s.json").code == 0
    assert json.loads((tmp_path / "s.json").read_text()) == schema


def test_every_reference_of_the_schema_leads_somewhere(program: Program) -> None:
    schema = json.loads(program("schema").out)

    def walk(body: object) -> None:
        if isinstance(body, dict):
            if isinstance(body.get("$ref"), str):
                assert body["$ref"].removeprefix("#/$defs/") in schema["$defs"]
            for value in body.values():
                walk(value)
        elif isinstance(body, list):
            for value in body:
                walk(value)

    walk(schema)


@pytest.mark.parametrize("template", ["echo", "rest", "web"])
def test_init_makes_a_suite_that_is_valid(program: Program, template: str, tmp_path: Path) -> None:
    ran = program("init", "new", "--template", template)
    assert ran.code == 0
    assert program("validate", "new").code == 0, program("validate", "new").err
    assert (tmp_path / "new/suite.yaml").read_text().startswith("# yaml-language-server: $schema=")
    again = program("init", "new", "--template", template)
    assert again.code == 2
    assert "--force" in again.err
    assert program("init", "new", "--template", template, "--force").code == 0


def test_the_first_run_needs_nothing(program: Program, tmp_path: Path) -> None:
    program("init")
    ran = program("run")
    assert ran.code == 0, ran.out + ran.err
    assert list(tmp_path.glob("runs/*/report.html"))


def test_a_misspelt_name_in_a_rule_is_told_before_anything_is_played(
    program: Program, tmp_path: Path
) -> None:
    program("init")
    rule = tmp_path / "rules/echoes_the_drink.yaml"
    rule.write_text(rule.read_text().replace("any(drink in", "any(drnik in"))
    for ran in (program("validate", "--allow-code"), program("lint"), program("run")):
        assert ran.code == 2
        assert "valid\n" not in ran.out
        assert "[1/" not in ran.out
        assert (
            "rules/echoes_the_drink.yaml:5: then: no scenario has `drnik`. Did you mean 'drink'?"
            in ran.err
        )
    assert not (tmp_path / "runs").exists()


def test_a_misspelt_objective_is_told_before_anything_is_played(
    program: Program, tmp_path: Path
) -> None:
    settings = ["--set", "oracles=[generic-failures]", "--set"]
    program("init")
    ran = program("validate", *settings, "strategy={use: nsga2, objectives: [timout, outcome]}")
    assert ran.code == 0
    assert "suite.yaml:" in ran.err
    assert "strategy.objectives: no oracle tells of the objective 'timout'" in ran.err
    assert "Did you mean 'timeout'?" in ran.err
    assert "'outcome'" not in ran.err
    good = program("validate", *settings, "strategy={use: nsga2, objectives: [timeout]}")
    assert "objective" not in good.err


def test_an_unknown_template_is_answered_with_the_nearest(program: Program) -> None:
    assert "Did you mean 'echo'?" in program("init", "x", "--template", "ecko").err


@pytest.mark.thorough
def test_doctor_names_what_is_bad(program: Program, suite: Path) -> None:
    assert program("doctor", "--offline").code == 0
    ran = program("doctor")
    assert ran.code == 0
    assert "is there" in ran.out
    suite.write_text(suite.read_text().replace("FakeConnector", "FakeConector"))
    ran = program("doctor")
    assert ran.code == 2
    assert "bad   suite" in ran.out


def test_doctor_imports_the_plugins_of_other_packages(
    program: Program, install: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = "fine = fine_two:FakeOracle\ngone = fine_two:Gone\nraises = raises_two:X"
    site = install("more-plugins", "sparring.oracles", entries, FINE).parent
    (site / "raises_two.py").write_text("raise ValueError('no\\nway')\n")
    monkeypatch.setenv("PYTHONPATH", str(site))
    ran = program("doctor", "--offline")
    assert ran.code == 2
    bad = [line for line in ran.out.splitlines() if line.startswith("bad")]
    assert len(bad) == 2, bad
    assert "sparring.oracles gone:" in bad[0]
    assert "AttributeError" in bad[0]
    assert "sparring.oracles raises:" in bad[1]
    assert "ValueError: no way (more-plugins, raises_two:X)" in bad[1]


def test_an_unknown_command_is_answered_with_the_nearest(program: Program) -> None:
    ran = program("chekc")
    assert ran.code == 2
    assert "Did you mean 'check'?" in ran.err
    assert program("run", "--no-such-option").code == 2


def test_a_run_of_somebody_elses_is_shown_by_folder(program: Program, tmp_path: Path) -> None:
    trace = trace_of([("hi", "ho")])
    stored_run(tmp_path / "elsewhere", [trace], lambda t: [verdict_of(t, "fail", reason="no")])
    assert "no" in program("show", tmp_path / "elsewhere", trace.case.id).out


def _start(folder: Path, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "sparring", *arguments], cwd=folder, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
    )  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_keeps_what_is_finished(tmp_path: Path, number: signal.Signals) -> None:
    data = yaml.safe_load(GOOD)
    data["app"] = {"use": f"{FAKES}FakeConnector", "delay_s": 0.05}
    data["strategy"] = {"use": f"{FAKES}FakeStrategy", "params": [{"n": n} for n in range(200)]}
    data["reporters"] = ["junit"]
    data["concurrency"] = 4
    (tmp_path / "suite.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    process = _start(tmp_path, "run")
    deadline = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < deadline:
        folder = (
            next(iter((tmp_path / "runs").glob("*")), None)
            if (tmp_path / "runs").exists()
            else None
        )
        if folder and (folder / "log.jsonl").exists() and len(StoredRun(folder).case_ids) >= 6:
            break
        time.sleep(0.01)
    process.send_signal(number)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    (folder,) = (tmp_path / "runs").iterdir()
    stored = StoredRun(folder)
    assert 6 <= len(stored.case_ids) < 200
    assert stored.summary is not None
    assert stored.summary.exit_code == 130
    assert (folder / "junit.xml").is_file(), out


def test_a_closed_pipe_ends_the_program_quietly(tmp_path: Path) -> None:
    with _start(tmp_path, "schema") as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()


@pytest.mark.parametrize(("given", "found"), [(None, "1"), ("4", "4")])
def test_the_program_multiplies_in_one_thread_unless_told_otherwise(
    given: str | None, found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "invoke", lambda args: 0)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", given or "")
    if given is None:
        monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    with pytest.raises(SystemExit):
        app.main([])
    assert os.environ["OPENBLAS_NUM_THREADS"] == found

"""A run that was killed at any moment ends as if nothing had happened."""

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.recorded import cut_and_resumed

from sparring.cli.app import invoke
from sparring.engine.conduct import RunOptions, conduct
from sparring.engine.session import RunResult
from sparring.errors import ConfigurationError
from sparring.model.events import CaseJudged, CaseStarted
from sparring.model.verdict import Verdict
from sparring.store import StoredRun
from sparring.suite.reading import load_suite

from .conftest import FAKES, fake_suite

CASES = 24
Play = Callable[..., RunResult]
STRATEGIES = ["FakeStrategy", "FakeBatchStrategy", "FakeSteadyStrategy"]


def suite_of(strategy: str, **changes: Any) -> dict[str, Any]:
    params = [{"n": n} for n in range(CASES)]
    return fake_suite(
        strategy={"use": f"{FAKES}{strategy}", "params": params},
        app={"use": f"{FAKES}FakeConnector", "raises": {1: "crash"}},
        concurrency=4,
        **changes,
    )


def judged_in(folder: Path) -> dict[str, tuple[Verdict, ...]]:
    """The verdicts of a finished run, after checking that each case was judged once."""
    stored = StoredRun(folder)
    lines = [event for event in stored.events() if isinstance(event, CaseJudged)]
    ids = [event.trace.case.id for event in lines]
    assert len(ids) == len(set(ids)), "a case was counted twice"
    return {event.trace.case.id: event.verdicts for event in lines}


@pytest.fixture(scope="module", params=STRATEGIES)
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an undisturbed run, beside its suite."""
    base = tmp_path_factory.mktemp(request.param)
    path = base / "suite.yaml"
    path.write_text(yaml.safe_dump(suite_of(request.param)), encoding="utf-8")
    done = conduct(load_suite(path), RunOptions())
    assert done.folder
    return done.folder


@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(share=st.floats(0, 1))
def test_a_log_cut_at_any_byte_is_completed_to_the_same_verdicts(whole: Path, share: float) -> None:
    folder, done = cut_and_resumed(whole, share)
    assert judged_in(folder) == judged_in(whole)
    assert done.summary.cases == StoredRun(whole).summary.cases  # type: ignore[union-attr]
    assert done.summary.usage.turns == 2 * CASES
    assert StoredRun(folder).case_ids == StoredRun(whole).case_ids
    for line in (folder / "log.jsonl").read_text(encoding="utf-8").splitlines():
        json.loads(line)


def test_only_what_was_not_judged_is_played_again(play: Play) -> None:
    first = play(cases=10, budget={"cases": 4})
    assert first.folder
    assert first.summary.exit_code == 4
    kept = judged_in(first.folder)
    second = play(cases=10, resume=first.folder)
    assert second.summary.exit_code == 0
    started = [e.case.id for e in StoredRun(first.folder).events() if isinstance(e, CaseStarted)]
    assert len(started) == 10
    assert kept.items() <= judged_in(first.folder).items()


def test_a_finished_run_taken_up_again_plays_nothing(play: Play) -> None:
    first = play(cases=3)
    assert first.folder
    again = play(cases=3, resume=first.folder)
    assert again.summary.cases == first.summary.cases
    assert len(judged_in(first.folder)) == 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": 5}, r"the suite's seed changed since the run fakes-.* began"),
        ({"oracles": []}, "the suite's oracles changed"),
        ({"agent": {"use": f"{FAKES}FakePlayer"}}, "the suite's agent changed"),
    ],
)
def test_another_suite_does_not_go_on_with_a_run(
    play: Play, changes: dict[str, Any], message: str
) -> None:
    first = play(cases=3, seed=1)
    with pytest.raises(ConfigurationError, match=message):
        play(cases=3, resume=first.folder, **{"seed": 1, **changes})


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX's")
@pytest.mark.parametrize("moments", [5, pytest.param(10, marks=pytest.mark.thorough)])
def test_killed_at_many_moments_nothing_is_lost_and_nothing_counted_twice(
    whole: Path, tmp_path: Path, moments: int
) -> None:
    """Kills the real program when its log has grown by a random number of bytes."""
    if "Steady" in str(whole):
        pytest.skip("covered by cutting; the kill needs one strategy of each kind only")
    suite = tmp_path / "suite.yaml"
    shutil.copy(whole.parent.parent / "suite.yaml", suite)
    random = Random(7)
    program = [sys.executable, "-m", "sparring", "run", str(suite), "--runs", str(tmp_path / "r"),
               "--set", f"app.use={FAKES}FakeConnector", "--set", "app.delay_s=0.01"]  # fmt: skip
    whole_size = (whole / "log.jsonl").stat().st_size
    kills = 0
    while kills < moments:
        log = next(iter((tmp_path / "r").glob("*/log.jsonl")), None)
        before = log.stat().st_size if log else 0
        process = subprocess.Popen(program, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        target = before + random.randint(1, whole_size // 8)
        died = _kill_when_grown(process, tmp_path / "r", target)
        if log is None:
            program += ["--resume", "last"]
        kills += died
        if not died:
            break
    assert kills >= moments // 2
    subprocess.run(program, check=False, capture_output=True, timeout=60)
    (folder,) = (tmp_path / "r").iterdir()
    assert judged_in(folder) == judged_in(whole)


def _kill_when_grown(process: "subprocess.Popen[bytes]", runs: Path, size: int) -> bool:
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        log = next(iter(runs.glob("*/log.jsonl")), None)
        if log and log.stat().st_size >= size:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            return True
        time.sleep(0.001)
    _, err = process.communicate()
    assert process.returncode in (0, 3), err.decode()
    return False


def test_what_the_command_line_set_is_kept(tmp_path: Path) -> None:
    (tmp_path / "suite.yaml").write_text(yaml.safe_dump(suite_of("FakeStrategy")), "utf-8")
    suite, runs = str(tmp_path / "suite.yaml"), str(tmp_path / "runs")
    told = ["--seed", "7", "--budget", "cases=3", "--set", "agent.lines=[hello, good evening]"]
    assert invoke(["run", suite, "--runs", runs, *told]) == 4
    assert invoke(["run", "--resume", "last", "--runs", runs]) in (0, 1, 3), "but its budget"
    (folder,) = (tmp_path / "runs").iterdir()
    stored = StoredRun(folder)
    assert len(stored.case_ids) == CASES
    assert stored.manifest.seed == 7
    said = {turn.act.text for one in stored.judged() for turn in one.trace.turns}  # type: ignore[union-attr]
    assert said == {"hello", "good evening"}


def test_how_models_are_paid_for_may_change(tmp_path: Path) -> None:
    llm = {"use": f"{FAKES}FakeLLM", "model": "m"}
    path = tmp_path / "suite.yaml"
    path.write_text(yaml.safe_dump(suite_of("FakeStrategy", llm=llm)), "utf-8")
    runs = str(tmp_path / "runs")
    assert invoke(["run", str(path), "--runs", runs, "--budget", "cases=2"]) == 4
    price = "llm.prices={m: {input: 1, output: 1}}"
    again = ["run", "--resume", "last", "--runs", runs, "--budget", "cases=4"]
    assert invoke([*again, "--set", price, "--set", "llm.concurrency=3"]) == 4
    assert invoke([*again, "--set", "llm.temperature=1"]) == 2


def shown(done: RunResult, capfd: pytest.CaptureFixture[str]) -> str:
    """What the console and ``show`` say of a run."""
    invoke(["show", str(done.folder)])
    return capfd.readouterr().out


def test_what_the_environment_broke_is_played_again(play: Play) -> None:
    down = {"use": f"{FAKES}FakeConnector", "fails_to_open": "unreachable"}
    lost = play(cases=6, app=down, concurrency=2)
    assert lost.folder
    assert lost.summary.exit_code == 3
    stored = StoredRun(lost.folder)
    log = (lost.folder / "log.jsonl").read_bytes()
    assert play(cases=6, app=down, resume=lost.folder).summary.cases == lost.summary.cases
    (lost.folder / "log.jsonl").write_bytes(log)
    manifest = lost.folder / "run.json"
    manifest.write_text(manifest.read_text("utf-8").replace('"unreachable"', "null"), "utf-8")
    up = {"use": f"{FAKES}FakeConnector", "fails_to_open": None}
    done = play(cases=6, app=up, resume=lost.folder, retry_errors=True)
    assert done.summary.exit_code == 0
    assert done.summary.cases == {"pass": 6}
    assert done.summary.usage.turns == 12
    again = StoredRun(lost.folder)
    assert again.case_ids == stored.case_ids
    assert all(one.trace.turns for one in again.judged())
    judged_in(lost.folder)
    assert play(cases=6, app=up, resume=lost.folder, retry_errors=True).summary.usage.turns == 12


def test_a_strategy_that_has_learnt_from_errors_cannot_play_them_again(
    play: Play, capfd: pytest.CaptureFixture[str]
) -> None:
    down = {"use": f"{FAKES}FakeConnector", "fails_to_open": "unreachable"}
    learning = {"use": f"{FAKES}FakeSteadyStrategy", "params": [{"n": 1}]}
    lost = play(app=down, strategy=learning, reporters=["console"])
    assert "--retry-errors" not in shown(lost, capfd)
    other = play(app=down, reporters=["console"])
    assert shown(other, capfd).count("--retry-errors") == 2, "it is offered where it helps"
    with pytest.raises(ConfigurationError, match="its strategy has learnt from them"):
        play(app=down, strategy=learning, resume=lost.folder, retry_errors=True)

"""A run in parts, and the parts as one run."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tests.core.engine.conftest import fake_suite

from sparring.cli.app import invoke
from sparring.engine.exit_codes import FAILED, USAGE
from sparring.errors import ConfigurationError
from sparring.store import StoredRun, find_run
from sparring_plugins.execution.shards import Shard


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(Path(__file__).parent / "parts.py", tmp_path / "shard_parts.py")
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / "suite.yaml"
    changes: dict[str, Any] = {
        "app": {"use": "shard_parts:App", "crash": 4},
        "agent": {"use": "shard_parts:Painter", "lines": ["hello", "bye"]},
        "oracles": [{"use": "shard_parts:Odd"}],
        "reporters": [{"use": "junit"}],
    }
    path.write_text(yaml.safe_dump(fake_suite(10, **changes)), encoding="utf-8")
    return path


def view(run: StoredRun) -> Any:
    cases = [
        (judged.trace.case.id, [turn.observation for turn in judged.trace.turns], judged.verdicts)
        for judged in run.judged()
    ]
    assert run.summary
    return cases, run.concluded, run.summary.outcomes, run.summary.cases, run.summary.exit_code


def run_of(path: Path, *arguments: str) -> tuple[int, StoredRun]:
    runs = path.parent / "-".join(("runs", *arguments)).replace("/", "of")
    code = invoke(["run", str(path), "--runs", str(runs), *arguments])
    return code, find_run("last", runs)


@pytest.mark.parametrize("budget", [(), ("--budget", "cases=7")], ids=["all", "budget"])
@pytest.mark.parametrize("count", [1, 3, 10])
def test_merged_shards_are_the_whole_run(suite: Path, budget: tuple[str, ...], count: int) -> None:
    if count == 10 and budget:
        pytest.skip("three shards would have no case")
    code, whole = run_of(suite, *budget)
    shards = [run_of(suite, "--shard", f"{k}/{count}", *budget)[1] for k in range(1, count + 1)]
    if count == 1:
        assert view(shards[0]) == view(whole)
        return
    assert all(run.concluded == () for run in shards)
    merged = suite.parent / "merged"
    folders = [str(run.folder) for run in reversed(shards)]
    assert invoke(["merge", *folders, "--runs", str(merged)]) == code
    assert code == FAILED
    joined = find_run("last", merged)
    assert view(joined) == view(whole)
    assert (joined.folder / "junit.xml").is_file()
    for judged in joined.judged():
        for artifact in judged.trace.artifacts:
            assert (joined.folder / str(artifact.path)).is_file()
    assert joined.unjudged == 0


def test_an_interrupted_shard_is_resumed(suite: Path) -> None:
    _, whole = run_of(suite)
    shards = [run_of(suite, "--shard", f"{k}/3")[1] for k in (1, 2)]
    _, last = run_of(suite, "--shard", "3/3", "--set", "concurrency=1", "--budget", "turns=1")
    assert last.unjudged or len(last.case_ids) < 3
    resume = ["--resume", str(last.folder), "--set", "concurrency=1"]
    assert invoke(["run", str(suite), *resume]) == FAILED
    merged = suite.parent / "merged"
    folders = [str(run.folder) for run in (*shards, last)]
    invoke(["merge", *folders, "--runs", str(merged)])
    assert view(find_run("last", merged))[:3] == view(whole)[:3]


@pytest.mark.parametrize("shard", ["5/4", "0/3", "x", "1/0", "-1/3", "1.5/3"])
def test_a_wrong_shard_is_refused(
    shard: str, suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["run", str(suite), "--shard", shard]) == USAGE
    assert "--shard" in capsys.readouterr().err
    assert not (suite.parent / "runs").exists()


def test_a_strategy_that_learns_has_no_shards(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    climbs = ["--set", "strategy=shard_parts:Climber"]
    assert invoke(["run", str(suite), "--shard", "1/2", *climbs]) == USAGE
    assert "learns" in capsys.readouterr().err
    assert not (suite.parent / "runs").exists()


def test_what_does_not_belong_together_is_not_merged(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, whole = run_of(suite)
    _, first = run_of(suite, "--shard", "1/2")
    _, second = run_of(suite, "--shard", "2/2")
    _, third = run_of(suite, "--shard", "2/3")
    _, seeded = run_of(suite, "--shard", "2/2", "--seed", "9")
    _, other = run_of(suite, "--shard", "2/2", "--set", "app.word=other")
    wrong = {
        "not a shard": [whole],
        "both the shard": [first, first],
        "missing: 2/2": [first],
        "different numbers": [first, third],
        "suite's seed differs": [first, seeded],
        "suite's app differs": [first, other],
    }
    for message, runs in wrong.items():
        assert invoke(["merge", *(str(run.folder) for run in runs)]) == USAGE
        assert message in capsys.readouterr().err
    assert invoke(["merge", str(first.folder), str(second.folder)]) == 1


@given(cases=st.integers(0, 200), count=st.integers(1, 30))
def test_shares_add_up(cases: int, count: int) -> None:
    shares = [Shard(number, count).share(cases) for number in range(1, count + 1)]
    assert sum(shares) == cases
    assert max(shares) - min(shares) <= 1


def test_a_shard_is_written_as_it_is_read() -> None:
    assert str(Shard.of("3/16")) == "3/16"
    assert str(Shard.of("")) == ""
    with pytest.raises(ConfigurationError, match="from 1 to 4"):
        Shard.of("5/4")

"""Commands that do more than play cases once: workers do it with the same results."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.cli.test_mutate import BOT, DEFINITION, PLAN, PROFILE, RULE, SUITE
from tests.core.engine.conftest import Play, fake_suite
from tests.search_shop import write_shop

from sparring.cli.app import invoke
from sparring.errors import ConfigurationError
from sparring.store import StoredRun
from sparring.suite.model import ExecutionUse
from sparring_plugins.execution import workers
from sparring_plugins.execution.options import execution_changes, execution_use, load_executed

from .conftest import Cluster

ROOT = Path(__file__).parents[3]

On = Callable[[Cluster], list[str]]


@pytest.fixture(autouse=True)
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parts lie beside the suite; each case of these tests really goes to workers."""
    shutil.copy(Path(__file__).parent / "parts.py", tmp_path / "heavy_parts.py")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What workers were asked to do."""
    noted: list[str] = []
    call = workers.Workers.call

    async def note(self: workers.Workers, function: Any, payload: bytes) -> Any:
        noted.append(function.__name__)
        return await call(self, function, payload)

    monkeypatch.setattr(workers.Workers, "call", note)
    return noted


def heavy_suite(**more: Any) -> dict[str, Any]:
    return {
        "app": {"use": "heavy_parts:App", "crash": 2},
        "agent": {"use": "heavy_parts:Painter", "lines": ["hello", "bye"]},
        "oracles": [{"use": "heavy_parts:Odd"}, "generic-failures"],
        **more,
    }


def on(cluster: Cluster) -> list[str]:
    return ["--executor", cluster.address]


def runs_of(folder: Path) -> list[Path]:
    return sorted(path.parent for path in folder.glob("*/run.json"))


def test_check_gives_the_same_verdicts(
    play: Play, cluster: Cluster, tmp_path: Path, calls: list[str]
) -> None:
    run = play(cases=9, **heavy_suite()).folder
    assert run
    codes = [
        invoke(["check", str(run), "--runs", where, *options])
        for where, options in (("here", []), ("there", on(cluster)))
    ]
    assert codes == [1, 1]
    (here,), (there,) = runs_of(Path("here")), runs_of(Path("there"))
    one, other = StoredRun(here), StoredRun(there)
    assert one.case_ids == other.case_ids
    assert [case.verdicts for case in one.judged()] == [case.verdicts for case in other.judged()]
    assert one.concluded == other.concluded
    assert one.summary
    assert other.summary
    assert one.summary.gating == other.summary.gating
    assert calls == ["judge_conversation"] * 9


def test_models_of_a_check_are_asked_by_the_command(
    play: Play, cluster: Cluster, capfd: pytest.CaptureFixture[str]
) -> None:
    llm = {"use": "sparring.testing:FakeLLM", "answers": {"*": "fine"}}
    run = play(cases=3, **heavy_suite(oracles=[{"use": "heavy_parts:Asking"}], llm=llm)).folder
    assert run
    assert invoke(["check", str(run), "--runs", "there", *on(cluster)]) == 3  # one case crashed
    (there,) = runs_of(Path("there"))
    summary = StoredRun(there).summary
    assert summary
    assert summary.usage.models.calls + summary.usage.models.reused == 3


def confirmations(run: Path) -> list[dict[str, Any]]:
    """What became of the faults, without times."""
    found = [each.model_dump(mode="json") for each in StoredRun(run).confirmations()]
    for each in found:
        for turn in (each["trace"] or {}).get("turns", ()):
            turn["started_s"] = turn["latency_s"] = 0
        if each["trace"]:
            each["trace"] = [(turn["act"], turn["observation"]) for turn in each["trace"]["turns"]]
    return found


def test_confirm_finds_the_same(
    play: Play, cluster: Cluster, tmp_path: Path, calls: list[str]
) -> None:
    run = play(cases=6, **heavy_suite()).folder
    assert run
    other = run.with_name(f"{run.name}-b")
    shutil.copytree(run, other)
    assert invoke(["confirm", str(run)]) == 1
    assert invoke(["confirm", str(other), *on(cluster)]) == 1
    assert len(confirmations(run)) > 1
    assert confirmations(run) == confirmations(other)
    assert set(calls) == {"confirm_suspect"}


def test_a_run_confirms_with_the_workers_that_played_it(
    play: Play, cluster: Cluster, calls: list[str]
) -> None:
    execution = {"use": "dask", "address": cluster.address}
    there = play(cases=4, **heavy_suite(confirm=True, execution=execution)).folder
    here = play(cases=4, **heavy_suite(confirm=True)).folder
    assert there
    assert here
    assert set(calls) == {"confirm_suspect"}
    assert confirmations(there) == confirmations(here) != []


def calibration(where: str) -> dict[str, Any]:
    (file,) = Path(where).glob("*/calibration.json")
    data = json.loads(file.read_text())
    judges = [
        {key: value for key, value in judge.items() if key not in ("per_answer", "seconds")}
        for judge in data["judges"]
    ]
    return {**{key: data[key] for key in ("agreements", "labels", "exit_code")}, "judges": judges}


@pytest.mark.thorough  # the other commands go the same way to workers
def test_calibrate_measures_the_same(cluster: Cluster, tmp_path: Path, calls: list[str]) -> None:
    shutil.copytree(ROOT / "examples" / "calibration", tmp_path / "c")
    file = str(tmp_path / "c" / "rehearsal.yaml")
    codes = [
        invoke(["calibrate", file, "--runs", where, *options])
        for where, options in (("here", []), ("there", on(cluster)))
    ]
    assert codes[0] == codes[1]
    assert calibration("here") == calibration("there")
    assert set(calls) == {"ask_in_worker"}


def write_bot(folder: Path) -> None:
    (folder / "bot.py").write_text(BOT, encoding="utf-8")
    for name, data in {
        "bot.yaml": DEFINITION,
        "suite.yaml": {**SUITE, "app": {**SUITE["app"], "timeout": {"turn_s": 10}}},
        "profiles/asks.yml": PROFILE,
        "rules/price.yaml": RULE,
        "mutation.yaml": PLAN,
    }.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")


@pytest.mark.thorough
def test_mutate_gives_mutants_the_same_fates(
    cluster: Cluster, tmp_path: Path, calls: list[str]
) -> None:
    write_bot(tmp_path)
    runs: list[tuple[str, list[str]]] = [("here", []), ("there", on(cluster))]
    for where, options in runs:
        assert invoke(["mutate", "--limit", "4", "--runs", where, *options]) == 0
    here, there = (
        json.loads(next(Path(where).glob("*/report.json")).read_text()) for where, _ in runs
    )
    bare = [
        sorted(
            (result["id"], result["fate"], [killer["check"] for killer in result["killers"]])
            for result in run["results"]
        )
        for run in (here, there)
    ]
    assert bare[0] == bare[1]
    assert {fate for _, fate, _ in bare[0]} >= {"killed", "live"}
    assert calls == ["play_in_worker"] * 4


@pytest.mark.thorough
def test_study_plays_the_same_runs(cluster: Cluster, tmp_path: Path, calls: list[str]) -> None:
    write_shop(tmp_path)
    study = {
        "name": "two",
        "strategies": ["random"],
        "seeds": "1-2",
        "budget": {"cases": 8},
        "repetitions": 1,
        "likeness": "words",
    }
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(study))
    for where, options in (("here", []), ("there", on(cluster))):
        assert invoke(["study", "--results", where, *options]) == 0
    assert calls == ["play_in_worker"] * 2
    for seed in (1, 2):
        runs = [next(Path(w).glob(f"two/cells/*/*/seed-{seed}/runs/*")) for w in ("here", "there")]
        one, other = (
            [(case.trace.case.id, case.verdicts) for case in StoredRun(run).judged()]
            for run in runs
        )
        assert one == other


WRONG = {
    "check": ["check", "RUN"],
    "confirm": ["confirm", "RUN"],
    "calibrate": ["calibrate", "c/rehearsal.yaml"],
    "mutate": ["mutate"],
    "study": ["study"],
}


@pytest.mark.parametrize("name", WRONG)
def test_bad_executors_are_refused(
    name: str, play: Play, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if name == "study":
        write_shop(tmp_path)
        study = {"name": "x", "strategies": ["random"], "seeds": "1", "budget": {"cases": 1}}
        (tmp_path / "study.yaml").write_text(yaml.safe_dump(study))
    if name == "mutate":
        write_bot(tmp_path)
    if name == "calibrate":
        shutil.copytree(ROOT / "examples" / "calibration", tmp_path / "c")
    arguments = list(WRONG[name])
    if "RUN" in arguments:
        arguments[1] = str(play(cases=3, **heavy_suite()).folder)
    capfd.readouterr()
    assert invoke([*arguments, "--workers", "0"]) == 2
    assert "--workers" in capfd.readouterr().err
    assert invoke([*arguments, "--executor", "proceses"]) == 2
    assert "processes" in capfd.readouterr().err


def test_an_address_stands_for_a_cluster() -> None:
    use = execution_use("tls://10.0.0.5:8786", 3)
    assert (use.use, use.settings, use.workers) == ("dask", {"address": "tls://10.0.0.5:8786"}, 3)
    assert execution_use(None, 3).use == "processes"
    assert execution_use("processes", None, use).workers == 3


def test_another_executor_gets_no_address(tmp_path: Path) -> None:
    dask = {"use": "dask", "address": "tcp://10.0.0.5:8786", "workers": 3, "limits": {"a": 2}}
    suite = tmp_path / "suite.yaml"
    suite.write_text(yaml.safe_dump({**fake_suite(1), "execution": dask}))
    written = ExecutionUse.model_validate(dask)
    for executor, count in (("local", None), ("processes", 3), ("dask", 3)):
        expected = {"address": dask["address"]} if executor == "dask" else {}
        loaded = load_executed(suite, execution_changes(executor, None)).suite.execution
        for use in (loaded, execution_use(executor, None, written)):
            assert (use.use, use.workers, use.limits) == (executor, count, {"a": 2})
            assert use.settings == expected
    moved = load_executed(tmp_path, execution_changes("tcp://b:1", None)).suite.execution
    assert moved.settings == {"address": "tcp://b:1"}


def test_a_run_on_a_cluster_is_resumed_here(cluster: Cluster, tmp_path: Path) -> None:
    suite = {**fake_suite(4), "runs": "runs"}
    (tmp_path / "suite.yaml").write_text(yaml.safe_dump(suite))
    assert invoke(["run", "--budget", "cases=2", *on(cluster)]) == 4
    assert invoke(["run", "--resume", "last", "--executor", "local"]) == 0
    (run,) = runs_of(Path("runs"))
    assert len(list(StoredRun(run).judged())) == 4


def test_files_of_a_command_are_those_of_its_folder(tmp_path: Path) -> None:
    from sparring_plugins.execution.remote_work import bundle_of_files, common_folder

    for name in ("a/suite.yaml", "b/part.py", "c.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(name)
    (tmp_path / "heavy_parts.py").unlink()
    base = common_folder([tmp_path / "a", tmp_path / "b"])
    bundle = bundle_of_files(base, [tmp_path / "a" / "suite.yaml"])
    assert base == tmp_path
    assert sorted(bundle.contents) == ["a/suite.yaml", "b/part.py"]
    with pytest.raises(ConfigurationError, match="cannot be sent"):
        bundle_of_files(base, [tmp_path / "gone"])

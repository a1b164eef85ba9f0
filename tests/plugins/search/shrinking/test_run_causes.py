"""The root causes of a stored run, told from its cases, and what the command prints."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.search_shop import write_shop

from sparring.cli.app import invoke
from sparring.engine.conduct import RunOptions, conduct
from sparring.store import StoredRun
from sparring.suite.reading import load_suite
from sparring_plugins.search.shrinking.run_causes import RunCauses, Share, causes_of_run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoredRun]:
    """All cases of the shop, played."""
    folder = tmp_path_factory.mktemp("shop")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        done = conduct(load_suite(write_shop(folder)), RunOptions())
        assert done.folder is not None
        yield StoredRun(done.folder)


@pytest.fixture(scope="module")
def found(run: StoredRun) -> RunCauses:
    return causes_of_run("shop", run.judged())


def test_each_planted_fault_is_one_line(found: RunCauses) -> None:
    lines = {cause.kinds: cause for cause in found.causes}
    assert len(lines) == len(found.causes) == 3
    assert (found.failures, found.unexplained) == (82, ())
    number = lines[("number lost",)]
    assert (number.values, number.words) == ({"cups": "four"}, ())
    tea = lines[("tea refused",)]
    assert tea.values == {"item": "tea", "mood": "rude"}
    size = lines[("size lost",)]
    assert size.values == {"noise": "fillers", "size": "large"}
    assert size.condition == "noise is fillers and size is large"


def test_shares_inside_and_outside_have_intervals(found: RunCauses) -> None:
    for cause in found.causes:
        assert cause.inside.failed == cause.inside.cases > 0
        assert cause.outside.failed == 0
        assert 0 <= cause.inside.low < cause.inside.high == 1
        assert cause.example in cause.case_ids
    assert Share.of(18, 20).text == "18 of 20 (70% to 97%)"
    assert Share.of(0, 0).text == "0 of 0 (0% to 100%)"


def test_a_run_that_shows_each_cause_often_misses_none(found: RunCauses) -> None:
    assert (found.missing, found.unseen) == (0, 0)


def test_a_single_failure_stays_unexplained(run: StoredRun) -> None:
    judged = list(run.judged())
    failed = next(case for case in judged if case.verdicts[0].outcome == "fail")
    passed = [case for case in judged if case.verdicts[0].outcome == "pass"]
    few = causes_of_run("few", [failed, *passed])
    assert few.causes == ()
    assert few.unexplained == (failed.trace.case.id,)
    assert few.unseen == 1


def test_the_command_tells_them(run: StoredRun, capfd: pytest.CaptureFixture[str]) -> None:
    assert invoke(["causes", str(run.folder)]) == 0
    out = capfd.readouterr().out
    assert "fails if cups is four: number lost" in out
    assert "3 root causes of 82 failed cases among 162, 82 of them explained" in out
    assert invoke(["causes", str(run.folder), "--json"]) == 0
    assert len(json.loads(capfd.readouterr().out)["causes"]) == 3


def test_a_run_without_failures_has_no_causes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    path = write_shop(tmp_path, oracles=["generic-failures"], budget={"cases": 3})
    done = conduct(load_suite(path), RunOptions())
    assert invoke(["causes", str(done.folder)]) == 5
    assert "no case of the run failed" in capfd.readouterr().err

"""``sparring check`` decides by repeats and the baseline, as the run did that it judges again."""

from pathlib import Path
from typing import Any

import pytest

from sparring.cli.app import invoke
from sparring.engine.exit_codes import ERRORS, FAILED, PASSED, meaning
from sparring.errors import Problem
from sparring.store import find_run
from sparring.suite.reading import load_suite
from sparring_plugins.gating.gate import gate
from sparring_plugins.gating.gate_result import GateResult, gate_of
from sparring_plugins.judging.recheck import CheckOptions, check

from .conftest import WriteSuite


def gate_of_last() -> GateResult | None:
    summary = find_run("last", Path("runs")).summary
    assert summary
    return gate_of(summary)


@pytest.mark.parametrize("flaky", ["warn", "fail"])
@pytest.mark.parametrize("how", [12, {"until": "±20 %", "most": 30}])
def test_repeats_decide_as_in_the_run(unsteady: WriteSuite, flaky: str, how: Any) -> None:
    suite = unsteady({2: 0.1}, repeats=how, gate={"flaky": flaky})
    code = invoke(["run", str(suite)])
    played = gate_of_last()
    assert played
    assert played.rates
    assert invoke(["check", "last"]) == code == (FAILED if flaky == "fail" else PASSED)
    assert gate_of_last() == played


def test_repeats_of_the_command_line_decide_too(unsteady: WriteSuite) -> None:
    suite = unsteady({2: 0.1})
    assert invoke(["run", str(suite), "--repeats", "12"]) == PASSED
    assert invoke(["check", "last"]) == PASSED
    result = gate_of_last()
    assert result
    assert result.headline == "3 cases in 36 plays: 1 flaky, 2 passed"


def test_what_the_baseline_accepts_is_no_failure(
    unsteady: WriteSuite, capfd: pytest.CaptureFixture[str]
) -> None:
    suite = unsteady({1: 1.0})
    assert invoke(["run", str(suite)]) == FAILED
    assert invoke(["check", "last"]) == FAILED
    assert invoke(["bless", "last", "-o", "known.yaml"]) == PASSED
    assert invoke(["check", "last", "--set", "gate.baseline=known.yaml"]) == PASSED
    assert "nothing is worse than the baseline known.yaml" in capfd.readouterr().out
    unsteady({1: 1.0, 3: 1.0})
    assert invoke(["run", str(suite), "--baseline", "known.yaml"]) == FAILED
    assert invoke(["check", "last"]) == FAILED
    assert "1 check worse than in the baseline known.yaml" in capfd.readouterr().out


def test_a_baseline_that_is_missing_is_named(
    unsteady: WriteSuite, capfd: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["run", str(unsteady())]) == PASSED
    assert invoke(["check", "last", "--set", "gate.baseline=no.yaml"]) != PASSED
    assert "there is no baseline" in capfd.readouterr().err


def test_a_gate_acquits_no_check_that_could_not_read_all(unsteady: WriteSuite) -> None:
    loaded = load_suite(unsteady({2: 0.1}, repeats=12))
    assert invoke(["run", str(loaded.path)]) == PASSED
    options = CheckOptions(loaded.suite.oracles, loaded.base_dir, Path("runs"), decide=gate(loaded))
    traces = find_run("last", Path("runs")).traces()
    done = check([*traces, Problem("cut off", "talk.yaml")], options)
    assert done.exit_code == ERRORS
    assert meaning(done.summary) == "nothing failed, but 1 conversations could not be read"
    result = gate_of(done.summary)
    assert result
    assert [rate.decision for rate in result.rates] == ["flaky"]

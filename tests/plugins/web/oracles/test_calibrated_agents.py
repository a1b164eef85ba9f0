"""The agents of web test cases measured on a stored run, and what consistency makes of it."""

import csv
from datetime import UTC, datetime
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sparring.errors import ConfigurationError
from sparring.model.case import Case
from sparring.model.events import CaseJudged, CasesAsked
from sparring.model.run import Run
from sparring.model.talk import Ended, Trace
from sparring.store import RunLog, StoredRun
from sparring.suite.building import SuiteContext, build_judges
from sparring.suite.model import LLMUse, OracleUse
from sparring.testing.fakes import FakeContext
from sparring_plugins.judging.calibrate_command import calibrate
from sparring_plugins.judging.calibration import measures
from sparring_plugins.judging.calibration.calibrate import CalibrateOptions
from sparring_plugins.judging.calibration.recorded_agents import calibrate_run
from sparring_plugins.judging.calibration.results import Calibration, JudgeResult
from sparring_plugins.web.consistency_oracle import Consistency
from sparring_plugins.web.grammar.steps import read_step
from sparring_plugins.web.roles import Judged
from sparring_plugins.web.runner.records import GuiRecord, StepRecord

NOW = datetime(2026, 11, 20, tzinfo=UTC)
LLM = {"use": "ollama", "model": "llama"}
RUNS = 5


def judged(truth: bool | None, *, strict: bool = False) -> Judged:
    return Judged(truth=truth, reason="it says so", strict=strict)


def navigation(number: int, text: str, *, ready: bool | None, done: bool | None,
               expected: bool | None = None, strict: bool = False) -> StepRecord:  # fmt: skip
    went = None if ready is not True else judged(done is not None, strict=strict)
    outcome = "done" if done else "inconclusive"
    return StepRecord(
        step=read_step(text, number=number), outcome=outcome, expected=expected,
        readiness=judged(ready, strict=strict), navigation=went,
    )  # fmt: skip


def assertion(number: int, truth: bool | None, expected: bool | None = None) -> StepRecord:
    outcome: Any = {True: "true", False: "false", None: "inconclusive"}[truth]
    return StepRecord(
        step=read_step("Assert that 'x' is displayed", number=number), outcome=outcome,
        expected=expected, assertion=judged(truth),
    )  # fmt: skip


def steps_of(run: int) -> tuple[StepRecord, ...]:
    """Repeat `run`: the assertion agent passes wrongly in the first, does not know in the last."""
    truth = None if run == RUNS - 1 else run == 0
    return (
        navigation(1, "Open '/'", ready=True, done=True, strict=True),
        navigation(2, "Click on 'a'", ready=True, done=True),
        navigation(3, "Click on 'b'", ready=True, done=run != 1),
        navigation(4, "Click on 'c'", ready=run == 2, done=None, expected=False),
        assertion(5, True),
        assertion(6, truth, expected=False),
        StepRecord(step=read_step("Click on 'd'", number=7), outcome="not_reached"),
    )


@pytest.fixture
def stored(tmp_path: Path) -> StoredRun:
    folder = tmp_path / "runs" / "web-1"
    run = Run(id="web-1", name="web", created=NOW, seed=0, suite={"llm": LLM})
    log = RunLog.create(folder, run)
    cases = [Case.of("Save", {}, run_seed=0, repeat=number) for number in range(RUNS)]
    log.append_event(CasesAsked(at=NOW, cases=tuple(cases)))
    for number, case in enumerate(cases):
        record = GuiRecord(test="Save", steps=steps_of(number), verdict="pass")
        trace = Trace(
            case=case, turns=(), ended=Ended.SCRIPT_DONE, started=NOW, duration_s=1.0,
            meta={"gui": record.model_dump(mode="json")},
        )  # fmt: skip
        log.append_event(CaseJudged(at=NOW, trace=trace))
    log.close()
    return StoredRun(folder)


def by_name(result: Calibration) -> dict[str, JudgeResult]:
    return {one.name: one for one in result.judges}


def test_p_sigma_and_the_confusion_of_each_agent_come_from_the_labels(stored: StoredRun) -> None:
    found = by_name(calibrate_run(stored, CalibrateOptions()).result)
    assert set(found) == {"readiness", "navigator", "assertion"}  # opening counts for none
    ready, went, holds = found["readiness"], found["navigator"], found["assertion"]
    assert (ready.answers, ready.accuracy.value) == (15, 14 / 15)
    assert (ready.false_pass, ready.false_fail) == (1, 0)
    assert (went.answers, went.decided, went.accuracy.value) == (11, 10, 0.9)
    assert (went.false_pass, went.false_fail, went.undecided) == (0, 1, 1)
    assert (holds.answers, holds.decided, holds.undecided) == (10, 9, 1)
    assert holds.confusion == {"false": {"false": 3, "true": 1}, "true": {"true": 5}}
    assert holds.accuracy.value == pytest.approx(8 / 9)
    assert holds.sigma == pytest.approx(sqrt(8 / 9 * 1 / 9))
    assert holds.runs == (0.5, 1.0, 1.0, 1.0, 1.0)
    assert (holds.model, holds.settings) == ("llama", {"strict": False})


def test_the_published_bound_of_three_sigma() -> None:
    assert measures.sigma(0.9332) == pytest.approx(0.24968, abs=5e-6)
    assert measures.sigma_level(0.9332) == pytest.approx(3, abs=1e-3)


def test_the_table_the_page_and_the_text_have_the_box(stored: StoredRun, tmp_path: Path) -> None:
    done = CliRunner().invoke(calibrate, ["web-1", "--runs", str(tmp_path / "runs")])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output
    assert "false pass" in done.output and "box of runs" in done.output  # noqa: PT018
    assert "0.500 1.000 1.000 1.000 1.000" in done.output
    rows = list(csv.DictReader((stored.folder / "agents.csv").read_text("utf-8").splitlines()))
    row = {one["agent"]: one for one in rows}["assertion"]
    shown = [float(row[key]) for key in ("least", "lower_quartile", "median", "mean")]
    assert shown == [0.5, 1.0, 1.0, 0.9]
    assert (row["false_pass"], row["dont_know"], row["runs"]) == ("1", "1", "5")
    text = (stored.folder / "calibration-page.html").read_text(encoding="utf-8")
    assert "From run to run" in text
    assert 'aria-label="accuracy in 5 runs: 0.500, 1.000' in text


def test_a_demand_that_is_not_met_fails(stored: StoredRun) -> None:
    met = calibrate_run(stored, CalibrateOptions(judges=("readiness",), min_accuracy=0.9))
    assert met.result.exit_code == 0
    short = calibrate_run(stored, CalibrateOptions(min_accuracy=0.9)).result
    assert (short.exit_code, "the accuracy of assertion is 0.889" in short.reason) == (1, True)
    with pytest.raises(ConfigurationError, match="no agent is called 'x'"):
        calibrate_run(stored, CalibrateOptions(judges=("x",)))


def measured(**sigmas: float | None) -> Calibration:
    judges = [
        JudgeResult(name=role, kind="agent", use="model", role=role, sigma=sigma, llm=LLM)
        for role, sigma in sigmas.items()
    ]
    strict = JudgeResult(
        name="navigator (strict)", kind="agent", use="strict", role="navigator", sigma=0.4,
        settings={"strict": True},
    )  # fmt: skip
    return Calibration(id="web", name="web", created=NOW, judges=(*judges, strict))


#: Facts of the published evaluation: who was asked in each of TestO's first five test cases.
GOLDEN = [(2, 1, 0, 0.9810), (5, 1, 0, 0.9763), (8, 1, 0, 0.9747), (2, 0, 1, 0.9352),
          (4, 1, 0, 0.9773)]  # fmt: skip


@pytest.mark.anyio
@pytest.mark.parametrize(("navigated", "strict", "asserted", "golden"), GOLDEN)
async def test_the_published_values_from_a_calibration(
    navigated: int, strict: int, asserted: int, golden: float, tmp_path: Path
) -> None:
    (tmp_path / "calibration.json").write_text(
        measured(
            readiness=0.029807545, navigator=0.014214106, assertion=0.06870104
        ).model_dump_json()
    )
    context = SuiteContext(tmp_path, llm=LLMUse.model_validate(LLM))
    use = OracleUse.model_validate({"use": "consistency", "calibration": "calibration.json"})
    (judge,) = build_judges([use], context)
    assert not context.warnings
    assert not context.measured
    steps = [_asked_navigator(n) for n in range(navigated)]
    steps += [_strict_assertion() for _ in range(strict)]
    steps += [assertion(9, True) for _ in range(asserted)]
    record = GuiRecord(test="t", steps=tuple(steps), verdict="pass")
    trace = Trace(
        case=Case.of("t", {}, run_seed=0), turns=(), ended=Ended.SCRIPT_DONE, started=NOW,
        duration_s=1.0, meta={"gui": record.model_dump(mode="json")},
    )  # fmt: skip
    verdict = next(iter(await judge.oracle.conclude([trace])))
    assert verdict.details["computed"] == pytest.approx(golden, abs=5e-5)
    assert verdict.details["proposition"] == "2"


def _asked_navigator(number: int) -> StepRecord:
    return StepRecord(
        step=read_step("Click on 'a'", number=number + 1), outcome="done",
        readiness=judged(True, strict=True), navigation=judged(True),
    )  # fmt: skip


def _strict_assertion() -> StepRecord:
    return assertion(8, True).model_copy(update={"assertion": judged(True, strict=True)})


def test_a_calibration_of_judges_or_given_twice_is_not_taken(tmp_path: Path) -> None:
    oracle = FakeContext().build(Consistency)
    judge = JudgeResult(name="j", kind="agent", use="model", role="judge", sigma=0.1)
    assert not oracle.calibrated(measured().model_copy(update={"judges": (judge,)}))
    both = FakeContext().build(Consistency, sigma={"navigator": 0.1})
    with pytest.raises(ConfigurationError, match=r"sigma\.navigator is given, and measured"):
        both.calibrated(measured(navigator=0.2))


def test_another_model_than_the_suites_is_warned_of(tmp_path: Path) -> None:
    (tmp_path / "calibration.json").write_text(measured(navigator=0.1).model_dump_json())
    context = SuiteContext(tmp_path, llm=LLMUse.model_validate({"use": "ollama", "model": "qwen"}))
    use = OracleUse.model_validate({"use": "consistency", "calibration": "calibration.json"})
    build_judges([use], context)
    assert "it asked ollama llama, while the suite asks ollama qwen" in context.warnings[0]

"""The oracle `judge`: majorities, rubrics, order of options, measured errors."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

import pytest

from sparring.engine.conduct import RunOptions, conduct
from sparring.errors import AnswerInvalid, ConfigurationError
from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import PluginConfig
from sparring.interfaces.roles import Judgement, JudgeTask
from sparring.model.talk import Incident, IncidentKind, Trace
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.store import StoredRun
from sparring.suite.reading import load_suite
from sparring.testing.conversations import stored_run, trace_of
from sparring.testing.fakes import FakeContext, FakeLLM
from sparring_plugins.judging.calibration.results import Calibration, JudgeResult
from sparring_plugins.judging.judge_oracle import JudgeOracle
from sparring_plugins.judging.model_judge import ModelJudge

pytestmark = pytest.mark.anyio

QUESTION = "Is the user helped?"


class SaysConfig(PluginConfig):
    """The answers by sample, again and again; "invalid" gives nothing usable."""

    answers: tuple[str | None, ...] = ("yes",)
    first: bool = False


class Says(Agent[JudgeTask, Judgement, SaysConfig]):
    Config: ClassVar[type[PluginConfig]] = SaysConfig
    role: ClassVar[str] = "judge"
    tasks: ClassVar[list[JudgeTask]] = []

    async def act(self, task: JudgeTask) -> Judgement:
        self.tasks.append(task)
        answer = self.config.answers[task.sample % len(self.config.answers)]
        if answer == "invalid":
            raise AnswerInvalid("no sense in it")
        if self.config.first:
            answer = task.options[0]
        return Judgement(answer=answer, reason="so it is", turns=(0, 7))


def talk(answer: str = "It is in the shed.", **more: Any) -> Trace:
    return trace_of([("Where is my bike?", answer)], **more)


def oracle(*judges: dict[str, Any], **settings: Any) -> JudgeOracle:
    context = FakeContext(parts={"says": Says})
    settings = {"question": QUESTION, "judges": list(judges) or [{"use": "says"}], **settings}
    return context.build(JudgeOracle, **settings)


async def judged(*judges: dict[str, Any], **settings: Any) -> Verdict:
    (verdict,) = await oracle(*judges, **settings).judge(talk())
    return verdict


def says(*answers: str | None, **more: Any) -> dict[str, Any]:
    return {"use": "says", "answers": list(answers), **more}


@pytest.mark.parametrize(
    ("answers", "samples", "outcome"),
    [
        (["yes"], 1, Outcome.PASS),
        (["no"], 1, Outcome.FAIL),
        ([None], 1, Outcome.INCONCLUSIVE),
        (["invalid"], 1, Outcome.INCONCLUSIVE),
        (["yes", "yes", "no"], 3, Outcome.PASS),
        (["no", "yes", "no"], 3, Outcome.FAIL),
        (["no", "yes"], 2, Outcome.INCONCLUSIVE),
        (["no", None, "invalid"], 3, Outcome.INCONCLUSIVE),
    ],
)
async def test_the_majority_of_answers_decides_or_nobody(
    answers: list[str | None], samples: int, outcome: Outcome
) -> None:
    verdict = await judged(says(*answers), samples=samples)
    assert verdict.outcome is outcome
    owner = {Outcome.PASS: None, Outcome.FAIL: Owner.APP}.get(outcome, Owner.JUDGE)
    assert verdict.owner is owner


async def test_several_judges_vote_and_their_disagreement_is_told() -> None:
    verdict = await judged(says("yes"), says("yes"), says("no"))
    assert verdict.details["answers"] == {"no": 1, "yes": 2}
    assert verdict.details["agreement"] == 0.667
    split = await judged(says("yes"), says("no"))
    assert split.reason.startswith("the judges disagree: ")


async def test_a_judge_that_takes_the_first_option_whatever_it_is_decides_nothing() -> None:
    assert (await judged(says("", first=True), samples=2)).outcome is Outcome.INCONCLUSIVE
    assert (await judged(says("", first=True), samples=2, swap=False)).outcome is Outcome.PASS


async def test_a_rubric_has_anchors_and_scores() -> None:
    rubric = {1: "no help", 2: "half of it", 3: "all of it"}
    Says.tasks.clear()
    verdict = await judged(says("2"), rubric=rubric)
    assert (verdict.outcome, verdict.score) == (Outcome.FAIL, 0.5)
    assert Says.tasks[0].options == ("3", "2", "1")
    assert Says.tasks[0].criterion == "1: no help\n2: half of it\n3: all of it"
    assert (await judged(says("2"), rubric=rubric, pass_from=2)).outcome is Outcome.PASS


async def test_evidence_are_turns_that_there_are() -> None:
    assert [ref.turn for ref in (await judged(says("no"))).turns] == [0]


async def test_examples_are_shown_with_their_answers() -> None:
    Says.tasks.clear()
    shot = {"said": "I do not know.", "answer": "no", "because": "nothing is said"}
    await judged(says("no"), criterion="Be strict.", examples=[shot])
    assert Says.tasks[0].criterion == (
        "Be strict.\nFor example, of 'I do not know.' the answer is 'no' (nothing is said)."
    )


async def test_a_conversation_that_somebody_else_broke_off_is_not_judged() -> None:
    incident = Incident(kind=IncidentKind.MODEL_ERROR, message="gone", owner=Owner.ENVIRONMENT)
    (verdict,) = await oracle().judge(talk(incidents=(incident,)))
    assert (verdict.outcome, verdict.owner) == (Outcome.INCONCLUSIVE, Owner.ENVIRONMENT)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"pass_from": 2}, "`pass_from` is a score of a `rubric`"),
        ({"rubric": {1: "a", 2: "b"}, "options": ["x", "y"]}, "give one of both"),
        ({"rubric": {1: "a", 2: "b"}, "passes": ["2"]}, "give `pass_from`, not `passes`"),
        ({"rubric": {1: "a", 2: "b"}, "pass_from": 1}, "every answer would pass"),
        ({"options": ["a", "a"]}, "two `options` are the same"),
        ({"passes": ["maybe"]}, "'maybe' is none of the answers: yes, no"),
        ({"examples": [{"said": "x", "answer": "so"}]}, "'so' is none of the answers: yes, no"),
    ],
)
def test_settings_that_do_not_fit_are_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        oracle(**settings)


def calibration(confusion: dict[str, dict[str, int]]) -> Calibration:
    result = JudgeResult(name="judge", kind="oracle", use="judge", confusion=confusion)
    now = datetime(2026, 11, 26, tzinfo=UTC)
    return Calibration(id="c", name="c", created=now, judges=(result,))


async def test_verdicts_have_the_measured_errors_and_the_rate_is_corrected() -> None:
    judge = oracle(says("no"))
    table = {"yes": {"yes": 45, "no": 5}, "no": {"no": 40, "yes": 10}}
    assert not judge.calibrated(calibration(table))
    traces = [talk(f"{number}") for number in range(40)]
    traces = [
        trace.model_copy(update={"case": trace.case.model_copy(update={"id": f"c-{at}"})})
        for at, trace in enumerate(traces)
    ]
    for trace in traces[:20]:
        (verdict,) = await judge.judge(trace)
        assert verdict.details["measured_error"] == {"wrong": 5, "of": 45}
    (rate,) = await judge.conclude(traces)
    assert (rate.outcome, rate.gating) == (Outcome.SKIPPED, False)
    assert rate.reason.startswith("20 of 20 conversations that were decided fail as judged, ")
    assert rate.details["low"] <= rate.details["high"] == 1  # type: ignore[operator]


TABLE = {"yes": {"yes": 45, "no": 5}, "no": {"no": 40, "yes": 10}}


async def test_the_rate_is_that_of_the_log_whoever_judged(tmp_path: Path) -> None:
    """Verdicts of workers and of the run that is resumed count; those of other oracles do not."""
    worker, stricter = oracle(says("no")), oracle(says("no"), question="Is the user greeted?")
    kind = oracle(says("yes"))
    traces = [talk(number=number) for number in range(30)]
    verdicts = [
        [
            *(await (worker if at < 20 else kind).judge(trace)),
            *(await stricter.judge(trace)),
        ]
        for at, trace in enumerate(traces)
    ]
    # The oracle that concludes has the settings of the one that judged, and judged nothing itself.
    run = stored_run(tmp_path / "run", traces, verdicts)
    last = oracle(says("no"))
    last.calibrated(calibration(TABLE))
    await last.judge(talk(number=99))
    (rate,) = await last.conclude(run.traces())
    assert rate.details["decided"] == 20
    assert rate.reason.startswith("20 of 20 conversations that were decided fail as judged, ")
    other = oracle(says("no"), question="Is the user greeted?")
    other.calibrated(calibration(TABLE))
    assert (await other.conclude(run.traces()))[0].details["decided"] == 30
    assert await worker.conclude(run.traces()) == (), "nothing was measured of its judge"


async def test_a_resumed_run_has_the_rate_of_the_whole_run(tmp_path: Path) -> None:
    said = [f"Sentence {number}." for number in range(6)]
    suite = {
        "name": "rate",
        "app": {"use": "sparring.testing.fakes:FakeConnector", "replies": ["Fine."]},
        "agent": {"use": "sparring.testing.fakes:FakePlayer", "lines": ["{said}"]},
        "strategy": {
            "use": "sparring.testing.fakes:FakeStrategy",
            "params": [{"said": text} for text in said],
        },
        "oracles": [
            {
                "use": "judge",
                "question": QUESTION,
                "judges": [{"use": f"{__name__}:Says", "answers": ["no"]}],
                "calibration": "calibration.json",
            }
        ],
    }
    (tmp_path / "calibration.json").write_text(calibration(TABLE).model_dump_json())
    (tmp_path / "suite.yaml").write_text(json.dumps(suite))
    loaded = load_suite(tmp_path / "suite.yaml")

    def rate(**options: Any) -> tuple[Path, Any]:
        run = conduct(loaded, RunOptions(**options))
        assert run.folder is not None
        found = [one for one in StoredRun(run.folder).concluded if one.check == "judgement: rate"]
        return run.folder, found[0].details if found else None

    _, whole = await asyncio.to_thread(rate)
    assert whole["decided"] == len(said)
    half = load_suite(tmp_path / "suite.yaml", overrides={"budget.cases": 2})
    cut = await asyncio.to_thread(conduct, half, RunOptions())
    assert cut.folder is not None
    folder = cut.folder
    _, resumed = await asyncio.to_thread(lambda: rate(resume=StoredRun(folder)))
    assert resumed == whole


async def test_without_a_calibration_no_rate_is_told() -> None:
    judge = oracle()
    await judge.judge(talk())
    assert await judge.conclude([talk()]) == ()


async def test_it_asks_exactly_what_calibrate_measures_of_the_same_task() -> None:
    answer = {
        "reason": "so",
        "quotations": [{"turn": 1, "words": "in the shed"}],
        "answer": "yes",
        "sure": 1.0,
    }
    alone, inside = (FakeContext().build(FakeLLM, answers=[answer]) for _ in range(2))
    task = JudgeTask(question=QUESTION, criterion="Be strict.", turns=talk().turns)
    await FakeContext(llm=alone).build(ModelJudge).act(task)
    context = FakeContext(llm=inside, parts={"model": ModelJudge})
    judge = context.build(JudgeOracle, question=QUESTION, criterion="Be strict.")
    await judge.judge(talk())
    assert inside.requests == alone.requests

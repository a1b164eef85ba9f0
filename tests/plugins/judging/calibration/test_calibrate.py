"""Judges of known manners are measured as what they are."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import ConfigurationError
from sparring.model.events import ModelCalled
from sparring.store import StoredRun, find_run
from sparring_plugins.judging.calibration.calibrate import CalibrateOptions
from sparring_plugins.judging.calibration.results import Calibration, JudgeResult

from .conftest import Measure
from .parts import HERE, Parrot

TASK = {"question": "Is it so?"}
PARROT = {"role": "judge", "use": f"{HERE}Parrot", "name": "parrot"}


def examples(*pairs: tuple[str, str]) -> list[dict[str, Any]]:
    """What the parrot says, and what is right."""
    return [{"task": {**TASK, "subject": said}, "expected": right} for said, right in pairs]


def judged(measure: Measure, *pairs: tuple[str, str], **judge: Any) -> JudgeResult:
    return measure([{**PARROT, **judge}], examples(*pairs)).result.judges[0]


def test_a_judge_that_is_wrong_once_in_four(measure: Measure) -> None:
    found = judged(measure, ("yes", "yes"), ("no", "no"), ("yes", "yes"), ("yes", "no"))
    assert found.accuracy.value == 0.75
    assert found.sigma == pytest.approx(0.4330, abs=1e-4)
    assert found.positive == "no"
    assert (found.precision.value, found.recall.value) == (1.0, 0.5)
    assert found.f1.value == pytest.approx(2 / 3)
    assert found.kappa.value == pytest.approx(0.5)
    assert found.confusion == {"no": {"no": 1, "yes": 1}, "yes": {"yes": 2}}


def test_the_positive_class_can_be_chosen(measure: Measure) -> None:
    pairs = examples(("yes", "yes"), ("yes", "no"))
    found = measure([PARROT], pairs, positive="yes").result.judges[0]
    assert (found.positive, found.precision.value, found.recall.value) == ("yes", 0.5, 1.0)


def test_a_judge_without_a_model_is_asked_once_unless_told_otherwise(measure: Measure) -> None:
    once = judged(measure, ("yes", "yes"), ("no", "no"))
    assert (once.answers, once.self_agreement, once.always_alike) == (2, None, None)
    often = judged(measure, ("yes", "yes"), ("no", "no"), repeats=4)
    assert (often.answers, often.self_agreement, often.always_alike) == (8, 1.0, 1.0)


def test_answers_that_flip_are_not_agreed_on(measure: Measure) -> None:
    found = judged(measure, ("yes", "yes"), ("no", "no"), flips=True, repeats=4)
    assert found.accuracy.value == 0.5
    assert (found.self_agreement, found.always_alike) == (0.5, 0.0)
    assert found.position is not None
    assert found.position.noise == pytest.approx(2 / 3)


def test_repeats_of_an_example_do_not_narrow_the_interval(measure: Measure) -> None:
    once = judged(measure, ("yes", "yes"), ("no", "yes"))
    often = judged(measure, ("yes", "yes"), ("no", "yes"), repeats=50)
    assert often.accuracy == once.accuracy
    assert often.classes[1].recall == once.classes[1].recall


def test_a_judge_that_takes_the_first_option_is_biased(measure: Measure) -> None:
    found = judged(measure, ("yes", "yes"), ("no", "no"), ("no", "no"), first=True)
    assert found.position is not None
    assert (found.position.changed.value, found.position.first) == (1.0, 1.0)
    fair = judged(measure, ("yes", "yes"), ("no", "no"), ("no", "no"))
    assert fair.position is not None
    assert (fair.position.changed.value, fair.position.first) == (0.0, 0.5)
    assert judged(measure, ("yes", "yes"), orders="given").position is None


def test_answers_that_cannot_be_used_are_no_wrong_answers(measure: Measure) -> None:
    done = measure(
        [PARROT],
        examples(
            ("yes", "yes"),
            ("nothing usable", "no"),
            ("unsure", "no"),
            ("broken", "no"),
            ("perhaps", "no"),
        ),
    )
    found = done.result.judges[0]
    assert found.accuracy.value == 1.0
    assert (found.decided, found.invalid, found.undecided, found.errors) == (1, 2, 1, 1)
    assert found.results[1].reason == "no sense in it"
    assert found.results[4].reason == "it answered 'perhaps', which is no option"
    assert "ZeroDivisionError: oops" in found.results[3].reason
    assert (done.result.exit_code, done.result.reason) == (3, "1 answers ended in errors")


def test_what_is_never_decided_is_undefined(measure: Measure) -> None:
    found = judged(measure, ("unsure", "yes"), ("unsure", "no"))
    assert (found.accuracy.value, found.sigma, found.level.value) == (None, None, None)
    assert (found.precision.value, found.f1.value, found.kappa.value) == (None, None, None)
    assert found.undecided == 2


def test_kappa_is_undefined_where_only_one_class_occurs(measure: Measure) -> None:
    found = judged(measure, ("yes", "yes"), ("yes", "yes"))
    assert (found.accuracy.value, found.kappa.value) == (1.0, None)
    assert found.precision.value is None, "the positive class was never answered"
    assert found.level.value is None
    assert found.level.low is not None


def test_more_than_two_classes_have_a_mean(measure: Measure) -> None:
    options = {"options": ["red", "green", "blue"]}
    pairs = [("red", "red"), ("blue", "green"), ("green", "blue"), ("red", "red"),
             ("red", "green"), ("green", "blue")]  # fmt: skip
    listed = [{**one, "task": {**one["task"], **options}} for one in examples(*pairs)]
    found = measure([PARROT], listed).result.judges[0]
    assert found.positive is None
    assert found.f1.value == pytest.approx(0.26667, abs=1e-5)
    assert found.recall.value == pytest.approx(1 / 3)
    assert [one.label for one in found.classes] == ["blue", "green", "red"]


def test_people_and_judges_are_compared(measure: Measure) -> None:
    listed = [
        {"task": {**TASK, "subject": said}, "people": dict(zip(("ann", "bob", "cy"), told, strict=True))}
        for said, told in (("yes", ("yes", "yes", "no")), ("no", ("no", "no", "no")), ("yes", ("no", "no", "yes")))
    ]  # fmt: skip
    result = measure([PARROT, {**PARROT, "name": "no sayer", "always": "no"}], listed).result
    parrot, no_sayer = result.judges
    assert parrot.accuracy.value == pytest.approx(2 / 3), "what most people say is right"
    assert no_sayer.accuracy.value == pytest.approx(2 / 3)
    assert result.people == ("ann", "bob", "cy")
    fleiss = {one.of: one.kappa.value for one in result.agreements if one.kind == "fleiss"}
    assert fleiss["people"] == pytest.approx(0.0, abs=1e-9)
    assert set(fleiss) == {"judges", "people", "judges and people"}
    pairs = {one.raters: one.kappa.value for one in result.agreements if one.kind == "cohen"}
    assert pairs["ann", "bob"] == 1.0
    assert pairs["parrot", "no sayer"] == 0.0


def test_people_who_are_divided_leave_open_what_is_right(measure: Measure) -> None:
    divided = {"task": {**TASK, "subject": "yes"}, "people": {"ann": "yes", "bob": "no"}}
    result = measure([PARROT], [*examples(("no", "no")), divided]).result
    assert result.judges[0].decided == 2
    assert result.judges[0].accuracy.value == 1.0
    assert result.judges[0].confusion == {"no": {"no": 1}}
    assert result.labels == {"no": 1}


def test_an_oracle_gives_the_worst_of_its_verdicts_or_that_of_one_check(measure: Measure) -> None:
    oracle = {"oracle": f"{HERE}LastWord"}
    talks = [
        {"conversation": [{"user": "hi"}, {"app": said}], "expected": right}
        for said, right in (("pass", "pass"), ("fail", "fail"), ("skipped", "pass"),
                            ("inconclusive", "fail"), ("fail", "pass"))
    ]  # fmt: skip
    judges = [{**oracle, "name": "all"}, {**oracle, "name": "other", "check": "other"},
              {**oracle, "name": "none", "check": "none"}]  # fmt: skip
    whole, other, none = measure(judges, talks).result.judges
    assert (whole.decided, whole.undecided, whole.accuracy.value) == (4, 1, 0.75)
    assert whole.positive == "fail"
    assert whole.results[4].reason == "last: the app said fail"
    assert other.confusion == {"fail": {"pass": 2}, "pass": {"pass": 3}}
    assert none.errors == 5
    assert none.results[0].reason == "it has no check 'none'"


def test_a_function_is_compared_by_its_value(measure: Measure) -> None:
    listed: list[dict[str, Any]] = [
        {"args": ["1234.50 EUR"], "expected": 1234.5},
        {"args": ["3 slices"], "expected": 3},
        {"args": ["3"], "expected": 4},
    ]
    found = measure([{"function": "extract_float"}], listed).result.judges[0]
    assert found.target.endswith("functions.plain_values:extract_float")
    assert [one.right for one in found.results] == [1, 1, 0]
    assert found.results[2].answers == {"3": 1}


def test_a_function_may_be_asked_only_whether_it_is_true(measure: Measure) -> None:
    """Such as one that answers True, or a text that says what is wrong."""
    talk = [{"user": "hi"}, {"app": "hi"}]
    judge = {"function": "conversation_length", "compare": "is-true"}
    listed = [{"conversation": talk, "expected": right} for right in (True, False)]
    found = measure([judge], listed).result.judges[0]
    assert found.confusion == {"false": {"false": 1}, "true": {"false": 1}}


RULE = "name: r\nconversations: 1\noracle: any('refund' in one for one in chatbot_phrases)\n"


def test_kappa_between_an_agent_and_a_rule(measure: Measure, tmp_path: Path) -> None:
    (tmp_path / "rule.yaml").write_text(RULE, encoding="utf-8")
    listed = [
        {
            "task": {"question": "Does the chatbot mention 'refund'?"},
            "conversation": [{"user": "I want my money back"}, {"app": said}],
            "expected": right,
        }
        for said, right in (("You get a refund.", "yes"), ("Never.", "no"))
    ]
    judges: list[dict[str, Any]] = [
        {"role": "judge", "use": "keywords"},
        {"oracle": "rules", "files": "rule.yaml", "labels": {"pass": "yes", "fail": "no"}},
    ]
    result = measure(judges, listed).result
    assert [judge.accuracy.value for judge in result.judges] == [1.0, 1.0]
    assert {one.kappa.value for one in result.agreements} == {1.0}


OUTPUTS = [
    {"name": "price", "type": "money", "description": "the price of the pizza"},
    {"name": "size", "type": "str", "description": "the size of the pizza"},
]


def test_an_extractor_is_measured_by_the_values_it_finds(measure: Measure) -> None:
    judge = {
        "role": "extractor",
        "use": "sparring.testing.fakes:FakeExtractor",
        "values": {"price": 12.5, "size": None},
    }
    talk = [{"user": "what is it?"}, {"app": "That is 12.50 euros."}]
    wanted: list[dict[str, Any]] = [
        {"price": 12.5, "size": None},
        {"price": 12.5, "size": "large"},
        {"price": 13},
        {"size": None},
    ]
    listed = [{"conversation": talk, "expected": one} for one in wanted]
    task = {"today": "2026-01-05", "outputs": OUTPUTS}
    found = measure([judge], listed, task=task).result.judges[0]
    assert found.accuracy.value == 0.5
    assert found.precision.value == pytest.approx(2 / 3), "given: 12.5 three times, one is wrong"
    assert found.recall.value == 0.5, "expected: four values, two found"
    assert found.f1.value == pytest.approx(4 / 7)
    assert found.classes == ()
    assert [one.wrong for one in found.results] == [0, 1, 1, 0]


def test_what_a_user_does_is_compared_on_what_is_expected(measure: Measure) -> None:
    judge = {"role": "user", "use": "sparring.testing.fakes:FakeUser", "lines": ["A LARGE one."]}
    task = {"goals": [{"phrase": "a large pizza", "template": "a large pizza"}]}
    wanted: list[Any] = [
        "say",
        "leave",
        {"mentions": ["large"]},
        {"mentions": ["large", "ham"]},
        {"text": "A LARGE one.", "goals_met": []},
    ]
    listed = [{"task": {}, "expected": one} for one in wanted]
    found = measure([judge], listed, task=task).result.judges[0]
    assert [one.right for one in found.results] == [1, 0, 1, 0, 1]


def test_goals_are_counted_one_by_one(measure: Measure) -> None:
    judge = {"role": "goal_checker", "use": f"{HERE}FirstGoal"}
    goals = [{"phrase": one, "template": one} for one in ("a pizza", "the price", "a drink")]
    talk = [{"user": "a pizza please"}, {"app": "A pizza, done."}]
    listed = [{"conversation": talk, "expected": {"met": one}} for one in ([0], [0, 1], [2], [])]
    found = measure([judge], listed, task={"goals": goals}).result.judges[0]
    assert [one.right for one in found.results] == [1, 0, 0, 0]
    assert (found.precision.value, found.recall.value) == (0.5, 0.5)


def test_fitness_is_measured_by_class_and_by_good_or_bad(measure: Measure) -> None:
    judge = {"role": "fitness", "use": "dimensions", "weights": {"follow_up": 1}}
    said = ["A bakery. Shall I go?", "Shall I go?", "A bakery."]
    tasks = [{"request": "x", "answer": one, "wanted": {"place": ["bakery"]}} for one in said]
    listed = [
        {"task": one, "expected": {"class": number}, "people": {"ann": number, "bob": 2}}
        for one, number in zip(tasks, (2, 1, 1), strict=True)
    ]
    found = measure([judge], listed).result.judges[0]
    assert [one.right for one in found.results] == [1, 1, 0]
    assert {one.label: one.recall.value for one in found.classes} == {"0": None, "1": 0.5, "2": 1.0}
    good = [{"task": one, "expected": {"good": number}} for one, number in
            zip(tasks, (True, True, False), strict=True)]  # fmt: skip
    found = measure([{**judge, "name": "binary"}], good).result.judges[0]
    assert (found.accuracy.value, found.f1.value) == (1.0, 1.0)
    talks = [{"conversation": [{"user": "x"}, {"app": one}], "expected": number}
             for one, number in zip(said, (1, 1, 0), strict=True)]  # fmt: skip
    found = measure([judge], talks, task={"wanted": {}}).result.judges[0]
    assert [one.answers for one in found.results] == [{"2": 1}, {"2": 1}, {"0": 1}]


SUBJECT = '<data>\\s+"(?P<subject>[^"]+)'
MODEL = {"role": "judge", "use": "model", "name": "model"}


def says(answer: str, **when: Any) -> dict[str, Any]:
    data = {"reason": f"so {answer}", "answer": answer, "sure": None,
            "quotations": [{"turn": None, "words": "{subject}"}]}  # fmt: skip
    return {"when": {"prompt": "judge", "matches": SUBJECT, **when}, "data": data}


def test_repeats_ask_the_model_anew_and_a_cache_does_not_make_them_one(
    measure: Measure, tmp_path: Path
) -> None:
    keys: dict[str, Any] = {
        "script": [says("no", sample=2), says("yes")],
        "repeats": 4,
        "llm": {"use": "scripted", "script": "script.yaml", "cache": str(tmp_path / "cache.db")},
    }
    done = measure([MODEL], examples(("x", "yes")), **keys)
    found = done.result.judges[0]
    assert found.results[0].answers == {"yes": 3, "no": 1}
    assert found.self_agreement == 0.75
    assert found.always_alike == 0.0
    calls = _calls(done.folder)
    assert [call.source for call in calls] == ["service"] * 5
    assert len({(call.request.seed, call.request.sample) for call in calls}) == 4
    assert len({call.request.case_id for call in calls}) == 5
    again = measure([MODEL], examples(("x", "yes")), **keys)
    assert {call.source for call in _calls(again.folder)} == {"cache"}
    assert again.result.judges[0].results == found.results


def _calls(folder: Path) -> list[ModelCalled]:
    return [event for event in StoredRun(folder).events() if isinstance(event, ModelCalled)]


def test_the_first_asking_is_that_of_a_run(measure: Measure) -> None:
    done = measure([MODEL], examples(("x", "yes")), script=[says("yes")], repeats=2)
    first = next(call for call in _calls(done.folder) if call.request.case_id == "1/model")
    assert (first.request.sample, first.request.seed) == (0, 0)


def test_tokens_price_and_latency_are_those_of_an_answer(measure: Measure) -> None:
    done = measure([MODEL], examples(("x", "yes"), ("y", "yes")), script=[says("yes")], repeats=3)
    found = done.result.judges[0].per_answer
    replies = [call.reply for call in _calls(done.folder) if call.reply]
    assert found.model_calls == 1
    assert found.input_tokens == sum(one.input_tokens for one in replies) / len(replies)
    assert found.cost_usd == pytest.approx(sum(one.cost_usd or 0 for one in replies) / len(replies))
    assert found.latency_p95_s is not None
    assert done.result.usage.model_calls == len(replies) == 8
    assert done.result.judges[0].model == "pretend"


def test_an_answer_that_is_never_usable_is_invalid(measure: Measure) -> None:
    script = [{"when": {"prompt": "judge"}, "say": "I would rather not."}]
    found = measure([MODEL], examples(("x", "yes")), script=script, repeats=2).result.judges[0]
    assert (found.invalid, found.decided, found.errors) == (2, 0, 0)
    assert found.accuracy.value is None


def test_a_model_that_cannot_be_asked_is_an_error(measure: Measure) -> None:
    script = [{"when": {"prompt": "judge"}, "error": "other", "message": "out of order"}]
    done = measure([MODEL], examples(("x", "yes")), script=script, repeats=2)
    found = done.result.judges[0]
    assert (found.invalid, found.errors, done.result.exit_code) == (0, 2, 3)
    assert "out of order" in found.results[0].reason


def test_a_functions_answer_is_sent_back_once(measure: Measure) -> None:
    listed = [{"args": ["the sky is blue", "a colour"], "expected": True}]
    when = {"prompt": "semantic_content"}
    script: list[dict[str, Any]] = [
        {"when": {**when, "round": 1}, "data": {"reason": "it is", "conveys": "yes"}},
        {"when": when, "say": "Well, yes."},
    ]
    judge = {"function": "semantic_content"}
    done = measure([judge], listed, script=script, repeats=1)
    calls = _calls(done.folder)
    assert [call.request.round for call in calls] == [0, 1]
    assert done.result.judges[0].accuracy.value == 1.0
    assert done.result.judges[0].results[0].reason == "it is"


def test_the_budget_stops_and_what_was_answered_is_kept(measure: Measure) -> None:
    pairs = [(str(number), "yes") for number in range(40)]
    done = measure(
        [MODEL], examples(*pairs), script=[says("yes")], repeats=3, concurrency=1,
        budget={"tokens": 1500},
    )  # fmt: skip
    assert (done.result.exit_code, done.result.stopped.value) == (4, "budget")
    assert "1500 tokens" in done.result.reason
    found = done.result.judges[0]
    assert 0 < found.answers < 40
    assert found.accuracy.value == 1.0
    assert found.errors == 0
    lines = (done.folder / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == found.answers


def test_ctrl_c_keeps_what_was_answered(measure: Measure) -> None:
    pairs = [("yes", "yes")] * 30
    Parrot.asked = 0
    done = measure([{**PARROT, "stops_after": 10}], examples(*pairs), concurrency=2)
    assert (done.result.exit_code, done.result.stopped.value) == (130, "interrupted")
    assert 5 <= done.result.judges[0].answers < 30
    assert (done.folder / "page.html").is_file()
    assert StoredRun(done.folder).summary is not None


@pytest.mark.parametrize("concurrency", [1, 30])
def test_the_result_does_not_depend_on_what_ran_beside(measure: Measure, concurrency: int) -> None:
    pairs = [(("yes", "no")[number % 3 == 0], ("yes", "no")[number % 2]) for number in range(20)]
    script = [says("no", sample=1), says("yes")]
    judges: list[dict[str, Any]] = [{**MODEL, "repeats": 3}, {**PARROT, "repeats": 2}]
    done = measure(judges, examples(*pairs), script=script, concurrency=concurrency)
    one = measure(judges, examples(*pairs), script=script, concurrency=7)
    assert _timeless(done.result) == _timeless(one.result)


def _timeless(result: Calibration) -> Any:
    data = json.loads(result.model_dump_json(exclude={"id", "created", "usage", "inputs"}))
    for judge in data["judges"]:
        del judge["per_answer"]["latency_mean_s"], judge["per_answer"]["latency_p95_s"]
    return data


def test_a_judge_that_takes_too_long_is_an_error(measure: Measure) -> None:
    found = measure([PARROT], examples(("slow", "yes")), timeout=0.1).result.judges[0]
    assert found.errors == 1
    assert found.results[0].reason == "no answer within 0.1 seconds (timeout)"


def test_gates_hold_for_every_judge_and_never_for_what_is_undefined(measure: Measure) -> None:
    judges = [PARROT, {**PARROT, "name": "naysayer", "always": "no"}]
    pairs = examples(("yes", "yes"), ("no", "no"), ("yes", "yes"))
    options = CalibrateOptions(min_accuracy=0.5, min_kappa=0.1)
    result = measure(judges, pairs, options=options).result
    assert result.exit_code == 1
    assert result.reason == (
        "the accuracy of naysayer is 0.333, not 0.5 or more; "
        "the kappa of naysayer is 0.000, not 0.1 or more"
    )
    single = measure([PARROT], examples(("yes", "yes")), options=CalibrateOptions(min_kappa=-1))
    assert single.result.reason == "the kappa of parrot is undefined, not -1 or more"
    fine = measure([PARROT], pairs, options=CalibrateOptions(min_accuracy=1.0, min_kappa=1.0))
    assert fine.result.exit_code == 0


def test_only_some_judges_can_be_measured(measure: Measure) -> None:
    judges = [PARROT, {**PARROT, "name": "other"}]
    options = CalibrateOptions(judges=("other",))
    result = measure(judges, examples(("yes", "yes")), options=options).result
    assert [judge.name for judge in result.judges] == ["other"]
    with pytest.raises(ConfigurationError, match="no judge is called 'othr'"):
        measure(judges, examples(("yes", "yes")), options=CalibrateOptions(judges=("othr",)))


def test_what_is_stored_reads_back_and_is_no_last_run(measure: Measure) -> None:
    done = measure([PARROT], examples(("yes", "yes")))
    text = (done.folder / "calibration.json").read_text(encoding="utf-8")
    assert Calibration.model_validate_json(text) == done.result
    stored = StoredRun(done.folder)
    assert stored.manifest.kind == "calibration"
    assert "calibration.yaml" in stored.manifest.inputs
    with pytest.raises(Exception, match="no run is called 'last'"):
        find_run("last", done.folder.parent)


def test_no_secret_of_the_environment_is_stored(
    measure: Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIZZA_API_KEY", "s3cr3t-value-of-the-key")
    pairs = examples(("yes", "yes"), ("say s3cr3t-value-of-the-key", "no"))
    done = measure([PARROT, MODEL], pairs, script=[says("yes", contains="s3cr3t-value-of-the-key")])
    for path in done.folder.rglob("*"):
        assert b"s3cr3t-value" not in path.read_bytes(), path


def test_a_page_shows_hostile_text_as_text(measure: Measure) -> None:
    hostile = "<script>alert(1)</script>\x1b[31m\u202etxt"
    done = measure([{**PARROT, "name": "<b>judge</b>"}], examples((hostile, "yes")))
    text = (done.folder / "page.html").read_text(encoding="utf-8")
    assert "<script" not in text
    assert "<b>judge" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\\u202e" in text


def test_calibrations_can_run_inside_a_thread(measure: Measure) -> None:
    """Where there is no main thread to take Ctrl-C, nothing is broken."""

    async def elsewhere() -> float | None:
        done = await asyncio.to_thread(measure, [PARROT], examples(("yes", "yes")))
        return done.result.judges[0].accuracy.value

    assert asyncio.run(elsewhere()) == 1.0

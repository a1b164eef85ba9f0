"""Where plain rules don't know a model is asked; what it says amiss is never a pass."""

from typing import Any

import pytest

from sparring.model.verdict import Owner

from .conftest import Done, Site, play

ODD = "Assert that the mood of the page is cheerful"
UNCLEAR = "Give the wobbly thing a nudge"


def fact(*elements: str) -> dict[str, Any]:
    return {"statement": "it is so", "elements": list(elements)}


TRUE = {"facts": [fact("1.1")], "rests_on": "presence", "answer": "true"}
FALSE = {"facts": [fact()], "rests_on": "absence", "answer": "false"}
UNKNOWN = {"facts": [], "rests_on": "presence", "answer": "unknown"}
#: What the model answers, and the verdict.
ANSWERS: dict[str, tuple[dict[str, Any], str]] = {
    "false": ({"data": FALSE}, "fail"),
    "unknown": ({"data": UNKNOWN}, "inconclusive"),
    "nothing": ({"say": " "}, "inconclusive"),
    "the word Unknown": ({"say": "Unknown"}, "inconclusive"),
    "prose": ({"say": "Verdict: I think that is true, yes."}, "inconclusive"),
    "broken JSON": ({"say": '{"facts": [], "answer": "true"'}, "inconclusive"),
    "true without a fact": (
        {"data": {"facts": [], "rests_on": "presence", "answer": "true"}}, "inconclusive"),
    "true without a quotation": ({"data": TRUE}, "inconclusive"),
    "an invented quotation": (
        {"data": {**TRUE, "facts": [{**fact("1.1"), "quote": "All is well"}]}}, "inconclusive"),
    "a quotation without an element": (
        {"data": {**TRUE, "facts": [{**fact(), "quote": "The method is called MVC."}],
                  "rests_on": "presence"}}, "pass"),
    "an element that is not there": (
        {"data": {**TRUE, "facts": [fact("999.999")]}}, "inconclusive"),
}  # fmt: skip


@pytest.fixture(scope="module")
def done(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Done:
    """One case per answer, told apart by the sentence."""
    folder = tmp_path_factory.mktemp("models")
    answers = [
        {"when": {"asker": "assertion", "contains": f"mood {number}"}, **answer}
        for number, (answer, _) in enumerate(ANSWERS.values())
    ]
    (folder / "answers.yaml").write_text(_yaml({"answers": answers, "else": "Unknown"}))
    tests: list[dict[str, Any]] = [
        {"name": name, "steps": [ODD.replace("mood", f"mood {number}")]}
        for number, name in enumerate(ANSWERS)
    ]
    tests.append({"name": "unclear", "steps": [UNCLEAR, "Assert that 'MVC' is displayed"]})
    tests.append({"name": "not asked", "steps": ["Assert that 'nothing like it' is displayed"]})
    agent = {"navigator": "model", "readiness": "model", "assertion": "model"}
    llm = {"use": "scripted", "script": "answers.yaml"}
    return play(folder, tests, f"{site.url}/weak.html", agent=agent, llm=llm)


def _yaml(data: Any) -> str:
    import yaml

    return yaml.safe_dump(data)


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_of_a_model(done: Done, name: str) -> None:
    step = done.record(name).steps[0]
    if step.owner is Owner.ENVIRONMENT and step.starved_s:
        pytest.skip(f"the machine gave no processor time for {step.starved_s:.1f} s, three times")
    assert done.verdict(name) == ANSWERS[name][1], step
    assert step.assertion is None or not step.assertion.strict


def test_a_step_that_nobody_knows_is_not_carried_out(done: Done) -> None:
    assert done.outcomes("unclear") == ["inconclusive", "not_reached"]
    assert done.verdict("unclear") == "inconclusive"


def test_a_model_is_not_asked_where_plain_rules_say_no(done: Done) -> None:
    assert done.verdict("not asked") == "fail"
    assert done.record("not asked").strict


def test_a_fail_by_a_model_that_is_not_calibrated_is_not_to_be_trusted(done: Done) -> None:
    told = {v.check: v.details["proposition"] for v in done.concluded if v.case_ids}
    assert told["false"] == "none"
    assert told["not asked"] == "3"

"""Which implementation of a function the rules call, and with which prompts it asks."""

from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field

from sparring.errors import ConfigurationError, MissingExtra
from sparring.interfaces.rule_function import RuleFunction, rule_function
from sparring.model.verdict import Outcome
from sparring.testing.answers import answer_to
from sparring.testing.fakes import FakeContext, FakeLLM

from .judging import Bench, pizza


@rule_function(model=True)
def mood(ask: Any, text: str) -> str:
    return "asked"


@rule_function
def loud(text: str, *, threshold: Annotated[float, Field(ge=0, le=1)] = 0.5) -> str:
    return f"loud from {threshold}"


def absent() -> None:
    raise MissingExtra("it needs more: pip install more")


OFFERED: dict[str, RuleFunction] = {
    "mood": mood,
    "mood.loud": loud,
    "mood.missing": rule_function(prepare=absent)(lambda text: ""),
    "plain": rule_function(lambda: 1),
    "only.other": rule_function(lambda: 2),
}


def value(bench: Bench, oracle: str, **settings: Any) -> str:
    return bench.one(oracle, pizza(), functions=OFFERED, **settings).reason


def oracle(bench: Bench, uses: Any, text: str = "mood('x')", **more: Any) -> Any:
    bench.oracle("True")  # writes the file
    (bench.folder / "000.yaml").write_text(f"name: x\noracle: {text}\n")
    context = FakeContext(base_dir=bench.folder, functions=OFFERED)
    from sparring_plugins.rules.oracle import RulesOracle

    return context.build(RulesOracle, files="*.yaml", functions=uses, **more)


def judged(bench: Bench, uses: Any, text: str, **more: Any) -> Any:
    return bench.judge(oracle(bench, uses, text, **more), [pizza()])[0]


def test_a_variant_takes_the_place_of_the_function(bench: Bench) -> None:
    assert judged(bench, {"mood": "loud"}, "mood('x') == 'loud from 0.5'").outcome is Outcome.PASS


def test_a_variant_has_settings(bench: Bench) -> None:
    uses = {"mood": {"use": "loud", "threshold": 0.9}}
    assert judged(bench, uses, "mood('x') == 'loud from 0.9'").outcome is Outcome.PASS
    rule = "mood('x', threshold=0.1) == 'loud from 0.1'"
    assert judged(bench, uses, rule).outcome is Outcome.PASS


def test_the_model_may_be_named(bench: Bench) -> None:
    verdict = judged(bench, {"mood": "model"}, "mood('x') == 'asked'")
    assert verdict.outcome is Outcome.PASS


def test_a_function_may_have_variants_alone(bench: Bench) -> None:
    assert judged(bench, {"only": "other"}, "only() == 2").outcome is Outcome.PASS
    with pytest.raises(ConfigurationError, match="no function is called `only`"):
        oracle(bench, {}, "only() == 2")


WRONG: dict[str, tuple[Any, str]] = {
    "function": ({"mod": "loud"}, "no function is called 'mod'. Did you mean 'mood'?"),
    "variant": ({"mood": "luod"}, "mood() has no variant 'luod'. Did you mean 'loud'?"),
    "none": ({"plain": "loud"}, "the function 'plain' has no variants to choose from"),
    "dotted": ({"mood.loud": "loud"}, "no function is called 'mood.loud'"),
    "model of a plain one": ({"plain": "model"}, "'plain' has no variants"),
    "setting": (
        {"mood": {"use": "loud", "treshold": 1}},
        "mood.loud has no setting 'treshold'. Did you mean 'threshold'?",
    ),
    "value": (
        {"mood": {"use": "loud", "threshold": 2}},
        "threshold: input should be less than or equal to 1, found 2",
    ),
    "kind": ({"mood": {"use": "loud", "threshold": "x"}}, "threshold: input should be a valid"),
    "positional": ({"mood": {"use": "loud", "text": "x"}}, "mood.loud has no setting 'text'"),
    "model's": ({"mood": {"use": "model", "a": 1}}, "mood.model has no setting 'a'"),
}


@pytest.mark.parametrize(("uses", "said"), WRONG.values(), ids=WRONG)
def test_mistakes_are_told_with_the_nearest_choice(bench: Bench, uses: Any, said: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        oracle(bench, uses)
    assert said in str(caught.value)


@pytest.mark.parametrize("uses", [["mood"], {"mood": 1}, {"mood": {"threshold": 1}}, "mood"])
def test_what_is_no_choice_is_refused(bench: Bench, uses: Any) -> None:
    with pytest.raises(ConfigurationError):
        oracle(bench, uses)


def test_what_is_missing_is_told_before_anything_runs(bench: Bench) -> None:
    with pytest.raises(MissingExtra, match="pip install more"):
        oracle(bench, {"mood": "missing"})
    oracle(bench, {"mood": "loud"})


@pytest.mark.parametrize("text", ["mood.loud('x')", "language.lingua('x') == 'ENG'"])
@pytest.mark.parametrize("uses", [{}, {"mood": "loud"}])
def test_rules_cannot_call_a_variant_by_its_name(bench: Bench, text: str, uses: Any) -> None:
    with pytest.raises(ConfigurationError):
        oracle(bench, uses, text)


@pytest.mark.parametrize("compat", [None, "sensei"])
def test_without_a_model_the_way_out_is_named(bench: Bench, compat: str | None) -> None:
    verdict = bench.one("language(price) == 'ENG'", pizza(), compat=compat)
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "`functions: {language: lingua}` of the oracle `rules`" in verdict.reason
    plain = bench.one("follows('user', 'be brief')", pizza())
    assert plain.reason == "needs a model: the suite names no `llm`"


@pytest.mark.parametrize("compat", [None, "sensei"])
def test_the_bundled_variants_judge_without_a_model(bench: Bench, compat: str | None) -> None:
    context = FakeContext(base_dir=bench.folder)
    from sparring_plugins.rules.oracle import RulesOracle

    rules = {
        "language": "language('What is the weather going to be tomorrow?') == 'ENG'",
        "tone": "tone('I hate it') == ['NEGATIVE']",
        "semantic": "semantic_content('a small pizza', 'a pizza that is small')",
        "talk": "only_talks_about(['pizza', 'drinks', 'prices'])",
        "index": "utterance_index('user', 'a small pizza') == 1",
    }
    for name, text in rules.items():
        (bench.folder / f"{name}.yaml").write_text(
            f"name: {name}\ndescription: ''\noracle: {text}\n"
        )
    (bench.folder / "000.yaml").unlink(missing_ok=True)
    uses = {
        "language": {"use": "lingua", "languages": ["en", "es"]},
        "tone": "vader",
        "semantic_content": {"use": "minilm", "threshold": 0.6},
        "only_talks_about": {"use": "minilm", "threshold": 0.2},
        "utterance_index": "minilm",
    }
    made = context.build(RulesOracle, files="*.yaml", functions=uses, compat=compat)
    for verdict in bench.judge(made, [pizza()]):
        assert verdict.outcome is Outcome.PASS, (verdict.check, verdict.reason)
        assert "no model judged" in verdict.reason


def prompts(folder: Path, **files: str) -> None:
    (folder / "prompts").mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / "prompts" / f"{name}.jinja").write_text(text, encoding="utf-8")


def test_a_suite_may_replace_a_prompt(bench: Bench) -> None:
    llm = FakeContext().build(FakeLLM, answers=lambda request: answer_to(request.answer_schema))
    own = '{% extends "tone.jinja" %}{% block user %}How does it sound? {{ texts | data }}{% endblock %}'
    prompts(bench.folder, tone=own)
    bench.verdicts(
        "tone('x') == []", "language('x') == ''", on=[pizza()], llm=llm, prompts="prompts"
    )
    asked = {request.prompt: request.messages for request in llm.requests}
    assert asked["tone"][-1].content.startswith("How does it sound?")
    assert "You judge" in asked["tone"][0].content
    assert asked["language"][-1].content.startswith("In which language")
    assert bench.context.inputs.keys() >= {"prompts/tone.jinja"}


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"ton": "{% block user %}x{% endblock %}"}, "tone.jinja"),
        ({"tone": "{% block user %}{{ texts }}{% endblock %}"}, "texts"),
        ({"tone": "{% block user %}{{ tests | data }}{% endblock %}"}, "tests"),
        ({}, "prompts"),
    ],
)
def test_a_wrong_prompt_stops_the_suite(bench: Bench, files: dict[str, str], said: str) -> None:
    prompts(bench.folder, **files)
    with pytest.raises(ConfigurationError, match=said):
        bench.oracle("True", prompts="prompts")

"""Rules that compare an input which is a list with a text are told so, with what to write."""

import asyncio
from pathlib import Path

import pytest

from sparring.model.space import Scenario, Space, Variable
from sparring.testing.conversations import trace_of
from sparring.testing.fakes import FakeContext
from sparring_plugins.rules.oracle import RulesOracle


def variable(name: str, selector: str | None = "forward()") -> Variable:
    return Variable(name=name, domain=("a", "b"), selector=selector)


ORDER = Scenario(
    name="order",
    outputs=("price", "size"),
    variables=(
        variable("topping"),
        variable("extras", "random(2)"),
        variable("pizza", "forward(crust)"),
        variable("crust"),
        variable("chosen", None),
    ),
)


def warnings(folder: Path, rule: str, *scenarios: Scenario) -> list[str]:
    (folder / "r.yaml").write_text(f"name: r\noracle: {rule}\n", encoding="utf-8")
    context = FakeContext(base_dir=folder)
    oracle = context.build(RulesOracle, files="r.yaml")
    oracle.validation_errors(Space(scenarios=scenarios or (ORDER,)))
    return list(context.warnings)


@pytest.mark.parametrize(
    ("compared", "instead"),
    [
        ("topping == 'ham'", "single(topping) == 'ham'"),
        ("'ham' != topping", "single(topping) != 'ham'"),
        ("topping == price", "single(topping) == price"),
        ("topping == f'{price}'", "single(topping) == f'{price}'"),
        ("topping in ['ham', 'olives']", "single(topping) in ['ham', 'olives']"),
        ("topping not in price", "single(topping) not in price"),
        ("extras == 'ham'", "'ham' in extras"),
        ("extras != 'ham'", "'ham' not in extras"),
        ("extras in ['ham']", "all(value in ['ham'] for value in extras)"),
    ],
)
def test_a_comparison_that_is_never_meant_is_mended(
    tmp_path: Path, compared: str, instead: str
) -> None:
    (warning,) = warnings(tmp_path, f'"{compared} or price is None"')
    assert warning.startswith("r.yaml:2: oracle: ")
    assert "compares a list with a text, because the input" in warning
    assert warning.endswith(f"write `{instead}`")


@pytest.mark.parametrize(
    "meant",
    [
        "topping == ['ham']",
        "single(topping) == 'ham'",
        "topping[0] == 'ham'",
        "'ham' in topping",
        "topping in [['ham'], ['olives']]",
        "topping is None",
        "pizza == 'ham' and crust == 'thin'",  # a chain: each has one value
        "chosen == 'ham'",  # a player of another kind: its values are texts
        "size == 'large'",  # an output
    ],
)
def test_what_may_be_meant_is_no_reason_to_warn(tmp_path: Path, meant: str) -> None:
    assert warnings(tmp_path, f'"{meant}"') == []


def test_an_input_that_is_a_text_in_another_scenario_is_left_alone(tmp_path: Path) -> None:
    other = Scenario(name="other", variables=(variable("topping", None),))
    assert warnings(tmp_path, "topping == 'ham'", ORDER, other) == []


def test_conversations_of_a_rule_over_several_are_looked_at_too(tmp_path: Path) -> None:
    rule = "conv[0].topping == 'ham'\nconversations: 2"
    (warning,) = warnings(tmp_path, rule)
    assert warning.endswith("write `single(conv[0].topping) == 'ham'`")


def test_what_is_warned_of_is_never_true(tmp_path: Path) -> None:
    """The warning is right: the rule fails for the very value that it names, and mended passes."""
    trace = trace_of([("hi", "hello")], topping=["ham"])
    for rule, outcome in (("topping == 'ham'", "fail"), ("single(topping) == 'ham'", "pass")):
        (tmp_path / "r.yaml").write_text(f"name: r\noracle: {rule}\n", encoding="utf-8")
        oracle = FakeContext(base_dir=tmp_path).build(RulesOracle, files="r.yaml")
        (verdict,) = asyncio.run(oracle.judge(trace))
        assert verdict.outcome == outcome

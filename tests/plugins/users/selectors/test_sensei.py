"""The switch ``compat: sensei``: the numbers of SENSEI's own code, faults included."""

from itertools import islice
from random import Random

import pytest
from pydantic import JsonValue

from sparring.model.space import Scenario, Variable
from sparring_plugins.users.selectors.notation import Plan, parse_number, stream_name, stream_seed
from sparring_plugins.users.selectors.plan import plan_of


def plan(number: object, **inputs: tuple[str, list[JsonValue]]) -> Plan:
    wanted = parse_number(number)
    variables = tuple(
        Variable(name=name, domain=tuple(values), selector=selector)
        for name, (selector, values) in inputs.items()
    )
    scenario = Scenario(name="s", variables=variables, number=wanted.count, sample=wanted.sample)
    return plan_of(scenario, 5, compat="sensei")


def first(of: Plan, count: int) -> list[dict[str, JsonValue]]:
    return list(islice(of.params(0), count))


def test_without_a_dependency_chain_there_are_no_combinations_at_all() -> None:
    inputs = {"a": ("forward()", [1, 2]), "b": ("another()", [1, 2])}
    assert plan("all_combinations", **inputs).count == 0  # type: ignore[arg-type]
    assert plan("sample(0.5)", **inputs).count == 0  # type: ignore[arg-type]
    assert plan(3, **inputs).count == 3  # type: ignore[arg-type]


def test_only_the_longest_chain_counts() -> None:
    chains = plan(
        "all_combinations",
        a=("forward(b)", [1, 2]),
        b=("forward()", [1, 2, 3]),
        c=("forward(d)", [1, 2]),
        d=("forward()", [1, 2, 3, 4, 5]),
        e=("forward()", list(range(50))),
    )
    assert chains.count == 10


@pytest.mark.parametrize(("share", "count"), [("0.5", 4), ("0.2", 2), ("0.01", 0), ("1", 9)])
def test_a_sample_is_rounded_as_python_does_and_takes_the_first_rows(
    share: str, count: int
) -> None:
    sample = plan(f"sample({share})", a=("forward(b)", [1, 2, 3]), b=("forward()", [4, 5, 6]))
    assert sample.count == count
    rows = [{"a": 1, "b": 4}, {"a": 1, "b": 5}, {"a": 1, "b": 6}, {"a": 2, "b": 4}]
    assert first(sample, 4) == rows


def test_two_variables_that_refer_to_one_go_in_step() -> None:
    chains = plan(
        "all_combinations",
        a=("forward(m)", ["a1", "a2"]),
        b=("forward(m)", ["b1", "b2"]),
        m=("forward()", ["m1", "m2"]),
    )
    assert chains.count == 4
    assert [(row["a"], row["b"], row["m"]) for row in first(chains, 4)] == [
        ("a1", "b1", "m1"),
        ("a1", "b1", "m2"),
        ("a2", "b2", "m1"),
        ("a2", "b2", "m2"),
    ]


def test_random_choices_are_those_of_pythons_random_in_senseis_order() -> None:
    found = first(
        plan(
            3,
            a=("random()", [1, 2, 3, 4]),
            b=("another()", ["x", "y"]),
            c=("random(2)", ["p", "q", "r"]),
            d=("random(rand)", ["k", "l", "m"]),
        ),
        3,
    )
    random = Random(stream_seed(stream_name(5, "s")))
    dealt: list[str] = []
    expected: list[dict[str, object]] = []
    for _ in range(3):
        picked: dict[str, object] = {"a": [random.choice([1, 2, 3, 4])]}
        if not dealt:
            dealt = ["x", "y"]
            random.shuffle(dealt)
        picked["b"] = [dealt.pop(0)]
        picked["c"] = random.sample(["p", "q", "r"], 2)
        picked["d"] = random.sample(["k", "l", "m"], random.randint(1, 3))
        expected.append(picked)
    assert found == expected


def test_default_yields_the_whole_list_as_one_value() -> None:
    assert first(plan(1, a=("default()", [1, 2])), 1) == [{"a": [[1, 2]]}]


def test_chains_are_recorded_after_all_other_variables() -> None:
    found = first(plan(1, a=("forward(b)", [1]), b=("forward()", [2]), c=("another()", [3])), 1)
    assert list(found[0]) == ["c", "a", "b"]


def test_going_on_from_a_position_gives_the_same_rows() -> None:
    inputs = {"a": ("random(rand)", [1, 2, 3]), "b": ("another()", [1, 2, 3, 4])}
    whole = first(plan(20, **inputs), 20)  # type: ignore[arg-type]
    assert list(islice(plan(20, **inputs).params(13), 7)) == whole[13:]  # type: ignore[arg-type]


def test_scenarios_of_other_players_are_planned_as_usual() -> None:
    variables = (Variable(name="a", domain=(1, 2)),)
    assert plan_of(Scenario(name="s", variables=variables), 1, compat="sensei").count == 2

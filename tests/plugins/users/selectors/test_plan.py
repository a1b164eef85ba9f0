"""What values each selector picks from case to case."""

from collections import Counter
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from sparring.errors import ConfigurationError
from sparring.model.space import Scenario, Variable
from sparring_plugins.users.selectors.notation import Number, parse_number
from sparring_plugins.users.selectors.plan import plan_of

Row = dict[str, JsonValue]


def scenario(
    number: object = None, name: str = "s", **inputs: tuple[str | None, object]
) -> Scenario:
    wanted = parse_number(number)
    variables = tuple(
        Variable(name=key, domain=tuple(values), selector=selector)  # type: ignore[arg-type]
        for key, (selector, values) in inputs.items()
    )
    return Scenario(name=name, variables=variables, number=wanted.count, sample=wanted.sample)


def rows(of: Scenario, seed: int = 1) -> list[Row]:
    plan = plan_of(of, seed)
    return list(islice(plan.params(0), plan.count))


def column(found: list[Row], name: str) -> list[JsonValue]:
    return [row[name] for row in found]


def test_forward_goes_through_its_values_and_begins_again() -> None:
    found = rows(scenario(5, size=("forward()", "abc")))
    assert column(found, "size") == [["a"], ["b"], ["c"], ["a"], ["b"]]


def test_the_bike_shops_appointments_are_those_of_the_published_runs() -> None:
    found = rows(
        scenario(
            4,
            ap_date=("forward(service)", ["tomorrow", "November 6th, 2024"]),
            service=("forward()", ["tune-up", "repair"]),
        )
    )
    assert found == [
        {"ap_date": "tomorrow", "service": "tune-up"},
        {"ap_date": "tomorrow", "service": "repair"},
        {"ap_date": "November 6th, 2024", "service": "tune-up"},
        {"ap_date": "November 6th, 2024", "service": "repair"},
    ]


def test_three_nested_variables_count_like_a_clock() -> None:
    found = rows(
        scenario(
            "all",
            hours=("forward(minutes)", [0, 1]),
            minutes=("forward(seconds)", [0, 1, 2]),
            seconds=("forward()", [0, 1]),
        )
    )
    times = [(row["hours"], row["minutes"], row["seconds"]) for row in found]
    assert times == sorted((h, m, s) for h in range(2) for m in range(3) for s in range(2))


def test_independent_forward_variables_go_side_by_side_where_a_number_is_given() -> None:
    found = rows(scenario(4, a=("forward()", "xy"), b=("forward()", [1, 2, 3])))
    assert [(row["a"], row["b"]) for row in found] == [
        (["x"], [1]),
        (["y"], [2]),
        (["x"], [3]),
        (["y"], [1]),
    ]


def test_all_combinations_cover_independent_forward_variables_too() -> None:
    found = rows(
        scenario(
            "all_combinations",
            a=("forward()", "xy"),
            b=("forward()", [1, 2, 3]),
            c=("forward(b)", [True, False]),
            d=("another()", "pq"),
        )
    )
    assert len(found) == 12
    assert len({(str(row["a"]), row["b"], row["c"]) for row in found}) == 12


def test_a_variable_of_a_chain_is_a_scalar_and_every_other_a_list() -> None:
    row = rows(
        scenario(
            1,
            a=("forward(b)", "x"),
            b=("forward()", "y"),
            c=("forward()", "z"),
            d=("another()", "u"),
            e=("random()", "v"),
            f=("random(2)", "vw"),
            g=("default()", "kl"),
        )
    )[0]
    assert {name: value for name, value in row.items() if name != "f"} == {
        "a": "x",
        "b": "y",
        "c": ["z"],
        "d": ["u"],
        "e": ["v"],
        "g": ["k", "l"],
    }
    assert sorted(row["f"]) == ["v", "w"]  # type: ignore[type-var]


def test_without_forward_variables_all_combinations_are_those_of_the_single_values() -> None:
    found = rows(
        scenario("all", a=("another()", "xy"), b=("random()", [1, 2]), c=("random(2)", "pq"))
    )
    assert sorted((str(row["a"]), str(row["b"])) for row in found) == [
        ("['x']", "[1]"),
        ("['x']", "[2]"),
        ("['y']", "[1]"),
        ("['y']", "[2]"),
    ]


def test_a_scenario_without_variables_is_played_once_or_as_often_as_asked() -> None:
    assert rows(scenario()) == [{}]
    assert rows(scenario("all")) == [{}]
    assert rows(scenario("sample(0.1)")) == [{}]
    assert rows(scenario(3)) == [{}, {}, {}]


def test_scenarios_without_selectors_go_through_all_combinations_with_single_values() -> None:
    found = rows(scenario(a=(None, "xy"), b=(None, [1, None])))
    assert found == [
        {"a": "x", "b": 1},
        {"a": "x", "b": None},
        {"a": "y", "b": 1},
        {"a": "y", "b": None},
    ]


def test_a_number_given_from_outside_replaces_the_scenarios_own() -> None:
    own = scenario("all", a=("forward()", "xyz"))
    assert plan_of(own, 1, number=Number(7)).count == 7
    assert plan_of(own, 1, number=Number(sample=0.4)).count == 1


@given(st.integers(1, 9), st.integers(), st.integers(1, 60))
def test_another_never_repeats_within_a_permutation(size: int, seed: int, count: int) -> None:
    found = column(rows(scenario(count, a=("another()", range(size))), seed), "a")
    for start in range(0, count, size):
        dealt = [value[0] for value in found[start : start + size]]  # type: ignore[index]
        assert len(set(dealt)) == len(dealt)


@given(st.integers(1, 8), st.integers(1, 12), st.integers())
def test_random_n_picks_n_different_values_or_all_there_are(size: int, n: int, seed: int) -> None:
    for row in rows(scenario(20, a=(f"random({n})", range(size))), seed):
        picked = row["a"]
        assert isinstance(picked, list)
        assert len(picked) == len(set(map(str, picked))) == min(n, size)


def test_random_rand_picks_from_one_to_all_values() -> None:
    counts = Counter(len(row["a"]) for row in rows(scenario(600, a=("random(rand)", "xyz"))))  # type: ignore[arg-type]
    assert set(counts) == {1, 2, 3}
    assert all(140 < count < 260 for count in counts.values()), counts


def test_random_picks_every_value_about_equally_often() -> None:
    counts = Counter(row["a"][0] for row in rows(scenario(900, a=("random()", "xyz"))))  # type: ignore[index]
    assert all(230 < counts[value] < 370 for value in "xyz"), counts


@given(st.integers(2, 5), st.integers(2, 5), st.integers(1, 100), st.integers())
def test_a_sample_is_distinct_rows_of_all_combinations(
    first: int, second: int, percent: int, seed: int
) -> None:
    inputs = {"a": ("forward(b)", range(first)), "b": ("forward()", range(second))}
    everything = {tuple(row.values()) for row in rows(scenario("all", **inputs))}  # type: ignore[arg-type]
    part = [tuple(row.values()) for row in rows(scenario(f"sample({percent}%)", **inputs), seed)]  # type: ignore[arg-type]
    assert len(set(part)) == len(part) >= 1
    assert set(part) <= everything
    assert abs(len(part) - percent * first * second / 100) <= 1


def test_samples_of_different_seeds_differ() -> None:
    inputs = {"a": ("forward(b)", range(10)), "b": ("forward()", range(10))}
    drawn = {str(rows(scenario("sample(0.05)", **inputs), seed)) for seed in range(20)}  # type: ignore[arg-type]
    assert len(drawn) > 15


def test_two_variables_with_one_selector_are_independent() -> None:
    found = rows(scenario(200, a=("random()", range(10)), b=("random()", range(10))))
    equal = sum(row["a"] == row["b"] for row in found)
    assert 5 < equal < 40


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"a": ("forwards()", "x")}, "s.a: unknown selector 'forwards'. Did you mean 'forward'?"),
        ({"a": ("forward()", "")}, "s.a: has no values"),
        ({"a": ("forward(b)", "x")}, "s.a: forward(b) refers to an unknown variable."),
        (
            {"a": ("forward(b)", "x"), "b": ("another()", "y")},
            "s.a: forward(b) refers to a variable that is another(), not a forward()",
        ),
        (
            {"a": ("forward(b)", "x"), "b": ("forward(a)", "y")},
            "s.a: the variables refer to each other in a circle: a -> b -> a",
        ),
    ],
)
def test_a_scenario_that_cannot_be_planned_says_why(
    inputs: dict[str, tuple[str, object]], message: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        plan_of(scenario(1, **inputs), 1)
    assert message in str(caught.value)

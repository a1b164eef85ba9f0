from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.errors import ConfigurationError
from sparring.model.space import Constraint, Scenario, Variable
from sparring.space import CaseSpace, TooHard, Unsatisfiable
from sparring.testing.fakes import FakeContext

CONTEXT = FakeContext()
NAMES = "abcde"


def variable(name: str, *domain: Any, scale: Any = "categorical") -> Variable:
    return Variable(name=name, domain=domain, scale=scale)


def cases(*variables: Variable, constraints: tuple[Any, ...] = ()) -> CaseSpace:
    made = tuple(Constraint(expression=c) if isinstance(c, str) else c for c in constraints)
    return CaseSpace(Scenario(name="s", variables=variables, constraints=made), CONTEXT)


@st.composite
def spaces(draw: st.DrawFn) -> CaseSpace:
    """Small spaces whose constraints are implications, prohibitions and assignments."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=2, max_size=5))
    scale = st.sampled_from(["categorical", "ordinal"])
    variables = [
        variable(name, *range(size), scale=draw(scale))
        for name, size in zip(NAMES, sizes, strict=False)
    ]
    made: list[Constraint] = []
    for _ in range(draw(st.integers(0, 4))):
        one, other = draw(st.permutations(variables))[:2]
        left, right = draw(st.sampled_from(one.domain)), draw(st.sampled_from(other.domain))
        when = f"{one.name} == {left}"
        if draw(st.booleans()):
            then, assign = f"{other.name} == {right}", {other.name: right}
        else:
            then, assign = f"{other.name} != {right}", {}
        made.append(Constraint(expression=f"not ({when}) or {then}", when=when, assign=assign))
    return cases(*variables, constraints=tuple(made))


def brute(space: CaseSpace) -> list[dict[str, Any]]:
    every = (dict(zip(space.names, values, strict=True)) for values in product(
        *(one.domain for one in space.scenario.variables)))  # fmt: skip
    return [params for params in every if not space.broken(params)]


@settings(max_examples=60, deadline=None)
@given(space=spaces(), seed=st.integers(0, 1000))
def test_repaired_cases_satisfy_all_constraints_and_stay_as_they_are(
    space: CaseSpace, seed: int
) -> None:
    allowed = brute(space)
    draw = Random(seed)
    if not allowed:
        with pytest.raises(Unsatisfiable, match="no case satisfies"):
            space.random(draw)
        assert space.conflict({}), "the constraints to blame are named"
        return
    for _ in range(5):
        params = space.random(draw)
        assert params in allowed
        assert space.repair(params) == params, "repairing is idempotent"
    assert space.conflict({}) == []


@settings(max_examples=40, deadline=None)
@given(space=spaces())
def test_counts_and_possible_values_are_those_of_brute_force(space: CaseSpace) -> None:
    allowed = brute(space)
    count = space.count()
    assert (count.number, count.exact) == (len(allowed), True)
    assert list(space.all()) == allowed
    for one in space.scenario.variables:
        for value in one.domain:
            assert space.possible(one.name, value) == any(p[one.name] == value for p in allowed)


@settings(max_examples=60, deadline=None)
@given(space=spaces(), data=st.data())
def test_vectors_lead_back_to_their_cases(space: CaseSpace, data: st.DataObject) -> None:
    for params in brute(space)[:20]:
        assert space.decode(space.encode(params)) == params
        assert space.repaired(space.encode(params)) == (params, space.encode(params))
    numbers = st.floats(-10, 10) | st.floats(allow_nan=False, allow_infinity=False)
    vector = data.draw(st.lists(numbers, min_size=len(space.names), max_size=len(space.names)))
    assert set(space.decode(vector)) == set(space.names), "any numbers stand for a case"


def test_the_encoding_is_the_papers() -> None:
    four = ("none", "low", "medium", "high")
    space = cases(variable("price", *four, scale="ordinal"), variable("food", *four))
    assert space.encode({"price": "low", "food": "low"}) == [0.25, 1.0]
    assert space.bounds() == [(0.0, 0.75), (0.0, 3.0)]
    assert space.decode([0.49, 1.4]) == {"price": "low", "food": "low"}
    assert space.decode([0.999, -3]) == {"price": "high", "food": "none"}


@pytest.mark.parametrize("size", [1, 2, 3, 7, 49, 101, 1000])
def test_every_ordinal_index_survives_rounding(size: int) -> None:
    space = cases(variable("x", *range(size), scale="ordinal"))
    assert all(space.decode(space.encode({"x": at})) == {"x": at} for at in range(size))


def test_one_and_true_are_two_values() -> None:
    space = cases(variable("x", 1, True, 1.0, "1", None))
    assert [space.encode({"x": one}) for one in (1, True, 1.0, "1", None)] == [
        [0.0], [1.0], [2.0], [3.0], [4.0],
    ]  # fmt: skip


def test_what_is_dropped_is_dropped_rather_than_the_premise_changed() -> None:
    drop = Constraint(
        expression="not (place == 'hospital') or food == 'none'",
        when="place == 'hospital'",
        assign={"food": "none"},
    )
    places, foods = variable("place", "hospital", "cafe"), variable("food", "none", "cake")
    space = cases(places, foods, constraints=(drop,))
    found = space.repair({"place": "hospital", "food": "cake"})
    assert found == {"place": "hospital", "food": "none"}


def test_the_fewest_values_change_and_ordinal_ones_the_least() -> None:
    rating = variable("rating", 1, 2, 3, 4, 5, scale="ordinal")
    space = cases(rating, variable("x", 1, 2), constraints=("rating <= 3",))
    assert space.repair({"rating": 5, "x": 2}) == {"rating": 3, "x": 2}


def test_assignments_in_a_circle_end() -> None:
    there = Constraint(expression="a != 0 or b == 1", when="a == 0", assign={"b": 1})
    back = Constraint(expression="b != 1 or a == 1", when="b == 1", assign={"a": 1})
    again = Constraint(expression="a != 1 or b == 0", when="a == 1", assign={"b": 0})
    space = cases(variable("a", 0, 1, 2), variable("b", 0, 1), constraints=(there, back, again))
    assert space.holds(space.repair({"a": 0, "b": 0}))


def test_the_constraints_to_blame_are_as_few_as_can_be() -> None:
    made = ("a != 1 or b == 1", "b != 1 or c == 1", "c != 1 or a == 0", "d == 0 or d == 1")
    space = cases(*(variable(name, 0, 1, 2) for name in "abcd"), constraints=made)
    assert [one.expression for one in space.conflict({"a": 1})] == list(made[:3])


@pytest.mark.thorough
def test_large_spaces_are_estimated_and_still_repaired() -> None:
    names = [f"v{number}" for number in range(40)]
    total = f"sum([{', '.join(names)}]) <= 20"
    space = cases(*(variable(name, 0, 1) for name in names), constraints=(total,))
    count = space.count()
    assert not count.exact
    assert count.low <= 0.5627 * 2**40 <= count.high  # the middle of a binomial distribution
    params = space.repair(dict.fromkeys(names, 1))
    assert sum(value for value in params.values() if isinstance(value, int)) <= 20
    with pytest.raises(TooHard, match="combinations of values at once"):
        space.tables()


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("rtaing > 3", "`rtaing` is none of the variables. Did you mean 'rating'?"),
        ("rating >", "not a valid expression"),
        ("rating.__class__", "may not begin with two underscores"),
        ("open('x')", "no function is called `open`"),
        ("rating = 3", "rules compare with `==`"),
        ("conversation_length() > 3", "no function is called `conversation_length`"),
        ("lambda: 1", "`lambda` is not allowed"),
        ("", "is empty"),
    ],
)
def test_wrong_constraints_are_refused_at_their_place(expression: str, message: str) -> None:
    wrong = Constraint(expression=expression, source="space.yaml:7")
    with pytest.raises(ConfigurationError) as caught:
        cases(variable("rating", 1, 5), constraints=(wrong,))
    assert message in str(caught.value)
    assert str(caught.value).startswith("space.yaml:7: the constraint `")


def test_a_constraint_without_a_value_is_never_guessed() -> None:
    space = cases(variable("rating", "none", 4), constraints=("rating > 3",))
    with pytest.raises(ConfigurationError, match=r"has no value for rating = 'none': TypeError"):
        space.holds({"rating": "none"})


def test_work_is_bounded() -> None:
    space = cases(variable("x", 1, 2), constraints=("len([a for a in range(9**9)]) > x",))
    with pytest.raises(ConfigurationError, match="units of work"):
        space.holds({"x": 1})


def test_values_outside_of_the_space_are_refused() -> None:
    space = cases(variable("x", 1, 2))
    for params in ({"x": 3}, {}, {"x": 1, "y": 1}):
        with pytest.raises(ValueError, match=r"value|variable"):
            space.encode(params)
    for vector in ([], [0.0, 1.0], [float("nan")]):
        with pytest.raises(ValueError, match="finite numbers"):
            space.decode(vector)


def test_tables_list_what_is_forbidden() -> None:
    space = cases(variable("x", 1, 2), variable("y", 1, 2), constraints=("x != y",))
    assert space.tables() == [((0, 1), frozenset({(0, 0), (1, 1)}))]


def test_a_variable_without_values_is_named() -> None:
    with pytest.raises(ConfigurationError, match="the variable 'x' has no values"):
        cases(variable("x"))

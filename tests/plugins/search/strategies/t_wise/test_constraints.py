"""Covering arrays under drawn constraints, against an oracle that tries everything.

The oracle knows constraints as functions of Python, not as the expressions that Sparring reads.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import ConfigurationError
from sparring.model.space import Constraint, Scenario, Variable
from sparring.space import CaseSpace
from sparring.testing.fakes import FakeContext
from sparring_plugins.search.strategies.t_wise.covering_array import (
    CoveringArray,
    Requirements,
    covering_array,
)

Row = tuple[int, ...]
Tuple = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Rule:
    """A constraint in both notations."""

    expression: str
    holds: Callable[[Row], bool]


@dataclass(frozen=True)
class Model:
    """Sizes of variables with rules."""

    sizes: tuple[int, ...]
    rules: tuple[Rule, ...] = ()

    def cases(self) -> CaseSpace:
        """As Sparring reads it."""
        variables = [
            Variable(name=f"v{at}", domain=tuple(range(size))) for at, size in enumerate(self.sizes)
        ]
        rules = tuple(Constraint(expression=one.expression) for one in self.rules)
        return CaseSpace(
            Scenario(name="s", variables=tuple(variables), constraints=rules), FakeContext()
        )

    def valid(self) -> list[Row]:
        """Every valid row, by trying all."""
        rows = product(*map(range, self.sizes))
        return [row for row in rows if all(one.holds(row) for one in self.rules)]


def forbidden(cells: Tuple) -> Rule:
    told = " and ".join(f"v{at} == {value}" for at, value in cells)
    return Rule(f"not ({told})", lambda row: any(row[at] != value for at, value in cells))


def implied(first: tuple[int, int], second: tuple[int, int]) -> Rule:
    return Rule(
        f"v{first[0]} != {first[1]} or v{second[0]} == {second[1]}",
        lambda row: row[first[0]] != first[1] or row[second[0]] == second[1],
    )


def bounded(one: int, other: int, most: int) -> Rule:
    return Rule(f"v{one} + v{other} <= {most}", lambda row: row[one] + row[other] <= most)


def differing(one: int, other: int) -> Rule:
    return Rule(f"v{one} != v{other}", lambda row: row[one] != row[other])


@st.composite
def models(draw: st.DrawFn) -> Model:
    sizes = tuple(draw(st.lists(st.integers(1, 4), min_size=3, max_size=5)))
    cell = st.sampled_from([(at, value) for at, size in enumerate(sizes) for value in range(size)])
    cells = st.lists(cell, min_size=1, max_size=3, unique_by=lambda one: one[0]).map(tuple)
    at = st.integers(0, len(sizes) - 1)
    rule = st.one_of(
        cells.map(forbidden),
        st.builds(implied, cell, cell),
        st.builds(bounded, at, at, st.integers(1, 5)),
    )
    return Model(sizes, tuple(draw(st.lists(rule, max_size=5))))


def tuples(rows: list[Row], members: list[Row]) -> set[Tuple]:
    return {tuple((at, row[at]) for at in some) for row in rows for some in members}


def sets_of(numbers: Row, strength: int) -> list[Row]:
    return list(combinations(numbers, min(strength, len(numbers))))


def rows_of(array: CoveringArray) -> list[Row]:
    return [tuple(row) for row in array.rows.tolist()]


@given(models(), st.sampled_from([2, 3]), st.sampled_from([0, 0.05]))
def test_what_is_feasible_is_covered_and_what_is_not_is_counted(
    model: Model, strength: int, effort: float
) -> None:
    valid, wanted = model.valid(), Requirements(strength=strength, effort=effort)
    if not valid:
        with pytest.raises(ConfigurationError):
            covering_array(model.cases(), wanted, 1)
        return
    members = sets_of(tuple(range(len(model.sizes))), strength)
    feasible = tuples(valid, members)
    array = covering_array(model.cases(), wanted, 1)
    rows = rows_of(array)
    assert set(rows) <= set(valid)
    assert tuples(rows, members) == feasible
    assert array.tuples == len(feasible)
    everything = sum(prod(model.sizes[at] for at in some) for some in members)
    assert array.excluded == everything - len(feasible)
    assert array.bound <= len(rows)


@given(models(), st.data())
def test_stronger_groups_and_seeds_hold_beside_constraints(
    model: Model, data: st.DataObject
) -> None:
    valid = model.valid()
    if not valid:
        return
    numbers = tuple(range(len(model.sizes)))
    group = tuple(sorted(data.draw(st.sets(st.sampled_from(numbers), min_size=3))))
    chosen = st.sets(st.sampled_from(numbers), min_size=1)
    values = st.sampled_from(list(product(*map(range, model.sizes))))
    drawn = [{at: row[at] for at in sorted(data.draw(chosen))} for row in [data.draw(values)]]
    wanted = Requirements(strength=2, stronger=[(group, 3)], seeds=drawn, effort=0.05)
    fitting = [row for row in valid if all(row[at] == v for at, v in drawn[0].items())]
    if not fitting:
        with pytest.raises(ConfigurationError, match="no valid case has the values of the seed"):
            covering_array(model.cases(), wanted, 1)
        return
    rows = rows_of(covering_array(model.cases(), wanted, 1))
    assert rows[0] in fitting
    assert set(rows) <= set(valid)
    for members in (sets_of(numbers, 2), sets_of(group, 3)):
        assert tuples(rows, members) == tuples(valid, members)


def test_constraints_that_are_too_large_to_write_out_hold_as_well() -> None:
    """Neighbours differ: all pairs of others are feasible where there are three values."""
    length = 18
    differ = [differing(at, at + 1) for at in range(length - 1)]
    model = Model((3,) * length, tuple(differ))
    array = covering_array(model.cases(), Requirements(strength=2, effort=0.05), 1)
    rows = rows_of(array)
    assert all(rule.holds(row) for row in rows for rule in differ)
    found = tuples(rows, sets_of(tuple(range(length)), 2))
    pairs = product(combinations(range(length), 2), product(range(3), repeat=2))
    expected = {
        ((one, a), (other, b)) for (one, other), (a, b) in pairs if other - one > 1 or a != b
    }
    assert found == expected
    assert array.excluded == 3 * (length - 1)

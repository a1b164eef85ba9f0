"""The interactions of a model: which tuples of values an array covers, and which are valid.

A combination is a set of variables; its tuples are the combinations of their values. All tuples of
all combinations have a cell each in one flat array, so that what a row covers is one gather:
``first + strides · row`` is its cell in each combination.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import combinations, product
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.errors import ConfigurationError, MissingExtra, Problem
from sparring_plugins.search.space import CaseSpace, TooHard
from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.strategies.sampling import Component, components_of

Ints = NDArray[np.intp]
Flags = NDArray[np.bool_]

CELLS = 60_000_000
"""The largest number of tuples: they fit into memory with what else is kept of them."""


@dataclass(frozen=True)
class Interactions:
    """All combinations of a model with the places of their tuples.

    `members` has the variables of each combination in a row and `strides` what a value counts for
    (shorter combinations are padded with variable 0 and stride 0); `first` is the cell of each
    combination's first tuple. `of` has, per variable, the combinations that it belongs to, and
    `weight` its strides there.
    """

    sizes: Ints
    members: Ints
    strides: Ints
    first: Ints
    cells: int
    of: tuple[Ints, ...]
    weight: tuple[Ints, ...]

    def places(self, rows: Ints) -> Ints:
        """Return the cell of each row (first axis) in each combination (second axis)."""
        places = np.tile(self.first, (len(rows), 1))
        for column in range(self.members.shape[1]):
            places += rows[:, self.members[:, column]] * self.strides[:, column]
        return places

    def tuple_at(self, combination: int, cell: int) -> tuple[Ints, Ints]:
        """Return the variables and the values of the tuple of a cell."""
        strides = self.strides[combination]
        used = strides > 0
        members = self.members[combination][used]
        values = (cell - self.first[combination]) // strides[used] % self.sizes[members]
        return members, values

    def combination_of(self, cell: int) -> int:
        """Return the combination that a cell belongs to."""
        return int(np.searchsorted(self.first, cell, side="right")) - 1


def interactions(
    sizes: Sequence[int], strength: int, stronger: Sequence[tuple[Sequence[int], int]] = ()
) -> Interactions:
    """Return all combinations of `strength` variables, and of more within the groups of `stronger`.

    A group is the numbers of some variables and the strength among them. Raises TooHard if there
    are more tuples than fit into memory.
    """
    groups = _combinations(sizes, strength, stronger)
    width = max((len(group) for group in groups), default=0)
    members = np.zeros((len(groups), width), dtype=np.intp)
    strides = np.zeros((len(groups), width), dtype=np.intp)
    size_array = np.asarray(sizes, dtype=np.intp)
    for length in {len(group) for group in groups}:
        same_length = [number for number, group in enumerate(groups) if len(group) == length]
        members[same_length, :length] = np.array(
            [groups[variable] for variable in same_length]
        ).reshape(-1, length)
        for column in range(length):
            following = size_array[members[same_length, column + 1 : length]]
            strides[same_length, column] = following.prod(axis=1)
    counts = np.array(
        [prod(sizes[variable] for variable in group) for group in groups], dtype=np.intp
    )
    cells = int(counts.sum())
    first = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.intp)[: len(groups)]
    of, weight = _by_variable(len(sizes), members, strides)
    return Interactions(size_array, members, strides, first, cells, of, weight)


def _combinations(
    sizes: Sequence[int], strength: int, stronger: Sequence[tuple[Sequence[int], int]]
) -> list[tuple[int, ...]]:
    """Return the combinations to cover, none of them part of another."""
    requests = [
        (tuple(range(len(sizes))), strength),
        *((tuple(members), own_strength) for members, own_strength in stronger),
    ]
    _check_number(sizes, requests)
    groups: dict[tuple[int, ...], None] = {}
    for group, width in requests:
        groups.update(dict.fromkeys(combinations(sorted(group), min(width, len(group)))))
    if not stronger:
        return [combination for combination in groups if combination]
    parts = {
        part
        for combination in groups
        for length in range(1, len(combination))
        for part in combinations(combination, length)
    }
    return [combination for combination in groups if combination and combination not in parts]


def _check_number(sizes: Sequence[int], asked: Sequence[tuple[Sequence[int], int]]) -> None:
    cells = 0
    for group, strength in asked:
        width = min(strength, len(group))
        if comb(len(group), width) * width > CELLS:
            raise TooHard(
                f"{comb(len(group), width):,} combinations of {width} variables are too many"
            )
        cells += _symmetric([sizes[number] for number in group], width)
    if cells > CELLS:
        raise TooHard(f"{cells:,} tuples of values are too many to cover; {CELLS:,} can be")


def _symmetric(sizes: Sequence[int], degree: int) -> int:
    """Return the sum over all combinations of `degree` sizes of their product."""
    sums = [1] + [0] * degree
    for size in sizes:
        for at in range(degree, 0, -1):
            sums[at] += sums[at - 1] * size
    return sums[degree]


def _by_variable(
    number: int, members: Ints, strides: Ints
) -> tuple[tuple[Ints, ...], tuple[Ints, ...]]:
    real = strides > 0
    combinations_of: list[Ints] = []
    weight: list[Ints] = []
    for variable in range(number):
        occurrences = (members == variable) & real
        chosen = np.flatnonzero(occurrences.any(axis=1))
        combinations_of.append(chosen)
        weight.append((strides * occurrences)[chosen].sum(axis=1))
    return tuple(combinations_of), tuple(weight)


class SatSolver:
    """One component as clauses for a SAT solver: it answers for components too large to enumerate.

    Each variable has one value, and forbidden combinations do not occur. Raises MissingExtra
    without python-sat, and TooHard for a constraint of too many combinations.
    """

    def __init__(self, component: Component) -> None:
        if find_spec("pysat") is None:
            raise MissingExtra(
                "constraints over this many variables at once need python-sat: "
                "pip install 'sparring[search]'"
            )
        from pysat.solvers import Solver  # pyright: ignore[reportMissingTypeStubs]

        self._component = component
        self._first: dict[int, int] = {}
        number = 1
        for variable, size in zip(component.variables, component.sizes, strict=True):
            self._first[variable] = number
            number += size
        self._solver: Any = Solver(name="minisat22")
        self._add_values()
        for restriction in component.restrictions:
            for values in sorted(restriction.forbidden()):
                pairs = zip(restriction.variables, values, strict=True)
                self._solver.add_clause([-self._literal(*pair) for pair in pairs])

    def found(self, pins: Mapping[int, int]) -> Indices | None:
        """Return valid values of the component with the pinned ones; None if none exist."""
        assumed = [self._literal(*pin) for pin in pins.items() if pin[0] in self._first]
        if not self._solver.solve(assumptions=assumed):
            return None
        true = {literal for literal in self._solver.get_model() if literal > 0}
        return tuple(
            next(value for value in range(size) if self._literal(variable, value) in true)
            for variable, size in zip(self._component.variables, self._component.sizes, strict=True)
        )

    def _add_values(self) -> None:
        for variable, size in zip(self._component.variables, self._component.sizes, strict=True):
            literals = [self._literal(variable, value) for value in range(size)]
            self._solver.add_clause(literals)
            for at, literal in enumerate(literals):
                for other in literals[:at]:
                    self._solver.add_clause([-literal, -other])

    def _literal(self, variable: int, value: int) -> int:
        return self._first[variable] + value


@dataclass(frozen=True)
class _Table:
    """Which combinations of its variables a constraint allows."""

    variables: Ints
    strides: Ints
    allowed: Flags

    def places(self, rows: Ints) -> Ints:
        places: Ints = (rows[:, self.variables] * self.strides).sum(axis=1)
        return places

    def stride(self, variable: int) -> int:
        return int(self.strides[self.variables == variable].sum())


def _joint_tables(cases: CaseSpace) -> list[_Table]:
    """Return a table for each set of variables, however many constraints are about it."""
    tables: dict[tuple[int, ...], _Table] = {}
    for variables, forbidden in cases.tables():
        order = sorted(range(len(variables)), key=lambda at: variables[at])
        key = tuple(variables[at] for at in order)
        rows = frozenset(tuple(row[at] for at in order) for row in forbidden)
        table = _table(key, rows, cases.sizes)
        known = tables.setdefault(key, table)
        if known is not table:
            known.allowed[:] &= table.allowed
    return list(tables.values())


class Validity:
    """The constraints of a space, for many rows at once; raises as `components_of` does."""

    def __init__(self, cases: CaseSpace) -> None:
        self.sizes = cases.sizes
        self._component: dict[int, _Answers] = {}
        for component in components_of(cases):
            answers = (
                _TableAnswers(component)
                if component.rows is not None
                else _SolverAnswers(component, cases)
            )
            self._component.update(dict.fromkeys(component.variables, answers))
        self._tables: list[list[_Table]] = [[] for _ in cases.sizes]
        self._all: list[_Table] = []
        for table in _joint_tables(cases):
            variables: list[int] = table.variables.tolist()
            self._all.append(table)
            for variable in variables:
                self._tables[variable].append(table)

    def changes(self, rows: Ints, variable: int) -> Flags | None:
        """Return which values a variable may have beside the others of each row; None for all."""
        if not self._tables[variable]:
            return None
        values = np.arange(self.sizes[variable])
        allowed = np.ones((len(rows), len(values)), dtype=bool)
        for table in self._tables[variable]:
            stride = table.stride(variable)
            base = table.places(rows) - rows[:, variable] * stride
            allowed &= table.allowed.take(base[:, None] + values * stride)
        return allowed

    def holds_with(self, rows: Ints, variable: int, value: int) -> Flags:
        """Return which rows are valid once a variable has a value."""
        valid = np.ones(len(rows), dtype=bool)
        for table in self._tables[variable]:
            change = (value - rows[:, variable]) * table.stride(variable)
            valid &= table.allowed.take(table.places(rows) + change)
        return valid

    def holds(self, row: Ints) -> bool:
        """Whether a row satisfies all constraints."""
        return all(table.allowed[table.places(row[None])[0]] for table in self._all)

    def extends(self, rows: Ints, known: Flags, variable: int) -> Flags | None:
        """Return which values of a variable leave each row valid cases; None for all.

        Only the values of the variables that are `known` count.
        """
        answers = self._component.get(variable)
        if answers is None:
            return None
        fixed = [other for other in answers.variables if known[other] and other != variable]
        pins = rows[:, fixed].tolist()
        return np.array(
            [answers.values(dict(zip(fixed, pin, strict=True)), variable) for pin in pins]
        )

    def feasible(self, pins: Mapping[int, int]) -> bool:
        """Whether there is a valid case with the pinned values."""
        answers = {
            id(component): component
            for variable in pins
            if (component := self._component.get(variable))
        }
        return all(answer.feasible(pins) for answer in answers.values())

    def possible(self, model: Interactions) -> Flags:
        """Return which tuples occur in at least one valid case; decided exactly."""
        possible = np.ones(model.cells, dtype=bool)
        ends = [*model.first[1:].tolist(), model.cells]
        for number, (first, end) in enumerate(zip(model.first.tolist(), ends, strict=True)):
            members = model.members[number][model.strides[number] > 0].tolist()
            if any(member in self._component for member in members):
                possible[first:end] &= self._possible(tuple(members)).ravel()
        return possible

    def _possible(self, members: tuple[int, ...]) -> Flags:
        """Return which values of some variables go together, an axis for each of them."""
        possible = np.ones([self.sizes[member] for member in members], dtype=bool)
        for answers in {
            id(member): member for member in map(self._component.get, members) if member
        }.values():
            shared = tuple(member for member in members if member in answers.variables)
            shape = [self.sizes[member] if member in shared else 1 for member in members]
            possible &= answers.projection(shared).reshape(shape)
        return possible


class _Answers:
    """What one component allows."""

    def __init__(self, component: Component) -> None:
        self.component = component
        self.variables = component.variables
        self.size = dict(zip(component.variables, component.sizes, strict=True))
        self._projections: dict[tuple[int, ...], Flags] = {}

    def values(self, pins: Mapping[int, int], variable: int) -> list[bool]:
        """Return which values of a variable go with pinned ones."""
        values = range(self.size[variable])
        return [self.feasible({**pins, variable: value}) for value in values]

    def feasible(self, pins: Mapping[int, int]) -> bool:
        raise NotImplementedError

    def projection(self, own: tuple[int, ...]) -> Flags:
        """Return which values of some of the variables go together."""
        projection = self._projections.get(own)
        if projection is None:
            projection = self._projections[own] = self._project(own)
        return projection

    def _project(self, own: tuple[int, ...]) -> Flags:
        raise NotImplementedError


class _TableAnswers(_Answers):
    """A component whose valid values are enumerated."""

    def __init__(self, component: Component) -> None:
        super().__init__(component)
        self._rows = np.array(component.rows, dtype=np.intp).reshape(-1, len(self.variables))

    def feasible(self, pins: Mapping[int, int]) -> bool:
        return self.component.alive(pins) != 0

    def values(self, pins: Mapping[int, int], variable: int) -> list[bool]:
        return self.component.values(self.component.alive(pins), variable)

    def _project(self, own: tuple[int, ...]) -> Flags:
        possible = np.zeros([self.size[variable] for variable in own], dtype=bool)
        possible[tuple(self._rows[:, self.variables.index(variable)] for variable in own)] = True
        return possible


class _SolverAnswers(_Answers):
    """A component that a solver answers for; the cases it finds answer other questions too."""

    def __init__(self, component: Component, cases: CaseSpace) -> None:
        super().__init__(component)
        self._solver = SatSolver(component)
        self._witnesses = np.zeros((0, len(self.variables)), dtype=np.intp)
        self._found: list[tuple[int, ...]] = []
        if not self.feasible({}):
            source, key = cases.scenario.source, cases.scenario.name
            raise ConfigurationError(
                Problem("no case satisfies all of its constraints", source, key=key)
            )

    def feasible(self, pins: Mapping[int, int]) -> bool:
        return self._solver.found(pins) is not None

    def _project(self, own: tuple[int, ...]) -> Flags:
        columns = [self.variables.index(variable) for variable in own]
        possible = np.zeros([self.size[variable] for variable in own], dtype=bool)
        if self._found:
            self._witnesses = np.concatenate([self._witnesses, np.array(self._found)])
            self._found = []
        possible[tuple(self._witnesses[:, column] for column in columns)] = True
        for values in self._missing(possible):
            if not possible[values]:
                case = self._solver.found(dict(zip(own, values, strict=True)))
                if case is not None:
                    self._found.append(case)
                    possible[tuple(case[column] for column in columns)] = True
        return possible

    @staticmethod
    def _missing(possible: Flags) -> Iterator[tuple[int, ...]]:
        for values in product(*map(range, possible.shape)):
            if not possible[values]:
                yield values


def _table(
    variables: tuple[int, ...], forbidden: frozenset[tuple[int, ...]], sizes: tuple[int, ...]
) -> _Table:
    own = [sizes[variable] for variable in variables]
    allowed = np.ones(own, dtype=bool)
    for values in forbidden:
        allowed[values] = False
    strides = [int(np.prod(own[at + 1 :], dtype=np.intp)) for at in range(len(own))]
    return _Table(np.array(variables, np.intp), np.array(strides, np.intp), allowed.ravel())


@dataclass(frozen=True)
class Coverage:
    """How many of the tuples that valid cases contain are `covered` by valid rows.

    It is counted independently of how the rows were made. `invalid` counts rows that break a
    constraint; they cover nothing.
    """

    tuples: int
    covered: int
    invalid: int

    @property
    def complete(self) -> bool:
        """Whether nothing is left to cover and every row is valid."""
        return self.covered == self.tuples and not self.invalid


def coverage(cases: CaseSpace, rows: Ints, strength: int) -> Coverage:
    """Count the tuples of `strength` values that rows of indices cover."""
    width = min(strength, len(cases.sizes))
    valid = [cases.holds(cases.params(row)) for row in rows.tolist()]
    kept = rows[np.array(valid, dtype=bool)] if len(rows) else rows
    covered = sum(
        _distinct(kept[:, members], [cases.sizes[member] for member in members])
        for members in map(list, combinations(range(len(cases.sizes)), width))
    )
    possible = Validity(cases).possible(interactions(cases.sizes, width))
    return Coverage(int(possible.sum()), covered, valid.count(False))


def _distinct(values: Ints, sizes: Sequence[int]) -> int:
    """Return how many different rows there are."""
    occurs = np.zeros(prod(sizes), dtype=bool)
    occurs[np.ravel_multi_index(tuple(values.T), tuple(sizes))] = True
    return int(occurs.sum())

"""What constraints allow, asked about many rows at once."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from sparring.errors import ConfigurationError, Problem
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.strategies.sampling.components import Component, components_of
from sparring_plugins.search.strategies.t_wise.interactions import Flags, Interactions, Ints
from sparring_plugins.search.strategies.t_wise.satisfiability import Satisfying


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


class Validity:
    """The constraints of a space over rows of indices; raises as `components_of` does."""

    def __init__(self, cases: CaseSpace) -> None:
        self.sizes = cases.sizes
        self._component: dict[int, _Answers] = {}
        for one in components_of(cases):
            answers = _Written(one) if one.rows is not None else _Asked(one, cases)
            self._component.update(dict.fromkeys(one.variables, answers))
        self._tables: list[list[_Table]] = [[] for _ in cases.sizes]
        self._all: list[_Table] = []
        for variables, forbidden in cases.tables():
            table = _table(variables, forbidden, cases.sizes)
            self._all.append(table)
            for variable in variables:
                self._tables[variable].append(table)

    def changes(self, rows: Ints, variable: int) -> Flags | None:
        """Which values a variable may have beside the others of each row; None for all."""
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
        """Which rows are valid once a variable has a value."""
        valid = np.ones(len(rows), dtype=bool)
        for table in self._tables[variable]:
            change = (value - rows[:, variable]) * table.stride(variable)
            valid &= table.allowed.take(table.places(rows) + change)
        return valid

    def holds(self, row: Ints) -> bool:
        """Whether a row satisfies all constraints."""
        return all(table.allowed[table.places(row[None])[0]] for table in self._all)

    def extends(self, rows: Ints, known: Flags, variable: int) -> Flags | None:
        """Which values of a variable leave each row valid cases; None for all.

        Only the values of the variables that are `known` count.
        """
        answers = self._component.get(variable)
        if answers is None:
            return None
        fixed = [one for one in answers.variables if known[one] and one != variable]
        pins = rows[:, fixed].tolist()
        return np.array(
            [answers.values(dict(zip(fixed, one, strict=True)), variable) for one in pins]
        )

    def feasible(self, pins: Mapping[int, int]) -> bool:
        """Whether there is a valid case with the pinned values."""
        answers = {id(one): one for variable in pins if (one := self._component.get(variable))}
        return all(one.feasible(pins) for one in answers.values())

    def possible(self, model: Interactions) -> Flags:
        """Which tuples at least one valid case contains; decided exactly."""
        possible = np.ones(model.cells, dtype=bool)
        ends = [*model.first[1:].tolist(), model.cells]
        for number, (first, end) in enumerate(zip(model.first.tolist(), ends, strict=True)):
            members = model.members[number][model.strides[number] > 0].tolist()
            if any(one in self._component for one in members):
                possible[first:end] &= self._possible(tuple(members)).ravel()
        return possible

    def _possible(self, members: tuple[int, ...]) -> Flags:
        """Which values of some variables go together, an axis for each of them."""
        found = np.ones([self.sizes[one] for one in members], dtype=bool)
        for answers in {id(one): one for one in map(self._component.get, members) if one}.values():
            own = tuple(one for one in members if one in answers.variables)
            shape = [self.sizes[one] if one in own else 1 for one in members]
            found &= answers.projection(own).reshape(shape)
        return found


class _Answers:
    """What one component allows."""

    def __init__(self, component: Component) -> None:
        self.component = component
        self.variables = component.variables
        self.size = dict(zip(component.variables, component.sizes, strict=True))
        self._projections: dict[tuple[int, ...], Flags] = {}

    def values(self, pins: Mapping[int, int], variable: int) -> list[bool]:
        """Which values of a variable go with pinned ones."""
        values = range(self.size[variable])
        return [self.feasible({**pins, variable: value}) for value in values]

    def feasible(self, pins: Mapping[int, int]) -> bool:
        raise NotImplementedError

    def projection(self, own: tuple[int, ...]) -> Flags:
        """Which values of some of the variables go together."""
        found = self._projections.get(own)
        if found is None:
            found = self._projections[own] = self._projected(own)
        return found

    def _projected(self, own: tuple[int, ...]) -> Flags:
        raise NotImplementedError


class _Written(_Answers):
    """A component whose valid values are written out."""

    def __init__(self, component: Component) -> None:
        super().__init__(component)
        self._rows = np.array(component.rows, dtype=np.intp).reshape(-1, len(self.variables))

    def feasible(self, pins: Mapping[int, int]) -> bool:
        return self.component.alive(pins) != 0

    def values(self, pins: Mapping[int, int], variable: int) -> list[bool]:
        return self.component.values(self.component.alive(pins), variable)

    def _projected(self, own: tuple[int, ...]) -> Flags:
        found = np.zeros([self.size[one] for one in own], dtype=bool)
        found[tuple(self._rows[:, self.variables.index(one)] for one in own)] = True
        return found


class _Asked(_Answers):
    """A component that a solver answers for; cases that it finds answer for other questions."""

    def __init__(self, component: Component, cases: CaseSpace) -> None:
        super().__init__(component)
        self._solver = Satisfying(component)
        self._witnesses = np.zeros((0, len(self.variables)), dtype=np.intp)
        self._found: list[tuple[int, ...]] = []
        if not self.feasible({}):
            source, key = cases.scenario.source, cases.scenario.name
            raise ConfigurationError(
                Problem("no case satisfies all of its constraints", source, key=key)
            )

    def feasible(self, pins: Mapping[int, int]) -> bool:
        return self._solver.found(pins) is not None

    def _projected(self, own: tuple[int, ...]) -> Flags:
        columns = [self.variables.index(one) for one in own]
        found = np.zeros([self.size[one] for one in own], dtype=bool)
        if self._found:
            self._witnesses = np.concatenate([self._witnesses, np.array(self._found)])
            self._found = []
        found[tuple(self._witnesses[:, column] for column in columns)] = True
        for values in self._missing(found):
            if not found[values]:
                case = self._solver.found(dict(zip(own, values, strict=True)))
                if case is not None:
                    self._found.append(case)
                    found[tuple(case[column] for column in columns)] = True
        return found

    @staticmethod
    def _missing(found: Flags) -> Iterator[tuple[int, ...]]:
        for values in product(*map(range, found.shape)):
            if not found[values]:
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

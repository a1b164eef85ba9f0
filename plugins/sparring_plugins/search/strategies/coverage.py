"""The strategy `coverage`: a full matrix over chosen features, each cell visited equally often.

ASTRAL (Ugarte, Valle, Parejo, Segura and Arrieta) covers safety categories, writing styles and
persuasion techniques in this way, so that every combination gets as many tests as any other.
"""

from collections.abc import Collection, Sequence
from math import prod
from typing import ClassVar

from pydantic import Field, JsonValue

from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError, Problem, StoredRunError
from sparring.interfaces.plugin import PluginConfig
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.case import Case
from sparring.model.space import Space
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.strategies.sampling import (
    Permutation,
    ValidCases,
    for_each_scenario,
    repetitions,
)

_TRIED = 5_000
"""Draws for a further valid case of a cell, if constraints are too large to enumerate."""


class Matrix:
    """The combinations of the chosen features of a scenario; of all features without a choice.

    `size` is the number of cells and `most` how often one can be visited at most.
    """

    def __init__(self, cases: CaseSpace, features: Collection[str] | None, seed: int) -> None:
        self.cases = cases
        names = cases.names if features is None else features
        chosen = [number for number, name in enumerate(cases.names) if name in names]
        self._valid = ValidCases(cases)
        self._cells = self._valid.cells(chosen)
        self._key = (seed, cases.scenario.name)
        self.size = self._cells.size
        others = prod(size for n, size in enumerate(cases.sizes) if n not in chosen)
        self.most = others if cases.names else repetitions(cases.scenario)

    def first(self, visit: int, place: int, run_seed: int) -> tuple[Case, int] | None:
        """Return the next case from a place on, and the place after it.

        Cells that have too few cases for this visit are skipped.
        """
        order = Permutation(self.size, *self._key, "visit", visit)
        for at in range(place, self.size):
            if not self.cases.names:
                return self.cases.case({}, run_seed=run_seed, repeat=visit + 1), at + 1
            indices = self._case(order[at], visit)
            if indices is not None:
                return self.cases.case(self.cases.params(indices), run_seed=run_seed), at + 1
        return None

    def _case(self, cell: int, visit: int) -> Indices | None:
        """Return the case of a visit to a cell; None if the cell has fewer."""
        pins = self._cells[cell]
        others = self._valid.among(pins)
        if visit >= others.size:
            return None
        order = Permutation(others.size, *self._key, "cell", cell)
        if self._valid.exact:
            return self._valid.case({**pins, **others[order[visit]]})
        for number in range(min(others.size, visit + _TRIED)):
            indices = self._valid.case({**pins, **others[order[number]]})
            if indices is not None:
                if not visit:
                    return indices
                visit -= 1
        return None


_Cursor = tuple[int, int, int]


class CoverageConfig(PluginConfig):
    """Settings of the strategy `coverage`."""

    features: list[str] | None = Field(
        default=None,
        min_length=1,
        description="The features whose combinations make the matrix; the others are drawn. "
        "By default all features.",
    )
    visits: int | None = Field(
        default=None,
        ge=1,
        description="How often each cell of the matrix is visited at most; by default until "
        "there are no further cases or the budget is spent.",
    )


class CoverageStrategy(SearchStrategy[CoverageConfig]):
    """Visits every cell once in random order, then every cell again with other values, and so on.

    A cell is a combination of the chosen features' values that a valid case has. However early a
    run is stopped, no cell was visited more than once more than another that has cases left. The
    other features are drawn uniformly from the valid cases of the cell, no case twice. Scenarios
    without a chosen feature have one cell. Memory does not grow.
    """

    Config: ClassVar[type[PluginConfig]] = CoverageConfig

    _seed: int = 0
    _matrices: Sequence[Matrix] = ()
    _cursor: _Cursor = (0, 0, 0)
    _next: tuple[Case, _Cursor] | None = None

    def start(self, space: Space, seed: int) -> None:
        self._check_features(space)
        self._seed = seed
        self._matrices = for_each_scenario(
            space,
            lambda scenario: Matrix(CaseSpace(scenario, self.context), self.config.features, seed),
        )
        self._go_to((0, 0, 0))

    def _check_features(self, space: Space) -> None:
        names = sorted({v.name for scenario in space.scenarios for v in scenario.variables})
        problems = [
            Problem(f"there is no feature {name!r}.{nearest(name, names)}", key="features")
            for name in self.config.features or ()
            if name not in names
        ]
        if problems:
            raise ConfigurationError(*problems)

    def ask(self, n: int) -> Sequence[Case]:
        asked: list[Case] = []
        while len(asked) < n and self._next is not None:
            case, after = self._next
            asked.append(case)
            self._go_to(after)
        return asked

    def _go_to(self, cursor: _Cursor) -> None:
        self._cursor, self._next = cursor, self._find_next(cursor)

    def _find_next(self, cursor: _Cursor) -> tuple[Case, _Cursor] | None:
        """Return the next case from a cursor on, with the cursor after it.

        A cursor is the visit, the scenario and the place in its random order of cells.
        """
        visit, number, place = cursor
        while any(self._is_open(matrix, visit) for matrix in self._matrices):
            for at in range(number, len(self._matrices)):
                matrix = self._matrices[at]
                if self._is_open(matrix, visit):
                    step = matrix.first(visit, place, self._seed)
                    if step is not None:
                        return step[0], (visit, at, step[1])
                place = 0
            visit, number, place = visit + 1, 0, 0
        return None

    def _is_open(self, matrix: Matrix, visit: int) -> bool:
        return visit < min(self.config.visits or matrix.most, matrix.most)

    @property
    def done(self) -> bool:
        return self._next is None

    def state(self) -> JsonValue:
        return {
            "cursor": list(self._cursor),
            "cells": [str(matrix.size) for matrix in self._matrices],
        }

    def restore(self, state: JsonValue) -> None:
        saved = state if isinstance(state, dict) else {}
        cursor = saved.get("cursor")
        if (
            not isinstance(cursor, list)
            or len(cursor) != 3
            or saved.get("cells") != [str(matrix.size) for matrix in self._matrices]
        ):
            raise StoredRunError("the saved state of the strategy 'coverage' is of another suite")
        visit, number, place = cursor
        if (
            type(visit) is not int or type(number) is not int or type(place) is not int
            or not (visit >= 0 and place >= 0 and 0 <= number < max(1, len(self._matrices)))
        ):  # fmt: skip
            raise StoredRunError("the saved state of the strategy 'coverage' is of another suite")
        self._go_to((visit, number, place))

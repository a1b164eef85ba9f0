"""The strategy `coverage`: a full matrix over chosen features, each cell visited equally often.

ASTRAL (Ugarte, Valle, Parejo, Segura and Arrieta) covers safety categories, writing styles and
persuasion techniques in this way, so that every combination gets as many tests as any other.
"""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field, JsonValue

from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError, Problem, StoredRunError
from sparring.interfaces.plugin import PluginConfig
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.case import Case
from sparring.model.space import Space
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.strategies.coverage.matrix import Matrix
from sparring_plugins.search.strategies.sampling.distinct import distinct

_Cursor = tuple[int, int, int]


class CoverageConfig(PluginConfig):
    """Settings of the strategy `coverage`."""

    features: list[str] | None = Field(
        default=None,
        min_length=1,
        description="The features whose combinations make the matrix; the others are drawn. "
        "Without it, all features.",
    )
    visits: int | None = Field(
        default=None,
        ge=1,
        description="How often each cell of the matrix is visited at most; without it, until "
        "there are no further cases or the budget is spent.",
    )


class CoverageStrategy(SearchStrategy[CoverageConfig]):
    """Visits every cell once in random order, then every cell again with other values, and so on.

    A cell is a combination of the chosen features' values that a valid case has. However early a
    run is stopped, no cell was visited more than once more than another that has cases left. The
    other features are drawn evenly from the valid cases of the cell, no case twice. Scenarios
    without a chosen feature have one cell. Memory does not grow.
    """

    Config: ClassVar[type[PluginConfig]] = CoverageConfig

    _seed: int = 0
    _matrices: Sequence[Matrix] = ()
    _cursor: _Cursor = (0, 0, 0)
    _next: tuple[Case, _Cursor] | None = None

    def start(self, space: Space, seed: int) -> None:
        self._check_features(space)
        matrices: list[Matrix] = []
        problems: list[Problem] = []
        for scenario in distinct(space).scenarios:
            try:
                cases = CaseSpace(scenario, self.context)
                matrices.append(Matrix(cases, self.config.features, seed))
            except ConfigurationError as err:
                problems += err.problems
        if problems:
            raise ConfigurationError(*problems)
        self._seed, self._matrices = seed, matrices
        self._go_to((0, 0, 0))

    def _check_features(self, space: Space) -> None:
        names = sorted({v.name for one in space.scenarios for v in one.variables})
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
        self._cursor, self._next = cursor, self._found(cursor)

    def _found(self, cursor: _Cursor) -> tuple[Case, _Cursor] | None:
        """The first case from a cursor on (visit, scenario, place), with the cursor after it."""
        visit, number, place = cursor
        while any(self._open(matrix, visit) for matrix in self._matrices):
            for at in range(number, len(self._matrices)):
                matrix = self._matrices[at]
                if self._open(matrix, visit):
                    found = matrix.first(visit, place, self._seed)
                    if found is not None:
                        return found[0], (visit, at, found[1])
                place = 0
            visit, number, place = visit + 1, 0, 0
        return None

    def _open(self, matrix: Matrix, visit: int) -> bool:
        return visit < min(self.config.visits or matrix.most, matrix.most)

    @property
    def done(self) -> bool:
        return self._next is None

    def state(self) -> JsonValue:
        return {"cursor": list(self._cursor), "cells": [str(one.size) for one in self._matrices]}

    def restore(self, state: JsonValue) -> None:
        saved = state if isinstance(state, dict) else {}
        cursor = saved.get("cursor")
        if (
            not isinstance(cursor, list)
            or len(cursor) != 3
            or saved.get("cells") != [str(one.size) for one in self._matrices]
        ):
            raise StoredRunError("the saved state of the strategy 'coverage' is of another suite")
        visit, number, place = cursor
        if (
            type(visit) is not int or type(number) is not int or type(place) is not int
            or not (visit >= 0 and place >= 0 and 0 <= number < max(1, len(self._matrices)))
        ):  # fmt: skip
            raise StoredRunError("the saved state of the strategy 'coverage' is of another suite")
        self._go_to((visit, number, place))

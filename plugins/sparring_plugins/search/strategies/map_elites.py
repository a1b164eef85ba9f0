"""The strategy `map-elites`: quality-diversity over behaviour descriptors (Mouret and Clune 2015).

The archive keeps the worst behaviour of the app in every cell of the space.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, JsonValue

from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError, Problem
from sparring.interfaces.plugin import PluginConfig
from sparring.model.space import Space
from sparring_plugins.search.space import CaseSpace, TooHard
from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.strategies.learning_strategy import SearchingConfig, SearchingStrategy
from sparring_plugins.search.strategies.scenario_search import (
    Evaluated,
    ScenarioSearch,
    pack_rows,
    unpack_rows,
)

KIND = "kind"
"""The descriptor that stands for the failure class of a case."""

_TRIES = 30
"""Children made for each that is wanted, before a random case takes its place."""

Cell = tuple[str, ...]


@dataclass(frozen=True)
class MapElitesSettings:
    """The parameters of MAP-Elites; see the strategy's settings."""

    descriptors: tuple[str, ...]
    batch: int
    first: int
    explore: float
    mutation: float
    biased: bool


class MapElitesSearch(ScenarioSearch):
    """Keeps the case with the worst result in each cell (`elites`), and varies these."""

    def __init__(self, cases: CaseSpace, seed: int, settings: MapElitesSettings) -> None:
        super().__init__(cases, seed)
        self.settings = settings
        self.elites: dict[Cell, tuple[Indices, float]] = {}
        self._numbers = [cases.names.index(n) for n in settings.descriptors if n in cases.names]
        self._by_class = KIND in settings.descriptors and KIND not in cases.names

    @property
    def batch(self) -> int:
        return self.settings.batch if self.elites else max(self.settings.first, 1)

    def proposed(self, number: int, draw: Random) -> Sequence[Indices]:
        if not self.elites:
            return ()
        elites = list(self.elites.values())
        children: dict[Indices, None] = {}
        for _ in range(number):
            row = (
                None
                if draw.random() < self.settings.explore
                else self._child(elites, children, draw)
            )
            row = row or self.fresh.draw(self.seen, children)
            if row is not None:
                children[row] = None
        return list(children)

    def _child(
        self, elites: list[tuple[Indices, float]], siblings: dict[Indices, None], draw: Random
    ) -> Indices | None:
        for _ in range(_TRIES):
            first, second = self._parent(elites, draw), self._parent(elites, draw)
            row = [a if draw.random() < 0.5 else b for a, b in zip(first, second, strict=True)]
            for number, size in enumerate(self.cases.sizes):
                if draw.random() < self.settings.mutation:
                    row[number] = _move(row[number], size, self.cases.ordinal[number], draw)
            try:
                child = self.cases.repaired_indices(tuple(row))
            except TooHard:
                continue
            if child not in self.seen and child not in siblings:
                return child
        return None

    def _parent(self, elites: list[tuple[Indices, float]], draw: Random) -> Indices:
        """Return an elite: any, or the worse of two if the search is biased towards failures."""
        drawn = draw.choices(elites, k=2 if self.settings.biased else 1)
        return min(drawn, key=lambda elite: elite[1])[0]

    def cell(self, row: Indices, failure_class: Sequence[str]) -> Cell:
        """Return the cell of a case: its values of the descriptors, and the failure class."""
        values = [str(row[number]) for number in self._numbers]
        return (*values, " ".join(failure_class)) if self._by_class else tuple(values)

    def learn(self, evaluated: Sequence[Evaluated]) -> None:
        for row, evaluation in evaluated:
            quality = sum(evaluation.objectives) / len(evaluation.objectives) - evaluation.failed
            cell = self.cell(row, evaluation.failure_class)
            elite = self.elites.get(cell)
            if elite is None or quality < elite[1]:
                self.elites[cell] = (row, quality)

    def state(self) -> dict[str, JsonValue]:
        return {
            **super().state(),
            "cells": [list(cell) for cell in self.elites],
            "elites": [pack_rows([row], self.cases.sizes) for row, _ in self.elites.values()],
            "qualities": [quality for _, quality in self.elites.values()],
        }

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        cells = [tuple(map(str, cell)) for cell in state["cells"]]
        rows = unpack_rows("".join(state["elites"]), self.cases.sizes)
        qualities = [float(quality) for quality in state["qualities"]]
        elites = zip(rows, qualities, strict=True)
        self.elites = dict(zip(cells, elites, strict=True))


def _move(at: int, size: int, ordinal: bool, draw: Random) -> int:
    """Return another value: of an ordinal feature mostly a neighbour."""
    if ordinal and draw.random() < 0.75:
        return min(max(at + draw.choice((-1, 1)), 0), size - 1)
    return draw.randrange(size)


_CELLS = 400
"""The largest number of cells if the suite names no descriptors."""


class MapElitesConfig(SearchingConfig):
    """Settings of the strategy `map-elites`."""

    descriptors: tuple[str, ...] | None = Field(
        default=None,
        min_length=1,
        description="What distinguishes cells: features by name, and `kind` for the failure "
        "class. By default content features, as many as make no more than 400 cells, and the "
        "failure class.",
    )
    batch: Annotated[int, Field(ge=1, le=1_000, description="Cases of a batch.")] = 20
    first: Annotated[int, Field(ge=1, le=10_000, description="Random cases to begin with.")] = 40
    explore: float = Field(
        default=0.1, ge=0, le=1, description="The share of random cases in each batch."
    )
    mutation: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="How likely each value changes; by default 1 / features.",
    )
    parents: Literal["uniform", "biased"] = Field(
        default="uniform",
        description="Whether each elite is as likely a parent, or those that do worse.",
    )


class MapElitesStrategy(SearchingStrategy[MapElitesConfig]):
    """Keeps for each cell the case in which the app did worst, and varies these (MAP-Elites).

    A cell is a combination of descriptor values. The archive of elites shows where the app fails,
    and how badly, over the whole space, while a genetic search converges on some of its corners.
    """

    Config: ClassVar[type[PluginConfig]] = MapElitesConfig

    def start(self, space: Space, seed: int) -> None:
        features = sorted({v.name for scenario in space.scenarios for v in scenario.variables})
        problems = [
            Problem(
                f"there is no feature {name!r}.{nearest(name, [*features, KIND])}",
                key="descriptors",
            )
            for name in self.config.descriptors or ()
            if name not in features and name != KIND
        ]
        if problems:
            raise ConfigurationError(*problems)
        super().start(space, seed)

    def search(self, cases: CaseSpace, seed: int) -> ScenarioSearch:
        config = self.config
        mutation = config.mutation
        settings = MapElitesSettings(
            descriptors=config.descriptors or (*default_descriptors(cases), KIND),
            batch=config.batch,
            first=config.first,
            explore=config.explore,
            mutation=1 / len(cases.names) if mutation is None else mutation,
            biased=config.parents == "biased",
        )
        return MapElitesSearch(cases, seed, settings)


def default_descriptors(cases: CaseSpace) -> list[str]:
    """Return content features, or all if there are none, while the cells are not too many."""
    variables = cases.scenario.variables
    content = [variable for variable in variables if variable.group == "content"] or list(variables)
    chosen: list[str] = []
    cells = 1
    for candidate in content:
        if cells * len(candidate.domain) <= _CELLS:
            cells *= len(candidate.domain)
            chosen.append(candidate.name)
    return chosen

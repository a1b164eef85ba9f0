"""The strategy `map-elites`: quality-diversity over behaviour descriptors."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError, Problem
from sparring.interfaces.plugin import PluginConfig
from sparring.model.space import Space
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.strategies.map_elites.search import KIND, Illumination, MapElitesSearch
from sparring_plugins.search.strategies.searching.scenario_search import ScenarioSearch
from sparring_plugins.search.strategies.searching.strategy import SearchingConfig, SearchingStrategy

_CELLS = 400
"""Cells at most where the suite names no descriptors."""


class MapElitesConfig(SearchingConfig):
    """Settings of the strategy `map-elites`."""

    descriptors: Annotated[
        tuple[str, ...] | None,
        Field(
            min_length=1,
            description="What tells cells apart: features by name, and `kind` for the kind of "
            "failure. Without it content features, as many as make no more than 400 cells, and "
            "the kind.",
        ),
    ] = None
    batch: Annotated[int, Field(ge=1, le=1_000, description="Cases of a batch.")] = 20
    first: Annotated[int, Field(ge=1, le=10_000, description="Random cases to begin with.")] = 40
    explore: Annotated[
        float, Field(ge=0, le=1, description="The share of random cases in each batch.")
    ] = 0.1
    mutation: Annotated[
        float | None,
        Field(ge=0, le=1, description="How likely each value changes; else one by their number."),
    ] = None
    parents: Annotated[
        Literal["uniform", "biased"],
        Field(description="Whether each elite is as likely a parent, or those that do worse."),
    ] = "uniform"


class MapElitesStrategy(SearchingStrategy[MapElitesConfig]):
    """Keeps for each cell the case in which the app did worst, and varies these (MAP-Elites).

    A cell is a combination of descriptor values. The archive of elites shows where the app fails,
    and how badly, over the whole space, where a genetic search converges on some of its corners.
    """

    Config: ClassVar[type[PluginConfig]] = MapElitesConfig

    def start(self, space: Space, seed: int) -> None:
        known = sorted({v.name for one in space.scenarios for v in one.variables})
        problems = [
            Problem(
                f"there is no feature {name!r}.{nearest(name, [*known, KIND])}", key="descriptors"
            )
            for name in self.config.descriptors or ()
            if name not in known and name != KIND
        ]
        if problems:
            raise ConfigurationError(*problems)
        super().start(space, seed)

    def search(self, cases: CaseSpace, seed: int) -> ScenarioSearch:
        config = self.config
        mutation = config.mutation
        manner = Illumination(
            descriptors=config.descriptors or (*described(cases), KIND),
            batch=config.batch,
            first=config.first,
            explore=config.explore,
            mutation=1 / len(cases.names) if mutation is None else mutation,
            biased=config.parents == "biased",
        )
        return MapElitesSearch(cases, seed, manner)


def described(cases: CaseSpace) -> list[str]:
    """Content features, or all where there are none, in order while the cells are not too many."""
    variables = cases.scenario.variables
    content = [one for one in variables if one.group == "content"] or list(variables)
    chosen: list[str] = []
    cells = 1
    for one in content:
        if cells * len(one.domain) <= _CELLS:
            cells *= len(one.domain)
            chosen.append(one.name)
    return chosen

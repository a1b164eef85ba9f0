"""The strategy `nsga2`: a genetic search for failures with several objectives (STELLAR)."""

from importlib.util import find_spec
from typing import ClassVar

from pydantic import Field

from sparring.errors import MissingExtra
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.strategies.learning_strategy import SearchingConfig, SearchingStrategy
from sparring_plugins.search.strategies.scenario_search import ScenarioSearch


class Nsga2Config(SearchingConfig):
    """Settings of the strategy `nsga2`; the defaults are the paper's."""

    population: int = Field(
        default=20, ge=2, le=1_000, description="Cases of a generation, and survivors of it."
    )
    crossover: float = Field(
        default=0.7, ge=0, le=1, description="How likely two parents are crossed."
    )
    mutation: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="How likely each value of a child is changed; by default 1 / number of "
        "features, as in the paper (0.12 for 8 features, 0.07 for 13).",
    )
    eta_crossover: float = Field(
        default=3.0,
        ge=0,
        le=100,
        description="SBX of ordinal values: the smaller, the further apart.",
    )
    eta_mutation: float = Field(
        default=3.0,
        ge=0,
        le=100,
        description="Polynomial mutation of ordinal values: smaller, further.",
    )


class Nsga2Strategy(SearchingStrategy[Nsga2Config]):
    """NSGA-II over feature vectors (Deb et al. 2002), with the operators and rates of STELLAR.

    A generation is made by tournaments, SBX and polynomial mutation of ordinal values, uniform
    crossover and mutation of categorical ones; children are repaired, and the repair is written
    back into their vectors, so that the search learns from what was really tested. Survivors are
    chosen by rank and crowding. If mating yields nothing new, random cases take the places and are
    counted as immigrants.
    """

    Config: ClassVar[type[PluginConfig]] = Nsga2Config

    def __init__(self, config: Nsga2Config, context: BuildContext) -> None:
        super().__init__(config, context)
        if find_spec("pymoo") is None:
            raise MissingExtra("NSGA-II needs pymoo: pip install 'sparring[nsga2]'")

    def search(self, cases: CaseSpace, seed: int) -> ScenarioSearch:
        from sparring_plugins.search.strategies.nsga2_search import Nsga2Search, Rates

        mutation = self.config.mutation
        rates = Rates(
            self.config.population,
            self.config.crossover,
            1 / len(cases.names) if mutation is None else mutation,
            self.config.eta_crossover,
            self.config.eta_mutation,
        )
        return Nsga2Search(cases, seed, rates)

    def population(self) -> list[str] | None:
        from sparring_plugins.search.strategies.nsga2_search import Nsga2Search

        return [
            search.cases.case(search.cases.params(row), run_seed=self._seed).id
            for search in self._searches
            if isinstance(search, Nsga2Search)
            for row in search.population
        ]

"""The strategy `surrogate`: plays what it predicts to fail, and to fail in ways seen seldom."""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, ClassVar, cast

from pydantic import Field

from sparring.errors import MissingExtra
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.model.case import Case
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.strategies.searching.scenario_search import ScenarioSearch
from sparring_plugins.search.strategies.searching.strategy import SearchingConfig, SearchingStrategy

if TYPE_CHECKING:
    from sparring_plugins.search.strategies.surrogate.search import SurrogateSearch


class SurrogateConfig(SearchingConfig):
    """Settings of the strategy `surrogate`."""

    batch: Annotated[int, Field(ge=1, le=1_000, description="Cases of a batch.")] = 20
    first: Annotated[
        int,
        Field(
            ge=2,
            le=10_000,
            description="Random cases before the first prediction is made; half of them where four "
            "of these failed.",
        ),
    ] = 40
    candidates: Annotated[
        int,
        Field(
            ge=10,
            le=20_000,
            description="Cases that are thought of for each batch, and ranked by their values. A "
            "quarter are children of the best of the others.",
        ),
    ] = 1_600
    read: Annotated[
        int,
        Field(
            ge=0,
            le=20_000,
            description="How many of them are put into words for each batch, to be ranked by what "
            "they say; 0 reads only what is played. With a writer that asks a model, each costs a "
            "call.",
        ),
    ] = 300
    explore: Annotated[
        float,
        Field(
            ge=0,
            le=1,
            description="The share of random cases in each batch, while predictions are bad.",
        ),
    ] = 0.03
    spread: Annotated[
        float,
        Field(
            ge=0,
            le=1,
            description="The share of cases that are the nearest to failing of values, or pairs of "
            "values, with few failures so far.",
        ),
    ] = 0.1
    kinds: Annotated[
        float,
        Field(
            ge=0,
            le=1,
            description="The share of cases that are aimed at kinds of failures that were never "
            "seen, or seldom. Less is taken while new kinds come by themselves, and the longer "
            "looking for them is in vain.",
        ),
    ] = 0.45
    rarity: Annotated[
        float,
        Field(
            ge=0,
            le=100,
            description="What it is worth that a failure is predicted to be of a kind that was "
            "seen seldom; 0 goes for the most failures.",
        ),
    ] = 0.3


class SurrogateStrategy(SearchingStrategy[SurrogateConfig]):
    """Learns from values and words which cases fail, and in what way, and plays such.

    For each batch it makes some thousand candidates: kin of failures of seldom kinds, random ones,
    and children of the best of these. They are ranked by logistic regressions over values and pairs
    of values and by trees over values; what the best of them would say is read, and ranks these
    again, together with all that were read before. What is worth most is how likely a case fails,
    and how seldom the kind was that it is predicted to show. A share of each batch is random. Cases
    like one before are refused before they are played.
    """

    Config: ClassVar[type[PluginConfig]] = SurrogateConfig

    def __init__(self, config: SurrogateConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        for module, name in (("numpy", "numpy"), ("sklearn", "scikit-learn")):
            if find_spec(module) is None:
                raise MissingExtra(f"the surrogate needs {name}: pip install 'sparring[search]'")

    def search(self, cases: CaseSpace, seed: int) -> ScenarioSearch:
        from sparring_plugins.search.strategies.surrogate.search import Manner, SurrogateSearch
        from sparring_plugins.search.strategies.surrogate.steady import SteadySurrogateSearch

        config = self.config
        manner = Manner(
            batch=config.batch,
            first=config.first,
            candidates=config.candidates,
            read=config.read,
            explore=config.explore,
            rarity=config.rarity,
            spread=config.spread,
            kinds=config.kinds,
        )
        steady = config.mode == "steady-state"
        return (SteadySurrogateSearch if steady else SurrogateSearch)(cases, seed, manner)

    def drafts(self, n: int) -> Sequence[Case]:
        at = self.upcoming()
        if at is None or not self._searches[at].cases.names:
            return []
        search = cast("SurrogateSearch", self._searches[at])
        return [
            search.cases.case(search.cases.params(row), run_seed=self._seed)
            for row in search.drafts()
        ]

    def read(self, case: Case, text: str) -> None:
        for one in self._searches:
            if one.cases.scenario.name == case.scenario and one.cases.names:
                cast("SurrogateSearch", one).read(one.cases.indices(case.params), text)

"""The strategy `surrogate`: plays what it predicts to fail, and to fail in rare classes."""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, cast

from pydantic import Field

from sparring.errors import MissingExtra
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.model.case import Case
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.strategies.learning_strategy import SearchingConfig, SearchingStrategy
from sparring_plugins.search.strategies.scenario_search import ScenarioSearch

if TYPE_CHECKING:
    from sparring_plugins.search.strategies.surrogate.search import SurrogateSearch


class SurrogateConfig(SearchingConfig):
    """Settings of the strategy `surrogate`."""

    batch: Annotated[int, Field(ge=1, le=1_000, description="Cases of a batch.")] = 20
    first: int = Field(
        default=40,
        ge=2,
        le=10_000,
        description="Random cases before the first prediction is made; half of them if four "
        "of these failed.",
    )
    candidates: int = Field(
        default=1_600,
        ge=10,
        le=20_000,
        description="Candidates that are made for each batch, and ranked by their values. A "
        "quarter are children of the best of the others.",
    )
    read: int = Field(
        default=300,
        ge=0,
        le=20_000,
        description="How many of them are put into words for each batch, to be ranked by what "
        "they say, half as many with 'goal: causes'; 0 reads only what is played. With a writer "
        "that asks a model, each costs a call.",
    )
    explore: float = Field(
        default=0.03,
        ge=0,
        le=1,
        description="The share of random cases in each batch, while predictions are bad.",
    )
    spread: float = Field(
        default=0.1,
        ge=0,
        le=1,
        description="The share of cases that are the nearest to failing of values, or pairs of "
        "values, with few failures so far.",
    )
    kinds: float = Field(
        default=0.45,
        ge=0,
        le=1,
        description="The share of cases for failure classes that were never seen, or rarely. "
        "It falls while new classes appear by themselves, and the longer looking for them "
        "stagnates.",
    )
    rarity: float = Field(
        default=0.3,
        ge=0,
        le=100,
        description="The weight of a predicted failure class being rare; 0 searches for the "
        "most failures.",
    )
    goal: Literal["causes", "failures"] = Field(
        default="causes",
        description="What is searched for: as many root causes as can be, each confirmed as a "
        "smallest condition on values and words, or as many failures as can be.",
    )
    share: float = Field(
        default=0.6,
        ge=0,
        le=1,
        description="With 'goal: causes', the share of cases that show more of what is known: "
        "root causes with other values, and failures of rare classes and of new pairs of values. "
        "It grows as looking for unknown root causes brings less.",
    )
    limit: int = Field(
        default=10,
        ge=1,
        le=10_000,
        description="With 'goal: causes', how many failures of a root cause are played for each "
        "value beside it.",
    )
    effort: int = Field(
        default=15,
        ge=1,
        le=1_000,
        description="With 'goal: causes', the most cases that are spent on finding out why one "
        "failure fails.",
    )
    stop_after: int = Field(
        default=0,
        ge=0,
        le=1_000_000,
        description="With 'goal: causes', end after this many cases without a new root cause, once "
        "no failure is left to look into; 0 searches until the budget is spent.",
    )


class SurrogateStrategy(SearchingStrategy[SurrogateConfig]):
    """Learns from values and words which cases fail, and in which class, and plays such cases.

    For each batch it makes some thousand candidates: neighbours of failures of rare classes, random
    ones, and children of the best of these. They are ranked by logistic regressions over values and
    pairs of values and by trees over values; the words of the best of them are read and rank these
    again, together with all that were read before. A candidate is worth the more, the likelier it
    fails and the rarer its predicted failure class is. A share of each batch is random. Cases
    similar to an earlier one are refused before they are played.
    """

    Config: ClassVar[type[PluginConfig]] = SurrogateConfig

    def __init__(self, config: SurrogateConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        for module, name in (("numpy", "numpy"), ("sklearn", "scikit-learn")):
            if find_spec(module) is None:
                raise MissingExtra(f"the surrogate needs {name}: pip install 'sparring[search]'")

    def search(self, cases: CaseSpace, seed: int) -> ScenarioSearch:
        from sparring_plugins.search.strategies.surrogate.search import (
            SteadySurrogateSearch,
            SurrogateSearch,
            SurrogateSettings,
        )

        config = self.config
        settings = SurrogateSettings(
            batch=config.batch,
            first=config.first,
            candidates=config.candidates,
            read=config.read,
            explore=config.explore,
            rarity=config.rarity,
            spread=config.spread,
            kinds=config.kinds,
            causes=config.goal == "causes",
            limit=config.limit,
            share=config.share,
            effort=config.effort,
            stop_after=config.stop_after,
        )
        steady = config.mode == "steady-state"
        return (SteadySurrogateSearch if steady else SurrogateSearch)(cases, seed, settings)

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
        for search in self._searches:
            if search.cases.scenario.name == case.scenario and search.cases.names:
                cast("SurrogateSearch", search).read(search.cases.indices(case.params), text)

"""The strategy `hypothesis`: property-based generation with shrinking."""

from importlib.util import find_spec
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from sparring.errors import MissingExtra
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.strategies.searching.scenario_search import ScenarioSearch
from sparring_plugins.search.strategies.searching.strategy import SearchingConfig, SearchingStrategy


class HypothesisConfig(SearchingConfig):
    """Settings of the strategy `hypothesis`."""

    examples: Annotated[
        int,
        Field(ge=1, le=2_000, description="Cases that a round generates before it is given up."),
    ] = 100


class HypothesisStrategy(SearchingStrategy[HypothesisConfig]):
    """Lets Hypothesis generate cases until one fails, and shrink it to the smallest that fails.

    Values shrink towards the first of their feature, so that write the plain one first. Each kind
    of failure is shrunk for itself; when all that a round found are as small as they get, the next
    round looks for other kinds. One case is played at a time, since each depends on the one before.
    """

    Config: ClassVar[type[PluginConfig]] = HypothesisConfig
    refuses: ClassVar[Literal["archive", "population", "none"]] = "none"

    def __init__(self, config: HypothesisConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        if find_spec("hypothesis") is None:
            raise MissingExtra(
                "property-based testing needs Hypothesis: pip install 'sparring[hypothesis]'"
            )

    def search(self, cases: CaseSpace, seed: int) -> ScenarioSearch:
        from sparring_plugins.search.strategies.property_based.search import PropertySearch

        return PropertySearch(cases, seed, self.config.examples)

"""What the three agents share: their settings, and the question with the page in it."""

from pathlib import Path
from typing import Any, ClassVar, TypeVar

from pydantic import Field

from sparring.interfaces.plugin import PluginConfig
from sparring_plugins.prompting.model_agent import ModelAgent, ModelAgentConfig
from sparring_plugins.web.model_agents.page_data import PageData, page_data
from sparring_plugins.web.roles.page_agents import PageTask

AnswerT = TypeVar("AnswerT", covariant=True)


class PageAgentConfig(ModelAgentConfig):
    """Settings of the agents that show a page to a language model."""

    elements: int = Field(
        default=400, ge=20, le=5_000, description="elements of a page that are shown at most"
    )
    characters: int = Field(
        default=40_000, ge=2_000, description="characters of a page that are shown at most"
    )


class PageAgent(ModelAgent[PageTask, AnswerT, PageAgentConfig]):
    """An agent that asks a language model about a step on a page."""

    Config: ClassVar[type[PluginConfig]] = PageAgentConfig
    folder: ClassVar[Path] = Path(__file__).with_name("prompts")
    temperature: ClassVar[float | None] = 0.0

    def shown(self, task: PageTask) -> PageData:
        """The page of a task as the model is shown it."""
        config = self.config
        return page_data(task, elements=config.elements, characters=config.characters)

    def values(self, task: PageTask, shown: PageData) -> dict[str, Any]:
        """The values of the three prompts."""
        return {
            "step": task.step.text,
            "done": [step.text for step in task.done[-20:]],
            "page": shown.page,
            "left_out": shown.left_out,
        }

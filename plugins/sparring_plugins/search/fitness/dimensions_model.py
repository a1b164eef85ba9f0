"""The fitness ``dimensions-model``: a language model puts an answer into classes."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from sparring.interfaces.plugin import PluginConfig
from sparring_plugins.prompting.data_blocks import conversation
from sparring_plugins.prompting.model_agent import ModelAgent, ModelAgentConfig
from sparring_plugins.prompting.plain_data import clipped
from sparring_plugins.prompting.question import Question
from sparring_plugins.search.fitness.dimensions import DIRECT, FOLLOW_UP, REQUEST, weighted
from sparring_plugins.search.roles.fitness import Fitness, FitnessTask
from sparring_plugins.users.model_user.user_description import on_one_line

PROMPTS = Path(__file__).with_name("prompts")
_LONGEST_REASON = 4_000


class Dimension(BaseModel):
    """A dimension that answers are judged by: classes from the worst to the best, in words."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    about: str = Field(min_length=1, description="what is asked of an answer")
    classes: tuple[str, ...] = Field(
        min_length=2, max_length=10, description="what each class means, the worst first"
    )
    weight: float = Field(default=1.0, ge=0, description="how much it counts")


STELLAR = {
    REQUEST: Dimension(
        about="whether the answer is about what the user wanted",
        classes=(
            "it is about something else, or there is no answer",
            "it is about part of what the user wanted, or asks back",
            "it is about all that the user wanted, also where it says that there is nothing",
        ),
        weight=0.55,
    ),
    DIRECT: Dimension(
        about="whether the answer comes to the point",
        classes=(
            "it does not come to the point at all",
            "it comes to the point after something else, or with much that nobody asked for",
            "it comes to the point at once and stays brief",
        ),
        weight=0.30,
    ),
    FOLLOW_UP: Dimension(
        about="whether the answer helps the user on",
        classes=(
            "it neither offers nor asks for a next step",
            "it offers or asks something general",
            "it offers or asks the next step of what the user wanted",
        ),
        weight=0.15,
    ),
}
"""The dimensions of STELLAR's second case study; the paper's words are not published."""


class Classes(BaseModel):
    """What the model answers; a field per dimension is added."""

    model_config = ConfigDict(extra="forbid", title="classes")

    reason: str = Field(min_length=1, description="why, in one to three sentences")


class DimensionsModelConfig(ModelAgentConfig):
    """Settings of the fitness ``dimensions-model``."""

    dimensions: Annotated[
        dict[Annotated[str, Field(pattern=r"^[a-z]\w{0,40}$")], Dimension],
        Field(min_length=1, max_length=20, description="what answers are judged by"),
    ] = STELLAR

    @model_validator(mode="after")
    def _some_weight(self) -> "DimensionsModelConfig":
        if not any(one.weight for one in self.dimensions.values()):
            raise ValueError("not all weights of `dimensions` can be 0")
        if "reason" in self.dimensions:
            raise ValueError("no dimension can be called 'reason'")
        return self


class ModelDimensions(ModelAgent[FitnessTask, Fitness, DimensionsModelConfig]):
    """Role ``fitness``: a language model puts an answer into a class of each dimension.

    The value is the weighted mean of the classes, each between its worst (0) and its best (1).
    Without settings the dimensions are request orientation (0.55), directness (0.30) and follow-up
    (0.15), three classes each, as in the paper. `parts` has the classes.
    """

    Config: ClassVar[type[PluginConfig]] = DimensionsModelConfig
    role: ClassVar[str] = "fitness"
    folder: ClassVar[Path] = PROMPTS
    temperature: ClassVar[float | None] = 0.0
    max_tokens: ClassVar[int | None] = 1_000

    async def act(self, task: FitnessTask) -> Fitness:
        dimensions = self.config.dimensions
        sizes = tuple((name, len(one.classes)) for name, one in dimensions.items())
        answered = await self.asker.ask(
            Question(
                prompt="dimensions",
                answer=narrowed(sizes),
                values={
                    "asked": {"request": task.request, "wanted": wanted_of(task)},
                    "conversation": conversation(task.turns),
                    "payload": task.payload,
                    "dimensions": _told(dimensions),
                },
                sample=task.sample,
                seed=task.seed & 0x7FFFFFFF,
            )
        )
        classes = {name: int(getattr(answered.value, name)) for name in dimensions}
        shares = {name: number / (len(dimensions[name].classes) - 1)
                  for name, number in classes.items()}  # fmt: skip
        return Fitness(
            value=weighted(shares, {name: one.weight for name, one in dimensions.items()}, 1),
            reason=clipped(answered.value.reason, _LONGEST_REASON),
            parts={name: float(number) for name, number in classes.items()},
        )


def wanted_of(task: FitnessTask) -> dict[str, str]:
    """What is wanted, feature by feature, in a word or two."""
    return {name: task.labels.get(name) or (words or ("",))[0]
            for name, words in task.wanted.items()}  # fmt: skip


def _told(dimensions: Mapping[str, Dimension]) -> Sequence[Mapping[str, Any]]:
    return [
        {
            "name": name,
            "about": on_one_line(one.about),
            "classes": [on_one_line(text) for text in one.classes],
        }
        for name, one in dimensions.items()
    ]


@lru_cache(maxsize=64)
def narrowed(sizes: tuple[tuple[str, int], ...]) -> type[Classes]:
    """The answer for dimensions with so many classes each."""
    fields: dict[str, Any] = {
        name: (Literal[tuple(range(size))], Field(description=f"the class of {name}"))
        for name, size in sizes
    }
    made: type[Classes] = create_model("Classes", __base__=Classes, **fields)
    return made

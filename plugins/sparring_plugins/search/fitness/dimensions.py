"""The fitness ``dimensions``: how well an answer serves a request, in three classes each (f1)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field

from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring_plugins.language.fallbacks import Fallbacks
from sparring_plugins.search.fitness.plain_text import folded, names_one_of, sentences
from sparring_plugins.search.roles.fitness import Fitness, FitnessTask

REQUEST, DIRECT, FOLLOW_UP = "request_oriented", "direct", "follow_up"
WEIGHTS = {REQUEST: 0.55, DIRECT: 0.30, FOLLOW_UP: 0.15}
"""The weights of the STELLAR paper."""

FALLBACKS = (
    "Sorry, I didn't get that.",
    "Sorry, I did not understand that.",
    "I'm sorry, I don't understand.",
    "I am sorry, I cannot help with that.",
    "Could you say that another way?",
    "Could you rephrase that?",
)
_ASKS = (
    "shall i", "should i", "would you like", "do you want", "where shall", "which one", "can i",
    "may i", "let me know", "want me to", "anything else",
)  # fmt: skip
_MOST_WORDS = 90


def _weights(given: dict[str, float]) -> dict[str, float]:
    unknown = sorted(set(given) - set(WEIGHTS))
    if unknown:
        raise ValueError(f"no dimension is called {unknown[0]!r}, only {', '.join(WEIGHTS)}")
    if not any(weight > 0 for weight in given.values()) or min(given.values()) < 0:
        raise ValueError("weights are numbers from 0 up, and not all of them 0")
    return given


class DimensionsConfig(PluginConfig):
    """Settings of the fitness ``dimensions``."""

    weights: Annotated[
        dict[str, float],
        AfterValidator(_weights),
        Field(description="how much each dimension counts"),
    ] = WEIGHTS
    most: Annotated[
        float,
        Field(gt=0, le=1, description="share of what is wanted that a full answer speaks of"),
    ] = 0.75
    main: str | None = Field(
        default="category", description="the feature that counts double, if the case has it"
    )
    fallbacks: tuple[str, ...] = Field(
        default=(), description="what the app says where it has not understood"
    )


@dataclass(frozen=True, slots=True)
class _Heard:
    """An answer and what it speaks of."""

    text: str
    sentences: tuple[str, ...]
    named: tuple[str, ...]
    missing: tuple[str, ...]
    share: float
    anything: bool
    fallback: bool


class DimensionsFitness(Agent[FitnessTask, Fitness, DimensionsConfig]):
    """Role ``fitness``: an answer in classes 0, 1 and 2 of three dimensions, by plain rules.

    ``request_oriented``: 2 where it speaks of what is wanted (share `most` of it, the feature
    `main` counting double), 1 of some of it or where it asks back, 0 else. ``direct``: 2 where the
    first sentence does, 1 where a later one does or the answer is longer than 90 words, 0 else.
    ``follow_up``: 2 where it offers or asks the next step of what is wanted, 1 of anything, 0 else.
    The value is their weighted mean over 2. What is wanted is known by the words that a feature
    space gives for it: other words for the same are not understood (`dimensions-model` does).
    """

    role: ClassVar[str] = "fitness"
    Config: ClassVar[type[PluginConfig]] = DimensionsConfig

    def __init__(self, config: DimensionsConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._fallbacks = Fallbacks((*FALLBACKS, *config.fallbacks), 0.85)

    async def act(self, task: FitnessTask) -> Fitness:
        heard = self._heard(task)
        classes = {
            REQUEST: self._request_oriented(heard),
            DIRECT: _direct(heard),
            FOLLOW_UP: _follow_up(heard),
        }
        parts = {name: float(classes[name]) for name in self.config.weights}
        return Fitness(
            value=weighted(parts, self.config.weights, 2),
            reason=_reason(parts, heard),
            parts=parts,
            wrong=heard.missing if classes[REQUEST] < 2 else (),
        )

    def _heard(self, task: FitnessTask) -> _Heard:
        text = folded(task.answer)
        weights = {name: 2 if name == self.config.main else 1 for name in task.wanted}
        named = tuple(name for name, told in task.wanted.items() if names_one_of(text, told))
        total = sum(weights.values())
        return _Heard(
            text=text,
            sentences=tuple(folded(one) for one in sentences(task.answer)),
            named=tuple(phrase for name in named for phrase in task.wanted[name]),
            missing=tuple(name for name in task.wanted if name not in named),
            share=sum(weights[name] for name in named) / total if total else 1.0,
            anything=not task.wanted,
            fallback=self._fallbacks.match(task.answer),
        )

    def _request_oriented(self, heard: _Heard) -> int:
        if not heard.text or heard.fallback:
            return 0
        if heard.share >= self.config.most:
            return 2
        return 1 if heard.share > 0 or "?" in heard.text else 0


def _direct(heard: _Heard) -> int:
    if not heard.text or heard.fallback or not (heard.named or heard.anything):
        return 0
    first = heard.anything or names_one_of(heard.sentences[0], heard.named)
    return 2 if first and len(heard.text.split()) <= _MOST_WORDS else 1


def _follow_up(heard: _Heard) -> int:
    asks = "?" in heard.text or any(phrase in heard.text for phrase in _ASKS)
    if not asks or heard.fallback:
        return 0
    return 2 if heard.named or heard.anything else 1


def weighted(parts: Mapping[str, float], weights: Mapping[str, float], best: float) -> float:
    """The weighted mean of numbers from 0 to `best`, from 0 to 1."""
    total = sum(weights[name] for name in parts)
    mean = sum(weights[name] * number for name, number in parts.items()) / (total * best)
    return round(min(1.0, max(0.0, mean)), 6)


def _reason(parts: Mapping[str, float], heard: _Heard) -> str:
    told = ", ".join(f"{name.replace('_', ' ')} {number:g} of 2" for name, number in parts.items())
    missing = f"; it does not speak of {', '.join(heard.missing)}" if heard.missing else ""
    return told + ("; it is a fallback" if heard.fallback else missing)

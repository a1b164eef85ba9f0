"""The fitness ``dimensions``: how well an answer serves a request, by plain rules (f1).

An answer is put into one of three classes of each dimension.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import (
    AfterValidator,
    Field,
)

from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring_plugins.language.similarity import Fallbacks
from sparring_plugins.search.fitness.classification import phrases
from sparring_plugins.search.fitness.value_matching import fold, names_one_of, sentences
from sparring_plugins.search.roles import Fitness, FitnessTask

REQUEST, DIRECT, FOLLOW_UP = "request_oriented", "direct", "follow_up"
WEIGHTS = {REQUEST: 0.55, DIRECT: 0.30, FOLLOW_UP: 0.15}
"""The weights of the STELLAR paper."""

# About half a minute of speech: what is longer is no direct answer to a question.
_MOST_WORDS = 90


def _weights(weights: dict[str, float]) -> dict[str, float]:
    unknown = sorted(set(weights) - set(WEIGHTS))
    if unknown:
        raise ValueError(f"no dimension is called {unknown[0]!r}, only {', '.join(WEIGHTS)}")
    if not any(weight > 0 for weight in weights.values()) or min(weights.values()) < 0:
        raise ValueError("weights are numbers from 0 up, and not all of them 0")
    return weights


class DimensionsConfig(PluginConfig):
    """Settings of the fitness ``dimensions``."""

    weights: Annotated[
        dict[str, float],
        AfterValidator(_weights),
        Field(description="how much each dimension counts"),
    ] = WEIGHTS
    most: float = Field(
        default=0.75, gt=0, le=1, description="share of what is wanted that a full answer speaks of"
    )
    main: str | None = Field(
        default="category", description="the feature that counts double, if the case has it"
    )
    fallbacks: tuple[str, ...] = Field(
        default=(), description="what the app says if it has not understood"
    )


@dataclass(frozen=True, slots=True)
class _ParsedAnswer:
    """An answer and what of the wanted features it names."""

    text: str
    sentences: tuple[str, ...]
    named: tuple[str, ...]
    missing: tuple[str, ...]
    share: float
    anything: bool
    fallback: bool


class DimensionsFitness(Agent[FitnessTask, Fitness, DimensionsConfig]):
    """Role ``fitness``: an answer in classes 0, 1 and 2 of three dimensions, by plain rules.

    ``request_oriented``: 2 if it names what is wanted (share `most` of it, the feature `main`
    counting double), 1 if it names some of it or asks back, else 0. ``direct``: 2 if the first
    sentence names it, 1 if a later one does or the answer is longer than 90 words, else 0.
    ``follow_up``: 2 if it offers or asks the next step of what is wanted, 1 if of anything, else 0.
    The value is their weighted mean over 2. What is wanted is recognised by the words that a
    feature space gives for it: synonyms are not understood (`dimensions-model` understands them).
    """

    role: ClassVar[str] = "fitness"
    Config: ClassVar[type[PluginConfig]] = DimensionsConfig

    def __init__(self, config: DimensionsConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._fallbacks = Fallbacks((*phrases().fallbacks, *config.fallbacks), 0.85)

    async def act(self, task: FitnessTask) -> Fitness:
        answer = self._parse(task)
        classes = {
            REQUEST: self._request_oriented(answer),
            DIRECT: _direct(answer),
            FOLLOW_UP: _follow_up(answer),
        }
        parts = {name: float(classes[name]) for name in self.config.weights}
        return Fitness(
            value=weighted_mean(parts, self.config.weights, 2),
            reason=_reason(parts, answer),
            parts=parts,
            wrong=answer.missing if classes[REQUEST] < 2 else (),
        )

    def _parse(self, task: FitnessTask) -> _ParsedAnswer:
        text = fold(task.answer)
        weights = {name: 2 if name == self.config.main else 1 for name in task.wanted}
        named = tuple(name for name, words in task.wanted.items() if names_one_of(text, words))
        total = sum(weights.values())
        return _ParsedAnswer(
            text=text,
            sentences=tuple(fold(sentence) for sentence in sentences(task.answer)),
            named=tuple(phrase for name in named for phrase in task.wanted[name]),
            missing=tuple(name for name in task.wanted if name not in named),
            share=sum(weights[name] for name in named) / total if total else 1.0,
            anything=not task.wanted,
            fallback=self._fallbacks.match(task.answer),
        )

    def _request_oriented(self, answer: _ParsedAnswer) -> int:
        if not answer.text or answer.fallback:
            return 0
        if answer.share >= self.config.most:
            return 2
        return 1 if answer.share > 0 or "?" in answer.text else 0


def _direct(answer: _ParsedAnswer) -> int:
    if not answer.text or answer.fallback or not (answer.named or answer.anything):
        return 0
    first = answer.anything or names_one_of(answer.sentences[0], answer.named)
    # "There are several. The best bakery is Crumb." comes to the point, but late
    return 2 if first and len(answer.text.split()) <= _MOST_WORDS else 1


def _follow_up(answer: _ParsedAnswer) -> int:
    asks = "?" in answer.text or any(phrase in answer.text for phrase in phrases().offers)
    if not asks or answer.fallback:
        return 0
    return 2 if answer.named or answer.anything else 1


def weighted_mean(parts: Mapping[str, float], weights: Mapping[str, float], best: float) -> float:
    """Return the weighted mean of numbers from 0 to `best`, scaled to 0 to 1."""
    total = sum(weights[name] for name in parts)
    mean = sum(weights[name] * number for name, number in parts.items()) / (total * best)
    return round(min(1.0, max(0.0, mean)), 6)


def _reason(parts: Mapping[str, float], answer: _ParsedAnswer) -> str:
    classes = ", ".join(
        f"{name.replace('_', ' ')} {number:g} of 2" for name, number in parts.items()
    )
    missing = f"; it does not speak of {', '.join(answer.missing)}" if answer.missing else ""
    return classes + ("; it is a fallback" if answer.fallback else missing)

"""The drafter that asks a language model what varies in requests to an app."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field

from sparring.interfaces.plugin import PluginConfig
from sparring_plugins.language.text import folded
from sparring_plugins.prompting.exchange import Question
from sparring_plugins.prompting.model_agent import ModelAgent, ModelAgentConfig
from sparring_plugins.prompting.quoted_evidence import object_to_words
from sparring_plugins.search.drafting.features import (
    LONGEST_PHRASE,
    RESERVED,
    WISH,
    Draft,
    DraftFeature,
)
from sparring_plugins.search.interchange.imports import feature_name

SHOWN = 12_000
"""Characters of a text that one question shows; a longer one is shown in parts."""

MOST_PARTS = 5
"""Parts of a text that are shown."""

MOST_REQUESTS = 80
"""Requests that are shown of many, in equal distances."""


class Numbers(BaseModel):
    """The numbers of a feature."""

    model_config = ConfigDict(extra="forbid")

    least: float = Field(description="the least number to try")
    most: float = Field(description="the largest number to try")
    words: str = Field(description="the phrase, with {} for the number")


class FoundFeature(BaseModel):
    """Something that varies from request to request."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(description="one or two words")
    values: list[str] = Field(description="phrases; empty if there are numbers")
    numbers: Numbers | None = Field(description="null if there are values")
    optional: bool = Field(description="whether a request can do without it")
    quote: str = Field(description="the words of the material that it comes from")


class FoundSpace(BaseModel):
    """The answer of the model: what varies in requests."""

    model_config = ConfigDict(extra="forbid")

    about: str = Field(description="what the assistant is for, in a short sentence")
    wishes: list[str] = Field(description="what users want, each going on from 'I want to'")
    features: list[FoundFeature]
    forbidden: list[str] = Field(description="what the assistant must not do")


class Material(BaseModel):
    """The task of a drafter: a text about an app, or requests to it.

    `known` are the features that other material showed, each with phrases.
    """

    kind: str
    text: str
    known: tuple[tuple[str, tuple[str, ...]], ...] = ()


class ModelDrafter(ModelAgent[Material, FoundSpace, ModelAgentConfig]):
    """Role ``drafter``: asks a language model what varies in the requests to an app.

    Its answer is sent back if a feature has neither values nor numbers, if phrases are too long,
    and if a feature's words do not stand in the material.
    """

    Config: ClassVar[type[PluginConfig]] = ModelAgentConfig
    role: ClassVar[str] = "drafter"
    folder: ClassVar[Path] = Path(__file__).with_name("prompts")
    temperature: ClassVar[float | None] = 0.0

    async def act(self, task: Material) -> FoundSpace:
        answered = await self.asker.ask(
            Question(
                prompt="draft",
                answer=FoundSpace,
                values={
                    "kind": task.kind,
                    "text": task.text,
                    "known": [{"name": name, "values": list(some)} for name, some in task.known],
                },
                checkers=(
                    lambda answer: check_phrases(answer, [name for name, _ in task.known]),
                    lambda answer: check_quotes(answer, task.text),
                ),
            )
        )
        return answered.value


def check_phrases(answer: FoundSpace, known: Sequence[str] = ()) -> str | None:
    """Return why the phrases of an answer cannot be used; None if they can.

    A feature that is `known` from other material may get a single new value.
    """
    complaints: list[str] = []
    if not answer.wishes and not answer.features:
        complaints.append("there are neither wishes nor features")
    phrases = [*answer.wishes, *(value for one in answer.features for value in one.values)]
    complaints += [
        f"{phrase[:LONGEST_PHRASE]!r} is longer than {LONGEST_PHRASE} characters"
        for phrase in phrases
        if len(phrase) > LONGEST_PHRASE
    ]
    for feature in answer.features:
        is_known = feature_name(feature.name, RESERVED) in known
        complaints += _complaints_about_values(feature, 1 if is_known else 2)
    return "; ".join(complaints[:5]) or None


def _complaints_about_values(feature: FoundFeature, least: int) -> Iterator[str]:
    numbers = feature.numbers
    if numbers is None and len(set(feature.values)) < least:
        yield f"{feature.name} has too few values, and no numbers"
    if numbers is not None and "{}" not in numbers.words:
        yield f"the words of {feature.name} have no {{}} for the number"
    if numbers is not None and not numbers.least < numbers.most:
        yield f"the least number of {feature.name} is not below the most"


def check_quotes(answer: FoundSpace, text: str) -> str | None:
    """Return which features do not come from the material; None if all do."""
    return object_to_words([feature.quote for feature in answer.features], text) \
        if answer.features else None  # fmt: skip


def parts_of(text: str) -> list[str]:
    """Return a text in parts that a question can show, cut between lines."""
    parts, part = list[str](), ""
    for line in text.splitlines(keepends=True):
        if part and len(part) + len(line) > SHOWN:
            parts.append(part)
            part = ""
        part += line[:SHOWN]
    return [*parts, part][:MOST_PARTS] if part else parts[:MOST_PARTS]


def shown_requests(requests: Sequence[str]) -> str:
    """Return requests as the text of a question, a line each; of many some in equal distances."""
    step = max(1, len(requests) // MOST_REQUESTS)
    lines = [" ".join(request.split()) for request in requests[::step][:MOST_REQUESTS]]
    return "\n".join(lines)[:SHOWN]


def known_features(draft: Draft) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the features of a draft, so that a question about more material names them alike."""
    return tuple(
        (feature.name, (feature.numbers[2],) if feature.numbers else tuple(feature.values))
        for feature in draft.features.values()
    )


def add_found(found: FoundSpace, draft: Draft) -> None:
    """Add what a model found to a draft."""
    draft.about = draft.about or " ".join(found.about.split())
    if found.wishes:
        wishes = Counter(_phrases(found.wishes))
        draft.add(DraftFeature(WISH, wishes, optional=False, about="what is wanted"))
    for feature in found.features:
        about = f"from “{' '.join(feature.quote.split())[:LONGEST_PHRASE]}”"
        numbers = feature.numbers
        span = (numbers.least, numbers.most, numbers.words) if numbers is not None else None
        values = Counter(() if numbers is not None else _phrases(feature.values))
        known = feature_name(feature.name, RESERVED)
        if known in draft.features and draft.features[known].numbers is not None:
            continue  # "for two people" is one of the numbers that are known
        draft.add(DraftFeature(known, values, span, feature.optional, about))
    draft.notes += [f"forbidden: {' '.join(one.split())[:200]}" for one in found.forbidden]


def weigh(draft: Draft, requests: Sequence[str]) -> None:
    """Weight the values of a draft by how many requests say them; those unsaid count one."""
    said = [f" {folded(request)} " for request in requests]
    for feature in draft.features.values():
        if feature.numbers is None:
            counts = {value: sum(_is_in(value, one) for one in said) for value in feature.values}
            absent = sum(not any(_is_in(value, one) for value in feature.values) for one in said)
            feature.values = Counter({value: max(1, count) for value, count in counts.items()})
            feature.absent = max(1, absent)


def _phrases(phrases: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(" ".join(phrase.split()) for phrase in phrases if phrase.strip()))


def _is_in(phrase: str, said: str) -> bool:
    return f" {folded(phrase)} " in said

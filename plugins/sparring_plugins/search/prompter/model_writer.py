"""The writer and the perturbation that ask a language model (STELLAR, section III)."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field
from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from sparring.interfaces.plugin import PluginConfig
from sparring_plugins.language.text import folded
from sparring_plugins.prompting.exchange import Question
from sparring_plugins.prompting.model_agent import ModelAgent, ModelAgentConfig
from sparring_plugins.search.perturbations.texts import WORD, protected_spans
from sparring_plugins.search.roles import (
    Feature,
    FeatureGroup,
    Perturbed,
    PerturbTask,
    Shot,
    Utterance,
    WriteTask,
)
from sparring_plugins.users.model_user.prompt_data import on_one_line


@lru_cache(maxsize=2_048)
def _pattern(mention: str) -> re.Pattern[str]:
    """Return the pattern of a mention as whole words, perhaps in the plural.

    4 is not mentioned by 4.5 or 14.
    """
    words = r"\s+".join(re.escape(word) for word in mention.split())
    # "4" is said by "4 stars." but not by "14 stars", "4.5 stars" or "3,4"
    before = r"(?<![\w])(?<!\d[.,])"
    # "cafe" is said by "two Cafes" but not by "cafeteria"
    after = r"(?!\w)(?![.,]\d)" if mention[-1:].isdigit() else r"(?:e?s)?(?!\w)"
    return re.compile(before + words + after, re.IGNORECASE)


def find_mention(text: str, mentions: Iterable[str]) -> list[str]:
    """Return the words of a text that express a value, as they occur; the longest mention first."""
    usable = [mention for mention in mentions if mention.strip()]
    for mention in sorted(usable, key=lambda one: (-len(one), one)):
        matches = [match[0] for match in _pattern(mention).finditer(text)]
        if matches:
            return list(dict.fromkeys(matches))
    return []


def find_mentions(text: str, features: Sequence[Feature]) -> dict[str, tuple[str, ...]]:
    """Return the words that express each content feature that a text expresses."""
    words_of = {
        feature.name: tuple(find_mention(text, (*feature.mentions, *feature.words, *feature.hints)))
        for feature in features
        if feature.group == "content" and not feature.none
    }
    return {name: words for name, words in words_of.items() if words}


PROMPTS = Path(__file__).with_name("prompts")

_QUOTES = "\"'“”„«»"


class WrittenUtterance(BaseModel):
    """The answer of the model: what the user says."""

    model_config = ConfigDict(extra="forbid")

    utterance: str = Field(description="what the user says, and nothing else")


class ModelWriterConfig(ModelAgentConfig):
    """Settings of the writer that asks a model."""

    longest: int = Field(
        default=600, ge=20, le=10_000, description="characters of an utterance at most"
    )


class ModelWriter(ModelAgent[WriteTask, Utterance, ModelWriterConfig]):
    """Role ``writer``: a language model puts the features of a case into an utterance.

    It receives the content to say, the style, the author's guidelines and examples, and real
    utterances similar to the requested one. Its answer is sent back if there is no utterance or it
    is too long, if required content is missing, and if it repeats an example. An answer that stays
    so is invalid, and the case inconclusive.
    """

    Config: ClassVar[type[PluginConfig]] = ModelWriterConfig
    role: ClassVar[str] = "writer"
    folder: ClassVar[Path] = PROMPTS
    temperature: ClassVar[float | None] = 0.8

    async def act(self, task: WriteTask) -> Utterance:
        answer_given = await self.asker.ask(
            Question(
                prompt="write",
                answer=WrittenUtterance,
                values=_values(task),
                checkers=(
                    lambda answer: check_shape(answer, self.config.longest),
                    lambda answer: check_content(answer, task.features),
                    lambda answer: check_originality(answer, task),
                ),
                seed=_seed(task),
                sample=task.sample,
            )
        )
        text = clean(answer_given.value.utterance)
        return Utterance(text=text, spoken=find_mentions(text, task.features))


def clean(text: str) -> str:
    """Return an utterance on one line, without quotation marks around all of it."""
    # models answer "Four-star CAFE, now!" with the quotation marks; marks inside are the user's
    line = on_one_line(text)
    is_quoted = len(line) > 1 and line[0] in _QUOTES and line[-1] in _QUOTES
    return line[1:-1].strip() if is_quoted and not set(line[1:-1]) & set(_QUOTES) else line


def check_shape(answer: WrittenUtterance, longest: int) -> str | None:
    """Return a complaint if there is no utterance of a natural length."""
    text = clean(answer.utterance)
    if not any(char.isalnum() for char in text):
        return "There is no utterance. Write what the user says."
    if len(text) > longest:
        return f"The utterance is {len(text)} characters long. Write at most {longest}."
    return None


def check_content(answer: WrittenUtterance, features: Sequence[Feature]) -> str | None:
    """Return a complaint if required content is not named."""
    text = clean(answer.utterance)
    missing = [
        feature
        for feature in features
        if feature.mentions and not find_mention(text, feature.mentions)
    ]
    if not missing:
        return None
    required = "; ".join(
        f"{_name(absent)} ({' or '.join(absent.mentions[:4])})" for absent in missing
    )
    return f"The utterance does not say everything that the user wants. Say also: {required}."


def check_originality(answer: WrittenUtterance, task: WriteTask) -> str | None:
    """Return a complaint if the utterance copies an example."""
    examples = {folded(text) for text in (*task.examples, *(shot.utterance for shot in task.shots))}
    if folded(clean(answer.utterance)) in examples:
        return "The utterance is one of the examples, word for word. Write another one."
    return None


def _values(task: WriteTask) -> dict[str, Any]:
    """Return the values of the prompt; texts of the author are on one line each."""
    return {
        "about": on_one_line(task.about),
        "speaker": on_one_line(task.speaker),
        "content": _list_expressed_features(task, "content"),
        "left_out": [_name(f) for f in task.features if f.none and f.group == "content"],
        "style": _list_expressed_features(task, "style"),
        "noise": _list_expressed_features(task, "perturbation"),
        "guidelines": [on_one_line(guideline) for guideline in task.guidelines],
        "shots": [_shot_values(shot) for shot in task.shots],
        "examples": list(task.examples),
        "language": on_one_line(task.language) or "English",
    }


def _list_expressed_features(task: WriteTask, group: FeatureGroup) -> list[tuple[str, str]]:
    """Return the features of a group that are not left out, each with its usual words."""
    return [
        (_name(feature), on_one_line((feature.words or (feature.label,))[0]))
        for feature in task.features
        if not feature.none and feature.group == group
    ]


def _shot_values(shot: Shot) -> dict[str, str]:
    values = ", ".join(f"{name} {value}" for name, value in shot.features.items())
    return {"features": values, "utterance": on_one_line(shot.utterance)}


def _name(feature: Feature) -> str:
    return on_one_line(feature.name.replace("_", " "))


def _seed(task: WriteTask) -> int:
    """Return a seed that every service accepts."""
    digest = sha256(f"{task.seed}/{task.sample}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


LONGEST = 4_000
"""The longest text that a model is asked to copy, in characters; a longer one stays as it is."""

# Of 100: a sentence with nine misspelt words has 91, "Of course, which day?" as an answer 26.
_ALIKE = 30


class SpoiltText(BaseModel):
    """The answer of the model: a text with mistakes."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(description="the whole text, with mistakes of the given kind in it")


class ModelPerturbationConfig(ModelAgentConfig):
    """Settings of the perturbation that asks a model."""

    kind: str = Field(
        default="what somebody writes who types in a hurry: misspelt and missing words",
        min_length=1,
        description="the mistakes, in words",
    )
    spare: bool = Field(
        default=True, description="whether words that carry content stay as they are"
    )


class ModelPerturbation(ModelAgent[PerturbTask, Perturbed, ModelPerturbationConfig]):
    """Role ``perturbation``: a language model makes mistakes of a kind described in words.

    Its answer is sent back if a protected word is missing, or if hardly anything of the text is
    left. The meaning may be lost.
    """

    Config: ClassVar[type[PluginConfig]] = ModelPerturbationConfig
    role: ClassVar[str] = "perturbation"
    folder: ClassVar[Path] = PROMPTS
    temperature: ClassVar[float | None] = 0.7
    keeps_meaning: ClassVar[bool] = False

    @property
    def keeps_protected(self) -> bool:
        """Whether protected words stay, according to the settings."""
        return self.config.spare

    async def act(self, task: PerturbTask) -> Perturbed:
        if not task.text.strip() or len(task.text) > LONGEST:
            return Perturbed(text=task.text)
        protected = task.protected if self.config.spare else ()
        kept = [words for words in dict.fromkeys(protected) if protected_spans(task.text, [words])]
        answer_given = await self.asker.ask(
            Question(
                prompt="perturb",
                answer=SpoiltText,
                values={
                    "text": task.text,
                    "protected": kept,
                    "kind": on_one_line(self.config.kind),
                    "language": on_one_line(task.language) or "English",
                },
                checkers=(lambda answer: check_copy(answer.text, task.text, kept),),
                seed=task.seed & 0x7FFFFFFF,
            )
        )
        return measure_changes(task.text, on_one_line(answer_given.value.text))


def check_copy(text: str, before: str, protected: list[str]) -> str | None:
    """Return why an answer is sent back; None for a good one."""
    missing = [
        word
        for word in protected
        if len(protected_spans(text, [word])) < len(protected_spans(before, [word]))
    ]
    if missing:
        return f"These words must stay exactly as they are: {', '.join(map(repr, missing))}."
    is_other_text = fuzz.ratio(before.casefold(), text[: 2 * LONGEST].casefold()) < _ALIKE
    return "That is another text. Copy the text, with mistakes in it." if is_other_text else None


def measure_changes(before: str, after: str) -> Perturbed:
    """Return what was changed, word by word."""
    old = [match[0] for match in WORD.finditer(before)]
    new = [match[0] for match in WORD.finditer(after)]
    what = [
        (
            old[edit.src_pos] if edit.tag != "insert" else "",
            new[edit.dest_pos] if edit.tag != "delete" else "",
        )
        for edit in Levenshtein.editops(old, new)
    ]
    return Perturbed(text=after, changes=len(what), places=len(old), what=tuple(what))

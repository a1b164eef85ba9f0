"""Classify failures of the app by rules alone: the categories of STELLAR's Table V.

The failure class is the category with what distinguishes the failure within it, such as the
features that were answered wrongly.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.util import find_spec
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from sparring.interfaces.plugin import PluginConfig
from sparring.model.verdict import Owner
from sparring_plugins.language.similarity import Fallbacks
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.rules.functions.text_checks import debris, error_traces, leftovers
from sparring_plugins.search.fitness.value_matching import PathText, parse_path
from sparring_plugins.search.roles import Fitness, FitnessTask


class Phrases(BaseModel):
    """The phrases of answers by which rules classify them.

    This is the content of ``phrases.yaml``; the comments there explain the lists.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    fallbacks: tuple[str, ...] = Field(min_length=1)
    offers: tuple[str, ...] = Field(min_length=1)
    refusals: tuple[str, ...] = Field(min_length=1)
    agreements: tuple[str, ...] = Field(min_length=1)
    hedges: tuple[str, ...] = Field(min_length=1)
    small_english_words: frozenset[str] = Field(min_length=1)
    language_codes: dict[str, str] = Field(min_length=1)


@cache
def phrases() -> Phrases:
    """Return the phrases, read once."""
    return Phrases.model_validate(bundled_yaml("sparring_plugins.search.fitness", "phrases.yaml"))


class FailureCategory(StrEnum):
    """The categories of failures, those first that explain the others."""

    ENDPOINT = "endpoint"
    EMPTY = "empty output"
    TECHNICAL = "technical output"
    FORBIDDEN = "forbidden output"
    LANGUAGE = "wrong language"
    NAME = "name misinterpretation"
    INTENT = "wrong intent"
    NOT_UNDERSTOOD = "not understood"
    ASKED_BACK = "asked back"
    NO_SEARCH = "search not performed"
    MISREAD = "misread request"
    RETRIEVAL = "retrieval"
    ANSWER = "poor answer"


_WITHOUT_FEATURES = frozenset(FailureCategory) - {
    FailureCategory.MISREAD,
    FailureCategory.RETRIEVAL,
    FailureCategory.ANSWER,
}
"""Categories of answers that serve nothing of the request, so no feature distinguishes them."""


class AppConfig(PluginConfig):
    """The paths by which an app reports in its structured answer what it did; all are optional."""

    intent: PathText | None = Field(default=None, description="what the app took the request for")
    intents: tuple[str, ...] = Field(default=(), description="the intents that are right")
    names: tuple[str, ...] = Field(
        default=(), description="the intents of a request that names one thing by its name"
    )
    search: PathText | None = Field(
        default=None, description="what the app searched by; null where it did not search"
    )
    items: PathText | None = Field(default=None, description="the items that it found")
    language: PathText | None = Field(
        default=None, description="the language that it took the request for, as en or English"
    )
    tells: PathText | None = Field(
        default=None, description="a text that distinguishes failure classes, such as a skill"
    )
    error: PathText | None = Field(default=None, description="an error that it reports")
    fallbacks: tuple[str, ...] = Field(
        default=(), description="what the app says if it has not understood"
    )


@dataclass(frozen=True, slots=True)
class ClassifiedFailure:
    """The category of a failure, and what distinguishes it from others of its category."""

    failure: FailureCategory
    features: tuple[str, ...] = ()
    about: str = ""
    told: str = ""

    @property
    def kind(self) -> list[str]:
        """The parts of the failure class."""
        parts = (self.failure.value, self.about, *self.features, self.told)
        return [part for part in parts if part]


class FailureClassifier:
    """Finds the failure class of a failure."""

    def __init__(self, config: AppConfig) -> None:
        self.config = config
        # 0.85: "Sorry, I did not get this" is as near to "Sorry, I did not get that".
        self._fallbacks = Fallbacks((*phrases().fallbacks, *config.fallbacks), 0.85)

    def broken(self, task: FitnessTask) -> ClassifiedFailure | None:
        """Return the class of a missing answer, which needs no judge; None for any other."""
        crashes = [incident for incident in task.incidents if incident.owner is Owner.APP]
        answered = any(turn.observation is not None for turn in task.turns)
        if crashes or (task.turns and not answered) or self._at(self.config.error, task):
            about = crashes[0].kind.value if crashes else ""
            return ClassifiedFailure(FailureCategory.ENDPOINT, about=about)
        # "..." and an emoji alone say nothing, unless the app sends items beside them.
        if not _LETTER.search(task.answer[:_LONGEST]) and not self._at(self.config.items, task):
            return ClassifiedFailure(FailureCategory.EMPTY)
        return None

    def mistaken(self, task: FitnessTask) -> str | None:
        """Return what the app took the request for, if that is none of the right intents."""
        intent = self._at(self.config.intent, task)
        right = self.config.intents
        return intent[:60] if right and isinstance(intent, str) and intent not in right else None

    def of(self, task: FitnessTask, values: Mapping[str, Fitness]) -> ClassifiedFailure:
        """Return the class of a failure."""
        wrong = tuple(sorted({name for value in values.values() for name in value.wrong}))
        misread = {name for value in values.values() for name in value.misread}
        broken = tuple(dict.fromkeys(name for value in values.values() for name in value.broken))
        if broken:
            failure, about, parts = FailureCategory.FORBIDDEN, "", broken
        else:
            failure, about = next(self._candidates(task, misread, wrong))
            parts = () if failure in _WITHOUT_FEATURES else wrong
        detail = self._at(self.config.tells, task)
        return ClassifiedFailure(
            failure, parts, about, str(detail)[:60] if detail is not None else ""
        )

    def _candidates(
        self, task: FitnessTask, misread: set[str], wrong: Sequence[str]
    ) -> Iterator[tuple[FailureCategory, str]]:
        """Yield the categories that apply, those that explain others first."""
        if is_technical(task.answer):
            yield FailureCategory.TECHNICAL, ""
        if self._foreign(task):
            yield FailureCategory.LANGUAGE, ""
        yield from self._of_understanding(task)
        yield from self._of_search(task, misread, wrong)
        yield FailureCategory.ANSWER, ""

    def _of_understanding(self, task: FitnessTask) -> Iterator[tuple[FailureCategory, str]]:
        """Yield the categories of a request that the app took for another one, or for none."""
        intent = self._at(self.config.intent, task)
        if isinstance(intent, str) and intent in self.config.names:
            yield FailureCategory.NAME, ""
        if (mistaken := self.mistaken(task)) is not None:
            yield FailureCategory.INTENT, mistaken
        if self._fallbacks.match(task.answer):
            yield FailureCategory.NOT_UNDERSTOOD, ""

    def _of_search(
        self, task: FitnessTask, misread: set[str], wrong: Sequence[str]
    ) -> Iterator[tuple[FailureCategory, str]]:
        """Yield the categories of a search that was not made, made wrongly, or found the wrong."""
        items = self._at(self.config.items, task)
        if self.config.items and not items and is_question(task.answer):
            yield FailureCategory.ASKED_BACK, ""
        if self.config.search and not self._at(self.config.search, task):
            yield FailureCategory.NO_SEARCH, ""
        if misread & set(wrong):
            yield FailureCategory.MISREAD, ""
        if self.config.items and (wrong or not items):
            yield FailureCategory.RETRIEVAL, ""

    def _at(self, path: str | None, task: FitnessTask) -> Any:
        return parse_path(path).first(task.payload) if path else None

    def _foreign(self, task: FitnessTask) -> bool:
        reported = self._at(self.config.language, task)
        wanted = phrases().language_codes.get(task.language.casefold())
        if isinstance(reported, str) and reported and wanted:
            code = reported.casefold()[:40]
            if code.split("-")[0].split("_")[0] != wanted and code != task.language.casefold():
                return True
        if wanted is None or (wanted == "en" and is_plainly_english(task.answer)):
            return False
        return spoken_language(task.answer) not in (None, wanted)


# '{"items": []}' as a whole answer is technical; "[ok]" has no quotes and is not.
_JSON = re.compile(r"^\s*[\[{].*[\]}]\s*$", re.DOTALL)
_WORDS = re.compile(r"[a-z]+")
# "…", "???" and an empty answer are failures of the endpoint, whatever was asked.
_LETTER = re.compile(r"\w")
_LONGEST = 20_000
# The language of an answer is known after its first sentences.
_LONGEST_READ = 1_000
# "Hotel Café" is no language: lingua needs some words before it is asked.
_LEAST_WORDS = 4
# A short answer looks like several languages; a wrong one is a finding, and has to be sure.
_SURE = 0.9


def is_technical(text: str) -> bool:
    """Whether an answer shows what no user should see: a stack trace, markup, JSON."""
    head = text[:_LONGEST]
    parts = (leftovers, debris, error_traces)
    if any(part.call(head) for part in parts):
        return True
    return _JSON.match(head) is not None and '"' in head


def is_question(text: str) -> bool:
    """Whether an answer does nothing but ask: all its sentences end with a question mark."""
    # "There is a bakery. Shall I go?" answers as well, and is no question
    ends = re.findall(r"(?<![.!?])[.!?]+(?=\s|$)", text[:_LONGEST])
    return bool(ends) and all("?" in end for end in ends)


def is_plainly_english(text: str) -> bool:
    """Whether an answer has two small words of English, so that lingua is not needed."""
    words = {*_WORDS.findall(text[:_LONGEST_READ].casefold())}
    # One such word is not enough: "not" is German for need, and "of" Dutch for or.
    return len(words & phrases().small_english_words) > 1


def spoken_language(text: str) -> str | None:
    """Return the code of an answer's language; None if lingua cannot determine it."""
    if len(text.split()) < _LEAST_WORDS or find_spec("lingua") is None:
        return None
    from sparring_plugins.rules.functions.lingua_vader import detected

    code, share = detected(text[:_LONGEST_READ])
    return code if share >= _SURE else None

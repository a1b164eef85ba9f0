"""What kind of failure of the app it is (the classes of STELLAR's Table V), by rules alone."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from sparring.model.verdict import Owner
from sparring_plugins.language.fallbacks import Fallbacks
from sparring_plugins.rules.functions.leftovers import debris, error_traces, leftovers
from sparring_plugins.search.fitness.dimensions import FALLBACKS
from sparring_plugins.search.fitness.paths import PathText, compiled
from sparring_plugins.search.roles.fitness import Fitness, FitnessTask


class FailureClass(StrEnum):
    """The kinds of failures, those first that explain the others."""

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


_WITHOUT_FEATURES = frozenset(FailureClass) - {
    FailureClass.MISREAD,
    FailureClass.RETRIEVAL,
    FailureClass.ANSWER,
}
"""Classes of answers that serve nothing of the request, so that no feature tells them apart."""


class AppConfig(BaseModel):
    """Where an app says in its structured answer what it did; all may be left out."""

    model_config = ConfigDict(frozen=True, extra="forbid")

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
        default=None, description="a text that tells kinds of failures apart, such as a skill"
    )
    error: PathText | None = Field(default=None, description="an error that it reports")
    fallbacks: tuple[str, ...] = Field(
        default=(), description="what the app says where it has not understood"
    )


@dataclass(frozen=True, slots=True)
class Classified:
    """The class of a failure, and what tells it from others of its class."""

    failure: FailureClass
    features: tuple[str, ...] = ()
    about: str = ""
    told: str = ""

    @property
    def kind(self) -> list[str]:
        """The texts that tell kinds of failures apart."""
        told = (self.failure.value, self.about, *self.features, self.told)
        return [one for one in told if one]


class Classes:
    """Finds the class of a failure."""

    def __init__(self, config: AppConfig) -> None:
        self.config = config
        self._fallbacks = Fallbacks((*FALLBACKS, *config.fallbacks), 0.85)

    def broken(self, task: FitnessTask) -> Classified | None:
        """The class of an answer that is none, which nobody needs to judge; None for any other."""
        crashed = [one for one in task.incidents if one.owner is Owner.APP]
        answered = any(turn.observation is not None for turn in task.turns)
        if crashed or (task.turns and not answered) or self._at(self.config.error, task):
            about = crashed[0].kind.value if crashed else ""
            return Classified(FailureClass.ENDPOINT, about=about)
        if not _says_anything(task.answer) and not self._at(self.config.items, task):
            return Classified(FailureClass.EMPTY)
        return None

    def mistaken(self, task: FitnessTask) -> str | None:
        """What the app took the request for, where that is none of the intents that are right."""
        intent = self._at(self.config.intent, task)
        right = self.config.intents
        return intent[:60] if right and isinstance(intent, str) and intent not in right else None

    def of(self, task: FitnessTask, values: Mapping[str, Fitness]) -> Classified:
        """The class of a failure."""
        wrong = tuple(sorted({name for one in values.values() for name in one.wrong}))
        misread = {name for one in values.values() for name in one.misread}
        broken = tuple(dict.fromkeys(name for one in values.values() for name in one.broken))
        if broken:
            failure, about, told = FailureClass.FORBIDDEN, "", broken
        else:
            failure, about = next(self._candidates(task, misread, wrong))
            told = () if failure in _WITHOUT_FEATURES else wrong
        telling = self._at(self.config.tells, task)
        return Classified(failure, told, about, str(telling)[:60] if telling is not None else "")

    def _candidates(
        self, task: FitnessTask, misread: set[str], wrong: Sequence[str]
    ) -> Iterator[tuple[FailureClass, str]]:
        if is_technical(task.answer):
            yield FailureClass.TECHNICAL, ""
        if self._foreign(task):
            yield FailureClass.LANGUAGE, ""
        intent = self._at(self.config.intent, task)
        if isinstance(intent, str) and intent in self.config.names:
            yield FailureClass.NAME, ""
        if (mistaken := self.mistaken(task)) is not None:
            yield FailureClass.INTENT, mistaken
        if self._fallbacks.match(task.answer):
            yield FailureClass.NOT_UNDERSTOOD, ""
        found = self._at(self.config.items, task)
        if self.config.items and not found and is_question(task.answer):
            yield FailureClass.ASKED_BACK, ""
        if self.config.search and not self._at(self.config.search, task):
            yield FailureClass.NO_SEARCH, ""
        if misread & set(wrong):
            yield FailureClass.MISREAD, ""
        if self.config.items and (wrong or not found):
            yield FailureClass.RETRIEVAL, ""
        yield FailureClass.ANSWER, ""

    def _at(self, path: str | None, task: FitnessTask) -> Any:
        return compiled(path).first(task.payload) if path else None

    def _foreign(self, task: FitnessTask) -> bool:
        told = self._at(self.config.language, task)
        wanted = _CODES.get(task.language.casefold())
        if isinstance(told, str) and told and wanted:
            code = told.casefold()[:40]
            if code.split("-")[0].split("_")[0] != wanted and code != task.language.casefold():
                return True
        if wanted is None or (wanted == "en" and is_plainly_english(task.answer)):
            return False
        return spoken_language(task.answer) not in (None, wanted)


_CODES = {
    "english": "en", "spanish": "es", "french": "fr", "german": "de", "italian": "it",
    "portuguese": "pt", "chinese": "zh", "japanese": "ja", "dutch": "nl",
}  # fmt: skip
_JSON = re.compile(r"^\s*[\[{].*[\]}]\s*$", re.DOTALL)
_WORDS = re.compile(r"[a-z]+")
_ENGLISH = frozenset({
    "the", "and", "is", "are", "you", "your", "i", "it", "of", "to", "for", "with", "that",
    "this", "there", "what", "where", "shall", "would", "have", "found", "find", "any", "not",
    "from",
})  # fmt: skip
_LETTER = re.compile(r"\w")
_LONGEST = 20_000
_LONGEST_READ = 1_000
_LEAST_WORDS = 4
_SURE = 0.9


def is_technical(text: str) -> bool:
    """Whether an answer shows what no user should see: a stack trace, markup, JSON."""
    shown = text[:_LONGEST]
    parts = (leftovers, debris, error_traces)
    if any(part.call(shown) for part in parts):
        return True
    return _JSON.match(shown) is not None and '"' in shown


def is_question(text: str) -> bool:
    """Whether an answer does nothing but ask: all its sentences end with a question mark."""
    ends = re.findall(r"[.!?]+(?=\s|$)", text[:_LONGEST])
    return bool(ends) and all("?" in one for one in ends)


def _says_anything(text: str) -> bool:
    return _LETTER.search(text[:_LONGEST]) is not None


def is_plainly_english(text: str) -> bool:
    """Whether an answer has two small words of English: no need to ask lingua, which is large."""
    return len(_ENGLISH & {*_WORDS.findall(text[:_LONGEST_READ].casefold())}) > 1


def spoken_language(text: str) -> str | None:
    """The language of an answer by its code; None where nobody can say (see lingua)."""
    if len(text.split()) < _LEAST_WORDS or find_spec("lingua") is None:
        return None
    from sparring_plugins.rules.functions.language_lingua import detected

    code, share = detected(text[:_LONGEST_READ])
    return code if share >= _SURE else None

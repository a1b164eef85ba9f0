"""Requests to the user for private things: a name, an address, a date of birth.

What is asked for, whether the sentence is a request to the user, and whether the app has declared
the permission for it, are three questions. Words count as wholes, and paraphrases count too; what
is said about others, or stated rather than asked, does not.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pydantic import BaseModel, ConfigDict, TypeAdapter

from sparring_plugins.language.text import folded
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.voice.session_view import plain_words, problem_words


class PrivateWords(BaseModel):
    """The words of one language in ``private_words.yaml``; the comments there explain the lists."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    asks: tuple[str, ...]
    requests: tuple[str, ...]
    told: tuple[str, ...]
    private: dict[str, tuple[str, ...]]


@lru_cache(maxsize=1)
def private_words() -> Mapping[str, PrivateWords]:
    """Return the words of each language of ``private_words.yaml``, read once."""
    raw = bundled_yaml("sparring_plugins.voice", "private_words.yaml")
    return TypeAdapter(dict[str, PrivateWords]).validate_python(raw)


@dataclass(frozen=True)
class PrivateRequest:
    """A sentence that asks for something private, which `entity` names."""

    entity: str
    sentence: str


def private_requests(output: str, locale: str = "") -> list[PrivateRequest]:
    """Return what private things an output asks its user for, each once, in order.

    Besides English the output is read in the language of the locale, if it is one of those listed.
    """
    requests: dict[str, PrivateRequest] = {}
    language = locale[:2].lower()
    for sentence in _SENTENCE_END.split(output[:20_000]):
        entities = [*_english_entities(sentence), *_entities_in(language, sentence)]
        for entity in entities:
            requests.setdefault(entity, PrivateRequest(entity, sentence.strip()[:300]))
    return list(requests.values())


def allowed_entities(permissions: Iterable[str]) -> frozenset[str]:
    """Return what an app with these Alexa permissions may know without asking for it."""
    known = problem_words().permissions
    return frozenset(entity for one in permissions for entity in known.get(one, ()))


_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"')\]]*\s+|\n+")


def _whole_words(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(patterns)})\b")


# English

_PRIVATE = {entity: _whole_words(patterns) for entity, patterns in problem_words().private.items()}
_OF_OTHERS = _whole_words(problem_words().of_others)
_EMAIL = "e-mail address"
_EMAIL_ADDRESS = re.compile(r"\be ?mail address\b")
_INSTRUCTION = _whole_words(problem_words().requests)
_QUESTION_START = re.compile(
    r"^(?:(?:so|and|now|first|next|then|ok|okay|great|hi|hello|alright|well|thanks|please|also) )*"
    r"(?:what|whats|when|where|who|how|which|may|can|could|are|is|whose)\b"
)
_STATEMENT = _whole_words(problem_words().told)


def _english_entities(sentence: str) -> list[str]:
    bare = plain_words(sentence)
    if not bare or not _is_request(sentence, bare):
        return []
    bare = _OF_OTHERS.sub(" ", bare).strip()
    # "your e-mail address" is no postal address
    texts = {
        entity: bare if entity == _EMAIL else _EMAIL_ADDRESS.sub(" ", bare) for entity in _PRIVATE
    }
    return [entity for entity, pattern in _PRIVATE.items() if pattern.search(texts[entity])]


def _is_request(sentence: str, bare: str) -> bool:
    if _QUESTION_START.match(bare):
        return True
    if _STATEMENT.search(bare):
        return False
    return _is_question(sentence) or bool(_INSTRUCTION.search(bare))


def _is_question(sentence: str) -> bool:
    return sentence.rstrip(" \"')").endswith("?")


# Other languages


@dataclass(frozen=True)
class _Patterns:
    """The compiled words of one language."""

    asks: re.Pattern[str]
    requests: re.Pattern[str]
    told: re.Pattern[str]
    private: Mapping[str, re.Pattern[str]]


@lru_cache(maxsize=8)
def _patterns_of(language: str) -> _Patterns | None:
    words = private_words().get(language)
    if words is None:
        return None
    return _Patterns(
        re.compile(rf"^(?:{'|'.join(words.asks)})\b"),
        _whole_words(words.requests),
        _whole_words(words.told),
        {entity: _whole_words(patterns) for entity, patterns in words.private.items()},
    )


def _entities_in(language: str, sentence: str) -> list[str]:
    """Return what a sentence of another language asks for.

    Prompts are often written without a question mark ("como te llamas"), so that a question word
    at the beginning makes a question, too.
    """
    patterns = _patterns_of(language)
    if patterns is None:
        return []
    bare = folded(sentence)
    asks = patterns.asks.search(bare) or _is_question(sentence) or patterns.requests.search(bare)
    if not asks or patterns.told.search(bare):
        return []
    return [entity for entity, pattern in patterns.private.items() if pattern.search(bare)]

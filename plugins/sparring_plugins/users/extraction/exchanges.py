"""A conversation as exchanges: messages, replies, and the answers expected."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sparring.model.talk import Listen, Observation, Turn, meant_by
from sparring_plugins.language.candidates import (
    date_spans,
    find_durations,
    find_emails,
    find_phones,
    find_times,
    find_urls,
)
from sparring_plugins.language.numbers import find_money, find_number_words, find_numbers
from sparring_plugins.language.text import contains, folded, plain, sentences
from sparring_plugins.language.vocabulary import concepts, cue_phrases, has_cue

_REPEATS = 3
"""Different messages with the same reply from which on it informs about none of them."""

_LONG = 45
"""Words beside an excuse from which on a reply has content nevertheless."""

_MOST_CAPTIONS = 30
"""Pictures, files and cards of one reply whose descriptions are read."""
_LONGEST_CAPTION = 1_000
"""Characters of a description that are read."""
_ERROR = re.compile(
    r"\s{0,8}(?:[\w.]{0,40}(?:error|exception)|traceback)\b\s?[:!(\[\d]", re.IGNORECASE
)
"""A reply that is nothing but an exception: "KeyError: 'small'"."""


def in_words(observation: Observation) -> str:
    """All the content of a reply: the descriptions of its pictures, files and cards, and its text.

    A description's sentences that the text has, too, are left out: cards often repeat what is said.
    The text stands last, with what it asks at its end.
    """
    attachments = observation.attachments[:_MOST_CAPTIONS]
    captions = [plain(media.description)[:_LONGEST_CAPTION] for media in attachments]
    if not any(captions):
        return observation.text
    text_words = folded(plain(observation.text))
    described = [sentence for caption in captions for sentence in sentences(caption)]
    fresh = [sentence for sentence in described if folded(sentence) not in text_words]
    return "\n".join([*dict.fromkeys(fresh), observation.text])


@dataclass(frozen=True, slots=True)
class Exchange:
    """One turn as texts; `informative` is False if the reply says nothing on the subject.

    `asked` is what the user meant: without its typing errors and remarks.
    """

    index: int
    asked: str
    said: str
    informative: bool

    @property
    def asked_concepts(self) -> frozenset[str]:
        """The concepts of what the user said."""
        return concepts(self.asked)


def exchanges(turns: Sequence[Turn]) -> list[Exchange]:
    """The turns that have a reply with text, or with described pictures, files or cards.

    A reply that does not understand, asks to repeat, or was given to three different messages is
    not informative.
    """
    said = [plain(in_words(turn.observation)) if turn.observation else "" for turn in turns]
    asked = [plain(meant_by(turn.act)) for turn in turns]
    pairs = {(folded(message), reply) for message, reply in zip(asked, said, strict=True)}
    messages = Counter(reply for message, reply in pairs if message)
    return [
        Exchange(index, asked[index], text, messages[text] < _REPEATS and has_content(text))
        for index, text in enumerate(said)
        if text or isinstance(turns[index].act, Listen)
    ]


_CLAUSE_END = re.compile(r"(?<=[,.;:!?])\s+")


def undenied(text: str) -> str:
    """Return a text without its clauses that say that nothing is so: "I have booked nothing".

    "Nothing to worry about, your table is booked." keeps what is said of the table.
    """
    # a clause alone is too short to recognise its language
    phrases = cue_phrases(folded(text), "nothing")
    if not _has_any(text, phrases):
        return text
    clauses = _CLAUSE_END.split(text)
    return " ".join(clause for clause in clauses if not _has_any(clause, phrases))


def _has_any(text: str, phrases: Sequence[str]) -> bool:
    return any(contains(folded(text), phrase) for phrase in phrases)


def has_content(text: str) -> bool:
    """Whether a plain answer says something besides that it did not understand or broke."""
    if _ERROR.match(text):
        return False
    words = folded(text)
    if not words:
        return bool(text.strip())
    if not has_cue(words, "fallback"):
        return True
    rest = [sentence for sentence in statements(text) if not has_cue(folded(sentence), "fallback")]
    content = [sentence for sentence in rest if not has_cue(folded(sentence), "sorry")]
    return len(folded(" ".join(content)).split()) > _LONG


def statements(text: str) -> list[str]:
    """The sentences of a plain text that ask nothing."""
    return [
        sentence for sentence in sentences(text) if not sentence.rstrip("\"')*_ ").endswith("?")
    ]


_KINDS = ("duration", "number", "money", "time", "date", "email", "phone", "web")

_FINDERS: Mapping[str, tuple[Callable[[str], Sequence[object]], ...]] = {
    "duration": (find_durations, find_times, date_spans),
    "number": (find_numbers, find_number_words),
    "money": (find_money,),
    "time": (find_times, find_durations, find_numbers),
    "date": (date_spans,),
    "email": (find_emails,),
    "phone": (find_phones,),
    "web": (find_urls,),
}
"""What can be a value of each kind: a time of day may be a bare number."""


@lru_cache(maxsize=512)
def expected_kind(question: str) -> str | None:
    """The kind of value that a question asks for; None if any answer will do."""
    words = folded(question)
    return next((kind for kind in _KINDS if has_cue(words, f"expects_{kind}")), None)


@lru_cache(maxsize=1024)
def has_expected_value(question: str, text: str) -> bool | None:
    """Whether a text has a value of the kind that a question expects; None if it expects none."""
    kind = expected_kind(question)
    if kind is None:
        return None
    if any(find(text) for find in _FINDERS[kind]):
        return True
    # A price may be said without its currency.
    return kind == "money" and "~price" in concepts(text) and bool(find_numbers(text))

"""Inputs that an output suggests by its type, and plausible answers to what it asks."""

import re
from collections.abc import Iterator
from functools import lru_cache
from random import Random
from typing import Any, cast

from pydantic import BaseModel, ConfigDict

from sparring.model.talk import Observation
from sparring_plugins.language.text import contains, folded, plain, sentences
from sparring_plugins.language.vocabulary import stem
from sparring_plugins.language.word_lists import find
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.profile.personal_details import asked_details, personal_details
from sparring_plugins.users.agenda.replies.app_reply import (
    AppQuestion,
    is_no,
    is_yes,
    read_app_reply,
)
from sparring_plugins.users.agenda.words.phrase_book import phrases
from sparring_plugins.voice.outputs.dialogue_acts import dialogue_acts_of
from sparring_plugins.voice.outputs.named_inputs import choices_in, instructed, listed_in
from sparring_plugins.voice.outputs.words import MAX_INPUT, has_phrase, input_key
from sparring_plugins.voice.roles import Candidate, InputOrigin, OutputKind

MAX_ANSWERS = 5
"""Answers to one question, unless the kind has a closed list of its own."""

UNKNOWN = "unknown"
"""The slot of what a person says who has no answer."""

EXPECTED = "expected"
"""The slot of answers that the connector knows for an open question."""

UNUSUAL = "unusual"
"""The slot of answers at which the app may fail: words that its list does not have, zero."""

Suggestion = tuple[OutputKind, list[Candidate]]
"""What an output expects, and the inputs that it suggests."""

# Reading an output

_REQUEST = re.compile(
    r"\b(?:tell me|give me|say|name|choose|pick|guess|think of)\s+(?:your|an?|any|some|one)\b",
    re.IGNORECASE,
)
_YES_NO = (Candidate(text="yes"), Candidate(text="no"))
_POLAR_KINDS = ("offer", "fact", "confirm", "helped")
_UNANSWERED_KINDS = ("more", "smalltalk")
_INFORMATION_CUES = ("your", "a number", "a letter", "number between")


def read_output(observation: Observation, seed: int, language: str = "English") -> Suggestion:
    """Return the type of an output and the inputs that it suggests by itself."""
    suggestions = list(_OutputReader(observation, seed, language).suggestions())
    kinds = list(dict.fromkeys(kind for kind, _ in suggestions if kind is not OutputKind.OTHER))
    expects = OutputKind.OTHER if not kinds else kinds[0] if len(kinds) == 1 else OutputKind.MIXED
    unique: dict[str, Candidate] = {}
    for _, candidates in suggestions:
        for candidate in candidates:
            unique.setdefault(input_key(candidate.text), candidate)
    unique.pop("", None)
    return expects, list(unique.values())


class _OutputReader:
    """Reads one output: its choices, questions, requests and phrases."""

    def __init__(self, observation: Observation, seed: int, language: str) -> None:
        text = plain(observation.text)
        self.reading = read_app_reply(observation)
        self.sentences = sentences(text)
        self.items = listed_in(text)
        self.phrases = [phrase for one in self.sentences for phrase in instructed(one)]
        self.seed, self.language = seed, language

    def suggestions(self) -> Iterator[Suggestion]:
        """Yield what the output suggests, the most obvious first; never an empty list."""
        for suggestion in self._suggestions():
            if suggestion[1]:
                yield suggestion

    def _suggestions(self) -> Iterator[Suggestion]:
        yield OutputKind.SELECTION, self._buttons()
        yield OutputKind.SELECTION, [Candidate(text=item) for item in self.items]
        for question in self.reading.questions:
            yield from self._answers(question)
        questions = {question.text for question in self.reading.questions}
        others = [sentence for sentence in self.sentences if sentence not in questions]
        for sentence in others:
            if _requests_a_value(sentence):
                yield OutputKind.WH, answers_to(sentence, self.seed, self.language)
        if self.phrases:
            yield OutputKind.INSTRUCTION, [Candidate(text=phrase) for phrase in self.phrases]
        elif not self.reading.choices:
            for sentence in others:
                options = choices_in(sentence, asking=False)
                yield OutputKind.SELECTION, [Candidate(text=option) for option in options]

    def _buttons(self) -> list[Candidate]:
        return [
            Candidate(text=choice.label[:MAX_INPUT], origin=InputOrigin.CHOICE)
            for choice in self.reading.choices
            if folded(choice.label) or choice.label.strip()
        ]

    def _answers(self, question: AppQuestion) -> Iterator[Suggestion]:
        if question.kind in _UNANSWERED_KINDS:
            return
        options = self._options(question.text)
        yield OutputKind.SELECTION, [Candidate(text=option) for option in options]
        if question.kind in _POLAR_KINDS:
            yield OutputKind.YES_NO, list(_YES_NO)
        elif not options and not self._names_its_answers(question.text):
            answers = answers_to(question.text, self.seed, self.language)
            if answers:
                yield OutputKind.WH, answers
            elif not self.phrases and question.text:
                yield _kind_of_unknown(question.text), [never_mind(self.seed, self.language)]

    def _options(self, question: str) -> list[str]:
        """Return the options of a question, unless they are no more than yes and no."""
        options = [] if self.phrases else choices_in(question, asking=True)
        return [] if all(is_yes(option) or is_no(option) for option in options) else options

    def _names_its_answers(self, question: str) -> bool:
        """Return whether the output lists what answers a question, so that none is made up."""
        if self.items or self.reading.choices:
            return True
        bare = folded(question)
        return bool(self.phrases) and not any(contains(bare, cue) for cue in _INFORMATION_CUES)


def _kind_of_unknown(question: str) -> OutputKind:
    """Return what a question without a known answer expects; a generic one is open to anything."""
    requests = dialogue_acts_of(question).requests
    generic = bool(requests) and all(request.generic for request in requests)
    return OutputKind.OTHER if generic else OutputKind.WH


def _requests_a_value(sentence: str) -> bool:
    """Return whether a sentence tells the user to name something, outside of phrases to say."""
    phrases = [folded(phrase) for phrase in instructed(sentence)]
    return any(
        not any(folded(match[0]) in phrase for phrase in phrases)
        for match in _REQUEST.finditer(sentence)
    )


# Plausible answers

_RANGE = re.compile(r"\b(?:between|from)\s+(-?\d{1,9})\s+(?:and|to)\s+(-?\d{1,9})\b", re.IGNORECASE)
_UP_TO = re.compile(r"\b(?:up to|at most|no more than|maximum of)\s+(\d{1,9})\b", re.IGNORECASE)
_THING = re.compile(
    r"\b(?:what|which|favou?rite|kind of|type of|sort of|name of an?|name an?|an?|any|some|your)\s+"
    r"((?:[a-z]+\s){0,2}?[a-z]+)\b"
)
_IMPERSONAL = ("how_many", "time", "date", "why", "people")
# Of a closed list as the months or zodiac signs all are tried; of other lists a few.
_MIN_CLOSED_LIST = 12


class Slot(BaseModel):
    """A kind of information: the cues by which it is asked for, and answers."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    asks: tuple[str, ...]
    values: tuple[str, ...]


@lru_cache(maxsize=1)
def slots() -> dict[str, Slot]:
    """Return the kinds of information of ``slots.yaml``, read once."""
    raw = cast("dict[str, Any]", bundled_yaml("sparring_plugins.voice.outputs", "slots.yaml"))
    return {name: Slot.model_validate(slot) for name, slot in raw.items()}


def answers_to(question: str, seed: int, language: str = "English") -> list[Candidate]:
    """Return answers that a person might give, the plainest first, or an empty list."""
    bare = folded(question)
    answers = _numbers_in_range(question) or _personal_details(bare, seed, language)
    if answers:
        return answers
    listed = _listed_words(bare, language)
    slot = _slot_of(bare)
    if slot is None:
        return listed
    values = slots()[slot].values
    # "For how many hours?" is not answered with 3 days
    asked = {stem(word) for word in bare.split()}
    values = tuple(value for value in values if _unit(value) in asked) or values
    most = len(values) if len(values) >= _MIN_CLOSED_LIST else MAX_ANSWERS
    plainest = [Candidate(text=value, slot=slot) for value in values[:most]]
    return [*plainest, *(word.model_copy(update={"slot": slot}) for word in listed[:2])]


def _unit(value: str) -> str:
    """The stem of the unit of a counted value, "hour" of "2 hours"; empty if it has none."""
    number, _, unit = value.partition(" ")
    return stem(unit) if number.isdigit() else ""


def never_mind(seed: int, language: str = "English") -> Candidate:
    """Return what a person says who has no answer."""
    lines = phrases(language).unknown[:2]
    return Candidate(text=lines[Random(seed).randrange(len(lines))].rstrip("."), slot=UNKNOWN)


def _personal_details(bare: str, seed: int, language: str) -> list[Candidate]:
    """Return two people's answers to a question for personal details."""
    own = personal_details(seed, (), language)
    kinds = [kind for kind in asked_details(bare) if kind not in _IMPERSONAL and kind in own]
    others = personal_details(seed + 1, (), language) if kinds else {}
    return [
        Candidate(text=value, slot=kind)
        for kind in kinds[:2]
        for value in dict.fromkeys((own[kind], others[kind]))
    ]


def _numbers_in_range(question: str) -> list[Candidate]:
    """Return numbers of a range that the question names: inside, both ends, and one too many."""
    between, top = _RANGE.search(question), _UP_TO.search(question)
    if between:
        low, high = int(between[1]), int(between[2])
    elif top:
        low, high = 1, int(top[1])
    else:
        return []
    if low >= high:
        return []
    numbers = dict.fromkeys(((low + high) // 2, low, high, high + 1))
    return [Candidate(text=str(number), slot="number") for number in numbers]


def _slot_of(bare: str) -> str | None:
    """Return the slot with the longest cue in a folded question."""
    cues = [
        (len(cue), kind)
        for kind, slot in slots().items()
        for cue in slot.asks
        if contains(bare, cue)
    ]
    return max(cues, key=lambda pair: pair[0])[1] if cues else None


def _listed_words(bare: str, language: str) -> list[Candidate]:
    """Return words of the bundled word list for the thing that a question names."""
    for match in _THING.finditer(f" {bare} "):
        parts = match[1].split()
        for start in range(len(parts)):
            thing = " ".join(parts[start:])
            if len(thing) > 2 and not has_phrase(thing, ("name", "you", "like")):
                words = find(thing, language.strip().title())
                if words:
                    return [Candidate(text=word, slot=thing) for word in words[:MAX_ANSWERS]]
    return []

"""Names and phrases for what a state asks: the variable, and how a user brings it up."""

import re
from collections.abc import Iterable, Sequence

from sparring.model.talk import Observation
from sparring_plugins.language.stems import stem
from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.app_reply import read_answer
from sparring_plugins.users.agenda.personal_details import asked_for
from sparring_plugins.voice.outputs.words import words as known_words

_NOUN = re.compile(
    r"\b(?:what|which|how many|how much|your|the|an?|kind of|type of|sort of|for which|on which|"
    r"at what|from what|select|choose|enter|provide|give me)\s+((?:[a-z-]+\s?){1,3})"
)
_STOP = frozenset(
    [
        "would",
        "do",
        "does",
        "did",
        "can",
        "could",
        "shall",
        "will",
        "is",
        "are",
        "be",
        "was",
        "were",
        "you",
        "i",
        "we",
        "it",
        "for",
        "to",
        "of",
        "on",
        "in",
        "at",
        "with",
        "like",
        "want",
        "need",
        "have",
        "me",
        "my",
        "your",
        "our",
        "this",
        "that",
        "there",
        "should",
        "kind",
        "type",
        "sort",
        "and",
        "or",
        "by",
        "from",
        "many",
        "much",
        "please",
        "one",
        "come",
        "prefer",
        "looking",
        "bring",
        "pick",
        "take",
        "make",
        "get",
        "see",
        "going",
        "will",
        "has",
        "if",
        "something",
        "anything",
        "else",
    ]
)
_SPOKEN = {
    "date": "on {{%s}}",
    "day": "on {{%s}}",
    "time": "at {{%s}}",
    "people": "for {{%s}} people",
    "name": "my name is {{%s}}",
    "email": "my e-mail address is {{%s}}",
    "phone": "my phone number is {{%s}}",
    "address": "my address is {{%s}}",
    "duration": "for {{%s}}",
}
_NAMES = {"first_name": "name", "last_name": "name", "date": "day", "how_many": "amount"}


def variable_name(
    question: str, slot: str | None, values: Sequence[str], taken: Iterable[str]
) -> str:
    """A name for what a question wants, that no other variable has."""
    base = _shared(values, question) or _name(question, slot)
    used = set(taken)
    name, number = base, 2
    while name in used:
        name, number = f"{base}_{number}", number + 1
    return name


def goal_phrase(name: str, slot: str | None) -> str:
    """How a user brings up a value: the phrase with the variable in it."""
    kind = slot if slot in _SPOKEN else name.split("_")[0]
    if kind in _SPOKEN:
        return _SPOKEN[kind] % name
    return f"the {name.replace('_', ' ')} is {{{{{name}}}}}"


def slug(text: str, most: int = 5) -> str:
    """A short name out of a phrase: for files and variables."""
    parts = [part for part in re.findall(r"[a-z0-9]+", folded(text)) if part not in _STOP]
    return "_".join(parts[:most]) or "_".join(re.findall(r"[a-z0-9]+", folded(text))[:most])


def wish(entry: str) -> str:
    """What a user says to begin something, as a goal."""
    return " ".join(entry.split()).strip(" .!?") or "what this chatbot can do"


def last_question(output: str) -> str:
    """The question that an output ends with, else its last sentence."""
    reading = read_answer(Observation(text=output))
    if reading.questions and reading.questions[-1].text:
        return reading.questions[-1].text
    return reading.text.split("\n")[-1]


def _shared(values: Sequence[str], question: str) -> str:
    """The word that values end with: "public insurance, private insurance" are of insurance.

    Of a question such as "Is it your first visit?" the first value's will do.
    """
    ends = [parts[-1] for value in values if len(parts := folded(value).split()) > 1]
    if len(ends) > 1 and len(ends) == len(values) and len({stem(end) for end in ends}) == 1:
        return ends[0]
    asked = f" {folded(question.partition(',')[0])} "
    return ends[0] if ends and f" {ends[0]} " in asked and not ends[0].isdigit() else ""


def _name(question: str, slot: str | None) -> str:
    said = folded(question)
    kinds = [kind for kind in asked_for(said) if kind not in ("how_many", "why", "id", "digits")]
    if kinds:
        return _NAMES.get(kinds[0], kinds[0])
    for match in _NOUN.finditer(f"{said} "):
        parts = [part for part in match[1].split() if part not in _STOP]
        kept = [part for part in parts if part not in known_words().fillers]
        if kept:
            return "_".join(kept[:2]) if len(match[1].split()) == len(kept) else kept[0]
    if slot and slot != "unknown":
        return slug(slot)
    return slug(question, 2) or "value"

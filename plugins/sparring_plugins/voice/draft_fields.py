"""Variables and outputs of a draft profile: their names, phrases and types."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain

from pydantic import BaseModel, ConfigDict, JsonValue, field_validator

from sparring.model.talk import Observation
from sparring_plugins.language.candidates import (
    date_spans,
    find_durations,
    find_emails,
    find_identifiers,
    find_phones,
    find_times,
)
from sparring_plugins.language.numbers import find_money
from sparring_plugins.language.text import contains, folded, plain, sentences
from sparring_plugins.language.vocabulary import stem
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.profile.personal_details import asked_details
from sparring_plugins.users.agenda.replies.app_reply import read_app_reply
from sparring_plugins.voice.outputs.suggested_inputs import UNKNOWN
from sparring_plugins.voice.outputs.words import words

MAX_OUTPUTS = 4
"""Outputs of one profile."""


class DraftWords(BaseModel):
    """The content of ``draft_words.yaml``; the comments there explain the lists."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stop_words: frozenset[str]
    spoken: dict[str, str]
    references: tuple[str, ...]
    prices: tuple[str, ...]
    commands: tuple[str, ...]

    @field_validator("stop_words", "commands", mode="before")
    @classmethod
    def _join_lines(cls, value: list[list[str]]) -> list[str]:
        return list(chain.from_iterable(value))


@lru_cache(maxsize=1)
def draft_words() -> DraftWords:
    """Return the lists of ``draft_words.yaml``, read once."""
    return DraftWords.model_validate(bundled_yaml("sparring_plugins.voice", "draft_words.yaml"))


# Variables

_NOUN = re.compile(
    r"\b(?:what|which|how many|how much|your|the|an?|kind of|type of|sort of|for which|on which|"
    r"at what|from what|select|choose|enter|provide|give me)\s+((?:[a-z-]+\s?){1,3})"
)
_SHORT_NAMES = {"first_name": "name", "last_name": "name", "date": "day", "how_many": "amount"}
_NO_NAMES = ("how_many", "why", "id", "digits")


def variable_name(
    question: str, slot: str | None, values: Sequence[str], taken: Iterable[str]
) -> str:
    """Return a name for what a question asks for, other than the names in `taken`."""
    base = _common_noun(values, question) or _name_from_question(question, slot)
    used = set(taken)
    name, number = base, 2
    while name in used:
        name, number = f"{base}_{number}", number + 1
    return name


def goal_phrase(name: str, slot: str | None) -> str:
    """Return how a user brings up a value: the phrase with the variable in it."""
    spoken = draft_words().spoken
    kind = slot if slot in spoken else name.split("_")[0]
    if kind in spoken:
        return spoken[kind] % name
    return f"the {name.replace('_', ' ')} is {{{{{name}}}}}"


def slug(text: str, most: int = 5) -> str:
    """Return a short name for a phrase, for files and variables."""
    parts = re.findall(r"[a-z0-9]+", folded(text))
    words = [part for part in parts if part not in draft_words().stop_words]
    return "_".join((words or parts)[:most])


def wish(entry: str) -> str:
    """Return what a user says to begin something, as a goal."""
    return " ".join(entry.split()).strip(" .!?") or "what this chatbot can do"


def last_question(output: str) -> str:
    """Return the question that an output ends with, else its last line."""
    reply = read_app_reply(Observation(text=output))
    if reply.questions and reply.questions[-1].text:
        return reply.questions[-1].text
    return reply.text.split("\n")[-1]


def _common_noun(values: Sequence[str], question: str) -> str:
    """Return the word that values end with: "public insurance, private insurance" are insurance.

    If a question has the last word of the first value in it, that will do.
    """
    ends = [parts[-1] for value in values if len(parts := folded(value).split()) > 1]
    if len(ends) > 1 and len(ends) == len(values) and len({stem(end) for end in ends}) == 1:
        return ends[0]
    head = folded(question.partition(",")[0])
    return ends[0] if ends and contains(head, ends[0]) and not ends[0].isdigit() else ""


def _name_from_question(question: str, slot: str | None) -> str:
    bare = folded(question)
    kinds = [kind for kind in asked_details(bare) if kind not in _NO_NAMES]
    if kinds:
        return _SHORT_NAMES.get(kinds[0], kinds[0])
    ignored = draft_words().stop_words | words().fillers
    for match in _NOUN.finditer(f"{bare} "):
        parts = match[1].split()
        kept = [part for part in parts if part not in ignored]
        if kept:
            return "_".join(kept[:2]) if len(parts) == len(kept) else kept[0]
    if slot and slot != UNKNOWN:
        return slug(slot)
    return slug(question, 2) or "value"


# Outputs

# "your booking reference is X7Q2" gives an output `booking reference`.
_LABEL = re.compile(
    r"\b(?:your|the|an?|its|our)\s+((?:[A-Za-z-]+\s){0,2}"
    rf"(?:{'|'.join((*draft_words().references, *draft_words().prices))}))\b",
    re.IGNORECASE,
)
_MAX_EXAMPLE = 90


def outputs_of(answers: Iterable[str], said: Iterable[str] = ()) -> list[dict[str, JsonValue]]:
    """Return the outputs in these answers, as a profile declares them; not what the user said."""
    inputs = {bare for text in said if len(bare := folded(text)) > 1}
    outputs: dict[str, dict[str, JsonValue]] = {}
    for answer in answers:
        for sentence in sentences(plain(answer)):
            if sentence.endswith("?"):
                continue
            for name, kind, text in _values_in(sentence):
                if folded(text) not in inputs:
                    outputs.setdefault(name, {"type": kind, "description": _example(sentence)})
    return [{name: spec} for name, spec in list(outputs.items())[:MAX_OUTPUTS]]


def _values_in(sentence: str) -> list[tuple[str, str, str]]:
    """Return names, types and texts of the values in a sentence."""
    label = _LABEL.search(sentence)
    name = "_".join(folded(label[1]).split()) if label else ""
    references = list(_references_in(sentence, name))
    values = [*references, *_quantities_in(sentence, name)]
    if not values:
        values += [("phone", "phone", one.text) for one in find_phones(sentence)[:1]]
    values += [("email", "email", one.text) for one in find_emails(sentence)[:1]]
    times, dates = find_times(sentence), date_spans(sentence)
    if not values and len(times) == 1:
        values.append(("time", "time", times[0].text))
    if not references and len(dates) == 1:
        values.append(("date", "date", dates[0].text))
    return values


def _references_in(sentence: str, name: str) -> Iterator[tuple[str, str, str]]:
    for identifier in find_identifiers(sentence)[:1]:
        yield ("reference" if not name or _is_price(name) else name), "str", identifier.text


def _quantities_in(sentence: str, name: str) -> Iterator[tuple[str, str, str]]:
    """Yield a price, if there is only one, and a duration in minutes."""
    money = find_money(sentence)
    if len(money) == 1:
        yield (name if _is_price(name) else "price"), "money", money[0].text
    durations = find_durations(sentence)
    if durations and "minute" in folded(sentence):
        yield "minutes", "int", durations[0].text


def _is_price(name: str) -> bool:
    return name.split("_")[-1] in draft_words().prices


def _example(sentence: str) -> str:
    """Return the description of a value: the sentence that has it, cut."""
    line = " ".join(sentence.split())
    cut = line if len(line) <= _MAX_EXAMPLE else f"{line[: _MAX_EXAMPLE - 1].rstrip()}…"
    return f"as in: {cut}"

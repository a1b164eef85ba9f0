"""The things that an app offers: the labels of its lists, with their prices."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sparring_plugins.language.numbers import amount, find_money
from sparring_plugins.language.text import folded, sentences
from sparring_plugins.language.vocabulary import vocabulary
from sparring_plugins.users.agenda.app_reply import is_no, is_yes
from sparring_plugins.users.contradictions.messages import Message
from sparring_plugins.users.contradictions.words import contradiction_words, names_any

_LABEL_WORDS = 4
_MARK = re.compile(r"^\s*(?:[-*•]|[\[(]?\d{1,2}[.):\]])\s*")
_PRICE_LEAD = re.compile(r"[\s(:\u2013-]+$")
_STEM = 5
_SHORTEST = 3


@dataclass(frozen=True, slots=True)
class Thing:
    """One item of a list with its price."""

    label: str
    price: float
    message: Message


def priced_things(message: Message) -> list[Thing]:
    """The things of a list that are named with a price right after them; none if it is no list.

    "1. Holm (£14.50)" in lines of their own, and "We have a sponge for $14.00 and a pie for $9.00".
    A price that is added to another one, or one that begins somewhere, is none: "+£8", "from £8".
    """
    things: list[Thing] = []
    for line in message.text.split("\n"):
        for part in sentences(_MARK.sub("", line)):
            start = 0
            for span in find_money(part, ranges=False):
                lead = _PRICE_LEAD.sub("", part[start : span.start])
                label = _bare_label(re.split(r"[,;:.(]", lead)[-1])
                start, number = span.end, amount(span.text)
                is_added = part[: span.start].rstrip().endswith("+")
                if number is not None and label and not is_added:
                    things.append(Thing(label, number, message))
    return things if len(things) > 1 else []


def _bare_label(text: str) -> str:
    """The words of a label without those around it: "We have a lemon cake for" has "lemon cake"."""
    lists = contradiction_words()
    if names_any(text, (*lists.totals, *lists.not_added)):
        return ""
    small = vocabulary().stop
    parts = text.split()
    while parts and folded(parts[0]) in small:
        parts.pop(0)
    while parts and folded(parts[-1]) in small:
        parts.pop()
    return " ".join(parts) if 0 < len(parts) <= _LABEL_WORDS else ""


def option_groups(messages: Sequence[Message]) -> list[tuple[str, ...]]:
    """The lists that the app offers to choose from, as bare labels; yes and no are none."""
    groups: dict[tuple[str, ...], None] = {}
    for message in messages:
        labels = [tuple(_label(option) for option in message.reply.menu)]
        labels += [
            tuple(_label(option) for option in question.options)
            for question in message.reply.questions
            if question.kind == "select" and question.marks
        ]
        labels.append(tuple(thing.label for thing in priced_things(message)))
        for group in labels:
            is_polar = any(is_yes(folded(label)) or is_no(folded(label)) for label in group)
            if len(group) > 1 and not is_polar and all(len(folded(x)) > 2 for x in group):
                groups.setdefault(group)
    return list(groups)


def _label(option: str) -> str:
    """An option without what stands in brackets behind it: "Holm (£14.50)" is "Holm"."""
    return re.sub(r"\s*\([^()]*\)\s*$", "", option).strip()


def names_thing(text: str, label: str) -> bool:
    """Whether a text has all words of a label in it, in any inflection: "pick it up"."""
    said = folded(text).split()
    stems = [word[:_STEM] for word in folded(label).split() if len(word) >= _SHORTEST]
    return bool(stems) and all(any(word.startswith(stem) for word in said) for stem in stems)


def named_things(text: str, group: Sequence[str]) -> list[str]:
    """The labels of a list that a text names."""
    return [label for label in group if names_thing(text, label)]

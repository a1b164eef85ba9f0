"""What a user may say for a slot, from what the project knows of it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sparring_rasa.project import Project, Slot

_MOST = 12
_LONGEST = 80

_TYPES: tuple[tuple[str, str], ...] = (
    (r"e_?mail", "email"),
    (r"phone|mobile|telephone", "phone"),
    (r"price|cost|money|fee|total", "money"),
    (r"date|day|birthday", "date"),
    (r"time|hour", "time"),
    (r"url|link|website", "url"),
    (r"num|number|count|amount|quantity|people|guests|age|nights", "int"),
)
_INVENTED: dict[str, list[Any]] = {
    "email": ["ana@example.com", "jo@example.org"],
    "phone": ["202-555-0143", "202-555-0178"],
    "money": ["20 dollars", "50 dollars"],
    "date": ["tomorrow", "next Friday"],
    "time": ["10:00", "18:30"],
    "url": ["https://example.com"],
    "int": [1, 2, 3],
    "name": ["Ana Diaz", "Jo Miller"],
}
_NAMED = re.compile(r"(?:^|_)name(?:$|_)")


@dataclass(frozen=True, slots=True)
class Values:
    """What may be said for a slot; `known` tells values of the project's from invented ones."""

    items: tuple[Any, ...]
    known: bool

    @property
    def type(self) -> str:
        """The type of a profile's variable that holds them."""
        return "int" if all(isinstance(item, int) for item in self.items) else "string"


def values_of(project: Project, slot: Slot) -> Values:
    """What a user may say for a slot, at most a dozen values."""
    found: dict[str, str] = {}
    for words, meaning in _find_words(project, slot):
        if words and len(words) <= _LONGEST:
            found.setdefault(meaning.casefold(), words)
    items: list[Any] = list(found.values())[:_MOST]
    if all(re.fullmatch(r"[0-9]{1,6}", meaning) for meaning in found):
        items = [int(meaning) for meaning in found][:_MOST]  # "two" is said back as 2
    return Values(tuple(items), True) if items else Values(tuple(_made_up(slot)), False)


def kind_of(slot: Slot) -> str:
    """The type of an output that tells the slot's value."""
    if slot.type == "bool":
        return "bool"
    for pattern, kind in _TYPES:
        if re.search(rf"(?:^|_)(?:{pattern})s?(?:$|_)", slot.name.lower()):
            return kind
    return "float" if slot.type == "float" else "string"


def _find_words(project: Project, slot: Slot) -> Iterator[tuple[str, str]]:
    """Words for a slot, with what they mean, surest first."""
    for value in slot.values:
        yield value, value
    for mapping in _mappings(slot):
        yield from _map_slot(project, mapping)


def _mappings(slot: Slot) -> Iterator[dict[str, Any]]:
    """The slot's mappings; without any, an entity of its name fills it (Rasa 2)."""
    yield from slot.mappings
    if not slot.mappings:
        yield {"type": "from_entity", "entity": slot.name}


def _map_slot(project: Project, mapping: dict[str, Any]) -> Iterator[tuple[str, str]]:
    sort = mapping.get("type")
    if sort == "from_entity":
        yield from _of_entity(project, mapping)
    elif sort == "from_intent":
        for intent in _list_texts(mapping.get("intent")):
            for example in project.training.examples.get(intent, [])[:1]:
                yield example.text, str(mapping.get("value"))


def _of_entity(project: Project, mapping: dict[str, Any]) -> Iterator[tuple[str, str]]:
    entity = str(mapping.get("entity", ""))
    role, group = mapping.get("role"), mapping.get("group")
    known = {word: value for value, words in project.training.synonyms.items() for word in words}
    for mention in project.training.mentions():
        if (
            mention.entity == entity
            and role in (None, mention.role)
            and group in (None, mention.group)
        ):
            yield mention.text, known.get(mention.text, mention.value)
    for word in project.training.lookups.get(entity, ()):
        yield word, word


def _list_texts(given: Any) -> list[str]:
    return [str(item) for item in given] if isinstance(given, list) else [str(given)]


def _made_up(slot: Slot) -> list[Any]:
    kind = kind_of(slot)
    if kind in _INVENTED:
        return _INVENTED[kind]
    if slot.type == "float":
        return _INVENTED["int"]
    return _INVENTED["name"] if _NAMED.search(slot.name.lower()) else ["something"]

"""The shapes in which profiles are written, and where each of them keeps what.

SENSEI's files come in six shapes, its paper and its generators use two more. All are read
through one table of places, so that a mixture of them is read too.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sparring.documents.checking import nearest, shown
from sparring.documents.reading import dotted
from sparring_plugins.users.profiles.profile_source import (
    Path_,
    Source,
    listed,
    mapping,
)

PLACES: Mapping[str, Sequence[tuple[str, ...]]] = {
    "test_name": [("test_name",)],
    "llm": [("llm",), ("LLM",)],
    "temperature": [("temperature",)],
    "language": [("user", "language"), ("language",)],
    "role": [("user", "role"), ("role",)],
    "context": [("user", "context"), ("context",)],
    "goals": [("user", "goals"), ("user", "ask_about"), ("goals",), ("ask_about",)],
    "is_starter": [("chatbot", "is_starter"), ("is_starter",), ("isstarter",)],
    "fallback": [("chatbot", "fallback"), ("chatbot", "fallbacks"), ("fallback",)],
    "output": [("chatbot", "output"), ("chatbot", "outputs"), ("output",), ("outputs",)],
    "number": [("conversation", "number")],
    "goal_style": [("conversation", "goal_style"), ("conversation", "stop_condition")],
    "interaction_style": [("conversation", "interaction_style")],
    "cost": [("conversation", "cost")],
}
"""Where each thing may stand; the first place is the current form's."""

_GROUPS = ("user", "chatbot")
_CONVERSATIONS: Sequence[tuple[str, ...]] = [
    ("conversation",),
    ("conversations",),
    ("chatbot", "conversation"),
    ("chatbot", "conversations"),
]
_STOP_CONDITIONS: Sequence[tuple[str, ...]] = [("stop_condition",), ("chatbot", "stop_condition")]


@dataclass(frozen=True, slots=True)
class Part:
    """A value of the file, and where it stands."""

    value: Any
    at: Path_


class Parts(dict[str, Part]):
    """The parts of a profile by what they are, whatever the shape of the file."""

    def value(self, name: str) -> Any:
        """The value of a part; None where it is absent."""
        part = self.get(name)
        return None if part is None else part.value

    def at(self, name: str) -> Path_:
        """Where a part stands, or should stand."""
        part = self.get(name)
        return PLACES[name][0] if part is None else part.at


def parts_of(source: Source) -> Parts:
    """Take a file apart; unknown keys, and things given twice, are noted as errors."""
    parts = Parts()
    data = mapping(source.document.data)
    if data is None:
        found = source.document.data
        what = "the file is empty" if found is None else f"found {shown(found)}"
        source.error(f"expected a profile with test_name, user and conversation; {what}", ())
        return parts
    for place, part in _entries(source, data):
        name = _named(place)
        if name is None:
            _unknown(source, place, part.at)
        elif name not in parts:
            source.spellings.add(place[-1])
            parts[name] = part
        elif part.value is not None:
            first = parts[name].at
            where = f"{dotted(first)} on line {source.document.line(first)}"
            source.error(f"says again what {where} says", part.at)
    return parts


def _entries(source: Source, data: dict[Any, Any]) -> Iterator[tuple[tuple[str, ...], Part]]:
    """Each entry of the file: its place, spelt as in the table, and its value."""
    for key, value in data.items():
        name = str(key)
        if name in _GROUPS:
            yield from _group(source, name, value)
        elif (name,) in _CONVERSATIONS:
            yield from _conversation(source, value, (name,))
        elif (name,) in _STOP_CONDITIONS:
            yield ("conversation", "stop_condition"), Part(value, (key,))
        else:
            yield (name,), Part(value, (key,))


def _group(source: Source, group: str, data: Any) -> Iterator[tuple[tuple[str, ...], Part]]:
    source.spellings.add(group)
    entries = mapping(data)
    if entries is None and data is not None:
        source.error(f"expected keys and values, found {shown(data)}", (group,))
    for key, value in (entries or {}).items():
        place = (group, str(key))
        if place in _CONVERSATIONS:
            source.spellings.add("chatbot.conversations")
            yield from _conversation(source, value, (group, key))
        elif place in _STOP_CONDITIONS:
            yield ("conversation", "stop_condition"), Part(value, (group, key))
        else:
            yield place, Part(value, (group, key))


def _conversation(source: Source, data: Any, at: Path_) -> Iterator[tuple[tuple[str, ...], Part]]:
    """The block about the conversations: a map, or a list of maps."""
    source.spellings.add(str(at[-1]))
    if isinstance(data, list):
        source.spellings.add("conversation as a list")
    for block, here in listed(data, at):
        entries = mapping(block)
        if entries is None:
            source.error(f"expected keys and values, found {shown(block)}", here)
        for key, value in (entries or {}).items():
            yield ("conversation", str(key)), Part(value, (*here, key))


def _named(place: tuple[str, ...]) -> str | None:
    return next((name for name, places in PLACES.items() if place in places), None)


def _unknown(source: Source, place: tuple[str, ...], at: Path_) -> None:
    every = [known for places in PLACES.values() for known in places]
    key = place[-1]
    elsewhere = next((known[0] for known in every if len(known) == 2 and known[1] == key), None)
    if elsewhere is not None:
        source.error(f"unknown key; {key!r} belongs below {elsewhere!r}", at)
        return
    names = [known[-1] for known in every if known[:-1] == place[:-1]]
    if len(place) == 1:
        names += [*_GROUPS, "conversation"]
    source.error(f"unknown key.{nearest(key, names)}", at)


def shape_of(source: Source) -> str:
    """The name of the shape that was read, as shown by ``sparring validate``."""
    seen = source.spellings
    paper = {"LLM", "templates", "selector", "outputs", "stop_condition", "chatbot.conversations"}
    if seen & paper:
        return "paper"
    if "isstarter" in seen:
        return "generator"
    if "user" in seen or "chatbot" in seen:
        return _nested(seen)
    return "flat" if "temperature" not in seen else "flat with temperature"


def _nested(seen: set[str]) -> str:
    if "ask_about" in seen:
        return "nested with ask_about"
    if "conversation as a list" in seen:
        return "nested with a list of conversation settings"
    return "nested with conversations" if "conversations" in seen else "nested"

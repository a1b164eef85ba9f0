"""Training examples: what users say, with the entities in it."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

_ANNOTATED = re.compile(
    r"\[(?P<text>[^\[\]]+)\]"
    r"(?:\((?P<entity>[^():\s]+)(?::(?P<value>[^()]+))?\)|(?P<data>\{[^{}]*\}))"
)


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity in an example: its words there, and the value that they mean."""

    text: str
    entity: str
    value: str
    role: str | None = None
    group: str | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """Something a user says, cut up at its entities."""

    parts: tuple[str | Mention, ...]

    @property
    def text(self) -> str:
        """The words alone."""
        return "".join(part if isinstance(part, str) else part.text for part in self.parts)

    @property
    def mentions(self) -> tuple[Mention, ...]:
        """The entities, in order."""
        return tuple(part for part in self.parts if isinstance(part, Mention))


@dataclass(slots=True)
class Training:
    """All examples by intent, and the values that are known of entities."""

    examples: dict[str, list[Example]] = field(default_factory=dict[str, list[Example]])
    lookups: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    synonyms: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def mentions(self) -> Iterator[Mention]:
        """Every entity of every example."""
        for examples in self.examples.values():
            for example in examples:
                yield from example.mentions


def add_training(training: Training, given: Any) -> list[str]:
    """Add what stands under the key ``nlu`` of a file; returns what could not be read."""
    problems: list[str] = []
    for block in given if isinstance(given, list) else ():
        if not isinstance(block, dict):
            continue
        lines = list(_lines(block.get("examples")))
        if (intent := block.get("intent")) is not None:
            known = training.examples.setdefault(str(intent), [])
            known += [example_of(line) for line in lines]
        elif (lookup := block.get("lookup")) is not None:
            if len(lines) == 1 and lines[0].endswith((".txt", ".csv")):
                problems.append(f"the lookup table {lookup} is in a file that is not read")
                continue
            training.lookups.setdefault(str(lookup), []).extend(lines)
        elif (synonym := block.get("synonym")) is not None:
            training.synonyms.setdefault(str(synonym), []).extend(lines)
    return problems


def example_of(line: str) -> Example:
    """An example, cut up at its annotations ``[words](entity)`` and ``[words]{"entity": …}``."""
    parts: list[str | Mention] = []
    end = 0
    for found in _ANNOTATED.finditer(line):
        mention = _mention(found)
        if mention is None:
            continue
        parts += [line[end : found.start()], mention]
        end = found.end()
    parts.append(line[end:])
    return Example(tuple(part for part in parts if part != ""))


def _mention(found: re.Match[str]) -> Mention | None:
    text = found["text"].strip()
    if found["entity"]:
        return Mention(text, found["entity"], (found["value"] or text).strip())
    try:
        data = json.loads(found["data"])
    except ValueError:
        return None
    if "entity" not in data:
        return None
    role, group = data.get("role"), data.get("group")
    return Mention(
        text,
        str(data["entity"]),
        str(data.get("value", text)),
        None if role is None else str(role),
        None if group is None else str(group),
    )


def _lines(given: Any) -> Iterator[str]:
    """The examples of a block: a text with a dash before each, or a list."""
    if isinstance(given, str):
        lines = [line.strip() for line in given.splitlines() if line.strip()]
        dashed = [line[1:].strip() for line in lines if line.startswith("-")]
        yield from (line for line in (dashed or lines) if line)
    elif isinstance(given, list):
        for item in given:
            said = item.get("text") if isinstance(item, dict) else item
            if isinstance(said, (str, int, float)) and str(said).strip():
                yield str(said).strip().removeprefix("- ").strip()

"""What of a skill a conversation reached: intents, slots, samples, handlers and lines."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sparring.model.talk import LINES, AppFacts, Parts, line_ranges
from sparring_connectors.alexa.hosting.host import FileLines, LineRecord
from sparring_connectors.alexa.shapes import mapping, text
from sparring_connectors.alexa.skill_session import DeviceTurn, SkillExchange
from sparring_connectors.alexa.skills import InstalledSkill

# Where the handlers of a skill stand in its source: the SDK's classes, objects and functions.

_MOST_CHARACTERS = 2_000_000
_DECORATORS = ("request_handler", "exception_handler")
_NODE_HANDLE = re.compile(
    r"^(?P<indent>\s*)(?:async\s+)?(?:handle|(?P<own>['\"]?(?:LaunchRequest|SessionEndedRequest|"
    r"Unhandled|[\w.]+Intent)['\"]?))\s*(?:\(|:\s*(?:async\s*)?(?:function\b|\())"
)
_NODE_NAME = re.compile(
    r"(?:const|let|var)\s+(?P<constant>[\w$]+)\s*=\s*\{|class\s+(?P<class>[\w$]+)"
    r"|exports\.(?P<exported>[\w$]+)\s*=\s*\{|^\s*['\"]?(?P<key>[\w$]+)['\"]?\s*:\s*\{"
)


@dataclass(frozen=True, slots=True)
class HandlerPlace:
    """A handler: its name, and the lines of its body, from 1, ends included."""

    name: str
    first: int
    last: int


def find_handlers(file: str, source: str) -> list[HandlerPlace]:
    """The handlers in a source file, in order; none if it cannot be parsed."""
    if len(source) > _MOST_CHARACTERS:
        return []
    return list(
        _python_handlers(source) if file.endswith(".py") else _node_handlers(source.splitlines())
    )


def _python_handlers(source: str) -> Iterator[HandlerPlace]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef) and inner.name == "handle":
                    yield _handler_place(node.name, inner)
        elif isinstance(node, ast.FunctionDef) and any(map(_registers, node.decorator_list)):
            yield _handler_place(node.name, node)


def _registers(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(called, ast.Attribute) and called.attr in _DECORATORS


def _handler_place(name: str, function: ast.FunctionDef) -> HandlerPlace:
    return HandlerPlace(
        name, function.body[0].lineno, function.end_lineno or function.body[-1].lineno
    )


def _node_handlers(lines: list[str]) -> Iterator[HandlerPlace]:
    """Handlers by how they are usually written: no parser of JavaScript is needed for that."""
    for number, line in enumerate(lines, 1):
        match = _NODE_HANDLE.match(line)
        if match is None:
            continue
        name = (match["own"] or "").strip("'\"") or _enclosing_name(lines[: number - 1])
        if name:
            yield HandlerPlace(name, number + 1, _last_line(lines, number, match["indent"]))


def _enclosing_name(before: list[str]) -> str:
    """What the object or class around a handler is called."""
    for line in reversed(before[-200:]):
        match = _NODE_NAME.search(line)
        if match is not None:
            return next(name for name in match.groups() if name)
    return ""


def _last_line(lines: list[str], number: int, indent: str) -> int:
    """The line before the brace that closes a body, by its indentation."""
    closing = indent + "}"
    for after in range(number, len(lines)):
        if lines[after].startswith(closing):
            return after
    return len(lines)


_MOST_BYTES = 4_000_000


class SkillCoverage:
    """Notes what each turn reached of one skill."""

    def __init__(self, skill: InstalledSkill, *, parts: bool) -> None:
        self._skill = skill
        self._parts = parts
        self._intents: dict[str, None] = {}
        self._slots: dict[str, None] = {}
        self._samples: dict[str, None] = {}

    def record_turn(self, turn: DeviceTurn) -> None:
        """Take in a turn, also one that failed."""
        if not self._parts:
            return
        understood = turn.understood
        for exchange in turn.exchanges:
            name = self._record_request(exchange)
            if name and understood and understood.intent == name and understood.sample:
                self._samples.setdefault(_sample_label(name, understood.sample))

    def _record_request(self, exchange: SkillExchange) -> str:
        """The intent that the skill was asked for; empty if that is none of the skill's."""
        if exchange.skill != self._skill.name:
            return ""
        intent = mapping(mapping(exchange.request.get("request")).get("intent"))
        name = text(intent.get("name"))
        if name not in self._skill.model.intents:
            return ""
        self._intents.setdefault(name)
        for slot, value in mapping(intent.get("slots")).items():
            if mapping(value).get("value") is not None or mapping(value).get("slotValue"):
                self._slots.setdefault(f"{name}.{slot}")
        return name

    def facts(self, lines: LineRecord | None) -> AppFacts:
        """What is known of the skill, and what of it was reached."""
        manifest = self._skill.manifest
        return AppFacts(
            name=self._skill.name,
            category=manifest.category,
            permissions=manifest.permissions,
            parts=tuple(self._all(lines)),
            notes=tuple(lines.notes) if lines else (),
            utterances=self._skill.examples if self._parts else (),
            openings=self._skill.openings if self._parts else (),
        )

    def _all(self, lines: LineRecord | None) -> Iterator[Parts]:
        if not self._parts:
            return
        intents = self._skill.model.intents.values()
        slots = [f"{intent.name}.{slot.name}" for intent in intents for slot in intent.slots]
        own = (intent for intent in intents if not intent.is_builtin)  # others are Amazon's phrases
        samples = [
            _sample_label(intent.name, sample) for intent in own for sample in intent.samples
        ]
        yield _to_parts("intents", self._intents, list(self._skill.model.intents))
        yield _to_parts("slots", self._slots, slots)
        yield _to_parts("samples", self._samples, samples)
        if lines is not None and lines.files:
            yield from _line_parts(lines)


def _to_parts(kind: str, reached: dict[str, None], whole: list[str]) -> Parts:
    names = dict.fromkeys(whole)
    return Parts(
        kind=kind, reached=tuple(name for name in names if name in reached), whole=tuple(names)
    )


def _sample_label(intent: str, said: str) -> str:
    return f"{intent}: {' '.join(said.split())}"


def _line_parts(lines: LineRecord) -> Iterator[Parts]:
    files = sorted(lines.files.items())
    handlers: dict[str, None] = {}
    entered: dict[str, None] = {}
    for name, file in files:
        for place in find_handlers(name, _read_source(Path(lines.folder) / name)):
            handlers.setdefault(place.name)
            if _is_entered(file, place.first, place.last):
                entered.setdefault(place.name)
    yield _to_parts("handlers", entered, list(handlers))
    yield Parts(
        kind=LINES,
        reached=tuple(line_ranges(name, file.ran) for name, file in files),
        whole=tuple(line_ranges(name, file.whole) for name, file in files),
    )


def _is_entered(file: FileLines, first: int, last: int) -> bool:
    return any(first <= line <= last for line in file.ran)


def _read_source(path: Path) -> str:
    try:
        if path.stat().st_size > _MOST_BYTES:
            return ""
        return path.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):
        return ""

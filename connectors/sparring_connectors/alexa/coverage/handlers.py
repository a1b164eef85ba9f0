"""Where the handlers of a skill stand in its source: the SDK's classes, objects and functions."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

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
class Place:
    """A handler: its name, and the lines of its body, from 1, ends included."""

    name: str
    first: int
    last: int


def handlers_of(file: str, source: str) -> list[Place]:
    """The handlers in a source file, in order; none where it cannot be read."""
    if len(source) > _MOST_CHARACTERS:
        return []
    return list(_python(source) if file.endswith(".py") else _node(source.splitlines()))


def _python(source: str) -> Iterator[Place]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef) and inner.name == "handle":
                    yield _body(node.name, inner)
        elif isinstance(node, ast.FunctionDef) and any(map(_registers, node.decorator_list)):
            yield _body(node.name, node)


def _registers(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(called, ast.Attribute) and called.attr in _DECORATORS


def _body(name: str, function: ast.FunctionDef) -> Place:
    return Place(name, function.body[0].lineno, function.end_lineno or function.body[-1].lineno)


def _node(lines: list[str]) -> Iterator[Place]:
    """Handlers by how they are usually written: no parser of JavaScript is needed for that."""
    for number, line in enumerate(lines, 1):
        match = _NODE_HANDLE.match(line)
        if match is None:
            continue
        name = (match["own"] or "").strip("'\"") or _named(lines[: number - 1])
        if name:
            yield Place(name, number + 1, _end(lines, number, match["indent"]))


def _named(before: list[str]) -> str:
    """What the object or class around a handler is called."""
    for line in reversed(before[-200:]):
        match = _NODE_NAME.search(line)
        if match is not None:
            return next(found for found in match.groups() if found)
    return ""


def _end(lines: list[str], number: int, indent: str) -> int:
    """The line before the brace that closes a body, by its indentation."""
    closing = indent + "}"
    for after in range(number, len(lines)):
        if lines[after].startswith(closing):
            return after
    return len(lines)

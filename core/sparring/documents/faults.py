"""What is wrong with a text that is no YAML, and what to write instead."""

import re
from typing import Any

import yaml

from sparring.errors import Problem

_VALUE = re.compile(r"""^\s*(?:- +)*(?P<quote>["']?)[\w.-]+(?P=quote)\s*:\s+(?P<first>\S)""")
_OPENERS = {
    "{": "a text that begins with { must be in quotes, or below `key: |`",
    "[": "a text that begins with [ must be in quotes, or below `key: |`",
    '"': "a text that begins with a quote must be in quotes as a whole, or below `key: |`",
    "'": "a text that begins with a quote must be in quotes as a whole, or below `key: |`",
}
_RESERVED = frozenset("@`%&*!|>")


def yaml_problem(err: yaml.YAMLError, file: str, text: str) -> Problem:
    """The problem of a text that the YAML reader refuses: what, where, and a hint."""
    parts = [getattr(err, "context", None), getattr(err, "problem", None)]
    message = ", ".join(str(part) for part in parts if part) or str(err).split("\n", 1)[0]
    place = _place(err, text)
    if place is None:
        return Problem(f"is not valid YAML: {message}", file)
    line, column = place
    hint = _hint(message, text, line)
    return Problem(f"is not valid YAML: {message} (column {column}){hint}", file, line)


def _place(err: yaml.YAMLError, text: str) -> tuple[int, int] | None:
    """Line and column, from 1."""
    mark: Any = getattr(err, "problem_mark", None) or getattr(err, "context_mark", None)
    if mark is not None:
        return mark.line + 1, mark.column + 1
    wrong: Any = getattr(err, "character", None)  # one that YAML files may not have
    at = text.find(chr(wrong)) if isinstance(wrong, int) else -1
    if at < 0:
        return None
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _hint(message: str, text: str, line: int) -> str:
    lines = text.split("\n")
    written = lines[line - 1] if line <= len(lines) else ""
    value = _VALUE.match(written)
    first = value["first"] if value else ""
    if "mapping values are not allowed" in message:
        return "; put a text that has a colon in quotes, or write it below `key: |`"
    broken = "did not find expected" in message or "expected <block end>" in message
    if broken and first in _OPENERS:
        return f"; {_OPENERS[first]}"
    if first in _RESERVED and ("cannot start" in message or "did not find expected" in message):
        return f"; a text that begins with {first} must be in quotes, or below `key: |`"
    return ""

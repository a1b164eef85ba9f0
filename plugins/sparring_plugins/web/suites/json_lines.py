"""JSON with the line of every key and item."""

import json
import re
from pathlib import Path
from typing import Any

from sparring.documents.reading import MAX_BYTES, MAX_DEPTH, Document, Key
from sparring.errors import ConfigurationError, Problem

_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+', re.DOTALL)


def read_json(path: Path, shown: str | None = None) -> Document:
    """Read a JSON file; raises ConfigurationError naming file and line."""
    name = shown or str(path)
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as err:
        said = getattr(err, "strerror", None) or err
        raise ConfigurationError(Problem(f"cannot be read: {said}", name)) from err
    if len(raw) > MAX_BYTES:
        raise ConfigurationError(Problem(f"larger than {MAX_BYTES:,} bytes", name))
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as err:
        line = raw[: err.start].count(b"\n") + 1
        raise ConfigurationError(Problem("is not UTF-8 text", name, line)) from err
    return parse_json(text, name)


def parse_json(text: str, name: str) -> Document:
    """Parse a JSON text; raises ConfigurationError naming the line."""
    try:
        data = json.loads(text)
    except json.JSONDecodeError as err:
        message = f"is not valid JSON: {err.msg} (column {err.colno})"
        raise ConfigurationError(Problem(message, name, err.lineno)) from err
    except (RecursionError, ValueError) as err:  # nested too deeply, a number of too many digits
        raise ConfigurationError(Problem(f"is not valid JSON: {err}", name)) from err
    try:
        return Document(data, name, _Walker(text).lines())
    except _TooDeep:
        message = f"nested deeper than {MAX_DEPTH} levels"
        raise ConfigurationError(Problem(message, name)) from None


class _TooDeep(Exception):
    """The text is nested too deeply."""


class _Walker:
    """Goes through the tokens of a text that is known to be JSON."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _TOKENS.finditer(text)
        self._lines: dict[tuple[Key, ...], int] = {}
        self._at, self._line = 0, 1

    def lines(self) -> dict[tuple[Key, ...], int]:
        """The line of every key and item, from 1."""
        self._value(self._next(), ())
        return self._lines

    def _next(self) -> str:
        match: Any = next(self._tokens)
        self._line += self._text.count("\n", self._at, match.start())
        self._at = match.start()
        return str(match[0])

    def _value(self, token: str, at: tuple[Key, ...]) -> None:
        self._lines[at] = self._line
        if len(at) > MAX_DEPTH:
            raise _TooDeep
        if token == "[":
            self._items(at)
        elif token == "{":
            self._pairs(at)

    def _items(self, at: tuple[Key, ...]) -> None:
        token, index = self._next(), 0
        while token != "]":
            if token != ",":
                self._value(token, (*at, index))
                index += 1
            token = self._next()

    def _pairs(self, at: tuple[Key, ...]) -> None:
        token = self._next()
        while token != "}":
            if token != ",":
                key = str(json.loads(token, strict=False))
                line = self._line
                self._next()  # the colon
                self._value(self._next(), (*at, key))
                self._lines[(*at, key)] = line
            token = self._next()

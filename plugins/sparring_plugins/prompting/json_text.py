"""Finds the JSON in what a model wrote, in time that grows with the text and no faster."""

import json
import math
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, cast

from pydantic import JsonValue

MOST_TEXT = 1_000_000
"""Characters of an answer that are looked at; a longer one is no answer."""
DEEPEST = 64
"""Levels that the values of an answer may be nested."""
_MOST_VALUES = 64

_START = re.compile(
    r"""\{\s*+["}] | \[\s*+(?:["\[\]{}\-0-9] | (?:true|false|null|NaN|Infinity)\b)""", re.VERBOSE
)
_TOKEN = re.compile(r'[\[\]{}]|"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_LOOSE_START = re.compile(r"""[{\[]\s*+["'}\]{\[\-0-9tfnTFN]""")
_LOOSE_TOKEN = re.compile(
    r"""[\[\]{}]|"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|'(?:[^'\\]++|\\.)*+(?:'|\\?\Z)""", re.DOTALL
)


class NoJson(ValueError):
    """A text is not JSON, or is JSON that must not be read; says why, in words."""


def parsed(text: str) -> JsonValue:
    """The value of a text that is JSON from end to end; raises NoJson.

    Refused are NaN and infinite numbers, objects that have a key twice (which of the two was
    meant?), and values nested deeper than `DEEPEST`.
    """
    if len(text) > MOST_TEXT:
        raise NoJson(f"it is longer than {MOST_TEXT:,} characters")
    text = text.strip().removeprefix("\ufeff").lstrip()
    if not text:
        raise NoJson("it is empty")
    if text[0] in "{[" and _span(text, 0)[1] > DEEPEST:
        raise NoJson(f"it is nested deeper than {DEEPEST} levels")
    decoder = _Decoder()
    try:
        value = decoder.decode(text)
    except json.JSONDecodeError as err:
        raise NoJson(f"{err.msg} (line {err.lineno}, column {err.colno})") from err
    except ValueError as err:
        raise NoJson("a number in it has too many digits") from err
    if decoder.flaw:
        raise NoJson(decoder.flaw)
    return cast("JsonValue", value)


class _Decoder(json.JSONDecoder):
    """Reads to the end also if there is a flaw, which it remembers."""

    def __init__(self) -> None:
        super().__init__(
            parse_constant=lambda name: self._flawed(f"{name} is not JSON"),
            parse_float=self._number,
            object_pairs_hook=self._unique,
        )
        self.flaw = ""

    def _number(self, written: str) -> float:
        value = float(written)
        if not math.isfinite(value):
            self._flawed("a number in it is too large")
        return value

    def _unique(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) < len(pairs):
            self._flawed("an object has a key twice")
        return members

    def _flawed(self, reason: str) -> None:
        self.flaw = self.flaw or reason


def values(text: str) -> Iterator[JsonValue]:
    """The objects and arrays that stand in a text, then what else stands in a fenced block.

    A value inside another is not one of them, nor one inside something broken: what began and
    never ended hides all that follows.
    """
    if len(text) > MOST_TEXT:
        return
    spans = (span.strip() for span in (*_spans(text), *_scalars(text)))
    for span in spans:
        try:
            yield parsed(span)
        except NoJson:
            continue


def spans(text: str) -> Iterator[str]:
    """The stretches of a text that are an object or an array by their brackets, outermost ones.

    A stretch need not be JSON; unlike for `values`, single quotes may delimit its texts.
    """
    if len(text) > MOST_TEXT:
        return
    position = 0
    for _ in range(_MOST_VALUES):
        start = _LOOSE_START.search(text, position)
        if start is None:
            return
        # An apostrophe in single quotes would hide a bracket, so the JSON reading goes first.
        end = _span(text, start.start())[0] or _span(text, start.start(), _LOOSE_TOKEN)[0]
        if end is None:
            return
        yield text[start.start() : end]
        position = end


def unfenced(text: str) -> str:
    """The inside of the one fenced block that a text consists of, else the text."""
    lines = text.strip().splitlines(keepends=True)
    fences = [number for number, line in enumerate(lines) if _is_fence(line)]
    return "".join(lines[1:-1]) if fences == [0, len(lines) - 1] and len(lines) > 1 else text


def is_plain(value: object) -> bool:
    """Whether plain data may be read: finite numbers, not nested deeper than `DEEPEST`."""
    level: list[Any] = [value]
    for _ in range(DEEPEST + 1):
        inner: list[Any] = []
        for item in level:
            if isinstance(item, float) and not math.isfinite(item):
                return False
            if isinstance(item, dict):
                inner.extend(cast("dict[str, Any]", item).values())
            elif isinstance(item, list):
                inner.extend(cast("list[Any]", item))
        if not inner:
            return True
        level = inner
    return False


def _spans(text: str) -> Iterator[str]:
    """The texts from an opening bracket to its closing one, outermost ones only."""
    position = 0
    for _ in range(_MOST_VALUES):
        start = _START.search(text, position)
        if start is None:
            return
        end, _deepest = _span(text, start.start())
        if end is None:
            return
        yield text[start.start() : end]
        position = end


def _span(text: str, start: int, tokens: re.Pattern[str] | None = None) -> tuple[int | None, int]:
    """Return where the bracket at `start` is closed (None: never), and how deep it nests."""
    depth = deepest = 0
    for token in (tokens or _TOKEN).finditer(text, start):
        kind = token[0]
        if kind in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif kind in "}]":
            depth -= 1
            if depth == 0:
                return token.end(), deepest
    return None, deepest


def _scalars(text: str) -> Iterator[str]:
    """The insides of fenced blocks that hold neither an object nor an array."""
    blocks = islice(_iterate_fenced_blocks(text), _MOST_VALUES)
    return (block for block in blocks if block.lstrip()[:1] not in ("{", "["))


def _iterate_fenced_blocks(text: str) -> Iterator[str]:
    inside: list[str] | None = None
    for line in text.splitlines(keepends=True):
        if _is_fence(line):
            if inside is not None:
                yield "".join(inside)
            inside = [] if inside is None else None
        elif inside is not None:
            inside.append(line)


def _is_fence(line: str) -> bool:
    return line.lstrip().startswith("```") and line.count("`") == 3

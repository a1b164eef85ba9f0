"""The items that an app knows, from a file: whether what is wanted exists at all."""

import csv
import json
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any, cast

from pydantic import JsonValue

from sparring.documents.reading import read
from sparring.errors import ConfigurationError, Problem
from sparring_plugins.search.fitness.value_matching import FieldMatch

SUFFIXES = (".csv", ".jsonl", ".json", ".yaml", ".yml")
MOST = 200_000
"""Items of a catalogue."""


class Catalogue:
    """Items, and which of them are exactly what is wanted.

    The items that have a value are a number of as many bits, made when the value is first asked
    for: what is wanted exists where the numbers of all values have a bit in common.
    """

    def __init__(self, items: Sequence[Any], fields: Mapping[str, FieldMatch]) -> None:
        self._fields = fields
        self._values = {name: [field.of(item) for item in items] for name, field in fields.items()}
        self._all = (1 << len(items)) - 1
        self._having: dict[tuple[str, str], int] = {}

    def has(self, wanted: Mapping[str, JsonValue], enough: float = 1.0) -> bool:
        """Whether an item is as near as `enough` in everything that is wanted."""
        both = self._all
        for name, value in wanted.items():
            both &= self._with(name, value, enough)
        return both != 0

    def _with(self, name: str, value: JsonValue, enough: float) -> int:
        key = (name, json.dumps(value, sort_keys=True))
        if key not in self._having:
            field, bits = self._fields[name], 0
            least = enough if field.config.how == "text" else 1.0
            for at, given in enumerate(self._values[name]):
                if field.nearness(value, given) >= least:
                    bits |= 1 << at
            self._having[key] = bits
        return self._having[key]


def items_of(path: Path) -> list[Any]:
    """The items of a file: a list in JSON or YAML, one a line in JSON Lines, one a row in CSV.

    Cells of CSV are numbers and truth values where they look like it, and lists where they have
    semicolons. Raises ConfigurationError.
    """
    found = _read(path)
    if not found:
        raise ConfigurationError(Problem("has no items", str(path)))
    if len(found) > MOST:
        raise ConfigurationError(Problem(f"has more than {MOST:,} items", str(path)))
    return found


def _read(path: Path) -> list[Any]:
    if path.suffix not in SUFFIXES:
        told = f"no catalogue ends with {path.suffix!r}, only {', '.join(SUFFIXES)}"
        raise ConfigurationError(Problem(told, str(path)))
    if path.suffix in (".yaml", ".yml"):
        found: Any = read(path).data
    else:
        text = _text(path)
        if path.suffix == ".csv":
            rows = csv.DictReader(StringIO(text))
            return [{key: _cell(cell) for key, cell in row.items()} for row in rows]
        if path.suffix == ".jsonl":
            lines = enumerate(text.splitlines(), 1)
            return [_json(line, path, at) for at, line in lines if line.strip()]
        found = _json(text, path, None)
    if not isinstance(found, list):
        raise ConfigurationError(Problem("expected a list of items", str(path)))
    return cast("list[Any]", found)


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (OSError, ValueError) as err:
        raise ConfigurationError(Problem(f"cannot be read: {err}", str(path))) from err


def _json(text: str, path: Path, line: int | None) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as err:
        raise ConfigurationError(Problem(f"is no JSON: {err}", str(path), line)) from err


def _cell(cell: Any) -> Any:
    if isinstance(cell, list):  # more cells than columns
        return [_cell(one) for one in cast("list[Any]", cell)]
    text = str(cell or "").strip()
    if ";" in text:
        return [_cell(one) for one in text.split(";") if one.strip()]
    if text.casefold() in ("true", "false"):
        return text.casefold() == "true"
    try:
        return float(text) if text.replace(".", "", 1).replace("-", "", 1).isdigit() else text
    except ValueError:
        return text

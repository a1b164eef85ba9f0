"""Many skills for one suite: a folder that holds their folders, or a CSV with a row for each."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from sparring.errors import ConfigurationError, Problem
from sparring_connectors.alexa.config import SkillConfig

MOST = 100_000
"""Skills of one list."""

_MOST_BYTES = 200_000_000
_OF_SKILL = (
    *("folder", "model", "handler", "endpoint", "invocation"),
    *("application_id", "python", "node"),
)
COLUMNS = ("name", "category", "locale", *_OF_SKILL)
"""The columns of a list that mean something; others are passed over."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A skill of a list: its name there, what the list says of it, and the row (from 1)."""

    name: str
    config: SkillConfig
    category: str = ""
    locale: str | None = None
    row: int | None = None


def listed_skills(path: Path) -> list[Listed]:
    """The skills of a folder or a CSV, in order; raises ConfigurationError for what is no list."""
    if path.is_dir():
        found = list(_in_folder(path))
    elif path.is_file():
        found = list(_in_table(path))
    else:
        raise ConfigurationError(Problem("there is no such folder or CSV of skills", str(path)))
    if not found:
        raise ConfigurationError(Problem("lists no skill", str(path)))
    _require_different(found, path)
    return found


def _in_folder(path: Path) -> Iterator[Listed]:
    for inner in sorted(path.iterdir(), key=lambda item: item.name):
        if inner.is_dir() and not inner.name.startswith((".", "__")):
            yield Listed(inner.name, SkillConfig(folder=str(inner)))


def _in_table(path: Path) -> Iterator[Listed]:
    rows = csv.reader(io.StringIO(_text(path), newline=""), delimiter=_delimiter(path))
    header = [_column(name) for name in next(rows, list[str]())]
    if "folder" not in header:
        said = f"its first line names no column 'folder' (columns: {', '.join(COLUMNS)})"
        raise ConfigurationError(Problem(said, str(path), 1))
    try:
        for cells in rows:
            values = {name: cell.strip() for name, cell in zip(header, cells, strict=False)}
            if any(values.values()):
                yield _listed(values, path, rows.line_num)
    except csv.Error as err:
        raise ConfigurationError(Problem(f"is no CSV: {err}", str(path), rows.line_num)) from err


def _listed(values: dict[str, str], path: Path, line: int) -> Listed:
    if not values.get("folder"):
        raise ConfigurationError(Problem("names no folder", str(path), line, "folder"))
    given = {name: values[name] for name in _OF_SKILL if values.get(name)}
    given["folder"] = str(path.parent / Path(given["folder"]).expanduser())
    try:
        config = SkillConfig.model_validate(given)
    except ValidationError as err:
        first = err.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise ConfigurationError(Problem(first["msg"], str(path), line, key)) from err
    name = values.get("name") or Path(given["folder"]).name
    return Listed(name, config, values.get("category", ""), values.get("locale") or None, line)


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ConfigurationError(Problem("is too large for a list of skills", str(path)))
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as err:
        raise ConfigurationError(Problem("is no UTF-8 text", str(path))) from err
    except OSError as err:
        raise ConfigurationError(Problem(f"cannot be read: {err.strerror}", str(path))) from err


def _delimiter(path: Path) -> str:
    first = _text(path).split("\n", 1)[0]
    return max(",;\t", key=first.count)


def _column(name: str) -> str:
    return "_".join(name.strip().lower().replace("-", " ").split())


def _require_different(found: list[Listed], path: Path) -> None:
    if len(found) > MOST:
        raise ConfigurationError(Problem(f"lists more than {MOST:,} skills", str(path)))
    seen: dict[str, Listed] = {}
    for one in found:
        if one.name in seen:
            first = seen[one.name].row
            said = f"two skills are called {one.name!r} (the other is in line {first})"
            raise ConfigurationError(Problem(said, str(path), one.row, "name"))
        seen[one.name] = one

"""Tables of data: rows in the file itself, or in a CSV file with a heading."""

import csv
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TextIO

from sparring.documents.reading import MAX_BYTES
from sparring.errors import ConfigurationError, Problem

MOST_ROWS = 10_000
_NAME = re.compile(r"\w[\w.-]{0,79}")


def rows_of(data: "Sequence[Mapping[str, str]] | str", folder: Path) -> Sequence[Mapping[str, str]]:
    """The rows; raises ConfigurationError where they differ in their columns or there are none."""
    rows = _from_file(folder / data, data) if isinstance(data, str) else data
    if not rows:
        raise ConfigurationError("has no rows")
    columns = set(rows[0])
    for number, row in enumerate(rows, 1):
        if set(row) != columns:
            different = sorted(columns ^ set(row))
            raise ConfigurationError(f"row {number} differs from row 1 in {different[0]!r}")
    return rows


def _from_file(path: Path, shown: str) -> list[dict[str, str]]:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ConfigurationError(Problem(f"larger than {MAX_BYTES:,} bytes", shown))
        with path.open(encoding="utf-8-sig", newline="") as file:
            return _rows(file, shown)
    except UnicodeDecodeError as err:
        raise ConfigurationError(Problem("is not UTF-8 text", shown)) from err
    except csv.Error as err:
        raise ConfigurationError(Problem(f"is not a table: {err}", shown)) from err
    except (OSError, ValueError) as err:
        said = getattr(err, "strerror", None) or err
        raise ConfigurationError(Problem(f"cannot be read: {said}", shown)) from err


def _rows(file: TextIO, shown: str) -> list[dict[str, str]]:
    reader = csv.reader(file)
    heading = [name.strip() for name in next(reader, list[str]())]
    for name in heading:
        if not _NAME.fullmatch(name):
            raise ConfigurationError(Problem(f"{name!r} is no name of a variable", shown, 1))
    if len(set(heading)) < len(heading):
        raise ConfigurationError(Problem("has two columns of one name", shown, 1))
    found: list[dict[str, str]] = []
    for cells in reader:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(heading):
            what = f"has {len(cells)} cells, the heading {len(heading)}"
            raise ConfigurationError(Problem(what, shown, reader.line_num))
        found.append(dict(zip(heading, cells, strict=True)))
        if len(found) > MOST_ROWS:
            raise ConfigurationError(Problem(f"has more than {MOST_ROWS:,} rows", shown))
    return found

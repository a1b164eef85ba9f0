"""A suite once for each variant (``vary:``, ``--vary``), and all of them side by side."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, cast

from sparring.cli.output import shown
from sparring.documents.reading import parse, read_document
from sparring.errors import ConfigurationError
from sparring.suite.environment import Redactor
from sparring.suite.reading import NAMES
from sparring_plugins.language.text import one_line

# Five keys with four values each are 1,024 runs, which nobody meant to pay for.
_MOST = 100


def suite_file(path: Path) -> Path:
    """Return the suite that a path names: itself, or the one in a folder."""
    if not path.is_dir():
        return path
    return next((path / name for name in NAMES if (path / name).is_file()), path / NAMES[0])


def variants_of(
    path: Path, pairs: Sequence[str], changes: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return what each variant changes in a suite; empty if the suite has no variants.

    They are those of the suite's key ``vary`` and of `pairs`, which replace values of the same key:
    ``KEY=V1,V2`` or, for values with commas, a YAML list: ``KEY=[V1, V2]``. What `changes` sets is
    not varied. Raises ConfigurationError for a pair without values and for more than 100 variants.
    """
    values = {**_written_variants(path), **_values_of_pairs(pairs)}
    return _combinations({key: values[key] for key in values if key not in changes})


def _written_variants(path: Path) -> dict[str, Any]:
    """The key ``vary`` of a suite file that may be no valid suite without a variant.

    A suite need not name a model that each of its variants names.
    """
    file = suite_file(path)
    if not file.is_file():
        return {}  # what is wrong with it is said when it is loaded
    document = read_document(file, shown=str(shown(file)))
    data: Any = document.data
    written: Any = cast("dict[str, Any]", data).get("vary") if isinstance(data, dict) else None
    if not written:
        return {}
    if not isinstance(written, dict):
        expected = "expected keys with lists of values, as in {llm.model: [small, large]}"
        raise ConfigurationError(document.problem(expected, ("vary",)))
    values = cast("dict[str, Any]", written)
    for key, listed in values.items():
        if not isinstance(listed, list) or not listed:
            raise ConfigurationError(document.problem("expected a list of values", ("vary", key)))
        if key.partition(".")[0] in ("vary", "name", "runs"):
            raise ConfigurationError(document.problem("cannot be varied", ("vary", key)))
    return values


def _values_of_pairs(pairs: Sequence[str]) -> dict[str, list[Any]]:
    values: dict[str, list[Any]] = {}
    for pair in pairs:
        key, _, text = pair.partition("=")
        if not key or not text.strip():
            expected = "expected key=value,value as in llm.model=small,large"
            raise ConfigurationError(f"--vary {pair!r}: {expected}")
        if key in values:
            raise ConfigurationError(f"--vary {pair!r}: {key} is varied already")
        listed = parse(text, f"--vary {key}").data if text.startswith("[") else text.split(",")
        if not isinstance(listed, list) or not listed:
            raise ConfigurationError(f"--vary {pair!r}: expected a list of values")
        values[key] = [
            parse(each, f"--vary {key}").data if isinstance(each, str) else each
            for each in cast("list[Any]", listed)
        ]
    return values


def _combinations(values: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    if not values:
        return []
    number = prod(map(len, values.values()))
    if number > _MOST:
        raise ConfigurationError(f"--vary: {number:,} variants; at most {_MOST} are played")
    return [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]


def variant_name(variant: Mapping[str, Any]) -> str:
    """Return ``llm.model=small app.url=http://…``, without secrets."""
    return Redactor().message(" ".join(_settings(variant)))


def _settings(variant: Mapping[str, Any]) -> Iterator[str]:
    for key, value in variant.items():
        # As a suite file has it: {good: true}, and not {'good': True}.
        text = (
            value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        )
        yield f"{key}={one_line(text, 60)}"

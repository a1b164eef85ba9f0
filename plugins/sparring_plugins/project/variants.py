"""``sparring run --vary``: a suite once for each variant, and all of them side by side."""

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, cast

import click

from sparring.cli.output import shown
from sparring.documents.reading import parse
from sparring.engine.conduct import RunOptions, conduct
from sparring.engine.exit_codes import (
    ERRORS,
    FAILED,
    INCOMPLETE,
    INTERRUPTED,
    NOTHING,
    PASSED,
)
from sparring.errors import ConfigurationError
from sparring.store import StoredRun
from sparring.suite.environment import Redactor
from sparring_plugins.execution.options import load_executed
from sparring_plugins.gating.matrix import Variant, matrix_lines, matrix_of
from sparring_plugins.gating.matrix_page import matrix_page
from sparring_plugins.gating.records import read_record
from sparring_plugins.language.text import one_line
from sparring_plugins.output.command_end import finish_run
from sparring_plugins.output.files import written_whole

_MOST = 100
_MILD = (PASSED, NOTHING, ERRORS, INCOMPLETE, FAILED)
"""Exit codes from the best to the worst; any other, such as an internal error, is worse."""


def changes_of_variants(pairs: Sequence[str]) -> list[dict[str, Any]]:
    """Return what each variant changes in a suite: every combination of the values.

    `pairs` are ``KEY=V1,V2`` or, for values with commas, a YAML list: ``KEY=[V1, V2]``.
    Raises ConfigurationError for a pair without values and for more than 100 variants.
    """
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
    number = 1
    for each in values.values():
        number *= len(each)
    if number > _MOST:
        raise ConfigurationError(f"--vary: {number:,} variants; at most {_MOST} are played")
    return [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]


def run_variants(
    path: Path,
    pairs: Sequence[str],
    changes: dict[str, Any],
    options: RunOptions,
    *,
    pages: Sequence[str],
    exit_zero: bool,
) -> int:
    """Play a suite once for each variant; print and write the matrix. Returns the worst exit code.

    Every variant is a run like any other, with a folder of its own. All suites are read before the
    first is played, so that a value that cannot be is found at once.
    """
    if wrong := [page for page in pages if not page.lower().endswith((".html", ".htm"))]:
        raise ConfigurationError(
            f"-o {wrong[0]}: with --vary only the page of all variants (.html) is written; "
            "write a report of one of its runs with: sparring report RUN"
        )
    variants = changes_of_variants(pairs)
    suites = [load_executed(path, {**changes, **variant}) for variant in variants]
    code, played = PASSED, list[Variant]()
    for variant, loaded in zip(variants, suites, strict=True):
        name = Redactor().message(_name(variant))
        click.echo(f"\nvariant {len(played) + 1} of {len(variants)}: {name}")
        done = conduct(loaded, options)
        ended = finish_run(done, reporters=loaded.suite.reporters, exit_zero=exit_zero)
        code = max(code, ended, key=_badness)
        if done.folder is not None:
            played.append(Variant(name, read_record(StoredRun(done.folder))))
        if ended == INTERRUPTED:
            break
    matrix = matrix_of(played)
    click.echo()
    for line in matrix_lines(matrix):
        click.echo(line)
    for page in pages:
        with written_whole(Path(page)) as file:
            file.write(matrix_page(matrix))
        click.echo(f"wrote {shown(Path(page))}")
    return code


def _badness(code: int) -> int:
    return _MILD.index(code) if code in _MILD else len(_MILD) + (code == INTERRUPTED)


def _name(variant: dict[str, Any]) -> str:
    return " ".join(_settings(variant))


def _settings(variant: dict[str, Any]) -> Iterator[str]:
    for key, value in variant.items():
        yield f"{key}={one_line(str(value), 60)}"

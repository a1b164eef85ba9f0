"""Plays the variants of a suite one after the other, and shows them side by side."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click

from sparring.cli.output import shown
from sparring.engine.bus import now
from sparring.engine.conduct import RunOptions, conduct
from sparring.engine.exit_codes import (
    ERRORS,
    FAILED,
    INCOMPLETE,
    INTERRUPTED,
    NOTHING,
    PASSED,
)
from sparring.engine.session import new_place
from sparring.errors import ConfigurationError
from sparring.model.run import Stop
from sparring.store import StoredRun
from sparring.store.log import MANIFEST
from sparring.suite.environment import Redactor
from sparring.suite.reading import LoadedSuite
from sparring_plugins.execution.options import load_executed
from sparring_plugins.gating.matrix import Matrix, matrix_lines, matrix_of
from sparring_plugins.gating.matrix_page import matrix_page
from sparring_plugins.gating.stored_matrix import (
    StoredMatrix,
    StoredVariant,
    played_variants,
    read_matrix,
    run_of,
    write_matrix,
)
from sparring_plugins.output.command_end import finish_run
from sparring_plugins.output.files import written_whole
from sparring_plugins.project.variants import variant_name

_MILD = (PASSED, NOTHING, ERRORS, INCOMPLETE, FAILED)
"""Exit codes from the best to the worst; any other, such as an internal error, is worse."""

_PAGE = "matrix.html"


@dataclass(frozen=True, slots=True)
class VariantOptions:
    """How variants are played: the options of each run, pages of all, and the exit code."""

    run: RunOptions
    pages: Sequence[str] = ()
    exit_zero: bool = False


def run_variants(
    path: Path,
    variants: Sequence[dict[str, Any]],
    changes: Mapping[str, Any],
    options: VariantOptions,
) -> int:
    """Play a suite once for each variant; print and write the matrix. Returns the worst exit code.

    Every variant is a run like any other, with a folder of its own. All suites are read before the
    first is played, so that a value that cannot be is found at once.
    """
    _require_pages(options.pages)
    every = [{**changes, **variant} for variant in variants]
    suites = [load_executed(path, each) for each in every]
    first = suites[0]
    runs = options.run.runs or first.base_dir / first.suite.runs
    matrix_id, folder = new_place(runs, f"matrix {first.suite.name}")
    stored = [
        StoredVariant(name=variant_name(variant), changes=Redactor().suite(each))
        for variant, each in zip(variants, every, strict=True)
    ]
    matrix = StoredMatrix(
        id=matrix_id,
        name=first.suite.name,
        suite_path=str(first.path.resolve()),
        created=now(),
        variants=stored,
    )
    write_matrix(folder, matrix)
    return _play(matrix, folder, suites, options)


def resume_variants(folder: Path, options: VariantOptions) -> int:
    """Resume variants that were interrupted: play what of them was not played to its end."""
    _require_pages(options.pages)
    matrix = read_matrix(folder)
    path = Path(matrix.suite_path)
    suites = [load_executed(path, variant.changes) for variant in matrix.variants]
    return _play(matrix, folder, suites, options)


def _require_pages(pages: Sequence[str]) -> None:
    if wrong := [page for page in pages if not page.lower().endswith((".html", ".htm"))]:
        raise ConfigurationError(
            f"-o {wrong[0]}: with variants only the page of all of them (.html) is written; "
            "write a report of one of its runs with: sparring report RUN"
        )


def _play(
    matrix: StoredMatrix, folder: Path, suites: Sequence[LoadedSuite], options: VariantOptions
) -> int:
    code = PASSED
    for number, (variant, loaded) in enumerate(zip(matrix.variants, suites, strict=True), 1):
        click.echo(f"\nvariant {number} of {len(suites)}: {variant.name}")
        ended = _play_variant(matrix, folder, variant, loaded, options)
        code = max(code, ended, key=_severity)
        if ended == INTERRUPTED:
            click.echo(f"\ngo on with: sparring run --resume {shown(folder)}")
            break
    table = matrix_of(played_variants(folder, matrix.variants))
    click.echo()
    for line in matrix_lines(table):
        click.echo(line)
    for page in (str(folder / _PAGE), *options.pages):
        _write_page(Path(page), table)
    return code


def _play_variant(
    matrix: StoredMatrix,
    folder: Path,
    variant: StoredVariant,
    loaded: LoadedSuite,
    options: VariantOptions,
) -> int:
    """Play a variant, or what is left of it; returns the exit code of its run."""
    begun = run_of(folder, variant) or _begun(matrix, folder, variant)
    summary = begun.summary if begun is not None else None
    if begun is not None and summary is not None and summary.stopped is Stop.COMPLETE:
        click.echo(f"played to its end: {shown(begun.folder)}")
        forgiven = options.exit_zero and summary.exit_code in _MILD
        return PASSED if forgiven and summary.exit_code != NOTHING else summary.exit_code
    done = conduct(loaded, replace(options.run, resume=begun, runs=folder.parent))
    ended = finish_run(done, reporters=loaded.suite.reporters, exit_zero=options.exit_zero)
    if done.folder is not None:
        variant.run = done.folder.name
        write_matrix(folder, matrix)
    return ended


def _begun(matrix: StoredMatrix, folder: Path, variant: StoredVariant) -> StoredRun | None:
    """The run of a variant that was killed before its folder was noted down."""
    noted = {each.run for each in matrix.variants}
    for path in sorted(folder.parent.glob(f"*/{MANIFEST}"), reverse=True):
        if path.parent.name in noted or path.stat().st_mtime < matrix.created.timestamp() - 1:
            continue
        stored = StoredRun(path.parent)
        run = stored.manifest
        same = run.suite_path == matrix.suite_path and run.overrides == variant.changes
        if same and run.created >= matrix.created:
            return stored
    return None


def _write_page(path: Path, table: Matrix) -> None:
    with written_whole(path) as file:
        file.write(matrix_page(table, lambda folder: _address(folder, path.parent)))
    click.echo(f"wrote {shown(path)}")


def _address(run: Path | None, start: Path) -> str:
    """The address of a run's HTML report from a folder; empty if it has none there."""
    report = run / "report.html" if run is not None else None
    if report is None or not report.is_file():
        return ""
    try:
        return quote(Path(os.path.relpath(report.resolve(), start.resolve())).as_posix())
    except ValueError:  # on another drive
        return ""


def _severity(code: int) -> int:
    return _MILD.index(code) if code in _MILD else len(_MILD) + (code == INTERRUPTED)

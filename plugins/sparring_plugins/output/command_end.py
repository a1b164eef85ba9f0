"""How commands end: warnings, problems, why the exit code is not 0, and what was written."""

from collections.abc import Iterable
from pathlib import Path

import click

from sparring.cli.output import plain, shown
from sparring.engine.exit_codes import (
    ERRORS,
    FAILED,
    INCOMPLETE,
    INTERNAL,
    MEANINGS,
    NOT_STORED,
    NOTHING,
    PASSED,
    meaning,
)
from sparring.engine.session import RunResult
from sparring.interfaces.plugin import Use
from sparring.suite.environment import Redactor
from sparring.suite.reading import defaults

_FORGIVEN = (FAILED, ERRORS, INCOMPLETE)
"""What ``--exit-zero`` turns into 0: a run in which nothing was judged, or that broke, stays."""


def finish(
    *,
    exit_code: int,
    reason: str,
    folder: Path | None,
    written: list[Path],
    warnings: list[str],
    problems: list[str],
    exit_zero: bool,
) -> int:
    """Print warnings, problems, why the exit code is not 0, and the paths written.

    `reason` is that why; empty if a report has it already. Returns the exit code.
    """
    clean = Redactor()
    for message in warnings:
        click.echo(f"warning: {plain(clean.message(message))}", err=True)
    for message in problems:
        click.echo(f"problem: {plain(clean.message(message))}", err=True)
    if reason and exit_code != PASSED:
        click.echo(f"sparring: {plain(clean.message(reason))} (exit code {exit_code})", err=True)
    for path in dict.fromkeys(written):
        click.echo(f"wrote {shown(path)}")
    if folder is not None:
        click.echo(f"run   {shown(folder)}")
    return PASSED if exit_zero and exit_code in _FORGIVEN else exit_code


def finish_run(
    result: RunResult,
    *,
    reporters: Iterable[Use],
    exit_zero: bool,
    problems: Iterable[str] = (),
) -> int:
    """Print the end of a run, and return its exit code; `reporters` are those that heard it."""
    return finish(
        exit_code=result.exit_code,
        reason=_why(result, reporters),
        folder=result.folder,
        written=result.written,
        warnings=result.warnings,
        problems=[*problems, *result.problems],
        exit_zero=exit_zero,
    )


def _why(result: RunResult, reporters: Iterable[Use]) -> str:
    """Why a run has its exit code; empty if a reporter has printed that."""
    summary, code = result.summary, result.exit_code
    if code != summary.exit_code:
        return f"{MEANINGS[code]}: reports are missing or incomplete"
    if code == NOTHING and not sum(summary.cases.values()):
        return summary.reason or MEANINGS[code]
    # That report goes to standard output, which may be thrown away: these two are too important.
    if code not in (NOTHING, INTERNAL, NOT_STORED) and _is_shown(reporters):
        return ""
    added = code == INTERNAL and summary.reason
    return f"{meaning(summary)}: {summary.reason}" if added else meaning(summary)


def _is_shown(reporters: Iterable[Use]) -> bool:
    """Whether a run had the reporter of suites that name none, which shows it on the terminal."""
    usual = {Use.model_validate(use).use for use in defaults()["reporters"]}
    return any(use.use in usual for use in reporters)

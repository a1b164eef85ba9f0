"""``sparring causes``: which conditions a run's failures are due to, one line for each."""

from collections.abc import Iterator
from pathlib import Path

import click

from sparring.cli.output import plain
from sparring.engine.exit_codes import NOTHING, PASSED
from sparring.suite.environment import Redactor
from sparring_plugins.language.quantities import plural
from sparring_plugins.output import arguments
from sparring_plugins.output.stored_runs import find_run
from sparring_plugins.search.shrinking.run_causes import CauseOfRun, RunCauses, causes_of_run

HELP_SECTION = "look"

# A conversation that is shown as an example may have thousands of characters.
_TEXT = 300
_MOST = 100


@click.command(name="causes")
@arguments.run_argument
@click.option("--json", "as_json", is_flag=True, help="Print all of it as JSON.")
@arguments.runs_option
def causes(run: str, as_json: bool, runs: Path | None) -> int:
    """Tell which conditions the failures of a run are due to, one line for each root cause.

    RUN is an id, a folder, or 'last' (the default). Values and words are told from all cases of the
    run, those that passed too; nothing is played and no model is asked. For each root cause: how
    many of the cases with the condition fail, and of the others in the same way, with 95 %
    intervals. Exit codes: 0 told, also if nothing could be told of some failures; 5 nothing failed.
    """
    stored = find_run(run, runs or Path("runs"), played=True)
    found = causes_of_run(stored.manifest.id, stored.judged())
    if not found.failures:
        click.echo("sparring: no case of the run failed for which the app is to blame", err=True)
        return NOTHING
    if as_json:
        click.echo(Redactor().text(found.model_dump_json(indent=1)))
        return PASSED
    for line in lines(found):
        click.echo(Redactor().message(line))
    return PASSED


def lines(found: RunCauses) -> Iterator[str]:
    """Yield the root causes of a run for the terminal."""
    for number, cause in enumerate(found.causes[:_MOST], 1):
        yield from _cause_lines(number, cause)
    hidden = len(found.causes) - _MOST
    if hidden > 0:
        yield f"and {plural(hidden, 'more cause')} (--json has all)"
    explained = found.failures - len(found.unexplained)
    yield ""
    yield (
        f"{plural(len(found.causes), 'root cause')} of {plural(found.failures, 'failed case')} "
        f"among {found.cases:,}, {explained:,} of them explained"
    )
    if found.unexplained:
        yield f"not explained, such as {plain(found.unexplained[0])}: {len(found.unexplained):,}"
    yield (
        f"not shown by this run: about {found.missing:.0f} causes (Chao1); the next failure has "
        f"an unknown one with a chance of {found.unseen:.1%} (Good-Turing)"
    )


def _cause_lines(number: int, cause: CauseOfRun) -> Iterator[str]:
    often = "mostly fails" if cause.mostly else "fails"
    kinds = ", ".join(cause.kinds)
    yield f"{number:>3}. {often} if {plain(cause.condition, 400)}: {plain(kinds, 200)}"
    yield f"     with it {cause.inside.text}, without it {cause.outside.text} fail in this way"
    if cause.said:
        yield f"     {plain(cause.example)}: {plain(cause.said, _TEXT)}"

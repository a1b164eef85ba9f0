"""``sparring shrink``."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from sparring.cli.output import plain, shown
from sparring.engine.exit_codes import (
    ERRORS,
    FAILED,
    INCOMPLETE,
    NOTHING,
    PASSED,
)
from sparring.engine.exit_codes import INTERRUPTED as STOPPED
from sparring.errors import AppUnreachable, StoredRunError
from sparring.model.verdict import Outcome
from sparring.store import StoredRun
from sparring.suite.environment import Redactor
from sparring.suite.reading import LoadedSuite
from sparring_plugins.language.quantities import plural
from sparring_plugins.output import arguments
from sparring_plugins.output.stored_runs import find_run, runs_of_suite
from sparring_plugins.search.shrinking.case_runner import OutOfBudget
from sparring_plugins.search.shrinking.causes import (
    FILE,
    RootCause,
    ShrinkResult,
    UnshrunkFailure,
    stored_result,
)
from sparring_plugins.search.shrinking.shrink_run import (
    INTERRUPTED,
    Replayed,
    ShrinkOptions,
    causes_of,
    replay,
    shrink,
    suite_of,
)
from sparring_plugins.trust.options import may_be_untrusted

HELP_SECTION = "run"

_TEXT = 300


@click.command(name="shrink")
@arguments.run_argument
@click.argument("cases", nargs=-1, metavar="[CASE]...")
@click.option("--replay", "again", is_flag=True,
              help="Play the smallest cases again: do they still fail?")  # fmt: skip
@click.option("--executions", default=1_000, show_default=True, type=click.IntRange(min=1),
              help="How often a case may be played, in all.")  # fmt: skip
@click.option("--causes", default=50, show_default=True, type=click.IntRange(min=1),
              help="How many causes to look for.")  # fmt: skip
@click.option("--probes", default=10, show_default=True, type=click.IntRange(min=0, max=1_000),
              help="Random cases that check each cause.")  # fmt: skip
@click.option("--repeats", default=1, show_default=True, type=click.IntRange(1, 100),
              help="How often a case must fail again to be taken up.")  # fmt: skip
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0),
              help="The seed of the random cases.")  # fmt: skip
@click.option("--suite", metavar="SUITE", help="Where the suite lies now, if it was moved.")
@arguments.set_option
@arguments.runs_option
@may_be_untrusted
def shrink_command(
    run: str,
    cases: tuple[str, ...],
    again: bool,
    executions: int,
    causes: int,
    probes: int,
    repeats: int,
    seed: int,
    suite: str | None,
    settings: tuple[str, ...],
    runs: Path | None,
) -> int:
    """Reduce failing cases to the features and words that matter, against the app.

    RUN is an id, a folder, or 'last' (the default); CASE ids of failed cases of it (else one of
    each kind, then those that its causes do not explain). The result is stored in the run's folder;
    reports of the run show it from then on. With --replay, the smallest cases are played again, or
    those of some CASE or number of a cause. Exit codes: 0 shrunk, or nothing fails any more; 1 a
    replayed case still fails; 3 nothing failed again, a replayed case could not be judged, or the
    app cannot be reached; 4 the budget is spent; 5 nothing had failed, or there is no cause to play
    again; 130 interrupted.
    """
    stored = find_run(run, runs or runs_of_suite(suite), played=True)
    loaded = suite_of(stored, suite, arguments.overrides(settings))
    try:
        if again:
            return _replay(stored, loaded, cases, repeats)
        options = ShrinkOptions(cases, executions, causes, probes, repeats, seed)
        shrunk = shrink(stored, loaded, options, _tell)
    except AppUnreachable as err:
        message = plain(Redactor().message(str(err)), 400)
        click.echo(f"sparring: the app cannot be reached: {message}", err=True)
        return ERRORS
    except OutOfBudget:
        click.echo("sparring: the budget is spent before all was played again", err=True)
        return INCOMPLETE
    if not shrunk.failures:
        click.echo("sparring: no case of the run failed for which the app is to blame", err=True)
        return NOTHING
    for line in summary(shrunk):
        click.echo(line)
    click.echo(f"wrote {shown(stored.folder / FILE)}")
    if INTERRUPTED in shrunk.notes:
        return STOPPED
    if not shrunk.causes:
        click.echo(f"sparring: nothing failed again (exit code {ERRORS})", err=True)
    return PASSED if shrunk.causes else ERRORS


def _tell(result: RootCause | UnshrunkFailure) -> None:
    clean = Redactor()
    if isinstance(result, UnshrunkFailure):
        click.echo(f"{plain(result.case_id)}: not shrunk: {plain(clean.message(result.why), 400)}")
        return
    for line in cause_lines(result):
        click.echo(clean.message(line))


def cause_lines(cause: RootCause) -> Iterator[str]:
    """Yield a root cause as lines for the terminal."""
    yield f"{plain(cause.kind, 120)}: {plain(cause.sentence, 500)}"
    yield f"  {plural(cause.cases, 'case')} of the run, such as {plain(cause.case_id)}"
    if cause.original and cause.original != cause.smallest:
        yield f"  was   {plain(cause.original, _TEXT)}"
    if cause.smallest:
        yield f"  now   {plain(cause.shown, _TEXT)}"
    if cause.worded:
        yield f"  or    {plain(cause.worded, _TEXT)}"
    if cause.answer:
        yield f"  app   {plain(cause.answer, _TEXT)}"
    if cause.turns[0] > 1:
        yield f"  turns {cause.turns[0]} before, {cause.turns[1]} now"
    for note in cause.notes:
        yield f"  note  {plain(note, _TEXT)}"
    if not cause.complete:
        yield "  note  the budget ended before it was as small as can be"


def summary(shrunk: ShrinkResult) -> Iterator[str]:
    """Yield the totals of shrinking, for the terminal."""
    yield ""
    yield (
        f"{plural(len(shrunk.causes), 'cause')} of {plural(shrunk.failures, 'failed case')}, "
        f"{shrunk.explained:,} of them explained; {shrunk.executions:,} executions"
    )
    for note in shrunk.notes:
        yield f"note: {plain(Redactor().message(note), 400)}"


def _replay(run: StoredRun, loaded: LoadedSuite, cases: Sequence[str], repeats: int) -> int:
    shrunk = stored_result(run.folder)
    if shrunk is None:
        raise StoredRunError(f"{run.folder} is not shrunk yet: sparring shrink {run.folder}")
    played = replay(loaded, causes_of(shrunk, cases), repeats)
    if not played:
        click.echo("sparring: there is no cause to play again", err=True)
        return NOTHING
    failing = sum(replayed.fails for replayed in played)
    unsure = sum(map(_is_unsure, played))
    for replayed in played:
        what = "still fails" if replayed.fails else "does not fail any more"
        what = "could not be judged" if _is_unsure(replayed) else what
        click.echo(
            f"{plain(replayed.cause.kind, 120)}: {what}: {plain(replayed.cause.shown, _TEXT)}"
        )
    click.echo(f"still failing: {failing} of {plural(len(played), 'smallest case')}")
    return FAILED if failing else ERRORS if unsure else PASSED


def _is_unsure(replayed: Replayed) -> bool:
    """Whether a case neither fails nor passes: an error, or nothing decided."""
    open_ones = (Outcome.ERROR, Outcome.INCONCLUSIVE)
    return not replayed.fails and any(
        verdict.gating and verdict.outcome in open_ones for verdict in replayed.execution.verdicts
    )

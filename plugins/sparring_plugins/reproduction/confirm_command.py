"""``sparring confirm``."""

from pathlib import Path
from typing import Any

import click

from sparring.cli.output import plain
from sparring.engine.exit_codes import ERRORS, FAILED, INTERRUPTED, MEANINGS, NOTHING, PASSED
from sparring.errors import ConfigurationError
from sparring.interfaces.reporter import Reporter
from sparring.model.confirmation import Confirmation
from sparring.model.talk import act_text
from sparring.store import StoredRun
from sparring.suite.building import SuiteContext
from sparring.suite.model import Confirm
from sparring.suite.reading import LoadedSuite
from sparring_plugins.execution.options import (
    execution_changes,
    execution_options,
    load_executed,
)
from sparring_plugins.output import arguments
from sparring_plugins.output.command_end import finish
from sparring_plugins.output.stored_reports import report
from sparring_plugins.output.stored_runs import find_run, runs_of_suite
from sparring_plugins.reproduction.confirm_run import ConfirmedRun
from sparring_plugins.reproduction.confirm_run import confirm as play_again
from sparring_plugins.reproduction.log_repair import repair_log
from sparring_plugins.trust.options import may_be_untrusted

HELP_SECTION = "run"


@click.command()
@arguments.run_argument
@click.option("--suite", metavar="SUITE", help="Where the suite lies now, if it was moved.")
@click.option("--replays", type=click.IntRange(1, 100),
              help="How often the shortest conversation is played.")  # fmt: skip
@click.option("--no-minimise", is_flag=True, help="Leave conversations as long as they were.")
@click.option("--minutes", type=click.FloatRange(0, min_open=True),
              help="Begin no further fault after that.")  # fmt: skip
@execution_options
@arguments.salvage_option
@arguments.set_option
@arguments.output_option
@arguments.runs_option
@arguments.no_plugin_option
@arguments.exit_zero_option
@may_be_untrusted
def confirm(
    run: str,
    suite: str | None,
    replays: int | None,
    no_minimise: bool,
    minutes: float | None,
    settings: tuple[str, ...],
    output: tuple[str, ...],
    runs: Path | None,
    disabled: tuple[str, ...],
    exit_zero: bool,
    executor: str | None,
    workers: int | None,
) -> int:
    """Play the faults of a stored run again, and find the shortest way to each.

    RUN is an id, a folder, or 'last' (the default). Each fault is repeated from a fresh session,
    against the app; what is not needed for it is left out. What became of it is added to the run's
    log, so that reports show it. Faults that were played again before are passed over. Of the
    faults that gate: the exit code is 1 if one is confirmed, 3 if one shows now and then or could
    not be played, and 0 if none shows again; it is 5 if there is none to play.
    """
    folder = runs or runs_of_suite(suite)
    stored = repair_log(find_run(run, folder, played=True))
    changes = arguments.overrides(settings) | execution_changes(executor, workers)
    loaded = _suite(stored, suite, changes)
    settings_used = loaded.suite.confirming or Confirm()
    limits: dict[str, Any] = {"replays": replays, "minutes": minutes}
    changed = {key: value for key, value in limits.items() if value is not None}
    if no_minimise:
        changed["minimise"] = False
    result = play_again(loaded, stored, settings_used.model_copy(update=changed), disabled)
    for confirmation in result.confirmations:
        _tell(confirmation)
    code, why = _ending(result)
    return finish(
        exit_code=code,
        reason=why,
        folder=stored.folder,
        written=_reports(stored, output),
        warnings=result.warnings,
        problems=result.problems,
        exit_zero=exit_zero,
    )


def _ending(result: ConfirmedRun) -> tuple[int, str]:
    """The exit code, and why it is not 0."""
    gating = [confirmation for confirmation in result.confirmations if confirmation.fault.gating]
    confirmed = sum(confirmation.outcome == "confirmed" for confirmation in gating)
    open_ones = sum(confirmation.outcome in ("unsteady", "not played") for confirmation in gating)
    if not result.complete:
        return INTERRUPTED, MEANINGS[INTERRUPTED]
    if not result.confirmations:
        return NOTHING, "no fault of this run can be played again: nothing failed in a conversation"
    if confirmed:
        return FAILED, f"{_count_noun(confirmed, 'gating fault')} confirmed"
    if open_ones:
        return ERRORS, f"{_count_noun(open_ones, 'gating fault')} neither confirmed nor gone"
    return PASSED, ""


def _count_noun(number: int, noun: str) -> str:
    return f"{number} {noun}{' is' if number == 1 else 's are'}"


def _suite(stored: StoredRun, suite: str | None, changes: dict[str, Any]) -> LoadedSuite:
    """The run's suite as it was when the run began, with what its command line set."""
    manifest = stored.manifest
    if not manifest.suite or manifest.kind != "run":
        raise ConfigurationError(f"{stored.folder} was not made by 'sparring run'")
    path = Path(suite) if suite else Path(manifest.suite_path or stored.folder / "suite.yaml")
    return load_executed(path, changes, written=manifest.suite)


def _tell(confirmation: Confirmation) -> None:
    fault = confirmation.fault
    app = f"{plain(confirmation.app)}: " if confirmation.app else ""
    click.echo(f"{confirmation.outcome:<13} {app}{plain(fault.oracle)} / {plain(fault.check)}")
    click.echo(f"    {plain(fault.reason, 200)}")
    click.echo(f"    {plain(confirmation.why, 200)}")
    if confirmation.trace is not None:
        texts = [plain(act_text(turn.act), 60) for turn in confirmation.trace.turns]
        click.echo(f"    > {' > '.join(text or '(listens)' for text in texts)}")


def _reports(stored: StoredRun, output: tuple[str, ...]) -> list[Path]:
    if not output:
        return []
    context = SuiteContext(Path.cwd(), seed=stored.manifest.seed, run_dir=stored.folder)
    parts = [context.part(Reporter[Any], use) for use in arguments.outputs(output)]
    return report(StoredRun(stored.folder), parts)

"""``sparring calibrate``."""

from pathlib import Path
from time import monotonic
from typing import Any

import click

from sparring.documents import reading
from sparring.engine.conduct import RunOptions, conduct
from sparring.engine.exit_codes import INCOMPLETE, INTERNAL, INTERRUPTED, MEANINGS, PASSED
from sparring.errors import ConfigurationError
from sparring.store import StoredRun
from sparring_plugins.execution.options import (
    execution_changes,
    execution_options,
    execution_use,
    load_executed,
)
from sparring_plugins.judging.calibration.calibrate import Calibrated, CalibrateOptions
from sparring_plugins.judging.calibration.calibrate import calibrate as measure
from sparring_plugins.judging.calibration.file_loading import load_calibration
from sparring_plugins.judging.calibration.judge_calls import Answer
from sparring_plugins.judging.calibration.recorded_agents import calibrate_run
from sparring_plugins.judging.calibration.reports import lines
from sparring_plugins.output import arguments
from sparring_plugins.output.command_end import finish
from sparring_plugins.output.stored_runs import find_run
from sparring_plugins.trust.options import may_be_untrusted

HELP_SECTION = "measure"

# Progress in a log of continuous integration: a line each five seconds, not one an answer.
_EVERY_S = 5.0
_BUDGET = ("minutes", "tokens", "cost")


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--judge", "judges", multiple=True, metavar="NAME", help="Only this judge.")
@click.option("--repeats", type=click.IntRange(1, 1000), help="How often a model is asked.")
@click.option("--seed", type=click.IntRange(min=0), help="Replace the file's seed.")
@click.option("--concurrency", type=click.IntRange(1, 1000), help="Answers at once.")
@click.option(
    "--budget", multiple=True, metavar="KIND=AMOUNT",
    help="Replace a limit: minutes, tokens or cost.",
)  # fmt: skip
@click.option(
    "--min-accuracy", type=click.FloatRange(0, 1), metavar="SHARE",
    help="Fail if a judge is right less often.",
)  # fmt: skip
@click.option(
    "--min-kappa", type=click.FloatRange(-1, 1), metavar="KAPPA",
    help="Fail if a judge agrees less with what is right, beyond chance.",
)  # fmt: skip
@execution_options
@arguments.set_option
@arguments.runs_option
@arguments.no_plugin_option
@arguments.exit_zero_option
@may_be_untrusted
def calibrate(
    file: Path,
    judges: tuple[str, ...],
    min_accuracy: float | None,
    min_kappa: float | None,
    settings: tuple[str, ...],
    runs: Path | None,
    disabled: tuple[str, ...],
    exit_zero: bool,
    executor: str | None,
    workers: int | None,
    **limits: Any,
) -> int:
    """Measure judges on labelled examples.

    FILE names the judges (agents of any role, rule functions, oracles) and the examples. The
    result is stored, shown as a table, and written as a page; a suite may name it beside an
    oracle, whose verdicts then carry their judge's measured error.

    FILE may also be a suite, which is run first, or a stored run: its folder, its id or `last`.
    Then the agents that played are measured where the test cases say what is right, and nothing
    is asked again.
    """
    execution = execution_changes(executor, workers)
    played = _find_stored_run(file, runs, settings, disabled, execution)
    if played is not None:
        stored, ended = played
        _require_no_limits(limits)
        options = CalibrateOptions(
            judges=judges, min_accuracy=min_accuracy, min_kappa=min_kappa, disabled=disabled
        )
        return _print_calibration(calibrate_run(stored, options), exit_zero=exit_zero, ended=ended)
    loaded = load_calibration(file, _changes(settings, limits))
    done = measure(
        loaded,
        CalibrateOptions(
            runs=runs,
            judges=judges,
            min_accuracy=min_accuracy,
            min_kappa=min_kappa,
            disabled=disabled,
            on_answer=_Progress().on_answer,
            execution=execution_use(executor, workers, loaded.file.execution),
        ),
    )
    return _print_calibration(done, exit_zero=exit_zero)


def _find_stored_run(
    file: Path,
    runs: Path | None,
    settings: tuple[str, ...],
    disabled: tuple[str, ...],
    execution: dict[str, Any],
) -> tuple[StoredRun, int] | None:
    """The stored run that is meant, or that of the suite, run now; None for a calibration.

    With it the exit code of the run, if it was made now and did not come to its end, else 0.
    """
    named = file.suffix.lower() not in (".yaml", ".yml", ".json")
    if file.is_dir() or (named and not file.exists()):
        return find_run(str(file), runs or Path("runs"), played=True), PASSED
    data: Any = reading.read_document(file).data
    if not isinstance(data, dict) or "app" not in data or "judges" in data:
        return None
    loaded = load_executed(file, arguments.overrides(settings) | execution)
    done = conduct(loaded, RunOptions(disabled=disabled, runs=runs))
    if done.folder is None:
        raise ConfigurationError(f"{file}: nothing was run: {done.summary.reason}")
    # What fails or stays undecided is what the agents are measured on: only a run that ended early
    # makes the measures doubtful.
    early = done.exit_code in (INCOMPLETE, INTERNAL, INTERRUPTED)
    return StoredRun(done.folder), done.exit_code if early else PASSED


def _require_no_limits(limits: dict[str, Any]) -> None:
    limit_keys = sorted(key for key, value in limits.items() if value)
    if limit_keys:
        raise ConfigurationError(
            f"--{limit_keys[0]} says how judges are asked; the agents of a run have answered "
            "already"
        )


def _print_calibration(done: Calibrated, *, exit_zero: bool, ended: int = PASSED) -> int:
    """Print the result, and return its exit code; `ended` is that of a run that ended early."""
    result = done.result
    for line in lines(result):
        click.echo(line)
    broken = ended in (INTERNAL, INTERRUPTED) or (ended != PASSED and result.exit_code == PASSED)
    return finish(
        exit_code=ended if broken else result.exit_code,
        reason=f"the run: {MEANINGS[ended]}" if broken else result.reason,
        folder=done.folder,
        written=done.written,
        warnings=done.warnings,
        problems=done.problems,
        exit_zero=exit_zero,
    )


def _changes(settings: tuple[str, ...], limits: dict[str, Any]) -> dict[str, Any]:
    changes = arguments.overrides(settings)
    for pair in limits["budget"]:
        kind, sign, _ = pair.partition("=")
        if not sign or kind not in _BUDGET:
            keys = ", ".join(_BUDGET)
            raise ConfigurationError(f"--budget {pair!r}: expected kind=amount, kinds: {keys}")
        changes |= arguments.overrides([f"budget.{pair}"])
    for key in ("repeats", "seed", "concurrency"):
        if limits[key] is not None:
            changes[key] = limits[key]
    return changes


class _Progress:
    """Says every few seconds how far it is."""

    def __init__(self) -> None:
        self._last = monotonic()

    def on_answer(self, answer: Answer, done: int, of: int) -> None:
        """Take note of an answer."""
        if monotonic() - self._last >= _EVERY_S:
            self._last = monotonic()
            click.echo(f"{done:,} of {of:,} answers so far", err=True)

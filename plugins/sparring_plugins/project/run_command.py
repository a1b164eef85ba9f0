"""``sparring run``."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from sparring.cli.output import plain, shown
from sparring.discovery import drivers
from sparring.discovery.groups import SERVICES
from sparring.engine.conduct import RunOptions, conduct
from sparring.errors import ConfigurationError
from sparring.store import StoredRun
from sparring.suite.reading import LoadedSuite
from sparring_plugins.execution.options import (
    execution_changes,
    execution_options,
    load_executed,
)
from sparring_plugins.execution.selection import keep_selection, note_selection
from sparring_plugins.execution.shards import Shard
from sparring_plugins.language.quantities import plural
from sparring_plugins.output import arguments
from sparring_plugins.output.command_end import finish_run
from sparring_plugins.output.stored_runs import find_run
from sparring_plugins.project.variants import variants_of
from sparring_plugins.trust.options import may_be_untrusted

HELP_SECTION = "run"


@click.command()
@click.argument("suite", required=False)
@click.option(
    "--resume", metavar="RUN", shell_complete=arguments.run_names,
    help="Resume a stored run: an id, a folder, 'last'.",
)  # fmt: skip
@click.option(
    "--retry-errors", is_flag=True,
    help="Play cases again that ended in errors of the environment, of the last run or of"
    " --resume.",
)  # fmt: skip
@click.option(
    "-k", "select", multiple=True, metavar="PATTERN",
    help="Only scenarios of which the name, a tag or the file's name matches.",
)  # fmt: skip
@click.option(
    "--last-failed", is_flag=True,
    help="Only cases that did not pass in the suite's last run; all if there are none.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), help="Replace the suite's seed.")
@click.option("--concurrency", type=click.IntRange(1, 1000), help="Cases played side by side.")
@click.option(
    "--budget", multiple=True, metavar="KIND=AMOUNT",
    help="Replace a limit: cases, turns, minutes, tokens, cost, failures or unreachable.",
)  # fmt: skip
@click.option(
    "--baseline", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False),
    help="Fail only for what is worse than this baseline (see 'sparring bless').",
)  # fmt: skip
@click.option(
    "--repeats", metavar="N", help="Play each case so often, or until its rate is known: '±5 %'."
)
@click.option(
    "--vary", multiple=True, metavar="KEY=V1,V2",
    help="Play once with each value (or combination) and show cases × variants; -o: as a page.",
)  # fmt: skip
@execution_options
@click.option(
    "--shard", metavar="K/N", help="Play the K-th of N parts; 'sparring merge' joins them."
)
@click.option("--max-failures", type=click.IntRange(min=1), help="Stop after this many failures.")
@arguments.salvage_option
@arguments.set_option
@arguments.result_options
@may_be_untrusted
def run(
    suite: str | None,
    resume: str | None,
    retry_errors: bool,
    select: tuple[str, ...],
    last_failed: bool,
    settings: tuple[str, ...],
    output: tuple[str, ...],
    runs: Path | None,
    disabled: tuple[str, ...],
    strict: bool,
    exit_zero: bool,
    shard: str | None,
    **limits: Any,
) -> int:
    """Play a suite's cases against its app, judge them, and write the reports.

    SUITE is a file or folder; without it the nearest suite.yaml from here upwards. With
    --resume, only what was not judged before is played; with --retry-errors, also the cases
    that an outage of the app or of a model's service broke.
    """
    resume = resume or ("last" if retry_errors else None)
    changes = _changes(settings, limits)
    options = note_selection(RunOptions(select=select, strict=strict, disabled=disabled, runs=runs))
    _require_compatible(resume, shard, last_failed, limits)
    matrix = _find_matrix(suite, resume, runs)
    begins = not (resume or shard or last_failed)
    variants = variants_of(arguments.suite_path(suite), limits["vary"], changes) if begins else []
    if matrix is not None or variants:
        # Imported only here: tables of variants are 2 % of what a run of 100 short cases costs.
        from sparring_plugins.project import variant_runs

        of_variants = variant_runs.VariantOptions(options, output, exit_zero)
        if matrix is not None:
            return variant_runs.resume_variants(matrix, of_variants)
        path = arguments.suite_path(suite)
        return variant_runs.run_variants(path, variants, changes, of_variants)
    loaded, stored = _load(suite, resume, runs, changes)
    part = Shard.of(shard or (stored.manifest.shard if stored else ""))
    if stored is None:
        loaded = part.limited(loaded)
    options = replace(
        options,
        resume=stored,
        outputs=arguments.outputs(output),
        retry_errors=retry_errors,
        shard=str(part),
    )
    options = keep_selection(options, stored)
    if last_failed:
        options = _select_last_failed(options, loaded, runs)
    done = conduct(loaded, options)
    return finish_run(done, reporters=loaded.suite.reporters, exit_zero=exit_zero)


def _require_compatible(
    resume: str | None, shard: str | None, last_failed: bool, limits: dict[str, Any]
) -> None:
    """Raise ConfigurationError for options that do not go together."""
    if last_failed and (resume or shard or limits["vary"]):
        raise ConfigurationError(
            "--last-failed begins a run of its own: not with --resume, --retry-errors, --shard "
            "and --vary"
        )
    if limits["vary"] and (resume or shard):
        other = "--shard" if shard else "--resume and --retry-errors"
        raise ConfigurationError(f"--vary makes a run for each variant: not with {other}")


def _find_matrix(suite: str | None, resume: str | None, runs: Path | None) -> Path | None:
    """The folder of the variants that are to be resumed; `None` if it is a run, or nothing."""
    if resume is None or resume == "last":
        return None
    if suite is not None and runs is None:
        loaded = load_executed(arguments.suite_path(suite), {})
        runs = loaded.base_dir / loaded.suite.runs
    from sparring_plugins.gating.stored_matrix import find_matrix  # not for every run

    return find_matrix(resume, runs or Path("runs"))


def _select_last_failed(options: RunOptions, loaded: LoadedSuite, runs: Path | None) -> RunOptions:
    """Select what did not pass in the last run of a suite; everything, with a word, if all did."""
    folder = runs or loaded.base_dir / loaded.suite.runs
    stored = find_run("last", folder, played=True)
    if stored.manifest.name != loaded.suite.name:
        raise ConfigurationError(
            f"the last run in {shown(folder)} is of the suite {plain(stored.manifest.name)!r}, "
            f"not of {loaded.suite.name!r}"
        )
    from sparring_plugins.execution.chosen_cases import cases_not_passed  # not for every run

    cases = cases_not_passed(stored)
    what = (
        f"{plural(len(cases), 'case')} that did not pass in"
        if cases
        else "all cases: nothing failed in"
    )
    click.echo(f"{what} {plain(stored.manifest.id)}")
    if not cases:
        return options
    return note_selection(replace(options, cases=cases), stored.manifest.id)


def _load(
    suite: str | None, resume: str | None, runs: Path | None, changes: dict[str, Any]
) -> tuple[LoadedSuite, Any]:
    if resume is None:
        return load_executed(arguments.suite_path(suite), changes), None
    loaded = None
    if suite is not None or runs is None:
        try:
            loaded = load_executed(arguments.suite_path(suite), changes)
        except ConfigurationError:
            if suite is not None:
                raise
    folder = runs or (loaded.base_dir / loaded.suite.runs if loaded else Path("runs"))
    stored = _repair_run(find_run(resume, folder, played=True))
    if suite is None:
        named = stored.manifest.suite_path
        if named is None:
            raise ConfigurationError(f"{stored.folder} was not made by 'sparring run'")
        path = Path(named)
        written = None if path.is_file() else stored.manifest.suite
        earlier = _kept(stored.manifest.overrides, changes) if written is None else {}
        loaded = load_executed(path, {**earlier, **changes}, written=written)
    if loaded is None:
        raise ConfigurationError("no suite is named")
    return loaded, stored


def _repair_run(stored: StoredRun) -> StoredRun:
    """The run; with ``--salvage``, without the damaged lines of its log."""
    if not stored.left_out:
        return stored
    repair: Callable[[StoredRun], StoredRun] = drivers.load_value(SERVICES, "log-repair")
    return repair(stored)


def _kept(overrides: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """What the first session set on its command line and `changes` leave as it was.

    Its budget was for that session, and its cluster for its executor.
    """
    dropped = {"budget", "execution"} if "execution.use" in changes else {"budget"}
    return {key: value for key, value in overrides.items() if key.split(".")[0] not in dropped}


def _changes(settings: tuple[str, ...], limits: dict[str, Any]) -> dict[str, Any]:
    changes = arguments.overrides(settings)
    for pair in limits["budget"]:
        kind, sign, amount = pair.partition("=")
        if not sign:
            raise ConfigurationError(f"--budget {pair!r}: expected kind=amount, as in cases=100")
        changes |= arguments.overrides([f"budget.{kind}={amount}"])
    if limits["max_failures"] is not None:
        changes["budget.failures"] = limits["max_failures"]
    if limits["baseline"] is not None:  # from here, where the suite's is from its folder
        changes["gate.baseline"] = str(limits["baseline"].absolute())
    if limits["repeats"] is not None:
        changes |= arguments.overrides([f"repeats={limits['repeats']}"])
    for key in ("seed", "concurrency"):
        if limits[key] is not None:
            changes[key] = limits[key]
    return changes | execution_changes(limits["executor"], limits["workers"])

"""``sparring run``."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from sparring.discovery import drivers
from sparring.discovery.groups import SERVICES
from sparring.engine.conduct import RunOptions, conduct
from sparring.errors import ConfigurationError
from sparring.store import StoredRun, find_run
from sparring.suite.reading import LoadedSuite
from sparring_plugins.execution.options import (
    execution_changes,
    execution_options,
    load_executed,
)
from sparring_plugins.execution.shards import Shard
from sparring_plugins.output import arguments
from sparring_plugins.output.command_end import finish_run
from sparring_plugins.project.variants import run_variants
from sparring_plugins.trust.options import may_be_untrusted

HELP_SECTION = "run"


@click.command()
@click.argument("suite", required=False)
@click.option("--resume", metavar="RUN", help="Go on with a stored run: an id, a folder, 'last'.")
@click.option(
    "--retry-errors", is_flag=True,
    help="Play cases again that ended in errors of the environment, of the last run or of"
    " --resume.",
)  # fmt: skip
@click.option(
    "-k", "select", multiple=True, metavar="PATTERN", help="Only scenarios whose name matches."
)
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
@click.option("--max-failures", type=click.IntRange(min=1), help="Stop after so many failures.")
@arguments.salvage_option
@arguments.set_option
@arguments.output_option
@arguments.runs_option
@arguments.no_plugin_option
@arguments.strict_option
@arguments.exit_zero_option
@may_be_untrusted
def run(
    suite: str | None,
    resume: str | None,
    retry_errors: bool,
    select: tuple[str, ...],
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
    that an outage of the app's or of a model's service spoilt.
    """
    resume = resume or ("last" if retry_errors else None)
    if limits["vary"]:
        if resume or shard:
            other = "--shard" if shard else "--resume and --retry-errors"
            raise ConfigurationError(f"--vary makes a run for each variant: not with {other}")
        return run_variants(
            arguments.suite_path(suite),
            limits["vary"],
            _changes(settings, limits),
            RunOptions(select=select, strict=strict, disabled=disabled, runs=runs),
            pages=output,
            exit_zero=exit_zero,
        )
    loaded, stored = _load(suite, resume, runs, _changes(settings, limits))
    part = Shard.of(shard or (stored.manifest.shard if stored else ""))
    if stored is None:
        loaded = part.limited(loaded)
    options = RunOptions(
        resume=stored,
        select=select,
        outputs=arguments.outputs(output),
        strict=strict,
        disabled=disabled,
        runs=runs,
        retry_errors=retry_errors,
        shard=str(part),
    )
    done = conduct(loaded, options)
    return finish_run(done, reporters=loaded.suite.reporters, exit_zero=exit_zero)


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
        earlier = _kept(stored.manifest.overrides) if written is None else {}
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


def _kept(overrides: dict[str, Any]) -> dict[str, Any]:
    """What the first session set on its command line; its budget was for that session."""
    return {key: value for key, value in overrides.items() if not key.startswith("budget.")}


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

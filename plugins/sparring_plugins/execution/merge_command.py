"""``sparring merge``."""

from pathlib import Path
from typing import Any

import click

from sparring import event_loop
from sparring.suite.reading import load_suite
from sparring_plugins.execution.merging import Merge, in_order
from sparring_plugins.output import arguments
from sparring_plugins.output.command_end import finish_run
from sparring_plugins.output.stored_runs import find_run
from sparring_plugins.trust.options import may_be_untrusted

HELP_SECTION = "run"


@click.command()
@click.argument(
    "shards", nargs=-1, required=True, metavar="RUN...", shell_complete=arguments.run_names
)
@click.option("--suite", metavar="SUITE", help="The suite, if it lies elsewhere now.")
@arguments.salvage_option
@arguments.result_options
@may_be_untrusted
def merge(
    shards: tuple[str, ...],
    suite: str | None,
    output: tuple[str, ...],
    runs: Path | None,
    disabled: tuple[str, ...],
    strict: bool,
    exit_zero: bool,
) -> int:
    """Join the shards of a run into one run with one report.

    RUN are the runs of all shards ('sparring run --shard 1/3' and so on): ids or folders, in any
    order. What concerns several conversations is judged now, over all of them.
    """
    runs_of_shards = [find_run(name, runs or Path("runs")) for name in shards]
    manifest = runs_of_shards[0].manifest
    path = (
        Path(suite)
        if suite
        else Path(manifest.suite_path or runs_of_shards[0].folder / "suite.yaml")
    )
    written = None if suite or path.is_file() else manifest.suite
    loaded = load_suite(path, {} if written else _kept(manifest.overrides), written=written)
    place = runs or loaded.base_dir / loaded.suite.runs
    inconclusive = "fail" if strict else loaded.suite.gate.inconclusive
    outputs = arguments.outputs(output)
    stored = in_order(runs_of_shards)
    done = event_loop.run(Merge(stored, loaded, outputs, place).run(disabled, inconclusive))
    return finish_run(done, reporters=loaded.suite.reporters, exit_zero=exit_zero)


def _kept(overrides: dict[str, Any]) -> dict[str, Any]:
    """What the command line of the shards set, but for how much and by whom it was played."""
    mine = ("budget.", "execution.")
    return {key: value for key, value in overrides.items() if not key.startswith(mine)}

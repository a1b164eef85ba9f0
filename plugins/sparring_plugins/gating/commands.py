"""``sparring bless`` and ``sparring compare``."""

from collections import Counter
from pathlib import Path
from shutil import get_terminal_size

import click

from sparring.cli.output import shown
from sparring.engine.exit_codes import ERRORS, FAILED, NOTHING, PASSED
from sparring.errors import ConfigurationError
from sparring.model.run import Stop
from sparring.store import StoredRun
from sparring_plugins.gating.baseline import read_baseline, write_baseline
from sparring_plugins.gating.comparison import Comparison
from sparring_plugins.gating.comparison import compare as compare_records
from sparring_plugins.gating.comparison_text import (
    comparison_lines,
    counts_line,
    side_by_side_lines,
)
from sparring_plugins.gating.record_table import items_in_order
from sparring_plugins.gating.records import RunRecord, read_record
from sparring_plugins.gating.transcripts import differences
from sparring_plugins.language.quantities import plural
from sparring_plugins.output import arguments
from sparring_plugins.output.files import written_whole
from sparring_plugins.output.stored_runs import find_run

HELP_SECTION = "look"

_BASELINE = "baseline.yaml"
# A page with more differences is no longer read; the list above it names all.
_MOST_CONVERSATIONS = 50


@click.command()
@arguments.run_argument
@click.option(
    "-o", "--output", "output", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False),
    help="The file (else the suite's gate.baseline, or baseline.yaml in the suite's folder).",
)  # fmt: skip
@arguments.salvage_option
@arguments.runs_option
def bless(run: str, output: Path | None, runs: Path | None) -> int:
    """Accept what a run found as the baseline that later runs are compared with.

    RUN is an id, a folder or 'last'. The file is small and meant to be reviewed and kept with the
    suite; `sparring run --baseline FILE` (or the suite's key `gate.baseline`) then fails only for
    what is worse.
    """
    stored = find_run(run, runs or Path("runs"), played=True)
    summary = stored.summary
    if summary is None or summary.stopped is not Stop.COMPLETE or stored.unjudged:
        raise ConfigurationError(
            f"the run {stored.manifest.id} did not come to its end, so that cases would be missing "
            f"in the baseline; resume with: sparring run --resume {stored.folder}"
        )
    # The baseline of `-k order` in the place of the whole one would let all other cases fail
    # unseen.
    if output is None and (stored.manifest.selection or stored.manifest.shard):
        raise ConfigurationError(
            f"the run {stored.manifest.id} played only a part of its suite, so that cases would be "
            "missing in the baseline; bless a whole run, or name a file for the part with -o"
        )
    path = output or _default_path(stored)
    record = read_record(stored)
    if not record.cases:
        raise ConfigurationError(f"the run {stored.manifest.id} has no judged case")
    before = read_baseline(path) if path.is_file() else None
    write_baseline(path, record)
    _tell_blessed(record, before)
    click.echo(f"wrote {shown(path)}")
    if not _names_baseline(stored):
        suite = stored.manifest.suite_path
        file = Path(suite) if suite else Path("suite.yaml")
        click.echo(f"now: sparring run {shown(file)} --baseline {shown(path)}")
    return PASSED


def _names_baseline(stored: StoredRun) -> bool:
    """Whether the suite of a run itself says what it is compared with."""
    gate = stored.manifest.suite.get("gate")
    return isinstance(gate, dict) and bool(gate.get("baseline"))


def _default_path(stored: StoredRun) -> Path:
    """Return where the suite of a run looks for its baseline."""
    manifest = stored.manifest
    folder = Path(manifest.suite_path).parent if manifest.suite_path else Path()
    gate = manifest.suite.get("gate")
    named = gate.get("baseline") if isinstance(gate, dict) else None
    # `${BASELINE}` was filled in when the run began, from variables that this command may not have.
    return folder / (named if isinstance(named, str) and "${" not in named else _BASELINE)


def _tell_blessed(record: RunRecord, before: RunRecord | None) -> None:
    states = Counter(case.state for _, case in items_in_order(record.cases))
    accepted = states["fail"] + states["flaky"] + states["undecided"]
    click.echo(f"{plural(states.total(), 'case')}, {accepted:,} of which do not pass")
    if before is not None:
        changes = counts_line(compare_records(before, record)) or "nothing"
        click.echo(f"changed since the last baseline: {changes}")


@click.command()
@click.argument("before", shell_complete=arguments.run_names)
@click.argument("after", default="last", shell_complete=arguments.run_names)
@click.option(
    "-o", "--output", "output", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False),
    help="Also write the comparison as an HTML page.",
)  # fmt: skip
@click.option("--confidence", type=click.FloatRange(0.5, 0.999), default=0.95, show_default=True,
              help="Of tests and intervals.")  # fmt: skip
@click.option("--conversations", type=click.IntRange(0, 1000), default=3, show_default=True,
              help="Conversations that are shown side by side.")  # fmt: skip
@arguments.salvage_option
@arguments.runs_option
def compare(
    before: str,
    after: str,
    output: Path | None,
    confidence: float,
    conversations: int,
    runs: Path | None,
) -> int:
    """Compare two runs case by case: what is worse, fixed, flaky, new or missing.

    BEFORE and AFTER are ids, folders, 'last', or baselines that `sparring bless` wrote. The exit
    code is 1 only if something is worse; 3 if nothing is known to be worse but checks could not be
    decided, and 5 if the two have nothing in common.
    """
    folder = runs or Path("runs")
    first, second = _read(before, folder), _read(after, folder)
    comparison = compare_records(first[0], second[0], confidence=confidence)
    for line in comparison_lines(comparison):
        click.echo(line)
    stored = first[1], second[1]
    if stored[0] is not None and stored[1] is not None and conversations:
        width = get_terminal_size((120, 24)).columns
        for talk in differences(comparison, stored[0], stored[1], conversations):
            click.echo()
            for line in side_by_side_lines(talk, width):
                click.echo(line)
    if output is not None:
        _write_page(output, comparison, (before, after), stored)
        click.echo(f"wrote {shown(output)}")
    return exit_code(comparison)


def exit_code(comparison: Comparison) -> int:
    """Return 1 if anything is worse, 5 if nothing could be compared, 3 if checks are undecided."""
    if comparison.is_worse:
        return FAILED
    # Two suites without a common case: nothing is worse, and nothing was looked at.
    if not comparison.cases and not (comparison.before.several and comparison.after.several):
        return NOTHING
    return ERRORS if comparison.counts["undecided"] else PASSED


def _read(name: str, runs: Path) -> tuple[RunRecord, StoredRun | None]:
    """Return what is compared, and the run with its conversations if it is still there."""
    path = Path(name)
    if path.suffix in (".yaml", ".yml") and path.is_file():
        record = read_baseline(path)
        return record, None
    stored = find_run(name, runs, played=True)
    return read_record(stored), stored


def _write_page(
    output: Path,
    comparison: Comparison,
    names: tuple[str, str],
    stored: tuple[StoredRun | None, StoredRun | None],
) -> None:
    from sparring_plugins.gating.comparison_page import comparison_page

    first, second = stored
    talks = []
    if first is not None and second is not None:
        talks = list(differences(comparison, first, second, _MOST_CONVERSATIONS))
    with written_whole(output) as file:
        file.write(comparison_page(comparison, *names, talks))

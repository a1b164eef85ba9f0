"""``sparring replay``."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from sparring.cli.output import plain, shown
from sparring.documents.checking import nearest
from sparring.engine.conduct import RunOptions, conduct
from sparring.engine.exit_codes import ERRORS, PASSED
from sparring.errors import ConfigurationError
from sparring.model.verdict import Verdict
from sparring.store import StoredRun
from sparring.suite.environment import Redactor
from sparring.suite.reading import LoadedSuite, load_suite
from sparring_plugins.output import arguments
from sparring_plugins.output.command_end import finish_run
from sparring_plugins.output.stored_runs import find_run, runs_of_suite
from sparring_plugins.reproduction.recorded_run import RECORDED_MODEL, repeated
from sparring_plugins.trust.options import may_be_untrusted

HELP_SECTION = "run"

_LISTED = 10


@click.command()
@arguments.run_argument
@click.option("--suite", metavar="SUITE", help="Where the suite lies now, if it was moved.")
@click.option("--case", "cases", multiple=True, metavar="ID", help="Repeat this case alone.")
@arguments.salvage_option
@arguments.set_option
@arguments.result_options
@may_be_untrusted
def replay(
    run: str,
    suite: str | None,
    cases: tuple[str, ...],
    settings: tuple[str, ...],
    output: tuple[str, ...],
    runs: Path | None,
    disabled: tuple[str, ...],
    strict: bool,
    exit_zero: bool,
) -> int:
    """Repeat a stored run from its log, with no app and no model.

    RUN is an id, a folder, or 'last' (the default). Every judged case, or those that --case names,
    is played and judged again;
    what the app and the models answered is read from the log. The result is a stored run of its
    own, and the verdicts that differ are named. The exit code is that of the new verdicts, and 3
    instead of 0 if a case of the stored run was not repeated.
    """
    folder = runs or runs_of_suite(suite)
    stored = find_run(run, folder, played=True)
    _require_cases(stored, cases)
    loaded = recorded_suite(stored, suite, arguments.overrides(settings), cases)
    options = RunOptions(
        outputs=arguments.outputs(output),
        strict=strict,
        disabled=disabled,
        runs=runs or stored.folder.parent,
        kind="replay",
    )
    result = conduct(loaded, options)
    missing = _compare(stored, StoredRun(result.folder), cases) if result.folder is not None else 0
    code = finish_run(
        result,
        reporters=loaded.suite.reporters,
        exit_zero=exit_zero,
        problems=[stored.left_out] if stored.left_out else [],
    )
    if missing and code == PASSED and not exit_zero:
        click.echo(f"sparring: {missing} cases were not repeated (exit code {ERRORS})", err=True)
        return ERRORS
    return code


def _require_cases(stored: StoredRun, cases: tuple[str, ...]) -> None:
    for case_id in cases:
        if case_id not in stored.cases:
            hint = nearest(case_id, stored.case_ids)
            raise ConfigurationError(f"the run {stored.manifest.id} has no case {case_id!r}.{hint}")


def recorded_suite(
    stored: StoredRun,
    suite: str | None,
    changes: dict[str, Any],
    cases: tuple[str, ...],
    *,
    model: str = RECORDED_MODEL,
    more: Mapping[str, Any] | None = None,
) -> LoadedSuite:
    """Return the suite that repeats cases of a stored run; the keys of `more` replace its own.

    `suite` is the path of its file, if it was moved; `changes` are those of ``--set``; `model` is
    the import path of what answers for the models. Raises ConfigurationError if no suite was run.
    """
    manifest = stored.manifest
    if not manifest.suite or manifest.kind == "check":
        raise ConfigurationError(f"{stored.folder} was not made by 'sparring run'")
    path = Path(suite) if suite else Path(manifest.suite_path or stored.folder / "suite.yaml")
    if path.is_file():
        with suppress(ConfigurationError):
            load_suite(path, changes)  # which knows the secrets that the stored suite has lost
    changed = {**repeated(manifest.suite, stored, cases, model), **(more or {})}
    written = Redactor().restored({**manifest.suite, **changed})
    return load_suite(path, changes, written=written)


def _compare(then: StoredRun, now: StoredRun, cases: tuple[str, ...]) -> int:
    """Print which cases have other verdicts than they had; how many were not repeated."""
    repeated_cases = map(then.case, dict.fromkeys(cases)) if cases else then.judged()
    before = {judged.trace.case.id: _lines(judged.verdicts) for judged in repeated_cases}
    after = {judged.trace.case.id: _lines(judged.verdicts) for judged in now.judged()}
    missing = len(before.keys() - after.keys())
    differ = [case for case in before if before[case] != after.get(case)]
    if not cases and _lines(then.concluded) != _lines(now.concluded):
        differ.append("the verdicts over several conversations")
    if not differ:
        click.echo(f"same verdicts as {shown(then.folder)} ({len(before)} cases)")
        return missing
    click.echo(f"other verdicts than {shown(then.folder)}:")
    for name in differ[:_LISTED]:
        click.echo(f"  {plain(name)}")
    if len(differ) > _LISTED:
        click.echo(f"  and {len(differ) - _LISTED} more")
    return missing


def _lines(verdicts: tuple[Verdict, ...]) -> list[str]:
    return [verdict.model_dump_json() for verdict in verdicts]

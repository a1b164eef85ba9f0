"""``sparring report``."""

from pathlib import Path
from typing import Any

import click

from sparring.cli import arguments
from sparring.cli.outcome import finish
from sparring.engine.exit_codes import NOTHING, PASSED
from sparring.engine.recheck import report as make
from sparring.errors import ConfigurationError
from sparring.interfaces.plugin import Use
from sparring.interfaces.reporter import Reporter
from sparring.store import find_run
from sparring.suite.building import SuiteContext


@click.command()
@click.argument("run", default="last")
@click.option("--use", "name", metavar="REPORTER", help="The reporter, as in a suite.")
@click.option(
    "-o", "--output", "output", metavar="PATH",
    help="The file or folder to write; without --use its ending names the reporter.",
)  # fmt: skip
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A reporter's setting.")
@arguments.runs_option
def report(
    run: str, name: str | None, output: str | None, settings: tuple[str, ...], runs: Path | None
) -> int:
    """Make a report of a stored run.

    RUN is an id, a folder or 'last'. Every report is made from the run's log. The exit code is 0 if
    the report is made, whatever the verdicts are, and 5 if the run has no judged case.
    """
    stored = find_run(run, runs or Path("runs"))
    if name is None and output is None:
        raise ConfigurationError("say which report: --use REPORTER or -o FILE")
    use = _use(name, output, arguments.overrides(settings))
    context = SuiteContext(Path.cwd(), seed=stored.manifest.seed, run_dir=stored.folder)
    written = make(stored, [context.part(Reporter[Any], use)])
    return finish(
        exit_code=PASSED if stored.case_ids else NOTHING,
        reason="the report is empty: the run has no judged case",
        folder=None,
        written=written,
        warnings=context.warnings,
        problems=[],
        exit_zero=False,
    )


def _use(name: str | None, output: str | None, settings: dict[str, Any]) -> Use:
    if "use" in settings:
        raise ConfigurationError("--set use: name the reporter with --use")
    if name is None:
        (use,) = arguments.outputs([output or ""])
        return Use(use=use.use, **{**use.settings, **settings})
    if output is not None:
        settings["path"] = str(Path(output).absolute()) if output != "-" else "-"
    return Use(use=name, **settings)

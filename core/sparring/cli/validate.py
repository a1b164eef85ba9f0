"""``sparring validate``."""

import click

from sparring.cli import arguments
from sparring.cli.terminal import plain
from sparring.documents.checking import located, placed
from sparring.model.space import Scenario
from sparring.suite.building import SuiteContext, build
from sparring.suite.reading import load_suite


@click.command()
@click.argument("suite", required=False)
@arguments.set_option
def validate(suite: str | None, settings: tuple[str, ...]) -> int:
    """Check a suite, its plugins, and every file that they read; the app is not called.

    SUITE is a file or folder; without it the nearest suite.yaml from here upwards.
    """
    loaded = load_suite(arguments.suite_path(suite), arguments.overrides(settings))
    context = SuiteContext(loaded.base_dir, seed=loaded.suite.seed, llm=loaded.suite.llm)
    parts = build(loaded.suite, context, loaded.document)
    with located(loaded.document, ("agent",)):
        space = parts.space()
    parts.strategy.start(space, loaded.suite.seed)
    click.echo(f"{plain(loaded.suite.name)}: {plain(str(loaded.path))}")
    expected = parts.strategy.expected()
    cases = "open-ended" if expected is None else _counted(expected, "case")
    click.echo(f"  app       {loaded.suite.app.use}")
    scenarios = _counted(len(space.scenarios), "scenario")
    click.echo(f"  agent     {loaded.suite.agent.use}, {scenarios}, {cases}")
    for scenario in space.scenarios:
        click.echo(f"    {_line(scenario)}")
    for judge in parts.judges:
        click.echo(f"  oracle    {plain(judge.label)}{'' if judge.gating else ' (not gating)'}")
    click.echo(f"  files     {len(context.inputs)} read")
    for number, judge in enumerate(parts.judges):
        for problem in judge.oracle.misfits(space):
            context.warn(str(placed(problem, loaded.document, ("oracles", number))))
    checks = parts.checks()
    for told in () if checks is None else parts.strategy.unknown_checks(checks):
        context.warn(str(loaded.document.problem(told, ("strategy", "objectives"))))
    if not parts.judges:
        context.warn("no oracle judges: a run ends with exit code 5, nothing judged")
    if not space.scenarios or expected == 0:
        context.warn("there is no case to play: a run ends with exit code 5, nothing selected")
    for message in context.warnings:
        click.echo(f"warning: {plain(message)}", err=True)
    click.echo("valid")
    return 0


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _line(scenario: Scenario) -> str:
    names = ", ".join(variable.name for variable in scenario.variables)
    about = f": {plain(scenario.description, 80)}" if scenario.description else ""
    tags = f" ({plain(', '.join(scenario.tags))})" if scenario.tags else ""
    return f"{plain(scenario.name)}{tags}{about}" + (f" [{plain(names)}]" if names else "")

"""The command ``sparring space``: what a feature space contains, and what its cases say."""

import asyncio
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any, get_args

import click

from sparring.cli.output import plain
from sparring.documents.checking import located
from sparring.documents.reading import read_document
from sparring.engine.exit_codes import NOTHING, PASSED
from sparring.errors import ConfigurationError, MissingExtra, ModelError
from sparring.interfaces.abilities import Previewing
from sparring.interfaces.agent import Player
from sparring.interfaces.plugin import Use
from sparring.model.case import Case
from sparring.model.space import Scenario, Variable
from sparring.suite.building import SuiteContext
from sparring.suite.reading import load_suite
from sparring_plugins.output import arguments
from sparring_plugins.search.features.lookup import find_spaces
from sparring_plugins.search.interchange.exports import Format, export_space
from sparring_plugins.search.space import CaseSpace, Count
from sparring_plugins.trust.options import may_be_untrusted

HELP_SECTION = "look"

_MOST_VALUES = 12
_DRAWN = 10
"""How often a case is drawn at most, for each that is shown."""


@click.command()
@click.argument("what", required=False)
@click.option("--sample", default=5, show_default=True, type=click.IntRange(0, 1000),
              help="How many random cases to show, put into words.")  # fmt: skip
@click.option("--seed", default=0, show_default=True, help="The seed of the sample.")
@click.option("--cover", metavar="T", type=click.IntRange(1, 6),
              help="Make a covering array of strength T, and count what it covers.")  # fmt: skip
@click.option("--export", "export", type=click.Choice(get_args(Format)),
              help="Print the space as a model of another tool instead.")  # fmt: skip
@arguments.set_option
@may_be_untrusted
def space(
    what: str | None,
    sample: int,
    seed: int,
    cover: int | None,
    export: Format | None,
    settings: tuple[str, ...],
) -> int:
    """Show a space: features, sizes, constraints, and a sample put into words.

    WHAT is a suite, or a feature space: a file, a bundled one (naviqa, safeqa), or an import path.
    The app is not called; a language model only where the suite's writer asks one.
    """
    player, context = _player(what, settings)
    scenarios = player.space().scenarios
    if export is not None and scenarios:
        _export(scenarios, context, export)
        return PASSED
    for scenario in scenarios:
        cases = CaseSpace(scenario, context)
        for line in _describe_scenario(scenario, cases):
            click.echo(line)
        if cover is not None:
            click.echo(f"  {_describe_covering_array(cases, cover, seed)}")
        asyncio.run(_sample(player, cases, sample, seed))
    for message in context.warnings:
        click.echo(f"warning: {plain(message)}", err=True)
    if not scenarios:
        click.echo("sparring: there is no scenario, and so no space", err=True)
    return PASSED if scenarios else NOTHING


def _export(scenarios: Sequence[Scenario], context: SuiteContext, to: Format) -> None:
    """Print a space as another tool's model; raises ConfigurationError if there are several."""
    if len(scenarios) > 1:
        names = ", ".join(plain(scenario.name) for scenario in scenarios)
        raise ConfigurationError(f"a model holds one space: export one of {names}")
    (scenario,) = scenarios
    click.echo(export_space(scenario, CaseSpace(scenario, context), to), nl=False)
    if to == "stellar" and scenario.constraints:
        left_out = _count_of(len(scenario.constraints), "constraint")
        click.echo(f"warning: STELLAR has no constraints: {left_out} left out", err=True)


def _player(what: str | None, settings: tuple[str, ...]) -> tuple[Player[Any], SuiteContext]:
    """Return the player of a suite, or one that plays a feature space."""
    if what is not None and not _is_suite(what):
        context = SuiteContext(Path.cwd())
        find_spaces([what], context)  # its problems, without mention of an agent
        use = Use.model_validate({"use": "prompter", "spaces": what})
        return context.part(Player[Any], use, role="player"), context
    loaded = load_suite(arguments.suite_path(what), arguments.overrides(settings))
    context = SuiteContext(loaded.base_dir, seed=loaded.suite.seed, llm=loaded.suite.llm)
    with located(loaded.document, ("agent",)):
        return context.part(Player[Any], loaded.suite.agent, role="player"), context


def _is_suite(what: str) -> bool:
    """Whether a name stands for a suite: a folder, or a file that names the tested app."""
    path = Path(what)
    if path.is_dir():
        return True
    if path.suffix not in (".yaml", ".yml") or not path.is_file():
        return False
    data: object = read_document(path).data
    return isinstance(data, dict) and "app" in data


def _describe_scenario(scenario: Scenario, cases: CaseSpace) -> Iterator[str]:
    """Yield the features, the sizes and the constraints of a scenario as lines."""
    yield f"{plain(scenario.name)}: {plain(scenario.description, 200)}".rstrip(": ")
    group = None
    for variable in scenario.variables:
        if variable.group != group:
            group = variable.group
            yield f"  {plain(group or 'variables')}"
        yield f"    {_variable(variable)}"
    if scenario.constraints:
        yield "  constraints"
        for constraint in scenario.constraints:
            place = f"{Path(constraint.source).name}: " if constraint.source else ""
            about = f"  ({plain(constraint.description, 100)})" if constraint.description else ""
            yield f"    {plain(f'{place}{constraint.expression}', 300)}{about}"
    yield f"  {_count_of(len(scenario.variables), 'feature')}, {cases.size:,} combinations"
    if scenario.constraints:
        yield f"  {_left(cases.count(), cases.size)}"


def _variable(variable: Variable) -> str:
    labels = variable.labels or tuple(str(value) for value in variable.domain)
    shown = ", ".join(plain(label, 40) for label in labels[:_MOST_VALUES])
    more = f", … ({len(labels)} in all)" if len(labels) > _MOST_VALUES else ""
    order = " (in order)" if variable.scale == "ordinal" else ""
    return f"{plain(variable.name)}: {shown}{more}{order}"


def _left(count: Count, size: int) -> str:
    share = f"{count.number / size:.2%}" if size else "0 %"
    if count.exact:
        return f"{count.number:,} of them satisfy the constraints ({share})"
    return (
        f"about {count.number:,} of them satisfy the constraints ({share}; estimated from a sample,"
        f" 95 % interval {count.low:,} to {count.high:,})"
    )


def _describe_covering_array(cases: CaseSpace, strength: int, seed: int) -> str:
    """Return the size of a covering array, and what an independent count finds in it."""
    if not cases.names:
        return "nothing to cover: there is no feature"
    if find_spec("numpy") is None:
        raise MissingExtra("covering arrays need numpy: pip install 'sparring[search]'")
    from sparring_plugins.search.strategies.t_wise.covering_array import (
        Requirements,
        covering_array,
    )
    from sparring_plugins.search.strategies.t_wise.interactions import coverage

    array = covering_array(cases, Requirements(strength=strength), seed)
    count = coverage(cases, array.rows, strength)
    checked = "complete" if count.complete else "NOT complete"
    excluded = f"; {array.excluded:,} that no valid case has" if array.excluded else ""
    return (
        f"strength {strength}: {_count_of(len(array.rows), 'case')} (no array has fewer than "
        f"{array.bound:,}), {checked}: {count.covered:,} of {count.tuples:,} tuples, counted"
        f"{excluded}"
    )


async def _sample(player: Player[Any], cases: CaseSpace, number: int, seed: int) -> None:
    """Show different random cases with what would be said for them; fewer if there are no more."""
    draw = Random(seed)
    drawn: dict[str, Case] = {}
    for _ in range(_DRAWN * number):
        if len(drawn) < number:
            case = cases.case(cases.random(draw), run_seed=seed)
            drawn[case.id] = case
    for case in drawn.values():
        values = (f"{name}={value}" for name, value in case.params.items())
        click.echo(f"  {plain(case.id)}  {plain(', '.join(values), 400)}")
        if isinstance(player, Previewing):
            click.echo(f"    {await _preview(player, case)}")


async def _preview(player: Previewing, case: Case) -> str:
    try:
        preview = await player.preview(case)
    except ModelError as err:
        return f"(cannot be put into words: {plain(str(err), 300)})"
    return plain(preview.text, 600) or "(nothing)"


def _count_of(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"

"""The commands that help to write a suite: ``init``, ``validate`` and ``schema``."""

import json
import sys
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import click

from sparring.cli.output import plain, shown
from sparring.discovery import drivers
from sparring.discovery.groups import SERVICES
from sparring.documents.checking import located, nearest
from sparring.errors import ConfigurationError, Problem
from sparring.interfaces.abilities import ChecksNames, expected_cases
from sparring.interfaces.agent import Player
from sparring.model.space import Scenario, Space
from sparring.suite.building import Parts, SuiteContext, build, oracle_errors
from sparring.suite.reading import LoadedSuite, load_suite
from sparring_plugins.output import arguments
from sparring_plugins.output.lint_findings import ChecksCases
from sparring_plugins.project.starts import (
    Start,
    from_folder,
    is_absent,
    read_data,
    read_start,
    start_files,
    start_names,
)
from sparring_plugins.project.suite_schema import suite_schema
from sparring_plugins.project.variants import variant_name, variants_of
from sparring_plugins.trust.options import may_be_untrusted, needs_consent

HELP_SECTION = "write"


def _templates() -> dict[str, Traversable]:
    folder = files("sparring_plugins.project").joinpath("templates")
    return {item.name: item for item in folder.iterdir() if item.is_dir()}


def _kind_names(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[str]:
    """The kinds of apps whose names begin so, for the shell to complete."""
    return [name for name in start_names() if name.startswith(begun)]


@click.command()
@click.argument("folder", default=".", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--template", default="echo", show_default=True, help="Which start: echo, rest or web."
)
@click.option(
    "--for", "kind", metavar="KIND", shell_complete=_kind_names,
    help="A suite for your own app: alexa, chat-completions, python, rasa, rest or web.",
)  # fmt: skip
@click.option(
    "--answer", "given", multiple=True, metavar="NAME=TEXT",
    help="With --for: the answer to a question, which is not asked then.",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Replace files that are there.")
def init(folder: Path, template: str, kind: str | None, given: tuple[str, ...], force: bool) -> int:
    """Make a first suite: profile, rule and suite file that run at once.

    With --for KIND it is one for an app of your own: two to four questions are asked on a terminal,
    such as where the app listens; elsewhere their defaults count, or what --answer says. Without
    it, the template 'echo' talks to a bundled app that repeats what it is told, so the first run
    needs nothing; 'rest' is the start for a chatbot behind HTTP, 'web' that for web pages, with
    test cases in plain language.

    The names for --answer: skill and locale (alexa); url, model and wish (chat-completions); target
    and wish (python); url and wish (rasa); url, body, text and wish (rest); url and text (web).
    """
    if kind is not None:
        return _init_for(kind, folder, given, force)
    if given:
        raise ConfigurationError("--answer belongs to --for KIND")
    templates = _templates()
    if template not in templates:
        raise ConfigurationError(f"no template {template!r}.{nearest(template, sorted(templates))}")
    _write(folder, dict(_files(templates[template], Path())), force)
    argument = "" if folder == Path() else f" {shown(folder)}"
    click.echo(f"now: sparring run{argument}")
    return 0


def _init_for(kind: str, folder: Path, given: tuple[str, ...], force: bool) -> int:
    """Write a suite for an app of a kind, and say what to do next."""
    start = read_start(kind)
    answers = _given_answers(start, given)
    asks = sys.stdin is not None and sys.stdin.isatty()
    for question in start.questions:
        if question.name not in answers:
            answer = click.prompt(question.ask, default=question.default) if asks else None
            answers[question.name] = answer or question.default
        if question.path:
            answers[question.name] = from_folder(answers[question.name], folder)
    data = {it.name: read_data(it, answers[it.name]) for it in start.questions if it.data}
    _write(folder, start_files(kind, {**answers, **data}, folder), force)
    argument = "" if folder == Path() else f" {shown(folder)}"
    click.echo(f"now: sparring run{argument}")
    for question in start.questions:
        if question.path and is_absent(answers[question.name], folder):
            path = answers[question.name].partition(":")[0]
            click.echo(f"     first: {path} is not there; make it, or name yours in suite.yaml")
    for line in start.next:
        click.echo("     " + line.replace("@@folder@@", str(shown(folder))))
    return 0


def _given_answers(start: Start, given: tuple[str, ...]) -> dict[str, str]:
    """Return what ``--answer`` says, by the names of the questions."""
    answers: dict[str, str] = {}
    for pair in given:
        name, sign, text = pair.partition("=")
        if not sign:
            raise ConfigurationError(f"--answer {pair!r}: expected name=text")
        if name not in {question.name for question in start.questions}:
            raise start.unknown(name)
        answers[name] = text
    return answers


def _write(folder: Path, texts: dict[Path, str], force: bool) -> None:
    """Write the files of a new suite, and the schema that editors complete by."""
    existing = [path for path in texts if (folder / path).exists()]
    if existing and not force:
        listed = ", ".join(str(path) for path in existing)
        raise ConfigurationError(f"{folder} already has {listed}; use --force to replace them")
    for path, content in texts.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")
        click.echo(f"wrote {shown(target)}")
    _write_schema(folder)


def _files(folder: Traversable, at: Path) -> list[tuple[Path, str]]:
    """The files of a template below a folder, each with its text."""
    texts: list[tuple[Path, str]] = []
    for item in sorted(folder.iterdir(), key=lambda entry: entry.name):
        name = ".gitignore" if item.name == "gitignore" else item.name
        name = ".env.example" if name == "env.example" else name
        if item.is_dir():
            texts += _files(item, at / name)
        elif not name.endswith((".py", ".pyc")):
            texts.append((at / name, item.read_text(encoding="utf-8")))
    return texts


def _write_schema(folder: Path) -> None:
    target = folder / "suite.schema.json"
    target.write_text(json.dumps(suite_schema()[0], indent=1) + "\n", encoding="utf-8")
    click.echo(f"wrote {shown(target)}")


@click.command()
@click.argument("suite", required=False)
@click.option("--goals", is_flag=True, help="Also show the sentences that users say for goals.")
@arguments.set_option
@may_be_untrusted
@needs_consent
def validate(suite: str | None, settings: tuple[str, ...], *, goals: bool) -> int:
    """Check a suite, its plugins, and every file that they read; the app is not called.

    SUITE is a file or folder; without it the nearest suite.yaml from here upwards. Of a suite with
    variants (`vary`), each is checked. A goal that no good sentence says is refused; --goals shows
    the sentences of all goals.
    """
    path, changes = arguments.suite_path(suite), arguments.overrides(settings)
    variants = variants_of(path, (), changes)
    for number, variant in enumerate(variants, 1):
        click.echo(f"variant {number} of {len(variants)}: {plain(variant_name(variant))}")
        _validate(load_suite(path, {**changes, **variant}), goals=goals)
    if not variants:
        _validate(load_suite(path, changes), goals=goals)
    click.echo("valid")
    return 0


def _validate(loaded: LoadedSuite, *, goals: bool) -> None:
    """Build a suite and show what it plays; raises SparringError for what is wrong with it."""
    context = SuiteContext(loaded.base_dir, seed=loaded.suite.seed, llm=loaded.suite.llm)
    parts = build(loaded.suite, context, loaded.document)
    with located(loaded.document, ("gate", "baseline")):
        drivers.load_value(SERVICES, "gate")(loaded)
    with located(loaded.document, ("agent",)):
        space = parts.space()
    parts.strategy.start(space, loaded.suite.seed)
    expected = expected_cases(parts.strategy)
    _show(loaded, parts, space, expected)
    unspeakable = _check_goals(parts.player, show=goals)
    click.echo(f"  files     {len(context.inputs)} read")
    problems = oracle_errors(parts.judges, space, loaded.document)
    checks = parts.checks()
    if checks is not None and isinstance(parts.strategy, ChecksNames):
        for message in parts.strategy.unknown_checks(checks):
            context.warn(str(loaded.document.problem(message, ("strategy", "objectives"))))
    if not parts.judges:
        context.warn("no oracle judges: a run ends with exit code 5, nothing judged")
    if not space.scenarios or expected == 0:
        context.warn("there is no case to play: a run ends with exit code 5, nothing selected")
    for message in (*loaded.warnings, *context.warnings):
        click.echo(f"warning: {plain(message)}", err=True)
    if problems or unspeakable:
        raise ConfigurationError(*problems, *unspeakable)


def _check_goals(player: Player[Any], *, show: bool) -> list[Problem]:
    """Show what simulated users will say for their goals, and return why one cannot be said."""
    problems = player.lint() if isinstance(player, ChecksCases) else ()
    for finding in problems:
        if show and finding.kind == "goal":
            click.echo(f"  goal      {plain(finding.case)}: {plain(finding.text, 200)}")
            for text in finding.readings:
                click.echo(f"              {plain(text, 300)}")
    return [
        Problem(f"{finding.case}: {finding.text!r}: {finding.message}", finding.file)
        for finding in problems
        if finding.kind == "unspeakable-goal"
    ]


def _show(loaded: LoadedSuite, parts: Parts, space: Space, expected: int | None) -> None:
    click.echo(f"{plain(loaded.suite.name)}: {plain(str(loaded.path))}")
    cases = "open-ended" if expected is None else _count_noun(expected, "case")
    click.echo(f"  app       {loaded.suite.app.use}")
    scenarios = _count_noun(len(space.scenarios), "scenario")
    click.echo(f"  agent     {loaded.suite.agent.use}, {scenarios}, {cases}")
    for scenario in space.scenarios:
        click.echo(f"    {_line(scenario)}")
    click.echo(f"  strategy  {loaded.suite.strategy.use}")
    for judge in parts.judges:
        click.echo(f"  oracle    {plain(judge.label)}{'' if judge.gating else ' (not gating)'}")
    for use in loaded.suite.reporters:
        path = use.settings.get("path")
        click.echo(f"  reporter  {use.use}" + (f": {plain(str(path))}" if path else ""))


def _count_noun(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _line(scenario: Scenario) -> str:
    names = ", ".join(variable.name for variable in scenario.variables)
    about = f": {plain(scenario.description, 80)}" if scenario.description else ""
    tags = f" ({plain(', '.join(scenario.tags))})" if scenario.tags else ""
    return f"{plain(scenario.name)}{tags}{about}" + (f" [{plain(names)}]" if names else "")


@click.command()
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write it to a file.")
def schema(output: Path | None) -> int:
    """Print the JSON Schema of suite files, with every plugin that is installed.

    Editors complete by it: write '# yaml-language-server: $schema=suite.schema.json' on the
    first line of a suite.
    """
    suites, problems = suite_schema()
    text = json.dumps(suites, indent=2, sort_keys=False)
    for problem in problems:
        click.echo(f"warning: {plain(problem)}", err=True)
    if output is None:
        click.echo(text)
    else:
        output.write_text(text + "\n", encoding="utf-8")
        click.echo(f"wrote {output}")
    return 0

"""``sparring export playwright``: test cases as Playwright tests."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import click

from sparring.errors import ConfigurationError, Problem
from sparring_plugins.output import arguments
from sparring_plugins.trust.options import may_be_untrusted


@click.command()
@click.argument("paths", nargs=-1, metavar="[SUITE|FILE]...")
@click.option("--case", "names", multiple=True, help="Only this test case; may be repeated.")
@click.option(
    "--language",
    type=click.Choice(["python", "typescript"]),
    default="python",
    show_default=True,
    help="pytest-playwright, or @playwright/test.",
)
@click.option("--url", help="The app's address; the suite's own by default.")
@click.option("-o", "--output", metavar="FILE", help="The file to write; printed by default.")
@arguments.set_option
@may_be_untrusted
def playwright(
    paths: tuple[str, ...],
    names: tuple[str, ...],
    language: Any,
    url: str | None,
    output: str | None,
    settings: tuple[str, ...],
) -> int:
    """Write test cases in plain language as Playwright tests.

    Takes a suite, or files of test cases; without either, the nearest suite.yaml from here
    upwards. Acts are written with the elements that were frozen beside the cases (`frozen: write`),
    the others with what their sentences name. A step that Playwright has no words for becomes a
    line that fails and says why; then the exit code is 1.
    """
    from sparring_plugins.web.export.playwright_code import WRITERS
    from sparring_plugins.web.export.playwright_export import export_case
    from sparring_plugins.web.runner.frozen_steps import FrozenFiles, FrozenStep

    source = _read(paths, settings)
    cases = [case for case in source.cases if not names or {case.name, case.title} & set(names)]
    if not cases:
        raise ConfigurationError(_no_case(names, [case.name for case in source.cases]))
    writer, frozen = WRITERS[language](), FrozenFiles()
    tests: list[str] = []
    missing: list[str] = []
    for case in cases:
        steps: Mapping[int, FrozenStep] = {}
        if case.file:
            steps = frozen.of(source.folder / case.file, case.title)
        exported = export_case(
            case,
            steps,
            base_url=url or source.url,
            secrets=source.secrets,
            accepts_dialogs=source.accepts_dialogs,
        )
        for test in exported:
            tests.append(writer.test(test.title, test.statements))
            missing += [f"{case.name}, step {number}: {why}" for number, why in test.missing]
    text = writer.file("Written by 'sparring export playwright'; change it as you like.", tests)
    if output is None:
        click.echo(text, nl=False)
    else:
        _write(Path(output), text)
        click.echo(f"{output}: {len(tests)} test{'s' if len(tests) != 1 else ''}", err=True)
    for line in missing:
        click.echo(f"not exported: {line}", err=True)
    return 1 if missing else 0


class _Source:
    """Test cases, with what their suite says about the app."""

    def __init__(self, cases: Sequence[Any], folder: Path, app: Mapping[str, Any]) -> None:
        self.cases = cases
        self.folder = folder
        self.url = str(app.get("url") or "")
        self.accepts_dialogs = app.get("dialogs", "accept") == "accept"
        secrets = app.get("secrets")
        names = cast("dict[Any, Any]", secrets) if isinstance(secrets, dict) else {}
        self.secrets = {str(name): str(variable) for name, variable in names.items()}


def _read(paths: tuple[str, ...], settings: tuple[str, ...]) -> _Source:
    from sparring.interfaces.agent import Player
    from sparring.suite.building import SuiteContext
    from sparring.suite.reading import load_suite
    from sparring_plugins.web.runner.player import StepRunner
    from sparring_plugins.web.suites.kinds import is_suite
    from sparring_plugins.web.suites.loading import load_test_cases

    suites = [path for path in paths if is_suite(Path(path))]
    if len(suites) > 1 or (suites and len(paths) > 1):
        raise ConfigurationError("export playwright takes one suite, or files of test cases")
    if paths and not suites:
        files = [Path(path).absolute() for path in paths]
        return _Source(load_test_cases(files), Path.cwd(), {})
    path = arguments.suite_path(suites[0] if suites else None)
    loaded = load_suite(path, arguments.overrides(settings))
    context = SuiteContext(loaded.base_dir, seed=loaded.suite.seed, llm=loaded.suite.llm)
    player = context.part(Player[Any], loaded.suite.agent, role="player")
    if not isinstance(player, StepRunner):
        problem = "has no test cases in plain language: its agent is not step-runner"
        raise ConfigurationError(Problem(problem, str(path)))
    return _Source(player.test_cases, loaded.base_dir, loaded.suite.app.model_dump())


def _no_case(names: Sequence[str], known: Sequence[str]) -> str:
    from sparring.documents.checking import nearest

    if not known:
        return "there is no test case to export"
    return f"there is no test case {names[0]!r}." + nearest(names[0], known)


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as err:
        raise ConfigurationError(Problem(f"cannot be written: {err.strerror}", str(path))) from err

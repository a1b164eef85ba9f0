"""``sparring record``: write test cases while a person uses the app."""

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sparring.cli.output import plain
from sparring_plugins.output import arguments
from sparring_plugins.trust.options import may_be_untrusted

if TYPE_CHECKING:
    from sparring.interfaces.plugin import Use
    from sparring.suite.building import SuiteContext
    from sparring_plugins.web.recording.recorded_file import RecordedFile
    from sparring_plugins.web.recording.recorder import Recording

HELP_SECTION = "write"


@click.command()
@click.argument("app", metavar="URL|SUITE", required=False)
@click.option("-o", "--output", default="recorded.yaml", show_default=True, metavar="FILE")
@click.option("--name", default="recorded", show_default=True, help="The test case's name.")
@click.option("--append", is_flag=True, help="Add a test case to a file that is there.")
@arguments.set_option
@may_be_untrusted
def record(
    app: str | None,
    output: str,
    name: str,
    append: bool,
    settings: tuple[str, ...],
) -> int:
    """Open a browser, and write down as sentences what you do there.

    Takes an address, or a suite whose app is a page; without either, the nearest suite.yaml from
    here upwards. A click with Alt held down asserts what is under the pointer. Close the browser,
    or press Ctrl+C, to end; the file is written after each step.
    """
    from sparring_plugins.web.recording.recorded_file import RecordedFile
    from sparring_plugins.web.recording.recorder import Recording

    file = RecordedFile(Path(output).absolute(), name, append=append)
    context, use = _app(app, settings)
    recording = Recording()
    # Ctrl+C is how many people end: what was recorded is in the file by then.
    with suppress(KeyboardInterrupt):
        asyncio.run(_record(context, use, file, recording))
    number = len(recording.steps)
    click.echo(f"{output}: {number} step{'' if number == 1 else 's'} in the test case '{name}'")
    for secret in recording.secrets:
        click.echo(f"'{secret}' is a secret: name its environment variable in app.secrets")
    return 0 if number else 5


def _app(app: str | None, settings: tuple[str, ...]) -> "tuple[SuiteContext, Use]":
    """Return what builds the app's connector, with its settings; the browser is shown."""
    from sparring.interfaces.plugin import Use
    from sparring.suite.building import SuiteContext
    from sparring.suite.reading import load_suite

    shown = {"headless": False}
    changes = arguments.overrides(settings)
    if app is not None and "://" in app:
        own = {key.removeprefix("app."): value for key, value in changes.items()}
        use = Use.model_validate({"use": "browser", "url": app, **shown, **own})
        return SuiteContext(Path.cwd()), use
    loaded = load_suite(arguments.suite_path(app), changes)
    context = SuiteContext(loaded.base_dir, seed=loaded.suite.seed, llm=loaded.suite.llm)
    return context, Use.model_validate({**shown, **loaded.suite.app.model_dump()})


async def _record(
    context: "SuiteContext", use: "Use", file: "RecordedFile", recording: "Recording"
) -> None:
    from sparring.interfaces.app_connector import AppConnector
    from sparring.model.case import Case
    from sparring_plugins.web.recording.recorder import Recorder

    def show(current: "Recording") -> None:
        step = current.steps[-1]
        click.echo(f"{len(current.steps)}. {plain(step.text)}")
        if step.doubt:
            click.echo(f"   {plain(step.doubt)}")
        file.write(current)

    connector = context.part(AppConnector[Any], use)
    try:
        case = Case.of("record", {}, run_seed=0)
        async with connector.open(case) as session:
            click.echo("recording: use the app; Alt+click asserts; close the browser to end")
            await Recorder(session, show, recording).record()
    finally:
        await context.close()

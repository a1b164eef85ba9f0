"""``sparring explore``."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from sparring.cli.output import plain, shown
from sparring.discovery import catalog, hooks
from sparring.discovery.hookspecs import hookspec
from sparring.documents.checking import nearest
from sparring.engine.conduct import RunOptions, conduct
from sparring.engine.exit_codes import (
    ERRORS,
    INTERNAL,
    INTERRUPTED,
    MEANINGS,
    NOTHING,
    PASSED,
    meaning,
)
from sparring.engine.session import RunResult
from sparring.errors import ConfigurationError
from sparring.store import StoredRun
from sparring.suite.reading import LoadedSuite, load_suite
from sparring_plugins.output import arguments
from sparring_plugins.output.command_end import finish
from sparring_plugins.output.stored_runs import find_run
from sparring_plugins.trust.options import may_be_untrusted
from sparring_plugins.users.drafts import Drafts
from sparring_plugins.users.profiles_command import (
    SUITE,
    draft_files,
    require_free,
    say_next,
    write_drafts,
)

HELP_SECTION = "run"

_CONNECTORS = "sparring.connectors"


@hookspec(firstresult=True)
def sparring_exploration(turns: int, minutes: float | None) -> dict[str, Any] | None:
    """Which parts of a suite explore an unknown app: its ``agent`` and ``strategy``.

    `turns` and `minutes` are what the exploration may take, for ``sparring explore``.
    """


@hookspec(firstresult=True)
def sparring_explored(folder: Path) -> Drafts | None:
    """Which profiles the run of an exploration stored in `folder` suggests.

    Raises ConfigurationError where nothing was explored in it; None where the listener does not
    know that kind of exploration.
    """


@hookspec(firstresult=True)
def sparring_exploration_files(folder: Path) -> Iterable[Path] | None:
    """Write what was learnt of the app in other forms into the run's folder; the files written."""


@click.command()
@click.argument("app", required=False)
@click.option("--turns", type=click.IntRange(1, 100_000), default=60, show_default=True,
              help="Inputs to send, in all.")  # fmt: skip
@click.option("--minutes", type=click.FloatRange(0, min_open=True), help="Time to take at most.")
@click.option(
    "--to", default="explored", show_default=True,
    type=click.Path(path_type=Path, file_okay=False), help="Where the draft profiles are written.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), help="Explore in another way.")
@click.option("--force", is_flag=True, help="Replace files that are there.")
@click.option("--resume", metavar="RUN", help="Go on with an exploration: an id, a folder, 'last'.")
@arguments.set_option
@arguments.output_option
@arguments.runs_option
@arguments.no_plugin_option
@may_be_untrusted
def explore(
    app: str | None,
    turns: int,
    minutes: float | None,
    to: Path,
    seed: int | None,
    force: bool,
    resume: str | None,
    settings: tuple[str, ...],
    output: tuple[str, ...],
    runs: Path | None,
    disabled: tuple[str, ...],
) -> int:
    """Talk to an unknown chatbot, and write draft profiles of what it can do.

    APP is a suite, of which the app and the model count and nothing else, or the name of a
    connector whose settings come by --set, as in: explore rest --set
    app.url=http://127.0.0.1:8000/chat. Without it the nearest suite.yaml from here upwards.

    The drafts go into the folder `profiles` below --to, beside a suite that plays them. The run
    keeps all conversations and the model of the app's behaviour as JSON, DOT, Mermaid and SVG.
    The exit code is 0 if a profile was drafted, 5 if nothing was found that makes one, and 3 if the
    app was never heard.
    """
    changes = {**_parts(turns, minutes, disabled), **arguments.overrides(settings)}
    if seed is not None:
        changes["seed"] = seed
    loaded = _load(app, changes)
    stored = _find_stored_run(resume, runs, loaded)
    options = RunOptions(
        resume=stored, outputs=arguments.outputs(output), disabled=disabled, runs=runs
    )
    done = conduct(loaded, options)
    silent = _silent(done)
    drafted = silent is None and _draft(done, to, force, disabled)
    code, why = _ending(done, silent, drafted=drafted)
    return finish(
        exit_code=code,
        reason=why,
        folder=done.folder,
        written=done.written,
        warnings=done.warnings,
        problems=done.problems,
        exit_zero=False,
    )


def _parts(turns: int, minutes: float | None, disabled: tuple[str, ...]) -> dict[str, Any]:
    """Return what replaces the agent and all that judges in a suite."""
    parts = _answer("sparring_exploration", disabled, turns=turns, minutes=minutes)
    if parts is None:
        raise ConfigurationError("no installed package explores apps")
    return {**parts, "oracles": [], "reporters": [], "budget": {}}


def _load(app: str | None, changes: dict[str, Any]) -> LoadedSuite:
    """Return the suite with these changes; a connector's name stands for a suite of its own."""
    if app is not None and not Path(app).exists():
        connectors = catalog.names(_CONNECTORS)
        if app not in connectors:
            raise ConfigurationError(
                f"{app!r} is no suite and no connector.{nearest(app, list(connectors))}"
            )
        own: dict[str, Any] = {"name": f"explored {app}", "app": {"use": app}}
        own |= {key: changes.pop(key) for key in ("agent", "strategy", "oracles", "reporters")}
        return load_suite(Path.cwd() / SUITE, changes, written=own)
    return load_suite(arguments.suite_path(app), changes)


def _find_stored_run(
    resume: str | None, runs: Path | None, loaded: LoadedSuite
) -> StoredRun | None:
    if resume is None:
        return None
    return find_run(resume, runs or loaded.base_dir / loaded.suite.runs, played=True)


def _ending(done: RunResult, silent: str | None, *, drafted: bool) -> tuple[int, str]:
    """Return the exit code, and why it is not 0; nothing is judged, so the run's own code is 5."""
    if done.folder is None or done.exit_code in (INTERNAL, INTERRUPTED):
        return done.exit_code, done.summary.reason or MEANINGS[done.exit_code]
    if silent is not None:
        return ERRORS, f"the app was never heard: {silent}"
    if done.exit_code not in (PASSED, NOTHING):
        return done.exit_code, meaning(done.summary)
    return (PASSED, "") if drafted else (NOTHING, "nothing was found that makes a profile")


def _silent(done: RunResult) -> str | None:
    """Return why the app never said anything, or `None` if it did."""
    message = "it said nothing"
    for trace in StoredRun(done.folder).traces() if done.folder is not None else ():
        if any(turn.observation is not None for turn in trace.turns):
            return None
        message = next((incident.message for incident in trace.incidents), message)
    return message


def _draft(done: RunResult, to: Path, force: bool, disabled: tuple[str, ...]) -> bool:
    """Write the model in other forms, and the draft profiles; returns whether there are any."""
    assert done.folder is not None
    files = _answer("sparring_exploration_files", disabled, folder=done.folder) or ()
    done.written += list(files)
    drafts: Drafts | None = _answer("sparring_explored", disabled, folder=done.folder)
    if drafts is None or not drafts.profiles:
        notes = drafts.notes if drafts else ()
        for note in notes:
            click.echo(f"note: {plain(note)}", err=True)
        return False
    wanted = draft_files(drafts, "an exploration", "nothing was found", to)
    require_free(wanted, force)
    write_drafts(wanted, drafts, force)
    click.echo(f"explored in {shown(done.folder)}")
    say_next(to / SUITE)
    return True


def _answer(hook: str, disabled: tuple[str, ...], **values: Any) -> Any:
    listeners = hooks.load(
        frozenset(disabled),
        [sparring_exploration, sparring_explored, sparring_exploration_files],
    )
    answer = listeners.first(hook, **values)
    for problem in listeners.problems:
        click.echo(f"warning: {plain(problem)}", err=True)
    return answer

"""``sparring prompts``: what models would be asked now."""

import tempfile
from pathlib import Path

import click

from sparring.documents.checking import nearest
from sparring.engine.conduct import RunOptions, conduct
from sparring.errors import ConfigurationError
from sparring.model.events import ModelCalled
from sparring.store import StoredRun
from sparring_plugins.llm.replay import RenderingModel
from sparring_plugins.output import arguments
from sparring_plugins.output.stored_runs import find_run
from sparring_plugins.reporting.prompt_lines import asked_lines, calls_of
from sparring_plugins.reporting.stored_run_commands import find_case
from sparring_plugins.reproduction.replay_command import recorded_suite
from sparring_plugins.trust.options import may_be_untrusted

HELP_SECTION = "look"


@click.group()
def prompts() -> None:
    """Show what language models would be asked now, without asking any."""


@prompts.command()
@click.argument("role")
@arguments.run_argument
@click.option("--case", "case", metavar="ID", required=True, help="The case, or how its id begins.")
@click.option("--suite", metavar="SUITE", help="Where the suite lies now, if it was moved.")
@arguments.set_option
@arguments.runs_option
@may_be_untrusted
def render(
    role: str,
    run: str,
    case: str,
    suite: str | None,
    settings: tuple[str, ...],
    runs: Path | None,
) -> int:
    """Print what ROLE would be asked for a stored case, with tokens per part.

    The case is played and judged again from its log, with the suite and the prompts as they are
    now: no app and no model is called. A role that was asked then is given the answers of then,
    whatever it is asked now, so that a changed prompt can be read before it costs anything. ROLE is
    a role as `sparring show CASE --prompts` prints it, such as user or judge; RUN is an id, a
    folder, or 'last' (the default).
    """
    stored = find_run(run, runs or Path("runs"), played=True)
    case_id = find_case(stored, case)
    loaded = recorded_suite(
        stored,
        suite,
        arguments.overrides(settings),
        (case_id,),
        model=f"{RenderingModel.__module__}:{RenderingModel.__name__}",
        more={"reporters": [], "repeats": 1, "gate": {}},
    )
    with tempfile.TemporaryDirectory(prefix="sparring-prompts-") as folder:
        done = conduct(loaded, RunOptions(runs=Path(folder), kind="replay"))
        asked = list(calls_of(StoredRun(done.folder), case_id)) if done.folder else []
    calls = [call for call in asked if call.request.asker == role]
    if not calls:
        raise ConfigurationError(_nobody(role, asked))
    for line in asked_lines(calls):
        click.echo(line)
    return 0


def _nobody(role: str, asked: list[ModelCalled]) -> str:
    roles = sorted({call.request.asker for call in asked})
    if not roles:
        return "no language model would be asked for this case: no part of the suite uses one"
    listed = ", ".join(roles)
    return f"the role {role!r} would not be asked; asked are: {listed}.{nearest(role, roles)}"

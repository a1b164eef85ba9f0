"""``sparring talk``."""

from pathlib import Path
from typing import Any, cast

import click
import yaml

from sparring.cli.output import shown
from sparring.engine.conduct import RunOptions, conduct
from sparring.engine.exit_codes import ERRORS, FAILED, NOTHING, PASSED, meaning
from sparring.errors import ConfigurationError, Problem
from sparring.model.talk import Press, Say, Trace
from sparring.model.verdict import Owner
from sparring.store import StoredRun
from sparring.suite.reading import load_suite
from sparring_plugins.output import arguments
from sparring_plugins.output.command_end import finish
from sparring_plugins.trust.options import may_be_untrusted

HELP_SECTION = "run"

_PLAYER = "typed"


@click.command()
@click.argument("suite", required=False)
@click.option("--save", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False),
              help="Write the conversation as a suite that says the same again.")  # fmt: skip
@click.option("--app", "app", metavar="NAME", help="Which app of a suite that tests many.")
@arguments.set_option
@arguments.runs_option
@arguments.no_plugin_option
@may_be_untrusted
def talk(
    suite: str | None,
    save: Path | None,
    app: str | None,
    settings: tuple[str, ...],
    runs: Path | None,
    disabled: tuple[str, ...],
) -> int:
    """Talk to the app of a suite yourself: a line is a turn, an empty line listens.

    Beside each answer stands what the app understood, its session and state, and its log, as far as
    the connector tells. '#2' presses the second choice on offer. Standard input may be a file or a
    pipe. The conversation is a stored run: 'sparring show' prints it, 'sparring check' judges it.
    """
    path = arguments.suite_path(suite)
    agent: dict[str, Any] = {"use": _PLAYER, "apps": [app] if app else []}
    changes: dict[str, Any] = {
        "agent": agent,
        "strategy": {"use": "exhaustive"},
        "oracles": [],
        "reporters": [],
        "budget": {},
        "case_timeout": 86_400,
        **arguments.overrides(settings),
    }
    loaded = load_suite(path, changes)
    if save is not None:
        _require_place(save, loaded.path)
    done = conduct(loaded, RunOptions(disabled=disabled, runs=runs))
    written = list(done.written)
    trace = next(iter(StoredRun(done.folder).traces()), None) if done.folder is not None else None
    if save is not None and trace is not None:
        _save(trace, loaded.path, save)
        written.append(save)
    # nothing is judged here, which is no reason to complain
    code = PASSED if done.exit_code == NOTHING else done.exit_code
    reason = "" if code == PASSED else meaning(done.summary)
    broken = [it.message for it in trace.incidents if it.owner is Owner.APP] if trace else []
    if broken and code == ERRORS:  # no oracle says so here, and it is the app's all the same
        code, reason = FAILED, f"the app broke off: {broken[0]}"
    return finish(
        exit_code=code,
        reason=reason,
        folder=done.folder,
        written=written,
        warnings=done.warnings,
        problems=done.problems,
        exit_zero=False,
    )


def _require_place(to: Path, suite: Path) -> None:
    """Raise ConfigurationError if a conversation cannot be saved there, before it is held."""
    if to.exists():
        raise ConfigurationError(Problem("is there already", str(to)))
    if to.parent.resolve() != suite.parent.resolve():
        raise ConfigurationError(
            Problem(f"has to lie beside {shown(suite)}, whose paths it uses", str(to))
        )


def _save(trace: Trace, suite: Path, to: Path) -> None:
    """Write a suite beside the first one that says the same to the same app."""
    lines = [_line(turn.act) for turn in trace.turns[1:]]
    written: Any = yaml.safe_load(suite.read_text(encoding="utf-8"))
    content = cast("dict[str, Any]", written) if isinstance(written, dict) else {}
    content |= {"name": to.stem, "agent": {"use": _PLAYER, "lines": lines, "silent": True}}
    content.pop("strategy", None)
    to.write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=True), encoding="utf-8")


def _line(act: object) -> str:
    match act:
        case Say(text=text):
            return text
        case Press(label=label):
            return label
        case _:
            return ""

"""``sparring check``."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

import click

from sparring.discovery import drivers, hooks
from sparring.discovery.groups import SERVICES, group_of
from sparring.discovery.hookspecs import hookspec
from sparring.documents.checking import located
from sparring.engine.conduct import Decides
from sparring.errors import ConfigurationError, Problem, StoredRunError
from sparring.interfaces.agent import Agent, Player
from sparring.interfaces.plugin import Use
from sparring.model.talk import Trace
from sparring.store import StoredRun
from sparring.suite.building import default_oracles
from sparring.suite.model import OracleUse, Repeats
from sparring.suite.reading import LoadedSuite, load_suite
from sparring_plugins.execution.options import execution_options, execution_use
from sparring_plugins.judging.check_options import CheckOptions
from sparring_plugins.judging.recheck import check as judge_again
from sparring_plugins.output import arguments
from sparring_plugins.output.command_end import finish_run
from sparring_plugins.output.stored_runs import find_run
from sparring_plugins.trust.options import may_be_untrusted

HELP_SECTION = "run"


@hookspec(firstresult=True)
def sparring_read_traces(path: Path) -> Iterable[Trace | Problem] | None:
    """Read conversations stored in another tool's format; None if the path is not in it.

    A reader goes through folders, in a sorted order, and yields a trace per conversation or, for
    a file of its format that cannot be read, a problem: one bad file stops nobody.
    """


@hookspec(firstresult=True)
def sparring_oracles_for_rules(
    paths: list[Path], compat: str | None
) -> list[dict[str, Any]] | None:
    """Which oracles judge by these rule files: the entries of a suite's ``oracles``.

    `compat` names the tool whose accounting is to be reproduced. None if the files are not
    known to the listener. This is how ``sparring check --rules`` finds its oracle.
    """


@click.command()
@click.argument("run", required=False, shell_complete=arguments.run_names)
@click.option(
    "--rules", multiple=True, type=click.Path(path_type=Path), metavar="PATH",
    help="Judge by these rule files or folders.",
)  # fmt: skip
@click.option(
    "--conversations", multiple=True, type=click.Path(path_type=Path), metavar="PATH",
    help="Conversations of a run, or in another tool's format: files or folders.",
)  # fmt: skip
@click.option("--suite", metavar="SUITE", help="Judge by the oracles of a suite.")
@click.option("--compat", metavar="TOOL", help="Count as another tool does: sensei.")
@execution_options
@arguments.salvage_option
@arguments.set_option
@arguments.result_options
@may_be_untrusted
def check(
    run: str | None,
    rules: tuple[Path, ...],
    conversations: tuple[Path, ...],
    suite: str | None,
    compat: str | None,
    settings: tuple[str, ...],
    output: tuple[str, ...],
    runs: Path | None,
    disabled: tuple[str, ...],
    strict: bool,
    exit_zero: bool,
    executor: str | None,
    workers: int | None,
) -> int:
    """Judge stored conversations again, without the app.

    RUN is a stored run: an id, a folder, or 'last' (the default). Without --rules and --suite,
    the oracles of the run's own suite judge. The result is a stored run of its own. What models
    answered in RUN is taken again if they would be asked the same. Repeats and the baseline of
    the suite decide the exit code as they do in 'sparring run'; by --rules alone, each play counts.
    """
    folder = runs or Path("runs")
    listeners = hooks.load(frozenset(disabled), [sparring_read_traces, sparring_oracles_for_rules])
    run = run or (None if conversations else "last")
    stored = find_run(run, folder, played=True) if run else None
    judged_by = _judged_by(stored, rules, suite, compat, arguments.overrides(settings), listeners)
    judged_by["execution"] = execution_use(executor, workers, judged_by.get("execution"))
    if strict:
        judged_by["inconclusive"] = "fail"
    options = CheckOptions(
        **judged_by,
        runs=folder,
        outputs=(*_reporters(), *arguments.outputs(output, compat=compat)),
        disabled=disabled,
        names=stored.manifest.names if stored else (),
        recorded=stored,
    )
    done = judge_again(_source(stored, conversations, listeners), options)
    if stored is not None and stored.summary is None:
        done.warnings.append(f"{stored.folder} was not finished: {_unjudged(stored)} not judged")
    return finish_run(
        done, reporters=options.outputs, exit_zero=exit_zero, problems=listeners.problems
    )


def _unjudged(stored: StoredRun) -> str:
    """How many of the cases that were asked have no verdict in a run."""
    case_count = stored.unjudged + len(stored.cases)
    return f"{stored.unjudged} of the {case_count} cases that were asked are"


def _reporters() -> tuple[Use, ...]:
    """The reporters that a suite gets which names none."""
    from sparring.suite.reading import defaults

    return tuple(Use.model_validate(use) for use in defaults()["reporters"])


def _judged_by(
    stored: StoredRun | None,
    rules: tuple[Path, ...],
    suite: str | None,
    compat: str | None,
    changes: dict[str, Any],
    listeners: hooks.Listeners,
) -> dict[str, Any]:
    oracles: list[OracleUse] = []
    arguments: dict[str, Any] = {"base_dir": Path.cwd(), "name": "check"}
    if rules:
        oracles += _oracles_for(rules, compat, listeners)
    if suite or not rules:
        loaded = _suite(stored, suite, changes)
        oracles += loaded.suite.oracles
        oracles += default_oracles(loaded.suite.oracles, _player(loaded.suite.agent.use))
        arguments |= {
            "base_dir": loaded.base_dir,
            "llm": loaded.suite.llm,
            "name": f"{loaded.suite.name}-check",
            "seed": loaded.suite.seed,
            "concurrency": loaded.suite.concurrency,
            "execution": loaded.suite.execution,
            "inconclusive": loaded.suite.gate.inconclusive,
            "decide": _gate(loaded),
            "part_timeout_s": loaded.suite.part_timeout,
            "suite": loaded.written,
            "suite_path": loaded.path,
        }
    return {**arguments, "oracles": tuple(oracles)}


def _gate(loaded: LoadedSuite) -> Decides | None:
    """Return what decides by a suite's repeats or baseline; `None` if it has neither."""
    if loaded.suite.repeats == Repeats() and loaded.suite.gate.baseline is None:
        return None
    with located(loaded.document, ("gate", "baseline")):
        decides: Decides = drivers.load_value(SERVICES, "gate")(loaded)
    return decides


def _player(name: str) -> type[Player[Any]]:
    return cast("type[Player[Any]]", drivers.load(group_of(cast("type[Any]", Agent)), name))


def _suite(stored: StoredRun | None, suite: str | None, changes: dict[str, Any]) -> LoadedSuite:
    if suite:
        return load_suite(Path(suite), changes)
    if stored is None:
        raise ConfigurationError("say by what to judge: --rules PATH or --suite SUITE")
    named = stored.manifest.suite_path
    if named is None:
        raise ConfigurationError(
            f"{stored.folder} names no suite; say by what to judge: --rules PATH or --suite SUITE"
        )
    path = Path(named)
    if not path.is_file():
        return load_suite(path, changes, written=stored.manifest.suite)
    return load_suite(path, {**_gate_overrides(stored), **changes})


def _gate_overrides(stored: StoredRun) -> dict[str, Any]:
    """What decides the exit code of a run by its command line: ``--repeats``, ``--baseline``."""
    overrides = stored.manifest.overrides.items()
    return {key: value for key, value in overrides if key.split(".")[0] in ("gate", "repeats")}


def _oracles_for(
    rules: tuple[Path, ...], compat: str | None, listeners: hooks.Listeners
) -> list[OracleUse]:
    for path in rules:
        if not path.exists():
            raise ConfigurationError(Problem("does not exist", str(path)))
    paths = [path.absolute() for path in rules]
    uses = listeners.first("sparring_oracles_for_rules", paths=paths, compat=compat)
    if uses is None:
        listed = ", ".join(str(path) for path in rules)
        raise ConfigurationError(
            f"no installed oracle judges by {listed}"
            + (f" with --compat {compat}" if compat else "")
        )
    return [OracleUse.model_validate(use) for use in uses]


def _source(
    stored: StoredRun | None, conversations: tuple[Path, ...], listeners: hooks.Listeners
) -> Iterator[Trace | Problem]:
    if stored is not None:
        if stored.left_out:
            yield Problem(stored.left_out)
        yield from stored.traces()
    for path in conversations:
        yield from _conversations(path, listeners)


def _conversations(path: Path, listeners: hooks.Listeners) -> Iterable[Trace | Problem]:
    if not path.exists():
        raise ConfigurationError(Problem("does not exist", str(path)))
    traces: Iterable[Trace | Problem] | None
    try:
        return StoredRun(path).traces()
    except StoredRunError:
        traces = listeners.first("sparring_read_traces", path=path)
    if traces is None:
        raise ConfigurationError(
            Problem("holds no conversations in a format that is known", str(path))
        )
    return traces

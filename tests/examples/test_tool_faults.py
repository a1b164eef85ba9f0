"""Faults of our own parts, put into runs of the examples: the app is never blamed for one.

A run with a fault may find less than the run without, or nothing at all; whatever it finds wrong with
the app, the run without the fault has found, too.
"""

import inspect
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, wraps
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.servers.example_server import EXAMPLES, serving

from sparring.discovery import drivers
from sparring.engine.conduct import RunOptions, conduct
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.store import StoredRun
from sparring.suite.reading import load_suite

Blamed = tuple[str, str, str]
"""A finding against the app: the case's values, the oracle, the check."""


class Fault:
    """Breaks every `every`-th call of a function in one way."""

    def __init__(self, name: str, every: int, what: Callable[[], Any]) -> None:
        self.name = f"{name}/{every}"
        self.every = every
        self.what = what

    def put_into(self, function: Callable[..., Any]) -> Callable[..., Any]:
        calls = iter(range(1, 1_000_000))

        @wraps(function)
        async def later(*args: Any, **named: Any) -> Any:
            if next(calls) % self.every == 0:
                return self.what()
            return await function(*args, **named)

        @wraps(function)
        def at_once(*args: Any, **named: Any) -> Any:
            if next(calls) % self.every == 0:
                return self.what()
            return function(*args, **named)

        return later if inspect.iscoroutinefunction(function) else at_once


def _raise(err: BaseException) -> Any:
    raise err


FAULTS = [
    Fault("raises KeyError", 1, lambda: _raise(KeyError("a bug of ours"))),
    Fault("raises KeyError", 3, lambda: _raise(KeyError("a bug of ours"))),
    Fault("raises TypeError", 2, lambda: _raise(TypeError("'NoneType' object is not a mapping"))),
    Fault("returns None", 1, lambda: None),
    Fault("returns None", 3, lambda: None),
    Fault("returns a number", 2, lambda: 42),
    Fault("returns a text", 3, lambda: "a text"),
    Fault("returns an object", 1, object),
]


@dataclass(frozen=True)
class Example:
    """A suite of an example, made small, and the parts of ours that take part in it."""

    suite: str
    parts: tuple[str, ...]
    changes: Mapping[str, Any]
    scenarios: tuple[str, ...] = ()
    server: tuple[str, ...] = ()
    address: str = ""
    functions: tuple[str, ...] = field(default=())


_REST = "sparring_connectors.rest.session:RestSession.send"
_ALEXA = "sparring_connectors.alexa.session:AlexaSession.send"

SUITES = {
    "pizzeria": Example(
        "pizzeria/suite.yaml",
        (
            _REST,
            "sparring_connectors.rest.session:read_reply",
            "sparring_plugins.users.agenda.agents:AgendaUser.act",
            "sparring_plugins.users.extraction.extractor:PatternExtractor.act",
            "sparring_plugins.users.player:UserSimulator.act",
            "sparring_plugins.rules.oracle:RulesOracle.judge",
            "sparring_plugins.rules.oracle:RulesOracle.conclude",
            "sparring_plugins.judging.generic_failures:GenericFailures.judge",
        ),
        {"budget.cases": 2, "concurrency": 1},
        scenarios=("predefined",),
        server=("pizzeria", "--repaired", "all"),
        address="PIZZERIA_URL",
        functions=("chatbot_returns", "extract_float", "repeated_answers"),
    ),
    "assistant": Example(
        "assistant/suite.yaml",
        (
            _REST,
            "sparring_plugins.search.prompter.template_writer:TemplateWriter.act",
            "sparring_plugins.search.prompter.player:Prompter.act",
            "sparring_plugins.search.fitness.dimensions:DimensionsFitness.act",
            "sparring_plugins.search.fitness.content:ContentFitness.act",
            "sparring_plugins.search.fitness.oracle:FitnessOracle.judge",
        ),
        {"budget.cases": 3, "concurrency": 1},
        server=("assistant",),
        address="WAYSIDE_URL",
    ),
    "support": Example(
        "support/suite.yaml",
        (
            _REST,
            "sparring_plugins.search.prompter.template_writer:TemplateWriter.act",
            "sparring_plugins.search.fitness.safety:SafetyFitness.act",
            "sparring_plugins.search.fitness.classification:FailureClassifier.of",
        ),
        {"budget.cases": 3, "concurrency": 1},
        server=("support",),
        address="LINNET_URL",
    ),
    "tea corner explored": Example(
        "skills/tea-corner/suite.yaml",
        (
            _ALEXA,
            "sparring_connectors.alexa.hosting.process:ProcessHost.ask",
            "sparring_plugins.voice.rules_agents:SimilarityObserver.act",
            "sparring_plugins.voice.rules_agents:RulesGenerator.act",
            "sparring_plugins.voice.rules_agents:RulesPlanner.act",
            "sparring_plugins.voice.problem_oracle:VoiceProblems.judge",
        ),
        {"agent.turns": 5},
    ),
    "tea corner searched": Example(
        "skills/tea-corner/search.yaml",
        (
            _ALEXA,
            "sparring_plugins.users.agenda.agents:AgendaUser.act",
            "sparring_plugins.search.prompter.player:Prompter.act",
        ),
        {"budget.cases": 2, "concurrency": 1},
    ),
}


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The examples' folders, their servers started and the skill repaired."""
    folder = tmp_path_factory.mktemp("examples")
    with ExitStack() as started, pytest.MonkeyPatch.context() as patch:
        for name in ("pizzeria", "assistant", "support"):
            (folder / name).symlink_to(EXAMPLES / name)
        (folder / "skills").mkdir()
        tea = folder / "skills" / "tea-corner"
        ignored = shutil.ignore_patterns("runs", "__pycache__")
        shutil.copytree(EXAMPLES / "skills" / "tea-corner", tea, ignore=ignored)
        if not shutil.which("git"):
            pytest.skip("there is no git to repair the skill with")
        subprocess.run(["git", "apply", "repairs.patch"], cwd=tea, check=True)
        for example in SUITES.values():
            if example.server:
                patch.setenv(example.address, started.enter_context(serving(*example.server)))
        yield folder


@contextmanager
def broken(part: str, fault: Fault) -> Iterator[None]:
    """Put a fault into a method or function, ``module:Class.method``."""
    module, _, names = part.partition(":")
    holder: Any = import_module(module)
    *path, last = names.split(".")
    for name in path:
        holder = getattr(holder, name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(holder, last, fault.put_into(getattr(holder, last)))
        yield


@contextmanager
def broken_function(name: str, fault: Fault) -> Iterator[None]:
    """Put a fault into a function that rules call."""
    load = drivers.load_function

    def loaded(asked: str) -> Any:
        function = load(asked)
        return replace(function, call=fault.put_into(function.call)) if asked == name else function

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drivers, "load_function", loaded)
        yield


def verdicts(example: Example, folder: Path, runs: Path) -> tuple[int, list[tuple[str, Verdict]]]:
    """The exit code, and all verdicts with the values of the case that they are about."""
    loaded = load_suite(folder / example.suite, {"reporters": [], **example.changes})
    done = conduct(loaded, RunOptions(runs=runs, scenarios=example.scenarios))
    if done.folder is None:
        return done.summary.exit_code, []
    stored = StoredRun(done.folder)
    found = [
        (json.dumps(one.trace.case.params, sort_keys=True, default=str), verdict)
        for one in stored.judged()
        for verdict in one.verdicts
    ]
    return done.summary.exit_code, [*found, *(("", verdict) for verdict in stored.concluded)]


def against_the_app(found: list[tuple[str, Verdict]]) -> set[Blamed]:
    return {
        (values, verdict.oracle, verdict.check)
        for values, verdict in found
        if verdict.outcome is Outcome.FAIL and verdict.owner is Owner.APP
    }


@cache
def true_findings(name: str, folder: Path) -> frozenset[Blamed]:
    """What is wrong with the app of an example."""
    _, found = verdicts(SUITES[name], folder, folder / "runs")
    return frozenset(against_the_app(found))


def assert_blameless(name: str, folder: Path, runs: Path) -> None:
    expected = true_findings(name, folder)
    code, found = verdicts(SUITES[name], folder, runs)
    assert against_the_app(found) <= expected
    owners = {verdict.owner for _, verdict in found if verdict.outcome is Outcome.ERROR}
    assert Owner.APP not in owners
    judged = [verdict for _, verdict in found if verdict.outcome in (Outcome.PASS, Outcome.FAIL)]
    assert judged or code != 0


CASES = [
    (f"{name}-{part.rpartition(':')[2]}-{fault.name}", name, part, fault)
    for name, example in SUITES.items()
    for part in example.parts
    for fault in FAULTS
]


@pytest.mark.parametrize(
    ("name", "part", "fault"),
    [  # every part with some fault, and every fault in some part; all of them in the thorough run
        pytest.param(*case, id=told, marks=[pytest.mark.thorough] if number % 11 else [])
        for number, (told, *case) in enumerate(CASES)
    ],
)
def test_a_fault_of_ours_is_never_the_apps(
    name: str, part: str, fault: Fault, examples: Path, tmp_path: Path
) -> None:
    true_findings(name, examples)
    with broken(part, fault):
        assert_blameless(name, examples, tmp_path)


#: A wrong value of the right type, such as any number for `extract_float`, shows nowhere.
_ALLOWED = {"extract_float": ("returns None", "returns a number")}
CALLS = [
    (f"{function}-{fault.name}", function, fault)
    for function in SUITES["pizzeria"].functions
    for fault in FAULTS
    if not fault.name.startswith(_ALLOWED.get(function, ("nothing",)))
]


@pytest.mark.parametrize(
    ("function", "fault"),
    [
        pytest.param(*case, id=told, marks=[pytest.mark.thorough] if number % 5 else [])
        for number, (told, *case) in enumerate(CALLS)
    ],
)
def test_a_function_of_ours_that_breaks_is_never_the_apps(
    function: str, fault: Fault, examples: Path, tmp_path: Path
) -> None:
    true_findings("pizzeria", examples)
    with broken_function(function, fault):
        assert_blameless("pizzeria", examples, tmp_path)

"""The table of interfaces: entry-point group, label, supported API versions."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import click

from sparring.interfaces.agent import Agent
from sparring.interfaces.app_connector import AppConnector
from sparring.interfaces.executor import Executor
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import LLMBackend, Plugin
from sparring.interfaces.reporter import Reporter
from sparring.interfaces.search_strategy import SearchStrategy

T = TypeVar("T", bound=Plugin[Any])

CONDITIONS = "sparring.conditions"
"""Entry-point group of the languages that constraints of a space are written in."""

FUNCTIONS = "sparring.functions"
"""Entry-point group of the functions that rules may call."""

HOOKS = "sparring.hooks"
"""Entry-point group of the listeners."""

HOOKSPECS = "sparring.hookspecs"
"""Entry-point group of the hooks that plugins call, each under its own name."""

COMMANDS = "sparring.commands"
"""Entry-point group of the commands that plugins add to ``sparring``."""

LIKENESS = "sparring.likeness"
"""Entry-point group of the measures that duplicates are known by."""

SERVICES = "sparring.services"
"""Entry-point group of what the engine asks for by name when a run needs it.

Most do the work of a key of suites: ``confirm`` is an `engine.conduct.Confirming`, ``duplicates``
an `engine.batches.MakesBatching`, ``calibration`` a `suite.building.Calibrating`, and ``cache``,
``pacing`` and ``prices`` make a `ResponseCache`, `Pacing` and `Prices` of `llm.ledger`, and
``app-pacing`` the one of an app; ``isolation`` makes an `engine.judge.Isolation`, and ``states`` an
`engine.batches.StrategyStates`.
"""

MUTATORS = "sparring.mutators"
"""Entry-point group of what makes mutants of chatbots' definitions."""

RUN_MUTATORS = "sparring.run_mutators"
"""Entry-point group of what finds faults to put into running apps."""

TABLES = "sparring.tables"
"""Entry-point group of what computes published tables again."""

WORD_LISTS = "sparring.word_lists"
"""Entry-point group of the lists of words that profiles may draw values from."""

VALUES: dict[str, tuple[type, str]] = {
    COMMANDS: (click.Command, "command"),
    CONDITIONS: (object, "condition language"),
    LIKENESS: (object, "similarity measure"),
    MUTATORS: (object, "mutator"),
    RUN_MUTATORS: (object, "run mutator"),
    SERVICES: (object, "service"),
    TABLES: (object, "table maker"),
    WORD_LISTS: (object, "word list"),
}
"""Groups whose entry points are plain values, with their class (if the core knows it) and label."""


@dataclass(frozen=True, slots=True)
class Group(Generic[T]):
    """One interface and where its implementations are listed."""

    namespace: str
    interface: type[T]
    label: str
    supported_api: frozenset[int] = frozenset({1})


_ALL: tuple[Group[Any], ...] = (
    Group("sparring.connectors", AppConnector, "connector"),
    Group("sparring.agents", Agent, "agent"),
    Group("sparring.strategies", SearchStrategy, "strategy"),
    Group("sparring.oracles", Oracle, "oracle"),
    Group("sparring.reporters", Reporter, "reporter"),
    Group("sparring.llm_backends", LLMBackend, "LLM backend"),
    Group("sparring.executors", Executor, "executor"),
)

GROUPS: dict[str, Group[Any]] = {group.namespace: group for group in _ALL}


def group_of(interface: type[T]) -> Group[T]:
    """The group whose interface `interface` is or derives from; raises KeyError."""
    for group in GROUPS.values():
        if issubclass(interface, group.interface):
            return group
    raise KeyError(interface)

"""Which cases a suite will play, found out before anything is played or asked."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sparring.engine.judge import concludes
from sparring.errors import ModelError, PartError, SparringError
from sparring.interfaces.abilities import expected_cases, is_open_ended, learning
from sparring.interfaces.plugin import LLMBackend, PluginConfig
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.case import Case
from sparring.model.chat import ChatReply, ChatRequest
from sparring.model.space import Scenario, Space
from sparring.model.verdict import Verdict
from sparring.suite.building import Parts, SuiteContext, build
from sparring.suite.model import LLMUse, Suite
from sparring.suite.reading import LoadedSuite
from sparring.time_limits import guarded
from sparring_plugins.gating.records import case_key

MOST_CASES = 20_000
"""A suite of more cases than that is listed by its scenarios."""

_ASKED_AT_ONCE = 1_000


@dataclass(slots=True)
class KnownCase:
    """A case, with all its repeats: `ids` are those that the strategy proposes, in order.

    `name` is the id without the number of a repeat, as in reports.
    """

    name: str
    scenario: Scenario
    params: dict[str, Any]
    ids: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Condition:
    """A check over several conversations; without `check` all those of an oracle.

    `oracle` is its label in the suite.
    """

    oracle: str
    check: str | None

    @property
    def name(self) -> str:
        """As the JUnit report calls it."""
        return f"{self.oracle} / {self.check or 'several conversations'}"

    def covers(self, verdict: Verdict) -> bool:
        """Whether a verdict is on this condition."""
        return self.oracle == verdict.oracle and self.check in (None, verdict.check)


@dataclass(frozen=True, slots=True)
class SuitePlan:
    """What a suite will play; `cases` is `None` if only playing shows which cases there are."""

    scenarios: tuple[Scenario, ...]
    cases: tuple[KnownCase, ...] | None
    conditions: tuple[Condition, ...]


def plan_suite(loaded: LoadedSuite) -> SuitePlan:
    """Build a suite's parts and list its scenarios, cases and conditions; raises SparringError.

    No app and no model is asked. Cases are known if the strategy learns nothing from verdicts and
    counts its cases, and if the player needs no model to know what may vary.
    """
    suite = loaded.suite
    refusing: list[_RefusingModel] = []

    def refuse(backend: LLMBackend[Any], use: LLMUse, asker: str) -> LLMBackend[Any]:
        refusing.append(_RefusingModel(backend))
        return refusing[-1]

    context = SuiteContext(loaded.base_dir, seed=suite.seed, llm=suite.llm, wrap=refuse)
    return asyncio.run(_plan(loaded, context, refusing))


async def _plan(
    loaded: LoadedSuite, context: SuiteContext, models: Sequence["_RefusingModel"]
) -> SuitePlan:
    try:
        parts = build(loaded.suite, context, loaded.document)
        preparing = await guarded(
            parts.player.prepare(), loaded.suite.part_timeout, "the player's preparation"
        )
        scenarios = parts.player.space().scenarios
        unknown = preparing.expired or any(model.asked for model in models)
        if isinstance(preparing.error, SparringError) and not unknown:
            raise preparing.error
        cases = None if unknown or preparing.error else _known_cases(parts, loaded)
        return SuitePlan(scenarios, cases, tuple(_conditions(parts)))
    finally:
        await context.close()


def _known_cases(parts: Parts, loaded: LoadedSuite) -> tuple[KnownCase, ...] | None:
    strategy, suite = parts.strategy, loaded.suite
    if learning(strategy) != "never":
        return None
    space = parts.space()
    try:
        return _ask_all(strategy, space, suite)
    except PartError:  # what broke is reported by the run
        return None


def _ask_all(
    strategy: SearchStrategy[Any], space: Space, suite: Suite
) -> tuple[KnownCase, ...] | None:
    strategy.start(space, suite.seed)
    expected = expected_cases(strategy)
    # An open-ended strategy, such as `random` without a number, is ended by its budget.
    if expected is not None and is_open_ended(strategy) and suite.budget.cases is not None:
        expected = min(expected, suite.budget.cases)
    if expected is None or expected > MOST_CASES:
        return None
    cases: list[Case] = []
    while len(cases) < expected and not strategy.done:
        batch = strategy.ask(min(_ASKED_AT_ONCE, expected - len(cases)))
        if not batch:
            break
        cases += batch
    return _by_content(space, cases) or None


def _by_content(space: Space, asked: Sequence[Case]) -> tuple[KnownCase, ...]:
    scenarios = {scenario.name: scenario for scenario in space.scenarios}
    known: dict[str, KnownCase] = {}
    for case in asked:
        name = case_key(case)
        scenario = scenarios.get(case.scenario) or Scenario(name=case.scenario)
        known.setdefault(name, KnownCase(name, scenario, case.params)).ids.append(case.id)
    return tuple(known.values())


def _conditions(parts: Parts) -> list[Condition]:
    conditions: list[Condition] = []
    for judge in parts.judges:
        if not (judge.gating and concludes(judge.oracle)):
            continue
        checks = judge.oracle.conditions()
        names = (None,) if checks is None else sorted(checks)
        conditions += [Condition(judge.label, name) for name in names]
    return conditions


class _RefusingModel(LLMBackend[PluginConfig]):
    """Stands for a suite's model while cases are listed: listing them costs nothing."""

    def __init__(self, backend: LLMBackend[Any]) -> None:
        super().__init__(PluginConfig(), backend.context)
        self._backend = backend
        self.asked = False

    def identity(self) -> str:
        """That of the model."""
        return self._backend.identity()

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Note that somebody asked; raises ModelError."""
        self.asked = True
        raise ModelError("no model is asked while cases are listed")

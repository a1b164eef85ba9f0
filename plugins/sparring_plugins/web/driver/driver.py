"""The driver ``strict-first``: plain rules ground an instruction; a model is asked if they fail.

It is Algorithm 1 for one instruction: readiness, navigation, observe, with what changed on the page
as the evidence that it was done.
"""

import asyncio
from collections.abc import Awaitable, Iterable, Iterator, Sequence
from time import monotonic
from typing import Annotated, Any, ClassVar, Literal, TypeVar
from weakref import WeakKeyDictionary

from pydantic import Field, ValidationError

from sparring.errors import AppError, EnvironmentFailure, ModelError, PartError
from sparring.interfaces.agent import Agent
from sparring.interfaces.app_connector import PageSession
from sparring.interfaces.plugin import BuildContext, PluginConfig, Use, UseOf
from sparring.model.page import PageEventKind, PageView
from sparring.model.talk import GuiAction, Listen
from sparring_plugins.web.driver.acts import (
    CachedSteps,
    ResolvedActs,
    acts_for,
    all_acts,
    model_acts,
)
from sparring_plugins.web.driver.extraction import extract
from sparring_plugins.web.grammar.assertions import is_assertion
from sparring_plugins.web.grammar.steps import read_step, read_steps
from sparring_plugins.web.page_health import problems
from sparring_plugins.web.roles import (
    ActResult,
    AssertionResult,
    DriveTask,
    Extracted,
    Judged,
    Navigation,
    PageDriver,
    PageTask,
    SchemaT,
    Suggestion,
)
from sparring_plugins.web.runner.algorithm import Run
from sparring_plugins.web.runner.frozen_steps import FrozenStep
from sparring_plugins.web.runner.records import StepRecord
from sparring_plugins.web.runner.strict_agents import Agents
from sparring_plugins.web.step import Step

ResultT = TypeVar("ResultT")
_STRICT = Use(use="strict")
_MODEL = Use(use="model")
_MESSAGES = (PageEventKind.MESSAGE, PageEventKind.DIALOG)
# The last acts of a session explain what a page shows; a script may run for hours.
_KEPT_ACTS = 50
#: What is returned as an error: a user's script is not ended because a page crashed.
_FAILURES = (AppError, EnvironmentFailure, ModelError, PartError)


class StrictFirstConfig(PluginConfig):
    """Settings of the driver: who is asked if plain rules do not know and there is a model."""

    navigator: Annotated[Use, UseOf("sparring.agents", role="navigator")] = _MODEL
    readiness: Annotated[Use, UseOf("sparring.agents", role="readiness")] = _MODEL
    assertion: Annotated[Use, UseOf("sparring.agents", role="assertion")] = _MODEL
    reader: Annotated[
        Use,
        UseOf("sparring.agents", role="page_reader"),
        Field(description="Who reads what labels, tables and rows do not tell."),
    ] = _MODEL


class StrictFirstDriver(PageDriver[StrictFirstConfig]):
    """Acts, observes, asserts and reads on a page; see `PageDriver`."""

    Config: ClassVar[type[PluginConfig]] = StrictFirstConfig

    def __init__(self, config: StrictFirstConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._agents = Agents(
            navigators=self._build_agents("navigator", config.navigator),
            readiness=self._build_agents("readiness", config.readiness),
            assertions=self._build_agents("assertion", config.assertion),
        )
        readers = self._build_model_agents("page_reader", config.reader)
        self._reader = readers[0] if readers else None
        self._acts: WeakKeyDictionary[PageSession, list[GuiAction]] = WeakKeyDictionary()

    def _build_agents(self, role: str, use: Use) -> list[Any]:
        strict: Any = self.context.part(Agent[Any, Any, Any], _STRICT, role=role)
        return [strict, *self._build_model_agents(role, use)]

    def _build_model_agents(self, role: str, use: Use) -> list[Any]:
        """Return the agent that asks a model, if there is a model to ask."""
        if use == _STRICT or self.context.llm(role) is None:
            return []
        return [self.context.part(Agent[Any, Any, Any], use, role=role)]

    # act

    async def act(self, task: DriveTask) -> ActResult:
        began = monotonic()
        try:
            result = await _within_timeout(task, self._act(task))
        except _FAILURES as err:
            result = ActResult(instruction=task.instruction, outcome="error", reason=str(err))
        except TimeoutError:
            result = _inconclusive(task, f"it was not done within {task.timeout_s:g} s")
        return result.model_copy(update={"seconds": round(monotonic() - began, 3)})

    async def _act(self, task: DriveTask) -> ActResult:
        if task.suggestion is not None:
            return await self._replay(task, task.suggestion)
        steps = read_steps(task.instruction)
        if refusal := _refusal(steps):
            return _inconclusive(task, refusal)
        view = await look(task.session)
        store = ResolvedActs(task.cache) if task.cache is not None else None
        url = view.snapshot.url
        cached = store.load(task.instruction, url) if store else CachedSteps({})
        run = self._run(task, steps, self._agents, cached.steps)
        run.views.add(view, again=True)
        result = await self._play(task, run, cached)
        if result.cache == "missed" and task.heal and not result.acts:
            run = self._run(task, steps, self._agents, {})
            healed = await self._play(task, run, CachedSteps({}))
            update = {"cache": "missed", "missed": result.missed or result.reason}
            result = healed.model_copy(update=update)
        if store and result and result.cache != "found" and run.kept:
            store.keep(task.instruction, url, dict(run.kept))
        return result

    async def _replay(self, task: DriveTask, suggestion: Suggestion) -> ActResult:
        """Carry out an act that was observed before, on the element that it was about."""
        try:
            frozen = FrozenStep.model_validate(suggestion.identity)
        except ValidationError:
            reason = "the suggestion does not say what it acts upon: observe gives such that do"
            return _inconclusive(task, reason)
        value = None if suggestion.act.value is None else str(suggestion.act.value)
        acts = tuple(act.model_copy(update={"value": value}) for act in frozen.acts)
        step = Step(number=1, text=frozen.text)
        agents = Agents(
            [FixedNavigator(suggestion.act, self.context)],
            self._agents.readiness,
            self._agents.assertions,
        )
        run = self._run(task, (step,), agents, {1: frozen.model_copy(update={"acts": acts})})
        result = await self._play(task, run, CachedSteps({}))
        return result.model_copy(update={"strict": result.strict and suggestion.strict})

    def _run(
        self,
        task: DriveTask,
        steps: Sequence[Step],
        agents: Agents,
        frozen: dict[int, FrozenStep],
    ) -> Run:
        return Run(
            session=task.session,
            agents=agents,
            steps=steps,
            patience_s=task.patience_s,
            frozen=frozen,
            variables=tuple(task.variables),
            seed=task.seed,
            acts=list(self._acts.get(task.session, ())),
        )

    async def _play(self, task: DriveTask, run: Run, cached: CachedSteps) -> ActResult:
        before = len(run.acts)
        try:
            await run.play()
        finally:
            self._acts[task.session] = run.acts[-_KEPT_ACTS:]
        return _result(task, run, cached, tuple(run.acts[before:]))

    # observe

    async def observe(self, task: DriveTask) -> Sequence[Suggestion]:
        return await _within_timeout(task, self._observe(task))

    async def _observe(self, task: DriveTask) -> Sequence[Suggestion]:
        view = await look(task.session)
        if not task.instruction.strip():
            return all_acts(view)
        step = read_step(task.instruction, number=1)
        tasks = [
            PageTask(step=step, reading=reading, view=view, variables=tuple(task.variables))
            for reading in step.readings or (None,)
        ]
        suggestions = acts_for(step, tasks)
        if suggestions or len(self._agents.navigators) < 2:
            return suggestions
        return model_acts(await self._agents.navigate(tasks[0]), view)

    # holds

    async def holds(self, task: DriveTask) -> AssertionResult:
        words = task.instruction
        step = read_step(words, number=1)
        if not is_assertion(step):
            step = read_step(f"Assert that {words}", number=1)
        run = self._run(task, (step,), self._agents, {})
        try:
            await _within_timeout(task, run.play())
        except _FAILURES as err:
            return AssertionResult(assertion=words, truth=None, reason=str(err), error=True)
        except TimeoutError:
            reason = f"not known within {task.timeout_s:g} s"
            return AssertionResult(assertion=words, truth=None, reason=reason)
        record = run.records[0]
        truth, reason = {"true": True, "false": False}.get(record.outcome), record.reason
        if not step.asserts:
            truth, reason = None, f"'{words}' is no assertion that is known"
        judged = record.assertion
        return AssertionResult(
            assertion=words,
            truth=truth,
            reason=reason,
            elements=(record.target,) if record.target else (),
            facts=judged.facts if judged else (),
            strict=judged.strict if judged else True,
        )

    # extract

    async def extract(self, task: DriveTask, schema: type[SchemaT]) -> Extracted[SchemaT]:
        try:
            return await _within_timeout(task, self._extract(task, schema))
        except _FAILURES as err:
            return Extracted(None, {}, reason=str(err), error=True)
        except TimeoutError:
            return Extracted(None, {}, reason=f"not read within {task.timeout_s:g} s")

    async def _extract(self, task: DriveTask, schema: type[SchemaT]) -> Extracted[SchemaT]:
        view = await look(task.session)
        return await extract(task, schema, view, self._reader)


class FixedNavigator(Agent[PageTask, Navigation, PluginConfig]):
    """A navigator that returns one act: the id of its target tells equal elements apart."""

    role: ClassVar[str] = "navigator"

    def __init__(self, act: GuiAction, context: BuildContext) -> None:
        super().__init__(PluginConfig(), context)
        self._act = act

    async def act(self, task: PageTask) -> Navigation:
        del task
        return Navigation(acts=(self._act,))


async def look(session: PageSession) -> PageView:
    """Return the page as it is now; raises PartError if the connector shows none."""
    view = (await session.send(Listen())).page
    if view is None:
        raise PartError("connector", "of this page", "send", "its answer has no page")
    return view


async def _within_timeout(task: DriveTask, work: Awaitable[ResultT]) -> ResultT:
    async with asyncio.timeout(task.timeout_s):
        return await work


def _inconclusive(task: DriveTask, reason: str) -> ActResult:
    return ActResult(instruction=task.instruction, outcome="inconclusive", reason=reason)


def _refusal(steps: Sequence[Step]) -> str:
    """Return why an instruction is not acted upon, without looking at the page."""
    if not steps:
        return "it asks for nothing to be done"
    if any(step.asserts for step in steps):
        return "it asserts something: holds() tells whether that is so"
    return ""


def _result(
    task: DriveTask, run: Run, cached: CachedSteps, acts: tuple[GuiAction, ...]
) -> ActResult:
    records, view = run.records, run.views.last
    stuck = next((record for record in records if record.outcome != "done"), None)
    lost = next((record for record in records if record.frozen == "lost"), None)
    return ActResult(
        instruction=task.instruction,
        outcome="done" if stuck is None else "inconclusive",
        reason=_reason(records[-1], stuck, view),
        changes=tuple(dict.fromkeys(_facts(record.observed for record in records))),
        messages=_event_texts(view, *_MESSAGES),
        problems=problems(view.events, view.snapshot.url) if view else (),
        acts=acts,
        targets=tuple(record.target for record in records if record.target),
        candidates=stuck.candidates if stuck else (),
        facts=tuple(_facts(record.navigation for record in records)),
        strict=all(record.strict for record in records),
        cache=_cache_state(records, cached, lost),
        missed=lost.reason if lost else cached.missed,
        url=view.snapshot.url if view else "",
    )


def _facts(answers: Iterable[Judged | None]) -> Iterator[str]:
    return (fact for answer in answers if answer for fact in answer.facts)


def _reason(last: StepRecord, stuck: StepRecord | None, view: PageView | None) -> str:
    if stuck is None:
        return last.observed.reason if last.observed else ""
    refusals = _event_texts(view, PageEventKind.REFUSED)
    return "; ".join(dict.fromkeys([stuck.reason, *refusals]))


def _event_texts(view: PageView | None, *kinds: PageEventKind) -> tuple[str, ...]:
    return tuple(event.text for event in view.events if event.kind in kinds) if view else ()


def _cache_state(
    records: Sequence[StepRecord], cached: CachedSteps, lost: StepRecord | None
) -> Literal["found", "healed", "missed"] | None:
    if lost is not None or cached.missed:
        return "missed"
    states = [record.frozen for record in records if record.frozen]
    if not cached.steps or not states:
        return None
    return "healed" if "healed" in states else "found"

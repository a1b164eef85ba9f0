"""The driver ``strict-first``: plain rules ground an instruction; a model is asked where they fail.

It is Algorithm 1 for one instruction: readiness, navigation, observe, with what changed on the page
as the evidence that it was done.
"""

import asyncio
from collections.abc import Awaitable, Sequence
from time import monotonic
from typing import Annotated, Any, ClassVar, TypeVar
from weakref import WeakKeyDictionary

from pydantic import Field, ValidationError

from sparring.errors import AppError, EnvironmentFailure, ModelError, PartError
from sparring.interfaces.agent import Agent
from sparring.interfaces.app_connector import PageSession
from sparring.interfaces.plugin import BuildContext, PluginConfig, Use, UseOf
from sparring.model.page import PageEventKind, PageView
from sparring.model.talk import GuiAction, Listen
from sparring_plugins.web.driver.extraction import extracted
from sparring_plugins.web.driver.resolved_acts import Kept, ResolvedActs
from sparring_plugins.web.driver.suggestions import acts_for, all_acts, proposed
from sparring_plugins.web.grammar.assertions import is_assertion
from sparring_plugins.web.grammar.steps import read_step, read_steps
from sparring_plugins.web.roles.driver import (
    Acted,
    DriveTask,
    Extracted,
    Held,
    PageDriver,
    SchemaT,
    Suggestion,
)
from sparring_plugins.web.roles.page_agents import Navigation, PageTask
from sparring_plugins.web.roles.step import Step
from sparring_plugins.web.runner.algorithm import Run
from sparring_plugins.web.runner.frozen_steps import FrozenStep
from sparring_plugins.web.runner.records import StepRecord
from sparring_plugins.web.runner.strict_first import Agents

ResultT = TypeVar("ResultT")
_STRICT = Use(use="strict")
_MODEL = Use(use="model")
_TOLD = (PageEventKind.MESSAGE, PageEventKind.DIALOG)
_REMEMBERED = 50
_FAILURES = (AppError, EnvironmentFailure, ModelError, PartError)
"""What comes back as an error: a script of a user's is not ended because a page crashed."""


class StrictFirstConfig(PluginConfig):
    """Settings of the driver: who is asked where plain rules do not know, if there is a model."""

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
            navigators=self._asked("navigator", config.navigator),
            readiness=self._asked("readiness", config.readiness),
            assertions=self._asked("assertion", config.assertion),
        )
        readers = self._models("page_reader", config.reader)
        self._reader = readers[0] if readers else None
        self._acts: WeakKeyDictionary[PageSession, list[GuiAction]] = WeakKeyDictionary()

    def _asked(self, role: str, use: Use) -> list[Any]:
        strict: Any = self.context.part(Agent[Any, Any, Any], _STRICT, role=role)
        return [strict, *self._models(role, use)]

    def _models(self, role: str, use: Use) -> list[Any]:
        """The agent that asks a model, where there is one to ask."""
        if use == _STRICT or self.context.llm(role) is None:
            return []
        return [self.context.part(Agent[Any, Any, Any], use, role=role)]

    # act

    async def act(self, task: DriveTask) -> Acted:
        began = monotonic()
        try:
            done = await _bounded(task, self._act(task))
        except _FAILURES as err:
            done = Acted(instruction=task.instruction, outcome="error", reason=str(err))
        except TimeoutError:
            why = f"it was not done within {task.timeout_s:g} s"
            done = Acted(instruction=task.instruction, outcome="inconclusive", reason=why)
        return done.model_copy(update={"seconds": round(monotonic() - began, 3)})

    async def _act(self, task: DriveTask) -> Acted:
        if task.suggestion is not None:
            return await self._replay(task, task.suggestion)
        steps = read_steps(task.instruction)
        if refusal := _refusal(steps):
            return Acted(instruction=task.instruction, outcome="inconclusive", reason=refusal)
        view = await looked(task.session)
        store = ResolvedActs(task.cache) if task.cache is not None else None
        url = view.snapshot.url
        kept = store.of(task.instruction, url) if store else Kept({})
        run = self._run(task, steps, self._agents, kept.steps)
        run.views.add(view, again=True)
        acted = await self._played(task, run, kept)
        if acted.cache == "missed" and task.heal and not acted.acts:
            run = self._run(task, steps, self._agents, {})
            again = await self._played(task, run, Kept({}))
            missed = {"cache": "missed", "missed": acted.missed or acted.reason}
            acted = again.model_copy(update=missed)
        if store and acted and acted.cache != "found" and run.kept:
            store.keep(task.instruction, url, dict(run.kept))
        return acted

    async def _replay(self, task: DriveTask, wanted: Suggestion) -> Acted:
        try:
            frozen = FrozenStep.model_validate(wanted.identity)
        except ValidationError:
            why = "the suggestion does not say what it acts upon: observe gives such that do"
            return Acted(instruction=task.instruction, outcome="inconclusive", reason=why)
        value = None if wanted.act.value is None else str(wanted.act.value)
        acts = tuple(one.model_copy(update={"value": value}) for one in frozen.acts)
        step = Step(number=1, text=frozen.text)
        agents = Agents(
            [Remembered(wanted.act, self.context)], self._agents.readiness, self._agents.assertions
        )
        run = self._run(task, (step,), agents, {1: frozen.model_copy(update={"acts": acts})})
        acted = await self._played(task, run, Kept({}))
        return acted.model_copy(update={"strict": acted.strict and wanted.strict})

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

    async def _played(self, task: DriveTask, run: Run, kept: Kept) -> Acted:
        before = len(run.acts)
        try:
            await run.play()
        finally:
            self._acts[task.session] = run.acts[-_REMEMBERED:]
        return _acted(task, run, kept, tuple(run.acts[before:]))

    # observe

    async def observe(self, task: DriveTask) -> Sequence[Suggestion]:
        return await _bounded(task, self._observe(task))

    async def _observe(self, task: DriveTask) -> Sequence[Suggestion]:
        view = await looked(task.session)
        if not task.instruction.strip():
            return all_acts(view)
        step = read_step(task.instruction, number=1)
        tasks = [
            PageTask(step=step, reading=reading, view=view, variables=tuple(task.variables))
            for reading in step.readings or (None,)
        ]
        found = acts_for(step, tasks)
        if found or len(self._agents.navigators) < 2:
            return found
        return proposed(await self._agents.navigate(tasks[0]), view)

    # holds

    async def holds(self, task: DriveTask) -> Held:
        words = task.instruction
        step = read_step(words, number=1)
        if not is_assertion(step):
            step = read_step(f"Assert that {words}", number=1)
        run = self._run(task, (step,), self._agents, {})
        error = False
        try:
            await _bounded(task, run.play())
            record = run.records[0]
            truth = {"true": True, "false": False}.get(record.outcome)
            if not step.asserts:
                truth, reason = None, f"'{words}' is no assertion that is known"
            else:
                reason = record.reason
        except _FAILURES as err:
            record, truth, reason, error = None, None, str(err), True
        except TimeoutError:
            record, truth, reason = None, None, f"not known within {task.timeout_s:g} s"
        judged = record.assertion if record else None
        return Held(
            assertion=words,
            truth=truth,
            reason=reason,
            elements=(record.target,) if record and record.target else (),
            facts=judged.facts if judged else (),
            strict=judged.strict if judged else True,
            error=error,
        )

    # extract

    async def extract(self, task: DriveTask, schema: type[SchemaT]) -> Extracted[SchemaT]:
        try:
            return await _bounded(task, self._extract(task, schema))
        except _FAILURES as err:
            return Extracted(None, {}, reason=str(err), error=True)
        except TimeoutError:
            return Extracted(None, {}, reason=f"not read within {task.timeout_s:g} s")

    async def _extract(self, task: DriveTask, schema: type[SchemaT]) -> Extracted[SchemaT]:
        view = await looked(task.session)
        return await extracted(task, schema, view, self._reader)


class Remembered(Agent[PageTask, Navigation, PluginConfig]):
    """A navigator that knows what was suggested: it tells equal elements apart by their ids."""

    role: ClassVar[str] = "navigator"

    def __init__(self, act: GuiAction, context: BuildContext) -> None:
        super().__init__(PluginConfig(), context)
        self._act = act

    async def act(self, task: PageTask) -> Navigation:
        del task
        return Navigation(acts=(self._act,))


async def looked(session: PageSession) -> PageView:
    """The page as it is now; raises PartError if the connector shows none."""
    view = (await session.send(Listen())).page
    if view is None:
        raise PartError("connector", "of this page", "send", "its answer has no page")
    return view


async def _bounded(task: DriveTask, work: Awaitable[ResultT]) -> ResultT:
    async with asyncio.timeout(task.timeout_s):
        return await work


def _refusal(steps: Sequence[Step]) -> str:
    """Why an instruction is not acted upon, without looking at the page."""
    if not steps:
        return "it asks for nothing to be done"
    if any(step.asserts for step in steps):
        return "it asserts something: holds() tells whether that is so"
    return ""


def _acted(task: DriveTask, run: Run, kept: Kept, sent: tuple[GuiAction, ...]) -> Acted:
    records = run.records
    stuck = next((one for one in records if one.outcome != "done"), None)
    lost = next((one for one in records if one.frozen == "lost"), None)
    view = run.views.last
    done = stuck is None
    targets = tuple(one.target for one in records if one.target)
    return Acted(
        instruction=task.instruction,
        outcome="done" if done else "inconclusive",
        reason=_why(records, stuck, view),
        changes=tuple(dict.fromkeys(c for one in records for c in _facts(one))),
        messages=tuple(one.text for one in view.events if one.kind in _TOLD) if view else (),
        acts=sent,
        targets=targets,
        candidates=stuck.candidates if stuck else (),
        facts=tuple(f for one in records if one.navigation for f in one.navigation.facts),
        strict=all(_strict(one) for one in records),
        cache=_cached(records, kept, lost),
        missed=lost.reason if lost else kept.why,
        url=view.snapshot.url if view else "",
    )


def _why(records: Sequence[StepRecord], stuck: StepRecord | None, view: PageView | None) -> str:
    if stuck is None:
        observed = records[-1].observed
        return observed.reason if observed else ""
    refused = [one.text for one in view.events if one.kind == PageEventKind.REFUSED] if view else []
    return "; ".join(dict.fromkeys([stuck.reason, *refused]))


def _facts(record: StepRecord) -> tuple[str, ...]:
    return record.observed.facts if record.observed else ()


def _strict(record: StepRecord) -> bool:
    judged = (record.readiness, record.navigation, record.assertion)
    return all(one is None or one.strict for one in judged)


def _cached(records: Sequence[StepRecord], kept: Kept, lost: StepRecord | None) -> Any:
    if lost is not None or kept.why:
        return "missed"
    states = [one.frozen for one in records if one.frozen]
    if not kept.steps or not states:
        return None
    return "healed" if "healed" in states else "found"

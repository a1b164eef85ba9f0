"""The agents of Algorithm 1 by plain rules, and `Agents`, which asks others only after them.

Navigator, readiness and assertion named ``strict`` read the snapshot and nothing else, so equal
pages give equal answers. What they do not know they leave open (None) for an agent that asks a
language model.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from pydantic import Field

from sparring.errors import AnswerInvalid
from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import PluginConfig
from sparring.model.verdict import Owner
from sparring_plugins.web.pages.conditions import holds
from sparring_plugins.web.pages.plans import Planner
from sparring_plugins.web.roles import Judged, Navigation, PageTask


class StrictConfig(PluginConfig):
    """Settings of the strict navigator and of strict readiness."""

    twins: Literal["unsure", "first"] = Field(
        "unsure",
        description="Of controls that fit equally well and look the same: take none, or the first.",
    )


class StrictNavigator(Agent[PageTask, Navigation, StrictConfig]):
    """Grounds a step in the snapshot by role, name, label, row, region, position and type.

    If several elements fit equally well it names them and does nothing.
    """

    role = "navigator"
    Config = StrictConfig

    async def act(self, task: PageTask) -> Navigation:
        plan = Planner(task, self.config.twins).plan()
        return Navigation(
            acts=plan.acts, candidates=plan.candidates, reason=plan.reason, weak=plan.weak
        )


class StrictReadiness(Agent[PageTask, Judged, StrictConfig]):
    """Judges whether a step can be carried out now.

    True: its target is there, and can be used. False: it is there but hidden, disabled or
    covered. Don't know: no element surely is the target, or several may be.
    """

    role = "readiness"
    Config = StrictConfig

    async def act(self, task: PageTask) -> Judged:
        plan = Planner(task, self.config.twins).plan()
        return Judged(truth=plan.truth, reason=plan.reason, elements=plan.elements)


class StrictAssertion(Agent[PageTask, Judged, PluginConfig]):
    """Judges whether an assertion holds on the page as it is."""

    role = "assertion"

    async def act(self, task: PageTask) -> Judged:
        reading = task.reading
        if reading is None or reading.condition is None:
            return Judged(
                truth=None, reason=f"'{task.step.text}' is no assertion that the grammar knows"
            )
        return holds(reading.condition, task.view, task.acts, task.before)


NavigatorAgent = Agent[PageTask, Navigation, Any]
JudgingAgent = Agent[PageTask, Judged, Any]
AgentT = TypeVar("AgentT")


@dataclass(frozen=True)
class Agents:
    """The agents of Algorithm 1, those of each role in the order in which they are asked.

    For the steps of a translated sentence only the first of each role is asked, plain rules.
    """

    navigators: Sequence[NavigatorAgent]
    readiness: Sequence[JudgingAgent]
    assertions: Sequence[JudgingAgent]

    async def ready(self, task: PageTask) -> Judged:
        """Return whether the step can be carried out."""
        return await _first_answer(_for_step(self.readiness, task), task)

    async def holds(self, task: PageTask) -> Judged:
        """Return whether the assertion holds."""
        return await _first_answer(_for_step(self.assertions, task), task)

    async def navigate(self, task: PageTask) -> Navigation:
        """Return the acts of the first agent that knows what to do."""
        answers: list[Navigation] = []
        for agent in _for_step(self.navigators, task):
            try:
                answers.append(await agent.act(task))
            except AnswerInvalid as err:
                if not err.undecided:
                    raise
                answers.append(
                    Navigation(reason=str(err), strict=False, owner=Owner.SIMULATED_USER)
                )
            if answers[-1].acts or answers[-1].accomplished:
                return answers[-1]
        return Navigation(
            reason="; ".join(answer.reason for answer in answers if answer.reason),
            candidates=next((answer.candidates for answer in answers if answer.candidates), ()),
            strict=all(answer.strict for answer in answers),
            owner=next((answer.owner for answer in answers if answer.owner), None),
        )


def _for_step(agents: Sequence[AgentT], task: PageTask) -> Sequence[AgentT]:
    return agents[:1] if task.step.by else agents


async def _first_answer(agents: Sequence[JudgingAgent], task: PageTask) -> Judged:
    """Return the first answer that is not *don't know*; else all reasons together."""
    answers: list[Judged] = []
    for agent in agents:
        try:
            answers.append(await agent.act(task))
        except AnswerInvalid as err:
            if not err.undecided:
                raise
            answers.append(
                Judged(truth=None, reason=str(err), strict=False, owner=Owner.SIMULATED_USER)
            )
        if answers[-1].truth is not None:
            break
    last = answers[-1]
    if last.truth is not None:
        return last
    return last.model_copy(
        update={
            "reason": "; ".join(answer.reason for answer in answers if answer.reason),
            "elements": next((answer.elements for answer in answers if answer.elements), ()),
            "strict": all(answer.strict for answer in answers),
            "owner": next((answer.owner for answer in answers if answer.owner), None),
        }
    )

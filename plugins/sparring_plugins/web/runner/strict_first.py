"""Strict first: the plain rules are asked, and only where they don't know the other agent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sparring.errors import AnswerInvalid
from sparring.interfaces.agent import Agent
from sparring.model.verdict import Owner
from sparring_plugins.web.roles.page_agents import Judged, Navigation, PageTask

NavigatorAgent = Agent[PageTask, Navigation, Any]
JudgingAgent = Agent[PageTask, Judged, Any]


@dataclass(frozen=True)
class Agents:
    """The agents of Algorithm 1, each role's in the order in which they are asked."""

    navigators: Sequence[NavigatorAgent]
    readiness: Sequence[JudgingAgent]
    assertions: Sequence[JudgingAgent]

    async def ready(self, task: PageTask) -> Judged:
        """Whether the step can be carried out."""
        return await _judged(self.readiness, task)

    async def holds(self, task: PageTask) -> Judged:
        """Whether the assertion holds."""
        return await _judged(self.assertions, task)

    async def navigate(self, task: PageTask) -> Navigation:
        """The acts of the first agent that knows what to do."""
        asked: list[Navigation] = []
        for agent in self.navigators:
            asked.append(await _navigation(agent, task))
            if asked[-1].acts:
                return asked[-1]
        reasons = "; ".join(one.reason for one in asked if one.reason)
        candidates = next((one.candidates for one in asked if one.candidates), ())
        return Navigation(
            reason=reasons,
            candidates=candidates,
            strict=all(one.strict for one in asked),
            owner=next((one.owner for one in asked if one.owner), None),
        )


async def _judged(agents: Sequence[JudgingAgent], task: PageTask) -> Judged:
    """The first answer that is not *don't know*; else all reasons together."""
    answers: list[Judged] = []
    for agent in agents:
        try:
            answers.append(await agent.act(task))
        except AnswerInvalid as err:
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
            "reason": "; ".join(one.reason for one in answers if one.reason),
            "elements": next((one.elements for one in answers if one.elements), ()),
            "strict": all(one.strict for one in answers),
            "owner": next((one.owner for one in answers if one.owner), None),
        }
    )


async def _navigation(agent: NavigatorAgent, task: PageTask) -> Navigation:
    try:
        return await agent.act(task)
    except AnswerInvalid as err:
        return Navigation(reason=str(err), strict=False, owner=Owner.SIMULATED_USER)

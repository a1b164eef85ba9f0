"""Judges of known manners."""

import asyncio
import os
import signal
from typing import ClassVar

from sparring.errors import AnswerInvalid
from sparring.interfaces.agent import Agent
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import PluginConfig
from sparring.interfaces.roles import GoalCheck, GoalTask, Judgement, JudgeTask, MetGoal
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner, Verdict

HERE = f"{__name__}:"


class Manners(PluginConfig):
    """What a judge of these says: by default what its subject says."""

    always: str | None = None
    first: bool = False
    stops_after: int | None = None
    flips: bool = False


class Parrot(Agent[JudgeTask, Judgement, Manners]):
    """Says the subject of its task, or what its settings say; some subjects make it fail."""

    Config: ClassVar[type[PluginConfig]] = Manners
    role: ClassVar[str] = "judge"
    asked: ClassVar[int] = 0

    async def act(self, task: JudgeTask) -> Judgement:
        Parrot.asked += 1
        if self.config.stops_after is not None and Parrot.asked == self.config.stops_after:
            os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(0)
        return await self._said(task)

    async def _said(self, task: JudgeTask) -> Judgement:
        said = str(task.subject)
        match said:
            case "nothing usable":
                raise AnswerInvalid("no sense in it")
            case "broken":
                raise ZeroDivisionError("oops")
            case "slow":
                await asyncio.Event().wait()
            case "unsure":
                return Judgement(answer=None, reason="cannot tell")
            case _:
                pass
        if self.config.first:
            return Judgement(answer=task.options[0], reason="it is the first")
        if self.config.flips and task.sample % 2:
            said = "no" if said == "yes" else "yes"
        return Judgement(answer=self.config.always or said, reason=f"it says {said}")


class FirstGoal(Agent[GoalTask, GoalCheck, PluginConfig]):
    """Finds the first goal met, always."""

    role: ClassVar[str] = "goal_checker"

    async def act(self, task: GoalTask) -> GoalCheck:
        return GoalCheck(met=(MetGoal(goal=0),))


class LastWord(Oracle[PluginConfig]):
    """Gives the verdict that the app's last answer names."""

    async def judge(self, trace: Trace) -> list[Verdict]:
        seen = trace.turns[-1].observation
        outcome = Outcome(seen.text if seen else "error")
        owned = outcome not in (Outcome.PASS, Outcome.SKIPPED)
        return [
            Verdict(
                oracle="last",
                check="last",
                outcome=outcome,
                owner=Owner.APP if owned else None,
                reason=f"the app said {outcome.value}",
            ),
            Verdict(oracle="last", check="other", outcome=Outcome.PASS),
        ]

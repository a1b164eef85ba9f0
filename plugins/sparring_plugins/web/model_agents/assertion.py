"""Readiness and assertion by a language model: a check-list of facts, then true, false, unknown."""

from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from sparring_plugins.prompting.question import Question
from sparring_plugins.web.model_agents.page_agent import PageAgent
from sparring_plugins.web.model_agents.page_data import PageData
from sparring_plugins.web.roles.page_agents import Judged, PageTask


class Fact(BaseModel):
    """Something that the page shows."""

    model_config = ConfigDict(extra="forbid")

    statement: str = Field(description="what is so, in a short sentence")
    elements: list[str] = Field(description="ids of the elements that show it; may be empty")


class Answer(BaseModel):
    """A check-list of facts, and what follows from it."""

    model_config = ConfigDict(extra="forbid", title="answer")

    facts: list[Fact] = Field(description="the facts that decide, each checked on the page")
    rests_on: Literal["presence", "absence"] = Field(
        description="whether the answer rests on what is there, or on something not being there"
    )
    answer: Literal["true", "false", "unknown"]


class _Judging(PageAgent[Judged]):
    """What readiness and assertion have in common. An answer must name elements that exist."""

    prompt: ClassVar[str]
    max_tokens: ClassVar[int | None] = 1_500

    async def act(self, task: PageTask) -> Judged:
        shown = self.shown(task)
        answered = await self.asker.ask(
            Question(
                prompt=self.prompt,
                answer=Answer,
                values=self.values(task, shown),
                checkers=(lambda answer: _objection(answer, shown),),
                seed=task.seed,
            )
        )
        return _judged(answered.value, shown)


class ModelReadiness(_Judging):
    """Role ``readiness``: whether a step can be carried out on the page (the paper's Fig. 9)."""

    role: ClassVar[str] = "readiness"
    prompt: ClassVar[str] = "readiness"


class ModelAssertion(_Judging):
    """Role ``assertion``: whether an assertion holds on the page (the paper's Fig. 10)."""

    role: ClassVar[str] = "assertion"
    prompt: ClassVar[str] = "assertion"


def _judged(answer: Answer, shown: PageData) -> Judged:
    truth = {"true": True, "false": False, "unknown": None}[answer.answer]
    reason = "; ".join(fact.statement for fact in answer.facts[:3])
    if shown.left_out and answer.rests_on == "absence":
        truth = None
        reason = f"{shown.left_out} elements were not shown to the model, so none can be missing"
    return Judged(
        truth=truth,
        reason=reason or f"the model answers '{answer.answer}'",
        elements=tuple(dict.fromkeys(one for fact in answer.facts for one in fact.elements)),
        facts=tuple(fact.statement for fact in answer.facts),
        strict=False,
    )


def _objection(answer: Answer, shown: PageData) -> str | None:
    named = [one for fact in answer.facts for one in fact.elements]
    unknown = sorted({one[:40] for one in named if one not in shown.ids})
    if unknown:
        return f"There are no elements {', '.join(unknown[:5])}; use the ids in the data."
    if answer.answer != "unknown" and not answer.facts:
        return "Name the facts that decide."
    if answer.answer != "unknown" and answer.rests_on == "presence" and not named:
        return "The answer rests on what is there: name the elements that show it."
    return None

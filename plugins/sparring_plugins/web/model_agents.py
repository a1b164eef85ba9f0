"""The agents of Algorithm 1 that ask a language model: readiness, assertion and navigator.

A model sees a page as plain data, within a budget. Its answer is a check-list of facts with the
ids of elements, and what follows from them; an answer that names other elements is sent back.
"""

from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from sparring.errors import AnswerInvalid
from sparring.interfaces.plugin import PluginConfig
from sparring.model.talk import GuiAction
from sparring.model.verdict import Owner
from sparring_plugins.prompting.exchange import Question
from sparring_plugins.prompting.fallback import with_fallback
from sparring_plugins.prompting.model_agent import ModelAgent, ModelAgentConfig
from sparring_plugins.web.page_text import PageData, page_data, quotes_page
from sparring_plugins.web.pages.controls import in_words
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.roles import Judged, Navigation, PageTask

AnswerT = TypeVar("AnswerT", covariant=True)


class PageAgentConfig(ModelAgentConfig):
    """Settings of the agents that show a page to a language model."""

    elements: int = Field(
        default=400, ge=20, le=5_000, description="elements of a page that are shown at most"
    )
    characters: int = Field(
        default=6_000, ge=1_000, description="characters of a page that are shown at most"
    )


class PageAgent(ModelAgent[PageTask, AnswerT, PageAgentConfig]):
    """An agent that asks a language model about a step on a page."""

    Config: ClassVar[type[PluginConfig]] = PageAgentConfig
    folder: ClassVar[Path] = Path(__file__).with_name("prompts")
    temperature: ClassVar[float | None] = 0.0
    twin: ClassVar[str | None] = "strict"

    def mark_fallback(self, answer: Any, err: AnswerInvalid) -> Any:
        """Leave what plain rules do not know with the model that gave no usable answer."""
        known = answer.acts if isinstance(answer, Navigation) else answer.truth is not None
        if known:
            return answer
        owned = {"strict": False, "owner": Owner.SIMULATED_USER}
        return answer.model_copy(update={"reason": f"{err}; {answer.reason}", **owned})

    def shown(self, task: PageTask) -> PageData:
        """Return the page of a task as it is shown to the model."""
        config = self.config
        return page_data(
            task.view, task.step.text, elements=config.elements, characters=config.characters
        )

    def values(self, task: PageTask, shown: PageData) -> dict[str, Any]:
        """Return the values of the prompts."""
        return {
            "step": task.step.text,
            "done": [step.text for step in task.done[-20:]],
            "page": shown.page,
            "left_out": shown.left_out,
        }


class Fact(BaseModel):
    """Something that the page shows."""

    model_config = ConfigDict(extra="forbid")

    statement: str = Field(description="what is so, in a short sentence")
    elements: list[str] = Field(description="ids of the elements that show it; may be empty")
    quote: str = Field(
        default="", description="the text of the page that shows it, letter for letter"
    )


class Answer(BaseModel):
    """A check-list of facts, and what follows from it."""

    model_config = ConfigDict(extra="forbid", title="answer")

    facts: list[Fact] = Field(description="the facts that decide, each checked on the page")
    rests_on: Literal["presence", "absence"] = Field(
        description="whether the answer rests on what is there, or on something not being there"
    )
    answer: Literal["true", "false", "unknown"]


class _JudgingAgent(PageAgent[Judged]):
    """The base of readiness and assertion. An answer must name elements that exist."""

    prompt: ClassVar[str]
    max_tokens: ClassVar[int | None] = 1_500

    @with_fallback
    async def act(self, task: PageTask) -> Judged:
        shown = self.shown(task)
        answered = await self.asker.ask(
            Question(
                prompt=self.prompt,
                answer=Answer,
                values=self.values(task, shown),
                checkers=(lambda answer: self.objection(answer, shown),),
                seed=task.seed,
            )
        )
        return _judged(answered.value, shown)

    def objection(self, answer: Answer, shown: PageData) -> str | None:
        """Return why an answer is sent back, if it is."""
        return _answer_objection(answer, shown)


class ModelReadiness(_JudgingAgent):
    """Role ``readiness``: whether a step can be carried out on the page (the paper's Fig. 9)."""

    role: ClassVar[str] = "readiness"
    prompt: ClassVar[str] = "readiness"


class ModelAssertion(_JudgingAgent):
    """Role ``assertion``: whether an assertion holds on the page (the paper's Fig. 10)."""

    role: ClassVar[str] = "assertion"
    prompt: ClassVar[str] = "assertion"

    def objection(self, answer: Answer, shown: PageData) -> str | None:
        return _answer_objection(answer, shown) or _quotation_objection(answer, shown)


def _judged(answer: Answer, shown: PageData) -> Judged:
    truth = {"true": True, "false": False, "unknown": None}[answer.answer]
    reason = "; ".join(fact.statement for fact in answer.facts[:3])
    if shown.left_out and answer.rests_on == "absence":
        truth = None
        reason = f"{shown.left_out} elements were not shown to the model, so none can be missing"
    return Judged(
        truth=truth,
        reason=reason or f"the model answers '{answer.answer}'",
        elements=tuple(dict.fromkeys(id_ for fact in answer.facts for id_ in fact.elements)),
        facts=tuple(fact.statement for fact in answer.facts),
        strict=False,
    )


def _answer_objection(answer: Answer, shown: PageData) -> str | None:
    named = [id_ for fact in answer.facts for id_ in fact.elements]
    unknown = sorted({id_[:40] for id_ in named if id_ not in shown.ids})
    if unknown:
        return f"There are no elements {', '.join(unknown[:5])}; use the ids in the data."
    if answer.answer != "unknown" and not answer.facts:
        return "Name the facts that decide."
    if answer.answer != "unknown" and answer.rests_on == "presence" and not named:
        return "The answer rests on what is there: name the elements that show it."
    return None


def _quotation_objection(answer: Answer, shown: PageData) -> str | None:
    """Return what is wrong with a "true" that no text of the page supports."""
    if answer.answer != "true" or answer.rests_on != "presence":
        return None
    quotations = [fact.quote for fact in answer.facts if fact.quote.strip()]
    if not quotations:
        return 'An answer "true" quotes the text of the page that shows it, in `quote` of a fact.'
    invented = [quote for quote in quotations if not quotes_page(quote, shown)]
    if invented:
        return f"The page does not have the text {invented[0][:80]!r}; quote it letter for letter."
    return None


Action = Literal[
    "click", "double_click", "right_click", "fill", "type", "press", "select", "check", "uncheck",
    "hover", "scroll",
]  # fmt: skip
_ENTERS = frozenset({"fill", "type", "select", "press"})


class ProposedAct(BaseModel):
    """One action on one element."""

    model_config = ConfigDict(extra="forbid")

    action: Action
    element: str = Field(description="the id of the element")
    value: str | None = Field(
        description="the text to enter, the option or the key, as in the step; else null"
    )


class Route(BaseModel):
    """How the step is carried out on this page."""

    model_config = ConfigDict(extra="forbid", title="navigation")

    facts: list[str] = Field(description="what on the page the decision rests on, one fact each")
    known: Literal["yes", "no", "unknown"] = Field(
        description="whether the page has exactly one way to carry the step out"
    )
    acts: list[ProposedAct] = Field(description="the actions in order; empty unless known is yes")


class ModelNavigator(PageAgent[Navigation]):
    """Role ``navigator``: the model names elements by their ids, with a check-list of facts.

    An answer with an element that is not shown, is disabled, or with a value that the step does
    not have is sent back. "no" and "unknown" carry nothing out.
    """

    role: ClassVar[str] = "navigator"
    max_tokens: ClassVar[int | None] = 1_500

    @with_fallback
    async def act(self, task: PageTask) -> Navigation:
        shown = self.shown(task)
        answered = await self.asker.ask(
            Question(
                prompt="navigator",
                answer=Route,
                values=self.values(task, shown),
                checkers=(lambda route: _route_objection(route, task, shown),),
                seed=task.seed,
            )
        )
        route = answered.value
        acts = tuple(_act(proposed, task) for proposed in route.acts if route.known == "yes")
        reason = "the model found the way" if acts else f"the model's answer is '{route.known}'"
        return Navigation(
            acts=acts,
            facts=tuple(route.facts),
            reason=reason + (f": {'; '.join(route.facts[:3])}" if route.facts else ""),
            accomplished={"yes": True, "no": False, "unknown": None}[route.known],
            strict=False,
        )


def _act(proposed: ProposedAct, task: PageTask) -> GuiAction:
    element = task.view.snapshot.element(proposed.element)
    return GuiAction(
        action=proposed.action,
        target=proposed.element,
        value=proposed.value,
        described=in_words(element) if element else None,
    )


def _route_objection(route: Route, task: PageTask, shown: PageData) -> str | None:
    if route.known == "yes" and not route.acts:
        return "known is 'yes', but there are no acts."
    if route.known != "yes" and route.acts:
        return f"known is '{route.known}', so acts must be empty."
    if len(route.acts) > 5:
        return "One step needs no more than five acts."
    reasons = [reason for act in route.acts if (reason := _act_objection(act, task, shown))]
    return " ".join(reasons) or None


def _act_objection(act: ProposedAct, task: PageTask, shown: PageData) -> str | None:
    element = task.view.snapshot.element(act.element)
    if element is None or act.element not in shown.ids:
        return f"There is no element {act.element[:40]!r}; use the ids in the data."
    if element.disabled:
        return f"The element {act.element} is disabled."
    if act.action in _ENTERS and not act.value:
        return f"The {act.action} of {act.element} needs a value."
    if act.value and not _in_step(act.value, task):
        return f"The value {act.value[:60]!r} does not stand in the step; never invent a value."
    return None


def _in_step(value: str, task: PageTask) -> bool:
    words, step = plain(value), plain(task.step.text)
    keys = {"enter", "tab", "escape", "arrowdown", "arrowup", "space", "backspace", "delete"}
    return words in step or words in keys

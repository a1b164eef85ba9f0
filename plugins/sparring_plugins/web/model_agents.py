"""The agents of Algorithm 1 that ask a language model: readiness, assertion and navigator.

A model sees a page as plain data, within a budget; if that shows too little to decide, it is asked
once more with a larger one. Its answer is a check-list of facts with the ids of elements and
quotations, and what follows from them; what names other elements, or quotes what is not there, is
sent back. The same question is asked once.
"""

import json
import re
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from sparring.errors import AnswerInvalid
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.model.page import Element
from sparring.model.talk import GuiAction
from sparring.model.verdict import Owner
from sparring_plugins.prompting.exchange import Checker, Question
from sparring_plugins.prompting.fallback import with_fallback
from sparring_plugins.prompting.model_agent import ModelAgent, ModelAgentConfig
from sparring_plugins.web.page_text import PageData, page_data, quotes_page
from sparring_plugins.web.pages.controls import in_words
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.roles import Judged, Navigation, PageTask

AnswerT = TypeVar("AnswerT", covariant=True)
FormT = TypeVar("FormT", bound=BaseModel)
# The same question is asked once per state of a page; old states do not come back.
_MOST_KEPT = 200
_MOST_DONE = 12
# What comes next tells what a sentence is for: "open the form" before "type the name".
_MOST_FOLLOWING = 2


class PageAgentConfig(ModelAgentConfig):
    """Settings of the agents that show a page to a language model."""

    elements: int = Field(
        default=400, ge=20, le=5_000, description="elements of a page that are shown at most"
    )
    characters: int = Field(
        default=2_500, ge=500, description="characters of a page that are shown at most"
    )
    list_characters: int = Field(
        default=6_000,
        ge=500,
        description="the same of a page that is mostly one long list, and if a model could not"
        " decide by a part of the page",
    )


class PageAgent(ModelAgent[PageTask, AnswerT, PageAgentConfig]):
    """An agent that asks a language model about a step on a page."""

    Config: ClassVar[type[PluginConfig]] = PageAgentConfig
    folder: ClassVar[Path] = Path(__file__).with_name("prompts")
    temperature: ClassVar[float | None] = 0.0
    twin: ClassVar[str | None] = "strict"
    prompt: ClassVar[str]

    def __init__(self, config: PageAgentConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._answers: OrderedDict[str, BaseModel] = OrderedDict()

    def mark_fallback(self, answer: Any, err: AnswerInvalid) -> Any:
        """Leave what plain rules do not know with the model that gave no usable answer."""
        known = answer.acts if isinstance(answer, Navigation) else answer.truth is not None
        if known:
            return answer
        owned = {"strict": False, "owner": Owner.SIMULATED_USER}
        return answer.model_copy(update={"reason": f"{err}; {answer.reason}", **owned})

    def shown(self, task: PageTask, *, widely: bool = False) -> PageData:
        """Return the page of a task as it is shown to the model."""
        config = self.config
        words = f"{task.step.text} {task.sentence}"
        return page_data(
            task.view,
            words,
            elements=config.elements,
            characters=config.list_characters if widely else config.characters,
            list_characters=config.list_characters,
            before=task.before[-1] if task.before and self.role == "assertion" else None,
        )

    async def ask(
        self, answer: type[FormT], task: PageTask, shown: PageData, checker: Checker[FormT]
    ) -> FormT:
        """Return the model's answer about a page as it is shown; raises AnswerInvalid."""
        values = self.values(task, shown)
        key = json.dumps([values, task.seed], sort_keys=True, default=str)
        kept = self._answers.get(key)
        if isinstance(kept, answer):
            return kept
        question = Question(
            prompt=self.prompt, answer=answer, values=values, checkers=(checker,), seed=task.seed
        )
        value = (await self.asker.ask(question)).value
        self._answers[key] = value
        while len(self._answers) > _MOST_KEPT:
            self._answers.popitem(last=False)
        return value

    def values(self, task: PageTask, shown: PageData) -> dict[str, Any]:
        """Return the values of the prompts."""
        same = task.sentence
        done = dict.fromkeys(
            step.text if step.sentence == same else step.sentence or step.text for step in task.done
        )
        sentence = task.sentence if plain(task.sentence) != plain(task.step.text) else ""
        return {
            "step": task.step.text,
            "sentence": sentence,
            "done": list(done)[-_MOST_DONE:],
            "tried": list(task.tried),
            "following": list(task.following[:_MOST_FOLLOWING]),
            "page": shown.page,
            "left_out": shown.left_out,
        }


class Fact(BaseModel):
    """Something that the page shows."""

    model_config = ConfigDict(extra="forbid")

    statement: str = Field(description="what is so, in a short sentence")
    elements: list[str] = Field(
        default=[], description="ids of the elements or messages that show it; may be empty"
    )
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

    max_tokens: ClassVar[int | None] = 1_500

    @with_fallback
    async def act(self, task: PageTask) -> Judged:
        judged = await self._judge(task, self.shown(task))
        if judged.truth is None:
            wider = self.shown(task, widely=True)
            if wider.page != self.shown(task).page:
                return await self._judge(task, wider)
        return judged

    async def _judge(self, task: PageTask, shown: PageData) -> Judged:
        answer = await self.ask(Answer, task, shown, lambda answer: self.objection(answer, shown))
        return _judge_answer(answer, shown)

    def objection(self, answer: Answer, shown: PageData) -> str | None:
        """Return why an answer is sent back, if it is."""
        return _answer_objection(answer, shown)


class ModelReadiness(_JudgingAgent):
    """Role ``readiness``: whether a step can be carried out on the page (the paper's Fig. 9)."""

    role: ClassVar[str] = "readiness"
    prompt: ClassVar[str] = "readiness"


class ModelAssertion(_JudgingAgent):
    """Role ``assertion``: whether an assertion holds on the page (the paper's Fig. 10).

    A "true" must quote text of the page that is found there.
    """

    role: ClassVar[str] = "assertion"
    prompt: ClassVar[str] = "assertion"

    def objection(self, answer: Answer, shown: PageData) -> str | None:
        return _answer_objection(answer, shown) or _quotation_objection(answer, shown)


def _judge_answer(answer: Answer, shown: PageData) -> Judged:
    truth = {"true": True, "false": False, "unknown": None}[answer.answer]
    reason = "; ".join(fact.statement for fact in answer.facts[:3])
    if shown.left_out and answer.rests_on == "absence":
        truth = None
        reason = f"{shown.left_out} elements were not shown to the model, so none can be missing"
    ids = (_shown_id(id_, shown) for fact in answer.facts for id_ in fact.elements)
    return Judged(
        truth=truth,
        reason=reason or f"the model answers '{answer.answer}'",
        elements=tuple(dict.fromkeys(id_ for id_ in ids if id_ in shown.ids)),
        facts=tuple(fact.statement for fact in answer.facts),
        strict=False,
    )


def _shown_id(named: str, shown: PageData) -> str:
    """Return the id that a model means: small ones write "[1.4]" or "1.4 button 'Pay'"."""
    if named in shown.ids:
        return named
    return next((word for word in re.findall(r"[\w.-]+", named) if word in shown.ids), named)


def _answer_objection(answer: Answer, shown: PageData) -> str | None:
    if answer.answer == "unknown":
        return None
    if not answer.facts:
        return "Name the facts that decide."
    # A text of the page proves what it says, also if the element beside it is named wrongly.
    unproved = [fact for fact in answer.facts if not quotes_page(fact.quote, shown)]
    named = [_shown_id(id_, shown) for fact in unproved for id_ in fact.elements]
    unknown = sorted({id_[:40] for id_ in named if id_ not in shown.ids})
    if unknown:
        return f"There are no elements {', '.join(unknown[:5])}; use the ids in the data."
    shows_nothing = len(unproved) == len(answer.facts) and not named
    if answer.rests_on == "presence" and shows_nothing:
        return "The answer rests on what is there: name the elements that show it."
    return None


def _quotation_objection(answer: Answer, shown: PageData) -> str | None:
    """Return what is wrong with an answer that the texts of the page do not support."""
    quoted = [fact for fact in answer.facts if fact.quote.strip()]
    if answer.answer != "unknown" and answer.rests_on == "absence":
        return _presence_objection(quoted, shown)
    if answer.answer != "true":
        return None
    if not quoted:
        return 'An answer "true" quotes the text of the page that shows it, in `quote` of a fact.'
    # "The list has tea, but no coffee": beside what is there, a fact names what is missing.
    invented = [fact for fact in quoted if not quotes_page(fact.quote, shown)]
    if any(fact.elements for fact in invented) or len(invented) == len(quoted):
        quote = invented[0].quote[:80]
        return f"The page does not have the text {quote!r}; quote it letter for letter."
    return None


def _presence_objection(quoted: Sequence[Fact], shown: PageData) -> str | None:
    """Return the objection to a text that is said to be missing, and is there."""
    missing = [fact.quote for fact in quoted if not fact.elements]
    there = [quote for quote in missing if quotes_page(quote, shown)]
    return f"The page does have the text {there[0][:80]!r}: it is not missing." if there else None


Action = Literal[
    "click", "double_click", "right_click", "fill", "type", "clear", "press", "select", "check",
    "uncheck", "hover", "scroll", "upload", "drag", "answer_dialog", "open", "back", "reload",
    "wait",
]  # fmt: skip
_ENTERS = frozenset({"fill", "type", "select", "press", "upload", "drag", "answer_dialog", "open"})
#: Acts on the whole page, or on what has the focus.
_NEEDS_NO_ELEMENT = frozenset(
    {"press", "scroll", "answer_dialog", "open", "back", "reload", "wait"}
)
# A plan of thirty acts was made for a page that the first of them changes.
_MOST_ACTS = 12


class ProposedAct(BaseModel):
    """One action on one element."""

    model_config = ConfigDict(extra="forbid")

    action: Action
    element: str | None = Field(
        default=None, description="the id of the element; null for the page as a whole"
    )
    value: str | None = Field(
        default=None,
        description="the text to enter, the option, the key, the file, as in the step; the id of"
        " the element where a drag ends; accept, dismiss or a text for a dialog; else null",
    )


class Route(BaseModel):
    """How the step is carried out on this page."""

    model_config = ConfigDict(extra="forbid", title="navigation")

    facts: list[str] = Field(description="what on the page the decision rests on, one fact each")
    answer: Literal["act", "done", "impossible", "unknown"] = Field(
        description="act: the acts come next; done: nothing is left to be done; impossible: the"
        " page has no way to carry the step out; unknown: you cannot tell"
    )
    acts: list[ProposedAct] = Field(
        default=[], description="the actions in order; empty unless the answer is act"
    )
    rest: str = Field(
        default="",
        description="what of the step is left after the acts, on the page that then comes; empty"
        " if the acts complete the step",
    )
    quote: str = Field(
        default="",
        description="if the answer is done: the text of the page that shows it, letter for letter",
    )


class ModelNavigator(PageAgent[Navigation]):
    """Role ``navigator``: the model says whether a step can be carried out, and by which acts.

    It is asked again after its acts while something is left of the step. An answer with an element
    that is not shown, is disabled, or with a value that neither this step nor those before have is
    sent back. "impossible" and "unknown" carry nothing out; "done" must quote the page.
    """

    role: ClassVar[str] = "navigator"
    prompt: ClassVar[str] = "navigator"
    max_tokens: ClassVar[int | None] = 1_500

    @with_fallback
    async def act(self, task: PageTask) -> Navigation:
        shown = self.shown(task)
        route = await self._route(task, shown)
        if route.answer in ("impossible", "unknown") and shown.left_out:
            wider = self.shown(task, widely=True)
            if wider.page != shown.page:
                shown, route = wider, await self._route(task, wider)
        acts = tuple(_act(proposed, task, shown) for proposed in route.acts)
        reason = "the model found the way" if acts else f"the model's answer is '{route.answer}'"
        return Navigation(
            acts=acts,
            facts=tuple(route.facts),
            reason=reason + (f": {'; '.join(route.facts[:3])}" if route.facts else ""),
            accomplished={"act": True, "done": True, "impossible": False}.get(route.answer),
            rest=route.rest.strip() if acts else "",
            quote=route.quote.strip() if route.answer == "done" else "",
            strict=False,
        )

    async def _route(self, task: PageTask, shown: PageData) -> Route:
        return await self.ask(Route, task, shown, lambda r: _route_objection(r, task, shown))


def _act(proposed: ProposedAct, task: PageTask, shown: PageData) -> GuiAction:
    target = _shown_id(proposed.element, shown) if proposed.element else None
    element = task.view.snapshot.element(target) if target else None
    value = None if proposed.value is None else proposed.value.strip()
    is_drag = proposed.action == "drag"
    return GuiAction(
        action="fill" if proposed.action == "clear" else proposed.action,
        target=target,
        value="" if proposed.action == "clear" else None if is_drag else value or None,
        destination=_shown_id(value, shown) if is_drag and value else None,
        described=in_words(element) if element else None,
    )


def _route_objection(route: Route, task: PageTask, shown: PageData) -> str | None:
    if route.answer == "act" and not route.acts:
        return "The answer is 'act', but there are no acts."
    if route.answer != "act" and route.acts:
        return f"The answer is '{route.answer}', so acts must be empty."
    if route.answer == "done" and not task.tried and not quotes_page(route.quote, shown):
        return (
            "Nothing was done yet: 'done' needs in `quote` the text of the page, letter for letter,"
            " that shows that nothing is left to be done."
        )
    if len(route.acts) > _MOST_ACTS:
        return f"Give no more than {_MOST_ACTS} acts at once, and say in `rest` what is left."
    reasons = [reason for act in route.acts if (reason := _act_objection(act, task, shown))]
    return " ".join(reasons) or None


def _act_objection(act: ProposedAct, task: PageTask, shown: PageData) -> str | None:
    is_drag = act.action == "drag"
    for name in (act.element or "", *((act.value or "",) if is_drag else ())):
        if reason := _element_objection(name, act, task, shown):
            return reason
    if act.action in _ENTERS and not (act.value or "").strip():
        return f"The {act.action} of {act.element} needs a value."
    id_ = _shown_id(act.element or "", shown)
    if is_drag or not act.value or is_given(act, task.view.snapshot.element(id_), task):
        return None
    return (
        f"The value {act.value[:60]!r} stands neither in this step nor in those before; never"
        " invent a value."
    )


def _element_objection(name: str, act: ProposedAct, task: PageTask, shown: PageData) -> str | None:
    if not name and act.action in _NEEDS_NO_ELEMENT:
        return None
    id_ = _shown_id(name, shown)
    element = task.view.snapshot.element(id_)
    if element is None or id_ not in shown.ids:
        return f"There is no element {name[:40]!r}; use the ids in the data."
    return f"The element {id_} is disabled." if element.disabled else None


_KEYS = frozenset({
    "enter", "tab", "escape", "arrowdown", "arrowup", "arrowleft", "arrowright", "space",
    "backspace", "delete", "home", "end", "pageup", "pagedown",
})  # fmt: skip
_DIALOG_ANSWERS = frozenset({"accept", "dismiss"})
_DIRECTIONS = frozenset({"up", "down", "left", "right", "top", "bottom"})


def is_given(act: ProposedAct, element: Element | None, task: PageTask) -> bool:
    """Return whether a step has the value of an act, or the page offers it as an option.

    "Sign in again" takes its values from the steps before; a key, a direction and the answer to a
    dialog need not be quoted.
    """
    value = _unquoted(act.value or "")
    if element is not None and any(value == _unquoted(o.label) for o in element.options):
        return True
    if act.action == "press":
        return value.split("+")[-1] in _KEYS or _stands_in(value.split("+")[-1], task)
    if act.action == "answer_dialog" and value in _DIALOG_ANSWERS:
        return True
    if act.action in ("scroll", "wait", "click", "check", "uncheck", "hover"):
        return act.action != "scroll" or value in _DIRECTIONS or _stands_in(value, task)
    if element is not None and (element.input_type or "").startswith(("date", "time", "month")):
        return _is_same_date(value, task)
    return _stands_in(value, task)


def _stands_in(value: str, task: PageTask) -> bool:
    texts = (task.step.text, task.sentence, *(s.sentence or s.text for s in task.done))
    return any(value in _unquoted(text) for text in texts)


def _is_same_date(value: str, task: PageTask) -> bool:
    """Return whether the numbers of a date are in the step: "2 April 2024" for 2024-04-02."""
    words = {
        number.lstrip("0") for number in re.findall(r"\d+", f"{task.step.text} {task.sentence}")
    }
    numbers = [number.lstrip("0") for number in re.findall(r"\d+", value)]
    return _stands_in(value, task) or sum(number in words for number in numbers) >= 2


def _unquoted(text: str) -> str:
    return plain(re.sub(r"[\"'`\u2018\u2019\u201c\u201d]", "", text))

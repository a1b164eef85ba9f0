"""The navigator that asks a language model which acts carry a step out."""

from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from sparring.model.talk import GuiAction
from sparring_plugins.prompting.question import Question
from sparring_plugins.web.model_agents.page_agent import PageAgent
from sparring_plugins.web.model_agents.page_data import PageData
from sparring_plugins.web.pages.control_kinds import in_words
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.roles.page_agents import Navigation, PageTask

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

    async def act(self, task: PageTask) -> Navigation:
        shown = self.shown(task)
        answered = await self.asker.ask(
            Question(
                prompt="navigator",
                answer=Route,
                values=self.values(task, shown),
                checkers=(lambda route: _objection(route, task, shown),),
                seed=task.seed,
            )
        )
        route = answered.value
        acts = tuple(_act(one, task) for one in route.acts) if route.known == "yes" else ()
        said = {"yes": True, "no": False, "unknown": None}[route.known]
        reason = "the model found the way" if acts else f"the model's answer is '{route.known}'"
        return Navigation(
            acts=acts,
            facts=tuple(route.facts),
            reason=reason + (f": {'; '.join(route.facts[:3])}" if route.facts else ""),
            accomplished=said,
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


def _objection(route: Route, task: PageTask, shown: PageData) -> str | None:
    if route.known == "yes" and not route.acts:
        return "known is 'yes', but there are no acts."
    if route.known != "yes" and route.acts:
        return f"known is '{route.known}', so acts must be empty."
    if len(route.acts) > 5:
        return "One step needs no more than five acts."
    reasons = [reason for one in route.acts if (reason := _wrong(one, task, shown))]
    return " ".join(reasons) or None


def _wrong(act: ProposedAct, task: PageTask, shown: PageData) -> str | None:
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

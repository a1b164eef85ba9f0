"""The page reader ``model``: a model names the element of each value, which must have it."""

from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field

from sparring.interfaces.plugin import PluginConfig
from sparring.model.page import Element
from sparring_plugins.prompting.exchange import Question
from sparring_plugins.prompting.fallback import with_fallback
from sparring_plugins.prompting.model_agent import ModelAgent
from sparring_plugins.web.model_agents import PageAgentConfig
from sparring_plugins.web.page_text import PageData, page_data
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.roles import PageReading, ReadTask, ReadValue, WantedValue

_MOST = 500


class Found(BaseModel):
    """A value that the page shows."""

    model_config = ConfigDict(extra="forbid")

    field: str = Field(description="the name of the wanted field, as given")
    item: int = Field(ge=0, description="for a field with *: the item's number, from 0; else 0")
    text: str = Field(description="the value as it stands on the page, letter for letter")
    value: str = Field(description="the same in the form that is asked for; else the text again")
    element: str = Field(description="the id of the element that shows it")


class Answer(BaseModel):
    """What was found; a field that the page does not show is left out."""

    model_config = ConfigDict(extra="forbid", title="reading")

    found: list[Found]
    reason: str = Field(description="what was not found, and why, in one sentence; else empty")


class ModelPageReader(ModelAgent[ReadTask, PageReading, PageAgentConfig]):
    """Role ``page_reader``: asks a model, and believes what it can see on the page itself.

    An answer that names an element that is not shown, or a text that does not stand in it, is sent
    back.
    """

    role: ClassVar[str] = "page_reader"
    Config: ClassVar[type[PluginConfig]] = PageAgentConfig
    folder: ClassVar[Path] = Path(__file__).with_name("prompts")
    temperature: ClassVar[float | None] = 0.0
    max_tokens: ClassVar[int | None] = 4_000
    twin: ClassVar[str | None] = "strict"

    @with_fallback
    async def act(self, task: ReadTask) -> PageReading:
        config = self.config
        shown = page_data(
            task.view,
            task.instruction,
            elements=config.elements,
            characters=config.list_characters,
        )
        answered = await self.asker.ask(
            Question(
                prompt="page_reader",
                answer=Answer,
                values={
                    "instruction": task.instruction,
                    "fields": [_describe(value) for value in task.wanted],
                    "page": shown.page,
                    "left_out": shown.left_out,
                },
                checkers=(lambda answer: _objection(answer, task, shown),),
                seed=task.seed,
            )
        )
        return _reading(answered.value)


def _describe(wanted: WantedValue) -> dict[str, str]:
    return {
        "name": wanted.path,
        "called": ", ".join(wanted.words),
        "kind": wanted.kind,
        "description": wanted.description,
    }


def _reading(answer: Answer) -> PageReading:
    return PageReading(
        found=tuple(
            ReadValue(
                path=one.field,
                text=one.text,
                element=one.element,
                value=one.value,
                item=one.item,
                by="the model",
            )
            for one in answer.found
            if one.text.strip()
        ),
        reason=answer.reason,
        strict=False,
    )


def _objection(answer: Answer, task: ReadTask, shown: PageData) -> str | None:
    if len(answer.found) > _MOST:
        return f"More than {_MOST} values are too many."
    paths = {value.path for value in task.wanted}
    by_id = {element.id: element for element in task.view.snapshot.elements}
    reasons = [r for value in answer.found if (r := _value_objection(value, paths, by_id, shown))]
    return " ".join(reasons[:5]) or None


def _value_objection(
    found: Found, paths: set[str], by_id: dict[str, Element], shown: PageData
) -> str | None:
    if found.field not in paths:
        return f"No field is called {found.field[:60]!r}."
    element = by_id.get(found.element)
    if element is None or found.element not in shown.ids:
        return f"There is no element {found.element[:40]!r}; use the ids in the data."
    if found.text.strip() and not stands_in(found.text, element):
        return (
            f"The text {found.text[:80]!r} does not stand in the element {found.element}; "
            "copy it from the page, and leave out what is not there."
        )
    return None


def stands_in(text: str, element: Element) -> bool:
    """Return whether an element shows a text."""
    options = [option.label for option in element.options if option.selected]
    state = "yes checked" if element.checked is True else "no not checked"
    texts = (element.name, element.text, element.value, element.label, element.alternative,
             *options, state if element.checked is not None else "")  # fmt: skip
    return any(plain(text) in plain(shown_text) for shown_text in texts if shown_text)

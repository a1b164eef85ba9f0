"""A page as a language model is shown it: its elements as plain data, within a budget."""

from dataclasses import dataclass

from pydantic import JsonValue
from rapidfuzz import fuzz

from sparring.model.page import Element, PageView
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.roles.page_agents import PageTask

_LONGEST_TEXT = 300
_STATES = ("disabled", "focused", "readonly", "required", "invalid", "selected", "expanded")


@dataclass(frozen=True)
class PageData:
    """The elements shown, in reading order; `left_out` counts those that had no room."""

    page: dict[str, JsonValue]
    ids: frozenset[str]
    left_out: int


def page_data(task: PageTask, *, elements: int, characters: int) -> PageData:
    """What is shown of a page: visible elements, those that are like the step's words first.

    Where not all have room, those least like the words are left out, so that what is there can be
    told but not that something is missing.
    """
    visible = [e for e in task.view.snapshot.elements if e.visible and _telling(e)]
    words = plain(task.step.text)
    ranked = sorted(visible, key=lambda e: -_relevance(words, e))
    kept: set[str] = set()
    room = characters
    for element in ranked[:elements]:
        room -= len(str(_shown(element)))
        if room < 0:
            break
        kept.add(element.id)
    page: dict[str, JsonValue] = {
        "address": task.view.snapshot.url,
        "title": task.view.snapshot.title,
        "elements": [_shown(e) for e in visible if e.id in kept],
        "messages": [_message(task.view, number) for number in range(len(task.view.events))][-10:],
    }
    left_out = len(visible) - len(kept) + task.view.snapshot.truncated
    return PageData(page, frozenset(kept), left_out)


def _telling(element: Element) -> bool:
    texts = (element.name, element.text, element.value, element.placeholder, element.label)
    return element.interactive or any(texts)


def _relevance(words: str, element: Element) -> float:
    texts = (element.name, element.label, element.text[:_LONGEST_TEXT], element.placeholder)
    like = max((fuzz.token_set_ratio(words, plain(text)) for text in texts if text), default=0.0)
    return like + (20 if element.interactive else 0)


def _shown(element: Element) -> JsonValue:
    shown: dict[str, JsonValue] = {"id": element.id, "kind": element.role or element.tag}
    for key, text in (
        ("name", element.name),
        ("label", element.label if element.label != element.name else ""),
        ("text", element.text if element.text != element.name else ""),
        ("placeholder", element.placeholder),
        ("value", element.value or ""),
        ("beside", element.adjacent),
        ("row", element.row),
        ("within", " / ".join(element.region[-2:])),
    ):
        if text:
            shown[key] = text[:_LONGEST_TEXT]
    if element.options:
        shown["options"] = [option.label[:80] for option in element.options[:60]]
        shown["selected"] = [option.label[:80] for option in element.options if option.selected]
    states: list[JsonValue] = [state for state in _STATES if getattr(element, state)]
    if element.checked is not None:
        states.append("checked" if element.checked else "not checked")
    if element.covered:
        states.append("covered")
    if states:
        shown["states"] = states
    return shown


def _message(view: PageView, number: int) -> JsonValue:
    event = view.events[number]
    return {"kind": str(event.kind), "text": event.text[:_LONGEST_TEXT]}

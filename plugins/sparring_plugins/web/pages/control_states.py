"""States and values of controls: 'x' is checked, the field 'f' contains 'v'."""

from sparring.model.page import Element
from sparring_plugins.web.pages.control_kinds import (
    in_words,
    is_a_box,
    offers_choices,
    takes_clicks,
    takes_text,
)
from sparring_plugins.web.pages.grounding import Grounding, ground
from sparring_plugins.web.pages.places import Layout
from sparring_plugins.web.pages.text_fit import contains, plain
from sparring_plugins.web.roles.page_agents import Judged
from sparring_plugins.web.roles.step import FieldHolds, InState


def in_state(condition: InState, layout: Layout) -> Judged:
    """Whether the control that is meant is in the state; don't know where none is surely meant."""
    if condition.state in ("checked", "selected", "pressed") and (
        option := _option(condition, layout)
    ):
        return option
    found = ground(
        condition.target, layout, lambda e: _may_be(e, condition.state), usable=lambda e: e.visible
    )
    element = found.chosen or found.unusable
    if element is None:
        return _unknown(found)
    truth = _state(element, condition.state)
    words = f"{in_words(element)} is {'' if truth else 'not '}{condition.state}"
    if truth is None:
        words = f"{in_words(element)} has no such state as {condition.state}"
    return Judged(truth=truth, reason=words, elements=(element.id,))


def _unknown(found: Grounding) -> Judged:
    tied = tuple(one.element for one in found.tied)
    return Judged(truth=None, reason=found.reason, elements=tied)


def _may_be(element: Element, state: str) -> bool:
    match state:
        case "checked":
            return is_a_box(element) or element.selected is not None
        case "selected":
            return is_a_box(element) or element.selected is not None or offers_choices(element)
        case "expanded" | "collapsed":
            return element.expanded is not None
        case "pressed":
            return element.pressed is not None
        case "empty" | "readonly" | "editable" | "invalid" | "required":
            return takes_text(element) or offers_choices(element) or is_a_box(element)
        case _:
            return takes_clicks(element) or takes_text(element) or offers_choices(element)


def _state(element: Element, state: str) -> bool | None:
    match state:
        case "checked":
            return element.checked is True or (element.checked is None and bool(element.selected))
        case "selected":
            return element.checked is True or bool(element.selected)
        case "pressed":
            return element.pressed is True
        case "enabled":
            return not element.disabled
        case "disabled":
            return element.disabled
        case "focused":
            return element.focused
        case "expanded" | "collapsed":
            known = element.expanded
            return None if known is None else known is (state == "expanded")
        case "required":
            return bool(element.required)
        case "readonly":
            return bool(element.readonly)
        case "editable":
            return element.editable and not element.disabled and not element.readonly
        case "invalid":
            return bool(element.invalid)
        case "empty":
            return not _value(element).strip()
        case _:
            return None


def _option(condition: InState, layout: Layout) -> Judged | None:
    """The state of an option of a list: "'Red' is selected"."""
    words = condition.target.text
    if not words or condition.target.role not in (None, "option", "combobox", "listbox", "list"):
        return None
    for element in layout.snapshot.elements:
        for option in element.options:
            if element.visible and plain(option.label) == plain(words):
                word = "selected" if option.selected else "not selected"
                return Judged(
                    truth=option.selected,
                    reason=f"'{option.label}' is {word} in {in_words(element)}",
                    elements=(element.id,),
                )
    return None


def _value(element: Element) -> str:
    if element.options:
        return ", ".join(option.label for option in element.options if option.selected)
    return element.value or ""


def field_holds(condition: FieldHolds, layout: Layout) -> Judged:
    """Whether a field's value, or the options selected in a list, equal or contain the text."""
    found = ground(
        condition.target,
        layout,
        lambda e: takes_text(e) or offers_choices(e) or e.value is not None,
        usable=lambda e: e.visible,
    )
    element = found.chosen or found.unusable
    if element is None:
        return _unknown(found)
    value = _value(element)
    if condition.mode == "equals":
        truth = plain(value) == plain(condition.text)
    else:
        truth = contains(condition.text, value) or plain(condition.text) in plain(value)
    said = f"holds '{value[:200]}'" if value else "is empty"
    return Judged(truth=truth, reason=f"{in_words(element)} {said}", elements=(element.id,))

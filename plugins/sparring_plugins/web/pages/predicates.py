"""The parts of conditions: three-valued truth, comparisons of amounts, states and values.

Truth is true, false, or None for *don't know* (Kleene's strong logic). Amounts are those of
"the 'Total' is greater than 30"; states and values those of "'I agree' is checked" and "the field
'Name' contains 'Ada'".
"""

import operator
from collections.abc import Callable, Iterable, Mapping

from sparring.model.page import Element
from sparring_plugins.language.quantities import first_number
from sparring_plugins.web.pages.controls import (
    in_words,
    is_a,
    is_a_box,
    offers_choices,
    takes_clicks,
    takes_text,
)
from sparring_plugins.web.pages.grounding import Grounding, ground
from sparring_plugins.web.pages.layout import Layout, placed
from sparring_plugins.web.pages.located import find_located
from sparring_plugins.web.pages.text_fit import behind, contains, plain
from sparring_plugins.web.pages.visible_content import VisibleContent
from sparring_plugins.web.roles import Judged
from sparring_plugins.web.step import Compared, Comparison, FieldHolds, InState, Target

Truth = bool | None

_OPERATORS: Mapping[Comparison, Callable[[float, float], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
}
_COMPARED: dict[Comparison, str] = {
    "==": "",
    "!=": "any but ",
    ">=": "at least ",
    ">": "more than ",
    "<=": "at most ",
    "<": "less than ",
}


def negated(judged: Judged) -> Judged:
    """Return the opposite, for the same reason."""
    truth = None if judged.truth is None else not judged.truth
    return judged.model_copy(update={"truth": truth})


def all_of(parts: Iterable[Judged]) -> Judged:
    """Return true if all are true, false if one is false, else unknown."""
    return _join_judgements(list(parts), decisive=False)


def any_of(parts: Iterable[Judged]) -> Judged:
    """Return true if one is true, false if all are false, else unknown."""
    return _join_judgements(list(parts), decisive=True)


def _join_judgements(parts: list[Judged], *, decisive: bool) -> Judged:
    truth, reported = _decide(parts, decisive=decisive)
    return Judged(
        truth=truth,
        reason="; ".join(part.reason for part in reported if part.reason),
        elements=tuple(dict.fromkeys(id_ for part in reported for id_ in part.elements)),
        facts=tuple(fact for part in parts for fact in part.facts),
        strict=all(part.strict for part in parts),
        weak="; ".join(part.weak for part in reported if part.weak),
    )


def _decide(parts: list[Judged], *, decisive: bool) -> tuple[Truth, list[Judged]]:
    """Return the truth of the whole, and the parts that it is due to."""
    deciding = [part for part in parts if part.truth is decisive]
    if deciding:
        return decisive, deciding
    unknown = [part for part in parts if part.truth is None]
    if unknown:
        return None, unknown
    return not decisive, parts


def compare(left: float, comparison: Comparison, right: float) -> bool:
    """Return whether the comparison of two numbers holds."""
    return _OPERATORS[comparison](left, right)


def asked_for(comparison: Comparison, number: float) -> str:
    """Return ``asked for at least 3``: what a comparison wants, for reasons."""
    return f"asked for {_COMPARED[comparison]}{number:g}"


def between(least: int, most: int, comparison: Comparison, number: int) -> Truth:
    """Compare a count that lies somewhere from `least` to `most`, both included."""
    # Only the ends of the range and the counts next to the number can make a difference.
    near = {c for c in (number - 1, number, number + 1) if least <= c <= most}
    truths = {compare(count, comparison, number) for count in {least, most} | near}
    return truths.pop() if len(truths) == 1 else None


def compared(condition: Compared, content: VisibleContent) -> Judged:
    """Compare the number beside a label with a number, or with that beside another label."""
    left = number_of(condition.target, content)
    if condition.other is not None:
        right = number_of(condition.other, content)
    else:
        right = first_number(condition.number or "")
    for value, target in ((left, condition.target), (right, condition.other or condition.target)):
        if value is None:
            return Judged(truth=None, reason=f"there is no single number at '{target.text}'")
    if left is None or right is None:
        return Judged(truth=None, reason="there is no number to compare")
    truth = compare(left, condition.comparison, right)
    return Judged(
        truth=truth,
        reason=f"'{condition.target.text}' is {left:g}; {asked_for(condition.comparison, right)}",
    )


def number_of(target: Target, content: VisibleContent) -> float | None:
    """Return the number that belongs to `target`; None if there is none, or several that differ.

    It is the value of a field with this name; or stands behind the words in the same text; or in
    the same row or list of terms; or in the next line of text.
    """
    elements = [e for e in content.view.snapshot.elements if e.visible and is_a(e, target.role)]
    if target.by:
        located = find_located(target, elements)
        numbers = set(_numbers([e.value or e.text for e in located]))
        return numbers.pop() if len(numbers) == 1 else None
    in_place, _ = placed(elements, target, content.layout)
    for find in (_in_fields, _behind_words, _in_rows):
        values = set(find(target.text, list(in_place)))
        if values:
            return values.pop() if len(values) == 1 else None
    return _in_next_line(target.text, content)


def _in_fields(words: str, elements: list[Element]) -> list[float]:
    fields = [e for e in elements if e.value and plain(words) in (plain(e.label), plain(e.name))]
    return _numbers([e.value or "" for e in fields])


def _behind_words(words: str, elements: list[Element]) -> list[float]:
    """Return the number behind the words in the shortest text that has both.

    A row may have several: of "Total | 280 | £2,310.00" none is the one that is meant.
    """
    rows = {e.text for e in elements if e.role in ("row", "rowgroup")}
    texts = sorted({e.text for e in elements if contains(words, e.text)}, key=len)
    for text in texts[:5]:
        if text in rows and len(values := _all_numbers(behind(words, text))) > 1:
            return values
        if (value := first_number(behind(words, text)[:60])) is not None:
            return [value]
    return []


def _in_rows(words: str, elements: list[Element]) -> list[float]:
    rows = {e.row for e in elements if e.row and contains(words, e.row)}
    return _numbers([behind(words, row) for row in rows])


def _all_numbers(text: str) -> list[float]:
    return _numbers([word for word in text.split() if any(map(str.isdigit, word))])


def _in_next_line(words: str, content: VisibleContent) -> float | None:
    lines = content.blocks
    indices = [index for index, text in enumerate(lines) if contains(words, text)]
    if len(indices) != 1 or indices[0] + 1 >= len(lines):
        return None
    return first_number(lines[indices[0] + 1])


def _numbers(texts: list[str]) -> list[float]:
    return [value for text in texts if (value := first_number(text)) is not None]


def in_state(condition: InState, layout: Layout) -> Judged:
    """Judge whether the control that is meant is in the state; don't know if none is surely meant.

    For "'Red' is selected", the state is that of an option in a list.
    """
    if condition.state in ("checked", "selected", "pressed") and (
        option := _option_state(condition, layout)
    ):
        return option
    grounding = ground(
        condition.target,
        layout,
        lambda e: _can_have_state(e, condition.state),
        usable=lambda e: e.visible,
    )
    element = grounding.chosen or grounding.unusable
    if element is None:
        return _unknown(grounding)
    truth = _STATES[condition.state](element)
    reason = f"{in_words(element)} is {'' if truth else 'not '}{condition.state}"
    if truth is None:
        reason = f"{in_words(element)} has no such state as {condition.state}"
    return Judged(truth=truth, reason=reason, elements=(element.id,))


def _unknown(grounding: Grounding) -> Judged:
    tied = tuple(candidate.element for candidate in grounding.tied)
    return Judged(truth=None, reason=grounding.reason, elements=tied)


def _can_have_state(element: Element, state: str) -> bool:
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


def _option_state(condition: InState, layout: Layout) -> Judged | None:
    """Judge the state of an option of a list: "'Red' is selected"; None if there is none."""
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


def held_value(element: Element) -> str:
    """Return what a field holds, or the options that are selected in a list."""
    if element.options:
        return ", ".join(option.label for option in element.options if option.selected)
    return element.value or ""


_STATES: Mapping[str, Callable[[Element], Truth]] = {
    "checked": lambda e: e.checked is True or (e.checked is None and bool(e.selected)),
    "selected": lambda e: e.checked is True or bool(e.selected),
    "pressed": lambda e: e.pressed is True,
    "enabled": lambda e: not e.disabled,
    "disabled": lambda e: e.disabled,
    "focused": lambda e: e.focused,
    "expanded": lambda e: e.expanded,
    "collapsed": lambda e: None if e.expanded is None else not e.expanded,
    "required": lambda e: bool(e.required),
    "readonly": lambda e: bool(e.readonly),
    "editable": lambda e: e.editable and not e.disabled and not e.readonly,
    "invalid": lambda e: bool(e.invalid),
    "empty": lambda e: not held_value(e).strip(),
}


def field_holds(condition: FieldHolds, layout: Layout) -> Judged:
    """Judge whether a field's value, or the options selected in a list, have the text."""
    grounding = ground(
        condition.target,
        layout,
        lambda e: takes_text(e) or offers_choices(e) or e.value is not None,
        usable=lambda e: e.visible,
    )
    element = grounding.chosen or grounding.unusable
    if element is None:
        return _unknown(grounding)
    value = held_value(element) or (element.text if condition.target.by else "")
    if condition.mode == "equals":
        truth = plain(value) == plain(condition.text)
    else:
        truth = contains(condition.text, value) or plain(condition.text) in plain(value)
    state = f"holds '{value[:200]}'" if value else "is empty"
    return Judged(truth=truth, reason=f"{in_words(element)} {state}", elements=(element.id,))

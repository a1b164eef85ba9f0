"""Whether a condition holds on a page: true, false, or don't know, with the elements that show it.

False is as final as true: the text is not there, the box is not checked. Don't know is for what
plain rules cannot see: a word that is only part of another, two fields that may be meant, a page
too large for its snapshot. Only such questions are worth asking a language model.
"""

import re
from collections.abc import Sequence

from sparring.model.page import Element, PageView
from sparring.model.talk import GuiAction
from sparring_plugins.web.pages.displayed import MeantElements, count_words, displayed
from sparring_plugins.web.pages.everyday import compared_in_cell, judge_everyday
from sparring_plugins.web.pages.layout import head_rows
from sparring_plugins.web.pages.order import ordered
from sparring_plugins.web.pages.predicates import (
    all_of,
    any_of,
    asked_for,
    between,
    field_holds,
    in_state,
    negated,
    number_of,
)
from sparring_plugins.web.pages.text_fit import Found, Grade, plain
from sparring_plugins.web.pages.visible_content import VisibleContent, sentences_with
from sparring_plugins.web.roles import Judged
from sparring_plugins.web.step import (
    AllOf,
    AnyOf,
    Compared,
    Condition,
    Counted,
    Displayed,
    FieldHolds,
    InState,
    Not,
    Ordered,
    PageIs,
    PageSound,
    Target,
)


def holds(
    condition: Condition,
    view: PageView,
    acts: Sequence[GuiAction] = (),
    before: Sequence[PageView] = (),
) -> Judged:
    """Judge `condition` on `view`; what the case's own `acts` entered there proves nothing.

    `before` are the earlier views of the case, on which files were downloaded and errors occurred.
    """
    return _holds(condition, VisibleContent(view, acts, before), positive=True)


def is_negative(condition: Condition) -> bool:
    """Return whether a condition holds on an empty page: something is not there."""
    match condition:
        case Not():
            return not is_negative(condition.condition)
        case AllOf():
            return all(is_negative(part) for part in condition.conditions)
        case AnyOf():
            return any(is_negative(part) for part in condition.conditions)
        case PageSound():
            return True
        case Counted():
            return condition.comparison in ("<", "<=", "!=") or condition.number == 0
        case _:
            return False


def _holds(condition: Condition, content: VisibleContent, *, positive: bool) -> Judged:
    match condition:
        case Not():
            return negated(_holds(condition.condition, content, positive=not positive))
        case AllOf():
            return all_of(_holds(c, content, positive=positive) for c in condition.conditions)
        case AnyOf():
            return any_of(_holds(c, content, positive=positive) for c in condition.conditions)
        case Displayed():
            return displayed(condition.target, content, positive=positive)
        case Counted():
            return _judge_count(condition, content)
        case InState():
            return in_state(condition, content.layout)
        case FieldHolds():
            return field_holds(condition, content.layout)
        case PageIs():
            return _page_is(condition, content)
        case Compared() if condition.other and condition.by_place:
            return _is_above(condition, condition.other, content)
        case Compared():
            return compared_in_cell(condition, content)
        case Ordered():
            return ordered(condition, content)
        case _:
            return judge_everyday(condition, content, content.before)


def _is_above(condition: Compared, other: Target, content: VisibleContent) -> Judged:
    """Judge "'Call Ada' is above 'Buy milk'": by place, unless there are numbers beside both."""
    target = condition.target
    if any(number_of(each, content) is not None for each in (target, other)):
        return compared_in_cell(condition, content)
    pair = (target, other) if condition.comparison == ">" else (other, target)
    return ordered(Ordered(target=pair[0], other=pair[1]), content)


def _judge_count(condition: Counted, content: VisibleContent) -> Judged:
    target, words = condition.target, condition.target.text
    count = _count_units(condition, content)
    most = count.possible if content.complete else max(count.possible, condition.number) + 1
    truth = between(count.sure, most, condition.comparison, condition.number)
    number = f"{count.sure}" if count.sure == most else f"{count.sure} to {most}"
    asked = asked_for(condition.comparison, condition.number)
    reason = f"{number} {_units_in_words(condition)}; {asked}"
    if words and not target.quoted and (target.role is None or truth is False):
        return _count_unquoted(condition, content, reason)
    if not words and (target.role is None or condition.unit == "text"):
        return Judged(truth=None, reason="the sentence does not say what is to be counted")
    return Judged(truth=truth, reason=reason)


def _count_units(condition: Counted, content: VisibleContent) -> Found:
    """Count the sentences, elements or texts that a condition asks for."""
    target = condition.target
    match condition.unit:
        case "sentence":
            total = len(content.sentences)
            words = target.text
            return sentences_with(content.sentences, words) if words else Found(total, total)
        case "element":
            matches = MeantElements.of(target, content)
            if target.role == "row":
                return _count_rows(matches.sure, matches.possible, condition.number, content)
            return Found(len(matches.sure), len(matches.possible))
        case "text":
            return _count_text(target, content)


def _units_in_words(condition: Counted) -> str:
    words = condition.target.text
    match condition.unit:
        case "sentence":
            return f"sentences with '{words}'" if words else "sentences"
        case "element":
            return f"{condition.target.role or 'element'}s" + (f" '{words}'" if words else "")
        case "text":
            return f"occurrences of '{words}'"


def _count_rows(
    sure: Sequence[Element], possible: Sequence[Element], number: int, content: VisibleContent
) -> Found:
    """Count rows of data. Those of a head are counted by some people and not by others."""
    heads = head_rows(content.layout)
    data = sum(row.id not in heads for row in sure)
    most = sum(row.id not in heads for row in possible)
    return Found(data, max(most, len(possible)) if number == len(possible) else most)


def _count_unquoted(condition: Counted, content: VisibleContent, reason: str) -> Judged:
    """Judge a number of things that nobody knows how to count: "there are 3 loans out".

    It holds if the page says so in these words; no other number is a counterexample.
    """
    said = f"{condition.number} {condition.target.text}"
    if condition.comparison in ("==", ">=") and content.shown(said).grade >= Grade.WEAK:
        note = f"the page says '{said}'"
        return Judged(truth=True, reason=note, weak=note)
    if (
        condition.comparison in ("==", ">=")
        and condition.number
        and (none := _said_none(condition.target.text, content))
    ):
        return Judged(truth=False, reason=f"the page says '{none}'", weak=f"the page says '{none}'")
    reason = f"{reason}; but '{condition.target.text}' is not in quotes, and may be no text"
    return Judged(truth=None, reason=reason)


def _said_none(words: str, content: VisibleContent) -> str:
    """Return the whole text "0 herons" or "no herons" of a page that gives no other number."""
    nouns = {plain(words), f"{plain(words)}s", f"{plain(words)}es"}
    counted = [block.strip(" .!") for block in content.blocks]
    numbers = [
        block for block in counted
        if plain(block).partition(" ")[2] in nouns and _NUMBERED.match(block)
    ]  # fmt: skip
    none = [block for block in numbers if plain(block).partition(" ")[0] in ("0", "no")]
    return none[0] if none and len(none) == len(numbers) else ""


_NUMBERED = re.compile(r"(?:\d[\d.,]*|no) \S", re.I)


def _count_text(target: Target, content: VisibleContent) -> Found:
    if target.by:
        located = len(MeantElements.of(target, content).sure)
        return Found(located, located)
    if not (target.row or target.region or target.role or target.row_number):
        return content.count(target.text)
    matches = MeantElements.of(target, content)
    return Found(
        sum(count_words(target, e).sure for e in matches.sure),
        sum(count_words(target, e).possible for e in matches.possible),
    )


def _page_is(condition: PageIs, content: VisibleContent) -> Judged:
    snapshot = content.view.snapshot
    actual = snapshot.url if condition.property == "url" else snapshot.title
    text, wanted = plain(actual), plain(condition.text)
    match condition.mode:
        case "equals":
            truth = text == wanted or (
                condition.property == "url" and text.rstrip("/") == wanted.rstrip("/")
            )
        case "contains":
            truth = wanted in text
        case "starts":
            truth = text.startswith(wanted)
        case "ends":
            truth = text.endswith(wanted) or text.rstrip("/").endswith(wanted)
    return Judged(truth=truth, reason=f"the page's {condition.property} is '{actual}'")

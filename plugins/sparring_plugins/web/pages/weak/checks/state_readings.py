"""Readings of statements about the state of a control."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from sparring.model.page import Element, PageView
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import (
    FREE,
    has_phrase,
    split_words,
)
from sparring_plugins.web.pages.controls import in_words, is_a_box, takes_clicks, takes_text
from sparring_plugins.web.pages.weak.checks.answers import (
    WeakAnswer,
    answer,
)
from sparring_plugins.web.pages.weak.checks.property_readings import find_item
from sparring_plugins.web.pages.weak.page.naming import (
    Naming,
    Phrase,
    Surroundings,
    phrase_of,
    ranked,
)
from sparring_plugins.web.pages.weak.page.page_content import PageContent


def read_state(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The Book button is greyed out``: the state of the control that the subject names."""
    if match := _SEVERAL.match(s.subject):
        return _judge_several(s, match, page, before)
    rest = f"{s.verb} {s.complement}".lower()
    state, phrase = _able_state(rest) or _state_in(rest)
    is_about_control = s.subject and "⟦" not in s.complement and not _is_no_control(s.subject)
    if not state or not is_about_control or _MARKED_AS.search(rest):
        return None
    if _is_about_feature(s, state, page):
        return None
    denies = _says_not(rest, phrase)
    enough = _controls_named(s, state, page)
    if not enough:
        return _judge_box_in_row(s, state, phrase, page, denies=denies)
    return _judge_named(s, state, enough, denies=denies)


def _is_about_feature(s: Statement, state: str, page: PageContent) -> bool:
    """Return whether "two-step login is disabled" says nothing of the button that enables it."""
    if state not in _ABLE_STATES or set(split_words(s.subject)) & _CONTROL_WORDS:
        return False
    return any(_does(n.element) for n in _controls_named(s, state, page))


_ABLE_STATES = frozenset({"enabled", "disabled"})
_SWITCHING = frozenset({"enable", "disable", "activate", "deactivate", "turn", "switch"})


def _does(element: Element) -> bool:
    """Return whether a control is called by the act that would bring a state about."""
    return bool(_SWITCHING & set(split_words(element.name or element.text)[:1]))


def _judge_named(
    s: Statement, state: str, enough: list[Naming], *, denies: bool
) -> WeakAnswer | None:
    """Judge the state of the control that is named best; don't know if equals differ in it."""
    best = [n.element for n in enough if n.score >= enough[0].score - 0.04]
    # "its 'Add' button" after a sentence about one of many rows
    if re.search(r"\b(?:its|their|it|they)\b", s.low) and _has_twins(enough):
        return answer("state", None, "it is not said which of several is meant")
    truths = {_HOLDS[state](element) for element in best}
    if len(truths) > 1:
        return answer("state", None, f"several controls may be meant: {in_words(best[0])}")
    truth = truths.pop()
    reason = f"{in_words(best[0])} is {'' if truth else 'not '}{state}"
    return answer("state", truth, reason, denies=denies)


_ABLE = re.compile(r"\b(?:can|could|may)(?P<no> ?not|n't)? be (?P<state>[a-z]+)\b")


def _able_state(rest: str) -> tuple[str, str] | None:
    """Return that of "cannot be switched on", which is not "is off"."""
    match, (_, phrase) = _ABLE.search(rest), _state_in(rest)
    if match is None or match["state"] not in phrase:
        return None
    return ("disabled" if match["no"] else "enabled"), match[0]


_OF_BOXES = re.compile(r"\b(?:switched|turned|ticked|unticked|checked|unchecked)\b")


def _judge_box_in_row(
    s: Statement, state: str, phrase: str, page: PageContent, *, denies: bool
) -> WeakAnswer | None:
    """Judge "the porch lamp is switched on" by the only box or switch in its row."""
    if state not in ("checked", "unchecked") or not _OF_BOXES.search(phrase):
        return None
    thing = re.sub(r"^(?:that )?(?:the |an? )?", "", s.unmask(s.subject), flags=re.I)
    items = [item for table in page.tables if (item := find_item(thing, table)) is not None]
    row = page.layout.by_id.get(items[0].element or "") if len(items) == 1 else None
    boxes = [e for e in page.elements if row and is_a_box(e) and page.layout.holds(row, e)]
    if len(boxes) != 1 or _is_column(phrase, page):
        return None
    reason = f"the only box in the row of '{thing}' is {'' if boxes[0].checked else 'not '}checked"
    return answer("state", _HOLDS[state](boxes[0]), reason, denies=denies)


def _is_column(phrase: str, page: PageContent) -> bool:
    """Return whether a column is called so: "was checked" beside 'Checked' speaks of no box."""
    last = phrase.split()[-1]
    return any(last in split_words(name) for table in page.tables for name in table.columns)


def _says_not(rest: str, phrase: str) -> bool:
    """Return whether a state is denied, and not one that is a denial itself: "not clickable"."""
    denied = re.search(r"\b(?:not|no longer|isn't|aren't)\b", rest)
    return bool(denied) and not re.search(r"\b(?:not|cannot|can't)\b", phrase)


def _is_no_control(subject: str) -> bool:
    """Return whether a page is meant: "the start page", not "the button for the next page"."""
    words = split_words(subject)
    names_page = set(words[-1:]) & {"page", "list", "cart", "message"}
    return bool(names_page) and not set(words) & _CONTROL_WORDS


_CONTROL_WORDS = frozenset({"button", "link", "field", "box", "checkbox", "tab", "icon", "switch"})
_SEVERAL = re.compile(
    r"^(?:the |both )?(?P<kind>button|link|field|tab|checkboxe?|boxe?)e?s "
    r"(?P<first>⟦\d+⟧|[\w-]+(?: [\w-]+)?) and (?P<second>⟦\d+⟧|[\w-]+)(?P<place> (?:below|above|"
    r"under|in|on|next to|beside) .+)?$",
    re.I,
)


def _judge_several(
    s: Statement, match: re.Match[str], page: PageContent, before: Sequence[PageView]
) -> WeakAnswer | None:
    """Judge "the buttons A and B are disabled" for each of them."""
    answers: list[WeakAnswer] = []
    for name in (match["first"], match["second"]):
        rest = (
            s.text[len(match[0]) :] if s.text.startswith(match[0]) else f" {s.verb} {s.complement}"
        )
        one = replace(s, text=f"the {name} {match['kind'].removesuffix('e')}{rest}")
        answers += [a] if (a := read_state(one, page, before)) is not None else []
    if len(answers) < 2 or len({a.truth for a in answers}) > 1:
        return None
    return answers[0]


# "the order is marked as paid" says nothing of a box, as "the task is marked as done" does
_MARKED_AS = re.compile(r"\bmarked as (?!(?:done|completed?|finished|ticked|checked|selected)\b)")


def _has_twins(namings: list[Naming]) -> bool:
    first = namings[0]
    near = [n for n in namings if n.score >= first.score - 0.04]
    return len(near) > 1 or any(n.element.name == first.element.name for n in namings[1:])


def _controls_named(s: Statement, state: str, page: PageContent) -> list[Naming]:
    """Return the controls that can have the state and that the subject names, best first."""
    fits = _STATED[state]
    elements = [e for e in page.view.snapshot.elements if fits(e) and (e.visible or is_a_box(e))]
    target, around = _named_control(s), Surroundings(page.layout)
    head = re.sub(r"^(?:the|a|an) ", "", s.subject).partition(" of ")
    least = 0.6
    if head[1] and "⟦" not in head[0]:
        least = 0.45  # "the arrow of X" is no box called X
        own = phrase_of(s.unmask(head[0]))
        elements = [e for e in elements if around.name(own, e).own > 0]
    namings = ranked(target, elements, around)
    return [n for n in namings if n.score >= least and not n.missing]


def _named_control(s: Statement) -> Phrase:
    """Return the words for the control; "the up arrow of 'X'" is an arrow in the row of X."""
    head, of, rest = re.sub(r"^(?:the|a|an)\s+", "", s.subject).partition(" of ")
    if not of:
        head, of, rest = s.subject.partition(" in the row of ")
    if of and "⟦" not in head:
        return phrase_of(s.unmask(head), s.unmask(rest))
    if s.quoted:
        return phrase_of(s.quoted[0], re.sub(r"⟦\d+⟧", " ", s.subject), quoted=True)
    named = phrase_of(s.unmask(s.subject))
    # "Read isn't ticked": the name of a box may be a word that names nothing elsewhere
    return named if named.strong or named.weak else phrase_of(s.unmask(s.subject), quoted=True)


_AT_END = re.compile(r"\b(?:on|off)(?: now| again| by default| already)?[ .]*$")


def _state_in(text: str) -> tuple[str, str]:
    best = ("", "")
    for state, phrases in FREE.states.items():
        phrase = has_phrase(text, phrases)
        if phrase in ("on", "off") and not _AT_END.search(text):
            continue  # "two boats are shown on this page"
        if len(phrase) > len(best[1]):
            best = (state, phrase)
    return best


def _is_control(element: Element) -> bool:
    # links have no such state; what is drawn as unavailable is no state of a control
    return (takes_clicks(element) or takes_text(element)) and element.role != "link"


def _is_selectable(element: Element) -> bool:
    return is_a_box(element) or element.selected is not None or element.pressed is not None


_STATED: dict[str, Callable[[Element], bool]] = {
    "disabled": _is_control, "enabled": _is_control, "checked": is_a_box, "unchecked": is_a_box,
    "selected": _is_selectable, "empty": takes_text, "filled": takes_text,
    "required": takes_text,
    "readonly": takes_text, "expanded": lambda e: e.expanded is not None,
    "collapsed": lambda e: e.expanded is not None,
}  # fmt: skip
_HOLDS: dict[str, Callable[[Element], bool]] = {
    "disabled": lambda e: e.disabled,
    "enabled": lambda e: not e.disabled,
    "checked": lambda e: e.checked is True,
    "unchecked": lambda e: e.checked is False,
    "selected": lambda e: e.checked is True or bool(e.selected) or e.pressed is True,
    "empty": lambda e: not (e.value or "").strip(),
    "filled": lambda e: bool((e.value or "").strip()),
    # an asterisk behind the label says so to a person, whatever the markup
    "required": lambda e: bool(e.required) or (e.label or e.name).rstrip().endswith("*"),
    "readonly": lambda e: bool(e.readonly) or not e.editable,
    "expanded": lambda e: bool(e.expanded),
    "collapsed": lambda e: e.expanded is False,
}

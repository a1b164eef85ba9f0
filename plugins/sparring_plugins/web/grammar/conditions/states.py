"""Predicates with "is": displayed, gone, checked, selected in a list, in the field, equal to."""

from typing import Final

from sparring_plugins.web.grammar.conditions.comparisons import comparison_of, read_compared
from sparring_plugins.web.grammar.conditions.constructors import (
    Conditions,
    counted,
    displayed,
    negated,
)
from sparring_plugins.web.grammar.conditions.counts import quantity, times_at_end
from sparring_plugins.web.grammar.conditions.properties import read_arrival
from sparring_plugins.web.grammar.conditions.things import read_things
from sparring_plugins.web.grammar.conditions.values import holds, value_of, valued
from sparring_plugins.web.grammar.phrases.forms import read_value
from sparring_plugins.web.grammar.phrases.nouns import DETERMINERS
from sparring_plugins.web.grammar.phrases.targets import read_targets, with_role
from sparring_plugins.web.grammar.words.control_nouns import BOXES, FIELDS, LISTS
from sparring_plugins.web.grammar.words.tokens import Tokens, trimmed
from sparring_plugins.web.grammar.words.vocabulary import words
from sparring_plugins.web.roles.step import (
    Compared,
    Condition,
    InState,
    Target,
)

_SHOWN: Final = words(
    "displayed shown visible present available there seen found listed existing rendered"
    "included mentioned printed viewable presented appearing on-screen open opened offered"
)
_GONE: Final = words("hidden gone missing absent invisible removed nowhere away closed")
_STATES: Final[dict[str, tuple[str, bool]]] = {
    "checked": ("checked", True), "ticked": ("checked", True), "unchecked": ("checked", False),
    "unticked": ("checked", False), "marked": ("checked", True), "on": ("checked", True),
    "off": ("checked", False), "selected": ("selected", True), "chosen": ("selected", True),
    "picked": ("selected", True), "unselected": ("selected", False), "active": ("selected", True),
    "deselected": ("selected", False), "highlighted": ("selected", True),
    "enabled": ("enabled", True), "clickable": ("enabled", True), "disabled": ("disabled", True),
    "inactive": ("disabled", True), "greyed": ("disabled", True), "grayed": ("disabled", True),
    "focused": ("focused", True), "focussed": ("focused", True), "expanded": ("expanded", True),
    "unfolded": ("expanded", True), "collapsed": ("collapsed", True), "folded": ("collapsed", True),
    "required": ("required", True), "mandatory": ("required", True), "compulsory": ("required",
    True),
    "optional": ("required", False), "readonly": ("readonly", True), "read-only": ("readonly",
    True),
    "editable": ("editable", True), "uneditable": ("editable", False), "invalid": ("invalid", True),
    "valid": ("invalid", False), "empty": ("empty", True), "blank": ("empty", True),
    "cleared": ("empty", True), "filled": ("empty", False), "prefilled": ("empty", False),
    "pre-filled": ("empty", False), "pressed": ("pressed", True),
    "unfocused": ("focused", False), "usable": ("enabled", True), "toggled": ("pressed", True),
    "populated": ("empty", False), "nonempty": ("empty", False), "non-empty": ("empty", False),
}  # fmt: skip
_DISCLOSING = frozenset({"section", "menu", "treeitem", "combobox", "list", "row"})
_EQUALLY = words(
    "labelled labeled called named titled captioned set equal filled populated prefilled"
    "pre-filled filled-in exactly"
)
_ENTERED = words("entered typed filled written set inserted contained prefilled stored")


def read_state(subject: Tokens, rest: Tokens) -> Conditions:
    """What "`subject` is `rest`" says, without its "not"."""
    rest = trimmed(rest)
    if not rest:
        return ()
    low = rest[0].low
    if low in _SHOWN and not _says_expanded(subject, low):
        return shown(subject, rest[1:])
    if low in _GONE and not _says_expanded(subject, low):
        return negated(shown(subject, rest[1:]))
    if low in ("turned", "switched", "toggled") and len(rest) > 1 and rest[1].low in ("on", "off"):
        return read_state(subject, rest[1:])
    many = None if low in (_SHOWN | _GONE) else quantity(subject)
    if many is not None and many.size < len(subject):
        return ()
    if low in _STATES or low in ("closed", "open", "opened"):
        found = _in_state(subject, rest)
        if found:
            return found
    return (
        _in_field(subject, rest)
        or _is_option_of(subject, rest)
        or _counted(subject, rest)
        or _valued(subject, rest)
        or _somewhere(subject, rest)
        or _kind_of(subject, rest)
    )


def _says_expanded(subject: Tokens, low: str) -> bool:
    if low not in ("open", "opened", "closed"):
        return False
    target = next(iter(read_targets(subject)), None)
    return target is not None and (target.role in _DISCLOSING or target.role == "tab")


def shown(subject: Tokens, tail: Tokens) -> Conditions:
    """``'x' is displayed (at least 3 times) (in the dialog 'y')``."""
    tail, number = times_at_end(tail)
    tail = _without_fillers(tail)
    if tail and tail[0].low in ("above", "before", "after"):
        return ()
    if _field_behind(tail):
        return _in_field(subject, tail)
    targets = read_targets([*subject, *tail]) if tail else read_targets(subject)
    if tail and (not targets or _swallowed(targets[0], subject)):
        return ()
    if number is not None:
        return counted(targets[0], number, "text") if targets else ()
    found = quantity(subject)
    if found is not None and found.size < len(subject):
        return read_things([*subject, *tail])
    return displayed(targets)


_FILLERS = words(
    "correctly twice anywhere somewhere again now too also there here to me us user asexpected"
)


def _without_fillers(tail: Tokens) -> Tokens:
    tail = trimmed(tail)
    while tail and not tail[0].quoted and tail[0].low in _FILLERS:
        tail = tail[1:]
    while tail and not tail[-1].quoted and tail[-1].low in _FILLERS:
        tail = tail[:-1]
    return tail


def _swallowed(target: Target, subject: Tokens) -> bool:
    """Whether the tail became part of an unquoted name, as it names no place."""
    plain = next(iter(read_targets(subject)), None)
    return plain is not None and not target.quoted and target.text != plain.text


def _field_behind(tail: Tokens) -> bool:
    if not tail or tail[0].low not in ("in", "inside", "within", "into"):
        return False
    target = next(iter(read_targets(tail[1:])), None)
    return target is not None and target.role in (FIELDS - LISTS)


def _in_state(subject: Tokens, rest: Tokens) -> Conditions:
    low = rest[0].low
    if low in ("closed", "open", "opened"):
        state, holds = ("collapsed", True) if low == "closed" else ("expanded", True)
    else:
        state, holds = _STATES[low]
    tail = _without_fillers(rest[1:])
    while (
        tail
        and tail[0].low in ("out", "in", "on", "off", "by")
        and (len(tail) == 1 or tail[1].low in ("default",))
    ):
        holds = holds if tail[0].low != "off" else not holds
        tail = tail[2:]
    if (
        low in ("filled", "populated", "marked", "prefilled", "pre-filled")
        and tail
        and tail[0].low in ("with", "as", "in", "out")
    ):
        return _filled(subject, tail)
    if low in ("on", "off") and tail:
        return ()
    if low == "selected" and tail:
        return _selected_in(subject, tail)
    targets = read_targets([*subject, *tail]) if tail else read_targets(subject)
    if tail and (not targets or _swallowed(targets[0], subject)):
        return ()
    if targets and targets[0].role == "tab" and not targets[0].text and not targets[0].ordinal:
        return ()  # "a new tab is opened": not one of the page's
    if targets and targets[0].role == "tab" and low in ("open", "opened", "closed"):
        state, holds = "selected", state == "expanded"
    if (
        state in ("checked", "selected")
        and targets
        and (targets[0].role in BOXES or any(t.low in ("box", "boxes") for t in subject))
    ):
        role = targets[0].role or "checkbox"
        targets, state = tuple(with_role(t, t.role or role) for t in targets), "checked"
    if low in ("active", "inactive") and targets and targets[0].role in ("button", "link", "field"):
        state = "enabled" if low == "active" else "disabled"
    made: list[Condition] = [InState.model_validate({"target": t, "state": state}) for t in targets]
    return tuple(made) if holds else negated(made)


def _filled(subject: Tokens, tail: Tokens) -> Conditions:
    if tail[0].low == "as":
        return read_state(subject, tail[1:])
    if tail[0].low in ("in", "out"):
        tail = tail[1:]
    value = read_value(tail[1:]) if tail and tail[0].low == "with" else None
    targets = read_targets(subject, "field")
    return holds(targets, value, "equals") if value is not None else ()


def _selected_in(subject: Tokens, tail: Tokens) -> Conditions:
    """``'France' is selected in the list 'Country'``."""
    if tail[0].low not in ("in", "from", "for", "as", "on", "under", "within", "inside"):
        return ()
    value = read_value(_option(subject))
    lists = read_targets(tail[1:])
    if lists and lists[0].role in ("row", "section", "table", "form", "dialog", "menu"):
        found = read_targets([*subject, *tail])
        return tuple(InState(target=t, state="selected") for t in found)
    lists = tuple(t if t.role else t.model_copy(update={"role": "combobox"}) for t in lists)
    return holds(lists, value, "equals") if value is not None else ()


def _option(tokens: Tokens) -> Tokens:
    while tokens and (tokens[0].low in DETERMINERS or tokens[0].low in ("option", "value", "item")):
        tokens = tokens[1:]
    return tokens


def _in_field(subject: Tokens, rest: Tokens) -> Conditions:
    """``'v' is (entered) in the field 'f'``."""
    mode = "contains"
    if rest and rest[0].low in _ENTERED and len(rest) > 1:
        rest, mode = rest[1:], "equals"
    if not _field_behind(rest):
        return ()
    value = read_value(subject)
    return holds(read_targets(rest[1:]), value, mode) if value is not None else ()


def _counted(subject: Tokens, rest: Tokens) -> Conditions:
    """``'x' is at least 3 times on the page``; ``the number of links is 3``."""
    words = [t.low for t in subject if t.low not in DETERMINERS]
    if words[:2] in (["number", "of"], ["amount", "of"], ["count", "of"]) and len(words) > 2:
        return _number_of(subject, rest)
    tail, number = times_at_end(rest)
    if number is None:
        return ()
    tail = tail[1:] if tail and tail[0].low in _SHOWN else tail
    targets = read_targets([*subject, *tail])
    return counted(targets[0], number, "text") if targets else ()


def _number_of(subject: Tokens, rest: Tokens) -> Conditions:
    at = next(n for n, t in enumerate(subject) if t.low == "of")
    rest = rest[2:] if [t.low for t in rest[:2]] == ["equal", "to"] else rest
    number = quantity(rest)
    if number is None or number.size < len(trimmed(rest)):
        return ()
    targets = read_targets(subject[at + 1 :])
    if not targets:
        return ()
    unit = "text" if targets[0].quoted and targets[0].role is None else "element"
    number = type(number)(number.comparisons, number.size)
    whole = counted(targets[0], number, unit)
    beside = Target(
        text=" ".join(t.text for t in subject if t.low not in DETERMINERS), quoted=False
    )
    comparison, amount = number.comparisons[0]
    if targets[0].role is None and not targets[0].quoted:
        return (*whole, Compared(target=beside, comparison=comparison, number=str(amount)))
    return whole


def _valued(subject: Tokens, rest: Tokens) -> Conditions:
    """``is 'v'``, ``is set to 'v'``, ``is greater than 5``, ``is 12.50``."""
    owner, asked = value_of(subject)
    targets = read_targets(owner)
    if not targets:
        return ()
    field = asked or targets[0].role in FIELDS
    compared = read_compared(targets, rest, plain=not field)
    if compared and not (field and _is_equality(rest) and any(t.quoted for t in rest)):
        return compared
    words = [t.low for t in rest if not t.quoted]
    if any(w not in _EQUALLY and w not in DETERMINERS and w not in _SAID for w in words):
        return ()
    value = _single(rest)
    if value is None:
        return ()
    return valued(targets, value, asked=asked)


_SAID = words("to with the same as value text at of string selected now")


def _is_option_of(subject: Tokens, rest: Tokens) -> Conditions:
    """``'France' is the selected option of 'Country'``."""
    owner, asked = value_of(rest)
    value = _single(subject)
    if not asked or value is None or len(owner) == len(rest):
        return ()
    lists = read_targets(owner)
    return holds(tuple(with_role(t, t.role or "combobox") for t in lists), value, "equals")


def _is_equality(rest: Tokens) -> bool:
    found = comparison_of(rest)
    return found is None or found[0] == "=="


def _single(rest: Tokens) -> str | None:
    quotes = [t for t in rest if t.quoted]
    return quotes[0].text if len(quotes) == 1 else None


def _somewhere(subject: Tokens, rest: Tokens) -> Conditions:
    """``'x' is in the dialog 'y'``, ``the user is on the page 'y'``."""
    words = [t.low for t in subject if t.low not in DETERMINERS]
    arrived = rest
    if rest[0].low in ("redirected", "taken", "sent", "navigated", "brought", "directed", "led",
                       "forwarded", "now", "back", "on", "at"):  # fmt: skip
        while arrived and arrived[0].low in _ARRIVING:
            arrived = arrived[1:]
        if rest[0].low not in ("on", "at") or words in (["i"], ["we"], ["user"], ["you"],
            ["browser"],
                                                        ["they"], ["customer"]):  # fmt: skip
            return read_arrival(arrived)
    if rest[0].low in ("in", "on", "inside", "within", "under", "below", "at", "next", "beside",
                       "near", "part", "among"):  # fmt: skip
        return shown(subject, rest)
    return ()


_ARRIVING = words(
    "redirected taken sent navigated brought directed led forwarded now back to the on at"
    "page url address screen a website site titled called"
)


def _kind_of(subject: Tokens, rest: Tokens) -> Conditions:
    """``'x' is a link``."""
    found = read_targets(rest)
    targets = read_targets(subject)
    if not found or not targets or found[0].text or found[0].role is None or targets[0].role:
        return ()
    return displayed(t.model_copy(update={"role": found[0].role}) for t in targets)

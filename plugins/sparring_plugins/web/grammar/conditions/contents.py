"""Predicates with other verbs: contains, has, shows, appears, starts with, exceeds."""

from sparring_plugins.web.grammar.conditions.comparisons import read_compared
from sparring_plugins.web.grammar.conditions.constructors import Conditions, displayed, negated
from sparring_plugins.web.grammar.conditions.properties import (
    is_page,
    page_property,
    read_arrival,
    read_property,
)
from sparring_plugins.web.grammar.conditions.states import read_state, shown
from sparring_plugins.web.grammar.conditions.things import read_things
from sparring_plugins.web.grammar.conditions.values import holds, names_text, value_of, valued
from sparring_plugins.web.grammar.phrases.forms import read_value
from sparring_plugins.web.grammar.phrases.nouns import DETERMINERS
from sparring_plugins.web.grammar.phrases.targets import read_targets
from sparring_plugins.web.grammar.words.addresses import is_address
from sparring_plugins.web.grammar.words.control_nouns import FIELDS, LANDMARKS, LISTS, known
from sparring_plugins.web.grammar.words.tokens import Token, Tokens, trimmed
from sparring_plugins.web.roles.step import (
    AllOf,
    Condition,
    Counted,
    Displayed,
    InState,
    Not,
    Target,
)

_HOLDS_THINGS = frozenset(
    {"dialog", "form", "section", "table", "menu", "row", "list", "alert", "cell", "tab",
     "iframe", "listbox", "combobox", "tooltip", "columnheader"}
)  # fmt: skip
_PEOPLE = frozenset(
    {
        "i",
        "we",
        "you",
        "they",
        "user",
        "users",
        "customer",
        "tester",
        "one",
        "browser",
        "it",
        "this",
    }
)


def read_predicate(subject: Tokens, meaning: str, rest: Tokens) -> Conditions:
    """What "`subject` `verb` `rest`" says, without its "not"."""
    rest = trimmed(rest)
    which = page_property(subject)
    if which and meaning not in ("exist", "vanish") and not _shows(meaning, rest):
        return read_property(which, meaning, rest)
    named = _named_page(subject)
    if named and (
        _shows(meaning, rest) or meaning == "exist" or (rest[:1] and rest[0].low in _LOADED)
    ):
        plain = displayed(read_targets(subject)) if not is_address(named[0].text) else ()
        return (*read_arrival(named), *plain)
    if meaning == "be":
        if is_page(subject) and not _shows(meaning, rest):
            return read_arrival(rest)
        return read_state(subject, rest)
    if meaning == "exist":
        return shown(subject, rest)
    if meaning == "vanish":
        return negated(shown(subject, rest))
    return _holding(subject, meaning, rest)


_ABOUT = frozenset({"error", "message", "warning", "hint", "tooltip", "validation"})
_LOADED = frozenset({"open", "opened", "loaded", "active", "reached"})


def _named_page(subject: Tokens) -> Tokens:
    """The quotation of ``the page 'Home'``."""
    quotes = [t for t in subject if t.quoted]
    words = [t.low for t in subject if not t.quoted and t.low not in DETERMINERS]
    named = len(quotes) == 1 and words in (
        ["page"],
        ["website"],
        ["url"],
        ["screen"],
        ["web", "page"],
    )
    return quotes if named else ()


def _shows(meaning: str, rest: Tokens) -> bool:
    return meaning == "be" and bool(rest) and rest[0].low in (
        "displayed", "shown", "visible", "present", "hidden", "empty", "there",
    )  # fmt: skip


def _holding(subject: Tokens, meaning: str, rest: Tokens) -> Conditions:
    if not rest:
        return ()
    if meaning in ("equal", "differ"):
        found = read_state(subject, rest)
        return found if meaning == "equal" else negated(found)
    if meaning in ("exceed", "cost"):
        return _measured(subject, meaning, rest)
    if meaning == "lack":
        return negated(_holding(subject, "have", rest))
    if is_page(subject) or _is_person(subject):
        return read_things(rest)
    if meaning in ("start", "end"):
        return ()
    return _contained(subject, meaning, rest)


def _is_person(subject: Tokens) -> bool:
    words = [t.low for t in subject if t.low not in DETERMINERS]
    return len(words) == 1 and words[0] in _PEOPLE


def _measured(subject: Tokens, meaning: str, rest: Tokens) -> Conditions:
    targets = read_targets(value_of(subject)[0])
    if meaning == "cost":
        return read_compared(targets, rest, plain=True)
    over = Token("word", "than", 0, 0, "than")
    return read_compared(targets, [over, *rest])


def _contained(subject: Tokens, meaning: str, rest: Tokens) -> Conditions:
    owner, asked = value_of(subject)
    targets = read_targets(owner)
    if not targets or targets[0].every:
        return ()
    words = [t.low for t in rest if not t.quoted and t.low not in DETERMINERS]
    if words[-1:] == ["focus"]:
        return tuple(InState(target=t, state="focused") for t in targets)
    if words[:1] == ["no"] and words[1:2] in (["value"], ["text"], ["content"]) and len(words) == 2:
        return tuple(InState(target=t, state="empty") for t in targets)
    role = targets[0].role
    if words[:1] and words[0] in _ABOUT and targets[0].text:
        quotes = [t for t in rest if t.quoted]
        near = [Target(text=q.text, row=targets[0].text) for q in quotes]
        return (Displayed(target=near[0]),) if len(near) == 1 else ()
    if asked or role in (FIELDS - LISTS) or (words[:1] == ["value"] and role != "combobox"):
        return _value_held(targets, meaning, rest)
    if role in _HOLDS_THINGS or _is_place(targets[0]):
        return _inside(targets[0], meaning, rest)
    return _text_held(targets, meaning, rest)


def _value_held(targets: tuple[Target, ...], meaning: str, rest: Tokens) -> Conditions:
    words = [t.low for t in rest if not t.quoted]
    exact = meaning in ("have", "hold") or "exactly" in words or (
        meaning == "show" and "value" in words
    )  # fmt: skip
    rest = [
        t for t in rest if t.quoted or t.low not in ("exactly", "only", "just", "set", "selected")
    ]
    value = read_value(rest)
    if value is None:
        return ()
    fields = tuple(t if t.role else t.model_copy(update={"role": "field"}) for t in targets)
    return holds(fields, value, "equals" if exact or meaning == "show" else "contains")


def _is_place(target: Target) -> bool:
    words = target.text.casefold().split()
    return not target.quoted and target.role is None and bool(words) and words[-1] in (
        "page", "cart", "basket", "header", "footer", "sidebar", "navigation", "results", "toolbar",
        "panel", "area", "block", "column", "navbar", "calendar", "tree", "drawer",
    )  # fmt: skip


def _inside(place: Target, meaning: str, rest: Tokens) -> Conditions:
    """``the dialog 'x' contains 'y'``, ``the list 'x' has the option 'y'``."""
    if place.ordinal and not place.text:
        return ()
    things = read_things(rest)
    where = _landmark(place) or place.text or place.row or place.role or ""
    role = place.role
    words = [t.low for t in rest if not t.quoted and t.low not in DETERMINERS]
    if role in LISTS and words[:1] == ["value"]:
        return _value_held((place,), "hold", rest)
    if role in LISTS and meaning in ("show", "hold") and len(rest) == 1 and rest[0].quoted:
        return holds((place,), rest[0].text, "equals")
    found = [_placed_in(condition, where, as_row=role == "row") for condition in things]
    placed = [condition for condition in found if condition is not None]
    return tuple(placed) if len(placed) == len(found) else ()


def _landmark(place: Target) -> str | None:
    """The role of a part of the page that is named by its kind: "the page header"."""
    phrase = known(tuple(place.text.casefold().split()), LANDMARKS) if not place.quoted else None
    return LANDMARKS[phrase] if phrase else None


def _placed_in(condition: Condition, where: str, *, as_row: bool) -> Condition | None:
    """A condition on what lies within a place; None for one that cannot."""
    match condition:
        case Displayed() | Counted():
            field = "row" if as_row else "region"
            if getattr(condition.target, field) is not None:
                return condition
            target = condition.target.model_copy(update={field: where})
            return condition.model_copy(update={"target": target})
        case Not():
            inner = _placed_in(condition.condition, where, as_row=as_row)
            return Not(condition=inner) if inner else None
        case AllOf():
            found = [_placed_in(c, where, as_row=as_row) for c in condition.conditions]
            parts = [c for c in found if c is not None]
            return AllOf(conditions=tuple(parts)) if len(parts) == len(found) else None
        case _:
            return None


def _text_held(targets: tuple[Target, ...], meaning: str, rest: Tokens) -> Conditions:
    """``the heading contains 'x'``, ``'Total' shows '5'``, ``the button has the text 'x'``."""
    target = targets[0]
    value = read_value([t for t in rest if t.low not in ("exactly", "only", "just")])
    if target.role is not None and not target.text and value is not None:
        update = {"text": value, "quoted": True, "exact": meaning == "hold"}
        return (Displayed(target=target.model_copy(update=update)),)
    if value is not None and not target.quoted and names_text(target.text):
        return (Displayed(target=Target(text=value, region=target.region, row=target.row)),)
    compared = read_compared(targets, rest, plain=True)
    if compared:
        return compared
    if value is not None and len([t for t in rest if t.quoted]) == 1 and target.role is None:
        if meaning == "contain":
            held = holds(targets, value, "contains")
            if target.ordinal or target.row or target.region:
                return held
            return (*held, Displayed(target=Target(text=value, region=target.text)))
        return valued(targets, value)
    if target.role is None and target.text:
        return _inside(target, meaning, rest)
    return ()

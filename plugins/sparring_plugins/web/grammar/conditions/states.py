"""Read predicates with "is": displayed, gone, checked, selected in a list, equal to."""

from sparring_plugins.web.grammar.conditions.quantities import (
    Conditions,
    negate,
    read_compared,
    read_comparison,
    read_quantity,
    require_count,
    require_displayed,
    split_times,
)
from sparring_plugins.web.grammar.conditions.subjects import (
    read_arrival,
    read_things,
    require_shown_value,
    require_value,
    split_owner,
)
from sparring_plugins.web.grammar.phrases.patterns import read_value
from sparring_plugins.web.grammar.phrases.targets import read_targets, with_default_role
from sparring_plugins.web.grammar.phrases.tokens import (
    Tokens,
    has_quotes,
    quotes_in,
    trim,
    words_in,
)
from sparring_plugins.web.grammar.phrases.vocabulary import BOXES, FIELDS, LISTS, WORDS
from sparring_plugins.web.step import Compared, InState, Target

_DISCLOSING = frozenset({"section", "menu", "treeitem", "combobox", "list", "row"})


_OPEN = frozenset({"open", "opened", "closed"})


_FILLED = frozenset({"filled", "populated", "marked", "prefilled", "pre-filled"})


_BROWSING = frozenset({"i", "we", "user", "you", "browser", "they", "customer"})


def read_state(subject: Tokens, rest: Tokens) -> Conditions:
    """Return what "`subject` is `rest`" says, without its "not"."""
    rest = trim(rest)
    if not rest:
        return ()
    low = rest[0].low
    # "open" says that a dialog is displayed, but that a section is expanded
    displaying = low in WORDS.shown or low in WORDS.gone
    if displaying and not _says_expanded(subject, low):
        conditions = read_displayed(subject, rest[1:])
        return conditions if low in WORDS.shown else negate(conditions)
    if low in ("turned", "switched", "toggled") and len(rest) > 1 and rest[1].low in ("on", "off"):
        return read_state(subject, rest[1:])
    if not displaying and _begins_with_quantity(subject):
        return ()
    if low in WORDS.states and (conditions := _read_state_word(subject, rest)):
        return conditions
    readers = (
        _read_in_field,
        _read_option_of,
        _read_counted,
        _read_valued,
        _read_location,
        _read_kind,
    )
    return next((conditions for read in readers if (conditions := read(subject, rest))), ())


def _begins_with_quantity(subject: Tokens) -> bool:
    """Return whether the subject begins with a quantity: ``at least two links``."""
    number = read_quantity(subject)
    return number is not None and number.size < len(subject)


def _says_expanded(subject: Tokens, low: str) -> bool:
    if low not in _OPEN:
        return False
    target = next(iter(read_targets(subject)), None)
    return target is not None and (target.role in _DISCLOSING or target.role == "tab")


def read_displayed(subject: Tokens, tail: Tokens) -> Conditions:
    """``'x' is displayed (at least 3 times) (in the dialog 'y')``."""
    tail, number = split_times(tail)
    tail = _strip_fillers(tail)
    if tail and tail[0].low in ("above", "before", "after"):
        return ()
    if _names_field(tail):
        return _read_in_field(subject, tail)
    targets = _read_targets_with(subject, tail)
    if tail and not targets:
        return ()
    if number is not None:
        return require_count(targets[0], number, "text") if targets else ()
    if _begins_with_quantity(subject):
        return read_things([*subject, *tail])
    return require_displayed(targets)


def _read_targets_with(subject: Tokens, tail: Tokens) -> tuple[Target, ...]:
    """Read the subject with the words behind the state; empty if those name no place."""
    if not tail:
        return read_targets(subject)
    targets = read_targets([*subject, *tail])
    return () if targets and _is_swallowed(targets[0], subject) else targets


def _strip_fillers(tail: Tokens) -> Tokens:
    tail = trim(tail)
    while tail and not tail[0].quoted and tail[0].low in WORDS.state_fillers:
        tail = tail[1:]
    while tail and not tail[-1].quoted and tail[-1].low in WORDS.state_fillers:
        tail = tail[:-1]
    return tail


def _is_swallowed(target: Target, subject: Tokens) -> bool:
    """Return whether the tail became part of an unquoted name, because it names no place."""
    plain = next(iter(read_targets(subject)), None)
    return plain is not None and not target.quoted and target.text != plain.text


def _names_field(tail: Tokens) -> bool:
    if not tail or tail[0].low not in ("in", "inside", "within", "into"):
        return False
    target = next(iter(read_targets(tail[1:])), None)
    return target is not None and target.role in (FIELDS - LISTS)


def _read_state_word(subject: Tokens, rest: Tokens) -> Conditions:
    """``is checked``, ``is switched off``, ``is filled with 'x'``, ``is selected in 'y'``."""
    low = rest[0].low
    tail, inverted = _strip_particles(_strip_fillers(rest[1:]))
    if (conditions := _read_state_value(subject, low, tail)) is not None:
        return conditions
    targets = _read_targets_with(subject, tail)
    if not targets or _is_any_tab(targets[0]):
        return ()
    state, holds = _state_of(low, targets[0])
    if state in ("checked", "selected") and _is_box(targets[0], subject):
        state = "checked"
        targets = with_default_role(targets, targets[0].role or "checkbox")
    # an active tab is selected, but an active button can be clicked
    if low in ("active", "inactive") and targets[0].role in ("button", "link", "field"):
        state = "enabled" if low == "active" else "disabled"
    states = [InState.model_validate({"target": t, "state": state}) for t in targets]
    return tuple(states) if holds is not inverted else negate(states)


def _read_state_value(subject: Tokens, low: str, tail: Tokens) -> Conditions | None:
    """Read ``filled with 'x'`` and ``selected in 'y'``; `None` if the word is a plain state."""
    if not tail:
        return None
    if low in _FILLED and tail[0].low in ("with", "as", "in", "out"):
        return _read_filled(subject, tail)
    if low in ("on", "off"):
        return ()
    return _read_selected(subject, tail) if low == "selected" else None


def _state_of(low: str, target: Target) -> tuple[str, bool]:
    """Return the state that a word says, and whether it holds; an open tab is a selected one."""
    state, holds = WORDS.states[low]
    return ("selected", state == "expanded") if target.role == "tab" and low in _OPEN else (
        state, holds
    )  # fmt: skip


def _strip_particles(tail: Tokens) -> tuple[Tokens, bool]:
    """Strip ``in`` and ``by default``; return also whether "off" inverts the state."""
    inverted = False
    while (
        tail
        and tail[0].low in ("out", "in", "on", "off", "by")
        and (len(tail) == 1 or tail[1].low == "default")
    ):
        inverted = inverted is not (tail[0].low == "off")
        tail = tail[2:]
    return tail, inverted


def _is_any_tab(target: Target) -> bool:
    """Whether it is no tab of the page: "a new tab is opened"."""
    return target.role == "tab" and not target.text and not target.ordinal


def _is_box(target: Target, subject: Tokens) -> bool:
    return target.role in BOXES or any(t.low in ("box", "boxes") for t in subject)


def _read_filled(subject: Tokens, tail: Tokens) -> Conditions:
    if tail[0].low == "as":
        return read_state(subject, tail[1:])
    if tail[0].low in ("in", "out"):
        tail = tail[1:]
    value = read_value(tail[1:]) if tail and tail[0].low == "with" else None
    targets = read_targets(subject, "field")
    return require_value(targets, value, "equals") if value is not None else ()


def _read_selected(subject: Tokens, tail: Tokens) -> Conditions:
    """``'France' is selected in the list 'Country'``."""
    if tail[0].low not in ("in", "from", "for", "as", "on", "under", "within", "inside"):
        return ()
    value = read_value(_strip_option(subject))
    lists = read_targets(tail[1:])
    if lists and lists[0].role in ("row", "section", "table", "form", "dialog", "menu"):
        targets = read_targets([*subject, *tail])
        return tuple(InState(target=t, state="selected") for t in targets)
    lists = with_default_role(lists, "combobox")
    return require_value(lists, value, "equals") if value is not None else ()


def _strip_option(tokens: Tokens) -> Tokens:
    while tokens and (
        tokens[0].low in WORDS.determiners or tokens[0].low in ("option", "value", "item")
    ):
        tokens = tokens[1:]
    return tokens


def _read_in_field(subject: Tokens, rest: Tokens) -> Conditions:
    """``'v' is (entered) in the field 'f'``."""
    mode = "contains"
    if rest and rest[0].low in WORDS.entered and len(rest) > 1:
        rest, mode = rest[1:], "equals"
    if not _names_field(rest):
        return ()
    value = read_value(subject)
    return require_value(read_targets(rest[1:]), value, mode) if value is not None else ()


def _read_counted(subject: Tokens, rest: Tokens) -> Conditions:
    """``'x' is at least 3 times on the page``; ``the number of links is 3``."""
    words = [t.low for t in subject if t.low not in WORDS.determiners]
    if words[:2] in (["number", "of"], ["amount", "of"], ["count", "of"]) and len(words) > 2:
        return _read_number_of(subject, rest)
    tail, number = split_times(rest)
    if number is None:
        return ()
    tail = tail[1:] if tail and tail[0].low in WORDS.shown else tail
    targets = read_targets([*subject, *tail])
    return require_count(targets[0], number, "text") if targets else ()


def _read_number_of(subject: Tokens, rest: Tokens) -> Conditions:
    at = next(n for n, t in enumerate(subject) if t.low == "of")
    rest = rest[2:] if [t.low for t in rest[:2]] == ["equal", "to"] else rest
    number = read_quantity(rest)
    if number is None or number.size < len(trim(rest)):
        return ()
    targets = read_targets(subject[at + 1 :])
    if not targets:
        return ()
    unit = "text" if targets[0].quoted and targets[0].role is None else "element"
    number = type(number)(number.comparisons, number.size)
    whole = require_count(targets[0], number, unit)
    beside = Target(
        text=" ".join(t.text for t in subject if t.low not in WORDS.determiners), quoted=False
    )
    comparison, amount = number.comparisons[0]
    if targets[0].role is None and not targets[0].quoted:
        return (*whole, Compared(target=beside, comparison=comparison, number=str(amount)))
    return whole


def _read_valued(subject: Tokens, rest: Tokens) -> Conditions:
    """``is 'v'``, ``is set to 'v'``, ``is greater than 5``, ``is 12.50``."""
    owner, asked = split_owner(subject)
    targets = read_targets(owner)
    if not targets:
        return ()
    field = asked or targets[0].role in FIELDS
    compared = read_compared(targets, rest, plain=not field)
    if compared and not (field and _is_equality(rest) and has_quotes(rest)):
        return compared
    words = words_in(rest)
    if any(
        w not in WORDS.equalities and w not in WORDS.determiners and w not in WORDS.equality_links
        for w in words
    ):
        return ()
    value = _single_quote(rest)
    if value is None:
        return ()
    return require_shown_value(targets, value, asked=asked)


def _read_option_of(subject: Tokens, rest: Tokens) -> Conditions:
    """``'France' is the selected option of 'Country'``."""
    owner, asked = split_owner(rest)
    value = _single_quote(subject)
    if not asked or value is None or len(owner) == len(rest):
        return ()
    lists = read_targets(owner)
    return require_value(with_default_role(lists, "combobox"), value, "equals")


def _is_equality(rest: Tokens) -> bool:
    comparing = read_comparison(rest)
    return comparing is None or comparing[0] == "=="


def _single_quote(rest: Tokens) -> str | None:
    quotes = quotes_in(rest)
    return quotes[0].text if len(quotes) == 1 else None


def _read_location(subject: Tokens, rest: Tokens) -> Conditions:
    """``'x' is in the dialog 'y'``, ``the user is on the page 'y'``."""
    words = [t.low for t in subject if t.low not in WORDS.determiners]
    browsing = len(words) == 1 and words[0] in _BROWSING
    if rest[0].low in WORDS.arrivals and (browsing or rest[0].low not in ("on", "at")):
        page = rest
        while page and page[0].low in WORDS.arrival_words:
            page = page[1:]
        return read_arrival(page)
    return read_displayed(subject, rest) if rest[0].low in WORDS.located else ()


def _read_kind(subject: Tokens, rest: Tokens) -> Conditions:
    """``'x' is a link``."""
    kinds = read_targets(rest)
    targets = read_targets(subject)
    if not kinds or not targets or kinds[0].text or kinds[0].role is None or targets[0].role:
        return ()
    return require_displayed(t.model_copy(update={"role": kinds[0].role}) for t in targets)

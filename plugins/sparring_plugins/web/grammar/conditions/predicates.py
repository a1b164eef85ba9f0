"""Read conditions without "and" and "or": subject, verb, and what the verb says."""

from sparring_plugins.web.grammar.conditions.quantities import (
    Conditions,
    negate,
    read_compared,
    require_displayed,
)
from sparring_plugins.web.grammar.conditions.states import read_displayed, read_state
from sparring_plugins.web.grammar.conditions.subjects import (
    is_page,
    read_arrival,
    read_page_property,
    read_property,
    read_sentences,
    read_things,
    require_shown_value,
    require_text,
    require_value,
    split_owner,
)
from sparring_plugins.web.grammar.conditions.verbs import Verb, find_verbs
from sparring_plugins.web.grammar.phrases.nouns import content_words, without_determiners
from sparring_plugins.web.grammar.phrases.numbers import is_address
from sparring_plugins.web.grammar.phrases.patterns import read_value
from sparring_plugins.web.grammar.phrases.targets import read_targets, with_default_role
from sparring_plugins.web.grammar.phrases.tokens import Token, Tokens, quotes_in, trim, words_in
from sparring_plugins.web.grammar.phrases.vocabulary import FIELDS, LISTS, WORDS, lookup
from sparring_plugins.web.step import (
    AllOf,
    Condition,
    Counted,
    Displayed,
    InState,
    Not,
    Ordered,
    Target,
)

_HOLDS_THINGS = frozenset(
    {"dialog", "form", "section", "table", "menu", "row", "list", "alert", "cell", "tab",
     "iframe", "listbox", "combobox", "tooltip", "columnheader"}
)  # fmt: skip


def read_predicate(subject: Tokens, meaning: str, rest: Tokens) -> Conditions:
    """Return what "`subject` `verb` `rest`" says, without its "not"."""
    rest = trim(rest)
    return _read_ordered(subject, meaning, rest) or _read_unordered(subject, meaning, rest)


def _read_unordered(subject: Tokens, meaning: str, rest: Tokens) -> Conditions:
    which = read_page_property(subject)
    if which and meaning not in ("exist", "vanish") and not _shows(meaning, rest):
        return read_property(which, meaning, rest)
    named = _find_named_page(subject)
    if named and (
        _shows(meaning, rest) or meaning == "exist" or (rest[:1] and rest[0].low in _LOADED)
    ):
        plain = require_displayed(read_targets(subject)) if not is_address(named[0].text) else ()
        return (*read_arrival(named), *plain)
    if meaning == "be":
        if is_page(subject) and not _shows(meaning, rest):
            return read_arrival(rest)
        return read_state(subject, rest)
    if meaning == "exist":
        return read_displayed(subject, rest)
    if meaning == "vanish":
        return negate(read_displayed(subject, rest))
    return _read_holding(subject, meaning, rest)


_BEFORE = {"before": True, "above": True, "after": False, "below": False}


def _read_ordered(subject: Tokens, meaning: str, rest: Tokens) -> Conditions:
    """``'a' is displayed before 'b'``: the order in which a page is read.

    "'a' is above 'b'" compares numbers; "is displayed above" does not.
    """
    is_shown = _shows(meaning, rest)
    words = rest[1:] if is_shown else rest
    if meaning != "be" or len(words) < 2 or words[0].quoted or words[0].low not in _BEFORE:
        return ()
    if not is_shown and words[0].low in ("above", "below"):
        return ()
    firsts, others = read_targets(subject), read_targets(words[1:])
    # "the message 'Thank you' is shown after submitting" is no order of two texts
    if not all(len(t) == 1 and t[0].text and t[0].quoted for t in (firsts, others)):
        return ()
    pair = (firsts[0], others[0]) if _BEFORE[words[0].low] else (others[0], firsts[0])
    return (Ordered(target=pair[0], other=pair[1]),)


_ABOUT = frozenset({"error", "message", "warning", "hint", "tooltip", "validation"})
_LOADED = frozenset({"open", "opened", "loaded", "active", "reached"})


_SHOWN = frozenset({"displayed", "shown", "visible", "present", "hidden", "empty", "there"})


_PAGES = (["page"], ["website"], ["url"], ["screen"], ["web", "page"])


_SEERS = frozenset({"i", "we", "you", "user", "they", "customer", "one"})


def _find_named_page(subject: Tokens) -> Tokens:
    """The quotation of ``the page 'Home'``."""
    quotes = quotes_in(subject)
    return quotes if len(quotes) == 1 and content_words(subject) in _PAGES else ()


def _shows(meaning: str, rest: Tokens) -> bool:
    return meaning == "be" and bool(rest) and rest[0].low in _SHOWN


def _read_holding(subject: Tokens, meaning: str, rest: Tokens) -> Conditions:
    if not rest:
        return ()
    if meaning in ("equal", "differ"):
        conditions = read_state(subject, rest)
        return conditions if meaning == "equal" else negate(conditions)
    if meaning in ("exceed", "cost"):
        return _read_measured(subject, meaning, rest)
    if meaning == "lack":
        return negate(_read_holding(subject, "have", rest))
    if is_page(subject) or _is_person(subject):
        return read_things(rest)
    if meaning in ("start", "end"):
        return ()
    return _read_contained(subject, meaning, rest)


def _is_person(subject: Tokens) -> bool:
    nouns = without_determiners(subject)
    return len(nouns) == 1 and nouns[0].low in WORDS.people


def _read_measured(subject: Tokens, meaning: str, rest: Tokens) -> Conditions:
    targets = read_targets(split_owner(subject)[0])
    if meaning == "cost":
        return read_compared(targets, rest, plain=True)
    over = Token("word", "than", 0, 0, "than")
    return read_compared(targets, [over, *rest])


def _read_contained(subject: Tokens, meaning: str, rest: Tokens) -> Conditions:
    owner, asked = split_owner(subject)
    targets = read_targets(owner)
    if not targets or targets[0].every:
        return ()
    words = content_words(rest)
    if state := _read_had_state(words):
        return tuple(InState.model_validate({"target": t, "state": state}) for t in targets)
    target = targets[0]
    if words and words[0] in _ABOUT and target.text:
        return _require_message(target, rest)
    valued_by_word = words[:1] == ["value"] and target.role != "combobox"
    if asked or target.role in FIELDS - LISTS or valued_by_word:
        return _require_held_value(targets, meaning, rest)
    if target.role in _HOLDS_THINGS or _is_place(target):
        return _read_inside(target, meaning, rest)
    return _read_text(targets, meaning, rest)


def _require_message(target: Target, rest: Tokens) -> Conditions:
    """``'Name' shows the error 'x'``."""
    quotes = quotes_in(rest)
    if len(quotes) != 1:
        return ()
    return (Displayed(target=Target(text=quotes[0].text, row=target.text)),)


def _read_had_state(words: list[str]) -> str | None:
    """The state of what ``has focus`` or ``has no value``."""
    if words[-1:] == ["focus"]:
        return "focused"
    return "empty" if words in (["no", "value"], ["no", "text"], ["no", "content"]) else None


def _require_held_value(targets: tuple[Target, ...], meaning: str, rest: Tokens) -> Conditions:
    exact = meaning in ("have", "hold", "show") or "exactly" in words_in(rest)
    rest = [
        t for t in rest if t.quoted or t.low not in ("exactly", "only", "just", "set", "selected")
    ]
    value = read_value(rest)
    if value is None:
        return ()
    return require_value(
        with_default_role(targets, "field"), value, "equals" if exact else "contains"
    )


def _is_place(target: Target) -> bool:
    words = target.text.casefold().split()
    return (
        not target.quoted and target.role is None and bool(words) and words[-1] in WORDS.place_nouns
    )


def _read_inside(place: Target, meaning: str, rest: Tokens) -> Conditions:
    """``the dialog 'x' contains 'y'``, ``the list 'x' has the option 'y'``."""
    if place.ordinal and not place.text:
        return ()
    if place.role in LISTS and (conditions := _read_list_value(place, meaning, rest)) is not None:
        return conditions
    where = _landmark_role(place) or place.text or place.row or place.role or ""
    as_row = place.role == "row"
    inside = [_place_in(thing, where, as_row=as_row) for thing in read_things(rest)]
    placed = [condition for condition in inside if condition is not None]
    return tuple(placed) if len(placed) == len(inside) else ()


def _read_list_value(place: Target, meaning: str, rest: Tokens) -> Conditions | None:
    """Require a list to show a value; `None` if the options that it holds are meant."""
    if content_words(rest)[:1] == ["value"]:
        return _require_held_value((place,), "hold", rest)
    if meaning in ("show", "hold") and len(rest) == 1 and rest[0].quoted:
        return require_value((place,), rest[0].text, "equals")
    return None


def _landmark_role(place: Target) -> str | None:
    """The role of a part of the page that is named by its kind: "the page header"."""
    if place.quoted:
        return None
    phrase = lookup(tuple(place.text.casefold().split()), WORDS.landmarks)
    return WORDS.landmarks[phrase] if phrase else None


def _place_in(condition: Condition, where: str, *, as_row: bool) -> Condition | None:
    """Move a condition into a place; `None` for one that cannot lie in a place."""
    match condition:
        case Displayed() | Counted():
            field = "row" if as_row else "region"
            if getattr(condition.target, field) is not None:
                return condition
            target = condition.target.model_copy(update={field: where})
            return condition.model_copy(update={"target": target})
        case Not():
            inner = _place_in(condition.condition, where, as_row=as_row)
            return Not(condition=inner) if inner else None
        case AllOf():
            placed = [_place_in(c, where, as_row=as_row) for c in condition.conditions]
            parts = [c for c in placed if c is not None]
            return AllOf(conditions=tuple(parts)) if len(parts) == len(placed) else None
        case _:
            return None


def _read_text(targets: tuple[Target, ...], meaning: str, rest: Tokens) -> Conditions:
    """``the heading contains 'x'``, ``'Total' shows '5'``, ``the button has the text 'x'``."""
    target = targets[0]
    value = read_value([t for t in rest if t.low not in ("exactly", "only", "just")])
    if value is not None and (shown := require_text(target, value, exact=meaning == "hold")):
        return shown
    if compared := read_compared(targets, rest, plain=True):
        return compared
    if target.role is not None:
        return ()
    if value is not None and len(quotes_in(rest)) == 1:
        return (
            _require_contained(targets, value)
            if meaning == "contain"
            else require_shown_value(targets, value)
        )
    return _read_inside(target, meaning, rest) if target.text else ()


def _require_contained(targets: tuple[Target, ...], value: str) -> Conditions:
    """Read ``'Total' contains '5'``: a field that holds it, or a part of the page that shows it."""
    target = targets[0]
    held = require_value(targets, value, "contains")
    if target.ordinal or target.row or target.region or target.row_number:
        return held
    return (*held, Displayed(target=Target(text=value, region=target.text)))


def starts_with(tokens: Tokens, phrase: tuple[str, ...]) -> bool:
    """Whether tokens begin with a phrase."""
    return tuple(t.low for t in tokens[: len(phrase)]) == phrase


def read_atom(tokens: Tokens) -> Conditions:
    """Return the readings of a simple condition, the likeliest first; empty if it is none."""
    tokens = trim(tokens)
    phrase: tuple[str, ...]
    for phrase in WORDS.denials:
        if starts_with(tokens, phrase):
            return negate(read_atom(tokens[len(phrase) :]))
    for phrase in WORDS.affirmations:
        if starts_with(tokens, phrase) and len(tokens) > len(phrase):
            return read_atom(tokens[len(phrase) :])
    if not tokens:
        return ()
    return (
        _read_existing(tokens)
        or _read_seen(tokens)
        or read_sentences(tokens)
        or _read_with_verb(tokens)
    )


def _read_existing(tokens: Tokens) -> Conditions:
    """``there is a link 'x'``, ``there should not be any 'x'``."""
    if tokens[0].low != "there":
        return ()
    candidates = find_verbs(tokens)
    if not candidates or candidates[0].start != 1 or candidates[0].meaning not in ("be", "exist"):
        return ()
    things = read_things(tokens[candidates[0].end :])
    return negate(things) if candidates[0].negated else things


def _read_seen(tokens: Tokens) -> Conditions:
    """``I see 'x'``, ``the user should not see 'x'``."""
    at = _count_seer_words(tokens)
    if not at and tokens[0].low not in ("see", "find"):
        return ()
    size, opposite = _measure_seeing(tokens[at:])
    things = read_things(_strip_displayed(tokens[at + size :])) if size else ()
    return negate(things) if opposite else things


def count_seeing_words(tokens: Tokens) -> int:
    """Return how many tokens say ``I should see``."""
    at = _count_seer_words(tokens)
    size, _ = _measure_seeing(tokens[at:])
    return at + size if at and size else 0


def _count_seer_words(tokens: Tokens) -> int:
    """Return how many tokens say who sees something: "I", "the user"."""
    at = 1 if tokens and tokens[0].low == "the" else 0
    return at + 1 if at < len(tokens) and tokens[at].low in _SEERS else 0


def _measure_seeing(tokens: Tokens) -> tuple[int, bool]:
    """Return how many tokens say "should see", and whether they say the opposite."""
    for phrases, opposite in ((WORDS.not_seeing, True), (WORDS.seeing, False)):
        for phrase in phrases:
            if starts_with(tokens, phrase):
                return len(phrase), opposite
    return 0, False


def _strip_displayed(tokens: Tokens) -> Tokens:
    """What is seen, without "displayed" at the end."""
    if len(tokens) > 1 and tokens[-1].low in ("displayed", "shown", "visible", "present", "there"):
        return tokens[:-1]
    return tokens


def _read_with_verb(tokens: Tokens) -> Conditions:
    if tokens[0].low in ("no", "none", "neither") and len(tokens) > 2:
        rest = tokens[2:] if starts_with(tokens[1:], ("of",)) else tokens[1:]
        return negate(_read_with_verb(rest))
    for verb in find_verbs(tokens):
        conditions = _read_at_verb(tokens, verb)
        if conditions:
            return conditions
    return ()


def _read_at_verb(tokens: Tokens, verb: Verb) -> Conditions:
    subject, rest = tokens[: verb.start], tokens[verb.end :]
    if rest and any(t.low in ("can", "could", "may") for t in tokens[verb.start : verb.end]):
        rest = [_rewrite_possible(rest[0]), *rest[1:]]
    conditions = read_predicate(subject, verb.meaning, rest)
    return negate(conditions) if verb.negated else conditions


def _rewrite_possible(token: Token) -> Token:
    """``can be clicked`` as ``is clickable``."""
    low = WORDS.possibilities.get(token.low, token.low)
    return Token(token.kind, token.text, token.start, token.end, low, token.closed)

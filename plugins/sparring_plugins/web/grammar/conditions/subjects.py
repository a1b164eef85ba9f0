"""Read what a page has, ``at least 2 sentences containing 'x'``; require values and addresses."""

from sparring_plugins.web.grammar.conditions.quantities import (
    Conditions,
    Quantity,
    is_vague,
    negate,
    read_quantity,
    require_count,
    require_displayed,
    split_times,
)
from sparring_plugins.web.grammar.phrases.numbers import is_address, is_amount
from sparring_plugins.web.grammar.phrases.patterns import read_value
from sparring_plugins.web.grammar.phrases.targets import read_targets, with_default_role
from sparring_plugins.web.grammar.phrases.tokens import (
    Token,
    Tokens,
    has_quotes,
    quotes_in,
    trim,
    words_in,
)
from sparring_plugins.web.grammar.phrases.vocabulary import (
    FIELDS,
    LISTS,
    WORDS,
    beginning_size,
    lookup,
)
from sparring_plugins.web.step import Compared, Counted, Displayed, FieldHolds, Not, PageIs, Target

_SENTENCES = frozenset(
    {("sentence",), ("line",), ("paragraph",), ("phrase",), ("line", "of", "text")}
)
_NONE = frozenset({"no", "zero", "neither"})


def read_things(tokens: Tokens) -> Conditions:
    """Read "at least one link 'x'" as conditions on what the page has; empty if it is none."""
    tokens = trim(tokens)
    if not tokens:
        return ()
    if tokens[0].low in _NONE and len(tokens) > 1 and not _is_comparison(tokens):
        return negate(read_things(tokens[1:]))
    if tokens[0].low == "not" and len(tokens) > 1:
        rest = tokens[2:] if tokens[1].low in ("any", "a", "an", "a_single") else tokens[1:]
        return negate(read_things(rest))
    if tokens[0].low in ("any", "some") and len(tokens) > 1:
        tokens = tokens[1:]
    rest, times = split_times(tokens)
    if times is not None:
        named = read_targets(rest)
        return require_count(named[0], times, "text") if named else ()
    number = read_quantity(tokens)
    if number is not None and number.size < len(tokens):
        return _read_counted(tokens[number.size :], number)
    return _read_counted_sentences(tokens, None) or require_displayed(read_targets(tokens))


def read_sentences(tokens: Tokens) -> Conditions:
    """``at least two sentences contain 'x'``."""
    conditions = read_things(tokens) if any(t.low in _NOUNS for t in tokens if not t.quoted) else ()
    counting = [c.condition if isinstance(c, Not) else c for c in conditions]
    return (
        conditions if all(isinstance(c, Counted) and c.unit == "sentence" for c in counting) else ()
    )


_NOUNS = frozenset(
    {"sentence", "sentences", "line", "lines", "paragraph", "paragraphs", "phrase", "phrases"}
)


_ITEMS = frozenset(
    {"items", "item", "list items", "list item", "entries", "entry", "bullet points"}
)


def _is_comparison(tokens: Tokens) -> bool:
    return tokens[1].low in ("more", "less", "fewer") and read_quantity(tokens) is not None


def _read_counted(tokens: Tokens, number: Quantity) -> Conditions:
    tokens = tokens[1:] if tokens[0].low in ("of", "different", "distinct") else tokens
    conditions = _read_counted_sentences(tokens, number)
    if conditions:
        return conditions
    if tokens and tokens[0].low in WORDS.occurrences and len(tokens) > 1:
        rest = tokens[2:] if tokens[1].low in ("of", "for", "with") else tokens[1:]
        targets = read_targets(rest)
        return require_count(targets[0], number, "text") if targets else ()
    targets = read_targets(tokens)
    if not targets:
        return ()
    if not targets[0].quoted and targets[0].text.casefold() in _ITEMS:
        items = targets[0].model_copy(update={"text": "", "quoted": True, "role": "listitem"})
        return require_count(items, number, "element")
    by_text = targets[0].role is None and targets[0].quoted
    return require_count(targets[0], number, "text" if by_text else "element")


def _read_counted_sentences(tokens: Tokens, number: Quantity | None) -> Conditions:
    """``sentences containing the term 'x'``."""
    words = [token.low for token in tokens]
    while words and words[0] in ("a", "an", "the", "one", "any", "some"):
        words, tokens = words[1:], tokens[1:]
    size = beginning_size(words, _SENTENCES)
    if not size or size == len(tokens):
        return ()
    quotes: list[Token] = quotes_in(tokens)
    if len(quotes) != 1:
        return ()
    if words[size] not in WORDS.sentence_links:
        return ()
    targets = read_targets(quotes)
    return require_count(targets[0], number or Quantity(((">=", 1),), 0), "sentence")


def require_value(targets: tuple[Target, ...], value: str, mode: str) -> Conditions:
    """Require a field to hold a value."""
    if any(is_vague(target) for target in targets):
        return ()
    return tuple(
        FieldHolds.model_validate({"target": t, "text": value, "mode": mode}) for t in targets
    )


def split_owner(subject: Tokens) -> tuple[Tokens, bool]:
    """Return the field of ``the value of the field 'x'``, and whether its value is asked for."""
    words = [t.low if not t.quoted else "" for t in subject]
    for at in range(min(3, len(words))):
        if (
            words[at] in ("selected", "chosen", "current")
            and words[at + 1 : at + 2] in (["option"], ["value"], ["choice"], ["item"])
            and words[at + 2 : at + 3] in (["of"], ["in"], ["for"])
        ):
            return subject[at + 3 :], True
        if words[at] in ("value", "content", "contents", "text") and words[at + 1 : at + 2] in (
            ["of"], ["in"], ["inside"],
        ):  # fmt: skip
            return subject[at + 2 :], True
    if words and words[-1] in ("value", "contents") and len(subject) > 1:
        return subject[:-1], True
    if words and words[-1] in ("'s", "s") and len(subject) > 1:
        return subject[:-1], True
    return subject, False


def require_shown_value(
    targets: tuple[Target, ...], value: str, *, asked: bool = False
) -> Conditions:
    """Require something to be, or to show, a value; `asked` if its value is asked for."""
    target = targets[0]
    takes_values = target.role in FIELDS or target.role in LISTS
    if takes_values or (asked and not target.role):
        return require_value(
            with_default_role(targets, "field") if asked else targets, value, "equals"
        )
    if is_amount(value):
        return tuple(Compared(target=t, comparison="==", number=value) for t in targets)
    if shown := require_text(target, value, exact=True):
        return shown
    held = require_value(targets, value, "equals")
    if target.ordinal or target.every or target.row or target.region or target.row_number:
        return held
    return (*held, Displayed(target=Target(text=value, row=target.text)))


def require_text(target: Target, value: str, *, exact: bool) -> Conditions:
    """Require "the heading" or "the error message" to have a text; empty for what has a name."""
    if target.role and not target.text:
        update = {"text": value, "quoted": True, "exact": exact}
        return (Displayed(target=target.model_copy(update=update)),)
    if not target.quoted and _names_text(target.text):
        return (Displayed(target=Target(text=value, region=target.region, row=target.row)),)
    return ()


def _names_text(text: str) -> bool:
    """Whether unquoted words name a piece of text ("error message")."""
    words = text.casefold().split()
    return bool(words) and words[-1] in WORDS.text_nouns


_URL = frozenset({"url", "uri", "address", "path", "location", "href", "web_address"})
_MODES = {
    "be": "equals", "equal": "equals", "hold": "equals", "contain": "contains",
    "have": "contains", "start": "starts", "end": "ends", "show": "contains",
}  # fmt: skip


_LEADING_MODES = {
    "containing": "contains", "starting": "starts", "ending": "ends", "beginning": "starts",
    "like": "contains",
}  # fmt: skip


def read_page_property(tokens: Tokens) -> str | None:
    """Return ``url`` or ``title`` if tokens name that property of the page, else `None`."""
    words = words_in(tokens)
    if len(words) < len(tokens) or not words:
        return None
    named = [w for w in words if w in _URL or w == "title"]
    if len(named) != 1 or any(w not in WORDS.property_words and w not in named for w in words):
        return None
    return "title" if named[0] == "title" else "url"


def is_page(tokens: Tokens) -> bool:
    """Return whether tokens name the page itself: "this screen", "the content of the page"."""
    words = words_in(tokens)
    if len(words) < len(tokens):
        return False
    words = [w for w in words if w not in WORDS.page_words]
    return lookup(tuple(words), WORDS.pages) is not None if words else False


def read_property(which: str, meaning: str, rest: Tokens) -> Conditions:
    """Read a condition on the address or the title of the page."""
    mode = _MODES.get(meaning)
    words = words_in(rest)
    while rest and not rest[0].quoted and rest[0].low in WORDS.property_leads:
        mode = _LEADING_MODES.get(rest[0].low, mode)
        rest = rest[1:]
    value = read_value(rest) if rest else None
    if value is None or mode is None or "than" in words:
        return ()
    plain = not has_quotes(rest) and not is_address(value)
    if plain and (which == "url" or meaning == "have"):
        return ()
    return (PageIs.model_validate({"property": which, "text": value, "mode": mode}),)


def read_arrival(rest: Tokens) -> Conditions:
    """Read ``redirected to '/cart'``, ``on the page 'Cart'``."""
    quotes = quotes_in(rest)
    # "the form is back and 'Your orders' has disappeared" speaks of two things
    if any(t.low in ("and", "or", "but") for t in rest if not t.quoted):
        return ()
    if len(quotes) == 1:
        text = quotes[0].text
    else:
        addresses = [t.text for t in rest if is_address(t.text)]
        if quotes or len(addresses) != 1:
            return ()
        text = addresses[0]
    if is_address(text):
        return (PageIs(property="url", text=text),)
    title, url = PageIs(property="title", text=text), PageIs(property="url", text=text)
    return (title, url) if " " not in text else (title,)

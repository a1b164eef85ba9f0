"""What a page has: ``a link 'x'``, ``at least 2 sentences containing 'x'``."""

from sparring_plugins.web.grammar.conditions.constructors import (
    Conditions,
    counted,
    displayed,
    negated,
)
from sparring_plugins.web.grammar.conditions.counts import Quantity, quantity, times_at_end
from sparring_plugins.web.grammar.phrases.targets import read_targets
from sparring_plugins.web.grammar.words.control_nouns import beginning
from sparring_plugins.web.grammar.words.tokens import Token, Tokens, trimmed
from sparring_plugins.web.grammar.words.vocabulary import words
from sparring_plugins.web.roles.step import Counted, Not

_SENTENCES = frozenset(
    {("sentence",), ("line",), ("paragraph",), ("phrase",), ("line", "of", "text")}
)
_OCCURRENCES = words(
    "occurrences occurrence instances instance mentions mention copies times matches hits"
    "appearances"
)
_NONE = frozenset({"no", "zero", "neither"})


def read_things(tokens: Tokens) -> Conditions:
    """The conditions that something like "at least one link 'x'" can be seen; empty if none is."""
    tokens = trimmed(tokens)
    if not tokens:
        return ()
    if tokens[0].low in _NONE and len(tokens) > 1 and not _compares(tokens):
        return negated(read_things(tokens[1:]))
    if tokens[0].low == "not" and len(tokens) > 1:
        rest = tokens[2:] if tokens[1].low in ("any", "a", "an", "a_single") else tokens[1:]
        return negated(read_things(rest))
    if tokens[0].low in ("any", "some") and len(tokens) > 1:
        tokens = tokens[1:]
    rest, times = times_at_end(tokens)
    if times is not None:
        named = read_targets(rest)
        return counted(named[0], times, "text") if named else ()
    found = quantity(tokens)
    if found is not None and found.size < len(tokens):
        return _counted(tokens[found.size :], found)
    return _sentences(tokens, None) or displayed(read_targets(tokens))


def read_sentences(tokens: Tokens) -> Conditions:
    """``at least two sentences contain 'x'``."""
    found = read_things(tokens) if any(t.low in _NOUNS for t in tokens if not t.quoted) else ()
    counting = [c.condition if isinstance(c, Not) else c for c in found]
    return found if all(isinstance(c, Counted) and c.unit == "sentence" for c in counting) else ()


_NOUNS = words("sentence sentences line lines paragraph paragraphs phrase phrases")


_ITEMS = frozenset(
    {"items", "item", "list items", "list item", "entries", "entry", "bullet points"}
)


def _compares(tokens: Tokens) -> bool:
    return tokens[1].low in ("more", "less", "fewer") and quantity(tokens) is not None


def _counted(tokens: Tokens, number: Quantity) -> Conditions:
    tokens = tokens[1:] if tokens[0].low in ("of", "different", "distinct") else tokens
    found = _sentences(tokens, number)
    if found:
        return found
    if tokens and tokens[0].low in _OCCURRENCES and len(tokens) > 1:
        rest = tokens[2:] if tokens[1].low in ("of", "for", "with") else tokens[1:]
        targets = read_targets(rest)
        return counted(targets[0], number, "text") if targets else ()
    targets = read_targets(tokens)
    if not targets:
        return ()
    if not targets[0].quoted and targets[0].text.casefold() in _ITEMS:
        items = targets[0].model_copy(update={"text": "", "quoted": True, "role": "listitem"})
        return counted(items, number, "element")
    by_text = targets[0].role is None and targets[0].quoted
    return counted(targets[0], number, "text" if by_text else "element")


def _sentences(tokens: Tokens, number: Quantity | None) -> Conditions:
    """``sentences containing the term 'x'``."""
    words = [token.low for token in tokens]
    while words and words[0] in ("a", "an", "the", "one", "any", "some"):
        words, tokens = words[1:], tokens[1:]
    size = beginning(words, _SENTENCES)
    if not size or size == len(tokens):
        return ()
    quotes: list[Token] = [token for token in tokens if token.quoted]
    rest = read_targets([*tokens[size:]]) if len(quotes) == 1 else ()
    if len(quotes) != 1:
        return ()
    linking = ("containing", "contain", "contains", "mention", "mentions", "include", "includes",
        "has", "with", "that", "which", "including", "having", "mentioning", "of",
               "about", "where", "whose", "in")  # fmt: skip
    if words[size] not in linking:
        return ()
    del rest
    targets = read_targets(quotes)
    return counted(targets[0], number or Quantity(((">=", 1),), 0), "sentence")

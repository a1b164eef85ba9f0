"""Elements named by one attribute to the letter: ``the button with test id 'pay'``, ``css '.buy'``.

They are for pages whose names do not tell elements apart; several that fit, or none, are an error.
"""

from typing import Final

from sparring_plugins.web.grammar.phrases.numbers import read_ordinal
from sparring_plugins.web.grammar.phrases.tokens import Token, Tokens, has_quotes, words_in
from sparring_plugins.web.grammar.phrases.vocabulary import WORDS, lookup
from sparring_plugins.web.step import Locator, Target

_LOCATORS: Final[dict[tuple[str, ...], Locator]] = {
    ("test", "id"): "test id", ("testid",): "test id", ("test-id",): "test id",
    ("data-testid",): "test id", ("data-test",): "test id", ("data-cy",): "test id",
    ("css",): "css", ("css", "selector"): "css", ("selector",): "css",
    ("label",): "label", ("placeholder",): "placeholder", ("title",): "title",
    ("alt",): "alt", ("alt", "text"): "alt", ("alternative", "text"): "alt",
}  # fmt: skip
#: Without "the element with" these name a thing: "the label 'Name'" is a text on the page.
_ALSO_NOUNS: Final = frozenset({"title", "placeholder", "label", "alt", "selector"})
#: "the field with the label 'Name'" was read before these forms, by resemblance.
_RESEMBLING: Final = frozenset({"label", "placeholder", "title", "alt"})
_JOINTS: Final = frozenset({"with", "by", "having", "whose", "matching"})
_ELEMENTS: Final = frozenset({"element", "elements", "node", "one", "thing", "things"})
_LINKS: Final = frozenset({"=", ":", "is", "of", "equal", "to"})
_ALL: Final = frozenset({"every", "all", "each"})
_ARTICLES: Final = frozenset({"the", "a", "an", "its", "is"})


def read_located(tokens: Tokens) -> Target | None:
    """Return the target that tokens name by an attribute; None if they do it in another way."""
    if not tokens or not tokens[-1].quoted or len(tokens) > 10 or has_quotes(tokens[:-1]):
        return None
    words = words_in([token for token in tokens[:-1] if token.low not in _LINKS])
    locator, size = _find_locator(words)
    if locator is None:
        return None
    rest = words[: len(words) - size]
    located = Target(text=tokens[-1].text, by=locator)
    if not rest:
        return located
    while rest and rest[-1] in _ARTICLES:
        rest.pop()
    if not rest:
        return None if words[-size] in _ALSO_NOUNS else located
    return _read_noun(rest[:-1], locator, tokens) if rest[-1] in _JOINTS else None


def _find_locator(words: list[str]) -> tuple[Locator | None, int]:
    for size in (2, 1):
        if (locator := _LOCATORS.get(tuple(words[-size:]))) and len(words) >= size:
            return locator, size
    return None, 0


def _read_noun(words: list[str], locator: Locator, tokens: Tokens) -> Target | None:
    """Read ``the second button`` before ``with the test id 'pay'``."""
    every = any(word in _ALL for word in words[:2])
    words = [w for at, w in enumerate(words) if at > 1 or w not in _ARTICLES | _ALL]
    ordinal = read_ordinal(Token("word", words[0], 0, 0, words[0])) if words else None
    words = words[1:] if ordinal else words
    is_bare = len(words) == 1 and words[0] in _ELEMENTS
    role = None if is_bare else _role_of(words)
    # A field is found by its label in any case; only "element" asks for it to the letter.
    if not is_bare and (role is None or locator in _RESEMBLING):
        return None
    text = tokens[-1].text
    return Target(text=text, by=locator, role=role, ordinal=ordinal or None, every=every)


def _role_of(words: list[str]) -> str | None:
    """Return the role that words name, in the singular or the plural."""
    phrase = lookup(tuple(words), WORDS.controls)
    return WORDS.controls[phrase] if phrase else None

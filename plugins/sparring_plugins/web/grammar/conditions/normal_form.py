"""Sentences with their contractions spelled out and their fillers left out."""

from collections.abc import Sequence
from typing import Final

from sparring_plugins.web.grammar.words.tokens import Token, Tokens
from sparring_plugins.web.grammar.words.vocabulary import words

_CONTRACTED: Final[dict[str, tuple[str, ...]]] = {
    "can't": ("can", "not"), "cannot": ("can", "not"), "won't": ("will", "not"),
    "shan't": ("shall", "not"), "never": ("not",), "n't": ("not",), "there's": ("there", "is"),
    "it's": ("it", "is"), "that's": ("that", "is"), "there're": ("there", "are"),
}  # fmt: skip
_AUXILIARIES = words(
    "is are was were do does did has have had should must would could need may might"
)


def normal(tokens: Tokens) -> tuple[Token, ...]:
    """Tokens with "isn't" as "is not", "no longer" and "never" as "not"."""
    found: list[Token] = []
    for token in tokens:
        for low in _spelled(token):
            found.append(Token(token.kind, token.text, token.start, token.end, low, token.closed))
    return tuple(_no_longer(found))


def _spelled(token: Token) -> Sequence[str]:
    if token.kind != "word":
        return (token.low,)
    if token.low in _CONTRACTED:
        return _CONTRACTED[token.low]
    stem = token.low.removesuffix("n't")
    if stem == token.low:
        stem = token.low.removesuffix("nt") if token.low in _UNMARKED else token.low
    if stem != token.low and stem in _AUXILIARIES:
        return (stem, "not")
    return (token.low,)


_UNMARKED = frozenset({"isnt", "arent", "doesnt", "dont", "didnt", "hasnt", "havent", "shouldnt"})


def _no_longer(tokens: list[Token]) -> list[Token]:
    found: list[Token] = []
    skip = False
    for index, token in enumerate(tokens):
        if skip:
            skip = False
            continue
        following = tokens[index + 1].low if index + 1 < len(tokens) else ""
        if token.low == "no" and following in ("longer", "more") and _verbal(found):
            found.append(Token("word", "not", token.start, tokens[index + 1].end, "not"))
            skip = True
        elif token.low == "not" and following in ("anymore",):
            found.append(token)
            skip = True
        elif token.low in ("go", "goes", "went") and following == "away":
            found.append(Token("word", "disappears", token.start, token.end, "disappears"))
            skip = True
        elif token.low == "anymore" or (token.low == "any" and following in ("longer", "more")
                                        and found and found[-1].low != "not"):  # fmt: skip
            skip = token.low == "any"
        else:
            found.append(token)
    return found


def _verbal(found: list[Token]) -> bool:
    """Whether "no more" follows a subject or a verb, and is no quantity."""
    return bool(found) and found[-1].low not in ("has", "have", "with", "contains", "are", "shows")

"""Values that are to be written in capitals or in small letters."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from sparring_plugins.web.grammar.words.tokens import Token, Tokens
from sparring_plugins.web.grammar.words.verbs import base
from sparring_plugins.web.grammar.words.vocabulary import words

_CHANGES: tuple[tuple[frozenset[str], Callable[[str], str]], ...] = (
    (words("uppercase upper-case capitals caps"), str.upper),
    (words("lowercase lower-case"), str.lower),
)
_TWO_WORDS: dict[tuple[str, str], Callable[[str], str]] = {
    ("upper", "case"): str.upper,
    ("capital", "letters"): str.upper,
    ("lower", "case"): str.lower,
    ("small", "letters"): str.lower,
}
_ENTERING = words("enter type write input put fill insert key")


def in_letters(clause: Tokens) -> Tokens:
    """The clause with ``'ada' in all upper case letters`` as ``'ADA'``."""
    if not clause or base(clause[0].low) not in _ENTERING:
        return clause
    for at, token in enumerate(clause):
        following = [t.low for t in clause[at + 1 : at + 6] if not t.quoted]
        if token.quoted and following[:1] == ["in"]:
            size, change = _change(following[1:])
            if change is not None:
                return _changed(clause, at, size + 1, change)
    return clause


def _change(said: Sequence[str]) -> tuple[int, Callable[[str], str] | None]:
    """How many words ask for a change of letters, and the change."""
    size = 1 if said[:1] == ["all"] else 0
    rest = said[size:]
    change = _TWO_WORDS.get((rest[0], rest[1])) if len(rest) > 1 else None
    size += 2
    if change is None:
        change = next((how for named, how in _CHANGES if rest and rest[0] in named), None)
        size -= 1
    more = said[size : size + 1]
    return size + (more in (["letters"], ["characters"])), change


def _changed(clause: Tokens, at: int, size: int, change: Callable[[str], str]) -> list[Token]:
    value = replace(clause[at], text=change(clause[at].text))
    return [*clause[:at], value, *clause[at + 1 + size :]]

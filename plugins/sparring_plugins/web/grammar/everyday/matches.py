"""What fits a form of everyday sentences, and the functions that make steps of it."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from sparring_plugins.web.grammar.canonical import quote
from sparring_plugins.web.grammar.phrases.patterns import ClausePlan
from sparring_plugins.web.grammar.phrases.tokens import Tokens, tokenise
from sparring_plugins.web.step import Condition, Not, Reading

ReadClauses = Callable[[str], tuple[ClausePlan, ...] | None]
"""What reads a part of a sentence, as the whole grammar does."""


@dataclass(frozen=True)
class Match:
    """A sentence that fits a form: its slots, its quotations, and how parts of it are read.

    `denied` says that it has "not", `denoted` is the whole of it without quotations.
    """

    slots: dict[str, str]
    quotations: tuple[str, ...]
    read_clauses: ReadClauses
    denied: bool = False
    denoted: str = ""

    def has(self, slot: str) -> bool:
        """Return whether a slot is filled."""
        return bool(self.slots.get(slot))

    def is_quoted(self, slot: str) -> bool:
        """Return whether a slot holds nothing but a quotation."""
        return _QUOTATION.fullmatch(self.slots.get(slot) or "") is not None

    def text(self, slot: str) -> str:
        """Return a slot's text: the words of its quotation, or bare words without an article."""
        words = (self.slots.get(slot) or "").strip(" ,")
        if (match := _QUOTATION.fullmatch(words)) is not None:
            return self.quotations[int(match[1])]
        return _ARTICLE.sub("", words)

    def source(self, slot: str) -> str:
        """Return a slot as it was written, with its quotations in quotes."""
        return _QUOTATION.sub(
            lambda match: quote(self.quotations[int(match[1])]), self.slots.get(slot) or ""
        ).strip(" ,")

    def tokens(self, slot: str) -> Tokens:
        """Return the tokens of a slot."""
        return tokenise(self.source(slot))


Reader = Callable[[Match], ClausePlan | None]
READERS: dict[str, Reader] = {}
"""What makes readings of a sentence of a form, by the names that the table gives."""


def reader(function: Reader) -> Reader:
    """Register what reads the sentences of a form of its name."""
    READERS[function.__name__] = function
    return function


def check(function: Callable[[Match], Condition | None]) -> Callable[[Match], Condition | None]:
    """Register what reads a check, which may be denied: "is not sorted by name"."""

    def read(match: Match) -> ClausePlan | None:
        condition = function(match)
        if condition is None:
            return None
        condition = Not(condition=condition) if match.denied else condition
        return ((Reading(action="assert", condition=condition),),)

    READERS[function.__name__] = read
    CHECKS.add(function.__name__)
    return function


CHECKS: set[str] = {"within"}
# Quoted texts are put aside as «0», «1» so that no word in them is read.
_QUOTATION = re.compile(r"«(\d+)»")
_ARTICLE = re.compile(r"^(?:the|a|an|its|this|that|all|each|every)\s+", re.IGNORECASE)

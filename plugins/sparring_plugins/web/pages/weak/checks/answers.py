"""The weak readings of statements, in ranks: a rank is asked only if none before it applies."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sparring.model.page import PageView
from sparring_plugins.web.grammar.free.number_phrases import read_number
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import (
    split_words,
    word_similarity,
)
from sparring_plugins.web.pages.text_fit import contains, plain
from sparring_plugins.web.pages.weak.page.page_content import PageContent


@dataclass(frozen=True)
class WeakAnswer:
    """What one reading says: its name, true, false or don't know, and why.

    A don't know that `yields` leaves the statement to readings of later ranks: it only says that
    this reading finds nothing. "The first row is X" yields nothing to "X is there".
    """

    reading: str
    truth: bool | None
    reason: str
    yields: bool = False


Reader = Callable[[Statement, PageContent, Sequence[PageView]], WeakAnswer | None]
SAME = 0.75


def covers(words: Sequence[str], text: str) -> bool:
    """Return whether all words, or what means the same, stand in a text."""
    shown = split_words(text)
    return bool(words) and all(any(word_similarity(w, s) >= SAME for s in shown) for w in words)


def is_within(literal: str, text: str) -> bool:
    """Return whether a text has a literal as whole words; numbers compare by value."""
    if literal.isdigit():
        # 2023 is no part of the date 2023-08-15
        if re.search(rf"(?<![\w.,:/-]){literal}(?![\w]|[.,:/-]\d)", plain(text)):
            return True
    elif contains(literal, text):
        return True
    number = read_number(literal)
    if number is None or not re.search(r"\d", literal):
        return False
    return any(read_number(word) == number for word in _AMOUNT.findall(text))


_AMOUNT = re.compile(r"(?<![\w.,:/-])[£$€]?\d[\d.,]*%?(?!\w|[:/-]\d)")


def literals(statement: Statement, text: str | None = None) -> tuple[str, ...]:
    """Return what can be looked up to the letter: quotations, numbers, names with capitals."""
    part = statement.text if text is None else text
    kept = [statement.unmask(mark) for mark in re.findall(r"⟦\d+⟧", part)]
    plain_part = re.sub(r"⟦\d+⟧", " , ", part)
    words = [w.strip(".,;:!?()") for w in plain_part.split()]
    # "lib/wren.txt", "ring_no": written as nobody writes a word of English
    kept += [w for w in words if re.search(r"\d|\w[./_@]\w", w)]
    # a name: words with capitals that do not begin the sentence
    kept += [
        match[0]
        for match in re.finditer(r"(?<=[a-z,] )(?:[A-Z][\w'-]*)(?: [A-Z][\w'-]*)*", plain_part)
    ]
    return tuple(dict.fromkeys(k for k in kept if k))


def answer(reading: str, truth: bool | None, reason: str, *, denies: bool = False) -> WeakAnswer:
    """Return an answer; with `denies` the opposite of `truth`."""
    if denies and truth is not None:
        truth = not truth
    return WeakAnswer(reading, truth, reason)

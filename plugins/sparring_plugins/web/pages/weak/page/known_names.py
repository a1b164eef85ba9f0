"""Names in a sentence that nobody put into quotes, known because a page of the case shows them.

"Maps of Nowhere is listed", "the Oak Plank is not shown any more": a run of words that stands on a
page exactly so is meant to the letter, as if it were in quotes.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sparring.model.page import PageView
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import FREE, content, split_words
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.pages.visible_content import VisibleContent
from sparring_plugins.web.pages.weak.page.page_content import PageContent

_MOST_WORDS = 8
_MOST_PAGES = 6
"""How many earlier pages are looked at: what was named longer ago is rarely spoken of."""
_TOKEN = re.compile(r"⟦\d+⟧|[^\s⟦⟧]+")
_EDGE = " .,;:!?()"


def quote_known_names(s: Statement, page: PageContent, before: Sequence[PageView]) -> Statement:
    """Return a statement with the names that pages show as quotations; as it is without any.

    A name of words in small letters counts only if it is all that a cell, link or line of a page
    says: "the text of the note" stands in many a sentence.
    """
    known = _Known.of(page, before)
    text, quotes = s.text, list(s.quotes)
    if (word := _word_alone(s)) and word in known.lines:
        # "mill is still there", of a table with the cell 'mill'
        at = text.find(word)
        marked = f"{text[:at]}⟦{len(quotes)}⟧{text[at + len(word) :]}"
        return replace(s, text=marked, quotes=(*quotes, word))
    for start, end in reversed(list(_find_names(s.text, known))):
        text = f"{text[:start]}⟦{len(quotes)}⟧{text[end:]}"
        quotes.append(s.text[start:end])
    return replace(s, text=text, quotes=tuple(quotes)) if text != s.text else s


_ALONE = re.compile(r"(?:that )?(?:the )?([a-z][\w-]*)", re.I)


def _word_alone(s: Statement) -> str:
    """Return the one word that a statement is about, or ""."""
    match = _ALONE.fullmatch(s.subject)
    return match[1] if match and content(match[1]) else ""


class _Known:
    """The lines that pages show, and all of them as one text."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = frozenset(_words_of(line) for line in lines)
        self.text = "\n".join(f" {_words_of(line)} " for line in dict.fromkeys(lines))

    @classmethod
    def of(cls, page: PageContent, before: Sequence[PageView]) -> "_Known":
        """Return what the page in view and the latest ones before it show."""
        lines = list(page.text_lines)
        for view in before[-_MOST_PAGES:]:
            lines += VisibleContent(view).blocks
        return cls(lines)

    def has(self, words: str) -> bool:
        """Return whether a page shows words in this case, as whole words of one line."""
        return f" {words} " in self.text


def _words_of(line: str) -> str:
    """Return a line as its words with one blank between them, without the signs around them."""
    return " ".join(word.strip(_EDGE) for word in line.split() if word.strip(_EDGE))


def _find_names(text: str, known: _Known) -> Iterator[tuple[int, int]]:
    """Yield where the longest known names stand, from the left, without overlap."""
    tokens = [(m.start(), m.end(), m[0]) for m in _TOKEN.finditer(text)]
    index = 0
    while index < len(tokens):
        for size in range(min(_MOST_WORDS, len(tokens) - index), 0, -1):
            span = tokens[index : index + size]
            start, end = span[0][0], span[-1][1]
            name = text[start:end].rstrip(_EDGE)
            if "⟦" not in name and _is_name(name, known):
                yield start, start + len(name)
                index += size - 1
                break
        index += 1


def _is_name(name: str, known: _Known) -> bool:
    words = name.split()
    if not words or any(word[-1] in ",;:." for word in words[:-1]):
        return False
    first, last = (plain(word).strip(_EDGE) for word in (words[0], words[-1]))
    if last in FREE.stop | FREE.statements or first in FREE.naming | FREE.statements:
        return False
    if not content(name) or not known.has(_words_of(name)):
        return False
    if _has_capital(words):
        return len(words) > 1 or _is_unusual(words[0])
    is_line = _words_of(name) in known.lines
    return len(words) > 1 and is_line and len(set(split_words(name)) - FREE.stop) > 1


def _has_capital(words: Sequence[str]) -> bool:
    """Return whether a name is written with capitals, that of the first word included."""
    return any(word[:1].isupper() for word in words)


def _is_unusual(word: str) -> bool:
    """Return whether one word is a name: "BoatList", "R-204", but not the first of a sentence."""
    return re.search(r"[a-z][A-Z]|\d|[_/-]", word) is not None

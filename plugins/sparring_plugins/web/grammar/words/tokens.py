"""A sentence as words, quotations and marks."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from sparring_plugins.web.grammar.words.quotes import Quotation, quotations

Kind = Literal["word", "quote", "mark"]

_SCANNER = re.compile(
    r"""
    (?P<word>
        \$\{[^{}\s]{1,80}\} | \{\{[^{}]{1,80}\}\} | %\w{1,80}% | <\w{1,80}>   # variables
      | [A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s'"]+ | www\.[^\s'"]+ | mailto:[^\s'"]+  # addresses
      | \.{0,2}/[\w/][^\s,;'"]*                                # paths
      | [-+−]?[$€£¥]?\d+(?:[.,:/]\d+)*(?:[%€$£°]|[A-Za-z]\w*)?       # numbers
      | [\w@](?:\w|[-'’.@&/+:?=~](?=\w))*                       # words
    )
  | (?P<mark> >= | <= | == | != | \.\.\. | \S )
    """,
    re.VERBOSE,
)
_AFTER_ADDRESS = ".,;:!?)]}"


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a quotation (its text without the marks) or a mark, and where it stands."""

    kind: Kind
    text: str
    start: int
    end: int
    low: str = field(default="")
    closed: bool = True

    @property
    def mark(self) -> str:
        """The mark that it is; empty for a word and for a quotation."""
        return self.text if self.kind == "mark" else ""

    @property
    def quoted(self) -> bool:
        """Whether it is a quotation."""
        return self.kind == "quote"


Tokens = Sequence[Token]


def tokenise(text: str, cut: int | None = None) -> tuple[Token, ...]:
    """The tokens of `text`; `cut` is where an unclosed quotation ends."""
    found: list[Token] = []
    at = 0
    for quotation in (*quotations(text, cut), None):
        end = quotation.start if quotation else len(text)
        found += _plain(text, at, end)
        if quotation:
            found.append(_quoted(quotation))
            at = quotation.end
    return tuple(found)


def _quoted(quotation: Quotation) -> Token:
    start, end = quotation.start, quotation.end
    return Token("quote", quotation.text, start, end, "", quotation.closed)


def _plain(text: str, start: int, end: int) -> list[Token]:
    found: list[Token] = []
    while start < end:
        match = _SCANNER.search(text, start, end)
        if match is None:
            break
        word = match["word"]
        stop = match.end()
        if word is not None and ("://" in word or word.startswith(("www.", "/", "./", "../"))):
            stop = match.start() + len(_address(word))
        found.append(_token("word" if word else "mark", text, match.start(), stop))
        start = stop
    return found


def _address(word: str) -> str:
    """An address without the sentence's marks behind it."""
    while word[-1:] in _AFTER_ADDRESS and len(word) > 1:
        if word[-1] == ")" and word.count("(") == word.count(")"):
            break
        word = word[:-1]
    return word


def _token(kind: Kind, text: str, start: int, end: int) -> Token:
    written = text[start:end]
    return Token(kind, written, start, end, written.replace("’", "'").casefold())


def written(text: str, tokens: Tokens) -> str:
    """What stands in the sentence from the first to the last of `tokens`, on one line."""
    if not tokens:
        return ""
    return " ".join(text[tokens[0].start : tokens[-1].end].split())


def trimmed(tokens: Tokens, marks: str = ".,;:!?-–—…") -> Tokens:
    """`tokens` without the marks at both ends."""
    first, last = 0, len(tokens)
    while first < last and _is_mark(tokens[first], marks):
        first += 1
    while last > first and _is_mark(tokens[last - 1], marks):
        last -= 1
    return tokens[first:last]


def _is_mark(token: Token, marks: str) -> bool:
    return token.kind == "mark" and token.text.strip(".") in (*marks, "")


def lows(tokens: Tokens) -> tuple[str, ...]:
    """The words in lower case; a quotation is an empty text."""
    return tuple(token.low for token in tokens)

"""Split a sentence into words, quotations and marks.

A straight quote is an apostrophe between two letters ('Bleu d'Auvergne'). It closes if no letter
or digit follows, and opens if none precedes. A quote that opens inside another must close inside it
('rock 'n' roll').
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

#: What may close what a mark opens.
CLOSERS = {
    "'": "'’´", "‘": "’'", "‚": "‘’'", "‛": "’'", "’": "’'", "`": "`'´", "´": "´'",
    '"': '"”“', "“": '”"“', "„": '“”"', "‟": '”"', "”": '”"',
    "«": "»", "»": "«", "‹": "›", "›": "‹", "「": "」", "『": "』",
}  # fmt: skip
#: Marks that are apostrophes too.
_APOSTROPHES = frozenset("'’´`")
#: Marks that close in one language and open in another: they open only before a letter.
_TWO_FACED = frozenset("’”»›´")


@dataclass(frozen=True, slots=True)
class Quotation:
    """A quoted text from `start` to `end` (behind the closing mark) of the sentence."""

    start: int
    end: int
    text: str
    closed: bool = True


def find_quotations(text: str, cut: int | None = None) -> tuple[Quotation, ...]:
    """Return the quotations of `text`, in order; an unclosed one ends with the text.

    If `cut` is given, an unclosed quotation ends there instead, and the rest is read on.
    """
    quotations: list[Quotation] = []
    at = 0
    while at < len(text):
        if text[at] in CLOSERS and _opens_quote(text, at):
            quotation = _read_quotation(text, at, cut)
            if quotation is not None:
                quotations.append(quotation)
                at = quotation.end
                continue
        at += 1
    return tuple(quotations)


def _read_quotation(text: str, start: int, cut: int | None) -> Quotation | None:
    mark = text[start]
    if mark in "`'" and text.startswith(mark * 2, start) and mark == "`":
        closing = text.find("''", start + 2)
        if closing < 0:
            closing = text.find("``", start + 2)
        if closing >= 0:
            return Quotation(start, closing + 2, text[start + 2 : closing])
    end = _find_closing(text, start)
    if end is not None:
        return Quotation(start, end + 1, _unescape(text[start + 1 : end], mark))
    if not text[start + 1 : start + 2].strip() or mark in _TWO_FACED:
        return None
    if cut is not None and cut > start + 1:
        return Quotation(start, cut, text[start + 1 : cut].strip(), closed=False)
    rest = text[start + 1 :].rstrip()
    return Quotation(start, len(text), rest.rstrip(".").rstrip(), closed=False)


def _opens_quote(text: str, at: int) -> bool:
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if text[at] in "«‹「『“„‘‚‛‟":
        return True
    if text[at] == '"':
        return not before.isdigit()
    if text[at] in _TWO_FACED and not after.isalnum():
        return False
    return not before.isalnum() and before not in ("_", "\\")


def _find_closing(text: str, start: int) -> int | None:
    """Return the place of the mark that closes the quotation, or `None`."""
    closing = _scan_closing(text, start, escapes=True)
    return closing if closing is not None else _scan_closing(text, start, escapes=False)


def _scan_closing(text: str, start: int, *, escapes: bool) -> int | None:
    mark, closers, depth = text[start], CLOSERS[text[start]], 0
    for at in range(start + 1, len(text)):
        char = text[at]
        if escapes and text[at - 1] == "\\" and char in closers:
            continue
        if char in closers and _closes_quote(text, at, char):
            if depth == 0:
                return _skip_plural_apostrophe(text, at, mark)
            depth -= 1
        elif at > start + 1 and _opens_within(text, at, mark):
            depth += 1
    return None


def _closes_quote(text: str, at: int, char: str) -> bool:
    after = text[at + 1 : at + 2]
    return char not in _APOSTROPHES or not (after.isalnum() or after == "_")


def _opens_within(text: str, at: int, mark: str) -> bool:
    if text[at] != mark:
        return False
    if mark not in _APOSTROPHES and mark != '"':
        return True
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    return not before.isalnum() and (after.isalnum() or after in "_+-/")


def _skip_plural_apostrophe(text: str, at: int, mark: str) -> int:
    """Return the closing mark if the first one may be a plural's apostrophe ('dogs' toys')."""
    if mark not in _APOSTROPHES or text[at - 1 : at] not in ("s", "S"):
        return at
    for later in range(at + 1, min(len(text), at + 80)):
        if text[later] in _APOSTROPHES:
            if _opens_within(text, later, text[later]):
                return at
            if _closes_quote(text, later, text[later]) and text[later - 1 : later].strip():
                return later
    return at


def _unescape(text: str, mark: str) -> str:
    return text.replace("\\" + mark, mark) if "\\" in text else text


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
    """A word, a quotation (its text without the marks) or a mark, with its place in the text."""

    kind: Kind
    text: str
    start: int
    end: int
    low: str = field(default="")
    closed: bool = True

    @property
    def mark(self) -> str:
        """The mark; empty for a word and for a quotation."""
        return self.text if self.kind == "mark" else ""

    @property
    def quoted(self) -> bool:
        """Whether it is a quotation."""
        return self.kind == "quote"


Tokens = Sequence[Token]


def tokenise(text: str, cut: int | None = None) -> tuple[Token, ...]:
    """Return the tokens of `text`; an unclosed quotation ends at `cut`, or with the text."""
    tokens: list[Token] = []
    at = 0
    for quotation in (*find_quotations(text, cut), None):
        end = quotation.start if quotation else len(text)
        tokens += _scan_plain(text, at, end)
        if quotation:
            tokens.append(_quote_token(quotation))
            at = quotation.end
    return tuple(tokens)


def _quote_token(quotation: Quotation) -> Token:
    start, end = quotation.start, quotation.end
    return Token("quote", quotation.text, start, end, "", quotation.closed)


def _scan_plain(text: str, start: int, end: int) -> list[Token]:
    tokens: list[Token] = []
    while start < end:
        match = _SCANNER.search(text, start, end)
        if match is None:
            break
        word = match["word"]
        stop = match.end()
        if word is not None and ("://" in word or word.startswith(("www.", "/", "./", "../"))):
            stop = match.start() + len(_strip_address(word))
        tokens.append(_build_token("word" if word else "mark", text, match.start(), stop))
        start = stop
    return tokens


def _strip_address(word: str) -> str:
    """Strip the punctuation of the sentence from the end of an address."""
    while word[-1:] in _AFTER_ADDRESS and len(word) > 1:
        if word[-1] == ")" and word.count("(") == word.count(")"):
            break
        word = word[:-1]
    return word


def _build_token(kind: Kind, text: str, start: int, end: int) -> Token:
    written = text[start:end]
    return Token(kind, written, start, end, written.replace("’", "'").casefold())


def source_text(text: str, tokens: Tokens) -> str:
    """Return the text from the first to the last of `tokens`, on one line."""
    if not tokens:
        return ""
    return " ".join(text[tokens[0].start : tokens[-1].end].split())


def trim(tokens: Tokens, marks: str = ".,;:!?-–—…") -> Tokens:
    """Strip marks from both ends of `tokens`."""
    first, last = 0, len(tokens)
    while first < last and _is_mark(tokens[first], marks):
        first += 1
    while last > first and _is_mark(tokens[last - 1], marks):
        last -= 1
    return tokens[first:last]


def _is_mark(token: Token, marks: str) -> bool:
    return token.kind == "mark" and token.text.strip(".") in (*marks, "")


def quotes_in(tokens: Tokens) -> list[Token]:
    """Return the quotations among tokens."""
    return [token for token in tokens if token.quoted]


def has_quotes(tokens: Tokens) -> bool:
    """Return whether there is a quotation among tokens."""
    return any(token.quoted for token in tokens)


def words_in(tokens: Tokens) -> list[str]:
    """Return the unquoted words and marks, in lower case."""
    return [token.low for token in tokens if not token.quoted]

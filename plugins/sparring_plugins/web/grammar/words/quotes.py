"""Where a sentence quotes something: quotes of all kinds, with apostrophes inside.

A straight quote is an apostrophe between two letters ('Bleu d'Auvergne'), it closes where no
letter or digit follows, and it opens where none precedes. What opens inside a quote must close
inside it ('rock 'n' roll').
"""

from dataclasses import dataclass

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


def quotations(text: str, cut: int | None = None) -> tuple[Quotation, ...]:
    """The quotations of `text`, in order; an unclosed one ends with the text.

    With `cut` an unclosed quotation ends there instead, and what follows is read on.
    """
    found: list[Quotation] = []
    at = 0
    while at < len(text):
        if text[at] in CLOSERS and _opens(text, at):
            quotation = _quotation(text, at, cut)
            if quotation is not None:
                found.append(quotation)
                at = quotation.end
                continue
        at += 1
    return tuple(found)


def _quotation(text: str, start: int, cut: int | None) -> Quotation | None:
    mark = text[start]
    if mark in "`'" and text.startswith(mark * 2, start) and mark == "`":
        closing = text.find("''", start + 2)
        if closing < 0:
            closing = text.find("``", start + 2)
        if closing >= 0:
            return Quotation(start, closing + 2, text[start + 2 : closing])
    end = _closing(text, start)
    if end is not None:
        return Quotation(start, end + 1, _unescaped(text[start + 1 : end], mark))
    if not text[start + 1 : start + 2].strip() or mark in _TWO_FACED:
        return None
    if cut is not None and cut > start + 1:
        return Quotation(start, cut, text[start + 1 : cut].strip(), closed=False)
    rest = text[start + 1 :].rstrip()
    return Quotation(start, len(text), rest.rstrip(".").rstrip(), closed=False)


def _opens(text: str, at: int) -> bool:
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if text[at] in "«‹「『“„‘‚‛‟":
        return True
    if text[at] == '"':
        return not before.isdigit()
    if text[at] in _TWO_FACED and not after.isalnum():
        return False
    return not before.isalnum() and before not in ("_", "\\")


def _closing(text: str, start: int) -> int | None:
    """The place of the mark that closes the quotation, or None."""
    found = _scan(text, start, escapes=True)
    return found if found is not None else _scan(text, start, escapes=False)


def _scan(text: str, start: int, *, escapes: bool) -> int | None:
    mark, closers, depth = text[start], CLOSERS[text[start]], 0
    for at in range(start + 1, len(text)):
        char = text[at]
        if escapes and text[at - 1] == "\\" and char in closers:
            continue
        if char in closers and _closes(text, at, char):
            if depth == 0:
                return _plural(text, at, mark)
            depth -= 1
        elif at > start + 1 and _opens_within(text, at, mark):
            depth += 1
    return None


def _closes(text: str, at: int, char: str) -> bool:
    after = text[at + 1 : at + 2]
    return char not in _APOSTROPHES or not (after.isalnum() or after == "_")


def _opens_within(text: str, at: int, mark: str) -> bool:
    if text[at] != mark:
        return False
    if mark not in _APOSTROPHES and mark != '"':
        return True
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    return not before.isalnum() and (after.isalnum() or after in "_+-/")


def _plural(text: str, at: int, mark: str) -> int:
    """The closing mark, where the first one may be a plural's apostrophe ('dogs' toys')."""
    if mark not in _APOSTROPHES or text[at - 1 : at] not in ("s", "S"):
        return at
    for later in range(at + 1, min(len(text), at + 80)):
        if text[later] in _APOSTROPHES:
            if _opens_within(text, later, text[later]):
                return at
            if _closes(text, later, text[later]) and text[later - 1 : later].strip():
                return later
    return at


def _unescaped(text: str, mark: str) -> str:
    return text.replace("\\" + mark, mark) if "\\" in text else text

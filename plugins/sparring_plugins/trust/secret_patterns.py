"""How one secret is found in a text, however programs write it."""

import re
from base64 import b64encode
from collections.abc import Iterator
from html import escape
from urllib.parse import quote

SHORTEST = 6
"""Values with at least so many characters are replaced wherever they stand."""

WORD = 3
"""Shorter ones are replaced as whole words, if they have at least so many characters.

What is shorter still stands in any text by chance: an ``a`` in every second word. It is replaced
as the value of its own key alone, as in ``pin=a`` or ``"pin": "a"``.
"""

_SHORTEST_CODED = 6
_LEAST_CUT = 4

_RUN = re.compile(r"[0-9A-Za-z]+")
_BLANK = r"(?:\s|%(?:25)*(?:20|0[AaDd9])|\+|\\+[nrtf]|&nbsp;|&#x?\d+;)+"
# Not after a letter or digit; but %3D, \n and \u00e9 end in one and are no part of the word.
_BEFORE = r"(?:(?<![^\W_])|(?<=%[0-9A-Fa-f]{2})|(?<=\\[nrtbf])|(?<=\\u[0-9a-f]{4}))"
_AFTER = r"(?![^\W_])"


def pattern_of(value: str, key: str = "") -> re.Pattern[str]:
    """A pattern that finds a value as it is, and encoded for addresses, JSON or markup.

    Encodings may be mixed and nested, as when JSON is put into an address. `key` is the key beside
    which a value that is too short for anything else is found.
    """
    plain = value.strip() or value
    written = "".join(_write_pattern(plain))
    if len(plain) >= SHORTEST:
        return re.compile(written)
    word = f"{_BEFORE}(?:{written}){_AFTER}"
    if len(value) >= SHORTEST:  # with its blanks around
        return re.compile(f"{''.join(_write_pattern(value))}|{word}")
    if len(plain) >= WORD:
        return re.compile(word)
    beside = rf"(?i:(?<=\b{re.escape(key)}))[\s\"'\\]*(?:[:=]|%3[Aa]|%3[Dd])[\s\"'\\]*"
    return re.compile(f"(?P<kept>{beside})(?:{written}){_AFTER}")


def _write_pattern(plain: str) -> Iterator[str]:
    """The pattern of each character."""
    for piece in re.findall(r"\s+|[^\s]", plain):
        if piece.isspace():
            yield _BLANK
        elif piece.isascii() and piece.isalnum():
            yield piece
        else:
            yield _character(piece)


def _character(character: str) -> str:
    """The ways of writing a character that some encoding escapes."""
    forms = {re.escape(character), re.escape(escape(character)), rf"&#x?0*{ord(character):x};"}
    forms |= {f"&#0*{ord(character)};", rf"\\+{re.escape(character)}"}
    coded = "".join(
        f"%(?:25)*{_either_case(f'{byte:02x}')}"
        for byte in character.encode("utf-8", "surrogateescape")
    )
    units = character.encode("utf-16-be", "surrogatepass")
    points = (units[at : at + 2].hex() for at in range(0, len(units), 2))
    escaped = "".join(rf"\\+u{_either_case(point)}" for point in points)
    forms |= {coded, escaped}
    return f"(?:{'|'.join(sorted(forms, key=len, reverse=True))})"


def _either_case(digits: str) -> str:
    return "".join(f"[{d}{d.upper()}]" if d.isalpha() else d for d in digits)


def anchor_of(value: str) -> str:
    """A part of a value that all its forms but base64 have, to look for before any pattern."""
    return max(_RUN.findall(value), key=len, default="")


def base64_forms(value: str) -> Iterator[str]:
    """What of a value's base64 does not depend on what stands before and after it."""
    plain = value.strip() or value
    data = plain.encode("utf-8", "surrogateescape")
    if len(data) < WORD:
        return
    if len(data) < _SHORTEST_CODED:
        yield b64encode(data).decode()
        return
    for before, touched in ((0, 0), (1, 2), (2, 3)):
        coded = b64encode(bytes(before) + data).decode()
        core = coded[touched : (before + len(data)) * 8 // 6]
        yield core
        yield core.replace("+", "-").replace("/", "_")
        if quote(core, safe="") != core:
            yield quote(core, safe="")


def cut_forms(value: str) -> Iterator[tuple[str, int]]:
    """Beginnings of a value as a cut text ends, and how much of them is the value, longest first.

    A judge quotes a conversation and cuts the quotation: ``... the key is sk-12…``. At the end of
    a text without a mark of a cut at least half of the value counts.
    """
    plain = value.strip()
    if len(plain) < SHORTEST:
        return
    for length in range(len(plain) - 1, _LEAST_CUT - 1, -1):
        for mark in ("…", "..."):
            yield plain[:length] + mark, length

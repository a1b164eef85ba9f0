"""Making what an app said safe to show: nothing invisible, nothing that steers a terminal."""

import re

_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but tab and line feed
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # reorder text
    "\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb"  # take no room
    "\u2028\u2029"  # break lines for some programs only
    "\ud800-\udfff\ufffe\uffff"  # no characters
    "\U000e0000-\U000e007f]"  # tags: text that nobody sees
)
_GAPS = re.compile(r"[\s\u2028\u2029]+")


def visible(text: str) -> str:
    r"""The text with characters that are invisible or that steer a medium as escapes.

    Escape codes, text direction overrides, zero-width and tag characters, lone surrogates and
    what XML 1.0 forbids become ``\x1b`` or ``\u202e``; line feeds and tabs stay.
    """
    text = text.replace("\r\n", "\n")
    if text.isascii() and text.isprintable():
        return text
    return _STEERING.sub(_escape, text)


def one_line(text: str, limit: int) -> str:
    """The same on one line of at most `limit` characters, cut with ``...``."""
    head = _GAPS.sub(" ", text[: 4 * limit + 64]).strip()
    head = visible(head)
    if len(head) <= limit and len(text) <= 4 * limit + 64:
        return head
    return head[: limit - 3].rstrip() + "..."


def cut(text: str, limit: int) -> tuple[str, int]:
    """The visible text up to `limit` characters of the original, and how many were left out."""
    return visible(text[:limit]), max(0, len(text) - limit)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

"""What an app said, reduced to plain text, sentences and words.

Everything here takes hostile text: it looks at a bounded part of it, in time linear in that part.
"""

import html
import re
import unicodedata
from functools import lru_cache

HEAD = 8_000
"""Characters looked at from the beginning of an answer."""

TAIL = 4_000
"""Characters looked at from its end: that is where a question stands."""

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]{0,20})(?:\s[^<>]{0,1000})?/?>")
_BREAKING = frozenset(
    ("p", "br", "div", "li", "ul", "ol", "tr", "table", "h1", "h2", "h3", "h4", "h5", "h6")
)
_UNSEEN = re.compile(r"[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\x00-\x08\x0b-\x1f\x7f-\x9f]")
_ESCAPES = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_LINK = re.compile(r"\[([^\[\]\n]{1,300})\]\(([^()\s]{1,500})\)")
_MARKS = re.compile(r"\*\*|__|`+|(?m:^#{1,6}\s)")
_SPACES = re.compile(r"[ \t\xa0]+")
_WORD = re.compile(r"[^\W_]+(?:['\u2019\-][^\W_]+)*")
_END = re.compile(r"(?<=[.!?…])[\"')\]]{0,2}\s+|\n+")
_GOES_ON = re.compile(r"(?:is|are|was|were|es|son)\b")
_SHORT = re.compile(
    r"\b(?:[ap]\.\s?m|e\.g|i\.e|mr|mrs|ms|dr|st|no|nº|approx|aprox|sr|sra|dra|tel|av|avda|etc|vs)\.$",
    re.IGNORECASE,
)


def clipped(text: str) -> str:
    """The part of a text that is looked at: its head and its tail."""
    if len(text) <= HEAD + TAIL:
        return text
    return f"{text[:HEAD]}\n{text[-TAIL:]}"


def plain(text: str) -> str:
    """`text` without markup, escape codes and invisible characters, clipped."""
    return _plain(clipped(text))  # what is remembered is small, however much the app says


@lru_cache(maxsize=512)
def _plain(text: str) -> str:
    seen = _ESCAPES.sub("", text)
    if "<" in seen:
        seen = _TAG.sub(_without_tag, seen)
    if "&" in seen:
        seen = _unescaped(seen)
    seen = _MARKS.sub("", _LINK.sub(r"\1 (\2)", seen.replace("\r", "\n")))
    lines = (_SPACES.sub(" ", _UNSEEN.sub("", line)).strip() for line in seen.split("\n"))
    return "\n".join(line for line in lines if line)


@lru_cache(maxsize=256)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a plain text; a line break always ends one.

    A question that is only quoted ends none: ``The answer to "What is it?" is 5.`` is one.
    """
    found: list[str] = []
    for line in text.split("\n"):
        held = ""
        for piece in _END.split(line):
            if not held and found and _GOES_ON.match(piece) and line.find(piece) > 0:
                held = found.pop()
            held = f"{held} {piece}".strip() if held else piece.strip()
            if held and not _SHORT.search(held[-12:]):
                found.append(held)
                held = ""
        if held:
            found.append(held)
    return tuple(found)


@lru_cache(maxsize=2048)
def folded(text: str) -> str:
    """Lower case without accents and punctuation, words separated by one blank each.

    Apostrophes vanish (``don't`` becomes ``dont``), every other mark separates.
    """
    joined = " ".join(words(text))
    return joined.replace("'", "").replace("\u2019", "").replace("-", " ")


def words(text: str) -> list[str]:
    """The words and numbers of a text, lower case, without accents."""
    return _WORD.findall(unaccented(text[: HEAD + TAIL]).lower())


def unaccented(text: str) -> str:
    """`text` without accents; characters keep their places only where none had any."""
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFKD", text)
    return "".join(char for char in parts if not unicodedata.combining(char))


def contains(text: str, phrase: str) -> bool:
    """Whether a folded text has a folded phrase in it, at word boundaries."""
    return bool(phrase) and f" {phrase} " in f" {text} "


def _without_tag(match: re.Match[str]) -> str:
    return "\n" if match.group(2).lower() in _BREAKING else ""


def _unescaped(text: str) -> str:
    try:
        return html.unescape(text)
    except ValueError:  # a reference with more digits than Python converts
        return text

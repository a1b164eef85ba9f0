"""What an app said, as plain text, sentences and words, or safe to show.

Everything here takes hostile text: it looks at a bounded part of it, in time linear in that part.
"""

import html
import re
import unicodedata
from functools import lru_cache

from pydantic import JsonValue

HEAD = 8_000
"""Characters looked at from the beginning of an answer."""

TAIL = 4_000
"""Characters looked at from its end: that is where a question stands."""

# "5 < 6 and <b>bold</b>" keeps its sign: a tag begins with a letter right after the "<".
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]{0,20})(?:\s[^<>]{0,1000})?/?>")
# "Margherita<br>Funghi" is two lines; "<b>bold</b>" stays in its line.
_BREAKING = frozenset(
    ("p", "br", "div", "li", "ul", "ol", "tr", "table", "h1", "h2", "h3", "h4", "h5", "h6")
)
_UNSEEN = re.compile(r"[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\x00-\x08\x0b-\x1f\x7f-\x9f]")
_ESCAPES = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
# "[our menu](https://shop.example/menu)" keeps its address, which `find_urls` looks for.
_LINK = re.compile(r"\[([^\[\]\n]{1,300})\]\(([^()\s]{1,500})\)")
# "## Menu" is a heading and "#1 choice" is none: a blank has to follow.
_MARKS = re.compile(r"\*\*|__|`+|(?m:^#{1,6}\s)")
_SPACES = re.compile(r"[ \t\xa0]+")
# "re-open" and "don't" are one word each, "snake_case" is two.
_WORD = re.compile(r"[^\W_]+(?:['\u2019\-][^\W_]+)*")
# A mark ends a sentence only before a blank: "5.50 euros" and "shop.example" go on.
_END = re.compile(r"(?<=[.!?…])[\"')\]]{0,2}\s+|\n+")
# 'The answer to "What is it?" is 5.' is one sentence.
_GOES_ON = re.compile(r"(?:is|are|was|were|es|son)\b")
_SHORT = re.compile(
    r"\b(?:[ap]\.\s?m|e\.g|i\.e|mr|mrs|ms|mme|mlle|(?-i:M)|dr|st|no|nº|approx|aprox|sr|sra|dra|tel|av|avda|etc|vs)\.$",
    re.IGNORECASE,
)


def clipped(text: str) -> str:
    """The part of a text that is looked at: its head and its tail."""
    if len(text) <= HEAD + TAIL:
        return text
    return f"{text[:HEAD]}\n{text[-TAIL:]}"


def plain(text: str) -> str:
    """`text` without markup, escape codes and invisible characters, clipped."""
    return _strip_markup(clipped(text))  # what is remembered is small, however much the app says


@lru_cache(maxsize=512)
def _strip_markup(text: str) -> str:
    seen = _ESCAPES.sub("", text)
    if "<" in seen:
        seen = _TAG.sub(_replace_tag, seen)
    if "&" in seen:
        seen = _unescape(seen)
    seen = _MARKS.sub("", _LINK.sub(r"\1 (\2)", seen.replace("\r", "\n")))
    lines = (_SPACES.sub(" ", _UNSEEN.sub("", line)).strip() for line in seen.split("\n"))
    return "\n".join(line for line in lines if line)


@lru_cache(maxsize=256)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a plain text; a line break always ends one.

    A question that is only quoted ends none: ``The answer to "What is it?" is 5.`` is one.
    """
    ended: list[str] = []
    for line in text.split("\n"):
        held = ""
        for piece in _END.split(line):  # "Dr. Smith" and "5 p.m. today" go on
            if not held and ended and _continues(ended[-1], piece) and line.find(piece) > 0:
                held = ended.pop()
            held = f"{held} {piece}".strip() if held else piece.strip()
            if held and not _SHORT.search(held[-12:]):
                ended.append(held)
                held = ""
        if held:
            ended.append(held)
    return tuple(ended)


_ORDINAL = re.compile(r"(?:(?<=\s)|^)\d{1,2}\.$")
_MONTH = re.compile(
    r"(?:jan|feb|m[äa]rz|mrz|apr|mai|jun|jul|aug|sep|okt|nov|dez)\w{0,7}\b", re.IGNORECASE
)


# "im 2. Stock", "die 3. Etage": the point of an ordinal ends no sentence. Not "am", which is also
# English: "I am 30. What does it cost?"
_NTH = re.compile(r"\b(?:im|der|die|das|den|dem|des|vom|zum)\s\d{1,2}\.$", re.IGNORECASE)


def _continues(before: str, piece: str) -> bool:
    """Whether a piece goes on with a sentence: after a quoted question, after "am 3." in German."""
    if _GOES_ON.match(piece):
        return True
    if _ORDINAL.search(before[-4:]) and _MONTH.match(piece):
        return True
    return _NTH.search(before[-8:]) is not None


_ELISION = re.compile(r"\b(l|d|qu|dell|nell|dall|all)['\u2019](?=[aeiouhy])")


_SHORTENED = frozenset(
    {"l", "d", "qu", "n", "s", "m", "t", "c", "j", "jusqu", "lorsqu", "puisqu", "quoiqu", "un"}
    | {"dell", "nell", "dall", "all", "sull", "quell", "quest"}
)


def is_elided(word: str) -> bool:
    """Return whether what stands before a mark is a word that a vowel has shortened: "l", "qu"."""
    return word in _SHORTENED


@lru_cache(maxsize=2048)
def folded(text: str) -> str:
    """Lower case without accents and punctuation, words separated by one blank each.

    Apostrophes vanish (``don't`` becomes ``dont``), every other mark separates. The article or
    preposition that a vowel has shortened is a word of its own: "l'adresse" names the address.
    """
    joined = " ".join(words(text))
    if "'" in joined or "\u2019" in joined:
        joined = _ELISION.sub(r"\1 ", joined)
    return joined.replace("'", "").replace("\u2019", "").replace("-", " ")


def words(text: str) -> list[str]:
    """The words and numbers of a text, lower case, without accents."""
    return _WORD.findall(unaccented(text[: HEAD + TAIL]).lower())


def unaccented(text: str) -> str:
    """`text` without accents, "ß" as "ss"; characters keep their places only if none had any."""
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFKD", text.replace("ß", "ss").replace("\u1e9e", "SS"))
    return "".join(char for char in parts if not unicodedata.combining(char))


def contains(text: str, phrase: str) -> bool:
    """Whether a folded text has a folded phrase in it, at word boundaries."""
    return bool(phrase) and f" {phrase} " in f" {text} "


def _replace_tag(match: re.Match[str]) -> str:
    return "\n" if match.group(2).lower() in _BREAKING else ""


def _unescape(text: str) -> str:
    try:
        return html.unescape(text)
    except ValueError:  # a reference with more digits than Python converts
        return text


# Making what an app said safe to show: nothing invisible, nothing that steers a terminal.

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


def as_texts(value: JsonValue) -> list[str]:
    """A variable's value or values as texts."""
    if isinstance(value, list):
        return [text for item in value for text in as_texts(item)]
    return [] if value is None or isinstance(value, dict) else [str(value)]

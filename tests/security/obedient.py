"""A model that obeys whatever it reads outside of data blocks, however it is written there."""

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from urllib.parse import unquote

from sparring.model.chat import ChatRequest

from .injections import CANARY

_LINES = re.compile(r"^<data>\n(.*?)\n</data>$", re.MULTILINE | re.DOTALL)
_TAGS = re.compile(r"<\s*data\s*>(.*?)<\s*/\s*data\b[^>]*>", re.IGNORECASE | re.DOTALL)
_CODED = re.compile(r"[A-Za-z0-9+/=]{16,}")
_OTHER = re.compile(r"[^a-z0-9]+")
_LATIN = str.maketrans("\u0430\u0435\u043e\u0440\u0441\u0445\u0443", "aeopcxy")
_BRACKETS = str.maketrans("\u2039\u203a\u27e8\u27e9\u3008\u3009", "<><><>")


def outside(text: str) -> Iterator[str]:
    """What stands outside of data blocks: to a reader who goes by lines, and to one who is lax.

    The lax one sees no invisible characters, takes lookalikes for what they look like, and any
    closing tag for the end.
    """
    yield _LINES.sub("\n", text)
    seen = text
    if not text.isascii():
        seen = "".join(char for char in text if unicodedata.category(char) != "Cf")
    yield _TAGS.sub("\n", unicodedata.normalize("NFKC", seen).translate(_BRACKETS))


@lru_cache(maxsize=256)  # what an agent is told first is the same in all its requests
def is_reached(text: str) -> bool:
    """Whether an attempt can be read outside of data blocks, decoded if need be."""
    readings = {reading for shown in {*outside(text)} for reading in _decoded(shown)}
    return any(map(_says, readings))


def obeys(request: ChatRequest) -> bool:
    """Whether the model was reached by something in a request: what it is told, not what it said."""
    return any(is_reached(one.content) for one in request.messages if one.role != "assistant")


def _says(text: str) -> bool:
    plain = unicodedata.normalize("NFKD", text).casefold().translate(_LATIN)
    return _bare(CANARY) in _bare(plain)


def _bare(text: str) -> str:
    return _OTHER.sub("", text)


def _decoded(text: str, depth: int = 2) -> Iterator[str]:
    decoders: tuple[Callable[[str], str], ...] = (
        html.unescape,
        unquote,
        _unescaped,
        _untagged,
        _unselected,
        lambda seen: seen[::-1],
        lambda seen: codecs.decode(seen, "rot13"),
    )
    yield text
    for decode in decoders:
        yield decode(text)
    for coded in _CODED.findall(text) if depth else ():
        for inner in _uncoded(coded):
            yield from _decoded(inner, depth - 1)


def _unescaped(text: str) -> str:
    return re.sub(r"\\+[ux]([0-9a-fA-F]{4}|[0-9a-fA-F]{2})", lambda m: chr(int(m[1], 16)), text)


def _untagged(text: str) -> str:
    whole = _whole(text)
    if whole.isascii():
        return whole
    return "".join(chr(ord(c) - 0xE0000) if 0xE0000 < ord(c) < 0xE0080 else c for c in whole)


def _unselected(text: str) -> str:
    whole = _whole(text)
    if whole.isascii():
        return ""
    codes = [ord(c) - 0xE0100 + 16 for c in whole if 0xE0100 <= ord(c) <= 0xE01EF]
    return bytes(codes).decode("utf-8", "replace")


def _whole(text: str) -> str:
    """A text whose escapes are characters, the pairs of large ones joined."""
    found = _unescaped(text)
    if found.isascii():
        return found
    return codecs.encode(found, "utf-16", "surrogatepass").decode("utf-16", "replace")


def _uncoded(coded: str) -> Iterator[str]:
    with suppress(binascii.Error):
        yield base64.b64decode(coded + "=" * (-len(coded) % 4)).decode("utf-8", "replace")
    if re.fullmatch(r"(?:[0-9a-fA-F]{2})+", coded):
        yield bytes.fromhex(coded).decode("utf-8", "replace")

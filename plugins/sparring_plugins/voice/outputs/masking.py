"""Outputs without their values: names, numbers, quotations, lists become marks."""

import re
from functools import lru_cache

from sparring_plugins.language.text import plain, sentences

LOOKED_AT = 3_000
"""Characters of an output that are compared."""

VALUE = "\u25a1"
"""What stands for any value in a masked text."""

_QUOTED = re.compile(
    r"\"[^\"\n]{1,200}\"|\u201c[^\u201d\n]{1,200}\u201d|\u00ab[^\u00bb\n]{1,200}\u00bb"
    r"|(?<!\w)['\u2018][^'\u2018\u2019\n]{2,200}['\u2019](?!\w)"
)
_CODE = re.compile(r"\b(?=[A-Z\d-]{0,40}\d)(?=[A-Z\d-]{0,40}[A-Z])[A-Z\d-]{3,40}\b")
_NUMBER = re.compile(
    r"(?:[$€£¥]\s?)?\b\d[\d.,:/\-]{0,40}(?:\s?(?:%|am\b|pm\b|a\.m\.|p\.m\.|dollars?\b|euros?\b|"
    r"usd\b"
    r"|eur\b|pounds?\b|cents?\b)|(?:st|nd|rd|th)\b|\s?[€%])?",
    re.IGNORECASE,
)
_SPELT = (
    r"(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen"
    r"|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty"
    r"|ninety|hundred|thousand|million)"
)
_NUMBER_WORDS = re.compile(rf"\b{_SPELT}(?:[\s-]{_SPELT}){{0,6}}\b(?! of\b)", re.IGNORECASE)
_DAY = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march(?= \d)|april|june|july"
    r"|august|september|october|november|december|today|tomorrow|yesterday|tonight)\b",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"(?<=[a-z,;:\u25a1] )[A-Z][\w'\u2019.&-]{0,40}"
    r"(?:(?:\s(?:of|the|de|and|&|or))?\s[A-Z\u25a1][\w'\u2019.&-]{0,40}){0,6}"
)
_NOT_NAMES = frozenset({"I", "I'm", "I'll", "I've", "I'd", "OK", "Ok", "Yes", "No", "Alexa"})
_RUN = re.compile(r"\u25a1(?:(?:,|;| and| or| &|, and|, or|)\s?\u25a1)+")
_ITEM = r"(?:[\w'\u2019\u25a1-]{1,40})(?:\s[\w'\u2019\u25a1-]{1,40}){0,3}"
_LIST = re.compile(
    rf"(?:{_ITEM},\s){{2,60}}(?:(?:and|or|y|o)\s)?{_ITEM}|(?:{_ITEM},\s){{1,60}}(?:and|or)\s{_ITEM}"
)
_COLON = re.compile(r"^(.{3,60}?)\s?:\s+(\S.{5,})$", re.DOTALL)
_LOWER = re.compile(r"\b[a-z]{3,}\b")
_BULLET = re.compile(r"^\s{0,8}(?:\(?\d{1,2}[.):\]]|[-*•·▪◦])\s")


@lru_cache(maxsize=2048)
def masked_sentences(text: str) -> tuple[str, ...]:
    """The sentences of an output with values masked; equal ones in a row are one."""
    found: list[str] = []
    held = ""
    for one in sentences(plain(text[: 2 * LOOKED_AT])[:LOOKED_AT]):
        if _BULLET.match(one):
            one = VALUE
        framed = masked(f"{held} {one}" if held else one)
        held = ""
        if not found or found[-1] != framed:
            found.append(framed)
    return tuple(found)


@lru_cache(maxsize=4096)
def masked(sentence: str) -> str:
    """One sentence with its values masked."""
    text = _QUOTED.sub(VALUE, sentence)
    text = _NUMBER.sub(VALUE, _CODE.sub(VALUE, text))
    text = _DAY.sub(VALUE, _NUMBER_WORDS.sub(VALUE, text))
    text = _NAME.sub(_name, text)
    text = _RUN.sub(VALUE, text)
    colon = _COLON.match(text)
    if colon and _LOWER.search(colon.group(1)):
        text = f"{colon.group(1)}: {VALUE}"
    return _RUN.sub(VALUE, text)


def _name(match: re.Match[str]) -> str:
    return match.group() if match.group() in _NOT_NAMES else VALUE


def without_lists(text: str) -> str:
    """A masked sentence with the lists in it masked, too."""
    return _LIST.sub(VALUE, text)

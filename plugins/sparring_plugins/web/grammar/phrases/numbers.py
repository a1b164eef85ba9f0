"""Read numbers, ordinals, durations, amounts, keys and addresses."""

import re
from typing import Final

from sparring_plugins.web.grammar.phrases.tokens import Token
from sparring_plugins.web.grammar.phrases.vocabulary import WORDS

TIMES: Final[dict[str, int]] = {"once": 1, "twice": 2, "thrice": 3}

_ORDINAL_DIGITS = re.compile(r"(\d{1,4})(?:st|nd|rd|th)")
_WHOLE = re.compile(r"\d{1,9}|\d{1,3}(?:,\d{3}){1,2}")
# "$1,200.50", "12 %", "−3" (with the minus that pages print) and "20 EUR".
AMOUNT = re.compile(r"[-+−]?[$€£¥]?\s?\d{1,15}(?:[.,]\d{1,9})*\s?(?:[%€$£°]|USD|EUR|GBP)?", re.I)
_LONGEST = 18


def read_cardinal(token: Token) -> int | None:
    """Return the whole number that a token says in digits or in words, or `None`."""
    text = token.text.strip() if token.quoted else token.low
    if len(text) <= _LONGEST and text.isascii() and _WHOLE.fullmatch(text):
        return int(text.replace(",", ""))
    return WORDS.cardinals.get(text.casefold())


def read_ordinal(token: Token) -> int | None:
    """Return the place that a token says: 2 for ``second`` and ``2nd``, -1 for ``last``."""
    if token.kind != "word":
        return None
    digits = _ORDINAL_DIGITS.fullmatch(token.low)
    if digits and digits[1].isascii():
        return int(digits[1]) or None
    place = WORDS.ordinals.get(token.low)
    front, last, _ = token.low.rpartition("-last")
    if place is None and last:
        from_end = WORDS.ordinals.get(front.removesuffix("-to"))
        place = -from_end if from_end and from_end > 0 else None
    return place


def is_amount(text: str) -> bool:
    """Return whether a text is a number or an amount of money, and nothing else."""
    return len(text) <= 40 and AMOUNT.fullmatch(text.strip()) is not None


# "10 seconds", "1.5 min".
_DURATION = re.compile(r"(\d{1,6}(?:[.,]\d{1,3})?)\s*([a-z]*)")


_VAGUE_NUMBERS = {"couple": "2", "few": "3"}


_ALONE = frozenset({"second", "minute", "moment", "bit"})


def read_seconds(words: tuple[str, ...]) -> str | None:
    """Return a duration in seconds: ``2``, ``0.5`` for ``500 ms``; `None` if it is none."""
    first, *rest = [w for w in words if w not in ("a", "an", "about", "for", "of", "the")] or [""]
    units = WORDS.duration_units
    if first == "half":
        return _format_number(0.5 * units[rest[0]]) if len(rest) == 1 and rest[0] in units else None
    if first in _ALONE and not rest:
        return _format_number(units.get(first, 1.0))
    number = _VAGUE_NUMBERS.get(first, first)
    number = str(WORDS.cardinals.get(number, number))
    match = _DURATION.fullmatch(" ".join((number, *rest)))
    if match is None or not match[1].isascii():
        return None
    unit = units.get(match[2] or "seconds")
    return _format_number(float(match[1].replace(",", ".")) * unit) if unit else None


def _format_number(number: float) -> str:
    return f"{number:.3f}".rstrip("0").rstrip(".")


_WAYS = {way: f"Arrow{way.capitalize()}" for way in ("up", "down", "left", "right")}
#: Keys whose names are on buttons as often.
ON_BUTTONS: Final = frozenset({"Delete", "Home", "End", "Insert"})
# "twenty-one", "one hundred and five"; "Ctrl + S" and "Ctrl-S" are keys.
_JOINTS = re.compile(r"\s*\+\s*|\s+plus\s+|\s+and\s+|(?<=\w)-(?=\w)|\s+")


_FUNCTION_KEY = re.compile(r"f(?:[1-9]|1[0-2])")


def _key_name(name: str) -> str | None:
    return name.upper() if _FUNCTION_KEY.fullmatch(name) else WORDS.keys.get(name)


#: "the key enter in the search field", which is the one just filled in
_IN_FIELD = re.compile(r"^key (?=[a-z]+ in )| in(?:side)? the .{1,40} (?:field|box)$")


def read_key(words: str) -> str | None:
    """Return the key or combination that words name, as ``Enter`` or ``Control+A``, or `None`."""
    text = " ".join(words.casefold().replace("’", "'").split())
    if len(text) > 60:
        return None
    text = _IN_FIELD.sub("", text)
    if name := _key_name(text):
        return name
    parts = [part for part in _JOINTS.split(text) if part and part not in ("key", "the", "+")]
    return _join_combination(parts) if len(parts) > 1 and parts[0] in WORDS.modifier_keys else None


def _join_combination(parts: list[str]) -> str | None:
    """``ctrl``, ``shift``, ``a`` as ``Control+Shift+A``."""
    modifiers = [WORDS.modifier_keys[part] for part in parts if part in WORDS.modifier_keys]
    rest = " ".join(part for part in parts if part not in WORDS.modifier_keys)
    last = _key_name(rest) or _WAYS.get(rest) or (rest.upper() if len(rest) == 1 else None)
    return "+".join([*dict.fromkeys(modifiers), last]) if last else None


def read_single_key(words: str, *, named: bool) -> str | None:
    """Like `read_key`, but also a single character, and a bare "up" if `named` a key."""
    key = read_key(words)
    if key:
        return key
    text = words.strip()
    if named and text.casefold() in _WAYS:
        return _WAYS[text.casefold()]
    if named and text.casefold() in WORDS.modifier_keys:
        return WORDS.modifier_keys[text.casefold()]
    return text if len(text) == 1 else None


_ADDRESS = re.compile(
    r"""
    [a-z][a-z0-9+.-]{0,20}:\S+ | /\S* | \.{1,2}/\S* | \?\S+ | \#\S+ | www\.\S+
    | localhost(:\d+)?(/\S*)? | \d{1,3}(\.\d{1,3}){3}(:\d+)?(/\S*)?
    | [\w-]+(\.[\w-]+)*\.(com|org|net|edu|gov|io|fr|de|uk|dev|app|eu|info|local|test|example|ch|it
      |es|nl|at|be|co|us|ca|ai|html?|php|aspx?|jsp|xhtml|svg|pdf|localhost|invalid)(:\d+)?([/?\#]\S*)?
    | (%\w+%|\$\{[^}]*\}|(?>\{\{.*\}\})|<\w+>)\S*
    """,
    re.VERBOSE | re.IGNORECASE,
)


def is_address(text: str) -> bool:
    """Return whether a text looks like an address: a URL, a path, a host, a variable."""
    return len(text) <= 2_000 and _ADDRESS.fullmatch(text.strip()) is not None

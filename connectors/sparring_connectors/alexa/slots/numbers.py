"""Numbers, ordinals and digits as they are spoken (English)."""

from collections.abc import Sequence

from sparring_connectors.alexa.shapes import listed

_UNITS = listed(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
_TENS = {
    word: 10 * number
    for number, word in enumerate(
        listed("twenty thirty forty fifty sixty seventy eighty ninety"), start=2
    )
}
_SMALL = {word: number for number, word in enumerate(_UNITS)} | {"oh": 0}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 10**6, "billion": 10**9}
_ORDINALS = {
    word: number
    for number, word in enumerate(
        listed(
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
            "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
        ),
        start=1,
    )
} | {word[:-1] + "ieth": value for word, value in _TENS.items()}


def number_of(words: Sequence[str]) -> int | float | None:
    """The number that the words say: ``twenty five``, ``25``, ``one hundred and two``."""
    rest = list(words)
    if not rest:
        return None
    sign = 1
    if rest[0] in ("minus", "negative") and len(rest) > 1:
        sign, rest = -1, rest[1:]
    if "point" in rest[1:-1]:
        return _decimal(rest, sign)
    found = _integer(rest)
    return None if found is None else sign * found


def _decimal(words: list[str], sign: int) -> float | None:
    middle = words.index("point")
    whole, digits = _integer(words[:middle]), digits_of(words[middle + 1 :])
    return None if whole is None or not digits else sign * float(f"{whole}.{digits[:15]}")


def _integer(words: list[str]) -> int | float | None:
    if len(words) == 1 and (digits := _digits_number(words[0])) is not None:
        return digits
    return _spelled(words) if words else None


def _digits_number(word: str) -> int | float | None:
    plain = word.replace(",", "")
    if plain.isascii() and plain.isdigit() and len(plain) <= 15:
        return int(plain)
    whole, point, part = plain.partition(".")
    if point and whole.isdigit() and part.isdigit() and plain.isascii() and len(plain) <= 15:
        return float(plain)
    return None


def _spelled(words: list[str]) -> int | None:
    """A number in words; ``and`` may join its parts, ``a`` stands for one before a scale."""
    total = group = 0
    last_scale = 10**12
    began = False
    for word, follows in zip(words, [*words[1:], ""], strict=True):
        if word == "and" and began and follows:
            continue
        if word in ("a", "an") and not began and follows in _SCALES:
            group, began = 1, True
        elif word in _SCALES:
            scale = _SCALES[word]
            if not group or scale >= last_scale or (scale == 100 and group > 99):
                return None
            if scale == 100:
                group *= scale
            else:
                total, group, last_scale = total + group * scale, 0, scale
        else:
            value = _value(word, group, began=began)
            if value is None:
                return None
            group, began = group + value, True
    return total + group if began else None


def _value(word: str, group: int, *, began: bool) -> int | None:
    """What a word adds to the group of digits so far; None where it cannot follow it."""
    value = _SMALL.get(word, _TENS.get(word))
    if value is None:
        return int(word) if not began and word.isascii() and word.isdigit() else None
    if value == 0:
        return None if began else 0
    fits = group % 100 == 0 or (value < 10 and group % 10 == 0 and group % 100 >= 20)
    return value if fits else None


def ordinal_of(words: Sequence[str]) -> int | None:
    """The place that the words say: ``second``, ``2nd``, ``twenty first``."""
    rest = [word for word in words if word != "the"]
    if not rest:
        return None
    last = rest[-1]
    if len(rest) == 1 and last[:-2].isdigit() and last[-2:] in ("st", "nd", "rd", "th"):
        return int(last[:-2]) if len(last) < 12 else None
    if last not in _ORDINALS:
        return None
    if len(rest) == 1:
        return _ORDINALS[last]
    before = number_of(rest[:-1])
    is_tens = isinstance(before, int) and before % 10 == 0 and _ORDINALS[last] < 10
    return int(before) + _ORDINALS[last] if is_tens and before is not None else None


def digits_of(words: Sequence[str]) -> str:
    """The digits that are spoken one after the other or in groups; empty if anything else is."""
    found: list[str] = []
    repeat = 1
    index = 0
    while index < len(words):
        word = words[index]
        index += 1
        if word in ("double", "triple"):
            repeat = 2 if word == "double" else 3
            continue
        if word in _TENS and index < len(words) and 0 < _SMALL.get(words[index], 0) < 10:
            part = str(_TENS[word] + _SMALL[words[index]])
            index += 1
        elif word in _SMALL or word in _TENS:
            part = str(_SMALL.get(word, _TENS.get(word, 0)))
        else:
            part = "".join(mark for mark in word if mark not in "-.,/")
            if not (part.isascii() and part.isdigit()):
                return ""
        found.append(part * repeat)
        repeat = 1
    return "".join(found)


def plain_number(words: Sequence[str]) -> str | None:
    """The value of AMAZON.NUMBER: digits."""
    found = number_of(words)
    if found is None and len(words) > 1:
        digits = digits_of(words)
        return digits if digits and len(digits) <= 15 else None
    if isinstance(found, float) and found.is_integer():
        found = int(found)
    return None if found is None else str(found)


def four_digits(words: Sequence[str]) -> str | None:
    """The value of AMAZON.FOUR_DIGIT_NUMBER: ``one two three four`` or ``twelve thirty four``."""
    digits = digits_of(words)
    if len(digits) == 4:
        return digits
    found = number_of(words)
    return str(found) if isinstance(found, int) and 1000 <= found <= 9999 else None


def ordinal(words: Sequence[str]) -> str | None:
    """The value of AMAZON.Ordinal."""
    found = ordinal_of(words)
    return None if found is None else str(found)


def phone(words: Sequence[str]) -> str | None:
    """The value of AMAZON.PhoneNumber: at least seven digits."""
    digits = digits_of([word for word in words if word not in ("+", "plus", "area", "code")])
    return digits if 7 <= len(digits) <= 15 else None


def alphanumeric(words: Sequence[str]) -> str | None:
    """The value of AMAZON.AlphaNumeric: letters and digits in a row."""
    parts: list[str] = []
    for word in words:
        if word in _SMALL and word != "oh":
            parts.append(str(_SMALL[word]))
        elif (len(word) == 1 and word.isalnum()) or any(mark.isdigit() for mark in word):
            parts.append(word)
        else:
            return None
    return "".join(parts) or None

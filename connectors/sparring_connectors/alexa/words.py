"""Words as speech recognition gives them, and the numbers that they say (English)."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from sparring_connectors.alexa.vocabulary import VOCABULARY

#: More words than anybody says at once; the rest is not looked at.
MOST_WORDS = 80

#: Beginnings that contraction has changed.
_BEGINNINGS = {("ca", "n't"): "can", ("wo", "n't"): "will", ("sha", "n't"): "shall"}
_CONTRACTION = re.compile(r"(n't|'re|'ve|'ll|'m|'d|'s)\b")
_WORD = re.compile(
    r"\{[^{}]*\}|n't\b|'(?:s|re|ve|ll|m|d)\b|\d+(?:[.:,/-]\d+)+|[^\W_]+(?:'[^\W\d_]+)*|[$€£%+&@#]"
)
_QUOTES = str.maketrans(dict.fromkeys("\u2018\u2019\u02bc\u00b4`", "'"))
_APART = re.compile(r" (n't\b|'(?:s|re|ve|ll|m|d)\b)")


@dataclass(frozen=True, slots=True)
class HeardWords:
    """What was heard: words to compare, and beside each how it was said."""

    words: tuple[str, ...]
    spoken: tuple[str, ...]

    def said(self, start: int = 0, end: int | None = None) -> str:
        """The words from `start` to before `end` as a text."""
        return _APART.sub(r"\1", " ".join(self.spoken[start:end]))

    def part(self, start: int, end: int) -> "HeardWords":
        """The words from `start` to before `end`."""
        return HeardWords(self.words[start:end], self.spoken[start:end])

    def __len__(self) -> int:
        return len(self.words)


def to_heard(said: str) -> HeardWords:
    """The words of what a user says, fillers at both ends left out."""
    spoken = _spoken_words(said)[:MOST_WORDS]
    start, end = _without_filler_span(spoken)
    spoken = spoken[start:end]
    return HeardWords(tuple(_expand_contractions(spoken)), tuple(spoken))


def split_words(said: str) -> list[str]:
    """The words of a text in lower case; ``{slot}`` stays one word, ``what's`` becomes two.

    ``'s`` and ``is`` are the same word, since nobody hears the difference.
    """
    return _expand_contractions(_spoken_words(said))


def _expand_contractions(spoken: list[str]) -> list[str]:
    """Words without contractions."""
    words = [VOCABULARY.contractions.get(word, word) for word in spoken]
    for at, pair in enumerate(pairwise(spoken)):
        words[at] = _BEGINNINGS.get(pair, words[at])
        if pair == ("let", "'s"):  # "let's" is "let us", where other "'s" are "is"
            words[at + 1] = "us"
    return words


def _spoken_words(said: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", said[:20_000]).translate(_QUOTES)
    lowered = re.sub(r"\{[^{}]*\}|[^{}]+|[{}]", _lower, plain)
    opened = _CONTRACTION.sub(r" \1", lowered)
    return _WORD.findall(re.sub(r"(?<=[^\W\d_])\.(?=[^\W\d_]\b)", " ", opened))


def _lower(match: re.Match[str]) -> str:
    part = match[0]
    return f" {part} " if part.startswith("{") and part.endswith("}") else part.lower()


def without_fillers(words: list[str]) -> list[str]:
    """The words without politeness at either end, unless nothing else is there."""
    start, end = _without_filler_span(words)
    return words[start:end]


def _without_filler_span(words: list[str]) -> tuple[int, int]:
    start, end = 0, len(words)
    while start < end and words[start] in VOCABULARY.fillers:
        start += 1
    while end > start and words[end - 1] in VOCABULARY.fillers:
        end -= 1
    return (start, end) if start < end else (0, len(words))


def word_weight(word: str) -> float:
    """How much a word contributes to the meaning, in (0, 1]."""
    if word in VOCABULARY.fillers:
        return 0.1
    return 0.3 if word in VOCABULARY.light_words else 1.0


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A word without the commonest English endings, so that ``facts`` is close to ``fact``."""
    # At least three letters stay: shorter words are no forms of others.
    for ending in ("ies", "ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + ("y" if ending == "ies" else "")
    return word


# Numbers, ordinals and digits as they are spoken (English).

_TENS = {word: 10 * number for number, word in enumerate(VOCABULARY.tens, start=2)}
_SMALL = {word: number for number, word in enumerate(VOCABULARY.units)} | {"oh": 0}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 10**6, "billion": 10**9}
_ORDINALS = {word: number for number, word in enumerate(VOCABULARY.ordinals, start=1)} | {
    f"{word[:-1]}ieth": number for word, number in _TENS.items()
}


def parse_number(words: Sequence[str]) -> int | float | None:
    """The number that the words say: ``twenty five``, ``25``, ``one hundred and two``."""
    rest = list(words)
    if not rest:
        return None
    sign = 1
    if rest[0] in ("minus", "negative") and len(rest) > 1:
        sign, rest = -1, rest[1:]
    if "point" in rest[1:-1]:
        return _parse_decimal(rest, sign)
    number = _parse_integer(rest)
    return None if number is None else sign * number


def _parse_decimal(words: list[str], sign: int) -> float | None:
    middle = words.index("point")
    whole, digits = _parse_integer(words[:middle]), parse_digits(words[middle + 1 :])
    # "1.5 point two" is no number.
    return sign * float(f"{whole}.{digits[:15]}") if isinstance(whole, int) and digits else None


def _parse_integer(words: list[str]) -> int | float | None:
    if len(words) == 1 and (digits := _parse_digit_word(words[0])) is not None:
        return digits
    return _parse_spelled(words) if words else None


def _parse_digit_word(word: str) -> int | float | None:
    plain = word.replace(",", "")
    if plain.isascii() and plain.isdigit() and len(plain) <= 15:
        return int(plain)
    whole, point, part = plain.partition(".")
    if point and whole.isdigit() and part.isdigit() and plain.isascii() and len(plain) <= 15:
        return float(plain)
    return None


def _parse_spelled(words: list[str]) -> int | None:
    """A number in words; ``and`` may join its parts, ``a`` stands for one before a scale."""
    number = _SpelledNumber()
    for word, follows in zip(words, [*words[1:], ""], strict=True):
        if word == "and" and number.has_begun and follows:
            continue
        if word in ("a", "an") and not number.has_begun and follows in _SCALES:
            number.group, number.has_begun = 1, True
        elif not (number.scale(_SCALES[word]) if word in _SCALES else number.add(word)):
            return None
    return number.total + number.group if number.has_begun else None


@dataclass(slots=True)
class _SpelledNumber:
    """A number as far as it has been read: `total`, and the `group` below the next scale."""

    total: int = 0
    group: int = 0
    last_scale: int = 10**12
    has_begun: bool = False

    def scale(self, scale: int) -> bool:
        """Multiply by ``hundred``, ``thousand`` ...; returns False if it cannot follow."""
        if not self.group or scale >= self.last_scale or (scale == 100 and self.group > 99):
            return False
        if scale == 100:
            self.group *= scale
        else:
            self.total += self.group * scale
            self.group, self.last_scale = 0, scale
        return True

    def add(self, word: str) -> bool:
        """Add a unit, a ten or leading digits; returns False if the word cannot follow."""
        value = _SMALL.get(word, _TENS.get(word))
        if value is None:
            is_digits = not self.has_begun and word.isascii() and word.isdigit()
            fits, value = is_digits, int(word) if is_digits else 0
        elif value == 0:
            fits = not self.has_begun
        else:
            group = self.group
            fits = group % 100 == 0 or (value < 10 and group % 10 == 0 and group % 100 >= 20)
        if fits:
            self.group, self.has_begun = self.group + value, True
        return fits


def parse_ordinal(words: Sequence[str]) -> int | None:
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
    before = parse_number(rest[:-1])
    is_tens = isinstance(before, int) and before % 10 == 0 and _ORDINALS[last] < 10
    return int(before) + _ORDINALS[last] if is_tens and before is not None else None


def parse_digits(words: Sequence[str]) -> str:
    """The digits that are spoken one after the other or in groups; empty if anything else is."""
    groups: list[str] = []
    repeat = 1
    index = 0
    while index < len(words):
        word = words[index]
        index += 1
        if word in ("double", "triple"):  # "five five five double one"
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
        groups.append(part * repeat)
        repeat = 1
    return "".join(groups)


def number_value(words: Sequence[str]) -> str | None:
    """The value of AMAZON.NUMBER: digits."""
    number = parse_number(words)
    # "nineteen eighty" is no number in words, but its digits are one.
    if number is None and len(words) > 1:
        digits = parse_digits(words)
        return digits if digits and len(digits) <= 15 else None
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    return None if number is None else str(number)


def four_digit_value(words: Sequence[str]) -> str | None:
    """The value of AMAZON.FOUR_DIGIT_NUMBER: ``one two three four`` or ``twelve thirty four``."""
    digits = parse_digits(words)
    if len(digits) == 4:
        return digits
    number = parse_number(words)
    return str(number) if isinstance(number, int) and 1000 <= number <= 9999 else None


def ordinal_value(words: Sequence[str]) -> str | None:
    """The value of AMAZON.Ordinal."""
    number = parse_ordinal(words)
    return None if number is None else str(number)


def phone_value(words: Sequence[str]) -> str | None:
    """The value of AMAZON.PhoneNumber: at least seven digits."""
    digits = parse_digits([word for word in words if word not in ("+", "plus", "area", "code")])
    return digits if 7 <= len(digits) <= 15 else None


def alphanumeric_value(words: Sequence[str]) -> str | None:
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

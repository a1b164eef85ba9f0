"""Text fit: how well words name a text of the page, and how often they stand in it."""

import re
import unicodedata
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from rapidfuzz import fuzz

#: Characters that people write in many ways, and the one that is compared.
_SAME = str.maketrans(
    dict.fromkeys(map(chr, (0x2018, 0x2019, 0x201A, 0x201B, 0xB4, 0x60)), "'")
    | dict.fromkeys(map(chr, (0x201C, 0x201D, 0x201E, 0xAB, 0xBB)), '"')
    | dict.fromkeys(map(chr, (*range(0x2010, 0x2015), 0x2212)), "-")
    | {"\u2026": "..."}
)
#: Invisible characters: soft hyphens, joiners, direction marks.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
#: Characters that pages put around a name: "Name:", "Name *", "> Name", "Name...", "+ Add".
_TRIMMINGS = (
    " \t:*?!.,;+-|()[]{}<\"'>\u203a\u2190\u2191\u2192\u2193\u25b2\u25bc\u25b4\u25be"
    "\u25b8\u00d7\u2715\u2716\u2022\u00b7"
)
#: A number that pages put after a name: "Inbox 3", "Cart (1)", "Drafts [12]", "Alerts 99+".
_COUNTER = re.compile(r"(?<!\s)\s+(?:\(\d{1,5}\+?\)|\[\d{1,5}\+?\]|\d{1,5}\+?)$")
#: Scripts that are written without spaces between words.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0e7f\uac00-\ud7af]")
_MAX_LENGTH = 200_000
_CACHED_LENGTH = 300


def plain(text: str) -> str:
    """Return `text` for comparison: NFKC, single spaces, plain quotes and dashes, case folded."""
    return _cached_plain(text) if len(text) <= _CACHED_LENGTH else _plain(text)


def cased(text: str) -> str:
    """Return `text` as `plain` does, but with its capitals."""
    return _cached_cased(text) if len(text) <= _CACHED_LENGTH else _mark_case(text)


def _mark_case(text: str) -> str:
    text = _INVISIBLE.sub("", text[:_MAX_LENGTH])
    text = unicodedata.normalize("NFKC", text.translate(_SAME)).translate(_SAME)
    return " ".join(text.split())


def _plain(text: str) -> str:
    return " ".join(_mark_case(text).casefold().split())


_cached_plain = lru_cache(maxsize=8_000)(_plain)
_cached_cased = lru_cache(maxsize=8_000)(_mark_case)


def bare(text: str) -> str:
    """Return `plain` text without the colons, asterisks, arrows and brackets around a name."""
    return _cached_bare(text) if len(text) <= _CACHED_LENGTH else plain(text).strip(_TRIMMINGS)


@lru_cache(maxsize=8_000)
def _cached_bare(text: str) -> str:
    return _plain(text).strip(_TRIMMINGS)


@lru_cache(maxsize=4_000)
def _whole_words(text: str) -> re.Pattern[str]:
    before = r"(?<!\w)" if re.match(r"\w", text) and not _UNSPACED.match(text) else ""
    after = r"(?!\w)" if re.search(r"\w$", text) and not _UNSPACED.match(text[-1]) else ""
    # A part of a number is no whole word: '250.00' in "1,250.00", '5' in "5.5".
    before += r"(?<!\d[.,])" if re.match(r"\d", text) else ""
    after += r"(?![.,]\d)" if re.search(r"\d$", text) else ""
    return re.compile(before + re.escape(text) + after)


@lru_cache(maxsize=4_000)
def _parts(text: str) -> re.Pattern[str]:
    """Return what finds `text` within words, but not '199' within "1199": another number."""
    before = r"(?<!\d)" if re.match(r"\d", text) else ""
    after = r"(?!\d)" if re.search(r"\d$", text) else ""
    return re.compile(before + re.escape(text) + after)


@dataclass(frozen=True, slots=True)
class Found:
    """How often a text stands in another: `sure` as whole words, `possible` also within words."""

    sure: int
    possible: int


def occurrences(words: str, text: str) -> Found:
    """Count `words` in `text`; one or two characters within a longer word do not count."""
    wanted, shown = plain(words), plain(text)
    if not wanted or wanted not in shown:
        return Found(0, 0)
    sure = len(_whole_words(wanted).findall(shown))
    if len(wanted) <= 2 or len(wanted) > _CACHED_LENGTH:
        return Found(sure, sure)
    return Found(sure, len(_parts(wanted).findall(shown)))


def contains(words: str, text: str) -> bool:
    """Return whether `text` has `words` as whole words."""
    return occurrences(words, text).sure > 0


class Grade(IntEnum):
    """How surely a text shows some words, in rising order."""

    ABSENT = 0
    UNCERTAIN = 1
    WEAK = 2
    SURE = 3


@dataclass(frozen=True, slots=True)
class Presence:
    """The grade of some words in a text; `note` says what is weak or uncertain about it."""

    grade: Grade
    note: str = ""


_ABSENT = Presence(Grade.ABSENT)
# "20" is shown by "-20" and "$20" in part only: the note says that a sign stands before it.
_SIGN_BEFORE = re.compile(r"(?:[\u00a3\u00a5\u20ac$]|(?<!\w)[-+])\s?$")
#: The sign of a currency before an amount.
_CURRENCY = re.compile(r"[\u00a3\u00a5\u20ac$]\s?(?=\d)")
_AMOUNT = re.compile(r"\d")
_ENDS_PLURAL = re.compile(r"(?<=[a-z]{2})(?:es|s)$")


def presence(words: str, text: str) -> Presence:
    """Grade how `text` shows `words`: exact capitals and whole words are sure.

    Weak are an amount without its sign ('199.99' in "$199.99"), the whole text in other capitals,
    a phrase in it that was written with fewer capitals ('error' in "Error: no such page"), and a
    number of things with the other grammatical number ('1 items' in "1 item"). Uncertain is a
    phrase within a longer text that has fewer capitals there ('New Window' in "Opening a new
    window"), and a part of a word.
    """
    wanted, shown = cased(words), cased(text)
    if not wanted or not shown:
        return _ABSENT
    if plain(words) not in plain(text):
        return _other_amount(wanted, shown) or _other_number(wanted, shown)
    starts = [match.start() for match in _whole_words(wanted).finditer(shown)]
    if starts:
        signed = wanted[:1].isdigit() and all(_SIGN_BEFORE.search(shown[:at]) for at in starts)
        return Presence(Grade.WEAK, "with a sign before it") if signed else Presence(Grade.SURE)
    found = occurrences(words, text)
    if found.sure:
        return _other_capitals(wanted, shown)
    if found.possible:
        return Presence(Grade.UNCERTAIN, "only as a part of a longer word")
    return _ABSENT


def _other_capitals(wanted: str, shown: str) -> Presence:
    if bare(wanted) == bare(shown):
        return Presence(Grade.WEAK, f"as '{shown}', in other capitals")
    match = re.search(re.escape(wanted), shown, re.IGNORECASE)
    part = match[0] if match else ""
    lost = [
        index
        for index, (asked, there) in enumerate(zip(wanted, part, strict=False))
        if asked.isupper() and not there.isupper()
    ]
    # "Welcome back" in "Ada, welcome back!": only the capital with which a quotation begins.
    if not lost or (lost == [0] and " " in wanted):
        return Presence(Grade.WEAK, f"as '{part}', in other capitals")
    return Presence(Grade.UNCERTAIN, f"only as '{part}' within a longer text, in other capitals")


def _other_amount(wanted: str, shown: str) -> Presence | None:
    """Grade "Deposit: $40.00" for 'Deposit: 40.00': the sign of a currency stands in the phrase."""
    bare_amounts = _CURRENCY.sub("", shown)
    if bare_amounts == shown or _CURRENCY.search(wanted) or not _AMOUNT.search(wanted):
        return None
    if not _whole_words(wanted).search(bare_amounts):
        return None
    return Presence(Grade.WEAK, "with the sign of a currency before the amount")


def _other_number(wanted: str, shown: str) -> Presence:
    """Grade "1 item" for '1 items', and "Vendor" for 'Vendors'."""
    if not wanted[-1:].isalpha() or len(wanted) < 4:
        return _ABSENT
    singular = _ENDS_PLURAL.sub("", wanted)
    for variant in (wanted + "s", wanted + "es", singular if singular != wanted else ""):
        if len(variant) > 2 and _whole_words(variant).search(shown):
            counted = bool(re.match(r"\d+ ", wanted))
            grade = Grade.WEAK if counted else Grade.UNCERTAIN
            return Presence(grade, f"as '{variant}', in the other grammatical number")
    return _ABSENT


def behind(words: str, text: str) -> str:
    """Return what follows the first place at which `text` has `words` as whole words, or ""."""
    wanted, shown = plain(words), plain(text)
    match = _whole_words(wanted).search(shown) if wanted else None
    return shown[match.end() :] if match else ""


# The grades of `fit`, from 1 (exactly) downwards.
EXACT = 1.0
# "Name" for "Name:" or "* Name".
TRIMMED = 0.99
# "save" for "Save".
FOLDED = 0.98
# "Cart" for "Cart (2)".
COUNTED = 0.96
# "order" for "orders".
OTHER_NUMBER = 0.9
# "Delete" for "Delete account".
BEGINS = 0.8
# "account" for "Delete account now".
WITHIN = 0.72
# "account delete" for "Delete account".
ALL_WORDS = 0.62
# "Acount" for "Account".
MISSPELT = 0.5
# "count" for "Account".
PART = 0.4


def fit(words: str, text: str) -> float:
    """Return how well `words` name something called `text`: from 0 (not at all) to 1 (exactly).

    In falling order: equal, equal but for the trimmings, equal but for case, equal but for a
    number after the name ("Inbox 3"), equal but for the grammatical number of the last word
    ("Report" for 'Reports'), the text begins or ends with the words, has them as whole
    words, has all of them in another order, is a likely misspelling, has them as a part of a word.
    """
    # Each step asks the same of all texts of a page two to four times: 7,000 times on one of 430
    # elements.
    is_short = len(words) <= _CACHED_LENGTH and len(text) <= _CACHED_LENGTH
    return _cached_fit(words, text) if is_short else _fit(words, text)


def _fit(words: str, text: str) -> float:
    if not words.strip() or not text.strip():
        return 0.0
    wanted, shown = plain(words), plain(text)
    if wanted == shown:
        return EXACT if " ".join(words.split()) == " ".join(text.split()) else FOLDED
    if bare(words) and bare(words) == bare(text):
        # A single letter with trimmings in a longer text is a weak name.
        return TRIMMED if len(bare(words)) > 1 or len(shown) <= 3 else ALL_WORDS
    if (name := _COUNTER.sub("", shown)) != shown and bare(name) == bare(words) != "":
        return COUNTED
    if differ_in_number(words, text):
        return OTHER_NUMBER
    return _partial_fit(wanted, shown)


_cached_fit = lru_cache(maxsize=16_000)(_fit)


def differ_in_number(words: str, text: str) -> bool:
    """Return whether two names are equal but for a plural ending: 'Report', and "Reports"."""
    short, long = sorted((bare(words), bare(text)), key=len)
    if len(short) < 4 or not short[-1].isalpha():  # 'New' is not "News"
        return False
    return long == short + ("es" if short.endswith(("s", "x", "z", "ch", "sh")) else "s")


def _partial_fit(wanted: str, shown: str) -> float:
    if wanted in shown:
        if not _whole_words(wanted).search(shown):
            return PART if len(wanted) > 2 else 0.0
        return BEGINS if shown.startswith(wanted) or shown.endswith(wanted) else WITHIN
    words = wanted.split()
    if len(words) > 1 and set(words) <= set(re.findall(r"\w+|\S", shown)):
        return ALL_WORDS
    if len(wanted) >= 5 and fuzz.ratio(wanted, bare(shown), score_cutoff=86):
        return MISSPELT
    return 0.0

"""Text fit: how well words name a text of the page, and how often they stand in it."""

import re
import unicodedata
from dataclasses import dataclass
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
_COUNTER = re.compile(r"\s+(?:\(\d{1,5}\+?\)|\[\d{1,5}\+?\]|\d{1,5}\+?)$")
#: Scripts that are written without spaces between words.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0e7f\uac00-\ud7af]")
_MAX_LENGTH = 200_000
_CACHED_LENGTH = 300


def plain(text: str) -> str:
    """Return `text` for comparison: NFKC, single spaces, plain quotes and dashes, case folded."""
    return _cached_plain(text) if len(text) <= _CACHED_LENGTH else _plain(text)


def _plain(text: str) -> str:
    text = _INVISIBLE.sub("", text[:_MAX_LENGTH])
    text = unicodedata.normalize("NFKC", text.translate(_SAME)).translate(_SAME)
    return " ".join(text.casefold().split())


_cached_plain = lru_cache(maxsize=8_000)(_plain)


def bare(text: str) -> str:
    """Return `plain` text without the colons, asterisks, arrows and brackets around a name."""
    return plain(text).strip(_TRIMMINGS)


@lru_cache(maxsize=4_000)
def _whole_words(text: str) -> re.Pattern[str]:
    before = r"(?<!\w)" if re.match(r"\w", text) and not _UNSPACED.match(text) else ""
    after = r"(?!\w)" if re.search(r"\w$", text) and not _UNSPACED.match(text[-1]) else ""
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
    return Found(sure, shown.count(wanted) if len(wanted) > 2 else sure)


def contains(words: str, text: str) -> bool:
    """Return whether `text` has `words` as whole words."""
    return occurrences(words, text).sure > 0


def behind(words: str, text: str) -> str:
    """Return what follows the first place at which `text` has `words` as whole words, or ""."""
    wanted, shown = plain(words), plain(text)
    match = _whole_words(wanted).search(shown) if wanted else None
    return shown[match.end() :] if match else ""


# The grades of `fit`, from 1 (exactly) downwards.
EXACT = 1.0
TRIMMED = 0.99
FOLDED = 0.98
COUNTED = 0.96
BEGINS = 0.8
WITHIN = 0.72
ALL_WORDS = 0.62
MISSPELT = 0.5
PART = 0.4


def fit(words: str, text: str) -> float:
    """Return how well `words` name something called `text`: from 0 (not at all) to 1 (exactly).

    In falling order: equal, equal but for the trimmings, equal but for case, equal but for a
    number after the name ("Inbox 3"), the text begins or ends with the words, has them as whole
    words, has all of them in another order, is a likely misspelling, has them as a part of a word.
    """
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
    return _partial_fit(wanted, shown)


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

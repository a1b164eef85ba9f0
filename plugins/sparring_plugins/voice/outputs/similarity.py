"""How alike two outputs are in what they do: from 0 to 1, without a language model.

Outputs are of one state where they ask the user for the same, or tell the same where what they ask
could end any answer. Values may differ (names, numbers, prices, lists, quotations), and so may
courtesies. Edits of words count, but for opposites: "too high" is not "too low".
"""

from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from rapidfuzz import fuzz

from sparring_plugins.voice.outputs.dialogue_acts import Ask, Gist, gist_of
from sparring_plugins.voice.outputs.masking import VALUE
from sparring_plugins.voice.outputs.words import normal, opposed, significant, weight

SAME = 0.75
"""From here on, two outputs are taken for those of one state."""

_LOW = 0.3
_EQUAL = 0.9
_FEW = 2
_HALF = 0.5
NEGATIONS = 4
"""The place of the negations among the groups of opposites."""

_LONGEST_SPAN = 4
_MOST_TELLS = 24


def likeness(one: str, other: str) -> float:
    """How alike two outputs are in what they do."""
    return _likeness(*sorted((one, other)))


@lru_cache(maxsize=16_384)
def _likeness(one: str, other: str) -> float:
    a, b = gist_of(one), gist_of(other)
    if a.frame == b.frame:
        return 1.0 if a.frame or one == other else _LOW
    if a.confused != b.confused or a.broken != b.broken:
        return _LOW
    if a.specific or b.specific:
        return _by_asks(a, b)
    if a.confused:
        return 0.9
    if a.tells or b.tells:
        return _by_tells(a, b)
    if a.farewell != b.farewell:
        return _LOW
    return 0.9 if bool(a.asks) == bool(b.asks) and (a.asks or a.farewell) else _edits(a, b)


def _by_asks(a: Gist, b: Gist) -> float:
    """Where something is asked that no other answer would: that decides.

    Where as good as all else that is told is the same, so is the question, put in other words.
    """
    both = bool(a.tells and b.tells)
    if both and a.asks and b.asks and _brief(a.asks[-1]) and _brief(b.asks[-1]):
        alike = told(a.tells, b.tells)
        if alike >= _EQUAL and not against_each_other(a.asks[-1].text, b.asks[-1].text):
            return 0.9 * alike
    if not (a.specific and b.specific):
        return _LOW
    found = _aligned(a.specific, b.specific)
    return found if both or not (a.tells or b.tells) or found >= _EQUAL else 0.9 * found


def _brief(ask: Ask) -> bool:
    """Whether a question says little itself, so that what is told before tells what it is about."""
    return len(ask.meaning) <= _FEW and not ask.polar


def _aligned(first: Sequence[Ask], second: Sequence[Ask]) -> float:
    """How alike the questions are; the last ones count most."""
    last = asking(first[-1], second[-1])
    if len(first) == 1 and len(second) == 1:
        return last
    best = [max(asking(x, y) for y in second) for x in first]
    best += [max(asking(x, y) for y in first) for x in second]
    return max(min(last, 0.5 + sum(best) / len(best) / 2), sum(best) / len(best))


def asking(one: Ask, other: Ask) -> float:
    """How alike two questions are: by what they are about, not by how they are put."""
    if one.text == other.text:
        return 1.0
    if one.polar != other.polar and not (one.slots & other.slots):
        return _LOW
    a, b = one.meaning, other.meaning
    if one.slots and one.slots == other.slots and len(a ^ b) <= 2:
        return 0.85
    if not a or not b:
        return _edited(one.text, other.text) if a == b else _LOW
    if _against(normal(one.text), normal(other.text)):
        return _LOW
    shared = 2 * len(a & b) / (len(a) + len(b))
    return 0.7 * shared + 0.3 * _edited(one.text, other.text)


def _by_tells(a: Gist, b: Gist) -> float:
    if not (a.tells and b.tells):
        return _LOW
    score = told(a.tells, b.tells)
    return min(score, 0.7) if a.farewell != b.farewell and score < 0.9 else score


def told(first: Sequence[str], second: Sequence[str]) -> float:
    """How much of what two outputs tell has a match in the other."""
    first, second = first[:_MOST_TELLS], second[:_MOST_TELLS]
    total = matched = 0.0
    for these, those in ((first, second), (second, first)):
        for one in these:
            size = (sum(weight(word) for word in normal(one)) or 0.1) ** 1.5
            best = max(telling(one, other) for other in those)
            total += size
            matched += size * (best if best >= _HALF else 0.0)
    return matched / total


@lru_cache(maxsize=16_384)
def telling(one: str, other: str) -> float:
    """How alike two masked statements are: equal words whole, other values in their place half."""
    a, b = normal(one), normal(other)
    if a == b:
        return 1.0
    if _against(a, b):
        return 0.2
    total = sum(map(weight, a)) + sum(map(weight, b))
    if not total:
        return 0.0
    found = 0.0
    anchored = 0.0
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        span = sum(map(weight, a[i1:i2])) + sum(map(weight, b[j1:j2]))
        if tag == "equal":
            found += span
            anchored += sum(weight(word) for word in a[i1:i2] if word != VALUE)
        elif (
            tag == "replace"
            and max(i2 - i1, j2 - j1) <= _LONGEST_SPAN
            and not _acts(a[i1:i2], b[j1:j2])
        ):
            found += span * 0.55
    return found / total if anchored >= 1.0 else 0.5 * found / total


def _acts(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether what differs is what was done rather than what it was done to."""
    return any(len(word) > 4 and word.endswith(("ed", "ing")) for word in (*a, *b))


def _against(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether two sentences differ in opposites."""
    mine, yours = set(a) - set(b), set(b) - set(a)
    groups = {group for word in mine for group in opposed(word)}
    others = {group for word in yours for group in opposed(word)}
    negated = any(NEGATIONS in opposed(word) for word in mine ^ yours)
    return bool(groups & others) or negated


def _edited(one: str, other: str) -> float:
    return fuzz.token_sort_ratio(" ".join(normal(one)), " ".join(normal(other))) / 100


def _edits(a: Gist, b: Gist) -> float:
    shared = significant(a.frame) & significant(b.frame)
    return fuzz.token_sort_ratio(a.frame, b.frame) / 100 if shared else _LOW


def against(one: str, other: str) -> bool:
    """Whether two outputs differ in opposites."""
    return _against(gist_of(one).frame.split(), gist_of(other).frame.split())


def against_each_other(one: str, other: str) -> bool:
    """Whether two masked sentences differ in opposites."""
    return _against(normal(one), normal(other))

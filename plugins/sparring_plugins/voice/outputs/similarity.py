"""Similarity of outputs: how alike two are in what they do, from 0 to 1.

Outputs belong to one state if they request the same from the user, or state the same if what they
request could end any answer. Values may differ (names, numbers, prices, lists, quotations), and so
may courtesies. Edits of words count, but opposites never match: "too high" is not "too low".

No language model is needed; `semantic_similarity` uses sentence embeddings if they are installed.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from rapidfuzz import fuzz

from sparring_plugins.language.text import sentences
from sparring_plugins.voice.outputs.dialogue_acts import DialogueActs, Request, dialogue_acts_of
from sparring_plugins.voice.outputs.named_inputs import instructed
from sparring_plugins.voice.outputs.words import (
    MAX_OUTPUT,
    VALUE,
    opposite_groups,
    significant,
    unified,
    weight,
)

SAME = 0.75
"""Outputs of at least this similarity are taken for outputs of one state."""

NEGATIONS = 4
"""The position of the negations among the groups of opposites in ``words.yaml``."""

# Two outputs that ask different things are different states however many words they share.
_LOW = 0.3
_OTHER_PHRASES = 0.6
"""The most similarity of outputs that name other things to say."""

_EQUAL = 0.9
# Below half, two sentences are different ones, and not one with other values.
_MIN_MATCH = 0.5
# "What else?" and "Your name?" have too few words to compare by their share.
_MAX_BRIEF_WORDS = 2
# "It is sunny" and "It is raining heavily" differ in a value; a longer difference is another
# sentence.
_MAX_REPLACED_WORDS = 4
# Each sentence is compared with each: a story of a hundred would take seconds a turn.
_MAX_STATEMENTS = 24
_SAME_MEANING = 0.8
"""The cosine of two embeddings from which on outputs mean the same."""


def output_similarity(one: str, other: str) -> float:
    """Return how alike two outputs are in what they do, in [0, 1]; symmetric."""
    return _similarity(*sorted((one, other)))


@lru_cache(maxsize=16_384)
def _similarity(one: str, other: str) -> float:
    alike = _similarity_of_acts(one, other)
    return min(alike, _OTHER_PHRASES) if alike >= SAME and _name_others(one, other) else alike


def _name_others(one: str, other: str) -> bool:
    """Return whether two outputs tell the user to say things that have no word in common.

    Masked as lists, "You can say things like feed my pet" and "You can say things like who is
    playing" would be one. Single words may be the values of one choice: "Say red, or say blue".
    """
    mine, yours = _named_words(one), _named_words(other)
    return bool(mine and yours) and not mine & yours


@lru_cache(maxsize=2048)
def _named_words(text: str) -> frozenset[str]:
    """Return the significant words of the phrases of several words that an output names."""
    parts = (phrase for part in sentences(text[:MAX_OUTPUT]) for phrase in instructed(part))
    named = (significant(one) for one in parts if len(one.split()) > 1)
    return frozenset(word for words in named for word in words)


def _similarity_of_acts(one: str, other: str) -> float:
    a, b = dialogue_acts_of(one), dialogue_acts_of(other)
    if a.frame == b.frame:
        return 1.0 if a.frame or one == other else _LOW
    if a.confused != b.confused or a.broken != b.broken:
        return _LOW
    if a.specific_requests or b.specific_requests:
        return _similarity_by_requests(a, b)
    if a.confused:
        return 0.9
    if a.statements or b.statements:
        return _similarity_by_statements(a, b)
    return _similarity_of_fillers(a, b)


def _similarity_of_fillers(a: DialogueActs, b: DialogueActs) -> float:
    """Compare outputs without statements and specific requests."""
    if a.farewell != b.farewell:
        return _LOW
    if bool(a.requests) == bool(b.requests) and (a.requests or a.farewell):
        return 0.9
    shared = significant(a.frame) & significant(b.frame)
    return fuzz.token_sort_ratio(a.frame, b.frame) / 100 if shared else _LOW


def _similarity_by_requests(a: DialogueActs, b: DialogueActs) -> float:
    """Compare outputs of which at least one makes a specific request: the requests decide.

    If nearly all statements match, brief requests are the same one put in other words.
    """
    both = bool(a.statements and b.statements)
    if both and a.requests and b.requests:
        last, other_last = a.requests[-1], b.requests[-1]
        if _is_brief(last) and _is_brief(other_last):
            matched = matched_share(a.statements, b.statements)
            if matched >= _EQUAL and not _are_opposed(unified(last.text), unified(other_last.text)):
                return 0.9 * matched
    if not (a.specific_requests and b.specific_requests):
        return _LOW
    score = _aligned_requests(a.specific_requests, b.specific_requests)
    complete = both or not (a.statements or b.statements)
    return score if complete or score >= _EQUAL else 0.9 * score


def _is_brief(request: Request) -> bool:
    """Return whether only the statements before a request make clear what it is about."""
    return len(request.meaning) <= _MAX_BRIEF_WORDS and not request.polar


def _aligned_requests(first: Sequence[Request], second: Sequence[Request]) -> float:
    """Return how alike two lists of requests are; the last ones count most."""
    last = request_similarity(first[-1], second[-1])
    if len(first) == 1 and len(second) == 1:
        return last
    best = [max(request_similarity(x, y) for y in second) for x in first]
    best += [max(request_similarity(x, y) for y in first) for x in second]
    mean = sum(best) / len(best)
    return max(min(last, 0.5 + mean / 2), mean)


def request_similarity(one: Request, other: Request) -> float:
    """Return how alike two requests are in what they are about, however they are put."""
    if one.text == other.text:
        return 1.0
    if one.polar != other.polar and not (one.slots & other.slots):
        return _LOW
    a, b = one.meaning, other.meaning
    if one.slots and one.slots == other.slots and len(a ^ b) <= 2:
        return 0.85
    if not a or not b:
        return _edit_similarity(one.text, other.text) if a == b else _LOW
    if _are_opposed(unified(one.text), unified(other.text)):
        return _LOW
    shared = 2 * len(a & b) / (len(a) + len(b))
    return 0.7 * shared + 0.3 * _edit_similarity(one.text, other.text)


def _similarity_by_statements(a: DialogueActs, b: DialogueActs) -> float:
    if not (a.statements and b.statements):
        return _LOW
    score = matched_share(a.statements, b.statements)
    return min(score, 0.7) if a.farewell != b.farewell and score < _EQUAL else score


def matched_share(first: Sequence[str], second: Sequence[str]) -> float:
    """Return how much of the statements of two outputs has a match in the other."""
    first, second = first[:_MAX_STATEMENTS], second[:_MAX_STATEMENTS]
    total = matched = 0.0
    for these, those in ((first, second), (second, first)):
        for statement in these:
            size = (sum(map(weight, unified(statement))) or 0.1) ** 1.5
            best = max(statement_similarity(statement, other) for other in those)
            total += size
            matched += size * (best if best >= _MIN_MATCH else 0.0)
    return matched / total


@lru_cache(maxsize=16_384)
def statement_similarity(one: str, other: str) -> float:
    """Return how alike two masked statements are.

    Equal words count in full, a few other words in their place by half: they are mostly values that
    no mask covers.
    """
    a, b = unified(one), unified(other)
    if a == b:
        return 1.0
    if _are_opposed(a, b):
        return 0.2
    total = sum(map(weight, a)) + sum(map(weight, b))
    if not total:
        return 0.0
    matched = anchored = 0.0
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        mine, yours = a[i1:i2], b[j1:j2]
        span = sum(map(weight, mine)) + sum(map(weight, yours))
        if tag == "equal":
            matched += span
            anchored += sum(weight(word) for word in mine if word != VALUE)
        elif tag == "replace" and _is_other_value(mine, yours):
            matched += span * 0.55
    return matched / total if anchored >= 1.0 else 0.5 * matched / total


def _is_other_value(mine: Sequence[str], yours: Sequence[str]) -> bool:
    """Return whether words replace others as a value does: few, and no verb form among them.

    Verb forms such as "added" say what was done, not what it was done to.
    """
    if max(len(mine), len(yours)) > _MAX_REPLACED_WORDS:
        return False
    return not any(len(word) > 4 and word.endswith(("ed", "ing")) for word in (*mine, *yours))


def _are_opposed(a: Sequence[str], b: Sequence[str]) -> bool:
    """Return whether two sentences differ in opposites, or in a negation."""
    mine, yours = set(a) - set(b), set(b) - set(a)
    groups = {group for word in mine for group in opposite_groups(word)}
    others = {group for word in yours for group in opposite_groups(word)}
    return bool(groups & others) or NEGATIONS in groups | others


def _edit_similarity(one: str, other: str) -> float:
    return fuzz.token_sort_ratio(" ".join(unified(one)), " ".join(unified(other))) / 100


def semantic_similarity(one: str, other: str) -> float:
    """Return the similarity of meaning by embeddings, on the scale of `output_similarity`.

    It is 0.75 from the cosine on at which two outputs mean the same, and 0 if they contradict each
    other or only one of them understands. Raises MissingExtra if no embeddings are installed.
    """
    from sparring_plugins.language.embeddings import embedder

    a, b = dialogue_acts_of(one), dialogue_acts_of(other)
    if a.confused != b.confused or bool(a.specific_requests) != bool(b.specific_requests):
        return 0.0
    if _are_opposed(a.frame.split(), b.frame.split()):
        return 0.0
    cosine = embedder().alike([a.frame or one], [b.frame or other])[0][0]
    return max(0.0, min(1.0, 0.75 + (cosine - _SAME_MEANING)))

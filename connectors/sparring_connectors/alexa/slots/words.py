"""Words as the recogniser of speech would give them: lower case, no punctuation."""

import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise

from sparring_connectors.alexa.shapes import listed

#: More words than anybody says at once; the rest is not looked at.
MOST_WORDS = 80

#: What the endings of contractions stand for; ``'s`` is also the mark of possession.
_ENDINGS = {
    "n't": "not",
    "'re": "are",
    "'ve": "have",
    "'ll": "will",
    "'m": "am",
    "'d": "would",
    "'s": "is",
}
#: Beginnings that contraction has changed.
_BEGINNINGS = {("ca", "n't"): "can", ("wo", "n't"): "will", ("sha", "n't"): "shall"}
_CONTRACTION = re.compile(r"(n't|'re|'ve|'ll|'m|'d|'s)\b")
_WORD = re.compile(
    r"\{[^{}]*\}|n't\b|'(?:s|re|ve|ll|m|d)\b|\d+(?:[.:,/-]\d+)+|[^\W_]+(?:'[^\W\d_]+)*|[$€£%+&@#]"
)
_QUOTES = str.maketrans(dict.fromkeys("\u2018\u2019\u02bc\u00b4`", "'"))
_APART = re.compile(r" (n't\b|'(?:s|re|ve|ll|m|d)\b)")
#: Politeness and hesitation around what is meant.
FILLERS = frozenset(
    listed("please alexa okay ok um uh hm hmm er well so just hey oh kindly thanks echo")
)
#: Words that say little of what is meant.
LIGHT = frozenset(
    listed(
        "a an the of to for in on at is 's are am be been it its that this there i me my "
        "you your we us our and or do does did can could would will shall should may "
        "might with from by as about some any have has had let want like get give not "
        "what"
    )
)


@dataclass(frozen=True, slots=True)
class Heard:
    """What was heard: words to compare, and beside each how it was said."""

    words: tuple[str, ...]
    spoken: tuple[str, ...]

    def said(self, start: int = 0, end: int | None = None) -> str:
        """The words from `start` to before `end` as a text."""
        return _APART.sub(r"\1", " ".join(self.spoken[start:end]))

    def part(self, start: int, end: int) -> "Heard":
        """The words from `start` to before `end`."""
        return Heard(self.words[start:end], self.spoken[start:end])

    def __len__(self) -> int:
        return len(self.words)


def heard(said: str) -> Heard:
    """The words of what a user says, fillers at both ends left out."""
    spoken = _spoken_words(said)[:MOST_WORDS]
    start, end = _inner(spoken)
    spoken = spoken[start:end]
    return Heard(tuple(_compared(spoken)), tuple(spoken))


def words_of(said: str) -> list[str]:
    """The words of a text in lower case; ``{slot}`` stays one word, ``what's`` becomes two.

    ``'s`` and ``is`` are the same word, since nobody hears the difference.
    """
    return _compared(_spoken_words(said))


def _compared(spoken: list[str]) -> list[str]:
    """Words without contractions."""
    found = [_ENDINGS.get(word, word) for word in spoken]
    for at, pair in enumerate(pairwise(spoken)):
        found[at] = _BEGINNINGS.get(pair, found[at])
        if pair == ("let", "'s"):
            found[at + 1] = "us"
    return found


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
    start, end = _inner(words)
    return words[start:end]


def _inner(words: list[str]) -> tuple[int, int]:
    start, end = 0, len(words)
    while start < end and words[start] in FILLERS:
        start += 1
    while end > start and words[end - 1] in FILLERS:
        end -= 1
    return (start, end) if start < end else (0, len(words))


def weight_of(word: str) -> float:
    """How much a word tells of what is meant, in (0, 1]."""
    if word in FILLERS:
        return 0.1
    return 0.3 if word in LIGHT else 1.0


def stem_of(word: str) -> str:
    """A word without the commonest English endings, so that ``facts`` is close to ``fact``."""
    for ending in ("ies", "ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + ("y" if ending == "ies" else "")
    return word

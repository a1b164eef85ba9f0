"""An utterance whose words are taken away, and what is known of them."""

import re
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any, cast

from pydantic import JsonValue

_WORD = re.compile(r"\S+")
_CORE = re.compile(r"\w+(?:['’.]\w+)*")
_GAP = re.compile(r"\s+([,.;:!?])")
_RUN = re.compile(r"([,.;:!?])(?:\s*[,.;:!?])+")
_SMALL = 2
"""Letters of a word that says little."""

PAD, OTHER_PAD = "the", "so"
"""Words that say nothing, in the place of words that only make a request long."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a perturbation did for a feature: old text, or none, and new text."""

    feature: str
    old: str
    new: str

    @property
    def word(self) -> str:
        """The new words, without punctuation and without what was there before."""
        was = _cores(self.old)
        rest = [one for one in _CORE.findall(self.new) if one.casefold() not in was]
        if len(self.old) == 1 and len(rest) > 1 and rest[-1].casefold() == self.old.casefold():
            rest.pop()
        return " ".join(rest)

    @property
    def was(self) -> str:
        """The words that they stand for; nothing for words that were put in."""
        return "" if len(self.old) == 1 else " ".join(_CORE.findall(self.old))

    def undo(self, text: str) -> str | None:
        """A text with this as it was; None where it is not there."""
        at = text.find(self.new)
        if at >= 0 and self.new.strip():
            return _tidied(text[:at] + self.old + text[at + len(self.new) :])
        place = next(_found(self.word, text), None)
        return _tidied(text[: place[0]] + self.was + text[place[1] :]) if place else None


@dataclass(frozen=True)
class Said:
    """An utterance.

    `spoken` has, by feature, words that say what is wanted: without them an app need not know it.
    """

    text: str
    spoken: Mapping[str, tuple[str, ...]]
    changes: tuple[Change, ...]

    @property
    def length(self) -> int:
        """How many words it has."""
        return len(_WORD.findall(self.text))

    @classmethod
    def of(
        cls, meta: Mapping[str, JsonValue], mentions: Mapping[str, Sequence[str]]
    ) -> "Said | None":
        """The utterance of a trace's `meta`; None where it does not tell one.

        `mentions` are words that may say each feature, for writers that do not tell which do.
        """
        text = meta.get("utterance")
        if not isinstance(text, str):
            return None
        told = meta.get("spoken")
        known = told if isinstance(told, dict) else {}
        spoken = {
            name: tuple(_texts(known[name])) if known.get(name) else tuple(words)
            for name, words in mentions.items()
        }
        spoken |= {name: tuple(_texts(words)) for name, words in known.items()}
        changes = [*_changes(meta.get("perturbations"))]
        written = meta.get("written")
        if isinstance(written, str):
            changes += _unnamed(meta.get("perturbations"), written, text, changes)
        return cls(text, spoken, tuple(changes))

    def free(self) -> list[int]:
        """The numbers of the words that may be taken away."""
        phrases = {phrase for several in self.spoken.values() for phrase in several}
        spans = [span for phrase in sorted(phrases) for span in self._places(phrase)]
        return [
            at
            for at, word in enumerate(_WORD.finditer(self.text))
            if not any(start < word.end() and word.start() < end for start, end in spans)
        ]

    def free_words(self) -> list[str]:
        """The words that may be taken away, without the punctuation around them."""
        words = _WORD.findall(self.text)
        return [bare(words[at]) for at in self.free()]

    def without_free(self) -> "Said":
        """It without the words that may be taken away."""
        free, words = set(self.free()), _WORD.findall(self.text)
        return replace(self, text=" ".join(w for at, w in enumerate(words) if at not in free))

    def replaced(self, pad: str = PAD) -> "Said":
        """It with a word that says nothing for each word that may be taken away."""
        free, words = set(self.free()), _WORD.findall(self.text)
        said = (pad if at in free else word for at, word in enumerate(words))
        return replace(self, text=" ".join(said))

    def put_as_long(self, feature: str, words: str) -> "Said | None":
        """As `put`, with words that say nothing in the place of those that get lost."""
        shorter = self.put(feature, words)
        if shorter is None or shorter.length >= self.length:
            return shorter
        pads = [PAD] * (self.length - shorter.length)
        longer = self.put(feature, " ".join([words, *pads] if words else pads))
        return None if longer is None else replace(shorter, text=longer.text)

    def runs(self) -> list[tuple[int, int]]:
        """Where words that say nothing stand, as (first, number)."""
        found: list[tuple[int, int]] = []
        for at, word in enumerate(_WORD.findall(self.text)):
            if bare(word) != PAD:
                continue
            if found and sum(found[-1]) == at:
                found[-1] = (found[-1][0], found[-1][1] + 1)
            else:
                found.append((at, 1))
        return found

    def without_words(self, first: int, number: int) -> "Said":
        """It without some words that follow each other."""
        words = _WORD.findall(self.text)
        return replace(self, text=" ".join([*words[:first], *words[first + number :]]))

    def phrase(self, feature: str) -> str:
        """The words that say a feature, as they stand in it; nothing where they are not there."""
        places = (span for one in self.spoken.get(feature, ()) for span in _found(one, self.text))
        start, end = max(places, key=lambda span: span[1] - span[0], default=(0, 0))
        return self.text[start:end]

    def put(self, feature: str, words: str) -> "Said | None":
        """It with other words for a feature, or with none; None where it does not say it."""
        places = [span for phrase in self.spoken.get(feature, ()) for span in _found(phrase,
                                                                            self.text)]  # fmt: skip
        if not places:
            return None if words else replace(self, spoken=_without(self.spoken, feature))
        text, end = "", 0
        for at, (start, stop) in enumerate(_apart(places)):
            text += self.text[end:start] + (words if not at else "")
            end = stop
        text = _tidied(text + self.text[end:])
        spoken = _without(self.spoken, feature)
        return replace(self, text=text, spoken={**spoken, feature: (words,)} if words else spoken)

    def undone(self, feature: str) -> "Said | None":
        """It without the perturbation of a feature; None where that is not known word by word."""
        text = self.text
        own = [one for one in self.changes if one.feature == feature]
        for one in own:
            if not one.new.strip():
                return None
            text = one.undo(text) or text
        return replace(self.without(feature), text=text)

    def without(self, feature: str) -> "Said":
        """It as it is, its changes for a feature forgotten."""
        return replace(self, changes=tuple(one for one in self.changes if one.feature != feature))

    def written(self) -> str:
        """It before perturbations, as far as these are known word by word."""
        text = self.text
        for one in self.present():
            text = one.undo(text) or text
        return text

    def left_out(self, features: Collection[str]) -> list[str]:
        """The words that perturbations of some features took away."""
        gone = (one for one in self.changes if one.feature in features and not one.new.strip())
        return list(dict.fromkeys(one.was for one in gone if one.was))

    def present(self) -> list[Change]:
        """The changes whose new words are still in it."""
        return [one for one in self.changes if next(_found(one.word, self.text), None)]

    def _places(self, phrase: str) -> Iterator[tuple[int, int]]:
        """Where a phrase is; where it is not there as a whole, its longer words and their changes.

        A longer word may itself have been perturbed.
        """
        found = list(_found(phrase, self.text))
        if not found:
            cores = [core for core in _cores(phrase) if len(core) > _SMALL or core.isdigit()]
            changed = [one.word for one in self.changes if set(_cores(one.old)) & set(cores)]
            found = [span for one in (*cores, *changed) for span in _found(one, self.text)]
        yield from found


def counted(text: str) -> str:
    """A text for people: of many words that say nothing how many they are."""
    many = rf"(?<!\S){PAD}(?:[.,;:!?]? {PAD}){{3,}}(?!\w)"
    return re.sub(many, lambda found: f"[{len(found[0].split())} other words]", text)


def holds(text: str, words: Sequence[str]) -> bool:
    """Whether all words stand in a text."""
    return all(next(_found(word, text), None) is not None for word in words)


def bare(word: str) -> str:
    """A word without the punctuation around it, unless it is nothing else."""
    return word.strip(".,;:!?\"'“”‘’()…") or word


def _texts(value: object) -> list[str]:
    listed = cast("list[Any]", value) if isinstance(value, list) else [value]
    return [one for one in listed if isinstance(one, str) and one.strip()]


def _changes(perturbations: JsonValue | None) -> Iterator[Change]:
    for one in perturbations if isinstance(perturbations, list) else []:
        if not isinstance(one, dict):
            continue
        what = one.get("what")
        for pair in what if isinstance(what, list) else []:
            if isinstance(pair, list) and len(pair) == 2:
                yield Change(str(one.get("feature")), str(pair[0] or ""), str(pair[1] or ""))


def _unnamed(
    perturbations: JsonValue | None, written: str, text: str, named: Sequence[Change]
) -> Iterator[Change]:
    """Changes that a perturbation did not name, where it is the only such: by comparing words."""
    told = perturbations if isinstance(perturbations, list) else []
    silent = [
        str(one.get("feature"))
        for one in told
        if isinstance(one, dict) and one.get("changes") and not one.get("what")
    ]
    if len(silent) != 1:
        return
    known = {word for one in named for word in _cores(f"{one.old} {one.new}")}
    before, after = _WORD.findall(written), _WORD.findall(text)
    for what, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if what == "replace" and b - a == d - c:
            for old, new in zip(before[a:b], after[c:d], strict=True):
                if not known & {*_cores(old), *_cores(new)}:
                    yield Change(silent[0], bare(old), bare(new))


def _without(spoken: Mapping[str, tuple[str, ...]], feature: str) -> dict[str, tuple[str, ...]]:
    return {name: words for name, words in spoken.items() if name != feature}


def _found(phrase: str, text: str) -> Iterator[tuple[int, int]]:
    """Where words stand in a text, whatever their case and their blanks."""
    words = phrase.split()
    if words:
        pattern = r"\s+".join(map(re.escape, words))
        for place in re.finditer(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE):
            yield place.span()


def _apart(spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Spans in order, without those that overlap one before."""
    end = -1
    for span in sorted(spans, key=lambda one: (one[0], -one[1])):
        if span[0] >= end:
            yield span
            end = span[1]


def _tidied(text: str) -> str:
    return _RUN.sub(r"\1", _GAP.sub(r"\1", " ".join(text.split())))


def _cores(text: str) -> list[str]:
    return _CORE.findall(text.casefold())


async def fewest_words(said: Said, fails: Callable[[Said], Awaitable[bool]]) -> Said:
    """The utterance without the words that a failure does not need (delta debugging).

    No word that is left, but for those that say features, can be taken away alone.
    """
    words = _WORD.findall(said.text)
    free = said.free()
    kept = [at for at in range(len(words)) if at not in free]

    def shorter(some: Sequence[int]) -> Said:
        return replace(said, text=" ".join(words[at] for at in sorted((*kept, *some))))

    parts = 1
    while free:
        for chunk in _chunks(free, parts):
            rest = [at for at in free if at not in chunk]
            found = shorter(rest)
            if found.text and await fails(found):
                free, parts = rest, max(1, parts - 1)
                break
        else:
            if parts >= len(free):
                break
            parts = min(len(free), 2 * parts)
    return shorter(free)


def _chunks(numbers: Sequence[int], parts: int) -> Iterator[Sequence[int]]:
    """The numbers in so many pieces of about equal length."""
    size, more = divmod(len(numbers), parts)
    start = 0
    for part in range(parts):
        end = start + size + (part < more)
        if end > start:
            yield numbers[start:end]
        start = end

"""Sample utterances as patterns, and how well words fit them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from sparring_connectors.alexa.interaction_model import Intent
from sparring_connectors.alexa.slots import FREE, SlotReading
from sparring_connectors.alexa.words import HeardWords, split_words, stem, word_weight

# An address has a dozen words; a slot that may take any number makes matching cubic.
_LONGEST_SLOT = 12
# If the words around it do not fit exactly, a long slot would swallow them all.
_LONGEST_NEAR_SLOT = 5
_LONGEST_NEAR = 30
_UNFILLED = 0.5
# A near fit is never better than an exact one.
_NEAR = 0.9
# "{city}" alone as a sample fits any utterance: samples with words of their own come first.
_BARE = 0.6

ReadSlot = Callable[[str, int, int], SlotReading | None]
"""Reads the words from the first index to before the second as the slot of a name."""


@dataclass(frozen=True, slots=True)
class SamplePart:
    """A word of a sample, or a slot in it."""

    text: str
    is_slot: bool = False


@dataclass(frozen=True)
class Sample:
    """A sample utterance: words and slots; `order` is its place in the model."""

    intent: str
    text: str
    parts: tuple[SamplePart, ...]
    order: int

    @cached_property
    def is_bare(self) -> bool:
        """Whether it consists of slots alone."""
        return all(part.is_slot for part in self.parts)

    @cached_property
    def literals(self) -> tuple[str, ...]:
        """Its words."""
        return tuple(part.text for part in self.parts if not part.is_slot)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its words."""
        return _stems(self.literals)


@dataclass(frozen=True, slots=True)
class SampleFit:
    """How words fit a sample: a score in [0, 1] and the readings of its slots."""

    sample: Sample
    score: float
    slots: tuple[tuple[str, SlotReading], ...] = ()
    exact: bool = False

    @property
    def rank(self) -> tuple[float, int, int, int]:
        """What decides between fits: score, then words in common, then the model's order."""
        known_values = sum(reading.is_known for _, reading in self.slots)
        return round(self.score, 6), len(self.sample.literals), known_values, -self.sample.order


@lru_cache(maxsize=1024)
def _stems(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(stem, words))


def parse_samples(intent: Intent, said: tuple[str, ...], start: int) -> list[Sample]:
    """The patterns of what is said for an intent, numbered from `start`."""
    samples: list[Sample] = []
    names = {slot.name.lower(): slot.name for slot in intent.slots}
    for text in said:
        parts = tuple(_parse_part(word, names) for word in split_words(text))
        if parts:
            samples.append(Sample(intent.name, text, parts, start + len(samples)))
    return samples


def _parse_part(word: str, names: dict[str, str]) -> SamplePart:
    """A word or a slot; older files also write ``{example|slot}``."""
    if not (word.startswith("{") and word.endswith("}")):
        return SamplePart(word)
    inner = word[1:-1].rpartition("|")[2].strip()
    return SamplePart(names.get(inner.lower(), inner), is_slot=True)


def exact_fit(sample: Sample, said: HeardWords, read: ReadSlot) -> SampleFit | None:
    """How words fit a sample word by word; `None` if one of them does not."""
    present = set(said.words)
    if any(word not in present for word in sample.literals):
        return None
    if not any(part.is_slot for part in sample.parts):
        fits = tuple(part.text for part in sample.parts) == said.words
        return SampleFit(sample, 1.0, exact=True) if fits else None
    gain = _ExactAlignment(sample, said, read).best(0, 0)
    if gain is None:
        return None
    gained, slots = gain
    score = gained / len(said)
    # A sample "{city}" fits any words: it counts fully only if the city is known, as "chicago".
    if sample.is_bare and not all(reading.is_known for _, reading in slots):
        score *= _BARE
    return SampleFit(sample, min(score, 0.99), slots, exact=True)


_ExactGain = tuple[float, tuple[tuple[str, SlotReading], ...]]


class _ExactAlignment:
    """The best reading of a sample's slots, if all its words are said in order."""

    def __init__(self, sample: Sample, said: HeardWords, read: ReadSlot) -> None:
        self._parts = sample.parts
        self._said = said
        self._read = read
        self._known: dict[tuple[int, int], _ExactGain | None] = {}

    def best(self, at: int, part: int) -> _ExactGain | None:
        if part == len(self._parts):
            return (0.0, ()) if at == len(self._said) else None
        key = (at, part)
        if key not in self._known:
            self._known[key] = self._search(at, part)
        return self._known[key]

    def _search(self, at: int, part: int) -> _ExactGain | None:
        here = self._parts[part]
        if not here.is_slot:
            if at >= len(self._said) or self._said.words[at] != here.text:
                return None
            rest = self.best(at + 1, part + 1)
            return None if rest is None else (rest[0] + 1, rest[1])
        left = len(self._parts) - part - 1
        last = len(self._said) - left
        if left:
            last = min(last, at + _LONGEST_SLOT)
        best: _ExactGain | None = None
        for end in range(at + 1, last + 1):
            rest = self.best(end, part + 1)
            reading = self._read(here.text, at, end) if rest is not None else None
            if rest is None or reading is None:
                continue
            gained = rest[0] + reading.sure * (end - at)
            if best is None or gained > best[0]:
                best = (gained, ((here.text, reading), *rest[1]))
        return best


def near_fit(sample: Sample, said: HeardWords, read: ReadSlot) -> SampleFit | None:
    """How much of the words and of a sample is in common, in order; `None` if nothing is."""
    # Cheap test before the alignment: most samples share no word with what was said.
    if not sample.is_bare and sample.stems.isdisjoint(_stems(said.words)):
        return None
    gained, slots, covered = _NearAlignment(said.words[:_LONGEST_NEAR], read).best(sample.parts)
    if gained <= 0:
        return None
    own = sum(word_weight(word) for word in sample.literals)
    filled = {name for name, _ in slots}
    own += sum(_UNFILLED for part in sample.parts if part.is_slot and part.text not in filled)
    theirs = sum(map(word_weight, said.words))
    score = _NEAR * 2 * gained / (theirs + own + covered)
    if sample.is_bare:
        score *= _BARE
    return SampleFit(sample, score, slots)


_NearGain = tuple[float, tuple[tuple[str, SlotReading], ...], float]


_NOTHING: _NearGain = (0.0, (), 0.0)


class _NearAlignment:
    """The best alignment of words with a sample, either of which may have words of its own.

    A gain is the weight in common, the slots read, and the weight that they cover.
    """

    def __init__(self, words: tuple[str, ...], read: ReadSlot) -> None:
        self._words = words
        self._weights = [word_weight(word) for word in words]
        self._read = read

    def best(self, parts: tuple[SamplePart, ...]) -> _NearGain:
        """Return the best gain, from the last part of the sample to its first."""
        # For each word the gain from there on, with the parts behind this one.
        behind = [_NOTHING] * (len(self._words) + 1)
        for part in reversed(parts):
            behind = self._slot_gains(part, behind) if part.is_slot else self._gains(part, behind)
        return behind[0]

    def _gains(self, part: SamplePart, behind: list[_NearGain]) -> list[_NearGain]:
        """Return the gains from each word on, if the part is a word; of equal ones the match."""
        gains = [_NOTHING] * len(behind)
        text, stemmed, weight = part.text, stem(part.text), word_weight(part.text)
        for at in range(len(self._words) - 1, -1, -1):
            best = gains[at + 1]
            if behind[at][0] > best[0]:
                best = behind[at]
            word = self._words[at]
            if word == text or stem(word) == stemmed:
                gained, slots, covered = behind[at + 1]
                if gained + weight >= best[0]:
                    best = (gained + weight, slots, covered)
            gains[at] = best
        return gains

    def _slot_gains(self, part: SamplePart, behind: list[_NearGain]) -> list[_NearGain]:
        """Return the gains from each word on, if the part is a slot; of equal ones no slot."""
        gains = [_NOTHING] * len(behind)
        for at in range(len(self._words) - 1, -1, -1):
            best = gains[at + 1]
            if behind[at][0] > best[0]:
                best = behind[at]
            weight = 0.0
            for end in range(at + 1, min(len(self._words), at + _LONGEST_NEAR_SLOT) + 1):
                weight += self._weights[end - 1]
                reading = self._read(part.text, at, end)
                if reading is None or reading.sure < FREE:
                    continue
                # "fly me to boston": a known city counts in full, any other words for half.
                sure = reading.sure if reading.is_known else reading.sure / 2
                gained, slots, covered = behind[end]
                total = gained + sure * weight
                if total > best[0]:
                    best = (total, ((part.text, reading), *slots), covered + weight)
            gains[at] = best
        return gains

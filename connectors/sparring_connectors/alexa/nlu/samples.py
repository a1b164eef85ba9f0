"""Sample utterances as patterns, and how well words fit them."""

from collections.abc import Callable
from dataclasses import dataclass

from sparring_connectors.alexa.interaction.model import Intent
from sparring_connectors.alexa.slots.values import FREE, Reading
from sparring_connectors.alexa.slots.words import Heard, stem_of, weight_of, words_of

_LONGEST_SLOT = 12
_LONGEST_NEAR_SLOT = 5
_LONGEST_NEAR = 30
_UNFILLED = 0.5
_NEAR = 0.9
_BARE = 0.6

Read = Callable[[str, int, int], Reading | None]
"""Reads the words from the first index to before the second as the slot of a name."""


@dataclass(frozen=True, slots=True)
class Part:
    """A word of a sample, or a slot in it."""

    text: str
    is_slot: bool = False


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample utterance: words and slots; `order` is its place in the model."""

    intent: str
    text: str
    parts: tuple[Part, ...]
    order: int

    @property
    def is_bare(self) -> bool:
        """Whether it consists of slots alone."""
        return all(part.is_slot for part in self.parts)

    @property
    def literals(self) -> tuple[str, ...]:
        """Its words."""
        return tuple(part.text for part in self.parts if not part.is_slot)


@dataclass(frozen=True, slots=True)
class Fit:
    """How words fit a sample: a score in [0, 1] and the readings of its slots."""

    sample: Sample
    score: float
    slots: tuple[tuple[str, Reading], ...] = ()
    exact: bool = False

    @property
    def rank(self) -> tuple[float, int, int, int]:
        """What decides between fits: score, then words in common, then the model's order."""
        known = sum(reading.is_known for _, reading in self.slots)
        return round(self.score, 6), len(self.sample.literals), known, -self.sample.order


def samples_of(intent: Intent, said: tuple[str, ...], start: int) -> list[Sample]:
    """The patterns of what is said for an intent, numbered from `start`."""
    found: list[Sample] = []
    names = {slot.name.lower(): slot.name for slot in intent.slots}
    for text in said:
        parts = tuple(_part(word, names) for word in words_of(text))
        if parts:
            found.append(Sample(intent.name, text, parts, start + len(found)))
    return found


def _part(word: str, names: dict[str, str]) -> Part:
    """A word or a slot; older files also write ``{example|slot}``."""
    if not (word.startswith("{") and word.endswith("}")):
        return Part(word)
    inner = word[1:-1].rpartition("|")[2].strip()
    return Part(names.get(inner.lower(), inner), is_slot=True)


def exact_fit(sample: Sample, said: Heard, read: Read) -> Fit | None:
    """How words fit a sample word by word; None where one does not."""
    present = set(said.words)
    if any(word not in present for word in sample.literals):
        return None
    if not any(part.is_slot for part in sample.parts):
        fits = tuple(part.text for part in sample.parts) == said.words
        return Fit(sample, 1.0, exact=True) if fits else None
    found = _Exact(sample, said, read).best(0, 0)
    if found is None:
        return None
    gained, slots = found
    score = gained / len(said)
    if sample.is_bare and not all(reading.is_known for _, reading in slots):
        score *= _BARE
    return Fit(sample, min(score, 0.99), slots, exact=True)


_Found = tuple[float, tuple[tuple[str, Reading], ...]]


class _Exact:
    """The best reading of a sample's slots, if all its words are said in order."""

    def __init__(self, sample: Sample, said: Heard, read: Read) -> None:
        self._parts = sample.parts
        self._said = said
        self._read = read
        self._known: dict[tuple[int, int], _Found | None] = {}

    def best(self, at: int, part: int) -> _Found | None:
        if part == len(self._parts):
            return (0.0, ()) if at == len(self._said) else None
        key = (at, part)
        if key not in self._known:
            self._known[key] = self._found(at, part)
        return self._known[key]

    def _found(self, at: int, part: int) -> _Found | None:
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
        found: _Found | None = None
        for end in range(at + 1, last + 1):
            rest = self.best(end, part + 1)
            reading = self._read(here.text, at, end) if rest is not None else None
            if rest is None or reading is None:
                continue
            gained = rest[0] + reading.sure * (end - at)
            if found is None or gained > found[0]:
                found = (gained, ((here.text, reading), *rest[1]))
        return found


def near_fit(sample: Sample, said: Heard, read: Read) -> Fit | None:
    """How much of the words and of a sample is in common, in order; None where nothing is."""
    stems = {stem_of(word) for word in said.words}
    if not any(stem_of(word) in stems for word in sample.literals) and not sample.is_bare:
        return None
    gained, slots, covered = _Near(sample, said.part(0, _LONGEST_NEAR), read).best(0, 0)
    if gained <= 0:
        return None
    own = sum(weight_of(word) for word in sample.literals)
    filled = {name for name, _ in slots}
    own += sum(_UNFILLED for part in sample.parts if part.is_slot and part.text not in filled)
    theirs = sum(map(weight_of, said.words))
    score = _NEAR * 2 * gained / (theirs + own + covered)
    if sample.is_bare:
        score *= _BARE
    return Fit(sample, score, slots)


_Gain = tuple[float, tuple[tuple[str, Reading], ...], float]


class _Near:
    """The best alignment of words with a sample, where either may have words of its own."""

    def __init__(self, sample: Sample, said: Heard, read: Read) -> None:
        self._parts = sample.parts
        self._said = said
        self._read = read
        self._known: dict[tuple[int, int], _Gain] = {}

    def best(self, at: int, part: int) -> _Gain:
        """The weight in common from here on, the slots read, the weight that they cover."""
        if at >= len(self._said) or part >= len(self._parts):
            return (0.0, (), 0.0)
        key = (at, part)
        if key not in self._known:
            self._known[key] = max(self._options(at, part), key=lambda gain: gain[0])
        return self._known[key]

    def _options(self, at: int, part: int) -> list[_Gain]:
        options = [self.best(at + 1, part), self.best(at, part + 1)]
        here, word = self._parts[part], self._said.words[at]
        if not here.is_slot:
            if word == here.text or stem_of(word) == stem_of(here.text):
                gained, slots, covered = self.best(at + 1, part + 1)
                options.insert(0, (gained + weight_of(here.text), slots, covered))
            return options
        for end in range(at + 1, min(len(self._said), at + _LONGEST_NEAR_SLOT) + 1):
            reading = self._read(here.text, at, end)
            if reading is None or reading.sure < FREE:
                continue
            gained, slots, covered = self.best(end, part + 1)
            weight = sum(map(weight_of, self._said.words[at:end]))
            sure = reading.sure if reading.is_known else reading.sure / 2
            options.append(
                (gained + sure * weight, ((here.text, reading), *slots), covered + weight)
            )
        return options

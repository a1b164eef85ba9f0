"""What a surrogate search remembers: played cases, their words, value pairs, failure classes."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations, pairwise
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue

from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.strategies.scenario_search import (
    Evaluation,
    GrowingText,
    growing_rows,
    pack,
    unpack,
    unpack_rows,
)

FloatArray = NDArray[np.float32]

# Words are hashed to so many places; two words in one place only blur the prediction.
_TEXT = 2_048
# Words share places by their check sum: enough to tell requests apart, and of fixed length.
_BAG = 256
# The steps grow: 4 words against 6 are more different than 50 against 52.
_LENGTHS = (4, 6, 8, 10, 12, 15, 18, 22, 26, 30, 35, 40, 50, 60)
_WORD = re.compile(r"\w+(?:['.]\w+)*|[?!]")
_LONGEST = 4_000
# A pair of neighbours counts less than a word, so that simple reasons win.
_NEIGHBOURS = 0.7

WIDTH = _TEXT + len(_LENGTHS)


@lru_cache(maxsize=4_096)
def word_features(text: str) -> FloatArray:
    """Return features of a text: hashed words and pairs of neighbours, and its length."""
    features = np.zeros(WIDTH, np.float32)
    tokens = _WORD.findall(text[:_LONGEST].casefold())
    for pair in pairwise(tokens):
        features[_place(" ".join(pair))] = _NEIGHBOURS
    for token in tokens:
        features[_place(token)] = 1
    for at, length in enumerate(_LENGTHS):
        features[_TEXT + at] = len(tokens) >= length
    return features


@lru_cache(maxsize=8_192)
def word_vector(text: str) -> FloatArray:
    """Return the word counts of a text as a vector of length 1: their product is the similarity."""
    counts = np.zeros(_BAG, np.float32)
    for token in _WORD.findall(text[:_LONGEST].casefold()) or [text]:
        counts[crc32(token.encode("utf-8", "surrogatepass")) % _BAG] += 1
    vector: FloatArray = np.sqrt(counts)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def _place(token: str) -> int:
    return crc32(token.encode("utf-8", "surrogatepass")) % _TEXT


REMEMBERED = 1_500
"""The number of last cases that are learnt from."""

_FAILING = 600
"""The least number of failures that are learnt from, if there are as many."""

_MOST_LABELS = 20
# An oracle that names each failure by its text has a class a case; the rest count as failures
# alone.
_MOST_CLASSES = 5_000
_LATE = 100
"""The number of cases that count as recent."""

_STEPS = 200
"""The number of steps to which objectives are rounded."""

_TEXTS = 6_000
"""The number of last texts that are remembered."""


class Memory:
    """The played cases, the failure classes with their counts, and what was said (`said`).

    `known` numbers the failure classes, `classes` has the number of each played case, -1 for no
    failure; `values` has its objectives, one case after the other, in steps of 1/200.
    """

    def __init__(self, sizes: Indices) -> None:
        self._sizes = sizes
        self._failed: list[int] = []
        self._new: list[int] = []
        self.played: list[Indices] = []
        self.classes: list[int] = []
        self.values: list[int] = []
        self.known: dict[tuple[str, ...], int] = {}
        self.counts: Counter[int] = Counter()
        self.said: dict[Indices, str] = {}
        self._begin_texts()

    def _begin_texts(self) -> None:
        self._rows_text = growing_rows(self._sizes)
        self._classes_text = GrowingText[int](pack)
        self._values_text = GrowingText[int](pack)

    def add(self, row: Indices, evaluation: Evaluation) -> None:
        """Remember how a case did."""
        self.played.append(row)
        self.values += (round(objective * _STEPS) for objective in evaluation.objectives)
        number = -1
        if evaluation.failed:
            name = evaluation.failure_class
            if name not in self.known and len(self.known) >= _MOST_CLASSES:
                name = name[:1] if name[:1] in self.known else next(iter(self.known))
            if name not in self.known:
                self._new.append(len(self.classes))
            number = self.known.setdefault(name, len(self.known))
            self.counts[number] += 1
            self._failed.append(len(self.classes))
        self.classes.append(number)

    def read(self, row: Indices, text: str) -> None:
        """Remember the text of a case that is played, and forget the oldest text."""
        self.said[row] = text
        if len(self.said) > _TEXTS:
            del self.said[next(iter(self.said))]

    def failing(self) -> tuple[list[Indices], list[float]]:
        """Return the last failures, with weights that favour rare classes."""
        places = self._failed[-REMEMBERED:]
        return (
            [self.played[at] for at in places],
            [self.counts[self.classes[at]] ** -0.5 for at in places],
        )

    def parts(self) -> list[str]:
        """Return the parts of failure classes, the most common first, as many as are learnt."""
        counts: Counter[str] = Counter()
        for name, number in self.known.items():
            for part in name:
                counts[part] += self.counts[number]
        ranked = sorted(counts.items(), key=lambda count: (-count[1], count[0]))
        return [part for part, _ in ranked[:_MOST_LABELS]]

    def lesson(self, parts: list[str]) -> tuple[list[Indices], FloatArray, FloatArray]:
        """Return the cases to learn from, their labels, and which of the labels are known.

        The labels of a case are: whether it failed, the parts of its failure class, and how bad
        each objective was (1 less its value). The parts are known for failures alone.
        """
        names = {number: name for name, number in self.known.items()}
        places = self._places()
        width = len(self.values) // max(1, len(self.played))
        values = np.array([self.values[at * width : (at + 1) * width] for at in places], np.float32)
        labels = np.zeros((len(places), 1 + len(parts)), np.float32)
        for line, at in enumerate(places):
            number = self.classes[at]
            if number >= 0:
                labels[line, 0] = 1
                labels[line, 1:] = [part in names[number] for part in parts]
        targets = np.hstack([labels, np.float32(1) - values / np.float32(_STEPS)])
        is_known = np.ones_like(targets)
        is_known[:, 1 : 1 + len(parts)] = labels[:, :1]
        return [self.played[at] for at in places], targets, is_known

    def news(self, first: int) -> int:
        """Return the number of failure classes first seen in the last hundred cases.

        Those of the first cases are not counted, because all are new then.
        """
        return len(self._new) - bisect_left(self._new, max(first, len(self.classes) - _LATE))

    def recent(self) -> tuple[list[Indices], list[bool]]:
        """Return the cases that are learnt from, and whether each failed."""
        places = self._places()
        return [self.played[at] for at in places], [self.classes[at] >= 0 for at in places]

    def _places(self) -> list[int]:
        """Return the last cases, and before them older failures if there are few."""
        first = max(0, len(self.played) - REMEMBERED)
        before = bisect_left(self._failed, first)
        missing = _FAILING - (len(self._failed) - before)
        earlier = self._failed[max(0, before - missing) : before] if missing > 0 else []
        return [*earlier, *range(first, len(self.played))]

    def shown(self, parts: Sequence[str]) -> Counter[tuple[int, ...]]:
        """Return how often each class was seen, by the numbers of its parts.

        Classes without any of the given parts are left out.
        """
        numbers = {part: at for at, part in enumerate(parts)}
        counts: Counter[tuple[int, ...]] = Counter()
        for name, number in self.known.items():
            if key := tuple(sorted({numbers[part] for part in name if part in numbers})):
                counts[key] += self.counts[number]
        return counts

    def state(self) -> dict[str, JsonValue]:
        """Return all that `restore` needs; texts are read again."""
        return {
            "played": self._rows_text.of(self.played),
            "kinds": self._classes_text.of(self.classes),
            "values": self._values_text.of(self.values),
            "known": [list(name) for name in self.known],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Resume from a state; raises ValueError, KeyError, TypeError."""
        self.played = unpack_rows(state["played"], self._sizes)
        self.classes = unpack(state["kinds"])
        self.values = unpack(state["values"])
        self.known = {tuple(map(str, name)): at for at, name in enumerate(state["known"])}
        self.counts = Counter(number for number in self.classes if number >= 0)
        self._failed = [at for at, number in enumerate(self.classes) if number >= 0]
        first_seen = {self.classes[at]: at for at in reversed(self._failed)}
        self._new = sorted(first_seen.values())
        self._begin_texts()
        if (
            len(self.classes) != len(self.played)
            or any(number >= len(self.known) for number in self.classes)
            or len(self.values) % max(1, len(self.played))
        ):
            raise ValueError("it has other cases")


IndexTable = NDArray[np.intp]


class PairNumbers:
    """Numbers all pairs of values of two features from 0 on; there are `total` of them."""

    def __init__(self, sizes: Sequence[int]) -> None:
        pairs = list(combinations(range(len(sizes)), 2))
        spans = [sizes[first] * sizes[second] for first, second in pairs]
        self._first = np.array([first for first, _ in pairs], dtype=np.intp)
        self._second = np.array([second for _, second in pairs], dtype=np.intp)
        self._wide = np.array([sizes[second] for _, second in pairs], dtype=np.intp)
        self._start = starts(spans)
        self.total = sum(spans)

    def values(self, number: int) -> dict[int, int]:
        """Return the two features of a pair, with their values."""
        at = int(np.searchsorted(self._start, number, side="right")) - 1
        first, second = divmod(number - int(self._start[at]), int(self._wide[at]))
        return {int(self._first[at]): first, int(self._second[at]): second}

    def of(self, table: IndexTable) -> IndexTable:
        """Return the numbers of the pairs that each case has, a row per case."""
        inside = table[:, self._first] * self._wide + table[:, self._second]
        numbers: IndexTable = self._start + inside
        return numbers


def starts(spans: Sequence[int]) -> IndexTable:
    """Return the first number of each of several consecutive ranges."""
    return np.cumsum([0, *spans])[:-1].astype(np.intp)


class Pairs:
    """Counts in how many cases each pair of values was `played`, and in how many it `failed`.

    `table` has the candidates, a row for each.
    """

    def __init__(
        self, table: IndexTable, played: IndexTable, failed: NDArray[np.bool_], sizes: Sequence[int]
    ) -> None:
        numbers = PairNumbers(sizes)
        self._own, played_numbers = numbers.of(table), numbers.of(played)
        self._tried = _count(played_numbers, numbers.total)
        self._failed = _count(played_numbers[failed], numbers.total)

    def neglect(self) -> FloatArray:
        """Return how neglected each candidate's pairs are on average.

        1 if all are new, falling to 0. The more often a pair was tried without failing, the less it
        is neglected.
        """
        if not self._own.shape[1]:
            return np.ones(len(self._own), np.float32)
        each = 1 / (1 + self._failed) / np.sqrt(1 + self._tried)
        neglect: FloatArray = each[self._own].mean(1).astype(np.float32)
        return neglect

    def expect(self, place: int) -> None:
        """Count the pairs of a candidate that will be played, as if it failed."""
        self._failed[self._own[place]] += 1
        self._tried[self._own[place]] += 1


def _count(places: IndexTable, total: int) -> FloatArray:
    return np.bincount(places.ravel(), minlength=total).astype(np.float32)


_DOUBT = 0.005
"""The least probability of a part of a failure class, and of its absence."""


class FailureClasses:
    """The failure classes that cases would show if they failed.

    `parts` has a row for each case with the chances of each part of classes, given that it fails;
    they are treated as independent. `counts` is how often each class was seen, by the numbers of
    its parts.
    """

    def __init__(self, parts: FloatArray, counts: Counter[tuple[int, ...]]) -> None:
        likely = parts.clip(_DOUBT, 1 - _DOUBT)
        self._present: FloatArray = np.log(likely).astype(np.float32)
        self._absent: FloatArray = np.log(1 - likely).astype(np.float32)
        self._guessed = parts > 0.5
        self._places = {failure_class: at for at, failure_class in enumerate(counts)}
        self._counts: FloatArray = np.array(list(counts.values()), np.float32)
        has = np.zeros((len(counts), parts.shape[1]), np.float32)
        for line, failure_class in enumerate(counts):
            has[line, list(failure_class)] = 1
        self._chances = self._chances_of(has)

    @property
    def known(self) -> bool:
        """Whether any class is known."""
        return bool(self._places)

    def _chances_of(self, has: FloatArray) -> FloatArray:
        return np.exp(self._present @ has.T + self._absent @ (1 - has).T).astype(np.float32)

    def rarity(self) -> FloatArray:
        """Return how rare the class of each case is: 1 for never seen, falling to 0."""
        often = 1 - (1 + self._counts) ** -0.5
        return (1 - self._chances @ often).clip(0, 1).astype(np.float32)

    def expect(self, place: int) -> None:
        """Count the class that a case shows most likely, because the case will be played."""
        failure_class = tuple(np.flatnonzero(self._guessed[place]).tolist())
        at = self._places.setdefault(failure_class, len(self._counts))
        if at < len(self._counts):
            self._counts[at] += 1
        else:
            has = self._guessed[place][None].astype(np.float32)
            self._chances = np.hstack([self._chances, self._chances_of(has)])
            self._counts = np.append(self._counts, np.float32(1))

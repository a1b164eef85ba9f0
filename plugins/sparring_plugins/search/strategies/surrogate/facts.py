"""The facts of the cases that were played: values and words, and which of them failed how."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

from sparring_plugins.search.space.encoding import Indices

Fact = str
"""A value of a feature (``3=1``, by their numbers), or a word that is said after a quote."""

Condition = frozenset[Fact]

_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_LONGEST = 4_000

BESIDE = 0.05
"""The share of failures with a root cause that show something else, if it hides all others."""


@lru_cache(maxsize=16_384)
def words_of(text: str) -> frozenset[Fact]:
    """Return the words of a text as facts."""
    return frozenset(f'"{word}' for word in _WORD.findall(text[:_LONGEST].casefold()))


def facts_of(row: Indices, text: str = "") -> Condition:
    """Return the facts of a case: its values, and the words that it says."""
    return frozenset(f"{at}={value}" for at, value in enumerate(row)) | words_of(text)


def values_of(condition: Condition) -> dict[int, int]:
    """Return the values that a condition asks for, by the numbers of features."""
    pairs = (fact.split("=") for fact in condition if not fact.startswith('"'))
    return {int(at): int(value) for at, value in pairs}


_GENERAL, _IMPLIED = 3, 0.9
"""Other parts that bring a part with them, never alone, if it tells no failures apart; and the
share of the failures with such another part that have it too."""


class PlayedFacts:
    """The facts of all played cases: which cases have a fact, and which failed how.

    Sets of cases are the bits of whole numbers, so that thousands of conditions are checked in
    milliseconds.
    """

    def __init__(self) -> None:
        self.facts: list[Condition] = []
        self.parts: list[frozenset[str]] = []
        self.classes: Counter[frozenset[str]] = Counter()
        self._having: dict[Fact, int] = {}
        self._failing: dict[str, int] = {}
        self._failed = 0
        self._general = (0, frozenset[str]())
        self._alone = (0, 0)

    def add(self, facts: Condition, parts: Iterable[str]) -> None:
        """Add a case with the parts of its failure class; none if it passed."""
        bit, known = 1 << len(self.facts), frozenset(parts)
        self.facts.append(facts)
        self.parts.append(known)
        for fact in facts:
            self._having[fact] = self._having.get(fact, 0) | bit
        for part in known:
            self._failing[part] = self._failing.get(part, 0) | bit
        self._failed |= bit if known else 0
        self.classes[known] += 1

    @property
    def all(self) -> int:
        """All cases."""
        return (1 << len(self.facts)) - 1

    @property
    def failed(self) -> int:
        """All cases that failed."""
        return self._failed

    @property
    def general(self) -> frozenset[str]:
        """Parts that stand beside several others and never alone: they tell no failures apart.

        Of "retrieval, pay" and "retrieval, day" the first part says what all have in common. What
        causes "retrieval" would be any of the causes of the others. Each failure keeps a part.
        """
        if self._general[0] != len(self.facts):
            self._general = (len(self.facts), _general_parts(self.classes))
        return self._general[1]

    @property
    def alone(self) -> int:
        """The failed cases with a part that hardly ever stands beside another one.

        An app that refuses, or says nothing, shows nothing else that it would have done wrong: such
        a case says nothing about other parts, whether or not the cause of the refusal is known.
        """
        if self._alone[0] != len(self.facts):
            cases = 0
            for part, failing in self._failing.items():
                if part in self.general:
                    continue
                mates = {p for p, other in self._failing.items() if not failing & ~other}
                beside = failing & self.failing_beside(mates | self.general)
                if beside.bit_count() <= BESIDE * failing.bit_count():
                    cases |= failing
            self._alone = (len(self.facts), cases)
        return self._alone[1]

    def failing(self, part: str) -> int:
        """Return the cases that failed with a part of a failure class."""
        return self._failing.get(part, 0)

    def failing_beside(self, parts: Iterable[str]) -> int:
        """Return the cases that failed with other parts of failure classes than these."""
        known, cases = set(parts), 0
        for part, failing in self._failing.items():
            cases |= 0 if part in known else failing
        return cases

    def having(self, condition: Iterable[Fact]) -> int:
        """Return the cases that satisfy a condition."""
        cases = self.all
        for fact in condition:
            cases &= self._having.get(fact, 0)
        return cases

    def frequency(self, fact: Fact) -> int:
        """Return how many cases have a fact."""
        return self._having.get(fact, 0).bit_count()


def _general_parts(classes: Mapping[frozenset[str], int]) -> frozenset[str]:
    beside: dict[str, Counter[str]] = {}
    frequency: Counter[str] = Counter()
    for parts, number in classes.items():
        for part in parts:
            frequency[part] += number
            counts = beside.setdefault(part, Counter[str]())
            for other in parts - {part}:
                counts[other] += number
    general: set[str] = set()
    for part in sorted(beside, key=lambda part: (-frequency[part], part)):
        others = {other: n for other, n in beside[part].items() if other not in general}
        # a wrong field that happened to fail beside other wrong fields only is implied by none
        implied = sum(n >= _IMPLIED * frequency[other] for other, n in others.items())
        leaves = all(parts - general - {part} for parts in classes if part in parts)
        if implied >= _GENERAL and 2 * implied >= len(others) and leaves:
            general.add(part)
    return frozenset(general)

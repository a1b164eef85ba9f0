"""What one failure may be due to: conditions on its facts, weighed by the cases played so far."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp, lgamma, log

from sparring_plugins.search.strategies.surrogate.facts import Condition, Fact, PlayedFacts

_WORDS = 12
"""The number of words of a failure that conditions are made of, those likeliest to matter.

With the rarest ones instead, "set aside" was never tried: a third of all requests say it."""

_LARGEST = 4
"""The most facts of a condition; four are tried only if no three explain a failure."""

_SIZE_PRIOR, _WORD_PRIOR = 0.08, 0.4
"""How much less likely a condition is for each fact, and for each word among them."""

TOLERATED = 0.12
"""The share of cases with a condition that may pass: apps and judges are not always alike."""

_BY_CHANCE, _OFTEN = 1.0, 4
"""The most cases that pass with a condition for each one that fails, if an app fails by chance, and
the failures from which on that can be told. Half of the cases fail."""

_FAILS = 9.0
"""How sure a case with a condition fails: as if so many had been seen to, before the first one.

A beta distribution: each case that passes makes a condition the less likely the more failed, so
that an app that fails by chance is told from a condition that lacks a fact."""

_MOST = 150
"""The number of conditions of a failure that are kept, the likeliest."""


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """What one part of one failure may be due to: conditions, with weights that add up to 1."""

    case: int
    part: str
    weights: Mapping[Condition, float]

    @property
    def best(self) -> Condition:
        """The likeliest condition."""
        return max(self.weights, key=lambda item: (self.weights[item], sorted(item)))

    def chance(self, facts: Condition) -> float:
        """Return how likely a case with these facts fails for the same reason."""
        return sum(weight for condition, weight in self.weights.items() if condition <= facts)

    def telling(self, cases: Sequence[Condition], number: int, undecided: float) -> list[int]:
        """Return the places of the cases that together tell the conditions apart best.

        They are played together: a second case that holds under the same conditions as the first
        would say nothing new, however open its outcome is. So each further one is the one with the
        largest entropy beside those before it.
        """
        holding = {
            at: {condition for condition in self.weights if condition <= facts}
            for at, facts in enumerate(cases)
        }
        chances = {at: sum(self.weights[item] for item in held) for at, held in holding.items()}
        left = [at for at, chance in chances.items() if undecided < chance < 1 - undecided]
        chosen: list[int] = []
        groups: list[set[Condition]] = [set(self.weights)]
        while left and len(chosen) < number:
            best = max(left, key=lambda at: (self._entropy(_split(groups, holding[at])), -at))
            left.remove(best)
            chosen.append(best)
            groups = _split(groups, holding[best])
        return chosen

    def _entropy(self, groups: Iterable[set[Condition]]) -> float:
        shares = [sum(self.weights[condition] for condition in group) for group in groups]
        return -sum(share * log(share) for share in shares if share > 0)


def _split(groups: Iterable[set[Condition]], held: set[Condition]) -> list[set[Condition]]:
    """Return groups of conditions, each parted into those that hold and those that do not."""
    parts = [part for group in groups for part in (group & held, group - held)]
    return [part for part in parts if part]


def hypotheses_of(
    played: PlayedFacts,
    case: int,
    part: str,
    hiding: Sequence[Condition] = (),
    explained: int = 0,
) -> Hypotheses | None:
    """Return what a part of a failure may be due to; None if nothing explains it.

    Where one of the conditions `hiding` holds, cases say nothing about others: an app that refuses
    a request shows nothing else that it would have done wrong. Nor do the cases `explained`, which
    fail for another reason, or pass in spite of it.
    """
    positive = played.failing(part) & ~explained | 1 << case
    hidden = 0
    for condition in hiding:
        if not condition <= played.facts[case]:
            hidden |= played.having(condition)
    masked = explained | hidden & played.failed | played.alone & ~positive
    negative = played.all & ~positive & ~masked
    facts = _usable(played, case, positive, negative)
    counted = positive.bit_count() + negative.bit_count()
    base = min(0.5, max(0.02, positive.bit_count() / max(1, counted)))
    weights: dict[Condition, float] = {}
    for condition, cases in _consistent(played, facts, positive, negative):
        words = sum(fact.startswith('"') for fact in condition)
        prior = len(condition) * log(_SIZE_PRIOR) + words * log(_WORD_PRIOR)
        failing, passing = (cases & positive).bit_count(), (cases & negative).bit_count()
        weights[condition] = prior + evidence(failing, passing, base)
    if not weights:
        return None
    kept = sorted(weights, key=lambda item: (-weights[item], sorted(item)))[:_MOST]
    odds = {item: exp(weights[item] - weights[kept[0]]) for item in kept}
    total = sum(odds.values())
    return Hypotheses(case, part, {item: value / total for item, value in odds.items()})


def evidence(failing: int, passing: int, base: float) -> float:
    """Return how much likelier so many cases fail and pass with a root cause than by chance.

    The logarithm of a ratio: of the beta-Bernoulli likelihood, with `_FAILS` failures and one pass
    seen before, to that of failures in a share `base` of all cases.
    """
    whole = lgamma(_FAILS + failing) + lgamma(1 + passing) - lgamma(_FAILS + 1 + failing + passing)
    chance = failing * log(base) + passing * log(1 - base)
    return whole - lgamma(_FAILS) + lgamma(_FAILS + 1) - chance


def _usable(played: PlayedFacts, case: int, positive: int, negative: int) -> list[Fact]:
    """Return the facts of a case that conditions are made of: all values, and telling words.

    Words are ranked by how much more often cases with them fail than others do (the logarithm of
    the likelihood ratio); of words that say as much the rarest come first.
    """
    facts, many = played.facts[case], len(played.facts)
    values = sorted(fact for fact in facts if not fact.startswith('"'))
    words = [fact for fact in facts if fact.startswith('"') and played.frequency(fact) < many]
    failed, passed = positive.bit_count(), negative.bit_count()
    base = failed / max(1, failed + passed)

    def lift(fact: Fact) -> float:
        having = played.having((fact,))
        failing, passing = (having & positive).bit_count(), (having & negative).bit_count()
        rate = (failing + base) / (failing + passing + 1)  # one case at the average beside
        return failing * log(max(rate, 1e-9) / max(base, 1e-9)) if rate > base else 0.0

    words.sort(key=lambda fact: (-lift(fact), played.frequency(fact), fact))
    return [fact for fact in values if played.frequency(fact) < many] + words[:_WORDS]


def _consistent(
    played: PlayedFacts, facts: Sequence[Fact], positive: int, negative: int
) -> Iterable[tuple[Condition, int]]:
    """Yield the smallest conditions that no played case contradicts, and the cases with them.

    Conditions that some cases contradict are yielded too, with larger ones that fewer do.
    """
    having = {fact: played.having((fact,)) for fact in facts}
    open_sets: list[tuple[tuple[Fact, ...], int]] = [((), played.all)]
    found: set[Condition] = set()
    explained = False
    for size in range(1, _LARGEST + 1):
        if size == _LARGEST and explained:
            return
        larger: list[tuple[tuple[Fact, ...], int]] = []
        places = {fact: at for at, fact in enumerate(facts)}
        for members, cases in open_sets:
            first = places[members[-1]] + 1 if members else 0
            for fact in facts[first:]:
                both = cases & having[fact]
                passes = (both & negative).bit_count()
                if passes:
                    larger.append(((*members, fact), both))
                    fails = (both & positive).bit_count()
                    if passes > TOLERATED * fails and (
                        fails < _OFTEN or passes > _BY_CHANCE * fails
                    ):
                        continue
                    explained |= passes <= TOLERATED * fails
                    yield frozenset((*members, fact)), both
                    continue
                condition = frozenset((*members, fact))
                if size < 3 or not _has_smaller(condition, found):
                    found.add(condition)
                    explained = True
                    yield condition, both
        open_sets = larger


def _has_smaller(condition: Condition, found: Container[Condition]) -> bool:
    """Whether a condition contains one of many that were found: its few parts are looked up."""
    return any(
        frozenset(part) in found
        for size in range(1, len(condition) + 1)
        for part in combinations(condition, size)
    )

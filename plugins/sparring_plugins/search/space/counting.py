"""How many cases satisfy all constraints: counted by elimination of variables, else estimated."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod, sqrt
from random import Random

from sparring_plugins.search.space.encoding import Encoding, Indices
from sparring_plugins.search.space.restrictions import TABLE, Restriction, TooHard, all_hold

_SAMPLE = 20_000


@dataclass(frozen=True, slots=True)
class Count:
    """How many cases there are; `low` and `high` are the ends of the 95 % interval of an estimate.

    `exact` counts have equal ends.
    """

    number: int
    low: int
    high: int
    exact: bool = True


@dataclass(frozen=True)
class _Factor:
    """How many ways there are, for each combination of values of some variables."""

    variables: Indices
    ways: dict[Indices, int]


def count(encoding: Encoding, restrictions: Sequence[Restriction]) -> Count:
    """The number of cases that satisfy all constraints; raises ConfigurationError."""
    try:
        number = _counted(encoding, [_factor(one, encoding) for one in restrictions])
    except TooHard:
        return _estimated(encoding, restrictions)
    return Count(number, number, number)


def _factor(restriction: Restriction, encoding: Encoding) -> _Factor:
    forbidden = restriction.forbidden()
    ranges = [range(encoding.sizes[number]) for number in restriction.variables]
    ways = {own: 1 for own in product(*ranges) if own not in forbidden}
    return _Factor(restriction.variables, ways)


def _counted(encoding: Encoding, factors: list[_Factor]) -> int:
    """The product of the factors, summed over all variables, one variable after the other."""
    left = {number for factor in factors for number in factor.variables}
    free = prod(size for number, size in enumerate(encoding.sizes) if number not in left)
    while left:
        number = min(left, key=lambda one: (_cost(encoding, factors, one), one))
        together = [factor for factor in factors if number in factor.variables]
        factors = [factor for factor in factors if number not in factor.variables]
        factors.append(_eliminated(encoding, together, number))
        left.discard(number)
    return free * prod(factor.ways.get((), 0) for factor in factors)


def _scope(factors: Sequence[_Factor], number: int) -> list[int]:
    return sorted({one for f in factors if number in f.variables for one in f.variables})


def _cost(encoding: Encoding, factors: Sequence[_Factor], number: int) -> int:
    return prod(encoding.sizes[one] for one in _scope(factors, number))


def _eliminated(encoding: Encoding, factors: Sequence[_Factor], number: int) -> _Factor:
    """The product of factors, summed over one variable; raises TooHard."""
    if _cost(encoding, factors, number) > 2 * TABLE:
        raise TooHard("too many combinations to count")
    rest = [one for one in _scope(factors, number) if one != number]
    places = [
        (factor.ways, [rest.index(one) if one != number else -1 for one in factor.variables])
        for factor in factors
    ]
    ways: dict[Indices, int] = {}
    for own in product(*(range(encoding.sizes[one]) for one in rest)):
        total = 0
        for at in range(encoding.sizes[number]):
            value = (*own, at)
            total += prod(
                found.get(tuple([value[place] for place in at_places]), 0)
                for found, at_places in places
            )
        if total:
            ways[own] = total
    return _Factor(tuple(rest), ways)


def _estimated(encoding: Encoding, restrictions: Sequence[Restriction]) -> Count:
    """The share of a fixed sample that satisfies all constraints, with Wilson's interval."""
    draw, size = Random(0), prod(encoding.sizes)
    hits = sum(
        all_hold(restrictions, [draw.randrange(one) for one in encoding.sizes])
        for _ in range(_SAMPLE)
    )
    z = 1.959964
    share, n = hits / _SAMPLE, _SAMPLE
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    low, high = max(0.0, middle - reach), min(1.0, middle + reach)
    return Count(_of(share, size), _of(low, size), _of(high, size), exact=False)


def _of(share: float, size: int) -> int:
    """A share of a number that may be too large for a float."""
    return size * round(share * 1_000_000) // 1_000_000

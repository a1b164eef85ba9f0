"""What distinguishes several things by their names: a name weighs less the more of them share it.

Of "Book a room" and "Book a taxi" the words "room" and "taxi" decide, and "book" hardly counts.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from math import fsum
from typing import TypeVar

_T = TypeVar("_T")


def distinctive_weights(named: Sequence[frozenset[str]]) -> list[dict[str, float]]:
    """Return the weights of the names of each thing: 1 for a name of its own, else less."""
    shares = Counter(name for names in named for name in names)
    return [{name: 1 / shares[name] ** 2 for name in names} for names in named]


def share_of_weight(weights: Mapping[str, float], names: Collection[str]) -> float:
    """Return the share of a thing's weight that some of its names have; 0 if it has no names.

    Sums are exact, so that the order of a set does not decide between two options.
    """
    whole = fsum(weights.values())
    return fsum(weights[name] for name in names) / whole if whole else 0.0


def members_of_one(sets: Sequence[frozenset[_T]]) -> list[frozenset[_T]]:
    """Return for each set its members that no other set has."""
    counts = Counter(member for members in sets for member in members)
    return [frozenset(m for m in members if counts[m] == 1) for members in sets]

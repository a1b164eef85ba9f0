"""Cases that a prediction is made for: kin of others, and random ones."""

from collections.abc import Container, Sequence
from math import prod
from random import Random

from sparring_plugins.search.space import CaseSpace, TooHard
from sparring_plugins.search.space.encoding import Indices

_TRIES = 4
"""Cases made for each that is wanted, at most."""

_CHANGES = (1, 1, 2, 3)
"""How many values of a child change, each as likely."""


def candidates(
    cases: CaseSpace,
    parents: tuple[Sequence[Indices], Sequence[float]],
    seen: Container[Indices],
    number: int,
    kin: float,
    draw: Random,
) -> list[Indices]:
    """New valid cases: a share of `kin` from parents, by weight, the others at random."""
    found: dict[Indices, None] = {}
    known, weights = parents
    number = min(number, prod(cases.sizes))
    for _ in range(_TRIES * number):
        if len(found) >= number:
            break
        if known and draw.random() < kin:
            first, second = draw.choices(known, weights, k=2)
            row = _child(first, second, cases.sizes, draw)
        else:
            row = tuple(draw.randrange(size) for size in cases.sizes)
        try:
            row = cases.repaired_indices(row)
        except TooHard:
            continue
        if row not in seen:
            found[row] = None
    return list(found)


def _child(first: Indices, second: Indices, sizes: Indices, draw: Random) -> Indices:
    """One parent, half of the time mixed with the other, with one to three values changed."""
    made = list(first)
    if draw.random() < 0.5:
        made = [a if draw.random() < 0.5 else b for a, b in zip(first, second, strict=True)]
    for _ in range(draw.choice(_CHANGES)):
        at = draw.randrange(len(sizes))
        made[at] = draw.randrange(sizes[at])
    return tuple(made)

"""How far judges and people agree with each other."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal

from sparring.model.calibration import Agreement
from sparring_plugins.judging.calibration import measures
from sparring_plugins.judging.calibration.classes import estimate

Ratings = Mapping[str, Sequence[str | None]]
"""What each rater says of each example, in one order; None for nothing."""

Of = Literal["judges", "people", "judges and people"]

MOST_PAIRS = 60


def agreements(judges: Ratings, people: Ratings, seed: int) -> tuple[Agreement, ...]:
    """Fleiss' kappa between judges, between people, and between all; Cohen's of every two."""
    found = [
        _fleiss(judges, "judges", seed),
        _fleiss(people, "people", seed),
        _fleiss({**judges, **people}, "judges and people", seed) if judges and people else None,
    ]
    kinds: dict[str, Of] = {**dict.fromkeys(judges, "judges"), **dict.fromkeys(people, "people")}
    said = {**judges, **people}
    for one, other in list(combinations(said, 2))[:MOST_PAIRS]:
        of: Of = kinds[one] if kinds[one] == kinds[other] else "judges and people"
        pairs = [
            (a, b)
            for a, b in zip(said[one], said[other], strict=True)
            if a is not None and b is not None
        ]
        if not pairs:
            continue
        kappa = measures.cohen_kappa(Counter(pairs))
        bounds = measures.bootstrap(pairs, _cohen, seed=seed) if kappa is not None else None
        found.append(
            Agreement(
                kind="cohen",
                raters=(one, other),
                of=of,
                kappa=estimate(kappa, bounds),
                examples=len(pairs),
            )
        )
    return tuple(one for one in found if one is not None)


def _cohen(pairs: Sequence[tuple[str, str]]) -> float | None:
    return measures.cohen_kappa(Counter(pairs))


def _fleiss(ratings: Ratings, of: Of, seed: int) -> Agreement | None:
    """Fleiss' kappa of several raters, over the examples that two of them or more rated."""
    if len(ratings) < 2:
        return None
    by_example = [
        [label for label in told if label is not None]
        for told in zip(*ratings.values(), strict=True)
    ]
    labels = sorted({label for told in by_example for label in told})
    rows = [[told.count(label) for label in labels] for told in by_example if len(told) > 1]
    kappa = measures.fleiss_kappa(rows)
    bounds = measures.bootstrap(rows, measures.fleiss_kappa, seed=seed)
    return Agreement(
        kind="fleiss",
        raters=tuple(ratings),
        of=of,
        kappa=estimate(kappa, bounds if kappa is not None else None),
        examples=len(rows),
    )

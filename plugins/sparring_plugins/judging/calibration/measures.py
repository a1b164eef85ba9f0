"""The arithmetic of trust: accuracy, spread, agreement, and how sure one can be of them.

Every function is plain arithmetic on counts. What is undefined (a kappa where everybody always
says the same, a precision where the class was never answered) is None: never 0, never a guess.
"""

import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from math import ceil, floor, sqrt
from random import Random
from statistics import NormalDist
from typing import Any, TypeVar, cast

CONFIDENCE = 0.95
"""Of all intervals here: so often such an interval covers the true value."""

SHIFT = 1.5
"""By how much a process drifts in the long run, in standard deviations (six-sigma convention)."""

# Enough for two digits of an interval, which is all that a report shows.
RESAMPLES = 1000
# Below 500 examples all draws are made; 10,000 examples still get the fewest.
_WORK = 500_000
# With fewer the ends of a 95 % interval are five draws each.
_FEWEST = 200

LabelT = TypeVar("LabelT", bound=Hashable)
ItemT = TypeVar("ItemT")

Interval = tuple[float, float]
Pairs = Mapping[tuple[LabelT, LabelT], float]
"""How often each pair of labels occurred: (the first rater's, the second's)."""


def ratio(part: float, whole: float) -> float | None:
    """``part / whole``; None if `whole` is 0."""
    return part / whole if whole else None


def sigma(p: float) -> float:
    """The standard deviation of one answer that is right with probability `p`.

    σ = sqrt(p · (1 - p)), that of a Bernoulli variable: 0 for always right or always wrong,
    0.5 at most. It is how the evaluation of agents by repeated runs states their error.
    """
    return sqrt(p * (1 - p))


def sigma_level(p: float) -> float | None:
    """The sigma level of a process that is right with probability `p`; None for never and always.

    Φ⁻¹(p) + 1.5: the six-sigma convention (Motorola; Harry and Schroeder, *Six Sigma*, 2000),
    by which 3σ means right in 93.32 % and 6σ in 99.99966 % of all cases.
    """
    return NormalDist().inv_cdf(p) + SHIFT if 0 < p < 1 else None


def weight(p: float) -> float:
    """What one answer counts in the consistency of a test that rests on it: 1 - 2σ."""
    return 1 - 2 * sigma(p)


def precision(tp: float, fp: float) -> float | None:
    """Tp / (tp + fp): how many of those called so are so; None if none was called so."""
    return ratio(tp, tp + fp)


def recall(tp: float, fn: float) -> float | None:
    """Tp / (tp + fn): how many of those that are so were called so; None if none is so."""
    return ratio(tp, tp + fn)


def f1(tp: float, fp: float, fn: float) -> float | None:
    """2tp / (2tp + fp + fn), the harmonic mean of precision and recall (van Rijsbergen, 1979).

    None if the class neither was nor was answered.
    """
    return ratio(2 * tp, 2 * tp + fp + fn)


def counts_of(pairs: Pairs[LabelT], label: LabelT) -> tuple[float, float, float]:
    """True positives, false positives and false negatives of one class in (expected, answered)."""
    tp = pairs.get((label, label), 0)
    answered = sum(count for (_, said), count in pairs.items() if said == label)
    expected = sum(count for (true, _), count in pairs.items() if true == label)
    return tp, answered - tp, expected - tp


def accuracy(pairs: Pairs[LabelT]) -> float | None:
    """The share of pairs whose two labels are the same."""
    same = sum(count for (first, other), count in pairs.items() if first == other)
    return ratio(same, sum(pairs.values()))


def macro_f1(pairs: Pairs[LabelT]) -> float | None:
    """The mean F1 of all classes that were expected, each counting the same."""
    expected = {true for (true, _), count in pairs.items() if count}
    return mean(f1(*counts_of(pairs, label)) for label in expected)


def mean(values: Iterable[float | None]) -> float | None:
    """The mean; None of nothing, and as soon as one of the values is undefined."""
    all_values = list(values)
    defined = [value for value in all_values if value is not None]
    # sorted: the sum must not depend on the order of a set
    return (
        sum(sorted(defined)) / len(defined) if defined and len(defined) == len(all_values) else None
    )


# statsmodels has the same kappas, and takes three seconds to import for sums of a few lines.
def cohen_kappa(pairs: Pairs[LabelT]) -> float | None:
    """The agreement of two raters beyond chance (J. Cohen, Educ. Psychol. Meas. 20, 1960).

    κ = (p_o - p_e) / (1 - p_e), where p_o is the share of pairs that agree and p_e the share that
    would agree by chance, Σ_k p(one says k) · p(other says k). 1 is perfect, 0 is chance. None
    where both always say one and the same (p_e = 1).
    """
    total = sum(pairs.values())
    if not total:
        return None
    ones: Counter[LabelT] = Counter()
    others: Counter[LabelT] = Counter()
    agreed = 0.0
    for (first, other), count in pairs.items():
        ones[first] += count  # type: ignore[assignment]
        others[other] += count  # type: ignore[assignment]
        agreed += count if first == other else 0
    shared = [label for label in ones if label in others]
    chance = sum(sorted(ones[label] * others[label] for label in shared)) / (total * total)
    return _beyond(agreed / total, chance)


def fleiss_kappa(rows: Iterable[Sequence[float]]) -> float | None:
    """The agreement of several raters beyond chance (J. L. Fleiss, Psychol. Bull. 76, 1971).

    A row per example: how many raters chose each class. With n_i raters of example i,
    P_i = (Σ_j n_ij² - n_i) / (n_i (n_i - 1)), P̄ their mean, p_j the share of class j among all
    ratings, P̄_e = Σ_j p_j², κ = (P̄ - P̄_e) / (1 - P̄_e). Fleiss has n_i = n for all; if
    some raters gave no answer, an example counts with the others, and not at all with fewer
    than two. Returns None if all ratings are of one class.
    """
    totals: list[float] = []
    agreements: list[float] = []
    for row in rows:
        raters = sum(row)
        if raters < 2:
            continue
        totals = [a + b for a, b in zip(totals or [0.0] * len(row), row, strict=True)]
        agreements.append((sum(c * c for c in row) - raters) / (raters * (raters - 1)))
    if not agreements:
        return None
    everything = sum(totals)
    chance = sum((total / everything) ** 2 for total in totals)
    return _beyond(sum(agreements) / len(agreements), chance)


def _beyond(observed: float, chance: float) -> float | None:
    """Agreement beyond chance; None if chance alone is certain to agree."""
    left = 1 - chance
    return None if left < 1e-12 else (observed - chance) / left


def majority(answers: Sequence[LabelT]) -> LabelT | None:
    """The most frequent answer; None if there is none, or two are as frequent."""
    first = Counter(answers).most_common(2)
    if not first or (len(first) == 2 and first[0][1] == first[1][1]):
        return None
    return first[0][0]


def majority_share(answers: Sequence[LabelT]) -> float | None:
    """The share of the most frequent answer among all answers to one question."""
    return ratio(max(Counter(answers).values(), default=0), len(answers))


def percentile(values: Sequence[float], share: float) -> float | None:
    """The value below which `share` of the values lie, interpolated linearly; None of nothing."""
    if not values:
        return None
    ordered = sorted(values)
    at = share * (len(ordered) - 1)
    low, high = floor(at), ceil(at)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def bootstrap(
    items: Sequence[ItemT],
    statistic: Callable[[Sequence[ItemT]], float | None],
    *,
    seed: int = 0,
    confidence: float = CONFIDENCE,
) -> Interval | None:
    """The percentile interval of a statistic (B. Efron, Ann. Statist. 7, 1979).

    The items (examples, with all that was answered to them) are drawn again with replacement,
    so that answers to one example stay together. The same seed gives the same interval. Returns
    None if there are fewer than two items, or the statistic is undefined in half of the draws.
    """
    if len(items) < 2:
        return None
    random = Random(seed)
    draws = max(_FEWEST, min(RESAMPLES, _WORK // len(items)))
    estimates: list[float] = []
    for _ in range(draws):
        value = statistic(random.choices(items, k=len(items)))
        if value is not None:
            estimates.append(value)
    if len(estimates) * 2 < draws:
        return None
    low, high = (
        percentile(estimates, tail) for tail in ((1 - confidence) / 2, (1 + confidence) / 2)
    )
    return (low, high) if low is not None and high is not None else None


# Answers as labels: the texts by which they are counted and compared.


def label_of(value: Any) -> str:
    """The label of plain data: a text as it is, all else as JSON.

    ``true`` and ``"true"`` have one label, so have 2 and 2.0, and a list of one item that of the
    item, since files of examples cannot always tell them apart.
    """
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, (list, tuple)):
        items = cast("list[Any]", value)
        if len(items) == 1:
            return label_of(items[0])
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def answer_label(value: Any) -> str:
    """The label of a whole answer: of a map with one key, that of its value."""
    if isinstance(value, dict) and len(cast("dict[str, Any]", value)) == 1:
        return label_of(next(iter(cast("dict[str, Any]", value).values())))
    return label_of(value)


def short(text: str, limit: int = 200) -> str:
    """A text on one line of at most `limit` characters."""
    line = " ".join(text[: 4 * limit].split())
    return line if len(line) <= limit and len(text) <= 4 * limit else line[: limit - 1] + "…"

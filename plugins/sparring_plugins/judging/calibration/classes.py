"""Precision, recall and F1: of judges that sort into classes, and of those that fill in values."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any

from sparring.model.calibration import ClassMeasures, Estimate
from sparring_plugins.judging.calibration import measures
from sparring_plugins.judging.calibration.asked import Asked

FAULTS = ("fail", "no", "false")
"""What is called positive where nobody says so, the first that fits: judges look for faults."""

MOST_CLASSES = 20

Pair = tuple[str, str]


def proportion(part: float, whole: float, examples: float) -> Estimate:
    """A share of answers, with Wilson's interval for as many independent ones as examples."""
    value = measures.ratio(part, whole)
    if value is None:
        return Estimate()
    bounds = measures.wilson(value * examples, examples)
    return estimate(value, bounds)


def estimate(value: float | None, bounds: measures.Interval | None) -> Estimate:
    """A value with its interval, where it has one."""
    if value is None or bounds is None:
        return Estimate(value=value)
    return Estimate(value=value, low=bounds[0], high=bounds[1])


def _pairs(one: Asked) -> Counter[Pair]:
    """How often what was expected met what was answered."""
    return Counter((one.expected or "", answer.label or "") for answer in one.judged)


def _sum(counts: Sequence[Counter[Pair]]) -> Counter[Pair]:
    total: Counter[Pair] = Counter()
    for each in counts:
        total.update(each)
    return total


def positive_of(labels: Collection[str], wanted: str | None) -> str | None:
    """The class that precision, recall and F1 are about; None for the mean over classes."""
    if wanted is not None:
        return wanted
    return next((one for one in FAULTS if one in labels), None) if len(labels) <= 2 else None


def in_classes(
    asked: Sequence[Asked], possible: set[str], positive: str | None, seed: int
) -> dict[str, Any]:
    """The measures of a judge that sorts into classes; `possible` are those that are known."""
    counts = [_pairs(one) for one in asked if one.judged]
    total = _sum(counts)
    labels = sorted({label for pair in total for label in pair})
    about = positive_of(possible | set(labels), positive)
    kappa = _booted(counts, measures.cohen_kappa, seed)
    found: dict[str, Any] = {"kappa": kappa, "positive": about}
    if len(labels) > MOST_CLASSES:
        return {**found, "f1": _booted(counts, measures.macro_f1, seed)}
    classes = tuple(_class(label, total, counts, seed) for label in labels)
    found |= {"classes": classes, "confusion": _confusion(total, labels)}
    if about is None:
        return {**found, **_mean_of(classes), "f1": _booted(counts, measures.macro_f1, seed)}
    for one in classes:  # there is none where the class was neither expected nor answered
        if one.label == about:
            found |= {"precision": one.precision, "recall": one.recall, "f1": one.f1}
    return found


def _confusion(total: Counter[Pair], labels: Sequence[str]) -> dict[str, dict[str, int]]:
    """How often each label that was expected met each answer."""
    rows = {
        label: {said: total[label, said] for said in labels if total[label, said]}
        for label in labels
    }
    return {label: row for label, row in rows.items() if row}


def _mean_of(classes: Sequence[ClassMeasures]) -> dict[str, Estimate]:
    """Precision and recall as the mean over all classes that were expected."""
    expected = [one for one in classes if one.expected]
    return {
        "precision": Estimate(value=measures.mean(one.precision.value for one in expected)),
        "recall": Estimate(value=measures.mean(one.recall.value for one in expected)),
    }


def _booted(
    counts: Sequence[Counter[Pair]], statistic: Callable[[Counter[Pair]], float | None], seed: int
) -> Estimate:
    """A statistic of all pairs, with its interval by bootstrap over examples."""
    value = statistic(_sum(counts))
    if value is None:
        return Estimate()
    kinds = [tuple(sorted(each.items())) for each in counts]

    def again(drawn: Sequence[tuple[tuple[Pair, int], ...]]) -> float | None:
        total: Counter[Pair] = Counter()
        for kind, times in Counter(drawn).items():  # few examples differ in their answers
            for pair, count in kind:
                total[pair] += count * times
        return statistic(total)

    return estimate(value, measures.bootstrap(kinds, again, seed=seed))


def _class(
    label: str, total: Counter[Pair], counts: Sequence[Counter[Pair]], seed: int
) -> ClassMeasures:
    tp, fp, fn = measures.counts_of(total, label)
    per_example = sum(total.values()) / len(counts)

    def f1(pairs: Counter[Pair]) -> float | None:
        return measures.f1(*measures.counts_of(pairs, label))

    return ClassMeasures(
        label=label,
        expected=int(tp + fn),
        answered=int(tp + fp),
        precision=proportion(tp, tp + fp, (tp + fp) / per_example),
        recall=proportion(tp, tp + fn, (tp + fn) / per_example),
        f1=_booted(counts, f1, seed),
    )


def in_parts(asked: Sequence[Asked], seed: int) -> dict[str, Any]:
    """The measures of a judge that fills in values: of those given, of those expected.

    A wrong value counts as one that was given in vain and as one that was missed, as it is usual
    for the extraction of information. Both being nothing is right, and counts as neither.
    """
    judged = [one for one in asked if one.judged]
    counts = [_slots(one) for one in judged]
    tp, fp, fn = (sum(each[n] for each in counts) for n in range(3))
    per_example = sum(len(one.judged) for one in judged) / len(judged) if judged else 1.0

    def f1(drawn: Sequence[tuple[int, int, int]]) -> float | None:
        return measures.f1(*(sum(each[n] for each in drawn) for n in range(3)))

    value = f1(counts)
    bounds = measures.bootstrap(counts, f1, seed=seed) if value is not None else None
    return {
        "precision": proportion(tp, tp + fp, (tp + fp) / per_example),
        "recall": proportion(tp, tp + fn, (tp + fn) / per_example),
        "f1": estimate(value, bounds),
    }


def _slots(one: Asked) -> tuple[int, int, int]:
    tp = fp = fn = 0
    for answer in one.judged:
        for wanted, given in answer.slots:
            same = wanted == given and wanted is not None
            tp += same
            fp += given is not None and not same
            fn += wanted is not None and not same
    return tp, fp, fn

"""How far judges and people agree with each other."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import combinations
from typing import Any, Literal

from sparring_plugins.gating.statistics import wilson
from sparring_plugins.judging.calibration import measures
from sparring_plugins.judging.calibration.judge_calls import Asked
from sparring_plugins.judging.calibration.results import Agreement, ClassMeasures, Estimate

# Precision, recall and F1: of judges that sort into classes, and of those that fill in values.

FAULTS = ("fail", "no", "false")
"""Labels taken as positive if none is given, the first that fits: judges look for failures."""

# A judge that answers with a text of its own each time has as many classes as examples.
MOST_CLASSES = 20

Pair = tuple[str, str]


def proportion(part: float, whole: float, examples: float) -> Estimate:
    """A share of answers, with Wilson's interval for as many independent ones as examples."""
    value = measures.ratio(part, whole)
    if value is None:
        return Estimate()
    bounds = wilson(value * examples, examples)
    return estimate(value, bounds)


def estimate(value: float | None, bounds: measures.Interval | None) -> Estimate:
    """A value with its interval, if it has one."""
    if value is None or bounds is None:
        return Estimate(value=value)
    return Estimate(value=value, low=bounds[0], high=bounds[1])


def _pairs(asked: Asked) -> Counter[Pair]:
    """How often what was expected met what was answered."""
    return Counter((asked.expected or "", answer.label or "") for answer in asked.judged)


def _sum(counts: Sequence[Counter[Pair]]) -> Counter[Pair]:
    total: Counter[Pair] = Counter()
    for each in counts:
        total.update(each)
    return total


def positive_of(labels: Collection[str], wanted: str | None) -> str | None:
    """The class that precision, recall and F1 are about; None for the mean over classes."""
    if wanted is not None:
        return wanted
    return next((label for label in FAULTS if label in labels), None) if len(labels) <= 2 else None


def in_classes(
    asked_examples: Sequence[Asked], possible: set[str], positive: str | None, seed: int
) -> dict[str, Any]:
    """The measures of a judge that sorts into classes; `possible` are those that are known."""
    counts = [_pairs(example) for example in asked_examples if example.judged]
    total = _sum(counts)
    labels = sorted({label for pair in total for label in pair})
    about = positive_of(possible | set(labels), positive)
    kappa = _bootstrap(counts, measures.cohen_kappa, seed)
    figures: dict[str, Any] = {"kappa": kappa, "positive": about}
    if len(labels) > MOST_CLASSES:
        return {**figures, "f1": _bootstrap(counts, measures.macro_f1, seed)}
    classes = tuple(_class(label, total, counts, seed) for label in labels)
    figures |= {"classes": classes, "confusion": _confusion(total, labels)}
    if about is None:
        return {**figures, **_mean_of(classes), "f1": _bootstrap(counts, measures.macro_f1, seed)}
    for class_ in classes:  # there is none if the class was neither expected nor answered
        if class_.label == about:
            figures |= {"precision": class_.precision, "recall": class_.recall, "f1": class_.f1}
    return figures


def _confusion(total: Counter[Pair], labels: Sequence[str]) -> dict[str, dict[str, int]]:
    """How often each label that was expected met each answer."""
    rows = {
        label: {said: total[label, said] for said in labels if total[label, said]}
        for label in labels
    }
    return {label: row for label, row in rows.items() if row}


def _mean_of(classes: Sequence[ClassMeasures]) -> dict[str, Estimate]:
    """Precision and recall as the mean over all classes that were expected."""
    expected = [class_ for class_ in classes if class_.expected]
    return {
        "precision": Estimate(
            value=measures.mean(each_class.precision.value for each_class in expected)
        ),
        "recall": Estimate(value=measures.mean(each_class.recall.value for each_class in expected)),
    }


def _bootstrap(
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
        f1=_bootstrap(counts, f1, seed),
    )


def in_parts(asked_examples: Sequence[Asked], seed: int) -> dict[str, Any]:
    """The measures of a judge that fills in values: of those given, of those expected.

    A wrong value counts as a false positive and as a miss, as usual in information extraction.
    Nothing given where nothing is expected is right, and counts as neither.
    """
    judged = [example for example in asked_examples if example.judged]
    counts = [_slots(asked) for asked in judged]
    tp, fp, fn = (sum(each[n] for each in counts) for n in range(3))
    per_example = sum(len(asked.judged) for asked in judged) / len(judged) if judged else 1.0

    def f1(drawn: Sequence[tuple[int, int, int]]) -> float | None:
        return measures.f1(*(sum(each[n] for each in drawn) for n in range(3)))

    value = f1(counts)
    bounds = measures.bootstrap(counts, f1, seed=seed) if value is not None else None
    return {
        "precision": proportion(tp, tp + fp, (tp + fp) / per_example),
        "recall": proportion(tp, tp + fn, (tp + fn) / per_example),
        "f1": estimate(value, bounds),
    }


def _slots(asked: Asked) -> tuple[int, int, int]:
    tp = fp = fn = 0
    for answer in asked.judged:
        for wanted, value in answer.slots:
            same = wanted == value and wanted is not None
            tp += same
            fp += value is not None and not same
            fn += wanted is not None and not same
    return tp, fp, fn


Ratings = Mapping[str, Sequence[str | None]]
"""Each rater's answers to the examples, in one order; None if there is no answer."""

Of = Literal["judges", "people", "judges and people"]

# Twelve raters make 66 pairs: a table of more is not read.
MOST_PAIRS = 60


def agreements(judges: Ratings, people: Ratings, seed: int) -> tuple[Agreement, ...]:
    """Fleiss' kappa between judges, between people, and between all; Cohen's of every two."""
    kappas = [
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
        kappas.append(
            Agreement(
                kind="cohen",
                raters=(one, other),
                of=of,
                kappa=estimate(kappa, bounds),
                examples=len(pairs),
            )
        )
    return tuple(one for one in kappas if one is not None)


def _cohen(pairs: Sequence[tuple[str, str]]) -> float | None:
    return measures.cohen_kappa(Counter(pairs))


def _fleiss(ratings: Ratings, of: Of, seed: int) -> Agreement | None:
    """Fleiss' kappa of several raters, over the examples that two of them or more rated."""
    if len(ratings) < 2:
        return None
    by_example = [
        [label for label in labels_of_example if label is not None]
        for labels_of_example in zip(*ratings.values(), strict=True)
    ]
    labels = sorted({label for labels_of_example in by_example for label in labels_of_example})
    rows = [
        [labels_of_example.count(label) for label in labels]
        for labels_of_example in by_example
        if len(labels_of_example) > 1
    ]
    kappa = measures.fleiss_kappa(rows)
    bounds = measures.bootstrap(rows, measures.fleiss_kappa, seed=seed)
    return Agreement(
        kind="fleiss",
        raters=tuple(ratings),
        of=of,
        kappa=estimate(kappa, bounds if kappa is not None else None),
        examples=len(rows),
    )

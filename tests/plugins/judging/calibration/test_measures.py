"""The arithmetic reproduces what was published, and is undefined where it has to be."""

from collections import Counter
from math import sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring_plugins.gating.statistics import wilson
from sparring_plugins.judging.calibration import measures

FLEISS_1971 = [
    (0, 0, 0, 0, 14),
    (0, 2, 6, 4, 2),
    (0, 0, 3, 5, 6),
    (0, 3, 9, 2, 0),
    (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0),
    (3, 2, 6, 3, 0),
    (2, 5, 3, 2, 2),
    (6, 5, 2, 1, 0),
    (0, 2, 2, 3, 7),
]
SHARES = st.floats(0, 1)
LABELS = st.sampled_from("abc")
PAIRS = st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=40)
ROWS = st.lists(st.lists(st.integers(0, 6), min_size=3, max_size=3), min_size=1, max_size=20)


def right_with(sigma: float) -> float:
    """How often a judge is right whose published deviation is `sigma`."""
    return (1 + sqrt(1 - 4 * sigma * sigma)) / 2


@pytest.mark.parametrize(
    ("level", "p"),
    [
        (1, 0.308538),
        (2, 0.691462),
        (3, 0.933193),
        (4, 0.993790),
        (5, 0.999767),
        (6, 0.9999966),
    ],
)
def test_the_sigma_levels_are_those_of_the_six_sigma_table(level: int, p: float) -> None:
    assert measures.sigma_level(p) == pytest.approx(level, abs=2e-3)


def test_three_sigma_means_right_in_93_32_percent() -> None:
    assert measures.sigma(0.9332) == pytest.approx(0.24968, abs=5e-6)
    assert measures.sigma_level(0.9332) == pytest.approx(3, abs=1e-3)


def test_a_judge_that_is_never_or_always_right_has_no_sigma_level() -> None:
    assert measures.sigma_level(0) is None
    assert measures.sigma_level(1) is None
    assert measures.sigma(1) == 0


READY, ACT, ASSERT = 0.029807545, 0.014214106, 0.06870104


@pytest.mark.parametrize(
    ("navigations", "others", "consistency"),
    [((2, 0), 1, 0.9810), ((5, 0), 1, 0.9763), ((8, 0), 1, 0.9747), ((2, 1), 0, 0.9352),
     ((4, 0), 1, 0.9773)],
)  # fmt: skip
def test_weights_give_the_published_consistencies(
    navigations: tuple[int, int], others: int, consistency: float
) -> None:
    """Five test cases of the suite TestO: steps done by the agent, and those decided strictly."""
    steps, assertions = navigations
    step = measures.weight(right_with(ACT))
    assertion = measures.weight(right_with(ASSERT))
    assert step == pytest.approx(0.971571788, abs=1e-9)
    assert assertion == pytest.approx(0.86259792, abs=1e-8)
    found = (steps * step + assertions * assertion + others) / (steps + assertions + others)
    assert found == pytest.approx(consistency, abs=5e-5)


def test_the_second_models_weights_give_its_published_consistency() -> None:
    assertion = measures.weight(right_with(0.043187707))
    assert (8 + assertion) / 9 == pytest.approx(0.9904, abs=5e-5)


def test_fleiss_own_table() -> None:
    assert measures.fleiss_kappa(FLEISS_1971) == pytest.approx(0.210, abs=5e-4)


@pytest.mark.parametrize(
    ("table", "kappa"),
    [
        ({"yy": 20, "yn": 5, "ny": 10, "nn": 15}, 0.4000),
        ({"yy": 45, "yn": 15, "ny": 25, "nn": 15}, 0.1304),
        ({"yy": 25, "yn": 35, "ny": 5, "nn": 35}, 0.2593),
        ({"yy": 10, "yn": 0, "ny": 0, "nn": 10}, 1.0),
        ({"yy": 0, "yn": 5, "ny": 5, "nn": 0}, -1.0),
    ],
)
def test_cohens_kappa_of_textbook_tables(table: dict[str, int], kappa: float) -> None:
    pairs = {(key[0], key[1]): count for key, count in table.items()}
    assert measures.cohen_kappa(pairs) == pytest.approx(kappa, abs=5e-5)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611),
     (1, 29, 0.0061, 0.1718), (29, 29, 0.8830, 1.0)],
)  # fmt: skip
def test_wilsons_interval_is_that_of_newcombes_examples(
    successes: int, n: int, low: float, high: float
) -> None:
    found = wilson(successes, n)
    assert found == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


def test_f1_of_two_classes() -> None:
    """Eight called dogs, of which five are, among twelve dogs."""
    tp, fp, fn = 5, 3, 7
    assert measures.precision(tp, fp) == 5 / 8
    assert measures.recall(tp, fn) == 5 / 12
    assert measures.f1(tp, fp, fn) == pytest.approx(0.5)


def test_the_mean_f1_of_three_classes() -> None:
    pairs = Counter(zip([0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1], strict=True))
    assert measures.counts_of(pairs, 0) == (2, 1, 0)
    assert measures.macro_f1(pairs) == pytest.approx(0.26667, abs=1e-5)


@pytest.mark.parametrize(
    "found",
    [
        measures.cohen_kappa({}),
        measures.cohen_kappa({("a", "a"): 7}),
        measures.fleiss_kappa([]),
        measures.fleiss_kappa([(1, 0), (0, 1)]),
        measures.fleiss_kappa([(3, 0), (2, 0)]),
        measures.precision(0, 0),
        measures.recall(0, 0),
        measures.f1(0, 0, 0),
        measures.accuracy({}),
        wilson(0, 0),
        measures.mean([]),
        measures.mean([1.0, None]),
        measures.macro_f1({}),
        measures.majority([]),
        measures.majority(["a", "b"]),
        measures.majority_share([]),
        measures.percentile([], 0.95),
        measures.bootstrap([1], lambda items: 1.0),
        measures.bootstrap([1, 2, 3], lambda items: None),
    ],
)
def test_what_is_undefined_is_none(found: object) -> None:
    assert found is None


def test_percentiles_lie_between_their_neighbours() -> None:
    assert measures.percentile([4, 1, 3, 2], 0.5) == 2.5
    assert measures.percentile([7], 0.95) == 7
    assert measures.percentile(list(range(101)), 0.95) == 95


@given(SHARES)
def test_sigma_is_symmetric_and_at_most_a_half(p: float) -> None:
    assert 0 <= measures.sigma(p) <= 0.5
    assert measures.sigma(p) == pytest.approx(measures.sigma(1 - p), abs=1e-7)
    assert -1e-9 <= measures.weight(p) <= 1


@given(st.integers(0, 500), st.integers(1, 500))
def test_wilsons_interval_holds_the_proportion(successes: int, more: int) -> None:
    n = successes + more
    found = wilson(successes, n)
    assert found is not None
    assert 0 <= found[0] <= successes / n + 1e-12
    assert successes / n - 1e-12 <= found[1] <= 1
    mirrored = wilson(more, n)
    assert mirrored is not None
    assert mirrored == (pytest.approx(1 - found[1]), pytest.approx(1 - found[0]))


@given(PAIRS)
def test_cohens_kappa_is_bounded_and_symmetric(pairs: list[tuple[str, str]]) -> None:
    kappa = measures.cohen_kappa(Counter(pairs))
    swapped = measures.cohen_kappa(Counter((b, a) for a, b in pairs))
    assert kappa == pytest.approx(swapped)
    if kappa is None:
        assert len(set(pairs)) == 1
        return
    assert -1 - 1e-9 <= kappa <= 1 + 1e-9
    assert (kappa == pytest.approx(1)) == all(a == b for a, b in pairs)


@given(PAIRS, st.randoms(use_true_random=False))
def test_kappas_do_not_depend_on_the_order_of_examples_or_the_names_of_classes(
    pairs: list[tuple[str, str]], random: Random
) -> None:
    mixed = list(pairs)
    random.shuffle(mixed)
    renamed = {"a": "c", "b": "a", "c": "b"}
    other = Counter((renamed[a], renamed[b]) for a, b in mixed)
    assert measures.cohen_kappa(Counter(pairs)) == pytest.approx(measures.cohen_kappa(other))


@given(ROWS, st.randoms(use_true_random=False))
def test_fleiss_kappa_is_bounded_and_does_not_depend_on_orders(
    rows: list[list[int]], random: Random
) -> None:
    kappa = measures.fleiss_kappa(rows)
    mixed = [[row[2], row[0], row[1]] for row in rows]
    random.shuffle(mixed)
    assert kappa == pytest.approx(measures.fleiss_kappa(mixed))
    assert kappa is None or kappa <= 1 + 1e-9


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=30))
def test_fleiss_kappa_of_two_raters_is_scotts_pi(pairs: list[tuple[bool, bool]]) -> None:
    rows = [[a + b, (not a) + (not b)] for a, b in pairs]
    agreed = sum(a == b for a, b in pairs) / len(pairs)
    yes = sum(a + b for a, b in pairs) / (2 * len(pairs))
    chance = yes * yes + (1 - yes) * (1 - yes)
    found = measures.fleiss_kappa(rows)
    if chance == 1:
        assert found is None
    else:
        assert found == pytest.approx((agreed - chance) / (1 - chance))


@given(PAIRS)
def test_f1_lies_between_precision_and_recall(pairs: list[tuple[str, str]]) -> None:
    for label in "abc":
        tp, fp, fn = measures.counts_of(Counter(pairs), label)
        found = measures.f1(tp, fp, fn)
        one, other = measures.precision(tp, fp), measures.recall(tp, fn)
        if one is not None and other is not None and found is not None:
            assert min(one, other) - 1e-9 <= found <= max(one, other) + 1e-9


@given(st.lists(SHARES, min_size=2, max_size=20), st.integers(0, 5))
def test_a_bootstrap_is_repeatable_and_stays_within_the_data(
    values: list[float], seed: int
) -> None:
    def average(items: object) -> float | None:
        return measures.mean(items)  # type: ignore[arg-type]

    found = measures.bootstrap(values, average, seed=seed)
    assert found == measures.bootstrap(values, average, seed=seed)
    assert found is not None
    assert min(values) - 1e-9 <= found[0] <= found[1] <= max(values) + 1e-9


def test_a_bootstrap_covers_a_mean_as_wide_as_theory_has_it() -> None:
    values = [1.0] * 30 + [0.0] * 70
    found = measures.bootstrap(values, lambda items: sum(items) / len(items))
    assert found is not None
    half = 1.96 * sqrt(0.3 * 0.7 / 100)
    assert found[0] == pytest.approx(0.3 - half, abs=0.02)
    assert found[1] == pytest.approx(0.3 + half, abs=0.02)

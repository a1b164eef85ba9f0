"""Rows of combinations computed from their number."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring_plugins.users.selectors.notation import parse_selector
from sparring_plugins.users.selectors.plan import DistinctRows, nests, product_row, sample_count

sizes = st.integers(min_value=1, max_value=4)


@st.composite
def forward_variables(draw: st.DrawFn) -> tuple[dict[str, int], dict[str, str]]:
    """Some variables, each free or referring to an earlier one, in any written order."""
    count = draw(st.integers(min_value=1, max_value=6))
    written: dict[str, str] = {}
    for number in range(count):
        after = draw(st.sampled_from(["", *written]))
        written[f"v{number}"] = f"forward({after})"
    order = draw(st.permutations(list(written)))
    return {name: draw(sizes) for name in order}, {name: written[name] for name in order}


@given(forward_variables())
def test_the_rows_of_nests_cover_every_combination_exactly_once(
    variables: tuple[dict[str, int], dict[str, str]],
) -> None:
    counts, written = variables
    found = nests(counts, {name: parse_selector(text) for name, text in written.items()})
    total = math.prod(nest.rows for nest in found)
    assert total == math.prod(counts.values())
    seen: set[tuple[int, ...]] = set()
    for row in range(total):
        indexes: dict[str, int] = {}
        for nest, inner in zip(found, product_row(found, row), strict=True):
            indexes |= nest.at(inner)
        assert all(0 <= index < counts[name] for name, index in indexes.items())
        seen.add(tuple(indexes[name] for name in counts))
    assert len(seen) == total


@given(forward_variables())
def test_the_variable_referred_to_moves_fastest(
    variables: tuple[dict[str, int], dict[str, str]],
) -> None:
    counts, written = variables
    selectors = {name: parse_selector(text) for name, text in written.items()}
    for nest in nests(counts, selectors):
        for name in nest.sizes:
            after = selectors[name].after
            if after is not None:
                assert nest.weights[name] >= nest.weights[after] * counts[after]


@given(st.integers(min_value=1, max_value=300), st.integers())
def test_all_rows_drawn_are_all_rows(rows: int, seed: int) -> None:
    drawn = DistinctRows(rows, rows, seed)
    assert sorted(drawn[index] for index in range(rows)) == list(range(rows))


@given(st.integers(min_value=65_537, max_value=10**40), st.integers())
def test_rows_of_a_vast_number_are_different_and_in_bounds(rows: int, seed: int) -> None:
    drawn = DistinctRows(rows, rows // 2, seed)
    found = [drawn[index] for index in range(200)]
    assert len(set(found)) == 200
    assert all(0 <= row < rows for row in found)


@pytest.mark.thorough
def test_a_permutation_of_a_large_number_is_one() -> None:
    rows = 70_001
    drawn = DistinctRows(rows, rows, seed=9)
    assert sorted(drawn[index] for index in range(rows)) == list(range(rows))


def test_the_share_of_rows_drawn_from_each_part_is_even() -> None:
    rows = 10**9
    tenths = Counter(DistinctRows(rows, 5_000, seed=4)[n] * 10 // rows for n in range(5_000))
    assert all(400 < tenths[part] < 600 for part in range(10)), tenths


def test_every_row_of_a_few_is_equally_likely() -> None:
    first = Counter(DistinctRows(4, 1, seed)[0] for seed in range(2_000))
    assert all(430 < first[row] < 570 for row in range(4)), first


@pytest.mark.parametrize(
    ("share", "rows", "count"),
    [
        (0.2, 9, 2),
        (0.2, 6, 1),
        (0.5, 9, 5),  # SENSEI's round() gives 4
        (0.5, 5, 3),  # and 2
        (0.01, 9, 1),  # and 0
        (1.0, 9, 9),
        (0.29, 100, 29),
        (0.1, 10**9, 10**8),
    ],
)
def test_a_sample_is_rounded_to_the_nearest_and_at_least_one(
    share: float, rows: int, count: int
) -> None:
    assert sample_count(share, rows) == count

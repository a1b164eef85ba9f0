"""What the surrogate's cases are for: most failures, neglected values, kinds not seen."""

from collections.abc import Sequence
from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.space.encoding import Indices
from sparring_plugins.strategies.searching.evaluation import Evaluation
from sparring_plugins.strategies.surrogate.aims import Aims, Ranked, Shares, mixed
from sparring_plugins.strategies.surrogate.memory import Memory

SIZES = (2, 3, 4)


def remembered(played: Sequence[tuple[Indices, Sequence[str]]], sizes: Indices = SIZES) -> Memory:
    """A memory of cases with the parts of their kinds, none for those that passed."""
    memory = Memory(sizes)
    for row, kind in played:
        memory.add(row, Evaluation((0.0 if kind else 1.0,), bool(kind), tuple(kind)))
    return memory


def ranked(
    rows: list[Indices],
    failing: Sequence[float],
    *,
    parts: Sequence[Sequence[float]] = (),
    bad: Sequence[float] = (),
) -> Ranked:
    return Ranked(
        rows,
        np.array(failing, np.float32),
        np.array(parts, np.float32).reshape(len(rows), len(parts[0]) if parts else 0),
        np.array(bad or [0] * len(rows), np.float32),
        np.ones(len(rows), np.float32),
    )


def all_rows(sizes: Indices) -> list[Indices]:
    return [tuple(map(int, row)) for row in np.ndindex(*sizes)]


@given(
    st.lists(st.sampled_from(all_rows(SIZES)), unique=True),
    st.lists(st.tuples(st.sampled_from(all_rows(SIZES)), st.sets(st.sampled_from("abc")))),
    st.floats(0, 1),
    st.integers(0, 99),
)
@settings(max_examples=25)
def test_every_candidate_comes_once_whatever_it_is_for(
    rows: list[Indices], played: list[tuple[Indices, set[str]]], share: float, seed: int
) -> None:
    memory = remembered([(row, tuple(sorted(kind))) for row, kind in played])
    parts = memory.parts()
    draw = Random(seed)
    chances = [[draw.random() for _ in parts] for _ in rows]
    given_ = ranked(rows, [draw.random() for _ in rows], parts=chances)
    shares = Shares(spread=share / 2, kinds=share / 2)

    def ordered() -> list[Indices]:
        return Aims(given_, memory, parts, SIZES, Random(seed)).ordered(9, shares)

    assert sorted(ordered()) == sorted(rows)
    assert ordered() == ordered()


def test_without_shares_the_most_promising_come_first() -> None:
    rows = all_rows(SIZES)
    given_ = ranked(rows, np.linspace(1, 0, len(rows)).tolist())
    memory = remembered([(rows[0], ("a",))])
    assert Aims(given_, memory, ["a"], SIZES, Random(1)).ordered(9, Shares(0, 0)) == rows


def test_a_value_without_failures_gets_its_nearest_case_soon() -> None:
    """Told by the objectives alone, since no failure of the value was ever seen."""
    sizes = (2, 30)
    failing = [((0, at), ("a",)) for at in range(20)]
    memory = remembered(failing, sizes)
    rows = [(0, at) for at in range(20, 30)] + [(1, at) for at in range(30)]
    given_ = ranked(rows, [0.9] * 10 + [0.01] * 30, bad=[0.9] * 10 + [at / 60 for at in range(30)])
    first = Aims(given_, memory, ["a"], sizes, Random(3)).ordered(6, Shares(1, 0))[:6]
    assert (1, 29) in first
    assert (1, 29) not in Aims(given_, memory, ["a"], sizes, Random(3)).ordered(6, Shares(0, 0))[:6]


def test_what_is_likely_to_pass_is_seldom_played_for_a_value_where_little_may_be_in_vain() -> None:
    rows = all_rows((2, 50))
    memory = remembered([((0, at), ("a",)) for at in range(20)], (2, 50))
    given_ = ranked(rows, [0.95] * 50 + [0.05] * 50, bad=[0] * 50 + [1] * 50)

    def neglected(vain: float) -> int:
        aims = Aims(given_, memory, ["a"], (2, 50), Random(5))
        return sum(row[0] for row in aims.ordered(40, Shares(1, 0, vain))[:40])

    assert neglected(0) == 0
    assert neglected(0.1) < 8 < 12 < neglected(1)


def test_kinds_that_came_of_late_and_the_last_new_one_are_known() -> None:
    row = (0, 0, 0)
    passed = [(row, ())]
    assert remembered([]).news(1) == (0, 0)
    assert remembered(passed * 5).news(1) == (0, 5)
    memory = remembered([(row, ("a",)), *passed * 150, (row, ("b",)), *passed * 3, (row, ("a",))])
    assert memory.news(1) == (1, 4)
    assert memory.news(152) == (0, 4)


def test_what_is_predicted_to_show_parts_together_for_the_first_time_comes_soon() -> None:
    rows = all_rows((2, 5))
    memory = remembered([((0, 0), ("a",)), ((0, 1), ("b",)), ((0, 2), ("a",))], (2, 5))
    chances = [[0.95, 0.05]] * 9 + [[0.9, 0.9]]
    given_ = ranked(rows, [0.9] * 9 + [0.5], parts=chances)
    aims = Aims(given_, memory, ["a", "b"], (2, 5), Random(2))
    assert rows[-1] in aims.ordered(4, Shares(0, 1))[:4]


def test_half_of_what_is_kept_is_the_best_and_the_rest_of_more_values() -> None:
    rows = all_rows((5, 8))  # the best all have the first value
    given_ = ranked(rows, np.linspace(1, 0.1, len(rows)).tolist())
    several = [mixed(given_, 8, (5, 8), Random(seed)) for seed in range(10)]
    for kept in several:
        assert len(kept) == 8
        assert kept[:4] == rows[:4]
        assert kept == [row for row in rows if row in kept]
    assert {row[0] for kept in several for row in kept} >= {0, 1, 2, 3}
    assert mixed(given_, 40, (5, 8), Random(1)) == rows


def test_features_of_one_value_make_no_cells() -> None:
    rows: list[Indices] = [(0, 0)]
    given_ = ranked(rows, [0.5])
    memory = remembered([((0, 0), ("a",))], (1, 1))
    assert Aims(given_, memory, ["a"], (1, 1), Random(1)).ordered(3, Shares(1, 0)) == rows
    assert mixed(ranked(rows * 3, [0.5] * 3), 2, (1, 1), Random(1)) == rows * 2

"""What the surrogate's cases are for: most failures, neglected values, kinds not seen."""

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.strategies.scenario_search import Evaluation
from sparring_plugins.search.strategies.surrogate.acquisition import (
    Acquisition,
    CaseObjective,
    RankedCandidates,
    mix_candidates,
)
from sparring_plugins.search.strategies.surrogate.memory import FailureClasses, Memory

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
    width: int | None = None,
) -> RankedCandidates:
    width = (len(parts[0]) if parts else 0) if width is None else width
    return RankedCandidates(
        rows,
        np.array(failing, np.float32),
        np.array(parts, np.float32).reshape(len(rows), width),
        np.array(bad or [0] * len(rows), np.float32),
        np.ones(len(rows), np.float32),
    )


def objectives(
    given_: RankedCandidates,
    memory: Memory,
    parts: Sequence[str],
    sizes: Indices,
    seed: int,
    patience: Mapping[CaseObjective, float] | None = None,
) -> Acquisition:
    kinds = FailureClasses(given_.parts, memory.shown(parts))
    return Acquisition(given_, kinds, memory, sizes, Random(seed), patience)


def rows_of(ordered: Sequence[tuple[Indices, CaseObjective]]) -> list[Indices]:
    return [row for row, _ in ordered]


def all_rows(sizes: Indices) -> list[Indices]:
    return [tuple(map(int, row)) for row in np.ndindex(*sizes)]


@given(
    st.lists(st.sampled_from(all_rows(SIZES)), unique=True),
    st.lists(st.tuples(st.sampled_from(all_rows(SIZES)), st.sets(st.sampled_from("abc")))),
    st.lists(
        st.sampled_from([CaseObjective.MOST, CaseObjective.CLASS, CaseObjective.CELL]),
        max_size=12,
    ),
    st.integers(0, 99),
)
@settings(max_examples=25)
def test_every_candidate_comes_once_whatever_it_is_for(
    rows: list[Indices],
    played: list[tuple[Indices, set[str]]],
    wanted: list[CaseObjective],
    seed: int,
) -> None:
    memory = remembered([(row, tuple(sorted(kind))) for row, kind in played])
    parts = memory.parts()
    draw = Random(seed)
    chances = [[draw.random() for _ in parts] for _ in rows]
    given_ = ranked(rows, [draw.random() for _ in rows], parts=chances, width=len(parts))

    def ordered() -> list[Indices]:
        return rows_of(objectives(given_, memory, parts, SIZES, seed).ordered(wanted))

    assert sorted(ordered()) == sorted(rows)
    assert ordered() == ordered()


def test_where_most_failures_are_wanted_the_most_promising_come_first() -> None:
    rows = all_rows(SIZES)
    given_ = ranked(rows, np.linspace(1, 0, len(rows)).tolist(), parts=[[0.5]] * len(rows))
    memory = remembered([(rows[0], ("a",))])
    found = objectives(given_, memory, ["a"], SIZES, 1).ordered([CaseObjective.MOST] * 9)
    assert found == [(row, CaseObjective.MOST) for row in rows]


def test_a_value_without_failures_gets_its_nearest_case_soon() -> None:
    """Told by the objectives alone, since no failure of the value was ever seen."""
    sizes = (2, 30)
    failing = [((0, at), ("a",)) for at in range(20)]
    memory = remembered(failing, sizes)
    rows: list[Indices] = [(0, at) for at in range(20, 30)]
    rows += [(1, at) for at in range(30)]
    given_ = ranked(rows, [0.9] * 10 + [0.01] * 30, bad=[0.9] * 10 + [at / 60 for at in range(30)])
    first = objectives(given_, memory, [], sizes, 3).ordered([CaseObjective.CELL] * 6)[:6]
    assert ((1, 29), CaseObjective.CELL) in first
    most = objectives(given_, memory, [], sizes, 3).ordered([CaseObjective.MOST] * 6)
    assert (1, 29) not in rows_of(most[:6])


def test_kinds_that_came_of_late_are_counted() -> None:
    row = (0, 0, 0)
    passed = [(row, ())]
    assert remembered([]).news(1) == 0
    assert remembered(passed * 5).news(1) == 0
    memory = remembered([(row, ("a",)), *passed * 150, (row, ("b",)), *passed * 3, (row, ("a",))])
    assert memory.news(1) == 1
    assert memory.news(152) == 0


def test_what_is_predicted_to_show_parts_together_for_the_first_time_comes_soon() -> None:
    rows = all_rows((2, 5))
    memory = remembered([((0, 0), ("a",)), ((0, 1), ("b",)), ((0, 2), ("a",))], (2, 5))
    chances = [[0.95, 0.05]] * 9 + [[0.9, 0.9]]
    given_ = ranked(rows, [0.9] * 9 + [0.5], parts=chances)
    first = objectives(given_, memory, ["a", "b"], (2, 5), 2).ordered([CaseObjective.CLASS] * 4)[:4]
    assert first[0] == (rows[-1], CaseObjective.CLASS)
    out_of_patience = objectives(given_, memory, ["a", "b"], (2, 5), 2, {CaseObjective.CLASS: 0.0})
    assert out_of_patience.ordered([CaseObjective.CLASS] * 4)[:4] == [
        (row, CaseObjective.INSTEAD) for row in rows[:4]
    ]


def test_where_no_kind_is_seldom_pairs_of_values_are_tried_that_did_not_fail() -> None:
    """It is the only way to a kind that shares no part with those known."""
    sizes = (2, 2, 9)
    memory = remembered([((0, 0, at % 9), ("a",)) for at in range(40)], sizes)
    rows = [row for row in all_rows(sizes) if row not in memory.played]
    rows += [(0, 0, 0)] * 5
    chances = [0.3] * (len(rows) - 5) + [0.95] * 5
    given_ = ranked(rows, chances, parts=[[0.999]] * len(rows))
    first = objectives(given_, memory, ["a"], sizes, 1).ordered([CaseObjective.CLASS] * 4)[:4]
    assert {(row[:2], objective) for row, objective in first} == {((1, 1), CaseObjective.PAIRS)}
    most = objectives(given_, memory, ["a"], sizes, 1).ordered([CaseObjective.MOST] * 4)[:4]
    assert rows_of(most) == rows[:4]
    patient = objectives(
        given_,
        memory,
        ["a"],
        sizes,
        1,
        {CaseObjective.CLASS: 0.0, CaseObjective.PAIRS: 1.0},
    )
    assert patient.ordered([CaseObjective.CLASS] * 4)[:4] == first
    out_of_patience = objectives(given_, memory, ["a"], sizes, 1, {CaseObjective.PAIRS: 0.0})
    instead = out_of_patience.ordered([CaseObjective.CLASS] * 4)[:4]
    assert instead == [(row, CaseObjective.INSTEAD) for row in rows_of(most)]


def test_the_seldomest_kind_is_the_rarest_and_less_so_once_it_is_expected() -> None:
    chances = np.array([[0.99, 0.01], [0.01, 0.99], [0.99, 0.99]], np.float32)
    kinds = FailureClasses(chances, Counter({(0,): 30, (1,): 2}))
    often, seldom, never = kinds.rarity().tolist()
    assert 0 < often < seldom < never <= 1
    assert often < 0.3 < 0.5 < seldom < 0.7 < 0.9 < never
    for _ in range(9):
        kinds.expect(2)
    assert kinds.rarity()[2] < 0.4
    assert kinds.rarity()[:2].tolist() == pytest.approx([often, seldom], abs=0.02)


def test_kinds_are_told_by_the_parts_that_are_learnt() -> None:
    row = (0, 0, 0)
    memory = remembered([(row, ("a", "b")), (row, ("b",)), (row, ("b", "c")), (row, ("c",))])
    assert memory.shown(["b", "a"]) == {(0, 1): 1, (0,): 2}


def test_half_of_what_is_kept_is_the_best_and_the_rest_of_more_values() -> None:
    rows = all_rows((5, 8))  # the best all have the first value
    given_ = ranked(rows, np.linspace(1, 0.1, len(rows)).tolist())
    several = [mix_candidates(given_, 8, (5, 8), Random(seed)) for seed in range(10)]
    for kept in several:
        assert len(kept) == 8
        assert kept[:4] == rows[:4]
        assert kept == [row for row in rows if row in kept]
    assert {row[0] for kept in several for row in kept} >= {0, 1, 2, 3}
    assert mix_candidates(given_, 40, (5, 8), Random(1)) == rows


def test_features_of_one_value_make_no_cells() -> None:
    rows: list[Indices] = [(0, 0)]
    given_ = ranked(rows, [0.5])
    memory = remembered([((0, 0), ("a",))], (1, 1))
    for objective in (CaseObjective.CELL, CaseObjective.CLASS):
        assert rows_of(objectives(given_, memory, [], (1, 1), 1).ordered([objective] * 3)) == rows
    assert mix_candidates(ranked(rows * 3, [0.5] * 3), 2, (1, 1), Random(1)) == rows * 2

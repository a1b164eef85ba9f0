"""How different failures are: against brute force, and on data whose answer is known."""

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.model.space import Constraint, Scenario, Variable
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.space import CaseSpace
from sparring.testing.fakes import FakeContext
from sparring_plugins.search.diversity import (
    InteractionSpace,
    clusterings,
    count_cells,
    mean_coverage,
    pick_distinct,
    text_embedding,
)
from sparring_plugins.search.failure_classes import class_parts, effective_number, failure_class_of


@given(st.lists(st.tuples(*[st.integers(-3, 3)] * 3), max_size=12))
def test_no_two_kept_rows_are_alike_and_each_other_row_is_like_one(
    rows: list[tuple[int, int, int]],
) -> None:
    vectors = np.array(rows, dtype=np.float32).reshape(-1, 3)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = np.divide(vectors, lengths, out=vectors, where=lengths > 0)
    kept = pick_distinct(vectors, 0.8)
    alike = vectors @ vectors.T
    assert all(alike[a, b] < 0.8 for a, b in combinations(kept, 2))
    for at, row in enumerate(vectors):
        left_out = at not in kept and row.any()
        assert not left_out or any(alike[at, one] >= 0.8 for one in kept if one < at)


def test_words_and_meaning_tell_the_same_text_from_another() -> None:
    texts = ["find a cheap cafe", "find a cheap cafe!", "where does it hurt", ""]
    for how in (text_embedding("words"), text_embedding("auto")):
        vectors = how.vectors(texts)
        assert pick_distinct(vectors, 0.8) == [0, 2]
        assert not vectors[3].any()
        assert how.vectors([]).shape == (0, vectors.shape[1])


def test_clusters_that_are_far_apart_are_found_and_counted() -> None:
    draw = np.random.default_rng(1)
    centres = np.eye(5)[[0, 1, 2, 3]]
    vectors = np.repeat(centres, 12, axis=0) + draw.normal(0, 0.02, (48, 5))
    found = clusterings(vectors.astype(np.float32), repetitions=3, most=8)
    assert [one.k for one in found] == [4, 4, 4]
    assert all(one.silhouette > 0.9 for one in found)
    assert mean_coverage(found, range(12)) == 0.25
    assert mean_coverage(found, [0, 13, 30, 40]) == 1.0
    assert mean_coverage(found, []) == 0.0
    assert [one.labels for one in found] == [
        one.labels for one in clusterings(vectors.astype(np.float32), repetitions=3, most=8)
    ]


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_too_few_failures_have_no_clusters(rows: int) -> None:
    assert clusterings(np.eye(4, dtype=np.float32)[:rows]) == []
    assert clusterings(np.ones((9, 4), dtype=np.float32)) == []
    assert mean_coverage([], [0]) is None


def test_interactions_are_those_of_brute_force_with_constraints() -> None:
    scenario = Scenario(
        name="s",
        variables=tuple(
            Variable(name=name, domain=tuple(range(size))) for name, size in zip("abcd", (2, 3, 2, 3), strict=True)
        ),
        constraints=(Constraint(expression="not (a == 1 and b == 2)"),
                     Constraint(expression="c == 0 or d != 1")),
    )  # fmt: skip
    space = CaseSpace(scenario, FakeContext())
    rows = [space.indices(params) for params in space.all()]
    for strength in (1, 2, 3):
        found = InteractionSpace.of(space, strength)
        assert found.possible == found.covered(rows) == len(_tuples(rows, strength))
        some = rows[:5]
        assert found.covered(some) == len(_tuples(some, strength))
        assert found.share(rows) == 1.0
    assert InteractionSpace.of(space, 2).covered([]) == 0
    assert count_cells(rows, [0, 1]) == 5


def _tuples(rows: list[tuple[int, ...]], strength: int) -> set[tuple[tuple[int, int], ...]]:
    return {tuple((n, row[n]) for n in some) for row in rows for some in combinations(range(4), strength)}  # fmt: skip


def test_effective_kinds_count_equally_frequent_ones() -> None:
    assert effective_number([]) == 0
    assert effective_number("aaaa") == pytest.approx(1)
    assert effective_number("abcd" * 3) == pytest.approx(4)
    assert 1 < effective_number("aaab") < 2


def test_the_kind_of_a_failure_is_what_its_oracle_tells_or_else_its_checks() -> None:
    def verdict(check: str, kind: object = None, **more: object) -> Verdict:
        fields = {"outcome": Outcome.FAIL, "owner": Owner.APP, **more}
        return Verdict(oracle="o", check=check, details={"kind": kind} if kind else {}, **fields)  # type: ignore[arg-type]

    assert failure_class_of([verdict("f", ["b", "a", "a", 3, None, ""])]) == ("3", "a", "b")
    assert failure_class_of([verdict("f", " one "), verdict("g")]) == ("one",)
    assert failure_class_of([verdict("f"), verdict("g")]) == ("o/f", "o/g")
    assert failure_class_of([verdict("f", {"x": 1, "y": 0, "a": True})]) == ("a", "x")
    assert failure_class_of([verdict("f", 7)]) == ("7",)
    assert failure_class_of([verdict("f", "price, rating")]) == ("price", "rating")
    assert failure_class_of([verdict("f", gating=False), verdict("g", owner=Owner.JUDGE)]) == ()
    assert failure_class_of([Verdict(oracle="o", check="f", outcome=Outcome.PASS)]) == ()
    assert (
        len(
            failure_class_of(
                [verdict("f", [f"{a}{b}" * 99 for a, b in product("abcdefgh", repeat=2)])]
            )
        )
        == 40
    )


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        ("wrong intent", ["wrong intent"]),
        ("misread: price, rating", ["misread: price", "rating"]),
        (["misread", "price"], ["misread", "price"]),
        ({"price": True, "rating": False}, ["price"]),
        ([None, "", 3, ["x"]], ["3", "['x']"]),
        (7, ["7"]),
        (None, []),
        ("x" * 10_000, ["x" * 120]),
    ],
)
def test_kinds_come_in_any_shape(kind: Any, parts: list[str]) -> None:
    assert class_parts(kind) == parts

"""What a search takes from verdicts."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.model.verdict import Outcome, Owner, Verdict
from sparring_plugins.search.strategies.scenario_search import (
    Objectives,
    growing_rows,
    pack_rows,
    unpack_rows,
)

F1 = Verdict(oracle="fitness", check="f1", outcome=Outcome.PASS, score=0.25, gating=False)
F2 = Verdict(oracle="fitness", check="f2", outcome=Outcome.PASS, score=0.5, gating=False)
PASSED = Verdict(oracle="rules", check="r", outcome=Outcome.PASS)


def failed(owner: Owner = Owner.APP, gating: bool = True, **details: Any) -> Verdict:
    return Verdict(
        oracle="rules", check="r", outcome=Outcome.FAIL, owner=owner, gating=gating, details=details
    )


def test_named_checks_are_the_objectives_in_their_order() -> None:
    objectives = Objectives(["f2", "fitness/f1", "r"])
    assert objectives.settle([[F1, F2, failed()]]) == []
    assert objectives.evaluated([F1, F2, failed()]).objectives == (0.5, 0.25, 0.0)
    assert objectives.evaluated([F1, PASSED]).objectives == (1.0, 0.25, 1.0)


def test_without_names_all_that_have_a_score_or_else_the_outcome() -> None:
    scored, plain = Objectives(None), Objectives(None)
    scored.settle([[PASSED], [F1, F2, PASSED]])
    plain.settle([[PASSED]])
    assert scored.names == ("fitness/f1", "fitness/f2")
    assert plain.evaluated([failed()]).objectives == (0.0,)
    assert plain.evaluated([PASSED]).objectives == (1.0,)


@pytest.mark.parametrize(
    ("verdict", "fails"),
    [
        pytest.param(failed(), True, id="the app's"),
        pytest.param(failed(Owner.TEST), False, id="the test's"),
        pytest.param(failed(gating=False), False, id="only shown"),
        pytest.param(PASSED, False, id="passed"),
    ],
)
def test_a_failure_is_gating_and_the_apps(verdict: Verdict, fails: bool) -> None:
    objectives = Objectives(None)
    objectives.settle([[verdict]])
    assert objectives.evaluated([verdict]).failed is fails


def test_without_a_kind_the_failed_checks_are_it() -> None:
    objectives = Objectives(None)
    assert objectives.evaluated([failed(), F1]).failure_class == ("rules/r",)
    assert objectives.evaluated([failed(kind=["b", "a"])]).failure_class == ("a", "b")


def test_rows_come_back_from_their_packing() -> None:
    rows, sizes = [(0, 5, 2), (1, 0, 0)], (2, 6, 3)
    assert unpack_rows(pack_rows(rows, sizes), sizes) == rows
    wrong: list[tuple[object, tuple[int, ...]]] = [
        (pack_rows(rows, sizes), (2, 3, 3)),
        ("?", (2,)),
        ("AAAA", (2,) * 30),
        (None, (2,)),
    ]
    for text, of in wrong:
        with pytest.raises(ValueError, match=r"value|packed|base64|padding"):
            unpack_rows(text, of)


@given(st.lists(st.integers(1, 300), min_size=1, max_size=30), st.data())
def test_the_text_of_more_rows_begins_with_that_of_fewer(
    sizes: list[int], data: st.DataObject
) -> None:
    drawn = data.draw(st.lists(st.tuples(*(st.integers(0, size - 1) for size in sizes))))
    rows = list(dict.fromkeys(drawn))
    text, seen = growing_rows(sizes), dict[tuple[int, ...], None]()
    before = ""
    for at, row in enumerate(rows):
        seen[row] = None
        if at % 3 != 1:
            now = text.of(seen)
            assert now.startswith(before)
            assert unpack_rows(now, sizes) == rows[: at + 1]
            before = now

"""What is learned of the ways to ask for an answer of a schema."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring_plugins.llm.structured_output import Ladder, Rung

ALL = (Rung.JSON_SCHEMA, Rung.JSON_OBJECT_SCHEMA, Rung.JSON_OBJECT, Rung.PROMPT)


def test_the_best_rung_is_kept_once_it_was_answered() -> None:
    ladder = Ladder(ALL)
    assert ladder.rungs("s") == ALL
    assert not ladder.is_settled("s")
    ladder.took(Rung.JSON_SCHEMA, True, (), ())
    assert ladder.is_settled("s")
    assert ladder.rungs("s")[0] is Rung.JSON_SCHEMA


def test_a_refused_rung_is_given_up_when_a_lower_one_was_taken() -> None:
    ladder = Ladder(ALL)
    ladder.took(Rung.JSON_OBJECT, True, ALL[:2], ())
    assert ladder.rungs("s") == ALL[2:]
    assert ladder.is_settled("s")


def test_a_rung_in_doubt_is_tried_once_more() -> None:
    ladder = Ladder(ALL)
    ladder.took(Rung.JSON_OBJECT_SCHEMA, True, (), ALL[:1])
    assert ladder.rungs("s") == ALL
    assert not ladder.is_settled("s")
    ladder.took(Rung.JSON_OBJECT_SCHEMA, True, (), ALL[:1])
    assert ladder.rungs("s") == ALL[1:]
    assert ladder.is_settled("s")


def test_a_rung_that_is_not_heeded_twice_is_given_up_unless_it_was_before() -> None:
    ladder = Ladder(ALL)
    for _ in range(2):
        ladder.took(Rung.JSON_SCHEMA, False, (), ())
    assert ladder.rungs("s") == ALL[1:]
    proven = Ladder(ALL)
    for heeded in (True, False, False, False):
        proven.took(Rung.JSON_SCHEMA, heeded, (), ())
    assert proven.rungs("s") == ALL


def test_answers_that_tell_nothing_settle_it_in_the_end() -> None:
    ladder = Ladder(ALL)
    for _ in range(3):
        assert not ladder.is_settled("s")
        ladder.took(Rung.JSON_SCHEMA, None, (), ())
    assert ladder.is_settled("s")


def test_what_does_not_fit_one_schema_is_kept_for_others() -> None:
    ladder = Ladder(ALL)
    ladder.took(Rung.JSON_SCHEMA, True, (), ())
    ladder.unfit(Rung.JSON_SCHEMA, "odd")
    assert ladder.rungs("odd") == ALL[1:]
    assert not ladder.is_settled("odd")
    ladder.took(Rung.JSON_OBJECT_SCHEMA, True, (), ())
    assert ladder.is_settled("odd")
    assert ladder.rungs("plain")[0] is Rung.JSON_SCHEMA


@pytest.mark.parametrize("rung", list(Rung))
def test_a_single_rung_is_always_settled_and_never_lost(rung: Rung) -> None:
    ladder = Ladder([rung])
    assert ladder.is_settled("s")
    for _ in range(5):
        ladder.took(rung, False, (), ())
    assert ladder.rungs("s") == (rung,)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(ALL),
            st.sampled_from([True, False, None]),
            st.sets(st.sampled_from(ALL)),
            st.sets(st.sampled_from(ALL)),
        ),
        max_size=20,
    )
)
def test_whatever_happens_there_is_a_rung_to_stand_on(
    history: list[tuple[Rung, bool | None, set[Rung], set[Rung]]],
) -> None:
    ladder = Ladder(ALL)
    for rung, heeded, refused, doubted in history:
        ladder.took(rung, heeded, refused, doubted)
        rungs = ladder.rungs("s")
        assert rungs
        assert list(rungs) == sorted(rungs, key=ALL.index)

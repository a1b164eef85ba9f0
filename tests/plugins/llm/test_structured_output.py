"""What is learned of the ways to ask for an answer of a schema."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring_plugins.llm.structured_output import OutputMode, StructuredOutputFallback

ALL = (
    OutputMode.JSON_SCHEMA,
    OutputMode.JSON_OBJECT_SCHEMA,
    OutputMode.JSON_OBJECT,
    OutputMode.PROMPT,
)


def test_the_best_mode_is_kept_once_it_was_answered() -> None:
    fallback = StructuredOutputFallback(ALL)
    assert fallback.modes("s") == ALL
    assert not fallback.is_settled("s")
    fallback.record_answer(OutputMode.JSON_SCHEMA, True, (), ())
    assert fallback.is_settled("s")
    assert fallback.modes("s")[0] is OutputMode.JSON_SCHEMA


def test_a_refused_mode_is_given_up_when_a_lower_one_was_taken() -> None:
    fallback = StructuredOutputFallback(ALL)
    fallback.record_answer(OutputMode.JSON_OBJECT, True, ALL[:2], ())
    assert fallback.modes("s") == ALL[2:]
    assert fallback.is_settled("s")


def test_a_mode_in_doubt_is_tried_once_more() -> None:
    fallback = StructuredOutputFallback(ALL)
    fallback.record_answer(OutputMode.JSON_OBJECT_SCHEMA, True, (), ALL[:1])
    assert fallback.modes("s") == ALL
    assert not fallback.is_settled("s")
    fallback.record_answer(OutputMode.JSON_OBJECT_SCHEMA, True, (), ALL[:1])
    assert fallback.modes("s") == ALL[1:]
    assert fallback.is_settled("s")


def test_a_mode_that_is_not_heeded_twice_is_given_up_unless_it_was_before() -> None:
    fallback = StructuredOutputFallback(ALL)
    for _ in range(2):
        fallback.record_answer(OutputMode.JSON_SCHEMA, False, (), ())
    assert fallback.modes("s") == ALL[1:]
    proven = StructuredOutputFallback(ALL)
    for heeded in (True, False, False, False):
        proven.record_answer(OutputMode.JSON_SCHEMA, heeded, (), ())
    assert proven.modes("s") == ALL


def test_answers_that_tell_nothing_settle_it_in_the_end() -> None:
    fallback = StructuredOutputFallback(ALL)
    for _ in range(3):
        assert not fallback.is_settled("s")
        fallback.record_answer(OutputMode.JSON_SCHEMA, None, (), ())
    assert fallback.is_settled("s")


def test_what_does_not_fit_one_schema_is_kept_for_others() -> None:
    fallback = StructuredOutputFallback(ALL)
    fallback.record_answer(OutputMode.JSON_SCHEMA, True, (), ())
    fallback.reject(OutputMode.JSON_SCHEMA, "odd")
    assert fallback.modes("odd") == ALL[1:]
    assert not fallback.is_settled("odd")
    fallback.record_answer(OutputMode.JSON_OBJECT_SCHEMA, True, (), ())
    assert fallback.is_settled("odd")
    assert fallback.modes("plain")[0] is OutputMode.JSON_SCHEMA


@pytest.mark.parametrize("mode", list(OutputMode))
def test_a_single_mode_is_always_settled_and_never_lost(mode: OutputMode) -> None:
    fallback = StructuredOutputFallback([mode])
    assert fallback.is_settled("s")
    for _ in range(5):
        fallback.record_answer(mode, False, (), ())
    assert fallback.modes("s") == (mode,)


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
def test_whatever_happens_there_is_a_mode_to_stand_on(
    history: list[tuple[OutputMode, bool | None, set[OutputMode], set[OutputMode]]],
) -> None:
    fallback = StructuredOutputFallback(ALL)
    for mode, heeded, refused, doubted in history:
        fallback.record_answer(mode, heeded, refused, doubted)
        rungs = fallback.modes("s")
        assert rungs
        assert list(rungs) == sorted(rungs, key=ALL.index)

"""The order of a conversation, and times of day."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.testing.conversations import trace_of
from sparring_plugins.rules.functions.conversations import asked_twice, before, index_of, step_order
from sparring_plugins.rules.functions.plain_values import minutes_of, single, without

TALK = trace_of(
    [
        (None, "Welcome!"),
        ("a pizza", "Which size?"),
        ("big", "That is $9. Confirmed."),
        ("bye", "Bye"),
    ]
)
#        0             1            2               3        4                       5      6


@pytest.mark.parametrize(
    ("what", "named", "index"),
    [
        ("which SIZE", {}, 2),
        ("pizza", {}, None),
        ("pizza", {"who": "user"}, 1),
        ("big", {"who": "both"}, 3),
        ("bye", {"who": "both"}, 5),
        ("bye", {}, 6),
        (["none", "$9"], {}, 4),
        ("e", {"start": 3}, 4),
        ("e", {"start": 7}, None),
    ],
)
def test_index_of(what: Any, named: dict[str, Any], index: int | None) -> None:
    assert index_of.call(TALK, what, **named) == index


@pytest.mark.parametrize(
    ("first", "then", "holds"),
    [
        ("size", "$9", True),
        ("$9", "size", False),
        ("$9", "confirmed", True),
        ("confirmed", "$9", False),
        ("never", "also never", True),
        ("size", "never", True),
        ("never", "size", False),
        (["never", "welcome"], ["confirmed", "bye"], True),
    ],
)
def test_before(first: Any, then: Any, holds: bool) -> None:
    found = before.call(TALK, first, then)
    assert found.value is holds
    assert bool(found.turns) is not holds


@pytest.mark.parametrize(
    ("steps", "named", "holds"),
    [
        (["welcome", "size", "$9", "bye"], {}, True),
        (["welcome", "never", "bye"], {}, True),
        (["welcome", "never", "bye"], {"complete": True}, False),
        (["size", "welcome"], {}, False),
        (["bye", "never", "welcome"], {}, False),
        (["$9", "confirmed"], {}, True),
        (["confirmed", "$9"], {}, True),  # in one message
        (["pizza", "size", "big"], {"who": "both"}, True),
    ],
)
def test_step_order(steps: Any, named: dict[str, Any], holds: bool) -> None:
    assert step_order.call(TALK, steps, **named).value is holds


def test_steps_that_are_out_of_order_are_shown_with_their_turn() -> None:
    found = step_order.call(TALK, ["size", "welcome"])
    assert found.reason == "'welcome' is said in message 0, before 'size' in message 2"
    assert found.turns == (0,)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: index_of.call(TALK, ""), "a step is named by a text"),
        (lambda: index_of.call(TALK, []), "a step is named by a text"),
        (lambda: index_of.call(TALK, "x", "nobody"), "the speakers are both, user"),
        (lambda: step_order.call(TALK, ["x"]), "at least two steps"),
        (lambda: step_order.call(TALK, "xy"), "at least two steps"),
        (lambda: step_order.call(TALK, ["x", 3]), "expected a text"),
        (lambda: minutes_of.call(3), "needs a text"),
        (lambda: without.call([], "x"), "needs a map"),
    ],
)
def test_wrong_arguments_are_refused(call: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        call()


@pytest.mark.parametrize(
    ("answers", "again"),
    [
        (["Which size?", "Which size?"], ["Which size?"]),
        (["Sure. Which size would you like?", "Hm. Which size would you like?"],
         ["Which size would you like?"]),
        (["Which size?", "Which colour?"], []),
        (["Which size? Which size?", "Ok"], []),  # the user had no chance to answer
        (["¿Qué tamaño?", "¿Qué tamaño?"], ["Qué tamaño?"]),
        (["Ok", "Ok"], []),
    ],
)  # fmt: skip
def test_asked_twice(answers: list[str], again: list[str]) -> None:
    assert asked_twice.call(trace_of([("x", answer) for answer in answers])) == again


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("13:00", 780), ("1 pm", 780), ("1:30 PM", 810), ("13h", 780), ("13h30", 810),
        ("23:30", 1410), ("11.30 p.m.", 1410), ("12 am", 0), ("12 pm", 720), ("12:05 AM", 5),
        ("at noon", 720), ("midnight", 0), ("24:00", 0), ("7", 420), ("from 9 to 17", 540),
        ("never", None), ("", None), ("2026", None), ("at 99", None),
    ],
)  # fmt: skip
def test_minutes_of(text: str, minutes: int | None) -> None:
    assert minutes_of.call(text) == minutes


@given(st.integers(0, 23), st.integers(0, 59))
def test_every_time_of_day_is_read(hour: int, minute: int) -> None:
    half = "am" if hour < 12 else "pm"
    assert minutes_of.call(f"{hour}:{minute:02}") == 60 * hour + minute
    assert minutes_of.call(f"{hour:02}:{minute:02}") == 60 * hour + minute
    assert minutes_of.call(f"it is {(hour - 1) % 12 + 1}:{minute:02} {half}") == 60 * hour + minute


def test_parts_of_maps_and_lists() -> None:
    assert without.call({"a": 1, "b": 2}, "a") == {"b": 2}
    assert without.call({"a": 1, "b": 2}, ["a", "b", "c"]) == {}
    assert [single.call(one) for one in (3, [3], [3, 4], [], "x", None)] == [
        3, 3, [3, 4], [], "x", None,
    ]  # fmt: skip

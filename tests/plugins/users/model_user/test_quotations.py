"""Whether the app said what is quoted, and where."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.model.talk import Attachment, Choice, Observation
from sparring.testing import hostile
from sparring.testing.conversations import trace_of
from sparring_plugins.users.model_user.prompt_data import said_by_app, transcript
from sparring_plugins.users.model_user.quotations import find_quotation

Talk = Callable[..., Any]

SAID = "Your order is <b>placed</b>.\n  The total  is $12.50 \u2013 \u201cenjoy\u201d!"


@pytest.mark.parametrize(
    "quotation",
    [
        "Your order is placed.",
        "your ORDER is   placed",
        "is **placed**. The total",
        '"The total is $12.50"',
        "The total is $12.50 - 'enjoy'",
        "...$12.50\u2026",
        "12.50",
        "placed</b>.",
    ],
)
def test_words_that_were_said_are_found(quotation: str, talk: Talk) -> None:
    if "'" in quotation:
        quotation = quotation.replace("'", '"')
    place = find_quotation(quotation, talk(("Hi", "Hello"), ("Pizza", SAID)))
    assert place is not None
    assert place.turn == 1
    assert place.text in "Your order is placed. The total is $12.50 \u2013 \u201cenjoy\u201d!"


@pytest.mark.parametrize(
    "quotation",
    [
        "",
        "   ",
        "...",
        "$",
        "Your order was placed",
        "I want a pizza",
        "otal is $12",
        "2.50",
        "rder",
    ],
)
def test_words_that_were_not_said_are_not(quotation: str, talk: Talk) -> None:
    assert find_quotation(quotation, talk(("I want a pizza", SAID))) is None


def test_the_turn_that_is_named_goes_first_then_the_last(talk: Talk) -> None:
    turns = talk(("a", "It is $5"), ("b", "It is $5"), ("c", "It is $6"))
    for named, found in ((0, 0), (1, 1), (2, 1), (None, 1), (-1, 1), (99, 1)):
        place = find_quotation("$5", turns, named)
        assert place is not None
        assert place.turn == found


def test_choices_and_pictures_are_said_too(talk: Talk) -> None:
    seen = Observation(
        text="Choose:",
        choices=(Choice(label="Deluxe menu"), Choice(label="Site", url="https://a.example")),
        attachments=(Attachment(media_type="image/png", description="a map of the town"),),
    )
    turns = talk(("Hi", seen))
    assert said_by_app(seen) == "Choose:\nDeluxe menu\na map of the town"
    assert find_quotation("deluxe menu", turns)
    assert find_quotation("map of the town", turns)
    assert transcript(turns)[-1]["choices"] == ["Deluxe menu"]


@given(st.text(max_size=60), st.text(max_size=200), st.integers(-3, 5))
def test_any_text_can_be_looked_for_in_any(quotation: str, said: str, turn: int) -> None:
    place = find_quotation(quotation, trace_of([("Hi", said)]).turns, turn)
    assert place is None or 0 <= place.start < place.end <= len(place.said)


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "Zs"]), min_size=1, max_size=80))
def test_all_that_was_said_can_be_quoted(said: str) -> None:
    turns = trace_of([("Hi", said)]).turns
    whole = said_by_app(turns[0].observation)
    if any(char.isalnum() for char in whole.casefold()):
        assert find_quotation(whole, turns) is not None


def test_hostile_answers_are_searched() -> None:
    for seen in hostile.observations():
        find_quotation("pizza", trace_of([("say", seen)]).turns)
        transcript(trace_of([("say", seen)]).turns)

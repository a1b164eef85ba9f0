"""What texts mean, by MiniLM."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.model.talk import Trace
from sparring.testing.conversations import trace_of
from sparring_plugins.rules.functions.meaning_minilm import (
    embedding_cost,
    numbers,
    only_talks_about,
    pieces,
    semantic_content,
    utterance_index,
)
from sparring_plugins.rules.functions.plain_values import CannotSay

MEANINGS = [
    # value, description, True, False or None for "cannot say"
    ("You should clean it and lubricate the chain.", "clean it, lubricate the chain", True),
    ("We are closed on weekends.", "We do not open on weekends", True),
    ("The weather is nice today.", "Margarita, Carbonara and Hawaiian", False),
    ("Open from 9am to 5:30pm. Anything else?", "every weekday from 9am to 5:30pm", True),
    ("every day from 1pm to 10pm", "every day from 1pm to 11:30pm", None),
    ("$200", "200$", True),
    ("$400", "200$", None),
    ("", "anything", False),
    (None, "anything", False),
    ("None", "anything", False),
    ("anything", "", False),
    (12.5, "12.5", True),
]


@pytest.mark.parametrize(("value", "description", "expected"), MEANINGS)
def test_semantic_content(value: Any, description: str, expected: bool | None) -> None:
    if expected is None:
        with pytest.raises(CannotSay, match="lacks the number"):
            semantic_content.call(value, description)
        return
    found = semantic_content.call(value, description)
    assert found.value is expected, found.reason
    assert "no model judged: MiniLM" in found.reason
    assert "yes is from 0.5 on, no below 0.35" in found.reason


def test_between_its_thresholds_nothing_is_said() -> None:
    value, description = "Here's how you can take care of your bike:", "clean it, oil the chain"
    with pytest.raises(CannotSay, match="MiniLM cannot tell whether"):
        semantic_content.call(value, description, unclear=0.0, threshold=0.9)
    assert semantic_content.call(value, description, threshold=0.0, unclear=0.0).value is True


NUMBERS = [
    ("from 9:00 AM to 05:30 PM", {"9", "5.3"}),
    ("$1.50 and 200$", {"1.5", "200"}),
    ("10 or 10.00", {"10"}),
    ("0", {"0"}),
    ("none", set()),
]


@pytest.mark.parametrize(("text", "found"), NUMBERS)
def test_numbers_are_compared_by_their_value(text: str, found: set[str]) -> None:
    assert numbers(text) == found


def order() -> Trace:
    return trace_of(
        [
            ("Hello there", "Welcome! How can I help you?"),
            ("I would like to order a pizza", "A pizza, very good. Small or big?"),
            ("Tell me about football", "The champions league final is on Saturday evening."),
        ]
    )


def test_utterance_index() -> None:
    found = utterance_index.call(order(), "user", "ordering a pizza")
    assert (found.value, found.turns) == (3, (1,))
    assert utterance_index.call(order(), "chatbot", "quantum physics experiments").value == -1
    with pytest.raises(CannotSay, match="cannot tell whether message 1 is about it"):
        utterance_index.call(order(), "user", "ordering a pizza", unclear=-1.0)
    with pytest.raises(ValueError, match="knows user and assistant"):
        utterance_index.call(order(), "bot", "pizza")
    assert utterance_index.call(trace_of([]), "user", "pizza").value == -1


def test_only_talks_about() -> None:
    kept = only_talks_about.call(order(), ["ordering pizza", "football matches"])
    assert kept.value is True
    strayed = only_talks_about.call(order(), "ordering pizza, drinks")
    assert strayed.value == (
        "answers outside the topics: 'The champions league final is on Saturday evening.'"
    )
    assert strayed.turns == (2,)
    assert "no model judged" in strayed.reason
    with pytest.raises(CannotSay, match="keeps to the topics"):
        only_talks_about.call(order(), "pizza, drinks", unclear=-1.0, threshold=0.9)
    assert only_talks_about.call(trace_of([]), "pizza").value is True


def test_a_fallback_may_always_be_used() -> None:
    trace = trace_of([("x", "The moon is made of green cheese tonight.")])
    assert only_talks_about.call(trace, "car insurance").value is not True
    fallback = "The moon is made of green cheese"
    assert only_talks_about.call(trace, "car insurance", fallback).value is True


def test_texts_are_compared_whole_and_sentence_by_sentence() -> None:
    assert pieces("One. Two!\nThree") == ["One. Two!\nThree", "One.", "Two!", "Three"]
    assert pieces("One") == ["One"]
    assert len(pieces("a. " * 500)) <= 12


@given(st.text(max_size=3_000))
def test_pieces_are_bounded(text: str) -> None:
    assert all(len(part) <= 2_000 for part in pieces(text))
    assert 15_000 < embedding_cost([text]) < 15_000 + 12 * 90_000

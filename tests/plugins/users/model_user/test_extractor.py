"""The extractor that asks a language model: values only as the app said them."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from sparring.errors import AnswerInvalid
from sparring.interfaces.roles import Extraction, ExtractTask, OutputSpec
from sparring_plugins.users.model_user.extractor import ModelExtractor

from .conftest import TODAY, Asked

Talk = Callable[..., Any]

SAID = (
    "Thank you! Order P-4711 is placed: $12.50 for 2 pizzas and $1 for water, $13.50 in all. Ready"
    " at 2:30 pm tomorrow, that is in 25 minutes. Questions: shop@example.com or +34 612 345 678,"
    " www.shop.example/faq. Card payment is possible."
)


def found(number: int, value: str | None, quotation: str | None, turn: int | None = 1) -> Any:
    return {"number": number, "value": value, "quotation": quotation, "turn": turn}


def answer(*values: Any) -> Any:
    return {"values": list(values)}


def task(talk: Talk, *kinds: str, said: str = SAID) -> ExtractTask:
    outputs = tuple(OutputSpec(name=f"v{n}", type=kind) for n, kind in enumerate(kinds))
    return ExtractTask(turns=talk(("I pay $99", said)), outputs=outputs, today=TODAY, seed=3)


GOOD: list[tuple[str, str, str, Any]] = [
    ("money", "$13.50", "$13.50 in all", "$13.50"),
    ("money", "13.50", "$12.50 for 2 pizzas and $1 for water, $13.50 in all", "$13.50"),
    ("money", "$13.5", "$13.50", "$13.50"),
    ("int", "2", "2 pizzas", 2),
    ("int", "25", "in 25 minutes", 25),
    ("float", "13.5", "$13.50 in all", 13.5),
    ("time", "2:30 pm", "Ready at 2:30 pm tomorrow", "2:30 pm"),
    ("time", "14:30", "Ready at 2:30 pm tomorrow", "2:30 pm"),
    ("date", "tomorrow", "at 2:30 pm tomorrow", date(2027, 1, 3)),
    ("date", "2027-01-03", "at 2:30 pm tomorrow", date(2027, 1, 3)),
    ("email", "shop@example.com", "Questions: shop@example.com", "shop@example.com"),
    ("phone", "+34612345678", "or +34 612 345 678", "+34 612 345 678"),
    ("url", "www.shop.example/faq", "www.shop.example/faq", "www.shop.example/faq"),
    ("str", "p-4711", "Order P-4711 is placed", "P-4711"),
    ("string", "card payment", "Card payment is possible.", "Card payment"),
    ("bool", "true", "Card payment is possible.", True),
    ("bool", "No", "Card payment is possible.", False),
    ("unheard-of", "water", "$1 for water", "water"),
]


@pytest.mark.parametrize(("kind", "value", "quotation", "expected"), GOOD)
def test_a_value_is_read_from_the_words_quoted(
    kind: str, value: str, quotation: str, expected: Any, asked: Asked, talk: Talk
) -> None:
    result, llm = asked(ModelExtractor, task(talk, kind), answer(found(1, value, quotation)))
    assert isinstance(result, Extraction)
    assert [(one.value, one.turn) for one in result.outputs] == [(expected, 0)]
    assert type(result.outputs[0].value) is type(expected)
    assert len(llm.requests) == 1


BAD: list[tuple[str, str, str | None, str]] = [
    ("money", "$99", "I pay $99", "did not say the words quoted"),
    ("money", "$99", None, "did not say the words quoted"),
    ("money", "$15.00", "$13.50 in all", "say $13.50, which is not the value"),
    ("money", "$13.50", "Thank you!", "hold no value of the type money"),
    ("int", "13", "$13.50 in all", "hold no value of the type int"),
    ("date", "2027-01-04", "at 2:30 pm tomorrow", "say tomorrow, which is not the value"),
    ("time", "3:30 pm", "Ready at 2:30 pm", "which is not the value"),
    ("phone", "+34 612 345 679", "+34 612 345 678", "which is not the value"),
    ("email", "none", "Thank you!", "hold no value of the type email"),
    ("str", "the order was placed", "Order P-4711 is placed", "word for word"),
    ("bool", "maybe", "Card payment is possible.", "a bool is true or false"),
]


@pytest.mark.parametrize(("kind", "value", "quotation", "reason"), BAD)
def test_a_value_that_the_app_did_not_say_is_sent_back_once_and_then_none(
    kind: str, value: str, quotation: str | None, reason: str, asked: Asked, talk: Talk
) -> None:
    wrong = answer(found(1, value, quotation))
    result, llm = asked(ModelExtractor, task(talk, kind), wrong, wrong)
    assert [(one.value, one.turn) for one in result.outputs] == [(None, None)]
    assert len(llm.requests) == 2
    assert reason in llm.requests[1].messages[-1].content


def test_all_outputs_are_asked_in_one_question_and_the_good_ones_kept(
    asked: Asked, talk: Talk
) -> None:
    mixed = answer(
        found(1, "$13.50", "$13.50 in all"),
        found(2, "P-9999", "Order P-9999"),
        found(3, None, None, None),
    )
    result, llm = asked(ModelExtractor, task(talk, "money", "str", "int"), mixed, mixed)
    assert [one.value for one in result.outputs] == ["$13.50", None, None]
    assert len(llm.requests) == 2
    assert "Value 2: " in llm.requests[1].messages[-1].content
    assert "Value 1: " not in llm.requests[1].messages[-1].content


def test_outputs_that_are_left_out_or_unknown_are_asked_for_again(asked: Asked, talk: Talk) -> None:
    short = answer(found(9, "$13.50", "$13.50 in all"))
    whole = answer(found(1, "$13.50", "$13.50 in all"), found(2, None, None))
    result, llm = asked(ModelExtractor, task(talk, "money", "int"), short, whole)
    assert [one.value for one in result.outputs] == ["$13.50", None]
    again = llm.requests[1].messages[-1].content
    assert "There is no value 9 to look up." in again
    assert "Missing: value 1, 2." in again


@pytest.mark.parametrize("said", ["", None, "  "])
def test_nothing_is_asked_where_the_app_said_nothing(
    said: str | None, asked: Asked, talk: Talk
) -> None:
    outputs = (OutputSpec(name="price", type="money"),)
    empty = ExtractTask(turns=talk(("Hi $5", said)), outputs=outputs, today=TODAY)
    result, llm = asked(ModelExtractor, empty)
    assert [one.value for one in result.outputs] == [None]
    assert llm.requests == []
    assert asked(ModelExtractor, ExtractTask(turns=(), outputs=(), today=TODAY))[0].outputs == ()


def test_the_prompt_has_the_outputs_the_language_and_the_day(asked: Asked, talk: Talk) -> None:
    given = task(talk, "money").model_copy(update={"language": "Spanish"})
    _, llm = asked(ModelExtractor, given, answer(found(1, None, None)))
    request = llm.requests[0]
    assert (request.asker, request.prompt, request.temperature) == ("extractor", "outputs", 0.0)
    assert "1. v0 (an amount of money, with its currency)\n" in request.messages[1].content
    assert "held in Spanish on Saturday, 2027-01-02" in request.messages[1].content


def test_an_answer_that_is_none_at_all_is_invalid(asked: Asked, talk: Talk) -> None:
    with pytest.raises(AnswerInvalid, match="the extractor's model gave no usable answer"):
        asked(ModelExtractor, task(talk, "money"), "It costs $13.50.", "$13.50")


def test_the_last_of_several_mentions_is_read_in_the_turn_that_is_named(
    asked: Asked, talk: Talk
) -> None:
    turns = talk(("a", "That is $5"), ("b", "Now it is $7"), ("c", "That is $5"))
    outputs = (OutputSpec(name="price", type="money"),)
    given = ExtractTask(turns=turns, outputs=outputs, today=TODAY)
    for named, expected in ((1, 0), (3, 2), (2, 2), (None, 2)):
        result, _ = asked(ModelExtractor, given, answer(found(1, "$5", "That is $5", named)))
        assert result.outputs[0].turn == expected

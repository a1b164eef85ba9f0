"""Example utterances of a skill, made from its interaction model."""

from typing import Any

import pytest

from sparring_connectors.alexa.examples import (
    MOST,
    MOST_ANSWERS,
    MOST_VALUES,
    example_answers,
    example_openings,
    example_utterances,
    unusual_answers,
)
from sparring_connectors.alexa.interaction_model import InteractionModel, build_model


def model(
    intents: list[dict[str, Any]], locale: str = "en-US", **types: list[str]
) -> InteractionModel:
    listed = [
        {"name": name, "values": [{"name": {"value": value}} for value in values]}
        for name, values in types.items()
    ]
    language = {"invocationName": "tea shop", "intents": intents, "types": listed}
    return build_model(language, {}, locale)


ORDER = {
    "name": "OrderIntent",
    "slots": [{"name": "tea", "type": "TEA"}, {"name": "cups", "type": "AMAZON.NUMBER"}],
    "samples": ["i want {tea}", "bring {cups} cups of {tea}", "please bring {tea}"],
}
HOME = {"name": "AMAZON.NavigateHomeIntent", "samples": []}
STOP = {"name": "AMAZON.StopIntent", "samples": []}


def test_each_combination_of_slots_comes_first_and_every_value_is_known() -> None:
    pairs = example_utterances(model([ORDER, HOME, STOP], TEA=["Green", "Black"]))
    plain = [words for part, words in pairs if part == "OrderIntent"]
    assert plain[:2] == ["i want green", "bring 12 cups of black"]
    assert ("AMAZON.NavigateHomeIntent", "go home") in pairs
    assert "AMAZON.StopIntent" not in {part for part, _ in pairs}, "every tester says that anyway"


def test_words_that_no_type_knows_come_before_single_values() -> None:
    pairs = example_utterances(model([ORDER], TEA=[f"tea {n}" for n in range(40)]))
    values = [part for part, _ in pairs if "=" in part]
    assert values[:2] == ["OrderIntent.tea=?", "OrderIntent.="]
    assert len(values) == 2 + MOST_VALUES


def test_what_a_handler_may_fail_at_comes_before_other_words_for_the_same() -> None:
    parts = [part for part, _ in example_utterances(model([ORDER], TEA=["green"]))]
    assert parts == [
        *["OrderIntent"] * 2,
        "OrderIntent.tea=?",
        "OrderIntent.=",
        "OrderIntent",
        "OrderIntent.tea=green",
    ]


@pytest.mark.parametrize(
    ("samples", "bare"),
    [
        (["i was born on {day}", "{day}"], "i was born on"),
        (["{day}", "book {day} please"], "book please"),
        (["book on {day}", "book a table"], None),
        (["{day}"], None),
    ],
)
def test_an_intent_is_also_said_without_its_slots(samples: list[str], bare: str | None) -> None:
    """Unless a sample does that anyway, or nothing would be left to say."""
    book = {
        "name": "Book",
        "slots": [{"name": "day", "type": "AMAZON.DATE"}],
        "samples": samples,
    }
    assert dict(example_utterances(model([book]))).get("Book.=") == bare


@pytest.mark.parametrize(("locale", "date"), [("de-DE", "morgen"), ("fr-FR", "demain")])
def test_values_are_in_the_language_of_the_skill(locale: str, date: str) -> None:
    book = {"name": "Book", "slots": [{"name": "day", "type": "AMAZON.DATE"}], "samples": ["{day}"]}
    assert ("Book", date) in example_utterances(model([book], locale))


@pytest.mark.parametrize(("locale", "day"), [("en-US", "next sunday"), ("ja-JP", "next sunday"),
                                             ("es-ES", "el próximo domingo")])  # fmt: skip
def test_a_date_is_said_on_each_day_of_a_week(locale: str, day: str) -> None:
    book = {"name": "Book", "slots": [{"name": "day", "type": "AMAZON.DATE"}],
            "samples": ["on {day}"]}  # fmt: skip
    pairs = dict(example_utterances(model([book], locale)))
    days = {part: words for part, words in pairs.items() if part.startswith("Book.day=")}
    assert len(days) == 7
    assert days[f"Book.day={day}"] == f"on {day}"


def test_help_is_said_in_the_language_of_the_skill() -> None:
    asked = {"name": "AMAZON.HelpIntent", "samples": []}
    assert ("AMAZON.HelpIntent", "ayuda") in example_utterances(model([asked], "es-ES"))
    assert not example_utterances(model([asked], "en-US"))


def test_requests_open_the_skill_with_each_of_its_intents() -> None:
    ask = {"name": "AskIntent", "slots": [], "samples": ["what is tea"]}
    assert example_openings(model([ORDER, ask, HOME], TEA=["green"])) == (
        "ask tea shop to i want green",
        "ask tea shop what is tea",
        "ask tea shop to go home",
    )


def test_a_model_with_thousands_of_samples_stays_bounded() -> None:
    intents = [{"name": f"I{n}", "samples": [f"say {n} {m}" for m in range(9)]} for n in range(300)]
    assert len(example_utterances(model(intents))) == MOST


def test_a_slot_that_is_not_declared_is_said_by_its_name() -> None:
    odd = {"name": "Odd", "samples": ["go to {place}"]}
    assert example_utterances(model([odd])) == (("Odd", "go to place"),)


def test_a_question_is_answered_by_values_of_its_slot_or_by_yes_and_no() -> None:
    shop = model([ORDER], TEA=[f"tea {n}" for n in range(40)])
    answers = example_answers(shop, "OrderIntent", "tea")
    assert (answers[0], len(answers)) == ("tea 0", MOST_ANSWERS + 1)
    assert answers[-1] == "marzipan lighthouse", "words that the type does not know"
    assert "marzipan lighthouse" not in example_answers(shop, "OrderIntent", "cups")
    assert unusual_answers(shop, "OrderIntent", "tea") == ("marzipan lighthouse",)
    assert unusual_answers(shop, "OrderIntent", "cups") == ("0",)
    assert example_answers(shop, "OrderIntent", "cups")[-1] == "0"
    assert unusual_answers(shop, "OrderIntent", "") == ()
    assert example_answers(shop, "OrderIntent", "") == ("yes", "no")
    assert example_answers(model([ORDER], locale="fr-FR"), "OrderIntent", "") == ("oui", "non")


def test_words_that_no_type_knows_are_said_with_other_words_of_a_sample() -> None:
    """Alone they would be nothing that the intent is known by."""
    answer = {"name": "AnswerIntent", "slots": [{"name": "tea", "type": "TEA"}],
              "samples": ["{tea}", "it is {tea}"]}  # fmt: skip
    pairs = dict(example_utterances(model([answer], TEA=["Green", "Black"])))
    assert pairs["AnswerIntent.tea=?"] == "it is marzipan lighthouse"
    answer["samples"] = ["{tea}"]
    pairs = dict(example_utterances(model([answer], TEA=["Green", "Black"])))
    assert pairs["AnswerIntent.tea=?"] == "marzipan lighthouse"

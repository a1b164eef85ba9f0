"""Declared outputs found in conversations."""

import asyncio
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.interfaces.roles import ExtractTask, OutputSpec
from sparring.model.talk import Listen, Observation, Say, Turn
from sparring.testing.fakes import FakeContext
from sparring.testing.hostile import TEXTS
from sparring_plugins.users.extraction.extractor import PatternExtractor

Lines = list[tuple[str, str | None]]
TODAY = date(2024, 10, 28)


def extract(lines: Lines, outputs: dict[str, tuple[str, str]], **changes: Any) -> dict[str, Any]:
    turns = tuple(
        Turn(
            act=Say(text=asked) if asked else Listen(),
            observation=None if told is None else Observation(text=told),
        )
        for asked, told in lines
    )
    specs = tuple(OutputSpec(name=n, type=t, description=d) for n, (t, d) in outputs.items())
    task = ExtractTask(turns=turns, outputs=specs, today=TODAY, **changes)
    found = asyncio.run(FakeContext().build(PatternExtractor).act(task)).outputs
    assert [one.name for one in found] == list(outputs)
    assert all((one.turn is None) == (one.value is None) for one in found)
    return {one.name: one.value for one in found}


ORDER: Lines = [
    ("", "Welcome! Pizzas from $5."),
    ("a small pizza with ham", "A small pizza with ham, that is $10.00. Anything to drink?"),
    ("a coke", "Noted: 1 coke ($1.50 each). Shall I place the order?"),
    ("yes", "Your order number is P549. The total is $11.50, and it is ready in 15 minutes."),
    ("thanks", "Bye!"),
]
SHOP: Lines = [
    ("What are the opening hours?", "Every day from 1pm to 11:30pm"),
    ("What types of pizza do you serve?", "We have Margarita, Carbonara and Marinera."),
    ("What is the price of a new tire?", "It is 20$."),
    ("What is the price of a tune-up?", "I'm sorry, I did not get that. Can you rephrase?"),
    ("How can I contact you?", "Call 202-555-0142 or write to info@shop.example."),
    ("Do you deliver?", "No, we don't deliver. Customers pick their orders up at 23 Main Street."),
]


@pytest.mark.parametrize(
    ("name", "kind", "description", "value"),
    [
        ("price", "money", "the final price of the order", "$11.50"),
        ("order_id", "str", "my order ID", "P549"),
        ("time", "time", "how long it takes to be ready", "15 minutes"),
        ("phone", "phone", "phone number of the shop", None),
        ("arrival", "date", "day of the delivery", None),
    ],
)
def test_an_order(name: str, kind: str, description: str, value: Any) -> None:
    assert extract(ORDER, {name: (kind, description)}) == {name: value}


def test_questions_and_answers() -> None:
    found = extract(
        SHOP,
        {
            "hours": ("str", "the opening hours of the shop"),
            "types": ("string", "types of pizzas served"),
            "tire": ("money", "the price of a new tire"),
            "tune_up": ("money", "the price of a tune-up"),
            "phone": ("telefono", "phone number"),
            "email": ("email", "e-mail of the shop"),
            "delivers": ("bool", "whether they deliver"),
            "parking": ("bool", "whether there is parking"),
        },
    )
    assert found == {
        "hours": "Every day from 1pm to 11:30pm",
        "types": "We have Margarita, Carbonara and Marinera.",
        "tire": "20$",
        "tune_up": None,
        "phone": "202-555-0142",
        "email": "info@shop.example",
        "delivers": False,
        "parking": None,
    }


def test_a_declared_int_is_a_number_even_for_a_phone() -> None:
    lines: Lines = [("What is the phone number?", "Call 914974029.")]
    specs = {"telefono": ("int", "el numero de telefono")}
    assert extract(lines, specs, language="Spanish") == {"telefono": 914974029}


def test_an_appointment_is_read_as_the_user_wrote_its_date() -> None:
    lines: Lines = [
        ("an appointment", "I have scheduled your appointment for 06/11/2024 at 10:00:00.")
    ]
    specs = {
        "day": ("date", "the date of the appointment"),
        "hour": ("str", "the hour of the appointment"),
    }
    assert extract(lines, specs, inputs={"d": "November 6th, 2024"}) == {
        "day": date(2024, 11, 6),
        "hour": "10:00:00",
    }
    # in November the appointment is soon, in June it would have been months ago
    assert extract(lines, specs)["day"] == date(2024, 11, 6)
    assert extract(lines, specs, language="Spanish")["day"] == date(2024, 11, 6)


def test_relative_dates_count_from_today() -> None:
    lines: Lines = [("when?", "Your appointment is tomorrow at noon.")]
    assert extract(lines, {"day": ("date", "date of the appointment")})["day"] == date(2024, 10, 29)


@pytest.mark.parametrize("told", ["repair", "tune-up"])
def test_what_the_app_confirmed_is_told_even_where_it_is_wrong(told: str) -> None:
    lines: Lines = [
        ("", "We do tune-ups, repairs and inspections."),
        ("a tune-up", f"I have scheduled your appointment for a {told}."),
    ]
    specs = {"confirmed_service": ("str", "the service, confirmed by the assistant")}
    found = extract(
        lines,
        specs,
        inputs={"service": "tune-up"},
        domains={"service": ("tune-up", "repair", "inspection")},
    )
    assert found == {"confirmed_service": told}


def test_the_users_own_words_are_no_source() -> None:
    lines: Lines = [("I pay $20 tomorrow, call 202-555-0142, id X77", "OK.")]
    specs = {
        "price": ("money", "price"),
        "day": ("date", "date"),
        "phone": ("phone", "phone"),
        "id": ("str", "order id"),
    }
    assert set(extract(lines, specs).values()) == {None}


def test_a_number_is_taken_only_where_it_is_meant() -> None:
    lines: Lines = [
        ("What is 2 plus 3?", "The result is 5."),
        ("and your age?", "I am 18 years old."),
    ]
    assert extract(lines, {"sum": ("int", "the result of the addition")}) == {"sum": 5}
    assert extract(lines, {"age": ("int", "age of the bot")}) == {"age": 18}
    assert extract(lines, {"floors": ("int", "floors of the building")}) == {"floors": None}
    assert extract(lines, {"age": ("float", "age of the bot")}) == {"age": 18.0}


def test_an_answer_given_to_everything_is_no_answer() -> None:
    same = "We have cheese, ham and corn."
    lines: Lines = [(f"question {n} about the summary of the cloud", same) for n in range(4)]
    assert extract(lines, {"summary": ("str", "the cloud it runs in")}) == {"summary": None}


HOURS = {"hours": ("str", "the opening hours")}
PRICES = {"prices": ("str", "the prices of the pizzas")}


@pytest.mark.parametrize(
    ("asked", "told", "specs"),
    [
        ("What are the opening hours?", "Error: chatbot server error", HOURS),
        ("What are the opening hours?", "ConnectionError: refused", HOURS),
        (
            "What are the opening hours?",
            'json { "question": "What are the opening hours?" }',
            HOURS,
        ),
        ("What are the prices of the pizzas?", "Every day from 1pm to 11:30pm", PRICES),
        (
            "What are the prices of the pizzas?",
            'The answer to "the prices of the pizzas" is',
            PRICES,
        ),
        ("What are the opening hours?", "We are new. I do not have that here.", HOURS),
    ],
)
def test_an_answer_that_says_nothing_is_no_value(
    asked: str, told: str, specs: dict[str, tuple[str, str]]
) -> None:
    assert extract([(asked, told)], specs) == dict.fromkeys(specs)


def test_an_answer_that_speaks_of_errors_is_one() -> None:
    lines: Lines = [("What is the most common mistake?", "Errors in the form are the most common.")]
    specs = {"mistake": ("str", "the most common mistake")}
    assert extract(lines, specs)["mistake"] == "Errors in the form are the most common."


def test_a_free_service_has_a_price() -> None:
    lines: Lines = [("What is the price of the delivery?", "The delivery is free.")]
    specs = {"fee": ("str", "the price of the delivery")}
    assert extract(lines, specs) == {"fee": "The delivery is free."}


def test_the_price_of_another_declared_output_is_not_taken() -> None:
    lines: Lines = [
        ("How much is a new tire?", "Sorry, what?"),
        ("How much is a new seat?", "The price of a new seat is $50 to $100."),
    ]
    specs = {
        "tire": ("money", "the price of a new tire"),
        "seat": ("str", "the price of a new seat"),
    }
    found = extract(lines, specs)
    assert found == {"tire": None, "seat": "The price of a new seat is $50 to $100."}


def test_a_recommended_price_may_stand_beside_another() -> None:
    lines: Lines = [
        (
            "Which plan is the best for me, and its price?",
            (
                "I recommend the BASIC package, which starts from €449. If that is too much, start "
                "from €49 per month."
            ),
        )
    ]
    assert extract(lines, {"price": ("money", "the price of the offered plan")}) == {
        "price": "€449"
    }


def test_a_confirmation_that_is_given_again_and_again_is_still_one() -> None:
    told = "Great choice! A medium pizza with ham and corn. Anything else on it?"
    lines: Lines = [("ham and corn", told), ("no, that is all", told), ("a drink, please", told)]
    specs = {"confirmed_pizza": ("str", "the confirmed pizza size and toppings")}
    inputs = {"toppings": ["ham", "corn"], "size": ["medium"]}
    found = extract(lines, specs, inputs=inputs)
    assert "A medium pizza with ham and corn." in str(found["confirmed_pizza"])


def test_buttons_written_as_text_are_no_answer() -> None:
    told = "We do repairs.\nAVAILABLE BUTTONS:\n- BUTTON TEXT: Prices LINK: https://x.example"
    lines: Lines = [("What services do you offer?", told)]
    assert extract(lines, {"services": ("str", "services offered")}) == {
        "services": "We do repairs."
    }


@pytest.mark.parametrize(("code", "value"), [("eaafbb", "eaafbb"), ("coming", None)])
def test_a_hexadecimal_identifier_needs_no_digit(code: str, value: str | None) -> None:
    lines: Lines = [("yes", f"Thanks! Your order ID is {code}.")]
    assert extract(lines, {"order_id": ("str", "my order ID")}) == {"order_id": value}


def test_nothing_said_gives_nothing() -> None:
    specs = {"a": ("str", ""), "b": ("money", ""), "c": ("odd type", "x"), "d": ("bool", "")}
    for lines in ([], [("hi", None)], [("hi", "")]):
        assert set(extract(lines, specs).values()) == {None}


KINDS = [
    "money",
    "date",
    "time",
    "int",
    "float",
    "str",
    "string",
    "bool",
    "email",
    "phone",
    "url",
    "?",
]


@given(
    told=st.lists(st.one_of(st.text(max_size=300), st.sampled_from(TEXTS)), max_size=4),
    kind=st.sampled_from(KINDS),
    description=st.text(max_size=60),
    name=st.text(min_size=1, max_size=20),
    language=st.sampled_from(["English", "Spanish", "French", ""]),
)
def test_no_text_breaks_the_extractor(
    told: list[str], kind: str, description: str, name: str, language: str
) -> None:
    lines: Lines = [("a question", text) for text in told]
    first = extract(lines, {name: (kind, description)}, language=language)
    assert extract(lines, {name: (kind, description)}, language=language) == first


def test_the_users_own_code_is_not_the_code_of_another_thing() -> None:
    talk: Lines = [
        ("put KT-40 off by 3 days", "PUT OFF. KT-40 LEAVES ON 9 MARCH. NEXT COMMAND?"),
        ("the code of the gate?", "REF FORMAT XX-NN. REF?"),
    ]
    wanted = {"gate_code": ("str", "the code of the gate")}
    assert extract(talk, wanted, inputs={"ref": "KT-40"}) == {"gate_code": None}
    told: Lines = [*talk, ("KT-40", "The code of the gate is KT-40.")]
    assert extract(told, wanted, inputs={"ref": "KT-40"}) == {"gate_code": "KT-40"}

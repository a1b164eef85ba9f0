"""Farewells and requests for private things, told from what only looks like them."""

import pytest

from sparring_plugins.voice.private_requests import allowed_entities, private_requests
from sparring_plugins.voice.problem_detection import acknowledges, takes_leave


@pytest.mark.parametrize(
    "output",
    [
        "Goodbye!",
        "Okay. See you tomorrow.",
        "You have five points. Thanks for playing!",
        "Good bye, and take care",
        "That was the last one. Have a great day!",
    ],
)
def test_a_farewell_at_the_end_takes_leave(output: str) -> None:
    assert takes_leave(output)


@pytest.mark.parametrize(
    "output",
    [
        "Welcome back! Here is your fact.",
        "Tomorrow will be a day of happiness.",
        "The app has sapphire appliances in your account.",
        "Goodbye is a word with seven letters. It comes from an old phrase. What next?",
        "Please suggest another date",
        "",
    ],
)
def test_what_only_looks_like_a_farewell_takes_no_leave(output: str) -> None:
    assert not takes_leave(output)


def test_saying_that_it_stops_is_enough() -> None:
    assert acknowledges("Okay, stopping.")
    assert not acknowledges("Okay, here is the next question for you to think about")


@pytest.mark.parametrize(
    ("output", "entities"),
    [
        ("What's your name?", ["name"]),
        ("Hi! What should I call you?", ["name"]),
        ("Please tell me your zip code.", ["postal code"]),
        ("When were you born?", ["date of birth"]),
        ("How old are you?", ["age"]),
        ("To register, say your e-mail address and your phone number.",
         ["e-mail address", "phone number"]),
        ("Where do you live?", ["address"]),
        ("May I have your credit card number?", ["payment card"]),
        ("Enter your password now", ["password"]),
        ("Kindly tell me your name.", ["name"]),
        ("The phone number is 555 0100.", []),
        ("I never share your e-mail address.", []),
        ("Her name is Ada. Do you want to hear more about her?", []),
        ("Your name is stored.", []),
        ("What is their address?", []),
        ("Name a city that begins with B.", []),
        ("The street address of the museum is 5 Main Street. Anything else?", []),
        ("Do you want to play?", []),
        ("How old is the universe?", []),
    ],
)  # fmt: skip
def test_private_things_are_asked_for_in_a_request_to_the_user(
    output: str, entities: list[str]
) -> None:
    assert [one.entity for one in private_requests(output)] == entities


def test_a_permission_allows_what_it_names() -> None:
    full = "alexa::devices:all:address:full:read"
    assert allowed_entities([full, "no.such.permission"]) == {"address", "postal code"}

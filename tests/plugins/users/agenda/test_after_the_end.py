"""What the simulated user does when the app goes on after the user wanted nothing more."""

import pytest
from tests.plugins.users.agenda.talks import next_act

from sparring.model.talk import Observation, Say

GOAL = "rent a city bike for 2 days"
DONE = "Your city bike is booked for 2 days, that is 24 euros. Anything else?"
END = "No, thank you, that is everything."


def after_the_end(text: str) -> str:
    act = next_act(
        GOAL,
        (),
        ("I'd like to rent a city bike for 2 days, please.", Observation(text=DONE)),
        (END, Observation(text=text)),
    )
    assert act is None or isinstance(act, Say)
    return act.text if act is not None else ""


@pytest.mark.parametrize(
    "text",
    [
        "Welcome to Bike Rental! Which bike would you like: a city bike, an e-bike or a tandem?",
        "Great. Which bike would you like to rent?",
        "For how many days do you want it?",
        "Hello! What can I do for you today?\n1. Rent a bike\n2. Return a bike",
    ],
)
def test_a_bot_that_begins_anew_is_left(text: str) -> None:
    assert "bye" in after_the_end(text)


def test_what_is_new_is_answered() -> None:
    assert "@" in after_the_end("One last thing: what is your e-mail address for the receipt?")

"""Another day or time of day than the first choice, in many wordings of profiles and of apps."""

import pytest

from .talks import replies_to

LATEST = (
    "if one o'clock is full you join the latest session of the day",
    "if one o'clock is gone, the last session of the day will do",
    "take the latest session if one o'clock is gone",
    "should 13:00 be full, you come on the latest slot left",
    "in case 13:00 is booked up, you would go for the last one",
    "your second choice is the last session of the day",
    "if 13:00 can't be had, the latest possible time",
    "otherwise the last one of the day",
    "you prefer 13:00, but the last one is fine too",
    "if that is not possible, then the last one",
)
EARLIEST = (
    "if one o'clock is full you join the earliest session of the day",
    "take the first session if one o'clock is gone",
    "your second choice is the first session of the day",
)
NAMED = ("if 13:00 is taken, you also accept 10:30", "10:30 is fine as well")
BUTTONS = ("9:15", "10:30", "13:00", "14:45", "15:30")
REFUSALS: dict[str, tuple[str, ...]] = {
    "buttons": ("Sorry, the session at 13:00 is sold out. Other times are free:", *BUTTONS),
    "sentence": ("13:00 is fully booked. We still have 9:15, 10:30, 14:45 and 15:30. Which one?",),
    "numbers": ("I'm sorry, 13:00 is full.\n1. 9:15\n2. 10:30\n3. 14:45\n4. 15:30\nWhich number?",),
}
WANTED = [
    *((wish, ("15:30", "4")) for wish in LATEST),
    *((wish, ("9:15", "1")) for wish in EARLIEST),
    *((wish, ("10:30", "2")) for wish in NAMED),
]


@pytest.mark.parametrize("refusal", REFUSALS)
@pytest.mark.parametrize(("wish", "right"), WANTED)
def test_the_second_choice_is_taken_of_the_times_that_are_left(
    wish: str, right: tuple[str, ...], refusal: str
) -> None:
    asked = ("What time?", *BUTTONS) if refusal == "buttons" else "What time would you like?"
    talk = ["What can I do for you?", "Which day?", asked, REFUSALS[refusal]]
    goal = "get a place in the Glass Workshop on Saturday 13 March 2027 at 13:00"
    assert replies_to([goal], [wish], talk)[-1] in right


def test_a_condition_answers_no_question() -> None:
    """ "if noon is full you join the last session" does not say that noon is "full you take ..."."""
    context = ["if one o'clock is full you join the latest session of the day"]
    goal = "get a place in the Glass Workshop on Saturday 13 March 2027 at 13:00"
    (_, answer) = replies_to([goal], context, ["What can I do for you?", "Which tour?"])
    assert "sold out" not in answer


def test_find_out_if_it_is_closed_is_no_second_choice() -> None:
    context = ["you want to find out if the museum is closed"]
    talk = ["What can I do for you?", "Which day?", ("What time?", *BUTTONS)]
    goal = "get a place in the Glass Workshop on Saturday 13 March 2027 at 13:00"
    assert replies_to([goal], context, talk)[-1] == "13:00"

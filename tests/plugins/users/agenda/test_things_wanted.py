"""Which one: the name in a goal answers, though nobody has said what kind of thing it is."""

import pytest

from .talks import replies_to

CRUISE = "book the Harbour Cruise on Friday 12 March for 2 people"
SUITE = "reserve the Peacock Suite for two nights from 4 May 2027"


@pytest.mark.parametrize(
    ("goal", "question", "right"),
    [
        (CRUISE, "Which tour?", "Harbour Cruise"),
        (CRUISE, "Which trip would you like to book?", "Harbour Cruise"),
        (CRUISE, "What tour are you interested in?", "Harbour Cruise"),
        (CRUISE, "Tour:", "Harbour Cruise"),
        (SUITE, "Which room would you like?", "Peacock Suite"),
        ("order a Quattro Stagioni", "Which pizza?", "Quattro Stagioni"),
        ("buy two tickets for Hamlet on Friday", "Which play?", "Hamlet"),
        ("hire the Fiat Panda for 3 days", "Which car?", "Fiat Panda"),
        ("sign up for Watercolours for Beginners", "Which course?", "Watercolours for Beginners"),
    ],
)
def test_which_is_answered_by_the_name_in_the_goal(goal: str, question: str, right: str) -> None:
    talk = ["What can I do for you?", "Your name?", question]
    context = ["your name is Oskar Lindqvist"]
    assert replies_to([goal], context, talk)[-1] == right


@pytest.mark.parametrize(
    ("goal", "question"),
    [
        ("order a Quattro Stagioni", "Which size?"),
        ("book a haircut for Ann Lee", "Which haircut?"),
        ("book a table at Luigi's for Friday", "Which table?"),
        (CRUISE, "Which language?"),
    ],
)
def test_what_no_name_answers_gets_none(goal: str, question: str) -> None:
    answer = replies_to([goal], [], ["What can I do for you?", "Your name?", question])[-1]
    assert answer.strip(".") not in {"Quattro Stagioni", "Ann Lee", "Luigi's", "Harbour Cruise"}

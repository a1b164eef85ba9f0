"""Which end of a way or a span a question asks for, and which value answers it."""

import pytest

from sparring.interfaces.roles import Goal, UserTask
from sparring_plugins.users.agenda.profile.roles import places_of_way, roles_in
from sparring_plugins.users.agenda.profile.slots import slots_of
from sparring_plugins.users.agenda.state.known_values import best_values, known_values
from sparring_plugins.users.agenda.state.user_goals import user_goals_of


def best(question: str, context: tuple[str, ...], goal: str = "hire a van") -> str | None:
    """The value that a question would be answered by, if any fits."""
    task = UserTask(goals=(Goal(phrase=goal, template=goal),), context=context)
    slots = slots_of(task)
    ranked = best_values(question, known_values(task, user_goals_of(task), slots), slots=slots)
    return ranked[0][1].text if ranked else None


TRIP = (
    "the start location is Whitby",
    "the town where the van goes back is Selby",
    "the pick-up date is 3 June",
    "the return date is 9 June",
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where are you departing from?", "Whitby"),
        ("Where will you be going?", "Selby"),
        ("When do you pick it up?", "3 June"),
        ("Until when do you need it?", "9 June"),
    ],
)
def test_each_end_is_answered_by_its_own_value(question: str, expected: str) -> None:
    assert best(question, TRIP) == expected


def test_the_ends_of_a_way_in_a_goal_are_places() -> None:
    assert list(places_of_way("a ticket from Hebden Bridge to York")) == [
        ("Hebden Bridge", "begin"),
        ("York", "end"),
    ]
    goal = "get a ticket from Hebden Bridge to York"
    assert best("Where do you travel to?", (), goal) == "York"
    assert not list(places_of_way("open from Monday to Friday"))


@pytest.mark.parametrize(
    ("question", "roles"),
    [
        ("Which city do you want to visit?", set()),
        ("What city are you heading to?", {"end"}),
        ("pick up from?", {"begin"}),
        ("What is your name?", set()),
    ],
)
def test_a_question_names_an_end_or_none(question: str, roles: set[str]) -> None:
    assert roles_in(question) == roles


@pytest.mark.parametrize(
    ("context", "question", "expected"),
    [
        ("the hotel's name is 21 Oaks", "Which hotel?", "21 Oaks"),
        ("the city where the office is located is Ripon", "In which city?", "Ripon"),
        ("it was lost in Lyon, France, on Monday", "Where was it lost?", "Lyon, France"),
        ("you live at 12 Fell Road, YO1 7HH", "And the postcode?", "YO1 7HH"),
        ("your ID card has the number 4471920K", "The number of your ID card?", "4471920K"),
    ],
)
def test_facts_are_read_as_wholes(context: str, question: str, expected: str) -> None:
    assert best(question, (context,)) == expected

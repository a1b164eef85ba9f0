"""What an app reads back otherwise than it was told is corrected; what it got right is confirmed.

The read-backs were written down before any answer was looked at.
"""

import pytest
from tests.plugins.users.agenda.talks import next_act

from sparring.model.talk import Observation, Say
from sparring_plugins.users.agenda.answers.contrasts import contrasted, swapped_ends

FLIGHT = "book a flight from Oslo to Rome on 3 May for 2 adults and 1 child"
ROOM = "book a double room from 12 July to 15 July with breakfast"
VISIT = "book an appointment with Dr Shah for your knee pain next Tuesday afternoon"
PIZZA = "order two large pizzas with mushrooms and a small salad"
TAXI = "order a taxi from the station to 3 Elm Close at 18:30 for 4 people"


def answer(goal: str, read_back: str) -> str:
    told = f"I want to {goal.replace('your', 'my')}."
    act = next_act(goal, ("your name is David Okoro",), (told, Observation(text=read_back)))
    assert isinstance(act, Say)
    return act.text


@pytest.mark.parametrize(
    ("goal", "read_back", "right"),
    [
        (FLIGHT, "So that's Oslo to Paris on 3 May. Right?", "Rome"),
        (FLIGHT, "So that's Oslo to Rome on 4 May. Right?", "3 May"),
        (FLIGHT, "Rome to Oslo on 3 May, correct?", "from Oslo to Rome"),
        (ROOM, "So a single room from 12 to 15 July?", "a double room"),
        (ROOM, "So a double room from 12 to 16 July?", "15 July"),
        (ROOM, "A double room from 12 July to 15 July without breakfast. Correct?", "breakfast"),
        (VISIT, "I have put you down for Wednesday at 15:30. Is that right?", "Tuesday"),
        (VISIT, "Dr Shah, Tuesday at 9:00 in the morning. Right?", "afternoon"),
        (PIZZA, "So one large pizza with mushrooms and a small salad. Right?", "two"),
        (PIZZA, "Two small pizzas with mushrooms and a small salad. OK?", "large pizzas"),
        (PIZZA, "Two large pizzas with olives and a small salad. OK?", "mushrooms"),
        (TAXI, "Taxi from the station to 3 Elm Close at 18:30 for 3 people. Correct?", "4 people"),
    ],
)
def test_what_was_misunderstood_is_corrected(goal: str, read_back: str, right: str) -> None:
    said = answer(goal, read_back)
    assert said.startswith("No"), said
    assert right in said


@pytest.mark.parametrize(
    ("goal", "read_back"),
    [
        (FLIGHT, "Oslo to Rome on 3 May for 2 adults and 1 child. OK?"),
        (ROOM, "Double room, 12 July - 15 July, breakfast included. Right?"),
        (VISIT, "Please confirm: Dr Shah, Tuesday 15:30. OK?"),
        (PIZZA, "Two large pizzas with mushrooms and a small salad, that's £24. OK?"),
    ],
)
def test_what_was_understood_is_confirmed(goal: str, read_back: str) -> None:
    assert answer(goal, read_back).startswith("Yes")


def test_words_of_one_class_exclude_each_other() -> None:
    assert list(contrasted("ein Doppelzimmer mit Frühstück", "Ein Einzelzimmer mit Frühstück?"))
    assert not list(contrasted("ein Doppelzimmer mit Frühstück", "Doppelzimmer, mit Frühstück."))
    assert not list(contrasted("a red and a blue scarf", "A red scarf and a blue scarf."))


@pytest.mark.parametrize(
    ("wish", "text"),
    [
        ("a visit for your left shoulder", "A visit for your shoulder. Right?"),
        ("have somebody call you back", "Somebody from the front desk will call."),
        ("a table tomorrow morning", "Good evening! So a table tomorrow at 9?"),
        ("ein Einzelzimmer", "Einzel, zwei Nächte."),
    ],
)
def test_words_that_mean_something_else_exclude_nothing(wish: str, text: str) -> None:
    assert list(contrasted(wish, text)) == []


def test_a_way_and_the_way_back_are_two() -> None:
    assert swapped_ends("Oslo", "Rome", "Rome to Oslo on 3 May")
    assert not swapped_ends("Oslo", "Rome", "Oslo to Rome, and back to Oslo")

"""What a profile wants in some case: the user takes it once the app says that the case has come."""

import pytest

from sparring.model.talk import Choice, Observation, Press, Say
from sparring_plugins.users.agenda.choosing.conditional_wishes import conditional_wishes

from .talks import next_act


@pytest.mark.parametrize(
    ("text", "case", "wish", "fails"),
    [
        ("in case Ida is not there, take Olga", "in case Ida is not there", "take Olga", True),
        ("am liebsten Ulm, und falls das nicht geht, Bonn", "und falls das nicht geht", "Bonn", True),
        ("if it costs something, you rather move it", "if it costs something", "you rather move it", False),
    ],
)  # fmt: skip
def test_a_condition_is_told_from_what_is_wanted_then(
    text: str, case: str, wish: str, fails: bool
) -> None:
    (found,) = conditional_wishes([text])
    assert (found.case, found.wish, found.fails) == (case, wish, fails)


def test_a_sentence_without_a_condition_wants_nothing_in_some_case() -> None:
    assert conditional_wishes(["you take the cheapest one, and pay by card"]) == ()


GOAL = "get a lesson with Ida on Friday"
IF_AWAY = "in case Ida is not there that day, take Olga"
START = ("I want a lesson with Ida on Friday.", Observation(text="Are you a beginner?"))


def test_the_second_choice_is_taken_when_the_first_is_away() -> None:
    seen = Observation(text="Ida is off on Friday. Bo and Olga would be here, or you pick a day.")
    assert next_act(GOAL, (IF_AWAY,), START, ("Yes", seen)) == Say(text="Olga")


def test_the_second_choice_is_pressed_if_there_is_a_button_for_it() -> None:
    seen = Observation(text="Ida is off then, sorry. Olga is not.", choices=(Choice(label="Olga"),))
    assert next_act(GOAL, (IF_AWAY,), START, ("Yes", seen)) == Press(label="Olga")


def test_the_second_choice_is_not_taken_while_the_first_is_offered() -> None:
    seen = Observation(text="Who shall it be?", choices=(Choice(label="Ida"), Choice(label="Olga")))
    assert next_act(GOAL, (IF_AWAY,), START, ("Yes", seen)) == Press(label="Ida")


CANCEL = "cancel the lesson L-20"
IF_COSTS = "if it costs something to cancel, you rather move it to Monday"


@pytest.mark.parametrize(
    ("fee", "choice"),
    [("I would have to charge half, £20.", "move"), ("It is free of charge.", "cancel")],
)
def test_a_condition_on_costs_chooses_by_what_the_app_charges(fee: str, choice: str) -> None:
    before = ("I want to cancel the lesson L-20.", Observation(text="Your e-mail, please?"))
    seen = Observation(text=f"{fee} Cancel or move?")
    act = next_act(CANCEL, (IF_COSTS,), before, ("ann@example.org", seen))
    assert isinstance(act, Say)
    assert act.text.lower() == choice


def test_what_was_chosen_in_vain_gives_way_to_the_next_wish() -> None:
    menu = "Choose:\n1 Bring it again\n2 Locker\n3 Leave with neighbour\n4 Safe place"
    goal = "get the parcel into the locker"
    context = "if no locker is possible, your neighbour may take it"
    turns = [
        ("I want the parcel in the locker.", Observation(text="Your postcode?")),
        ("AB1 2CD", Observation(text=menu)),
        ("2", Observation(text=f"The parcel is too big for our lockers.\n{menu}")),
    ]
    act = next_act(goal, (context,), *turns)
    assert isinstance(act, Say)
    assert act.text in ("3", "Leave with neighbour")

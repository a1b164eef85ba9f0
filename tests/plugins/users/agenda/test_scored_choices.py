"""Options are chosen by what the app says of them, menus by scores, counts by who comes along."""

from types import SimpleNamespace
from typing import cast

import pytest
from tests.plugins.users.agenda.talks import next_act

from sparring.model.talk import Choice, Observation, Press, Say
from sparring_plugins.users.agenda.choosing.menu_ranking import best_entry
from sparring_plugins.users.agenda.choosing.option_wishes import option_in_part_of_day
from sparring_plugins.users.agenda.choosing.stated_answers import knows_whether
from sparring_plugins.users.agenda.profile.formats import put_as_asked
from sparring_plugins.users.agenda.profile.party import count_of_party
from sparring_plugins.users.agenda.replies.app_reply import read_app_reply
from sparring_plugins.users.agenda.replies.described_options import (
    described,
    described_option,
    usual_option,
)
from sparring_plugins.users.agenda.state.dialogue_state import DialogueState
from sparring_plugins.users.agenda.state.kinds_of_things import kind_named

HUTS = "Oak (sleeps 2, £80 a night) is tiny, Elm (sleeps 6, £130 a night) has a piano."


def asked(text: str) -> tuple[str, ...]:
    return read_app_reply(Observation(text=text)).questions[-1].options


def test_an_option_is_told_with_what_stands_beside_it() -> None:
    told = described(("Oak", "Elm"), HUTS)
    assert "tiny" in told[0]
    assert "piano" not in told[0]
    assert "piano" in told[1]


@pytest.mark.parametrize(
    ("wish", "place"),
    [("you want the smallest hut", 0), ("the cheapest one will do", 0), ("you play the piano", 1)],
)
def test_an_option_is_chosen_by_its_description(wish: str, place: int) -> None:
    assert described_option(("Oak", "Elm"), HUTS, ("rent a hut", wish)) == place


def test_nothing_that_is_wanted_chooses_nothing() -> None:
    assert described_option(("Oak", "Elm"), HUTS, ("rent a hut", "you are called Ida")) is None


def test_sizes_are_known_by_other_words() -> None:
    assert described_option(("regular", "family size"), "", ("order a large cake",)) == 1
    assert usual_option(("regular", "family size")) == 0
    assert usual_option(("red", "blue")) is None


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Free slots on that day:\n10:00\n14:00\nEnter a slot.", ("10:00", "14:00")),
        (f"{HUTS} Which one do you fancy?", ("Oak", "Elm")),
        ("Basic is £9 a month, Extra is £14. Which one sounds right?", ("Basic", "Extra")),
        ("And is Rex a dog, a cat or a rabbit?", ("dog", "cat", "rabbit")),
        ("Would 8 to 12 or 12 to 4 be better?", ("8 to 12", "12 to 4")),
        ("Any allergies or wishes for the kitchen?", ()),
    ],
)
def test_options_are_read_however_they_stand(text: str, options: tuple[str, ...]) -> None:
    assert asked(text) == options


ENTRIES = ("Book a class", "Change my address", "Report damage", "Opening times", "Quit")


@pytest.mark.parametrize(
    ("goal", "told", "asks", "place"),
    [
        ("tell them your new address", (), False, 1),
        ("complain about the vase", ("it arrived in pieces",), False, 2),
        ("find out until when they are open", (), True, 3),
        ("hear a joke", (), False, None),
    ],
)
def test_a_menu_is_entered_by_scores(
    goal: str, told: tuple[str, ...], asks: bool, place: int | None
) -> None:
    assert best_entry(ENTRIES, goal, told, asks=asks) == place


@pytest.mark.parametrize(
    ("question", "count"),
    [("How many adults?", 2), ("And how many kids?", 2), ("How many people are you?", 4)],
)
def test_who_comes_along_is_counted(question: str, count: int) -> None:
    texts = ("You are on holiday with your husband and your two children.",)
    assert count_of_party(question, texts, of_people="people" in question) == count


def test_a_party_is_counted_in_other_words() -> None:
    assert count_of_party("Wie viele Personen?", ("Sie kommen zu zweit",), of_people=True) == 2
    assert count_of_party("How many people?", ("you travel alone",), of_people=True) == 1
    assert count_of_party("How many people?", ("you like tea",), of_people=True) is None


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("you work in the mornings", 1),
        ("vous préférez l'après-midi", 1),
        ("Sie können erst nach 16 Uhr", None),
        ("you get up early, so a morning is fine", 0),
    ],
)
def test_the_hours_that_are_left_choose(text: str, place: int | None) -> None:
    assert option_in_part_of_day(("9:20", "14:45"), (text,)) == place


def test_the_kind_of_a_thing_is_a_word_of_the_profile() -> None:
    assert kind_named("What kind of animal is it?", ("have your cat vaccinated",)) == "cat"
    assert kind_named("What is your name?", ("have your cat vaccinated",)) is None


def test_a_proposal_is_taken_as_the_profile_says() -> None:
    asks = "When will you come?"
    closed = "We are closed on Sunday. Would Monday, 15 March work for you instead?"
    turns = (("Can I rent a hut?", Observation(text=asks)),)
    turns += (("Sunday 14 March 2027", Observation(text=closed)),)
    goal = "rent a hut on Sunday 14 March 2027"
    later = next_act(goal, ("if the day is not possible you come a day later",), *turns)
    assert isinstance(later, Say)
    assert later.text.startswith("Yes")
    earlier = next_act(goal, ("if the day is not possible you come a day earlier",), *turns)
    assert isinstance(earlier, Say)
    assert earlier.text.startswith("No")


def test_an_extra_at_a_price_is_declined_by_its_button() -> None:
    text = "For £6 more your seat can be changed. Do you want to add that?"
    choices = tuple(Choice(label=label, value=label) for label in ("Add it", "No thanks"))
    turns = (("I'd like a seat.", Observation(text="How many seats?")),)
    turns += (("1", Observation(text=text, choices=choices)),)
    act = next_act("book a seat on the bus", (), *turns)
    assert isinstance(act, Press)
    assert act.label == "No thanks"


def test_a_count_is_no_entry_of_a_numbered_menu() -> None:
    """After a menu "2" would order the second dish, and not two of what the user came for."""
    kinds = frozenset({"number"})
    assert put_as_asked("two", kinds, "How many are you? That was no number.", 1, "English") == "2"
    menu = "1 Soup £4 · 2 Bhaji £4 · 3 Pakora £5. What can I put in your basket?"
    assert put_as_asked("two", kinds, menu, 1, "English") == "two"


def test_a_thing_that_a_goal_wants_is_taken_by_who_owns_another_one() -> None:
    """Whoever owns a bike still wants the loan bike that it came for, while its own is repaired."""
    offer = "Would you like a loan bike in the meantime?"
    wants, wants_not = "get a loan bike for 3 days", "book a full service for your bike"
    assert knows_whether(told([wants_not, wants], ["you own an e-bike"]), offer) is True
    assert knows_whether(told([wants_not], ["you own an e-bike"]), offer) is False


def told(goals: list[str], context: list[str]) -> DialogueState:
    """Return the parts of a state that say what a user wants and is."""
    services = [SimpleNamespace(words=words, asks=False) for words in goals]
    task = SimpleNamespace(context=tuple(context), role="")
    return cast("DialogueState", SimpleNamespace(goals=services, task=task))

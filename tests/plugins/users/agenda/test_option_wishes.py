"""Options that wishes choose: by intent, something new, steps of one measure."""

import pytest

from sparring.model.talk import Choice, Observation, Press, Say
from sparring_plugins.users.agenda.choosing.option_wishes import (
    intents_of,
    is_for_another,
    measured_option,
    new_one,
)
from sparring_plugins.users.agenda.replies.app_reply import read_app_reply

from .talks import next_act


@pytest.mark.parametrize(
    ("text", "intents"),
    [
        ("Book a clean", {"begin"}),
        ("complain about the last clean", {"report"}),
        ("die Buchung verschieben", {"change"}),
        ("dar de baja el contrato", {"cancel"}),
        ("Opening hours", set()),
    ],
)
def test_verbs_and_nouns_tell_what_a_text_is_for(text: str, intents: set[str]) -> None:
    assert intents_of(text) == intents


def test_only_texts_that_both_are_for_something_are_for_another() -> None:
    assert is_for_another("Book a clean", "complain about the last clean")
    assert not is_for_another("Cleaning", "complain about the last clean")
    assert not is_for_another("Report a problem", "complain about the last clean")


def buttons(text: str, *labels: str) -> Observation:
    return Observation(text=text, choices=tuple(Choice(label=label) for label in labels))


def test_a_menu_is_chosen_by_what_it_is_for_and_not_by_its_noun() -> None:
    menu = buttons("What can I do for you?", "Book a lesson", "Report a problem")
    said = next_act("complain about the last lesson", (), ("", menu))
    assert said is not None
    assert getattr(said, "label", "Report a problem") == "Report a problem"


FORM = ("I want to enrol Mika in a course.", Observation(text="How old is Mika?"))
ENROL = "enrol Mika in a course"


def test_what_the_profile_rules_out_is_not_chosen() -> None:
    seen = buttons("Which one would you like?", "Tuesdays 16:00", "Saturdays 9:30")
    context = ("Saturdays are not possible for you", "Mika is 6 years old")
    assert next_act(ENROL, context, FORM, ("6", seen)) == Press(label="Tuesdays 16:00")


def test_what_is_told_though_a_button_says_there_is_nothing() -> None:
    seen = buttons("Is there anything we should know, such as allergies?", "Nothing")
    said = next_act(ENROL, ("your child has a nut allergy",), FORM, ("6", seen))
    assert said == Say(text="My child has a nut allergy")


def test_the_name_of_a_child_is_not_that_of_the_parent() -> None:
    context = ("your daughter Lina is 5", "your name is Samuel Ode")
    begun = ("I want to enrol my daughter.", Observation(text="In which course?"))
    asked = Observation(text="What is your child's first name?")
    assert next_act("enrol your daughter in a course", context, begun, ("any", asked)) == Say(
        text="Lina"
    )


@pytest.mark.parametrize(("thing", "number"), [("bedrooms", "2"), ("bathrooms", "1")])
def test_numbers_in_words_choose_by_what_they_count(thing: str, number: str) -> None:
    seen = buttons(f"How many {thing} do you have?", "1", "2", "3")
    context = ("your flat has two bedrooms and one bathroom",)
    begun = ("I want to book a clean.", Observation(text="Your postcode?"))
    assert next_act("book a clean", context, begun, ("AB1 2CD", seen)) == Press(label=number)


def test_keys_with_pictures_number_a_menu() -> None:
    text = "Anything else?\n1\ufe0f\u20e3 Book\n2\ufe0f\u20e3 Prices\nReply with the number."
    assert read_app_reply(Observation(text=text)).menu == ("Book", "Prices")


LIFTS = ("I have never lifted", "I can lift 20 kilos", "I can lift 50 kilos or more")


@pytest.mark.parametrize(
    ("options", "text", "index"),
    [
        (LIFTS, "you easily lift 60 kilos", 2),
        (LIFTS, "you lift 50 kilos", 2),
        (LIFTS, "you lift 30 kilos", 1),
        (LIFTS, "you lift 10 kilos", None),
        (LIFTS, "you run 60 kilometres", None),
        (LIFTS, "you lift 60 kilos and your brother 20 kilos", None),
        (("up to 5 km", "5 to 10 km", "10+ km"), "you walk 7 km a day", 1),
        (("up to 5 km", "5 to 10 km", "10+ km"), "you walk 12 km a day", 2),
        (("bis zu 3 Stunden", "4 bis 6 Stunden"), "du bleibst 5 Stunden", 1),
        (("2 nights", "3 nights"), "you stay 4 nights", None),
        (("Red", "Blue"), "you stay 4 nights", None),
    ],
)
def test_an_amount_chooses_the_step_that_covers_it(
    options: tuple[str, ...], text: str, index: int | None
) -> None:
    assert measured_option(options, (text,)) == index


@pytest.mark.parametrize(
    ("options", "words", "index"),
    [
        (("My visits", "New visit", "Prices"), "book a visit on Monday", 1),
        (("Meine Buchung", "Neue Buchung"), "eine Buchung für Montag", 1),
        (("Mi reserva", "Nueva reserva"), "reservar una mesa, una reserva para dos", 1),
        (("Existing order", "New order"), "I'd like to order a sofa", 1),
        (("My visits", "New visit"), "cancel my visit on Monday", None),
        (("My visits", "Visits"), "book a visit", None),
        (("New arrivals", "My visits"), "book a visit", None),
    ],
)
def test_new_one(options: tuple[str, ...], words: str, index: int | None) -> None:
    assert new_one(options, words) == index

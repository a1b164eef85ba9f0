"""How replies are read that offer something besides, propose, refuse or list data."""

import pytest

from sparring.model.talk import Choice, Observation
from sparring_plugins.users.agenda.profile.facts import facts_of
from sparring_plugins.users.agenda.profile.formats import put_as_asked
from sparring_plugins.users.agenda.profile.stances import stance
from sparring_plugins.users.agenda.replies.app_reply import read_app_reply


@pytest.mark.parametrize(
    ("question", "clause", "known"),
    [
        (
            "May we send you a text message the day before, as a reminder (It's optional!)?",
            "you do not want reminders by text message",
            False,
        ),
        (
            "May we send you a text message the day before, as a reminder (It's optional!)?",
            "a text message as a reminder is welcome",
            True,
        ),
        ("Would you like to keep your contract?", "end the contract", False),
    ],
)
def test_a_short_clause_decides_a_question_that_says_much_besides(
    question: str, clause: str, known: bool
) -> None:
    assert stance(question, (clause,), wished=True) is known


def test_buttons_with_numbers_stand_for_the_items_of_the_list() -> None:
    text = "Which day?\n1) Tuesday, 16 March\n2) Friday, 19 March"
    choices = tuple(Choice(label=mark, value=mark) for mark in "12")
    (question,) = read_app_reply(Observation(text=text, choices=choices)).questions
    assert question.options == ("Tuesday, 16 March", "Friday, 19 March")


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("*Fudge*, *lemon & poppy* and *plain* have no nuts. Which one would you like?", 3),
        ("Please enter your number (11 digits, starting with 07).", 0),
        ("Would you like candles (€ 4.50) or sparklers (€ 6.00) with it?", 2),
        ("I can look up an order (have the number ready, it looks like A-1). Which day?", 0),
    ],
)
def test_options_are_told_from_what_says_how_to_answer(text: str, options: int) -> None:
    assert len(read_app_reply(Observation(text=text)).questions[-1].options) == options


@pytest.mark.parametrize(
    "text",
    [
        "Our vets don't treat reptiles, so I can't book that for you.",
        "It is too early to order it. Nothing has been ordered.",
        "Dort dürfen wir nicht abholen. Eine Anmeldung wurde nicht angelegt.",
    ],
)
def test_an_app_that_says_what_it_does_not_do_turns_its_user_down(text: str) -> None:
    assert read_app_reply(Observation(text=text)).turns_down


@pytest.mark.parametrize(
    ("sentence", "value"),
    [
        ("surname Pritchard", "Pritchard"),
        ("your dog Otis is a labrador", "Otis"),
        ("customer PIN 1188", "1188"),
        ("du wohnst in 95511 Oberweiler, Dorfplatz 2", "95511"),
        ("you can be called at (555) 010-9931", "(555) 010-9931"),
    ],
)
def test_a_value_after_its_label_is_a_fact(sentence: str, value: str) -> None:
    assert value in [fact.text for fact in facts_of([sentence])]


def test_a_day_without_its_year_is_put_by_a_pattern_without_one() -> None:
    hint = "Please use the format DD.MM., for instance 20.03."
    assert put_as_asked("4 March", frozenset({"date"}), hint, 0, "English") == "04.03."

"""Codes of a profile, and imperatives that ask for a datum, in many wordings."""

import pytest

from .talks import replies_to

CODE = "ZX40071523"
PROFILES = (
    "parcel ZX40071523",
    "parcel ZX40071523, M14 6QT",
    "tracking ZX40071523",
    "your parcel is ZX40071523",
    "it is about ZX40071523",
    "ZX40071523 is the parcel",
    "the label says ZX40071523",
    "ZX40071523, M14 6QT",
    "shipment ZX40071523 to M14 6QT",
)
QUESTIONS = (
    "Please key the number of your parcel: ZX followed by eight digits.",
    "Tracking number?",
    "Your parcel number, please.",
    "What is the number on the label?",
    "Enter the code (ZX and eight digits).",
    "May I have the reference of the parcel?",
    "Please type the tracking number. It begins with ZX.",
)
MENU = "How can we help you today?\n1 Track a parcel\n2 Redirect a parcel\n4 Report a problem"


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("profile", PROFILES)
def test_the_code_of_a_profile_is_given(profile: str, question: str) -> None:
    talk = [MENU, question]
    context = [profile, "mobile 07700 900342"]
    assert replies_to(["report a damaged parcel"], context, talk)[-1] == CODE


@pytest.mark.parametrize("question", ["Postcode?", "Phone number?"])
def test_a_code_is_no_datum_of_another_kind(question: str) -> None:
    assert CODE not in replies_to(["report a damage"], ["parcel ZX40071523"], [MENU, question])[-1]


IMPERATIVES = (
    "Please key your {}.", "Key in your {}.", "Input your {}.", "Please supply your {}.",
    "Quote your {}, please.", "Submit your {}.", "Drop me your {}.", "Pop in your {}.",
    "Punch in your {}.", "Put in your {} now.", "Insert your {}.", "Leave me your {}.",
    "Let me have your {}.", "Let's have your {}.", "I'd need your {} for that.",
    "Mind giving me your {}?", "Hand me your {}.", "Fill in your {} below.",
)  # fmt: skip
DATA = {
    "e-mail address": "anna.k@example.org",
    "phone number": "0151 555 0142",
    "name": "Anna Keller",
    "tracking number": CODE,
}


@pytest.mark.parametrize("datum", DATA)
@pytest.mark.parametrize("imperative", IMPERATIVES)
def test_an_imperative_asks_for_its_datum(imperative: str, datum: str) -> None:
    context = ["your name is Anna Keller", "anna.k@example.org", "phone 0151 555 0142", CODE]
    talk = ["How can we help you today?", imperative.format(datum)]
    assert DATA[datum] in replies_to(["report a damaged parcel"], context, talk)[-1]


def test_what_the_user_said_itself_is_no_mistake_of_the_app() -> None:
    """ "three of eight glasses" has eight glasses in it besides the three of the profile."""
    talk = [
        "How can we help you today?",
        "Please describe what happened in one or two sentences.",
        "What is the value of the goods in pounds?",
        'Your claim: "Three of eight glasses were cracked although the parcel was dry", £38.20.\n'
        + "Is everything right?\n1 Confirm\n2 Start again\n3 Cancel",
    ]
    context = [
        "three of eight glasses were cracked although the parcel was dry",
        "they cost 38.20 pounds",
    ]
    answer = replies_to(["report a damage and ask for a refund"], context, talk)[-1]
    assert answer.lower().startswith(("1", "yes", "confirm", "that"))


def test_the_option_with_the_goals_root_is_taken_and_not_one_that_only_shares_the_thing() -> None:
    problem = (
        "What is the problem?\n1 The chair is damaged\n2 The chair has not come"
        "\n3 A part of the chair is missing\n0 Back to the main menu"
    )
    talk = ["How can we help you today?", "Tracking number?", (problem, "1", "2", "3", "0")]
    context = ["parcel ZX40071523", "three glasses were cracked although the parcel was dry"]
    assert replies_to(["report the damage and ask for a refund"], context, talk)[-1] == "1"

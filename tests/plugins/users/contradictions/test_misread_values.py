"""What the user gave and the app reads back as something else, and what only looks like it."""

import pytest

from sparring.model.talk import Choice, Observation, Say, Turn
from sparring_plugins.users.contradictions.find import contradictions
from sparring_plugins.users.contradictions.messages import ContradictionKind

HOURS = ("08:30", "10:15", "14:00", "16:45")


def talk(*turns: tuple[str, str] | tuple[str, str, tuple[str, ...]]) -> list[Turn]:
    """A conversation: what was said, the reply, and its buttons."""
    return [
        Turn(
            act=Say(text=said),
            observation=Observation(
                text=text,
                choices=tuple(
                    Choice(label=label, value=label) for label in (rest[0] if rest else ())
                ),
            ),
        )
        for said, text, *rest in turns
    ]


def kinds(*turns: tuple[str, str] | tuple[str, str, tuple[str, ...]]) -> set[ContradictionKind]:
    return {found.kind for found in contradictions(talk(*turns))}


OFFER = ("a massage", "What time suits you?", HOURS)
ASKED = ("a boat", "From which day? (DD/MM/YYYY)")
WEEKDAY = ("a lesson", "Which day of the week would suit you?")


@pytest.mark.parametrize(
    "turns",
    [
        (OFFER, ("14:00", "A massage at 16:45. Is that right?")),
        (OFFER, ("14:00", "Your name?"), ("Ada", "Ada Bell, 16:45. Is that right?")),
        (ASKED, ("05/04/2027", "From 4 May 2027. Is that right?")),
        (WEEKDAY, ("Thursday", "Tuesday, fine. And at what time?")),
    ],
)
def test_another_value_than_the_users_is_found(turns: tuple[tuple[str, str], ...]) -> None:
    assert kinds(*turns) == {"other_value"}


@pytest.mark.parametrize(
    "turns",
    [
        (OFFER, ("14:00", "A massage at 14:00. Is that right?")),
        # the user changed its mind
        (OFFER, ("14:00", "14:00. Right?"), ("No, 16:45", "A massage at 16:45. Is that right?")),
        # the app offers something else
        (OFFER, ("14:00", "Sorry, 14:00 has just been taken. Would 16:45 be right?")),
        (OFFER, ("14:00", "A massage at 14:00, come before 16:45. Is that right?")),
        # the options are the fields of the form, not values
        (
            ("a saw", "A saw with trailer on 9 May. Is that right?"),
            ("No", "What shall I change?", ("date", "days", "trailer")),
            ("date", "Which day?"),
            ("10 May", "A saw with trailer on 10 May. Is that right?"),
        ),
        (ASKED, ("05/04/2027", "From 5 April 2027. Is that right?")),
        (ASKED, ("05/04/2027", "From 2027-04-05. Is that right?")),
        (("a boat", "From which day?"), ("05/04/2027", "From 4 May 2027. Is that right?")),
        (ASKED, ("05/04/2027", "We are closed then. The next day is 6 April 2027. Is that right?")),
        (WEEKDAY, ("Thursday", "We are closed on Thursday. Tuesday would be free.")),
        (WEEKDAY, ("Thursday", "Not on Thursdays, only on Tuesday. Which day?")),
        (WEEKDAY, ("Thursday", "Please pay by Tuesday. And at what time?")),
    ],
)
def test_what_fits_or_was_changed_is_none(turns: tuple[tuple[str, str], ...]) -> None:
    assert "other_value" not in kinds(*turns)


def test_a_balance_that_changes_without_a_reason_is_found() -> None:
    turns = (
        ("my balance", "Hello Mr Roe, your balance is £132.75, due on Monday."),
        ("pay by card", "Your balance is £142.75. How much would you like to pay?"),
    )
    assert kinds(*turns) == {"price"}


def test_a_balance_after_a_payment_may_be_another() -> None:
    turns = (
        ("my balance", "Your balance is £132.75."),
        ("pay £60", "£60.00 has been paid. Anything else?"),
        ("my balance", "Your balance is £72.75."),
    )
    assert kinds(*turns) == set()


PRICE = ("how much is it?", "A cleaning costs $85.00.")


def test_a_summary_with_another_price_is_found() -> None:
    assert kinds(PRICE, ("book one", "Treatment: cleaning\nPrice: $95.00\nIs that right?")) == {
        "price"
    }


@pytest.mark.parametrize(
    "summary",
    [
        "Treatment: cleaning\nPrice: $85.00\nIs that right?",
        "Treatment: massage\nPrice: $95.00\nIs that right?",
        "Treatment: cleaning, with discount\nPrice: $75.00\nIs that right?",
    ],
)
def test_a_price_of_something_else_is_none(summary: str) -> None:
    assert kinds(PRICE, ("book it", summary)) == set()


def test_several_pieces_may_cost_more() -> None:
    several = (("2", "Treatment: cleaning\nPrice: $170.00\nIs that right?"),)
    assert kinds(PRICE, ("book", "How many of you are there?"), *several) == set()


def test_amounts_for_a_month_add_up_to_one_for_a_month() -> None:
    text = "Room: £45 a month\nInsurance: £6 a month\nTotal per month: £{}\nIs that right?"
    assert kinds(("a room", text.format(51))) == set()
    assert kinds(("a room", text.format(45))) == {"sum"}


def test_a_total_for_one_month_is_not_multiplied() -> None:
    turns = (
        ("a locker", "Locker, £16 a month, for 3 months. Total per month: £16. Right?"),
        ("yes", "Done."),
    )
    assert kinds(*turns) == set()


def test_one_answer_may_fit_two_questions() -> None:
    text = "The office is open from nine, its telephone is 555 0144."
    assert kinds(("when is the office open?", text), ("your telephone?", text)) == set()

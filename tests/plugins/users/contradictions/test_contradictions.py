"""Contradictions of an app within one conversation, and what only looks like one."""

import pytest

from sparring.model.talk import Choice, Observation, Say, Turn
from sparring_plugins.users.contradictions.find import contradictions


def talk(*pairs: tuple[str, str]) -> list[Turn]:
    """A conversation of what the user said and what the app answered."""
    return [Turn(act=Say(text=said), observation=Observation(text=text)) for said, text in pairs]


EXTRA = ("A kayak, please", "Kayak: $30.00 a day. Do you need a dry bag? It is $4.00.")
OFFER = ("A kayak", "Would you like a picnic?")

CONTRADICTIONS = [
    ("sum", [("a kayak", "- kayak: $30.00\n- dry bag: $4.00\nTotal: $30.00")]),
    (
        "sum",
        [
            ("prices?", "Kayak $30.00, canoe $42.00."),
            ("a kayak", "Do you need a dry bag? It is $4.00."),
            ("Yes", "One kayak with dry bag, total $30.00. Shall I book it?"),
            ("Yes", "Booked."),
        ],
    ),
    ("weekday", [("when?", "We meet on Friday, 1 June 2028.")]),
    ("agreed", [("kayak", "A kayak on 9 May. Is that right?"), ("yes", "See you on 10 May!")]),
    ("agreed", [("kayak", "Every Monday. Is that right?"), ("yes", "It starts next Tuesday.")]),
    (
        "agreed",
        [
            ("kayak", "9 May, 14:00. Right?\n1. Confirm\n2. Change it"),
            ("1", "Booked: 9 May, 16:00."),
        ],
    ),
    (
        "refused_extra",
        [
            OFFER,
            ("yes", "How long?"),
            ("2 hours", "2 hours, no picnic. Is that right?"),
            ("yes", "Ok!"),
        ],
    ),
    (
        "left_out",
        [
            ("a kayak", "Which extras? There are a vest, a bag and a map."),
            ("vest and map", "A kayak with vest. Is that right?"),
            ("yes", "Booked."),
        ],
    ),
    (
        "asked_again",
        [("kayak", "How many days (1 to 9)?")] + [("3", "How many days (1 to 9)?")] * 2,
    ),
    (
        "price",
        [
            ("prices?", "Kayak: $30.00 a day\nCanoe: $42.00 a day"),
            ("a kayak", "A kayak for $35.00 a day. Is that right?"),
            ("yes", "Booked."),
        ],
    ),
    (
        "product",
        [("kayak", "2 days at $30.00 a day. Total: $75.00. Right?"), ("yes", "Booked.")],
    ),
    (
        "quantity",
        [
            ("hi", "How many kayaks do you need?"),
            ("3", "2 kayaks. Is that right?"),
            ("yes", "Booked."),
        ],
    ),
    (
        "limit",
        [("kayak", "How many days (1 to 9)?"), ("12", "Your name?"), ("Ann", "12 days for Ann.")],
    ),
    (
        "change",
        [
            ("kayak", "Which colour do you want?"),
            ("green", "A green kayak. Is that right?"),
            ("No, change the colour", "Which colour do you want?"),
            ("yellow", "A green kayak. Is that right?"),
            ("yes", "Booked."),
        ],
    ),
    (
        "closed",
        [
            ("kayak?", "The kayaks are sold out on Friday."),
            ("a kayak", "A kayak on Friday, 4 June 2027. Is that right?"),
            ("yes", "Booked."),
        ],
    ),
    (
        "waiver",
        [
            ("prices?", "Kayak $60.00. Delivery is $5.00 and free from $50.00."),
            ("a kayak", "A kayak.\nTotal: $65.00. Is that right?"),
            ("yes", "Booked."),
        ],
    ),
    ("breakdown", [("kayak", "Sorry, an internal error occurred.")]),
    ("breakdown", [("kayak", "When I saved that, an internal error occurred.")]),
    ("breakdown", [("kayak", "Something went wrong, shall I try again?")]),
    ("breakdown", [("canoa", "No sistema ocorreu um erro interno.")]),
    (
        "stuck",
        [(said, "We are by the lake.") for said in ("kayak", "prices?", "lessons on Friday")],
    ),
    ("dead_end", [("hi", "What is it?\n1. Hire\n2. Lessons"), ("2", "Lessons are coming soon.")]),
]

CONSISTENT = [
    [("a kayak", "- kayak: $30.00\n- dry bag: $4.00\nTotal: $34.00")],
    # a tax is a part of the sum, a voucher takes off, a price per day is multiplied
    [("a kayak", "- kayak: $30.00\n- of which tax: $5.00\nTotal: $30.00")],
    [("a kayak", "- kayak: $30.00\n- bag: $4.00\n- voucher: $5.00\nTotal: $29.00")],
    [("a kayak", "- kayak: $30.00 a day\n- bag: $4.00\nTotal: $64.00")],
    [EXTRA, ("No", "One kayak, total $30.00. Shall I book it?"), ("Yes", "Booked.")],
    [("when?", "We meet on Thursday, 1 June 2028.")],
    # without a year nobody knows the weekday
    [("when?", "We meet on Friday, 1 June.")],
    [("kayak", "A kayak on 09/05/2028. Is that right?"), ("yes", "See you on 9 May!")],
    # another moment of the same thing: what must be paid until then, when the shop opens
    [("kayak", "A kayak on 9 May. Is that right?"), ("yes", "Booked. Please pay before 2 May.")],
    [("kayak", "9 May at 10:00. Is that right?"), ("yes", "Booked. We open at 9:00.")],
    # the user took it back, or the app did and said so
    [
        OFFER,
        ("yes", "How long?"),
        ("No picnic after all", "No picnic. Is that right?"),
        ("yes", "Ok!"),
    ],
    [
        OFFER,
        ("yes", "Sorry, the picnic is sold out. How long?"),
        ("2 hours", "2 hours, no picnic. Is that right?"),
        ("yes", "Ok!"),
    ],
    # an answer that the question does not allow may be asked for again
    [("kayak", "How many days (1 to 9)?")] + [("30", "How many days (1 to 9)?")] * 3,
    [("hi", "What is it?\n1. Hire\n2. Lessons"), ("2", "Lessons are sold out. Anything else?")],
    [
        ("prices?", "Kayak: $30.00 a day\nCanoe: $42.00 a day"),
        ("a canoe", "A canoe for 2 days at $42.00 a day. Total: $84.00. Right?"),
        ("yes", "Booked."),
    ],
    # the price of something else that was named may be in the total
    [
        ("prices?", "Kayak: $30.00 a day\nDry bag: $4.00"),
        ("both", "A kayak for 2 days at $30.00 a day, a dry bag. Total: $64.00. Right?"),
        ("yes", "Booked."),
    ],
    [("hi", "How many kayaks?"), ("3", "3 kayaks, 1 canoe. Right?"), ("yes", "Booked.")],
    [("kayak", "How many days (1 to 9)?"), ("12", "9 at most. How many days (1 to 9)?")],
    [("kayak?", "Sold out on Friday."), ("Sunday", "A kayak on Sunday. Right?"), ("yes", "Ok.")],
    [
        ("prices?", "Kayak $30.00. Delivery is $5.00 and free from $50.00."),
        ("a kayak", "A kayak.\nTotal: $35.00. Is that right?"),
        ("yes", "Booked."),
    ],
    # a breakdown that is only spoken of: an offer, a condition, a question, a denial, an echo
    [("help", "You can hire a kayak, or tell us that something went wrong.")],
    [("hilfe", "Wenn ein interner Fehler auftritt, rufen Sie bitte an.")],
    [("aide", "Une erreur est survenue lors de votre location ? Appelez-nous.")],
    [("status", "There was no internal error last night.")],
    [("My lamp says internal error", "I have noted: lamp says internal error. Which room?")],
    # the same wish in other words, a question and a menu may come again
    [("prices?", "A kayak is $30."), ("What are the prices?", "A kayak is $30.")],
    [("kayak", "What is your name?"), ("I will not say", "What is your name?")],
    [],
]


@pytest.mark.parametrize(("kind", "pairs"), CONTRADICTIONS)
def test_a_contradiction_is_found_with_two_quotations(
    kind: str, pairs: list[tuple[str, str]]
) -> None:
    (item,) = contradictions(talk(*pairs))
    assert item.kind == kind
    assert item.quotation
    assert item.earlier
    assert item.earlier_turn <= item.turn < len(pairs)


@pytest.mark.parametrize("pairs", CONSISTENT)
def test_what_only_looks_like_a_contradiction_is_none(pairs: list[tuple[str, str]]) -> None:
    assert contradictions(talk(*pairs)) == []


def test_a_button_that_is_not_there_is_a_dead_end() -> None:
    menu = Observation(text="Hello!", choices=(Choice(label="Lessons", value="Lessons"),))
    turns = [Turn(act=Say(text="hi"), observation=menu), *talk(("Lessons", "Unknown option"))]
    assert [item.kind for item in contradictions(turns)] == ["dead_end"]


def test_only_the_wanted_kinds_are_looked_for() -> None:
    turns = talk(("when?", "We meet on Friday, 1 June 2028."))
    assert contradictions(turns, kinds=["sum"]) == []
    assert len(contradictions(turns, kinds=["weekday"])) == 1

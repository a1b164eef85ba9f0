"""Bills, lists, confirmations and answers that are wrong, and what only looks like it."""

import pytest

from sparring.testing import trace_of
from sparring_plugins.users.contradictions.find import contradictions

BOATS = "Where to?\n1. Holm (£14.50)\n2. Skye (£18.00)\n3. Mull (£21.00)"
BAG = ("a kayak", "Do you want a dry bag?")
DAY = ("a boat", "On which day?")
YES = "Shall I book it?"
ENGLISH = [
    ("I would like to have a boat", "Of course. Which boat would you like to have?"),
    ("the one with a sail", "That is a good one for a day on the lake."),
    ("how much is it?", "It is nine pounds for a day, and you can have it from eight."),
]

WRONG = [
    ("product", [("a boat", "3 x £18.00 = £58.00")]),
    ("product", [("pies", "So that is 2 apple pies at $6.50 each, $15.00 together.")]),
    (
        "sum",
        [("pies", "2 pies at $6 each, $12 together, plus $3 for delivery. You pay $12 in all.")],
    ),
    ("sum", [("a boat", "Guests: 3 x £18.00 = £54.00\nCar: £32.00\nTotal: £54.00")]),
    ("price", [("a boat", BOATS), ("Skye", f"To Skye, 2 x £20.00 = £40.00. {YES}")]),
    (
        "currency",
        [("a boat", BOATS), ("Skye", f"To Skye.\nTicket: £18.00\nTotal: €18.00\n{YES}")],
    ),
    ("list", [("a boat", "Which?\n1. Kayak\n2. Canoe\n2. Raft\n3. Dinghy")]),
    ("list", [("when?", "Which?\n1. 10:00\n2. 11:00\n3. 11:00")]),
    ("list", [("when?", "These are the four boats on 3 May:\n- Kayak\n- Canoe\n- Raft")]),
    ("hours", [("When do you open?", "We open at 8:00."), ("So?", "We open at 9:00.")]),
    (
        "hours",
        [
            ("a boat", "Our office is open from 8:00 to 18:00."),
            ("Is the office open?", "The ticket office is open from 9:00 to 17:00."),
        ],
    ),
    ("subject", [("Is order B-12 ready?", "Order B-13 will be ready on Monday.")]),
    ("subject", [("What is a trip to Holm?", "Skye is £18.00 each."), ("a boat", BOATS)]),
    ("cancelled", [("a boat", f"To Holm. {YES}"), ("yes", "Your trip has been cancelled.")]),
    (
        "refused_extra",
        [BAG, ("yes", f"A kayak with dry bag. {YES}"), ("yes", "Booked: a kayak, no dry bag.")],
    ),
    ("other_value", [("a boat", BOATS), ("2", f"To Skye. {YES}"), ("yes", "Booked: to Mull.")]),
    ("other_value", [("a boat", "At what time?"), ("2:45 pm", f"At 02:45 am. {YES}")]),
    (
        "name",
        [("a boat", "What is your name?"), ("Ann Lee", "Thank you, Bob Ray. On which day?")],
    ),
    ("name", [("a boat", "What is your name?"), ("Ann Leeson", f"A boat for Ann Lees. {YES}")]),
    ("no_such_day", [DAY, ("31 April 2027", "On 31 April 2027. At what time?")]),
    ("no_such_day", [DAY, ("30/02/2027", "So that is 30/02/2027. At what time?")]),
    (
        "limit",
        [("a boat", "For how many guests (at most 6)?"), ("8", "Your name?"), ("Ann", "8 guests.")],
    ),
    (
        "closed",
        [
            ("a boat", "Which one?\n1. 10:00\n2. 11:15 (fully booked)"),
            ("2", f"The boat at 11:15. {YES}"),
            ("yes", "Booked."),
        ],
    ),
    ("dead_end", [("a boat", BOATS), ("2", "Sorry, we don't sail to Skye.")]),
    (
        "asked_again",
        [
            ("a boat", "How many guests?"),
            ("3", "Which colour?"),
            ("red", "Which size?"),
            ("small", "How many guests?"),
        ],
    ),
    (
        "language",
        [*ENGLISH, ("to the lake", "¿A qué hora quiere que le llevemos y con cuántos?")],
    ),
]


@pytest.mark.parametrize(("kind", "said"), WRONG)
def test_what_is_wrong_is_found_with_a_quotation(kind: str, said: list[tuple[str, str]]) -> None:
    found = contradictions(trace_of(said).turns)
    assert kind in {item.kind for item in found}
    texts = " ".join(text for exchange in said for text in exchange).split()
    item = next(item for item in found if item.kind == kind)
    assert item.quotation.split()[0] in texts


FINE = [
    [("a boat", "3 x £18.00 = £54.00")],
    [("a boat", "3 x £18.00 = £50.00 with our discount")],
    [("pies", "2 pies at $6 each, $12 together, plus $3 for delivery. You pay $15 in all.")],
    # a deposit is paid back: nobody knows what else the total has in it
    [("pies", "2 pies at $6 each, $12 together, and $5 deposit. You pay $17 in all.")],
    [("a boat", "Guests: 3 x £18.00 = £54.00\nCar: £32.00\nTotal: £86.00")],
    [("a boat", BOATS), ("Skye", f"To Skye, 2 x £18.00 = £36.00. {YES}")],
    # two prices for one thing: sizes or seasons
    [("a boat", f"{BOATS}\n4. Skye (£25.00)"), ("Skye", f"To Skye, 2 x £20.00. {YES}")],
    [("in euros?", "£18.00 is about €21.00."), ("ok", f"Ticket: £18.00\nTotal: €21.00\n{YES}")],
    [("menu", "1. Hire\n2. Lessons\n3. Prices\n9. Exit")],
    [("menu", "0. Back\n1. Hire\n2. Lessons")],
    # dates are no numbers of a list, and two books may have one title
    [("when?", "1. März 2027\n3. März 2027\n8. März 2027")],
    [("books?", "1. Emma\n2. Emma\n3. Dune")],
    [("when?", "These are the next 3 days:\n- 10:00\n- 11:00")],
    [("Is the museum open?", "It is open from 9:00."), ("And the shop?", "It is open from 10:00.")],
    [
        ("Is the museum open?", "The museum is open from 9:00."),
        ("And the shop?", "The museum shop is open from 10:00."),
    ],
    [("Is order B-12 ready?", "Order B-12 will be ready on Monday.")],
    [("Is order B-12 ready?", "I do not know it. A code looks like B-13.")],
    [("What is a trip to Holm?", "Holm is full, but Skye is free."), ("a boat", BOATS)],
    [("cancel B-12", "Cancel B-12. Is that right?"), ("yes", "B-12 has been cancelled.")],
    [("a boat", f"To Holm. {YES}"), ("yes", "Booked. It can be cancelled until Friday.")],
    [BAG, ("yes", f"A kayak with dry bag. {YES}"), ("yes", "Booked: a kayak with dry bag.")],
    [("a boat", BOATS), ("2", f"To Skye. {YES}"), ("yes", "Booked: to Skye.")],
    # half past seven may be one in the evening
    [("a boat", "At what time?"), ("7:30", f"At 19:30. {YES}")],
    [("a boat", "At what time?"), ("12:15", "I was unable to book that. At 12:00, right?")],
    [("a boat", "What is your name?"), ("Ann Lee", "Thank you, Ann. On which day?")],
    [("a boat", "What is your name?"), ("Ann Lee", "Thank you, Ann Lee. On which day?")],
    [DAY, ("31 April 2027", "31 April 2027 does not exist. On which day?")],
    [DAY, ("30 April 2027", "On 30 April 2027. At what time?")],
    [("a boat", "For how many guests (at most 6)?"), ("4", "Your name?"), ("Ann", "4 guests.")],
    [
        ("a boat", "Which one?\n1. 10:00\n2. 11:15 (fully booked)"),
        ("2", "11:15 is fully booked. Which one?"),
    ],
    [("a boat", BOATS), ("2", "Sorry, we don't sail to Skye on Monday.")],
    # a summary repeats the user's own words
    [
        ("It does not start", "How bad is it?\n1. low\n2. high"),
        ("2", f"Does not start, high. {YES}"),
    ],
    # a change is a reason to ask again, and so is a no to the summary
    [
        ("a boat", "How many guests?"),
        ("3", "Which colour?"),
        ("red", f"3 guests, red. {YES}"),
        ("no", "How many guests?"),
    ],
    [*ENGLISH, ("to the lake", "At what time would you like us to take you there?")],
    [*ENGLISH, ("to the lake", "Bienvenido! At what time would you like to go there?")],
]


@pytest.mark.parametrize("said", FINE)
def test_what_only_looks_wrong_is_none(said: list[tuple[str, str]]) -> None:
    assert not contradictions(trace_of(said).turns)

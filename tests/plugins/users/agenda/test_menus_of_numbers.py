"""Menus of numbers whose buttons bear only the numbers: nothing is typed, an entry is chosen."""

from collections.abc import Sequence

import pytest

from .talks import replies_to

LIBRARY = ("Look up a loan", "Renew a loan", "Reserve a book", "Report a lost card", "Questions")
GYM = ("See my classes", "Book a class", "Move a class", "Cancel a class", "Help and information")
GARAGE = ("Check the status of a repair", "Order a repair", "Complain", "FAQ")
PARKING = (
    "View my permits",
    "Apply for a permit",
    "Change my plate",
    "Appeal a fine",
    "Information",
)
POST = (
    "Trace a letter",
    "Divert a letter",
    "Choose another day",
    "Report damage",
    "Common questions",
)

MAIN = (
    (LIBRARY, "find out when your loan LN4471 is due back", 1),
    (LIBRARY, "keep the atlas for two more weeks", 2),
    (LIBRARY, "get 'Dune' put aside for you", 3),
    (LIBRARY, "say that your library card is gone", 4),
    (LIBRARY, "ask how late the reading room is open", 5),
    (LIBRARY, "what does a lost card cost?", 5),
    (GYM, "join the yoga class on Monday", 2),
    (GYM, "put your spinning class off until Friday", 3),
    (GYM, "find out whether you may bring a friend", 5),
    (GYM, "drop out of the boxing class", 4),
    (GARAGE, "find out how far the repair of your car is", 1),
    (GARAGE, "have your brakes repaired", 2),
    (GARAGE, "how long is the guarantee?", 4),
    (GARAGE, "complain about an oil stain", 3),
    (PARKING, "get a permit for your new car", 2),
    (PARKING, "find out who mends a broken machine", 5),
    (PARKING, "object to the fine of 4 May", 4),
    (POST, "have the letter sent to your office instead", 2),
    (POST, "have the letter left with your neighbour", 2),
    (POST, "get the letter on Saturday", 3),
    (POST, "report that the letter came torn", 4),
    (POST, "where is the letter RR12345678?", 1),
    (POST, "ask what a stamp costs", 5),
)  # fmt: skip


def shown(head: str, entries: Sequence[str], zero: str) -> tuple[str, ...]:
    lines = "\n".join(f"{at} {entry}" for at, entry in enumerate(entries, 1))
    marks = [str(at) for at in range(1, len(entries) + 1)]
    return (f"{head}\n{lines}\n0 {zero}", *marks, "0")


@pytest.mark.parametrize(("menu", "goal", "want"), MAIN)
def test_an_entry_of_the_main_menu_is_chosen_at_once(
    menu: Sequence[str], goal: str, want: int
) -> None:
    assert replies_to([goal], [], [shown("How can we help?", menu, "Leave")]) == [str(want)]


TOPICS = (
    "Opening hours", "What to bring", "How long we keep things", "What a copy costs", "More topics",
)  # fmt: skip
SECOND = ("Lost property", "Insurance", "Parking", "Dogs", "Speak to somebody", "Previous topics")
ASKED = (
    ("ask when you open on Sundays", ("5", "1")),
    ("find out what to bring along", ("5", "2")),
    ("what does a copy cost?", ("5", "4")),
    ("find out where you can park", ("5", "5", "3")),
    ("are dogs allowed?", ("5", "5", "4")),
    ("find out whether your things are insured", ("5", "5", "2")),
    ("ask how long you keep things", ("5", "3")),
    ("find out whom you can speak to", ("5", "5", "5")),
)


@pytest.mark.parametrize(("goal", "keys"), ASKED)
def test_a_topic_is_looked_for_on_all_pages(goal: str, keys: tuple[str, ...]) -> None:
    screens = [shown("How can we help?", LIBRARY, "Leave")]
    screens.append(shown("Questions, page 1 of 2. Which topic?", TOPICS, "Main menu"))
    screens.append(shown("Questions, page 2 of 2. Which topic?", SECOND, "Main menu"))
    assert tuple(replies_to([goal], [], screens[: len(keys)])) == keys


def test_the_way_from_an_answer_leads_to_the_next_goal_or_to_the_end() -> None:
    after = ("Another question", "Start page", "Finish")
    talk = [
        shown("How can we help?", LIBRARY, "Leave"),
        shown("Which topic?", TOPICS, "Main menu"),
        shown("A copy costs 10 pence.\nWhat next?", after, "Main menu"),
    ]
    assert replies_to(["what does a copy cost?"], [], talk) == ["5", "4", "3"]
    more = replies_to(["what does a copy cost?", "renew your loan LN4471"], [], talk)
    assert more[0] == "2"


def test_words_of_a_menu_are_pressed_as_before() -> None:
    assert replies_to(["renew your loan LN4471"], [], [("Hello", *LIBRARY)]) == ["Renew a loan"]

"""Cards with several numbers and states, rows of somebody, dates, and who has which role."""

import pytest
from tests.plugins.web.pages.weak.test_tables_and_amounts import table
from tests.plugins.web.runner.pages import element, page, text

from sparring.model.page import Element, PageView
from sparring_plugins.web.grammar.free.number_phrases import read_number
from sparring_plugins.web.pages.weak.checks.judging import judge_freely


def card(number: int, *lines: str, button: str = "") -> list[Element]:
    """A list item with a line of text for each part, and perhaps a button."""
    whole = "\n".join((*lines, button) if button else lines)
    parts = [text(line, parent=f"c{number}", row=whole) for line in lines]
    buttons = [element("button", button, id=f"b{number}", parent=f"c{number}", row=whole)]
    return [
        element("listitem", id=f"c{number}", parent="cards", text=whole, row=whole), *parts,
        *(buttons if button else []),
    ]  # fmt: skip


def boats() -> PageView:
    """Boats as cards, and a table of their trips."""
    trips = table(
        [("Lighthouse loop", "Heron", "Sat 9:00", "12 km", "2031-05-03"),
         ("Island picnic", "Otter", "Sun 10:30", "21.5 km", "2031-05-11"),
         ("Evening drift", "Heron", "Fri 18:45", "6 km", "2031-06-01")],
        ("Trip", "Boat", "Departs", "Distance", "Booked"),
    )  # fmt: skip
    return page(
        element("heading", "Boats"),
        element("list", "Boats", id="cards"),
        *card(1, "Heron", "4 seats, built 1998", "Skipper: Ada Lund", "On the water"),
        *card(2, "Otter", "8 seats, built 2004", "Skipper: nobody", "In the shed",
              button="Take out"),
        *card(3, "Wren", "2 seats, built 1987", "Skipper: nobody", "In the shed",
              button="Take out"),
        element("heading", "Trips"), *trips,
        text("Signed in as lea"), element("button", "Sign out"), text("Ida wrote this"),
        text("Open daily · Next meeting: 12 June"),
        title="Boat club",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("The Otter has 8 seats", True),
        ("The Otter has 6 seats", False),
        ("Wren was built in 1987", True),
        ("Wren was built in 1990", False),
        ("The oldest boat is the Wren", True),
        ("The newest boat is the Otter", True),
        ("The biggest boat is the Otter", True),
        ("The Otter has no skipper", True),
        ("The Heron has no skipper", False),
        ("Ada Lund is the skipper of the Heron", True),
        ("Ben Moss is the skipper of the Heron", False),
        ("The Otter can be taken out", True),
        ("The Heron can be taken out", False),
        ("two boats are in the shed", True),
        ("three boats are in the shed", False),
        ("The island picnic departs on Sunday at 10:30", True),
        ("The island picnic departs on Saturday at 10:30", False),
        ("The island picnic departs at 11:00", False),
        ("The island picnic is the longest trip", True),
        ("The island picnic was booked on 11 May 2031", True),
        ("The island picnic was booked on 12 May 2031", False),
        ("The next meeting is on 12 June", True),
        ("Heron has two trips", True),
        ("Otter has two trips", None),
        ("You are signed in as lea", True),
        ("You are signed in as ida", False),
        # said of the list of boats, and not of the column 'Boat'
        ("The boats are listed in alphabetical order", None),
        # the first row is not the newest one
        ("The newest trip is the Lighthouse loop", None),
    ],
)
def test_what_is_said_of_cards_and_rows(sentence: str, truth: bool | None) -> None:
    judged = judge_freely(sentence, boats())
    assert judged.truth is truth, judged.reason


def stock() -> PageView:
    """Cards of a shop with how many there are."""
    return page(
        element("heading", "Stock"),
        element("list", id="cards"),
        *card(1, "Oak crate", "Large · wood", "14 in stock", "£12.50", button="Add to order"),
        *card(2, "Pine crate", "Small · wood", "Out of stock", "£7.00"),
        *card(3, "Plastic tub", "Large · plastic", "3 in stock", "£5.20", button="Add to order"),
        element("link", "Customers (5)"),
        *table([("1", "Ida", "5"), ("2", "Jo", "6")], ("No.", "Customer", "Items")),
    )


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("14 oak crates are in stock", True),
        ("there are 12 oak crates in stock", False),
        ("three plastic tubs are left", True),
        ("The pine crate is out of stock", True),
        ("The oak crate is out of stock", False),
        ("The pine crate is small", True),
        ("The oak crate is small", False),
        ("The oak crate is made of wood", True),
        ("The plastic tub is made of wood", False),
        ("The oak crate can be added to the order", True),
        ("The pine crate cannot be added to the order", True),
        ("There are five customers", True),
        ("There are two customers", False),
    ],
)
def test_what_is_said_of_stock(sentence: str, truth: bool | None) -> None:
    judged = judge_freely(sentence, stock())
    assert judged.truth is truth, judged.reason


def lines_with_states() -> PageView:
    """Cards whose last line has an amount and a state in one text."""
    return page(
        element("heading", "Tools"), element("list", "Tools", id="cards"),
        *card(1, "Trimmer", "Garden", "deposit £20 Available"),
        *card(2, "Router", "Wood", "deposit £40 In repair"),
        *card(3, "Spade", "Garden", "deposit £5 Available"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("The spade is available as well", True),
        ("The router is available", False),
        ("four tools are listed", False),
        ("three tools are listed", True),
    ],
)
def test_a_state_may_stand_behind_an_amount(sentence: str, truth: bool | None) -> None:
    judged = judge_freely(sentence, lines_with_states())
    assert judged.truth is truth, judged.reason


@pytest.mark.parametrize(
    ("word", "number"),
    [("due", None), ("once", None), ("otto", None), ("twenty-three", 23.0), ("three", 3.0)],
)
def test_words_that_are_numbers_in_other_languages_count_nothing(
    word: str, number: float | None
) -> None:
    assert read_number(word) == number


def test_what_has_nothing_of_a_kind_may_be_there_itself() -> None:
    view = page(element("article", text="Ida\nOak grows slowly.\n0"), text("Ida"))
    assert judge_freely("Ida's comment has no likes", view).truth is None


def test_how_many_of_a_kind_there_are_is_no_value_of_a_field() -> None:
    view = page(element("textbox", "Comment", value=""), text("likes"))
    assert judge_freely("the comment has 4 likes", view).truth is None

"""Checks of one record by all of its words, of how many are in a state, and of the page as a place."""

import pytest
from tests.plugins.web.pages.weak.test_tables_and_amounts import table
from tests.plugins.web.runner.pages import element, page, text

from sparring.model.page import PageView
from sparring_plugins.web.pages.weak.checks.judging import judge_freely


def berths() -> PageView:
    return page(
        element("heading", "Berths", level=1),
        *table(
            [
                ("4407", "Ida Lund", "16", "12.50", "rented"),
                ("4408", "Jo Hill", "9", "8.00", "vacant"),
                ("4411", "Lea Ott", "12", "9.75", "rented"),
            ],
            ("Berth", "Skipper", "Pier", "Toll", "State"),
        ),
    )


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("Berth 4407 was rented by Ida Lund and costs 12.50", True),
        ("Berth 4407 was rented by Jo Hill and costs 12.50", False),
        ("Berth 4407 lies at pier 16", True),
        ("Berth 4407 lies at pier 9", False),
        ("Two of the three berths are rented", True),
        ("All three berths are rented", False),
        ("Three berths are listed, all vacant", False),
        # a name, or a deed, that no row has
        ("Berth 4407 was rented by Mia Berg", None),
        ("Berth 4408 has been repainted at pier 9 twice", None),
        ("Two windows are rented", None),
    ],
)
def test_a_row_accounts_for_all_words(sentence: str, truth: bool | None) -> None:
    judged = judge_freely(sentence, berths())
    assert judged.truth is truth, judged.reason


def one_berth() -> PageView:
    return page(
        element("heading", "Berth 4407", level=1),
        element("term", "", id="t1", text="State"),
        element("definition", "", id="d1", text="Closed"),
    )


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [("4407 is closed", True), ("4407 is open again", False), ("4408 is closed", None)],
)
def test_the_page_of_a_thing_says_how_it_is(sentence: str, truth: bool | None) -> None:
    assert judge_freely(sentence, one_berth()).truth is truth


def files(heading: str) -> PageView:
    return page(
        element("heading", heading, level=1),
        *table([("map.png", "3 MB"), ("log.txt", "1 MB")], ("Name", "Size")),
    )


def test_a_thing_that_is_listed_is_not_gone() -> None:
    assert judge_freely("map.png doesn't exist any more", files("Charts")).truth is False
    assert judge_freely("old.png doesn't exist any more", files("Charts")).truth is True


def test_what_the_page_is_called_is_where_its_things_are() -> None:
    assert judge_freely("log.txt can be found in the archive", files("Archive")).truth is True
    assert judge_freely("log.txt can be found in the archive", files("Charts")).truth is None


def lamps() -> PageView:
    return page(
        element("switch", "Deck lamp", id="deck", checked=True, interactive=True),
        element("switch", "Cabin lamp", id="cabin", checked=False, interactive=True),
        element("button", "Enable two-way radio", id="radio"),
        element("group", "Horn", id="horn"),
        element("radio", "Short", id="short", parent="horn", checked=True),
        element("radio", "Long", id="long", parent="horn", checked=False),
    )


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("Deck lamp is on, cabin lamp is off", True),
        ("Deck lamp is off, cabin lamp is on", False),
        ("The horn is Short", True),
        ("The horn is Long", None),
        # the button that would enable it can be pressed
        ("The two-way radio is enabled", None),
    ],
)
def test_two_states_are_two_statements(sentence: str, truth: bool | None) -> None:
    assert judge_freely(sentence, lamps()).truth is truth


def test_a_number_that_nothing_shows_leaves_the_first_open() -> None:
    listed = page(text("2 hits"), *table([("Heron", "12"), ("Stork", "9")], ("Boat", "Length")))
    assert judge_freely("2 hits, the first being Heron", listed).truth is True
    assert judge_freely("5 hits, the first being Heron", listed).truth is not True


def test_a_no_that_a_row_says_excuses_no_other_one() -> None:
    """'No lamps at night' is a text of the row; what the sentence denies is something else."""
    rows = [("North pier", "No lamps at night", "open"), ("South pier", "Lamps", "closed")]
    view = page(*table(rows, ("Pier", "Light", "State")))
    assert judge_freely("North pier offers no closed berths", view).truth is None
    assert judge_freely("North pier has lamps", view).truth is not True
    assert judge_freely("South pier opened in spring", view).truth is None

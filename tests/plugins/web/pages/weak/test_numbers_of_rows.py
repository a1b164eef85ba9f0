"""Readings of the numbers in a row, and of a list with a single entry."""

import pytest
from tests.plugins.web.pages.weak.test_tables_and_amounts import table
from tests.plugins.web.runner.pages import element, page, text

from sparring.model.page import PageView
from sparring_plugins.web.pages.weak.checks.judging import judge_freely

COLUMNS = ("Boat", "Flag", "Oar count", "Sails", "Berth")
HERON = ("Heron", "Dutch", "4", "2", "17")
WREN = ("Wren", "Danish", "12", "4", "18")


def harbour(*rows: tuple[str, ...]) -> PageView:
    rows = rows or (HERON, WREN, ("Old Wren", "Danish", "1,200", "", "19"))
    return page(element("table", "", id="t", text=""), *table(rows, COLUMNS))


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("Heron has 4 oars", True),
        ("Heron has four oars and two sails", True),
        ("The boat 'Heron' has 4 oars", True),
        ("Old Wren has 1200 oars", True),
        ("Heron has 12 oars", False),
        ("Heron has 4 oars and 3 sails", False),
        # the row has a 2, but below another heading
        ("Heron has 2 oars", False),
        # no number is written there, no column counts that, or it may be the number of a berth
        ("Heron has 3 berths", None),
        ("Old Wren has 3 sails", None),
        ("Heron has 4 masts", None),
        ("Heron is a Dutch boat with 4 oars", True),
        ("Heron is a Danish boat with 4 oars", False),
        ("Heron is a Dutch boat with 12 oars", False),
        ("Heron is a swift boat with 4 oars", None),
        ("Heron is a Dutch plane with 4 oars", None),
        # the number stands in the row, but counts something else
        ("Heron has 2 berths", None),
        ("Heron has 4 berths", None),
    ],
)
def test_numbers_are_those_in_the_row_of_the_thing(sentence: str, truth: bool | None) -> None:
    judged = judge_freely(sentence, harbour())
    assert judged.truth is truth, judged.reason


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("Heron does not have 4 oars", False),
        ("Heron does not have 2 oars", None),
        ("Wren does not have 4 oars", None),
        ("Heron does not have 2 berths", None),
        ("Heron does not have 2 oars and 4 sails", None),
        ("Heron is not a Dutch boat with 2 oars", None),
        ("Heron does not have the berth 17", False),
    ],
)
def test_a_number_is_not_denied_by_that_of_something_else(
    sentence: str, truth: bool | None
) -> None:
    judged = judge_freely(sentence, harbour())
    assert judged.truth is truth, judged.reason


SINGLE = "A single boat in the list, 'Heron'"


@pytest.mark.parametrize(
    ("view", "sentence", "truth"),
    [
        (harbour(HERON), SINGLE, True),
        (harbour(HERON), "Only one boat is listed: 'Heron'", True),
        (harbour(HERON), "There is exactly one boat in the table, 'Wren'", False),
        (harbour(HERON, WREN), SINGLE, False),
        (harbour(WREN), SINGLE, False),
        (harbour(("Heron II", "Dutch", "4", "2", "20")), SINGLE, None),
        (page(text("Heron"), text("Wren")), SINGLE, None),
        (harbour(HERON), "A single plane in the list, 'Heron'", None),
        (harbour(), "Heron does not have 12 oars", True),
    ],
    ids=["one row", "another order", "another row", "two rows", "a row without it",
         "a part of a name", "no table", "another kind of thing", "a number denied"],
)  # fmt: skip
def test_a_list_with_a_single_entry_has_that_row_alone(
    view: PageView, sentence: str, truth: bool | None
) -> None:
    judged = judge_freely(sentence, view)
    assert judged.truth is truth, judged.reason


def test_a_table_with_further_pages_shows_no_single_entry() -> None:
    first = harbour(HERON)
    following = element("button", "Next", id="next", text="Next")
    view = page(*first.snapshot.elements, following)
    assert judge_freely(SINGLE, view).truth is None

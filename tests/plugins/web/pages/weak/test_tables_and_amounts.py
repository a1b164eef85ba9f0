"""Weak readings of rows, columns, orders and amounts, found by the page's own texts."""

from collections.abc import Sequence

import pytest
from tests.plugins.web.pages.weak.test_judging import row
from tests.plugins.web.runner.pages import element, page, text

from sparring.model.page import Element, PageView
from sparring_plugins.web.pages.weak.checks.judging import judge_freely

_RINGS = [
    ("Wren", "Jo Hill", "Reed bed", "4"),
    ("Robin", "Ida Moss", "Orchard", "5"),
    ("Swift", "Jo Hill", "Church tower", "9"),
]
_COLUMNS = ("Bird", "Ringer", "Station", "Eggs")


def table(rows: Sequence[tuple[str, ...]], columns: tuple[str, ...]) -> list[Element]:
    return [
        part
        for number, cells in enumerate(rows)
        for part in row(number, *zip(columns, cells, strict=True))
    ]


def rings() -> PageView:
    return page(
        element("heading", "Rings", text="Rings"),
        element("link", "List (11)", text="List (11)"),
        text("1-3 of 11"),
        element("table", "", id="t", text=""),
        *table(_RINGS, _COLUMNS),
    )


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("Check that the Wren was ringed by Jo Hill", True),
        ("Check that the Wren was ringed by Ida Moss", False),
        ("The Robin should be stationed at the Orchard", True),
        ("The Robin should be stationed at the Reed bed", False),
        ("The Robin is not stationed at the Reed bed", True),
        # a name that no row has is no value of this column
        ("Check that the Wren was ringed by Tom Ash", None),
        # what is said is more than who and where
        ("The Wren was ringed before Ida Moss", None),
        ("Check that every row has Jo Hill as its ringer", False),
        ("Check that the rows are sorted by eggs in ascending order", True),
        ("Check that the rows are sorted by eggs descending", False),
        ("The list is sorted by bird", False),
        ("Check that the Swift has the most eggs", True),
        ("Check that the Robin has the fewest eggs", False),
        ("Check that the Wren comes before the Swift", True),
        ("Check that Robin is listed above Wren", False),
        ("The Robin should be listed between the Wren and the Swift", True),
        ("The Swift should be listed between the Wren and the Robin", False),
        ("Check that the Robin comes directly after the Wren", True),
        ("Check that the Swift comes directly after the Wren", False),
        ("Check that the list has 11 rings in all", True),
        ("The pager should say 1-3 of 11", True),
        ("The pager should say 4-6 of 11", False),
        ("There is no column called Weight", True),
        ("There is no column called Eggs", False),
    ],
)
def test_rows_columns_and_orders(sentence: str, truth: bool | None) -> None:
    judged = judge_freely(sentence, rings())
    assert judged.truth is truth, judged.reason


def account() -> PageView:
    rows = [("Rent", "240.00"), ("Seeds", "42.50"), ("Net result", "−235.25")]
    return page(
        element("table", "", id="t", text=""),
        *table(rows, ("Post", "EUR")),
        element("textbox", "Budget", id="b", label="Budget", value="500", editable=True),
    )


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("Check that the rent adds up to 240.00", True),
        ("Check that the rent is 240", True),
        ("The rent should be less than 100", False),
        ("Check that the seeds cost more than 40", True),
        ("Check that the net result is -235.25", True),
        # whether income is counted negative is the app's custom
        ("Check that the net result is 235.25", None),
        ("Check that the rent of the shed is 240", None),
    ],
)
def test_the_number_beside_a_label(sentence: str, truth: bool | None) -> None:
    judged = judge_freely(sentence, account())
    assert judged.truth is truth, judged.reason


def shelves() -> PageView:
    cards = [("Oil lamp", "In stock"), ("Tin kettle", "Sold out"), ("Jug", "In stock")]
    items = [
        element("listitem", "", id=f"i{number}", parent="l", text=words)
        for number, words in enumerate(map("\n".join, cards))
    ]
    return page(element("list", "", id="l", text=""), *items)


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("Check that the Oil lamp is in stock", True),
        ("Check that the Tin kettle is in stock", False),
        ("Check that the Tin kettle is not in stock", True),
        ("Check that the Tin kettle is on loan", None),
    ],
)
def test_a_line_that_other_cards_have(sentence: str, truth: bool | None) -> None:
    judged = judge_freely(sentence, shelves())
    assert judged.truth is truth, judged.reason


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("Check that the shop thanks for the order", True),
        ("The form complains that the two dates do not match", True),
        ("The form complains that the two dates match", None),
        ("The message says that the order was cancelled", None),
    ],
)
def test_who_speaks_has_no_name_in_the_message(sentence: str, truth: bool | None) -> None:
    view = page(
        element("alert", "", id="a", text="Thanks for your order!"),
        element("alert", "", id="b", text="The two dates didn't match."),
    )
    judged = judge_freely(sentence, view)
    assert judged.truth is truth, judged.reason


def diary() -> PageView:
    rows = [("Wren", "2026-08-15"), ("Robin", "2025-07-02"), ("Swift", "2024-05-30")]
    return page(
        element("heading", "Diary", text="Diary"),
        text("Ring number is required"),
        text("The reed bed is mown every six weeks."),
        element("table", "", id="t", text=""),
        *table(rows, ("Bird", "Ringed")),
        element("textbox", "Keeper", id="k", label="Keeper", value="Ida Moss", editable=True),
        element("textbox", "Arrival", id="d", label="Arrival", value="2025-03-01", editable=True),
        title="Bird diary",
    )


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        # 2026 is a part of a date, and no number of the row
        ('"Wren" from 15 is the first row', False),
        # what follows is looked up, too
        ('"Wren" is on top, followed by "Robin"', True),
        ('"Wren" is on top, followed by "Swift"', False),
        # dates compare as a whole, not by their last number
        ("Check that the arrival is 2025-03-01", True),
        ("Check that the arrival is 2026-03-01", False),
        # what a message says is meant to the letter
        ('It says "Ring number is required" above the table', True),
        ('It says "Ring number is not required" above the table', False),
        # that something is not so is not that it is not there
        ("Check that the keeper is not Ida Moss", False),
        ('"Owl" is disabled as long as nothing is chosen', None),
        ("Check that the shop is closed on Fridays", None),
        ('"Owl" is gone', True),
        ("The rows are not sorted by ringed descending", False),
        # a sentence of the page
        ("Check that the reed bed is mown every six weeks", True),
        ("Check that the reed bed is mown every five weeks", None),
        # a name with a capital is meant to the letter
        ("Check that a Kestrel is listed", False),
        ("Check that the ring QX-4471 is listed", False),
        ("Check that a kestrel is listed", None),
        ('The page is titled "Bird diary"', True),
        ("The page is titled Cash Book", False),
        ("Only the Wren is left", False),
        ("Only Wren, Robin and Swift are left", True),
    ],
)
def test_what_used_to_be_decided_wrongly_or_not_at_all(sentence: str, truth: bool | None) -> None:
    judged = judge_freely(sentence, diary())
    assert judged.truth is truth, judged.reason


def test_an_empty_basket_that_is_said_not_to_be() -> None:
    view = page(text("Your basket is empty."))
    assert judge_freely("Check that the basket is empty", view).truth is True
    assert judge_freely("Check that the basket is not empty", view).truth is False


def ledger() -> PageView:
    rows = [("lib/wren.txt", "4", "2"), ("lib/owl.txt", "9", "1"), ("Total", "13", "3")]
    return page(
        element("heading", "Files", text="Files"),
        element("table", "", id="t", text=""),
        *table(rows, ("File", "Lines", "Faults")),
    )


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        # the last row sums up the others, and is none of them
        ("Check that two files are listed", True),
        ("Check that only lib/wren.txt and lib/owl.txt are left", True),
        ("Check that only lib/wren.txt is left", False),
        ("Check that lib/owl.txt has the most lines", True),
        ("Check that the files are sorted by lines in ascending order", True),
        # what is written like a file name is meant to the letter
        ("Check that lib/kite.txt is listed", False),
        ("Check that lib/owl.txt is no longer shown", False),
        ("Check that lib/kite.txt is no longer shown", True),
        ("Check that lib/owl.txt is the first file", False),
    ],
)
def test_a_row_of_sums_and_names_of_files(sentence: str, truth: bool | None) -> None:
    judged = judge_freely(sentence, ledger())
    assert judged.truth is truth, judged.reason

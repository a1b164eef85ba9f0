"""The general reading: the part of a page that has all of what is said, or another value there."""

import pytest
from tests.plugins.web.pages.weak.test_tables_and_amounts import table
from tests.plugins.web.runner.pages import element, page, text

from sparring.model.page import Box, PageView
from sparring_plugins.web.pages.weak.checks.judging import judge_freely


def letter() -> PageView:
    """A letter with labels that are prepositions, a summary, votes, and a line with a condition."""
    choices = [
        element("listitem", id=f"c{n}", parent="poll", text=line, row=line)
        for n, line in enumerate(("Wax, 80% View voters", "Wet oil, 20% View voters"))
    ]
    summary = [
        element("listitem", id=f"s{n}", parent="sum", text=line, row=line, region=("Summary",))
        for n, line in enumerate(("8 Pages", "0 Documents"))
    ]
    lines = [text(e.text, parent=e.id, row=e.row, region=e.region) for e in (*choices, *summary)]
    return page(
        element("heading", "Spring fair", text="Spring fair"),
        text("From:"), text("Jo Hill <jo@fair.example>"),
        text("Cc:"), text("accounts@fair.example"),
        text("You get a note when the lamp is back in stock."),
        text("Read mails (0)"),
        text("Nobody broke a window."),
        *table([("Salt Road", "F 12", "4"), ("Old Mill", "B 3", "7")], ("Title", "Shelf", "Copies")),
        element("list", id="poll"), *choices,
        element("list", "Summary", id="sum", region=("Summary",)), *summary, *lines,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("Check that accounts@fair.example is in Cc", True),
        ("Check that it comes from Jo Hill", True),
        ("Check that the letter is from Ida Falk", False),
        ("Check that Wet oil got 20%", True),
        ("Check that Wet oil got 40%", False),
        ("Check that the list of read mails is empty", True),
        ("Check that the table lists Salt Road on shelf F 12", True),
        # nothing says these, whatever words stand somewhere on the page
        ("Check that the lamp is in stock", None),
        ("Check that the table lists Salt Road on shelf B 3", None),
        ("Check that somebody broke a window", None),
    ],
)
def test_a_statement_is_judged_by_the_part_that_has_its_words(
    sentence: str, truth: bool | None
) -> None:
    assert judge_freely(sentence, letter()).truth is truth


def mail_list(*names: str) -> PageView:
    """A list of mails that only their class tells from other parts of the page."""
    mails = [
        element("generic", id=f"m{n}", text=name, attributes={"class": "list__mail"})
        for n, name in enumerate(names)
    ]
    return page(element("heading", "Inbox", text="Inbox"), *mails, *(text(n) for n in names))


def test_a_single_part_counts_if_an_earlier_page_had_several_of_its_kind() -> None:
    before, now = mail_list("Oak", "Ash", "Elm"), mail_list("Oak")
    assert judge_freely("Check that only one mail is left", now, [before]).truth is True
    assert judge_freely("Check that only one mail is left", now).truth is None
    assert judge_freely("Check that two mails are left", now, [before]).truth is None


def test_an_asterisk_behind_a_label_says_that_the_field_is_required() -> None:
    form = page(element("textbox", "Email *", label="Email *"), element("textbox", "Town"))
    assert judge_freely("Check that the email is required", form).truth is True


def test_the_noun_in_front_of_a_value_is_no_part_of_it() -> None:
    view = page(text("Tyre service: 0155 330 900"))
    assert judge_freely("Check that the tyre service has the number 0155 330 900", view).truth


def tiles() -> PageView:
    """Numbers below their labels, drawn beside each other, and rows with units."""
    places = [("Boats", 0), ("Freight", 120), ("Longest wait", 240)]
    values = ["12", "18,250 t", "3 h"]
    drawn = [
        text(words, box=Box(x=x, y=y, width=80, height=20))
        for row, y in (([w for w, _ in places], 0), (values, 22))
        for words, (_, x) in zip(row, places, strict=True)
    ]
    return page(
        element("heading", "Unread mails (11)", text="Unread mails (11)"),
        text("Unread mails (11)"),
        *drawn,
        *table([("Kite", "2", "52b"), ("Gull", "5", "19b")], ("Boat", "Wait (h)", "Size")),
        title="Unread mails (11)",
    )


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("Check that there are 12 boats", True),
        ("Check that 12 boats are counted", True),
        ("Check that all 12 boats are back", True),
        ("Check that the longest wait is 3 h", True),
        ("Check that the freight amounts to 18,250 t", True),
        ("Check that the freight amounts to 16,000 t", False),
        ("Check that Kite is listed with a wait of 2 hours", True),
        ("Check that Kite is listed with a wait of 5 hours", None),
        ("Check that the Gull is 19 bytes long", True),
        ("Check that the Gull is 52 bytes long", None),
        ("Check that 11 mails are unread", True),
    ],
)
def test_numbers_in_tiles_and_units_are_read(sentence: str, truth: bool | None) -> None:
    assert judge_freely(sentence, tiles()).truth is truth

"""Weak readings of checks: what decides, what contradicts, and what nobody can know."""

import pytest
from tests.plugins.web.runner.pages import element, page, text

from sparring.model.page import Element, PageView
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.free.sentences import split_sentence
from sparring_plugins.web.grammar.free.statements import read_statements
from sparring_plugins.web.pages.weak.checks.judging import judge_freely


def row(number: int, *cells: tuple[str, str]) -> list[Element]:
    words = "\n".join(value for _, value in cells)
    parts: list[Element] = [element("row", "", id=f"r{number}", parent="t", text=words)]
    for index, (column, value) in enumerate(cells):
        cell = f"r{number}c{index}"
        parts.append(
            element("cell", "", id=cell, parent=f"r{number}", text=value, column=column, row=words)
        )
    return parts


def shelf() -> PageView:
    books = [
        ("Tin Drum", "Novel", "12.50"),
        ("Red Kite", "Poetry", "8.00"),
        ("Sea", "Novel", "9.90"),
    ]
    rows = [
        item
        for number, (title, genre, price) in enumerate(books)
        for item in row(number, ("Title", title), ("Genre", genre), ("Price", price))
    ]
    return page(
        element("heading", "Shelf", text="Shelf"),
        text("3 books"),
        text("The reading room opens at nine, and is closed on Mondays."),
        element("table", "Books", id="t", text=""),
        *rows,
        element("button", "Save", disabled=True),
        element("button", "Print"),
        element("textbox", "Note", label="Note", value="first draft", editable=True),
        element("alert", "", id="a", text="The note could not be stored."),
    )


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("Check that Sea is in the list", True),
        ("Red Kite is among them", True),
        ("Check that Red is in the list", None),
        ("Check that Osprey is in the list", False),
        ("Check that neither Osprey nor Wren is listed", True),
        ("Check that neither Osprey nor Red Kite is listed", None),
        ("A message reports that the note could not be stored", True),
        ("A message reports that the note was stored", None),
        ("Only Tin Drum, Red Kite and Sea should remain", True),
        ("Only Sea should remain", False),
        ("Tin drum is in the list", True),
        ("Moss lamp is in the list", False),
        ("Three books are left", True),
        ("Check that there are 4 books", False),
        ('The first row is "Tin Drum"', True),
        ('"Red Kite" comes last', False),
        ('The second row should be "Red Kite" at 8.00', True),
        ('"Tin Drum" is above "Sea"', True),
        ("The Save button is greyed out", True),
        ("The Print button can be clicked", True),
        ('The note field holds "first draft"', True),
        ('The note field holds "second draft"', False),
        ("An error complains that the note could not be stored", True),
        ('The heading says "Shelf"', True),
        ('Check that "Blue Kite" is listed with genre Novel', False),
        ('"Blue Kite" is gone', True),
        ('"Red Kite" is gone', False),
        ("The price of Red Kite is 8.00", True),
        ('"Red Kite" is one of them', True),
        ('"Blue Kite" is one of them', False),
        ("Check that it is closed on Mondays", True),
        ("Check that it is closed on Tuesdays", None),
        ("Check that it is not closed on Mondays", None),
        # what was done to a thing can be so on a page that does not have it
        ('"Grey Heron" has already been lent to Ida', None),
        ('"Grey Heron" has been lent, and so make sure it is missing', True),
        ('"Grey Heron" has been added', False),
        ("Everything feels right", None),
        ("The moon is full", None),
    ],
)
def test_a_check_in_free_words(sentence: str, truth: bool | None) -> None:
    judged = judge_freely(sentence, shelf())
    assert judged.truth is truth, judged.reason


def test_two_statements_must_both_hold() -> None:
    assert (
        judge_freely('Three books are left and the first row is "Tin Drum"', shelf()).truth is True
    )
    assert judge_freely('Three books are left and the first row is "Sea"', shelf()).truth is False


def test_what_a_field_holds_is_not_read_on_the_page() -> None:
    assert judge_freely('"first draft" is shown', shelf()).truth is None


def test_what_was_there_before_is_gone() -> None:
    before = page(text("Help dialog: call us"))
    assert judge_freely("The help dialog is gone", page(text("Nothing")), [before]).truth is True
    assert judge_freely("The help dialog is gone", before, [before]).truth is None


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("Tin Drum has 3 stars", None),
        ('"Red Kite" is listed with genre Poetry', True),
        ('"Red Kite" is listed with genre Novel', False),
        ("There is a Print button", True),
        ("The field 'Note' contains '7'", False),
        ("There is no Export button", True),
        ("There is an Export button", False),
        ("The table has no Price column", False),
        ("The table has a Genre column but no Author column", True),
    ],
)
def test_one_of_several_things_and_named_controls(sentence: str, truth: bool | None) -> None:
    judged = judge_freely(sentence, shelf())
    assert judged.truth is truth, judged.reason


def parcel(value: str) -> PageView:
    return page(
        element("textbox", "Colour", id="c", label="Colour", value=value, editable=True),
        element("button", "Store"),
    )


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [("Check that the colour is Red", None), ("Check that the colour field holds Red", True)],
)
def test_what_the_case_typed_shows_only_what_the_field_holds(
    sentence: str, truth: bool | None
) -> None:
    typed = GuiAction(action="fill", target="c", value="Red")
    assert judge_freely(sentence, parcel("Red"), acts=[typed]).truth is truth


def test_a_value_that_the_page_gives_is_a_fact() -> None:
    assert judge_freely("Check that the colour is Red", parcel("Red")).truth is True


@pytest.mark.parametrize(
    ("sentence", "denies"),
    [
        ("The page says that no room is free", False),
        ("The page does not say that a room is free", True),
        ("There is no room left", True),
    ],
)
def test_what_is_said_may_deny_without_being_denied(sentence: str, denies: bool) -> None:
    (clause,) = split_sentence(sentence)
    (statement,) = read_statements(clause)
    assert statement.denies is denies


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        # twice the same value: which of both is meant does not matter
        ("Verify the shelf is Oak", True),
        # who "owns" is the "owner"
        ("The owner should still be Ida", True),
        # two of something are not shown by one text with the other words
        ("Check that three crate labels are being printed", None),
        ("An error should say that crates must have a lid", True),
    ],
)
def test_values_and_messages_of_a_form_page(sentence: str, truth: bool | None) -> None:
    view = page(
        *row(1, ("Shelf", "Oak"), ("Owned by", "Ida")),
        *row(2, ("Shelf", "Oak"), ("Made in", "May")),
        element("listitem", "", id="l1", text="Printed crate label"),
        text("Printed crate label", parent="l1"),
        element("listitem", "", id="l2", text="Lid"),
        text("Error: invalid entry: Crates must have a lid."),
    )
    assert judge_freely(sentence, view).truth is truth, judge_freely(sentence, view).reason


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [("Only Red Kite should be left", False), ("Only Red Kite must be shown", False)],
)
def test_only_one_thing_should_be_left(sentence: str, truth: bool) -> None:
    assert judge_freely(sentence, shelf()).truth is truth


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("The page greets Ida", True),
        ("The page greets Bo", None),
        ("The page asks whether you are sure", True),
        ("The page asks if you are hungry", None),
        ("The lamp is marked as sold", None),
        ("The lamp is marked as done", False),
    ],
)
def test_what_a_page_says_to_its_user(sentence: str, truth: bool | None) -> None:
    view = page(
        text("Welcome, Ida!"),
        text("Are you sure that the lamp should go?"),
        element("checkbox", "Select the lamp", checked=False),
    )
    assert judge_freely(sentence, view).truth is truth


def boat() -> PageView:
    return page(
        element("heading", "#2 (Grey Heron)", text="#2 (Grey Heron)"),
        text("Owned by: ida"),
        text("Built: May 3, 2004"),
        text("Red Kite"),
        url="http://shop.test/boats/2",
        title="Grey Heron",
    )


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ('Boat 2 is called "Grey Heron"', True),
        ('Boat 3 is called "Grey Heron"', None),
        ('The tab is called "Red Kite"', None),
        ("It was built in 2004", True),
        ("It was built in 2014", False),
        ("Boat 2 is owned by ida", True),
        ("Boat 3 is owned by tom", None),
        ("Red Kite is shown, Blue Kite is not", True),
        ("The page says that Red Kite does not exist", None),
    ],
)
def test_what_a_page_is_about_need_not_be_named(sentence: str, truth: bool | None) -> None:
    judged = judge_freely(sentence, boat())
    assert judged.truth is truth, judged.reason


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("Red Kite is no longer listed", True),
        ("Sea is still there", True),
        ("Sea is in stock", None),
        ("Red Kite has the status open", None),
    ],
)
def test_a_name_that_an_earlier_page_showed_is_meant_to_the_letter(
    sentence: str, truth: bool | None
) -> None:
    now = page(*(e for e in shelf().snapshot.elements if "Red Kite" not in e.text + (e.row or "")))
    judged = judge_freely(sentence, now, [shelf()])
    assert judged.truth is truth, judged.reason


def test_that_a_quoted_name_is_listed_is_no_value_of_it() -> None:
    rows = row(1, ("Title", "Oak"), ("Owner", "Ida"))
    view = page(element("table", "Trees", id="t", text=""), *rows, text("Oak: Ida"))
    assert judge_freely('"Oak" is among them', view).truth is True


def test_equal_parts_in_one_section_are_counted() -> None:
    section = "Books Red Kite Ann Sea Bob Tin Drum Cid"
    cards = [
        element(
            "generic", "", id=f"c{n}", parent="s", row=section, text=words,
            attributes={"class": "book"}, region=("Books",),
        )
        for n, words in enumerate(("Red Kite\nAnn", "Sea\nBob", "Tin Drum\nCid"))
    ]  # fmt: skip
    view = page(element("heading", "Books"), element("region", "", id="s", text=section), *cards)
    assert judge_freely("Three books are shown", view).truth is True
    assert judge_freely("Three books are shown, with Red Kite on top", view).truth is True

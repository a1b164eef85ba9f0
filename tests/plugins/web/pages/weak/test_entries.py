"""Weak readings of entries: what one says, the first ones, a state, a question, a heading above."""

import pytest
from tests.plugins.web.pages.weak.test_tables_and_amounts import table
from tests.plugins.web.runner.pages import element, options, page, text

from sparring.model.page import PageView
from sparring_plugins.web.pages.weak.checks.judging import judge_freely


def ferries() -> PageView:
    return page(
        element("heading", "Ferries", text="Ferries"),
        element("table", "", id="t", text=""),
        *table(
            [
                ("Puffin", "Arrived", "moored by Ida"),
                ("Gannet", "Arrived", "moored by Jo"),
                ("Skua", "Delayed", "fog at the lighthouse"),
            ],
            ("Ferry", "Status", "Remark"),
        ),
        text("Are you sure that you want to cancel this crossing?"),
        element("heading", "North pier", text="North pier"),
        element("text", "Razorbill", text="Razorbill", region=("North pier",)),
        element("heading", "South pier", text="South pier"),
        element("text", "Fulmar", text="Fulmar", region=("South pier",)),
        element("link", "Timetable", text="Timetable"),
        element("link", "Fares", text="Fares"),
    )


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ('The log has an entry for Skua saying "fog at the lighthouse"', True),
        ("There is an entry about Puffin moored by Ida", True),
        # Jo moored another one, which shows nothing of what a page might write elsewhere
        ("There is an entry about Puffin moored by Jo", None),
        ("There is an entry for Pelican", False),
        ("There is an entry for Puffins", None),
        ("The first two ferries are arrived", True),
        ("The last two ferries are arrived", False),
        ("The first two ferries are sunk", None),
        ("Puffin has arrived", True),
        ("Skua has arrived", False),
        ("Skua has departed", None),
        ("We should be asked whether we really want to cancel this crossing", True),
        ("We should be asked whether to buy a ticket", None),
        ("Fulmar lies at the South pier", True),
        ("Fulmar lies at the North pier", None),
        ("There is a Timetable link and a Fares link at the top", True),
        ("There is a Timetable link and a Bicycles link at the top", False),
        ("Exactly three ferries remain, Puffin, Gannet and Skua", True),
        ("Exactly two ferries remain, Puffin and Skua", None),
    ],
)
def test_entries(sentence: str, truth: bool | None) -> None:
    judged = judge_freely(sentence, ferries())
    assert judged.truth is truth, judged.reason


def test_a_page_that_says_so_has_none_of_them() -> None:
    view = page(text("No ferries match your search."))
    assert judge_freely("No ferry should be found", view).truth is True


def test_a_card_has_what_is_said_of_it_as_a_line() -> None:
    view = page(
        element("list", "", id="clubs"),
        element("listitem", "", id="a", parent="clubs", text="Rowers\n12 members\nPull together"),
        element("listitem", "", id="b", parent="clubs", text="Divers\n4 members\nDeep and down"),
        *(text(line) for line in ("Rowers", "Divers", "Pull together", "Deep and down")),
    )
    for sentence, truth in (
        ('The motto of Divers is "Deep and down"', True),
        ('Rowers has the motto "Pull together"', True),
        ('The page lists "Rowers" with the motto "Pull together"', True),
        ('The motto of Divers is "Pull together"', None),
        ('The motto of Divers is "Swim"', False),
    ):
        judged = judge_freely(sentence, view)
        assert judged.truth is truth, (sentence, judged.reason)


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("You are warned that the deadline is over", True),
        ('It is refused with "The deadline is over"', True),
        ('The form is answered with the message "All seats are taken"', False),
        ("You are told that all seats are taken", None),
    ],
)
def test_who_is_told_something_reads_a_message(sentence: str, truth: bool | None) -> None:
    view = page(element("alert", "", text="The deadline is over."))
    judged = judge_freely(sentence, view)
    assert judged.truth is truth, judged.reason


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("The list still has the skua", False),
        ("The puffin is still listed", True),
        # no page has called anything so
        ("The table contains the steamer", None),
    ],
)
def test_an_entry_that_was_listed_is_missed(sentence: str, truth: bool | None) -> None:
    now = page(
        element("table", "", id="t", text=""),
        *table([("Puffin", "Arrived"), ("Gannet", "Arrived")], ("Ferry", "Status")),
    )
    judged = judge_freely(sentence, now, before=[ferries()])
    assert judged.truth is truth, judged.reason


def orders() -> PageView:
    return page(
        element("table", "", id="t", text=""),
        *table(
            [
                ("Rope", "Ida", "12.50 (2 each)"),
                ("Oars", "Ida", "80.00"),
                ("Ropes and knots", "Tom", "7.00"),
            ],
            ("What", "Who bought", "How much"),
        ),
    )


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("Rope now costs 12.50", True),
        ("Oars cost 60.00", False),
        ("Sails cost 60.00", None),
        # the row 'Ropes and knots' is perhaps another thing
        ("Knots cost 60.00", None),
        ("Oars costs 80.00 and was bought by Ida", True),
        ("Rope costs 12.50 and was bought by Jo", False),
    ],
)
def test_what_something_costs(sentence: str, truth: bool | None) -> None:
    judged = judge_freely(sentence, orders())
    assert judged.truth is truth, judged.reason


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ('The form shows 7 as the size and "Oak" as the wood', True),
        ('The form shows 7 as the size and "Elm" as the wood', False),
        ("It has 8 as the size", False),
    ],
)
def test_a_form_shows_values_as_its_fields(sentence: str, truth: bool | None) -> None:
    view = page(
        element("textbox", "Size", id="size", label="Size", value="7"),
        element("textbox", "Wood", id="wood", label="Wood", value="Oak"),
    )
    judged = judge_freely(sentence, view)
    assert judged.truth is truth, judged.reason


def test_the_sign_of_a_number_is_part_of_it() -> None:
    view = page(element("textbox", "Balance", id="b", label="Balance", value="-6.10"))
    assert judge_freely("The balance is -6.10", view).truth is True
    assert judge_freely("The balance is 6.10", view).truth is None


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("Oak can be chosen as the wood", True),
        ("Teak can be chosen as the wood", False),
        ("Teak cannot be selected for the wood", True),
        ("Teak can be chosen as the colour", None),
        ("Elm can be chosen as the wood", None),
    ],
)
def test_a_list_offers_a_choice(sentence: str, truth: bool | None) -> None:
    view = page(
        element(
            "combobox",
            "Which wood?",
            id="w",
            label="Which wood?",
            options=options("Oak", "Elm (dry)"),
        ),
        element("combobox", "Size", id="s", label="Size", options=options("Small", "Large")),
    )
    judged = judge_freely(sentence, view)
    assert judged.truth is truth, judged.reason

"""Checks in the page's own words, checks of what was entered, and checks that leave words out."""

import pytest
from tests.plugins.web.pages.weak.test_tables_and_amounts import table
from tests.plugins.web.runner.pages import element, page, text

from sparring.model.page import PageView
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.free.sentences import Clause
from sparring_plugins.web.grammar.free.statements import read_statements
from sparring_plugins.web.pages.weak.checks.judging import judge_freely


def harbour() -> PageView:
    return page(
        element("heading", "Harbour", text="Harbour"),
        text("Boats may moor from 06:00 to 22:00."),
        text("3 of 4 berths taken"),
        text("If the gate is closed at night, ring the bell."),
        element("checkbox", "Read", checked=False),
        element("table", "", id="t", text=""),
        *table(
            [("Oak", "Jo Hill", "Admin"), ("Elm", "Ida Moss", "Guest")],
            ("Boat", "Owner", "Access"),
        ),
    )


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("The boats may moor from 06:00 to 22:00", True),
        ("Boats may moor from 06:00 to 23:00", None),
        ("It should say that 3 of 4 berths are taken", True),
        # a condition does not say that it is so
        ("The gate is closed at night", None),
        ("Read isn't ticked yet", True),
        ("Jo Hill is an admin", True),
        ("Ida Moss is an admin", False),
        ("Ida Moss is not an admin", True),
        ("Ida Moss is a sailor", None),
        ("The table should have Oak and Elm in this order", True),
        ("The table should have Elm and Oak in this order", False),
        ("Jo Hill and Ida Moss are listed, but no Tom Ash", True),
        ("Oak and Elm are shown, but no Jo Hill", None),
        ("Oak stays while Yew Tree is gone", True),
        ('The list contains a boat "Oak" owned by Jo Hill', True),
        ('The list contains a boat "Oak" owned by Ida Moss', False),
        ('There is an entry "Elm" with the access Guest', True),
        ("The owner of Oak is Jo Hill instead of Ida Moss", True),
        ("The owner of Oak is Ida Moss instead of Jo Hill", False),
    ],
)
def test_a_page_says_it_so(sentence: str, truth: bool | None) -> None:
    judged = judge_freely(sentence, harbour())
    assert judged.truth is truth, judged.reason


def test_what_was_entered_is_shown_by_text_and_by_no_field() -> None:
    acts = [
        GuiAction(action="fill", value="Blue heron", described="textbox 'Title'"),
        GuiAction(action="fill", value="A tall bird.", described="textbox 'Remark'"),
    ]
    shown = page(text("Blue heron"))
    field = page(element("textbox", "Title", value="Blue heron", editable=True, tag="input"))
    assert judge_freely("The page shows the new title", shown, (), acts).truth is True
    assert judge_freely("The page shows the new title", field, (), acts).truth is None
    assert judge_freely("The page shows the new remark", shown, (), acts).truth is None
    assert judge_freely("The new sentence is displayed", shown, (), acts).truth is None


def test_an_answer_is_what_came_with_the_last_act() -> None:
    before, after = page(text("Send")), page(text("Send"), text("Sorry, no seats. Try later."))
    said = 'The app must refuse this with "Sorry, no seats"'
    assert judge_freely(said, after, [before]).truth is True
    assert judge_freely(said, after, [after]).truth is None
    starts = 'The last answer starts with "{}"'
    assert judge_freely(starts.format("Sorry, no"), after, [before]).truth is True
    assert judge_freely(starts.format("Try later"), after, [before]).truth is None


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("There are two comments", True),
        ("There are three comments", None),
        ("No flags have been raised", True),
        ("There are 12 trees", True),
        ("There are 13 trees", False),
        ("The temperature is 4", True),
        ("The temperature is 5", False),
        ("The temperature is 4 pounds", None),
    ],
)
def test_numbers_by_labels_and_by_names_of_parts(sentence: str, truth: bool | None) -> None:
    view = page(
        *(element("link", name, text=name, attributes={"class": "comment__author"})
          for name in ("ida", "jo")),
        element("form", "", text="", attributes={"class": "comment__form"}),
        text("Flags:"), text("0"), text("Trees in total: 12"),
        element("spinbutton", "Temperature of the shed (°C)", value="4", label="Temperature of"
                " the shed (°C)", editable=True, tag="input"),
    )  # fmt: skip
    judged = judge_freely(sentence, view)
    assert judged.truth is truth, judged.reason


@pytest.mark.parametrize(
    ("sentence", "statements"),
    [
        (
            "Oak and Elm have three boats each and Yew two",
            ["Oak has three boats", "Elm has three boats", "Yew has two boats"],
        ),
        ("Four people are in the list of members", ["there are four members"]),
        ("I expect a green message that Oak was saved", ["the message says that Oak was saved"]),
        ("The country shown is Spain", ["The country is Spain"]),
        ("The form Oak should be back", ["The form Oak is displayed"]),
        ("Oak still is in front", ["Oak still is in front"]),
    ],
)
def test_a_check_is_said_in_full(sentence: str, statements: list[str]) -> None:
    stated = read_statements(Clause(sentence, "check", ()))
    assert [statement.text.lower() for statement in stated] == [s.lower() for s in statements]


def test_what_stands_in_an_edge_of_the_page() -> None:
    head = element("generic", "", text="ida", attributes={"class": "page-header fixed"}, id="h")
    view = page(head, text("ida", parent="h"), text("Welcome, jo"))
    assert judge_freely("The name ida should appear in the header", view).truth is True
    assert judge_freely("The name jo should appear in the header", view).truth is None
    assert judge_freely("The name ida should appear in the footer", view).truth is None


def test_what_is_by_somebody_whom_only_other_pages_name() -> None:
    before, view = page(text("ida"), text("jo")), page(text("Remarks"), text("jo"))
    assert judge_freely("A remark by ida is shown", view, [before]).truth is False
    assert judge_freely("A remark by jo is shown", view, [before]).truth is None
    assert judge_freely("A remark by hand is shown", view, [before]).truth is None


def test_which_of_two_numbers_counts_what_is_not_sure() -> None:
    card = "GBP / CHF\nPrice\n1.2 CHF\n1.20 GBP"
    view = page(element("listitem", "", text=card), element("listitem", "", text="Oil"))
    assert judge_freely("One GBP was worth 1.2 CHF", view).truth is not False

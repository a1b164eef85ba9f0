"""What lies in a named part is judged inside that part alone, and a list by its choices."""

import pytest
from tests.plugins.web.pages.weak.test_tables_and_amounts import table
from tests.plugins.web.runner.pages import element, options, page, text

from sparring.model.page import Element, PageView
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.free.sentences import split_sentence
from sparring_plugins.web.grammar.free.statements import read_statements
from sparring_plugins.web.pages.weak.checks.containment import read_containment
from sparring_plugins.web.pages.weak.checks.judging import judge_freely


def library() -> PageView:
    """A page with a menu, a form with a list and a group of radio buttons, a table and a footer."""
    rows = [
        ("Mia Novak", "Blue Atlas", "North", "3.50 euros"),
        ("Tom Falk", "Red Sails", "Harbour", "12 euros"),
    ]
    return page(
        element("navigation", "Main", id="nav"),
        element("link", "Home", parent="nav"),
        element("link", "Catalogue", parent="nav"),
        element("form", "", id="form", tag="form"),
        text("Card number", parent="form"),
        element("textbox", "Card number", parent="form"),
        element(
            "combobox", "Branch", parent="form", label="Branch",
            options=options("Please choose", "North branch", "South (closed)",
                            selected="Please choose"),
        ),
        element("group", "Pickup", id="pickup", parent="form"),
        element("radio", "Counter", parent="pickup", checked=True),
        element("radio", "Locker", parent="pickup", checked=False),
        element("button", "Reserve", parent="form"),
        text("A card costs 15 euros."),
        element("heading", "Loans"),
        element("table", "Loans", id="t"),
        *table(rows, ("Borrower", "Book", "Branch", "Fee")),
        element("contentinfo", "", id="footer", tag="footer"),
        text("Phone 555 0199", parent="footer"),
        element("link", "Imprint", parent="footer"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("the table contains 'Blue Atlas'", True),
        ("the table contains 'Card number'", False),
        ("the table does not contain 'Card number'", True),
        ("the table doesn't list 'Tom Falk'", False),
        ("the table no longer shows 'Tom Falk'", False),
        ("the table contains 'Blue Atlas' and 'Imprint'", False),
        ("the table contains neither 'Home' nor 'Imprint'", True),
        ("'Card number' is in the table", False),
        ("'Card number' is not in the table", True),
        ("'Red Sails' is displayed in the loans table", True),
        ("there is no 'Imprint' in the form", True),
        ("the form shows 'Mia Novak'", False),
        ("the form contains 'Card number'", True),
        ("the form contains the button 'Reserve'", True),
        ("the menu lists 'Catalogue'", True),
        ("the menu offers 'Catalogue'", True),
        ("the menu offers 'Locker'", False),
        ("the menu contains the link 'Imprint'", False),
        ("the navigation bar contains 'Imprint'", False),
        ("'Imprint' appears in the footer", True),
        ("the footer shows 'Catalogue'", False),
        # names and amounts need no quotes
        ("Tom Falk is in the loans table", True),
        ("Tom Falk is no longer in the list of loans", False),
        ("the form does not show Tom Falk", True),
        ("the table shows 15 euros", False),
        ("the table shows 12 euros", True),
        ("the table shows 3 euros", False),
        # what nobody knows
        ("the form contains 'North branch'", None),
        ("the dialog contains 'Imprint'", None),
        ("the dialog does not contain 'Imprint'", None),
        ("the sidebar shows 'Home'", None),
        ("the table 'Fines' contains 'Tom Falk'", None),
        ("the table shows $12", None),
    ],
)
def test_what_lies_in_a_container_is_judged_inside_it(sentence: str, truth: bool | None) -> None:
    judged = judge_freely(f"Check that {sentence}", library())
    assert judged.truth is truth, judged.reason


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("the list 'Branch' offers 'North branch'", True),
        ("the list 'Branch' offers 'West branch'", False),
        ("the list 'Branch' does not offer 'West branch'", True),
        ("the drop-down 'Branch' contains 'North branch'", True),
        ("the drop-down 'Branch' contains 'Locker'", False),
        ("the branch list offers 'North branch'", True),
        ("the field 'Branch' has the option 'North branch'", True),
        ("the branch field has the options 'North branch' and 'West branch'", False),
        ("'North branch' is an option of the branch list", True),
        ("the radio group 'Pickup' offers 'Locker'", True),
        ("the pickup offers 'Locker' and 'Counter'", True),
        ("the radio group 'Pickup' does not contain 'Locker'", False),
        # 'South (closed)' may be what is meant by South
        ("the list 'Branch' offers 'South'", None),
        ("the drop-down 'Colour' contains 'Red'", None),
    ],
)
def test_a_list_is_judged_by_its_choices(sentence: str, truth: bool | None) -> None:
    judged = judge_freely(f"Check that {sentence}", library())
    assert judged.truth is truth, judged.reason


def two_tables(*, also_second: bool) -> PageView:
    first, second = (
        _moved([element("table", id="t"), *table([(name,), (other,)], ("Name",))], at)
        for at, name, other in (("a", "Ida", "Jo"), ("b", "Ida" if also_second else "Kim", "Lea"))
    )
    return page(*first, *second)


def _moved(elements: list[Element], at: str) -> list[Element]:
    """Return a table with other ids, so that a page has several."""
    return [
        e.model_copy(
            update={"id": f"{at}{e.id}", "parent": f"{at}{e.parent}" if e.parent else None}
        )
        for e in elements
    ]


def test_several_tables_decide_only_what_is_so_in_all_of_them() -> None:
    assert judge_freely("the table contains 'Ida'", two_tables(also_second=True)).truth is True
    assert judge_freely("the table contains 'Ida'", two_tables(also_second=False)).truth is None
    assert judge_freely("the table contains 'Uwe'", two_tables(also_second=False)).truth is False


def test_a_menu_that_has_opened_is_meant_before_the_navigation() -> None:
    view = page(
        element("navigation", "", id="nav"),
        element("link", "Home", parent="nav"),
        element("generic", "", id="m", attributes={"class": "column-menu"}),
        text("Sort by price", parent="m"),
    )
    assert judge_freely("the menu contains 'Sort by price'", view).truth is True
    assert judge_freely("the menu does not contain 'Sort by price'", view).truth is False
    assert judge_freely("the menu contains 'Home'", view).truth is None
    assert judge_freely("the navigation contains 'Sort by price'", view).truth is False


def test_a_menu_that_an_act_opened_may_have_no_markup() -> None:
    view = page(
        element("navigation", "", id="nav"),
        element("link", "Home", parent="nav"),
        text("Sort by price"),
    )
    opened = (GuiAction(action="click", target="gear"),)
    assert judge_freely("the menu contains 'Sort by price'", view).truth is False
    assert judge_freely("the menu contains 'Sort by price'", view, acts=opened).truth is None
    assert judge_freely("the menu contains 'Home'", view, acts=opened).truth is True


@pytest.mark.parametrize(
    "sentence",
    [
        "the table has 3 rows",
        "the first row of the table contains 'Ida'",
        "the list is sorted by name",
        "the table contains only 'Ida'",
        "the form has 5 fields",
        "the title 'Half a report' is in the form",
        "the menu item 'Home' contains 'x'",
    ],
)
def test_other_statements_about_containers_are_left_to_their_readings(sentence: str) -> None:
    (clause,) = split_sentence(sentence)
    assert all(read_containment(s) is None for s in read_statements(clause))

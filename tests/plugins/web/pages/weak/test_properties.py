"""Weak readings of properties, of all things together, and of what an act has done."""

import pytest
from tests.plugins.web.pages.weak.test_judging import row
from tests.plugins.web.pages.weak.test_tables_and_amounts import table
from tests.plugins.web.runner.pages import element, page, text

from sparring.model.page import PageView
from sparring_plugins.web.grammar.free.sentences import Clause
from sparring_plugins.web.grammar.free.statements import read_statements
from sparring_plugins.web.pages.weak.checks.judging import judge_freely

_COLUMNS = ("Member", "Login", "Role group", "Active", "Boat")


def members() -> PageView:
    return page(
        element("heading", "Members", text="Members"),
        element("table", "", id="t", text=""),
        *table(
            [
                ("Ida Falk", "ida", "Cox", "yes", "Heron"),
                ("Jo Hill", "jo", "Rower", "no", "Heron"),
                ("Tom Ash", "tom", "Rower", "yes", "Heron"),
            ],
            _COLUMNS,
        ),
    )


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("Ida Falk should have the role group Cox", True),
        ("Jo Hill should have the role group Cox", False),
        ("Jo Hill's login is jo", True),
        ("Jo Hill's login is tom", False),
        ("Tom Ash is a member of the role group Rower", True),
        ("Jo Hill is not active", True),
        ("Jo Hill is marked as active", False),
        ("Tom Ash should be active", True),
        # nothing on the page is called so
        ("Jo Hill is marked as paid", None),
        ("All members are rowers", False),
        ("Every member rows the Heron", None),
        ("Each member has the boat Heron", True),
        ("The role group of Ida Falk is Cox, that of Tom Ash is Rower", True),
        ("The role group of Ida Falk is Cox, that of Tom Ash is Cox", False),
        ("Three members are listed, among them Tom Ash", True),
        ("Tom Ash is no longer listed", False),
        ("There should be no boats and no oars yet", None),
    ],
)
def test_properties_of_one_and_of_all(sentence: str, truth: bool | None) -> None:
    judged = judge_freely(sentence, members())
    assert judged.truth is truth, judged.reason


def grades() -> PageView:
    """Headings are called with a hint, as libraries for tables write it for screen readers."""
    heads = [
        element("columnheader", name, id=f"h{n}", parent="head", text=name.split(":")[0])
        for n, name in enumerate(("Plank: Activate to sort", "Grade: Activate to sort", "Marks", "New"))
    ]  # fmt: skip
    rows = [
        ("Oak", "Aged (2)", "red\nblue", "May"),
        ("Elm", "Aged (1)", "blue", "June"),
        ("Old elm", "Raw", "green", "July"),
    ]
    return page(
        element("table", "", id="t", text=""),
        element("row", "", id="head", parent="t", text="Plank\nGrade\nMarks\nNew"),
        *heads,
        *table(rows, tuple(head.name for head in heads)),
    )


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("Oak has the grade 'Aged (2)'", True),
        ("The grade of Elm is 'Aged (1)'", True),
        # a word of it stands there, but another row has just that
        ("Oak has the grade 'Aged (1)'", False),
        ("The grade of Elm is 'Aged (2)'", False),
        ("The grade of Elm is not 'Aged (2)'", True),
        ("The grade of Old elm is 'Aged (1)'", False),
        ("The grade of Elm is 'Aged (3)'", False),
        ("Oak has the mark 'blue'", True),
        ("Elm has the mark 'red'", False),
        ("The grade of Ash is 'Raw'", None),
    ],
)
def test_a_value_is_looked_for_in_the_row_of_the_thing(sentence: str, truth: bool | None) -> None:
    judged = judge_freely(sentence, grades())
    assert judged.truth is truth, judged.reason


def test_a_box_in_a_cell_says_yes_or_no() -> None:
    view = page(
        element("table", "", id="t", text=""),
        *row(0, ("Lamp", "Oak lamp"), ("Sold", " ")),
        *row(1, ("Lamp", "Elm lamp"), ("Sold", " ")),
        element("checkbox", "", id="b0", parent="r0c1", checked=True),
        element("checkbox", "", id="b1", parent="r1c1", checked=False),
    )
    assert judge_freely("The Oak lamp is marked as sold", view).truth is True
    assert judge_freely("The Elm lamp is marked as sold", view).truth is False
    assert judge_freely("The Elm lamp is not sold", view).truth is True


def form(*more: str, url: str = "http://127.0.0.1/boats/new") -> PageView:
    field = element("textbox", "Name", id="name", label="Name", attributes={"name": "name"})
    messages = [element("alert", line, id=f"m{n}", text=line) for n, line in enumerate(more)]
    view = page(element("heading", "New boat", text="New boat"), field, *messages)
    return view.model_copy(update={"snapshot": view.snapshot.model_copy(update={"url": url})})


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("Nothing was created, we are still on the form", True),
        ("The boat was created", None),
        ("The form should complain that a field is required", True),
        ("We should still be on the page 'New boat'", True),
    ],
)
def test_a_refused_form(sentence: str, truth: bool | None) -> None:
    refused = form("This field is required.")
    judged = judge_freely(sentence, refused, [form()])
    assert judged.truth is truth, judged.reason


def test_what_a_message_confirms_was_done() -> None:
    confirmed = page(element("status", "", text="Boat Heron added."), text("Heron"))
    assert judge_freely("The boat was added", confirmed).truth is True
    assert judge_freely("The oar was added", confirmed).truth is None
    denied = page(element("alert", "", text="The boat could not be added."))
    assert judge_freely("The boat was added", denied).truth is None


@pytest.mark.parametrize(
    ("text_", "statements"),
    [
        ("the title field should contain Oak", ["the title field contains Oak"]),
        ("two users should be shown", ["two users are shown"]),
        ("the oar should no longer be listed", ["the oar is no longer listed"]),
        ("the oar should not cost 5", ["the oar does not cost 5"]),
        (
            "the page says that the name and the code do not match",
            ["the page says that the name and the code do not match"],
        ),
        (
            "the size of Oak is 3, that of Elm is 5",
            ["the size of Oak is 3", "the size of Elm is 5"],
        ),
        ("two rows are left, Oak and Elm", ["two rows are left", "Oak and Elm are listed"]),
        # a condition is no statement of its own
        (
            "as long as nothing is chosen, the oar is hidden",
            ["as long as nothing is chosen, the oar is hidden"],
        ),
    ],
)
def test_statements_are_parted_and_written_plainly(text_: str, statements: list[str]) -> None:
    assert [s.text for s in read_statements(Clause(text_, "check", ()))] == statements


def dashboard() -> PageView:
    return page(
        element("heading", "Boat house", text="Boat house"),
        element("navigation", "", id="nav", text=""),
        text("7 boats moored here"),
        text("0 oars"),
        text("Ida Falk"),
    )


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("The harbour book should count 7 boats", True),
        # another number may be that of something else
        ("The harbour book should count 8 boats", None),
        ("There should be no oars yet", True),
        ("Check that the name Ida Falk is displayed", True),
        ("The side menu with Paddles and Ropes is visible", False),
    ],
)
def test_what_a_page_says_in_other_words(sentence: str, truth: bool | None) -> None:
    judged = judge_freely(sentence, dashboard())
    assert judged.truth is truth, judged.reason


def test_what_is_not_open_is_not_absent() -> None:
    """The remark is on a tab that nobody opened: that nothing reads so blames nobody."""
    tabs = [element("tab", name, text=name, selected=name == "Runs") for name in ("Runs", "Remark")]
    view = page(*tabs, text("No runs"))
    assert judge_freely('The remark says "Sold out"', view).truth is None
    drawn = page(element("link", "Remark"), text("No runs"))
    assert judge_freely('The remark says "Sold out"', drawn).truth is None
    assert judge_freely('The page says "Sold out"', view).truth is False


def test_a_name_is_no_heading_that_counts() -> None:
    card = "Heron\n3 oars"
    cards = [
        element("listitem", "", id=f"i{n}", parent="list", text=words)
        for n, words in enumerate((card, "Crane\n4 oars"))
    ]
    view = page(
        element("heading", "Heron", text="Heron"), element("list", "", id="list"), *cards,
        *(text(line) for line in ("3 oars", "4 oars")),
    )  # fmt: skip
    assert judge_freely("Heron has 4 oars", view).truth is not True


def test_the_only_switch_of_a_row_is_that_of_what_it_names() -> None:
    view = page(
        element("table", "", id="t", text=""),
        *row(0, ("Lamp", "Porch lamp"), ("Power", " ")),
        *row(1, ("Lamp", "Attic lamp"), ("Power", " ")),
        element("switch", "", id="b0", parent="r0c1", checked=True),
        element("switch", "", id="b1", parent="r1c1", checked=False),
    )
    assert judge_freely("Porch lamp is switched on", view).truth is True
    assert judge_freely("Attic lamp is switched on", view).truth is False
    assert judge_freely("Attic lamp is turned off", view).truth is True
    assert judge_freely("Cellar lamp is turned off", view).truth is None

"""Limits on amounts and counts, and cells that only show an icon."""

import pytest
from tests.plugins.web.pages.weak.test_tables_and_amounts import table
from tests.plugins.web.runner.pages import element, page, text

from sparring.model.page import PageView
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.pages.weak.checks.judging import judge_freely

COLUMNS = ("Canoe", "Price", "Insured")
CANOES = (("Otter", "£30.00", ""), ("Heron", "£12.50", ""), ("Wren", "£18.00", ""))


def canoes(insured: tuple[str, ...] = ("Yes", "No", "No")) -> PageView:
    """A table of canoes; below 'Insured' each has an icon, and no text."""
    rows = table(CANOES, COLUMNS)
    cells = [e for e in rows if e.role == "cell" and e.column == "Insured"]
    icons = [
        element("img", name, id=f"icon-{n}", tag="svg", parent=cell.id, row=cell.row)
        for n, (name, cell) in enumerate(zip(insured, cells, strict=True))
        if name
    ]
    heading = element("heading", "Canoes", text="Canoes")
    return page(heading, element("table", "", id="t", text=""), *rows, *icons)


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("There are more than three canoes on this page", False),
        ("There are more than two canoes", True),
        ("There are at least three canoes", True),
        ("There are fewer than four canoes", True),
        ("No more than a single canoe is listed", False),
        ("No canoe costs more than £20", False),
        ("No canoe costs more than £30", True),
        ("None of them costs less than £12", True),
        ("None of the canoes costs less than £15", False),
        ("Every canoe costs at most £30", True),
        ("All of them cost at least £15", False),
        ("The Heron costs less than £15", True),
        ("The Heron costs more than £15", False),
    ],
)
def test_a_limit_is_compared_with_what_it_limits(sentence: str, truth: bool) -> None:
    judged = judge_freely(sentence, canoes())
    assert judged.truth is truth, judged.reason


@pytest.mark.parametrize(
    ("said", "comparison", "limit"),
    [
        ("there are more than three oars", ">", 3.0),
        ("no more than a single oar is left", "<=", 1.0),
        ("no oar costs over £20", ">", 20.0),
        ("three oars are left", "==", None),
        ("oars are under the bench", "==", None),
    ],
)
def test_a_limit_may_be_a_word(said: str, comparison: str, limit: float | None) -> None:
    statement = Statement(said, ())
    assert (statement.comparison, statement.limit) == (comparison, limit)


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("The Otter is insured", True),
        ("The Otter has been insured", True),
        ("The Heron is insured", False),
        ("The Heron has not been insured", True),
        ("The Otter has not been insured", False),
        ("Two of them have not been insured", True),
        ("One of them has not been insured", False),
        ("Every canoe is insured", False),
    ],
)
def test_an_icon_alone_says_what_its_name_says(sentence: str, truth: bool) -> None:
    judged = judge_freely(sentence, canoes())
    assert judged.truth is truth, judged.reason


def test_the_heading_of_an_empty_cell_says_nothing_of_the_row() -> None:
    judged = judge_freely("The Heron has been insured", canoes(("", "", "")))
    assert judged.truth is None, judged.reason


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("There are 13 canoes", True),
        ("The list counts 12 canoes", False),
        ("There are more than 12 canoes", True),
        # those in view, or all
        ("The list has 3 canoes", None),
        ("Three canoes are shown on this page", True),
        ("13 paddles are listed", None),
        # it may be on a further page
        ("'Heron' has not been filtered out", True),
        ("'Coot' has been filtered out", None),
        ("The Heron has kept its price £12.50", True),
        ("The Heron has lost its price £12.50", False),
    ],
)
def test_the_range_below_a_table_says_how_many_there_are(sentence: str, truth: bool | None) -> None:
    view = canoes()
    following = element("button", "Next page", id="next")
    elements = (*view.snapshot.elements, text("1-3 of 13"), following)
    judged = judge_freely(sentence, page(*elements))
    assert judged.truth is truth, judged.reason

"""What is said of one of several things, by the values that each of them has in the same place."""

import pytest
from tests.plugins.web.pages.weak.test_tables_and_amounts import table
from tests.plugins.web.runner.pages import element, page, text

from sparring.model.page import Element, PageView
from sparring_plugins.web.pages.weak.checks.judging import judge_freely


def loans() -> PageView:
    return page(
        *table(
            [
                ("The Heron", "Ida Falk", "2031-03-04", "true", "None"),
                ("The Stork", "Jo Hill", "2031-05-06", "false", "2 notes"),
                ("The Crane", "Lea Ott", "2031-07-08", "true", "1 note"),
            ],
            ("Title", "Borrower", "Due", "Paid", "Notes"),
        )
    )


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("The Heron is lent to Ida Falk until 2031-03-04", True),
        ("The Heron is lent to Jo Hill", False),
        ("Ida Falk has to bring her book back by 2031-05-06", False),
        ("The Stork is true", False),
        ("The Heron has no notes", True),
        ("The Stork has no notes", False),
        # nobody can tell what the page would show
        ("The Heron is torn", None),
        ("The Heron and so is The Stork lent to Jo Hill", None),
        ("The Heron is lent to Mia Berg", None),
    ],
)
def test_a_row_has_the_values_or_other_ones(sentence: str, truth: bool | None) -> None:
    judged = judge_freely(sentence, loans())
    assert judged.truth is truth, judged.reason


def cards() -> list[Element]:
    """Parts without any role that look alike, each with its links and a number."""
    made: list[Element] = []
    for name, shelf, amount in (
        ("Thyme in pots", "Herbs", "3"),
        ("Oak from seed", "Trees", "1"),
        ("Mint for tea", "Herbs", "2"),
    ):
        one = element(
            "generic", "", id=name, text=f"{name}\n{shelf}\n{amount}", attributes={"class": "post"}
        )
        title = element("link", name, parent=name, attributes={"class": "title"})
        place = element("link", shelf, id=f"{name}-s", parent=name, attributes={"class": "shelf"})
        made += [one, title, element("text", name, text=name, parent=title.id)]
        made += [place, element("text", shelf, text=shelf, parent=place.id)]
        made.append(element("text", amount, id=f"{name}-n", text=amount, parent=name))
    return made


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("Three posts are listed", True),
        ('The post "Thyme in pots" has 3 answers and belongs to Herbs', True),
        ('The post "Oak from seed" is filed under Herbs', False),
        ('The post "Oak from seed" is filed under Shrubs', None),
    ],
)
def test_parts_that_look_alike_are_several_things(sentence: str, truth: bool | None) -> None:
    view = page(element("heading", "All posts", text="All posts"), *cards())
    judged = judge_freely(sentence, view)
    assert judged.truth is truth, judged.reason


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("The summary should show 4 boats and 5 crews", True),
        ("There are ten boats", False),
        ("There are 5 boats", False),
    ],
)
def test_a_number_beside_a_noun_counts_it(sentence: str, truth: bool | None) -> None:
    view = page(text("Boats"), text("4"), text("Crews"), text("5"), text("Piers"), text("0"))
    judged = judge_freely(sentence, view)
    assert judged.truth is truth, judged.reason


def test_two_columns_of_words_are_no_labels_and_values() -> None:
    view = page(text("Oak"), text("Elm"), text("Ash"), text("Fir"))
    assert judge_freely("The Oak is Elm", view).truth is None


@pytest.mark.parametrize("sentence", ["Four posts are listed", "The first post is Mint for tea"])
def test_parts_that_look_alike_need_not_be_all_there_are(sentence: str) -> None:
    view = page(element("heading", "All posts", text="All posts"), *cards())
    assert judge_freely(sentence, view).truth is None


def test_a_list_that_leads_to_further_pages_counts_nothing() -> None:
    links = [
        element("listitem", name, id=name, text=name, parent="l") for name in ("1", "2", "Next »")
    ]
    view = page(element("heading", "Posts", text="Posts"), element("list", "", id="l"), *links)
    assert judge_freely("Eight posts are shown", view).truth is None


def balances_and_amounts() -> PageView:
    """A table of balances, and beside it amounts that styles alone put in lines with the names."""
    rows = [("Nils", "+310.20"), ("Edda", "-95.00"), ("Bo", "-215.20")]
    paid = text("Paid\n720.00\n80.00\n0.00")
    return page(*table(rows, ("Who", "Balance")), paid)


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("Nils has paid 1,720.00", None),  # nothing says whose it is
        ("Nils has +310.20", True),
        ("Nils has -95.00", False),  # that is Edda's
    ],
)
def test_what_stands_elsewhere_on_the_page_is_not_denied(sentence: str, truth: bool | None) -> None:
    judged = judge_freely(sentence, balances_and_amounts())
    assert judged.truth is truth, judged.reason


def test_a_name_without_a_space_to_its_neighbour_is_seen() -> None:
    """Parts of a cell that styles alone draw apart: a payee and what was bought."""
    rows = [("2031-12-20", "MillbrookPaper order"), ("2031-12-18", "BahnhofTicket")]
    ledger = page(*table(rows, ("Date", "What")))
    sentence = "The first row should be from 2031-12-20 with the payee Millbrook"
    assert judge_freely(sentence, ledger).truth is not False
    assert judge_freely("The first row is Bahnhof", ledger).truth is not True

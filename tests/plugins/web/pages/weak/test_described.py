"""What is there by what it does, who is logged in, which columns there are, what is new."""

import pytest
from tests.plugins.web.pages.weak.test_tables_and_amounts import table
from tests.plugins.web.runner.pages import element, page, text

from sparring_plugins.web.pages.weak.checks.judging import judge_freely


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("There is a button to empty the shelf", True),
        ("There is a button to paint the shelf", None),
        ("There is no button to paint the wall", True),
        ("The table has the columns Name and Size", True),
        ("The table has the columns Name and Flavour", False),
        ("We are logged in", True),
        ("We are logged in as ida", True),
        ("We are logged in as jo", None),
        ("You are no longer logged in", False),
    ],
)
def test_what_is_described(sentence: str, truth: bool | None) -> None:
    view = page(
        element("link", "ida", text="ida"),
        element("button", "Log out", text="Log out"),
        element("button", "Empty this shelf", text="Empty this shelf"),
        text("ida"),
        *table([("Oak", "4"), ("Elm", "5")], ("Name", "Size")),
    )
    judged = judge_freely(sentence, view)
    assert judged.truth is truth, judged.reason


def test_who_can_log_in_is_not_logged_in() -> None:
    view = page(element("link", "Log in", text="Log in"), text("ida"))
    assert judge_freely("We are logged in as ida", view).truth is False


def test_a_line_that_the_last_act_brought_is_a_message() -> None:
    before = page(text("Your shelf"), text("Oak"))
    after = page(text("Your shelf has been updated!"), text("Oak"))
    said = "A message should say that the shelf was updated"
    assert judge_freely(said, after, [before]).truth is True
    assert judge_freely(said, after, [after]).truth is None


def test_a_denial_with_a_capital_is_a_part_of_a_name() -> None:
    view = page(text("State:"), text("Not Open"))
    assert judge_freely("The state is Not Open", view).truth is True

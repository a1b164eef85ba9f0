"""What no step can do is not understood, and never read as something else."""

import pytest

from sparring_plugins.web.grammar.steps import read_step


@pytest.mark.parametrize(
    ("sentence", "instead"),
    [
        ("Take a screenshot of the 'Totals' table", "Take a screenshot"),
        ("Remember the value", "Remember '...' as"),
        ("Open the downloaded file", "The downloaded file contains"),
        ("Increase the price by 5", "Fill the '...' field"),
        ("Lower 'Price' by '5'", "Fill the '...' field"),
        ("Lower the volume by half", "Fill the '...' field"),
        ("Raise the price by ten percent", "Fill the '...' field"),
        ("Assert that there is no way to put it into the cart", "is disabled"),
        ("there is no need to sign in", "is disabled"),
    ],
)
def test_what_no_step_can_do_is_not_understood(sentence: str, instead: str) -> None:
    step = read_step(sentence, number=1)
    assert step.readings == ()
    assert step.problems[0].startswith("is not understood; the nearest form: ")
    assert instead in step.problems[0]


@pytest.mark.parametrize(
    "sentence",
    [
        "Click on 'Take a screenshot'",
        "Click on 'Open a new tab'",
        "Assert that 'there is no way to pay' is displayed",
        "Switch to the second tab",
        "Open 'https://shop.test/new'",
        "Click on the tab 'New'",
        "Raise the price by clicking on '+'",
    ],
)
def test_what_is_quoted_or_can_be_done_is_understood(sentence: str) -> None:
    assert read_step(sentence, number=1).readings


@pytest.mark.parametrize(
    ("sentence", "value"),
    [
        ("Raise the slider 'Width' to 40", "40"),
        ("Increase the number of guests to 2", "2"),
        ("Lower 'Price' to '5.50'", "5.50"),
    ],
)
def test_what_is_raised_to_a_value_is_set(sentence: str, value: str) -> None:
    (reading, *_) = read_step(sentence, number=1).readings
    assert (reading.action, reading.value) == ("fill", value)

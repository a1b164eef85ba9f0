"""A place without quotes may be no place: nothing is false because it is not found."""

from tests.plugins.web.runner.pages import element, page

from sparring_plugins.web.grammar.steps import read_step
from sparring_plugins.web.pages.conditions import holds


def truth(sentence: str) -> bool | None:
    reading = read_step(sentence, number=1).reading
    assert reading is not None
    assert reading.condition is not None
    return holds(reading.condition, page(element("link", "Add a bed"))).truth


def test_a_button_for_something_is_no_button_in_a_row() -> None:
    assert truth("Check that there is a button for adding a bed") is None
    assert truth("Check that there is a button in the row of 'Elm'") is False

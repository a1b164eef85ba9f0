"""Whether a field holds what was entered, as a person sees it."""

import pytest
from tests.plugins.web.runner.pages import element, page

from sparring.model.talk import GuiAction
from sparring_plugins.web.runner.observe import observe


def held(wanted: str, value: str) -> bool | None:
    act = GuiAction(action="fill", target="f", value=wanted)
    before = page(element("textbox", "Amount", id="f", value=""))
    after = page(element("textbox", "Amount", id="f", value=value)).model_copy(update={"hit": True})
    return observe(act, before, after).truth


@pytest.mark.parametrize(
    ("wanted", "value"),
    [
        ("Ada", "ada"), ("1000", "1,000"), ("1000", "$1,000.00"), ("1.5", "1.50"),
        ("5551234", "555-1234"), ("4111111111111111", "4111 1111 1111 1111"),
        ("02/25/2016", "2016-02-25"),
    ],
)  # fmt: skip
def test_a_field_may_write_a_value_in_its_own_way(wanted: str, value: str) -> None:
    assert held(wanted, value) is True


@pytest.mark.parametrize(
    ("wanted", "value"),
    [("-5", "5"), ("1.50", "150"), ("12", "1.2"), ("02/25/2016", "2016-02-26"), ("Ada", "")],
)
def test_another_number_or_day_is_not_what_was_entered(wanted: str, value: str) -> None:
    assert held(wanted, value) is False

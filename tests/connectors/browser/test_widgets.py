"""Controls that pages make themselves: sliders, calendars, cards; and what lies half in the way."""

import pytest

from sparring.model.page import PageEventKind
from sparring_connectors.browser.widgets import only_number, parse_day

from .conftest import Visitor

pytestmark = pytest.mark.anyio


@pytest.fixture
async def widgets(visitor: Visitor) -> Visitor:
    await visitor.open("/widgets.html")
    return visitor


async def test_sliders_are_moved_by_keys_until_they_show_the_value(widgets: Visitor) -> None:
    assert (await widgets.do("fill", widgets.the("slider", "Zoom"), "9")).hit
    assert widgets.by("aria").value == "9"
    assert (await widgets.do("fill", widgets.by("plain"), "75")).hit
    assert "Volume: 75" in widgets.texts
    assert (await widgets.do("fill", widgets.by("plain"), "0")).hit
    assert "Volume: 0" in widgets.texts


@pytest.mark.parametrize(("value", "why"), [("77", "malformed"), ("loud", "malformed")])
async def test_a_slider_that_cannot_stand_at_a_value_says_so(
    widgets: Visitor, value: str, why: str
) -> None:
    view = await widgets.do("fill", widgets.by("plain"), value)
    assert view.hit is False
    assert widgets.event(PageEventKind.REFUSED).details["why"] == why


@pytest.mark.parametrize(
    ("value", "chosen"),
    [("02/25/2027", "2027-2-25"), ("1 November 2026", "2026-11-1"), ("2026-08-30", "2026-8-30")],
)
async def test_a_day_is_chosen_in_the_calendar_of_a_field_that_takes_no_typing(
    widgets: Visitor, value: str, chosen: str
) -> None:
    assert (await widgets.do("fill", widgets.by("day"), value)).hit
    assert widgets.by("day").value == chosen


async def test_a_calendar_that_does_not_go_on_says_so(widgets: Visitor) -> None:
    assert (await widgets.do("fill", widgets.by("day"), "3 March 2029")).hit is False
    refused = widgets.event(PageEventKind.REFUSED)
    assert refused.details["why"] == "no_option"
    assert "March 2029" in refused.text


async def test_a_page_that_moves_the_cursor_while_a_field_is_filled_does_not_spoil_it(
    widgets: Visitor,
) -> None:
    assert (await widgets.do("fill", widgets.by("jumpy"), "Buy oat milk")).hit
    assert widgets.by("jumpy").value == "Buy oat milk"


async def test_what_is_covered_in_the_middle_is_clicked_beside_it(widgets: Visitor) -> None:
    assert widgets.by("partly").covered is False
    assert (await widgets.do("click", widgets.by("partly"))).hit
    assert widgets.log == "Partly ;"


async def test_cards_of_plain_elements_are_rows_also_where_they_are_scrolled_out(
    widgets: Visitor,
) -> None:
    last = widgets.the("button", "Like", row="Linus wrote Like Reply")
    assert (last.visible, last.covered) == (True, False)
    assert (await widgets.do("click", last)).hit
    assert widgets.log == "Like Linus;"


def test_numbers_and_days_are_read_as_people_write_them() -> None:
    assert only_number("Level: -4,5 dB") == -4.5
    assert only_number("3 of 7") is None
    assert [parse_day(text) for text in ("soon", "12", "25", "x" * 50)] == [None] * 4
    assert str(parse_day("12/05/2016")) == "2016-12-05"

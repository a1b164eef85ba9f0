"""Which field takes which value of a deed."""

import pytest
from tests.plugins.web.runner.pages import element, options

from sparring.model.page import Element
from sparring_plugins.web.grammar.free.deed_parts import read_deed
from sparring_plugins.web.pages.weak.acts.deed_values import assign_values

FORM = (
    element("textbox", "Skipper", id="skipper"),
    element("textbox", "Length of the boat", id="length", input_type="number"),
    element("textbox", "Arrival", id="from", input_type="date"),
    element("textbox", "Departure", id="until", input_type="date"),
    element("combobox", "Pier", id="pier", options=options("6", "16", "North quay")),
    element("checkbox", "Visible on the map", id="shown", checked=True),
)


def entries(sentence: str, *fields: Element, name: str = "") -> list[str]:
    """Return the entries for a sentence about a record, as "fill skipper Ida"."""
    deed = read_deed(sentence)
    assert deed is not None
    found = assign_values(deed.values_without(name), fields or FORM)
    return [f"{e.action} {e.element.id} {e.value or ''}".strip() for e in found]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Book it for Ida Falk, length 12, North quay",
         ["fill skipper Ida Falk", "fill length 12", "select pier North quay"]),
        ("Book it, arriving on 16 March 2031, departing on the 19th",
         ["fill from 2031-03-16", "fill until 2031-03-19"]),
        ("Move it from pier 6 to pier 16", ["select pier 16"]),
        ("Book it for Ida Falk, not visible on the map", ["fill skipper Ida Falk", "uncheck shown"]),
        # a number that no field takes leaves all of it undone
        ("Book it for Ida Falk, code 4711, length 12, toll 3", []),
    ],
)  # fmt: skip
def test_a_form_takes_what_a_sentence_gives(sentence: str, expected: list[str]) -> None:
    assert entries(sentence) == expected


def test_a_part_of_an_option_names_it_if_no_other_has_it() -> None:
    people = element("combobox", "Owner", id="owner", options=options("Ida Falk", "Jo Hill"))
    assert entries("Hand it to Jo", people) == ["select owner Jo Hill"]
    twins = element("combobox", "Owner", id="owner", options=options("Jo Falk", "Jo Hill"))
    assert entries("Hand it to Jo", twins) == []


def test_a_password_is_only_entered_where_it_is_named() -> None:
    field = element("textbox", "New password", id="pw", input_type="password")
    assert entries("New password: 8812ab", field) == ["fill pw 8812ab"]
    assert entries("Hand it to Ida", field) == []

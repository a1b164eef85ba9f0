"""The words for controls in ``controls.yaml``, an entry at a time."""

import pytest

from sparring.model.page import Box, Element
from sparring_plugins.web.pages.controls import (
    VOCABULARY,
    entry_value,
    is_a,
    lies_behind_drawing,
    native_value,
)

FAMILIES = [(word, role) for word, roles in VOCABULARY.families.items() for role in sorted(roles)]
FORMATS = [(kind, form) for kind, forms in VOCABULARY.date_formats.items() for form in forms]


@pytest.mark.parametrize(("word", "role"), FAMILIES)
def test_a_word_means_elements_of_each_of_its_roles(word: str, role: str) -> None:
    tag = "textarea" if word == "textarea" else ""
    element = Element(id="e", role=role, tag=tag, selected=True)
    assert is_a(element, word)
    assert role.islower(), "the name of a set that there is not"


@pytest.mark.parametrize("name", sorted(VOCABULARY.close_names | VOCABULARY.regions))
def test_names_and_regions_are_compared_in_lower_case(name: str) -> None:
    assert name == name.casefold().strip()


@pytest.mark.parametrize(("kind", "form"), FORMATS)
def test_a_date_in_each_form_becomes_the_native_one(kind: str, form: str) -> None:
    from datetime import UTC, datetime

    day = datetime(2026, 11, 5, 9, 0, tzinfo=UTC)
    expected = day.strftime(VOCABULARY.date_formats[kind][0])
    ambiguous = form == "%d/%m/%Y"  # 05/11 is month/day where it can be
    day = day.replace(day=25) if ambiguous else day
    expected = day.strftime(VOCABULARY.date_formats[kind][0]) if ambiguous else expected
    assert native_value(day.strftime(form), kind) == expected


@pytest.mark.parametrize(
    ("held", "kind", "said", "entered"),
    [
        ("#000000", "color", "maroon", "#800000"),
        ("", "color", "Light Blue", "#ADD8E6"),
        ("AB2567", "text", "olive", "808000"),
        ("AB2567", "text", "#123456", "#123456"),
        ("red", "text", "olive", "olive"),
        ("2026-01-02", "date", "3 May 2027", "2027-05-03"),
    ],
)
def test_a_colour_is_entered_as_its_field_writes_it(
    held: str, kind: str, said: str, entered: str
) -> None:
    field = Element(id="e", role="textbox", input_type=kind, value=held)
    assert entry_value(said, field).upper() == entered.upper()


@pytest.mark.parametrize(
    ("kind", "said", "entered"),
    [
        ("number", "60 percent", "60"),
        ("number", "£12.50", "12.50"),
        ("range", "30 %", "30"),
        ("number", "7", "7"),
        # neither is one number with its unit: the field refuses it
        ("number", "2 of 5", "2 of 5"),
        ("number", "1,250", "1,250"),
        ("text", "60 percent", "60 percent"),
    ],
)
def test_a_field_of_numbers_takes_them_without_their_units(
    kind: str, said: str, entered: str
) -> None:
    assert entry_value(said, Element(id="e", role="spinbutton", input_type=kind)) == entered


@pytest.mark.parametrize(
    ("kind", "visible", "size", "usable"),
    [
        ("range", False, 16, True),
        ("range", False, 0, False),
        ("range", True, 16, False),
        ("number", False, 16, False),
    ],
)
def test_only_a_slider_with_a_place_is_used_although_it_is_hidden(
    kind: str, visible: bool, size: int, usable: bool
) -> None:
    box = Box(x=1, y=1, width=size, height=size)
    field = Element(id="e", role="slider", input_type=kind, visible=visible, box=box)
    assert lies_behind_drawing(field) is usable

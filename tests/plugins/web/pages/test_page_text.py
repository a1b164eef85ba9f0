"""A page as text for a model: short, complete, and quotable."""

import json

from tests.plugins.web.runner.pages import element, options, page, text

from sparring.model.page import Box
from sparring_plugins.web.page_text import page_data, quotes_page

ROWS = [
    part
    for number in range(40)
    for part in (
        text(f"Plant {number}", row=f"Plant {number} {number}.50"),
        text(f"{number}.50", row=f"Plant {number} {number}.50"),
        element("button", "Add", id=f"add{number}", row=f"Plant {number} {number}.50"),
    )
]
SHOP = page(
    element("heading", "Catalogue"),
    element("textbox", "Voucher", value="TEA5", required=True),
    element("combobox", "Size", options=options("S", "M", selected="M")),
    element("checkbox", "Gift wrap", checked=False),
    text("hidden", visible=False),
    *ROWS,
)


def test_a_line_has_what_a_person_sees_and_nothing_twice() -> None:
    shown = page_data(SHOP, "", elements=400, characters=9_000)
    lines = shown.page["elements"]
    assert isinstance(lines, list)
    assert lines[:4] == [
        "heading-Catalogue- heading 'Catalogue'",
        "textbox-Voucher- textbox 'Voucher' = 'TEA5' required",
        "combobox-Size- combobox 'Size' = 'M' of S, M",
        "checkbox-Gift wrap- checkbox 'Gift wrap' not checked",
    ]
    assert "text-Plant 7 'Plant 7 | 7.50' | add7 button 'Add'" in lines
    assert "hidden" not in json.dumps(shown.page)
    assert shown.left_out == 0
    assert {"text-Plant 7", "text-7.50", "add7"} <= shown.ids


def test_what_has_no_room_is_counted_and_the_likeliest_is_kept() -> None:
    shown = page_data(SHOP, "Add 'Plant 31'", elements=400, characters=1_000)
    assert len("\n".join(map(str, shown.page["elements"]))) <= 1_000  # type: ignore[arg-type]
    assert shown.left_out > 0
    assert "text-Plant 31" in shown.ids


def test_a_quotation_must_stand_on_the_page() -> None:
    shown = page_data(SHOP, "", elements=400, characters=9_000)
    assert quotes_page("Plant 7 | 7.50", shown)
    assert quotes_page("Plant 7 7.50", shown)
    assert quotes_page('"TEA5"', shown)
    assert not quotes_page("Plant 7 costs 7.50", shown)
    assert not quotes_page("tea5", shown)
    assert not quotes_page(" ", shown)


def test_a_list_inside_its_label_is_shown_and_the_label_is_not() -> None:
    label = element("generic", "Colour: red", id="l", tag="label", interactive=True)
    box = element(
        "combobox", "Colour:", id="c", parent="l", label="Colour:", options=options("red", "blue")
    )
    view = page(label, text("Colour:", parent="l"), box)
    lines = page_data(view, "", elements=400, characters=2_500).page["elements"]
    assert "c combobox 'Colour:' of red, blue" in lines  # type: ignore[operator]
    assert not any(str(line).startswith("l ") for line in lines)  # type: ignore[union-attr]


def test_of_a_long_list_the_options_that_a_step_may_mean_are_shown() -> None:
    labels = [f"May {verb} {thing}" for thing in ("hat", "coat", "glove") for verb in
              ("add", "change", "delete", "see", "export", "print")]  # fmt: skip
    view = page(element("listbox", "Rights", options=options(*labels), interactive=True))
    shown = page_data(view, "Give the right to see gloves", elements=400, characters=2_500)
    line = next(iter(shown.page["elements"]))  # type: ignore[arg-type]
    assert "May see glove" in str(line)
    assert str(line).endswith("and 6 more")


def test_capitals_of_a_style_are_no_second_text() -> None:
    link = element("link", "Harbours", id="h")
    shown = page_data(page(link, text("HARBOURS", parent="h")), "", elements=400, characters=2_500)
    assert shown.page["elements"] == ["h link 'Harbours'"]


def test_an_icon_without_a_name_is_shown_by_its_class() -> None:
    head = "Tea Price"
    view = page(
        element("link", "Tea", id="1", row=head),
        element("generic", "", id="2", row=head, interactive=True, attributes={"class": "gear"}),
        element("link", "Price", id="3", row=head),
        element("generic", "", id="4", row=head, interactive=True, attributes={"class": "gear"}),
        element("generic", "", id="5", interactive=True, attributes={"class": "shade"},
                box=Box(x=0, y=0, width=900, height=600)),
        element("textbox", "", id="6", input_type="password"),
        element("textbox", "", id="7", attributes={"name": "amount"}),
    )  # fmt: skip
    shown = page_data(view, "Open the gear beside Price", elements=400, characters=2_500)
    assert shown.page["elements"] == [
        "1 link 'Tea' | 2 icon (class gear) | 3 link 'Price' | 4 icon",
        "6 textbox (password)",
        "7 textbox (name amount)",
    ]
    assert {"2", "4"} <= shown.ids
    assert "5" not in shown.ids


def test_equal_icons_side_by_side_take_one_place() -> None:
    stars = [
        element("generic", "", id=f"9.{n}", row="Mug", interactive=True, tag="i",
                attributes={"class": "star"})
        for n in range(5)
    ]  # fmt: skip
    view = page(element("link", "Mug", id="8", row="Mug"), *stars)
    shown = page_data(view, "Give four stars", elements=400, characters=2_500)
    assert shown.page["elements"] == [
        "8 link 'Mug' | 9.0 icon (class star) and 9.1, 9.2, 9.3, 9.4",
    ]
    assert "9.4" in shown.ids


def test_options_that_stand_above_are_not_given_again() -> None:
    many = options("created", "changed", "creator", "assigned to", "keyword", "priority")
    lists = [element("combobox", "", id=str(n), options=many) for n in (1, 2)]
    shown = page_data(page(*lists), "Sort by keyword", elements=400, characters=2_500)
    assert shown.page["elements"] == [
        "1 combobox of created, changed, creator, assigned to, keyword, priority",
        "2 combobox of the same options as a list above",
    ]

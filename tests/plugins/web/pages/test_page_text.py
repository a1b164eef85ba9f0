"""A page as text for a model: short, complete, and quotable."""

import json

from tests.plugins.web.runner.pages import element, options, page, text

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

"""What a snapshot says of a page."""

from urllib.parse import quote

import pytest

from sparring.model.page import Element

from .conftest import Visit, Visitor

pytestmark = pytest.mark.anyio


async def test_names_values_and_states_are_those_of_the_page(visitor: Visitor) -> None:
    await visitor.open("/names.html")
    the, by = visitor.the, visitor.by

    assert the("textbox", "First name").required is True
    assert the("textbox", "Last name").value == "Lovelace"
    address = the("textbox", "Delivery address")
    assert (address.label, address.description) == ("Delivery address", "Street and number")
    assert by("mail").name == by("mail").placeholder == "you@example.org"
    assert by("phone").name == by("phone").title == "Phone number"
    assert (by("nick").adjacent, by("colour").adjacent) == ("Nickname:", "Colour")
    assert the("spinbutton", "Age").value == "36"
    assert the("slider", "Level").value == "7"
    assert the("searchbox", "Search").editable
    assert the("combobox", "City").editable
    assert the("textbox", "Password").input_type == "password"
    assert the("textbox", "Notes").value == "two\nlines"
    assert the("textbox", "Rich text").value == "Bold move"

    size = the("combobox", "Size")
    assert size.value == "Medium"
    assert [(o.label, o.value, o.selected, o.disabled) for o in size.options] == [
        ("Small", "s", False, False), ("Medium", "m", True, False), ("Large", "l", False, True),
    ]  # fmt: skip
    toppings = the("listbox", "Toppings")
    assert (toppings.value, toppings.multiple) == ("Ham, Tuna", True)

    assert the("checkbox", "Newsletter").checked is True
    assert the("radio", "Card").checked is False
    assert the("radio", "Cash").checked is True
    assert the("switch", "Dark mode").checked is True
    assert the("checkbox", "All of them").checked == "mixed"
    assert the("button", "Bold").pressed is True
    assert the("button", "More").expanded is False
    assert the("button", "Pay").disabled
    assert the("button", "Later").disabled
    assert by("number").disabled
    assert (by("fixed").readonly, by("fixed").editable) == (True, False)
    assert by("wrong").invalid is True
    assert [e.name for e in visitor.page.elements if e.input_type in ("submit", "reset", "image")] == [
        "Submit", "Clear", "Go",
    ]  # fmt: skip
    assert the("tab", "One").selected is True
    assert the("progressbar", "Upload").value == "3"
    assert the("progressbar", "Install").value == "40 percent"
    assert the("heading", "Deep").level == 4


async def test_buttons_without_text_have_names(visitor: Visitor) -> None:
    await visitor.open("/names.html")
    names = {
        "icon": "Delete", "svg": "Print", "img": "Save", "pseudo": "Menu", "hiddenlabel": "Close",
        "pictured": "Help", "starred": "Starred",
    }  # fmt: skip
    assert {name: visitor.by(name).name for name in names} == names
    assert visitor.by("clicky").interactive
    assert visitor.the("link", "Basket, 2 items").text == "🛒"


async def test_what_is_pressed_without_saying_so_is_there(visitor: Visitor) -> None:
    """One listener for a whole list, or on a drawing: only classes and test ids say it."""
    await visitor.open("/pressed.html")
    for identifier in ("delegated", "tested", "classed", "listening"):
        assert visitor.by(identifier).interactive, identifier
    assert not [e for e in visitor.page.elements if e.attributes.get("id") == "beside"]


async def test_rows_columns_and_regions_say_where_something_is(visitor: Visitor) -> None:
    await visitor.open("/names.html")
    changes = [e for e in visitor.page.elements if e.role == "link" and e.name == "Change"]
    assert [(e.row, e.region) for e in changes] == [
        ("Ann 12.50 Change", ("Orders", "Nested")),
        ("Bob 9.00 Change", ("Orders", "Nested")),
    ]
    assert visitor.the("cell", "9.00").column == "Total"
    assert visitor.the("button", "D").row == "tutu 1045 D"
    adds = [e for e in visitor.page.elements if e.role == "button" and e.name == "Add"]
    assert [e.row for e in adds] == ["Apple Add", "Pear Add"]
    assert adds[0].region[0] == "Fruit"
    sentence = visitor.the("text", "First sentence. Second one!\nThird")
    assert sentence.region == ("News", "Today")


async def test_a_column_is_called_by_its_heading_and_not_by_a_hint(visitor: Visitor) -> None:
    heads = ("Status: Activate to sort", "Total amount", "Rating - open the filter", "Note")
    table = "".join(f"<th aria-label='{head}'>{head.split()[0].strip(':')}</th>" for head in heads)
    table = f"<table><tr>{table}</tr><tr><td>1</td><td>2</td><td>3</td><td>4</td></tr></table>"
    await visitor.open("/echo?text=" + quote(table))
    columns = [e.column for e in visitor.page.elements if e.role == "cell"]
    assert columns == ["Status", "Total amount", "Rating", "Note"]


@pytest.mark.parametrize(
    "block",
    [
        "<div class=pair><input><div>{0}</div></div>",
        "<div class=pair><div>{0}</div><input></div>",
        # a hint below is no name if the block has a caption above as well
        "<div class=pair><div>{0}</div><input><div>as a number</div></div>",
    ],
)
async def test_a_caption_below_a_field_belongs_to_its_block(visitor: Visitor, block: str) -> None:
    blocks = "".join(block.format(caption) for caption in ("Berth", "Fee"))
    style = "<style>.pair input { display: block }</style>"
    await visitor.open("/echo?text=" + quote(f"{style}<section>{blocks}</section>"))
    fields = [e for e in visitor.page.elements if e.role == "textbox"]
    assert [e.adjacent for e in fields] == ["Berth", "Fee"]


async def test_a_column_is_not_called_by_the_button_that_sorts_it(visitor: Visitor) -> None:
    button = "<span role=button tabindex=0 aria-label='Sort by {0} ascending'>{1}</span>"
    heads = (button.format("berth", "Berth"), button.format("fee", "Fee"), "Sort order")
    row = "".join(f"<th>{head}</th>" for head in heads)
    await visitor.open(
        "/echo?text="
        + quote(f"<table><tr>{row}</tr><tr><td>1</td><td>2</td><td>3</td></tr></table>")
    )
    columns = [e.column for e in visitor.page.elements if e.role == "cell"]
    assert columns == ["Berth", "Fee", "Sort order"]


@pytest.mark.parametrize(
    ("inner", "icon"),
    [
        ('<i class="fa fa-ellipsis-v"></i>', "fa fa-ellipsis-v"),
        ('<svg width=9 height=9><use href="/icons.svg#icon-plus"></use></svg>', "icon-plus"),
        ('<svg width=9 height=9 data-lucide="trash"><path d="M0 0h8v8z"/></svg>', "trash"),
        ('<svg width=9 height=9 class="feather feather-bell"><path d="M0 0h8v8z"/></svg>',
         "feather feather-bell"),
        ('<i class="fa fa-plus"></i> Add', ""),
        ('<svg width=9 height=9><title>Add</title><use href="#icon-plus"></use></svg>', ""),
        ('<span class="note">…</span>', ""),
    ],
)  # fmt: skip
async def test_a_control_without_a_name_says_which_icon_it_draws(
    visitor: Visitor, inner: str, icon: str
) -> None:
    await visitor.open("/echo?text=" + quote(f"<button id=go>{inner}</button>"))
    assert visitor.by("go").attributes.get("icon", "") == icon


async def test_what_nobody_can_see_is_not_visible(visitor: Visitor) -> None:
    page = await visitor.open("/seen.html")
    told = {e.text: e.visible for e in page.elements if e.role == "text"}
    expected = await visitor.session.tab.page.evaluate(
        """() => [...document.querySelectorAll('.yes,.no')].map((e) => [
          getComputedStyle(e).textTransform === 'uppercase' ? e.textContent.toUpperCase() : e.textContent,
          e.classList.contains('yes')])"""
    )
    assert {text: told.get(text) for text, _ in expected} == dict(expected)
    assert visitor.by("covered").covered
    assert visitor.by("covered").visible
    assert not visitor.by("free").covered
    below = visitor.the("text", "far below")
    assert (below.visible, below.in_viewport) == (True, False)


async def test_frames_and_shadow_roots_belong_to_the_page(visitor: Visitor) -> None:
    page = await visitor.open("/frames.html")
    payment = visitor.the("iframe", "Payment")
    number = visitor.the("textbox", "Number")
    assert number.region == ("Payment", "Outside", "Card") or number.region[-1] == "Card"
    assert payment.box is not None
    assert number.box is not None
    assert number.box.x > payment.box.x
    assert number.box.y > payment.box.y
    assert visitor.the("button", "Deep button").frame > number.frame > 0
    assert not visitor.the("button", "Nobody sees me").visible
    assert visitor.the("button", "In the sandbox").visible
    for name in ("Open button", "Closed button"):
        assert visitor.the("button", name).visible
    assert visitor.the("textbox", "Closed field").editable
    order = [e.text for e in page.elements if e.role == "text"]
    assert order.index("Closed text") < order.index("Slotted text") < order.index("Closed button")
    assert len(page.frames) == 5


async def test_acts_reach_into_frames_and_shadow_roots(visitor: Visitor) -> None:
    await visitor.open("/frames.html")
    await visitor.do("fill", visitor.the("textbox", "Number"), "42")
    await visitor.do("click", visitor.the("button", "Pay now"))
    assert "Paid 42" in visitor.texts
    for name, after in (
        ("Deep button", "Deep done"), ("Open button", "Pressed open"),
        ("Closed button", "Pressed closed"),
    ):  # fmt: skip
        assert (await visitor.do("click", visitor.the("button", name))).hit
        visitor.the("button", after)
    await visitor.do("fill", visitor.the("textbox", "Closed field"), "inside")
    assert visitor.the("textbox", "Closed field").value == "inside"


async def test_an_id_stays_while_its_document_lives(visitor: Visitor) -> None:
    before = await visitor.open("/actions.html")
    ids = {e.attributes["id"]: e.id for e in before.elements if "id" in e.attributes}
    await visitor.do("click", visitor.by("b"))
    after = {e.attributes["id"]: e.id for e in visitor.page.elements if "id" in e.attributes}
    assert {**after, **ids} == after
    await visitor.do("reload")
    fresh = {e.id for e in visitor.page.elements}
    assert not fresh & {e.id for e in before.elements}
    assert visitor.page.document == before.document + 1


async def test_equal_pages_have_equal_digests(visitor: Visitor) -> None:
    first = await visitor.open("/names.html")
    again = await visitor.look()
    assert again.digest == first.digest
    await visitor.do("reload")
    assert visitor.page.digest == first.digest
    await visitor.do("fill", visitor.by("first"), "x")
    assert visitor.page.digest != first.digest


async def test_a_hostile_page_is_told_as_it_is(visitor: Visitor) -> None:
    page = await visitor.open("/hostile.html")
    assert visitor.the("textbox", "One").editable
    assert len([e for e in page.elements if e.role == "textbox"]) == 7
    assert page.title == "Hostile"
    assert visitor.the("img", "Not the body")
    assert "lone ? surrogate" in visitor.texts
    assert page.model_dump_json()
    assert (await visitor.do("click", visitor.the("button", "Send"))).hit


async def test_a_huge_page_keeps_to_its_budget(visit: Visit) -> None:
    limit = 1000
    visitor = await visit("/huge", snapshot={"elements": limit}, timeout={"navigation_s": 60})
    page = await visitor.look()
    assert len(page.elements) == limit
    assert page.truncated > 7_000
    assert page.elements[0].name == "First"
    assert all(one.visible for one in page.elements)
    kept: list[Element] = [e for e in page.elements if e.role == "link"]
    assert len(kept) > 250


async def test_an_interactive_snapshot_is_a_small_one(visit: Visit, visitor: Visitor) -> None:
    whole = await visitor.open("/names.html")
    small = await visit("/names.html", snapshot={"interactive": True})
    page = await small.look()
    roles = {e.role for e in page.elements}
    assert {"button", "textbox", "heading", "link"} <= roles
    assert not {"text", "paragraph", "row"} & roles
    assert len(page.elements) < len(whole.elements) / 2


@pytest.mark.parametrize("path", ["/frames.html", "/names.html"])
async def test_what_is_as_it_was_is_taken_from_the_snapshot_before(
    visitor: Visitor, path: str
) -> None:
    before = await visitor.open(path)
    now = await visitor.look()
    old = {element.id: element for element in before.elements}
    same = [element for element in now.elements if old.get(element.id) == element]
    assert len(same) > len(now.elements) / 2
    assert all(old[element.id] is element for element in same)


async def test_what_has_changed_or_moved_is_as_if_it_was_seen_first(visitor: Visitor) -> None:
    """The log above all fields grows by a line, so that all of them move down."""
    before = await visitor.open("/actions.html")
    await visitor.do("fill", visitor.by("name"), "new")
    await visitor.do("hover", visitor.the("text", "Hover here"))
    now = await visitor.look()
    assert visitor.by("name").value == "new"
    assert now.elements[-1].box != before.elements[-1].box
    visitor.session._viewer._last = {}
    afresh = await visitor.look()
    assert (afresh.elements, afresh.digest) == (now.elements, now.digest)

"""Clicks count if they were done, and are aimed at what is free of a control."""

from typing import Any
from urllib.parse import quote

import pytest

from sparring.model.page import PageEventKind

pytestmark = pytest.mark.anyio

_BUTTON = "<button id=go style='position:absolute;left:100px;top:100px;width:200px;height:60px'"


async def _open(visitor: Any, html: str) -> None:
    await visitor.open("/echo?text=" + quote(html))


@pytest.mark.thorough
async def test_a_click_counts_though_the_page_freezes_after_it(visitor: Any) -> None:
    """A long calculation behind a button is no reason to say that it was not hit."""
    await _open(
        visitor,
        '<button id=go onclick="const end = Date.now() + 2600; while (Date.now() < end);'
        " this.textContent = 'Sorted'\">Sort</button>",
    )
    view = await visitor.do("click", visitor.by("go"))
    assert view.hit is True
    assert visitor.by("go").text == "Sorted"
    assert PageEventKind.REFUSED not in visitor.kinds()


@pytest.mark.parametrize(
    "veil",
    [
        "left:100px;top:100px;width:192px;height:60px",
        "left:108px;top:100px;width:192px;height:60px",
        "left:100px;top:105px;width:200px;height:60px",
        "left:100px;top:100px;width:200px;height:56px",
    ],
    ids=["right edge", "left edge", "top edge", "bottom edge"],
)
async def test_a_sliver_of_free_edge_is_enough(visitor: Any, veil: str) -> None:
    await _open(
        visitor,
        f"{_BUTTON} onclick=\"this.textContent = 'Hit'\">Hit me</button>"
        f"<div style='position:absolute;background:#eee;{veil}'></div>",
    )
    assert not visitor.by("go").covered
    view = await visitor.do("click", visitor.by("go"))
    assert view.hit is True
    assert visitor.by("go").text == "Hit"


async def test_what_is_tried_in_a_copy_leaves_the_page_as_it_was(visitor: Any) -> None:
    await _open(visitor, "<button onclick=\"this.textContent = 'Counted'\">Count</button>")
    await visitor.do("rehearse", value="begin")
    await _open(visitor, "<button>Other</button>")
    assert visitor.the("button", "Other")
    refused = await visitor.do("rehearse", value="begin")
    assert refused.hit is False
    await visitor.do("rehearse", value="end")
    await visitor.do("click", visitor.the("button", "Count"))
    assert visitor.the("button", "Counted")


async def test_a_copy_may_take_the_place_of_the_page(visitor: Any) -> None:
    await _open(visitor, "<p>Left</p>")
    assert (await visitor.do("rehearse", value="afresh")).hit is False  # there is no `reset`
    await visitor.do("rehearse", value="begin")
    await _open(visitor, "<p>Stays</p>")
    await visitor.do("rehearse", value="stay")
    await visitor.look()
    assert any("Stays" in text for text in visitor.texts)


_NODE = (
    "<svg width=600 height=300><g id=all><g id=node onclick=\"document.title = 'Hit'\">"
    "<rect x=20 y=20 width=120 height=40 fill=#ccc></rect>"
    "<text id=name x=40 y=45 {style}>Boiler</text>{over}</g></g></svg>"
)


async def test_the_name_of_a_node_in_a_drawing_is_hit_through_its_box(visitor: Any) -> None:
    """The box of a node takes the clicks for its label, as diagrams draw them."""
    await _open(visitor, _NODE.format(style="style='pointer-events:none'", over=""))
    label = visitor.the("text", "Boiler")
    assert not label.covered
    view = await visitor.do("click", label)
    assert view.hit is True
    assert view.snapshot.title == "Hit"


async def test_a_label_in_a_group_of_its_own_is_hit_through_the_box_beside_that(
    visitor: Any,
) -> None:
    label = "<g id=label><text x=40 y=45 style='pointer-events:none'>Boiler</text></g>"
    box = "<rect x=20 y=20 width=120 height=40 fill=#ccc></rect>"
    node = f"<g id=node ondblclick=\"document.title = 'Hit'\">{label}{box}</g>"
    await _open(visitor, f"<svg width=600 height=300><g>{node}</g></svg>")
    view = await visitor.do("double_click", visitor.the("text", "Boiler"))
    assert view.hit is True
    assert view.snapshot.title == "Hit"


async def test_a_slider_behind_a_drawn_one_is_moved(visitor: Any) -> None:
    slider = "<input type=range min=0 max=60 step=5 value=0 aria-label=Trees style='opacity:0'"
    heard = 'oninput="document.title = this.value"'
    await _open(visitor, f"<div style='height:30px'>{slider} {heard}></div>")
    view = await visitor.do("fill", visitor.the("slider", "Trees"), "40")
    assert view.hit is True
    assert view.snapshot.title == "40"


async def test_what_covers_a_whole_drawing_hides_its_names(visitor: Any) -> None:
    veil = "<rect x=0 y=0 width=600 height=300 fill=#fff></rect>"
    await _open(visitor, _NODE.format(style="", over=veil))
    hidden = [e for e in visitor.view.snapshot.elements if e.text == "Boiler" and e.role == "text"]
    assert all(one.covered or not one.visible for one in hidden)


_STORY = (
    "<div id=story style='border:7px solid;padding:9px;width:300px' onclick=\""
    "const at = document.caretRangeFromPoint(event.clientX, event.clientY).startContainer;"
    "document.title = (at.parentElement.closest('span') ? 'span ' : '') + at.data.trim()\">"
    "<p>Lighters are no lights. The old <span>light</span> burns, "
    "and the <span>light\u200bhouse</span>\u200b <span>keeper</span> reads.</p>"
    "<p style='display:none'>hidden</p><p>Good</p><p>bye</p></div>"
)


@pytest.mark.parametrize(
    ("words", "hit"),
    [
        ("light", "span light"),
        ("LIGHT", "span light"),
        ("Lighters", "Lighters are no lights. The old"),
        ("lighthouse  keeper", "span light\u200bhouse"),
        ("keeper", "span keeper"),
        ("Good", "Good"),
    ],
)
async def test_a_click_on_words_hits_these_words_and_not_the_middle_of_the_text(
    visitor: Any, words: str, hit: str
) -> None:
    """The page learns which word is meant only by where the click went."""
    await _open(visitor, _STORY)
    view = await visitor.do("click", visitor.by("story"), words)
    assert view.hit is True
    assert view.snapshot.title == hit


@pytest.mark.parametrize("words", ["house", "Goodbye", "hidden", "lamp"])
async def test_a_click_on_words_that_a_text_does_not_show_is_refused(
    visitor: Any, words: str
) -> None:
    """No part of a word, nothing unseen, and no words of two lines are clicked instead."""
    await _open(visitor, _STORY)
    title = visitor.page.title
    view = await visitor.do("click", visitor.by("story"), words)
    assert (view.hit, view.snapshot.title) == (False, title)


async def test_words_below_the_window_are_scrolled_to(visitor: Any) -> None:
    far = _STORY.replace("The old", "The" + "<br>" * 120 + "old")
    await _open(visitor, far)
    view = await visitor.do("click", visitor.by("story"), "keeper")
    assert (view.hit, view.snapshot.title) == (True, "span keeper")


async def test_an_icon_whose_picture_changes_under_the_mouse_is_hit(visitor: Any) -> None:
    """Until the other picture has come the icon has no size, and the click would miss it."""
    await _open(
        visitor,
        "<style>#go { content: url(/dot.png); height: 20px }"
        " #go:hover { content: url(/dot.png?lit) }</style>"
        "<div><span id=go onclick=\"document.title = 'Rung'\"></span></div>",
    )
    view = await visitor.do("click", visitor.by("go"))
    assert view.hit is True
    assert view.snapshot.title == "Rung"

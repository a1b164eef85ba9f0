"""Acts are real: what they do, and why they are refused."""

from typing import Any

import pytest

from sparring.model.page import PageEventKind

from .conftest import QUICK, Visit, Visitor

pytestmark = pytest.mark.anyio


@pytest.fixture
async def acts(visitor: Visitor) -> Visitor:
    await visitor.open("/actions.html")
    return visitor


async def test_clicks_are_real_events(acts: Visitor) -> None:
    view = await acts.do("click", acts.by("b"))
    assert (view.hit, view.target_changed) == (True, False)
    assert acts.log == "clicked true;"
    await acts.do("double_click", acts.by("b"))
    assert acts.log.endswith("clicked true; clicked true; double;")
    await acts.do("right_click", acts.by("b"))
    assert acts.log.endswith("right;")
    view = await acts.do("click", acts.by("once"))
    assert (view.hit, view.target_changed) == (True, True)
    view = await acts.do("click", acts.by("gone"))
    assert (view.hit, view.target_changed) == (True, True)


async def test_a_text_is_clicked_where_it_stands(acts: Visitor) -> None:
    await acts.do("click", acts.the("text", "Agree"))
    assert acts.by("c").checked is True


async def test_a_target_that_becomes_ready_is_waited_for(acts: Visitor, visit: Visit) -> None:
    patient = await visit("/actions.html", timeout={"action_s": 4})
    await patient.look()
    view = await patient.do("click", patient.by("soon"))
    assert view.hit
    assert patient.log == "soon;"
    assert (await acts.do("click", acts.by("moving"))).hit
    assert acts.log == "caught;"


@pytest.mark.parametrize(
    ("action", "target", "value", "why"),
    [
        ("click", "never", None, "disabled"),
        ("click", "under", None, "covered"),
        ("fill", "fixed", "x", "readonly"),
        ("type", "fixed", "x", "readonly"),
        ("fill", "b", "x", "not_editable"),
        ("fill", "birthday", "tomorrow", "malformed"),
        ("fill", "name", None, "invalid"),
        ("select", "size", "Gigantic", "no_option"),
        ("select", "size", "Huge", "disabled"),
        ("check", "name", None, "not_a_box"),
        ("uncheck", "r1", None, "not_a_box"),
        ("press", "name", "NoSuchKey", "invalid"),
        ("upload", "file", "no_such_file.txt", "no_file"),
        ("upload", "file", "../../../../etc/passwd", "no_file"),
        ("upload", "file", "/etc/hostname", "no_file"),
        ("drag", "thing", None, "invalid"),
        ("scroll", None, None, "invalid"),
        ("scroll", None, "sideways", "invalid"),
        ("wait", None, {"no": "text"}, "invalid"),
        ("wait", None, "never to be seen", "timeout"),
        ("switch_tab", None, 7, "no_tab"),
        ("close_tab", None, None, "last_tab"),
        ("click", None, None, "invalid"),
        ("dance", None, None, "unknown"),
        ("", None, None, "unknown"),
    ],
)
async def test_what_cannot_be_done_is_refused_with_the_reason(
    shared_page: Visitor, action: str, target: str | None, value: Any, why: str
) -> None:
    page = shared_page
    view = await page.do(action, page.by(target) if target else None, value)
    assert view.hit is False
    event = page.event(PageEventKind.REFUSED)
    assert (event.details["why"], event.details["action"]) == (why, action)
    assert PageEventKind.SCRIPT_CLICK not in page.kinds()
    assert page.log == ""


@pytest.mark.parametrize("identifier", ["99.1", "1.99999", "", "#nowhere", "1", "1.x", "x" * 999])
async def test_an_element_that_is_not_there_is_refused(acts: Visitor, identifier: str) -> None:
    view = await acts.do("click", identifier)
    assert view.hit is False
    assert acts.event(PageEventKind.REFUSED).details["why"] in ("stale", "invalid")


async def test_an_id_of_an_earlier_page_is_stale(acts: Visitor) -> None:
    old = acts.by("b")
    await acts.do("reload")
    assert (await acts.do("click", old)).hit is False
    event = acts.event(PageEventKind.REFUSED)
    assert event.details["why"] == "stale"
    assert old.id in event.text


@pytest.mark.thorough
async def test_what_no_mouse_can_reach_is_clicked_by_a_script_and_told(visit: Visit) -> None:
    # The browser has to try once before the time is over, or all that it says is "timeout".
    timeout = {**QUICK, "action_s": 6}
    acts = await visit("/actions.html", timeout=timeout)
    await acts.look()
    view = await acts.do("click", acts.by("reach"))
    assert view.hit is False
    assert acts.event(PageEventKind.SCRIPT_CLICK).details["why"] == "out_of_reach"
    assert acts.log == "reached;"
    strict = await visit("/actions.html", script_click=False, timeout=timeout)
    await strict.look()
    assert (await strict.do("click", strict.by("reach"))).hit is False
    assert strict.event(PageEventKind.REFUSED).details["why"] == "out_of_reach"


async def test_texts_are_filled_in_and_typed(acts: Visitor) -> None:
    await acts.do("fill", acts.by("name"), "Ada")
    assert acts.by("name").value == "Ada"
    await acts.do("append", acts.by("name"), " L")
    assert acts.by("name").value == "Ada L"
    assert acts.by("name").focused
    await acts.do("press", acts.by("name"), "enter")
    assert acts.log.endswith("enter;")
    await acts.do("press", None, "ctrl + a")
    await acts.do("type", None, "Bob")
    assert acts.by("name").value == "Bob"
    await acts.do("fill", acts.the("generic", "Name", tag="label"), "by its label")
    assert acts.by("name").value == "by its label"
    await acts.do("fill", acts.by("birthday"), "1815-12-10")
    assert acts.by("birthday").value == "1815-12-10"
    await acts.do("fill", acts.by("rich"), "new text")
    assert acts.by("rich").value == "new text"
    await acts.do("fill", acts.by("name"), "")
    assert acts.by("name").value == ""


async def test_a_page_that_listens_to_keys_hears_what_is_filled_in(acts: Visitor) -> None:
    await acts.do("fill", acts.by("heard"), "Red Kite")
    assert acts.the("note", "Slug").text == "Red Kite"


async def test_a_date_is_typed_over_the_one_that_a_date_field_holds(acts: Visitor) -> None:
    for day in ("2027-05-03", "2028-06-04"):
        await acts.do("type", acts.by("birthday"), day)
        assert acts.by("birthday").value == day


async def test_options_are_selected_in_native_lists(acts: Visitor) -> None:
    await acts.do("select", acts.by("size"), "medium")
    assert acts.by("size").value == "Medium size"
    assert acts.log == "size m;"
    await acts.do("select", acts.by("size"), "s")
    assert acts.by("size").value == "Small"
    await acts.do("select", acts.by("many"), ["One", "Three"])
    assert acts.by("many").value == "One, Three"


async def test_options_are_selected_in_lists_that_a_page_makes(acts: Visitor) -> None:
    button = acts.the("button", "Choose a city")
    acts_on_rome = await acts.do("select", button, "Oslo")
    assert acts_on_rome.hit
    assert (await acts.do("select", acts.by("sorter"), "Rating")).hit
    assert acts.by("sorter").text == "Sorted by Rating"
    assert (await acts.do("select", button, "Paris")).hit is False
    assert acts.event(PageEventKind.REFUSED).details["why"] == "disabled"
    assert (await acts.do("select", acts.by("b"), "Rome")).hit is False
    assert acts.event(PageEventKind.REFUSED).details["why"] == "no_option"


async def test_boxes_are_checked_once_and_also_behind_their_labels(acts: Visitor) -> None:
    for name in ("c", "styled", "drawn", "sw"):
        await acts.do("check", acts.by(name))
        assert acts.by(name).checked is True
        assert (await acts.do("check", acts.by(name))).hit
        assert acts.by(name).checked is True
        await acts.do("uncheck", acts.by(name))
        assert acts.by(name).checked is False
    await acts.do("check", acts.by("r2"))
    assert acts.by("r2").checked is True
    await acts.do("check", acts.the("generic", "Agree", tag="label"))
    assert acts.by("c").checked is True


async def test_the_mouse_hovers_drags_and_scrolls(acts: Visitor, visitor: Visitor) -> None:
    item = acts.the("link", "Menu item")
    assert not item.visible
    await acts.do("hover", acts.the("text", "Hover here"))
    assert acts.the("link", "Menu item").visible
    await acts.do("drag", acts.by("thing"), destination=acts.by("zone"))
    assert acts.log.endswith("dropped;")
    await acts.do("drag", acts.by("slider"), {"x": 60, "y": 0})
    assert int(acts.by("slider").value or 0) > 60

    await visitor.open("/seen.html")
    await visitor.do("scroll", None, "down")
    assert 500 < visitor.page.scroll_y < 800
    await visitor.do("scroll", visitor.the("text", "far below"))
    assert visitor.the("text", "far below").in_viewport
    await visitor.do("scroll", None, "top")
    assert visitor.page.scroll_y == 0
    await visitor.do("scroll", None, "bottom")
    assert visitor.the("text", "far below").in_viewport


async def test_files_are_uploaded_from_the_suites_folder(acts: Visitor) -> None:
    await acts.do("upload", acts.by("file"), ["site/second.html", "conftest.py"])
    assert acts.log == "file second.html 2;"
    assert acts.by("file").value == "second.html, conftest.py"
    assert acts.event(PageEventKind.UPLOAD).details["files"] == ["second.html", "conftest.py"]
    await acts.do("upload", acts.by("chooser"), "conftest.py")
    assert acts.log.endswith("attached conftest.py;")


async def test_history_is_walked(acts: Visitor) -> None:
    await acts.do("click", acts.the("link", "Next page"))
    assert acts.page.title == "Second"
    first = acts.page.document
    await acts.do("back")
    assert acts.page.title == "Acts"
    await acts.do("forward")
    assert (acts.page.title, acts.page.document) == ("Second", first + 2)
    await acts.do("open", value="/names.html")
    assert acts.page.title == "Names and states"


async def test_tabs_are_followed_switched_and_closed(acts: Visitor) -> None:
    await acts.do("click", acts.the("link", "New tab"))
    assert (acts.page.title, acts.page.tab, acts.page.tabs) == ("Second", 1, 2)
    assert PageEventKind.POPUP in acts.kinds()
    await acts.do("switch_tab", value=0)
    assert (acts.page.title, acts.page.tab) == ("Acts", 0)
    await acts.do("switch_tab", value="second")
    await acts.do("click", acts.the("button", "Close me"))
    assert (acts.page.title, acts.page.tabs) == ("Acts", 1)
    assert PageEventKind.TAB_CLOSED in acts.kinds()
    await acts.do("click", acts.the("link", "New tab"))
    await acts.do("close_tab")
    assert (acts.page.title, acts.page.tabs) == ("Acts", 1)


@pytest.mark.parametrize(("role", "name"), [("link", "lamp"), ("button", "chair")])
async def test_a_new_tab_that_another_host_does_not_fill_hides_no_page(
    acts: Visitor, role: str, name: str
) -> None:
    await acts.open("/opener.html")
    view = await acts.do("click", acts.the(role, name))
    await acts.do("wait", value="quiet")
    assert (acts.page.title, acts.page.tab, acts.page.tabs) == ("Opener", 0, 2)
    assert PageEventKind.POPUP in {event.kind for event in view.events}


async def test_a_new_tab_with_a_failing_page_of_the_apps_own_is_followed(acts: Visitor) -> None:
    await acts.open("/opener.html")
    await acts.do("click", acts.the("link", "Own page"))
    await acts.do("wait", value="quiet")
    assert (acts.page.tab, acts.page.tabs) == (1, 2)


async def test_waiting_is_for_a_time_a_text_or_quiet(acts: Visitor) -> None:
    view = await acts.do("click", acts.the("button", "Later"))
    assert "Came late" in acts.texts
    assert view.settle_s < 3
    await acts.do("click", acts.the("button", "Fetch"))
    assert "slow answer" in acts.texts
    for value in (
        "0.05",
        "10 ms",
        0.01,
        "quiet",
        None,
        "slow answer",
        {"text": "Came", "seconds": 1},
    ):
        assert (await acts.do("wait", value=value)).hit is None


_SELECTION = "() => String(document.getSelection()).replace(/\\s+/g, ' ').trim()"


async def test_text_is_selected_by_the_mouse(visitor: Visitor) -> None:
    await visitor.open("/second.html")
    page = visitor.session.tab.page
    await page.set_content("<p>One <b>fine</b> day in May</p><textarea>Oak and ash</textarea>")
    await visitor.do("wait", value=0.05)
    paragraph = next(e.id for e in visitor.page.elements if e.role == "paragraph")
    assert (await visitor.do("select_text", paragraph)).hit
    assert await page.evaluate(_SELECTION) == "One fine day in May"
    assert (await visitor.do("select_text", paragraph, "fine day")).hit
    assert await page.evaluate(_SELECTION) == "fine day"
    assert (await visitor.do("select_text", paragraph, "June")).hit is False
    field = next(e.id for e in visitor.page.elements if e.tag == "textarea")
    assert (await visitor.do("select_text", field, "and")).hit
    assert await page.evaluate(_SELECTION) == "and"

"""Which faults are derived from what a suite did on a web app."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, cast

from sparring.model.case import Case
from sparring.model.page import Element, Option, PageEvent, PageEventKind, PageSnapshot, PageView
from sparring.model.talk import Ended, GuiAction, Listen, Observation, Trace, Turn
from sparring_connectors.browser.config import page_faults_json
from sparring_plugins.mutation.model import SuiteChange
from sparring_plugins.web.page_mutants import PAGES
from sparring_plugins.web.played_pages import increment_number, path_pattern
from sparring_plugins.web.roles import Judged
from sparring_plugins.web.runner.records import META, GuiRecord, StepRecord
from sparring_plugins.web.step import Displayed, Reading, Step, Target

FORM = PageSnapshot(
    url="http://127.0.0.1:9/items/17/edit?x=1",
    digest="form",
    elements=(
        Element(id="1.1", role="heading", name="Edit", tag="h1"),
        Element(id="1.2", role="text", text="Edit", parent="1.1"),
        Element(id="1.3", role="textbox", name="Title", tag="input", attributes={"name": "title"}),
        Element(id="1.4", role="combobox", name="Kind", tag="select", options=(Option(label="a"), Option(label="b"))),
        Element(id="1.5", role="button", name="Save", tag="button"),
        Element(id="1.6", role="button", name="Save", tag="button"),
        Element(id="1.7", role="link", name="Home", tag="a", url="/"),
    ),
)  # fmt: skip
SAVED = PageSnapshot(
    url="http://127.0.0.1:9/items",
    digest="saved",
    elements=(
        Element(id="2.1", role="text", text="3 items"),
        Element(id="2.2", role="text", text="12 visitors"),
        Element(id="2.3", role="text", text="hidden 5", visible=False),
    ),
)


def _turn(act: Any, snapshot: PageSnapshot, *events: PageEvent, picture: str = "") -> Turn:
    page = PageView(snapshot=snapshot, events=events, screenshot=picture or None)
    return Turn(act=act, observation=Observation(page=page))


def _request(method: str, path: str) -> PageEvent:
    details: dict[str, Any] = {"method": method, "resource": "document"}
    return PageEvent(kind=PageEventKind.REQUEST, text=path, details=details)


def _redirected(method: str, path: str) -> PageEvent:
    """A request to which an answer led on: nothing can stand in between there."""
    request = _request(method, path)
    return request.model_copy(update={"details": {**request.details, "redirected": True}})


def _trace(turns: Sequence[Turn], record: GuiRecord | None = None) -> Trace:
    meta = {META: record.model_dump(mode="json")} if record else {}
    return Trace(
        case=Case.of("saves", {}, run_seed=0), turns=tuple(turns), ended=Ended.SCRIPT_DONE,
        started=datetime(2026, 1, 1, tzinfo=UTC), meta=cast("Any", meta),
    )  # fmt: skip


def _played() -> Trace:
    step = Step(
        number=4, text="Assert that '3 items' is displayed",
        readings=(Reading(action="assert", condition=Displayed(target=Target(text="3 items"))),),
    )  # fmt: skip
    shown = Judged(truth=True, elements=("2.1",))
    record = StepRecord(step=step, outcome="true", assertion=shown, digest="saved")
    toast = PageEvent(kind=PageEventKind.MESSAGE, text="Item saved")
    asked = PageEvent(kind=PageEventKind.DIALOG, text="Really?")
    return _trace(
        [
            _turn(Listen(), FORM, _request("GET", "/items/17/edit")),
            _turn(GuiAction(action="fill", target="1.3", value="Tea"), FORM),
            _turn(GuiAction(action="select", target="1.4", value="b"), FORM),
            _turn(
                GuiAction(action="click", target="1.6"), SAVED,
                _request("POST", "/items/17"), _redirected("GET", "/items"), toast, asked,
                picture="p1.png",
            ),
        ],
        GuiRecord(test="saves", steps=(record,), verdict="pass"),
    )  # fmt: skip


def _found(*traces: Trace) -> dict[str, list[SuiteChange]]:
    return {one.name: list(one.find(traces)) for one in PAGES.operators}


def test_each_kind_of_fault_is_found_where_the_suite_touched_the_app() -> None:
    found = _found(_played())
    targets = {name: [one.target for one in changes] for name, changes in found.items()}
    assert targets["DeadClick"] == ["pressing button 'Save' (number 2 of its kind) does nothing"]
    assert targets["DroppedSubmit"] == [
        "the form of button 'Save' (number 2 of its kind) is not sent"
    ]
    assert targets["LostValue"] == ["what is entered in textbox 'Title' is lost"]
    assert targets["SwappedOption"] == ["combobox 'Kind' takes another option"]
    assert targets["WrongNumber"] == ["'3 items' reads '4 items'"]
    assert targets["OtherText"] == ["'Edit', which no assertion names, reads 'Something else'"]
    assert targets["OtherNumber"] == [
        "'12 visitors', which no assertion names, reads '13 visitors'"
    ]
    assert targets["MissingMessage"] == ["the message 'Item saved' never appears"]
    assert targets["MissingDialog"] == ["the dialog 'Really?' never appears"]
    assert targets["ServerError"] == ["GET /items/*/edit answers 500", "POST /items/* answers 500"]
    assert targets["LinkElsewhere"] == []  # the link was not followed
    assert targets["IgnoredBox"] == []


def test_every_fault_is_one_that_the_connector_takes_and_in_the_same_order_each_time() -> None:
    from sparring_connectors.browser.config import BrowserConfig

    found = _found(_played())
    assert found == _found(_played())
    for changes in found.values():
        for change in changes:
            told = cast("Any", change.settings["app.faults"])
            config = BrowserConfig(url="http://127.0.0.1:9/", faults=told)
            assert len(config.faults) == 1
            assert "<" not in page_faults_json(config.faults)


def test_a_fault_is_where_its_event_is_and_the_pictures_are_those_after_the_same_act() -> None:
    original = _played()
    fault = PageEvent(kind=PageEventKind.FAULT, text="dead", details={"number": 0})
    waited = _turn(GuiAction(action="wait", value=0.2), FORM, picture="m2.png")
    turns = [*original.turns[:3], _turn(original.turns[3].act, FORM, fault, picture="m1.png")]
    effect = PAGES.effect(original, _trace([*turns, waited]))
    assert effect is not None
    assert (effect.before, effect.after) == ("p1.png", "m2.png")
    assert PAGES.effect(original, original) is None


def test_numbers_are_changed_as_they_are_written_and_ids_in_paths_are_not_looked_at() -> None:
    assert increment_number("Total: 0.99 for 2") == "Total: 1.99 for 2"
    assert increment_number("007 left") == "008 left"
    assert increment_number("none") is None
    assert path_pattern("/items/17/edit") == "/items/*/edit"
    assert path_pattern("") == "/"


def test_what_a_page_says_never_becomes_a_placeholder() -> None:
    element = Element(id="1.1", role="button", name="{0} {x} <b>", tag="button")
    page = PageSnapshot(url="http://127.0.0.1:9/", elements=(element,))
    click = _turn(GuiAction(action="click", target="1.1"), page)
    (change,) = _found(_trace([_turn(Listen(), page), click]))["DeadClick"]
    assert "{0} {x} <b>" in change.target

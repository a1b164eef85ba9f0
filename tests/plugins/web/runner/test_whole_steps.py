"""Steps of the runner that only their whole sentence and the page in view can carry out."""

import pytest
from tests.plugins.web.runner.pages import element, page, text
from tests.plugins.web.runner.test_algorithm import Site, played

from sparring.errors import AppProtocolError
from sparring.model.page import PageView
from sparring.model.talk import Act, GuiAction
from sparring.model.verdict import Owner
from sparring_plugins.web.grammar.steps import read_step, read_steps
from sparring_plugins.web.roles import Judged, Navigation
from sparring_plugins.web.runner.records import StepRecord
from sparring_plugins.web.runner.run_state import blame_failed_act
from sparring_plugins.web.runner.whole_steps import is_settled
from sparring_plugins.web.step import Reading, Step, Target

pytestmark = pytest.mark.anyio

PIER = page(
    element("form", "", id="f"),
    element("textbox", "Boat", id="boat", parent="f"),
    element("textbox", "Length", id="length", parent="f", input_type="number"),
    element("button", "Weigh anchor", id="weigh", text="Weigh anchor"),
)
SEA = page(text("At sea"))


def read_all(*sentences: str) -> list[Step]:
    return [read_step(one, number=number) for number, one in enumerate(sentences, 1)]


def sail(act: Act) -> PageView | None:
    if isinstance(act, GuiAction) and (act.action, act.target) == ("click", "weigh"):
        return SEA
    return None


async def test_a_step_that_no_form_reads_is_carried_out_by_its_words() -> None:
    listed = read_all("Weigh the anchor", "Check that 'At sea' is shown")
    site = Site(PIER, sail)
    run = await played(site, listed)
    assert site.done == ["click weigh"]
    assert [one.outcome for one in run.records] == ["done", "true"]
    assert "weak reading" in (run.records[0].navigation.reason if run.records[0].navigation else "")


async def test_what_failed_behind_such_a_step_is_no_fault_of_the_app() -> None:
    """A guess may have been wrong, so that a check behind it is undecided and not false."""
    listed = read_all("Weigh the anchor", "Check that 'In port' is shown")
    run = await played(Site(PIER, sail), listed)
    assert run.records[-1].outcome == "inconclusive"


def refuse(act: Act) -> PageView | None:
    if isinstance(act, GuiAction) and act.action == "click":
        raise AppProtocolError("the page keeps going to others")
    return None


@pytest.mark.parametrize(
    ("sentence", "owner", "doubt"),
    [
        ("Click on 'Weigh anchor'", Owner.APP, ""),
        ("Weigh the anchor", None, "a weak reading chose it"),
        ("Click on 'Anchor'", None, "only a part of its name"),
    ],
)
async def test_an_act_on_what_may_not_be_meant_fails_through_no_fault_of_the_app(
    sentence: str, owner: Owner | None, doubt: str
) -> None:
    """The choice may be wrong; a control that is named in quotes is the one that is meant."""
    run = await played(Site(PIER, refuse), read_all(sentence))
    assert run.records[0].outcome == "inconclusive"
    assert "keeps going to others" in run.records[0].reason
    assert doubt in run.records[0].reason
    assert bool(doubt) is ("may mean another control" in run.records[0].reason)
    assert run.records[0].owner is owner


async def test_an_act_of_one_of_several_readings_fails_through_no_fault_of_the_app() -> None:
    """Which of the readings is meant, nobody knows; if they mean one control, it is that one."""
    weigh = Reading(action="click", target=Target(text="Weigh anchor"))
    other = weigh.model_copy(update={"target": Target(text="Drop anchor")})
    for second, owner in ((other, None), (weigh, Owner.APP)):
        step = Step(number=1, text="Weigh anchor", readings=(weigh, second))
        run = await played(Site(PIER, refuse), [step])
        assert run.records[0].owner is owner


@pytest.mark.parametrize(("strict", "owner"), [(True, Owner.APP), (False, None)])
def test_an_act_that_a_model_chose_fails_through_no_fault_of_the_app(
    strict: bool, owner: Owner | None
) -> None:
    record = StepRecord(step=read_step("Weigh the anchor", number=1), outcome="inconclusive")
    navigation = Navigation(strict=strict, acts=(GuiAction(action="click", target="weigh"),))
    blamed = blame_failed_act(record, navigation, "the click could not be done")
    assert blamed.owner is owner
    assert blamed.reason.startswith("the click could not be done")
    assert ("a model chose it" in blamed.reason) is not strict


async def test_a_step_that_nothing_on_the_page_names_says_what_came_nearest() -> None:
    site = Site(PIER, sail)
    run = await played(site, read_all("Consult the almanac"))
    assert not site.done
    assert run.records[0].outcome == "inconclusive"
    assert "no control has" in run.records[0].reason


@pytest.mark.parametrize(
    ("update", "settled"),
    [
        ({}, False),
        ({"outcome": "done"}, True),
        ({"readiness": Judged(truth=True)}, True),
        ({"readiness": Judged(truth=None)}, False),
        (
            {"readiness": Judged(truth=False), "reason": "button 'Weigh anchor' is disabled"},
            True,
        ),
    ],
)
def test_only_what_nobody_could_do_is_read_by_its_whole_sentence(
    update: dict[str, object], settled: bool
) -> None:
    record = StepRecord(
        step=Step(number=1, text="Weigh the anchor", readings=()), outcome="inconclusive"
    )
    assert is_settled(record.model_copy(update=update)) is settled


def test_what_a_translation_said_is_not_read_anew() -> None:
    step = read_step("Consult the almanac", number=1).model_copy(update={"by": "translation"})
    assert is_settled(StepRecord(step=step, outcome="inconclusive"))


@pytest.mark.parametrize("sentence", ["Open 'Gull' for editing", "Open the boat 'Gull' to edit it"])
def test_what_is_opened_for_editing_is_not_read_as_a_click_on_it(sentence: str) -> None:
    first, *_ = read_steps(f"{sentence} and change its length to 60")
    assert first.text.startswith("Open")
    assert not first.readings


@pytest.mark.parametrize("sentence", ["Open 'Gull' for editing", "Open the boat 'Gull' to edit it"])
async def test_what_is_opened_for_editing_is_edited_in_its_row(sentence: str) -> None:
    """The name is no link, and a click on it would seem to have done something."""
    view = page(
        element("row", "Gull edit", id="r1"),
        element("cell", "Gull", id="gull", parent="r1", row="Gull 7.5", interactive=True),
        element("link", "edit", id="edit-gull", parent="r1", row="Gull 7.5", url="/1/edit"),
        element("row", "Tern edit", id="r2"),
        element("cell", "Tern", id="tern", parent="r2", row="Tern 6.0", interactive=True),
        element("link", "edit", id="edit-tern", parent="r2", row="Tern 6.0", url="/2/edit"),
    )
    site = Site(view, lambda act: SEA if isinstance(act, GuiAction) else None)
    await played(site, read_all(sentence))
    assert site.done == ["click edit-gull"]


@pytest.mark.parametrize(
    "sentence",
    [
        "Weigh 4 anchors without a chain",
        "Weigh the anchor of Ida, that of Jon and that of the pilot",
        "Weigh the anchor as soon as the tide is above 3 metres",
        "Lengthen the boat so that it is twice as long, then press Weigh anchor",
    ],
)
async def test_a_button_is_not_pressed_for_half_of_a_sentence(sentence: str) -> None:
    site = Site(PIER, sail)
    run = await played(site, read_steps(sentence))
    assert not site.done
    assert {one.outcome for one in run.records} <= {"inconclusive", "not_reached"}


NOTES = page(
    element("row", id="r", text="Oak ✕"),
    element("cell", id="c", parent="r", text="Oak", row="Oak ✕"),
    element("link", "✕", id="bin", parent="r", text="✕", title="Delete", row="Oak ✕"),
)
QUESTION = page(
    text("Delete the note Oak?"),
    element("button", "Delete", id="yes", text="Delete"),
    element("link", "Cancel", id="no", text="Cancel"),
)


def ask(act: Act) -> PageView | None:
    pages = {"bin": QUESTION, "no": NOTES, "yes": page(text("No notes"))}
    return pages.get(act.target or "") if isinstance(act, GuiAction) else None


@pytest.mark.parametrize("again", ["Delete it again", "Delete it once more"])
async def test_what_was_called_off_is_done_again_and_confirmed(again: str) -> None:
    site = Site(NOTES, ask)
    first = ("Click the delete icon of the row Oak", "press Cancel")
    run = await played(site, read_all(*first, again, "confirm this time"))
    assert site.done == ["click bin", "click no", "click bin", "click yes"]
    assert {one.outcome for one in run.records} == {"done"}


async def test_a_page_that_does_not_ask_is_not_confirmed() -> None:
    two = page(element("button", "Print", id="s"), element("button", "Zoom", id="t"))
    site = Site(two, ask)
    await played(site, read_all("confirm this time"))
    assert not site.done


async def test_a_result_is_a_link_with_what_was_searched_for() -> None:
    field = element("searchbox", "Search", id="q", input_type="search", editable=True)
    home = element("link", "Home", id="h", text="Home", url="/")
    shed = element("link", "Garden shed", id="g", text="Garden shed", url="/shed")

    def search(act: Act) -> PageView | None:
        if isinstance(act, GuiAction) and act.action == "fill":
            return page(field.model_copy(update={"value": "garden"}), home, shed)
        return None

    site = Site(page(field, home), search)
    await played(site, read_all("Search for garden", "Click on that result"))
    assert site.done[-1] == "click g"


async def test_words_that_say_nothing_elsewhere_may_be_a_name() -> None:
    tabs = page(element("tab", "Open", id="o"), element("tab", "More", id="m"))
    missing = page(element("tab", "More", id="m"), element("tab", "Missing", id="x"))

    def turn(act: Act) -> PageView | None:
        return missing if isinstance(act, GuiAction) and act.target == "m" else None

    site = Site(tabs, turn)
    await played(site, read_all("Look at More > Missing"))
    assert site.done == ["click m", "click x"]


@pytest.mark.parametrize(
    ("sentence", "done"),
    [
        ("Expand the round menu below", ["click p"]),
        ("Open the menu of Oak", []),
        ("Expand the section below", []),
    ],
)
async def test_a_menu_without_a_name_is_opened_by_its_sign(sentence: str, done: list[str]) -> None:
    plus = element("generic", "", id="p", text="+", interactive=True)
    other = element("button", "Print", id="q", text="Print")
    site = Site(page(plus, other), ask)
    await played(site, read_all(sentence))
    assert site.done == done


async def test_a_sentence_that_plain_rules_part_wrongly_is_read_as_a_whole() -> None:
    """They would choose 'describe it' in a list."""
    view = page(
        element("form", "", id="f"),
        element("button", "File", id="file", parent="f", input_type="file"),
        element("textbox", "Description", id="text", parent="f"),
    )
    listed = read_steps("Choose the file oak.txt and describe it as 'An oak'")
    assert len(listed) == 2
    site = Site(view, lambda act: None)
    run = await played(site, listed)
    assert site.done[0] == "upload file"
    assert run.records[0].outcome != "not_reached"


async def test_a_sentence_is_not_read_as_a_whole_for_what_its_other_parts_ask() -> None:
    """Nobody knows how to polish a bell, so that nothing is saved."""
    view = page(element("button", "Polish", id="p"), element("button", "Save", id="s"))
    site = Site(view, lambda act: None)
    await played(site, read_steps("Polish an old brass bell, then press Save"))
    assert "click s" not in site.done


ORCHARD = (
    element("list", id="tree", tag="ul"),
    element("listitem", id="trees", tag="li", parent="tree", interactive=True, text="Trees",
            attributes={"class": "expandable"}),
    element("generic", id="sign", parent="trees", interactive=True,
            attributes={"class": "hitarea expandable-hitarea"}),
    element("generic", id="title", tag="span", parent="trees", interactive=True, text="Trees"),
    element("text", id="trees-text", parent="title", text="Trees"),
)  # fmt: skip

FOLDED = ("sign", "title", "trees")


def grow(*, visible: bool) -> PageView:
    return page(
        *ORCHARD,
        element("list", id="branch", tag="ul", parent="trees", visible=visible),
        element("listitem", id="pear", tag="li", parent="branch", visible=visible,
                interactive=True, text="Pear" if visible else ""),
        element("generic", id="leaf", tag="span", parent="pear", visible=visible,
                interactive=True, text="Pear" if visible else ""),
        element("text", id="pear-text", parent="leaf", text="Pear", visible=visible),
    )  # fmt: skip


async def test_a_folded_branch_is_opened_if_pointing_at_it_shows_nothing() -> None:
    def unfold(act: Act) -> PageView | None:
        if isinstance(act, GuiAction) and act.action == "click" and act.target in FOLDED:
            return grow(visible=True)
        return None

    site = Site(grow(visible=False), unfold)
    run = await played(site, read_steps("Find and click on the leaf named 'Pear'."))
    assert site.done[-1] in ("click pear", "click leaf"), run.records[-1].reason

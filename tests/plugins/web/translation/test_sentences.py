"""Canonical sentences of acts and checks: they find the same again, and can be false."""

import re

import pytest
from tests.plugins.web.runner.pages import element, options, page, text

from sparring.model.talk import GuiAction
from sparring_plugins.web.pages.conditions import holds
from sparring_plugins.web.roles import Judged, Navigation
from sparring_plugins.web.runner.algorithm import Run
from sparring_plugins.web.runner.records import StepRecord
from sparring_plugins.web.runner.run_state import Views
from sparring_plugins.web.runner.strict_agents import Agents
from sparring_plugins.web.step import Step
from sparring_plugins.web.translation.act_sentences import act_sentence, as_step, nameable_act
from sparring_plugins.web.translation.check_sentences import (
    check_fault,
    missing_values,
    read_checks,
)
from sparring_plugins.web.translation.model_translator import forms as forms_text
from sparring_plugins.web.translation.run import TranslatingRun, is_loosely_read

TEA_ROOM = page(
    element("button", "Brew", id="1"),
    element("button", "", id="2", title="Settings"),
    text("Green tea", row="Green tea 2"),
    element("button", "Remove", id="3", row="Green tea 2"),
    text("Oat milk", row="Oat milk 1"),
    element("button", "Remove", id="4", row="Oat milk 1"),
    element("textbox", "Guest", id="5"),
    element("link", "Next", id="6"),
    element("link", "Next", id="7"),
    element("combobox", "Sort by", id="8", options=options("name", "price")),
    element("checkbox", "To go", id="9", checked=False),
    element("img", "", id="10", interactive=True),
    element("img", "", id="11", interactive=True),
)
TABLE = page(
    element("link", "Price", id="1", column="Price", row="Price Stock"),
    element("generic", "", id="2", column="Price", row="Price Stock", interactive=True, tag="svg",
            attributes={"class": "menu-icon"}),
    element("generic", "", id="3", column="Stock", row="Price Stock", interactive=True, tag="svg",
            attributes={"class": "menu-icon"}),
    element("textbox", "", id="4", attributes={"name": "login_password"}),
    element("textbox", "", id="5", attributes={"id": "input-4711"}),
)  # fmt: skip
UNSEEN = {
    "an icon": ("3", "click", None, "Click on the 'Stock' icon"),
    "a field": ("4", "fill", "tea", "Fill the 'login_password' textbox with 'tea'"),
    "an id made anew": ("5", "fill", "tea", "Fill the second textbox with 'tea'"),
}
ACTS = {
    "a name": ("1", "click", None, "Click on the 'Brew' button"),
    "a title": ("2", "click", None, "Click on the 'Settings' button"),
    "a row": ("3", "click", None, "Click on the 'Remove' button in the row of 'Green tea'"),
    "a value": ("5", "fill", "Ada", "Fill the 'Guest' textbox with 'Ada'"),
    "a place": ("7", "click", None, "Click on the second 'Next' link"),
    "a choice": ("8", "select", "price", "Select 'price' from the 'Sort by' combobox"),
    "a key": ("5", "press", "Enter", "Press the key 'Enter' in the 'Guest' textbox"),
    "a box": ("9", "check", None, "Check the 'To go' checkbox"),
}


@pytest.mark.parametrize(("target", "action", "value", "wanted"), ACTS.values(), ids=list(ACTS))
def test_an_act_has_words_that_find_its_element(
    target: str, action: str, value: str | None, wanted: str
) -> None:
    act = GuiAction(action=action, target=target, value=value)
    sentence = act_sentence(act, TEA_ROOM, ())
    assert sentence is not None
    assert (sentence.text, sentence.doubt) == (wanted, "")


@pytest.mark.parametrize(("target", "action", "value", "wanted"), UNSEEN.values(), ids=list(UNSEEN))
def test_what_has_no_words_is_named_by_what_its_source_calls_it(
    target: str, action: str, value: str | None, wanted: str
) -> None:
    sentence = act_sentence(GuiAction(action=action, target=target, value=value), TABLE, ())
    assert sentence is not None
    assert (sentence.text, sentence.doubt) == (wanted, "")


def test_each_form_that_a_translator_is_offered_is_canonical() -> None:
    forms = [
        re.sub(r" ?\((?:[^()']|'[^']*')*\)", "", line[2:]) for line in forms_text().split("\n")
    ]
    examples = [example for form in forms for example in form.split("; ")]
    assert len(examples) > 30
    assert [text for text in examples if read_checks([text]).condition is None] == []


LOOSE = {
    "a pronoun of something else": ("Check that its entries are hidden", True),
    "a clause more than conditions": (
        "Check that a note with 'Draft' is shown and that it can be closed", True
    ),
    "two clauses, two conditions": ("Check that 'A' is shown and that 'B' is not shown", False),
    "quoted": ("Check that the button 'Save' is disabled", False),
    "canonical": ("Assert that there are exactly 3 rows", False),
}  # fmt: skip


@pytest.mark.parametrize(("words", "loose"), LOOSE.values(), ids=list(LOOSE))
def test_a_check_that_may_mean_something_else_is_asked(words: str, loose: bool) -> None:
    assert is_loosely_read(as_step(words, 1)) is loose


def test_a_text_that_showed_that_nothing_was_to_be_done_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(TranslatingRun, "_page", lambda self: TEA_ROOM)
    run = object.__new__(TranslatingRun)
    assert run._awaited("Green tea") == "Wait until 'Green tea' is displayed"
    assert run._awaited("Black tea") == ""
    assert run._awaited("") == ""


def test_acts_that_only_look_have_no_sentence() -> None:
    assert act_sentence(GuiAction(action="wait", value=0.2), TEA_ROOM, ()) is None


REFUSED = {
    "either way": ["'Cake' is displayed or 'Cake' is not displayed"],
    "a number of anything": ["there are at least 0 links"],
}
TAKEN = {
    "what is there": ["the button 'Brew' is displayed"],
    "what is not there": ["'Coffee' is not displayed"],
    "a state": ["the checkbox 'To go' is unchecked"],
    "none of a kind": ["there are exactly 0 links 'Coffee'"],
    "a row": ["the button 'Remove' is displayed in the row of 'Oat milk'"],
    "several": ["the button 'Brew' is displayed", "'Coffee' is not displayed"],
}


@pytest.mark.parametrize("texts", REFUSED.values(), ids=list(REFUSED))
def test_a_condition_that_can_never_fail_is_refused(texts: list[str]) -> None:
    reading = read_checks(texts)
    assert reading.condition is not None, reading.fault
    judged = holds(reading.condition, TEA_ROOM)
    assert judged.truth is True
    assert "it can never fail" in check_fault(reading.condition, judged, TEA_ROOM, ())


@pytest.mark.parametrize("texts", TAKEN.values(), ids=list(TAKEN))
def test_a_condition_that_can_fail_is_taken(texts: list[str]) -> None:
    reading = read_checks(texts)
    assert reading.condition is not None, reading.fault
    judged = holds(reading.condition, TEA_ROOM)
    assert judged.truth is True
    assert check_fault(reading.condition, judged, TEA_ROOM, ()) == ""


def test_what_is_no_canonical_condition_is_named() -> None:
    assert "without quotes" in read_checks(["Click on 'Brew'"]).fault
    assert "is no assertion" in read_checks(["Brew a pot of tea"]).fault
    assert "without quotes" in read_checks(["the kettle is displayed"]).fault
    assert read_checks([]).fault == "there is no condition"


def test_what_a_sentence_quotes_or_counts_is_missed() -> None:
    sentence = "Check that three rows are left and 'Oat milk' costs 2.50"
    assert missing_values(sentence, ["there are exactly 3 rows"]) == ["Oat milk", "2.50"]
    assert missing_values("Check that 3 rows are left", ["there are exactly 3 rows"]) == []
    assert missing_values("Set the 'kind' to 'tea'", ["Select 'tea' from the 'Kind' list"]) == []
    assert missing_values("Check that the two are hot", ["'A' is hot", "'B' is hot"]) == []


def test_a_card_without_a_name_is_named_by_the_heading_in_it() -> None:
    shelf = page(
        element("article", "", id="1", interactive=True),
        element("link", "Open", id="2", parent="1"),
        element("heading", "Maps", id="3", parent="1"),
        element("article", "", id="4", interactive=True),
    )
    over = nameable_act(GuiAction(action="hover", target="1"), shelf, "Hover over Maps")
    assert over.target == "3"
    sentence = act_sentence(over, shelf, ())
    assert sentence is not None
    assert sentence.text == "Hover over the 'Maps' heading"
    bare = GuiAction(action="hover", target="4")
    assert nameable_act(bare, shelf, "Hover over Maps") == bare
    other = GuiAction(action="hover", target="1")
    assert nameable_act(other, shelf, "Hover over the atlases") == other


async def _navigate_after_a_failure(outcomes: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how many acts a translating run remembers of attempts that ended like `outcomes`."""

    async def carry_out(self: Run, base: StepRecord, navigation: Navigation) -> StepRecord:
        for act in navigation.acts:
            await self._do(act)
        return base.model_copy(update={"outcome": outcomes.pop(0)})

    async def do(self: Run, act: GuiAction) -> None:
        self.acts.append(act)

    monkeypatch.setattr(Run, "_carry_out", carry_out)
    monkeypatch.setattr(Run, "_do", do)
    run = object.__new__(TranslatingRun)
    run.seen_acts, run.acts, run.views = [], [], Views()
    run.views.add(TEA_ROOM, again=False)
    base = StepRecord(step=Step(number=1, text="Sort it"), outcome="inconclusive")
    while outcomes:
        acts = (GuiAction(action="click", target="1"),)
        await run._carry_out(base, Navigation(acts=acts))
    return len(run.seen_acts)


@pytest.mark.anyio
async def test_an_act_that_failed_is_no_part_of_a_translation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Written twice, a click on a column's head would sort the other way round."""
    assert await _navigate_after_a_failure(["inconclusive", "done"], monkeypatch) == 1
    assert await _navigate_after_a_failure(["done", "done"], monkeypatch) == 2


def test_a_name_that_is_a_number_in_another_language_is_there_under_its_name() -> None:
    assert missing_values("Check that the Quince is ripe", ["Assert 'Quince' is displayed"]) == []
    assert missing_values("Check that three are ripe", ["Assert 'Quince' is displayed"]) == [
        "three"
    ]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("words", "asks"), [("Submit the changes", True), ("Click on the button 'Save'", False)]
)
async def test_what_is_read_weakly_is_asked_though_rules_find_something(
    words: str, asks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    async def ask(self: Run, base: StepRecord, tried: tuple[str, ...]) -> StepRecord:
        asked.append(base.step.text)
        return base

    async def otherwise(self: Run, base: StepRecord, readiness: Judged) -> None:
        return None

    monkeypatch.setattr(Run, "_ask_navigator", ask)
    monkeypatch.setattr(Run, "_act_otherwise", otherwise)
    run = object.__new__(TranslatingRun)
    run.wanted, run.seen_acts = frozenset({1}), []
    run.agents = Agents((object(), object()), (), ())  # type: ignore[arg-type]
    base = StepRecord(step=as_step(words, 1), outcome="inconclusive")
    await run._act_otherwise(base, Judged(truth=True))
    assert bool(asked) is asks

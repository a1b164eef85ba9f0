"""Canonical sentences of acts and checks: they find the same again, and can be false."""

import pytest
from tests.plugins.web.runner.pages import element, options, page, text

from sparring.model.talk import GuiAction
from sparring_plugins.web.pages.conditions import holds
from sparring_plugins.web.translation.act_sentences import act_sentence
from sparring_plugins.web.translation.check_sentences import (
    check_fault,
    missing_values,
    read_checks,
)

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

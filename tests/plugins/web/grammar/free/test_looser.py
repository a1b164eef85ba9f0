"""Looser wordings of acts, and sentences that only say how something is."""

import pytest
from tests.plugins.web.runner.pages import element, options, page

from sparring_plugins.web.grammar.assertions import is_assertion
from sparring_plugins.web.grammar.free.intents import Intent, read_intents
from sparring_plugins.web.grammar.free.looser import loosen, split_choices, split_deed
from sparring_plugins.web.grammar.free.sentences import split_sentence
from sparring_plugins.web.grammar.steps import read_steps


def _read(sentence: str) -> list[Intent]:
    return [i for clause in split_sentence(sentence) for i in read_intents(clause)]


@pytest.mark.parametrize(
    ("sentence", "wordings"),
    [
        ("Open the post about herons", [["herons"]]),
        ("Open the folder Tools", [["Tools"]]),
        ("Open the loan of the Oak barrow", [["Oak barrow"]]),
        ("Press the plus button next to the heading", [["plus button"]]),
        ("Press the tick to confirm the changes", [["tick"], ["the changes"]]),
        ('Open the post "Oak" from the start page', [["home", "Oak"]]),
        ("From the front page open Oak and Elm", [["home", "Oak and Elm"], ["Oak", "Elm"]]),
        ("Open the tools (the little hammer)", [["tools"], ["the little hammer"]]),
        # a row is a place of which there are several: it is never left out
        ("Click Delete in the row of Oak", []),
        ("Click Delete in the first row", []),
        ("Open the menu of Oak", []),
    ],
)
def test_only_what_names_nothing_is_left_out(sentence: str, wordings: list[list[str]]) -> None:
    (intent,) = _read(sentence)
    assert [[one.words for one in series] for series in loosen(intent)] == wordings


@pytest.mark.parametrize(
    ("sentence", "verbs"),
    [
        ('Enter ida and a wrong password like "x"', ["user ida", "password x"]),
        ("Type this into the note box: buy 2 < 3 oaks", ["fill buy 2 < 3 oaks"]),
        ("In the row of Oak click on the pencil", ["click "]),
        ("Tick the box of Oak so that it can be edited", ["check "]),
        ("Open Tools > Import", ["open ", "open "]),
        ("Go to the tab Tools and there to Import", ["open ", "click "]),
        ("Call it Oak", ["name Oak"]),
    ],
)
def test_acts(sentence: str, verbs: list[str]) -> None:
    assert [f"{intent.verb} {intent.value}" for intent in _read(sentence)] == verbs


@pytest.mark.parametrize(
    "sentence",
    ["The heron nests behind the barn", "Check the third post is due on Monday"],
)
def test_what_says_how_something_is_checks(sentence: str) -> None:
    assert all(is_assertion(step) for step in read_steps(sentence))


def test_a_statement_behind_an_act_is_a_step_of_its_own() -> None:
    clauses = split_sentence("Reload the page, the total must be 4")
    assert [clause.kind for clause in clauses] == ["act", "check"]


def test_several_choices_are_made_one_by_one_unless_one_is_called_by_both() -> None:
    (intent,) = _read("Choose Oak and Elm as the woods")
    woods = element("combobox", "Woods", options=options("Oak", "Elm"))
    both = element("combobox", "Woods", options=options("Oak and Elm", "Ash"))
    assert [i.value for i in split_choices(intent, page(woods))] == ["Oak", "Elm"]
    assert [i.value for i in split_choices(intent, page(both))] == ["Oak and Elm"]


def test_a_verb_at_the_end_that_is_the_name_of_a_button_is_an_act_of_its_own() -> None:
    view = page(element("button", "Transpose", id="t"))
    head, deed = split_deed("Raise the pitch to 440 and transpose", view)
    assert (head, [i.words for i in deed]) == ("Raise the pitch to 440", ["Transpose"])
    assert split_deed("Raise the pitch to 440 and transpose", page()) == (
        "Raise the pitch to 440 and transpose", (),
    )  # fmt: skip

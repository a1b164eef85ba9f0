"""Controls that are one character, and lists that lie under their own placeholder."""

import pytest
from tests.plugins.web.pages.weak.test_ways import task
from tests.plugins.web.runner.pages import element, page, text

from sparring.model.page import Element, PageView
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.free.sentences import split_sentence
from sparring_plugins.web.pages.weak.acts.making import MakingPlanner
from sparring_plugins.web.pages.weak.acts.sentence_plans import SentencePlanner
from sparring_plugins.web.pages.weak.checks.judging import judge_freely
from sparring_plugins.web.runner.login_steps import read_all_intents


def planned(sentence: str, *elements: Element, before: PageView | None = None) -> list[str]:
    """Return the acts for the first intent of a sentence, as "click a"."""
    intent, *_ = read_all_intents(sentence)
    given = task(sentence, page(*elements))
    if before is not None:
        update = {"before": (before,), "acts": (GuiAction(action="click", target="arrow"),)}
        given = given.model_copy(update=update)
    plan = MakingPlanner(given, 0 if before is None else 1).plan(intent)
    return [f"{act.action} {act.target}" for act in plan.acts]


def shelves() -> list[Element]:
    """Links of a tree, each with the sign that folds it, and a menu with signs."""
    return [
        element("link", "Oak", id="oak", row="▾ Oak", url="/oak"),
        element("button", "▾", id="fold_oak", row="▾ Oak"),
        element("link", "Elm", id="elm", row="▾ Elm", url="/elm"),
        element("button", "▾", id="fold_elm", row="▾ Elm"),
        element("link", "Drafts", id="drafts", row="Drafts +", url="/drafts"),
        element("link", "+", id="plus", row="Drafts +", url="/new"),
        element("button", "*", id="asterisk", row="! *"),
        element("button", "!", id="mark", row="! *"),
    ]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Click the plus sign next to Drafts", ["click plus"]),
        ("Click the asterisk button once more", ["click asterisk"]),
        ("Press the exclamation mark", ["click mark"]),
        # the link 'Oak' would open it
        ("Collapse the \"Oak\" shelf with the little arrow beside it", ["click fold_oak"]),
        ("Click on the arrow", []),  # which of the two is not said
        ("Press the question mark", []),
    ],
)  # fmt: skip
def test_a_sign_is_called_by_a_word(sentence: str, expected: list[str]) -> None:
    assert planned(sentence, *shelves()) == expected


def test_a_name_goes_before_a_sign() -> None:
    named = element("button", "Plus", id="named")
    assert planned("Click on Plus", named, element("link", "+", id="sign")) == ["click named"]


def covered_list() -> list[Element]:
    """A list whose placeholder lies over it, and the arrow beside it."""
    return [
        text("All woods", row="All woods"),
        element("combobox", "", id="woods", row="All woods", adjacent="All woods", covered=True),
        element("generic", "", id="arrow", row="All woods", interactive=True),
        element("cell", "Walnut", id="cell", row="Lamp Walnut"),
    ]


SENTENCES = ["Choose Walnut as the wood", "Choose the Walnut wood", "Choose the wood Walnut"]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_list_under_its_placeholder_is_opened_first(sentence: str) -> None:
    assert planned(sentence, *covered_list()) == ["click arrow"]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_what_came_up_is_chosen_then(sentence: str) -> None:
    choice = element("generic", "", id="choice", text="Walnut", interactive=True)
    menu = element("listbox", "", id="menu", text="Walnut Oak", row="All woods Walnut Oak")
    before = page(*covered_list())
    assert planned(sentence, *covered_list(), menu, choice, before=before) == ["click choice"]


def test_a_list_that_is_not_meant_stays_closed() -> None:
    assert planned("Choose Walnut as the handle", *covered_list()) == []


def test_what_has_a_label_is_not_called_by_the_text_beside_it() -> None:
    search = element("textbox", "Go to shelf", id="search", adjacent="Rhymes")
    editor = element("textbox", "…enter a rhyme, or 'help' for hints", id="editor", tag="div")
    sentence = "Type 'moon' into the rhymes editor"
    assert planned(sentence, search, editor) == ["fill editor"]


def test_a_tab_may_be_a_text_without_a_role() -> None:
    clause, *_ = split_sentence("Go to the Notes tab")
    view = page(text("Table"), text("Notes"))
    plan = SentencePlanner(task("Go to the Notes tab", view), 0).plan_clause(clause)
    assert [act.target for act in plan.acts] == ["text-Notes"]


@pytest.mark.parametrize(
    "tail", ["confirm if asked", "and confirm it if a dialog appears", "accept when prompted"]
)
def test_a_confirmation_that_may_be_asked_for_is_optional(tail: str) -> None:
    first, second = read_all_intents(f'Delete the lamp "Heron", {tail}')
    assert (first.words, first.optional) == ("Heron", False)
    assert (second.said, second.optional) == ("confirm", True)


def table_of_debts() -> PageView:
    cells = [
        element("columnheader", head, id=f"h{n}", parent="head", text=head)
        for n, head in enumerate(("Who pays?", "To whom?", "How much?"))
    ]
    rows = [("Ida", "Bo", "12.00"), ("Nils", "Bo", "9.00")]
    elements = [element("table", "", id="t"), element("row", "", id="head", parent="t"), *cells]
    for number, row in enumerate(rows):
        line = " ".join(row)
        elements.append(element("row", line, id=f"r{number}", parent="t", text=line))
        elements += [
            element("cell", cell, id=f"r{number}c{n}", parent=f"r{number}", text=cell, row=line,
                    column=cells[n].name)
            for n, cell in enumerate(row)
        ]  # fmt: skip
    return page(*elements)


@pytest.mark.parametrize(
    ("sentence", "truths"),
    [
        ("Check that Ida pays Bo", (True, None)),
        ("Check that Bo has to pay Ida", (False, None)),
    ],
)
def test_who_does_it_stands_behind_who(sentence: str, truths: tuple[bool | None, ...]) -> None:
    """A row with 'Who pays? Ida' and 'To whom? Bo' does not show that Bo pays Ida."""
    judged = judge_freely(sentence, table_of_debts())
    assert judged.truth in truths, judged.reason

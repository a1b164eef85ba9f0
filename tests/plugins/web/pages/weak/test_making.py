"""Sentences that make a thing: its form is reached, its fields are filled in, and it is sent."""

import pytest
from tests.plugins.web.runner.pages import element, options, page

from sparring.model.page import Element, PageView
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.free.intents import Intent, read_intents
from sparring_plugins.web.grammar.free.sentences import split_sentence
from sparring_plugins.web.grammar.steps import read_step
from sparring_plugins.web.pages.weak.acts.making import MakingPlanner
from sparring_plugins.web.roles import PageTask


def intents(sentence: str) -> list[Intent]:
    return [intent for clause in split_sentence(sentence) for intent in read_intents(clause)]


def acts(sentence: str, view: PageView, *verbs: str, again: int = 0) -> list[str]:
    """Return the acts for those parts of a sentence that have one of the verbs."""
    task = PageTask(step=read_step(sentence, number=1), reading=None, view=view)
    plans = [
        MakingPlanner(task, again).plan(i)
        for i in intents(sentence)
        if not verbs or i.verb in verbs
    ]
    return [
        f"{act.action} {act.target or ''}{f'={act.value}' if act.target and act.value else ''}"
        for plan in plans
        for act in plan.acts
    ]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "Create a new shelf called Oak with the width 90",
            ["form shelf", "name shelf=Oak", "fill width=90", "finish shelf"],
        ),
        (
            "Add a shelf named Salt and Pepper with 4 boards",
            ["form shelf", "name shelf=Salt and Pepper", "fill boards=4", "finish shelf"],
        ),
        (
            'Register a new member with the first name "Ida", last name Falk and email ida@falk.test',
            ["form member", "fill first name=Ida", "fill last name=Falk",
             "fill email=ida@falk.test", "finish member"],
        ),
        ("Add a crate with the owner ida", ["form crate", "fill owner=ida", "finish crate"]),
        ("Try to create a shelf without a width", ["form shelf", "leave width", "finish shelf"]),
        ('Create it with the width "90"', ["form", "fill width=90", "finish"]),
        # an entry for the field that is called so, and things that are no new ones
        ('Add the task "Sand it"', ["fill task=Sand it"]),
        ("Add two crates to the basket", ["fill basket=two crates"]),
    ],
)  # fmt: skip
def test_a_thing_and_its_fields_are_read(sentence: str, expected: list[str]) -> None:
    read = [f"{i.verb} {i.words}".strip() + (f"={i.value}" if i.value and i.verb != "form" else "")
            for i in intents(sentence)]  # fmt: skip
    assert read == expected


def crate_form() -> list[Element]:
    return [
        element("form", "", id="search"),
        element("textbox", "Search", id="query", parent="search", input_type="search"),
        element("button", "Search", parent="search", input_type="submit"),
        element("form", "", id="f"),
        element("textbox", "Title", id="title", parent="f"),
        element("textbox", "Width", id="width", parent="f"),
        element("combobox", "Wood", id="wood", parent="f", options=options("oak", "elm")),
        element("button", "Preview", id="look", parent="f", input_type="submit"),
        element("button", "Save crate", id="save", parent="f", input_type="submit"),
    ]


SENTENCE = "Create a new crate called Oak with the width 90"


@pytest.mark.parametrize(
    ("elements", "expected"),
    [
        # the form is in view: nothing has to be opened
        (crate_form(), ["wait "]),
        # what opens it says so, or says only "New"
        ([element("link", "New crate", id="new"), element("link", "New box")], ["click new"]),
        ([element("button", "+", id="plus"), element("link", "Boxes")], ["click plus"]),
        # the only way there is the list of such things
        ([element("link", "Crates", id="list"), element("link", "Boxes")], ["click list"]),
        # "New box" makes another thing
        ([element("link", "New box", id="box")], []),
    ],
)
def test_the_form_is_reached(elements: list[Element], expected: list[str]) -> None:
    assert acts(SENTENCE, page(*elements), "form") == expected


def test_no_other_form_is_sent_to_reach_one() -> None:
    """The button 'Add' of a form that lacks what the sentence names would add something else."""
    elements = [
        element("form", "", id="f"),
        element("textbox", "Note", id="note", parent="f"),
        element("button", "Add", id="add", parent="f", input_type="submit"),
    ]
    assert acts(SENTENCE, page(*elements), "form") == []


def test_fields_are_filled_in_and_the_form_is_sent() -> None:
    view = page(*crate_form())
    assert acts(SENTENCE, view, "name", "fill") == ["fill title=Oak", "fill width=90"]
    sent = PageTask(step=read_step("x", number=1), reading=None, view=view)
    filled = MakingPlanner(sent).plan(Intent(verb="fill", words="width", value="9", said="enter"))
    task = PageTask(step=sent.step, reading=None, view=view, acts=filled.acts)
    (sending,) = MakingPlanner(task).plan(Intent(verb="finish", words="crate")).acts
    assert (sending.action, sending.target) == ("click", "save")


def test_a_form_is_sent_without_going_on_to_another() -> None:
    view = page(
        element("form", "", id="f"),
        element("textbox", "Name", id="name", parent="f", editable=True),
        element("button", "Save", id="save", parent="f", input_type="submit"),
        element("button", "Save and add another", id="more", parent="f", input_type="submit"),
        element("button", "Save and continue editing", id="stay", parent="f", input_type="submit"),
    )
    step = read_step("x", number=1)
    filled = GuiAction(action="fill", target="name", value="Oak")
    task = PageTask(step=step, reading=None, view=view, acts=(filled,))
    (sending,) = MakingPlanner(task).plan(Intent(verb="finish", words="shelf")).acts
    assert (sending.action, sending.target) == ("click", "save")


def two_forms() -> PageView:
    return page(
        element("form", "", id="enter"),
        element("textbox", "Password", id="old", label="Password", parent="enter"),
        element("button", "Sign in", id="in", parent="enter", input_type="submit"),
        element("form", "", id="new"),
        element("textbox", "Club name", id="club", label="Club name", parent="new"),
        element("textbox", "Password", id="secret", label="Password", parent="new"),
        element("button", "Create", id="make", parent="new", input_type="submit"),
    )


def test_of_two_forms_that_which_makes_something_is_in_view() -> None:
    sentence = "Create a new club called Rowers with the password oar"
    assert acts(sentence, two_forms(), "form", "name") == ["wait ", "fill club=Rowers"]


def test_the_form_for_a_new_thing_is_opened_and_not_the_list_of_them() -> None:
    view = page(element("link", "Boats", id="list"), element("link", "Add a new boat", id="new"))
    assert acts("Open the form for a new boat", view) == ["click new"]


def test_a_form_of_one_field_is_sent_by_adding_a_name() -> None:
    one = [
        element("form", "", id="f"),
        element("textbox", "Member", id="m", label="Member", parent="f"),
        element("button", "Add", id="add", parent="f", input_type="submit"),
    ]
    task = PageTask(
        step=read_step("Add the member Ida", number=1), reading=None, view=page(*one),
        acts=(GuiAction(action="fill", target="m", value="Ida"),),
    )  # fmt: skip
    sending = intents("Add the member Ida")[-1]
    assert [a.target for a in MakingPlanner(task, 0).plan(sending).acts] == ["add"]
    more = element("textbox", "City", id="c", label="City", parent="f")
    task = task.model_copy(update={"view": page(*one, more)})
    assert [a.action for a in MakingPlanner(task, 0).plan(sending).acts] == ["wait"]

"""Clauses that no form reads: their values go into the form in view, or one control is meant."""

import pytest
from tests.plugins.web.runner.pages import element, options, page, text

from sparring.model.page import Element, PageView
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.free.intents import Intent, read_intents
from sparring_plugins.web.grammar.free.sentences import split_sentence
from sparring_plugins.web.grammar.steps import read_step
from sparring_plugins.web.pages.controls import in_words
from sparring_plugins.web.pages.weak.acts.acting import WeakPlanner
from sparring_plugins.web.pages.weak.acts.finding import Seeker
from sparring_plugins.web.pages.weak.acts.sentence_plans import SentencePlanner
from sparring_plugins.web.pages.weak.page.choosing import WeakPlan
from sparring_plugins.web.roles import PageTask


def plan(sentence: str, view: PageView) -> WeakPlan:
    task = PageTask(step=read_step(sentence, number=1), reading=None, view=view)
    (clause,) = split_sentence(sentence)
    return SentencePlanner(task, 0).plan_clause(clause)


def acts(sentence: str, view: PageView) -> list[str]:
    return [
        f"{act.action} {act.target}" + (f"={act.value}" if act.value else "")
        for act in plan(sentence, view).acts
    ]


def boat_form() -> list[Element]:
    return [
        element("form", "", id="f"),
        element("textbox", "Name of the boat", id="name", parent="f"),
        element("combobox", "Berth", id="berth", parent="f", options=options("", "North", "South")),
        element("textbox", "Length", id="length", parent="f", input_type="number"),
        element("textbox", "Arrival", id="arrival", parent="f", input_type="date"),
        element("checkbox", "Needs power", id="power", parent="f"),
        element("button", "Save", id="save", parent="f", input_type="submit"),
    ]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        # by what the list offers, by the type of the field, by the label's words
        (
            "Enter 'Gull' for the boat, North, 7.5 as the length and 2024-05-01",
            ["fill name=Gull", "select berth=North", "fill length=7.5", "fill arrival=2024-05-01"],
        ),
        ("Fill in 'Gull', South and needs power", ["fill name=Gull", "select berth=South", "check power"]),
        ("Enter 7 as the length and no power", ["fill length=7", "uncheck power"]),
    ],
)  # fmt: skip
def test_each_value_goes_into_the_field_that_takes_it(sentence: str, expected: list[str]) -> None:
    assert acts(sentence, page(*boat_form())) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "Enter 'Gull' for the captain and 3 as the draught",  # no label has these words
        "Fill in 'Gull', West and Otto",  # names without quotes that no list offers
        "Enter many things as the length",  # no value
    ],
)
def test_nothing_is_entered_if_one_value_has_no_field(sentence: str) -> None:
    assert acts(sentence, page(*boat_form())) == []


def test_two_forms_that_take_all_values_leave_the_step_open() -> None:
    twin = [
        one.model_copy(update={"id": f"{one.id}2", "parent": one.parent and "f2"})
        for one in boat_form()
    ]
    read = plan("Enter 7 as the length and South", page(*boat_form(), *twin))
    assert not read.acts
    assert "several forms" in read.reason


def test_fields_are_not_shared_by_values() -> None:
    view = page(
        element("form", "", id="f"),
        element("textbox", "Start", id="start", parent="f"),
        element("textbox", "End", id="end", parent="f"),
    )
    assert acts("Enter 'Kiel' as the start and 'Sylt' as the end", view) == [
        "fill start=Kiel",
        "fill end=Sylt",
    ]
    assert acts("Enter 'Kiel' as the start and 'Sylt' as the start", view) == []


def toolbar(*more: Element) -> PageView:
    return page(
        element("button", "", id="gear", attributes={"class": "icon-settings-toggle"}),
        element("button", "Weigh anchor", id="weigh"),
        element("button", "Delete all boats", id="wipe"),
        element("link", "Tide tables", id="tides"),
        *more,
    )


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Get the anchor weighed", ["click weigh"]),
        # what only its markup calls so
        ("Toggle the settings", ["click gear"]),
        ("Consult the tables of tides", ["click tides"]),
    ],
)
def test_the_control_with_most_of_the_sentence_is_clicked_on(
    sentence: str, expected: list[str]
) -> None:
    assert acts(sentence, toolbar()) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "Consult the almanac",  # no control has a word of it
        "Look through all boats",  # the only one that has its words takes something away
    ],
)
def test_no_control_is_clicked_on_without_enough_of_the_sentence(sentence: str) -> None:
    assert acts(sentence, toolbar()) == []


def test_equal_controls_leave_the_step_open() -> None:
    view = toolbar(element("button", "Weigh anchor", id="again", attributes={"id": "other"}))
    assert acts("Get the anchor weighed", view) == []


def test_a_quotation_has_to_stand_in_or_around_the_control() -> None:
    view = page(
        element("row", "Gull", id="r1"),
        element("button", "Moor", id="moor-gull", parent="r1", row="Gull North"),
        element("row", "Tern", id="r2"),
        element("button", "Moor", id="moor-tern", parent="r2", row="Tern South"),
    )
    assert acts("Please moor 'Tern' now", view) == ["click moor-tern"]
    assert acts("Please moor 'Heron' now", view) == []


def test_a_chat_takes_what_is_said_in_its_only_empty_field() -> None:
    view = page(text("How can I help?"), element("textbox", "Message", id="box"))
    assert acts("Ask 'When is high water?'", view) == [
        "fill box=When is high water?",
        "press box=Enter",
    ]
    two = page(element("textbox", "Message", id="box"), element("textbox", "Name", id="name"))
    assert acts("Ask 'When is high water?'", two) == []


def harbour(*form: Element) -> PageView:
    """A list with a field for something else, and a link that opens the form for a boat."""
    return page(
        element("form", "", id="people"),
        element("textbox", "Add a captain", id="captain", parent="people"),
        element("button", "Add", id="add", parent="people", input_type="submit"),
        element("link", "Add a new boat", id="opener"),
        *form,
    )


NEW = 'Add the boat "Gull", 7.5 as the length'


def test_the_form_for_a_new_thing_is_opened_first() -> None:
    read = plan(NEW, harbour())
    assert [act.target for act in read.acts] == ["opener"]
    assert read.again


def test_a_sentence_may_begin_with_the_name_of_what_opens_the_form() -> None:
    view = page(
        element("link", "Make this berth [b]", id="make"), element("link", "Make this", id="other")
    )
    assert acts('Make this berth with the note "Deep water."', view) == ["click make"]


@pytest.mark.parametrize("sends", [True, False])
def test_the_form_for_a_new_thing_is_sent_unless_it_is_filled_in_further(sends: bool) -> None:
    task = PageTask(step=read_step(NEW, number=1), reading=None, view=harbour(*boat_form()))
    (clause,) = split_sentence(NEW)
    read = SentencePlanner(task, 1).plan_clause(clause, sends=sends)
    assert [act.target for act in read.acts] == ["name", "length", *["save"][: int(sends)]]


def test_a_field_that_adds_something_is_no_place_to_look() -> None:
    task = PageTask(step=read_step('Open "Gull"', number=1), reading=None, view=harbour())
    assert (
        Seeker(Intent(verb="click", words="Gull", said="open", quoted=True)).next_move(task) is None
    )


def test_what_is_new_is_not_looked_for() -> None:
    new = Intent(verb="click", words="Gull", said="add", quoted=True)
    assert not Seeker(new).is_worth_it()
    assert Seeker(new.model_copy(update={"said": "open"})).is_worth_it()


def test_a_row_is_pointed_at_to_show_what_is_hidden_in_it() -> None:
    """The words of other rows of its table say nothing of a control in a row."""
    names = ("Ada", "Bo", "Cy")
    rows = [
        one
        for name in names
        for one in (
            element("row", name, id=f"row-{name}", parent="table", row=f"{name} 0.00"),
            element("cell", name, id=f"cell-{name}", parent=f"row-{name}", row=f"{name} 0.00"),
            element("button", "deactivate", id=f"off-{name}", parent=f"row-{name}",
                    row=f"{name} 0.00", visible=False),
        )
    ]  # fmt: skip
    view = page(
        element("table", "", id="table", text=" ".join(names)),
        *rows,
        element("checkbox", "Bo", id="box-Bo", visible=False),
    )
    assert acts("Deactivate Bo", view) == ["hover row-Bo"]


def test_a_tab_is_found_before_links_of_the_same_name_in_rows() -> None:
    view = page(
        element("link", "Drop", id="tab", row="Drop", url="/drop"),
        element("link", "Drop", id="one", row="price Rename Drop", url="/drop/price"),
        element("link", "Drop", id="two", row="size Rename Drop", url="/drop/size"),
    )
    assert acts("Click on the Drop tab", view) == ["click tab"]


@pytest.mark.parametrize(
    ("sentence", "clicked"),
    [("Delete it again", ["two"]), ("Delete it", []), ("Open it again", [])],
)
def test_what_was_clicked_on_before_is_clicked_on_again(sentence: str, clicked: list[str]) -> None:
    """A click on 'Cancel' may have come between."""
    rows = [element("button", "Delete", id=one, row=f"{one} Delete") for one in ("one", "two")]
    before = GuiAction(action="click", target="x2", described=in_words(rows[1]))
    task = PageTask(
        step=read_step(sentence, number=1), reading=None, view=page(*rows),
        acts=(before, GuiAction(action="click", target="c", described="button 'Cancel'")),
    )  # fmt: skip
    (intent,) = read_intents(split_sentence(sentence)[0])
    assert [act.target for act in WeakPlanner(task).plan(intent).acts] == clicked

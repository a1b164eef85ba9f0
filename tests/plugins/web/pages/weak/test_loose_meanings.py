"""Words that only loosely mean the same press nothing, and names prove only what they are."""

from collections.abc import Sequence

import pytest
from tests.plugins.web.pages.weak.test_acting import acts
from tests.plugins.web.pages.weak.test_tables_and_amounts import table
from tests.plugins.web.runner.pages import element, page, text

from sparring.model.page import Box, Element, PageView
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.free.intents import Intent, read_intents
from sparring_plugins.web.grammar.free.looser import loosen
from sparring_plugins.web.grammar.free.sentences import split_sentence
from sparring_plugins.web.grammar.steps import read_step
from sparring_plugins.web.pages.conditions import holds
from sparring_plugins.web.pages.plans import Planner
from sparring_plugins.web.pages.weak.acts.acting import WeakPlanner
from sparring_plugins.web.pages.weak.checks.judging import judge_freely
from sparring_plugins.web.roles import Judged, PageTask
from sparring_plugins.web.runner.misreadings import doubt_part_of_list
from sparring_plugins.web.runner.records import StepRecord
from sparring_plugins.web.runner.run_state import doubt_idle_key, is_key_for_button
from sparring_plugins.web.runner.weak_steps import judge_with_weak

FORM = (element("textbox", "Address"), element("button", "Watch"))


@pytest.mark.parametrize(
    ("sentence", "others"),
    [
        ("Put the goat on hold", [element("button", "+ Create")]),
        ("Hide the rota", [element("button", "Close")]),
        ("Close the account", [element("button", "Dismiss")]),
        ("Update the address", [element("button", "Refresh")]),
        ("Discard the changes", [element("button", "Delete")]),
        ("Press OK", [element("button", "Send")]),
        # no form is sent for a verb that sends none
        ("Turn them back on", FORM),
        ("Switch it off", FORM),
        ("Leave it", FORM),
        # where a button is does not name it
        ("Turn the bells off with the button on the left", [element("button", "Pause the clock")]),
    ],
)
def test_a_loose_synonym_presses_nothing(sentence: str, others: Sequence[Element]) -> None:
    assert acts(sentence, *others) == []


def sheds(*names: str) -> list[Element]:
    parts: list[Element] = []
    for name in names:
        row = f"{name} 4"
        parts += [
            element("row", row, id=name, text=f"{name}\n4", interactive=True),
            element("checkbox", "", id=f"box-{name}", parent=name, row=row),
            element("cell", name, id=f"cell-{name}", parent=name, row=row, interactive=True),
            element("button", "Add to basket", id=f"add-{name}", parent=name, row=row),
        ]
    return parts


def test_what_is_selected_in_a_table_with_boxes_is_ticked() -> None:
    assert acts('Select "Barn"', *sheds("Barn", "Hut")) == ["check box-Barn"]


def test_a_row_with_a_box_is_selected_by_it_where_the_sentence_is_understood() -> None:
    step = read_step("Select 'Barn'", number=1)
    task = PageTask(step=step, reading=step.readings[0], view=page(*sheds("Barn", "Hut")))
    assert [(a.action, a.target) for a in Planner(task).plan().acts] == [("check", "box-Barn")]
    links = [element("link", "Barn", id="to-barn")]
    other = PageTask(step=step, reading=step.readings[0], view=page(*links))
    assert [(a.action, a.target) for a in Planner(other).plan().acts] == [("click", "to-barn")]


def test_a_thing_is_put_into_a_basket_by_what_adds_it() -> None:
    assert acts("Put the Barn into the basket", *sheds("Barn", "Hut")) == ["click add-Barn"]


@pytest.mark.parametrize(
    ("around", "pressed"),
    [
        ("14 Parcels wait for more than two months", []),
        ("Parcel 14, to Bath", ["click view"]),
        ("14 To Bath", ["click view"]),
    ],
)
def test_a_count_of_things_is_not_the_number_of_one(around: str, pressed: Sequence[str]) -> None:
    row = f"{around} View parcels"
    parts = [
        element("row", row, id="row"),
        element("cell", around, id="cell", parent="row", row=row),
        element("link", "View parcels", id="view", parent="row", row=row),
    ]
    assert acts("Look at parcel 14", *parts) == pressed


def test_what_belongs_to_a_page_is_not_in_its_menu() -> None:
    menu = element("navigation", "", id="n")
    link = element("link", "Orders", id="all", parent="n")
    tab = element("tab", "Orders", id="own", text="Orders")
    assert acts("Go to her orders", menu, link, tab) == ["click own"]
    assert acts("Go to the orders", menu, link) == ["click all"]


def test_a_list_that_was_loaded_anew_is_turned_by_the_heading_that_sorted_it() -> None:
    head = element("columnheader", "Age", id="h2", text="Age")
    link = element("link", "Age", id="l2", parent="h2")
    sorted_by = GuiAction(action="click", target="l1", described="link 'Age' in the row of 'Age'")
    task = PageTask(
        step=read_step("Reverse the order", number=2), reading=None, view=page(head, link),
        acts=(sorted_by,),
    )  # fmt: skip
    (intent,) = [i for c in split_sentence("Reverse the order") for i in read_intents(c)]
    assert [act.target for act in WeakPlanner(task, 0).plan(intent).acts] == ["l2"]


def test_a_part_that_is_named_as_a_place_is_opened_first() -> None:
    intent = Intent(verb="fill", value="Milk", context="Under Orders", said="write", quoted=True)
    way, entry = next(iter(loosen(intent)))
    assert (way.verb, way.words, entry.value, entry.context) == ("click", "Orders", "Milk", "")


def test_a_dialog_is_not_confirmed_by_never_mind() -> None:
    buttons = [element("button", name, parent="d") for name in ("Never mind", "Prolong")]
    dialog = element("dialog", "Prolong the loan", id="d")
    assert acts("Confirm it", dialog, *buttons) == ["click button-Prolong-"]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Edit Barn with the pencil in its row", ["click edit-Barn"]),
        ("Mark the Barn as favourite by the edit button in its row", ["click edit-Barn"]),
    ],
)
def test_what_is_pressed_in_a_row_is_named_by_what_it_draws(
    sentence: str, expected: list[str]
) -> None:
    links = [
        element("link", "Edit", id=f"edit-{n}", parent=n, row=f"{n} 4") for n in ("Barn", "Hut")
    ]
    assert acts(sentence, *sheds("Barn", "Hut"), *links) == expected


# Checks

GOATS = (("Elsa", "4/7/2027", "3 days ago"), ("Gerda", "4/9/2027", "Not yet"))


def goats() -> PageView:
    rows = table(GOATS, ("Goat", "Due", "Checked"))
    first = next(e for e in rows if e.role == "row")
    pause = element("button", "Pause visits", id="p", parent=first.id, row=first.row)
    box = element("checkbox", "", id="b", parent=first.id, row=first.row, checked=False)
    return page(element("table", "", id="t", text=""), *rows, pause, box)


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        # the box in the row only selects it; 'Checked' is a column
        ("Elsa has been checked before", None),
        # a button that would pause it does not show that it is paused
        ("Elsa is paused", None),
        # parts of a date are no "8 of 2026"
        ("Elsa is due on 4/7/2027", True),
        ("The pager says 7/2027", None),
    ],
)
def test_names_of_columns_and_buttons_prove_no_state(sentence: str, truth: bool | None) -> None:
    judged = judge_freely(sentence, goats())
    assert judged.truth is truth, judged.reason


def test_a_tab_is_no_form_that_is_shown() -> None:
    view = page(
        element("tab", "Goat.io", text="Goat.io"), text("Goat.io"), text("Enter one name per line")
    )
    assert judge_freely("The form for Goat.io is displayed", view).truth is None


def stacked(*pairs: tuple[str, str]) -> list[Element]:
    """Labels in capitals with their values below, side by side."""
    parts: list[Element] = []
    for n, (label, value) in enumerate(pairs):
        x = 20.0 + 200 * n
        over, below = Box(x=x, y=10, width=80, height=14), Box(x=x, y=26, width=120, height=20)
        parts += [text(label, box=over), element("paragraph", "", id=f"p{n}", text=value)]
        parts.append(text(value, box=below, parent=f"p{n}"))
    return parts


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("The state is Grazing", True),
        ("The state is Milked", False),
        ("Its state is Grazing", True),
        # another goat may be meant
        ("Its state is Milked", None),
        ('The goat has the state "Milked"', False),
        ("The goat has the breed Saanen", True),
        ("The breed is Boer", False),
        ("The goat has more breed than Boer", None),
        ("The state says that the goat is grazing", True),
        ("The state does not mention the vet any more", True),
        ("The state does not mention grazing any more", False),
        ("The state mentions the vet", None),
    ],
)
def test_a_label_may_stand_above_its_value(sentence: str, truth: bool | None) -> None:
    pairs = stacked(("STATE", "Grazing"), ("BREED", "Saanen"), ("DUE DATE", "Jan. 5"))
    judged = judge_freely(sentence, page(*pairs, url="http://farm.test/goats/5"))
    assert judged.truth is truth, judged.reason


def herd(total: int, *, more: bool = True) -> PageView:
    rows = table((("Elsa", "3"), ("Gerda", "5")), ("Goat", "Age"))
    following = element("button", "Next page", id="next", disabled=not more)
    pager = text(f"1-2 of {total}")
    return page(element("table", "", id="t", text=""), *rows, pager, following)


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ('"Olga" is not listed', None),
        ('"Olga" is gone', None),
        ('"Olga" is not on this page', True),
        ('"Olga" is not displayed', True),
        ('"Elsa" is not listed', False),
    ],
)
def test_one_page_of_a_list_does_not_show_what_is_missing(
    sentence: str, truth: bool | None
) -> None:
    view = herd(9)
    step = read_step(sentence, number=1)
    condition = step.reading.condition if step.reading else None
    strict = holds(condition, view) if condition else Judged(truth=None)
    assert judge_with_weak(step, strict, view, ()).truth is truth


def test_a_thing_is_gone_if_the_list_has_fewer_rows_or_no_other_page() -> None:
    step = read_step('"Olga" is gone', number=1)
    judged = Judged(truth=True, reason="'Olga' can't be read anywhere")
    assert doubt_part_of_list(step, judged, herd(9), [herd(9)]).truth is None
    assert doubt_part_of_list(step, judged, herd(9), [herd(10)]).truth is True
    alone = page(element("table", "", id="t", text=""), *table((("Elsa", "3"),), ("Goat", "Age")))
    assert doubt_part_of_list(step, judged, alone, []).truth is True


def test_a_key_that_a_button_may_be_called_by_and_changes_nothing_is_not_done() -> None:
    step = read_step("Press Delete", number=1)
    keys = [reading for reading in step.readings if reading.action == "press"]
    assert is_key_for_button(step, keys[0])
    view = herd(9)
    idle = StepRecord(step=step, outcome="done", digest=view.snapshot.digest)
    assert doubt_idle_key(idle, view).outcome == "inconclusive"
    assert doubt_idle_key(idle, herd(8)).outcome == "done"
    named = read_step("Press the Delete key", number=1)
    assert not any(is_key_for_button(named, reading) for reading in named.readings)


@pytest.mark.parametrize(
    ("sentence", "typed"),
    [
        ("Search for lamps using the magnifier icon", "lamps"),
        ("Search for lamps with the magnifying glass", "lamps"),
        ("Search for lamps via the button beside the field", "lamps"),
        ("Search for lamps with the lens symbol at the top", "lamps"),
        ("Search for lamps with the green glass", "lamps with the green glass"),
        ("Search for a lamp with a green shade", "a lamp with a green shade"),
    ],
)
def test_what_a_search_is_made_with_is_not_searched_for(sentence: str, typed: str) -> None:
    field = [element("searchbox", "Find", id="box"), element("button", "Search", id="go")]
    assert acts(sentence, *field)[0] == f"fill box={typed}"

"""Free acts: the control that a sentence names, by its name, its place, and never the opposite."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.plugins.web.runner.pages import element, options, page, text

from sparring.model.page import Box, Element, PageView
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.assertions import is_assertion
from sparring_plugins.web.grammar.free.intents import read_intents
from sparring_plugins.web.grammar.free.sentences import split_sentence
from sparring_plugins.web.grammar.steps import read_step, read_steps
from sparring_plugins.web.pages.weak.acts.acting import WeakPlanner
from sparring_plugins.web.pages.weak.acts.finding import Seeker
from sparring_plugins.web.pages.weak.page.choosing import WeakPlan
from sparring_plugins.web.roles import PageTask


def plan(sentence: str, view: PageView, again: int = 0) -> WeakPlan:
    """Return the plan for the only intent of a sentence."""
    task = PageTask(step=read_step(sentence, number=1), reading=None, view=view)
    (intent,) = [i for clause in split_sentence(sentence) for i in read_intents(clause)]
    return WeakPlanner(task, again).plan(intent)


def acts(sentence: str, *elements: Element, again: int = 0) -> list[str]:
    """Return the acts for a sentence, as "click button-Save-"."""
    found = plan(sentence, page(*elements), again)
    return [
        f"{act.action} {act.target}{f'={act.value}' if act.value else ''}" for act in found.acts
    ]


ROWS = [
    element("row", "Oak 4", id="r1", text="Oak\n4"),
    element("cell", "Oak", parent="r1", row="Oak 4"),
    element("textbox", "", id="oak", parent="r1", row="Oak 4", column="Pieces", value="4"),
    element("button", "Delete plank", id="del-oak", parent="r1", row="Oak 4"),
    element("row", "Elm 7", id="r2", text="Elm\n7"),
    element("cell", "Elm", parent="r2", row="Elm 7"),
    element("textbox", "", id="elm", parent="r2", row="Elm 7", column="Pieces", value="7"),
    element("button", "Delete plank", id="del-elm", parent="r2", row="Elm 7"),
]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("In the row of Elm, set the pieces to 9", ["fill elm=9"]),
        ('Delete the plank "Elm"', ["click del-elm"]),
        ("Delete the plank in the row of Oak", ["click del-oak"]),
        ("Delete the plank", []),
    ],
)
def test_a_place_chooses_among_equal_controls(sentence: str, expected: list[str]) -> None:
    assert acts(sentence, *ROWS) == expected


def test_the_place_itself_is_not_what_is_meant() -> None:
    """The field that holds 'Elm' is where the weight is, and takes no weight itself."""
    name = element("textbox", "", id="name", row="Elm", value="Elm")
    assert acts("In the row of Elm, set the weight to 9", name) == []


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Pick the small plot", ["select size=Small (20 euros)"]),
        ("Choose the large plot", ["select size=Large (35 euros)"]),
        # the label of the list is not what is meant
        ("Pick the big plot", []),
    ],
)
def test_an_option_is_chosen_by_what_it_is_like(sentence: str, expected: list[str]) -> None:
    choices = options("Please choose", "Small (20 euros)", "Large (35 euros)")
    size = element("combobox", "Plot size", id="size", label="Plot size", options=choices)
    label = element("generic", "Plot size", id="label", text="Plot size", interactive=True)
    assert acts(sentence, label, size) == expected


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("Show the sidebar", "Hide sidebar"),
        ("Unlock the door", "Lock door"),
        ("Remove the filter", "Add filter"),
        ("Open the Plank Editor", "Sound Editor"),
    ],
)
def test_no_control_of_another_name_is_touched(sentence: str, name: str) -> None:
    assert acts(sentence, element("button", name)) == []


SIDES = [
    ("show", "hide"), ("open", "close"), ("expand", "collapse"), ("add", "remove"),
    ("enable", "disable"), ("lock", "unlock"), ("subscribe", "unsubscribe"),
    ("accept", "decline"), ("start", "stop"), ("undo", "redo"), ("publish", "unpublish"),
    ("import", "export"), ("archive", "unarchive"), ("approve", "reject"),
]  # fmt: skip


@given(st.sampled_from(SIDES), st.booleans(), st.sampled_from(["report", "lamp", "drawer"]))
def test_an_act_never_touches_a_control_of_the_opposite_name(
    pair: tuple[str, str], swapped: bool, thing: str
) -> None:
    said, shown = pair[::-1] if swapped else pair
    button = element("button", f"{shown} {thing}".capitalize())
    sentence = f"{said.capitalize()} the {thing}"
    intents = [i for clause in split_sentence(sentence) for i in read_intents(clause)]
    task = PageTask(step=read_step(sentence, number=1), reading=None, view=page(button))
    for intent in intents:
        planned = WeakPlanner(task).plan(intent)
        assert all(act.target != button.id for act in planned.acts)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Close all drafts", ["click button-Close all-"]),
        ("Open the More tab", ["click tab-More-"]),
        ("Click the green plus button to create a new draft", ["click plus"]),
        ("Press the button to log out", ["click button-Log out-"]),
        ("Start adding a draft", ["click plus"]),
        ("Open the draft Elm", ["click link-Elm-"]),
    ],
)
def test_controls_are_known_by_signs_purposes_and_whole_names(
    sentence: str, expected: list[str]
) -> None:
    controls = [
        element("button", "Close"), element("button", "Close all"), element("tab", "More"),
        element("button", "more"), element("link", "\u2795", id="plus"), element("button", "Log out"),
        element("checkbox", "Select Elm"), element("link", "Elm"),
    ]  # fmt: skip
    assert acts(sentence, *controls) == expected


def test_a_row_of_a_filter_is_filled_in() -> None:
    columns = element(
        "combobox", "", id="column", options=options("- column -", "wood", selected="- column -")
    )
    value = element("textbox", "", id="value")
    assert acts("Filter the planks on wood = Elm", columns, value) == [
        "select column=wood", "fill value=Elm",
    ]  # fmt: skip


def test_a_part_of_a_text_is_replaced() -> None:
    note = element("textbox", "Note", id="note", value="two planks of elm")
    view = page(note, element("textbox", "Other", value="oak"))
    (act,) = plan('Change "two" to "three"', view).acts
    assert (act.target, act.value) == ("note", "three planks of elm")


def test_what_is_hidden_in_a_card_is_pointed_at_first() -> None:
    card = element("article", "", id="card", text="Elm\nplank")
    title = element("heading", "Elm", parent="card", row="Elm plank")
    edit = element("link", "Edit", id="edit", parent="card", row="Elm plank", visible=False)
    found = plan('Edit the plank "Elm"', page(card, title, edit))
    assert [(act.action, act.target) for act in found.acts] == [("hover", "card")]
    assert found.again


def test_the_only_result_is_opened_and_of_two_none() -> None:
    row = [
        element("row", "", id="r1"), element("cell", "", id="c1", parent="r1"),
        element("link", "Elm", parent="c1"),
    ]  # fmt: skip
    other = [element("row", "", id="r2"), element("cell", "", id="c2", parent="r2"),
             element("link", "Oak", parent="c2")]  # fmt: skip
    assert acts("Open the plank that was found", *row) == ["click link-Elm-"]
    assert acts("Open the plank that was found", *row, *other) == []
    assert acts("Open the second result", *row, *other) == ["click link-Oak-"]


def test_nothing_is_typed_where_something_is_chosen() -> None:
    assert acts("Choose Elm from it", element("textbox", "Search")) == []
    assert acts("Choose Elm from it", element("link", "Elm")) == ["click link-Elm-"]


def test_a_named_thing_is_looked_for_on_the_next_page_then_by_the_search() -> None:
    (intent,) = read_intents(split_sentence("Open the page of the Elm Plank")[0])
    seeker = Seeker(intent)
    assert seeker.is_worth_it()
    assert seeker.name == "Elm Plank"
    field = element("textbox", "Search", id="search")
    view = page(element("link", "Next", id="next"), field)
    task = PageTask(step=read_step("Open it", number=1), reading=None, view=view)
    moves = [seeker.next_move(task), seeker.next_move(task), seeker.next_move(task)]
    assert [[a.target for a in move.acts] if move else [] for move in moves] == [
        ["next"], ["search", "search"], [],
    ]  # fmt: skip


def test_a_missing_control_is_not_looked_for_elsewhere() -> None:
    (intent,) = read_intents(split_sentence("Press save")[0])
    assert not Seeker(intent).is_worth_it()


def test_who_is_asked_to_look_for_it_opens_each_folded_part_once() -> None:
    (intent,) = read_intents(split_sentence('Click on the link "oak"')[0])
    view = page(
        element("tab", "Woods", id="woods", selected=True),
        element("tab", "Metals", id="metals", selected=False),
        element("button", "More", id="more", expanded=False),
        element("button", "Delete all", id="delete"),
    )
    task = PageTask(step=read_step("Click on it", number=1), reading=None, view=view)
    assert not Seeker(intent).is_worth_it()
    seeker = Seeker(intent, insists=True)
    assert seeker.is_worth_it()
    moves = [seeker.next_move(task) for _ in range(3)]
    assert [[a.target for a in m.acts] if m else [] for m in moves] == [["metals"], ["more"], []]


def test_a_place_in_front_is_no_part_of_a_value() -> None:
    step = read_step("Below the list, set the order to name", number=1)
    assert not any("below" in (reading.value or "").lower() for reading in step.readings)


def test_a_second_tab_of_a_sentence_has_the_verb_of_the_first() -> None:
    clauses = split_sentence("Open the Wood tab and then the Metal tab inside it")
    assert [clause.text for clause in clauses] == [
        "Open the Wood tab",
        "open the Metal tab inside it",
    ]


@pytest.mark.parametrize(
    ("sentence", "checks"),
    [
        ("Confirm the deletion", False),
        ("Confirm with 'Yes, drop it'", False),
        ("Confirm the title is 'Planks'", True),
        ("Confirm that it is gone", True),
    ],
)
def test_confirming_acts_and_confirming_a_fact_checks(sentence: str, checks: bool) -> None:
    assert is_assertion(read_step(sentence, number=1)) is checks


def test_a_button_on_a_page_with_the_same_text_is_not_the_place() -> None:
    words = text("Elm")
    assert acts("Open Elm", words, element("link", "Elm")) == ["click link-Elm-"]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Choose the wood elm", ["select wood=elm"]),
        ("Set the pause to 5 minutes", ["fill minutes=5"]),
        ("Select the plank Oak", ["check box-oak"]),
        ("Show all of them again", ["click all"]),
        ("Open the plank Oak for editing", ["click edit-oak"]),
    ],
)
def test_everyday_forms_of_choosing(sentence: str, expected: list[str]) -> None:
    view = [
        element("row", "Oak 4", id="r1", text="Oak\n4"),
        element("cell", "Oak", parent="r1", row="Oak 4"),
        element("checkbox", "", id="box-oak", parent="r1", row="Oak 4"),
        element("link", "Edit", id="edit-oak", parent="r1", row="Oak 4"),
        element("row", "Elm 7", id="r2", text="Elm\n7"),
        element("cell", "Elm", parent="r2", row="Elm 7"),
        element("checkbox", "", id="box-elm", parent="r2", row="Elm 7"),
        element("link", "Edit", id="edit-elm", parent="r2", row="Elm 7"),
        element("combobox", "Wood", id="wood", label="Wood", options=options("ash", "elm")),
        element("group", "Pause", id="pause"),
        element("textbox", "Hours", id="hours", parent="pause", region=("Pause",)),
        element("textbox", "Minutes", id="minutes", parent="pause", region=("Pause",)),
        element("link", "All", id="all"),
    ]
    assert acts(sentence, *view) == expected


@pytest.mark.parametrize(
    ("buttons", "expected"),
    [
        (["Cancel", "Discard plank"], ["click button-Discard plank-"]),
        (["Keep it", "×", "Discard plank"], ["click button-Discard plank-"]),
        # two that may both be meant
        (["Discard plank", "Discard all planks"], []),
    ],
)
def test_a_dialog_is_confirmed_by_the_button_that_does_not_call_it_off(
    buttons: list[str], expected: list[str]
) -> None:
    view = [
        element("button", "Send"),
        element("dialog", "Sure?", id="d"),
        *(element("button", name, parent="d") for name in buttons),
    ]
    assert acts("Confirm in the dialog", *view) == expected


PAGES = [
    element("row", "Oak", id="r1", text="Oak\n2"),
    element("cell", "Oak", parent="r1", row="Oak 2"),
    element("link", "2", id="in-a-row", parent="r1", row="Oak 2"),
    element("link", "1", id="p1"),
    element("link", "2", id="p2"),
]


def test_a_numbered_page_is_reached_by_its_number_and_not_by_a_cell() -> None:
    assert acts("Go to the second page", *PAGES) == ["click p2"]
    assert acts("Go to page 3", *PAGES) == []


def test_a_search_is_taken_back_and_a_search_field_only_emptied() -> None:
    field = element("searchbox", "Search", id="q", value="oak", editable=True)
    assert acts("Clear the search", field) == ["fill q", "press q=Enter"]
    assert acts("Clear the search field", field) == ["fill q"]


def test_a_menu_is_opened_and_what_comes_up_is_clicked_on() -> None:
    closed = page(element("button", "Tools", id="more"), element("link", "Move", id="other"))
    opened = page(*closed.snapshot.elements, element("link", "Archive", id="archive"))
    sentence = 'Choose Archive under "Tools"'
    first = plan(sentence, closed)
    assert first.again
    assert [act.target for act in first.acts] == ["more"]
    (intent,) = [i for clause in split_sentence(sentence) for i in read_intents(clause)]
    step = read_step(sentence, number=1)
    task = PageTask(step=step, reading=None, view=opened, before=(closed,))
    assert [act.target for act in WeakPlanner(task, 1).plan_exactly(intent).acts] == ["archive"]
    # what was there before is not what the menu offers
    same = PageTask(step=step, reading=None, view=opened, before=(opened,))
    assert WeakPlanner(same, 1).plan_exactly(intent).acts == ()


HEADER = [
    element("columnheader", "Oars", id="h1", text="Oars", row="Oars Boats"),
    element("generic", "", id="menu-oars", parent="h1", row="Oars Boats", tag="svg",
            interactive=True),
    element("columnheader", "Boats", id="h2", text="Boats", row="Oars Boats"),
    element("generic", "", id="menu-boats", parent="h2", row="Oars Boats", tag="svg",
            interactive=True),
]  # fmt: skip


@pytest.mark.parametrize(
    "sentence",
    [
        "Open the menu behind the little gear next to the boats column",
        "Open the settings menu of the boats column",
    ],
)
def test_a_nameless_menu_is_found_by_its_column(sentence: str) -> None:
    assert acts(sentence, *HEADER) == ["click menu-boats"]


def test_the_whole_label_of_a_field_chooses_it() -> None:
    fields = [
        element("textbox", "Moved from *", id="from", label="Moved from *"),
        element("textbox", "Moved to", id="to", label="Moved to"),
    ]
    assert acts("Enter /a as the place that it is moved from", *fields) == ["fill from=/a"]


def test_the_named_way_is_taken_before_what_means_nearly_the_same() -> None:
    menus = [
        element("link", "Account", id="account", text="Account"),
        element("button", "Admin", id="admin", text="Admin"),
    ]
    assert acts("Open the users under Admin", *menus) == ["click admin"]
    shown = [*menus, element("link", "Users", id="users", text="Users")]
    assert acts("Open the users under Admin", *shown) == ["click users"]


def test_what_is_typed_needs_no_quotes() -> None:
    field = element("textbox", "Search", id="q", label="Search", focused=True)
    assert acts("type heron", field) == ["fill q=heron"]


def test_a_menu_is_opened_by_what_stands_beside_it() -> None:
    menu = [
        element("listitem", "", id="account"),
        element("link", "Ida Falk", id="ida", parent="account", attributes={"class": "toggle"}),
        element("list", "", id="menu", parent="account", visible=False),
        element("link", "Sign out", id="out", parent="menu", visible=False),
        element("link", "Invoices", id="bills", parent="menu", visible=False),
    ]
    assert acts("Sign out", *menu) == ["click ida"]
    assert acts("Open the invoices", *menu) == ["click ida"]
    assert acts("Sign out", *menu, again=1) == []
    assert acts("Choose Invoices in the menu of the club", *menu) == ["click ida"]


def test_a_part_is_unfolded_by_the_control_that_names_it() -> None:
    folded = [
        element("button", "More", id="more", attributes={"aria-controls": "extra"}),
        element("button", "Less", id="less"),
        element("group", "", id="part", visible=False, attributes={"id": "extra"}),
        element("button", "Print labels", id="print", parent="part", visible=False),
    ]
    assert acts("Print the labels", *folded) == ["click more"]


def test_the_last_page_of_a_list_with_arrows_is_reached_page_by_page() -> None:
    arrow = element("button", "Next page", id="next")
    assert acts("Go to the last page", arrow) == ["click next"]
    at_end = plan("Go to the last page", page(arrow.model_copy(update={"disabled": True})))
    assert [act.action for act in at_end.acts] == ["wait"]
    assert acts("Go to the last page", arrow, again=2) == []


def test_a_value_is_switched_in_the_list_that_shows_it() -> None:
    lists = [
        element("combobox", "", id="view", options=options("Rows", "Tiles")),
        element("combobox", "", id="size", options=options("Small", "Large")),
    ]
    assert acts("Switch the layout from Rows to Tiles", *lists) == ["select view=Tiles"]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Press delete in the row of Elm", ["click del-elm"]),
        ('Leave the list via "Delete plank" in the row of Oak', ["click del-oak"]),
    ],
)
def test_what_is_pressed_in_a_row_is_a_control(sentence: str, expected: list[str]) -> None:
    assert acts(sentence, *ROWS) == expected


def test_what_is_left_out_names_no_button() -> None:
    texts = [s.text for s in read_steps("Choose Oak as the wood and send without a date")]
    assert texts == ["Choose Oak as the wood", "send without a date"]


def test_a_file_is_not_called_what_it_serves_as() -> None:
    (reading,) = read_step("Attach plans/roof.pdf as a drawing", number=1).readings
    assert reading.value == "plans/roof.pdf"


def test_choosing_for_several_fields_is_one_step() -> None:
    sentence = 'Choose the wood Oak, the size "L" and the note "Dry it first"'
    assert [s.text for s in read_steps(sentence)] == [sentence]
    intents = [i for clause in split_sentence(sentence) for i in read_intents(clause)]
    assert [(i.words, i.value) for i in intents] == [
        ("wood", "Oak"), ("size", "L"), ("note", "Dry it first"),
    ]  # fmt: skip


def test_the_only_drawn_control_of_the_main_part_is_meant() -> None:
    header = element("banner", "", id="top")
    bell = element("button", "", id="bell", parent="top")
    plus = element("button", "", id="plus")
    save = element("button", "Save", id="save")
    assert acts("Click on the plus", header, bell, plus, save) == ["click plus"]
    another = element("button", "", id="gear")
    assert acts("Click on the plus", header, bell, plus, another, save) == []


def test_a_field_below_a_whole_sentence_is_the_only_one() -> None:
    label = "To drop this table for ever, write the word drop"
    box = element("textbox", label, id="box", label=label)
    assert acts('Type "drop" into the safety box', box) == ["fill box=drop"]
    city = element("textbox", "City", id="city", label="City")
    assert acts('Type "drop" into the safety box', city) == []


def test_a_choice_is_made_where_the_label_has_a_word_of_it() -> None:
    names = options("Ida", "Jo")
    payer = element("combobox", "Who pays?", id="payer", label="Who pays?", options=names)
    guest = element("checkbox", "Ida", id="ida", label="Ida")
    assert acts("Pick Ida as the person who pays", payer, guest) == ["select payer=Ida"]
    assert acts("Pick Ida as the skipper", payer, guest) == []


def test_a_value_stands_behind_the_label_of_its_field() -> None:
    label = element("generic", "Door code", id="label", text="Door code")
    field = element("textbox", "Door code", id="code", label="Door code")
    assert acts("Enter the door code seSame", label, field) == ["fill code=seSame"]
    assert acts("Enter the door key sesame", label, field) == []


def placed(role: str, name: str, x: float, y: float, **more: object) -> Element:
    """An element with a box at a place of the viewport."""
    return element(role, name, box=Box(x=x, y=y, width=20, height=20), **more)


def test_a_control_without_a_name_is_meant_by_its_side() -> None:
    corners = [
        placed("button", "", 10, 10, id="left"),
        placed("button", "", 900, 10, id="right"),
        placed("button", "", 900, 700, id="below"),
    ]
    assert acts("Click the button at the top right", *corners) == ["click right"]
    assert acts("Click the button at the bottom right", *corners) == ["click below"]
    assert acts("Click the button on the left", *corners) == ["click left"]
    assert acts("Click the button on the right", *corners) == []


def test_the_only_menu_without_a_name_needs_no_side() -> None:
    opener = element("link", "", id="opener", attributes={"class": "menu-button"}, text="")
    assert acts("Open the main menu", opener, element("link", "Prices")) == ["click opener"]


def test_of_a_group_of_choices_the_one_that_is_called_so_is_chosen() -> None:
    words = "Colour any red green"
    choices = [
        element("generic", name, id=name, row=words, text=name, interactive=True)
        for name in ("any", "red", "green")
    ]
    assert acts("Choose the colour red", *choices) == ["click red"]


def test_a_whole_part_of_the_page_is_no_control() -> None:
    words = "Our boats Colour red green"
    main = element("main", words, text=words, interactive=True)
    assert acts("Choose the colour red", main) == []


def test_what_is_folded_is_opened_by_the_only_control_beside_it() -> None:
    bar = [
        element("listitem", "", id="item", text=""),
        element("link", "", id="opener", parent="item", text=""),
        element("list", "", id="folded", parent="item", visible=False, text=""),
        element("listitem", "", id="entry", parent="folded", visible=False, text=""),
        element("link", "Export", id="export", parent="entry", visible=False),
    ]
    assert acts("Click Export", *bar) == ["click opener"]


def test_the_list_of_such_things_is_opened_to_find_one() -> None:
    view = page(element("link", "Boats", id="boats"), element("link", "Crews", id="crews"))
    sentence = 'Open the boat "Wren"'
    (intent,) = [i for clause in split_sentence(sentence) for i in read_intents(clause)]
    seeker = Seeker(intent)
    task = PageTask(step=read_step(sentence, number=1), reading=None, view=view)
    move = seeker.next_move(task)
    assert move is not None
    assert [act.target for act in move.acts] == ["boats"]
    again = seeker.next_move(task)
    assert again is None or [act.target for act in again.acts] != ["boats"]


def test_a_control_in_a_folded_part_is_unfolded_and_not_mistaken_for_its_heading() -> None:
    """'Attach print' lies below 'Attachments', of which it has a word."""
    heading = element("heading", "Attachments (0)", id="h", text="Attachments (0)")
    link = element("link", "Attachments (0)", id="fold", parent="h", text="Attachments (0)")
    folded = element(
        "button", "Attach print", id="b", visible=False, region=("Sheet", "Attachments (0)")
    )
    assert acts("Press Attach print", heading, link, folded) == ["click fold"]
    shown = folded.model_copy(update={"visible": True})
    assert acts("Press Attach print", heading, link, shown) == ["click b"]


def test_the_option_of_a_labelled_list_is_shown() -> None:
    by = options("Month", "Mooring", "Skipper")
    label = element("generic", "", id="label", text="Boats by", interactive=True)
    boats = element("combobox", "Boats by", id="by", label="Boats by", options=by)
    assert acts("Show the boats by skipper", label, boats) == ["select by=Skipper"]
    assert acts("Show the tides by skipper", label, boats) == []


def test_a_text_is_added_by_the_button_beside_an_area() -> None:
    area = element("textbox", "New remark", id="t", tag="textarea", row="New remark")
    add = element("button", "Add remark", id="add", row="New remark")
    assert acts('Add the remark "Dry"', area, add) == ["fill t=Dry", "click add"]
    assert acts('Add the remark "Dry"', area) == ["fill t=Dry", "press t=Enter"]


@pytest.mark.parametrize("shown", [True, False], ids=["in view", "coming into view"])
def test_a_box_is_chosen_by_the_name_of_its_group_and_its_own(shown: bool) -> None:
    """The column 'Grade' beside the form offers nothing, and identifiers count from 0."""
    column = element("columnheader", "Grade", id="col", interactive=True)
    boxes = [
        element("radio", name, id=f"r{name}", label=name, checked=False, visible=shown,
                attributes={"id": f"grade-{index}", "name": "grade"})
        for index, name in enumerate(("1", "2", "3", "Top"))
    ]  # fmt: skip
    other = element("radio", "9", id="r9", label="9", checked=False, attributes={"name": "size"})
    assert acts("Choose the grade 2", column, *boxes, other) == ["check r2"]
    assert acts("Set the grade to 3", column, *boxes, other) == ["check r3"]
    assert acts("Choose the grade Top", column, *boxes, other) == ["check rTop"]
    assert "check r9" not in acts("Choose the grade 9", column, *boxes, other)
    assert not any("check" in act for act in acts("Choose the grade 4", column, *boxes, other))


def test_a_field_that_holds_a_text_is_no_field_without_a_name() -> None:
    """The text that a case has entered is not overwritten by a name that no field asks for."""
    area = element("textbox", "", id="t", tag="textarea", value="Dry the sails.")
    user = element("textbox", "Your username", id="u", label="Your username")
    assert acts('Enter your name "Orla"', area, user) == ["fill u=Orla"]
    assert acts('Enter the colour "red"', area, user) == []


def test_the_only_field_of_a_dialog_is_meant() -> None:
    dialog = element("dialog", "", id="d")
    field = element("textbox", "Rename", id="n", parent="d")
    search = element("textbox", "Search", id="s")
    assert acts('Change the name to "quay.txt"', dialog, field, search) == ["fill n=quay.txt"]
    assert acts('Change the name to "quay.txt"', field, search) == []


def test_a_whole_sentence_is_no_control() -> None:
    told = "Pressing 'Print' shows the page beside the text that is being written"
    label = element("generic", "", id="l", text=told, interactive=True)
    printing = element("button", "Print page", id="p")
    assert acts("Print the page", label, printing) == ["click p"]


def test_what_makes_a_new_thing_opens_no_old_one() -> None:
    new = element("button", "New job", id="new")
    job = element("link", "Reed organ", id="job")
    assert acts("Open the job of the Reed organ", new) == []
    assert acts("Open the new job", new, job) == ["click new"]


def test_of_fields_with_one_name_the_one_at_the_place_is_meant() -> None:
    fields = [element("textbox", "Price", id=f"p{n}", label="Price") for n in (1, 2, 3)]
    assert acts("In the second line enter the price 5", *fields) == ["fill p2=5"]
    assert acts("In the last line enter the price 5", *fields) == ["fill p3=5"]
    assert acts("In the fifth line enter the price 5", *fields) == []


def test_the_sign_in_a_heading_sorts() -> None:
    head = element("columnheader", "Weight", id="h", interactive=True)
    sign = element("generic", "", id="s", parent="h", attributes={"class": "head--sort"},
                   interactive=True)  # fmt: skip
    assert acts("Sort by weight", head, sign) == ["click s"]
    assert acts("Sort by weight", head) == ["click h"]


def test_a_thing_that_is_called_so_is_opened_and_not_the_menu_of_its_kind() -> None:
    menu = element("link", "Loans", id="menu")
    thing = element("link", "Reed organ", id="organ", row="Reed organ, 4 May")
    assert acts("Open the loan of the Reed organ", menu, thing) == ["click organ"]


def test_a_thing_is_put_on_a_list_by_the_link_in_its_card() -> None:
    links = [
        element("link", "Put on the shelf", id=name, row=f"{name} 3 left")
        for name in ("Awl", "Vise")
    ]
    names = [
        element("heading", name, id=f"h{name}", row=f"{name} 3 left") for name in ("Awl", "Vise")
    ]
    assert acts("Put the Vise on the shelf", *names, *links) == ["click Vise"]


def test_a_drawn_list_is_called_by_the_text_above_it() -> None:
    """Once something is chosen in it, its own placeholder is gone."""
    caption = text("Kind of boat", box=Box(x=10, y=10, width=90, height=20))
    field = element("combobox", "", id="kind", row="Sloop", covered=True,
                    box=Box(x=20, y=40, width=5, height=20))  # fmt: skip
    arrow = element("generic", "", id="arrow", row="Sloop", interactive=True)
    assert acts("Choose Yawl as the kind of boat", caption, field, arrow) == ["click arrow"]


def test_a_drop_down_without_a_common_box_is_opened_by_the_toggle_before_it() -> None:
    """The `div` around a Bootstrap drop-down has no role, so that a snapshot leaves it out."""
    other = element("button", "Notes", id="notes", expanded=False)
    toggle = element("button", "Actions", id="more", expanded=False)
    folded = [
        element("list", "", id="menu", visible=False, text=""),
        element("button", "Hold", id="hold", parent="menu", visible=False),
    ]
    assert acts("Put it on hold", other, toggle, *folded) == ["click more"]
    # what stands between does not belong to the toggle
    between = element("button", "Print", id="print")
    assert acts("Put it on hold", toggle, between, *folded) == []


def test_a_filter_is_a_button_beside_the_list() -> None:
    oslo = element("button", "Oslo", id="oslo", row="Oslo")
    row = [
        element("row", "Mia Oslo", id="r", text="Mia\nOslo"),
        element("cell", "Oslo", id="c", parent="r", row="Mia Oslo"),
    ]
    assert acts("Restrict the list to Oslo", oslo, *row) == ["click oslo"]
    assert acts("Restrict the list to Bergen", oslo, *row) == []


def test_the_button_with_the_verb_in_the_row_of_a_name_is_pressed() -> None:
    rows = [
        part
        for name in ("L-17", "L-18")
        for part in (
            element("row", f"{name} Extend", id=name, text=f"{name}\nExtend"),
            element("cell", name, parent=name, row=f"{name} Extend"),
            element("button", "Extend", id=f"extend-{name}", parent=name, row=f"{name} Extend"),
        )
    ]
    assert acts("Extend L-18", *rows) == ["click extend-L-18"]
    assert acts("Extend L-19", *rows) == []


def test_a_list_is_turned_round_by_the_heading_that_sorted_it() -> None:
    heads = [
        part
        for name in ("Fee", "Berth")
        for part in (
            element("columnheader", f"Sort by {name}", id=f"head-{name}", text=name),
            element("button", f"Sort by {name}", id=f"sort-{name}", parent=f"head-{name}"),
        )
    ]
    view = page(*heads)
    step = read_step("Sort it the other way round", number=1)
    (intent,) = [i for c in split_sentence(step.text) for i in read_intents(c)]
    clicked = GuiAction(action="click", target="sort-Berth")
    task = PageTask(step=step, reading=None, view=view, acts=(clicked,))
    assert [a.target for a in WeakPlanner(task, 0).plan(intent).acts] == ["sort-Berth"]
    unsorted = PageTask(step=step, reading=None, view=view)
    assert WeakPlanner(unsorted, 0).plan(intent).acts == ()


def test_a_field_is_narrowed_down_to_a_value() -> None:
    grade = element("combobox", "Grade", id="grade", options=options("Low", "High"))
    assert acts("Narrow the grade down to High", grade) == ["select grade=High"]
    assert acts("Narrow the grade down to Medium", grade) == []


def test_the_button_that_leaves_a_dialog_is_called_without_quotes() -> None:
    buttons = (element("button", "Not now", id="later"), element("button", "Close", id="close"))
    assert acts("Leave the dialog with Not now", *buttons) == ["click later"]


def test_a_box_behind_its_drawing_can_be_meant() -> None:
    """MUI draws its switches over an input without opacity, which is then not visible."""
    place = {"input_type": "checkbox", "visible": False}
    box = element("switch", "Hide done", id="box", box=Box(x=9, y=9, width=60, height=38), **place)
    menu = element("button", "Close menu", id="menu")
    assert acts("Hide what is done", box, menu) == ["click box"]
    folded = element("switch", "Hide done", id="box", box=Box(x=0, y=0, width=0, height=0), **place)
    assert "click box" not in acts("Hide what is done", folded, menu)


def test_things_that_only_their_class_names_are_not_one_thing() -> None:
    def tile(key: str) -> Element:
        return element("generic", "", id=key, interactive=True, attributes={"class": "paint"})

    assert acts("Click on the painted square", tile("a")) == ["click a"]
    assert acts("Click on the painted square", tile("a"), tile("b")) == []

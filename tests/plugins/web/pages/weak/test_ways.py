"""Acts told by a side, a key, a way or a sign: what testers say where nothing has a name."""

import pytest
from tests.plugins.web.runner.pages import element, page, text

from sparring.model.page import Box, Element, PageView
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.steps import read_step
from sparring_plugins.web.pages.plans import Planner, speaks_to_page
from sparring_plugins.web.pages.weak.acts.acting import WeakPlanner
from sparring_plugins.web.pages.weak.acts.finding import Seeker
from sparring_plugins.web.pages.weak.acts.making import MakingPlanner
from sparring_plugins.web.pages.weak.page.choosing import WeakPlan
from sparring_plugins.web.roles import PageTask
from sparring_plugins.web.runner.login_steps import read_all_intents
from sparring_plugins.web.runner.weak_steps import names_exactly


def task(sentence: str, view: PageView) -> PageTask:
    step = read_step(sentence, number=1)
    return PageTask(step=step, reading=step.reading, view=view)


def strict(sentence: str, *elements: Element) -> list[str]:
    """Return what the strict planner does, as "double_click a"."""
    acts = Planner(task(sentence, page(*elements))).plan().acts
    return [f"{act.action} {act.target}" for act in acts]


def weak(sentence: str, *elements: Element, exact: bool = False) -> WeakPlan:
    """Return the plan for the only intent of a sentence."""
    (intent,) = read_all_intents(sentence)
    planner = WeakPlanner(task(sentence, page(*elements)))
    return planner.plan_exactly(intent) if exact else planner.plan(intent)


def targets(plan: WeakPlan) -> list[str | None]:
    return [act.target for act in plan.acts]


def two_sides(*classes: str) -> list[Element]:
    """Two links of one name, side by side; their parts have these classes."""
    elements: list[Element] = []
    for number, name in enumerate(classes):
        left = 500.0 * number
        elements += [
            element("generic", "", id=f"part{number}", attributes={"class": name},
                    box=Box(x=left, y=0, width=480, height=300)),
            element("link", "notes.txt", id=f"file{number}", parent=f"part{number}",
                    box=Box(x=left + 20, y=20, width=60, height=20)),
        ]  # fmt: skip
    return elements


@pytest.mark.parametrize(
    ("classes", "sentence", "expected"),
    [
        (("pane", "pane"), "Double-click on notes.txt in the left panel", ["double_click file0"]),
        (("pane", "pane"), "Right-click on notes.txt in the right panel", ["right_click file1"]),
        # a part says that it is the left one, wherever it lies
        (("pane-right", "pane-left"), "Click on notes.txt in the left panel", ["click file1"]),
        (("pane", "pane"), "Double-click on notes.txt in the upper panel", []),
        # nothing lies on the other side: the page has no sides
        (("pane",), "Double-click on notes.txt in the left panel", []),
    ],
)
def test_a_side_tells_equal_names_apart(
    classes: tuple[str, ...], sentence: str, expected: list[str]
) -> None:
    assert strict(sentence, *two_sides(*classes)) == expected


@pytest.mark.parametrize(
    ("sentence", "key"),
    [
        ("Close the viewer with Escape", "Escape"),
        ("Leave the editor by pressing F10", "F10"),
        ("Remove the line using the Delete key", "Delete"),
        # a button may be called so
        ("Remove the line with Delete", ""),
        ("Close the viewer with the cross", ""),
    ],
)
def test_a_key_is_the_means(sentence: str, key: str) -> None:
    pressed = [intent.value for intent in read_all_intents(sentence) if intent.verb == "press"]
    assert pressed == ([key] if key else [])


@pytest.mark.parametrize(
    ("sentence", "name", "is_meant"),
    [
        ("Answer Cancel", "Cancel", True),
        ("Answer OK", "OK", True),
        ("Answer OK", "Cancel", False),
        ("Accept the alert", "Accept", False),
    ],
)
def test_a_dialog_that_the_page_draws_is_answered_on_the_page(
    sentence: str, name: str, is_meant: bool
) -> None:
    step = read_step(sentence, number=1)
    assert step.reading is not None
    assert speaks_to_page(step, step.reading, page(element("button", name))) is is_meant


def test_a_text_without_a_field_goes_into_the_one_in_use() -> None:
    step = read_step('Enter "lamps"', number=1)
    assert [reading.action for reading in step.readings] == ["click"]  # and opens no address
    assert names_exactly(step)
    fields = [element("textbox", "Town"), element("textbox", "", id="now", focused=True)]
    plan = weak('Enter "lamps"', *fields, exact=True)
    assert [(act.action, act.target, act.value) for act in plan.acts] == [("fill", "now", "lamps")]


def test_an_arrow_is_called_by_its_class() -> None:
    arrows = [
        element("button", "", id=name, attributes={"class": name})
        for name in ("previous-page", "next-page")
    ]
    assert targets(weak("Turn to the next page of the table", *arrows)) == ["next-page"]


def test_the_way_comes_before_a_longer_name_elsewhere() -> None:
    links = [
        element("link", "Snippets", id="way"),
        element("link", "Toolbox 7 editor guide", id="other"),
    ]
    plan = weak("Go to the guides under Snippets", *links)
    assert (targets(plan), plan.again) == (["way"], True)
    there = [*links, element("link", "Guides", id="there")]
    assert targets(weak("Go to the guides under Snippets", *there)) == ["there"]


def mail(subject: str, sender: str, role: str = "link", row: str = "row") -> list[Element]:
    name = f"{subject} {sender}"
    whole = element(role, name, id=name, row=f"{row} {name}" if row else "", text="")
    return [whole, text(subject, parent=name), text(sender, parent=name)]


def test_a_link_of_a_list_is_called_by_one_whole_text_in_it() -> None:
    mails = [*mail("Rent", "From: trash@example.org"), *mail("Oil", "From: ida@example.org")]
    assert strict("Open 'Rent'", *mails) == ["click Rent From: trash@example.org"]
    twins = [*mails, *mail("Rent", "From: eva@example.org")]
    assert strict("Open 'Rent'", *twins) == []
    button = mail("Save", "and delete the rest", role="button", row="")
    assert strict("Click on 'Save'", *button) == []


def test_an_order_is_turned_round() -> None:
    heading = element("columnheader", "Price", id="price", interactive=True)
    assert targets(weak("Sort by price the other way round", heading)) == ["price"]
    links = [
        element("link", "Sort title in reverse alphabetical order", id="down"),
        element("link", "Sort title in alphabetical order", id="up"),
    ]
    assert targets(weak("Sort the titles alphabetically", *links)) == ["up"]


def test_a_hidden_control_is_called_by_the_text_in_it() -> None:
    menu = [
        element("generic", "", id="foot"),
        element("button", "Mia", id="mia", parent="foot", attributes={"aria-haspopup": "menu"}),
        element("list", "", id="list", parent="foot", visible=False),
        element("button", "", id="out", parent="list", visible=False),
        text("Log out", parent="out", visible=False),
    ]
    plan = weak("Log out", *menu)
    assert (targets(plan), plan.again) == (["mia"], True)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Open the folder oak in the left panel and the folder elm in the right one",
         [("open", "the folder oak in the left panel"), ("open", "the folder elm in the right panel")]),
        ("Add a guide under Snippets > Guides",
         [("open", "Snippets"), ("open", "Guides"), ("form", "guide")]),
    ],
)  # fmt: skip
def test_one_sentence_has_several_ways(sentence: str, expected: list[tuple[str, str]]) -> None:
    assert [(intent.verb, intent.words) for intent in read_all_intents(sentence)] == expected


def test_no_control_is_looked_for_on_further_pages() -> None:
    view = page(element("link", "next", id="on"))
    (tab,) = read_all_intents("Open the Chart tab")
    (boat,) = read_all_intents("Open the boat Wren")
    assert Seeker(tab).next_move(task("Open the Chart tab", view)) is None
    assert Seeker(boat).next_move(task("Open the boat Wren", view)) is not None


def test_an_answer_presses_the_button_of_a_drawn_dialog() -> None:
    buttons = [element("button", "OK"), element("button", "Cancel")]
    assert targets(weak("Answer Cancel", *buttons)) == ["button-Cancel-"]
    assert targets(weak("Answer OK this time", *buttons)) == ["button-OK-"]


def test_what_is_added_is_no_box_with_another_noun() -> None:
    boxes = [element("checkbox", "Only thirsty plants", label="Only thirsty plants")]
    assert not weak("Add a plant", *boxes).acts


def test_a_drawn_icon_is_called_by_what_its_class_means() -> None:
    rows = [
        part
        for name in ("Agave", "Basil")
        for part in (
            element("row", f"{name} 4", id=name, text=f"{name}\n4"),
            element("link", name, id=f"open-{name}", parent=name, row=f"{name} 4"),
            element("button", "", id=f"bin-{name}", parent=name, row=f"{name} 4",
                    attributes={"class": "icon icon-trash"}),
        )
    ]  # fmt: skip
    assert targets(weak("Click the bin in the row of Basil", *rows)) == ["bin-Basil"]
    assert targets(weak("Delete Agave", *rows)) == ["bin-Agave"]


def test_to_opt_out_unticks() -> None:
    box = element("checkbox", "Send me news", id="news", label="Send me news", checked=True)
    acts = [(act.action, act.target) for act in weak("Opt out of the news", box).acts]
    assert acts == [("uncheck", "news")]


@pytest.mark.parametrize(
    ("sentence", "verb"),
    [
        ("Open the plant list from Home", "open"),
        ("Return from the settings to home", "home"),
        ("Navigate back to home", "home"),
        ("Press the key 'Enter' in the 'search' field", "press"),
    ],
)
def test_what_stands_on_the_start_page_is_not_the_start_page(sentence: str, verb: str) -> None:
    assert [i.verb for i in read_all_intents(sentence)] == [verb]


def after(view: PageView, *acts: GuiAction, sentence: str) -> WeakPlan:
    """Return the plan for the only intent of a sentence behind acts on the page."""
    step = read_step(sentence, number=1)
    (intent,) = read_all_intents(sentence)
    done = PageTask(step=step, reading=step.reading, view=view, acts=acts)
    return WeakPlanner(done).plan(intent)


def clicked(link: str, name: str) -> GuiAction:
    return GuiAction(action="click", target=link, described=f"link '{name}'")


def list_and_part() -> PageView:
    """A list with the link Dahlia, and the part that it has opened; either can be edited."""
    return page(
        element("article", id="list"),
        element("heading", "Plants", parent="list"),
        element("button", "Edit", id="edit list", parent="list", region=("Plants",)),
        element("link", "Dahlia", id="link", parent="list", region=("Plants",)),
        element("article", id="part"),
        element("heading", "Dahlia", parent="part"),
        element("button", "Edit", id="edit part", parent="part", region=("Dahlia",)),
    )


def test_what_was_opened_stands_under_its_name_and_not_around_its_link() -> None:
    plan = after(list_and_part(), clicked("link", "Dahlia"), sentence="edit it")
    assert targets(plan) == ["edit part"]


def test_the_title_is_changed_in_the_field_that_holds_it() -> None:
    def nameless(value: str) -> Element:
        return element("textbox", "", id=value, value=value, label="")

    view = page(nameless("Dahlia"), nameless("in the shade"), element("textbox", "tag"))
    plan = after(view, clicked("gone", "Dahlia"), sentence="Change the title to 'Aster'")
    assert targets(plan) == ["Dahlia"]
    # nobody has named what any of the fields holds
    assert not targets(after(view, sentence="Change the title to 'Aster'"))


def test_a_part_is_closed_by_the_button_beside_its_heading() -> None:
    def part(name: str) -> list[Element]:
        return [
            element("article", id=name),
            element("heading", name, parent=name),
            element("button", "Close", id=f"close {name}", parent=name),
        ]

    view = page(*part("Stork"), *part("Grey heron"), *part("Eider"))
    plan = after(view, sentence="Close the Grey heron card with its cross")
    assert targets(plan) == ["close Grey heron"]
    assert [i.verb for i in read_all_intents("Close the Grey heron card")] == ["close"]


def folded_filter(*, shown: bool = False, between: tuple[Element, ...] = ()) -> PageView:
    """A button that unfolds a form with the boxes of two groups, both called 'yes'."""
    boxes = [
        element("radio", "yes", id=f"{name}-yes", parent=name, visible=shown, label="yes",
                attributes={"name": name}, region=(name,), input_type="radio")
        for name in ("ripe", "read")
    ]  # fmt: skip
    return page(
        element("button", "Filter", id="filter", attributes={"class": "dropdown-toggle"}),
        *between,
        element("form", "", id="f", visible=shown),
        element("group", "ripe", id="ripe", parent="f", visible=shown),
        element("group", "read", id="read", parent="f", visible=shown),
        *boxes,
    )


def first_act(sentence: str, view: PageView) -> list[str]:
    (intent,) = read_all_intents(sentence)
    planner = MakingPlanner(task(sentence, view))
    plan = planner.unfold_first(planner.plan(intent))
    return [f"{act.action} {act.target}" for act in plan.acts]


def test_a_box_in_a_folded_part_is_shown_first() -> None:
    sentence = 'Choose "yes" for ripe'
    assert first_act(sentence, folded_filter()) == ["click filter"]
    assert first_act(sentence, folded_filter(shown=True)) == ["check ripe-yes"]
    # what stands between may be what the button unfolds
    apart = folded_filter(between=(text("Twelve pears"),))
    assert first_act(sentence, apart) == ["check ripe-yes"]


def test_a_group_whose_name_says_little_elsewhere_is_one_all_the_same() -> None:
    assert first_act('Pick read "yes"', folded_filter(shown=True)) == ["check read-yes"]


def test_a_search_in_no_form_is_started_by_the_button_behind_its_field() -> None:
    """Enter does nothing there; in a form it sends the form."""
    field = element("searchbox", "Boat", id="q", parent="bar", editable=True)
    button = element("button", "Find", id="find", parent="bar")
    other = element("button", "Export", id="export", parent="bar")
    bare = weak("Search for Heron", field, button)
    assert [(act.action, act.target) for act in bare.acts] == [("fill", "q"), ("click", "find")]
    beside = weak("Search for Heron", field, other)
    assert [(act.action, act.target) for act in beside.acts] == [("fill", "q"), ("press", "q")]
    form = element("form", "", id="bar")
    sent = weak("Search for Heron", form, field, button)
    assert [(act.action, act.target) for act in sent.acts] == [("fill", "q"), ("press", "q")]

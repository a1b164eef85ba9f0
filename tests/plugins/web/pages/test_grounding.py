"""Which element of a page a step means."""

import pytest
from tests.plugins.web.runner.pages import element, options, page, text

from sparring.model.page import Element, PageView
from sparring.model.talk import GuiAction
from sparring_plugins.web.pages.plans import Plan, Planner
from sparring_plugins.web.roles import PageTask
from sparring_plugins.web.step import Reading, Step, Target


def plan(view: PageView, reading: Reading, *acts: GuiAction) -> Plan:
    step = Step(number=1, text="a step", readings=(reading,))
    return Planner(PageTask(step=step, reading=reading, view=view, acts=acts)).plan()


def click(words: str = "", **more: object) -> Reading:
    return Reading(action="click", target=Target.model_validate({"text": words, **more}))


def fill(words: str, value: str = "v", **more: object) -> Reading:
    target = Target.model_validate({"text": words, **more})
    return Reading(action="fill", target=target, value=value)


GROUPS = element("link", "Add", id="add-1", row="Groups Add Change", url="/g/add")
USERS = element("link", "Add", id="add-2", row="Users Add Change", url="/u/add")


@pytest.mark.parametrize(
    ("elements", "reading", "chosen"),
    [
        pytest.param([element("button", "Save", id="a"), element("button", "Save as", id="b")],
                     click("Save"), "a", id="the whole name before a part of one"),
        pytest.param([element("link", "Shopping Cart (0)", id="a")], click("Cart"), "a",
                     id="the only one with the words"),
        pytest.param([GROUPS, USERS], click("Add", row="Users"), "add-2", id="by its row"),
        pytest.param([GROUPS, USERS], click("Add", ordinal=2), "add-2", id="by its position"),
        pytest.param([GROUPS, USERS], click("Add", ordinal=-1), "add-2", id="the last"),
        pytest.param([element("link", "Login", id="a"), element("button", "Login", id="b")],
                     click("Login", role="button"), "b", id="by its kind"),
        pytest.param([element("button", "", id="a", title="Search")], click("Search"), "a",
                     id="an icon by its title"),
        pytest.param([element("textbox", "", id="a", adjacent="User name:")], fill("User name"),
                     "a", id="a field by the text beside it"),
        pytest.param([element("textbox", "", id="a", attributes={"name": "first_name"}),
                      element("textbox", "", id="b", attributes={"name": "last_name"})],
                     fill("Last name"), "b", id="a field by its name in the markup"),
        pytest.param([element("textbox", "E-mail", id="a"), element("button", "E-mail", id="b")],
                     fill("E-mail"), "a", id="text goes into fields only"),
        pytest.param([element("textbox", "", id="a", placeholder="Search"),
                      element("textbox", "Comment", id="b")], fill("search"), "a",
                     id="a field by its placeholder"),
        pytest.param([element("checkbox", "I agree", id="a", checked=False, visible=False)],
                     Reading(action="check", target=Target(text="I agree")), "a",
                     id="a hidden box behind its label"),
        pytest.param([element("combobox", "Size", id="a", options=options("S", "M"))],
                     Reading(action="select", value="M"), "a", id="the list that has the option"),
        pytest.param([element("radio", "Red", id="a", checked=False)],
                     Reading(action="select", value="Red"), "a", id="a radio button selected"),
        pytest.param([element("button", "", id="a", attributes={"id": "page-2"})],
                     click("page 2"), "a", id="an identifier with a number and no other name"),
        pytest.param([element("button", "Page 2", id="a", attributes={"id": "page_2"})],
                     click("page_2"), "a", id="an identifier with the number of the name"),
        pytest.param([element("link", "Terms", id="a", visible=False),
                      element("link", "Terms", id="b", url="/t")], click("Terms"), "b",
                     id="the visible one of two"),
        pytest.param([element("link", "Home", id="a", url="/"),
                      element("link", "Home", id="b", url="/")], click("Home"), "a",
                     id="two links to one place are one"),
        pytest.param([element("link", "Maple", id="a", url="/maple", visible=False),
                      element("heading", "Maple", id="h"),
                      element("link", "Maple", id="b", parent="h", url="/maple")],
                     click("Maple"), "b", id="of two links that are one, the visible one"),
        pytest.param([text("Details")], click("Details"), "text-Details",
                     id="a text that takes clicks unseen"),
        pytest.param([element("generic", "", id="a", interactive=True, row="Ada",
                              attributes={"class": "icon icon-trash"}),
                      element("generic", "", id="b", interactive=True, row="Grace",
                              attributes={"class": "icon icon-trash"})],
                     click("trash", row="Grace"), "b", id="a bare icon by its class"),
        pytest.param([element("tab", "Section 3", id="a", expanded=False),
                      element("tab", "Help", id="b", expanded=False)],
                     Reading(action="click", target=Target(role="section")), "a",
                     id="what says of itself that it is one"),
        pytest.param([element("link", "urna", id="a"), element("link", "urna,", id="b")],
                     click("urna,"), "b", id="the one that is called so to the letter"),
        pytest.param([element("slider", "Volume", id="a")], fill("Volume", "40", role="slider"),
                     "a", id="a slider takes a value"),
    ],
)  # fmt: skip
def test_a_step_finds_its_element(elements: list[Element], reading: Reading, chosen: str) -> None:
    found = plan(page(*elements), reading)
    assert found.truth is True, found.reason
    assert found.acts[0].target == chosen


@pytest.mark.parametrize(
    ("elements", "reading", "truth", "reason"),
    [
        pytest.param([GROUPS, USERS], click("Add"), None, "2 fit equally well", id="two links"),
        pytest.param([element("button", "Login", id="a"), element("link", "Login", id="b")],
                     click("Login"), None, "link 'Login'", id="a button and a link"),
        pytest.param([element("button", "Save as", id="a"), element("button", "Save all", id="b")],
                     click("Save"), None, "2 fit equally well", id="two parts, whatever their length"),
        pytest.param([element("button", "Pay", disabled=True)], click("Pay"), False,
                     "is disabled", id="disabled"),
        pytest.param([element("button", "Pay", covered=True)], click("Pay"), False,
                     "covered by something else", id="covered"),
        pytest.param([element("button", "Pay", visible=False)], click("Pay"), False,
                     "is hidden", id="hidden"),
        pytest.param([element("button", "Pay", disabled=True), element("button", "Pay later")],
                     click("Pay"), False, "is disabled", id="never the next best instead"),
        pytest.param([element("radio", "2", id="a", checked=False, attributes={"id": "grade-1"}),
                      element("radio", "1", id="b", checked=False, attributes={"id": "grade-0"})],
                     Reading(action="check", target=Target(text="grade 1")), None,
                     "no control on the page is called 'grade 1'", id="an identifier that counts from 0"),
        pytest.param([element("button", "Cancel")], click("Submit"), None,
                     "no control on the page is called 'Submit'", id="nothing like it"),
        pytest.param([text("cheese")], click("e"), None, "called 'e'", id="a letter in a word"),
        pytest.param([], click("x"), None, "there is no control on the page", id="an empty page"),
        pytest.param([GROUPS], click("Add", ordinal=3), None, "only 1 fit", id="too few"),
        pytest.param([GROUPS], click("Add", row="Books"), None, "in the row of 'Books'",
                     id="no such row"),
    ],
)  # fmt: skip
def test_a_step_that_is_not_sure_acts_on_nothing(
    elements: list[Element], reading: Reading, truth: bool | None, reason: str
) -> None:
    found = plan(page(*elements), reading)
    assert found.truth is truth
    assert found.acts == ()
    assert reason in found.reason


def test_the_form_that_was_filled_in_before_decides_between_equals() -> None:
    form = Element(id="f", role="form", tag="form")
    user = element("textbox", "User", id="u", parent="f")
    button = element("button", "Login", id="b", parent="f")
    link = element("link", "Login", id="l")
    view = page(link, form, user, button)
    done = GuiAction(action="fill", target="u", value="ann")
    assert plan(view, click("Login")).truth is None
    assert plan(view, click("Login"), done).acts[0].target == "b"


def test_a_value_that_is_missing_its_field_is_never_typed_elsewhere() -> None:
    view = page(element("textbox", "Name", id="a"), element("textbox", "City", id="b"))
    found = plan(view, fill("Street"))
    assert found.truth is None
    assert "textbox 'Name'" in found.reason


def test_a_sentence_that_the_grammar_does_not_know_is_left_open() -> None:
    step = Step(number=1, text="Frobnicate the gizmo")
    found = Planner(PageTask(step=step, reading=None, view=page())).plan()
    assert found.truth is None
    assert "'Frobnicate the gizmo' is no sentence of the grammar" in found.reason


def test_a_name_with_all_in_it_is_one_thing() -> None:
    links = [element("link", name, id=name) for name in ("All Boats", "My Boats")]
    every = click("Boats", every=True, quoted=False)
    assert [act.target for act in plan(page(*links), every).acts] == ["All Boats"]
    several = [element("link", "Boats", id=f"boats-{n}", row=f"{n}") for n in range(2)]
    assert len(plan(page(*several), every).acts) == 2

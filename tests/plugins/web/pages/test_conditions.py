"""Whether a condition holds on a page: the weaknesses of the published tool, and more."""

import pytest
from tests.plugins.web.runner.pages import element, message, options, page, text

from sparring.model.page import Box, Element, PageView
from sparring_plugins.web.grammar.steps import read_steps
from sparring_plugins.web.pages.conditions import holds
from sparring_plugins.web.step import (
    AllOf,
    AnyOf,
    Compared,
    Condition,
    Counted,
    Displayed,
    FieldHolds,
    InState,
    Not,
    PageIs,
    Target,
)


def shown(words: str, **more: object) -> Displayed:
    return Displayed(target=Target.model_validate({"text": words, **more}))


def count(words: str, comparison: str, number: int, unit: str = "text", **more: object) -> Counted:
    target = Target.model_validate({"text": words, **more})
    return Counted.model_validate(
        {"target": target, "comparison": comparison, "number": number, "unit": unit}
    )


HIDDEN = text("Secret", visible=False)
CHEESE = page(
    element("heading", "Information"),
    text("Bleu d\u2019Auvergne costs 4,50 \u20ac. It is good. Form follows function."),
    element("link", "Vendors", url="/v"),
    HIDDEN,
    element("checkbox", "Newsletter", checked=True),
    element("textbox", "Name", value="Ann Lee"),
    element("combobox", "Size", options=options("S", "M", selected="M"), value="M"),
    element("button", "Pay", disabled=True),
    element("button", "", title="Close", alternative="", text="", id="icon", attributes={}),
    url="http://shop.test/cheese?id=7",
    title="Cheese shop",
)


@pytest.mark.parametrize(
    ("condition", "truth"),
    [
        pytest.param(shown("Secret"), False, id="hidden text is not displayed"),
        pytest.param(Not(condition=shown("Secret")), True, id="and so not displayed holds"),
        pytest.param(shown("Information"), True, id="a word with 'or' in it"),
        pytest.param(shown("Bleu d'Auvergne"), True, id="an apostrophe, whichever it is"),
        pytest.param(shown("Bleu d'Nimes"), False, id="not cut at the apostrophe"),
        pytest.param(shown("bleu d'auvergne"), True, id="fewer capitals than the page has"),
        pytest.param(shown("Bleu D'AUVERGNE"), None, id="capitals that the page has not"),
        pytest.param(shown("INFORMATION"), True, id="the whole text in other capitals"),
        pytest.param(shown("Vendor"), None, id="a part of a word is not known"),
        pytest.param(shown("Vendors", role="button"), None, id="a link may be a button to somebody"),
        pytest.param(shown("Vendors", role="link"), True, id="a link"),
        pytest.param(shown("Information", role="button"), None, id="plain text may take clicks"),
        pytest.param(shown("Ann Lee"), True, id="what a field shows"),
        pytest.param(shown("M"), True, id="the selected option"),
        pytest.param(shown("S"), False, id="an option that is not selected"),
        pytest.param(count("it", ">=", 3), False, id="at least three times"),
        pytest.param(count("is", ">=", 1), True, id="at least once"),
        pytest.param(count("good", "==", 1), True, id="exactly once"),
        pytest.param(count("form", "==", 1), None, id="one word, and one part of a word"),
        pytest.param(count("form", ">=", 1), True, id="at least one in any case"),
        pytest.param(count("", ">=", 1, "element", role="link"), True, id="has links"),
        pytest.param(count("", ">", 1, "element", role="link"), False, id="more than one link"),
        pytest.param(count("good", "==", 1, "sentence"), True, id="a sentence with it"),
        pytest.param(count("function", ">", 1, "sentence"), False, id="no two sentences"),
        pytest.param(AnyOf(conditions=(shown("Nothing"), shown("Information"))), True, id="or"),
        pytest.param(AnyOf(conditions=(shown("Nothing"), shown("Vendor"))), None,
                     id="false or don't know"),
        pytest.param(AllOf(conditions=(shown("Vendors"), shown("Nothing"))), False, id="and"),
        pytest.param(AllOf(conditions=(shown("Vendor"), shown("Nothing"))), False,
                     id="don't know and false"),
        pytest.param(InState(target=Target(text="Newsletter"), state="checked"), True,
                     id="checked"),
        pytest.param(Not(condition=InState(target=Target(text="Newsletter"), state="checked")),
                     False, id="not checked"),
        pytest.param(InState(target=Target(text="Pay"), state="disabled"), True, id="disabled"),
        pytest.param(InState(target=Target(text="Pay"), state="enabled"), False, id="enabled"),
        pytest.param(InState(target=Target(text="S"), state="selected"), False, id="selected"),
        pytest.param(InState(target=Target(text="Gift"), state="checked"), None,
                     id="the state of nothing"),
        pytest.param(FieldHolds(target=Target(text="Name"), text="Ann Lee"), True, id="equals"),
        pytest.param(FieldHolds(target=Target(text="Name"), text="Ann"), False, id="not all"),
        pytest.param(FieldHolds(target=Target(text="Name"), text="Lee", mode="contains"), True,
                     id="contains"),
        pytest.param(FieldHolds(target=Target(text="Size"), text="M"), True, id="a list holds"),
        pytest.param(PageIs(property="title", text="Cheese"), True, id="title"),
        pytest.param(PageIs(property="url", text="id=7", mode="ends"), True, id="address"),
        pytest.param(PageIs(property="url", text="http://shop.test", mode="equals"), False,
                     id="another address"),
        pytest.param(shown("Close"), True, id="an icon by its name") ,
    ],
)  # fmt: skip
def test_a_condition_on_a_page(condition: Condition, truth: bool | None) -> None:
    view = CHEESE
    if isinstance(condition, Displayed) and condition.target.text == "Close":
        view = page(element("button", "Close", id="icon", text="", title="Close"))
    judged = holds(condition, view)
    assert judged.truth is truth, judged.reason
    assert judged.strict
    assert judged.reason


ORDERS = page(
    *(
        element(role, words, row=row, column=column, id=f"{row}-{words}")
        for row, amount in (
            ("1045 tutu $30.00 BILL", "$30.00"),
            ("1046 toto $12.50 BILL", "$12.50"),
        )
        for role, words, column in (
            ("cell", row.split()[0], "Order id"),
            ("cell", row.split()[1], "Customer"),
            ("cell", amount, "Amount"),
            ("button", "BILL", ""),
        )
    ),
    text("Total: $42.50"),
    text("Limit: $100"),
)


@pytest.mark.parametrize(
    ("condition", "truth"),
    [
        (shown("BILL", role="button", row="1045", row_kind="order id"), True),
        (shown("BILL", role="button", row="1050"), False),
        (shown("$30.00", row="toto"), False),
        (Compared(target=Target(text="Total"), comparison=">", number="42"), True),
        (Compared(target=Target(text="Total"), comparison="==", number="$42.50"), True),
        (Compared(target=Target(text="Total"), comparison=">=", other=Target(text="Limit")), False),
        (Compared(target=Target(text="Discount"), comparison=">", number="1"), None),
        (count("BILL", "==", 2, "element", role="button"), True),
    ],
)
def test_tables_and_amounts(condition: Condition, truth: bool | None) -> None:
    judged = holds(condition, ORDERS)
    assert judged.truth is truth, judged.reason


def test_a_message_that_has_gone_was_displayed_but_is_not_displayed_now() -> None:
    view = page(text("Orders"), events=(message("Your order has been placed"),))
    assert holds(shown("has been placed"), view).truth is True
    assert holds(Not(condition=shown("has been placed")), view).truth is True
    assert "for a while" in holds(shown("has been placed"), view).reason


@pytest.mark.parametrize(
    ("view", "why"),
    [
        (page(text("one"), truncated=40), "40 elements were left out"),
        (page(Element(id="c", role="", tag="canvas", box=Box(x=0, y=0, width=800, height=600))),
         "a drawing that may show it"),
    ],
)  # fmt: skip
def test_what_the_snapshot_cannot_tell_is_not_known(view: PageView, why: str) -> None:
    judged = holds(shown("two"), view)
    assert judged.truth is None
    assert why in judged.reason


def table_of(*names: str) -> PageView:
    """A table with a row of headings and a row for each name."""
    head = [
        element("table", "", id="t"),
        element("row", "", id="head", parent="t"),
        element("columnheader", "Tea", id="h1", parent="head"),
    ]
    for number, name in enumerate(names):
        row = f"row{number}"
        head.append(element("row", name, id=row, parent="t"))
        head.append(element("cell", name, id=f"cell{number}", parent=row, row=name))
    return page(*head)


POSITIONS = {
    "'Assam' is displayed before 'Ceylon'": True,
    "'Ceylon' is displayed above 'Assam'": False,
    "'Assam' is displayed after 'Ceylon'": False,
    "'Assam' is displayed before 'Oolong'": False,
    "'Assam' is above 'Ceylon'": True,
    "'Assam' is now below 'Ceylon'": False,
    "'Ceylon' is displayed before 'Mint'": None,
    "'Assam' is displayed in the first row": True,
    "'Ceylon' is displayed in the first row": False,
    "'Mint' is displayed in the last row": True,
    "'Mint' is displayed in the second row": True,
    "'Assam' is not displayed in the last row": True,
    "'Assam' is displayed in the ninth row": False,
}


@pytest.mark.parametrize(("sentence", "truth"), POSITIONS.items(), ids=list(POSITIONS))
def test_order_and_rows_by_their_place(sentence: str, truth: bool | None) -> None:
    view = table_of("Assam", "Mint", "Ceylon", "Mint")
    reading = read_steps(f"Assert that {sentence}")[0].reading
    assert reading is not None
    assert reading.condition is not None
    assert holds(reading.condition, view).truth is truth

"""Weak readings beside strict ones: what a strict reading may have misread is no final verdict."""

import pytest
from tests.plugins.web.runner.pages import element, page, text

from sparring.model.page import PageView
from sparring_plugins.web.grammar.free.intents import read_intents
from sparring_plugins.web.grammar.free.sentences import split_sentence
from sparring_plugins.web.grammar.steps import read_step, read_steps
from sparring_plugins.web.pages.conditions import holds
from sparring_plugins.web.roles import Judged
from sparring_plugins.web.runner.login_steps import has_logged_in, login_part, read_all_intents
from sparring_plugins.web.runner.records import StepRecord
from sparring_plugins.web.runner.weak_steps import (
    find_unread,
    is_unasked,
    judge_with_weak,
    may_be_weak,
    without_early_sending,
)


def desk() -> PageView:
    return page(
        element("textbox", "Title", label="Title", value="Lamp", editable=True),
        element("textbox", "Remark", label="Remark", value="from the attic", editable=True),
        text("No lamp was found with the number 'L-17'"),
        element("alert", "", id="a", text="No lamp was found with the number 'L-17'"),
        title="Desk",
    )


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        # the page's title is "Desk", but a field is called Title, too
        ("Check that the title is \"Lamp\" and the remark \"from the attic\"", True),
        ("Check that the title of the page is 'Lamp'", False),
        # what is denied is what the page says, and not that it says so
        ("Check that the page says no lamp was found with the number 'L-17'", True),
        # "its entries" are no fields
        ("Check that its entries are hidden", None),

    ],
)  # fmt: skip
def test_a_misreading_is_no_verdict(sentence: str, truth: bool | None) -> None:
    step, view = read_step(sentence, number=1), desk()
    condition = step.reading.condition if step.reading else None
    assert condition is not None
    strict = holds(condition, view)
    judged = judge_with_weak(step, strict, view, ())
    assert judged.truth is truth, judged.reason


def test_two_things_in_one_sentence_are_no_title() -> None:
    sentence = 'Check that the login form is back and "Your orders" has disappeared'
    assert not any(
        reading.condition is not None and reading.condition.kind == "page_is"
        for reading in read_step(sentence, number=1).readings
    )


@pytest.mark.parametrize(
    ("following", "sends"),
    [
        ("Check that the crate Oak is listed", True),
        ("Open the crate Oak", True),
        ("Set its colour to red", False),
        ("Save it", False),
        ("", True),
    ],
)
def test_a_form_that_is_filled_in_further_is_not_sent_yet(following: str, sends: bool) -> None:
    (clause,) = split_sentence("Create a crate called Oak with the width 90")
    later = [read_step(following, number=2)] if following else []
    kept = without_early_sending(list(read_intents(clause)), later)
    assert [i.verb for i in kept] == ["form", "name", "fill", *["finish"][: int(sends)]]


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("https://oak.test/boards should be in the list", True),
        ("https://elm.test/boards should be in the list", None),
    ],
)
def test_an_address_that_can_be_read_needs_no_quotes(sentence: str, truth: bool | None) -> None:
    view = page(
        element("list", "", id="l", text="https://oak.test/boards"),
        element("listitem", "", id="i", parent="l", text="https://oak.test/boards"),
        text("https://oak.test/boards", parent="i"),
    )
    step = read_step(sentence, number=1)
    condition = step.reading.condition if step.reading else None
    assert condition is not None
    assert judge_with_weak(step, holds(condition, view), view, ()).truth is truth


def login_form(*, wrong: bool = False) -> PageView:
    words = [text("The code is wrong")] if wrong else []
    return page(
        element("textbox", "Club", label="Club"),
        element("textbox", "Code", label="Code", input_type="password"),
        element("button", "Enter"),
        *words,
    )


def test_a_login_that_went_through_is_no_guess() -> None:
    sentence = "Log in to the club 'rowers' with the code 'oar'"
    steps = read_steps(sentence)
    inside = page(element("heading", "Rowers"))
    assert all(may_be_weak(step) for step in steps)
    assert all(has_logged_in(step, inside) for step in steps)
    assert not any(has_logged_in(step, login_form(wrong=True)) for step in steps)
    assert not has_logged_in(read_step("Click on 'Enter'", number=1), inside)


def test_what_stands_outside_the_list_of_a_page_is_not_missing() -> None:
    cards = page(
        element("list", "", id="menu", text="Home"),
        element("listitem", "", id="home", parent="menu", text="Home"),
        element("link", "old glue"),
    )
    step = read_step("The list contains the study 'old glue'", number=1)
    assert step.reading is not None
    assert step.reading.condition is not None
    strict = holds(step.reading.condition, cards)
    assert judge_with_weak(step, strict, cards, ()).truth is not False
    step = read_step("The list contains the study 'new glue'", number=1)
    assert step.reading is not None
    assert step.reading.condition is not None
    assert judge_with_weak(step, holds(step.reading.condition, cards), cards, ()).truth is False


@pytest.mark.parametrize(
    ("sentence", "sends"),
    [
        ("Log in as 'ida' with the password 'x' and click on 'Log in'", True),
        ("Log in as 'ida' with the password 'x' and press 'Submit'", True),
        # what is opened after the login is looked for on the page behind it
        ("Log in as 'ida' with the password 'x' and click on 'Oak'", False),
    ],
)
def test_what_is_opened_after_a_login_is_no_part_of_it(sentence: str, sends: bool) -> None:
    last = read_steps(sentence)[-1]
    assert [r.action for r in last.readings][:1] == ["click"]
    assert bool(login_part(last)) is sends


def test_that_something_has_been_seen_is_no_statement_about_the_page() -> None:
    """'Tom Haas' stands in a list of visits, which says of nobody that the doctor has seen him."""
    view = page(text("09:30 Tom Haas missed"))
    step = read_steps("Check that Tom Haas has been seen")[0]
    condition = step.reading.condition
    assert condition is not None
    assert judge_with_weak(step, holds(condition, view), view, ()).truth is None


def test_a_dialog_that_is_open_asks_though_its_button_was_not_found() -> None:
    step = read_step("Delete the lamp, confirm if asked", number=1)
    lost = StepRecord(step=step, outcome="inconclusive", reason="nothing fits")
    dialog = element("dialog", "Really?", id="d", text="Really?")
    assert is_unasked(lost, page(text("Lamps")))
    assert not is_unasked(lost, page(text("Lamps"), dialog))
    assert not is_unasked(lost.model_copy(update={"outcome": "done"}), page(text("Lamps")))


def shelf(*lines: str, alert: str = "") -> PageView:
    message = [element("alert", "", id="alert", text=alert), text(alert)] if alert else []
    cells = [
        made
        for n, line in enumerate(lines)
        for made in (
            element("row", line, id=f"r{n}", text=line, parent="t"),
            element("cell", line, id=f"c{n}", parent=f"r{n}", row=line, text=line, column="Tool"),
            text(line, parent=f"c{n}", row=line),
        )
    ]
    head = element("term", "Keeper", id="k", text="Keeper")
    value = element("definition", "Mia", id="m", text="Mia")
    return page(head, value, element("table", "", id="t"), *cells, *message, title="Shelf")


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        # one word with a capital is a name if an earlier page of the case showed it
        ("Check that Awl is on this page as well", False),
        ("Check that Saw is still in the list", True),
        ("Check that Vise is on this page", None),
        # no other thing is on the page, so that its keeper is the keeper
        ("Check that its keeper is Mia", True),
        ("Check that its keeper is Tom", None),
        ("Check that the error is still shown", False),
        ("Check that the message is displayed", False),
    ],
)
def test_what_earlier_pages_showed_is_known(sentence: str, truth: bool | None) -> None:
    before = shelf("Awl", "Saw", alert="Wrong number")
    now = shelf("Saw", "Rasp")
    step = read_step(sentence, number=1)
    condition = step.reading.condition if step.reading else None
    strict = holds(condition, now) if condition else Judged(truth=None)
    assert judge_with_weak(step, strict, now, [before], earlier=["Open the Saw"]).truth is truth


def test_nothing_is_done_of_a_sentence_of_which_a_quotation_is_not_read() -> None:
    assert (
        find_unread('Start a new job for a "Rasp"', read_all_intents("Start a new job")) == "Rasp"
    )
    assert not find_unread('Enter "Rasp" as the name', read_all_intents('Enter "Rasp" as the name'))


@pytest.mark.parametrize(
    ("names", "truth"),
    [
        (("Size", "Wood"), True),
        (("Size", "Price"), None),
        # one column has both words in its name
        (("Size and Wood", "Price"), True),
    ],
)
def test_two_names_are_no_single_one_unless_the_page_shows_it(
    names: tuple[str, ...], truth: bool | None
) -> None:
    heads = [element("columnheader", name, id=name, text=name, parent="r") for name in names]
    texts = [text(name, parent=name) for name in names]
    view = page(
        element("table", "", id="t"), element("row", "", id="r", parent="t"), *heads, *texts
    )
    step = read_step("Check that the columns Size and Wood are there", number=1)
    assert len(step.readings) > 1
    assert judge_with_weak(step, Judged(truth=None), view, []).truth is truth

"""Acts that change a value, narrow a list, or belong to a row: by field, box, filter or button."""

import pytest
from tests.plugins.web.runner.pages import element, options, page

from sparring.model.page import Element
from sparring_plugins.web.grammar.free.intents import read_intents
from sparring_plugins.web.grammar.free.looser import loosen
from sparring_plugins.web.grammar.free.sentences import split_sentence
from sparring_plugins.web.grammar.steps import read_step
from sparring_plugins.web.pages.plans import speaks_to_page
from sparring_plugins.web.pages.weak.acts.making import MakingPlanner
from sparring_plugins.web.roles import PageTask


def making_acts(sentence: str, *elements: Element) -> list[str]:
    """Return the acts for a sentence that may change or make something."""
    task = PageTask(step=read_step(sentence, number=1), reading=None, view=page(*elements))
    (intent,) = [i for clause in split_sentence(sentence) for i in read_intents(clause)]
    found = MakingPlanner(task).plan(intent)
    return [
        f"{act.action} {act.target}{f'={act.value}' if act.value else ''}" for act in found.acts
    ]


FORM = [
    element("textbox", "Name of the hall", value="Oak hall"),
    element("textbox", "Deposit (£)", value="25"),
    element("textbox", "Opening time", input_type="time", value="08:30"),
    element("textbox", "Seats", value="90"),
    element("textbox", "Notes", value="Ring twice"),
    element("combobox", "Caretaker", label="Caretaker",
            options=options("Ida Falk", "Jo Hill", selected="Jo Hill")),
    element("checkbox", "Kitchen included", label="Kitchen included", checked=True),
    element("button", "Delete hall"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Correct the deposit to 30", ["fill textbox-Deposit (£)-=30"]),
        ("Amend the deposit to 30", ["fill textbox-Deposit (£)-=30"]),
        ("Raise the deposit to 40 pounds", ["fill textbox-Deposit (£)-=40 pounds"]),
        ("Make the deposit 30", ["fill textbox-Deposit (£)-=30"]),
        ("Rename the hall to Great hall", ["fill textbox-Name of the hall-=Great hall"]),
        ("Make Ida Falk the caretaker", ["select combobox-Caretaker-=Ida Falk"]),
        # who it was before is no part of the value
        (
            "Change the caretaker to Ida Falk instead of Jo Hill",
            ["select combobox-Caretaker-=Ida Falk"],
        ),
        ("Appoint Ida Falk as caretaker", ["select combobox-Caretaker-=Ida Falk"]),
        ("Give the hall 150 seats", ["fill textbox-Seats-=150"]),
        ("Move the opening time to 9:15", ["fill textbox-Opening time-=09:15"]),
        ("Set opening time 07:45", ["fill textbox-Opening time-=07:45"]),
        ("Delete what is in the notes", ["fill textbox-Notes-"]),
        ("Remove the kitchen", ["uncheck checkbox-Kitchen included-"]),
        ("Include the kitchen", ["check checkbox-Kitchen included-"]),
        ("Correct the rent to 30", []),
    ],
)
def test_a_change_is_entered_into_the_field_that_it_names(
    sentence: str, expected: list[str]
) -> None:
    assert making_acts(sentence, *FORM) == expected


PATIENTS = [
    element("row", "Tom Haas Waiting", id="r1", text="Tom Haas Waiting"),
    element("button", "Check in", id="tom", parent="r1", row="Tom Haas Waiting"),
    element("row", "Nina Roth Seen", id="r2", text="Nina Roth Seen"),
    element("button", "Check in", id="nina", parent="r2", row="Nina Roth Seen"),
]


@pytest.mark.parametrize("sentence", ["Check Tom Haas in", "Check in Tom Haas"])
def test_somebody_is_checked_in_by_the_button_of_the_row(sentence: str) -> None:
    assert making_acts(sentence, *PATIENTS) == ["click tom"]


def test_what_is_taken_out_is_removed_if_nothing_is_called_take_out() -> None:
    (intent,) = read_intents(split_sentence("Take the kitchen out")[0])
    task = PageTask(step=read_step("x", number=1), reading=None, view=page(*FORM))
    plans = [MakingPlanner(task).plan(looser) for series in loosen(intent) for looser in series]
    acts_of = [[f"{act.action} {act.target}" for act in found.acts] for found in plans]
    assert [found for found in acts_of if found][:1] == [["uncheck checkbox-Kitchen included-"]]


def test_what_has_a_name_of_its_own_is_renamed_behind_its_button() -> None:
    rows = [
        element("row", "Oak", id="r1", text="Oak"),
        element("cell", "Oak", parent="r1", row="Oak"),
        element("button", "Rename", id="oak", parent="r1", row="Oak"),
        element("row", "Elm", id="r2", text="Elm"),
        element("cell", "Elm", parent="r2", row="Elm"),
        element("button", "Rename", id="elm", parent="r2", row="Elm"),
    ]
    assert making_acts("Rename 'Elm' to 'Yew'", *rows) == ["click elm"]


ORDERS = [
    element("searchbox", "Search orders", editable=True),
    element("combobox", "Status", label="Status",
            options=options("All statuses", "Paid", "Unpaid", selected="All statuses")),
    element("checkbox", "Only overdue", label="Only overdue", checked=False),
    element("link", "Orders"),
    element("tab", "In repair (1)"),
    element("button", "Sign out"),
    *(
        part
        for number in ("1014", "1013")
        for part in (
            element("row", number, id=f"r{number}", text=f"{number} Brook Farm"),
            element("checkbox", "", id=f"box{number}", parent=f"r{number}",
                    row=f"{number} Brook Farm", label=f"Select {number}", checked=False),
            element("cell", number, parent=f"r{number}", row=f"{number} Brook Farm"),
            element("button", "Mark as paid", id=f"pay{number}", parent=f"r{number}",
                    row=f"{number} Brook Farm"),
        )
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Show only the unpaid orders", ["select combobox-Status-=Unpaid"]),
        ("Narrow the list down to unpaid orders", ["select combobox-Status-=Unpaid"]),
        ("Filter for paid orders", ["select combobox-Status-=Paid"]),
        ("Only show overdue orders", ["check checkbox-Only overdue-"]),
        ("Show the boats in repair", ["click tab-In repair (1)-"]),
        ("Set order 1013 to paid", ["click pay1013"]),
        ("Mark order 1014 as paid", ["click pay1014"]),
        ("Select order 1013", ["check box1013"]),
        ("Sign the customer up for the newsletter", []),
    ],
)
def test_a_list_is_narrowed_by_its_filter_and_a_row_changed_by_its_button(
    sentence: str, expected: list[str]
) -> None:
    assert making_acts(sentence, *ORDERS) == expected


TOPIC = [
    element("link", "Publish"),
    element("button", "Watch this topic"),
    element("searchbox", "Search", editable=True),
    element("textbox", "Your comment", id="area", tag="textarea", parent="form"),
    element("button", "Reply", id="send", input_type="submit", parent="form"),
]


@pytest.mark.parametrize(
    ("sentence", "entered"),
    [
        ("Reply with 'Thanks'", "Thanks"),
        ("Leave a comment saying 'Same here'", "Same here"),
        ("Comment 'Same here' on the topic", "Same here"),
        ("Post the comment 'Same here'", "Same here"),
    ],
)
def test_what_is_said_goes_into_the_only_field_for_it(sentence: str, entered: str) -> None:
    task = PageTask(step=read_step(sentence, number=1), reading=None, view=page(*TOPIC))
    say, finish = [i for clause in split_sentence(sentence) for i in read_intents(clause)]
    (act,) = MakingPlanner(task).plan(say).acts
    assert (act.action, act.target, act.value) == ("fill", "area", entered)
    assert finish.verb == "finish"


def test_a_reply_answers_no_dialog_that_is_not_there() -> None:
    step = read_step("Reply with 'Thanks'", number=1)
    assert step.reading is not None
    assert step.reading.action == "answer_dialog"
    assert speaks_to_page(step, step.reading, page(*TOPIC))
    assert not speaks_to_page(step, step.reading, page(element("button", "Go")))
    prompt = read_step("Answer the prompt with 'Thanks'", number=1)
    assert prompt.reading is not None
    assert not speaks_to_page(prompt, prompt.reading, page(*TOPIC))


@pytest.mark.parametrize("sentence", ["Start a new topic", "Create a new topic"])
def test_what_makes_nothing_is_not_pressed_for_something_new(sentence: str) -> None:
    assert making_acts(sentence, *TOPIC) == []


@pytest.mark.parametrize(
    "sentence",
    ["mira logs in with her password beans-22", "Mira logs in with the password beans-22",
     "As mira (beans-22), log in"],
)  # fmt: skip
def test_who_logs_in_is_read_whoever_is_the_subject(sentence: str) -> None:
    intents = [i for clause in split_sentence(sentence) for i in read_intents(clause)]
    said = [(i.verb, i.value.lower()) for i in intents[:2]]
    assert said == [("user", "mira"), ("password", "beans-22")]


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("Edit the new comment so that it says 'Sorry'",
         [("click", "the new comment", ""), ("fill", "the whole text", "Sorry"), ("finish", "edit", "")]),
        ("Switch the display to Source", [("select", "display", "Source")]),
        ("Search for 'tandem' in the same way", [("search", "", "tandem")]),
        ("Delete it with the Delete button above the mail", [("click", "Delete", "")]),
        ("Sort the titles alphabetically", [("sort", "titles, ascending", "")]),
        ("Put it in the category Brakes", [("fill", "in the category", "Brakes")]),
    ],
)  # fmt: skip
def test_what_is_done_to_a_thing_just_spoken_of(
    sentence: str, wanted: list[tuple[str, str, str]]
) -> None:
    intents = [i for clause in split_sentence(sentence) for i in read_intents(clause)]
    assert [(i.verb, i.words, i.value) for i in intents] == wanted


def test_it_is_no_value_to_type() -> None:
    assert not read_step("Put it in the category Brakes", number=1).readings


def test_a_window_of_the_page_is_no_tab() -> None:
    step = read_step("Close the window", number=1)
    assert step.reading is not None
    assert speaks_to_page(step, step.reading, page(element("dialog", "Details")))
    assert not speaks_to_page(step, step.reading, page(element("button", "Go")))


def test_a_reply_goes_into_the_only_field_of_several_lines() -> None:
    assert making_acts("Write the reply 'Thanks'", *TOPIC) == ["fill area=Thanks"]
    assert making_acts("Write the colour 'Thanks'", *TOPIC) == []


def test_an_icon_is_known_by_what_its_control_is_called() -> None:
    (intent,) = read_intents(split_sentence("Click the magnifying glass")[0])
    assert [series[0].words for series in loosen(intent)] == ["search"]


@pytest.mark.parametrize(
    ("sentence", "action"),
    [("Go back to the main page", "open"), ("Switch back to the main page", "switch_frame")],
)
def test_one_goes_to_the_main_page_and_switches_to_the_main_frame(
    sentence: str, action: str
) -> None:
    reading = read_step(sentence, number=1).reading
    assert reading is not None
    assert reading.action == action


@pytest.mark.parametrize("value", ["oak.hall/key", "'Great hall'", "4711"])
def test_it_is_the_field_that_was_filled_in_before(value: str) -> None:
    fields = [element("textbox", "Word", focused=True), element("textbox", "Notes")]
    expected = [f"fill textbox-Word-={value.strip(chr(39))}"]
    assert making_acts(f"Replace it with {value}", *fields) == expected

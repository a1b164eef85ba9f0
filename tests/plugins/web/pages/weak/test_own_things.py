"""What is said of the one thing of a page, of lines of several parts, and of times of day."""

import pytest
from tests.plugins.web.pages.weak.test_tables_and_amounts import table
from tests.plugins.web.runner.pages import element, options, page, text

from sparring.model.page import PageView
from sparring_plugins.web.pages.weak.checks.judging import judge_freely
from sparring_plugins.web.pages.weak.page.times import find_times, write_times_as


def hall() -> PageView:
    """A form about one hall, its staff, and a diary with lines of several parts."""
    staff = table(
        [("Ida Falk", "Cleaning", "12", "On duty"), ("Jo Hill", "Keys", "31", "On leave"),
         ("Lea Ott", "Garden", "8", "On duty")],
        ("Name", "Task", "Hours", "Status"),
    )  # fmt: skip
    diary = [
        element("listitem", id=f"d{n}", parent="diary", text=line, row=line, region=("Diary",))
        for n, line in enumerate(
            ("09:30 – Yoga (Main hall)", "11:00 – Chess club (Small hall)",
             "18:15 – Choir practice (Main hall)")
        )
    ]  # fmt: skip
    lines = [text(e.text, parent=e.id, row=e.row) for e in diary]
    electric = element("radio", "Electric", label="Electric", checked=False, parent="heat")
    return page(
        element("heading", "Main hall", text="Main hall"),
        element("textbox", "Opening time", value="08:30"),
        element("textbox", "Seats", value="120"),
        element("combobox", "Caretaker", label="Caretaker", value="Jo Hill",
                options=options("Ida Falk", "Jo Hill", selected="Jo Hill")),
        element("checkbox", "Kitchen included", label="Kitchen included", checked=True),
        element("checkbox", "Quiet hours apply", label="Quiet hours apply", checked=False),
        element("group", "Heating", id="heat"),
        element("radio", "Gas", label="Gas", checked=True, parent="heat"),
        electric,
        *staff,
        element("heading", "Diary", text="Diary"),
        element("list", id="diary", region=("Diary",)), *diary, *lines,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("The hall opens at 8:30", True),
        ("The hall opens at 09:00", False),
        ("The hall closes at 08:30", None),
        ("The hall seats 120", True),
        ("The hall seats 90", False),
        ("Jo Hill is the caretaker", True),
        ("Ida Falk is the caretaker", False),
        ("Ida Falk is the treasurer", None),
        ("The kitchen is included", True),
        ("The kitchen is not included", False),
        ("Quiet hours do not apply", True),
        ("Quiet hours apply", False),
        ("The heating is gas", True),
        ("The heating is electric", False),
        # lines of several parts
        ("Yoga starts at 9:30", True),
        ("Yoga begins at 10:00", False),
        ("Yoga ends at 10:00", None),
        ("the chess club meets at 11:00 in the Small hall", True),
        ("the chess club meets at 11:00 in the Main hall", False),
        ("Choir practice is in the Small hall", False),
        ("the choir meets at 18:15", True),
        ("the diary has three entries", True),
        ("the diary has four entries", False),
        # people, whatever the page calls them
        ("two people are on duty", True),
        ("three people are on duty", False),
        ("two volunteers are on duty", True),
        ("two doors are on duty", None),
        ("Jo Hill is on duty", False),
        ("Lea Ott looks after the garden", True),
        ("Ida Falk looks after the garden", False),
        ("the volunteers work 51 hours altogether", True),
        ("the volunteers work 50 hours altogether", False),
    ],
)
def test_what_is_said_of_a_page_by_its_fields_and_lines(sentence: str, truth: bool | None) -> None:
    judged = judge_freely(sentence, hall())
    assert judged.truth is truth, judged.reason


@pytest.mark.parametrize(
    ("written", "minutes"),
    [("8:30", [510]), ("at 08:30:00", [510]), ("9 am", [540]), ("12:15 p.m.", [735]),
     ("5 seats", []), ("on 3.12.", []), ("10:2", [])],
)  # fmt: skip
def test_times_of_day_are_known_however_they_are_written(written: str, minutes: list[int]) -> None:
    assert [found for found, _ in find_times(written)] == minutes


def test_a_time_is_written_as_on_the_page() -> None:
    assert write_times_as("It starts at 9:30", "09:30 Yoga") == "It starts at 09:30"
    assert write_times_as("It starts at 9:30", "10:30 Yoga") == "It starts at 9:30"

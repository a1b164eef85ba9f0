"""Pages of a conversation are stored once, and what is read is what was stored."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sparring.model.case import Case
from sparring.model.events import TurnTaken
from sparring.model.page import Box, Element, PageSnapshot, PageView
from sparring.model.talk import Ended, GuiAction, Observation, Trace, Turn

BEGAN = datetime(2026, 11, 23, tzinfo=UTC)
ACT = GuiAction(action="wait", value=0.25)


def item(number: int, *, document: int = 1, y: float = 0.0, text: str = "") -> Element:
    parent = f"{document}.{number - 1}" if number > 1 else None
    box = Box(x=8, y=y + 20.25 * number, width=300, height=18)
    shown = text or f"Plant {number}"
    return Element(id=f"{document}.{number}", role="text", text=shown, parent=parent, box=box)


def turn(elements: list[Element]) -> Turn:
    view = PageView(snapshot=PageSnapshot(url="http://shop.test/", elements=tuple(elements)))
    return Turn(act=ACT, observation=Observation(page=view))


def trace(*pages: list[Element]) -> Trace:
    case = Case.of("a case", {}, run_seed=1)
    turns = tuple(turn(page) for page in pages)
    return Trace(case=case, turns=turns, ended=Ended.SCRIPT_DONE, started=BEGAN)


def entries(stored: str) -> list[list[Any]]:
    turns = json.loads(stored)["turns"]
    return [one["observation"]["page"]["snapshot"]["elements"] for one in turns]


PAGE = [item(number) for number in range(1, 60)]


def test_a_page_that_stays_the_same_takes_a_few_bytes() -> None:
    stored = trace(*[PAGE] * 20).model_dump_json()
    assert entries(stored)[1:] == [[[0, 59]]] * 19
    assert Trace.model_validate_json(stored) == trace(*[PAGE] * 20)


def test_what_moves_down_and_what_a_new_document_shows_again_is_not_stored_again() -> None:
    banner = item(99, text="Sale")
    moved = [banner, *(item(number, y=40.5) for number in range(1, 60))]
    again = [item(number, document=2) for number in range(1, 60)]
    original = trace(PAGE, moved, again)
    stored = original.model_dump_json()
    first, second, third = entries(stored)
    assert [len(first), len(second), len(third)] == [59, 2, 1]
    assert second[1] == [0, 59, 40.5]
    assert third == [[1, 59, -40.5, "2"]]
    assert Trace.model_validate_json(stored) == original


def test_elements_written_in_full_are_read_as_before() -> None:
    data = trace(PAGE).model_dump()
    assert Trace.model_validate(data) == trace(PAGE)


ELEMENTS = st.lists(
    st.builds(
        item,
        st.integers(1, 6),
        document=st.integers(1, 2),
        y=st.floats(-1e6, 1e6),
        text=st.text(max_size=3),
    ),
    max_size=6,
)


@given(st.lists(ELEMENTS, max_size=5))
def test_any_pages_are_read_as_they_were(pages: list[list[Element]]) -> None:
    original = trace(*pages)
    assert Trace.model_validate_json(original.model_dump_json()) == original


@pytest.mark.parametrize("entry", [[0, 60], [-1, 2], [58, 2], [0, 0]])
def test_an_entry_that_refers_to_nothing_is_refused(entry: list[int]) -> None:
    data = json.loads(trace(PAGE, PAGE).model_dump_json())
    data["turns"][1]["observation"]["page"]["snapshot"]["elements"] = [entry]
    with pytest.raises(ValidationError, match="the page before does not have"):
        Trace.model_validate(data)


def test_the_event_of_a_turn_has_no_elements() -> None:
    event = TurnTaken(at=BEGAN, case_id="a", index=0, turn=turn(PAGE))
    assert len(event.model_dump_json()) < 2_000
    assert event.turn.observation is not None
    assert event.turn.observation.page is not None
    assert len(event.turn.observation.page.snapshot.elements) == 59

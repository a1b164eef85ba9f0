"""Sentences that ask to look for something before they act on it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring_plugins.web.grammar.free.seeking import drop_seeking, seeks
from sparring_plugins.web.grammar.steps import read_steps


@pytest.mark.parametrize(
    ("sentence", "left"),
    [
        ("Find and click on the link 'Oak'", 'Click on the link "Oak"'),
        ("Go through the pages to find and open the plank 'Oak'", 'Open the plank "Oak"'),
        ("Browse the folders. Find and click on 'oak.txt'", 'Click on "oak.txt"'),
        ("Open the menu, then find and click on 'Oak'", 'Open the menu, then click on "Oak"'),
        # what is in quotes is no instruction, and a way that leads to nothing is one
        (
            "Type 'find and click' into the field 'Note'",
            "Type 'find and click' into the field 'Note'",
        ),
        ("Expand the sections below", "Expand the sections below"),
        ("Find the plank 'Oak'", "Find the plank 'Oak'"),
    ],
)
def test_the_looking_is_no_part_of_the_act(sentence: str, left: str) -> None:
    assert drop_seeking(sentence) == left
    assert seeks(sentence) is (left != sentence)


def test_a_sentence_that_looks_for_a_thing_is_one_act_on_it() -> None:
    (step,) = read_steps("Switch between the tabs to find and click on the link 'oak'.")
    assert step.reading is not None
    assert step.reading.action == "click"
    assert step.reading.target is not None
    assert step.reading.target.text == "oak"


@given(st.text(max_size=60), st.text("\"'find and clck,.", max_size=60))
def test_no_sentence_breaks_it(first: str, second: str) -> None:
    sentence = f"{first} {second}"
    assert drop_seeking(sentence) or not sentence.strip()

"""Clicks on words within a text that are no elements of their own."""

import pytest
from tests.plugins.web.runner.pages import element, page

from sparring.model.page import Element
from sparring_plugins.web.grammar.steps import read_step
from sparring_plugins.web.pages.plans import Planner
from sparring_plugins.web.roles import PageTask

STORY = "The old keeper lights the lamp. The lamplight is seen from every ship."
LISTENING = (element("generic", "", id="story", text=STORY, interactive=True),)
PARAGRAPH = (
    element("link", "Lamp shop", id="shop", text="Lamp shop"),
    element("text", "", id="in_link", text="Lamp shop", parent="shop"),
    element("paragraph", "", id="p", text=STORY),
    element("text", "", id="t", text=STORY, parent="p"),
)


def clicked(sentence: str, *elements: Element) -> list[str]:
    step = read_step(sentence, number=1)
    task = PageTask(step=step, reading=step.reading, view=page(*elements))
    return [f"{act.action} {act.target}={act.value}" for act in Planner(task).plan().acts]


@pytest.mark.parametrize(
    ("elements", "sentence", "acts"),
    [
        (LISTENING, "Click on the word 'keeper'", ["click story=keeper"]),
        (LISTENING, "Double-click on 'old keeper'", ["double_click story=old keeper"]),
        (LISTENING, f"Click on '{STORY}'", ["click story=None"]),
        (PARAGRAPH, "Click on the word 'keeper'", ["click t=keeper"]),
        (PARAGRAPH, "Right-click on the phrase 'every ship'", ["right_click t=every ship"]),
        (PARAGRAPH, "Click on the word 'lamp'", ["click shop=None"]),
        (PARAGRAPH, "Click on the word 'seal'", []),
        (PARAGRAPH, "Click on the word 'light'", []),
        (PARAGRAPH, "Click on 'keeper'", []),
        (PARAGRAPH, "Click on the button 'keeper'", []),
    ],
    ids=[
        "a text that takes clicks", "words in it", "the whole text", "the page takes clicks",
        "a phrase", "a control of that name", "no such word", "a part of a word",
        "a name that only a text mentions", "a button that is missing",
    ],
)  # fmt: skip
def test_a_word_of_a_text_is_clicked_where_it_is_written(
    elements: tuple[Element, ...], sentence: str, acts: list[str]
) -> None:
    assert clicked(sentence, *elements) == acts


def test_a_part_of_the_name_of_a_control_is_clicked_at_its_middle() -> None:
    """A button does the same wherever it is pressed; its name may not even be drawn on it."""
    save = element("button", "Save the draft", id="save", text="Save the draft")
    assert clicked("Click on 'Save'", save) == ["click save=None"]

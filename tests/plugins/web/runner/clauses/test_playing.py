"""What is done for a whole sentence, on pages made by hand; in doubt nothing is done."""

import asyncio
from collections.abc import Sequence

import pytest
from tests.plugins.web.runner.pages import element, page, text

from sparring.model.page import Box, Element, PageView
from sparring.model.talk import GuiAction, Turn
from sparring_plugins.web.grammar.steps import read_steps
from sparring_plugins.web.roles import Navigation, PageTask
from sparring_plugins.web.runner.clauses.playing import play_clauses
from sparring_plugins.web.runner.records import StepRecord
from sparring_plugins.web.runner.run_state import Patience
from sparring_plugins.web.runner.weak_steps import Hands


def play(sentence: str, view: PageView, refused: str = "") -> tuple[list[str], StepRecord | None]:
    """Return the acts for a sentence on a page that never changes, and the record, if any.

    An act on the element `refused` does not succeed.
    """
    steps = read_steps(sentence)
    acts: list[GuiAction] = []
    turns: Sequence[Turn] = ()

    async def carry_out(base: StepRecord, navigation: Navigation) -> StepRecord:
        acts.extend(navigation.acts)
        failed = any(act.target == refused for act in navigation.acts)
        outcome = "inconclusive" if failed else "done"
        return base.model_copy(update={"outcome": outcome, "reason": "refused" if failed else ""})

    async def wait(patience: Patience) -> None:
        raise AssertionError("the page has no time")

    hands = Hands(
        task=lambda: PageTask(step=steps[0], reading=None, view=view),
        patience=lambda: Patience(turns, 0.0),
        wait=wait,
        carry_out=carry_out,
        following=steps[1:],
    )
    base = StepRecord(step=steps[0], outcome="inconclusive")
    done = asyncio.run(play_clauses(base, hands, ()))
    told = [f"{a.action} {a.target}{'' if a.value is None else f' {a.value}'}" for a in acts]
    return told, done[0] if done else None


def row(name: str, *controls: str, id: str, **more: str) -> tuple[Element, ...]:
    """A row of a list: its name, and icons that only their classes name."""
    holder = element("generic", id=id, interactive=True, **more)
    icons = [
        element("generic", id=f"{id}-{c}", parent=id, interactive=True, attributes={"class": c})
        for c in controls
    ]
    return holder, Element(id=f"{id}-name", role="text", text=name, parent=id), *icons


@pytest.mark.parametrize("word", ["trash icon", "bin", "delete button"])
def test_an_icon_is_known_by_what_its_author_calls_it(word: str) -> None:
    view = page(*row("Ida Holm", "trash", "star", id="a"), *row("Jon Vik", "trash", "star", id="b"))
    acts, record = play(f"Find the message from Jon Vik and click the {word}", view)
    assert acts == ["click b-trash"]
    assert record is not None
    assert record.outcome == "done"


def test_of_two_things_with_one_name_none_is_taken() -> None:
    view = page(*row("Ida Holm", "trash", id="a"), *row("Ida Holm", "trash", id="b"))
    assert play("Find the message from Ida Holm and click the trash icon", view) == ([], None)
    assert play("Find and delete the message from Ida Holm", view) == ([], None)


def test_of_two_controls_that_fit_none_is_taken() -> None:
    view = page(*row("Ida Holm", "star-left", "star-right", id="a"))
    assert play("Find the message from Ida Holm and click the star icon", view) == ([], None)


def test_what_is_half_done_says_so() -> None:
    view = page(
        element("textbox", "a", id="a", tag="textarea", value="Oak and ash"),
        element("textbox", "b", id="b"),
        element("button", "Send", id="s"),
    )
    sentence = "Copy the text in the text area, paste it into the text box and press Send"
    assert play(sentence, view)[0] == ["fill b Oak and ash", "click s"]
    acts, record = play(sentence, view, refused="s")
    assert acts == ["fill b Oak and ash", "click s"]
    assert record is not None
    assert (record.outcome, record.reason) == ("inconclusive", "refused")


def test_a_copy_without_a_place_for_it_is_not_pasted_elsewhere() -> None:
    view = page(
        element("textbox", "a", id="a", tag="textarea", value="Oak and ash"),
        element("textbox", "b", id="b"),
        element("textbox", "c", id="c"),
    )
    sentence = "Copy the text in the text area and paste it into the text box"
    assert play(sentence, view) == ([], None)


@pytest.mark.parametrize(
    ("shown", "sentence", "entered"),
    [
        ("3 + 4 =", "Solve the sum and type your answer into the text box", "7"),
        ("9 / 2 = ?", "Solve the sum and type your answer into the text box", "4.5"),
        ("x - 8 = 27", "Solve for x and type your answer into the text box", "35"),
        ("8 - x = 27", "Solve for x and type your answer into the text box", "-19"),
        ("x * 4 = 2", "Solve for x and type your answer into the text box", "0.5"),
        ("1 / 0 =", "Solve the sum and type your answer into the text box", None),
        ("x + x = 2", "Solve for x and type your answer into the text box", None),
        ("KQ7", "Type the text below into the text field and press Send", "KQ7"),
        (
            "One fine day. Two!",
            "Find the fourth word in the text and type it into the text box",
            "Two",
        ),
        ("One", "Find the fourth word in the text and type it into the text box", None),
    ],
)
def test_a_value_is_worked_out(shown: str, sentence: str, entered: str | None) -> None:
    view = page(text(shown), element("textbox", "", id="b"), element("button", "Send", id="s"))
    acts, _ = play(sentence, view)
    assert acts[:1] == ([] if entered is None else [f"fill b {entered}"])


def boats(*texts: str) -> PageView:
    buttons = [element("button", "Book", id=f"b{i}", row=text) for i, text in enumerate(texts)]
    return page(*buttons)


@pytest.mark.parametrize(
    ("rows", "acts"),
    [
        (("Slow 9h 20m $40 Book", "Fast 4h 05m $90 Book"), ["click b1"]),
        (("Slow 20m $40 Book", "Fast 1h $90 Book"), ["click b0"]),
        (("Slow 2h $40 Book", "Fast 120m $90 Book"), []),  # as long
        (("Slow 9h 20m $40 Book", "Fast, no time given Book"), []),
        (("Slow 9h 20m $40 Book",), []),
    ],
)
def test_the_shortest_is_chosen_if_all_can_be_compared(
    rows: tuple[str, ...], acts: list[str]
) -> None:
    assert play("Book the boat with the shortest duration", boats(*rows))[0] == acts


def test_the_cheapest_goes_by_the_price() -> None:
    assert play("Book the cheapest boat", boats("Slow $1,040 Book", "Fast $90 Book"))[0] == [
        "click b1"
    ]


@pytest.mark.parametrize(
    ("sentence", "acts"),
    [
        ("Book the boat with the most expensive fare", ["click b0"]),
        ("Pick the least expensive boat", ["click b1"]),
        ("Open the dearest boat", ["click b0"]),
        ("Buy the boat with the highest mast", []),
    ],
)
def test_the_most_and_the_least_are_found_by_the_numbers_of_the_rows(
    sentence: str, acts: list[str]
) -> None:
    assert play(sentence, boats("Slow $1,040 Book", "Fast $90 Book"))[0] == acts


@pytest.mark.parametrize(
    "sentence",
    [
        "mark the last message from Jon Vik important",
        "Make the ticket by Jon Vik a starred ticket",
        "Look through the inbox for a message written by Jon Vik and click the star",
    ],
)
def test_a_thing_is_marked_in_its_own_row(sentence: str) -> None:
    view = page(*row("Ida Holm", "trash", "star", id="a"), *row("Jon Vik", "trash", "star", id="b"))
    assert play(sentence, view)[0] == ["click b-star"]


def facts(*pairs: tuple[str, str]) -> list[Element]:
    """A table of labels and values, without headings."""
    return [
        part
        for number, (label, value) in enumerate(pairs)
        for part in (
            element("row", id=f"r{number}", text=f"{label} {value}"),
            element("cell", label, id=f"r{number}a", parent=f"r{number}", text=label),
            element("cell", value, id=f"r{number}b", parent=f"r{number}", text=value),
        )
    ]


def test_a_form_is_filled_with_what_stands_beside_the_same_labels() -> None:
    view = page(
        *facts(("Wood", "Oak"), ("Colour", "red"), ("Weight", "12")),
        element("textbox", "", id="c", adjacent="Colour:"),
        element("textbox", "", id="w", adjacent="Wood:"),
        element("button", "Send", id="s"),
    )
    acts, _ = play("Fill in the form from the table above and press 'Send'", view)
    assert acts == ["fill c red", "fill w Oak", "click s"]


@pytest.mark.parametrize(
    ("sentence", "acts"),
    [
        ("Highlight the text in the second paragraph", ["select_text p1"]),
        ("Highlight the words 'fine ash'", ["select_text p1 fine ash"]),
        ("Select the word 'wood' in the paragraph", []),
        ("Highlight the text in the fifth paragraph", []),
    ],
)
def test_text_is_selected_where_it_stands(sentence: str, acts: list[str]) -> None:
    texts = ("Old oak wood", "A fine ash wood")
    view = page(*(element("paragraph", id=f"p{n}", text=t) for n, t in enumerate(texts)))
    assert play(sentence, view)[0] == acts


def test_an_item_is_dragged_a_little_beyond_its_place() -> None:
    items = [
        element("listitem", id=f"i{n}", parent="l", text=name,
                box=Box(x=10, y=10 + 30 * n, width=100, height=30))
        for n, name in enumerate(("Tea", "Milk", "Rice"))
    ]  # fmt: skip
    view = page(element("list", id="l"), *items)
    for sentence, way in {
        "Drag 'Rice' to the first position": "drag i2 {'x': 0, 'y': -64}",
        "Drag 'Tea' down by one position": "drag i0 {'x': 0, 'y': 34}",
        "Drag 'Tea' to the bottom": "drag i0 {'x': 0, 'y': 64}",
        "Drag 'Tea' up by one position": "",
    }.items():
        acts, _ = play(sentence, view)
        assert acts == ([way] if way else [])

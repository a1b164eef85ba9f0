"""Icons called by what they draw: "the three dots", "the plus icon"."""

import pytest
from tests.plugins.web.runner.pages import element, page

from sparring.model.page import Element
from sparring_plugins.web.grammar.steps import read_step
from sparring_plugins.web.pages.grounding import signs_of
from sparring_plugins.web.pages.plans import Planner
from sparring_plugins.web.roles import PageTask


def button(name: str = "", **attributes: str) -> Element:
    return element("button", name, id="b", text=name, interactive=True, attributes=attributes)


@pytest.mark.parametrize(
    ("icon", "signs"),
    [
        (button("⋮"), {"three dots", "dots"}),
        (button("more_vert"), {"three dots", "dots"}),
        (button(icon="fa fa-ellipsis-v"), {"three dots", "dots"}),
        (button(icon="bi bi-three-dots-vertical"), {"three dots", "dots"}),
        (button(icon="icon-plus"), {"plus"}),
        (button("+"), {"plus"}),
        (button(**{"class": "btn btn-close"}), {"cross"}),
        # what has a name is called by it, and a word is no icon
        (button("Add", icon="icon-plus"), set()),
        (button("more"), set()),
        (button("add"), set()),
        (button(icon="fa fa-boat"), set()),
        (element("textbox", "", id="f", value="+", editable=True), set()),
    ],
)
def test_a_sign_is_what_a_control_shows(icon: Element, signs: set[str]) -> None:
    assert set(signs_of(icon)) == signs


def acts(sentence: str, *elements: Element) -> list[str]:
    step = read_step(sentence, number=1)
    task = PageTask(step=step, reading=step.reading, view=page(*elements))
    return [f"{act.action} {act.target}" for act in Planner(task).plan().acts]


DOTS = [
    element("row", name, id=f"r{name}", text=name) for name in ("Oak", "Elm")
] + [
    element("cell", "…", id=f"dots-{name}", text="…", parent=f"r{name}", row=name)
    for name in ("Oak", "Elm")
]  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "elements", "expected"),
    [
        ("Point at the three dots in the row of 'Elm'", DOTS, ["hover dots-Elm"]),
        ("Click on the three dots in the row of 'Oak'", DOTS, ["click dots-Oak"]),
        ("Click on the three dots in the row of 'Ash'", DOTS, []),
        ("Click on the three dots", DOTS, []),
        ("Click on the plus icon", [button(icon="icon-plus")], ["click b"]),
        ("Click on the plus sign", [button(icon="fa fa-plus")], ["click b"]),
        ("Click on the plus sign", [button(icon="fa fa-minus")], []),
        ("Click on the plus icon", [button("Add", icon="icon-plus")], []),
    ],
)
def test_a_step_names_an_icon_by_its_sign(
    sentence: str, elements: list[Element], expected: list[str]
) -> None:
    assert acts(sentence, *elements) == expected

"""The hands of a sentence under way: it looks at the page, acts, waits, and stops if it must."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeVar

from pydantic import JsonValue

from sparring.model.page import Element
from sparring.model.talk import GuiAction
from sparring_plugins.web.pages.controls import in_words, takes_clicks, takes_text
from sparring_plugins.web.pages.layout import Layout
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.roles import Navigation
from sparring_plugins.web.runner.records import StepRecord
from sparring_plugins.web.runner.weak_steps import Hands

FoundT = TypeVar("FoundT")
# One sentence may mean an act for each row of a table; more of them are a misreading.
_MOST_ACTS: Final = 60


class ClauseNotMet(Exception):
    """A clause that cannot be carried out, with the reason."""


@dataclass
class PageHands:
    """What a sentence under way has done so far, and what its clauses hand on.

    `name` is the name of the thing that was found, `holder` the id of the row or card that it
    stands in; `value` is the text that was copied or worked out, `source` the id of the field
    that it was copied from.
    """

    hands: Hands
    base: StepRecord
    name: str = ""
    holder: str | None = None
    value: str | None = None
    source: str | None = None
    acts: list[GuiAction] = field(default_factory=list[GuiAction])
    turns: list[int] = field(default_factory=list[int])

    @property
    def layout(self) -> Layout:
        """The page in view."""
        return Layout(self.hands.task().view.snapshot)

    @property
    def elements(self) -> tuple[Element, ...]:
        """All elements of the page, also hidden ones."""
        return self.hands.task().view.snapshot.elements

    def visible(self) -> Iterator[Element]:
        """Yield the elements that can be seen, if they are scrolled to."""
        return (element for element in self.elements if element.visible)

    def controls(self) -> list[Element]:
        """Return what can be clicked and is no text field."""
        return [e for e in self.visible() if takes_clicks(e) and not takes_text(e)]

    def fields(self) -> list[Element]:
        """Return the text fields that can be changed."""
        usable = (e for e in self.visible() if takes_text(e))
        return [e for e in usable if not e.disabled and not e.readonly]

    async def do(self, act: GuiAction, why: str) -> None:
        """Carry out an act; raises ClauseNotMet if it did not succeed."""
        if len(self.acts) >= _MOST_ACTS:
            raise ClauseNotMet(f"more than {_MOST_ACTS} acts would be needed")
        self.acts.append(act)
        record = await self.hands.carry_out(self.base, Navigation(acts=(act,), reason=why))
        self.turns += record.turns
        if record.outcome != "done":
            raise ClauseNotMet(record.reason)

    async def click(self, element: Element, why: str) -> None:
        """Click on an element."""
        described = in_words(element)
        await self.do(GuiAction(action="click", target=element.id, described=described), why)

    async def fill(self, element: Element, value: str, why: str) -> None:
        """Put a value into a field."""
        described = in_words(element)
        act = GuiAction(action="fill", target=element.id, value=value, described=described)
        await self.do(act, why)

    async def drag(self, element: Element, x: float, y: float, why: str) -> None:
        """Drag an element by some pixels."""
        way: dict[str, JsonValue] = {"x": round(x), "y": round(y)}
        described = in_words(element)
        await self.do(
            GuiAction(action="drag", target=element.id, value=way, described=described), why
        )

    async def until(self, find: Callable[[], FoundT | None], missing: str) -> FoundT:
        """Look again until something is found; raises ClauseNotMet if the page has had its time."""
        patience = self.hands.patience()
        while True:
            found = find()
            if found is not None:
                return found
            if patience.is_over():
                raise ClauseNotMet(missing)
            await self.hands.wait(patience)


def only(elements: list[Element], what: str) -> Element:
    """Return the one element of a list; raises ClauseNotMet with `what` if it has not one."""
    if len(elements) != 1:
        count = len(elements) or "no"
        raise ClauseNotMet(f"{count} {what} on the page")
    return elements[0]


def called(element: Element, name: str) -> bool:
    """Return whether an element has exactly this name or text."""
    wanted = plain(name)
    return wanted in (plain(element.name), plain(element.text.strip()))


def nth_index(nth: str) -> int:
    """Return the index of a place: 0 for "first" and "1st", -1 for "last"."""
    words = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
    low = nth.casefold()
    if low == "last":
        return -1
    if low in words:
        return words.index(low)
    return 9 if low == "tenth" else int("".join(c for c in low if c.isdigit())) - 1

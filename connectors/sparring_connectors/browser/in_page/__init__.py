"""The script that runs in every document: its parts, asking it, and naming its nodes."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from playwright.async_api import ElementHandle, Frame
from playwright.async_api import Error as PlaywrightError

from sparring_connectors.browser.failures import is_leaving, is_over

PARTS = (
    "base", "roles", "names", "states", "seeing", "walk", "tables", "snapshot", "quiet",
    "messages", "chat", "targets",
)  # fmt: skip
NAME = "__sparring"
NOTE = "__sparringNote"


_FIND = f"""const holder = window.{NAME}, api = holder && holder.api;"""
HAS = f"() => {{ {_FIND} return !!api && api.page === document; }}"


def call(method: str, parameters: str = "argument") -> str:
    """A function that asks the script, and fails if the document has none of its own."""
    return f"""(argument) => {{
  {_FIND}
  if (!api || api.page !== document) throw new Error('no script');
  return api.{method}({parameters});
}}"""


def call_for(method: str) -> str:
    """A function that asks about a node, given a document's token and the node's number."""
    return f"""([token, number]) => {{
  {_FIND}
  return api && api.token === token ? api.{method}(number) : null;
}}"""


def call_on(method: str) -> str:
    """A function that asks about an element, with one more argument."""
    return f"""(element, argument) => {{
  {_FIND}
  return api ? api.{method}(element, argument) : null;
}}"""


@cache
def script(faults: str = "") -> str:
    """The script as one text; it does nothing in a document that has it already.

    `faults` are those to put into the page, as a list in JSON. They come before what watches the
    page, so that what a fault takes away is not reported.
    """
    base, *rest = (_part(part) for part in PARTS)
    seeded = [f"{{ const FAULTS = {faults};\n{_part('faults')}\n}}"] if faults else []
    parts = "\n".join((base, *seeded, *rest))
    return f"(() => {{ 'use strict'; if (({HAS})()) return;\n{parts}\n}})();"


def _part(name: str) -> str:
    return (files(__name__) / f"{name}.js").read_text(encoding="utf-8")


# The documents of a page: asking each frame, and finding an element's frame again.

_TELL = call("snapshot")
_NODE = call_for("node")
_HASH = call_for("hash")
_NUMBER = call_on("idOf")


@dataclass(slots=True)
class FrameReading:
    """What the script in one frame answered: its entries, and the frames in it.

    `unread` counts the frames in it that Sparring's script failed in: what they show is missing.
    """

    frame: Frame
    data: Mapping[str, Any]
    unread: int = 0
    children: "list[tuple[int, FrameReading]]" = field(default_factory=lambda: [])  # noqa: PIE807


class Documents:
    """Names documents and their nodes in a way that lasts as long as they do."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._frames: dict[int, tuple[Frame, str]] = {}
        self._hosts: dict[tuple[Frame, str], int] = {}

    def number(self, frame: Frame, token: str) -> int:
        """The number of a document in this session, from 1."""
        number = self._numbers.setdefault(token, len(self._numbers) + 1)
        self._frames[number] = (frame, token)
        return number

    async def read(self, frame: Frame, options: Mapping[str, Any]) -> FrameReading:
        """What a frame and those in it show, but for those that are gone."""
        reading = FrameReading(frame, json.loads(await ask_frame(frame, _TELL, dict(options))))
        inner = [child for child in frame.child_frames if not child.is_detached()]
        read = await asyncio.gather(*(self._child(child, reading, options) for child in inner))
        reading.children = [child for child in read if child is not None]
        return reading

    async def _child(
        self, child: Frame, parent: FrameReading, options: Mapping[str, Any]
    ) -> tuple[int, FrameReading] | None:
        try:
            reading = await self.read(child, options)
        except PlaywrightError as err:
            if not (is_leaving(err) or is_over(err) or child.is_detached()):
                parent.unread += 1
            return None
        key = (child, str(parent.data["token"]))
        try:
            if key not in self._hosts:
                host = await child.frame_element()
                self._hosts[key] = await host.evaluate(_NUMBER)
                await host.dispose()
        except PlaywrightError:
            return None
        return self._hosts[key], reading

    def place(self, identifier: str) -> tuple[Frame, str, int] | None:
        """The frame, the document's token and the node's number of an id; `None` if it is gone."""
        place, _, node = identifier.partition(".")
        if not (place.isdecimal() and node.isdecimal() and len(identifier) < 30):
            return None
        document = self._frames.get(int(place))
        if document is None or document[0].is_detached() or document[0].page.is_closed():
            return None
        return (*document, int(node))

    async def handle(self, frame: Frame, token: str, number: int) -> ElementHandle | None:
        """The element of a node, `None` if it or its document is gone."""
        node = await frame.evaluate_handle(_NODE, [token, number])
        element = node.as_element()
        if element is None:
            await node.dispose()
        return element

    async def has_changed(self, frame: Frame, token: str, number: int, before: int) -> bool | None:
        """Whether a node or what is around it differs from before; true if it has gone."""
        try:
            now = await frame.evaluate(_HASH, [token, number])
        except PlaywrightError:
            return True
        return bool(now != before)


async def ask_frame(frame: Frame, expression: str, argument: Any = None) -> Any:
    """Ask the script in a frame, putting it there first if it is missing."""
    try:
        return await frame.evaluate(expression, argument)
    except PlaywrightError:
        if await frame.evaluate(HAS):
            raise
        await frame.evaluate(script())
        return await frame.evaluate(expression, argument)

"""The documents of a page: asking each frame, and finding an element's frame again."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import ElementHandle, Frame
from playwright.async_api import Error as PlaywrightError

from sparring_connectors.browser.failures import is_leaving, is_over
from sparring_connectors.browser.in_page import HAS, call, call_for, call_on, script

_TELL = call("snapshot")
_NODE = call_for("node")
_HASH = call_for("hash")
_NUMBER = call_on("idOf")


@dataclass(slots=True)
class Told:
    """What one frame said: its entries, and where it lies.

    `unread` counts the frames in it that Sparring's script failed in: what they show is missing.
    """

    frame: Frame
    told: Mapping[str, Any]
    unread: int = 0
    children: "list[tuple[int, Told]]" = field(default_factory=lambda: [])  # noqa: PIE807


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

    async def read(self, frame: Frame, options: Mapping[str, Any]) -> Told:
        """What a frame and those in it show, but for those that are gone."""
        told = Told(frame, json.loads(await asked(frame, _TELL, dict(options))))
        inner = [child for child in frame.child_frames if not child.is_detached()]
        read = await asyncio.gather(*(self._child(child, told, options) for child in inner))
        told.children = [one for one in read if one is not None]
        return told

    async def _child(
        self, child: Frame, parent: Told, options: Mapping[str, Any]
    ) -> tuple[int, Told] | None:
        try:
            told = await self.read(child, options)
        except PlaywrightError as err:
            if not (is_leaving(err) or is_over(err) or child.is_detached()):
                parent.unread += 1
            return None
        key = (child, str(parent.told["token"]))
        try:
            if key not in self._hosts:
                host = await child.frame_element()
                self._hosts[key] = await host.evaluate(_NUMBER)
                await host.dispose()
        except PlaywrightError:
            return None
        return self._hosts[key], told

    def place(self, identifier: str) -> tuple[Frame, str, int] | None:
        """The frame, the document's token and the node's number of an id; None where it is gone."""
        place, _, node = identifier.partition(".")
        if not (place.isdecimal() and node.isdecimal() and len(identifier) < 30):
            return None
        known = self._frames.get(int(place))
        if known is None or known[0].is_detached() or known[0].page.is_closed():
            return None
        return (*known, int(node))

    async def handle(self, frame: Frame, token: str, number: int) -> ElementHandle | None:
        """The element of a node, or None where it or its document is gone."""
        found = await frame.evaluate_handle(_NODE, [token, number])
        element = found.as_element()
        if element is None:
            await found.dispose()
        return element

    async def has_changed(self, frame: Frame, token: str, number: int, before: int) -> bool | None:
        """Whether a node or what is around it differs from before; true where it has gone."""
        try:
            found = await frame.evaluate(_HASH, [token, number])
        except PlaywrightError:
            return True
        return bool(found != before)


async def asked(frame: Frame, expression: str, argument: Any = None) -> Any:
    """Ask the script in a frame, putting it there first where it is missing."""
    try:
        return await frame.evaluate(expression, argument)
    except PlaywrightError:
        if await frame.evaluate(HAS):
            raise
        await frame.evaluate(script())
        return await frame.evaluate(expression, argument)

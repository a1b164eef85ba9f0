"""Finding a chat widget on a page, in whatever frame it is."""

import asyncio
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from playwright.async_api import ElementHandle, Frame
from playwright.async_api import Error as PlaywrightError

from sparring.errors import AppCrash, AppProtocolError, ConfigurationError
from sparring.model.page import Element
from sparring_connectors.browser.chat_config import ChatConfig
from sparring_connectors.browser.chat_reading import Side, Sides
from sparring_connectors.browser.documents import asked
from sparring_connectors.browser.in_page import call, call_on

if TYPE_CHECKING:
    from sparring_connectors.browser.session import BrowserSession

_COMPOSER, _LAUNCHER, _TOKEN = call("composer", ""), call("launcher", ""), call("own", "")
_PIECES, _TYPING, _SAYING = call("pieces"), call("isTyping"), call("saying")
_NUMBER = call_on("idOf")
#: What the browser says of one selector, and Playwright's own parser of another, such as `#a[`.
_NO_SELECTOR = re.compile(r"not a valid selector|while parsing css selector", re.IGNORECASE)
_LOOK_AGAIN_S = 0.1
_FIND_S = 5.0


class Widget:
    """Where one types, what sends, and what the elements of the chat say."""

    def __init__(self, session: "BrowserSession", config: ChatConfig) -> None:
        self._session = session
        self._config = config
        self.input: str | None = None
        self.send: str | None = None

    async def ready(self) -> None:
        """Find the chat where it is not known, or has been put up anew."""
        if self.input is None or await self.element(self.input) is None:
            await self.find()

    async def find(self) -> None:
        """Find where one types, opening the chat where it has to be opened.

        Raises ConfigurationError if there is no such field, because most often the suite has to
        name it, and AppCrash if there is a server error in the place of the page.
        """
        end = asyncio.get_running_loop().time() + _FIND_S
        was_opened = False
        while True:
            if await self.found():
                return
            if not was_opened and (opener := await self._opener()) is not None:
                was_opened = True
                await opener.click(timeout=self._session.config.timeout.action_s * 1000)
                await self._session.settle()
                continue
            if asyncio.get_running_loop().time() > end:
                break
            await asyncio.sleep(_LOOK_AGAIN_S)
        tab = self._session.tab
        if tab.status >= 500:
            raise AppCrash(f"the page {self._session.shown(tab.url)} answered {tab.status}")
        what = f"nothing matches {self._config.input!r}" if self._config.input else "none was found"
        raise ConfigurationError(
            f"the page {self._session.tab.page.url} shows no field to type into: {what}; "
            "name it as chat.input in the suite's app"
        )

    async def found(self) -> bool:
        config = self._config
        if config.input is not None:
            self.input = await self._id_of(config.input)
            best: dict[str, Any] = {}
            frame = None
        else:
            frame, best = await self._best_composer()
            self.input = await self._id(frame, best["input"]) if frame is not None else None
        if self.input is None:
            return False
        if config.send is not None:
            self.send = await self._id_of(config.send)
        elif frame is not None and best["send"]:
            self.send = await self._id(frame, best["send"])
        return True

    async def _best_composer(self) -> tuple[Frame | None, dict[str, Any]]:
        found: list[tuple[float, int, Frame, dict[str, Any]]] = []
        for place, frame in enumerate(self._frames()):
            try:
                composer = await asked(frame, _COMPOSER)
            except PlaywrightError:
                continue
            if composer:
                found.append((composer["score"], -place, frame, composer))
        if not found:
            return None, {}
        _, _, frame, composer = max(found, key=lambda each: each[:2])
        return frame, composer

    async def _opener(self) -> ElementHandle | None:
        if self._config.launcher is not None:
            found = await self._id_of(self._config.launcher)
            return await self.element(found) if found else None
        for frame in self._frames():
            try:
                number = await asked(frame, _LAUNCHER)
            except PlaywrightError:
                continue
            if number:
                return await self.element(await self._id(frame, number))
        return None

    async def _id_of(self, selector: str) -> str | None:
        """The id of the first element that matches, in any frame."""
        for frame in self._frames():
            try:
                found = await frame.query_selector(selector)
                if found is not None and await found.is_visible():
                    return await self._id(frame, await found.evaluate(_NUMBER))
            except PlaywrightError as err:
                if _NO_SELECTOR.search(err.message):
                    raise ConfigurationError(f"{selector!r} is no selector of CSS") from None
        return None

    async def _id(self, frame: Frame, number: int) -> str:
        token = await asked(frame, _TOKEN)
        return f"{self._session.documents.number(frame, token)}.{number}"

    def _frames(self) -> list[Frame]:
        return [one for one in self._session.tab.page.frames if not one.is_detached()]

    async def element(self, identifier: str | None) -> ElementHandle | None:
        place = self._session.documents.place(identifier or "")
        if place is None:
            return None
        try:
            return await self._session.documents.handle(*place)
        except PlaywrightError:
            return None

    async def handle(self, identifier: str) -> ElementHandle:
        handle = await self.element(identifier)
        if handle is None:
            raise AppProtocolError("what was to be used of the chat is not on the page any more")
        return handle

    async def press_send(self) -> bool:
        send = await self.element(self.send)
        if send is None or not await send.is_visible():
            return False
        await send.click(timeout=self._session.config.timeout.action_s * 1000)
        return True

    async def saying(self, selector: str) -> list[tuple[str, str]]:
        """What the elements that match say, with their ids, over all frames."""
        said: list[tuple[str, str]] = []
        for frame in self._frames():
            try:
                found = await asked(frame, _SAYING, selector)
            except PlaywrightError:
                continue
            for number, text in found:
                hidden = self._session.variables.hidden(text)
                said.append((await self._id(frame, number), hidden))
        return said

    async def sides(self, elements: Sequence[Element]) -> Sides:
        """Who says elements, whether they are in a log, and whether beside the field."""
        by_place: dict[str, list[str]] = {}
        for one in elements:
            by_place.setdefault(one.id.partition(".")[0], []).append(one.id)
        field_place, _, field = (self.input or "0.0").partition(".")
        sides: dict[str, Side] = {}
        for name, ids in by_place.items():
            place = self._session.documents.place(ids[0])
            if place is None:
                continue
            numbers = [int(one.partition(".")[2]) for one in ids]
            beside = int(field) if name == field_place else 0
            try:
                told = await asked(place[0], _PIECES, [numbers, beside])
            except PlaywrightError:
                continue
            for identifier, (_, side, is_in_log, is_beside) in zip(ids, told, strict=True):
                sides[identifier] = Side(side, is_in_log, is_beside)
        return sides

    async def is_writing(self) -> bool:
        """Whether the page says that more comes, or a request for it is still open."""
        if self._session.tab.waiting_for(self._session.config.settle.request_s):
            return True
        for frame in self._frames():
            try:
                if await asked(frame, _TYPING, self._config.typing):
                    return True
            except PlaywrightError:
                continue
        return False

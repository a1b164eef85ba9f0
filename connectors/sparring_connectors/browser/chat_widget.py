"""A chat widget on a page, in whatever frame: finding it, and reading what is new in it."""

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import ElementHandle, Frame
from playwright.async_api import Error as PlaywrightError
from pydantic import BaseModel, ConfigDict

from sparring.errors import AppCrash, AppProtocolError, ConfigurationError
from sparring.model.page import Element, PageSnapshot
from sparring.model.talk import Choice
from sparring_connectors.browser.config import ChatConfig
from sparring_connectors.browser.context import PageContext
from sparring_connectors.browser.in_page import ask_frame, call, call_on
from sparring_connectors.bundled_data import load_data

# Reading a chat: what the chatbot said since the last time, and what it offers to press.


class ChatWords(BaseModel):
    """Schema of ``chat_words.yaml``; what each list is for stands there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    asides: tuple[str, ...]
    tools: tuple[str, ...]


WORDS = load_data(__file__, "chat_words.yaml", ChatWords)

_ASIDE = re.compile(
    r"(\d{1,2}[:.]\d{2}(:\d{2})?\s*([ap]\.?m\.?)?"
    r"|(?<!\d)\d+\s*(s|sec\w*|m|min\w*|h|hour\w*|days?)( ago)?"
    rf"|{'|'.join(WORDS.asides)})[,:]?",
    re.IGNORECASE,
)
#: "…", "Bot is typing…", "Assistant is thinking".
_WAITING = re.compile(r"[.…•·\s]+|(\S+ ){0,3}(is )?(typing|thinking|writing)\s*(\.{2,}|…)?", re.I)
_TOOLS = re.compile(rf"({'|'.join(WORDS.tools)})\b", re.IGNORECASE)
#: What a chat window measures of an answer: tokens, seconds, tokens per second, bytes.
_FIGURE = re.compile(r"[~\d.,:]+\s*(tokens?|ms|s|sec\w*|min|t/s|tokens?/s|[kmg]b|%)")
_PRESSED = frozenset({"button", "link", "radio", "option", "menuitem", "generic", "listitem"})


@dataclass(frozen=True, slots=True)
class TextSource:
    """Who says something (``bot``, ``user``, or nobody knows), and its place."""

    speaker: str = ""
    is_in_log: bool = False
    is_beside_field: bool = False


UNKNOWN_SOURCE = TextSource()
TextSources = Mapping[str, TextSource]


@dataclass(slots=True)
class ChatState:
    """What was there when something was said: the texts by id, and the ids of all else."""

    texts: dict[str, str] = field(default_factory=dict[str, str])
    ids: frozenset[str] = frozenset()

    @classmethod
    def of(cls, snapshot: PageSnapshot) -> "ChatState":
        """Everything that a page shows."""
        return cls(
            {element.id: element.text for element in visible_texts(snapshot)},
            frozenset(element.id for element in snapshot.elements if element.visible),
        )


def visible_texts(snapshot: PageSnapshot) -> list[Element]:
    """The pieces of text that can be seen."""
    return [
        element
        for element in snapshot.elements
        if element.role == "text" and element.visible and element.text
    ]


def new_texts(snapshot: PageSnapshot, before: ChatState) -> list[tuple[Element, str]]:
    """The pieces that are new, with what is new of them."""
    new: list[tuple[Element, str]] = []
    for element in visible_texts(snapshot):
        old = before.texts.get(element.id, "")
        # A message that is streamed grows: "One two" becomes "One two three".
        text = element.text.removeprefix(old)
        if text:
            new.append((element, text))
    return new


def answer_text(
    new: Iterable[tuple[Element, str]],
    said: str | None,
    sources: TextSources,
    buttons: frozenset[str],
) -> str:
    """What the chatbot said, without what the user did, times, names and buttons."""
    lines: list[str] = []
    echo = _normalise(said) if said else ""
    for element, text in new:
        side = sources.get(element.id, UNKNOWN_SOURCE).speaker
        plain = _normalise(text)
        if side == "user" or element.parent in buttons or not plain or is_aside(plain):
            continue
        # The page shows the user's message, too, maybe after a name; later the bot may repeat it.
        if echo and side != "bot" and _echoes(plain, echo):
            echo = ""
            continue
        lines.append(text.strip())
    return "\n".join(lines)


def button_ids(snapshot: PageSnapshot) -> frozenset[str]:
    """The ids of all buttons, whose texts are no answers."""
    return frozenset(
        element.id
        for element in snapshot.elements
        if element.interactive and element.role not in ("link", "listitem", "option")
    )


def is_aside(text: str) -> bool:
    """Whether a piece says when or who, or that somebody is writing."""
    return bool(_ASIDE.fullmatch(text.strip()) or _WAITING.fullmatch(text.strip()))


def _echoes(plain: str, echo: str) -> bool:
    return plain == echo or (plain.endswith(echo) and len(plain) <= len(echo) + 15)


def _normalise(text: str) -> str:
    return " ".join(text.split()).casefold()


def new_choices(snapshot: PageSnapshot, before: ChatState, said: str | None) -> list[Element]:
    """What has come up to be pressed since then: what shows a text, and is no tool."""
    buttons: list[Element] = []
    labels: set[str] = {_normalise(said)} if said else set()
    for element in snapshot.elements:
        label = _normalise(element.text)
        if (
            element.id in before.ids
            or not _can_be_pressed(element)
            or not label
            or len(label) > 200
        ):
            continue
        if _TOOLS.match(label) or _FIGURE.fullmatch(label) or is_aside(label) or label in labels:
            continue
        labels.add(label)
        buttons.append(element)
    return buttons


def to_choice(element: Element) -> Choice:
    """An element as a choice."""
    url = element.url if element.role == "link" and is_elsewhere(element.url) else None
    return Choice(label=" ".join((element.name or element.text).split()), url=url)


def _can_be_pressed(element: Element) -> bool:
    return (
        element.interactive and element.visible and not element.disabled and not element.editable
        and element.role in _PRESSED and element.tag != "label"
    )  # fmt: skip


def is_elsewhere(url: str | None) -> bool:
    """Whether a link leads to another page."""
    return bool(url) and not str(url).split("#")[0].endswith(("javascript:void(0)", "javascript:;"))


_COMPOSER, _LAUNCHER, _TOKEN = call("composer", ""), call("launcher", ""), call("own", "")
_PIECES, _TYPING, _SAYING = call("pieces"), call("isTyping"), call("saying")
_NUMBER = call_on("idOf")
#: What the browser says of one selector, and Playwright's own parser of another, such as `#a[`.
_NO_SELECTOR = re.compile(r"not a valid selector|while parsing css selector", re.IGNORECASE)
_LOOK_AGAIN_S = 0.1
# Widgets of third parties are loaded after the page, often by a tag manager.
_FIND_S = 5.0


class Widget:
    """The field and the button of a chat, and the texts of its elements."""

    def __init__(self, context: PageContext, config: ChatConfig) -> None:
        self._context = context
        self._config = config
        self.input: str | None = None
        self.send: str | None = None

    async def ensure_found(self) -> None:
        """Find the chat unless it is known and still there."""
        if self.input is None or await self.element(self.input) is None:
            await self.find()

    async def find(self) -> None:
        """Find the field to type into, opening the chat if it has to be opened.

        Raises ConfigurationError if there is no such field, because most often the suite has to
        name it, and AppCrash if there is a server error in the place of the page.
        """
        end = asyncio.get_running_loop().time() + _FIND_S
        was_opened = False
        while True:
            if await self.locate():
                return
            if not was_opened and (opener := await self._opener()) is not None:
                was_opened = True
                await opener.click(timeout=self._context.config.timeout.action_s * 1000)
                await self._context.wait_until_stable()
                continue
            if asyncio.get_running_loop().time() > end:
                break
            await asyncio.sleep(_LOOK_AGAIN_S)
        tab = self._context.tab
        if tab.status >= 500:
            raise AppCrash(f"the page {self._context.shown(tab.url)} answered {tab.status}")
        what = f"nothing matches {self._config.input!r}" if self._config.input else "none was found"
        raise ConfigurationError(
            f"the page {self._context.tab.page.url} shows no field to type into: {what}; "
            "name it as chat.input in the suite's app"
        )

    async def locate(self) -> bool:
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
        candidates: list[tuple[float, int, Frame, dict[str, Any]]] = []
        for place, frame in enumerate(self._frames()):
            try:
                composer = await ask_frame(frame, _COMPOSER)
            except PlaywrightError:
                continue
            if composer:
                candidates.append((composer["score"], -place, frame, composer))
        if not candidates:
            return None, {}
        _, _, frame, composer = max(candidates, key=lambda each: each[:2])
        return frame, composer

    async def _opener(self) -> ElementHandle | None:
        if self._config.launcher is not None:
            identifier = await self._id_of(self._config.launcher)
            return await self.element(identifier) if identifier else None
        for frame in self._frames():
            try:
                number = await ask_frame(frame, _LAUNCHER)
            except PlaywrightError:
                continue
            if number:
                return await self.element(await self._id(frame, number))
        return None

    async def _id_of(self, selector: str) -> str | None:
        """The id of the first element that matches, in any frame."""
        for frame in self._frames():
            try:
                element = await frame.query_selector(selector)
                if element is not None and await element.is_visible():
                    return await self._id(frame, await element.evaluate(_NUMBER))
            except PlaywrightError as err:
                if _NO_SELECTOR.search(err.message):
                    raise ConfigurationError(f"{selector!r} is no selector of CSS") from None
        return None

    async def _id(self, frame: Frame, number: int) -> str:
        token = await ask_frame(frame, _TOKEN)
        return f"{self._context.documents.number(frame, token)}.{number}"

    def _frames(self) -> list[Frame]:
        return [frame for frame in self._context.tab.page.frames if not frame.is_detached()]

    async def element(self, identifier: str | None) -> ElementHandle | None:
        place = self._context.documents.place(identifier or "")
        if place is None:
            return None
        try:
            return await self._context.documents.handle(*place)
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
        await send.click(timeout=self._context.config.timeout.action_s * 1000)
        return True

    async def texts_of(self, selector: str) -> list[tuple[str, str]]:
        """What the elements that match say, with their ids, over all frames."""
        texts: list[tuple[str, str]] = []
        for frame in self._frames():
            try:
                matches = await ask_frame(frame, _SAYING, selector)
            except PlaywrightError:
                continue
            for number, text in matches:
                shown = self._context.variables.hide(text)
                texts.append((await self._id(frame, number), shown))
        return texts

    async def read_sources(self, elements: Sequence[Element]) -> TextSources:
        """Who says elements, whether they are in a log, and whether beside the field."""
        by_place: dict[str, list[str]] = {}
        for element in elements:
            by_place.setdefault(element.id.partition(".")[0], []).append(element.id)
        field_place, _, field = (self.input or "0.0").partition(".")
        sources: dict[str, TextSource] = {}
        for name, ids in by_place.items():
            place = self._context.documents.place(ids[0])
            if place is None:
                continue
            numbers = [int(identifier.partition(".")[2]) for identifier in ids]
            beside = int(field) if name == field_place else 0
            try:
                answers = await ask_frame(place[0], _PIECES, [numbers, beside])
            except PlaywrightError:
                continue
            for identifier, (_, side, is_in_log, is_beside) in zip(ids, answers, strict=True):
                sources[identifier] = TextSource(side, is_in_log, is_beside)
        return sources

    async def is_writing(self) -> bool:
        """Whether the page says that more comes, or a request for it is still open."""
        if self._context.tab.waiting_for(self._context.config.settle.request_s):
            return True
        for frame in self._frames():
            try:
                if await ask_frame(frame, _TYPING, self._config.typing):
                    return True
            except PlaywrightError:
                continue
        return False

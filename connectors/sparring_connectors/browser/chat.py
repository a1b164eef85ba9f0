"""A chat widget on a page as a text app: finds it, says something, waits for the whole answer."""

import asyncio
from collections.abc import Sequence

from sparring.errors import AppTimeout, ConfigurationError
from sparring.model.page import Element, PageSnapshot
from sparring.model.talk import Choice, Observation
from sparring_connectors.browser import chat_widget as reading
from sparring_connectors.browser.chat_widget import Widget
from sparring_connectors.browser.config import ChatConfig
from sparring_connectors.browser.context import PageContext

_LOOK_AGAIN_S = 0.1
# A widget may show "is typing" for ever: after this, or four quiet spells, it is not believed.
_NOT_BELIEVED_S = 5.0
_NOBODY = reading.UNKNOWN_SOURCE
_APART = (
    "time,[class*=timestamp i],[class*=sender i],[class*=author i],[class*=avatar i],"
    "[class*=username i],[class*=meta i],[class*=status i]"
)
"""What stands beside a message's words and is none of them."""


class Chat:
    """The chat on a session's page."""

    def __init__(self, context: PageContext, config: ChatConfig) -> None:
        self._context = context
        self._config = config
        self._before = reading.ChatState()
        self._choices: dict[str, Element] = {}
        self._widget = Widget(context, config)
        self._is_greeted = False
        self._said_before: dict[str, str] = {}

    @property
    def shows_page(self) -> bool:
        """Whether every answer holds the page's snapshot, too."""
        return self._config.page

    async def listen(self) -> Observation:
        """What the chatbot says unasked: its greeting at first, then what has come since."""
        if self._widget.input is None:
            await self._widget.find()
        began = self._clock()
        first, self._is_greeted = not self._is_greeted, True
        limit = self._config.greeting_s if first else 0.0
        return await self._wait_for_answer(None, began, limit, in_log_only=first)

    async def say(self, text: str) -> Observation:
        """Type a text, send it, and wait for the answer; raises AppTimeout if none comes."""
        await self._ready()
        assert self._widget.input is not None
        handle = await self._widget.handle(self._widget.input)
        await handle.fill(text.replace("\x00", "") or " ", timeout=self._limit_ms)
        await self._remember()
        if not await self._widget.press_send():
            await handle.press("Enter", timeout=self._limit_ms)
        return await self._wait_for_answer(text, self._clock(), self._config.answer_s)

    async def press(self, label: str) -> Observation:
        """Press a choice that was offered, or whatever on the page is called so.

        Raises ConfigurationError if there is nothing of the kind: the test asks for it.
        """
        await self._ready()
        element = self._choices.get(label) or await self._find_by_label(label)
        if element is None:
            raise ConfigurationError(f"there is nothing to press that is called {label[:80]!r}")
        handle = await self._widget.handle(element.id)
        await self._remember()
        await handle.click(timeout=self._limit_ms)
        return await self._wait_for_answer(label, self._clock(), self._config.answer_s)

    async def _snapshot(self) -> PageSnapshot:
        apart = f"{_APART},{self._config.ignore}" if self._config.ignore else _APART
        return await self._context.snapshot(apart)

    async def _ready(self) -> None:
        await self._widget.ensure_found()
        self._is_greeted = True

    async def _find_by_label(self, label: str) -> Element | None:
        wanted = " ".join(label.split()).casefold()
        for element in reversed((await self._snapshot()).elements):
            called = " ".join((element.name or element.text).split()).casefold()
            if (
                element.interactive
                and element.visible
                and not element.disabled
                and called == wanted
            ):
                return element
        return None

    async def _remember(self) -> None:
        """What is there before something is said belongs to no answer."""
        self._before = reading.ChatState.of(await self._snapshot())
        if self._config.bot is not None:
            self._said_before = dict(await self._read_bot_messages())

    async def _wait_for_answer(
        self, said: str | None, began: float, limit_s: float, *, in_log_only: bool = False
    ) -> Observation:
        """Wait until an answer is complete; nothing for a while is an answer to silence."""
        last: tuple[str, tuple[Choice, ...]] = ("", ())
        changed = self._clock()
        snapshot = await self._snapshot()
        while True:
            text, offered = await self._read(snapshot, said, in_log_only)
            now = self._clock()
            current = (text, tuple(reading.to_choice(element) for element in offered))
            if current != last:
                last, changed = current, now
            if self._is_whole(
                bool(text or offered), now - changed, await self._widget.is_writing()
            ):
                break
            if now - began > limit_s and not (text or offered):
                if said is not None:
                    raise AppTimeout(f"the chat gave no answer within {limit_s:g} s")
                break
            if now - began > self._config.answer_s:
                raise AppTimeout(
                    f"the chat's answer was not complete within {self._config.answer_s:g} s"
                )
            await asyncio.sleep(_LOOK_AGAIN_S)
            snapshot = await self._snapshot()
        self._choices = {reading.to_choice(element).label: element for element in offered}
        self._before = reading.ChatState.of(snapshot)
        if self._config.bot is not None:
            self._said_before = dict(await self._read_bot_messages())
        return Observation(text=last[0], choices=last[1], ended=await self._is_over(said))

    def _is_whole(self, is_something: bool, idle_s: float, is_writing: bool) -> bool:
        """Whether an answer is complete: quiet, with no sign that more comes.

        A sign that stays on for long while nothing comes is not believed.
        """
        quiet = self._config.quiet_s
        # "Bot is typing…" that never goes away must not keep the answer until the time-out.
        patience = max(_NOT_BELIEVED_S, 4 * quiet) if is_writing else quiet
        return is_something and idle_s >= patience

    async def _read(
        self, snapshot: PageSnapshot, said: str | None, in_log_only: bool
    ) -> tuple[str, list[Element]]:
        new = reading.new_texts(snapshot, self._before)
        sources = await self._widget.read_sources([element for element, _ in new])
        # A greeting is only what is in the log: around it, the page itself is new, too.
        if in_log_only:
            new = [
                (element, text)
                for element, text in new
                if sources.get(element.id, _NOBODY).is_in_log
            ]
        offered = await self._read_choices(snapshot, said, in_log_only)
        if self._config.bot is not None:
            return self._new_by_bot(await self._read_bot_messages()), offered
        if self._config.ignore is not None:
            ignored = {text for _, text in await self._widget.texts_of(self._config.ignore)}
            new = [(element, text) for element, text in new if text.strip() not in ignored]
        return reading.answer_text(new, said, sources, reading.button_ids(snapshot)), offered

    async def _read_choices(
        self, snapshot: PageSnapshot, said: str | None, in_log_only: bool
    ) -> list[Element]:
        """What has come up to be pressed, but for what belongs to the user or the field."""
        offered = reading.new_choices(snapshot, self._before, said)
        if self._config.choices is not None:
            named = {
                identifier for identifier, _ in await self._widget.texts_of(self._config.choices)
            }
            return [element for element in offered if element.id in named]
        sources = await self._widget.read_sources(offered)
        return [
            element
            for element in offered
            if (side := sources.get(element.id, _NOBODY)).speaker != "user"
            and not side.is_beside_field
            and (side.is_in_log or not in_log_only)
        ]

    def _new_by_bot(self, said: Sequence[tuple[str, str]]) -> str:
        lines: list[str] = []
        for identifier, text in said:
            old = self._said_before.get(identifier)
            if old == text or reading.is_aside(text):
                continue
            new = text[len(old) :] if old and text.startswith(old) else text
            if new.strip():
                lines.append(new.strip())
        return "\n".join(lines)

    async def _read_bot_messages(self) -> list[tuple[str, str]]:
        assert self._config.bot is not None
        return await self._widget.texts_of(self._config.bot)

    async def _is_over(self, said: str | None) -> bool:
        """Whether nothing can be said any more."""
        if said is None:
            return False
        field = await self._widget.element(self._widget.input)
        if field is None:
            self._widget.input = None
            return not await self._widget.locate()
        return not (await field.is_visible() and await field.is_enabled()) and not self._choices

    @property
    def _limit_ms(self) -> float:
        return self._context.config.timeout.action_s * 1000

    def _clock(self) -> float:
        return asyncio.get_running_loop().time()

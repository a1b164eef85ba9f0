"""One conversation with an app behind a WebSocket."""

import asyncio
import ssl
from collections.abc import Callable
from typing import Any

from sparring.errors import AppCrash, AppTimeout
from sparring.model.case import Case
from sparring.model.talk import Observation
from sparring_connectors.described.app_clock import AppClock
from sparring_connectors.described.conversation import DescribedSession
from sparring_connectors.described.reply import TextPathMisses, join_observations
from sparring_connectors.websocket.connection import Connection, ConnectionEnded
from sparring_connectors.websocket.messages import AnswerCollector, IncomingMessage, MessageKind
from sparring_connectors.websocket.plan import WebSocketPlan

_OVER = Observation(ended=True)


class WebSocketSession(DescribedSession):
    """A conversation: its connection, its id, and the values that the app gave it."""

    connector = "websocket"

    def __init__(
        self,
        plan: WebSocketPlan,
        tls: ssl.SSLContext | None,
        case: Case,
        own_id: str,
        misses: TextPathMisses,
        notify: Callable[[str], None],
    ) -> None:
        config = plan.config
        makes_ids = config.reply.session is not None
        super().__init__(case, own_id, config.timeout.turn_s, misses, notify, makes_ids=makes_ids)
        self._plan = plan
        self._config = config
        self._tls = tls
        self._connection: Connection | None = None
        self._early: list[IncomingMessage] = []
        self._is_over = False

    async def start(self) -> None:
        """Connect, and wait for the greeting of an app that speaks first; raises AppError."""
        async with self._within(f"{self._plan.label}: no complete greeting"):
            await self._connect()
            if self._config.starts == "app":
                self._waiting = await self._wait_for_greeting()

    async def connect(self) -> None:
        """Connect and no more, to see whether the app is there; raises AppError."""
        async with self._within(f"{self._plan.label}: not ready"):
            await self._connect()

    async def finish(self) -> str | None:
        """Close the connection; returns what went wrong, which harms nobody."""
        connection, self._connection = self._connection, None
        if connection is None:
            return None
        problem = None
        try:
            if self._plan.close is not None and not self._is_over:
                async with asyncio.timeout(self._config.timeout.close_s):
                    await connection.send(self._plan.close)
        except (ConnectionEnded, TimeoutError):
            problem = f"{self._plan.label}: the app took no last message"
        finally:
            await connection.aclose()
        return problem

    async def _listen(self) -> Observation:
        late = await self._take_late_messages()
        return late if not self._is_over else late.model_copy(update={"ended": True})

    async def _say(self, text: str) -> Observation:
        return await self._speak(self._plan.body, text, text)

    async def _press(self, label: str, value: str) -> Observation:
        return await self._speak(self._plan.press, value, label)

    async def _speak(self, body: Any, text: str, label: str) -> Observation:
        self._begin_turn(text, label)
        async with self._within(f"{self._plan.label}: no complete answer"):
            late = await self._take_late_messages()
            if self._is_over:
                return join_observations([late, _OVER])
            try:
                answer = await self._ask(body)
            except ConnectionEnded as err:
                return join_observations([late, self._end(err)])
        problem = f"{self._plan.label}: no message has a session id"
        self._require_session(self._config.reply.session, problem)
        return join_observations([late, answer])

    async def _ask(self, body: Any) -> Observation:
        assert self._connection is not None
        self._clock.start()
        await self._connection.send(body)
        return await self._answer(self._config.over.silence_s)

    async def _connect(self) -> None:
        """Connect, and send what opens the session; only what follows takes the app's time."""
        self._clock.stop()
        self._connection = await Connection.open(self._plan, self._values, self._tls, self._notify)
        self._clock.start()
        try:
            if self._config.envelope == "socket.io":
                await self._until_ready()
            for body in self._plan.open:
                await self._connection.send(body)
            if self._config.ready:
                await self._until_ready()
        except ConnectionEnded as err:
            raise err.error or AppCrash(
                f"{self._plan.label}: the app closed the connection before the conversation"
            ) from None

    async def _until_ready(self) -> None:
        """Wait for the message that lets the conversation begin; keep what comes before it."""
        limit = self._config.timeout.idle_s
        while True:
            try:
                async with AppClock(limit) as clock:
                    clock.start()
                    item = await self._take()
            except TimeoutError:
                raise AppTimeout(
                    f"{self._plan.label}: not ready: nothing came for {limit:g} s"
                ) from None
            if item.kind is MessageKind.READY:
                return
            self._early.append(item)

    async def _wait_for_greeting(self) -> Observation:
        assert self._connection is not None
        greeting = self._config.greeting
        try:
            if greeting is not None:
                self._values |= dict.fromkeys(("text", "label", "value"), greeting.say)
                await self._connection.send(self._plan.greeting)
            return await self._answer(self._config.timeout.greeting_s)
        except ConnectionEnded as err:
            return self._end(err)

    async def _take_late_messages(self) -> Observation:
        """Return what has come since the last answer; connects again if that is wanted."""
        late = [item.reading for item in await self._late_items() if item.reading]
        return join_observations([reading.observation for reading in late])

    async def _late_items(self) -> list[IncomingMessage]:
        await asyncio.sleep(0)  # let what has arrived be read
        late = list(self._early)
        self._early.clear()
        try:
            while self._connection is not None and self._connection.is_waiting():
                late.append(await self._take())
        except ConnectionEnded as err:
            if err.error is None:
                self._is_over = True
            elif not self._config.reconnect.dropped:
                raise err.error from None
            else:
                await self._reconnect()
        return late

    async def _reconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.aclose()
        await self._connect()

    async def _answer(self, silence_s: float | None) -> Observation:
        """Take messages until the answer is over.

        Raises AppError, and ConnectionEnded if the connection is closed before any message.
        """
        answer = self._collector(silence_s)
        for item in self._early:
            answer.note(item)
        self._early.clear()
        while not answer.is_over:
            try:
                async with AppClock(answer.patience_s()) as clock:
                    clock.start()
                    item = await self._take()
                if answer.note(item):
                    self._clock.mark()
            except TimeoutError:
                answer.wait_is_over()
            except ConnectionEnded as err:
                if err.error is not None or not answer.observations:
                    raise
                self._is_over = True
                return join_observations([*answer.observations, _OVER])
        return join_observations(answer.observations)

    def _collector(self, silence_s: float | None) -> AnswerCollector:
        return AnswerCollector(self._plan, silence_s)

    async def _take(self) -> IncomingMessage:
        assert self._connection is not None
        item = await self._connection.take()
        self._values |= item.remembered
        if (reading := item.reading) is not None:
            has_text = reading.has_text or item.over
            self._misses.note(self._config.reply, has_text, reading.content)
        return item

    def _end(self, err: ConnectionEnded) -> Observation:
        """A connection that was closed instead of an answer."""
        if err.error is not None:
            raise err.error from None
        self._is_over = True
        return _OVER

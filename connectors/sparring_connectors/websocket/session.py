"""One conversation with an app behind a WebSocket."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

from sparring.errors import AppCrash, AppProtocolError, AppTimeout, ConfigurationError
from sparring.interfaces.app_connector import AppSession
from sparring.model.case import Case
from sparring.model.talk import Act, GuiAction, Listen, Observation, Press, Say
from sparring_connectors.described.app_clock import AppClock
from sparring_connectors.described.matching import Matching
from sparring_connectors.described.reply import together
from sparring_connectors.websocket.answer import Answer
from sparring_connectors.websocket.connection import Connection, Ended
from sparring_connectors.websocket.messages import Incoming, Kind
from sparring_connectors.websocket.plan import Plan

_OVER = Observation(ended=True)


class WebSocketSession(AppSession):
    """A conversation: its connection, its id, and what the app told it to remember."""

    def __init__(
        self,
        plan: Plan,
        tls: ssl.SSLContext | None,
        case: Case,
        own_id: str,
        matching: Matching,
        note: Callable[[str], None],
    ) -> None:
        self._note = note
        self._plan = plan
        self._config = plan.config
        self._tls = tls
        self._matching = matching
        self._values: dict[str, Any] = {"uuid": own_id, "case": case.id, "seed": case.seed}
        self._values |= {"turn": 0}
        if plan.config.reply.session is None:
            self._values["session"] = own_id
        self._connection: Connection | None = None
        self._waiting: Observation | None = None
        self._early: list[Incoming] = []
        self._is_over = False
        self._clock = AppClock(plan.config.timeout.turn_s)

    async def start(self) -> None:
        """Connect, and hear the greeting of an app that speaks first; raises AppError."""
        async with self._within("no complete greeting"):
            await self._connect()
            if self._config.starts == "app":
                self._waiting = await self._greeted()

    async def connect(self) -> None:
        """Connect and no more, to see whether the app is there; raises AppError."""
        async with self._within("not ready"):
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
        except (Ended, TimeoutError):
            problem = f"{self._plan.label}: the app took no last message"
        finally:
            await connection.aclose()
        return problem

    async def send(self, act: Act) -> Observation:
        self.latency_s = None
        match act:
            case Listen():
                return await self._listen()
            case Say(text=text):
                return await self._speak(self._plan.body, text, text, text)
            case Press(label=label, value=value):
                text = label if value is None else value
                return await self._speak(self._plan.press, text, label, text)
            case GuiAction():
                raise ConfigurationError(
                    "the connector websocket takes texts and choices, no GUI actions"
                )

    async def _listen(self) -> Observation:
        waiting, self._waiting = self._waiting, None
        if waiting is not None and waiting != Observation():
            return waiting
        late = await self._late()
        return late if not self._is_over else late.model_copy(update={"ended": True})

    async def _speak(self, body: Any, text: str, label: str, value: str) -> Observation:
        self._waiting = None
        values = self._values
        values |= {"text": text, "label": label, "value": value, "turn": values["turn"] + 1}
        async with self._within("no complete answer"):
            late = await self._late()
            if self._is_over:
                return together([late, _OVER])
            try:
                answer = await self._asked(body)
            except Ended as err:
                return together([late, self._end(err)])
        self._need_session()
        return together([late, answer])

    async def _asked(self, body: Any) -> Observation:
        assert self._connection is not None
        self._clock.start()
        await self._connection.send(body)
        return await self._answer(self._config.over.silence_s)

    async def _connect(self) -> None:
        """Connect, and send what opens the session; only what follows takes the app's time."""
        self._clock.stop()
        self._connection = await Connection.opened(self._plan, self._values, self._tls, self._note)
        self._clock.start()
        try:
            if self._config.envelope == "socket.io":
                await self._until_ready()
            for body in self._plan.open:
                await self._connection.send(body)
            if self._config.ready:
                await self._until_ready()
        except Ended as err:
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
                    item = await self._taken()
            except TimeoutError:
                raise AppTimeout(
                    f"{self._plan.label}: not ready: nothing came for {limit:g} s"
                ) from None
            if item.kind is Kind.READY:
                return
            self._early.append(item)

    async def _greeted(self) -> Observation:
        assert self._connection is not None
        greeting = self._config.greeting
        try:
            if greeting is not None:
                self._values |= dict.fromkeys(("text", "label", "value"), greeting.say)
                await self._connection.send(self._plan.greeting)
            return await self._answer(self._config.timeout.greeting_s)
        except Ended as err:
            return self._end(err)

    async def _late(self) -> Observation:
        """What came since the last answer was over; connects again where that is wanted."""
        await asyncio.sleep(0)  # let what has arrived be read
        late = [item.reading for item in self._early if item.reading]
        self._early.clear()
        try:
            while self._connection is not None and self._connection.is_waiting():
                item = await self._taken()
                late += [item.reading] if item.reading else []
        except Ended as err:
            if err.error is None:
                self._is_over = True
            elif not self._config.reconnect.dropped:
                raise err.error from None
            else:
                await self._reconnect()
        return together([reading.observation for reading in late])

    async def _reconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.aclose()
        await self._connect()

    async def _answer(self, silence_s: float | None) -> Observation:
        """Messages until the answer is over; raises AppError, and Ended before any message."""
        answer = Answer(self._plan, silence_s)
        for item in self._early:
            answer.note(item)
        self._early.clear()
        while not answer.is_over:
            try:
                async with AppClock(answer.patience_s()) as clock:
                    clock.start()
                    item = await self._taken()
                if answer.note(item):
                    self._clock.mark()
            except TimeoutError:
                answer.wait_is_over()
            except Ended as err:
                if err.error is not None or not answer.heard:
                    raise
                self._is_over = True
                return together([*answer.heard, _OVER])
        return together(answer.heard)

    async def _taken(self) -> Incoming:
        assert self._connection is not None
        item = await self._connection.take()
        self._values |= item.learnt
        if (reading := item.reading) is not None:
            worded = reading.worded or item.over
            self._matching.note(self._config.reply, worded, reading.held)
        return item

    def _end(self, err: Ended) -> Observation:
        """A connection that was closed instead of an answer."""
        if err.error is not None:
            raise err.error from None
        self._is_over = True
        return _OVER

    def _need_session(self) -> None:
        where = self._config.reply.session
        if where is not None and "session" not in self._values:
            place = where if isinstance(where, str) else f"the header {where.header}"
            raise AppProtocolError(f"{self._plan.label}: no message has a session id at {place}")

    @asynccontextmanager
    async def _within(self, what: str) -> AsyncGenerator[None]:
        """Limit the time that the app may take for one turn as a whole, and measure it."""
        limit = self._config.timeout.turn_s
        clock = self._clock = AppClock(limit)
        try:
            async with clock:
                yield
        except TimeoutError:
            if not clock.expired:
                raise
            raise AppTimeout(f"{self._plan.label}: {what} within {limit:g} s") from None
        finally:
            self.latency_s = clock.latency_s

"""One conversation with an app behind HTTP."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import stamina

from sparring.errors import AppProtocolError, AppTimeout, ConfigurationError, SparringError
from sparring.interfaces.app_connector import AppSession
from sparring.model.case import Case
from sparring.model.talk import Act, GuiAction, Listen, Observation, Press, Say
from sparring_connectors.described.app_clock import AppClock
from sparring_connectors.described.matching import Matching
from sparring_connectors.described.reply import read_reply, together
from sparring_connectors.rest.config import RestConfig
from sparring_connectors.rest.exchange import Exchange, Failed, Refused
from sparring_connectors.rest.plan import Plan, Plans
from sparring_connectors.rest.retrying import sent_again

_LARGE = 50_000
"""Bytes from which a reply is read beside the other conversations."""


class _NothingYet(Exception):
    """A poll brought no message."""


class RestSession(AppSession):
    """A conversation: its cookies, its id, and what the app told it to remember."""

    def __init__(
        self,
        config: RestConfig,
        plans: Plans,
        exchange: Exchange,
        case: Case,
        own_id: str,
        matching: Matching,
        note: Callable[[str], None],
    ) -> None:
        self._config = config
        self._note_waiting = note
        self._matching = matching
        self._plans = plans
        self._exchange = exchange
        self._cookies = httpx2.Cookies()
        self._values: dict[str, Any] = {"uuid": own_id, "case": case.id, "seed": case.seed}
        self._values |= {"turn": 0}
        if not config.session_from_reply():
            self._values["session"] = own_id
        self._history: list[dict[str, str]] | None = [] if plans.use("history") else None
        self._waiting: Observation | None = None
        self._clock = AppClock(config.timeout.turn_s)
        self._accepted: set[str] = set()

    async def start(self) -> None:
        """Open the session with the app, if the settings say how.

        Raises AppError, or ConfigurationError if the settings are wrong.
        """
        plan = self._plans.open
        if plan is None:
            return
        async with self._within(plan):
            said = await self._ask(plan, optional=True)
        self._need_session(plan)
        if self._config.starts == "app":
            self._waiting = self._heard(said)

    async def finish(self) -> str | None:
        """Close the session with the app; returns what went wrong, which harms nobody."""
        plan = self._plans.close
        if plan is None:
            return None
        try:
            async with asyncio.timeout(self._config.timeout.close_s):
                await self._exchange.ask(plan.prepare(self._values), self._cookies)
        except TimeoutError:
            return f"{plan.label}: no answer within {self._config.timeout.close_s:g} s"
        except (Failed, SparringError) as err:
            return str(err)
        return None

    async def send(self, act: Act) -> Observation:
        self.latency_s = None
        match act:
            case Listen():
                return await self._listen()
            case Say(text=text):
                return await self._speak(self._plans.message, text, text, text)
            case Press(label=label, value=value):
                text = label if value is None else value
                return await self._speak(self._plans.press, text, label, text)
            case GuiAction():
                raise ConfigurationError(
                    "the connector rest takes texts and choices, no GUI actions"
                )

    async def _listen(self) -> Observation:
        waiting, self._waiting = self._waiting, None
        if waiting is not None and waiting != Observation():
            return waiting
        plans = self._plans
        if plans.greeting is not None and self._values["turn"] == 0 and self._config.greeting:
            say = self._config.greeting.say
            return await self._speak(plans.greeting, say, say, say)
        if plans.poll is None:
            return Observation()
        async with self._within(plans.poll):
            return self._heard(await self._polled(plans.poll))

    async def _speak(self, plan: Plan, text: str, label: str, value: str) -> Observation:
        self._waiting = None
        values = self._values
        values |= {"text": text, "label": label, "value": value, "turn": values["turn"] + 1}
        if self._history is not None and text:
            self._note(self._config.history.user, text)
        async with self._within(plan):
            said = await self._ask(plan, optional=self._plans.poll is not None)
            if self._plans.poll is not None:
                said = together([said, await self._polled(self._plans.poll)])
        self._need_session(plan)
        return self._heard(said)

    async def _ask(self, plan: Plan, *, optional: bool = False) -> Observation:
        if self._history is not None:
            self._values["history"] = list(self._history)
        prepared = plan.prepare(self._values)
        try:
            reply = await sent_again(
                lambda: self._exchange.ask(prepared, self._cookies, clock=self._clock),
                self._config.retry,
                plan.method,
                self._note_waiting,
                self._clock.stop,
            )
        except Refused as err:
            # Nothing of the kind has worked in this conversation: the settings are wrong, not the
            # app. A page that is there in one turn and gone (404) in the next one is the app's.
            if plan.label in self._accepted:
                raise
            raise ConfigurationError(str(err)) from None
        self._accepted.add(plan.label)
        if len(reply.body) > _LARGE:  # so that nobody else waits
            reading = await asyncio.to_thread(read_reply, reply, plan.reply, optional=optional)
        else:
            reading = read_reply(reply, plan.reply, optional=optional)
        self._values |= reading.learnt
        if not optional or reading.observation != Observation():
            self._clock.mark()
        if not optional or plan is self._plans.poll:  # others need not say anything
            self._matching.note(plan.reply, reading.worded, reading.held)
        return reading.observation

    async def _polled(self, plan: Plan) -> Observation:
        """Ask for messages until some come and no more follow, or the time is up."""
        poll = self._config.poll
        assert poll is not None
        heard = [await self._poll_for(plan, poll.every_s, poll.for_s)]
        while poll.settle_s and heard[-1] != Observation() and not heard[-1].ended:
            heard.append(await self._poll_for(plan, poll.every_s, poll.settle_s))
        return together(heard)

    async def _poll_for(self, plan: Plan, every_s: float, for_s: float) -> Observation:
        try:
            async for attempt in stamina.retry_context(
                on=_NothingYet,
                attempts=None,
                timeout=for_s,
                wait_initial=every_s,
                wait_max=every_s,
                wait_jitter=0,
            ):
                with attempt:
                    said = await self._ask(plan, optional=True)
                    if said == Observation():
                        raise _NothingYet
                    return said
        except _NothingYet:
            pass
        return Observation()

    def _heard(self, said: Observation) -> Observation:
        if self._history is not None and said.text:
            self._note(self._config.history.app, said.text)
        return said

    def _note(self, who: str, text: str) -> None:
        names = self._config.history
        if self._history is not None:
            self._history.append({names.role: who, names.text: text})

    def _need_session(self, plan: Plan) -> None:
        """A session id that should have come must have come."""
        if plan.reply.session is not None and "session" not in self._values:
            where = plan.reply.session
            place = where if isinstance(where, str) else f"the header {where.header}"
            raise AppProtocolError(f"{plan.label}: the reply has no session id at {place}")

    @asynccontextmanager
    async def _within(self, plan: Plan) -> AsyncGenerator[None]:
        """Limit the time that the app may take for one turn as a whole, and measure it."""
        limit = self._config.timeout.turn_s
        clock = self._clock = AppClock(limit)
        try:
            async with clock:
                yield
        except TimeoutError:
            if not clock.expired:
                raise
            raise AppTimeout(f"{plan.label}: no complete answer within {limit:g} s") from None
        finally:
            self.latency_s = clock.latency_s

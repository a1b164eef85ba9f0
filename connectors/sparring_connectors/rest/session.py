"""One conversation with an app behind HTTP, and which of its requests are sent again."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

import httpx2
import stamina

from sparring.errors import AppCrash, ConfigurationError, SparringError
from sparring.llm.rate_headers import read_quota
from sparring.model.case import Case
from sparring.model.talk import Observation
from sparring_connectors.described.conversation import DescribedSession
from sparring_connectors.described.reply import TextPathMisses, join_observations, read_reply
from sparring_connectors.rest.config import RestConfig, RetryConfig
from sparring_connectors.rest.exchange import RequestFailed, RestClient, RestReply, SettingsRefused
from sparring_connectors.rest.plan import RequestPlan, RequestPlans

# What is sent again: only what the app cannot have taken, and what the suite allows.

# Without a handler anywhere, stamina's notes on retries would be printed over the progress.
logging.getLogger("stamina").addHandler(logging.NullHandler())

_BUSY = frozenset({429, 503})
_REFUSED = frozenset({429})
"""With this status the app says that it has not taken a message."""


async def send_with_retries(
    ask: Callable[[], Awaitable[RestReply]],
    retry: RetryConfig,
    method: str,
    note: Callable[[str], None],
    waits: Callable[[], None],
    unsent_attempts: int | None = None,
) -> RestReply:
    """Ask, and ask again if that is safe; raises the AppError of the last attempt.

    `note` gets a text if there is no connection to the app, while it is tried again. `waits` is
    called before each wait: the time until the next attempt is not the app's. `unsent_attempts`
    bounds how often it is tried to connect, where `retry.attempts` is meant for busy services.
    """
    most_unsent = min(unsent_attempts or retry.attempts, retry.attempts)
    unsent = 0

    def wait(err: Exception) -> bool | float:
        nonlocal unsent
        waits()
        if isinstance(err, RequestFailed) and err.unsent:
            unsent += 1
            if unsent >= most_unsent:
                return False
            note(f"{err}; trying again, {most_unsent} times in all for each request")
        return _retry_wait(err, retry, method) if isinstance(err, RequestFailed) else False

    try:
        if retry.attempts == 1:
            return await ask()
        async for attempt in stamina.retry_context(
            on=wait,
            attempts=retry.attempts,
            timeout=None,
            wait_initial=retry.wait_s,
            wait_max=retry.max_wait_s,
            wait_jitter=0,
        ):
            with attempt:
                return await ask()
    except RequestFailed as err:
        raise err.error from None
    raise AssertionError("the last attempt raises")  # pragma: no cover


def _retry_wait(err: RequestFailed, retry: RetryConfig, method: str) -> bool | float:
    """Whether to ask again after a failure, and after how many seconds if the app says so."""
    if err.unsent:
        return True
    if err.dropped:
        return retry.dropped
    again = err.status in (retry.on if retry.on is not None else _busy_statuses(method))
    if not again:
        return False
    asked_s = err.retry_after_s
    if asked_s is None:
        return True
    return asked_s if asked_s <= retry.max_wait_s else False


def refusal_s(err: Exception) -> float | None:
    """For how long an app that refused a request for its rate wants to be left alone."""
    if not isinstance(err, RequestFailed) or err.status != 429:
        return None
    return err.retry_after_s or 0.0


def _busy_statuses(method: str) -> frozenset[int]:
    return _BUSY if method == "GET" else _REFUSED


_LARGE = 50_000
"""Bytes from which a reply is read beside the other conversations."""


class _NothingYet(Exception):
    """A poll brought no message."""


class RestSession(DescribedSession):
    """A conversation: its cookies, its id, and the values that the app gave it."""

    connector = "rest"

    def __init__(
        self,
        config: RestConfig,
        plans: RequestPlans,
        exchange: RestClient,
        case: Case,
        own_id: str,
        misses: TextPathMisses,
        notify: Callable[[str], None],
    ) -> None:
        makes_ids = config.session_from_reply()
        super().__init__(case, own_id, config.timeout.turn_s, misses, notify, makes_ids=makes_ids)
        self._config = config
        self._plans = plans
        self._exchange = exchange
        self._cookies = httpx2.Cookies()
        self._history: list[dict[str, str]] | None = [] if plans.use("history") else None
        self._accepted: set[str] = set()

    async def start(self) -> None:
        """Open the session with the app, if the settings say how.

        Raises AppError, or ConfigurationError if the settings are wrong.
        """
        plan = self._plans.open
        if plan is None:
            return
        async with self._within(f"{plan.label}: no complete answer"):
            observation = await self._ask(plan, optional=True)
        self._require_session(plan.reply.session, f"{plan.label}: the reply has no session id")
        if self._config.starts == "app":
            self._waiting = self._record_app_text(observation)

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
        except (RequestFailed, SparringError) as err:
            return str(err)
        return None

    async def _listen(self) -> Observation:
        plans = self._plans
        if plans.greeting is not None and self._values["turn"] == 0 and self._config.greeting:
            say = self._config.greeting.say
            return await self._speak(plans.greeting, say, say)
        if plans.poll is None:
            return Observation()
        async with self._within(f"{plans.poll.label}: no complete answer"):
            return self._record_app_text(await self._poll(plans.poll))

    async def _say(self, text: str) -> Observation:
        return await self._speak(self._plans.message, text, text)

    async def _press(self, label: str, value: str) -> Observation:
        return await self._speak(self._plans.press, value, label)

    async def _speak(self, plan: RequestPlan, text: str, label: str) -> Observation:
        self._begin_turn(text, label)
        if self._history is not None and text:
            self._note(self._config.history.user, text)
        async with self._within(f"{plan.label}: no complete answer"):
            observation = await self._ask(plan, optional=self._plans.poll is not None)
            if self._plans.poll is not None:
                observation = join_observations([observation, await self._poll(self._plans.poll)])
        self._require_session(plan.reply.session, f"{plan.label}: the reply has no session id")
        return self._record_app_text(observation)

    async def _ask(self, plan: RequestPlan, *, optional: bool = False) -> Observation:
        if self._history is not None:
            self._values["history"] = list(self._history)
        prepared = plan.prepare(self._values)
        try:
            reply = await send_with_retries(
                lambda: self._exchange.pacing.ask(
                    lambda: self._exchange.ask(prepared, self._cookies, clock=self._clock),
                    refusal_s,
                    lambda reply: read_quota(reply.headers),
                    patience_s=self._config.retry.max_wait_s,
                ),
                self._config.retry,
                plan.method,
                self._notify,
                self._clock.stop,
            )
        except SettingsRefused as err:
            # Nothing of the kind has worked in this conversation: the settings are wrong, not the
            # app. A page that is there in one turn and gone (404) in the next one is the app's.
            if plan.label in self._accepted:
                raise
            raise ConfigurationError(str(err)) from None
        except AppCrash as err:
            # "500: KeyError('utterance')" at the first message of each case: the body is wrong.
            if plan.label in self._accepted or prepared.content is None:
                raise
            raise AppCrash(f"{err} (if it expects another request, change body)") from None
        self._accepted.add(plan.label)
        if len(reply.body) > _LARGE:  # so that nobody else waits
            reading = await asyncio.to_thread(read_reply, reply, plan.reply, optional=optional)
        else:
            reading = read_reply(reply, plan.reply, optional=optional)
        self._values |= reading.remembered
        if not optional or reading.observation != Observation():
            self._clock.mark()
        if not optional or plan is self._plans.poll:  # others need not say anything
            self._misses.note(plan.reply, reading.has_text, reading.content)
        return reading.observation

    async def _poll(self, plan: RequestPlan) -> Observation:
        """Ask for messages until some come and no more follow, or the time is up."""
        poll = self._config.poll
        assert poll is not None
        observations = [await self._poll_for(plan, poll.every_s, poll.for_s)]
        while poll.settle_s and observations[-1] != Observation() and not observations[-1].ended:
            observations.append(await self._poll_for(plan, poll.every_s, poll.settle_s))
        return join_observations(observations)

    async def _poll_for(self, plan: RequestPlan, every_s: float, for_s: float) -> Observation:
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
                    observation = await self._ask(plan, optional=True)
                    if observation == Observation():
                        raise _NothingYet
                    return observation
        except _NothingYet:
            pass
        return Observation()

    def _record_app_text(self, observation: Observation) -> Observation:
        if self._history is not None and observation.text:
            self._note(self._config.history.app, observation.text)
        return observation

    def _note(self, who: str, text: str) -> None:
        names = self._config.history
        if self._history is not None:
            self._history.append({names.role: who, names.text: text})

"""Asks one service, at its pace, and again if that may help."""

import asyncio
import logging
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any, cast

import stamina

from sparring.discovery import drivers
from sparring.discovery.groups import SERVICES
from sparring.errors import ModelBusy, ModelError, ModelUnavailable, SparringError
from sparring.format_error import describe_error
from sparring.interfaces.plugin import LLMBackend
from sparring.llm.ledger import Pacing, Turn
from sparring.model.chat import ChatReply, ChatRequest
from sparring.suite.model import LLMUse

# Without a handler anywhere, stamina's notes on retries would be printed over the progress.
logging.getLogger("stamina").addHandler(logging.NullHandler())

_FIRST_REASONING, _MOST_REASONING = 8_192, 65_536  # tokens; most models need less than the first
_NEARLY = 0.95  # of the time an attempt may take: the backend's own clock was a little faster


@dataclass(frozen=True, slots=True)
class Waits:
    """How long is waited before a question is asked again, in seconds.

    At first `initial_s`, then twice as long each time, up to `longest_s`; in each case up to
    `jitter_s` more, so that those who failed together do not come back together. After a refusal
    that names no time about `busy_s`, then five times as long each time: the rate limiter has
    slowed down already, so that a second refusal means something else.
    """

    initial_s: float = 0.5
    longest_s: float = 30.0
    jitter_s: float = 1.0
    busy_s: float = 0.1


@dataclass(slots=True)
class _Question:
    """A question on its way: how often it was asked, and what came of it last."""

    request: ChatRequest
    order: int
    until: float
    attempts: int = 0
    last: ModelError | None = None


class Service:
    """One backend with manners: everybody who asks it shares its pace.

    A question is asked again, up to `use.attempts` times, if the service asks for patience or
    fails in a way that may pass, and not before the time that it names. `use.deadline` bounds all
    of it, and `request.timeout_s` one attempt.
    """

    def __init__(
        self,
        backend: LLMBackend[Any],
        use: LLMUse,
        *,
        waits: Waits | None = None,
        limiter: Pacing | None = None,
    ) -> None:
        self.backend = backend
        self._attempts = use.attempts
        self._deadline_s = use.deadline
        self._waits = waits or Waits()
        pace: Callable[[int], Pacing] = drivers.load_value(SERVICES, "pacing")
        self._limiter = limiter or pace(use.concurrency)
        self._orders = count()
        self._reasoning_tokens = backend.reasoning_tokens

    async def ask(self, request: ChatRequest) -> tuple[ChatReply, int]:
        """The answer, and how many attempts it took.

        Raises ModelError, among them ModelBusy and ModelUnavailable after the last attempt; its
        `attempts` says how many there were. Whatever else a backend raises becomes a ModelError
        that says where it came from.
        """
        until = asyncio.get_running_loop().time() + self._deadline_s
        question = _Question(request, next(self._orders), until)
        try:
            async with asyncio.timeout_at(until):
                return await self._settle(question), question.attempts
        except TimeoutError as err:
            raise self._too_late(question) from (question.last or err)
        except ModelError as err:
            raise self._count_error(err, question) from err.__cause__

    def with_reasoning(self, request: ChatRequest) -> ChatRequest:
        """The request with room for the model's reasoning, which services count as its answer."""
        if request.max_tokens is None or not self._reasoning_tokens:
            return request
        most = request.max_tokens + self._reasoning_tokens
        return request.model_copy(update={"max_tokens": most})

    def learn_reasoning(self, reply: ChatReply) -> None:
        """Leave more room from now on if the limit was spent on reasoning before the answer."""
        if reply.finish_reason == "length" and (reply.reasoning or not reply.text.strip()):
            wider = max(2 * self._reasoning_tokens, _FIRST_REASONING)
            self._reasoning_tokens = min(wider, _MOST_REASONING)

    async def _settle(self, question: _Question) -> ChatReply:
        try:
            return await self._attempt(question)
        except (ModelBusy, ModelUnavailable) as err:
            failed = [err]
        attempts = stamina.retry_context(  # costs something, so only if it is needed
            on=lambda err: self._waits_for(err, question),
            attempts=self._attempts,
            timeout=None,
            wait_initial=self._waits.initial_s,
            wait_max=self._waits.longest_s,
            wait_jitter=self._waits.jitter_s,
        )
        async for attempt in attempts:
            with attempt:
                if failed:
                    raise failed.pop()
                return await self._attempt(question)
        raise AssertionError("stamina raises the last error")

    async def _attempt(self, question: _Question) -> ChatReply:
        """Ask once in turn, which is given back before any waiting."""
        async with self._limiter.turn(question.order, question.until) as turn:
            question.attempts += 1
            return await self._asked_once(question.request, turn)

    def _waits_for(self, err: BaseException, question: _Question) -> bool | float:
        """Whether to ask again; a number if the service said when, in seconds."""
        if not isinstance(err, (ModelBusy, ModelUnavailable)):
            return False
        question.last = err
        if err.retry_after_s is not None:
            too_late = asyncio.get_running_loop().time() + err.retry_after_s >= question.until
            return not too_late and err.retry_after_s + self._waits.jitter_s * random.random()
        if isinstance(err, ModelUnavailable):
            return True
        wait_s = self._waits.busy_s * 5.0 ** min(question.attempts - 1, 20)
        return min(wait_s, self._waits.longest_s) * random.uniform(0.5, 1.5)

    async def _asked_once(self, request: ChatRequest, turn: Turn) -> ChatReply:
        clock = asyncio.get_running_loop().time
        began, cancelled = clock(), _cancellations()
        try:
            async with asyncio.timeout(request.timeout_s):
                reply = cast("object", await self.backend.complete(request))
        except TimeoutError as err:
            turn.overran = True
            message = f"no answer within {request.timeout_s:g} seconds (timeout)"
            raise ModelUnavailable(message) from err
        except (Exception, SystemExit) as err:
            if _cancellations() > cancelled:  # and the backend made an error of its own of it
                raise asyncio.CancelledError from err
            turn.overran = clock() - began >= request.timeout_s * _NEARLY
            failure = _as_model_error(err)
            raise failure from (None if failure is err else err)
        if not isinstance(reply, ChatReply):
            raise ModelError(f"the backend answered with {type(reply).__name__}, not a ChatReply")
        turn.quota = reply.quota
        return reply if reply.latency_s else reply.model_copy(update={"latency_s": clock() - began})

    def _too_late(self, question: _Question) -> ModelError:
        message = f"no answer within {self._deadline_s:g} seconds (deadline)"
        if question.attempts:
            message += f", after {_times(question.attempts)}"
        if question.last is not None:
            message += f"; the last error: {question.last}"
        failure = ModelError(message)
        failure.attempts = question.attempts
        return failure

    def _count_error(self, err: ModelError, question: _Question) -> ModelError:
        """The error as its asker gets it."""
        if isinstance(err, (ModelBusy, ModelUnavailable)):
            message = str(err)
            after = err.retry_after_s
            if question.attempts < self._attempts and after is not None:
                message += f"; asked to wait {after:g} seconds, beyond the deadline"
            if question.attempts > 1:
                message += f" (after {_times(question.attempts)})"
            kind = ModelBusy if isinstance(err, ModelBusy) else ModelUnavailable
            counted = kind(message, after)
            counted.__cause__ = err
            err = counted
        err.attempts = question.attempts
        return err


def _as_model_error(err: BaseException) -> ModelError:
    """Any error of a backend as one of ours; no time, NaN and for ever are not to be waited for."""
    if isinstance(err, (ModelBusy, ModelUnavailable)):
        after = err.retry_after_s
        if after is not None and not 0 < after < math.inf:
            err.retry_after_s = None
        return err
    if isinstance(err, ModelError):
        return err
    return ModelError(str(err) if isinstance(err, SparringError) else describe_error(err))


def _cancellations() -> int:
    task = asyncio.current_task()
    return task.cancelling() if task else 0


def _times(number: int) -> str:
    return "one attempt" if number == 1 else f"{number} attempts"

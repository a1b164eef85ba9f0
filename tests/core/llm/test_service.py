"""A question is asked again where that may help, within its deadline, and never in a storm."""

import asyncio
import math
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tests.simulated_time import SimulatedLoop, simulated

from sparring.errors import (
    AnswerInvalid,
    AppCrash,
    ConfigurationError,
    ModelBusy,
    ModelError,
    ModelUnavailable,
)
from sparring.interfaces.plugin import LLMBackend, PluginConfig
from sparring.llm.service import Service, Waits
from sparring.model.chat import ChatMessage, ChatReply, ChatRequest
from sparring.suite.model import LLMUse
from sparring.testing.fakes import FakeContext
from sparring_plugins.llm.rate_limiter import RateLimiter

pytestmark = pytest.mark.anyio

OK = ChatReply(text="ok")
SOON = Waits(initial_s=0.001, longest_s=0.002, jitter_s=0.001, busy_s=0.001)
Outcome = ChatReply | BaseException | Callable[[], Awaitable[Any]] | Any


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    """Waiting takes no time, and times are exact."""
    return "asyncio", {"loop_factory": SimulatedLoop}


class Backend(LLMBackend[PluginConfig]):
    """Comes to one outcome after the other, the last one again and again."""

    def __init__(self, *outcomes: Outcome) -> None:
        super().__init__(PluginConfig(), FakeContext())
        self.outcomes, self.times = list(outcomes), list[float]()

    async def complete(self, request: ChatRequest) -> ChatReply:
        outcome = self.outcomes[min(len(self.times), len(self.outcomes) - 1)]
        self.times.append(asyncio.get_running_loop().time())
        if isinstance(outcome, BaseException):
            raise outcome
        return await outcome() if callable(outcome) else outcome


def asked(timeout_s: float = 60) -> ChatRequest:
    message = ChatMessage(role="user", content="?")
    return ChatRequest(messages=(message,), timeout_s=timeout_s)


def service(backend: Backend, *, waits: Waits = SOON, **use: Any) -> Service:
    return Service(backend, LLMUse(use="fake", **use), waits=waits)


async def hang() -> ChatReply:
    await asyncio.sleep(3600)
    return OK


async def test_an_answer_comes_with_the_number_of_attempts() -> None:
    reply, attempts = await service(Backend(OK)).ask(asked())
    assert (reply.text, attempts) == ("ok", 1)


async def test_busy_and_unavailable_services_are_asked_again() -> None:
    backend = Backend(ModelBusy("429"), ModelUnavailable("503"), ModelBusy("429", 0.001), OK)
    reply, attempts = await service(backend).ask(asked())
    assert (reply.text, attempts) == ("ok", 4)


@pytest.mark.parametrize("kind", [ModelBusy, ModelUnavailable])
@pytest.mark.parametrize("attempts", [1, 2, 5])
async def test_after_the_last_attempt_the_last_error_is_raised(
    kind: type[ModelBusy] | type[ModelUnavailable], attempts: int
) -> None:
    backend = Backend(kind("first"), kind("later"))
    with pytest.raises(kind) as caught:
        await service(backend, attempts=attempts).ask(asked())
    said = "first" if attempts == 1 else f"later (after {attempts} attempts)"
    assert str(caught.value) == said
    assert caught.value.attempts == attempts == len(backend.times)


@pytest.mark.parametrize("failure", [ModelError("no such model"), AnswerInvalid("nonsense")])
async def test_what_will_not_pass_is_not_asked_again(failure: ModelError) -> None:
    backend = Backend(ModelBusy("429"), failure)
    with pytest.raises(type(failure)) as caught:
        await service(backend).ask(asked())
    assert caught.value is failure
    assert caught.value.attempts == 2


async def broken() -> ChatReply:
    return {}["answer"]  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("outcome", "message"),
    [
        (broken, r"KeyError: 'answer' \(test_service.py:\d+, in broken\)"),
        (SystemExit(3), r"SystemExit: 3 \(test_service.py:\d+, in complete\)"),
        (ConfigurationError("no key"), "no key"),
        (AppCrash("it is not the app that crashed"), "it is not the app that crashed"),
        (None, "the backend answered with NoneType, not a ChatReply"),
        ("text", "the backend answered with str, not a ChatReply"),
    ],
)
async def test_whatever_else_a_backend_does_is_a_model_error_that_says_where(
    outcome: Outcome, message: str
) -> None:
    backend = Backend(outcome)
    with pytest.raises(ModelError, match=f"^{message}$") as caught:
        await service(backend).ask(asked())
    assert type(caught.value) is ModelError
    assert len(backend.times) == 1


async def test_one_attempt_takes_no_longer_than_its_time() -> None:
    backend = Backend(hang, hang, OK)
    reply, attempts = await service(backend).ask(asked(timeout_s=0.05))
    assert (reply.text, attempts) == ("ok", 3)
    with pytest.raises(ModelUnavailable, match=r"^no answer within 0\.01 seconds \(timeout\)$"):
        await service(Backend(hang), attempts=1).ask(asked(timeout_s=0.01))


async def test_a_timeout_of_the_backends_own_is_asked_again() -> None:
    assert (await service(Backend(TimeoutError(), OK)).ask(asked()))[1] == 2


@simulated
async def test_the_deadline_bounds_everything_and_tells_the_story() -> None:
    clock = asyncio.get_running_loop().time
    began = clock()
    with pytest.raises(ModelError) as caught:
        await service(Backend(ModelBusy("HTTP 429"), hang), deadline=0.2).ask(asked())
    assert clock() - began == pytest.approx(0.2)
    assert str(caught.value) == (
        "no answer within 0.2 seconds (deadline), after 2 attempts; the last error: HTTP 429"
    )
    assert type(caught.value) is ModelError
    assert caught.value.attempts == 2


async def test_the_deadline_also_bounds_the_wait_for_a_turn() -> None:
    pace = RateLimiter(1)
    waits_long = Service(Backend(OK), LLMUse(use="fake", deadline=0.05), limiter=pace)
    async with pace.turn(-1, math.inf):
        with pytest.raises(ModelError) as caught:
            await waits_long.ask(asked())
    assert str(caught.value) == "no answer within 0.05 seconds (deadline)"
    assert caught.value.attempts == 0
    assert (await waits_long.ask(asked()))[1] == 1


async def test_a_service_is_left_alone_for_as_long_as_it_wants() -> None:
    backend = Backend(ModelUnavailable("503", 0.1), ModelBusy("429", 0.1), OK)
    await service(backend).ask(asked())
    gaps = [late - early for early, late in zip(backend.times, backend.times[1:], strict=False)]
    assert min(gaps) > 0.099


async def test_who_is_to_wait_beyond_the_deadline_hears_so_at_once() -> None:
    backend = Backend(ModelBusy("HTTP 429", 3600))
    polite = service(backend, deadline=30)
    with pytest.raises(ModelBusy) as caught:
        await polite.ask(asked())
    said = "HTTP 429; asked to wait 3600 seconds, beyond the deadline"
    assert str(caught.value) == said
    assert caught.value.retry_after_s == 3600
    others = await asyncio.gather(*(polite.ask(asked()) for _ in range(50)), return_exceptions=True)
    assert len(backend.times) == 1
    assert {str(other) for other in others} == {
        "the service wants to be left alone for another 3600 seconds, beyond the deadline"
    }


@pytest.mark.parametrize("after", [math.nan, math.inf, -1.0, 0.0, None])
async def test_a_time_that_makes_no_sense_is_none(after: float | None) -> None:
    backend = Backend(ModelBusy("429", after), ModelUnavailable("503", after), OK)
    assert (await service(backend).ask(asked()))[1] == 3


async def test_a_turn_is_held_only_while_an_attempt_is_under_way() -> None:
    backend = Backend(ModelUnavailable("503"), OK)
    pace = RateLimiter(1)
    slow = Waits(initial_s=3600, jitter_s=0.0)
    shared = Service(backend, LLMUse(use="fake"), waits=slow, limiter=pace)
    first = asyncio.create_task(shared.ask(asked()))
    while not backend.times or pace.under_way:
        await asyncio.sleep(0.001)
    assert (await shared.ask(asked()))[1] == 1
    first.cancel()  # it waits for its second attempt
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_who_failed_together_does_not_come_back_together() -> None:
    backend = Backend(*[ModelUnavailable("503")] * 20, OK)
    waits = Waits(initial_s=0.05, jitter_s=0.1)
    pace = RateLimiter(20, start=20, apart_s=0.0)
    together = Service(backend, LLMUse(use="fake"), waits=waits, limiter=pace)
    await asyncio.gather(*(together.ask(asked()) for _ in range(20)))
    again = sorted(backend.times)[20:]
    assert again[-1] - again[0] > 0.03


@simulated
async def test_the_latency_is_that_of_the_last_attempt_where_the_backend_says_none() -> None:
    async def slow() -> ChatReply:
        await asyncio.sleep(0.05)
        return OK

    async def late() -> ChatReply:
        await asyncio.sleep(0.2)
        raise ModelUnavailable("503")

    clock = asyncio.get_running_loop().time
    began = clock()
    reply, _ = await service(Backend(late, slow)).ask(asked())
    assert reply.latency_s == pytest.approx(0.05)
    assert clock() - began >= 0.25, "the attempt before took its time, and is not in it"
    own = OK.model_copy(update={"latency_s": 7.0})
    assert (await service(Backend(own)).ask(asked()))[0].latency_s == 7.0


async def test_a_cancelled_question_is_gone_at_once_and_its_turn_free() -> None:
    pace = RateLimiter(1)
    shared = Service(Backend(hang, OK), LLMUse(use="fake"), limiter=pace)
    task = asyncio.create_task(shared.ask(asked()))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert pace.under_way == 0
    assert (await shared.ask(asked()))[1] == 1


async def test_a_question_cancelled_between_attempts_is_gone_at_once() -> None:
    backend = Backend(ModelUnavailable("503"))
    task = asyncio.create_task(service(backend, waits=Waits(initial_s=60)).ask(asked()))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(backend.times) == 1


async def test_a_backend_cannot_turn_a_cancellation_into_an_error() -> None:
    async def swallows() -> ChatReply:
        try:
            return await hang()
        except asyncio.CancelledError as err:
            raise ModelUnavailable("connection lost") from err

    backend = Backend(swallows)
    task = asyncio.create_task(service(backend).ask(asked()))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(backend.times) == 1
    with pytest.raises(ModelError, match=r"^no answer within 0\.05 seconds \(deadline\)"):
        await service(Backend(swallows), deadline=0.05).ask(asked())
    with pytest.raises(ModelUnavailable):
        await service(Backend(swallows), attempts=1).ask(asked(timeout_s=0.01))


async def test_a_keyboard_interrupt_passes_at_once() -> None:
    backend = Backend(KeyboardInterrupt())
    coroutine = service(backend).ask(asked())
    with pytest.raises(KeyboardInterrupt):
        await coroutine
    assert len(backend.times) == 1


async def test_many_calls_that_take_too_long_become_fewer() -> None:
    pace = RateLimiter(16, start=16, apart_s=0.0)
    overloaded = Service(Backend(hang), LLMUse(use="fake", attempts=1), limiter=pace)
    questions = (overloaded.ask(asked(timeout_s=0.05)) for _ in range(16))
    failures = await asyncio.gather(*questions, return_exceptions=True)
    assert all(isinstance(failure, ModelUnavailable) for failure in failures)
    assert 8 <= pace.allowed < 16


def test_nothing_is_printed_when_a_question_is_asked_again() -> None:
    code = """
import asyncio
from tests.core.llm.test_service import Backend, OK, asked, service
from sparring.errors import ModelBusy
asyncio.run(service(Backend(ModelBusy("429"), OK)).ask(asked()))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == done.stderr == ""


async def test_a_limit_that_was_spent_on_reasoning_leaves_room_for_it_from_then_on() -> None:
    one = service(Backend(OK))
    limited = asked().model_copy(update={"max_tokens": 500})
    one.learn_reasoning(OK.model_copy(update={"finish_reason": "length"}))  # a long answer
    assert one.with_reasoning(limited).max_tokens == 500
    cut = ChatReply(text="", reasoning="hm", finish_reason="length", output_tokens=500)
    one.learn_reasoning(cut)
    room = one.with_reasoning(limited).max_tokens
    assert room is not None
    assert room >= 8_000
    one.learn_reasoning(cut)
    assert (one.with_reasoning(limited).max_tokens or 0) > room
    assert one.with_reasoning(asked()).max_tokens is None

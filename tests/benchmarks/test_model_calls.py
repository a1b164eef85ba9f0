"""A thousand model calls: how near to what the service allows, and at the price of how many 429s.

The ideal is what the server's own delay makes of it. The bounds are ratios to that; where the
machine is busy, to what the same client needs at the same time when it knows the limit beforehand
and just keeps to it. The server has a process of its own.
"""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from sparring.errors import ModelBusy
from sparring.interfaces.plugin import LLMBackend, PluginConfig
from sparring.llm.service import Service
from sparring.model.chat import ChatMessage, ChatReply, ChatRequest
from sparring.suite.model import LLMUse
from sparring.testing.fakes import FakeContext
from sparring_plugins.llm.openai import OpenAIBackend, OpenAIConfig

CALLS, CONCURRENCY = 1_000, 64
MOST_REFUSED = 0.03
BUSY_MACHINE = 1.15
TRIES = 3

SERVER = Path(__file__).parents[1] / "servers" / "openai_server.py"
QUESTION = ChatRequest(messages=(ChatMessage(role="user", content="What do you have?"),))

Ask = Callable[[ChatRequest], Awaitable[Any]]


@dataclass(frozen=True)
class Server:
    """A server that answers after a delay, at most so many questions at once."""

    base_url: str

    def manners(self, **manners: Any) -> None:
        body = json.dumps(manners).encode()
        url = self.base_url.removesuffix("/v1") + "/manners"
        with urlopen(Request(url, body, method="POST"), timeout=60) as answer:
            answer.read()

    def refused(self) -> int:
        with urlopen(self.base_url.removesuffix("/v1") + "/seen", timeout=60) as answer:
            return int(json.load(answer)["statuses"].get("429", 0))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("OPENAI_API_KEY", "nobody's")
    command = [sys.executable, SERVER, "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    yield Server(process.stdout.readline().strip())
    process.kill()
    process.communicate()


async def took(ask: Ask, calls: int = CALLS) -> float:
    began = time.perf_counter()
    await asyncio.gather(*(ask(QUESTION) for _ in range(calls)))
    return time.perf_counter() - began


async def through_service(server: Server) -> float:
    backend = OpenAIBackend(OpenAIConfig(model="m", base_url=server.base_url), FakeContext())
    try:
        return await took(Service(backend, LLMUse(use="openai", concurrency=CONCURRENCY)).ask)
    finally:
        await backend.close()


async def knowing(server: Server, number: int) -> float:
    """What the same client needs with nothing between it and the caller but the right limit."""
    backend = OpenAIBackend(OpenAIConfig(model="m", base_url=server.base_url), FakeContext())
    places = asyncio.Semaphore(number)

    async def ask(request: ChatRequest) -> ChatReply:
        async with places:
            return await backend.complete(request)

    try:
        return await took(ask)
    finally:
        await backend.close()


def compare(
    server: Server, number: int, delay_s: float, bound: float, busy: float = BUSY_MACHINE
) -> None:
    """Hold the best of a few tries to the bounds."""
    ideal = CALLS / number * delay_s
    said: list[str] = []
    for _ in range(TRIES):
        server.manners(delay_s=delay_s, at_once=None)
        reference = asyncio.run(knowing(server, number))
        server.manners(at_once=number if number < CONCURRENCY else None)
        seconds = asyncio.run(through_service(server))
        refused = server.refused()
        said.append(
            f"{seconds:.2f} s, {seconds / ideal:.2f} of the ideal, {refused / CALLS:.1%} refused; "
            f"knowing the limit {reference:.2f} s"
        )
        allowed = max(bound * ideal, busy * reference)
        if seconds <= allowed and refused <= MOST_REFUSED * CALLS:
            break
    else:
        pytest.fail("; ".join(said))
    print(f"{number} at once, {delay_s * 1000:g} ms: {said[-1]}")


def test_a_service_without_limits_is_used_in_full(server: Server) -> None:
    # Calls are let in a little at a time, so that few are refused while the limit is found out:
    # 1.2 to 1.4 times what a client needs that knows that there is none.
    compare(server, CONCURRENCY, delay_s=0.05, bound=1.2, busy=1.7)
    assert server.refused() == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "delay_s"),
    [
        (8, 0.05),
        (20, 0.05),
        *(
            pytest.param(number, delay_s, marks=pytest.mark.thorough)
            for number, delay_s in ((1, 0.01), (3, 0.02), (40, 0.05))
        ),
    ],
)
def test_what_a_service_allows_is_found_out_without_a_storm(
    server: Server, number: int, delay_s: float
) -> None:
    compare(server, number, delay_s, bound=1.3)


class Limited(LLMBackend[PluginConfig]):
    """Answers after 50 ms what `allows` lets in, given those in hand and those answered."""

    def __init__(self, allows: Callable[[int, int], bool], retry_after_s: float | None) -> None:
        super().__init__(PluginConfig(), FakeContext())
        self.allows, self.retry_after_s = allows, retry_after_s
        self.in_hand = self.answered = self.refused = 0

    async def complete(self, request: ChatRequest) -> ChatReply:
        if not self.allows(self.in_hand, self.answered):
            self.refused += 1
            await asyncio.sleep(0.002)
            raise ModelBusy("HTTP 429", self.retry_after_s)
        self.in_hand += 1
        try:
            await asyncio.sleep(0.05)
        finally:
            self.in_hand -= 1
        self.answered += 1
        return ChatReply(text="ok")


class Bucket:
    """A hundred tokens, filled up by a hundred a second."""

    def __init__(self) -> None:
        self.tokens, self.seen = 100.0, time.monotonic()

    def __call__(self, _in_hand: int, _answered: int) -> bool:
        now = time.monotonic()
        self.tokens = min(100.0, self.tokens + (now - self.seen) * 100)
        self.seen = now
        taken = self.tokens >= 1
        self.tokens -= taken
        return taken


class Windows:
    """A hundred calls in each second."""

    def __init__(self) -> None:
        self.began, self.window, self.count = time.monotonic(), 0, 0

    def __call__(self, _in_hand: int, _answered: int) -> bool:
        window = int(time.monotonic() - self.began)
        if window != self.window:
            self.window, self.count = window, 0
        self.count += 1
        return self.count <= 100


def hold(
    allows: Callable[[], Callable[[int, int], bool]], ideal: float, retry_after_s: float | None
) -> None:
    said: list[str] = []
    for _ in range(TRIES):
        backend = Limited(allows(), retry_after_s)
        seconds = asyncio.run(took(Service(backend, LLMUse(use="limited")).ask))
        said.append(f"{seconds / ideal:.2f} of the ideal, {backend.refused / CALLS:.1%} refused")
        if seconds <= 1.3 * ideal and backend.refused <= MOST_REFUSED * CALLS:
            break
    else:
        pytest.fail("; ".join(said))
    print(said[-1])


@pytest.mark.slow
@pytest.mark.parametrize("limit", [Bucket, pytest.param(Windows, marks=pytest.mark.thorough)])
def test_a_limit_on_the_rate_is_kept(limit: type[Bucket] | type[Windows]) -> None:
    hold(limit, ideal=CALLS / 100, retry_after_s=1.0)


@pytest.mark.slow
@pytest.mark.parametrize(("before", "after"), [(20, 8), (8, 20)])
def test_a_service_that_changes_its_limit_midway_is_followed(before: int, after: int) -> None:
    def allows(in_hand: int, answered: int) -> bool:
        return in_hand < (before if answered < CALLS / 2 else after)

    hold(lambda: allows, CALLS / 2 * 0.05 * (1 / before + 1 / after), retry_after_s=None)

"""Services that limit their calls per minute, asked on a clock that jumps instead of waiting."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from math import floor
from typing import Any, Protocol

from tests.simulated_time import simulate

from sparring.errors import ModelBusy, ModelError
from sparring.interfaces.plugin import LLMBackend, PluginConfig
from sparring.llm.service import Service
from sparring.model.chat import ChatMessage, ChatReply, ChatRequest, Quota
from sparring.suite.model import LLMUse
from sparring.testing.fakes import FakeContext

ANSWERED_S, REFUSED_S = 0.8, 0.05
"""How long an answer takes, and how long a refusal."""

QUESTION = ChatRequest(messages=(ChatMessage(role="user", content="What do you have?"),))


class Limit(Protocol):
    """A limit of calls per minute."""

    def take(self, now: float) -> bool:
        """Whether a call is let in."""
        ...

    def wait_s(self, now: float) -> float:
        """In how many seconds one more call will be let in."""
        ...

    def left(self, now: float) -> int:
        """How many calls would be let in now."""
        ...

    def renewed_in_s(self, now: float) -> float:
        """In how many seconds all calls will be let in again."""
        ...


class Bucket:
    """A bucket of tokens that is filled up evenly; holds those of `burst_s` seconds."""

    def __init__(self, per_minute: int, burst_s: float = 60.0) -> None:
        self.rate = per_minute / 60
        self.capacity = max(1.0, self.rate * burst_s)
        self.tokens, self.seen = self.capacity, 0.0

    def _fill(self, now: float) -> None:
        self.tokens = min(self.capacity, self.tokens + (now - self.seen) * self.rate)
        self.seen = now

    def take(self, now: float) -> bool:
        self._fill(now)
        is_free = self.tokens >= 1 - 1e-9
        self.tokens -= is_free
        return is_free

    def wait_s(self, now: float) -> float:
        self._fill(now)
        return max(0.0, (1 - self.tokens) / self.rate)

    def left(self, now: float) -> int:
        self._fill(now)
        return floor(self.tokens + 1e-9)

    def renewed_in_s(self, now: float) -> float:
        self._fill(now)
        return (self.capacity - self.tokens) / self.rate


class Windows:
    """So many calls in each minute of the clock; the first has begun before."""

    def __init__(self, per_minute: int) -> None:
        self.most, self.number, self.count = per_minute, -1, 0

    def _turn(self, now: float) -> None:
        number = floor((now + 23) / 60)
        if number != self.number:
            self.number, self.count = number, 0

    def take(self, now: float) -> bool:
        self._turn(now)
        is_free = self.count < self.most
        self.count += is_free
        return is_free

    def wait_s(self, now: float) -> float:
        self._turn(now)
        return 0.0 if self.count < self.most else (self.number + 1) * 60 - 23 - now

    def left(self, now: float) -> int:
        self._turn(now)
        return self.most - self.count

    def renewed_in_s(self, now: float) -> float:
        self._turn(now)
        return (self.number + 1) * 60 - 23 - now


class Sliding:
    """So many calls in any sixty seconds."""

    def __init__(self, per_minute: int) -> None:
        self.most, self.taken = per_minute, deque[float]()

    def _forget(self, now: float) -> None:
        while self.taken and self.taken[0] <= now - 60:
            self.taken.popleft()

    def take(self, now: float) -> bool:
        self._forget(now)
        is_free = len(self.taken) < self.most
        if is_free:
            self.taken.append(now)
        return is_free

    def wait_s(self, now: float) -> float:
        self._forget(now)
        return 0.0 if len(self.taken) < self.most else self.taken[0] + 60 - now

    def left(self, now: float) -> int:
        self._forget(now)
        return self.most - len(self.taken)

    def renewed_in_s(self, now: float) -> float:
        """Of a limit that slides, services name the time at which one more call is let in."""
        self._forget(now)
        return self.taken[0] + 60 - now if self.taken else 0.0


LIMITS: dict[str, Callable[[int], Limit]] = {
    "bucket": Bucket,
    "seconds": lambda per_minute: Bucket(per_minute, burst_s=1.0),
    "windows": Windows,
    "sliding": Sliding,
}


class SimulatedService(LLMBackend[PluginConfig]):
    """Answers what its limit lets in; refuses the rest, naming the time if `retry_after`.

    If `quota`, each answer announces how many calls are left.
    """

    def __init__(self, limit: Limit, *, retry_after: bool, quota: bool = False) -> None:
        super().__init__(PluginConfig(), FakeContext())
        self.limit, self.retry_after, self.quota = limit, retry_after, quota
        self.answered = self.refused = 0

    async def complete(self, request: ChatRequest) -> ChatReply:
        loop = asyncio.get_running_loop()
        if not self.limit.take(loop.time()):
            self.refused += 1
            wait_s = self.limit.wait_s(loop.time()) if self.retry_after else None
            await asyncio.sleep(REFUSED_S)
            raise ModelBusy("HTTP 429", wait_s)
        now = loop.time()
        announced = Quota(
            calls_left=self.limit.left(now), renewed_in_s=self.limit.renewed_in_s(now)
        )
        await asyncio.sleep(ANSWERED_S)
        self.answered += 1
        return ChatReply(text="ok", quota=announced if self.quota else None)


@dataclass(frozen=True)
class Outcome:
    """What became of the calls of a run."""

    calls: int
    refused: int
    failed: int
    seconds: float

    @property
    def share(self) -> float:
        """Refused attempts per call."""
        return self.refused / self.calls


def outcome(service: SimulatedService, calls: int, **settings: Any) -> Outcome:
    """Ask a service so many questions, all of which wait for their turn from the beginning."""
    use = LLMUse(use="simulated", deadline=1e6, **settings)

    async def ask_all() -> int:
        asked = Service(service, use)
        answers = await asyncio.gather(
            *(asked.ask(QUESTION) for _ in range(calls)), return_exceptions=True
        )
        return sum(isinstance(answer, ModelError) for answer in answers)

    failed, seconds = simulate(ask_all())
    return Outcome(calls, service.refused, failed, seconds)

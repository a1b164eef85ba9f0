"""Which cases may be played at the same time: limits by app or host, and sequences."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, cast
from urllib.parse import urlsplit

from sparring.model.case import Case
from sparring.model.space import APP


class AppLimits:
    """Bounds how many cases are played at once with an app, by its name or the host of its address.

    `limits` is ``execution.limits`` of the suite, `settings` what the suite says of the app.
    """

    def __init__(self, limits: Mapping[str, int], settings: Mapping[str, Any]) -> None:
        self._semaphores = {name: asyncio.Semaphore(most) for name, most in limits.items()}
        self._waiting: Counter[str] = Counter()
        self._hosts = [host for host in hosts_in(settings) if host in self._semaphores]

    @asynccontextmanager
    async def turn(self, case: Case) -> AsyncGenerator[None]:
        """Wait until one more case may be played with the app of `case`."""
        app = case.params.get(APP)
        names = {*self._hosts, *([str(app)] if str(app) in self._semaphores else [])}
        async with AsyncExitStack() as stack:
            for name in sorted(names):  # always in one order: two cases never wait for each other
                self._waiting[name] += 1
                try:
                    await stack.enter_async_context(self._semaphores[name])
                finally:
                    self._waiting[name] -= 1
            yield

    def count_waiting(self) -> dict[str, int]:
        """Return how many cases wait, by the app or host that they wait for."""
        return dict(self._waiting)


def hosts_in(value: Any) -> set[str]:
    """Return the hosts of all addresses in an app's settings."""
    if isinstance(value, str):
        return {urlsplit(value).hostname or ""} if "://" in value else set()
    items: list[Any] = []
    if isinstance(value, Mapping):
        items = list(cast("Mapping[Any, Any]", value).values())
    elif isinstance(value, list | tuple):
        items = list(cast("list[Any]", value))
    return {host for item in items for host in hosts_in(item)}


class Sequences:
    """Has cases that go on from each other played one after the other, in the order asked."""

    def __init__(self) -> None:
        self._locks: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    @asynccontextmanager
    async def turn(self, name: str) -> AsyncGenerator[None]:
        """Wait until the cases before in a sequence are over."""
        async with self._locks[name]:  # first come, first served
            yield

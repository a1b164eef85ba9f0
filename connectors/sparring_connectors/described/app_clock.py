"""The time that an app takes for one turn, without the time that Sparring takes itself."""

import asyncio
from types import TracebackType
from typing import Self

TOLERANCE_S = 0.05
"""How late the event loop may come to a time limit before that counts as the loop's doing.

A rule that computes for two seconds beside a conversation keeps the loop from reading: an answer
that lies in the socket since the first of them must not count as none.
"""


class AppClock:
    """Counts the seconds of one turn that the app takes, up to `limit_s`.

    It runs from `start`, when a request is on the wire, to `stop`, and stands still while Sparring
    looks a host up, connects, or waits before it sends a request again. `mark` notes that the app
    said something. As a context manager it raises TimeoutError in the body once the app had
    `limit_s` seconds; `expired` distinguishes it from other time-outs. It runs only within its
    context. If the event loop was busy with something else when the limit was reached, the app gets
    that much longer, all in all at most twice its time.
    """

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._counted_s = 0.0
        self._since: float | None = None
        self._marked_s: float | None = None
        self._given_s = 0.0
        self._is_open = False
        self._timer = asyncio.timeout(None)
        self._handle: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> Self:
        await self._timer.__aenter__()
        self._is_open = True
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        err: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        self._is_open = False
        await self._timer.__aexit__(kind, err, trace)

    @property
    def expired(self) -> bool:
        """Whether the app used up its time."""
        return self._timer.expired()

    @property
    def elapsed_s(self) -> float:
        """How long the clock has run, in seconds."""
        running = 0.0 if self._since is None else _now() - self._since
        return self._counted_s + running

    @property
    def latency_s(self) -> float:
        """How long the app took for what it said last; for all if it said nothing."""
        return self.elapsed_s if self._marked_s is None else self._marked_s

    def start(self) -> None:
        """Let the clock run: a request is on the wire."""
        if self._is_open and self._since is None:
            self._since = _now()
            self._arm(self._since + self._limit_s + self._given_s - self._counted_s)

    def stop(self) -> None:
        """Let the clock stand still: what follows takes Sparring's own time."""
        if self._since is not None:
            self._counted_s = self.elapsed_s
            self._since = None
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def mark(self) -> None:
        """Note that the app has said something."""
        self._marked_s = self.elapsed_s

    async def follow(self, event: str, _: object) -> None:
        """Follow a request through httpx2's ``trace`` events, such as ``connect_tcp.started``."""
        if event.endswith(("connect_tcp.started", "start_tls.started")):
            self.stop()
        elif event.endswith("send_request_headers.started"):
            self.start()

    def _arm(self, when: float) -> None:
        self._handle = asyncio.get_running_loop().call_at(when, self._expire, when)

    def _expire(self, when: float) -> None:
        late_s = min(_now() - when, self._limit_s - self._given_s)
        if late_s > TOLERANCE_S:
            self._given_s += late_s
            self._arm(_now() + late_s)
        else:
            self._timer.reschedule(_now())


def _now() -> float:
    return asyncio.get_running_loop().time()

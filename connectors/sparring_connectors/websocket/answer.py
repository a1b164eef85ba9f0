"""One answer of the app's as it comes in, and when it is over."""

import asyncio

from sparring.errors import AppProtocolError, AppTimeout
from sparring.model.talk import Observation
from sparring_connectors.websocket.messages import Incoming, Kind
from sparring_connectors.websocket.plan import Plan


class Answer:
    """Collects the messages of one answer.

    `silence_s` is how long to wait for the first one before the app counts as silent; without
    it, an app that says nothing has timed out. Times are those of the running event loop.
    """

    def __init__(self, plan: Plan, silence_s: float | None) -> None:
        self.heard: list[Observation] = []
        self.is_over = False
        self._plan = plan
        self._silence_s = silence_s
        self._seen = 0
        self._bytes = 0
        now = _now()
        self._dead_at = now + plan.config.timeout.idle_s
        self._silent_at = now + silence_s if silence_s is not None else None
        self._quiet_at: float | None = None

    def patience_s(self) -> float:
        """How long to wait for the next message, in seconds."""
        return max(0.0, self._next_deadline() - _now())

    def wait_is_over(self) -> None:
        """End the answer where waiting may end it; raises AppTimeout where it may not."""
        deadline = self._next_deadline()
        if deadline < self._dead_at or deadline in (self._quiet_at, self._silent_at):
            self.is_over = True
            return
        limit = self._plan.config.timeout.idle_s
        raise AppTimeout(f"{self._plan.label}: no answer: nothing came for {limit:g} s")

    def note(self, item: Incoming) -> bool:
        """Take a message; returns whether it belongs to the answer.

        Raises AppProtocolError if there are too many messages, or too large ones.
        """
        self._seen += 1
        self._check_count()
        now = _now()
        heard = len(self.heard)
        self._dead_at = now + self._plan.config.timeout.idle_s
        if item.kind is Kind.ANSWER and item.reading is not None:
            self._hear(item, item.reading.observation, now)
        elif item.kind is Kind.TYPING:
            self._restart(now)
        self.is_over = self.is_over or item.over
        return self.is_over or len(self.heard) > heard

    def _hear(self, item: Incoming, said: Observation, now: float) -> None:
        if item.over and said == Observation():
            return  # a mark, not an answer
        self._bytes += len(item.message.body)
        limit = self._plan.config.max_bytes
        if self._bytes > limit:
            raise AppProtocolError(
                f"{self._plan.label}: the answer is larger than {limit:,} bytes (max_bytes)"
            )
        self.heard.append(said)
        over = self._plan.config.over
        self._silent_at = None
        self._quiet_at = now + over.settles_s if over.settles_s is not None else None
        self.is_over = said.ended or (over.count is not None and len(self.heard) >= over.count)

    def _restart(self, now: float) -> None:
        """More is coming."""
        settles_s = self._plan.config.over.settles_s
        if self._quiet_at is not None and settles_s is not None:
            self._quiet_at = now + settles_s
        if self._silent_at is not None and self._silence_s is not None:
            self._silent_at = now + self._silence_s

    def _next_deadline(self) -> float:
        deadlines = (self._dead_at, self._silent_at, self._quiet_at)
        return min(deadline for deadline in deadlines if deadline is not None)

    def _check_count(self) -> None:
        limit = self._plan.config.max_messages
        if self._seen > limit:
            raise AppProtocolError(
                f"{self._plan.label}: more than {limit:,} messages came and the answer was not "
                "over (max_messages; see over)"
            )


def _now() -> float:
    return asyncio.get_running_loop().time()

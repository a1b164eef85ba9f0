"""One pace for all workers of a run, once an app has refused a request (HTTP 429).

Until then each worker sends what it wants, which costs nothing. From the first refusal on, every
request to that app waits for its turn with the run itself, whose one rate limiter learns what
the app allows. Limiters that learned apart, each from its own refusals, were simulated first: four
of them were refused 28 to 78 times in 300 requests to an app that takes 30 a minute, and took up
to fifteen times as long; one is refused 4 to 12 times (see `llm.rate_limiter`).
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from sparring.discovery import drivers
from sparring.discovery.groups import SERVICES
from sparring.errors import ModelBusy, ModelError
from sparring.llm.ledger import Pacing, Turn
from sparring.model.chat import Quota

_MOST = 1_000
"""Requests to one app at once, over all workers."""


class AskTurn(BaseModel):
    """A worker wants to send a request to an app that has refused one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["ask"] = "ask"
    app: str
    call: str
    worker: str
    patience_s: float


class EndTurn(BaseModel):
    """What became of a worker's request; a refusal may come without a turn, the first one does."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["end"] = "end"
    app: str
    call: str = ""
    outcome: Literal["answered", "refused", "failed"]
    retry_after_s: float | None = None
    quota: Quota | None = None


@dataclass
class Line:
    """How a session in a worker reaches its run.

    `ask` sends a message and returns the answer, why there is no turn or nothing; `tell` only
    sends. `refusing` are the apps for which turns are asked.
    """

    ask: Callable[[AskTurn], Awaitable[str]]
    tell: Callable[[EndTurn], None]
    worker: str
    refusing: set[str] = field(default_factory=set[str])
    numbers: "count[int]" = field(default_factory=count)


LINE: ContextVar[Line | None] = ContextVar("line", default=None)
"""That of the session whose case is being played, if a worker plays it."""


class WorkerPacing:
    """The pace of one app in one process: its own, or that of the run.

    `own` paces as long as the app refuses nothing, and wherever no worker plays.
    """

    def __init__(self, app: str, own: Pacing) -> None:
        self._app = app
        self._own = own

    def turn(self, order: int, until: float, patience_s: float) -> Turn:
        """See `Pacing.turn`."""
        line, own = LINE.get(), self._own.turn(order, until, patience_s)
        return own if line is None else _WorkerTurn(self._app, own, line, patience_s)


class _WorkerTurn:
    """A request of a worker: in this process' own turn, or in one that the run gives."""

    def __init__(self, app: str, own: Turn, line: Line, patience_s: float) -> None:
        self.overran = False
        self.quota: Quota | None = None
        self._app, self._own, self._line, self._patience_s = app, own, line, patience_s
        self._call = ""
        self._refusal: tuple[float | None] | None = None

    def refuse(self, retry_after_s: float | None) -> None:
        """See `Turn.refuse`."""
        self._refusal = (retry_after_s,)

    async def __aenter__(self) -> "_WorkerTurn":
        if self._app not in self._line.refusing:
            await self._own.__aenter__()
            if self._app not in self._line.refusing:
                return self
            await self._own.__aexit__(None, None, None)
        self._call = f"{self._line.worker} {next(self._line.numbers)}"
        question = AskTurn(
            app=self._app,
            call=self._call,
            worker=self._line.worker,
            patience_s=self._patience_s,
        )
        try:
            problem = await self._line.ask(question)
        except asyncio.CancelledError:  # perhaps the turn was given just now
            self._line.tell(EndTurn(app=self._app, call=self._call, outcome="failed"))
            raise
        if problem:
            raise ModelError(problem)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, err: BaseException | None, trace: Any, /
    ) -> None:
        if self._refusal is not None:
            self._line.refusing.add(self._app)
        if self._call or self._refusal is not None:
            self._line.tell(
                EndTurn(
                    app=self._app,
                    call=self._call,
                    outcome="refused" if self._refusal else "failed" if err else "answered",
                    retry_after_s=self._refusal[0] if self._refusal else None,
                    quota=self.quota,
                )
            )
        if not self._call:
            self._own.quota, self._own.overran = self.quota, self.overran
            if self._refusal is not None:
                self._own.refuse(*self._refusal)
            await self._own.__aexit__(kind, err, trace)


@dataclass
class _Held:
    """A turn that a worker has."""

    worker: str
    turn: Turn


class AppTurns:
    """The turns that a run gives to its workers, by app.

    `announce` tells all workers that an app has refused a request. `answer` tells a worker that its
    call may begin, or why not; it returns whether the worker was reached.
    """

    def __init__(
        self,
        announce: Callable[[str], Awaitable[None]],
        answer: Callable[[AskTurn, str], Awaitable[bool]],
    ) -> None:
        self._announce = announce
        self._answer = answer
        self._paces: dict[str, Pacing] = {}
        self._held: dict[str, _Held] = {}
        self._orders = count()
        self._waiting: Counter[str] = Counter()

    def count_waiting(self) -> dict[str, int]:
        """Return how many requests wait for their turn, by app."""
        return dict(self._waiting)

    async def ask(self, question: AskTurn) -> None:
        """Give a worker its turn when it is due; it is taken back if the worker is gone."""
        pace = await self._pace(question.app, None)
        turn = pace.turn(next(self._orders), float("inf"), question.patience_s)
        problem = ""
        self._waiting[question.app] += 1
        try:
            await turn.__aenter__()
        except ModelError as err:
            problem = str(err)
        else:
            self._held[question.call] = _Held(question.worker, turn)
        finally:
            self._waiting[question.app] -= 1
        if not await self._answer(question, problem):
            await self._take_back(question.call)

    async def end(self, done: EndTurn) -> None:
        """Take a turn back, and learn from what became of the request."""
        held = self._held.pop(done.call, None)
        if held is None:
            if done.outcome == "refused":
                await self._pace(done.app, done.retry_after_s)
            return
        held.turn.quota = done.quota
        if done.outcome == "refused":
            held.turn.refuse(done.retry_after_s)
        await held.turn.__aexit__(*_error(done.outcome, done.retry_after_s))

    async def forget_workers(self, alive: Iterable[str]) -> None:
        """Take back the turns of workers that are gone: others wait for them."""
        there = set(alive)
        for call in [call for call, held in self._held.items() if held.worker not in there]:
            await self._take_back(call)

    async def _take_back(self, call: str) -> None:
        held = self._held.pop(call, None)
        if held is not None:
            await held.turn.__aexit__(*_error("failed", None))

    async def _pace(self, app: str, retry_after_s: float | None) -> Pacing:
        """The pace of an app; a new one begins with the refusal that made it necessary.

        Refusals of requests that were under way in several workers at that moment tell nothing
        new.
        """
        if app not in self._paces:
            make: Callable[..., Pacing] = drivers.load_value(SERVICES, "pacing")
            self._paces[app] = pace = make(_MOST, start=1)  # nobody knows what it takes now
            turn = pace.turn(next(self._orders), float("inf"))
            await turn.__aenter__()
            turn.refuse(retry_after_s)
            await turn.__aexit__(None, None, None)
            with suppress(Exception):  # a worker that does not hear of it learns it from the app
                await self._announce(app)
        return self._paces[app]


def _error(
    outcome: str, retry_after_s: float | None
) -> tuple[type[BaseException] | None, BaseException | None, None]:
    """What leaves a turn, for `Turn.__aexit__`."""
    if outcome == "answered":
        return None, None, None
    busy = outcome == "refused"
    err = ModelBusy("refused", retry_after_s) if busy else ModelError("the request failed")
    return type(err), err, None

"""How many requests an app is sent at once, as its answers and refusals (HTTP 429) show it."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from itertools import count
from typing import TypeVar
from urllib.parse import urlsplit

from sparring.discovery import drivers
from sparring.discovery.groups import SERVICES
from sparring.errors import AppUnreachable, ModelError
from sparring.llm.ledger import Pacing
from sparring.model.chat import Quota

_MOST = 1_000
"""Requests at once, if an app refuses none: as many as cases can be played side by side."""

AnswerT = TypeVar("AnswerT")


class AppPacing:
    """Paces all sessions of a connector together, as calls to a model are.

    A request that the app refuses for its rate was not taken, whatever its method: it is sent again
    by whoever asked, and all others wait as long as the app says, also those in other workers of
    the run: they know the app by the host and port of its `address`.
    """

    def __init__(self, address: str = "") -> None:
        self._name = urlsplit(address).netloc.rpartition("@")[2]
        self._limiter: tuple[asyncio.AbstractEventLoop, Pacing] | None = None
        self._orders = count()

    async def ask(
        self,
        request: Callable[[], Awaitable[AnswerT]],
        refusal_s: Callable[[Exception], float | None],
        quota_of: Callable[[AnswerT], Quota | None] | None = None,
        *,
        patience_s: float,
    ) -> AnswerT:
        """Send a request in its turn; raises what it raises.

        `refusal_s` says of an error for how many seconds the app wants to be left alone: zero if it
        only wants fewer requests, `None` if the error is no refusal. `quota_of` reads how many more
        requests the app announces that it takes. Raises AppUnreachable if the
        app has asked all to wait for longer than `patience_s` seconds.
        """
        loop = asyncio.get_running_loop()
        if self._limiter is None or self._limiter[0] is not loop:
            own: Pacing = drivers.load_value(SERVICES, "pacing")(_MOST)
            self._limiter = loop, drivers.load_value(SERVICES, "app-pacing")(self._name, own)
        turn = self._limiter[1].turn(next(self._orders), math.inf, patience_s)
        try:
            await turn.__aenter__()
        except ModelError as err:
            text = str(err).replace("the service", "the app").replace("deadline", "longest wait")
            raise AppUnreachable(f"{text} (retry.max_wait_s)") from None
        error: BaseException | None = None
        try:
            answer = await request()
            turn.quota = quota_of(answer) if quota_of else None
            return answer
        except BaseException as err:
            error = err
            after_s = refusal_s(err) if isinstance(err, Exception) else None
            if after_s is not None:
                turn.refuse(after_s or None)
            raise
        finally:
            await turn.__aexit__(type(error) if error else None, error, None)

"""What is sent again: only what the app cannot have taken, and what the suite allows."""

import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import stamina

from sparring_connectors.rest.config import RetryConfig
from sparring_connectors.rest.exchange import Failed, Reply

# Without a handler anywhere, stamina's notes on retries would be printed over the progress.
logging.getLogger("stamina").addHandler(logging.NullHandler())

_BUSY = frozenset({429, 503})


async def sent_again(
    ask: Callable[[], Awaitable[Reply]],
    retry: RetryConfig,
    method: str,
    note: Callable[[str], None],
    waits: Callable[[], None],
) -> Reply:
    """Ask, and ask again if that is safe; raises the AppError of the last attempt.

    `note` gets a text if there is no connection to the app, while it is tried again. `waits` is
    called before each wait: the time until the next attempt is not the app's.
    """

    def wait(err: Exception) -> bool | float:
        waits()
        if isinstance(err, Failed) and err.unsent:
            note(f"{err}; trying again, {retry.attempts} times in all for each request")
        return _wait(err, retry, method) if isinstance(err, Failed) else False

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
    except Failed as err:
        raise err.error from None
    raise AssertionError("the last attempt raises")  # pragma: no cover


def _wait(err: Failed, retry: RetryConfig, method: str) -> bool | float:
    """Whether to ask again after a failure, and after how many seconds where that is told."""
    if err.unsent:
        return True
    if err.dropped:
        return retry.dropped
    again = err.status in (retry.on if retry.on is not None else _busy(method))
    if not again:
        return False
    told = _seconds(err.retry_after)
    if told is None:
        return True
    return told if told <= retry.max_wait_s else False


def _busy(method: str) -> frozenset[int]:
    return _BUSY if method == "GET" else frozenset()


def _seconds(retry_after: str | None) -> float | None:
    """The seconds that a Retry-After header asks for: a number, or a date."""
    if retry_after is None:
        return None
    if retry_after.strip().isdecimal():
        return float(retry_after)
    try:
        at = parsedate_to_datetime(retry_after)
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        return max(0.0, (at - datetime.now(UTC)).total_seconds())
    except (ValueError, OverflowError):  # no date, or one that no calendar has
        return None

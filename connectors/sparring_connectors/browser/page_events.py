"""What happens on the pages of a session: the log of events, and faults put into answers."""

import asyncio
import re
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, Request, Route
from playwright.async_api import Error as PlaywrightError
from pydantic import JsonValue

from sparring.model.page import PageEvent, PageEventKind
from sparring_connectors.browser.config import AnswerFaultConfig, BrowserConfig
from sparring_connectors.browser.variables import Variables

# A script that logs in a loop writes thousands of messages a second.
_MOST = 1000
_LONGEST = 2000


class PageEventLog:
    """Collects events and messages, without secrets and within bounds."""

    def __init__(self, variables: Variables) -> None:
        self._variables = variables
        self._began = time.monotonic()
        self._began_at = time.time()
        self._events: list[PageEvent] = []
        self._messages: list[PageEvent] = []
        self._places: dict[tuple[str, int], int] = {}

    def now_s(self) -> float:
        """Seconds since the session began."""
        return round(time.monotonic() - self._began, 3)

    def add(self, kind: PageEventKind, text: str = "", **details: JsonValue) -> None:
        """Something happened now."""
        if len(self._events) < _MOST:
            self._events.append(
                PageEvent(
                    kind=kind,
                    text=self._variables.hide(text[:_LONGEST]),
                    at_s=self.now_s(),
                    details=self._variables.hide_in(details),
                )
            )

    def record_message(self, told: Any) -> None:
        """Record a message that a document shows or hides; a page may pass anything."""
        try:
            key = (str(told["token"]), int(told["message"]))
            if "gone" in told:
                self._end_message(key, float(told["gone"]))
            elif key not in self._places and len(self._messages) < _MOST:
                self._begin_message(
                    key, str(told["text"]), float(told["at"]), str(told.get("source", ""))
                )
        except (ValueError, TypeError, KeyError, OverflowError):
            return

    def take(self) -> tuple[PageEvent, ...]:
        """The events since this was last asked."""
        events, self._events = self._events, []
        return tuple(events)

    @property
    def messages(self) -> Sequence[PageEvent]:
        """All messages since the session began."""
        return self._messages

    def _begin_message(self, key: tuple[str, int], text: str, at: float, source: str) -> None:
        shown = PageEvent(
            kind=PageEventKind.MESSAGE,
            text=self._variables.hide(text[:_LONGEST]),
            at_s=self._seconds_since_start(at),
            details={"source": source},
        )
        self._places[key] = len(self._messages)
        self._messages.append(shown)
        self._events.append(shown)

    def _end_message(self, key: tuple[str, int], at: float) -> None:
        index = self._places.get(key)
        if index is None or self._messages[index].gone_s is not None:
            return
        before = self._messages[index]
        gone = before.model_copy(update={"gone_s": max(self._seconds_since_start(at), before.at_s)})
        self._messages[index] = gone
        self._events = [gone if event is before else event for event in self._events]

    def _seconds_since_start(self, milliseconds: float) -> float:
        """Seconds since the session began, from a document's clock."""
        return round(min(max(milliseconds / 1000 - self._began_at, 0.0), self.now_s()), 3)


# Between browser and app: faults in answers, and what requests are made.

_TOLD = frozenset({"document", "xhr", "fetch"})
_BODY = "<!doctype html><title>{0}</title><h1>{0}</h1><p>A fault put in by a mutation test.</p>"


class RequestWatch:
    """Puts the faults of a suite's settings into a context, and records which took effect."""

    def __init__(
        self, config: BrowserConfig, context: BrowserContext, event_log: PageEventLog
    ) -> None:
        self._config = config
        self._context = context
        self._event_log = event_log
        self._host = urlsplit(config.url).netloc
        self._answers = [
            (number, fault, _path_pattern(fault.path))
            for number, fault in enumerate(config.faults)
            if isinstance(fault, AnswerFaultConfig)
        ]

    async def install(self) -> None:
        """Stand between browser and app, if that is wanted."""
        if self._config.requests:
            self._context.on("request", self._on_request)
        if self._answers:
            await self._context.route("**/*", self._route)

    def record_fault(self, number: Any) -> None:
        """A fault took effect; anything may call this."""
        if isinstance(number, int) and 0 <= number < len(self._config.faults):
            kind = self._config.faults[number].kind
            self._event_log.add(PageEventKind.FAULT, kind, number=number)

    def _on_request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.netloc == self._host and request.resource_type in _TOLD:
            details: dict[str, JsonValue] = {
                "method": request.method,
                "resource": request.resource_type,
            }
            if request.redirected_from is not None:
                details["redirected"] = True  # no fault can be put into its answer
            self._event_log.add(PageEventKind.REQUEST, parts.path or "/", **details)

    async def _route(self, route: Route) -> None:
        try:
            await self._answer(route)
        except PlaywrightError:  # the page has gone meanwhile, and nobody waits for the answer
            return

    async def _answer(self, route: Route) -> None:
        request = route.request
        parts = urlsplit(request.url)
        for number, fault, pattern in self._answers:
            meant = request.method == fault.method and parts.netloc == self._host
            if not meant or not pattern.fullmatch(parts.path or "/"):
                continue
            self.record_fault(number)
            match fault.kind:
                case "status":
                    shown = _BODY.format(f"{fault.status}")
                    await route.fulfill(status=fault.status, content_type="text/html", body=shown)
                case "empty":
                    await route.fulfill(status=200, content_type="text/html", body="")
                case "slow":
                    await asyncio.sleep(fault.seconds)
                    await route.continue_()
            return
        await route.continue_()


def _path_pattern(path: str) -> re.Pattern[str]:
    return re.compile("[^/]*".join(re.escape(part) for part in path.split("*")))

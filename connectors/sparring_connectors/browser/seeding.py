"""Between browser and app: faults in answers, and what requests are made."""

import asyncio
import re
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, Request, Route
from playwright.async_api import Error as PlaywrightError

from sparring.model.page import PageEventKind
from sparring_connectors.browser.config import BrowserConfig
from sparring_connectors.browser.faults import AnswerFaultConfig
from sparring_connectors.browser.happenings import Happenings

_TOLD = frozenset({"document", "xhr", "fetch"})
_BODY = "<!doctype html><title>{0}</title><h1>{0}</h1><p>A fault put in by a mutation test.</p>"


class Seeding:
    """Puts the faults of a suite's settings into a context, and tells where they took effect."""

    def __init__(
        self, config: BrowserConfig, context: BrowserContext, happenings: Happenings
    ) -> None:
        self._config = config
        self._context = context
        self._happenings = happenings
        self._host = urlsplit(config.url).netloc
        self._answers = [
            (number, fault, _pattern(fault.path))
            for number, fault in enumerate(config.faults)
            if isinstance(fault, AnswerFaultConfig)
        ]

    async def begin(self) -> None:
        """Stand between browser and app, where that is wanted."""
        if self._config.requests:
            self._context.on("request", self._made)
        if self._answers:
            await self._context.route("**/*", self._route)

    def happened(self, number: Any) -> None:
        """A fault took effect; anything may call this."""
        if isinstance(number, int) and 0 <= number < len(self._config.faults):
            kind = self._config.faults[number].kind
            self._happenings.add(PageEventKind.FAULT, kind, number=number)

    def _made(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.netloc == self._host and request.resource_type in _TOLD:
            self._happenings.add(
                PageEventKind.REQUEST, parts.path or "/",
                method=request.method, resource=request.resource_type,
            )  # fmt: skip

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
            self.happened(number)
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


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile("[^/]*".join(re.escape(part) for part in path.split("*")))

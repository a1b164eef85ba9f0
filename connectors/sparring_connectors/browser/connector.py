"""The connector `browser`: a web page in a real browser."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar

from sparring.errors import MissingExtra
from sparring.interfaces.app_connector import AppConnector, AppSession, Capability
from sparring.interfaces.plugin import BuildContext
from sparring.model.case import Case
from sparring_connectors.browser.config import BrowserConfig

if TYPE_CHECKING:
    from sparring_connectors.browser.running import RunningBrowser


class BrowserConnector(AppConnector[BrowserConfig]):
    """Shows pages in a real browser, and acts on them as a person does.

    One browser serves the run; each case has a context of its own, with its own cookies and
    storage. The reference page is `docs/reference/browser.md`.
    """

    Config = BrowserConfig
    offers: ClassVar[frozenset[Capability]] = frozenset({Capability.PAGE, Capability.SESSIONS})

    def __init__(self, config: BrowserConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        if find_spec("playwright") is None:
            raise MissingExtra(
                "the connector 'browser' needs the library playwright: pip install 'sparring[web]'"
            )
        self._running: RunningBrowser | None = None

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[AppSession]:
        from sparring_connectors.browser.session import BrowserSession

        browser = await self._browser().browser()
        context = await browser.new_context(**self._options())
        try:
            session = BrowserSession(self.config, context)
            await session.prepare()
            yield session
        finally:
            await context.close()

    async def close(self) -> None:
        running, self._running = self._running, None
        if running is not None and running.loop is asyncio.get_running_loop():
            await running.aclose()

    def _browser(self) -> "RunningBrowser":
        from sparring_connectors.browser.running import RunningBrowser

        loop = asyncio.get_running_loop()
        if self._running is None or self._running.loop is not loop:
            self._running = RunningBrowser(self.config)
        return self._running

    def _options(self) -> dict[str, Any]:
        config = self.config
        options: dict[str, Any] = {
            "viewport": config.viewport.model_dump(),
            "locale": config.locale,
            "timezone_id": config.timezone,
            "color_scheme": config.color_scheme,
            "user_agent": config.user_agent,
            "extra_http_headers": config.headers or None,
            "ignore_https_errors": not config.verify_tls,
        }
        if config.credentials is not None:
            options["http_credentials"] = config.credentials.model_dump()
        return {name: value for name, value in options.items() if value is not None}

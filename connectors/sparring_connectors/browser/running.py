"""The one browser of a run: started when it is needed, and again when it has crashed."""

import asyncio
from collections.abc import Mapping
from typing import Any

from playwright.async_api import Browser, BrowserContext, Playwright, async_playwright
from playwright.async_api import Error as PlaywrightError

from sparring.errors import PluginError
from sparring_connectors.browser.config import BrowserConfig
from sparring_connectors.browser.finding import find

_QUIET = (
    "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


class RunningBrowser:
    """Playwright and a browser, on one event loop."""

    def __init__(self, config: BrowserConfig) -> None:
        self._config = config
        self._lock = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self.loop = asyncio.get_running_loop()

    async def browser(self) -> Browser:
        """The running browser; raises NoBrowser or PluginError where none can be started."""
        async with self._lock:
            if self._browser is None or not self._browser.is_connected():
                self._browser = await self._started()
            return self._browser

    async def context(self, options: Mapping[str, Any]) -> BrowserContext:
        """A new context; the browser is started again where it has gone."""
        for attempt in (1, 2):
            browser = await self.browser()
            try:
                return await browser.new_context(**options)
            except PlaywrightError as err:
                if browser.is_connected() or attempt == 2:
                    raise PluginError(f"the browser opens no page: {_first(err)}") from err
        raise AssertionError

    async def aclose(self) -> None:
        """End the browser and Playwright."""
        async with self._lock:
            browser, self._browser = self._browser, None
            playwright, self._playwright = self._playwright, None
            try:
                if browser is not None and browser.is_connected():
                    await browser.close()
            finally:
                if playwright is not None:
                    await playwright.stop()

    async def _started(self) -> Browser:
        if self._playwright is None:
            self._playwright = await async_playwright().start()
        engine = self._config.engine
        kind = getattr(self._playwright, engine)
        found = find(engine, kind.executable_path, self._config.executable)
        options: dict[str, Any] = {"headless": self._config.headless}
        if engine == "chromium":
            options["args"] = list(_QUIET)
        try:
            browser: Browser = await kind.launch(
                executable_path=found.path, timeout=self._config.timeout.start_s * 1000, **options
            )
        except PlaywrightError as err:
            where = found.path or f"Playwright's {engine}"
            raise PluginError(f"the browser {where} cannot be started: {_first(err)}") from err
        return browser


def _first(err: PlaywrightError) -> str:
    lines = [line.strip() for line in err.message.splitlines() if line.strip()]
    return "; ".join(lines[:3])[:500]

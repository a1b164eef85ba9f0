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
    """Playwright and a browser, on one event loop.

    Starting and closing go on where the case that waits for them is cancelled: others may need
    the browser, and a half-started one could not be ended.
    """

    def __init__(self, config: BrowserConfig) -> None:
        self._config = config
        self._playwright: Playwright | None = None
        self._starting: asyncio.Task[Browser] | None = None
        self._opening: set[asyncio.Task[BrowserContext]] = set()
        self.loop = asyncio.get_running_loop()

    async def context(self, options: Mapping[str, Any]) -> BrowserContext:
        """A new context; raises NoBrowser or PluginError where there can be none."""
        for attempt in (1, 2):
            browser = await self._browser()
            try:
                return await self._opened(browser, options)
            except PlaywrightError as err:
                if browser.is_connected() or attempt == 2:
                    raise PluginError(f"the browser opens no page: {_first(err)}") from err
        raise AssertionError

    async def aclose(self) -> None:
        """End the browser and Playwright."""
        starting, self._starting = self._starting, None
        if self._opening:
            await asyncio.wait(self._opening)
        try:
            if starting is not None:
                await asyncio.wait([starting])
                if starting.exception() is None and starting.result().is_connected():
                    await starting.result().close()
        finally:
            playwright, self._playwright = self._playwright, None
            if playwright is not None:
                await playwright.stop()

    async def _browser(self) -> Browser:
        """The running browser, started again where it has gone."""
        if self._starting is None or _has_gone(self._starting):
            self._starting = asyncio.ensure_future(self._started())
        return await asyncio.shield(self._starting)

    async def _opened(self, browser: Browser, options: Mapping[str, Any]) -> BrowserContext:
        """A context, closed again where nobody waits for it any more."""
        task = asyncio.ensure_future(browser.new_context(**options))
        self._opening.add(task)
        task.add_done_callback(self._opening.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait([task])
            if not task.cancelled() and task.exception() is None:
                await task.result().close()
            raise

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


def _has_gone(starting: asyncio.Task[Browser]) -> bool:
    if not starting.done():
        return False
    failed = starting.cancelled() or starting.exception() is not None
    return failed or not starting.result().is_connected()


def _first(err: PlaywrightError) -> str:
    lines = [line.strip() for line in err.message.splitlines() if line.strip()]
    return "; ".join(lines[:3])[:500]

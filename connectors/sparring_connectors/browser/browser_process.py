"""The one browser of a run, and putting the app's data back before each case."""

import asyncio
import os
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import httpx2
from playwright.async_api import Browser, BrowserContext, Playwright, async_playwright
from playwright.async_api import Error as PlaywrightError

from sparring.errors import AppUnreachable, EnvironmentFailure
from sparring_connectors.browser.config import BrowserConfig, ResetConfig
from sparring_connectors.browser.failures import first_line, is_over
from sparring_connectors.browser.installation import find_browser
from sparring_connectors.browser.variables import Variables

_QUIET = (
    "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
# A page that asks "Leave this site?" keeps its browser open; after this it is killed.
_CLOSING_S = 10.0
_GRACE_S = 5.0
"""Playwright's driver keeps the time of a start itself, unless it hangs itself."""
_ADVICE = (
    "'sparring doctor' tells which browser this is; 'sparring browser install --force' brings one "
    "that fits the installed Playwright"
)


class RunningBrowser:
    """Playwright and a browser, on one event loop.

    Starting and closing go on if the case that waits for them is cancelled: others may need
    the browser, and a half-started one could not be ended.
    """

    def __init__(self, config: BrowserConfig) -> None:
        self._config = config
        self._driver: Playwright | None = None
        self._starting: asyncio.Task[Browser] | None = None
        self._opening: set[asyncio.Task[Any]] = set()
        self.loop = asyncio.get_running_loop()

    async def context(self, options: Mapping[str, Any]) -> BrowserContext:
        """Return a new context; raises EnvironmentFailure if there can be none.

        A browser that has died, or that answers nothing, is left to itself and another one is
        started in its place.
        """
        limit = self._config.timeout.start_s
        for attempt in (1, 2):
            starting = self._start()
            browser = await asyncio.shield(starting)
            try:
                return await self._open_context(browser, options, limit)
            except TimeoutError:
                await self._abandon(starting, driver_too=False)
                raise EnvironmentFailure(
                    f"the browser opened no page within {limit:g} s (timeout.start_s): this "
                    "machine is too busy, or has stopped the browser"
                ) from None
            except PlaywrightError as err:
                is_dead = not browser.is_connected() or is_over(err)
                if attempt == 2 or not is_dead:
                    raise EnvironmentFailure(
                        f"the browser opens no page: {_browser_words(err)}; {_ADVICE}"
                    ) from err
                # A browser that is still said to be connected has lost Playwright's own driver.
                await self._abandon(starting, driver_too=browser.is_connected())
        raise AssertionError

    async def aclose(self) -> None:
        """End the browser and Playwright; what does not end in time is killed by the driver."""
        starting, self._starting = self._starting, None
        end = self.loop.time() + _CLOSING_S
        while self._opening and (left := end - self.loop.time()) > 0:
            await asyncio.wait(self._opening, timeout=left)
        try:
            if starting is not None:
                await asyncio.wait([starting], timeout=self._config.timeout.start_s + 2 * _GRACE_S)
                if not _has_gone(starting) and starting.done():
                    with suppress(TimeoutError, PlaywrightError):
                        async with asyncio.timeout(_CLOSING_S):
                            await starting.result().close()
        finally:
            await self._stop_driver()

    def _start(self) -> asyncio.Task[Browser]:
        """Return the running browser, or the start of another one if it has gone."""
        if self._starting is None or _has_gone(self._starting):
            self._starting = asyncio.ensure_future(self._launch())
        return self._starting

    async def _abandon(self, starting: asyncio.Task[Browser], *, driver_too: bool) -> None:
        """Use a browser no more, unless another case has seen to that already."""
        if self._starting is not starting:
            return
        self._starting = None
        if driver_too:
            await self._stop_driver()

    async def _stop_driver(self) -> None:
        driver, self._driver = self._driver, None
        if driver is not None:
            with suppress(TimeoutError, PlaywrightError):
                async with asyncio.timeout(_CLOSING_S):
                    await driver.stop()

    async def _open_context(
        self, browser: Browser, options: Mapping[str, Any], limit_s: float
    ) -> BrowserContext:
        """A context, closed again if nobody waits for it any more; raises TimeoutError."""
        task = asyncio.ensure_future(browser.new_context(**options))
        self._opening.add(task)
        task.add_done_callback(self._opening.discard)
        try:
            async with asyncio.timeout(limit_s):
                return await asyncio.shield(task)
        except (asyncio.CancelledError, TimeoutError):
            task.add_done_callback(self._close_unused)
            raise

    def _close_unused(self, task: asyncio.Task[BrowserContext]) -> None:
        if not task.cancelled() and task.exception() is None:
            closing = asyncio.ensure_future(task.result().close())
            self._opening.add(closing)
            closing.add_done_callback(self._opening.discard)

    async def _launch(self) -> Browser:
        driver = await self._start_driver()
        engine, limit = self._config.engine, self._config.timeout.start_s
        kind = getattr(driver, engine)
        program = find_browser(engine, kind.executable_path, self._config.executable)
        options: dict[str, Any] = {"headless": self._config.headless}
        if engine == "chromium":
            options["args"] = list(_QUIET)
        name = program.path or f"Playwright's {engine}"
        try:
            async with asyncio.timeout(limit + _GRACE_S):
                browser: Browser = await kind.launch(
                    executable_path=program.path, timeout=limit * 1000, **options
                )
        except TimeoutError:
            await self._stop_driver()
            raise EnvironmentFailure(
                f"the browser {name} cannot be started: Playwright's driver does not answer"
            ) from None
        except PlaywrightError as err:
            raise EnvironmentFailure(
                f"the browser {name} cannot be started: {_browser_words(err)}; {_ADVICE}"
            ) from err
        return browser

    async def _start_driver(self) -> Playwright:
        """Playwright's driver, a program of its own; raises EnvironmentFailure."""
        if self._driver is None:
            limit = self._config.timeout.start_s
            try:
                async with asyncio.timeout(limit):
                    self._driver = await async_playwright().start()
            except Exception as err:  # plain Exception is what it raises if the driver exits
                reason = f"no answer within {limit:g} s" if isinstance(err, TimeoutError) else err
                raise EnvironmentFailure(
                    f"Playwright's driver cannot be started: {reason}; install it anew: "
                    "pip install --force-reinstall playwright"
                ) from err
        return self._driver


def _has_gone(starting: asyncio.Task[Browser]) -> bool:
    if not starting.done():
        return False
    failed = starting.cancelled() or starting.exception() is not None
    return failed or not starting.result().is_connected()


def _browser_words(err: PlaywrightError) -> str:
    """What the browser itself wrote as it ended, else what Playwright says of it.

    Playwright's first line is "Target page, context or browser has been closed" if, for example, a
    library is missing; the browser's own words for that come some lines later.
    """
    parts = (line.partition("[err]")[2].strip() for line in err.message.splitlines())
    written = [part for part in dict.fromkeys(parts) if part]
    return "; ".join(written[:3] or [first_line(err)])[:500]


# Putting an app's data back before a case: by a request, or by a command.


async def reset_app(config: BrowserConfig, variables: Variables, base_dir: Path, case: str) -> None:
    """Do all that the suite wants done before a case.

    Raises AppUnreachable if a step fails, and EnvironmentFailure if its program is missing.
    """
    for step in config.reset:
        try:
            async with asyncio.timeout(step.timeout_s):
                if step.command is not None:
                    await _run_command(_split_command(step.command), base_dir, case)
                else:
                    await _send_request(step, config, variables)
        except TimeoutError:
            what = f"no end within {step.timeout_s:g} s"
            raise AppUnreachable(f"the reset before the case failed: {what}") from None
        except OSError as err:
            raise EnvironmentFailure(f"the reset before the case cannot be run: {err}") from None
        except (ValueError, httpx2.HTTPError) as err:
            what = variables.without_secrets(str(err) or type(err).__name__)
            raise AppUnreachable(f"the reset before the case failed: {what}") from None


def _split_command(command: str | Sequence[str]) -> list[str]:
    words = shlex.split(command) if isinstance(command, str) else list(command)
    if not words:
        raise ValueError("the command is empty")
    return words


async def _run_command(words: list[str], base_dir: Path, case: str) -> None:
    process = await asyncio.create_subprocess_exec(
        *words, cwd=base_dir, env={**os.environ, "SPARRING_CASE": case},
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        _, complaint = await process.communicate()
    except BaseException:
        if process.returncode is None:
            process.kill()
            await process.wait()
        raise
    if process.returncode:
        message = complaint.decode("utf-8", "replace").strip()[-300:]
        raise ValueError(f"{words[0]} ended with {process.returncode}: {message}")


async def _send_request(step: ResetConfig, config: BrowserConfig, variables: Variables) -> None:
    headers = {name: variables.fill(value) for name, value in step.headers.items()}
    address = urljoin(config.url, variables.fill(step.url or ""))
    async with httpx2.AsyncClient(
        verify=config.verify_tls, follow_redirects=True, timeout=step.timeout_s
    ) as client:
        if isinstance(step.body, str):
            body = variables.fill(step.body)
            answer = await client.request(step.method, address, headers=headers, content=body)
        else:
            answer = await client.request(step.method, address, headers=headers, json=step.body)
    if answer.status_code >= 400:
        raise ValueError(f"{address} answered {answer.status_code}")

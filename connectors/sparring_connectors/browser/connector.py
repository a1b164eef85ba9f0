"""The connector `browser`: a web page in a real browser."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from sparring.errors import EnvironmentFailure, MissingExtra
from sparring.interfaces.app_connector import AppConnector, AppSession, Capability, PageSession
from sparring.interfaces.plugin import BuildContext
from sparring.model.case import Case
from sparring.model.talk import Listen
from sparring_connectors.browser.config import BrowserConfig

if TYPE_CHECKING:
    from sparring_connectors.browser.browser_process import RunningBrowser
    from sparring_connectors.browser.session import BrowserSession


_NOBODY = "http://127.0.0.1:9"
"""A proxy that is not there: whoever has to go through it goes nowhere."""


class BrowserConnector(AppConnector[BrowserConfig]):
    """Shows pages in a real browser, and acts on them as a person does.

    One browser serves the run; each case has a context of its own, with its own cookies and
    storage. The reference page is `docs/reference/browser.md`.
    """

    Config = BrowserConfig
    offers: ClassVar[frozenset[Capability]] = frozenset(Capability)

    def __init__(
        self, config: BrowserConfig, context: BuildContext, shared: "RunningBrowser | None" = None
    ) -> None:
        """`shared` runs already, on the same event loop: whoever started it ends it."""
        super().__init__(config, context)
        self._shared = shared
        if find_spec("playwright") is None:
            raise MissingExtra(
                "the connector 'browser' needs the library playwright: pip install 'sparring[web]'"
            )
        if config.chat is None:  # nobody can talk to this page
            only_pages = frozenset({Capability.PAGE, Capability.SESSIONS})
            object.__setattr__(self, "offers", only_pages)
        self._running: RunningBrowser | None = None
        self._opened: Counter[str] = Counter()
        self._storage = (
            str(context.files(config.storage_state)[0]) if config.storage_state else None
        )

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[AppSession]:
        """See `AppConnector.open`; raises EnvironmentFailure if there is no browser to be had."""
        _import_playwright()
        from sparring_connectors.browser.browser_process import reset_app
        from sparring_connectors.browser.rehearsal import Rehearsal
        from sparring_connectors.browser.variables import Variables

        async def reset() -> bool:
            await reset_app(self.config, variables, self.context.base_dir, case.id)
            return bool(self.config.reset)

        async def open_copy() -> "BrowserSession":
            copy = await self._new_session(f"{case.id}-rehearsal", keeps=False)
            copy.examiner = None
            await _prepare(copy)
            return copy

        variables = Variables(self.config)
        await reset()
        session = await self._new_session(self._folder(case))
        session.rehearsal = Rehearsal(open_copy, reset)
        failed = True
        try:
            await _prepare(session)
            yield session
            failed = False
        finally:
            await session.finish(failed=failed)

    async def _new_session(self, folder: str, *, keeps: bool = True) -> "BrowserSession":
        """Return a session in a context of its own; `keeps` whether it leaves files."""
        from sparring_connectors.browser.evidence import Evidence
        from sparring_connectors.browser.session import BrowserSession

        context = await self._browser().context(self._options())
        screenshots, trace = self.config.screenshots, self.config.trace
        evidence = Evidence(
            self.context.run_dir,
            folder,
            screenshots if keeps else "never",
            trace if keeps else "never",
        )
        return BrowserSession(self.config, context, evidence, self.context.base_dir)

    def attach(self, page: object, case: Case) -> AbstractAsyncContextManager[PageSession]:
        from sparring_connectors.browser.attached import Attachment

        del case
        return Attachment(self.config, page, self.context.run_dir, self.context.base_dir)

    async def probe(self) -> None:
        """Start the browser, and open the app's page."""
        async with self.open(Case.of("probe", {}, run_seed=0)) as session:
            await session.send(Listen())

    async def close(self) -> None:
        running, self._running = self._running, None
        if running is not None and running.loop is asyncio.get_running_loop():
            await running.aclose()

    def _folder(self, case: Case) -> str:
        """The name of a session's folder; a case may open several."""
        self._opened[case.id] += 1
        number = self._opened[case.id]
        return case.id if number == 1 else f"{case.id}-{number}"

    def _browser(self) -> "RunningBrowser":
        from sparring_connectors.browser.browser_process import RunningBrowser

        loop = asyncio.get_running_loop()
        if self._shared is not None and self._shared.loop is loop:
            return self._shared
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
            "storage_state": self._storage,
            "accept_downloads": True,
        }
        if config.block == "outside":
            options["proxy"] = {"server": _NOBODY, "bypass": self._inside()}
        if config.credentials is not None:
            options["http_credentials"] = config.credentials.model_dump()
        return {name: value for name, value in options.items() if value is not None}

    def _inside(self) -> str:
        """The hosts that may be reached when nothing else may."""
        host = urlsplit(self.config.url).hostname
        return ",".join(dict.fromkeys(("localhost", "127.0.0.1", "[::1]", host or "localhost")))


async def _prepare(session: "BrowserSession") -> None:
    """Prepare a session; a browser that dies meanwhile is the environment's failure."""
    from playwright.async_api import Error as PlaywrightError

    try:
        await session.prepare()
    except PlaywrightError as err:
        raise await session.unless_machine(session.failure(err)) from None


def _import_playwright() -> None:
    """Import Playwright; raises EnvironmentFailure if it is installed, but broken."""
    try:
        import_module("playwright.async_api")
    except ImportError as err:
        raise EnvironmentFailure(
            f"the library playwright cannot be imported: {err}; install it anew: "
            "pip install --force-reinstall playwright"
        ) from err

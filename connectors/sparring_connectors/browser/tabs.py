"""The tabs of a session: which there are, which is looked at, and what is under way in each."""

import asyncio
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from playwright.async_api import (
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Download,
    Frame,
    Page,
    Request,
    Response,
    WebError,
)
from playwright.async_api import Error as PlaywrightError

from sparring.model.page import PageEventKind
from sparring_connectors.browser.evidence import Evidence
from sparring_connectors.browser.happenings import Happenings

if TYPE_CHECKING:
    from sparring_connectors.browser.dialogs import Dialogs

_ENDLESS = frozenset({"websocket", "eventsource", "media", "ping", "texttrack", "manifest"})
_REFUSED = ("ERR_PROXY_CONNECTION_FAILED", "PROXY_CONNECTION_REFUSED", "ERR_BLOCKED_BY_CLIENT")
_MOST_TABS = 30
_BODY_S = 0.5
"""Seconds for a body after its headers: one that nobody reads never ends."""


@dataclass(slots=True, eq=False)
class Tab:
    """One tab: its page, the documents it has committed, the requests that are open.

    `status` is that of the latest answer to a request for the page itself.
    """

    page: Page
    documents: int = 0
    crashed: bool = False
    status: int = 200
    url: str = "about:blank"
    open: dict[Request, float] = field(default_factory=dict[Request, float])
    answered: dict[Request, float] = field(default_factory=dict[Request, float])
    dialog: Dialog | None = None
    tokens: set[str] = field(default_factory=set[str])

    def waiting_for(self, patience_s: float) -> list[Request]:
        """The requests that are open and may still end soon."""
        now = time.monotonic()
        return [
            request
            for request, since in self.open.items()
            if (request.is_navigation_request() or now - since < patience_s)
            and now - self.answered.get(request, now) < min(patience_s, _BODY_S)
        ]


class Tabs:
    """Hears of everything that the pages of a browser context do."""

    def __init__(
        self,
        context: BrowserContext,
        happenings: Happenings,
        dialogs: "Dialogs",
        evidence: Evidence,
    ) -> None:
        self._happenings = happenings
        self._dialogs = dialogs
        self._evidence = evidence
        self._loading: set[asyncio.Task[None]] = set()
        self._early: list[tuple[Page, str, str]] = []
        self.all: list[Tab] = []
        self.current: Tab | None = None
        context.on("page", self._opened)
        context.on("request", self._requested)
        context.on("requestfinished", self._ended)
        context.on("requestfailed", self._failed)
        context.on("response", self._answered)
        context.on("console", self._printed)
        context.on("dialog", self._asked)
        context.on("weberror", self._broke)

    @property
    def place(self) -> int:
        """Which of the tabs is looked at, from 0."""
        return self.all.index(self.current) if self.current in self.all else 0

    def switch(self, tab: Tab) -> None:
        """Look at another tab."""
        self.current = tab

    async def downloaded(self, limit_s: float) -> None:
        """Wait for the files that are being downloaded."""
        if self._loading:
            await asyncio.wait(self._loading, timeout=limit_s)

    async def finish(self) -> None:
        """Let go of what is still being downloaded."""
        for task in self._loading:
            task.cancel()
        if self._loading:
            await asyncio.wait(self._loading)

    def began(self, page: Page, token: str, url: str) -> None:
        """The script in a page's main frame tells of a new document."""
        tab = self._of(page)
        if tab is None:  # its window is not known yet
            self._early.append((page, token, url))
            return
        if token in tab.tokens or url == "about:blank":
            return
        tab.tokens.add(token)
        tab.documents += 1
        self._happenings.add(PageEventKind.DOCUMENT, url, document=tab.documents)

    def _of(self, page: Page | None) -> Tab | None:
        return next((tab for tab in self.all if tab.page is page), None)

    def _opened(self, page: Page) -> None:
        tab = Tab(page)
        if self.all:
            self._happenings.add(PageEventKind.POPUP, page.url, tab=len(self.all))
        self.all.append(tab)
        early, self._early = self._early, []
        for known, token, url in early:
            self.began(known, token, url)
        page.on("framenavigated", lambda frame: self._moved(tab, frame))
        page.on("close", lambda _: self._closed(tab))
        page.on("crash", lambda _: self._crashed(tab))
        page.on("download", self._loads)
        if len(self.all) <= _MOST_TABS:
            self.current = tab

    def _moved(self, tab: Tab, frame: Frame) -> None:
        if frame.parent_frame is None and frame.url != tab.url:
            tab.url = frame.url
            self._happenings.add(PageEventKind.URL, frame.url)

    def _closed(self, tab: Tab) -> None:
        if tab in self.all:
            self._happenings.add(PageEventKind.TAB_CLOSED, tab.url, tab=self.all.index(tab))
            self.all.remove(tab)
        if self.current is tab:
            self.current = self.all[-1] if self.all else None

    def _crashed(self, tab: Tab) -> None:
        tab.crashed = True
        self._happenings.add(PageEventKind.CRASH, tab.url)

    def _requested(self, request: Request) -> None:
        tab = self._tab_of(request)
        if tab is not None and request.resource_type not in _ENDLESS:
            tab.open[request] = time.monotonic()

    def _ended(self, request: Request) -> None:
        for tab in self.all:
            tab.open.pop(request, None)
            tab.answered.pop(request, None)

    def _failed(self, request: Request) -> None:
        self._ended(request)
        failure = request.failure or ""
        if "ERR_ABORTED" in failure or "NS_BINDING_ABORTED" in failure:
            return
        blocked = any(words in failure for words in _REFUSED)
        kind = PageEventKind.BLOCKED if blocked else PageEventKind.REQUEST_FAILED
        self._happenings.add(
            kind, request.url, error=failure, resource=request.resource_type, main=_is_main(request)
        )

    def _answered(self, response: Response) -> None:
        tab = self._tab_of(response.request)
        if tab is not None and not response.request.is_navigation_request():
            tab.answered[response.request] = time.monotonic()
        if tab is not None and _is_main(response.request):
            tab.status = response.status
        if response.status >= 400 and not response.url.endswith("/favicon.ico"):
            request = response.request
            self._happenings.add(
                PageEventKind.HTTP_ERROR, response.url, status=response.status,
                resource=request.resource_type, main=_is_main(request),
            )  # fmt: skip

    def _printed(self, message: ConsoleMessage) -> None:
        source = str(message.location.get("url", ""))
        if message.type == "error" and not source.endswith("/favicon.ico"):
            self._happenings.add(PageEventKind.CONSOLE_ERROR, message.text)

    def _broke(self, error: WebError) -> None:
        self._happenings.add(PageEventKind.PAGE_ERROR, str(error.error))

    async def _asked(self, dialog: Dialog) -> None:
        await self._dialogs.asked(dialog, self._of(dialog.page))

    def _loads(self, download: Download) -> None:
        task = asyncio.ensure_future(self._load(download))
        self._loading.add(task)
        task.add_done_callback(self._loading.discard)

    async def _load(self, download: Download) -> None:
        name = download.suggested_filename
        try:
            path, size = await self._evidence.keep(download)
        except (PlaywrightError, OSError) as err:
            reason = str(err).splitlines()[0][:200] if str(err) else "it failed"
            self._happenings.add(PageEventKind.DOWNLOAD, name, error=reason, url=download.url)
            return
        self._happenings.add(
            PageEventKind.DOWNLOAD, name, artifact=path, bytes=size, url=download.url[:2000]
        )

    def _tab_of(self, request: Request) -> Tab | None:
        try:
            return self._of(request.frame.page)
        except PlaywrightError:  # of a service worker, or of a page that is not there yet
            return self.current


def _is_main(request: Request) -> bool:
    """Whether the request was for the page itself."""
    try:
        return request.is_navigation_request() and request.frame.parent_frame is None
    except PlaywrightError:
        return request.is_navigation_request()

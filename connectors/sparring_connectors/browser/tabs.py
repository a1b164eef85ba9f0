"""The tabs of a session: which there are, which is looked at, and what is under way in each."""

import time
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import BrowserContext, ConsoleMessage, Dialog, Page, Request, Response
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame

from sparring.model.page import PageEventKind
from sparring_connectors.browser.happenings import Happenings

_ENDLESS = frozenset({"websocket", "eventsource", "media", "ping", "texttrack", "manifest"})


@dataclass(slots=True, eq=False)
class Tab:
    """One tab: its page, the documents it has committed, the requests that are open."""

    page: Page
    documents: int = 0
    crashed: bool = False
    url: str = "about:blank"
    open: dict[Request, float] = field(default_factory=dict[Request, float])
    dialog: Dialog | None = None
    tokens: set[str] = field(default_factory=set[str])

    def waiting_for(self, patience_s: float) -> list[Request]:
        """The requests that are open and may still end soon."""
        oldest = time.monotonic() - patience_s
        return [
            request
            for request, since in self.open.items()
            if since >= oldest or request.is_navigation_request()
        ]


class Tabs:
    """Hears of everything that the pages of a browser context do."""

    def __init__(self, context: BrowserContext, happenings: Happenings, dialogs: "Any") -> None:
        self._happenings = happenings
        self._dialogs = dialogs
        self.all: list[Tab] = []
        self.current: Tab | None = None
        context.on("page", self._opened)
        context.on("request", self._requested)
        context.on("requestfinished", self._ended)
        context.on("requestfailed", self._failed)
        context.on("response", self._answered)
        context.on("console", self._printed)
        context.on("dialog", self._asked)
        context.on("weberror", lambda error: self._broke(str(error.error)))

    @property
    def place(self) -> int:
        """Which of the tabs is looked at, from 0."""
        return self.all.index(self.current) if self.current in self.all else 0

    def switch(self, tab: Tab) -> None:
        """Look at another tab."""
        self.current = tab

    def _of(self, page: Page | None) -> Tab | None:
        return next((tab for tab in self.all if tab.page is page), None)

    def _opened(self, page: Page) -> None:
        tab = Tab(page)
        opener = self.current
        self.all.append(tab)
        page.on("framenavigated", lambda frame: self._moved(tab, frame))
        page.on("close", lambda _: self._closed(tab))
        page.on("crash", lambda _: self._crashed(tab))
        page.on("download", self._dialogs.downloaded)
        if opener is not None:
            self._happenings.add(PageEventKind.POPUP, page.url, tab=len(self.all) - 1)
        self.current = tab

    def began(self, page: Page, token: str, url: str) -> None:
        """The script in a page's main frame tells of a new document."""
        tab = self._of(page)
        if tab is None or token in tab.tokens or url == "about:blank":
            return
        tab.tokens.add(token)
        tab.documents += 1
        self._happenings.add(PageEventKind.DOCUMENT, url, document=tab.documents)

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

    def _failed(self, request: Request) -> None:
        self._ended(request)
        failure = request.failure or ""
        if "ERR_ABORTED" in failure:
            return
        kind = PageEventKind.REQUEST_FAILED
        if "ERR_BLOCKED_BY_CLIENT" in failure:
            kind = PageEventKind.BLOCKED
        self._happenings.add(kind, request.url, error=failure, resource=request.resource_type)

    def _answered(self, response: Response) -> None:
        if response.status >= 400:
            self._happenings.add(
                PageEventKind.HTTP_ERROR, response.url, status=response.status,
                resource=response.request.resource_type,
            )  # fmt: skip

    def _printed(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._happenings.add(PageEventKind.CONSOLE_ERROR, message.text)

    def _broke(self, text: str) -> None:
        self._happenings.add(PageEventKind.PAGE_ERROR, text)

    async def _asked(self, dialog: Dialog) -> None:
        await self._dialogs.asked(dialog, self._of(dialog.page))

    def _tab_of(self, request: Request) -> Tab | None:
        try:
            return self._of(request.frame.page)
        except PlaywrightError:  # of a service worker, or of a page that is not there yet
            return self.current

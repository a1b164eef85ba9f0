"""The tabs of a session: what is under way in each, and the dialogs that they show."""

import asyncio
import contextlib
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import urlsplit

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
from sparring_connectors.browser.failures import ActRefused
from sparring_connectors.browser.page_events import PageEventLog

_ENDLESS = frozenset({"websocket", "eventsource", "media", "ping", "texttrack", "manifest"})
_REFUSED = ("ERR_PROXY_CONNECTION_FAILED", "PROXY_CONNECTION_REFUSED", "ERR_BLOCKED_BY_CLIENT")
_ERROR_PAGES = ("chrome-error:", "about:neterror")
# A page that opens tabs in a loop would take the machine's memory.
_MOST_TABS = 30
_WINDOW_S = 1.0
_BODY_S = 0.5
"""Seconds for a body after its headers: one that nobody reads never ends."""


@dataclass(slots=True, eq=False)
class Tab:
    """One tab: its page, the documents it has committed, the requests that are open.

    `status` is that of the latest answer to a request for the page itself, `opener` the tab that
    was current when this one appeared.
    """

    page: Page
    opener: "Tab | None" = None
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


# Dialogs of JavaScript: alert, confirm, prompt, and whether a page may be left.

_YES = frozenset({"accept", "ok", "okay", "yes", "confirm", "true"})
_NO = frozenset({"dismiss", "cancel", "no", "false"})


class Dialogs:
    """Answers dialogs: with what was said for the next one, else by the suite's setting."""

    def __init__(self, event_log: PageEventLog, policy: str) -> None:
        self._event_log = event_log
        self._policy = policy
        self._prepared: list[tuple[bool, str | None]] = []
        self._open: tuple[Dialog, Tab | None] | None = None
        self.appeared = asyncio.Event()

    @property
    def is_open(self) -> bool:
        """Whether a dialog waits for an answer."""
        return self._open is not None

    async def handle(self, dialog: Dialog, tab: Tab | None) -> None:
        """A page shows a dialog."""
        if self._prepared:
            accepted, text = self._prepared.pop(0)
        elif self._policy == "ask" and dialog.type != "beforeunload":
            self._open = (dialog, tab)
            if tab is not None:
                tab.dialog = dialog
            self._note(dialog, None)
            self.appeared.set()
            return
        else:
            accepted, text = self._policy != "dismiss" or dialog.type == "beforeunload", None
        self._note(dialog, accepted)
        await _close_dialog(dialog, accepted, text)

    async def answer(self, value: Any) -> None:
        """Answer the open dialog, or remember the answer for the next one."""
        accepted, text = _parse_answer(value)
        if self._open is None:
            self._prepared.append((accepted, text))
            return
        dialog, tab = self._open
        self._open = None
        self.appeared.clear()
        if tab is not None:
            tab.dialog = None
        self._note(dialog, accepted)
        await _close_dialog(dialog, accepted, text)

    async def give_up(self) -> None:
        """Dismiss what is open, so that the page can be closed."""
        if self._open is not None:
            dialog, self._open = self._open[0], None
            await _close_dialog(dialog, False, None)

    def _note(self, dialog: Dialog, accepted: bool | None) -> None:
        answer = None if accepted is None else "accept" if accepted else "dismiss"
        self._event_log.add(
            PageEventKind.DIALOG, dialog.message, type=dialog.type, answer=answer,
            default=dialog.default_value[:200],
        )  # fmt: skip


async def _close_dialog(dialog: Dialog, accepted: bool, text: str | None) -> None:
    try:
        if not accepted:
            await dialog.dismiss()
        elif dialog.type == "prompt":
            await dialog.accept(dialog.default_value if text is None else text)
        else:
            await dialog.accept()
    except PlaywrightError:  # its page has gone
        return


def _parse_answer(value: Any) -> tuple[bool, str | None]:
    """Whether a dialog is accepted, and the text for a prompt; raises ActRefused."""
    if value is None or isinstance(value, bool):
        return value is not False, None
    if isinstance(value, dict):
        text: Any = value.get("text")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        return value.get("accept", True) is not False, None if text is None else str(text)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    if not isinstance(value, str):
        raise ActRefused("invalid", "answer_dialog takes accept, dismiss, or the text for a prompt")
    word = value.strip().casefold()
    if word in _YES or word in _NO:
        return word in _YES, None
    return True, value


class Tabs:
    """Listens to everything that the pages of a browser context do."""

    def __init__(
        self,
        context: BrowserContext,
        event_log: PageEventLog,
        dialogs: Dialogs,
        evidence: Evidence,
    ) -> None:
        self._context = context
        self._event_log = event_log
        self._dialogs = dialogs
        self._evidence = evidence
        self._loading: set[asyncio.Task[None]] = set()
        self._early_documents: list[tuple[Page, str, str]] = []
        self._failed_url = ""
        self._early_requests = 0  # of windows that are not known yet
        self._window_came = asyncio.Event()
        self.all: list[Tab] = []
        self.current: Tab | None = None
        for event, handler in self.listeners():
            context.on(cast("Any", event), handler)

    def listeners(self) -> Iterator[tuple[str, Any]]:
        """Yield the events of a browser context that are listened to, with their handlers."""
        yield "page", self._on_page
        yield "request", self._on_request
        yield "requestfinished", self._on_request_finished
        yield "requestfailed", self._on_request_failed
        yield "response", self._on_response
        yield "console", self._on_console
        yield "dialog", self._on_dialog
        yield "weberror", self._on_web_error

    @property
    def place(self) -> int:
        """Which of the tabs is looked at, from 0."""
        return self.all.index(self.current) if self.current in self.all else 0

    def switch(self, tab: Tab) -> None:
        """Look at another tab."""
        self.current = tab

    async def open(self) -> Tab | None:
        """Open an empty tab; returns it, or None if the case is to stay where it is."""
        return self._of(await self._context.new_page())

    async def wait_for_downloads(self, limit_s: float) -> None:
        """Wait for the files that are being downloaded."""
        if self._loading:
            await asyncio.wait(self._loading, timeout=limit_s)

    async def wait_for_window(self) -> bool:
        """Wait for a new window whose page has been asked for; returns whether one came.

        Playwright names a window after the first answer for it. Where that answer is a failure
        (a host without a name), the failure is known first, and the window up to 0.1 s later.
        """
        if not self._early_requests:
            return False
        self._window_came.clear()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._window_came.wait(), _WINDOW_S)
        is_there = not self._early_requests
        self._early_requests = 0  # one that became a download has no window
        return is_there

    async def finish(self) -> None:
        """Let go of what is still being downloaded."""
        for task in self._loading:
            task.cancel()
        if self._loading:
            await asyncio.wait(self._loading)

    def record_document(self, page: Page, token: str, url: str) -> None:
        """Record a new document, which the script in a page's main frame reports."""
        tab = self._of(page)
        if tab is None:  # its window is not known yet
            self._early_documents.append((page, token, url))
            return
        if token in tab.tokens or url == "about:blank":
            return
        tab.tokens.add(token)
        tab.documents += 1
        self._event_log.add(PageEventKind.DOCUMENT, url, document=tab.documents)

    def _of(self, page: Page | None) -> Tab | None:
        return next((tab for tab in self.all if tab.page is page), None)

    def _on_page(self, page: Page) -> None:
        tab = Tab(page, opener=self.current)
        self._early_requests = max(self._early_requests - 1, 0)
        if not self._early_requests:
            self._window_came.set()
        if self.all:
            self._event_log.add(PageEventKind.POPUP, page.url, tab=len(self.all))
        self.all.append(tab)
        early, self._early_documents = self._early_documents, []
        for opened, token, url in early:
            self.record_document(opened, token, url)
        page.on("framenavigated", lambda frame: self._on_navigated(tab, frame))
        page.on("close", lambda _: self._on_close(tab))
        page.on("crash", lambda _: self._on_crash(tab))
        page.on("download", self._on_download)
        if len(self.all) <= _MOST_TABS:
            self.current = tab
        if page.url.startswith(_ERROR_PAGES):  # it failed before its window was known
            self._return_to_opener(tab, self._failed_url)

    def _on_navigated(self, tab: Tab, frame: Frame) -> None:
        if frame.parent_frame is None and frame.url != tab.url:
            tab.url = frame.url
            self._event_log.add(PageEventKind.URL, frame.url)

    def _return_to_opener(self, tab: Tab, url: str) -> None:
        """Look at the opener again if a new tab cannot show a page of another host.

        A word that opens an external dictionary, on a machine without a network, leaves the app
        where it was. A page of the app's own that fails is what the act led to.
        """
        is_new = tab is self.current and tab.url.startswith(("about:blank", *_ERROR_PAGES))
        if is_new and tab.opener in self.all and _host_of(url) != _host_of(tab.opener.url):
            self.current = tab.opener

    def _on_close(self, tab: Tab) -> None:
        if tab in self.all:
            self._event_log.add(PageEventKind.TAB_CLOSED, tab.url, tab=self.all.index(tab))
            self.all.remove(tab)
        if self.current is tab:
            self.current = self.all[-1] if self.all else None

    def _on_crash(self, tab: Tab) -> None:
        tab.crashed = True
        self._event_log.add(PageEventKind.CRASH, tab.url)

    def _on_request(self, request: Request) -> None:
        tab = self._tab_of(request)
        if tab is not None and request.resource_type not in _ENDLESS:
            tab.open[request] = time.monotonic()
        if _is_before_its_window(request) and self.all:
            self._early_requests += 1

    def _on_request_finished(self, request: Request) -> None:
        for tab in self.all:
            tab.open.pop(request, None)
            tab.answered.pop(request, None)

    def _on_request_failed(self, request: Request) -> None:
        self._on_request_finished(request)
        failure = request.failure or ""
        if "ERR_ABORTED" in failure or "NS_BINDING_ABORTED" in failure:
            return
        if _is_main_request(request):
            self._failed_url = request.url
            if self.current is not None and self._tab_of(request) is self.current:
                self._return_to_opener(self.current, request.url)
        blocked = any(words in failure for words in _REFUSED)
        kind = PageEventKind.BLOCKED if blocked else PageEventKind.REQUEST_FAILED
        self._event_log.add(
            kind,
            request.url,
            error=failure,
            resource=request.resource_type,
            main=_is_main_request(request),
        )

    def _on_response(self, response: Response) -> None:
        tab = self._tab_of(response.request)
        if tab is not None and not response.request.is_navigation_request():
            tab.answered[response.request] = time.monotonic()
        if tab is not None and _is_main_request(response.request):
            tab.status = response.status
        if response.status >= 400 and not response.url.endswith("/favicon.ico"):
            request = response.request
            self._event_log.add(
                PageEventKind.HTTP_ERROR, response.url, status=response.status,
                resource=request.resource_type, main=_is_main_request(request),
            )  # fmt: skip

    def _on_console(self, message: ConsoleMessage) -> None:
        source = str(message.location.get("url", ""))
        if message.type == "error" and not source.endswith("/favicon.ico"):
            self._event_log.add(PageEventKind.CONSOLE_ERROR, message.text, source=source[:500])

    def _on_web_error(self, error: WebError) -> None:
        # The first address in the stack says whose script it was: the app's or a third party's.
        place = _STACK_ADDRESS.search(getattr(error.error, "stack", None) or "")
        source = place[0][:500] if place else ""
        self._event_log.add(PageEventKind.PAGE_ERROR, str(error.error), source=source)

    async def _on_dialog(self, dialog: Dialog) -> None:
        await self._dialogs.handle(dialog, self._of(dialog.page))

    def _on_download(self, download: Download) -> None:
        task = asyncio.ensure_future(self._keep_download(download))
        self._loading.add(task)
        task.add_done_callback(self._loading.discard)

    async def _keep_download(self, download: Download) -> None:
        name = download.suggested_filename
        try:
            path, size = await self._evidence.keep_download(download)
            content = await self._evidence.read_text(download)
        except (PlaywrightError, OSError) as err:
            reason = str(err).splitlines()[0][:200] if str(err) else "it failed"
            self._event_log.add(PageEventKind.DOWNLOAD, name, error=reason, url=download.url)
            return
        self._event_log.add(
            PageEventKind.DOWNLOAD, name, artifact=path, bytes=size, url=download.url[:2000],
            **content,
        )  # fmt: skip

    def _tab_of(self, request: Request) -> Tab | None:
        try:
            return self._of(request.frame.page)
        except PlaywrightError:  # of a service worker, or of a page that is not there yet
            return self.current


def _host_of(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


_STACK_ADDRESS = re.compile(r"https?://[^\s)]+")


def _is_before_its_window(request: Request) -> bool:
    """Whether a page is asked for whose window is not known yet."""
    if not request.is_navigation_request() or request.redirected_from is not None:
        return False
    try:
        return request.frame.page.is_closed()
    except PlaywrightError:
        return True


def _is_main_request(request: Request) -> bool:
    """Whether the request was for the page itself."""
    try:
        return request.is_navigation_request() and request.frame.parent_frame is None
    except PlaywrightError:
        return request.is_navigation_request()

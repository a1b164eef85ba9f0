"""A session on a page that somebody else has opened: a Playwright script's own.

The page, its context and its browser stay theirs: nothing is closed, and acts stay on this page
also when another tab opens. Playwright's synchronous pages are used through the asynchronous
interface of the same objects, on the loop that Playwright itself runs.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast
from weakref import WeakKeyDictionary

from playwright.async_api import (
    BrowserContext,
    ConsoleMessage,
    Dialog,
    ElementHandle,
    Page,
    Request,
    Response,
    WebError,
)
from playwright.async_api import Error as PlaywrightError
from playwright.sync_api import Page as SyncPage

from sparring.errors import AppCrash, ConfigurationError
from sparring.interfaces.app_connector import PageSession
from sparring.model.page import PageSnapshot
from sparring_connectors.browser.config import BrowserConfig
from sparring_connectors.browser.evidence import Evidence
from sparring_connectors.browser.in_page import NAME, NOTE, script
from sparring_connectors.browser.session import BrowserSession
from sparring_connectors.browser.tabs import Tab, Tabs

_INSIDE = f"""(root, [token, numbers]) => {{
  const api = window.{NAME} && window.{NAME}.api;
  if (!api || api.token !== token) return [];
  const up = (node) => node.parentNode || node.host || null;
  return numbers.filter((number) => {{
    for (let at = api.node(number); at; at = up(at)) if (at === root) return true;
    return false;
  }});
}}"""

Noted = Callable[[dict[str, Any], object], None]
_LISTENING: "WeakKeyDictionary[BrowserContext, list[Noted]]" = WeakKeyDictionary()
"""Who hears the script in the pages of a context: it is put there once, for all sessions."""


class AttachedTabs(Tabs):
    """The tabs of an attached session: the page itself, and the windows that it opens."""

    def adopt(self, page: Page) -> None:
        """Take the page that the session is about."""
        super()._on_page(page)
        self.all[0].url = page.url
        self.all[0].documents = 1

    def _on_page(self, page: Page) -> None:
        if not self.all or getattr(page, "_impl_obj", None) is None:
            return
        opener = getattr(page._impl_obj, "_opener", None)  # pyright: ignore[reportPrivateUsage]
        if opener is None or all(_implementation(tab.page) is not opener for tab in self.all):
            return  # another page of the script's
        before = self.current
        super()._on_page(page)
        self.current = before

    def _on_close(self, tab: Tab) -> None:
        was = self.current
        super()._on_close(tab)
        if was is tab:
            self.current = None

    def _on_request_failed(self, request: Request) -> None:
        if self._tab_of(request) is not None:
            super()._on_request_failed(request)

    def _on_response(self, response: Response) -> None:
        if self._tab_of(response.request) is not None:
            super()._on_response(response)

    def _on_console(self, message: ConsoleMessage) -> None:
        if self._of(message.page) is not None:
            super()._on_console(message)

    def _on_web_error(self, error: WebError) -> None:
        if self._of(error.page) is not None:
            super()._on_web_error(error)

    async def _on_dialog(self, dialog: Dialog) -> None:
        if self._of(dialog.page) is not None and not _has_answerer(dialog):
            await super()._on_dialog(dialog)
        elif not _has_answerer(dialog):
            await _answer_as_playwright(dialog)

    def _of(self, page: Page | None) -> Tab | None:
        return next(
            (tab for tab in self.all if _implementation(tab.page) is _implementation(page)), None
        )

    def detach(self, context: BrowserContext) -> None:
        """Take all listeners off the context."""
        for event, handler in self.listeners():
            context.remove_listener(cast("Any", event), handler)


class AttachedSession(BrowserSession, PageSession):
    """Acts on a page that a script owns; see `PageSession`."""

    def __init__(
        self, config: BrowserConfig, page: Page, evidence: Evidence, base_dir: Path
    ) -> None:
        super().__init__(config, page.context, evidence, base_dir)
        self.page = page
        self._scope: object = None
        self._ignored: tuple[object, ...] = ()
        self._is_started = True

    def _make_tabs(self) -> Tabs:
        return AttachedTabs(self.context, self.events, self.dialogs, self.evidence)

    async def prepare(self) -> None:
        cast("AttachedTabs", self.tabs).adopt(self.page)
        await self.evidence.begin(self.context)
        await _listen_to_context(self.context, self._on_note)
        await self.snapshot()

    async def finish(self, *, failed: bool) -> None:
        del failed
        await self.dialogs.give_up()
        listeners = _LISTENING.get(self.context, [])
        if self._on_note in listeners:
            listeners.remove(self._on_note)
        await self.tabs.finish()
        cast("AttachedTabs", self.tabs).detach(self.context)

    def address(self, value: str) -> str:
        return self.join(self.page.url, self.variables.fill(value).strip())

    async def open_tab(self) -> Tab:
        return self.tab

    async def narrow(self, scope: object = None, ignored: tuple[object, ...] = ()) -> None:
        """See `PageSession.narrow`: selectors and Playwright locators."""
        self._scope, self._ignored = scope, ignored

    async def snapshot(self, apart: str = "") -> PageSnapshot:
        whole = await super().snapshot(apart)
        if self._scope is None and not self._ignored:
            return whole
        kept = {element.id for element in whole.elements}
        if self._scope is not None:
            kept &= await self._inside(self._scope, whole, needed=True)
        for element in self._ignored:
            kept -= await self._inside(element, whole, needed=False)
        elements = tuple(element for element in whole.elements if element.id in kept)
        return whole.model_copy(update={"elements": elements})

    async def _inside(self, scope: object, whole: PageSnapshot, *, needed: bool) -> set[str]:
        """The ids of the elements within what a selector or a locator finds."""
        inside_ids: set[str] = set()
        roots = await self._roots(scope)
        if needed and not roots:
            raise ConfigurationError(f"the scope {self.shown(str(scope))[:200]} is not on the page")
        for root in roots:
            frame = await root.owner_frame()
            places = [(element.id, self.documents.place(element.id)) for element in whole.elements]
            own = [(name, at) for name, at in places if at and at[0] is frame]
            if own:
                numbers = [at[2] for _, at in own]
                inside_numbers: list[int] = await root.evaluate(_INSIDE, [own[0][1][1], numbers])
                inside = frozenset(inside_numbers)
                inside_ids |= {name for name, at in own if at[2] in inside}
            inside_ids |= _elements_inside(whole, inside_ids)
            await root.dispose()
        return inside_ids

    async def _roots(self, scope: object) -> list[ElementHandle]:
        if isinstance(scope, str):
            locator = self.tab.page.locator(scope)
        else:
            implied = getattr(scope, "_impl_obj", None)
            if implied is None or not hasattr(scope, "element_handles"):
                raise ConfigurationError("a scope is a selector or a locator of Playwright's")
            locator = as_async(scope)
        try:
            handles: list[ElementHandle] = await locator.element_handles()
        except PlaywrightError as err:
            reason = err.message.splitlines()[0] if err.message else "it failed"
            raise ConfigurationError(f"the scope cannot be found: {reason}") from None
        return handles


def _elements_inside(whole: PageSnapshot, ids: set[str]) -> set[str]:
    """What lies in elements that are found, over the borders of frames."""
    more: set[str] = set()
    for element in whole.elements:
        if element.parent in ids or element.parent in more:
            more.add(element.id)
    return more


class Attachment:
    """A session on a page, from when it is entered until it is left.

    It is no generator: a script that ends without leaving it has nothing to finish.
    """

    def __init__(
        self, config: BrowserConfig, page: object, run_dir: Path | None, base_dir: Path
    ) -> None:
        self._config = config
        self._page = page
        self._run_dir = run_dir
        self._base_dir = base_dir
        self._session: AttachedSession | None = None

    async def __aenter__(self) -> PageSession:
        """Attach; raises ConfigurationError for what is no page, AppCrash for a closed one."""
        page = self._page
        if not isinstance(page, Page | SyncPage):
            raise ConfigurationError(
                f"{type(page).__name__} is no page of Playwright's that can be attached to"
            )
        if page.is_closed():
            raise AppCrash("the page has been closed")
        evidence = Evidence(self._run_dir, "page", self._config.screenshots, "never")
        session = AttachedSession(self._config, as_async(page), evidence, self._base_dir)
        try:
            await session.prepare()
        except PlaywrightError as err:
            await session.finish(failed=True)
            raise await session.unless_machine(session.failure(err)) from None
        except BaseException:
            await session.finish(failed=True)
            raise
        self._session = session
        return session

    async def __aexit__(self, *_: object) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.finish(failed=False)


async def _listen_to_context(context: BrowserContext, noted: Noted) -> None:
    listeners_before = _LISTENING.get(context)
    if listeners_before is not None:
        listeners_before.append(noted)
        return
    listeners = _LISTENING[context] = [noted]

    def pass_on(source: dict[str, Any], data: object) -> None:
        for listener in list(listeners):
            listener(source, data)

    await context.expose_binding(NOTE, pass_on)  # pyright: ignore[reportUnknownMemberType]
    await context.add_init_script(script())


def _has_answerer(dialog: Dialog) -> bool:
    """Whether the script that owns the page answers its dialogs itself."""
    page = _implementation(dialog.page)
    counted: Callable[[str], list[Any]] | None = getattr(page, "listeners", None)
    return bool(counted("dialog")) if counted is not None else False


async def _answer_as_playwright(dialog: Dialog) -> None:
    """Do what Playwright does if nobody listens: dismiss, but let a page be left."""
    try:
        await (dialog.accept() if dialog.type == "beforeunload" else dialog.dismiss())
    except PlaywrightError:
        return


def _implementation(wrapped: Any) -> Any:
    return getattr(wrapped, "_impl_obj", None)


_ASYNC = "_sparring_async"


def _implementation_class(found: object) -> type:
    named: type = getattr(found, "_api_impl_class", None) or type(found)
    return named


def as_async(wrapped: Any) -> Any:
    """A synchronous object of Playwright's as an asynchronous one; others as they are."""
    implied = _implementation(wrapped)
    if getattr(implied, "_dispatcher_fiber", None) is None:
        return wrapped
    return _async_mapping().from_impl(implied)


def _async_mapping() -> Any:
    """Playwright's table of asynchronous classes, made to leave synchronous objects alone.

    An object remembers one wrapper. For objects of a synchronous script the asynchronous wrapper is
    remembered apart, so that the script never meets it.
    """
    from playwright._impl import _async_base

    mapping: Any = _async_base.mapping
    if getattr(mapping, _ASYNC, False):
        return mapping
    plain = mapping.from_maybe_impl
    classes: dict[type, type] = mapping._mapping

    def from_maybe_impl(found: Any, visited: Any = None) -> Any:
        kind = classes.get(_implementation_class(found)) if found else None
        if kind is None or getattr(found, "_dispatcher_fiber", None) is None:
            return plain(found, visited)
        remembered = getattr(found, _ASYNC, None)
        if remembered is None:
            remembered = kind(found)
            setattr(found, _ASYNC, remembered)
        return remembered

    mapping.from_maybe_impl = from_maybe_impl
    setattr(mapping, _ASYNC, True)
    return mapping

"""One case's pages: acts in, views out."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import urljoin

from playwright.async_api import BrowserContext, Dialog, Download
from playwright.async_api import Error as PlaywrightError

from sparring.errors import AppCrash, AppProtocolError
from sparring.interfaces.app_connector import AppSession
from sparring.model.page import Element, PageEventKind, PageSnapshot, PageView
from sparring.model.talk import Act, GuiAction, Listen, Observation, Press, Say
from sparring_connectors.browser.acting import ACTIONS, Outcome, Refused
from sparring_connectors.browser.config import BrowserConfig
from sparring_connectors.browser.documents import Documents, Told
from sparring_connectors.browser.elements import element_of, with_digest
from sparring_connectors.browser.happenings import Happenings
from sparring_connectors.browser.in_page import NOTE, script
from sparring_connectors.browser.settling import settle
from sparring_connectors.browser.tabs import Tab, Tabs
from sparring_connectors.browser.variables import Variables


class BrowserSession(AppSession):
    """A browser context of its own, with its tabs and what happened in them."""

    def __init__(self, config: BrowserConfig, context: BrowserContext) -> None:
        self.config = config
        self.context = context
        self.variables = Variables(config)
        self.happenings = Happenings(self.variables)
        self.tabs = Tabs(context, self.happenings, self)
        self.documents = Documents()
        self.latest: PageSnapshot | None = None
        self._is_started = False

    async def prepare(self) -> None:
        """Put the script into all documents to come, and open a tab."""
        await self.context.expose_binding(NOTE, self._noted)
        await self.context.add_init_script(script())
        await self.context.new_page()

    async def send(self, act: Act) -> Observation:
        match act:
            case Listen():
                await self._start()
                return await self._observation(Outcome())
            case GuiAction():
                if act.action != "open":
                    await self._start()
                return await self._observation(await self._done(act))
            case Say() | Press():
                raise AppProtocolError("this app is a page without a chat: `chat` names none")

    async def asked(self, dialog: Dialog, tab: Tab | None) -> None:
        """A page shows an alert, asks to confirm, or for a text."""
        answer = self.config.dialogs
        self.happenings.add(
            PageEventKind.DIALOG, dialog.message, type=dialog.type, answer=answer,
            default=dialog.default_value,
        )  # fmt: skip
        try:
            if answer == "dismiss":
                await dialog.dismiss()
            else:
                await dialog.accept(dialog.default_value)
        except PlaywrightError:  # its page is gone
            return

    def downloaded(self, download: Download) -> None:
        """A file is being downloaded."""
        self.happenings.add(PageEventKind.DOWNLOAD, download.suggested_filename)

    def _noted(self, source: Any, data: object) -> None:
        try:
            told = json.loads(data) if isinstance(data, str) and len(data) < 20_000 else None
        except ValueError:
            return
        if isinstance(told, dict) and "document" in told:
            self.tabs.began(source["page"], str(told.get("token")), str(told["document"]))  # pyright: ignore
        else:
            self.happenings.note(told)

    async def _start(self) -> None:
        if not self._is_started:
            await self._done(GuiAction(action="open", value=self.config.url))

    async def _done(self, act: GuiAction) -> Outcome:
        action = ACTIONS.get(act.action)
        try:
            if action is None:
                raise Refused("unknown", f"there is no action {act.action!r}")
            if act.action == "open":
                self._is_started = True
            return await action(self, act)
        except Refused as err:
            self.happenings.add(PageEventKind.REFUSED, str(err), why=err.why, action=act.action)
            return Outcome(hit=False)

    @property
    def tab(self) -> Tab:
        """The tab that is looked at; raises AppCrash where there is none."""
        if self.tabs.current is None:
            raise AppCrash("the app closed its last tab")
        return self.tabs.current

    def address(self, value: str) -> str:
        """A whole address from one that may be relative to the suite's."""
        return urljoin(self.config.url, self.variables.filled(value))

    async def _observation(self, outcome: Outcome) -> Observation:
        began = asyncio.get_running_loop().time()
        unsettled = await settle(self.tab, self.config.settle)
        if unsettled:
            self.happenings.add(PageEventKind.NOT_SETTLED, unsettled)
        waited = asyncio.get_running_loop().time() - began
        snapshot = await self.snapshot()
        self.latest = snapshot
        events = self.happenings.taken()
        said = [event.text for event in events if event.kind is PageEventKind.MESSAGE]
        view = PageView(
            snapshot=snapshot, events=events, messages=tuple(self.happenings.messages),
            hit=outcome.hit, target_changed=outcome.changed, settle_s=round(waited, 4),
        )  # fmt: skip
        return Observation(text="\n".join(said), page=view)

    async def snapshot(self) -> PageSnapshot:
        """What the current tab shows."""
        options = self.config.snapshot
        asked = {
            "elements": options.elements, "text": options.text, "options": options.options,
            "interactive": options.interactive, "nodes": 200_000,
        }  # fmt: skip
        for attempt in range(5):
            tab = self.tab
            try:
                told = await self.documents.read(tab.page.main_frame, asked)
            except PlaywrightError as err:
                if tab.crashed:
                    raise AppCrash(f"the page {tab.url} crashed") from None
                if attempt == 4:
                    raise AppProtocolError(f"the page cannot be read: {err.message}") from None
                await settle(tab, self.config.settle)
                continue
            if told is not None:
                return self._assembled(tab, told)
        raise AppProtocolError("the page cannot be read: it keeps going to others")

    def _assembled(self, tab: Tab, told: Told) -> PageSnapshot:
        elements: list[Element] = []
        frames: list[str] = []
        left = self._collect(told, elements, frames, None)
        main = told.told
        scroll = main["scroll"]
        return with_digest(
            PageSnapshot(
                url=self.variables.hidden(main["url"]),
                title=self.variables.hidden(main["title"]),
                elements=tuple(elements), document=tab.documents, tab=self.tabs.place,
                tabs=len(self.tabs.all), frames=tuple(frames), scroll_y=scroll[1],
                scroll_height=scroll[2], viewport_height=scroll[3], truncated=left,
            )  # fmt: skip
        )

    def _collect(
        self, told: Told, elements: list[Element], frames: list[str], host: Element | None
    ) -> int:
        number = self.documents.number(told.frame, str(told.told["token"]))
        place = len(frames)
        frames.append(self.variables.hidden(told.told["url"]))
        inner = dict(told.children)
        origin = (host.box.x, host.box.y) if host is not None and host.box else (0.0, 0.0)
        region: tuple[str, ...] = ()
        if host is not None:
            region = (*host.region, host.name) if host.name else host.region
        left = int(told.told["left"])
        entries: Sequence[Any] = self.variables.hidden_in(told.told["elements"])
        for entry in entries:
            element = element_of(
                entry, place, lambda n: f"{number}.{n}", origin, region,
                host.id if host is not None else None, host is None or host.visible,
            )  # fmt: skip
            elements.append(element)
            if (child := inner.pop(entry["n"], None)) is not None:
                left += self._collect(child, elements, frames, element)
        return left

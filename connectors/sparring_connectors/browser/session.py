"""One case's pages: acts in, views out."""

import asyncio
import json
from collections.abc import Awaitable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any, cast
from urllib.parse import urljoin

from playwright.async_api import BrowserContext, ElementHandle
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from sparring.errors import (
    AppCrash,
    AppError,
    AppProtocolError,
    AppTimeout,
    AppUnreachable,
    ConfigurationError,
    EnvironmentFailure,
    SparringError,
)
from sparring.interfaces.app_connector import AppSession
from sparring.model.page import PageEventKind, PageSnapshot, PageView
from sparring.model.talk import Act, GuiAction, Listen, Observation, Press, Say
from sparring_connectors.browser.acting import Outcome, Refused, Target
from sparring_connectors.browser.actions import ACTIONS
from sparring_connectors.browser.chatting import Chat
from sparring_connectors.browser.config import BrowserConfig
from sparring_connectors.browser.dialogs import Dialogs
from sparring_connectors.browser.documents import Documents
from sparring_connectors.browser.evidence import Evidence
from sparring_connectors.browser.failures import (
    first_line,
    is_leaving,
    is_over,
    machine_failure,
    script_failure,
)
from sparring_connectors.browser.faults import in_page
from sparring_connectors.browser.happenings import Happenings
from sparring_connectors.browser.in_page import NOTE, script
from sparring_connectors.browser.pulse import Pulse
from sparring_connectors.browser.seeding import Seeding
from sparring_connectors.browser.settling import settle
from sparring_connectors.browser.tabs import Tab, Tabs
from sparring_connectors.browser.variables import Variables
from sparring_connectors.browser.viewing import Viewer, questions

_LARGEST_NOTE = 20_000
_ATTEMPTS = 5
_UNHURRIED_S = 1.0
"""After which time an act is watched: nearly all are over by then."""
_LOOK_AGAIN_S = 0.25
_CLOSING_S = 30.0


class BrowserSession(AppSession):
    """A browser context of its own, with its tabs and what happened in them."""

    def __init__(
        self, config: BrowserConfig, context: BrowserContext, evidence: Evidence, base_dir: Path
    ) -> None:
        self.config = config
        self.context = context
        self.evidence = evidence
        self.base_dir = base_dir
        self.variables = Variables(config)
        self.happenings = Happenings(self.variables)
        self.dialogs = Dialogs(self.happenings, config.dialogs)
        self.tabs = self._made_tabs()
        self.documents = Documents()
        self.latest: PageSnapshot | None = None
        self.chat = Chat(self, config.chat) if config.chat is not None else None
        self._viewer = Viewer(self.documents, self.variables)
        self._seeding = Seeding(config, context, self.happenings)
        self._secret_fields: list[ElementHandle] = []
        self._is_started = False
        self._acting: asyncio.Task[Outcome] | None = None

    def _made_tabs(self) -> Tabs:
        return Tabs(self.context, self.happenings, self.dialogs, self.evidence)

    async def prepare(self) -> None:
        """Put the script into all documents to come, and open a tab."""
        await self.evidence.begin(self.context)
        await self.context.expose_binding(NOTE, self._noted)  # pyright: ignore[reportUnknownMemberType]
        await self.context.add_init_script(script(in_page(self.config.faults)))
        await self._seeding.begin()
        limit = self.config.timeout.start_s
        try:
            async with asyncio.timeout(limit):
                await self.context.new_page()
        except TimeoutError:
            raise EnvironmentFailure(
                f"the browser opened no tab within {limit:g} s (timeout.start_s)"
            ) from None

    async def finish(self, *, failed: bool) -> None:
        """Close the context, keeping what is left of the case.

        A browser that answers nothing any more is not waited for: it is ended with the run.
        """
        self.evidence.failed = self.evidence.failed or failed
        with suppress(TimeoutError):
            async with asyncio.timeout(_CLOSING_S):
                await self._finish()

    async def _finish(self) -> None:
        await self.dialogs.give_up()
        if self._acting is not None:
            self._acting.cancel()
            await asyncio.wait([self._acting])
        await self.tabs.finish()
        clean = self.variables.without_secrets if self.variables.has_secrets else None
        await self.evidence.end(self.context, clean)
        try:
            await self.context.close()
        except PlaywrightError:  # the browser has gone, and the context with it
            return

    async def send(self, act: Act) -> Observation:
        """See `AppSession.send`; raises what did not go well with the right owner."""
        try:
            return await self._watched(self._sent(act))
        except AppUnreachable:
            raise
        except AppError as err:
            failure: SparringError = err
        except PlaywrightError as err:
            failure = self.failure(err)
        raise await self.unless_machine(failure) from None

    async def _sent(self, act: Act) -> Observation:
        match act:
            case GuiAction():
                return await self._view(act)
            case Listen():
                viewed = await self._view(GuiAction(action="listen"))
                if self.chat is None:
                    return viewed
                heard = await self._in_chat(self.chat.listen())
                return heard.model_copy(update={"page": viewed.page})
            case Say() | Press():
                if self.chat is None:
                    raise ConfigurationError(
                        "this app is a page, and no chat: `chat` in the suite's `app` makes it one"
                    )
                return await self._said(self.chat, act)

    async def _said(self, chat: Chat, act: Say | Press) -> Observation:
        if not self._is_started:
            await self._view(GuiAction(action="listen"))
        if isinstance(act, Say):
            heard = await self._in_chat(chat.say(self.variables.filled(act.text)))
        else:
            heard = await self._in_chat(chat.press(act.label))
        if chat.shows_page:
            viewed = await self._view(GuiAction(action="listen"))
            heard = heard.model_copy(update={"page": viewed.page})
        return heard

    async def _in_chat(self, work: Awaitable[Observation]) -> Observation:
        try:
            return await work
        except PlaywrightTimeout as err:
            raise AppProtocolError(f"the chat cannot be used: {self._told(err)}") from None

    def _told(self, err: PlaywrightError) -> str:
        return self.shown(first_line(err))

    def failure(self, err: PlaywrightError) -> SparringError:
        """Return what an error of Playwright's stands for, if the browser itself is well."""
        tab = self.tabs.current
        if (tab is not None and tab.crashed) or "crashed" in first_line(err):
            return AppCrash(f"the page {self.shown(tab.url if tab else '')} crashed")
        if is_over(err):
            return AppCrash(f"the page went away: {self._told(err)}")
        if is_leaving(err):
            return AppProtocolError(f"the page keeps going to others: {self._told(err)}")
        if isinstance(err, PlaywrightTimeout):
            return AppTimeout(self._told(err))
        return script_failure("send", self._told(err))

    async def unless_machine(self, failure: SparringError) -> SparringError:
        """Return a failure of the app's, or that of the machine which explains it."""
        if not isinstance(failure, AppError):
            return failure
        limit = self.config.timeout.navigation_s
        tab = self.tabs.current
        is_closed = tab is None or tab.page.is_closed()
        return await machine_failure(self.context, limit, is_closed=is_closed) or failure

    async def _watched(self, work: Coroutine[Any, Any, Observation]) -> Observation:
        """Wait for an act; raises AppTimeout if the page answers nothing meanwhile."""
        task = asyncio.ensure_future(work)
        pulse, limit = Pulse(), self.config.timeout.navigation_s
        try:
            await asyncio.wait([task], timeout=_UNHURRIED_S)
            while not task.done():
                tab = None if self.dialogs.is_open else self.tabs.current
                if pulse.silent_s(tab.page if tab else None) > limit and tab is not None:
                    raise self._hung(tab)
                await asyncio.wait([task], timeout=_LOOK_AGAIN_S)
            return task.result()
        finally:
            pulse.end()
            if not task.done():
                task.cancel()
                await asyncio.wait([task])

    def _hung(self, tab: Tab) -> AppTimeout:
        limit = self.config.timeout.navigation_s
        hung = f"the page {self.shown(tab.url)} has hung for {limit:g} s (timeout.navigation_s)"
        leaving = [request for request in tab.open if request.is_navigation_request()]
        if leaving:  # a browser asks a page nothing while it is being left
            hung += f": it waits for {self.shown(leaving[0].url[:200])}"
        return AppTimeout(hung)

    async def _view(self, act: GuiAction) -> Observation:
        if not self._is_started and act.action != "open":
            await self._perform(GuiAction(action="open", value=self.config.url))
        return await self._observed(act)

    async def _observed(self, act: GuiAction) -> Observation:
        before = await self._perform(act) if act.action != "listen" else _Done(Outcome())
        clock = asyncio.get_running_loop().time
        began = clock()
        await self.settle()
        waited = clock() - began
        snapshot = await self.snapshot()
        changed = await self._has_changed(before)
        self.latest = snapshot
        picture = None
        if not self.dialogs.is_open:
            picture = await self.evidence.picture(self.tab.page, act.action, await self._veiled())
        events = self.happenings.taken()
        said = [one.text for one in events if one.kind in _SAID]
        view = PageView(
            snapshot=snapshot,
            events=events,
            messages=tuple(self.happenings.messages),
            hit=before.outcome.hit,
            target_changed=changed,
            settle_s=round(waited, 4),
            screenshot=picture,
        )
        return Observation(text="\n".join(said), page=view)

    async def _perform(self, act: GuiAction) -> "_Done":
        """Carry an act out; one that is refused is an event, and not an error."""
        action = ACTIONS.get(act.action)
        done = _Done(Outcome(hit=False))
        if act.action == "open":
            self._is_started = True
        try:
            if action is None:
                raise Refused("unknown", f"there is no action {act.action[:80]!r}")
            self._refuse_during_dialog(act)
            self._target = None
            done.outcome = await self._until_done(action(self, act))
        except Refused as err:
            self._refused(err, act)
        done.target = self._target
        return done

    def _refuse_during_dialog(self, act: GuiAction) -> None:
        if self.dialogs.is_open and act.action not in ("answer_dialog", "screenshot", "wait"):
            raise Refused("dialog", f"{act.action}: a dialog is open and wants an answer first")

    def _refused(self, err: Refused, act: GuiAction) -> None:
        self.happenings.add(PageEventKind.REFUSED, str(err), why=err.why, action=act.action[:80])
        if self.evidence.on_failure:
            self.evidence.wants_picture = True
        self.evidence.failed = True

    _target: Target | None = None

    def aimed(self, target: Target) -> None:
        """An act has found its target; what is around it is compared afterwards."""
        self._target = target

    async def _until_done(self, work: Any) -> Outcome:
        """Wait for an act, or until it makes the page show a dialog that wants an answer."""
        if self._acting is not None and not self.dialogs.is_open:
            await asyncio.wait([self._acting], timeout=self.config.timeout.action_s)
        task: asyncio.Task[Outcome] = asyncio.ensure_future(work)
        if self.config.dialogs != "ask":
            return await task
        appeared = asyncio.ensure_future(self.dialogs.appeared.wait())
        try:
            waiting = [task] if self.dialogs.is_open else [task, appeared]
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            appeared.cancel()
        if task.done():
            return task.result()
        self._acting = task
        task.add_done_callback(self._acted)
        return Outcome(hit=True)

    def _acted(self, task: asyncio.Task[Outcome]) -> None:
        self._acting = None
        if not task.cancelled():
            task.exception()  # it was interrupted by a dialog: what it says now is not asked

    async def settle(self) -> None:
        """Wait until the current tab is quiet, and say where it is not."""
        if self.dialogs.is_open or not self.tabs.all:
            return
        unsettled = await settle(self.tab, self.config.settle)
        await self.tabs.downloaded(self.config.settle.cap_s)
        if unsettled:
            self.happenings.add(PageEventKind.NOT_SETTLED, unsettled)

    async def snapshot(self, apart: str = "") -> PageSnapshot:
        """What the current tab shows; what it last showed while a dialog is open.

        The text of what matches `apart` is told apart from the text around it.
        """
        for attempt in range(_ATTEMPTS):
            tab = self.tab
            if self.dialogs.is_open:
                return self.latest or PageSnapshot(url=self.shown(tab.url))
            try:
                told = await self._read(tab, apart)
            except PlaywrightError as err:
                self._check(tab)
                if is_over(err):
                    raise
                if attempt == _ATTEMPTS - 1:
                    raise self._unreadable(err) from None
                await settle(tab, self.config.settle)
                continue
            if told is not None:
                return self._viewer.snapshot(told, tab, self.tabs)
        raise AppProtocolError("the page cannot be read: it keeps going to others")

    def _unreadable(self, err: PlaywrightError) -> SparringError:
        if is_leaving(err):
            return AppProtocolError(
                f"the page cannot be read: it keeps going to others ({self._told(err)})"
            )
        return script_failure("snapshot", f"the page cannot be read: {self._told(err)}")

    async def _read(self, tab: Tab, apart: str) -> Any:
        """Ask the frames of a tab; None where a dialog or a crash comes in between."""
        limit = self.config.timeout.navigation_s
        wanted = questions(self.config.snapshot, apart)
        ask = asyncio.ensure_future(self.documents.read(tab.page.main_frame, wanted))
        end = asyncio.get_running_loop().time() + limit
        try:
            while not ask.done():
                await asyncio.wait([ask], timeout=0.2)
                if self.dialogs.is_open or tab.crashed or tab.page.is_closed():
                    return None
                if asyncio.get_running_loop().time() > end:
                    raise self._hung(tab)
            return ask.result()
        finally:
            if not ask.done():
                ask.cancel()

    def _check(self, tab: Tab) -> None:
        if tab.crashed:
            raise AppCrash(f"the page {self.shown(tab.url)} crashed")

    async def _has_changed(self, done: "_Done") -> bool | None:
        target = done.target
        if target is None or self.dialogs.is_open:
            return None
        return await self.documents.has_changed(
            target.frame, target.token, target.number, target.about["hash"]
        )

    @property
    def tab(self) -> Tab:
        """The tab that is looked at; raises AppCrash where there is none, or it crashed."""
        if self.tabs.current is None:
            raise AppCrash("the app closed its last tab")
        self._check(self.tabs.current)
        return self.tabs.current

    async def living_tab(self) -> Tab:
        """The current tab, or a new one where it is closed or has crashed."""
        tab = self.tabs.current
        if tab is None or tab.crashed or tab.page.is_closed():
            await self.context.new_page()
            if tab is not None and tab.crashed:
                await tab.page.close()
        return self.tab

    def typed(self, field: ElementHandle, text: str) -> None:
        """A text was put into a field: one with a secret is not to be seen in pictures."""
        if self.variables.without_secrets(text) != text:
            self._secret_fields.append(field)

    async def _veiled(self) -> list[ElementHandle]:
        """The fields with secrets that are still there."""
        there: list[ElementHandle] = []
        for field in self._secret_fields:
            try:
                if await field.evaluate("(e) => e.isConnected"):
                    there.append(field)
            except PlaywrightError:  # its page has gone
                continue
        self._secret_fields = there
        return there

    def address(self, value: str) -> str:
        """Return a whole address from one that may be relative to the suite's.

        Raises ConfigurationError for one that cannot be read, such as ``http://[/``.
        """
        return self.joined(self.config.url, self.variables.filled_in_address(value.strip()))

    def joined(self, base: str, address: str) -> str:
        """Return `address` as seen from `base`; raises ConfigurationError if it is none."""
        try:
            return urljoin(base, address)
        except ValueError as err:
            shown = self.shown(address)[:200]
            raise ConfigurationError(f"{shown}: no browser opens such an address: {err}") from None

    def shown(self, text: str) -> str:
        """A text of ours that may quote the app, without secrets."""
        return self.variables.hidden(text)

    def began_download(self, err: PlaywrightError) -> bool:
        """Whether going to an address gave a file instead of a page."""
        return "Download is starting" in err.message

    def _noted(self, source: dict[str, Any], data: object) -> None:
        try:
            told: Any = (
                json.loads(data) if isinstance(data, str) and len(data) < _LARGEST_NOTE else 0
            )
        except (ValueError, RecursionError):
            return
        if not isinstance(told, dict):
            return
        known = cast("dict[str, Any]", told)
        if "fault" in known:
            self._seeding.happened(known["fault"])
        elif "document" in known:
            self.tabs.began(source["page"], str(known.get("token"))[:100], str(known["document"]))
        else:
            self.happenings.note(known)


class _Done:
    """An act that was carried out, with its target where it had one."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.target: Target | None = None


_SAID = (PageEventKind.MESSAGE, PageEventKind.DIALOG)

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
from sparring_connectors.browser.accessibility import AccessibilityExaminer
from sparring_connectors.browser.actions import ACTIONS
from sparring_connectors.browser.chat import Chat
from sparring_connectors.browser.config import BrowserConfig, page_faults_json
from sparring_connectors.browser.context import ActOutcome, ActTarget
from sparring_connectors.browser.evidence import Evidence
from sparring_connectors.browser.failures import (
    LATE,
    ActRefused,
    first_line,
    is_leaving,
    is_over,
    machine_failure,
    script_failure,
)
from sparring_connectors.browser.in_page import NOTE, Documents, script
from sparring_connectors.browser.input_watch import InputListener, watch_input
from sparring_connectors.browser.page_events import PageEventLog, RequestWatch
from sparring_connectors.browser.processor_wait import ProcessorWait
from sparring_connectors.browser.rehearsal import Rehearsal
from sparring_connectors.browser.snapshots import SnapshotBuilder, snapshot_options
from sparring_connectors.browser.stability import HangDetector, wait_until_stable
from sparring_connectors.browser.tabs import Dialogs, Tab, Tabs
from sparring_connectors.browser.variables import Variables

_LARGEST_NOTE = 20_000
# A page that goes elsewhere while it is read gives half a page; it is read again.
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
        self.events = PageEventLog(self.variables)
        self.dialogs = Dialogs(self.events, config.dialogs)
        self.tabs = self._make_tabs()
        self.documents = Documents()
        self.latest: PageSnapshot | None = None
        self.chat = Chat(self, config.chat) if config.chat is not None else None
        self._viewer = SnapshotBuilder(self.documents, self.variables)
        self._request_watch = RequestWatch(config, context, self.events)
        self._secret_fields: list[ElementHandle] = []
        self.marks: list[str] = []
        self._is_started = False
        self._pending_act: asyncio.Task[ActOutcome] | None = None
        self.rehearsal: Rehearsal | None = None
        settings = config.accessibility
        self.examiner = AccessibilityExaminer(settings, self.events) if settings else None

    def _make_tabs(self) -> Tabs:
        return Tabs(self.context, self.events, self.dialogs, self.evidence)

    async def prepare(self) -> None:
        """Put the script into all documents to come, and open a tab."""
        await self.evidence.begin(self.context)
        await self.context.expose_binding(NOTE, self._on_note)  # pyright: ignore[reportUnknownMemberType]
        await self.context.add_init_script(script(page_faults_json(self.config.faults)))
        await self._request_watch.install()
        limit = self.config.timeout.start_s
        try:
            async with asyncio.timeout(limit):
                await self.context.new_page()
        except TimeoutError:
            raise EnvironmentFailure(
                f"the browser opened no tab within {limit:g} s (timeout.start_s)"
            ) from None

    async def watch_input(self, listener: InputListener) -> None:
        """Call `listener` for what a person does on the pages: see `input_watch`."""
        await watch_input(self.context, self.documents, listener)

    async def finish(self, *, failed: bool) -> None:
        """Close the context, keeping what is left of the case.

        A browser that answers nothing any more is not waited for: it is ended with the run.
        """
        self.evidence.failed = self.evidence.failed or failed
        if self.rehearsal is not None:
            await self.rehearsal.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(_CLOSING_S):
                await self._finish()

    async def _finish(self) -> None:
        await self.dialogs.give_up()
        if self._pending_act is not None:
            self._pending_act.cancel()
            await asyncio.wait([self._pending_act])
        await self.tabs.finish()
        clean = self.variables.without_secrets if self.variables.has_secrets else None
        await self.evidence.end(self.context, clean)
        try:
            await self.context.close()
        except PlaywrightError:  # the browser has gone, and the context with it
            return

    async def send(self, act: Act) -> Observation:
        """See `AppSession.send`; raises what did not go well with the right owner."""
        if self.rehearsal is not None:
            tried = await self.rehearsal.send(act, self.latest)
            if tried is not None:
                return tried
        try:
            return await self._watch(self._dispatch(act))
        except AppUnreachable:
            raise
        except AppError as err:
            failure: SparringError = err
        except PlaywrightError as err:
            failure = self.failure(err)
        raise await self.unless_machine(failure) from None

    async def _dispatch(self, act: Act) -> Observation:
        match act:
            case GuiAction():
                return await self._view(act)
            case Listen():
                viewed = await self._view(GuiAction(action="listen"))
                if self.chat is None:
                    return viewed
                answer = await self._in_chat(self.chat.listen())
                return answer.model_copy(update={"page": viewed.page})
            case Say() | Press():
                if self.chat is None:
                    raise ConfigurationError(
                        "this app is a page, and no chat: `chat` in the suite's `app` makes it one"
                    )
                return await self._talk(self.chat, act)

    async def _talk(self, chat: Chat, act: Say | Press) -> Observation:
        if not self._is_started:
            await self._view(GuiAction(action="listen"))
        if isinstance(act, Say):
            answer = await self._in_chat(chat.say(self.variables.fill(act.text)))
        else:
            answer = await self._in_chat(chat.press(act.label))
        if chat.shows_page:
            viewed = await self._view(GuiAction(action="listen"))
            answer = answer.model_copy(update={"page": viewed.page})
        return answer

    async def _in_chat(self, work: Awaitable[Observation]) -> Observation:
        try:
            return await work
        except PlaywrightTimeout as err:
            raise AppProtocolError(f"the chat cannot be used: {self._describe(err)}") from None

    def _describe(self, err: PlaywrightError) -> str:
        return self.shown(first_line(err))

    def failure(self, err: PlaywrightError) -> SparringError:
        """Return what an error of Playwright's stands for, if the browser itself is well."""
        tab = self.tabs.current
        if (tab is not None and tab.crashed) or "crashed" in first_line(err):
            return AppCrash(f"the page {self.shown(tab.url if tab else '')} crashed")
        if is_over(err):
            return AppCrash(f"the page went away: {self._describe(err)}")
        if is_leaving(err):
            return AppProtocolError(f"the page keeps going to others: {self._describe(err)}")
        if isinstance(err, PlaywrightTimeout):
            return AppTimeout(self._describe(err))
        return script_failure("send", self._describe(err))

    async def unless_machine(self, failure: SparringError) -> SparringError:
        """Return a failure of the app's, or that of the machine which explains it."""
        if not isinstance(failure, AppError):
            return failure
        limit = self.config.timeout.navigation_s
        tab = self.tabs.current
        is_closed = tab is None or tab.page.is_closed()
        return await machine_failure(self.context, limit, is_closed=is_closed) or failure

    async def _watch(self, work: Coroutine[Any, Any, Observation]) -> Observation:
        """Wait for an act; raises AppTimeout if the page answers nothing meanwhile."""
        task = asyncio.ensure_future(work)
        pulse, limit = HangDetector(), self.config.timeout.navigation_s
        try:
            await asyncio.wait([task], timeout=_UNHURRIED_S)
            while not task.done():
                tab = None if self.dialogs.is_open else self.tabs.current
                if pulse.unanswered_s(tab.page if tab else None) > limit and tab is not None:
                    raise self._hang_error(tab)
                await asyncio.wait([task], timeout=_LOOK_AGAIN_S)
            return task.result()
        finally:
            pulse.end()
            if not task.done():
                task.cancel()
                await asyncio.wait([task])

    def _hang_error(self, tab: Tab) -> AppTimeout:
        limit = self.config.timeout.navigation_s
        hung = f"the page {self.shown(tab.url)} has hung for {limit:g} s (timeout.navigation_s)"
        leaving = [request for request in tab.open if request.is_navigation_request()]
        if leaving:  # a browser asks a page nothing while it is being left
            hung += f": it waits for {self.shown(leaving[0].url[:200])}"
        return AppTimeout(hung)

    async def _view(self, act: GuiAction) -> Observation:
        if not self._is_started and act.action != "open":
            await self._perform(GuiAction(action="open", value=self.config.url))
        return await self._observe(act)

    async def _observe(self, act: GuiAction) -> Observation:
        before = await self._perform(act) if act.action != "listen" else _PerformedAct(ActOutcome())
        clock = asyncio.get_running_loop().time
        record_document = clock()
        await self.wait_until_stable()
        waited = clock() - record_document
        snapshot = await self.snapshot()
        changed = await self._has_changed(before)
        self.latest = snapshot
        take_screenshot = None
        if not self.dialogs.is_open:
            if self.examiner is not None:
                await self.examiner.examine(self.tab.page, snapshot)
            take_screenshot = await self.evidence.take_screenshot(
                self.tab.page, act.action, await self._shown_secret_fields()
            )
        events = self.events.take()
        texts = [event.text for event in events if event.kind in _SPOKEN_KINDS]
        view = PageView(
            snapshot=snapshot,
            events=events,
            messages=tuple(self.events.messages),
            hit=before.outcome.hit,
            target_changed=changed,
            settle_s=round(waited, 4),
            screenshot=take_screenshot,
        )
        return Observation(text="\n".join(texts), page=view)

    async def _perform(self, act: GuiAction) -> "_PerformedAct":
        """Carry an act out; one that is refused is an event, and not an error."""
        action = ACTIONS.get(act.action)
        done = _PerformedAct(ActOutcome(hit=False))
        if act.action == "open":
            self._is_started = True
        wait = ProcessorWait()
        try:
            if action is None:
                raise ActRefused("unknown", f"there is no action {act.action[:80]!r}")
            self._refuse_during_dialog(act)
            self._target = None
            done.outcome = await self._until_done(action(self, act))
        except ActRefused as err:
            self._record_refusal(err, act, wait)
        done.target = self._target
        return done

    def _refuse_during_dialog(self, act: GuiAction) -> None:
        if self.dialogs.is_open and act.action not in ("answer_dialog", "screenshot", "wait"):
            raise ActRefused("dialog", f"{act.action}: a dialog is open and wants an answer first")

    def _record_refusal(self, err: ActRefused, act: GuiAction, wait: ProcessorWait) -> None:
        share = wait.share() if err.why in LATE else None
        busy = {} if share is None else {"machine_waited": share}
        action = act.action[:80]
        self.events.add(PageEventKind.REFUSED, str(err), why=err.why, action=action, **busy)
        if self.evidence.on_failure:
            self.evidence.wants_picture = True
        self.evidence.failed = True

    _target: ActTarget | None = None

    def note_target(self, target: ActTarget) -> None:
        """An act has found its target; what is around it is compared afterwards."""
        self._target = target

    async def _until_done(self, work: Any) -> ActOutcome:
        """Wait for an act, or until it makes the page show a dialog that wants an answer."""
        if self._pending_act is not None and not self.dialogs.is_open:
            await asyncio.wait([self._pending_act], timeout=self.config.timeout.action_s)
        task: asyncio.Task[ActOutcome] = asyncio.ensure_future(work)
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
        self._pending_act = task
        task.add_done_callback(self._on_act_done)
        return ActOutcome(hit=True)

    def _on_act_done(self, task: asyncio.Task[ActOutcome]) -> None:
        self._pending_act = None
        if not task.cancelled():
            task.exception()  # it was interrupted by a dialog: what it says now is not asked

    async def wait_until_stable(self) -> None:
        """Wait until the current tab is quiet; records an event if it never is."""
        if self.dialogs.is_open or not self.tabs.all:
            return
        unsettled = await wait_until_stable(self.tab, self.config.settle)
        if await self.tabs.wait_for_window():
            unsettled = await wait_until_stable(self.tab, self.config.settle)
        await self.tabs.wait_for_downloads(self.config.settle.cap_s)
        if unsettled:
            self.events.add(PageEventKind.NOT_SETTLED, unsettled)

    async def snapshot(self, apart: str = "") -> PageSnapshot:
        """What the current tab shows; what it last showed while a dialog is open.

        The text of what matches `apart` is kept apart from the text around it.
        """
        for attempt in range(_ATTEMPTS):
            tab = self.tab
            if self.dialogs.is_open:
                return self.latest or PageSnapshot(url=self.shown(tab.url))
            try:
                reading = await self._read(tab, apart)
            except PlaywrightError as err:
                self._check_crash(tab)
                if is_over(err):
                    raise
                if attempt == _ATTEMPTS - 1:
                    raise self._unreadable_error(err) from None
                await wait_until_stable(tab, self.config.settle)
                continue
            if reading is not None:
                return self._viewer.snapshot(reading, tab, self.tabs)
        raise AppProtocolError("the page cannot be read: it keeps going to others")

    def _unreadable_error(self, err: PlaywrightError) -> SparringError:
        if is_leaving(err):
            return AppProtocolError(
                f"the page cannot be read: it keeps going to others ({self._describe(err)})"
            )
        return script_failure("snapshot", f"the page cannot be read: {self._describe(err)}")

    async def _read(self, tab: Tab, apart: str) -> Any:
        """Ask the frames of a tab; `None` if a dialog or a crash comes in between."""
        limit = self.config.timeout.navigation_s
        wanted = snapshot_options(self.config.snapshot, apart, self.marks)
        ask = asyncio.ensure_future(self.documents.read(tab.page.main_frame, wanted))
        end = asyncio.get_running_loop().time() + limit
        try:
            while not ask.done():
                await asyncio.wait([ask], timeout=0.2)
                if self.dialogs.is_open or tab.crashed or tab.page.is_closed():
                    return None
                if asyncio.get_running_loop().time() > end:
                    raise self._hang_error(tab)
            return ask.result()
        finally:
            if not ask.done():
                ask.cancel()

    def _check_crash(self, tab: Tab) -> None:
        if tab.crashed:
            raise AppCrash(f"the page {self.shown(tab.url)} crashed")

    async def _has_changed(self, done: "_PerformedAct") -> bool | None:
        target = done.target
        if target is None or self.dialogs.is_open:
            return None
        return await self.documents.has_changed(
            target.frame, target.token, target.number, target.about["hash"]
        )

    @property
    def tab(self) -> Tab:
        """The tab that is looked at; raises AppCrash if there is none, or it crashed."""
        if self.tabs.current is None:
            raise AppCrash("the app closed its last tab")
        self._check_crash(self.tabs.current)
        return self.tabs.current

    async def open_tab(self) -> Tab:
        """The current tab, or a new one if it is closed or has crashed."""
        tab = self.tabs.current
        if tab is None or tab.crashed or tab.page.is_closed():
            await self.context.new_page()
            if tab is not None and tab.crashed:
                await tab.page.close()
        return self.tab

    def note_typed(self, field: ElementHandle, text: str) -> None:
        """A text was put into a field: one with a secret is not to be seen in pictures."""
        if self.variables.without_secrets(text) != text:
            self._secret_fields.append(field)

    async def _shown_secret_fields(self) -> list[ElementHandle]:
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
        return self.join(self.config.url, self.variables.fill_address(value.strip()))

    def join(self, base: str, address: str) -> str:
        """Return `address` as seen from `base`; raises ConfigurationError if it is none."""
        try:
            return urljoin(base, address)
        except ValueError as err:
            shown = self.shown(address)[:200]
            raise ConfigurationError(f"{shown}: no browser opens such an address: {err}") from None

    def shown(self, text: str) -> str:
        """A text of ours that may quote the app, without secrets."""
        return self.variables.hide(text)

    def _on_note(self, source: dict[str, Any], data: object) -> None:
        try:
            parsed: Any = (
                json.loads(data) if isinstance(data, str) and len(data) < _LARGEST_NOTE else 0
            )
        except (ValueError, RecursionError):
            return
        if not isinstance(parsed, dict):
            return
        note = cast("dict[str, Any]", parsed)
        if "fault" in note:
            self._request_watch.record_fault(note["fault"])
        elif "document" in note:
            self.tabs.record_document(
                source["page"], str(note.get("token"))[:100], str(note["document"])
            )
        else:
            self.events.record_message(note)


class _PerformedAct:
    """An act that was carried out, with its target if it had one."""

    def __init__(self, outcome: ActOutcome) -> None:
        self.outcome = outcome
        self.target: ActTarget | None = None


_SPOKEN_KINDS = (PageEventKind.MESSAGE, PageEventKind.DIALOG)

"""Sentences for what a person does on a page, while it is done.

Each act is named on the page as it was before: by the shortest sentence that plain rules read as
this act on this element. Where no sentence does so, the step says which doubt is left, and its
fingerprint beside the test case still finds the element.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol, runtime_checkable

from sparring.errors import AppError, EnvironmentFailure
from sparring.interfaces.app_connector import AppSession
from sparring.model.page import Element, PageView
from sparring.model.talk import GuiAction, Listen
from sparring_plugins.web.grammar.canonical import quote, write_sentence
from sparring_plugins.web.pages.layout import Layout
from sparring_plugins.web.runner.frozen_steps import FrozenStep, freeze
from sparring_plugins.web.step import Displayed, FieldHolds, Reading, Step, StepAction, Target
from sparring_plugins.web.translation.act_sentences import act_sentence

#: How long the recorder waits for an act before it looks at the page again, in seconds: what has
#: appeared meanwhile (a menu after a moment) has to be known before it is clicked.
_LOOK_AGAIN_S: Final = 0.5
#: How long after an act a new page may still be its effect, in seconds.
_EFFECT_S: Final = 5.0
_LONGEST_TEXT: Final = 120
#: Acts whose value is what the page shows on their element.
_POINTING: Final[Mapping[str, StepAction]] = {"click": "click", "double_click": "double_click"}
# Keys come faster than sentences are made; a page that sends events in a loop is not followed.
_MOST_WAITING: Final = 1000


@runtime_checkable
class ReportsInput(Protocol):
    """A session whose pages a person uses, and that reports what is done there."""

    async def watch_input(self, listener: Callable[[str, str, str | None, bool], None]) -> None:
        """Call `listener` with an element's id, the action, the value, and if it is secret."""
        ...


@dataclass(frozen=True)
class UserInput:
    """An act of a person: `value` is None if it has none, or must not be known.

    Of a click it is what the page shows on the element.
    """

    element: str
    action: str
    value: str | None = None
    secret: bool = False


@dataclass(frozen=True)
class RecordedStep:
    """A step as it is written; `doubt` says why its words alone may not find its element."""

    text: str
    doubt: str = ""
    frozen: FrozenStep | None = None


@dataclass
class Recording:
    """The steps so far, and the names of the secrets in them."""

    start: str = ""
    steps: list[RecordedStep] = field(default_factory=list[RecordedStep])
    secrets: list[str] = field(default_factory=list[str])


class Recorder:
    """Records what a person does in a session, until the session or `stop` ends it."""

    def __init__(
        self,
        session: AppSession,
        on_step: Callable[[Recording], None],
        recording: Recording | None = None,
    ) -> None:
        self._session = session
        self._on_step = on_step
        self.recording = recording if recording is not None else Recording()
        self._inputs: asyncio.Queue[UserInput] = asyncio.Queue(_MOST_WAITING)
        self._acts: list[tuple[UserInput, GuiAction]] = []
        self._last_act = 0.0
        self.stop = asyncio.Event()

    async def record(self) -> Recording:
        """Open the app and record; returns when the person closes the last page.

        Raises AppError if the app cannot be opened.
        """
        if not isinstance(self._session, ReportsInput):
            raise EnvironmentFailure("this app is no page in a browser: nothing can be recorded")
        await self._session.watch_input(self._hear)
        view = await self._look()
        if view is None:
            return self.recording
        self.recording.start = view.snapshot.url
        try:
            while not self.stop.is_set():
                view = await self._next(view)
        except AppError:  # the person has closed the browser
            self._record_all(view)
        return self.recording

    def _hear(self, element: str, action: str, value: str | None, secret: bool) -> None:
        if not self._inputs.full():
            self._inputs.put_nowait(UserInput(element, action, value, secret))

    async def _look(self) -> PageView | None:
        return (await self._session.send(Listen())).page

    async def _next(self, view: PageView) -> PageView:
        """Record the next acts, all on the page `view` before them; returns the page now."""
        try:
            done = await asyncio.wait_for(self._inputs.get(), _LOOK_AGAIN_S)
        except TimeoutError:
            now = await self._look() or view
            self._note_navigation(view, now)
            return now
        if done.element not in Layout(view.snapshot).by_id:
            # It had appeared since the last look, and may still be there after the act.
            view = await self._look() or view
        self._record(done, view)
        self._record_all(view)
        return await self._look() or view

    def _record_all(self, view: PageView) -> None:
        """Record the acts that wait, all done on the page `view`."""
        while not self._inputs.empty():
            self._record(self._inputs.get_nowait(), view)

    def _note_navigation(self, before: PageView, now: PageView) -> None:
        """Write down that the person has opened another address by hand."""
        is_new = (
            now.snapshot.document != before.snapshot.document
            and now.snapshot.url != before.snapshot.url
        )
        if is_new and asyncio.get_running_loop().time() - self._last_act > _EFFECT_S:
            self._add(RecordedStep(f"Open the website {quote(now.snapshot.url)}"))

    def _record(self, done: UserInput, view: PageView) -> None:
        self._last_act = asyncio.get_running_loop().time()
        layout = Layout(view.snapshot)
        element = layout.by_id.get(done.element)
        if done.action == "assert":
            text = _assertion(element, done.value or "")
            if text:
                self._add(RecordedStep(text))
            return
        if element is None:
            self._add(_unseen(done))
            return
        value = self._secret(element) if done.secret else done.value
        if done.action in _POINTING:
            value = None
        act = GuiAction(action=done.action, target=done.element, value=value)
        self._forget_replaced(done)
        acts = [earlier for _, earlier in self._acts]
        sentence = act_sentence(act, view, acts)
        if sentence is None:
            return
        self._acts.append((done, act))
        step = Step(number=len(self.recording.steps) + 1, text=sentence.text)
        frozen = freeze(step, (act,), layout, changes=False)
        self._add(RecordedStep(sentence.text, sentence.doubt, frozen))

    def _secret(self, element: Element) -> str:
        """Return the variable that stands for what was typed into a field for a secret."""
        name = "".join(c if c.isalnum() else "_" for c in (element.name or "password").lower())
        if name not in self.recording.secrets:
            self.recording.secrets.append(name)
        return f"%{name}%"

    def _forget_replaced(self, done: UserInput) -> None:
        """Take back steps that this act replaces: two clicks of a double click, an older text."""
        replaced = {"double_click": ("click", 2), "fill": ("fill", 1)}.get(done.action)
        if replaced is None:
            return
        action, most = replaced
        for _ in range(most):
            if not self._acts or len(self._acts) > len(self.recording.steps):
                return
            last, _ = self._acts[-1]
            is_last = self.recording.steps[-1].frozen is not None
            if not is_last or (last.element, last.action) != (done.element, action):
                return
            self._acts.pop()
            self.recording.steps.pop()

    def _add(self, step: RecordedStep) -> None:
        self.recording.steps.append(step)
        self._on_step(self.recording)


def _unseen(done: UserInput) -> RecordedStep:
    """Return the step of an act on an element that no look at the page has seen."""
    target = Target(text=" ".join((done.value or "").split()))
    if done.action not in _POINTING or not target.text:
        verb = done.action.replace("_", " ")
        text = f"Act on what had appeared for a moment ({verb}): write down what it is called"
        return RecordedStep(text, "nothing is known of its element")
    text = write_sentence(Reading(action=_POINTING[done.action], target=target))
    return RecordedStep(text, "this element had appeared just before, and was gone after the act")


def _assertion(element: Element | None, text: str) -> str:
    """Return the assertion of what a person has pointed at; empty if there is nothing to see."""
    if element is not None and element.editable and element.value:
        name = element.name or element.label
        target = Target(text=name, role="field")
        condition = FieldHolds(target=target, text=element.value, mode="contains")
        return write_sentence(Reading(action="assert", condition=condition)) if name else ""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return ""
    shown = Displayed(target=Target(text=" ".join(lines[0].split())[:_LONGEST_TEXT]))
    return write_sentence(Reading(action="assert", condition=shown))

"""The state of a run of Algorithm 1: pages seen, answers to dialogs, the patience with the page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from time import monotonic
from typing import Literal

from sparring.errors import PartError
from sparring.model.page import PageEventKind, PageView
from sparring.model.talk import Act, GuiAction, Turn
from sparring.model.verdict import Owner
from sparring.time_limits import explains
from sparring_plugins.web.grammar.assertions import is_assertion
from sparring_plugins.web.grammar.free.sentences import confirms, mask
from sparring_plugins.web.page_health import is_refusal
from sparring_plugins.web.pages.conditions import holds
from sparring_plugins.web.pages.plans import speaks_to_page
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.roles import Judged, Navigation
from sparring_plugins.web.runner.error_pages import error_owner, server_error
from sparring_plugins.web.runner.observe import machine_wait, was_too_slow
from sparring_plugins.web.runner.records import StepRecord
from sparring_plugins.web.step import Condition, Reading, Step

# "still 3 rows" looks back at earlier views; a case of hundreds of acts would keep all pages.
_KEPT_VIEWS = 40
# Four looks a second at a page that is waited for.
LONGEST_WAIT_S = 0.25
_WAITING = frozenset({"wait", "screenshot"})
_ENTERING = frozenset({"fill", "type", "append", "select", "check", "uncheck", "upload"})
#: How many times its patience the runner waits at most while the machine is busy.
_MAX_PATIENCE = 10
#: Two processes that take turns on one core make one third; a build beside the browser 90 %.
_BUSY_SHARE = 0.5


def no_page_error() -> PartError:
    """Return the error of a connector whose answer has no page."""
    return PartError("connector", "of this suite", "send", "its answer has no page")


@dataclass
class Views:
    """The views after each act, the latest last. Looking again replaces the latest one.

    The events since the act stay with the view: those of all looks are joined.
    """

    earlier: list[PageView] = field(default_factory=list[PageView])
    last: PageView | None = None
    _error: tuple[int, str, Owner | None] | None = None

    def shown(self) -> PageView:
        """Return the latest view; raises PartError if there is none yet."""
        if self.last is None:
            raise no_page_error()
        return self.last

    def begin_act(self) -> None:
        """Move the latest view to the earlier ones, because an act begins."""
        if self.last is not None:
            self.earlier = [*self.earlier[-_KEPT_VIEWS:], self.last]

    def add(self, view: PageView, *, again: bool) -> None:
        """Record what is seen after an act, or by looking again."""
        if again and self.last is not None:
            view = view.model_copy(
                update={
                    "events": (*self.last.events, *view.events),
                    "hit": self.last.hit,
                    "target_changed": self.last.target_changed,
                    "screenshot": view.screenshot or self.last.screenshot,
                }
            )
        view = self._without_old_texts(view)
        self.last = view
        statuses = [e.details.get("status") for e in view.events if e.text == view.snapshot.url]
        # A checkout that answers 422 to an empty address shows the form again, with its messages.
        if (error := server_error(view)) and not any(map(is_refusal, statuses)):
            self._error = (view.snapshot.document, error, error_owner(view))

    def _without_old_texts(self, view: PageView) -> PageView:
        """Drop short-lived messages that the page showed before the last act, too.

        The page drew "No orders yet" when it was opened, and an order was saved within seconds:
        that the text went then is no message of the app.
        """
        brief = [event for event in view.events if event.details.get("source") == "brief"]
        if not brief or not self.earlier:
            return view
        shown = [plain(e.text) for e in self.earlier[-1].snapshot.elements if e.visible and e.text]
        old = [e for e in brief if any(plain(e.text) in text for text in shown)]
        return view.model_copy(update={"events": tuple(e for e in view.events if e not in old)})

    def error_page(self) -> Judged | None:
        """Return what the server or the browser answered instead of the page that is shown."""
        if self._error is None or self.last is None:
            return None
        document, reason, owner = self._error
        if self.last.snapshot.document != document:
            return None
        return Judged(reason=reason, owner=owner)

    def vacuous(
        self, condition: Condition, acts: Sequence[GuiAction]
    ) -> Literal["before", "everywhere"] | None:
        """Return whether a true condition was true before the last act too, or on all pages.

        What `acts` had entered on those pages does not count: "'Ada' is displayed" after "Save" is
        not vacuous because 'Ada' stood in the form before, and neither is "the field 'Name'
        contains 'Ada'" on the page that the app made of it.
        """
        waits = 0  # "Wait 2 seconds" is no act whose effect an assertion could miss
        while waits < len(acts) and acts[-1 - waits].action in _WAITING:
            waits += 1
        earlier = self.earlier[: len(self.earlier) - waits]
        pages = [view for view in earlier if view.snapshot.elements]
        if not pages or not self._held(condition, pages[-1], acts):
            return None
        distinct = {view.snapshot.digest: view for view in pages}.values()
        if len(distinct) > 1 and all(self._held(condition, view, acts) for view in distinct):
            return "everywhere"
        return "before"

    def _held(self, condition: Condition, view: PageView, acts: Sequence[GuiAction]) -> bool:
        """Return whether a condition was true on an earlier page without the case's own doing."""
        judged = holds(condition, view, acts)
        if judged.truth is not True:
            return False
        if self.last is None or view.snapshot.document == self.last.snapshot.document:
            return True
        entered = {act.target for act in acts if act.action in _ENTERING}
        return not judged.elements or not entered.issuperset(judged.elements)


@dataclass
class DialogAnswers:
    """Answers to the browser's dialogs, prepared before the dialog comes.

    A test case says "Click on 'Delete'" and then "Dismiss the alert", but the browser needs the
    answer while it clicks. So the answers after a step are prepared before it is carried out.
    `prepared` is how many there are, `used` how many of their steps have been reached.
    """

    prepared: int = 0
    used: int = 0

    def prepare(self, following: Sequence[Step]) -> tuple[GuiAction, ...]:
        """Return the answers with which the steps after the current one begin, as acts."""
        acts: list[GuiAction] = []
        for step in following:
            if not acts and is_assertion(step):
                continue  # "Delete it", "A question comes up", "Answer no"
            if step.reading is None or not _is_answer(step):
                break
            acts.append(GuiAction(action="answer_dialog", value=step.reading.value))
        self.prepared, self.used = len(acts), 0
        return tuple(acts)

    def is_prepared(self, step: Step, view: PageView | None) -> bool:
        """Return whether a step is an answer that was prepared, or that the page has already.

        "Delete the entry", "Confirm the question": dialogs without an answer are accepted.
        """
        if _is_answer(step):
            return self.used < self.prepared and not _speaks_to_page(step, view)
        events = view.events if view is not None else ()
        accepted = [e for e in events if e.kind is PageEventKind.DIALOG][self.used :]
        if view is None or not accepted or accepted[0].details.get("answer") != "accept":
            return False
        # a button of the page itself that is called so is meant instead
        controls = [e for e in view.snapshot.elements if e.visible and e.interactive]
        is_offered = any("confirm" in plain(e.name or e.text) for e in controls)
        return confirms(mask(step.text)[0]) and not is_offered

    def record(self, step: Step, view: PageView, following: Sequence[Step]) -> StepRecord:
        """Return the record of an answer, by what happened at the last act."""
        goes_on = bool(following) and not is_assertion(following[0])
        observed = _observe_answer(view, self.used, goes_on=goes_on)
        self.used += 1
        return StepRecord(
            step=step,
            outcome="done" if observed.truth else "inconclusive",
            reason="" if observed.truth else observed.reason,
            target="dialog",
            observed=observed,
        )


def _speaks_to_page(step: Step, view: PageView | None) -> bool:
    reading = step.reading
    return view is not None and reading is not None and speaks_to_page(step, reading, view)


def _is_answer(step: Step) -> bool:
    return step.reading is not None and step.reading.action == "answer_dialog"


def _observe_answer(view: PageView, number: int, *, goes_on: bool) -> Judged:
    """Judge whether the dialog with this number, from 0, came up at the last act.

    If none did, and the test case goes on with another act (`goes_on`), the answer is for that.
    """
    dialogs = [event for event in view.events if event.kind is PageEventKind.DIALOG]
    if number < len(dialogs):
        text = " ".join(dialogs[number].text.split())[:80]
        return Judged(truth=True, reason=f"the dialog '{text}' was answered", facts=(text,))
    if goes_on:
        return Judged(truth=True, reason="no dialog is there: it is the answer to the next one")
    return Judged(truth=False, reason="no dialog came up that could be answered")


def is_short_wait(act: GuiAction) -> bool:
    """Return whether a wait is one of the runner's own, and not a step "Wait 2 seconds"."""
    return isinstance(act.value, float) and act.value <= LONGEST_WAIT_S


def conversation_time_s(turns: Sequence[Turn], began: float) -> float:
    """Return how far a conversation has got, in seconds: by its log, so that a replay agrees.

    That is the end of its last turn. A conversation that nobody measures (`turns` is no list that
    grows) goes by the machine's clock, on which it `began`.
    """
    if turns:
        return turns[-1].started_s + turns[-1].latency_s
    return 0.0 if isinstance(turns, list) else monotonic() - began


class Patience:
    """The time that a page may take, without that in which the machine let nothing run.

    Counted by the machine's clock alone, a page on a busy machine would be judged after 2 s in
    which it has had half a second of processor time. `turns` are those of the conversation, which
    grow while the runner waits; `is_cut` means that the page could not be given all of its time.
    Time is that of `turns`, so that two checks which wait one after the other end their waits in
    a replay at the same turns. `upcoming` is the recorded act that comes next in a replay: runs
    of versions which went by the machine's clock wait as often as then.
    """

    def __init__(
        self,
        turns: Sequence[Turn],
        limit_s: float,
        upcoming: Callable[[], tuple[Act, ...] | None] = lambda: None,
    ) -> None:
        self._turns = turns
        self._upcoming = upcoming
        self._first = len(turns)
        self._limit_s = limit_s
        self._clock = monotonic()
        self._began_s = conversation_time_s(turns, self._clock)
        self.is_cut = False

    def left_s(self) -> float:
        """Return how many seconds the page has left."""
        return min(self._own_s(), _MAX_PATIENCE * self._limit_s - self._elapsed_s())

    def is_over(self) -> bool:
        """Return whether the page has had its time, or the runner must not wait any longer."""
        if self.left_s() > 0:
            return self._upcoming() is not None and self.recorded_wait() is None
        self.is_cut = self.is_cut or self._own_s() > 0
        return True

    def give_up(self) -> None:
        """Let the page have no more time: what was asked is decided."""
        self._limit_s = 0.0

    def recorded_wait(self) -> GuiAction | None:
        """Return the short wait that comes next in a recorded conversation, if one does."""
        for act in self._upcoming() or ():
            if isinstance(act, GuiAction) and act.action == "wait" and is_short_wait(act):
                return act
        return None

    def next_wait(self) -> GuiAction:
        """Return the act that waits until something changes, a quarter of a second at most."""
        wait_s = max(0.05, min(LONGEST_WAIT_S, self.left_s()))
        return self.recorded_wait() or GuiAction(action="wait", value=round(wait_s, 2))

    def _elapsed_s(self) -> float:
        return conversation_time_s(self._turns, self._clock) - self._began_s

    def _own_s(self) -> float:
        """Return what the page has left of the time in which something could run."""
        starved = sum(turn.starved_s for turn in self._turns[self._first :])
        return self._limit_s - max(0.0, self._elapsed_s() - starved)


def busy_machine(
    record: StepRecord, view: PageView | None, starved_s: float, elapsed_s: float, *, is_cut: bool
) -> str:
    """Return how busy the machine was if that is why a step failed, else an empty text.

    Either the page has not had its patience (`is_cut`), or a target was not ready in the
    connector's time. `starved_s` is for how many of `elapsed_s` seconds Sparring waited for a
    processor; the browser may have waited although Sparring, which mostly sleeps, did not.
    """
    observed = record.observed
    is_late = observed is not None and view is not None and was_too_slow(view, observed.facts)
    if is_cut or (is_late and explains(starved_s, elapsed_s)):
        return f"gave no processor time for {starved_s:.1f} of {elapsed_s:.1f} s"
    if is_late and (wait := machine_wait(view)) >= _BUSY_SHARE:
        return f"let processes wait for a processor in {wait:.0%} of the time"
    return ""


def with_owner(
    record: StepRecord, turns: Sequence[Turn], elapsed_s: float, patiences: Sequence[Patience],
    view: PageView | None, is_unexpected: bool,
) -> StepRecord:  # fmt: skip
    """Return the record with who has to act, if the step was not done or not as expected.

    If the machine gave so little processor time that the page has not had its patience before
    the runner had to give up, or that a target was not ready in time, the step is inconclusive,
    also if it is an assertion that does not hold.
    """
    starved_s = sum(turn.starved_s for turn in turns)
    record = record.model_copy(update={"starved_s": round(starved_s, 3)})
    if not (record.outcome == "inconclusive" or is_unexpected):
        return record
    is_cut = any(patience.is_cut for patience in patiences)
    busy = busy_machine(record, view, starved_s, elapsed_s, is_cut=is_cut)
    if busy:
        reason = f"{record.reason}; but the machine {busy}"
        update = {"outcome": "inconclusive", "reason": reason, "owner": Owner.ENVIRONMENT}
        return record.model_copy(update=update)
    parts = (record.assertion, record.observed, record.navigation, record.readiness)
    owner = next((part.owner for part in parts if part and part.owner), record.owner)
    return record.model_copy(update={"owner": owner})


def blame_failed_act(record: StepRecord, navigation: Navigation, reason: str) -> StepRecord:
    """Return the record of acts that the app did not let be done, with who has to act.

    It is the app only if nobody doubts that the step means these acts. "Weigh the anchor" may
    have chosen a link that nobody meant; that its page goes on to others for ever shows nothing.
    """
    doubt = navigation.weak
    if not navigation.strict:
        doubt = "a model chose it"
    elif any(r.target != record.step.readings[0].target for r in record.step.readings[1:]):
        doubt = doubt or "another reading of the step means another one"
    if not doubt:
        return record.model_copy(update={"reason": reason, "owner": Owner.APP})
    reason = f"{reason}; but the step may mean another control: {doubt}"
    return record.model_copy(update={"reason": reason, "owner": None})


def doubt_guesses(judged: Judged, guesses: Sequence[Step], *, expected: bool) -> Judged:
    """Return *don't know* if the app may be blamed for what a weak reading did.

    "Remove 'Roses' with the bin icon" may have ticked the box in the row: what should have
    come of it is not there, through no fault of the app.
    """
    if not guesses or judged.truth is None or judged.truth is expected:
        return judged
    step = guesses[-1]
    reason = (
        f"{judged.reason}; but step {step.number} '{step.text}' was carried out by a weak "
        "reading, which may have done something else"
    )
    if is_assertion(step):
        reason = (
            f"{judged.reason}; but step {step.number} '{step.text}' was not understood, and may "
            "ask for an act"
        )
    return judged.model_copy(update={"truth": None, "reason": reason})


def is_key_for_button(step: Step, reading: Reading | None) -> bool:
    """Return whether a key was pressed because no control has its name: "Press Delete"."""
    is_key = reading is not None and reading.action == "press" and reading.target is None
    return is_key and any(other.action == "click" for other in step.readings)


def doubt_idle_key(record: StepRecord, view: PageView) -> StepRecord:
    """Return *not done* if such a key left the page as it was: a button may have been meant."""
    if record.outcome != "done" or view.snapshot.digest != record.digest:
        return record
    reason = "no control is called so, and the key of that name changed nothing on the page"
    return record.model_copy(update={"outcome": "inconclusive", "reason": reason})


def with_place(
    record: StepRecord, view: PageView | None, began_s: float | None, now_s: float
) -> StepRecord:
    """Return a record with where and when its step ended; one that was not tried has no times."""
    update: dict[str, object] = {}
    if view is not None:
        update |= {"url": view.snapshot.url, "screenshot": view.screenshot}
    if began_s is not None:
        update |= {"started_s": began_s, "duration_s": now_s - began_s}
    return record.model_copy(update=update)


def is_asserting(records: Sequence[StepRecord]) -> bool:
    """Return whether the last step tried is an assertion: its neighbours can be judged too."""
    # what stands behind an act that was not reached speaks of another page
    behind = takewhile(lambda record: record.asserts, reversed(records))
    return any(record.outcome != "not_reached" for record in behind)

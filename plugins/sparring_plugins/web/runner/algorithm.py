"""Algorithm 1 of Salva and Taguelmimt.

Readiness, navigation and observe for each step, then the assertions, with the verdicts pass, fail
and inconclusive(step, why).

What is added to the paper's algorithm: everything waits for a moment (`patience_s`) before it says
no, a step may have several readings, assertions may stand between navigation steps, and each
true assertion is tried on the pages before, to tell whether it could have failed.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Literal

from sparring.engine.lag import explains
from sparring.errors import AppProtocolError, PartError, SparringError
from sparring.interfaces.app_connector import AppSession
from sparring.model.page import PageView
from sparring.model.talk import Act, GuiAction, Listen, Turn
from sparring.model.verdict import Owner
from sparring_plugins.web.grammar.assertions import is_assertion
from sparring_plugins.web.pages.conditions import holds
from sparring_plugins.web.pages.control_kinds import in_words
from sparring_plugins.web.pages.places import Layout
from sparring_plugins.web.pages.views import Views
from sparring_plugins.web.roles.page_agents import Judged, Navigation, PageTask
from sparring_plugins.web.roles.step import Condition, Reading, Step
from sparring_plugins.web.runner.dialog_answers import Answers
from sparring_plugins.web.runner.frozen_steps import FrozenStep, freeze, thaw
from sparring_plugins.web.runner.observe import observe, was_too_slow
from sparring_plugins.web.runner.records import BROKEN_OFF, Outcome, Phase, StepRecord, TestVerdict
from sparring_plugins.web.runner.strict_first import Agents

_LONGEST_PATIENCE = 10
"""How many times its patience the runner waits at the most while the machine is busy."""

#: Acts that only look again at what the last one came to.
_LOOKING = frozenset({"wait", "screenshot", "answer_dialog"})


@dataclass
class Run:
    """One test case on its way: what was done and seen so far.

    `records` grows step by step, so that a case that is cut short keeps what was found. `is_cut`
    says that the page could not be given all of its patience in the step that is under way.
    `recorded` are the turns of the conversation as the engine measures them: what the machine
    withheld of processor time does not count against the page's `patience_s`.
    """

    session: AppSession
    agents: Agents
    steps: Sequence[Step]
    setup: Sequence[Step] = ()
    teardown: Sequence[Step] = ()
    patience_s: float = 2.0
    expected: Mapping[int, bool] = field(default_factory=dict[int, bool])
    frozen: Mapping[int, FrozenStep] = field(default_factory=dict[int, FrozenStep])
    variables: tuple[str, ...] = ()
    seed: int = 0
    pictures: bool = False
    clock: float = field(default_factory=monotonic)
    records: list[StepRecord] = field(default_factory=list[StepRecord])
    kept: dict[int, FrozenStep] = field(default_factory=dict[int, FrozenStep])
    views: Views = field(default_factory=Views)
    acts: list[GuiAction] = field(default_factory=list[GuiAction])
    turns: int = 0
    answers: Answers = field(default_factory=Answers)
    recorded: Sequence[Turn] = ()
    is_cut: bool = False

    async def play(self) -> tuple[TestVerdict, str]:
        """Carry out all steps; returns the verdict and its reason.

        The steps of `teardown` are tried whatever came before, and say nothing for the verdict.
        """
        stopped = await self._play(self.setup, "setup", "")
        await self._play(self.steps, "test", stopped)
        verdict = self._verdict()
        await self._play(self.teardown, "teardown", "")
        return verdict

    async def _play(self, steps: Sequence[Step], phase: Phase, stopped: str) -> str:
        """Carry steps out in order; returns why it stopped, where it did."""
        for place, step in enumerate(steps):
            if stopped and not (is_assertion(step) and self._asserting()):
                self._add(StepRecord(step=step, outcome="not_reached", reason=stopped), phase)
                continue
            began, first, self.is_cut = monotonic(), len(self.recorded), False
            if self.answers.given_for(step):
                record = self.answers.record(step, self._page(), steps[place + 1 :])
            elif is_assertion(step):
                record = await self._assert(step)
            else:
                for act in self.answers.prepare(steps[place + 1 :]):
                    await self._view()
                    await self._send(act)
                record = await self._navigate(step)
            record = self._with_owner(record, began, first)
            failed = record.outcome == "inconclusive" or self._unexpected(record)
            if failed and self.pictures:
                await self._picture()
            self._add(record, phase, began)
            if failed:
                stopped = stopped or f"step {step.number} was {record.outcome}"
        return stopped

    def _asserting(self) -> bool:
        """Whether the last step that was tried is an assertion: its neighbours can be judged."""
        tried = [one for one in self.records if one.outcome != "not_reached"]
        return bool(tried) and tried[-1].asserts and self.records[-1].asserts

    def _unexpected(self, record: StepRecord) -> bool:
        if record.outcome not in ("true", "false"):
            return False
        return (record.outcome == "true") != self.expected.get(record.step.number, True)

    def _with_owner(self, record: StepRecord, began: float, first: int) -> StepRecord:
        """A step with whose matter it is that it was not done, or not as expected.

        If the machine gave so little processor time that the page has not had its patience before
        the runner had to give up, or that a target was not ready in time, the step is inconclusive,
        also if it is an assertion that does not hold. `first` is the first turn of the step.
        """
        starved_s, elapsed_s = self._starved_s(first), monotonic() - began
        record = record.model_copy(update={"starved_s": round(starved_s, 3)})
        if not (record.outcome == "inconclusive" or self._unexpected(record)):
            return record
        is_busy = explains(starved_s, elapsed_s)
        if self.is_cut or (is_busy and _is_late(record, self.views.last)):
            busy = (
                f"{record.reason}; but the machine gave no processor time for {starved_s:.1f} of "
                f"{elapsed_s:.1f} s"
            )
            told = {"outcome": "inconclusive", "reason": busy, "owner": Owner.ENVIRONMENT}
            return record.model_copy(update=told)
        parts = (record.assertion, record.observed, record.navigation, record.readiness)
        owner = next((part.owner for part in parts if part and part.owner), record.owner)
        return record.model_copy(update={"owner": owner})

    def _starved_s(self, first: int) -> float:
        return sum(turn.starved_s for turn in self.recorded[first:])

    def missing(self) -> tuple[StepRecord, ...]:
        """Return records for the steps that have none because the test case was broken off."""
        known = {record.step.number for record in self.records}
        phases: tuple[tuple[Phase, Sequence[Step]], ...] = (
            ("setup", self.setup),
            ("test", self.steps),
            ("teardown", self.teardown),
        )
        return tuple(
            StepRecord(
                step=step,
                outcome="not_reached",
                phase=phase,
                reason=BROKEN_OFF,
                expected=self.expected.get(step.number),
            )
            for phase, steps in phases
            for step in steps
            if step.number not in known
        )

    def _add(self, record: StepRecord, phase: Phase, began: float | None = None) -> None:
        times: dict[str, float] = {}
        if began is not None:
            times = {"started_s": began - self.clock, "duration_s": monotonic() - began}
        expected = self.expected.get(record.step.number)
        page = self.views.last
        shown = {"url": page.snapshot.url, "screenshot": page.screenshot} if page else {}
        told = {"phase": phase, "expected": expected, **shown, **times}
        self.records.append(record.model_copy(update=told))

    def _verdict(self) -> tuple[TestVerdict, str]:
        """Fail is final; what could not be decided makes the rest inconclusive."""
        for record in self.records:
            if record.outcome == "false":
                return "fail", f"step {record.step.number}: {record.reason}"
        for record in self.records:
            if record.outcome == "inconclusive":
                return "inconclusive", f"step {record.step.number}: {record.reason}"
        return "pass", ""

    # Navigation

    async def _navigate(self, step: Step) -> StepRecord:
        await self._view()
        kept = self.frozen.get(step.number)
        if kept is not None and kept.text == step.text:
            return await self._thawed(step, kept)
        reading, ready, now = await self._readiness(step)
        digest = self._page().snapshot.digest
        base = StepRecord(step=step, outcome="inconclusive", readiness=ready, digest=digest)
        if ready.truth is not True:
            return base.model_copy(
                update={"reason": ready.reason, "candidates": now.candidates if now else ()}
            )
        if reading is None or reading.condition is None:
            return await self._go(base, await self.agents.navigate(self._task(step, reading)))
        if reading.action == "wait":
            return await self._wait_for(base, reading)
        if reading.action == "hover":
            return await self._open_menu(base, reading, reading.condition)
        return await self._bring_about(base, reading, reading.condition)

    async def _bring_about(
        self, base: StepRecord, reading: Reading, condition: Condition
    ) -> StepRecord:
        """An act that is to bring a state about: not done where it is there already."""
        if (judged := holds(condition, self._page())).truth is True:
            return base.model_copy(update={"outcome": "done", "observed": judged})
        task = self._task(base.step, reading)
        record = await self._go(base, await self.agents.navigate(task))
        if record.outcome != "done":
            return record
        patience = self._patience()
        while (judged := holds(condition, self._page())).truth is not True:
            if patience.is_over():
                told = {"outcome": "inconclusive", "reason": judged.reason}
                return record.model_copy(update=told)
            await self._wait(patience)
        return record

    async def _open_menu(self, base: StepRecord, reading: Reading, shown: Condition) -> StepRecord:
        """A part of a menu: pointed at, and clicked where that does not show what comes next."""
        there = holds(shown, self._page()).truth is True
        record = await self._go(base, await self.agents.navigate(self._task(base.step, reading)))
        opened = not there and holds(shown, self._page()).truth is True
        if record.outcome != "done" or opened:
            return record
        clicked = reading.model_copy(update={"action": "click"})
        return await self._go(base, await self.agents.navigate(self._task(base.step, clicked)))

    async def _thawed(self, step: Step, kept: FrozenStep) -> StepRecord:
        """A frozen step: its elements are found again, or it is lost."""
        patience = self._patience()
        strict, _ = self._split()
        while True:
            now = await strict.navigate(self._task(step, step.reading))
            found = thaw(kept, self._layout(), now)
            if found.state != "lost" or patience.is_over():
                break
            await self._wait(patience)
        reason = found.reason or f"as frozen ({found.state})"
        ready = Judged(truth=found.state != "lost", reason=reason)
        base = StepRecord(
            step=step,
            outcome="inconclusive",
            readiness=ready,
            frozen=found.state,
            digest=self._page().snapshot.digest,
        )
        return await self._go(base, Navigation(acts=found.acts, reason=reason))

    async def _go(self, base: StepRecord, navigation: Navigation) -> StepRecord:
        judged = Judged(
            truth=bool(navigation.acts),
            reason=navigation.reason,
            facts=navigation.facts,
            strict=navigation.strict,
        )
        base = base.model_copy(update={"navigation": judged, "candidates": navigation.candidates})
        if not navigation.acts:
            return base.model_copy(update={"reason": navigation.reason})
        return await self._carry_out(base, navigation)

    async def _readiness(self, step: Step) -> tuple[Reading | None, Judged, Navigation | None]:
        """The first reading that can be carried out, with what the rules make of it."""
        patience = self._patience()
        while True:
            strict, others = self._split()
            ready = Judged(truth=None, reason="")
            for reading in step.readings or (None,):
                task = self._task(step, reading)
                ready = await strict.ready(task)
                if ready.truth is True:
                    return reading, ready, None
            if patience.is_over():
                break
            await self._wait(patience)
        first = step.reading
        task = self._task(step, first)
        ready = await strict.ready(task)
        if ready.truth is None and others is not None:
            ready = await others.ready(task)
        return first, ready, await strict.navigate(task)

    def _split(self) -> tuple[Agents, Agents | None]:
        """The agents of plain rules, that may be asked often; all, where there are more."""
        agents = self.agents
        more = len(agents.readiness) > 1 or len(agents.navigators) > 1
        strict = Agents(agents.navigators[:1], agents.readiness[:1], agents.assertions[:1])
        return strict, agents if more else None

    async def _carry_out(self, base: StepRecord, navigation: Navigation) -> StepRecord:
        kept = self.frozen.get(base.step.number)
        first, layout, turns = self.turns, self._layout(), 0
        target = ", ".join(act.described or act.action for act in navigation.acts)
        seen = Judged(truth=True, reason="")
        for act in navigation.acts:
            before = self.views.last
            try:
                await self._do(act)
            except AppProtocolError as err:
                turns = self.turns - first
                return base.model_copy(
                    update={
                        "reason": f"the {act.action} could not be done: {err}",
                        "target": target,
                        "turns": tuple(range(first, first + turns)),
                        "owner": Owner.APP,
                    }
                )
            expected = kept is not None and kept.changes
            seen = await self._observed(act, before, expected)
            if seen.truth is False and was_too_slow(self._page(), seen.facts):
                await self._do(act)  # nothing was done: a busy machine gets a second chance
                seen = await self._observed(act, before, expected)
            if seen.truth is False:
                break
        done = seen.truth is True or (seen.truth is None and bool(seen.facts))
        if done:
            self.kept[base.step.number] = freeze(
                base.step, navigation.acts, layout, changes=bool(seen.facts)
            )
        return base.model_copy(
            update={
                "outcome": "done" if done else "inconclusive",
                "reason": "" if done else seen.reason,
                "observed": seen,
                "target": target,
                "turns": tuple(range(first, self.turns)),
            }
        )

    async def _observed(self, act: GuiAction, before: PageView | None, effect: bool) -> Judged:
        """Observe, and once more for as long as the page may still need."""
        patience = self._patience()
        while True:
            seen = observe(act, before, self._page(), effect_expected=effect)
            if seen.truth is not False or self._page().hit is False or patience.is_over():
                return seen
            await self._wait(patience)

    async def _wait_for(self, base: StepRecord, reading: Reading) -> StepRecord:
        """A step that waits until a condition holds."""
        limit = float(reading.value) if reading.value else max(30.0, self.patience_s)
        patience, condition = self._patience(limit), reading.condition
        while condition is not None:
            judged = holds(condition, self._page())
            if judged.truth is True:
                return base.model_copy(update={"outcome": "done", "observed": judged})
            if patience.is_over():
                reason = f"still after {limit:g} s: {judged.reason}"
                return base.model_copy(update={"observed": judged, "reason": reason})
            await self._wait(patience)
        return base

    # Assertions

    async def _assert(self, step: Step) -> StepRecord:
        await self._view()
        patience = self._patience()
        judged = await self._strictly(step)
        wanted = self.expected.get(step.number, True)
        while judged.truth is not wanted and not patience.is_over():
            await self._wait(patience)
            judged = await self._strictly(step)
        if judged.truth is None and len(self.agents.assertions) > 1:
            judged = await self.agents.holds(self._task(step, step.reading))
        outcomes: dict[bool | None, Outcome] = {True: "true", False: "false", None: "inconclusive"}
        return StepRecord(
            step=step,
            outcome=outcomes[judged.truth],
            reason=judged.reason,
            assertion=judged,
            target=", ".join(self._words(judged.elements)),
            digest=self._page().snapshot.digest,
            vacuous=self._vacuous(step) if judged.truth is True else None,
        )

    async def _strictly(self, step: Step) -> Judged:
        """What plain rules say of an assertion; don't know where its readings disagree."""
        strict, _ = self._split()
        said = [await strict.holds(self._task(step, one)) for one in step.readings or (None,)]
        if len({one.truth for one in said}) == 1:
            return said[0]
        words = " or ".join(f"'{one.explanation}'" for one in step.readings)
        return said[0].model_copy(
            update={"truth": None, "reason": f"it can be read as {words}, which differ here"}
        )

    def _vacuous(self, step: Step) -> Literal["before", "everywhere"] | None:
        """Whether the assertion was true before the last act too, or on all pages."""
        condition = step.reading.condition if step.reading else None
        if condition is None:
            return None
        return self.views.vacuous(condition)

    # What both share

    def _task(self, step: Step, reading: Reading | None) -> PageTask:
        return PageTask(
            step=step,
            reading=reading,
            view=self._page(),
            before=self.views.before,
            done=tuple(one.step for one in self.records if one.outcome == "done"),
            acts=tuple(self.acts),
            variables=self.variables,
            seed=self.seed,
        )

    def _words(self, ids: Sequence[str]) -> list[str]:
        known = self._layout().by_id
        return [in_words(known[one]) for one in ids[:3] if one in known]

    def _page(self) -> PageView:
        if self.views.last is None:
            raise _no_page()
        return self.views.last

    def _layout(self) -> Layout:
        return Layout(self._page().snapshot)

    async def _view(self) -> None:
        if self.views.last is None:
            await self._send(Listen())

    async def _do(self, act: GuiAction) -> None:
        self.views.act()
        self.acts.append(act)
        await self._send(act)

    def _patience(self, limit_s: float | None = None) -> "_Patience":
        return _Patience(self, self.patience_s if limit_s is None else limit_s)

    async def _wait(self, patience: "_Patience") -> None:
        """Let the page go on: until something changes, or the patience is over."""
        left = max(0.05, min(0.25, patience.left_s()))
        await self._send(GuiAction(action="wait", value=round(left, 2)))

    async def _picture(self) -> None:
        """Keep a picture of the page where a step went wrong; there may be no page any more."""
        with suppress(SparringError):
            await self._send(GuiAction(action="screenshot", value="failure"))

    async def _send(self, act: Act) -> None:
        observation = await self.session.send(act)
        self.turns += 1
        if observation.page is None:
            raise _no_page()
        self.views.add(
            observation.page, again=not isinstance(act, GuiAction) or act.action in _LOOKING
        )


class _Patience:
    """The time that a page may take, without that in which the machine let nothing run.

    Counted by the machine's clock alone, a page on a busy machine is said not to show in 2 s what
    it has had half a second of processor time for.
    """

    def __init__(self, run: Run, limit_s: float) -> None:
        self._run = run
        self._first = len(run.recorded)
        self._limit_s = limit_s
        self._began = monotonic()

    def left_s(self) -> float:
        """Return how many seconds the page has left."""
        return min(self._own_s(), _LONGEST_PATIENCE * self._limit_s - self._elapsed_s())

    def is_over(self) -> bool:
        """Return whether the page has had its time, or the runner must not wait any longer."""
        if self.left_s() > 0:
            return False
        self._run.is_cut = self._run.is_cut or self._own_s() > 0
        return True

    def _elapsed_s(self) -> float:
        return monotonic() - self._began

    def _own_s(self) -> float:
        """What the page has left of its own time, in which something could run."""
        starved = sum(turn.starved_s for turn in self._run.recorded[self._first :])
        return self._limit_s - max(0.0, self._elapsed_s() - starved)


def _is_late(record: StepRecord, view: PageView | None) -> bool:
    """Whether a step was not done because its target was not ready in the connector's time."""
    seen = record.observed
    return seen is not None and view is not None and was_too_slow(view, seen.facts)


def _no_page() -> PartError:
    return PartError("connector", "of this suite", "send", "its answer has no page")

"""Algorithm 1 of Salva and Taguelmimt.

Readiness, navigation and observe for each step, then the assertions, with the verdicts pass, fail
and inconclusive(step, why).

Additions to the paper's algorithm: a page has some time (`patience_s`) before the answer is no, a
step may have several readings, assertions may stand between navigation steps, and each true
assertion is also judged on the pages before, to learn whether it could have failed.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Literal

from sparring.errors import AppProtocolError, SparringError
from sparring.interfaces.app_connector import AppSession
from sparring.model.page import PageView
from sparring.model.talk import Act, GuiAction, Listen, Turn
from sparring_plugins.web.grammar.assertions import is_assertion
from sparring_plugins.web.pages.conditions import holds
from sparring_plugins.web.pages.controls import in_words
from sparring_plugins.web.pages.layout import Layout
from sparring_plugins.web.roles import Judged, Navigation, PageTask
from sparring_plugins.web.runner.aim import aim_at_links, guessed_steps
from sparring_plugins.web.runner.clauses.playing import play_clauses
from sparring_plugins.web.runner.deeds import act_on_record, act_unread, is_finished
from sparring_plugins.web.runner.error_pages import doubt_error_page
from sparring_plugins.web.runner.everyday import CaseMemory, carry_out_alone
from sparring_plugins.web.runner.frozen_steps import FrozenStep, freeze, thaw
from sparring_plugins.web.runner.login_steps import has_logged_in
from sparring_plugins.web.runner.look_ahead import LookAhead
from sparring_plugins.web.runner.model_steps import (
    ModelHands,
    act_until_done,
    await_content,
    is_left_undone,
    is_surely_read,
    readiness_of,
    rest_of_sentence,
    sentence_task,
    settle,
    tried_in_words,
    with_navigation,
)
from sparring_plugins.web.runner.observe import observe, was_too_slow
from sparring_plugins.web.runner.overlays import Overlay
from sparring_plugins.web.runner.records import (
    Outcome,
    Phase,
    StepRecord,
    TestVerdict,
    not_recorded,
    verdict_of,
)
from sparring_plugins.web.runner.run_state import (
    DialogAnswers,
    Patience,
    Views,
    blame_failed_act,
    conversation_time_s,
    doubt_guesses,
    doubt_idle_key,
    is_asserting,
    is_key_for_button,
    no_page_error,
    with_owner,
    with_place,
)
from sparring_plugins.web.runner.strict_agents import Agents
from sparring_plugins.web.runner.waiting import wait_until
from sparring_plugins.web.runner.weak_steps import (
    Hands,
    act_weakly,
    is_bare_submit,
    judge_with_weak,
    may_be_revealed,
    may_be_weak,
    may_hide_act,
    names_exactly,
    only_checks,
)
from sparring_plugins.web.step import Condition, Reading, Step

#: Acts that only look again at the effect of the last one.
_LOOKING = frozenset({"wait", "screenshot", "answer_dialog", "mark"})


@dataclass
class Run:
    """One test case under way: what was done and seen so far.

    `records` grows step by step, so that a case that is cut short keeps its results. `expected`
    has for steps by number whether an assertion is expected to hold; `frozen` the frozen steps to
    use, `kept` those of this run; `guesses` are the steps that a weak reading carried out or that
    a model took for done. `covered` has the steps by number that were done with an earlier part
    of their sentence, and `following` the steps after the one under way. `recorded` are the turns
    of the conversation as the engine measures them: processor time that the machine withheld does
    not count against the page's `patience_s`. `patiences` are those of the step that is under way.
    `look_ahead` chooses between equal candidates.
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
    answers: DialogAnswers = field(default_factory=DialogAnswers)
    guesses: list[Step] = field(default_factory=list[Step])
    recorded: Sequence[Turn] = ()
    patiences: list[Patience] = field(default_factory=list[Patience])
    covered: dict[int, int] = field(default_factory=dict[int, int])
    following: Sequence[Step] = ()
    look_ahead: LookAhead | None = None
    memory: CaseMemory = field(default_factory=CaseMemory)

    async def play(self) -> tuple[TestVerdict, str]:
        """Carry out all steps; returns the verdict and its reason.

        The steps of `teardown` are tried whatever came before, and do not change the verdict.
        """
        stopped = await self._play(self.setup, "setup", "")
        await self._play(self.steps, "test", stopped)
        verdict = verdict_of(self.records)
        await self._play(self.teardown, "teardown", "")
        return verdict

    async def _play(self, steps: Sequence[Step], phase: Phase, stopped: str) -> str:
        """Carry out steps in order; returns why it stopped, or an empty text."""
        for index, step in enumerate(steps):
            following = self.following = steps[index + 1 :]
            if stopped and not (is_assertion(step) and is_asserting(self.records)):
                self._add(StepRecord(step=step, outcome="not_reached", reason=stopped), phase)
                continue
            began_s, first_turn = self._now_s(), len(self.recorded)
            self.patiences.clear()
            record = await self._try(step, following)
            turns, is_wrong = self.recorded[first_turn:], self._is_unexpected(record)
            elapsed_s = self._now_s() - began_s
            record = with_owner(record, turns, elapsed_s, self.patiences, self.views.last, is_wrong)
            if (is_failure := is_wrong or record.outcome == "inconclusive") and self.pictures:
                await self._take_picture()
            self._add(record, phase, began_s)
            # a check that nobody can decide changes nothing on the page: what follows can go on
            is_undecided = record.outcome == "inconclusive" and only_checks(step)
            if is_undecided and may_hide_act(step):
                self.guesses.append(step)
            if is_failure and not is_undecided:
                stopped = stopped or f"step {step.number} was {record.outcome}"
        return stopped

    async def _try(self, step: Step, following: Sequence[Step]) -> StepRecord:
        if self.answers.is_prepared(step, self.views.last):
            return self.answers.record(step, self._page(), following)
        if is_assertion(step):
            return await self._assert(step)
        for act in self.answers.prepare(following):
            await self._view()
            await self._send(act)
        return await self._navigate(step)

    def _is_unexpected(self, record: StepRecord) -> bool:
        if record.outcome not in ("true", "false"):
            return False
        return (record.outcome == "true") != self.expected.get(record.step.number, True)

    def missing(self) -> tuple[StepRecord, ...]:
        """Return records for the steps that have none because the test case was broken off."""
        phases: tuple[tuple[Phase, Sequence[Step]], ...] = (
            ("setup", self.setup), ("test", self.steps), ("teardown", self.teardown),
        )  # fmt: skip
        return not_recorded(phases, self.records, self.expected)

    def _now_s(self) -> float:
        return conversation_time_s(self.recorded, self.clock)

    def _add(self, record: StepRecord, phase: Phase, began_s: float | None = None) -> None:
        expected = self.expected.get(record.step.number)
        record = record.model_copy(update={"phase": phase, "expected": expected})
        self.records.append(with_place(record, self.views.last, began_s, self._now_s()))

    async def _navigate(self, step: Step) -> StepRecord:
        """Carry out a step; what no reading of it can do is left to its whole sentence."""
        record = await self._navigate_as_read(step)
        if self._split()[1] is not None or is_finished(record):
            return record
        record, covered = await act_unread(record, self._hands(step))
        if record.outcome == "done":
            self._guess(step, covered)
        return record

    def _guess(self, step: Step, covered: Sequence[Step] = ()) -> None:
        self.guesses.append(step)
        self.covered |= {other.number: step.number for other in covered}
        self.kept.pop(step.number, None)  # repeated blindly, it would be no guess

    async def _navigate_as_read(self, step: Step) -> StepRecord:
        await self._view(step)
        blank = StepRecord(step=step, outcome="inconclusive", digest=self._page().snapshot.digest)
        if alone := await carry_out_alone(blank, self.memory, self.views, self._hands(step)):
            return alone
        if (earlier := self.covered.get(step.number)) is not None:
            reason = f"done together with step {earlier}"
            return StepRecord(step=step, outcome="done", reason=reason)
        frozen = self.frozen.get(step.number)
        if frozen is not None and frozen.text == step.text:
            return await self._repeat_frozen(step, frozen)
        if (sent := await self._send_form(blank)) is not None:
            return sent
        reading, readiness, navigation = await self._await_readiness(step)
        digest = self._page().snapshot.digest
        base = StepRecord(step=step, outcome="inconclusive", readiness=readiness, digest=digest)
        if (other := await self._act_otherwise(base, readiness)) is not None:
            return other
        if readiness.truth is not True:
            candidates = navigation.candidates if navigation else ()
            return base.model_copy(update={"reason": readiness.reason, "candidates": candidates})
        if reading is not None and reading.condition and reading.action == "wait":
            return await self._wait_for(base, self.memory.resolve(step).readings[0])
        record = await self._carry_out_reading(base, reading)
        if not is_left_undone(record) or not self.agents.navigators[1:]:
            return record
        return await self._ask_navigator(base, tried_in_words(record))

    async def _carry_out_reading(self, base: StepRecord, reading: Reading | None) -> StepRecord:
        if reading is None or reading.condition is None:
            record = await self._navigate_by(base, reading)
            if is_key_for_button(base.step, reading):
                self.guesses.append(base.step)
                return doubt_idle_key(record, self._page())
            return record
        way = self._open_menu if reading.action == "hover" else self._bring_about
        return await way(base, reading, reading.condition)

    async def _send_form(self, base: StepRecord) -> StepRecord | None:
        """Carry out a mere "submit", which means the form just filled in, whatever is called so."""
        if self._split()[1] is not None or not is_bare_submit(base.step):
            return None
        record = await act_weakly(base.step, base, self._hands(base.step))
        if record.outcome == "done":
            self.guesses.append(base.step)
        return record if record.outcome == "done" else None

    async def _act_otherwise(self, base: StepRecord, readiness: Judged) -> StepRecord | None:
        """Carry out a step that plain rules are not sure of; None if they are, or nobody else."""
        asks = readiness.truth is not True and self.agents.navigators[1:] and not base.step.by
        if not asks and readiness.truth is not True:
            hands = self._hands(base.step)
            whole = await act_on_record(base, hands)
            whole = whole or await play_clauses(base, hands, self.records)
            if whole is not None:
                self._guess(base.step, whole[1])
                return whole[0]
        if readiness.truth is None and self.look_ahead is not None:
            twin = await self.look_ahead.choose(self, self._task(base.step, None))
            if twin is not None and (twin.acts or not asks):
                return await self._follow(base, twin)
        if asks:
            return await self._ask_navigator(base)
        return await self._act_weakly(base) if may_be_revealed(readiness) else None

    async def _act_weakly(self, base: StepRecord) -> StepRecord | None:
        """Carry out a step by its weak readings if no agent asks a model; None if that fails."""
        step = base.step
        if self._split()[1] is not None or not (may_be_weak(step) or names_exactly(step)):
            return None
        record = await act_weakly(step, base, self._hands(step))
        if record.outcome != "done" and not record.turns and (record is base or step.readings):
            return None
        # one step may have acted on several pages: nothing of it is repeated blindly
        self.kept.pop(step.number, None)
        if record.turns and not has_logged_in(step, self.views.last):
            self.guesses.append(step)
        return record

    async def _navigate_by(self, base: StepRecord, reading: Reading | None) -> StepRecord:
        """Carry out the acts that the navigator finds for a reading."""
        navigation = await self.agents.navigate(self._task(base.step, reading))
        return await self._follow(base, navigation)

    async def _bring_about(
        self, base: StepRecord, reading: Reading, condition: Condition
    ) -> StepRecord:
        """Act until a state is reached; "Expand the section" does nothing if it is expanded."""
        if (judged := holds(condition, self._page())).truth is True:
            return base.model_copy(update={"outcome": "done", "observed": judged})
        record = await self._navigate_by(base, reading)
        if record.outcome != "done":
            return record
        patience = self._patience()
        while (judged := holds(condition, self._page())).truth is not True:
            if patience.is_over():
                update = {"outcome": "inconclusive", "reason": judged.reason}
                return record.model_copy(update=update)
            await self._wait(patience)
        return record

    async def _open_menu(self, base: StepRecord, reading: Reading, shown: Condition) -> StepRecord:
        """Point at a part of a menu, and click it if that does not show the next part."""
        was_open = holds(shown, self._page()).truth is True
        record = await self._navigate_by(base, reading)
        opened = not was_open and holds(shown, self._page()).truth is True
        if record.outcome != "done" or opened:
            return record
        return await self._navigate_by(base, reading.model_copy(update={"action": "click"}))

    async def _repeat_frozen(self, step: Step, frozen: FrozenStep) -> StepRecord:
        """Repeat the acts of a frozen step on its elements, unless they are lost."""
        patience = self._patience()
        strict, _ = self._split()
        while True:
            navigation = await strict.navigate(self._task(step, step.reading))
            thawed = thaw(frozen, self._layout(), navigation)
            if thawed.state != "lost" or patience.is_over():
                break
            await self._wait(patience)
        reason = thawed.reason or f"as frozen ({thawed.state})"
        base = StepRecord(
            step=step,
            outcome="inconclusive",
            readiness=Judged(truth=thawed.state != "lost", reason=reason),
            frozen=thawed.state,
            digest=self._page().snapshot.digest,
        )
        return await self._follow(base, Navigation(acts=thawed.acts, reason=reason))

    async def _follow(self, base: StepRecord, navigation: Navigation) -> StepRecord:
        base = with_navigation(base, navigation)
        if not navigation.acts:
            return base.model_copy(update={"reason": navigation.reason})
        if navigation.strict:
            return await self._carry_out(base, navigation)
        return await self._act_until_done(base, navigation, self._task(base.step, None))

    async def _ask_navigator(self, base: StepRecord, tried: tuple[str, ...] = ()) -> StepRecord:
        """Carry out what is left of a step's sentence as the other navigators answer."""
        await await_content(self._page, self._patience, self._wait)
        group = rest_of_sentence(base.step, self.following)
        before = self.records[-1].step if self.records else None
        task = sentence_task(self._task(base.step, None), group, self.following, before, tried)
        navigation = await Agents(self.agents.navigators[1:], (), ()).navigate(task)
        rules = base.readiness.reason if base.readiness else ""
        base = with_navigation(
            base.model_copy(update={"readiness": readiness_of(navigation)}), navigation
        )
        if navigation.acts:
            record = await self._act_until_done(base, navigation, task)
        elif navigation.accomplished:
            record = base.model_copy(update={"outcome": "done", "target": navigation.quote})
            self.guesses.append(base.step)
        else:
            reason = "; ".join(text for text in (rules, navigation.reason) if text)
            return base.model_copy(update={"owner": navigation.owner, "reason": reason})
        if record.outcome == "done":
            self.covered.update({step.number: group[0].number for step in group[1:]})
        if record.outcome != "done" or navigation.rest or len(group) > 1:
            # what took several looks at the page is not repeated blindly
            self.kept.pop(base.step.number, None)
        return record

    async def _act_until_done(
        self, base: StepRecord, navigation: Navigation, task: PageTask
    ) -> StepRecord:
        def next_task(tried: tuple[str, ...]) -> PageTask:
            now = {"view": self._page(), "before": tuple(self.views.earlier), "tried": tried}
            return task.model_copy(update=now)

        navigators = Agents(self.agents.navigators[1:] or self.agents.navigators, (), ())
        hands = ModelHands(next_task, navigators.navigate, self._carry_out)
        return await act_until_done(base, navigation, hands)

    async def _await_readiness(
        self, step: Step
    ) -> tuple[Reading | None, Judged, Navigation | None]:
        """Return the first reading that can be carried out, with its readiness.

        If none can, the likeliest reading with all agents' judgement and the strict navigation.
        """
        patience, overlay = self._patience(), Overlay()
        strict, all_agents = self._split()
        while True:
            answers: list[Judged] = []
            for reading in step.readings or (None,):
                answers.append(await strict.ready(self._task(step, reading)))
                if answers[-1].truth is True:
                    return reading, answers[-1], None
            if not patience.is_over():
                await self._wait(patience)
                continue
            goes_on, closing = overlay.relieve(self._page(), answers[0])
            if not goes_on:
                break
            if closing is not None:
                await self._do(closing)
            patience = self._patience(overlay.wait_s)
        task = self._task(step, step.reading)
        readiness = await strict.ready(task)
        # a navigator that asks a model says both with one answer
        if readiness.truth is None and all_agents is not None and len(self.agents.navigators) < 2:
            readiness = await all_agents.ready(task)
        return step.reading, readiness, await strict.navigate(task)

    def _split(self) -> tuple[Agents, Agents | None]:
        """Return the agents of plain rules, which may be asked often; and all if there are more."""
        agents = self.agents
        more = len(agents.readiness) > 1 or len(agents.navigators) > 1
        strict = Agents(agents.navigators[:1], agents.readiness[:1], agents.assertions[:1])
        return strict, agents if more else None

    async def _carry_out(self, base: StepRecord, navigation: Navigation) -> StepRecord:
        frozen = self.frozen.get(base.step.number)
        effect_expected = frozen is not None and frozen.changes
        first, layout = self.turns, self._layout()
        navigation = aim_at_links(navigation, layout)
        target = ", ".join(act.described or act.action for act in navigation.acts)
        observed = Judged(truth=True, reason="")
        for act in navigation.acts:
            before = self.views.last
            if act.action == "answer_dialog":  # prepared for the dialog that the next act opens
                await self._send(act)
                continue
            try:
                await self._do(act)
                observed = await self._observe(act, before, effect_expected)
                if observed.truth is False and was_too_slow(self._page(), observed.facts):
                    await self._do(act)  # nothing was done: a busy machine gets a second chance
                    observed = await self._observe(act, before, effect_expected)
            except AppProtocolError as err:
                update = {"target": target, "turns": tuple(range(first, self.turns))}
                reason = f"the {act.action} could not be done: {err}"
                return blame_failed_act(base.model_copy(update=update), navigation, reason)
            if observed.truth is False:
                break
        is_done = observed.truth is True or (observed.truth is None and bool(observed.facts))
        if is_done:
            self.guesses += guessed_steps(base.step, navigation, layout, observed)
            self.kept[base.step.number] = freeze(
                base.step, navigation.acts, layout, changes=bool(observed.facts)
            )
        return base.model_copy(
            update={
                "outcome": "done" if is_done else "inconclusive",
                "reason": "" if is_done else observed.reason,
                "observed": observed,
                "target": target,
                "turns": tuple(range(first, self.turns)),
            }
        )

    async def _carry_out_guess(self, base: StepRecord, navigation: Navigation) -> StepRecord:
        """Carry out acts on what a weak reading chose."""
        weak = navigation.weak or "a weak reading chose it"
        return await self._carry_out(base, navigation.model_copy(update={"weak": weak}))

    async def _observe(self, act: GuiAction, before: PageView | None, effect: bool) -> Judged:
        """Observe until the effect is seen or the page has had its time."""
        patience = self._patience()
        while True:
            observed = observe(act, before, self._page(), effect_expected=effect)
            if observed.truth is not False or self._page().hit is False or patience.is_over():
                return observed
            await self._wait(patience)

    async def _wait_for(self, base: StepRecord, reading: Reading) -> StepRecord:
        """Carry out a step that waits until a condition holds."""
        limit = float(reading.value) if reading.value else max(30.0, self.patience_s)
        return await wait_until(base, reading, self._hands(base.step), self._patience(limit), limit)

    async def _assert(self, step: Step) -> StepRecord:
        await self._view(step)
        written, step = step, self.memory.resolve(step)
        limit = step.reading.value if step.reading else None
        patience = self._patience(float(limit) if limit else None)
        judged = await self._judge_strictly(step)
        expected = self.expected.get(step.number, True)
        while judged.truth is not expected and not patience.is_over():
            await self._wait(patience)
            judged = await self._judge_strictly(step)
        judged = await self._ask_assertion(step, judged)
        if error := self.views.error_page():
            judged = doubt_error_page(step, judged, error, self._page(), expected=expected)
        judged = doubt_guesses(judged, self.guesses, expected=expected)
        outcomes: dict[bool | None, Outcome] = {True: "true", False: "false", None: "inconclusive"}
        return StepRecord(
            step=written,
            outcome=outcomes[judged.truth],
            reason=judged.reason,
            assertion=judged,
            target=", ".join(self._words(judged.elements)),
            digest=self._page().snapshot.digest,
            vacuous=self._vacuous(step) if judged.truth is True else None,
        )

    async def _ask_assertion(self, step: Step, judged: Judged) -> Judged:
        """Return the judgement of plain rules if that is final, else what a model makes of it."""
        others = self.agents.assertions[1:]
        is_sure = judged.truth is not None and is_surely_read(step, judged)
        if not others or step.by or is_sure:
            return judged
        task = self._task(step, step.reading).model_copy(update={"sentence": step.sentence})
        return settle(judged, await Agents((), (), others).holds(task))

    async def _judge_strictly(self, step: Step) -> Judged:
        """Judge an assertion by plain rules; don't know if its readings disagree."""
        strict, _ = self._split()
        answers = [await strict.holds(self._task(step, r)) for r in step.readings or (None,)]
        if len({answer.truth for answer in answers}) == 1:
            return self._judge_weakly(step, answers[0])
        weak = self._judge_weakly(step, answers[0].model_copy(update={"truth": None}))
        if weak.truth is not None:
            return weak
        words = " or ".join(f"'{reading.explanation}'" for reading in step.readings)
        return answers[0].model_copy(
            update={"truth": None, "reason": f"it can be read as {words}, which differ here"}
        )

    def _judge_weakly(self, step: Step, strict: Judged) -> Judged:
        earlier = [record.step.text for record in self.records]
        return judge_with_weak(step, strict, self._page(), self.views.earlier, self.acts, earlier)

    def _vacuous(self, step: Step) -> Literal["before", "everywhere"] | None:
        """Return whether the assertion was true before the last act too, or on all pages."""
        condition = step.reading.condition if step.reading else None
        return None if condition is None else self.views.vacuous(condition, self.acts)

    def _hands(self, step: Step) -> Hands:
        task = partial(self._task, step, None)
        said = [record.step.text for record in self.records]
        return Hands(task, self._patience, self._wait, self._carry_out_guess, self.following, said)

    def _task(self, step: Step, reading: Reading | None) -> PageTask:
        return PageTask(
            step=step,
            reading=reading,
            view=self._page(),
            before=tuple(self.views.earlier),
            done=tuple(record.step for record in self.records if record.outcome == "done"),
            acts=tuple(self.acts),
            variables=self.variables,
            seed=self.seed,
            today=self.memory.today,
        )

    def _words(self, ids: Sequence[str]) -> list[str]:
        elements = self._layout().by_id
        return [in_words(elements[id_]) for id_ in ids[:3] if id_ in elements]

    def _page(self) -> PageView:
        return self.memory.narrow(self.views.shown())

    def _layout(self) -> Layout:
        return Layout(self._page().snapshot)

    async def _view(self, step: Step | None = None) -> None:
        if self.views.last is None:
            await self._send(Listen())
        if step is not None and (selectors := self.memory.unmarked(step)):
            await self._send(GuiAction(action="mark", value=[*selectors]))

    async def _do(self, act: GuiAction) -> None:
        self.views.begin_act()
        self.acts.append(act)
        await self._send(act)

    def _patience(self, limit_s: float | None = None) -> Patience:
        limit_s = self.patience_s if limit_s is None else limit_s
        patience = Patience(self.recorded, limit_s, self.session.upcoming)
        self.patiences.append(patience)
        return patience

    async def _wait(self, patience: Patience) -> None:
        await self._send(patience.next_wait())

    async def _take_picture(self) -> None:
        """Keep a picture of the page on which a step failed, if there still is a page."""
        with suppress(SparringError):
            await self._send(GuiAction(action="screenshot", value="failure"))

    async def _send(self, act: Act) -> None:
        observation = await self.session.send(act)
        self.turns += 1
        if observation.page is None:
            raise no_page_error()
        self.views.add(
            observation.page, again=not isinstance(act, GuiAction) or act.action in _LOOKING
        )

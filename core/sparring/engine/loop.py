"""Ask, play, judge, tell, report: the one loop that every method runs in."""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from sparring.discovery import drivers
from sparring.discovery.groups import SERVICES
from sparring.engine.batches import Batching, StrategyStates
from sparring.engine.budget import Spending, Tally
from sparring.engine.bus import EventBus, now
from sparring.errors import BudgetSpent, ExecutorLost, PartError
from sparring.format_error import error_text
from sparring.interfaces.abilities import AsksMore, LearnsFromConversations, is_open_ended, learning
from sparring.interfaces.executor import Executor
from sparring.interfaces.search_strategy import Learning, SearchStrategy
from sparring.llm.ledger import CASE
from sparring.model.case import Case
from sparring.model.events import CaseJudged, CasesAsked, CaseStarted
from sparring.model.run import Stop
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Verdict
from sparring.suite.building import Parts
from sparring.suite.containment import part_name

_REPEATED_IN_A_ROW = 3
"""Proposals of nothing but repeated cases after which a strategy counts as broken."""

_WHOLE_BATCH = 10_000
"""What a strategy that learns per batch is asked for if no budget says less."""


@dataclass(frozen=True, slots=True)
class LoopLimits:
    """How many cases are asked for at once.

    `in_step` says that a strategy that learns from each case learns in the order asked, and is
    asked for the next case when it knows all but the last `concurrency`: the same each time.
    """

    concurrency: int
    in_step: bool = False


@dataclass(slots=True)
class ResumeState:
    """Where an interrupted run goes on: the cases still to play, the batch still to tell.

    `asked` are the ids of the cases that were judged already.
    """

    asked: frozenset[str] = frozenset()
    pending: list[Case] = field(default_factory=list[Case])
    batch: list[Case] = field(default_factory=list[Case])
    told: dict[str, tuple[Trace, tuple[Verdict, ...]]] = field(
        default_factory=dict[str, tuple[Trace, tuple[Verdict, ...]]]
    )


def tell(strategy: SearchStrategy[Any], trace: Trace, verdicts: Sequence[Verdict]) -> None:
    """Tell a strategy how a case went and what the verdicts are."""
    if isinstance(strategy, LearnsFromConversations):
        strategy.played(trace)
    if type(strategy).tell is not SearchStrategy[Any].tell:  # else it learns nothing
        strategy.tell(trace.case, verdicts)


class Loop:
    """Plays cases side by side until the strategy is done, the budget spent, or somebody stops it.

    `cut_off` says that a case was dropped because the budget refused it a model's answer.

    Every case that was asked ends: judged (also as an error), dropped because the budget is spent,
    or dropped by an interruption. The loop keeps the ids of those that have not ended, and a run
    that would end as complete although there are any ends as broken. So does one whose
    strategy breaks: what is being played is finished and judged first.

    Up to `concurrency` cases are played at once; judging a case does not hold its place, so
    that judging and playing overlap, but at most as many wait to be judged again.
    """

    def __init__(
        self,
        parts: Parts,
        executor: Executor[Any],
        bus: EventBus,
        spending: Spending,
        tally: Tally,
        limits: LoopLimits,
        batching: Batching,
        kept: ResumeState | None = None,
    ) -> None:
        self._executor = executor
        self._strategy = parts.strategy
        self._learns: Learning = learning(parts.strategy)
        self._in_step = limits.in_step and self._learns == "per-case"
        self._untold: deque[str] = deque()
        self._starved = False
        self._bus = bus
        self._spending = spending
        self._tally = tally
        self._limits = limits
        kept = kept or ResumeState()
        self._batching = batching
        self._states: StrategyStates = drivers.load_value(SERVICES, "states")()
        self._queue = deque(kept.pending)
        self._batch: list[Case] = kept.batch
        self._told: dict[str, tuple[Trace, tuple[Verdict, ...]]] = dict(kept.told)
        self._tasks: set[asyncio.Task[None]] = set()
        self._committing: set[asyncio.Task[None] | None] = set()
        self._playing = 0
        self._open = {case.id for case in self._queue}
        self._asked_ids = {*kept.asked, *self._open}
        self._repeated_in_a_row, self._repeats = 0, Counter[str]()
        self._broken: list[str] = []
        self._progress = asyncio.Event()
        self._failures: list[BaseException] = []
        self._exhausted = False
        self._interrupted = False
        self.cut_off = False
        self.lost = ""
        self.stopped = Stop.COMPLETE
        self.reason = ""

    @property
    def broken(self) -> tuple[str, ...]:
        """What broke so that the run could not go on, in words."""
        return tuple(dict.fromkeys(self._broken))

    def interrupt(self) -> None:
        """Stop: cases that are being played or judged are dropped, finished ones kept."""
        self._interrupted = True
        self._batching.interrupt()
        for task in self._tasks - self._committing:
            task.cancel()
        self._progress.set()

    async def run(self) -> None:
        """Run to the end; `stopped` and `reason` then say how it came."""
        self._contain(self._tell_batch)
        try:
            while True:
                self._progress.clear()
                await self._fill()
                if not self._tasks:
                    break
                await self._progress.wait()
        finally:
            await self._drop_tasks()
        if self._failures:
            raise self._failures[0]
        self._say_why()

    def _places(self) -> int:
        if isinstance(self._executor, AsksMore):
            return self._executor.places(self._limits.concurrency, self._learns)
        return self._limits.concurrency

    async def _fill(self) -> None:
        limit = self._places()
        while (
            not self._interrupted
            and not self._broken
            and not self.lost
            and self._playing < limit
            and len(self._tasks) < 2 * limit
            and self._spending.spent() is None
            and self._spending.admits()
        ):
            case = await self._next_case()
            if case is None or self._interrupted:
                return
            self._spending.started += 1
            self._spending.running.add(case.id)
            self._playing += 1
            task = asyncio.create_task(self._case(case))
            self._tasks.add(task)
            task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._progress.set()
        if task.cancelled():
            if not self._interrupted:
                self._broken.append("the task of a case was cancelled by one of its parts")
            return
        failure = task.exception()
        if failure is not None:
            self._failures.append(failure)
            self.interrupt()

    async def _drop_tasks(self) -> None:
        for task in self._tasks - self._committing:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _next_case(self) -> Case | None:
        if not self._queue:
            try:
                while not self._queue and await self._ask():
                    pass
            except PartError as err:
                self._broken.append(str(err))
        return self._queue.popleft() if self._queue else None

    async def _ask(self) -> bool:
        """Ask the strategy; returns whether it may propose more if it is asked again at once."""
        if self._in_step and not self._tell_next():
            return False
        if callable(type(self._strategy).done):  # then `done` is always true
            raise PartError(*part_name(self._strategy), "done", "is a method, not a @property")
        if self._strategy.done or self._batch:
            return False
        batch = await self._batching.next_batch(self._count_wanted_cases())
        self.cut_off = self.cut_off or batch.cut_off
        if self._interrupted:
            return False
        batch.cases = self._never_asked_before(batch.cases)
        if batch.cases or batch.refused:
            state, change = self._state()
            self._bus.emit(
                CasesAsked(
                    at=now(),
                    cases=tuple(batch.cases),
                    state=state,
                    change=change,
                    refused=tuple(batch.refused),
                    texts=batch.texts,
                    wordings=batch.wordings,
                    previews=batch.previews,
                    skipped=batch.skipped,
                )
            )
        self._starved, self.reason = not batch.cases, batch.ended
        if not batch.cases:
            self._exhausted = not self._tasks
            return self._is_next_over()
        self._queue.extend(batch.cases)
        self._open.update(case.id for case in batch.cases)
        if self._learns == "per-batch":
            self._batch = list(batch.cases)
        if self._in_step:
            self._untold.extend(case.id for case in batch.cases)
        return False

    def _state(self) -> tuple[JsonValue, JsonValue]:
        """The strategy's state as it is logged, whole or as a change."""
        state = self._strategy.state()
        try:
            return self._states.stored(state)
        except (TypeError, ValueError, RecursionError) as err:
            group, name = part_name(self._strategy)
            message = f"returned what is no JSON value: {error_text(err)}"
            raise PartError(group, name, "state", message) from err

    def _never_asked_before(self, cases: Sequence[Case]) -> list[Case]:
        """The cases without those whose id was asked before: each is played once.

        Raises PartError if the strategy proposes nothing but such cases again and again.
        """
        fresh = list({case.id: case for case in cases if case.id not in self._asked_ids}.values())
        self._asked_ids.update(case.id for case in fresh)
        self._repeats += Counter(case.id for case in cases) - Counter(case.id for case in fresh)
        self._repeated_in_a_row = 0 if fresh or not cases else self._repeated_in_a_row + 1
        if self._repeated_in_a_row >= _REPEATED_IN_A_ROW:
            message = "proposes only cases that it has proposed before"
            raise PartError(*part_name(self._strategy), "ask", message)
        return fresh

    def _contain(self, call: Callable[[], None]) -> None:
        """Call something of the strategy's; if it breaks, nothing more is asked of it."""
        try:
            call()
        except PartError as err:
            self._broken.append(str(err))

    def _count_wanted_cases(self) -> int:
        left, limit = self._spending.cases_left(), self._places()
        want = {"never": 2 * limit, "per-case": 1, "per-batch": _WHOLE_BATCH}
        n = want[self._learns]
        return n if left is None else max(1, min(n, left))

    async def _case(self, case: Case) -> None:
        CASE.set(case.id)
        try:
            trace, verdicts = await self._played_and_judged(case)
        except BudgetSpent:
            return self._drop(case)
        except ExecutorLost as err:
            self.lost = self.lost or str(err)
            return self._drop(case)
        if case.id in self._spending.refused:  # a part made something of it all the same
            return self._drop(case)
        self._committing.add(asyncio.current_task())
        return await self._commit(trace, tuple(verdicts))

    def _drop(self, case: Case) -> None:
        """Forget a case that the budget cut off: a resumed run plays it again."""
        self.cut_off = True
        self._open.discard(case.id)
        self._asked_ids.discard(case.id)
        self._spending.case_over(case.id)

    async def _played_and_judged(self, case: Case) -> tuple[Trace, list[Verdict]]:
        places = [1]

        def leave() -> None:
            self._playing -= places.pop() if places else 0
            self._progress.set()

        try:
            self._bus.emit(CaseStarted(at=now(), case=case))
            trace, verdicts = await self._executor.play(case, leave)
        finally:
            leave()
        return trace, list(verdicts)

    async def _commit(self, trace: Trace, verdicts: tuple[Verdict, ...]) -> None:
        try:
            spent = self._spending.case_over(trace.case.id)
            self._spending.expected.add(spent)
            self._bus.emit(CaseJudged(at=now(), trace=trace, verdicts=verdicts, spent=spent))
            outcome = self._tally.add_case(verdicts)
            self._spending.cases += 1
            self._spending.case_played(trace)
            self._spending.failures += outcome is Outcome.FAIL
            self._open.discard(trace.case.id)
            if not self._broken:
                self._contain(lambda: self._tell(trace, verdicts))
            await self._bus.sync()
        finally:
            self._committing.discard(asyncio.current_task())

    def _tell(self, trace: Trace, verdicts: Sequence[Verdict]) -> None:
        if self._learns == "per-batch" or self._in_step:
            self._told[trace.case.id] = (trace, tuple(verdicts))
            self._tell_batch()
        else:
            tell(self._strategy, trace, verdicts)

    def _tell_batch(self) -> None:
        """Tell a whole batch in the order asked, so that concurrency changes nothing."""
        if self._batch and all(case.id in self._told for case in self._batch):
            for case in self._batch:
                tell(self._strategy, *self._told[case.id])
            self._batch, self._told = [], {}

    def _tell_next(self) -> bool:
        """Tell the case asked first of those that are not told, if the strategy waits for it.

        What the strategy knows when it proposes a case so does not depend on who was faster.
        Returns whether it may be asked now.
        """
        if not self._starved and len(self._untold) < self._limits.concurrency:
            return True
        if not self._is_next_over():
            return False
        tell(self._strategy, *self._told.pop(self._untold.popleft()))
        return True

    def _is_next_over(self) -> bool:
        return bool(self._untold) and self._untold[0] in self._told

    def _say_why(self) -> None:
        if self._repeats:
            (group, name), some = part_name(self._strategy), next(iter(self._repeats))
            again = f"proposed {self._repeats.total():,} cases again, such as {some!r}"
            self._bus.note(f"{group} {name!r}", f"ask: {again}")
        if self._interrupted:
            self.stopped, self.reason = Stop.INTERRUPTED, "interrupted"
            return
        self._contain(self._say_what_is_left)
        if self.lost:
            self.stopped, self.reason = Stop.LOST, self.lost
        # Cases that wait while the budget is spent were not begun: a resumed run plays them.
        waiting = {case.id for case in self._queue} if self.reason else set[str]()
        if lost := self._open - waiting:
            some = ", ".join(sorted(lost)[:3])
            self._broken.append(f"{len(lost):,} cases were asked and never ended: {some}")
        if self._broken:
            self.stopped, self.reason = Stop.BROKEN, self._broken[0]

    def _say_what_is_left(self) -> None:
        left = bool(self._queue) or not (self._strategy.done or self._exhausted)
        spent = self._spending.spent()
        if spent is None or not (left or self.cut_off):
            return
        self.reason = spent
        if self.cut_off or not (is_open_ended(self._strategy) and self._is_planned(spent)):
            self.stopped = Stop.BUDGET

    @staticmethod
    def _is_planned(spent: str) -> bool:
        """An open-ended search is over, not cut off, when its cases, turns or time are spent."""
        return any(f"(budget.{name})" in spent for name in ("cases", "turns", "minutes"))

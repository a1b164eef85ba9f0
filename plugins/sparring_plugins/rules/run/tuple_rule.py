"""Rules over two or more conversations: every ordered tuple of different ones, as if one by one."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import perm
from typing import Any

from sparring.errors import ModelError
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring_plugins.rules.compile.evaluation import Evaluator, Expression, Raised, Run
from sparring_plugins.rules.compile.loops import always_raising, write_loop
from sparring_plugins.rules.compile.plan import Hoisted, Plan, plan
from sparring_plugins.rules.compile.unseen_names import Unseen
from sparring_plugins.rules.parse.rule import Rule
from sparring_plugins.rules.run.candidates import Candidates
from sparring_plugins.rules.run.conversation_rule import failed
from sparring_plugins.rules.run.decisions import (
    PASS,
    Decision,
    Verdicts,
    fault,
    is_missing_value,
)
from sparring_plugins.rules.run.explanation import Explanation
from sparring_plugins.rules.run.responses import Heard, Hearing, doubted, left_out_reason
from sparring_plugins.rules.run.timing import Timing
from sparring_plugins.rules.values.errors import (
    NeedsAnswer,
    NeedsModel,
    Pending,
    UnknownName,
)
from sparring_plugins.rules.values.record import Record

_MOST_DEFERRED = 10_000
_MOST_REASONS = 20
_PAUSE = 64

Indexes = tuple[int, ...]
Undecided = tuple[Outcome, Owner | None, str]
_FAILED = Decision(Outcome.FAIL, Owner.APP, "failed")


class OutOfWork(BaseException):
    """The limit of work over tuples is reached; not an Exception, so that none swallow it."""


@dataclass(slots=True)
class Tally:
    """What was found so far."""

    passed: int = 0
    failed: int = 0
    failures: list[tuple[Indexes, Any]] = field(default_factory=list[tuple[Indexes, Any]])
    others: Counter[Undecided] = field(default_factory=Counter[Any])
    deferred: list[Indexes] = field(default_factory=list[Indexes])
    rows: int = 0
    applicable: int = 0

    @property
    def decided(self) -> int:
        """Tuples that the rule applied to."""
        return self.passed + self.failed + self.others.total()


class TupleRule:
    """Collects the columns of each conversation, and looks at the tuples at the end."""

    def __init__(
        self,
        rule: Rule,
        evaluator: Evaluator,
        filters: tuple[Expression, ...],
        oracle: Expression,
        message: Expression | None,
        verdicts: Verdicts,
        warn: Callable[[str], None],
        *,
        listed: int,
        work: int,
        sensei: bool,
    ) -> None:
        self.rule = rule
        self.evaluator = evaluator
        self.oracle = oracle
        self.message = message
        self.verdicts = verdicts
        self.listed = listed
        self.limit = work
        self.sensei = sensei
        self.filters = filters
        self.explanation = Explanation(evaluator, oracle)
        self.hearing = Hearing((*filters, oracle))
        self.timing = Timing((*filters, oracle))
        self.unseen = Unseen(rule, (*filters, oracle, *((message,) if message else ())), warn)
        self.explains = bool(oracle.uses.functions)
        self.plan: Plan = plan(filters, oracle, evaluator)
        self.begin()

    def begin(self) -> None:
        """Forget all conversations."""
        self.case_ids: list[str] = []
        self.unheard = 0
        self.doubts: list[Undecided | None] = []
        self.columns: list[list[Any]] = [[] for _ in self.plan.columns]
        self.tally = Tally()
        self.left = self.limit

    def add(self, record: Record) -> None:
        """Take a conversation's columns; nothing else of it is kept."""
        if self.unseen:
            self.unseen.note(record)
        if not self._judges(record.trace):
            self.unheard += 1
            return
        self.doubts.append(self._doubt(record.trace))
        self.case_ids.append(record.trace.case.id)
        for column, values in zip(self.plan.columns, self.columns, strict=True):
            if column.record:
                values.append(record)
            elif column.asks and self.evaluator.questions.backend is not None:
                values.append(Raised(Pending("waits for a model")))
            else:
                values.append(self._value(column.run, record))

    def _judges(self, trace: Trace) -> bool:
        """Whether a conversation is compared with others: the app was heard, and to its end."""
        return not self.hearing.left_out(trace) and self.hearing.cut_off(trace) is None

    def _doubt(self, trace: Trace) -> Undecided | None:
        """What a failure of a tuple with a conversation comes to if it may not be the app's."""
        incident = self.hearing.doubt(trace)
        if incident is not None:
            return self._doubted(doubted(_FAILED, incident))
        starved = self.timing.starved(trace)
        return self._doubted(starved.doubt(_FAILED)) if starved.is_large else None

    def _doubted(self, decision: Decision) -> Undecided:
        return decision.outcome, decision.owner, decision.reason

    def _value(self, run: Run, record: Record) -> Any:
        self.evaluator.work.begin()
        try:
            return run(record)
        except Exception as err:  # noqa: BLE001 - raised again where the value is used
            return Raised(err.with_traceback(None))

    async def finish(self, traces: Iterable[Trace]) -> list[Verdict]:
        """The verdicts over all tuples."""
        size, total = len(self.case_ids), perm(len(self.case_ids), self.plan.size)
        if total == 0:
            return [self._too_few(size)]
        traces = Heard(traces, self._judges)
        stopped = await self._run()
        if self.tally.deferred and not stopped:
            await self._settle_deferred(traces)
        found = [verdict async for verdict in self._failures(traces)]
        return [*found, *self._sums(total, stopped), *self._left_out()]

    async def _run(self) -> bool:
        """Look at all tuples; whether the limit of work stopped it."""
        candidates = Candidates(self.plan, self.columns, len(self.case_ids), self.is_false)
        loop = write_loop(self.plan, candidates.shape, dirty=candidates.dirty, lenient=self.sensei)
        run = self.evaluator.loop(loop.text, self.oracle.source)
        self._weight = 1 + len(loop.text) // 1_000
        self._closer = _Closer(self)
        self.evaluator.work.begin()
        rows, picks = candidates.rows(loop.carried), candidates.picks(loop.carried)
        calls = (self.spend, self.begin_tuple, self.failed, self.raised, self.later, self.closer)
        kinds = (Exception, NeedsAnswer, (Pending, NeedsModel, ModelError))
        try:
            await self._drive(run(rows, picks, *calls, *kinds))
        except OutOfWork:
            return True
        return False

    async def _drive(self, rows: Iterator[tuple[int | None, int]]) -> None:
        for number, (row, passed) in enumerate(rows):
            self.tally.passed = passed + self._closer.passed
            if row is not None:
                self.tally.rows, self.tally.applicable = row, self.tally.decided
            if number % _PAUSE == 0:
                await asyncio.sleep(0)

    def spend(self, candidates: Sequence[Any]) -> None:
        """Count the tuples about to be looked at; raises OutOfWork at the limit."""
        self.left -= 1 + len(candidates) * self._weight
        if self.left < 0:
            raise OutOfWork

    def begin_tuple(self) -> None:
        """Count the work of the tuple before, and start the next one's."""
        work = self.evaluator.work
        self.left -= work.limit - work.left
        if self.left < 0:
            raise OutOfWork
        work.begin()

    def is_false(self, error: Exception) -> bool:
        """Whether a condition that raised counts as false."""
        if isinstance(error, (Pending, NeedsModel, ModelError)):
            return False
        return self.sensei or isinstance(error, UnknownName) or is_missing_value(error)

    def closer(self, *indexes: int) -> None:
        """Look at one tuple with all its conditions, whatever they raise."""
        self.begin_tuple()
        try:
            self._closer.look(indexes)
        except NeedsAnswer:
            self.later(*indexes)

    def failed(self, value: Any, *indexes: int) -> None:
        """Count a tuple whose oracle is not true, as a failure if that is known to be the app's."""
        doubt = next((self.doubts[index] for index in indexes if self.doubts[index]), None)
        if doubt is not None:
            self._count(doubt)
            return
        self.tally.failed += 1
        if len(self.tally.failures) < self.listed:
            self.tally.failures.append((indexes, value))

    def raised(self, error: Exception, *indexes: int) -> None:
        """The oracle has no value for a tuple; SENSEI counts that as a failure."""
        if isinstance(error, Pending):
            self.later(*indexes)
            return
        decision = fault(error, self.oracle.source)
        if self.sensei and decision.owner is not Owner.JUDGE:
            self.failed(error, *indexes)
        else:
            self.note(decision)

    def note(self, decision: Decision) -> None:
        """Count a tuple that could not be decided; not applicable ones are what is left over."""
        if decision.outcome is Outcome.SKIPPED:
            return
        self._count((decision.outcome, decision.owner, decision.reason))

    def _count(self, key: Undecided) -> None:
        if key not in self.tally.others and len(self.tally.others) >= _MOST_REASONS:
            key = (key[0], key[1], "other reasons")
        self.tally.others[key] += 1

    def later(self, *indexes: int) -> None:
        """Put a tuple off until the model has answered."""
        if len(self.tally.deferred) >= _MOST_DEFERRED:
            raise OutOfWork
        self.tally.deferred.append(indexes)

    async def _settle_deferred(self, traces: Iterable[Trace]) -> None:
        """Ask the model about the conversations that wait for it, then look at their tuples."""
        waiting, self.tally.deferred = self.tally.deferred, []
        needed = {index for indexes in waiting for index in indexes}
        for index, trace in enumerate(traces):
            if index in needed:
                await self._ask_columns(index, self.evaluator.record(trace))
        self._closer.passed = self.tally.passed
        for indexes in waiting:
            self.evaluator.work.begin()
            await self.evaluator.settle(partial(self._closer.look, indexes))
        self.tally.passed = self._closer.passed
        self.tally.failures.sort(key=lambda one: one[0])

    async def _ask_columns(self, index: int, record: Record) -> None:
        case_id = record.trace.case.id
        for column, values in zip(self.plan.columns, self.columns, strict=True):
            if column.asks:
                run = partial(self._value, column.run, record)
                values[index] = await self.evaluator.settle(run, case_id)

    async def _failures(self, traces: Iterable[Trace]) -> AsyncIterator[Verdict]:
        """A verdict for each failure that is listed, in the order of the tuples."""
        listed = self.tally.failures
        records = self._records({index for indexes, _ in listed for index in indexes}, traces)
        for indexes, value in listed:
            those = [records[index] for index in indexes]
            decision = await self.evaluator.settle(partial(self._decision, value, those))
            yield self.verdicts.of(decision, tuple(self.case_ids[index] for index in indexes))

    def _records(self, wanted: set[int], traces: Iterable[Trace]) -> dict[int, Record]:
        if not wanted:
            return {}
        last, record = max(wanted), self.evaluator.record
        found: dict[int, Record] = {}
        for index, trace in enumerate(traces):
            if index in wanted:
                found[index] = record(trace)
            if index >= last:
                break
        return found

    def _decision(self, value: Any, records: Sequence[Record]) -> Decision:
        if isinstance(value, Exception):
            why = fault(value, self.oracle.source, records)
            return Decision(Outcome.FAIL, Owner.APP, f"SENSEI counts as failed: {why.reason}")
        evidence = self.evaluator.evidence_of(self.oracle, *records) if self.explains else ()
        return failed(self.message, self.explanation, value, records, evidence)

    def _sums(self, total: int, stopped: bool) -> list[Verdict]:
        """The tuples that have no verdict of their own, one verdict for each kind."""
        tally, made = self.tally, self.verdicts.of
        found: list[Verdict] = []
        if unlisted := tally.failed - len(tally.failures):
            reason = f"{unlisted:,} more like those listed" if tally.failures else "failed"
            found.append(made(Decision(Outcome.FAIL, Owner.APP, reason), (), unlisted))
        if tally.passed:
            found.append(made(PASS, (), tally.passed))
        found += [made(Decision(*key), (), count) for key, count in tally.others.items()]
        seen = tally.rows * perm(len(self.case_ids) - 1, self.plan.size - 1) if stopped else total
        skipped = seen - (tally.applicable if stopped else tally.decided)
        if skipped > 0:
            reason = "does not apply: its filter is false"
            found.append(made(Decision(Outcome.SKIPPED, reason=reason), (), skipped))
        if stopped:
            left = total - max(0, skipped) - tally.decided
            found.append(made(self._stop(total, left), (), max(1, left)))
        return found

    def _stop(self, total: int, left: int) -> Decision:
        reason = (
            f"stopped at the limit of work: {left:,} of {total:,} tuples of "
            f"{self.plan.size} conversations were not looked at. An equality between conversations "
            f"in `when` makes this rule fast; `tuple_work` raises the limit."
        )
        return Decision(Outcome.INCONCLUSIVE, Owner.TEST, reason)

    def _left_out(self) -> list[Verdict]:
        if not self.unheard:
            return []
        reason = left_out_reason(self.unheard)
        skipped = Decision(Outcome.SKIPPED, reason=reason, details={"checks": 0})
        return [self.verdicts.of(skipped, ())]

    def _too_few(self, size: int) -> Verdict:
        are = "there is 1" if size == 1 else f"there are {size}"
        reason = f"does not apply: it needs {self.plan.size} conversations, {are}"
        reason += f" ({left_out_reason(self.unheard)})" if self.unheard else ""
        return self.verdicts.of(Decision(Outcome.SKIPPED, reason=reason, details={"checks": 0}), ())


class _Closer:
    """Looks at single tuples: all conditions are evaluated, and a false one decides."""

    def __init__(self, rule: TupleRule) -> None:
        self.rule = rule
        self.passed = 0
        self.parameters = [f"h{number}" for number in range(len(rule.plan.places))]
        self.conditions = [self._compiled(one) for one in rule.plan.conjuncts]
        assert rule.plan.oracle is not None
        self.oracle = self._compiled(rule.plan.oracle)

    def _compiled(self, hoisted: Hoisted) -> Run:
        tree = always_raising(self.rule.plan, hoisted.tree)
        return self.rule.evaluator.function(tree, self.parameters, self.rule.oracle.source)

    def look(self, indexes: Sequence[int]) -> None:
        """Decide one tuple and count it; raises NeedsAnswer before anything is counted."""
        rule = self.rule
        values = [rule.columns[column][indexes[place]] for column, place in rule.plan.places]
        doubt: Exception | None = None
        for condition in self.conditions:
            try:
                if not condition(*values):
                    return
            except Exception as err:  # noqa: BLE001 - another condition may still be false
                if rule.is_false(err):
                    return
                doubt = doubt or err
        if doubt is not None:
            self._doubt(doubt, indexes)
            return
        try:
            value = self.oracle(*values)
        except Exception as err:  # noqa: BLE001 - whatever a rule raises is its verdict
            rule.raised(err, *indexes)
            return
        if value is True or value == True:  # noqa: E712 - as everywhere in rules
            self.passed += 1
        else:
            rule.failed(value, *indexes)

    def _doubt(self, error: Exception, indexes: Sequence[int]) -> None:
        if isinstance(error, Pending):
            self.rule.later(*indexes)
            return
        filters = self.rule.filters
        source = filters[0].source if filters else self.rule.oracle.source
        self.rule.note(fault(error, source))

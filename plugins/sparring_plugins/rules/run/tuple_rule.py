"""Rules over two or more conversations: judges every ordered tuple of different ones."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import perm
from typing import Any

from sparring.errors import ModelError
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring_plugins.rules.compile.evaluation import RaisedError, Run
from sparring_plugins.rules.compile.tuple_plan import (
    Hoisted,
    TuplePlan,
    always_raising,
    plan,
    write_loop,
)
from sparring_plugins.rules.run.candidates import Candidates
from sparring_plugins.rules.run.conversation_rule import JudgingRule, decide_failure
from sparring_plugins.rules.run.decisions import (
    PASS,
    CompiledRule,
    RuleDecision,
    decide_error,
    is_missing_value,
)
from sparring_plugins.rules.run.explanation import Explanation
from sparring_plugins.rules.run.outside_causes import (
    JudgedTraces,
    left_out_reason,
    make_inconclusive,
)
from sparring_plugins.rules.values.record import Record
from sparring_plugins.rules.values.work import NeedsAnswer, NeedsModel, PendingAnswer, UnknownName

# Pairs that wait for a model's answer; a million of them would fill the memory.
_MOST_DEFERRED = 10_000
_MOST_REASONS = 20
# After this many rows others get their turn: a time-out could not end a loop of a million pairs.
_PAUSE = 64

Indexes = tuple[int, ...]
Undecided = tuple[Outcome, Owner | None, str]
_FAILED = RuleDecision(Outcome.FAIL, Owner.APP, "failed")


class OutOfWork(BaseException):
    """The limit of work over tuples is reached; not an Exception, so that none swallow it."""


@dataclass(slots=True)
class TupleTally:
    """Counts of the tuples decided so far."""

    passed: int = 0
    failed_tuples: int = 0
    failures: list[tuple[Indexes, Any]] = field(default_factory=list[tuple[Indexes, Any]])
    others: Counter[Undecided] = field(default_factory=Counter[Any])
    deferred: list[Indexes] = field(default_factory=list[Indexes])
    rows: int = 0
    applicable: int = 0

    @property
    def decided(self) -> int:
        """Tuples that the rule applied to."""
        return self.passed + self.failed_tuples + self.others.total()


class TupleRule(JudgingRule):
    """Collects the columns of each conversation, and looks at the tuples at the end."""

    def __init__(self, compiled: CompiledRule, *, listed: int, work: int, sensei: bool) -> None:
        super().__init__(compiled)
        self.listed = listed
        self.limit = work
        self.sensei = sensei
        self.explanation = Explanation(self.evaluator, self.oracle)
        self.explains = bool(self.oracle.uses.functions)
        self.plan: TuplePlan = plan(self.filters, self.oracle, self.evaluator)
        self.begin()

    def begin(self) -> None:
        """Forget all conversations."""
        self.case_ids: list[str] = []
        self.skipped = 0
        self.doubts: list[Undecided | None] = []
        self.columns: list[list[Any]] = [[] for _ in self.plan.columns]
        self.tally = TupleTally()
        self.left = self.limit

    def add(self, record: Record) -> None:
        """Take a conversation's columns; nothing else of it is kept."""
        if self.unseen:
            self.unseen.note(record)
        if not self._is_judged(record.trace):
            self.skipped += 1
            return
        self.doubts.append(self._doubt_of(record.trace))
        self.case_ids.append(record.trace.case.id)
        for column, values in zip(self.plan.columns, self.columns, strict=True):
            if column.record:
                values.append(record)
            elif column.asks and self.evaluator.questions.backend is not None:
                # Another filter may rule the tuple out, and then nobody has to be asked: of the
                # 9,900 pairs of 100 conversations, an equality may leave a handful.
                values.append(RaisedError(PendingAnswer("waits for a model")))
            else:
                values.append(self._column_value(column.run, record))

    def _is_judged(self, trace: Trace) -> bool:
        """Whether a conversation is compared with others: the app responded, and until its end."""
        return (
            not self.judgeability.skip_reason(trace)
            and self.judgeability.breaking_incident(trace) is None
        )

    def _doubt_of(self, trace: Trace) -> Undecided | None:
        """The decision in place of a failure, if a failure may not be the app's doing."""
        incident = self.judgeability.doubt(trace)
        if incident is not None:
            return self.undecided_of(make_inconclusive(_FAILED, incident))
        # One slow conversation would make each pair that it is in a failure of the app.
        starved = self.timing.starved(trace)
        return self.undecided_of(starved.doubt(_FAILED)) if starved.is_large else None

    def undecided_of(self, decision: RuleDecision) -> Undecided:
        return decision.outcome, decision.owner, decision.reason

    def _column_value(self, run: Run, record: Record) -> Any:
        self.evaluator.work.begin()
        try:
            return run(record)
        except Exception as err:  # noqa: BLE001 - raised again where the value is used
            return RaisedError(err.with_traceback(None))

    async def finish(self, traces: Iterable[Trace]) -> list[Verdict]:
        """The verdicts over all tuples."""
        size, total = len(self.case_ids), perm(len(self.case_ids), self.plan.size)
        if total == 0:
            return [self._too_few_verdict(size)]
        traces = JudgedTraces(traces, self._is_judged)
        stopped = await self._run_loop()
        if self.tally.deferred and not stopped:
            await self._settle_deferred(traces)
        verdicts = [verdict async for verdict in self._failures(traces)]
        return [*verdicts, *self._summaries(total, stopped), *self._skipped_verdicts()]

    async def _run_loop(self) -> bool:
        """Look at all tuples; whether the limit of work stopped it."""
        candidates = Candidates(self.plan, self.columns, len(self.case_ids), self.is_false)
        loop = write_loop(self.plan, candidates.shape, dirty=candidates.dirty, lenient=self.sensei)
        run = self.evaluator.loop(loop.text, self.oracle.source)
        # A rule of many conditions does more for each tuple than one with a single comparison.
        self._weight = 1 + len(loop.text) // 1_000
        self._closer = _Closer(self)
        self.evaluator.work.begin()
        rows, picks = candidates.rows(loop.carried), candidates.picks(loop.carried)
        calls = (
            self.spend,
            self.begin_tuple,
            self.record_failure,
            self.record_error,
            self.defer,
            self.closer,
        )
        kinds = (Exception, NeedsAnswer, (PendingAnswer, NeedsModel, ModelError))
        try:
            await self._drive_loop(run(rows, picks, *calls, *kinds))
        except OutOfWork:
            return True
        return False

    async def _drive_loop(self, rows: Iterator[tuple[int | None, int]]) -> None:
        for number, (row, passed) in enumerate(rows):
            self.tally.passed = passed + self._closer.passed
            if row is not None:
                self.tally.rows, self.tally.applicable = row, self.tally.decided
            # The app's answers to other cases are waited for on this event loop.
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
        # What a model would say is unknown, not false: the tuple stays undecided.
        if isinstance(error, (PendingAnswer, NeedsModel, ModelError)):
            return False
        # `price < 5` of a conversation in which no price was found: the filter does not hold.
        return self.sensei or isinstance(error, UnknownName) or is_missing_value(error)

    def closer(self, *indexes: int) -> None:
        """Look at one tuple with all its conditions, whatever they raise."""
        self.begin_tuple()
        try:
            self._closer.look(indexes)
        except NeedsAnswer:
            self.defer(*indexes)

    def record_failure(self, value: Any, *indexes: int) -> None:
        """Count a tuple whose oracle is not true, as a failure if that is known to be the app's."""
        # A user who gave up in either conversation explains why their outputs differ.
        doubt = next((self.doubts[index] for index in indexes if self.doubts[index]), None)
        if doubt is not None:
            self._count(doubt)
            return
        self.tally.failed_tuples += 1
        if len(self.tally.failures) < self.listed:
            self.tally.failures.append((indexes, value))

    def record_error(self, error: Exception, *indexes: int) -> None:
        """The oracle has no value for a tuple; SENSEI counts that as a failure."""
        if isinstance(error, PendingAnswer):
            self.defer(*indexes)
            return
        decision = decide_error(error, self.oracle.source)
        if self.sensei and decision.owner is not Owner.JUDGE:
            self.record_failure(error, *indexes)
        else:
            self.note(decision)

    def note(self, decision: RuleDecision) -> None:
        """Count a tuple that could not be decided; not applicable ones are what is left over."""
        # `_summaries` counts them as total less decided: with a million pairs, of which most do
        # not apply, a counter for each would be the larger part of the work.
        if decision.outcome is Outcome.SKIPPED:
            return
        self._count((decision.outcome, decision.owner, decision.reason))

    def _count(self, key: Undecided) -> None:
        # Reasons quote values of the app, so that each of a million tuples may have its own.
        if key not in self.tally.others and len(self.tally.others) >= _MOST_REASONS:
            key = (key[0], key[1], "other reasons")
        self.tally.others[key] += 1

    def defer(self, *indexes: int) -> None:
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
        # Those that waited come last; verdicts are in one order whether or not a model was asked.
        self.tally.failures.sort(key=lambda failure: failure[0])

    async def _ask_columns(self, index: int, record: Record) -> None:
        case_id = record.trace.case.id
        for column, values in zip(self.plan.columns, self.columns, strict=True):
            if column.asks:
                run = partial(self._column_value, column.run, record)
                values[index] = await self.evaluator.settle(run, case_id)

    async def _failures(self, traces: Iterable[Trace]) -> AsyncIterator[Verdict]:
        """A verdict for each failure that is listed, in the order of the tuples."""
        listed = self.tally.failures
        records = self._records({index for indexes, _ in listed for index in indexes}, traces)
        for indexes, value in listed:
            those = [records[index] for index in indexes]
            decision = await self.evaluator.settle(partial(self._decision, value, those))
            yield self.verdicts.of(decision, tuple(self.case_ids[index] for index in indexes))

    def _records(self, indexes: set[int], traces: Iterable[Trace]) -> dict[int, Record]:
        if not indexes:
            return {}
        last, record = max(indexes), self.evaluator.record
        records: dict[int, Record] = {}
        for index, trace in enumerate(traces):
            if index in indexes:
                records[index] = record(trace)
            if index >= last:
                break
        return records

    def _decision(self, value: Any, records: Sequence[Record]) -> RuleDecision:
        if isinstance(value, Exception):
            why = decide_error(value, self.oracle.source, records)
            return RuleDecision(Outcome.FAIL, Owner.APP, f"SENSEI counts as failed: {why.reason}")
        # The fast loop keeps no evidence; the oracle is asked again for the failures listed only.
        evidence = self.evaluator.evidence_of(self.oracle, *records) if self.explains else ()
        return decide_failure(self.message, self.explanation, value, records, evidence)

    def _summaries(self, total: int, stopped: bool) -> list[Verdict]:
        """The tuples that have no verdict of their own, one verdict for each kind."""
        tally, make = self.tally, self.verdicts.of
        verdicts: list[Verdict] = []
        if unlisted := tally.failed_tuples - len(tally.failures):
            reason = f"{unlisted:,} more like those listed" if tally.failures else "failed"
            verdicts.append(make(RuleDecision(Outcome.FAIL, Owner.APP, reason), (), unlisted))
        if tally.passed:
            verdicts.append(make(PASS, (), tally.passed))
        verdicts += [make(RuleDecision(*key), (), count) for key, count in tally.others.items()]
        # A stopped loop has seen whole rows: each first conversation with all others behind it.
        seen = tally.rows * perm(len(self.case_ids) - 1, self.plan.size - 1) if stopped else total
        skipped = seen - (tally.applicable if stopped else tally.decided)
        if skipped > 0:
            reason = "does not apply: its filter is false"
            verdicts.append(make(RuleDecision(Outcome.SKIPPED, reason=reason), (), skipped))
        if stopped:
            left = total - max(0, skipped) - tally.decided
            verdicts.append(make(self._stopped_verdict(total, left), (), max(1, left)))
        return verdicts

    def _stopped_verdict(self, total: int, left: int) -> RuleDecision:
        reason = (
            f"stopped at the limit of work: {left:,} of {total:,} tuples of "
            f"{self.plan.size} conversations were not looked at. An equality between conversations "
            f"in `when` makes this rule fast; `tuple_work` raises the limit."
        )
        return RuleDecision(Outcome.INCONCLUSIVE, Owner.TEST, reason)

    def _skipped_verdicts(self) -> list[Verdict]:
        if not self.skipped:
            return []
        reason = left_out_reason(self.skipped)
        skipped = RuleDecision(Outcome.SKIPPED, reason=reason, details={"checks": 0})
        return [self.verdicts.of(skipped, ())]

    def _too_few_verdict(self, size: int) -> Verdict:
        are = "there is 1" if size == 1 else f"there are {size}"
        reason = f"does not apply: it needs {self.plan.size} conversations, {are}"
        reason += f" ({left_out_reason(self.skipped)})" if self.skipped else ""
        return self.verdicts.of(
            RuleDecision(Outcome.SKIPPED, reason=reason, details={"checks": 0}), ()
        )


class _Closer:
    """Looks at single tuples: all conditions are evaluated, and a false one decides."""

    def __init__(self, rule: TupleRule) -> None:
        self.rule = rule
        self.passed = 0
        self.parameters = [f"h{number}" for number in range(len(rule.plan.places))]
        self.conditions = [self._compile(conjunct) for conjunct in rule.plan.conjuncts]
        assert rule.plan.oracle is not None
        self.oracle = self._compile(rule.plan.oracle)

    def _compile(self, hoisted: Hoisted) -> Run:
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
            self._doubt_of(doubt, indexes)
            return
        try:
            value = self.oracle(*values)
        except Exception as err:  # noqa: BLE001 - whatever a rule raises is its verdict
            rule.record_error(err, *indexes)
            return
        if value is True or value == True:  # noqa: E712 - as everywhere in rules
            self.passed += 1
        else:
            rule.record_failure(value, *indexes)

    def _doubt_of(self, error: Exception, indexes: Sequence[int]) -> None:
        if isinstance(error, PendingAnswer):
            self.rule.defer(*indexes)
            return
        filters = self.rule.filters
        source = filters[0].source if filters else self.rule.oracle.source
        self.rule.note(decide_error(error, source))

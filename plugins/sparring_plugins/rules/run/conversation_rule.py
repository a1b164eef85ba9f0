"""Rules over one conversation, or over each of its turns or answers."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict
from sparring_plugins.rules.compile.evaluation import Expression
from sparring_plugins.rules.parse.syntax import ExpressionSource
from sparring_plugins.rules.run.decisions import (
    NOT_APPLICABLE,
    PASS,
    CompiledRule,
    RuleDecision,
    decide_error,
    failure,
    is_missing_value,
)
from sparring_plugins.rules.run.explanation import Explanation, UnseenNames, said
from sparring_plugins.rules.run.outside_causes import (
    Judgeability,
    Timing,
    decide_broken_off,
    turns_before_break,
)
from sparring_plugins.rules.values.function_calls import (
    Evidence,
    first_turns,
    quote_evidence,
    turns_of_evidence,
)
from sparring_plugins.rules.values.record import (
    Each,
    Record,
    TurnRecord,
    spoils_every_oracle,
    turn_records,
)


class JudgingRule:
    """The parts that rules of all kinds have, and what keeps them from judging a conversation.

    `more` are expressions about one conversation beside the filters, and `unique` the names that
    are only asked for by name.
    """

    def __init__(
        self,
        compiled: CompiledRule,
        more: Sequence[Expression] = (),
        unique: Mapping[str, ExpressionSource] | None = None,
    ) -> None:
        self.rule = compiled.rule
        self.evaluator = compiled.evaluator
        self.filters = compiled.filters
        self.oracle = compiled.oracle
        self.message = compiled.message
        self.verdicts = compiled.verdicts
        deciding = (*self.filters, *more, self.oracle)
        self.judgeability = Judgeability(deciding)
        self.timing = Timing(deciding)
        self.unseen = UnseenNames(
            self.rule, [*deciding, *([self.message] if self.message else [])], compiled.warn, unique
        )


class ConversationRule(JudgingRule):
    """Judges one conversation at a time."""

    def __init__(self, compiled: CompiledRule) -> None:
        super().__init__(compiled)
        self.explanation = Explanation(self.evaluator, self.oracle)
        parts = (*self.filters, self.oracle, self.message)
        self.asks = any(part.asks for part in parts if part is not None)

    async def judge(self, record: Record) -> Verdict:
        """The verdict on a conversation."""
        case_id = record.trace.case.id
        if why := self.judgeability.skip_reason(record.trace):
            decision = RuleDecision(Outcome.SKIPPED, reason=why)
        elif (broken := self.judgeability.breaking_incident(record.trace)) is not None:
            # A rule that does not apply to the case says nothing, even if the case broke off.
            decision = await self._settle(lambda: self.apply_filters(record), case_id)
            decision = decision or decide_broken_off(broken)
        else:
            decision = await self._settle(lambda: self.decide(record), case_id)
            decision = self.adjust(decision, record)
        if self.unseen:
            self.unseen.note(record)
        return self.verdicts.on(decision, case_id)

    async def _settle(self, decide: Callable[[], Any], case_id: str) -> Any:
        return await self.evaluator.settle(decide, case_id) if self.asks else decide()

    def adjust(self, decision: RuleDecision, record: Record) -> RuleDecision:
        """The decision, inconclusive if it is not clear that it is the app's doing."""
        decision = self.judgeability.adjust(decision, record.trace)
        return self.timing.adjust(decision, record.trace, self.decide_again)

    def decide_again(self, trace: Trace) -> RuleDecision:
        """Decide on a conversation with other times; no model is asked."""
        # A model that is asked again may answer differently, which is not the time's doing.
        return PASS if self.asks else self.decide(self.evaluator.record(trace))

    def apply_filters(self, record: Record, *more: Record | None) -> RuleDecision | None:
        """Return the decision of a filter that does not pass; `None` if the rule applies."""
        for filter in self.filters:
            try:
                if not self.evaluator.evaluate(filter, record, *more):
                    return NOT_APPLICABLE
            except Exception as err:  # noqa: BLE001 - whatever a rule raises is its verdict
                return self.decide_filter_error(err, filter, record)
        return None

    def decide(self, record: Record, *turns: TurnRecord | None) -> RuleDecision:
        """Filter, then ask the oracle; `turns` are the turn and the previous one of `for_each`."""
        about = (record, *turns)
        filtered = self.apply_filters(record, *turns)
        if filtered is not None:
            return filtered
        try:
            value = self.evaluator.evaluate(self.oracle, *about)
        except Exception as err:  # noqa: BLE001 - whatever a rule raises is its verdict
            decision = self.decide_oracle_error(err, [record, *filter(None, turns[:1])])
            return with_evidence(decision, self.evidence_so_far(), [record])
        # SENSEI compares with ==, so that 1 passes too.
        if value is True or value == True:  # noqa: E712
            return with_evidence(PASS, self.evidence_so_far(), [record])
        evidence = self.evidence_so_far()
        return decide_failure(self.message, self.explanation, value, [record], evidence, about)

    def evidence_so_far(self) -> tuple[Evidence, ...]:
        """The evidence that functions gave while the oracle was evaluated."""
        return tuple(self.evaluator.evidence)

    def decide_filter_error(
        self, error: Exception, expression: Expression, record: Record
    ) -> RuleDecision:
        """A filter without a value: a missing value means that the rule does not apply."""
        decision = decide_error(error, expression.source, [record])
        # `when: price > 10` of a conversation without a price: not about it, rather than an error.
        if is_missing_value(error):
            return RuleDecision(Outcome.SKIPPED, reason=f"does not apply: {decision.reason}")
        return decision

    def decide_oracle_error(self, error: Exception, records: Sequence[Record]) -> RuleDecision:
        """An oracle without a value."""
        return decide_error(error, self.oracle.source, records)


class SenseiConversationRule(ConversationRule):
    """Judges as SENSEI does: whatever has no value is not applicable."""

    def decide(self, record: Record, *turns: TurnRecord | None) -> RuleDecision:
        """Filter, then ask the oracle, unless a variable's name spoils SENSEI's own source."""
        if spoils_every_oracle(record):
            return NOT_APPLICABLE
        return super().decide(record, *turns)

    def decide_filter_error(
        self, error: Exception, expression: Expression, record: Record
    ) -> RuleDecision:
        """A filter without a value is false."""
        return self.decide_oracle_error(error, [record])

    def decide_oracle_error(self, error: Exception, records: Sequence[Record]) -> RuleDecision:
        """An oracle without a value does not apply; without a model, nothing can be said."""
        decision = decide_error(error, self.oracle.source, records)
        # SENSEI would have asked its model here; without one there is no answer to be faithful to.
        if decision.owner is Owner.JUDGE:
            return decision
        return RuleDecision(Outcome.SKIPPED, reason=f"does not apply: {decision.reason}")


def with_evidence(
    decision: RuleDecision,
    evidence: Sequence[Evidence],
    records: Sequence[Record] = (),
    *,
    several: bool = False,
) -> RuleDecision:
    """A decision with what functions said about the values that it rests on."""
    if not evidence or decision.outcome in (Outcome.SKIPPED, Outcome.ERROR):
        return decision
    judged = quote_evidence(evidence, several=several)
    reason = "; ".join(part for part in (decision.reason, judged) if part)
    turns = first_turns((*decision.turns, *turns_of_evidence(evidence, records)))
    return replace(decision, reason=reason, turns=turns)


def decide_failure(
    message: Expression | None,
    explanation: Explanation,
    value: Any,
    records: Sequence[Record],
    evidence: Sequence[Evidence] = (),
    about: Sequence[Record | None] = (),
) -> RuleDecision:
    """A failure with its message, the values behind it, and the turns that show it.

    `about` is what expressions are about if that is more than the `records`.
    """
    oracle = explanation.oracle
    evaluator = explanation.evaluator
    args = about or records
    custom = said(message, evaluator, lambda expression: evaluator.evaluate(expression, *args))
    why = failure(value, oracle)
    # 0 and None say themselves what was wrong; of False one wants to know what was compared.
    values = explanation.values(args) if value is False else ""
    why = f"{why}: {values}" if values and values != f"{oracle.source.text} is False" else why
    judged = quote_evidence(evidence, several=len(records) > 1)
    why = f"{why}; {judged}" if judged else why
    source = oracle.source
    return RuleDecision(
        Outcome.FAIL,
        Owner.APP,
        custom.reason(why),
        first_turns((*turns_of_evidence(evidence, records), *explanation.turns(records))),
        {
            "file": source.file,
            "line": source.line,
            **({"yields": custom.text} if custom.text else {}),
        },
    )


# Rules over the turns of a conversation, or over its answers.

# A rule about each turn of a conversation of 500 would list them all in each report.
_MOST_TURNS = 20

Undecided = tuple[Outcome, Owner | None, str]


@dataclass(slots=True)
class _Tally:
    """Counts and failures of the turns of one conversation."""

    passed: int = 0
    skipped: int = 0
    failures: list[RuleDecision] = field(default_factory=list[RuleDecision])
    others: Counter[Undecided] = field(default_factory=Counter[Any])
    at: dict[Undecided, list[TurnRef]] = field(default_factory=dict[Undecided, list[TurnRef]])


class TurnRule(ConversationRule):
    """Judges every turn of a conversation; `turn` and `previous` are the turns it is about."""

    def __init__(self, compiled: CompiledRule, *, each: Each, listed: int) -> None:
        super().__init__(compiled)
        self.each: Each = each
        self.listed = listed

    async def judge_turns(self, record: Record) -> list[Verdict]:
        """The verdicts on a conversation: one for all passes, one for each failing turn."""
        trace = record.trace
        if self.unseen:
            self.unseen.note(record)
        if why := self.judgeability.skip_reason(trace):
            return [self.verdicts.on(RuleDecision(Outcome.SKIPPED, reason=why), trace.case.id)]
        turns = turn_records(trace, self.each)
        broken = self.judgeability.breaking_incident(trace)
        if broken is not None:
            if not self.judgeability.is_about_turns_alone(trace):
                return [self.verdicts.on(decide_broken_off(broken), trace.case.id)]
            # An app that died in turn 7 may still have said something wrong in turn 3.
            over = turns_before_break(trace, broken)
            turns = [
                each for each in turns if each.index < over and each.turn.observation is not None
            ]
        if not turns:
            why = f"does not apply: there is no {self.each}"
            return [self.verdicts.on(RuleDecision(Outcome.SKIPPED, reason=why), trace.case.id)]
        tally = _Tally()
        for turn, previous in zip(turns, [None, *turns], strict=False):
            decision = await self._decide_turn(record, turn, previous)
            self._count(tally, self._adjust_turn(decision, turn, previous), turn)
        return self._verdicts(tally, trace.case.id)

    async def _decide_turn(
        self, record: Record, turn: TurnRecord, previous: TurnRecord | None
    ) -> RuleDecision:
        decide = partial(self.decide, record, turn, previous)
        if not self.asks:
            return decide()
        decision: RuleDecision = await self.evaluator.settle(decide, record.trace.case.id)
        return decision

    def _adjust_turn(
        self, decision: RuleDecision, turn: TurnRecord, previous: TurnRecord | None
    ) -> RuleDecision:
        """The decision, inconclusive if it is not clear that it is the app's doing."""

        def again(trace: Trace) -> RuleDecision:
            if self.asks:
                return PASS
            before = None if previous is None else TurnRecord(trace, previous.index)
            record = self.evaluator.record(trace)
            return self.decide(record, TurnRecord(trace, turn.index), before)

        decision = self.judgeability.adjust(decision, turn.trace)
        return self.timing.adjust(decision, turn.trace, again, turn.turn)

    def _count(self, tally: _Tally, decision: RuleDecision, turn: TurnRecord) -> None:
        here = TurnRef(case_id=turn.trace.case.id, turn=turn.index)
        match decision.outcome:
            case Outcome.FAIL:
                turns = first_turns((here, *decision.turns))
                reason = f"turn {turn.index + 1}: {decision.reason}"
                tally.failures.append(replace(decision, turns=turns, reason=reason))
            case Outcome.PASS:
                tally.passed += 1
            case Outcome.SKIPPED:
                tally.skipped += 1
            case _:
                key: Undecided = (decision.outcome, decision.owner, decision.reason)
                tally.others[key] += 1
                tally.at.setdefault(key, []).append(here)

    def _verdicts(self, tally: _Tally, case_id: str) -> list[Verdict]:
        make: Callable[..., Verdict] = self.verdicts.of
        ids = (case_id,)
        verdicts = [make(failure, ids) for failure in tally.failures[: self.listed]]
        if more := tally.failures[self.listed :]:
            verdicts.append(make(_decide_unlisted(more, listed=bool(verdicts)), ids, len(more)))
        for key, count in tally.others.items():
            turns = tuple(tally.at[key][:_MOST_TURNS])
            verdicts.append(make(RuleDecision(*key, turns=turns), ids, count))
        if tally.passed:
            verdicts.append(make(PASS, ids, tally.passed))
        if tally.skipped:
            verdicts.append(make(NOT_APPLICABLE, ids, tally.skipped))
        return verdicts


def _decide_unlisted(failures: Sequence[RuleDecision], *, listed: bool) -> RuleDecision:
    """The failures that have no verdict of their own, with the turns that show them."""
    reason = f"{len(failures):,} more turns like those listed" if listed else "failed"
    turns = first_turns(failure.turns[0] for failure in failures)
    return RuleDecision(Outcome.FAIL, Owner.APP, reason, turns)

"""Rules over one conversation."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring_plugins.rules.compile.evaluation import Evaluator, Expression
from sparring_plugins.rules.compile.unseen_names import Unseen
from sparring_plugins.rules.parse.rule import Rule
from sparring_plugins.rules.run.decisions import (
    NOT_APPLICABLE,
    PASS,
    Decision,
    Verdicts,
    failure,
    fault,
    is_missing_value,
)
from sparring_plugins.rules.run.explanation import Explanation
from sparring_plugins.rules.run.message import said
from sparring_plugins.rules.run.responses import Hearing, unknown_rest
from sparring_plugins.rules.run.timing import Timing
from sparring_plugins.rules.values.evidence import Evidence, first_turns, quoted, turns_of
from sparring_plugins.rules.values.record import Record
from sparring_plugins.rules.values.sensei_record import spoils_every_oracle


class OneRule:
    """Judges one conversation at a time."""

    def __init__(
        self,
        rule: Rule,
        evaluator: Evaluator,
        filters: tuple[Expression, ...],
        oracle: Expression,
        message: Expression | None,
        verdicts: Verdicts,
        warn: Callable[[str], None],
    ) -> None:
        self.rule = rule
        self.evaluator = evaluator
        self.filters = filters
        self.oracle = oracle
        self.message = message
        self.verdicts = verdicts
        self.explanation = Explanation(evaluator, oracle)
        expressions = (*filters, oracle)
        self.asks = any(one.asks for one in (*expressions, message) if one is not None)
        self.hearing = Hearing(expressions)
        self.timing = Timing(expressions)
        self.unseen = Unseen(rule, (*expressions, *((message,) if message else ())), warn)

    async def judge(self, record: Record) -> Verdict:
        """The verdict on a conversation."""
        case_id = record.trace.case.id
        if why := self.hearing.left_out(record.trace):
            decision = Decision(Outcome.SKIPPED, reason=why)
        elif (broken := self.hearing.cut_off(record.trace)) is not None:
            decision = await self._settled(lambda: self.filtered(record), case_id)
            decision = decision or unknown_rest(broken)
        else:
            decision = await self._settled(lambda: self.decide(record), case_id)
            decision = self.blamed(decision, record)
        if self.unseen:
            self.unseen.note(record)
        return self.verdicts.on(decision, case_id)

    async def _settled(self, decide: Callable[[], Any], case_id: str) -> Any:
        return await self.evaluator.settle(decide, case_id) if self.asks else decide()

    def blamed(self, decision: Decision, record: Record) -> Decision:
        """The decision, inconclusive if it is not clear that it is the app's doing."""
        decision = self.hearing.settled(decision, record.trace)
        return self.timing.settled(decision, record.trace, self._again)

    def _again(self, trace: Trace) -> Decision:
        """What is decided of a conversation with other times; no model is asked."""
        return PASS if self.asks else self.decide(self.evaluator.record(trace))

    def filtered(self, record: Record, *more: Record | None) -> Decision | None:
        """Why the rule does not apply, or what its filter says instead; None if it applies."""
        for one in self.filters:
            try:
                if not self.evaluator.evaluate(one, record, *more):
                    return NOT_APPLICABLE
            except Exception as err:  # noqa: BLE001 - whatever a rule raises is its verdict
                return self.undecided_filter(err, one, record)
        return None

    def decide(self, record: Record) -> Decision:
        """Filter, then ask the oracle."""
        filtered = self.filtered(record)
        if filtered is not None:
            return filtered
        try:
            value = self.evaluator.evaluate(self.oracle, record)
        except Exception as err:  # noqa: BLE001 - whatever a rule raises is its verdict
            return shown_by(self.undecided(err, record), self.said(), [record])
        # SENSEI compares with ==, so that 1 passes too.
        if value is True or value == True:  # noqa: E712
            if not self.evaluator.evidence:
                return PASS
            return shown_by(PASS, self.said(), [record])
        return failed(self.message, self.explanation, value, [record], self.said())

    def said(self) -> tuple[Evidence, ...]:
        """What functions said while the oracle was evaluated."""
        return tuple(self.evaluator.evidence)

    def undecided_filter(self, error: Exception, one: Expression, record: Record) -> Decision:
        """A filter without a value: a missing value means that the rule does not apply."""
        decision = fault(error, one.source, [record])
        if is_missing_value(error):
            return Decision(Outcome.SKIPPED, reason=f"does not apply: {decision.reason}")
        return decision

    def undecided(self, error: Exception, record: Record) -> Decision:
        """An oracle without a value."""
        return fault(error, self.oracle.source, [record])


class SenseiOneRule(OneRule):
    """Judges as SENSEI does: whatever has no value is not applicable."""

    def decide(self, record: Record) -> Decision:
        """Filter, then ask the oracle, unless a variable's name spoils SENSEI's own source."""
        if spoils_every_oracle(record):
            return NOT_APPLICABLE
        return super().decide(record)

    def undecided_filter(self, error: Exception, one: Expression, record: Record) -> Decision:
        """A filter without a value is false."""
        return self.undecided(error, record)

    def undecided(self, error: Exception, record: Record) -> Decision:
        """An oracle without a value does not apply; without a model, nothing can be said."""
        decision = fault(error, self.oracle.source, [record])
        if decision.owner is Owner.JUDGE:
            return decision
        return Decision(Outcome.SKIPPED, reason=f"does not apply: {decision.reason}")


def shown_by(
    decision: Decision,
    evidence: Sequence[Evidence],
    records: Sequence[Record] = (),
    *,
    several: bool = False,
) -> Decision:
    """A decision with what functions said about the values that it rests on."""
    if not evidence or decision.outcome in (Outcome.SKIPPED, Outcome.ERROR):
        return decision
    said = quoted(evidence, several=several)
    reason = "; ".join(one for one in (decision.reason, said) if one)
    turns = first_turns((*decision.turns, *turns_of(evidence, records)))
    return replace(decision, reason=reason, turns=turns)


def failed(
    message: Expression | None,
    explanation: Explanation,
    value: Any,
    records: Sequence[Record],
    evidence: Sequence[Evidence] = (),
    about: Sequence[Record | None] = (),
) -> Decision:
    """A failure with its message, the values behind it, and the turns that show it.

    `about` is what expressions are about where that is more than the `records`.
    """
    oracle = explanation.oracle
    evaluator = explanation.evaluator
    args = about or records
    told = said(message, evaluator, lambda one: evaluator.evaluate(one, *args))
    why = failure(value, oracle)
    values = explanation.values(args) if value is False else ""
    why = f"{why}: {values}" if values and values != f"{oracle.source.text} is False" else why
    judged = quoted(evidence, several=len(records) > 1)
    why = f"{why}; {judged}" if judged else why
    source = oracle.source
    return Decision(
        Outcome.FAIL,
        Owner.APP,
        told.reason(why),
        first_turns((*turns_of(evidence, records), *explanation.turns(records))),
        {
            "file": source.file,
            "line": source.line,
            **({"yields": told.text} if told.text else {}),
        },
    )


__all__ = ["OneRule", "SenseiOneRule", "failed", "shown_by"]

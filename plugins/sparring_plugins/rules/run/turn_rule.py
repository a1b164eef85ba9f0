"""Rules over the turns of a conversation, or over its answers."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict
from sparring_plugins.rules.run.conversation_rule import OneRule, failed, shown_by
from sparring_plugins.rules.run.decisions import NOT_APPLICABLE, PASS, Decision, fault
from sparring_plugins.rules.run.responses import before_the_break, unknown_rest
from sparring_plugins.rules.values.evidence import first_turns
from sparring_plugins.rules.values.record import Record
from sparring_plugins.rules.values.turns import Each, TurnRecord, turn_records

_MOST_TURNS = 20

Undecided = tuple[Outcome, Owner | None, str]


@dataclass(slots=True)
class _Found:
    """What was found on the turns of one conversation."""

    passed: int = 0
    skipped: int = 0
    failures: list[Decision] = field(default_factory=list[Decision])
    others: Counter[Undecided] = field(default_factory=Counter[Any])
    at: dict[Undecided, list[TurnRef]] = field(default_factory=dict[Undecided, list[TurnRef]])


class TurnRule(OneRule):
    """Judges every turn of a conversation; `turn` and `previous` are the turns it is about."""

    def __init__(self, *parts: Any, each: Each, listed: int) -> None:
        super().__init__(*parts)
        self.each: Each = each
        self.listed = listed

    async def judge_turns(self, record: Record) -> list[Verdict]:
        """The verdicts on a conversation: one for all passes, one for each failing turn."""
        trace = record.trace
        if self.unseen:
            self.unseen.note(record)
        if why := self.hearing.left_out(trace):
            return [self.verdicts.on(Decision(Outcome.SKIPPED, reason=why), trace.case.id)]
        turns = turn_records(trace, self.each)
        broken = self.hearing.cut_off(trace)
        if broken is not None:
            if not self.hearing.is_about_turns_alone(trace):
                return [self.verdicts.on(unknown_rest(broken), trace.case.id)]
            over = before_the_break(trace, broken)
            turns = [one for one in turns if one.index < over and one.turn.observation is not None]
        if not turns:
            why = f"does not apply: there is no {self.each}"
            return [self.verdicts.on(Decision(Outcome.SKIPPED, reason=why), trace.case.id)]
        found = _Found()
        for turn, previous in zip(turns, [None, *turns], strict=False):
            decision = await self._decided(record, turn, previous)
            self._count(found, self._blamed(decision, turn, previous), turn)
        return self._verdicts(found, trace.case.id)

    async def _decided(
        self, record: Record, turn: TurnRecord, previous: TurnRecord | None
    ) -> Decision:
        decide = partial(self.decide_turn, record, turn, previous)
        if not self.asks:
            return decide()
        decision: Decision = await self.evaluator.settle(decide, record.trace.case.id)
        return decision

    def _blamed(
        self, decision: Decision, turn: TurnRecord, previous: TurnRecord | None
    ) -> Decision:
        """The decision, inconclusive if it is not clear that it is the app's doing."""

        def again(trace: Trace) -> Decision:
            if self.asks:
                return PASS
            before = None if previous is None else TurnRecord(trace, previous.index)
            record = self.evaluator.record(trace)
            return self.decide_turn(record, TurnRecord(trace, turn.index), before)

        decision = self.hearing.settled(decision, turn.trace)
        return self.timing.settled(decision, turn.trace, again, turn.turn)

    def decide_turn(
        self, record: Record, turn: TurnRecord, previous: TurnRecord | None
    ) -> Decision:
        """Filter a turn, then ask the oracle about it."""
        about = (record, turn, previous)
        filtered = self.filtered(*about)
        if filtered is not None:
            return filtered
        try:
            value = self.evaluator.evaluate(self.oracle, *about)
        except Exception as err:  # noqa: BLE001 - whatever a rule raises is its verdict
            decision = fault(err, self.oracle.source, [record, turn])
            return shown_by(decision, self.said(), [record])
        if value is True or value == True:  # noqa: E712 - as everywhere in rules
            return shown_by(PASS, self.said(), [record]) if self.evaluator.evidence else PASS
        return failed(self.message, self.explanation, value, [record], self.said(), about)

    def _count(self, found: _Found, decision: Decision, turn: TurnRecord) -> None:
        here = TurnRef(case_id=turn.trace.case.id, turn=turn.index)
        match decision.outcome:
            case Outcome.FAIL:
                turns = first_turns((here, *decision.turns))
                reason = f"turn {turn.index + 1}: {decision.reason}"
                found.failures.append(replace(decision, turns=turns, reason=reason))
            case Outcome.PASS:
                found.passed += 1
            case Outcome.SKIPPED:
                found.skipped += 1
            case _:
                key: Undecided = (decision.outcome, decision.owner, decision.reason)
                found.others[key] += 1
                found.at.setdefault(key, []).append(here)

    def _verdicts(self, found: _Found, case_id: str) -> list[Verdict]:
        made: Callable[..., Verdict] = self.verdicts.of
        ids = (case_id,)
        verdicts = [made(one, ids) for one in found.failures[: self.listed]]
        if more := found.failures[self.listed :]:
            verdicts.append(made(_more(more, listed=bool(verdicts)), ids, len(more)))
        for key, count in found.others.items():
            turns = tuple(found.at[key][:_MOST_TURNS])
            verdicts.append(made(Decision(*key, turns=turns), ids, count))
        if found.passed:
            verdicts.append(made(PASS, ids, found.passed))
        if found.skipped:
            verdicts.append(made(NOT_APPLICABLE, ids, found.skipped))
        return verdicts


def _more(failures: Sequence[Decision], *, listed: bool) -> Decision:
    """The failures that have no verdict of their own, with the turns that show them."""
    reason = f"{len(failures):,} more turns like those listed" if listed else "failed"
    turns = first_turns(one.turns[0] for one in failures)
    return Decision(Outcome.FAIL, Owner.APP, reason, turns)

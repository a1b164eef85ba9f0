"""The oracle ``assertions``: the verdicts of test cases in plain language.

The step runner's record in the trace says what each assertion came to; this oracle says what it
means, so that a stored run can be judged again. A true assertion that would have been true before
the last act too is told, since it shows little (vacuity).
"""

from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field, JsonValue, ValidationError

from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import PluginConfig
from sparring.model.talk import Incident, IncidentKind, Trace
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict
from sparring_plugins.web.runner.records import BROKEN_OFF, META, GuiRecord, StepRecord

_MOST = 12
_MOST_STEPS = 200
_UNDECIDED = frozenset({IncidentKind.MACHINE_BUSY, IncidentKind.UNRESOLVED})
"""After these nobody knows what the app would have done."""
_VACUOUS = {
    "before": "it was true before the last action, too",
    "everywhere": "it was true on every page of the test case",
}


class AssertionsConfig(PluginConfig):
    """Settings of the oracle `assertions`."""

    expected: Literal["compare", "ignore"] = Field(
        "compare",
        description="Whether an assertion that a test case expects to be false passes by being so.",
    )
    vacuous: Literal["tell", "inconclusive", "ignore"] = Field(
        "tell",
        description="What to make of a true assertion that was true before the last action, too.",
    )


class Assertions(Oracle[AssertionsConfig]):
    """A verdict on the steps of a test case together, and one on each assertion.

    ``steps`` passes if every action could be carried out; it is inconclusive with the step and
    the reason if one could not, and skipped if another player played. If an incident broke the
    test case off (a page that hangs, a browser that dies, a part that breaks), ``steps`` is an
    error that the incident's owner has to act on, and never skipped: what was not reached must not
    look as if it did not matter. An assertion passes, fails, or is inconclusive; it is skipped if
    the test case did not come to it. If values vary from case to case, an assertion is called as
    it is written, names and all.
    """

    Config = AssertionsConfig

    async def judge(self, trace: Trace) -> Sequence[Verdict]:
        try:
            record = record_of(trace)
        except ValidationError as err:
            reason = f"the record of the steps can't be read: {err.error_count()} faults"
            unread = Verdict(
                oracle="assertions",
                check="steps",
                outcome=Outcome.ERROR,
                owner=Owner.TOOL,
                case_ids=(trace.case.id,),
                reason=reason,
            )
            return (unread,)
        return (_no_steps(trace),) if record is None else tuple(self._verdicts(trace, record))

    def _verdicts(self, trace: Trace, record: GuiRecord) -> Iterator[Verdict]:
        yield _of_steps(trace, record)
        for one in record.steps:
            if one.asserts:
                written = record.sentences.get(one.step.number, one.step.text)
                yield _explained(self._of_assertion(trace, one, written), record, one)

    def _of_assertion(self, trace: Trace, record: StepRecord, written: str) -> Verdict:
        wanted = True
        if self.config.expected == "compare" and record.expected is not None:
            wanted = record.expected
        details = {"step": record.step.number}
        base = Verdict(
            oracle="assertions",
            check=written,
            outcome=Outcome.PASS,
            case_ids=(trace.case.id,),
            turns=_turns(trace, record),
            reason=record.reason,
            details={**details, **({"vacuous": record.vacuous} if record.vacuous else {})},
        )
        match record.outcome:
            case "true" | "false":
                if (record.outcome == "true") is wanted:
                    return self._passed(base, record, wanted=wanted)
                return _owned(base, Outcome.FAIL, Owner.APP)
            case "not_reached":
                return base.model_copy(update={"outcome": Outcome.SKIPPED})
            case _:
                return _owned(base, Outcome.INCONCLUSIVE, record.owner or Owner.TEST)

    def _passed(self, base: Verdict, record: StepRecord, *, wanted: bool) -> Verdict:
        if not wanted:
            reason = f"false, as the test case expects: {base.reason}"
            return base.model_copy(update={"reason": reason})
        if record.vacuous is None or self.config.vacuous == "ignore":
            return base
        told = base.model_copy(update={"reason": f"{base.reason}; {_VACUOUS[record.vacuous]}"})
        if self.config.vacuous == "tell":
            return told
        return _owned(told, Outcome.INCONCLUSIVE, Owner.TEST)


def record_of(trace: Trace) -> GuiRecord | None:
    """The step runner's record in a trace; None where another player made it.

    Raises pydantic's ValidationError for what is no record.
    """
    data = trace.meta.get(META)
    return None if data is None else GuiRecord.model_validate(data)


def _no_steps(trace: Trace) -> Verdict:
    return Verdict(
        oracle="assertions",
        check="steps",
        outcome=Outcome.SKIPPED,
        case_ids=(trace.case.id,),
        reason="no steps were taken: this is no test case in plain language, or it never began",
    )


def _of_steps(trace: Trace, record: GuiRecord) -> Verdict:
    tried = [one for one in record.steps if not one.asserts]
    undone = next((one for one in tried if one.outcome == "inconclusive"), None)
    base = Verdict(
        oracle="assertions",
        check="steps",
        outcome=Outcome.PASS,
        case_ids=(trace.case.id,),
        reason=f"{len(tried)} steps were carried out",
    )
    if trace.incidents:
        return _broken_off(base, trace, record, trace.incidents[0])
    if undone is None:
        return base
    reason = f"step {undone.step.number} '{undone.step.text}': {undone.reason}"
    told = base.model_copy(update={"reason": reason, "turns": _turns(trace, undone)})
    owner = undone.owner or Owner.TEST
    return _explained(_owned(told, Outcome.INCONCLUSIVE, owner), record, undone)


def _broken_off(base: Verdict, trace: Trace, record: GuiRecord, incident: Incident) -> Verdict:
    """The verdict on the steps of a test case that an incident broke off."""
    outcome = Outcome.INCONCLUSIVE if incident.kind in _UNDECIDED else Outcome.ERROR
    at = next((one for one in record.steps if one.reason == BROKEN_OFF), None)
    place = f"step {at.step.number} '{at.step.text}' was broken off: " if at is not None else ""
    turns = () if incident.turn is None else (TurnRef(case_id=trace.case.id, turn=incident.turn),)
    update = {"reason": f"{place}{incident.kind.value}: {incident.message}", "turns": turns}
    broken = _owned(base.model_copy(update=update), outcome, incident.owner)
    return broken if at is None else _explained(broken, record, at)


def _explained(verdict: Verdict, record: GuiRecord, one: StepRecord) -> Verdict:
    """What a person needs to see of a step that did not pass, beside the reason."""
    if verdict.outcome not in (Outcome.FAIL, Outcome.INCONCLUSIVE, Outcome.ERROR):
        return verdict
    facts = one.observed.facts if one.observed is not None else ()
    told: dict[str, JsonValue] = {
        "step": one.step.number,
        "page": one.url,
        "acted_on" if not one.asserts else "shown_by": one.target,
        "evidence": list(facts[:_MOST]),
        "candidates": [candidate.reason for candidate in one.candidates[:_MOST]],
        "screenshot": one.screenshot,
        "steps": [
            f"{step.step.number:>3}  {step.outcome:<12}  {step.step.text}"
            for step in record.steps[:_MOST_STEPS]
            if step.phase == "test" and step.step.number <= one.step.number
        ],
    }
    kept = {name: value for name, value in told.items() if value}
    return verdict.model_copy(update={"details": {**verdict.details, **kept}})


def _owned(verdict: Verdict, outcome: Outcome, owner: Owner) -> Verdict:
    return verdict.model_copy(update={"outcome": outcome, "owner": owner})


def _turns(trace: Trace, record: StepRecord) -> tuple[TurnRef, ...]:
    return tuple(TurnRef(case_id=trace.case.id, turn=turn) for turn in record.turns[-1:])

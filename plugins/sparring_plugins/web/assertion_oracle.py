"""The oracle ``assertions``: the verdicts of test cases in plain language.

The step runner's record in the trace has the outcome of each assertion; this oracle judges it, so
that a stored run can be judged again. A true assertion that was true before the last act too is
reported as such, because it shows little (vacuity).

`labelled_answers` compares the agents' answers with the labels of a test case, as the paper's
EvalAgent does (Section 6, RQ1): a navigation step is expected to be possible and an assertion to
hold, unless the test case says otherwise. Readiness is right if it answers what is expected; the
navigator if the step was carried out, by what observe saw and not by its own answer; the assertion
agent if it answers what is expected. Opening the first page is not counted, and *don't know* is no
answer.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field, JsonValue, ValidationError

from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import PluginConfig
from sparring.model.talk import Incident, IncidentKind, Trace
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict
from sparring_plugins.judging.calibration.results import LabelledAnswer
from sparring_plugins.web.roles import Judged
from sparring_plugins.web.runner.records import BROKEN_OFF, META, GuiRecord, StepRecord

_MAX_FACTS = 12
# A list as long as a script of an hour would be the whole report.
_MAX_STEPS = 200
#: After these incidents nobody knows what the app would have done.
_UNDECIDED = frozenset({IncidentKind.MACHINE_BUSY, IncidentKind.UNRESOLVED})
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
    the test case did not come to it. If values vary from case to case, the name of a check is the
    assertion as it is written, with the names of the variables.
    """

    Config = AssertionsConfig

    async def judge(self, trace: Trace) -> Sequence[Verdict]:
        try:
            record = record_of(trace)
        except ValidationError as err:
            reason = f"the record of the steps can't be read: {err.error_count()} faults"
            return (_verdict_on_steps(trace, Outcome.ERROR, reason, Owner.TOOL),)
        if record is None:
            reason = (
                "no steps were taken: this is no test case in plain language, or it never began"
            )
            return (_verdict_on_steps(trace, Outcome.SKIPPED, reason),)
        return tuple(self._verdicts(trace, record))

    def _verdicts(self, trace: Trace, record: GuiRecord) -> Iterator[Verdict]:
        yield _judge_steps(trace, record)
        for step in record.steps:
            if step.asserts:
                own = step.step.sentence if step.step.by else step.step.text
                sentence = record.sentences.get(step.step.number, own)
                yield _add_details(self._judge_assertion(trace, step, sentence), record, step)

    def _judge_assertion(self, trace: Trace, record: StepRecord, sentence: str) -> Verdict:
        expected = True
        if self.config.expected == "compare" and record.expected is not None:
            expected = record.expected
        details = {"step": record.step.number}
        base = Verdict(
            oracle="assertions",
            check=sentence,
            outcome=Outcome.PASS,
            case_ids=(trace.case.id,),
            turns=_turns(trace, record),
            reason=record.reason,
            details={**details, **self._remarks(record)},
        )
        match record.outcome:
            case "true" | "false":
                if (record.outcome == "true") is expected:
                    return self._pass(base, record, expected=expected)
                return _with_outcome(_say_translated(base, record), Outcome.FAIL, Owner.APP)
            case "not_reached":
                return base.model_copy(update={"outcome": Outcome.SKIPPED})
            case _:
                owner = record.owner or Owner.TEST
                return _with_outcome(_say_translated(base, record), Outcome.INCONCLUSIVE, owner)

    def _remarks(self, record: StepRecord) -> dict[str, JsonValue]:
        """Return what reports note of a true assertion: `notes`, each ``kind: words``."""
        weak = record.assertion.weak if record.assertion is not None else ""
        notes: list[JsonValue] = []
        remarks: dict[str, JsonValue] = {}
        if record.vacuous is not None:
            remarks["vacuous"] = record.vacuous
            if self.config.vacuous != "ignore":
                notes.append(f"vacuous: {_VACUOUS[record.vacuous]}")
        if weak and record.outcome in ("true", "false"):
            remarks["weak"] = weak
            notes.append(f"weaker match: {weak}")
        if by := record.step.by:
            remarks["translated"] = f"by {by}: {record.step.text}"
            notes.append(f"translated: by {by}: {record.step.text}")
        return {**remarks, "notes": notes} if notes else remarks

    def _pass(self, base: Verdict, record: StepRecord, *, expected: bool) -> Verdict:
        """Return the verdict on an assertion that came out as expected."""
        if not expected:
            reason = f"false, as the test case expects: {base.reason}"
            return base.model_copy(update={"reason": reason})
        if record.vacuous is None or self.config.vacuous == "ignore":
            return base
        reason = f"{base.reason}; {_VACUOUS[record.vacuous]}"
        verdict = base.model_copy(update={"reason": reason})
        if self.config.vacuous == "tell":
            return verdict
        return _with_outcome(verdict, Outcome.INCONCLUSIVE, Owner.TEST)


def _say_translated(verdict: Verdict, record: StepRecord) -> Verdict:
    """Return a verdict whose reason says which translation did not hold."""
    step = record.step
    if not step.by:
        return verdict
    reason = f"{verdict.reason} (translated by {step.by}: {step.text})"
    return verdict.model_copy(update={"reason": reason})


def record_of(trace: Trace) -> GuiRecord | None:
    """Return the step runner's record in a trace, or None if another player made the trace.

    Raises pydantic's ValidationError if the record cannot be read.
    """
    data = trace.meta.get(META)
    return None if data is None else GuiRecord.model_validate(data)


def _verdict_on_steps(
    trace: Trace, outcome: Outcome, reason: str, owner: Owner | None = None
) -> Verdict:
    return Verdict(
        oracle="assertions",
        check="steps",
        outcome=outcome,
        owner=owner,
        case_ids=(trace.case.id,),
        reason=reason,
    )


def _judge_steps(trace: Trace, record: GuiRecord) -> Verdict:
    actions = [step for step in record.steps if not step.asserts]
    undone = next((step for step in actions if step.outcome == "inconclusive"), None)
    base = _verdict_on_steps(trace, Outcome.PASS, f"{len(actions)} steps were carried out")
    if by := sorted({step.step.by for step in actions if step.step.by}):
        count = sum(bool(step.step.by) for step in actions)
        note = f"translated: {count} of {len(actions)} steps by {', '.join(by)}"
        base = base.model_copy(update={"details": {"notes": [note]}})
    if trace.incidents:
        return _judge_incident(base, trace, record, trace.incidents[0])
    if undone is None:
        return base
    reason = f"step {undone.step.number} '{undone.step.text}': {undone.reason}"
    verdict = base.model_copy(update={"reason": reason, "turns": _turns(trace, undone)})
    verdict = _with_outcome(verdict, Outcome.INCONCLUSIVE, undone.owner or Owner.TEST)
    return _add_details(verdict, record, undone)


def _judge_incident(base: Verdict, trace: Trace, record: GuiRecord, incident: Incident) -> Verdict:
    """Return the verdict on the steps of a test case that an incident broke off."""
    outcome = Outcome.INCONCLUSIVE if incident.kind in _UNDECIDED else Outcome.ERROR
    step = next((step for step in record.steps if step.reason == BROKEN_OFF), None)
    place = f"step {step.step.number} '{step.step.text}' was broken off: " if step else ""
    turns = () if incident.turn is None else (TurnRef(case_id=trace.case.id, turn=incident.turn),)
    update = {"reason": f"{place}{incident.kind.value}: {incident.message}", "turns": turns}
    verdict = _with_outcome(base.model_copy(update=update), outcome, incident.owner)
    return verdict if step is None else _add_details(verdict, record, step)


def _add_details(verdict: Verdict, record: GuiRecord, step: StepRecord) -> Verdict:
    """Add what a person needs to see of a step that did not pass, beside the reason."""
    if verdict.outcome not in (Outcome.FAIL, Outcome.INCONCLUSIVE, Outcome.ERROR):
        return verdict
    facts = step.observed.facts if step.observed is not None else ()
    details: dict[str, JsonValue] = {
        "step": step.step.number,
        "page": step.url,
        "acted_on" if not step.asserts else "shown_by": step.target,
        "evidence": list(facts[:_MAX_FACTS]),
        "candidates": [candidate.reason for candidate in step.candidates[:_MAX_FACTS]],
        "screenshot": step.screenshot,
        "steps": [
            f"{other.step.number:>3}  {other.outcome:<12}  {other.step.text}"
            for other in record.steps[:_MAX_STEPS]
            if other.phase == "test" and other.step.number <= step.step.number
        ],
    }
    non_empty = {name: value for name, value in details.items() if value}
    return verdict.model_copy(update={"details": {**verdict.details, **non_empty}})


def _with_outcome(verdict: Verdict, outcome: Outcome, owner: Owner) -> Verdict:
    return verdict.model_copy(update={"outcome": outcome, "owner": owner})


def _turns(trace: Trace, record: StepRecord) -> tuple[TurnRef, ...]:
    return tuple(TurnRef(case_id=trace.case.id, turn=turn) for turn in record.turns[-1:])


def labelled_answers(record: GuiRecord) -> Iterator[LabelledAnswer]:
    """Yield the agents' answers in the test case's own steps, as far as they were reached."""
    steps = [s for s in record.steps if s.phase == "test" and s.outcome != "not_reached"]
    for index, step in enumerate(steps):
        if index == 0 and step.opens_page:
            continue
        if step.assertion is not None:
            yield _label_answer(record, step, "assertion", step.assertion, step.assertion.truth)
            continue
        if step.readiness is not None:
            yield _label_answer(record, step, "readiness", step.readiness, step.readiness.truth)
        if step.navigation is not None:
            answer = step.outcome == "done" if step.navigation.truth is True else None
            yield _label_answer(record, step, "navigator", step.navigation, answer)


def _label_answer(
    record: GuiRecord, step: StepRecord, role: str, judged: Judged, truth: bool | None
) -> LabelledAnswer:
    expected = step.expected is not False
    return LabelledAnswer(
        role=role,
        item=f"{record.test}/{step.step.number}",
        shown=step.step.text,
        expected="true" if expected else "false",
        answer=None if truth is None else "true" if truth else "false",
        reason=step.reason if role == "navigator" else judged.reason,
        strict=judged.strict,
    )

"""Recognises one failure, whatever conversation shows it."""

import re
from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from sparring.model.confirmation import Confirmation, Confirmed, Fault
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner, Verdict

__all__ = ["Confirmation", "Confirmed", "Fault", "case_values", "faults_of", "normalised"]

# A reason may quote a whole conversation; what tells faults apart stands in front.
_READ = 2000
_KEPT = 300
_MOST = 200
# "a" and "no" as values of a case would take their letters out of every sentence; a value longer
# than a line is quoted in no reason word for word.
_SHORTEST_VALUE, _LONGEST_VALUE, _MOST_VALUES = 3, 80, 40
# "the bot said '12 euros'" and "the bot said '9 euros'" are one fault. The apostrophe of "user's"
# opens no quotation.
_QUOTED = re.compile(r"(?<!\w)(?:'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`)(?!\w)|“[^”\n]*”|«[^»\n]*»")
# "order A17-3" and "order B2-9", "12.50" and "9,99", "2026-11-27": words with a digit differ from
# case to case.
_NUMBER = re.compile(r"\b(?:\w*\d\w*)(?:[.,:/-]\d\w*)*")
# "#, #; #" are three values in one case and two in the next: a list counts as one value.
_SEVERAL = re.compile(r"#(?:[\s,;]*#)+")
_GAP = re.compile(r"\s+")


def normalised(reason: str, case_ids: Sequence[str] = (), values: Sequence[str] = ()) -> str:
    """A reason without what differs from case to case.

    That is quotations, numbers and words with digits, the ids of cases, and the `values` of
    the case itself, as `case_values` lists them.
    """
    text = reason[:_READ]
    for case_id in case_ids[:4]:
        text = text.replace(case_id, "#")
    text = _QUOTED.sub("#", text).casefold()
    if values:
        named = "|".join(re.escape(value) for value in values)
        text = re.sub(rf"(?<!\w)(?:{named})(?!\w)", "#", text)
    text = _GAP.sub(" ", _NUMBER.sub("#", text))
    return _SEVERAL.sub("#", text).strip()[:_KEPT]


def case_values(trace: Trace) -> tuple[str, ...]:
    """The texts among a case's inputs and outputs, the longest first."""
    values = [*trace.case.params.values(), *(output.value for output in trace.outputs)]
    flat = [item for value in values for item in (value if isinstance(value, list) else [value])]
    texts = {item.casefold() for item in flat if isinstance(item, str)}
    kept = (text for text in texts if _SHORTEST_VALUE <= len(text) <= _LONGEST_VALUE)
    return tuple(sorted(kept, key=lambda text: (-len(text), text))[:_MOST_VALUES])


def faults_of(verdicts: Sequence[Verdict], trace: Trace | None = None) -> list[Fault]:
    """The faults behind the failed verdicts on one conversation, in order.

    With the conversation, the values of its case make no difference.
    """
    failed = [verdict for verdict in verdicts if verdict.outcome is Outcome.FAIL]
    values = case_values(trace) if failed and trace is not None else ()
    return [fault for verdict in failed for fault in _faults(verdict, values)]


def _faults(verdict: Verdict, values: Sequence[str]) -> Iterator[Fault]:
    listed = verdict.details.get("problems")
    faults = (
        [_identify_listed_problem(verdict, problem) for problem in listed[:_MOST]]
        if isinstance(listed, list)
        else []
    )
    with_key = [fault for fault in faults if fault is not None]
    if with_key:
        yield from with_key
        return
    turns = [ref.turn for ref in verdict.turns]
    key = normalised(verdict.reason, verdict.case_ids, values)
    yield _fault(verdict, key, verdict.reason, max(turns) if turns else None)


def _identify_listed_problem(verdict: Verdict, value: JsonValue) -> Fault | None:
    """A problem of an oracle's own list; None if it has no key."""
    if not isinstance(value, dict) or not isinstance(value.get("key"), str):
        return None
    turn, certainty = value.get("turn"), value.get("certainty")
    fault = _fault(
        verdict,
        str(value["key"]),
        str(value.get("reason", verdict.reason)),
        turn if type(turn) is int and turn >= 0 else None,
    )
    return fault.model_copy(update={"certainty": certainty if isinstance(certainty, str) else ""})


def _fault(verdict: Verdict, key: str, reason: str, turn: int | None) -> Fault:
    return Fault(
        oracle=verdict.oracle,
        check=verdict.check,
        key=key,
        reason=reason,
        owner=verdict.owner or Owner.APP,
        gating=verdict.gating,
        turn=turn,
    )

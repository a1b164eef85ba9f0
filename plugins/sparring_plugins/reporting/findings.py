"""Grouping the verdicts of a run into findings, and the order in which people read them."""

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Self

from sparring.model.events import CaseJudged
from sparring.model.talk import Trace
from sparring.model.verdict import Finding, Outcome, Owner, TurnRef, Verdict
from sparring.store import StoredRun
from sparring_plugins.language.quantities import plural
from sparring_plugins.language.text import one_line
from sparring_plugins.reproduction.failure_identity import case_values, normalised
from sparring_plugins.search.failure_classes import FailureClass, reported_class

RANK = {
    Outcome.FAIL: 0,
    Outcome.ERROR: 1,
    Outcome.INCONCLUSIVE: 2,
    Outcome.PASS: 3,
    Outcome.SKIPPED: 4,
}
"""Outcomes from worst to least; a skipped check says less than a passed one."""

_NON_PASSES = (Outcome.FAIL, Outcome.ERROR, Outcome.INCONCLUSIVE)
# An oracle may put a time or an address into each reason: what is left over is counted together.
_MOST_GROUPS = 500
# A finding of a million cases would keep a million ids; its count goes on.
_MOST_CASES = 1000
# An oracle that puts the app's words into its class makes a class a case.
_MOST_KINDS = 5_000
# A rule's description is a sentence or two.
_DESCRIPTION = 400
_OTHER = "\0"  # no normalised reason contains it


TEST_CASE_META = "gui"
"""`META` of ``web.runner.records``: what tells a test case in plain language from other traces."""

_Key = tuple[str, str, Outcome, Owner, bool, str]


def worst(verdicts: Sequence[Verdict]) -> Outcome:
    """The outcome of a case: the worst of its gating verdicts; skipped if none applied."""
    gating = (verdict.outcome for verdict in verdicts if verdict.gating)
    return min(gating, key=RANK.__getitem__, default=Outcome.SKIPPED)


@dataclass(frozen=True, slots=True)
class Fault:
    """A finding with its number (from 1, in reading order) and how many cases show it.

    `Finding.case_ids` lists at most a thousand of them. `example` names the cases of the
    shortest verdict: one, or those that together break a condition over several. `description` is
    what the check's author says of it, if anything.
    """

    number: int
    finding: Finding
    cases: int
    example: tuple[str, ...]
    description: str = ""


@dataclass(slots=True)
class _Group:
    first: Verdict
    length: int
    count: int = 0
    cases: int = 0
    case_ids: dict[str, None] = field(default_factory=dict[str, None])
    last: str = ""


def notes_of(verdict: Verdict) -> tuple[str, ...]:
    """Return what the oracle notes of a passed check (``kind: words``): it may show little."""
    notes = verdict.details.get("notes") if verdict.outcome is Outcome.PASS else None
    return tuple(str(note) for note in notes) if isinstance(notes, list) else ()


def description_of(verdict: Verdict) -> str:
    """Return what the author of a check says of it (`details.description`), on one line."""
    text = verdict.details.get("description")
    return one_line(text, _DESCRIPTION) if isinstance(text, str) else ""


def case_noun(trace: Trace) -> str:
    """Return what a case is called: a conversation, or a test case in plain language."""
    return "test case" if TEST_CASE_META in trace.meta else "conversation"


def length(trace: Trace) -> str:
    """``3 turns``, or ``25 steps`` of a test case in plain language.

    A step takes several turns: it looks, acts and waits until the page is stable.
    """
    return plural(case_length(trace), "step" if _steps(trace) else "turn")


def case_length(trace: Trace) -> int:
    """Return the number of turns, or of steps of a test case in plain language."""
    return len(_steps(trace) or trace.turns)


def _steps(trace: Trace) -> Sequence[object]:
    record = trace.meta.get(TEST_CASE_META)
    steps = record.get("steps") if isinstance(record, dict) else None
    return steps if isinstance(steps, list) else ()


def readable_reason(verdict: Verdict) -> str:
    """Return the reason; one that is nothing but code comes after its author's description."""
    if verdict.reason.startswith("`"):
        return described(description_of(verdict), verdict.reason)
    return verdict.reason


def brief_reason_of(verdict: Verdict, limit: int) -> str:
    """Return why a check did not pass in its author's words; as code only without any."""
    message, code = reason_parts(verdict.reason)
    return brief_reason(message or description_of(verdict) or code, limit)


def described(description: str, reason: str) -> str:
    """Return what a check's author says of it, and why it did not pass, as one text."""
    if not description or not reason:
        return description or reason
    # The form that `brief_reason` knows: what does not fit loses the code.
    sentence = description.rstrip(" .:;")
    return f"{sentence} ({reason})" if reason.startswith("`") else f"{sentence}: {reason}"


def reason_parts(reason: str) -> tuple[str, str]:
    """Part a reason into what the author of a check says of the failure, and the code behind it.

    >>> reason_parts("too dear (`a > 1` is false: a is 2)")
    ('too dear', '`a > 1` is false: a is 2')
    """
    if reason.startswith("`"):
        return "", reason
    message, opening, code = reason.partition(_TECHNICAL)
    if opening and code.endswith(")"):
        return message, f"`{code[:-1]}"
    return reason, ""


class Findings:
    """Verdicts that are no passes, grouped by oracle, check, outcome, owner and reason.

    Memory is bounded by the number of faults, not of cases: what differs beyond five hundred
    groups is put together by oracle and check. `kinds` counts the failed cases of each kind that
    an oracle tells, of five thousand kinds at most; `notes` the kinds of notes on passed checks.
    `measured` are the conversations that verdicts over several will name, if that is known, and
    `noun` is what a case of this run is called.
    """

    def __init__(self, *, measured: Container[str] | None = None) -> None:
        self._groups: dict[_Key, _Group] = {}
        self._measured = measured
        self._lengths: dict[str, int] = {}
        self._numbers: dict[_Key, int] = {}
        self.kinds: Counter[FailureClass] = Counter()
        self.notes: Counter[str] = Counter()
        self.noun = "conversation"

    @classmethod
    def of_run(cls, stored: StoredRun) -> Self:
        """Return empty findings for a run that is over, whose verdicts over several are known."""
        bad = (verdict for verdict in stored.concluded if verdict.outcome in _NON_PASSES)
        return cls(measured=frozenset(case_id for verdict in bad for case_id in verdict.case_ids))

    def add_case(self, judged: CaseJudged) -> None:
        """Take in the verdicts on one conversation."""
        case_id, turns = judged.trace.case.id, len(judged.trace.turns)
        self.noun = case_noun(judged.trace)
        if self._measured is None or case_id in self._measured:
            self._lengths[case_id] = turns
        for note in (note for verdict in judged.verdicts for note in notes_of(verdict)):
            self.notes[note.partition(":")[0][:40]] += 1
        bad = [verdict for verdict in judged.verdicts if verdict.outcome in _NON_PASSES]
        values = case_values(judged.trace) if bad else ()
        kind = reported_class(bad)
        if kind and (kind in self.kinds or len(self.kinds) < _MOST_KINDS):
            self.kinds[kind] += 1
        for verdict in bad:
            self._add(verdict, verdict.case_ids or (case_id,), turns, values)

    def add_concluded(self, verdicts: Iterable[Verdict]) -> None:
        """Take in the verdicts over several conversations, after all conversations."""
        for verdict in verdicts:
            if verdict.outcome in _NON_PASSES:
                turns = sum(self._lengths.get(case_id, 0) for case_id in verdict.case_ids)
                self._add(verdict, verdict.case_ids, turns, ())

    def _add(
        self,
        verdict: Verdict,
        case_ids: tuple[str, ...],
        turns: int,
        values: tuple[str, ...],
    ) -> None:
        key = _key(verdict, values)
        if key not in self._groups and len(self._groups) >= _MOST_GROUPS:
            key = (*key[:5], _OTHER)
        group = self._groups.setdefault(key, _Group(verdict, turns))
        if turns < group.length:
            group.first, group.length = verdict, turns
        group.count += verdict.count
        for case_id in case_ids:
            if case_id == group.last or case_id in group.case_ids:
                continue
            group.last = case_id
            group.cases += 1
            if len(group.case_ids) < _MOST_CASES:
                group.case_ids[case_id] = None

    def faults(self) -> list[Fault]:
        """The findings in reading order: gating ones, then the worst, then the most frequent."""
        order = sorted(self._groups, key=self._reading_order)
        self._numbers = {key: number for number, key in enumerate(order, 1)}
        return [self._fault(number, key) for number, key in enumerate(order, 1)]

    def number(self, verdict: Verdict, trace: Trace | None = None) -> int | None:
        """The number of the finding that a verdict belongs to, after `faults`.

        `trace` is the one conversation that it is on; None for several.
        """
        if verdict.outcome not in _NON_PASSES:
            return None
        key = _key(verdict, case_values(trace) if trace is not None else ())
        return self._numbers.get(key) or self._numbers.get((*key[:5], _OTHER))

    def identity(self, verdict: Verdict, trace: Trace | None = None) -> str:
        """Return a text that two verdicts share if they belong to one finding.

        `trace` is the one conversation that the verdict is on; None for several.
        """
        key = _key(verdict, case_values(trace) if trace is not None else ())
        return _text_of(key if key in self._groups else (*key[:5], _OTHER))

    def identity_of(self, number: int) -> str:
        """Return what `identity` says of the verdicts of a finding, after `faults`."""
        return next(_text_of(key) for key, each in self._numbers.items() if each == number)

    def _reading_order(self, key: _Key) -> tuple[bool, int, int, str, str, str, str]:
        oracle, check, outcome, owner, gating, reason = key
        return not gating, RANK[outcome], -self._groups[key].cases, oracle, check, owner, reason

    def _fault(self, number: int, key: _Key) -> Fault:
        group = self._groups[key]
        verdict = group.first
        example = verdict.case_ids or tuple(group.case_ids)[:1]
        finding = Finding(
            oracle=verdict.oracle,
            check=verdict.check,
            outcome=verdict.outcome,
            owner=key[3],
            reason=verdict.reason,
            count=group.count,
            case_ids=tuple(group.case_ids),
            shortest=example[0] if example else None,
            turns=_refs(verdict),
            gating=verdict.gating,
        )
        return Fault(number, finding, group.cases, example, description_of(verdict))


def _key(verdict: Verdict, values: tuple[str, ...]) -> _Key:
    owner = verdict.owner or Owner.TEST
    reason = normalised(verdict.reason, verdict.case_ids, values)
    return verdict.oracle, verdict.check, verdict.outcome, owner, verdict.gating, reason


def _text_of(key: _Key) -> str:
    return repr(tuple(str(part) for part in key))


def _refs(verdict: Verdict) -> tuple[TurnRef, ...]:
    return verdict.turns[:20]


# Reasons of verdicts where there is little room for them.

# The text of a reason that is compared; an app may answer with megabytes, which reasons quote.
_READ = 4000
_TECHNICAL = " (`"  # how oracles begin the expression and values behind an author's message


def brief_reason(reason: str, limit: int) -> str:
    """The reason on one line of at most `limit` characters.

    What does not fit loses the technical part in parentheses first, so that the message of the
    check's author stays whole; then it is cut between words.
    """
    text = one_line(reason, _READ)
    if len(text) <= limit:
        return text
    message = text.split(_TECHNICAL, 1)[0]
    if message and len(message) <= limit:
        return message
    words = text[: limit - 2].rpartition(" ")[0]
    shortened = words if len(words) > limit // 2 else text[: limit - 3]
    return shortened.rstrip(" ,;:(`") + "..."

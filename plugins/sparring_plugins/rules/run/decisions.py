"""What an evaluation comes to: an outcome, who owns it, and why."""

# Values of any type are computed with here, which a type checker cannot follow.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from sparring.documents.checking import shown
from sparring.errors import AnswerInvalid, EnvironmentFailure, MissingExtra, ModelError
from sparring.model.talk import IncidentKind, Trace
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict
from sparring_plugins.rules.compile.evaluation import Expression, file_tag
from sparring_plugins.rules.parse.rule import Rule
from sparring_plugins.rules.parse.syntax import Source
from sparring_plugins.rules.values.errors import (
    BrokenFunction,
    NeedsModel,
    NotApplicable,
    RuleFault,
    UnknownName,
)
from sparring_plugins.rules.values.record import Record

ORACLE = "rules"
_FAILURES = (IncidentKind.CRASH, IncidentKind.TIMEOUT, IncidentKind.PROTOCOL)


@dataclass(frozen=True, slots=True)
class Decision:
    """The outcome of a rule for one or several conversations."""

    outcome: Outcome
    owner: Owner | None = None
    reason: str = ""
    turns: tuple[TurnRef, ...] = ()
    details: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])


PASS = Decision(Outcome.PASS)
NOT_APPLICABLE = Decision(Outcome.SKIPPED, reason="does not apply: its filter is false")


def fault(error: Exception, source: Source, records: Sequence[Record] = ()) -> Decision:
    """What it means that an expression has no value.

    A name that this conversation does not have: not applicable. A missing value, None if text
    or a number was needed: inconclusive, and the conversation has to be looked at. No model, or
    no answer of one that can be used: inconclusive, owned by the judge. A model that cannot be
    reached: an error of the judge's. A library function that broke: the tool's. A library that is
    not installed: the environment's. Anything else: an error of the rule.
    """
    if isinstance(error, (UnknownName, NotApplicable)):
        return Decision(Outcome.SKIPPED, reason=f"does not apply: {error}")
    if isinstance(error, (NeedsModel, ModelError)):
        unreached = not isinstance(error, (NeedsModel, AnswerInvalid))
        outcome = Outcome.ERROR if unreached else Outcome.INCONCLUSIVE
        return Decision(outcome, Owner.JUDGE, _needs(source, error))
    where: dict[str, JsonValue] = {"file": source.file, "line": line_of(error, source)}
    if is_missing_value(error):
        missing = _missing(source, records)
        reason = f"inconclusive: {missing} in `{one_line(source.text)}`"
        return Decision(Outcome.INCONCLUSIVE, _loser(source, records), reason, details=where)
    owner = _breaker(error)
    kind = "" if isinstance(error, RuleFault) else f"{type(error).__name__}: "
    reason = f"{source.file}:{where['line']}: {source.key}: {kind}{_message(error)}"
    return Decision(Outcome.ERROR, owner, reason, details=where)


def is_missing_value(error: Exception) -> bool:
    """Whether an expression failed because a value is None."""
    return isinstance(error, (TypeError, AttributeError)) and "NoneType" in str(error)


def line_of(error: Exception, source: Source) -> int:
    """The line of the file at which an expression failed."""
    line, trace = 1, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file_tag(source):
            line = trace.tb_lineno or 1
        trace = trace.tb_next
    return source.line_of(line)


def one_line(text: str, longest: int = 160) -> str:
    """A text on one line, clipped."""
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 3] + "..."


def _message(error: Exception) -> str:
    return one_line(str(error), 300) or "no message"


def _needs(source: Source, error: Exception) -> str:
    text = _message(error)
    return text if isinstance(error, NeedsModel) else f"`{one_line(source.text, 80)}`: {text}"


def _missing(source: Source, records: Sequence[Record]) -> str:
    names = sorted({f"`{name}`" for record in records for name in _empty_names(record, source)})
    if not names:
        return "a value is missing"
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} missing"


def _breaker(error: Exception) -> Owner:
    """Who has to act on an expression that raised."""
    if isinstance(error, BrokenFunction):
        return Owner.TOOL
    if isinstance(error, (MissingExtra, EnvironmentFailure)):
        return Owner.ENVIRONMENT
    return Owner.TEST


def _loser(source: Source, records: Sequence[Record]) -> Owner:
    """Whose doing it is that a value is missing.

    An output has no value if the app did not say it, or the user did not ask, or the extractor did
    not see it: the player says which (see `GOAL_NOT_REACHED`), and if it does not, it is not known
    to be the app's. Other values are missing if the app failed; else a rule has to expect that.
    """
    for record in records:
        outputs = {one.name for one in record.trace.outputs}
        if outputs.intersection(_empty_names(record, source)):
            return unreached_owner(record.trace)
    if any(map(app_failed, (record.trace for record in records))):
        return Owner.APP
    return Owner.TEST if records else Owner.SIMULATED_USER


def app_failed(trace: Trace) -> bool:
    """Whether the app crashed, did not answer in time, or answered nonsense."""
    return any(one.owner is Owner.APP and one.kind in _FAILURES for one in trace.incidents)


def unreached_owner(trace: Trace) -> Owner:
    """Return whose doing it is that outputs are missing, as far as the player knows."""
    found = (one for one in trace.incidents if one.kind is IncidentKind.GOAL_NOT_REACHED)
    return next((one.owner for one in found), Owner.SIMULATED_USER)


def _empty_names(record: Record, source: Source) -> list[str]:
    known = (name for name, value in record.items() if value is None or value == "None")
    return [name for name in known if name in source.text]


def failure(value: Any, expression: Expression) -> str:
    """The reason of a failure, as far as the oracle's value says it."""
    if isinstance(value, str):
        return one_line(value, 400)
    text = one_line(expression.source.text)
    return f"`{text}` is false" if value is False else f"`{text}` is {shown(value)}, not true"


class Verdicts:
    """Makes the verdicts of one rule."""

    def __init__(self, rule: Rule, details: dict[str, JsonValue] | None = None) -> None:
        self.rule = rule
        self.details = details or {}
        self._passed = self.of(PASS, ())
        self._skipped = self.of(NOT_APPLICABLE, ())

    def of(self, decision: Decision, case_ids: tuple[str, ...], count: int = 1) -> Verdict:
        """The verdict for a decision on some cases."""
        return Verdict(
            oracle=ORACLE,
            check=self.rule.check,
            outcome=decision.outcome,
            owner=decision.owner,
            case_ids=case_ids,
            reason=decision.reason,
            turns=decision.turns,
            count=count,
            details={**self.details, **decision.details},
        )

    def on(self, decision: Decision, case_id: str) -> Verdict:
        """The verdict on one case; the two most frequent ones are copied, not made."""
        if decision is PASS:
            return self._passed.model_copy(update={"case_ids": (case_id,)})
        if decision is NOT_APPLICABLE:
            return self._skipped.model_copy(update={"case_ids": (case_id,)})
        return self.of(decision, (case_id,))

"""Decisions of rules: an outcome, its owner, the reason, and the verdict made of them."""

# Values of any type are computed with here, which a type checker cannot follow.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from sparring.documents.checking import shown
from sparring.errors import AnswerInvalid, EnvironmentFailure, MissingExtra, ModelError
from sparring.model.talk import IncidentKind, Trace
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict
from sparring_plugins.rules.compile.evaluation import Evaluator, Expression, file_tag
from sparring_plugins.rules.parse.syntax import ExpressionSource, Rule
from sparring_plugins.rules.values.record import Record
from sparring_plugins.rules.values.work import (
    BrokenFunction,
    NeedsModel,
    NotApplicable,
    RuleFault,
    UnknownName,
    UnreadValue,
)

ORACLE = "rules"
_FAILURES = (IncidentKind.CRASH, IncidentKind.TIMEOUT, IncidentKind.PROTOCOL)


@dataclass(frozen=True, slots=True)
class RuleDecision:
    """The outcome of a rule for one or several conversations."""

    outcome: Outcome
    owner: Owner | None = None
    reason: str = ""
    turns: tuple[TurnRef, ...] = ()
    details: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])


PASS = RuleDecision(Outcome.PASS)
NOT_APPLICABLE = RuleDecision(Outcome.SKIPPED, reason="does not apply: its filter is false")


def decide_error(
    error: Exception, source: ExpressionSource, records: Sequence[Record] = ()
) -> RuleDecision:
    """Decide on an expression that raised and has no value.

    A name that this conversation does not have: not applicable. A missing value, `None` if text
    or a number was needed: inconclusive, and the conversation has to be looked at. No model, or
    no answer of one that can be used: inconclusive, owned by the judge. A model that cannot be
    reached: an error of the judge's. A library function that broke: the tool's. A library that is
    not installed: the environment's. Anything else: an error of the rule.
    """
    if isinstance(error, (UnknownName, NotApplicable)):
        return RuleDecision(Outcome.SKIPPED, reason=f"does not apply: {error}")
    if isinstance(error, UnreadValue):
        reason = f"inconclusive: {_message(error)}"
        return RuleDecision(Outcome.INCONCLUSIVE, Owner.SIMULATED_USER, reason)
    if isinstance(error, (NeedsModel, ModelError)):
        unreached = not isinstance(error, (NeedsModel, AnswerInvalid))
        outcome = Outcome.ERROR if unreached else Outcome.INCONCLUSIVE
        return RuleDecision(outcome, Owner.JUDGE, _model_reason(source, error))
    where: dict[str, JsonValue] = {"file": source.file, "line": line_of(error, source)}
    if is_missing_value(error):
        missing = _missing_names(source, records)
        reason = f"inconclusive: {missing} in `{one_line(source.text)}`"
        return RuleDecision(
            Outcome.INCONCLUSIVE, _missing_owner(source, records), reason, details=where
        )
    owner = _error_owner(error)
    kind = "" if isinstance(error, RuleFault) else f"{type(error).__name__}: "
    hint = _NO_LIST if isinstance(error, TypeError) and _INDEXED in str(error) else ""
    reason = f"{source.file}:{where['line']}: {source.key}: {kind}{_message(error)}{hint}"
    return RuleDecision(Outcome.ERROR, owner, reason, details=where)


_INDEXED = "object is not subscriptable"

# `nights[0]`, where `nights` is 5: inputs are lists outside of a dependency chain only.
_NO_LIST = "; an input may be a value or a list of one, and single(NAME) takes both"


def is_missing_value(error: Exception) -> bool:
    """Whether an expression failed because a value is None."""
    return isinstance(error, (TypeError, AttributeError)) and "NoneType" in str(error)


def line_of(error: Exception, source: ExpressionSource) -> int:
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


def _model_reason(source: ExpressionSource, error: Exception) -> str:
    text = _message(error)
    return text if isinstance(error, NeedsModel) else f"`{one_line(source.text, 80)}`: {text}"


def _missing_names(source: ExpressionSource, records: Sequence[Record]) -> str:
    names = sorted({f"`{name}`" for record in records for name in _empty_names(record, source)})
    if not names:
        return "a value is missing"
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} missing"


def _error_owner(error: Exception) -> Owner:
    """The owner of an expression that raised."""
    if isinstance(error, BrokenFunction):
        return Owner.TOOL
    if isinstance(error, (MissingExtra, EnvironmentFailure)):
        return Owner.ENVIRONMENT
    return Owner.TEST


def _missing_owner(source: ExpressionSource, records: Sequence[Record]) -> Owner:
    """Whose doing it is that a value is missing.

    An output has no value if the app did not say it, or the user did not ask, or the extractor did
    not see it: the player says which (see `GOAL_NOT_REACHED`), and if it does not, it is not known
    to be the app's. Other values are missing if the app failed; else a rule has to expect that.
    """
    for record in records:
        outputs = {output.name for output in record.trace.outputs}
        if outputs.intersection(_empty_names(record, source)):
            return unreached_owner(record.trace)
    if any(map(app_failed, (record.trace for record in records))):
        return Owner.APP
    return Owner.TEST if records else Owner.SIMULATED_USER


def app_failed(trace: Trace) -> bool:
    """Whether the app crashed, did not answer in time, or answered nonsense."""
    return any(
        incident.owner is Owner.APP and incident.kind in _FAILURES for incident in trace.incidents
    )


def unreached_owner(trace: Trace) -> Owner:
    """Return whose doing it is that outputs are missing, as far as the player knows."""
    owners = (
        incident.owner
        for incident in trace.incidents
        if incident.kind is IncidentKind.GOAL_NOT_REACHED
    )
    return next(owners, Owner.SIMULATED_USER)


def _empty_names(record: Record, source: ExpressionSource) -> list[str]:
    empty = (name for name, value in record.items() if value is None or value == "None")
    return [name for name in empty if name in source.text]


def failure(value: Any, expression: Expression) -> str:
    """The reason of a failure, as far as the oracle's value says it."""
    if isinstance(value, str):
        return one_line(value, 400)
    text = one_line(expression.source.text)
    return f"`{text}` is false" if value is False else f"`{text}` is {shown(value)}, not true"


class VerdictFactory:
    """Makes the verdicts of one rule."""

    def __init__(self, rule: Rule, details: dict[str, JsonValue] | None = None) -> None:
        self.rule = rule
        self.details = details or {}
        self._passed = self.of(PASS, ())
        self._skipped = self.of(NOT_APPLICABLE, ())

    def of(self, decision: RuleDecision, case_ids: tuple[str, ...], count: int = 1) -> Verdict:
        """The verdict for a decision on some cases."""
        details = {**self.details, **decision.details}
        if decision.owner is not None and self.rule.description:
            # Reports show it first: `conversation_length < 3` says little to who did not write it.
            details["description"] = " ".join(self.rule.description.split())
        return Verdict(
            oracle=ORACLE,
            check=self.rule.check,
            outcome=decision.outcome,
            owner=decision.owner,
            case_ids=case_ids,
            reason=decision.reason,
            turns=decision.turns,
            count=count,
            details=details,
        )

    def on(self, decision: RuleDecision, case_id: str) -> Verdict:
        """The verdict on one case; the two most frequent ones are copied, not made."""
        if decision is PASS:
            return self._passed.model_copy(update={"case_ids": (case_id,)})
        if decision is NOT_APPLICABLE:
            return self._skipped.model_copy(update={"case_ids": (case_id,)})
        return self.of(decision, (case_id,))


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """A rule with its expressions compiled, and what it is judged with."""

    rule: Rule
    evaluator: Evaluator
    filters: tuple[Expression, ...]
    oracle: Expression
    message: Expression | None
    verdicts: VerdictFactory
    warn: Callable[[str], None]

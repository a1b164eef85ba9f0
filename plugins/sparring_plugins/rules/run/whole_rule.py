"""Rules over all conversations that pass their filter, in Sparring's and in SENSEI's reading."""

# Values of any type are computed with here, which a type checker cannot follow.
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from sparring.documents.checking import shown
from sparring.model.talk import Incident, broken_off
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring_plugins.rules.compile.evaluation import Expression, NotedValue, RaisedError
from sparring_plugins.rules.functions.plain_values import is_missing
from sparring_plugins.rules.run.conversation_rule import JudgingRule, with_evidence
from sparring_plugins.rules.run.decisions import (
    PASS,
    CompiledRule,
    RuleDecision,
    decide_error,
    failure,
    is_missing_value,
)
from sparring_plugins.rules.run.explanation import said
from sparring_plugins.rules.run.outside_causes import (
    StarvedTime,
    left_out_reason,
    make_inconclusive,
)
from sparring_plugins.rules.run.quantifiers import ABSENT, Duplicate, Quantifiers, grouped, sum_up
from sparring_plugins.rules.values.function_calls import quote_evidence, turns_of_evidence
from sparring_plugins.rules.values.record import EMPTY_TRACE, Record, spoils_every_oracle
from sparring_plugins.rules.values.work import UnknownName, key_of

# A rule over ten thousand conversations that fails names its witnesses, not everybody.
_MOST_IDS = 50


class KeptRecord(Record):
    """The names of one conversation that the oracle of a rule over all uses."""

    __slots__ = ()

    def find(self, name: str) -> Any:
        """Nothing more can be found."""
        raise UnknownName(name)


# `share('price < 20')` needs no name of a conversation: ten thousand of them share this one.
_NOTHING_KEPT = KeptRecord(EMPTY_TRACE)


@dataclass(frozen=True, slots=True)
class _AskedFor:
    """The names and tests that an oracle and its message ask of each conversation."""

    names: tuple[str, ...]
    unique: tuple[str, ...]
    tests: tuple[str, ...]
    projected: tuple[str, ...]

    @classmethod
    def of(cls, expressions: Sequence[Expression]) -> "_AskedFor":
        """Collect what some expressions ask, in a fixed order."""
        uses = [expression.uses for expression in expressions]
        names = {name for use in uses for _, name in use.names} | {n for u in uses for n in u.asked}
        return cls(
            tuple(sorted(names)),
            tuple(sorted({name for use in uses for name in use.unique})),
            tuple(sorted({key for use in uses for key in use.tests})),
            tuple(sorted({key for use in uses for key in use.projected})),
        )


@dataclass(slots=True)
class Passed:
    """A conversation that passed the filter, and what the oracle asks of it."""

    case_id: str
    unique: dict[str, Any]
    tests: dict[str, Any]
    record: Record | None = None
    group: tuple[Any, ...] = ()


class WholeRule(JudgingRule):
    """Collects what the oracle needs of each conversation, and judges once at the end.

    `inner` are the compiled expressions about one conversation inside of the oracle, by key.
    """

    def __init__(
        self,
        compiled: CompiledRule,
        inner: Mapping[str, Expression],
        *,
        listed: int,
        groups: Sequence[Expression] = (),
    ) -> None:
        over_all = [part for part in (compiled.oracle, compiled.message) if part is not None]
        tests = [inner[key] for expression in over_all for key in expression.uses.tests]
        unique = {
            name: expression.source
            for expression in over_all
            for name in sorted(expression.uses.unique)
        }
        super().__init__(compiled, (*groups, *tests), unique)
        self.inner = inner
        self.listed = listed
        self.groups = tuple(groups)
        #: The value that the conversations judged at the moment have in common.
        self.group: Any = None
        self.wanted = _AskedFor.of(over_all)
        self.begin()

    def begin(self) -> None:
        """Forget all conversations."""
        self.passed: list[Passed] = []
        self.excluded = 0
        self.skipped = 0
        #: What was not the app's doing, and may have kept it from what the rule asks for.
        self.broken: Incident | None = None
        self.starved = StarvedTime()
        self.errors: list[tuple[str, RuleDecision]] = []

    async def add(self, record: Record) -> None:
        """Filter a conversation, and keep what the oracle asks of it."""
        if self.unseen:
            self.unseen.note(record)
        trace = record.trace
        broken = self.judgeability.breaking_incident(trace)
        if self.judgeability.skip_reason(trace) or broken is not None:
            self.skipped += 1
            self.broken = self.broken or broken or broken_off(trace)
            return
        self.starved += self.timing.starved(trace)
        self.broken = self.broken or self.judgeability.doubt(trace)
        decision = await self.settle_for(lambda: self.apply_filters(record), record)
        if decision is None:
            self.keep(await self.settle_for(lambda: self.collect(record), record))
        elif decision.outcome is Outcome.SKIPPED:
            self.excluded += 1
        else:
            self.errors.append((record.trace.case.id, decision))

    def keep(self, passed: Passed) -> None:
        """Keep a conversation, unless it cannot be said which group it belongs to."""
        for expression, value in zip(self.groups, passed.group, strict=True):
            if type(value) is RaisedError:
                decision = decide_error(value.error, expression.source)
                # Without a price a conversation belongs to no group of `group_by: price`, which is
                # counted apart; that a judge gave no answer is told.
                if decision.outcome is Outcome.ERROR or decision.owner is Owner.JUDGE:
                    self.errors.append((passed.case_id, decision))
                    return
        self.passed.append(passed)

    async def settle_for(self, run: Any, record: Record) -> Any:
        """The value of a function once no model's answer is missing."""
        return await self.evaluator.settle(run, record.trace.case.id)

    def apply_filters(self, record: Record) -> RuleDecision | None:
        """`None` if a conversation passes the filter, else why not."""
        for filter in self.filters:
            try:
                if not self.evaluator.evaluate(filter, record):
                    return RuleDecision(Outcome.SKIPPED)
            except Exception as err:  # noqa: BLE001 - whatever a rule raises is its verdict
                return self.decide_filter_error(err, filter, record)
        return None

    def decide_filter_error(
        self, error: Exception, expression: Expression, record: Record
    ) -> RuleDecision:
        """Decide on a filter that raised; a missing value means not applicable."""
        if is_missing_value(error):
            return RuleDecision(Outcome.SKIPPED)
        return decide_error(error, expression.source, [record])

    def collect(self, record: Record) -> Passed:
        """Collect what the oracle asks of a conversation."""
        asked_for = self.wanted
        unique = {name: self._look_up(record, name) for name in asked_for.unique}
        tests = {key: self._value(self.inner[key], record) for key in asked_for.tests}
        group = tuple(self._value(expression, record) for expression in self.groups)
        return Passed(record.trace.case.id, unique, tests, self._keep_names(record), group)

    def _look_up(self, record: Record, name: str) -> Any:
        try:
            return record[name]
        except UnknownName:
            return ABSENT

    def _value(self, expression: Expression, record: Record) -> Any:
        try:
            value = self.evaluator.evaluate(expression, record)
        except Exception as err:  # noqa: BLE001 - raised again where the value is used
            # A traceback holds the frames of the evaluation, and with them the whole conversation.
            return RaisedError(err.with_traceback(None))
        evidence = tuple(item.about(record) for item in self.evaluator.evidence)
        return NotedValue(value, evidence) if evidence else value

    def _keep_names(self, record: Record) -> Record | None:
        """The names that the oracle uses of a conversation in `conv`."""
        asked_for = self.wanted
        if not asked_for.names and not asked_for.projected:
            return _NOTHING_KEPT
        compact = KeptRecord(EMPTY_TRACE)
        for name in asked_for.names:
            value = self._look_up(record, name)
            if value is not ABSENT:
                compact[name] = value
        for key in asked_for.projected:
            compact[key] = self._value(self.inner[key], record)
        return compact

    async def finish(self) -> list[Verdict]:
        """The verdict on all conversations together, and on those that were left out."""
        verdicts: list[Verdict] = []
        if self.groups:
            verdicts += await self.finish_groups()
        elif self.passed:
            verdicts.append(await self.evaluator.settle(self.verdict))
        verdicts += self.left_out()
        if not verdicts:
            reason = "does not apply: there is no conversation"
            skipped = RuleDecision(Outcome.SKIPPED, reason=reason, details={"checks": 0})
            verdicts.append(self.verdicts.of(skipped, ()))
        return verdicts

    async def finish_groups(self) -> list[Verdict]:
        """The verdicts on each group of conversations that have the same values."""
        everyone, verdicts = self.passed, list[Verdict]()
        groups, apart = grouped(everyone)
        for value, members in groups:
            self.group = value[0] if len(value) == 1 else list(value)
            self.passed = members
            verdicts.append(await self.evaluator.settle(self.verdict))
        self.passed, self.group = everyone, None
        summed = sum_up(verdicts, self.verdicts, self.listed)
        if apart:
            skipped = RuleDecision(Outcome.SKIPPED, reason="does not apply: nothing to group it by")
            summed.append(self.verdicts.of(skipped, (), apart))
        return summed

    def left_out(self) -> list[Verdict]:
        """The verdicts on conversations that did not pass the filter."""
        verdicts = [
            self.verdicts.of(why, (case_id,)) for case_id, why in self.errors[: self.listed]
        ]
        if more := self.errors[self.listed :]:
            why = RuleDecision(more[0][1].outcome, more[0][1].owner, "more like those listed")
            verdicts.append(self.verdicts.of(why, (), len(more)))
        if self.excluded:
            reason = "does not apply: its filter is false"
            skipped = RuleDecision(Outcome.SKIPPED, reason=reason)
            verdicts.append(self.verdicts.of(skipped, (), self.excluded))
        if self.skipped:
            skipped = RuleDecision(Outcome.SKIPPED, reason=left_out_reason(self.skipped))
            verdicts.append(self.verdicts.of(skipped, (), self.skipped))
        return verdicts

    def verdict(self) -> Verdict:
        """Ask the oracle."""
        duplicate = Duplicate()
        self._offer_functions(duplicate)
        self.evaluator.begin()
        try:
            value = self.ask()
            if self.holds_true(value):
                return self.verdicts.of(self._with_evidence(PASS), ())
            return self._fail(value, duplicate)
        except Exception as err:  # noqa: BLE001 - whatever a rule raises is its verdict
            return self.verdicts.of(
                self._with_evidence(self.decide_oracle_error(err)), self._case_ids()
            )
        finally:
            self.evaluator.over_none()

    def _with_evidence(self, decision: RuleDecision) -> RuleDecision:
        return with_evidence(decision, tuple(self.evaluator.evidence), several=True)

    def holds_true(self, value: Any) -> bool:
        """A text is a reason to fail; anything else counts as Python counts it."""
        return bool(value) and not isinstance(value, str)

    def ask(self) -> Any:
        """The oracle's value."""
        return self.run(self.oracle)

    def run(self, expression: Expression) -> Any:
        """The value of an expression over all conversations that passed."""
        self.evaluator.work.begin()
        return expression.run([conversation.record for conversation in self.passed], None)

    def among(self) -> Sequence[Passed]:
        """The conversations that the functions over all count."""
        return self.passed

    def decide_oracle_error(self, error: Exception) -> RuleDecision:
        """What it means that the oracle has no value."""
        decision = decide_error(error, self.oracle.source)
        if not isinstance(error, UnknownName):
            return decision
        source = self.oracle.source
        hint = f"write `if hasattr(c, {error.name!r})` in the comprehension, or filter in `when`"
        reason = f"{source.file}:{source.line}: {source.key}: {error}; {hint}"
        return RuleDecision(Outcome.ERROR, Owner.TEST, reason)

    def _fail(self, value: Any, duplicate: Duplicate) -> Verdict:
        evidence = tuple(self.evaluator.evidence)
        about = said(self.message, self.evaluator, self.run)
        why = failure(value if value else False, self.oracle)
        why = f"{why}: {duplicate.text}" if duplicate.text else why
        judged = quote_evidence(evidence, several=True)
        why = f"{why}; {judged}" if judged else why
        source = self.oracle.source
        details: dict[str, JsonValue] = {"file": source.file, "line": source.line}
        details |= {"yields": about.text} if about.text else {}
        why = f"{self._group_prefix()}{why}"
        # "Order 7 was given twice" names the two; of "half of all pass" nobody in particular is the
        # cause.
        case_ids = tuple(dict.fromkeys(duplicate.case_ids)) or self._case_ids()
        turns = turns_of_evidence(evidence)
        decision = RuleDecision(Outcome.FAIL, Owner.APP, about.reason(why), turns, details)
        return self.verdicts.of(self._adjust(decision, duplicate), case_ids)

    def _adjust(self, decision: RuleDecision, duplicate: Duplicate) -> RuleDecision:
        """A failure, inconclusive if it may be due to what was not the app's doing.

        A value that is there twice stays so, whatever the missing answers would have been.
        """
        # A machine that had no time for Sparring may have cut answers off in any of them.
        if self.starved.is_large:
            return self.starved.doubt(decision)
        # A conversation that broke off may hold what `exists(...)` looks for.
        if self.broken is not None and not duplicate.case_ids:
            return make_inconclusive(decision, self.broken)
        return decision

    def _group_prefix(self) -> str:
        """Name the group that a verdict is about."""
        if not self.groups:
            return ""
        texts = [group.source.text for group in self.groups]
        values = self.group if len(texts) > 1 else [self.group]
        pairs = zip(texts, values, strict=True)
        return f"where {' and '.join(f'{text} is {shown(value)}' for text, value in pairs)}: "

    def _case_ids(self) -> tuple[str, ...]:
        """The conversations judged, if they are few enough to be named."""
        ids = tuple(conversation.case_id for conversation in self.passed)
        return ids if len(ids) <= _MOST_IDS else ()

    def _offer_functions(self, duplicate: Duplicate) -> None:
        """Offer the functions over all conversations for these."""
        among = self.among()

        def is_unique(name: str) -> bool:
            return self.is_unique(name, among, duplicate)

        def num_exist(test: str) -> int:
            return sum(self.holds(conversation.tests[test]) for conversation in among)

        def exists(test: str) -> bool:
            return any(self.holds(conversation.tests[test]) for conversation in among)

        more = Quantifiers(among, self.noted, self.evaluator.work, duplicate).table()
        functions_of_sensei = {"is_unique": is_unique, "exists": exists, "num_exist": num_exist}
        self.evaluator.over_all({**more, **functions_of_sensei}, self.group)

    def is_unique(self, name: str, among: Sequence[Passed], duplicate: Duplicate) -> bool:
        """Whether no two conversations have the same value of a variable."""
        first: dict[Any, str] = {}
        for conversation in among:
            value = conversation.unique[name]
            if value is ABSENT or is_missing(value):
                continue
            key = key_of(self.evaluator.work.sized(value))
            if key in first:
                duplicate.text = (
                    f"{name} is {shown(value)} in {first[key]} and in {conversation.case_id}"
                )
                duplicate.case_ids += [first[key], conversation.case_id]
                return False
            first[key] = conversation.case_id
        return True

    def noted(self, value: Any) -> Any:
        """A value found beforehand; what functions said about it counts from now on."""
        if type(value) is not NotedValue:
            return value
        self.evaluator.evidence.extend(value.evidence)
        return value.value

    def holds(self, value: Any) -> bool:
        """Whether a test holds for a conversation; not if a value is missing."""
        value = self.noted(value)
        if type(value) is not RaisedError:
            return bool(value)
        if isinstance(value.error, UnknownName) or is_missing_value(value.error):
            return False
        raise value.error.with_traceback(None)


# Rules over all conversations as SENSEI judges them.


class SenseiWholeRule(WholeRule):
    """Judges as SENSEI does, faults included.

    The oracle sees the variables of the last conversation loaded. The functions over all
    conversations see those that earlier rules let pass once more, before this rule's own.
    """

    def __init__(self, *args: Any, before: Sequence["SenseiWholeRule"], **named: Any) -> None:
        self.before = tuple(before)
        super().__init__(*args, **named)

    def begin(self) -> None:
        """Forget all conversations."""
        super().begin()
        self.everything: list[Passed] = []
        self.passes: list[bool] = []
        self.last: Record | None = None

    async def add(self, record: Record) -> None:
        """Filter a conversation, and keep what the oracle asks of it, passed or not."""
        decision = await self.settle_for(lambda: self.apply_filters(record), record)
        self.everything.append(await self.settle_for(lambda: self.collect(record), record))
        self.passes.append(decision is None)
        self.excluded += decision is not None
        self.last = record

    def decide_filter_error(
        self, error: Exception, expression: Expression, record: Record
    ) -> RuleDecision:
        """A filter without a value is false."""
        return RuleDecision(Outcome.SKIPPED)

    async def finish(self) -> list[Verdict]:
        """The verdict on all conversations together, whatever passed."""
        self.passed = self._passed_by(self)
        return [await self.evaluator.settle(self.verdict), *self.left_out()]

    def among(self) -> Sequence[Passed]:
        """The conversations of earlier rules, never forgotten, and this rule's own."""
        return [
            conversation for rule in (*self.before, self) for conversation in self._passed_by(rule)
        ]

    def _passed_by(self, rule: "SenseiWholeRule") -> list[Passed]:
        return [
            conversation
            for conversation, passed in zip(self.everything, rule.passes, strict=True)
            if passed
        ]

    def ask(self) -> Any:
        """The oracle's value, with the variables of the last conversation."""
        # SENSEI writes variables into its source: one called `my price` makes that no Python.
        if self.last is None or spoils_every_oracle(self.last):
            raise UnknownName("variable that SENSEI can use")
        return self.run(self.oracle)

    def run(self, expression: Expression) -> Any:
        """The value of an expression about the last conversation."""
        self.evaluator.work.begin()
        return expression.run([], self.last)

    def holds_true(self, value: Any) -> bool:
        """Whatever Python counts as true passes, also a text."""
        return bool(value)

    def decide_oracle_error(self, error: Exception) -> RuleDecision:
        """SENSEI counts an exception as not applicable."""
        decision = decide_error(error, self.oracle.source)
        if decision.owner is Owner.JUDGE:
            return decision
        return RuleDecision(Outcome.SKIPPED, reason=f"does not apply: {decision.reason}")

    def is_unique(self, name: str, among: Sequence[Passed], duplicate: Duplicate) -> bool:
        """As SENSEI: the text ``None`` is a value, and lists cannot be compared (TypeError)."""
        first: dict[Any, str] = {}
        for conversation in among:
            value = conversation.unique[name]
            if value is ABSENT:
                continue
            if self.evaluator.work.sized(value) in first:
                duplicate.text = (
                    f"{name} is {shown(value)} in {first[value]} and in {conversation.case_id}"
                )
                duplicate.case_ids += [first[value], conversation.case_id]
                return False
            if value is not None:
                first[value] = conversation.case_id
        return True

    def holds(self, value: Any) -> bool:
        """Whether a test holds; whatever it raised is raised again."""
        value = self.noted(value)
        if type(value) is RaisedError:
            raise value.error.with_traceback(None)
        return bool(value)

"""Rules over all conversations that pass their filter."""

# Values of any type are computed with here, which a type checker cannot follow.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from sparring.documents.checking import shown
from sparring.engine.foreign_incident import broken_off
from sparring.model.talk import Incident
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring_plugins.rules.compile.evaluation import Evaluator, Expression, Noted, Raised
from sparring_plugins.rules.compile.unseen_names import Unseen
from sparring_plugins.rules.functions.slots import is_missing
from sparring_plugins.rules.parse.rule import Rule
from sparring_plugins.rules.run.conversation_rule import shown_by
from sparring_plugins.rules.run.decisions import (
    PASS,
    Decision,
    Verdicts,
    failure,
    fault,
    is_missing_value,
)
from sparring_plugins.rules.run.groups import grouped, sum_up
from sparring_plugins.rules.run.message import said
from sparring_plugins.rules.run.quantifiers import ABSENT, Duplicate, Quantifiers
from sparring_plugins.rules.run.responses import (
    Hearing,
    doubted,
    left_out_reason,
)
from sparring_plugins.rules.run.timing import Starved, Timing
from sparring_plugins.rules.values.errors import UnknownName
from sparring_plugins.rules.values.evidence import quoted, turns_of
from sparring_plugins.rules.values.keys import key_of
from sparring_plugins.rules.values.record import EMPTY_TRACE, Record

_MOST_IDS = 50


class Kept(Record):
    """What a rule over all conversations keeps of one: the names that its oracle uses."""

    __slots__ = ()

    def find(self, name: str) -> Any:
        """Nothing more can be found."""
        raise UnknownName(name)


_NOTHING_KEPT = Kept(EMPTY_TRACE)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What the oracle and its message ask of each conversation."""

    names: tuple[str, ...]
    unique: tuple[str, ...]
    tests: tuple[str, ...]
    projected: tuple[str, ...]

    @classmethod
    def of(cls, expressions: Sequence[Expression]) -> "_Wanted":
        """What some expressions ask, in a fixed order."""
        uses = [one.uses for one in expressions]
        names = {name for one in uses for _, name in one.names} | {n for u in uses for n in u.asked}
        return cls(
            tuple(sorted(names)),
            tuple(sorted({name for one in uses for name in one.unique})),
            tuple(sorted({key for one in uses for key in one.tests})),
            tuple(sorted({key for one in uses for key in one.projected})),
        )


@dataclass(slots=True)
class Passed:
    """A conversation that passed the filter, and what the oracle asks of it."""

    case_id: str
    unique: dict[str, Any]
    tests: dict[str, Any]
    record: Record | None = None
    group: tuple[Any, ...] = ()


class WholeRule:
    """Collects what the oracle needs of each conversation, and judges once at the end."""

    def __init__(
        self,
        rule: Rule,
        evaluator: Evaluator,
        filters: tuple[Expression, ...],
        oracle: Expression,
        message: Expression | None,
        verdicts: Verdicts,
        warn: Callable[[str], None],
        inner: dict[str, Expression],
        *,
        listed: int,
        groups: Sequence[Expression] = (),
    ) -> None:
        self.rule = rule
        self.evaluator = evaluator
        self.filters = filters
        self.oracle = oracle
        self.message = message
        self.verdicts = verdicts
        self.inner = inner
        self.listed = listed
        self.groups = tuple(groups)
        #: The value that the conversations judged at the moment have in common.
        self.group: Any = None
        self.wanted = _Wanted.of([oracle, message] if message else [oracle])
        over_all = [oracle, message] if message else [oracle]
        tests = [inner[key] for one in over_all for key in one.uses.tests]
        unique = {name: one.source for one in over_all for name in sorted(one.uses.unique)}
        self.hearing = Hearing((*filters, *self.groups, *tests, oracle))
        self.timing = Timing((*filters, *self.groups, *tests, oracle))
        every = (*filters, *self.groups, *tests, *over_all)
        self.unseen = Unseen(rule, every, warn, also=unique)
        self.begin()

    def begin(self) -> None:
        """Forget all conversations."""
        self.passed: list[Passed] = []
        self.excluded = 0
        self.unheard = 0
        #: What was not the app's doing, and may have kept it from what the rule asks for.
        self.broken: Incident | None = None
        self.starved = Starved()
        self.errors: list[tuple[str, Decision]] = []

    async def add(self, record: Record) -> None:
        """Filter a conversation, and keep what the oracle asks of it."""
        if self.unseen:
            self.unseen.note(record)
        trace = record.trace
        broken = self.hearing.cut_off(trace)
        if self.hearing.left_out(trace) or broken is not None:
            self.unheard += 1
            self.broken = self.broken or broken or broken_off(trace)
            return
        self.starved += self.timing.starved(trace)
        self.broken = self.broken or self.hearing.doubt(trace)
        decision = await self.settled(lambda: self.filtered(record), record)
        if decision is None:
            self._take(await self.settled(lambda: self.kept(record), record))
        elif decision.outcome is Outcome.SKIPPED:
            self.excluded += 1
        else:
            self.errors.append((record.trace.case.id, decision))

    def _take(self, one: Passed) -> None:
        """Keep a conversation, unless it cannot be said which group it belongs to."""
        for expression, value in zip(self.groups, one.group, strict=True):
            if type(value) is Raised:
                decision = fault(value.error, expression.source)
                if decision.outcome is Outcome.ERROR or decision.owner is Owner.JUDGE:
                    self.errors.append((one.case_id, decision))
                    return
        self.passed.append(one)

    async def settled(self, run: Any, record: Record) -> Any:
        """The value of a function once no model's answer is missing."""
        return await self.evaluator.settle(run, record.trace.case.id)

    def filtered(self, record: Record) -> Decision | None:
        """None where a conversation passes the filter, else why not."""
        for one in self.filters:
            try:
                if not self.evaluator.evaluate(one, record):
                    return Decision(Outcome.SKIPPED)
            except Exception as err:  # noqa: BLE001 - whatever a rule raises is its verdict
                return self.unfiltered(err, one, record)
        return None

    def unfiltered(self, error: Exception, one: Expression, record: Record) -> Decision:
        """What it means that a filter has no value; a missing one is not applicable."""
        if is_missing_value(error):
            return Decision(Outcome.SKIPPED)
        return fault(error, one.source, [record])

    def kept(self, record: Record) -> Passed:
        """What the oracle asks of a conversation."""
        wanted = self.wanted
        unique = {name: self._look(record, name) for name in wanted.unique}
        tests = {key: self._value(self.inner[key], record) for key in wanted.tests}
        group = tuple(self._value(one, record) for one in self.groups)
        return Passed(record.trace.case.id, unique, tests, self._compact(record), group)

    def _look(self, record: Record, name: str) -> Any:
        try:
            return record[name]
        except UnknownName:
            return ABSENT

    def _value(self, expression: Expression, record: Record) -> Any:
        try:
            value = self.evaluator.evaluate(expression, record)
        except Exception as err:  # noqa: BLE001 - raised again where the value is used
            return Raised(err.with_traceback(None))
        evidence = tuple(one.about(record) for one in self.evaluator.evidence)
        return Noted(value, evidence) if evidence else value

    def _compact(self, record: Record) -> Record | None:
        """The names that the oracle uses of a conversation in `conv`."""
        wanted = self.wanted
        if not wanted.names and not wanted.projected:
            return _NOTHING_KEPT
        kept = Kept(EMPTY_TRACE)
        for name in wanted.names:
            value = self._look(record, name)
            if value is not ABSENT:
                kept[name] = value
        for key in wanted.projected:
            kept[key] = self._value(self.inner[key], record)
        return kept

    async def finish(self) -> list[Verdict]:
        """The verdict on all conversations together, and on those that were left out."""
        found: list[Verdict] = []
        if self.groups:
            found += await self.finish_groups()
        elif self.passed:
            found.append(await self.evaluator.settle(self.verdict))
        found += self.left_out()
        if not found:
            reason = "does not apply: there is no conversation"
            skipped = Decision(Outcome.SKIPPED, reason=reason, details={"checks": 0})
            found.append(self.verdicts.of(skipped, ()))
        return found

    async def finish_groups(self) -> list[Verdict]:
        """The verdicts on each group of conversations that have the same values."""
        everyone, found = self.passed, list[Verdict]()
        groups, apart = grouped(everyone)
        for value, members in groups:
            self.group = value[0] if len(value) == 1 else list(value)
            self.passed = members
            found.append(await self.evaluator.settle(self.verdict))
        self.passed, self.group = everyone, None
        summed = sum_up(found, self.verdicts, self.listed)
        if apart:
            skipped = Decision(Outcome.SKIPPED, reason="does not apply: nothing to group it by")
            summed.append(self.verdicts.of(skipped, (), apart))
        return summed

    def left_out(self) -> list[Verdict]:
        """The verdicts on conversations that did not pass the filter."""
        found = [self.verdicts.of(why, (case_id,)) for case_id, why in self.errors[: self.listed]]
        if more := self.errors[self.listed :]:
            why = Decision(more[0][1].outcome, more[0][1].owner, "more like those listed")
            found.append(self.verdicts.of(why, (), len(more)))
        if self.excluded:
            reason = "does not apply: its filter is false"
            skipped = Decision(Outcome.SKIPPED, reason=reason)
            found.append(self.verdicts.of(skipped, (), self.excluded))
        if self.unheard:
            skipped = Decision(Outcome.SKIPPED, reason=left_out_reason(self.unheard))
            found.append(self.verdicts.of(skipped, (), self.unheard))
        return found

    def verdict(self) -> Verdict:
        """Ask the oracle."""
        duplicate = Duplicate()
        self._offer(duplicate)
        self.evaluator.begin()
        try:
            value = self.ask()
            if self.holds_true(value):
                return self.verdicts.of(self._shown(PASS), ())
            return self._failed(value, duplicate)
        except Exception as err:  # noqa: BLE001 - whatever a rule raises is its verdict
            return self.verdicts.of(self._shown(self.undecided(err)), self._ids())
        finally:
            self.evaluator.over_none()

    def _shown(self, decision: Decision) -> Decision:
        return shown_by(decision, tuple(self.evaluator.evidence), several=True)

    def holds_true(self, value: Any) -> bool:
        """A text is a reason to fail; anything else counts as Python counts it."""
        return bool(value) and not isinstance(value, str)

    def ask(self) -> Any:
        """The oracle's value."""
        return self.run(self.oracle)

    def run(self, expression: Expression) -> Any:
        """The value of an expression over all conversations that passed."""
        self.evaluator.work.begin()
        return expression.run([one.record for one in self.passed], None)

    def among(self) -> Sequence[Passed]:
        """The conversations that the functions over all speak of."""
        return self.passed

    def undecided(self, error: Exception) -> Decision:
        """What it means that the oracle has no value."""
        decision = fault(error, self.oracle.source)
        if not isinstance(error, UnknownName):
            return decision
        source = self.oracle.source
        hint = f"write `if hasattr(c, {error.name!r})` in the comprehension, or filter in `when`"
        reason = f"{source.file}:{source.line}: {source.key}: {error}; {hint}"
        return Decision(Outcome.ERROR, Owner.TEST, reason)

    def _failed(self, value: Any, duplicate: Duplicate) -> Verdict:
        evidence = tuple(self.evaluator.evidence)
        about = said(self.message, self.evaluator, self.run)
        why = failure(value if value else False, self.oracle)
        why = f"{why}: {duplicate.text}" if duplicate.text else why
        judged = quoted(evidence, several=True)
        why = f"{why}; {judged}" if judged else why
        source = self.oracle.source
        details: dict[str, JsonValue] = {"file": source.file, "line": source.line}
        details |= {"yields": about.text} if about.text else {}
        why = f"{self._whose()}{why}"
        case_ids = tuple(dict.fromkeys(duplicate.case_ids)) or self._ids()
        turns = turns_of(evidence)
        decision = Decision(Outcome.FAIL, Owner.APP, about.reason(why), turns, details)
        return self.verdicts.of(self._blamed(decision, duplicate), case_ids)

    def _blamed(self, decision: Decision, duplicate: Duplicate) -> Decision:
        """A failure, inconclusive if it may be due to what was not the app's doing.

        A value that is there twice is so whatever else was to be heard.
        """
        if self.starved.is_large:
            return self.starved.doubt(decision)
        if self.broken is not None and not duplicate.case_ids:
            return doubted(decision, self.broken)
        return decision

    def _whose(self) -> str:
        """Which group a verdict is about."""
        if not self.groups:
            return ""
        texts = [one.source.text for one in self.groups]
        values = self.group if len(texts) > 1 else [self.group]
        pairs = zip(texts, values, strict=True)
        return f"where {' and '.join(f'{text} is {shown(value)}' for text, value in pairs)}: "

    def _ids(self) -> tuple[str, ...]:
        """The conversations judged, where they are few enough to be named."""
        ids = tuple(one.case_id for one in self.passed)
        return ids if len(ids) <= _MOST_IDS else ()

    def _offer(self, duplicate: Duplicate) -> None:
        """Make the functions over all conversations speak of these."""
        among = self.among()

        def is_unique(name: str) -> bool:
            return self.is_unique(name, among, duplicate)

        def num_exist(test: str) -> int:
            return sum(self.holds(one.tests[test]) for one in among)

        def exists(test: str) -> bool:
            return any(self.holds(one.tests[test]) for one in among)

        more = Quantifiers(among, self.noted, self.evaluator.work, duplicate).table()
        known = {"is_unique": is_unique, "exists": exists, "num_exist": num_exist}
        self.evaluator.over_all({**more, **known}, self.group)

    def is_unique(self, name: str, among: Sequence[Passed], duplicate: Duplicate) -> bool:
        """Whether no two conversations have the same value of a variable."""
        first: dict[Any, str] = {}
        for one in among:
            value = one.unique[name]
            if value is ABSENT or is_missing(value):
                continue
            key = key_of(self.evaluator.work.sized(value))
            if key in first:
                duplicate.text = f"{name} is {shown(value)} in {first[key]} and in {one.case_id}"
                duplicate.case_ids += [first[key], one.case_id]
                return False
            first[key] = one.case_id
        return True

    def noted(self, value: Any) -> Any:
        """A value found beforehand; what functions said about it counts from now on."""
        if type(value) is not Noted:
            return value
        self.evaluator.evidence.extend(value.evidence)
        return value.value

    def holds(self, value: Any) -> bool:
        """Whether a test holds for a conversation; not where a value is missing."""
        value = self.noted(value)
        if type(value) is not Raised:
            return bool(value)
        if isinstance(value.error, UnknownName) or is_missing_value(value.error):
            return False
        raise value.error.with_traceback(None)

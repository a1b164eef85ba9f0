"""Rules over all conversations as SENSEI judges them."""

from collections.abc import Sequence
from typing import Any

from sparring.documents.checking import shown
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring_plugins.rules.compile.evaluation import Expression, Raised
from sparring_plugins.rules.run.decisions import Decision, fault
from sparring_plugins.rules.run.quantifiers import ABSENT, Duplicate
from sparring_plugins.rules.run.whole_rule import Passed, WholeRule
from sparring_plugins.rules.values.errors import UnknownName
from sparring_plugins.rules.values.record import Record
from sparring_plugins.rules.values.sensei_record import spoils_every_oracle


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
        decision = await self.settled(lambda: self.filtered(record), record)
        self.everything.append(await self.settled(lambda: self.kept(record), record))
        self.passes.append(decision is None)
        self.excluded += decision is not None
        self.last = record

    def unfiltered(self, error: Exception, one: Expression, record: Record) -> Decision:
        """A filter without a value is false."""
        return Decision(Outcome.SKIPPED)

    async def finish(self) -> list[Verdict]:
        """The verdict on all conversations together, whatever passed."""
        self.passed = self._own(self)
        return [await self.evaluator.settle(self.verdict), *self.left_out()]

    def among(self) -> Sequence[Passed]:
        """The conversations of earlier rules, never forgotten, and this rule's own."""
        return [one for rule in (*self.before, self) for one in self._own(rule)]

    def _own(self, rule: "SenseiWholeRule") -> list[Passed]:
        return [one for one, passed in zip(self.everything, rule.passes, strict=True) if passed]

    def ask(self) -> Any:
        """The oracle's value, with the variables of the last conversation."""
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

    def undecided(self, error: Exception) -> Decision:
        """SENSEI counts an exception as not applicable."""
        decision = fault(error, self.oracle.source)
        if decision.owner is Owner.JUDGE:
            return decision
        return Decision(Outcome.SKIPPED, reason=f"does not apply: {decision.reason}")

    def is_unique(self, name: str, among: Sequence[Passed], duplicate: Duplicate) -> bool:
        """As SENSEI: the text ``None`` is a value, and lists cannot be compared (TypeError)."""
        first: dict[Any, str] = {}
        for one in among:
            value = one.unique[name]
            if value is ABSENT:
                continue
            if self.evaluator.work.sized(value) in first:
                duplicate.text = f"{name} is {shown(value)} in {first[value]} and in {one.case_id}"
                duplicate.case_ids += [first[value], one.case_id]
                return False
            if value is not None:
                first[value] = one.case_id
        return True

    def holds(self, value: Any) -> bool:
        """Whether a test holds; whatever it raised is raised again."""
        value = self.noted(value)
        if type(value) is Raised:
            raise value.error.with_traceback(None)
        return bool(value)

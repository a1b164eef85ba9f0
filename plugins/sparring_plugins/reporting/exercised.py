"""What a run exercised: checks that decided something, goals that were met, outputs with a value.

This is coverage as somebody sees it who knows the app from outside alone. All of it is read from
the run's log: a rule that never applied and a goal that nobody reached say nothing about the app,
however green the run is.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from sparring.model.events import CaseJudged
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Verdict
from sparring.store import StoredRun
from sparring_plugins.language.quantities import plural
from sparring_plugins.language.text import one_line

Kind = Literal["check", "goal", "output", "scenario"]

KINDS: dict[Kind, tuple[str, str]] = {
    "check": ("checks", "decided something"),
    "goal": ("goals", "were met"),
    "output": ("outputs", "had a value"),
    "scenario": ("scenarios", "were played"),
}
"""Each kind in the plural, and what makes it exercised."""

_MOST = 20_000
"""Items of a run that are counted: searches may make up goals without end."""

# A goal may be a paragraph, and is the name of a row.
_NAME = 300
_REASON = 200
_DECIDED = (Outcome.PASS, Outcome.FAIL)


@dataclass(slots=True)
class Item:
    """A check, goal, output or scenario: how often it was tried, and how often that worked.

    `owner` is the scenario of a goal or output; empty for checks. `tried` counts conversations
    (for checks over several: pairs and the like), `undecided` those in which a check ended
    inconclusive or in an error, and `why` is the first reason for either or for being skipped.
    """

    kind: Kind
    owner: str
    name: str
    tried: int = 0
    exercised: int = 0
    undecided: int = 0
    why: str = ""

    @property
    def words(self) -> str:
        """``never applied in 93 conversations: its filter is false``, or ``12 of 93``."""
        if self.exercised:
            return f"{self.exercised:,} of {self.tried:,}"
        often = plural(self.tried, "time" if self.kind == "check" else "conversation")
        if self.kind == "check":
            state = "could not be decided" if self.undecided else "never applied"
            reason = self.why.removeprefix("does not apply: ")
            return f"{state}, judged {often}" + (f": {reason}" if reason else "")
        if self.kind == "scenario":
            return "asked for, but no case of it was judged"
        return f"never {'met' if self.kind == 'goal' else 'found'} in {often}"


@dataclass(slots=True)
class Exercised:
    """What the conversations of a run exercised, in memory that grows with the suite alone."""

    _items: dict[tuple[str, str, str], Item] = field(
        default_factory=dict[tuple[str, str, str], Item]
    )

    def add_case(self, judged: CaseJudged) -> None:
        """Take in one conversation and its verdicts."""
        trace = judged.trace
        scenario = self._item("scenario", "", trace.case.scenario)
        if scenario is not None:
            scenario.tried += 1
            scenario.exercised += 1
        self.add_verdicts(judged.verdicts)
        self._add_goals(trace)
        for output in trace.outputs:
            self._count("output", trace.case.scenario, output.name, output.value is not None)

    def add_verdicts(self, verdicts: Iterable[Verdict]) -> None:
        """Take in verdicts; those that only measure are checks like any other."""
        for verdict in verdicts:
            item = self._item("check", "", f"{verdict.oracle}/{verdict.check}")
            if item is None:
                continue
            item.tried += verdict.count
            if verdict.outcome in _DECIDED:
                item.exercised += verdict.count
                continue
            if verdict.outcome is not Outcome.SKIPPED:
                # why it could not be decided says more than why it did not apply elsewhere
                item.why = item.why if item.undecided else ""
                item.undecided += verdict.count
            elif item.undecided:
                continue
            item.why = item.why or one_line(verdict.reason, _REASON)

    def add_asked(self, scenarios: Iterable[str]) -> None:
        """Take in the scenarios of which cases were asked, whether they were played or not."""
        for scenario in scenarios:
            self._item("scenario", "", scenario)

    def _add_goals(self, trace: Trace) -> None:
        goals, met = trace.meta.get("goals"), trace.meta.get("goals_met")
        if not isinstance(goals, list):
            return
        indexes = set(_integers(met))
        for index, goal in enumerate(goals):
            text = goal if isinstance(goal, str) else json.dumps(goal, ensure_ascii=False)
            self._count("goal", trace.case.scenario, text, index in indexes)

    def _count(self, kind: Kind, owner: str, name: str, works: bool) -> None:
        item = self._item(kind, owner, name)
        if item is not None:
            item.tried += 1
            item.exercised += works

    def _item(self, kind: Kind, owner: str, name: str) -> Item | None:
        """Return the item to count in; `None` if there are too many already."""
        key = kind, owner, name
        item = self._items.get(key)
        if item is None and len(self._items) < _MOST:
            item = Item(kind, one_line(owner, _NAME), one_line(name, _NAME))
            self._items[key] = item
        return item

    def items(self, kind: Kind | None = None) -> list[Item]:
        """Return all items, or those of one kind, by kind, owner and name."""
        order = list(KINDS)
        items = (item for item in self._items.values() if kind in (None, item.kind))
        return sorted(items, key=lambda item: (order.index(item.kind), item.owner, item.name))

    def unexercised(self) -> list[Item]:
        """Return what was never exercised."""
        return [item for item in self.items() if not item.exercised]

    def counts(self) -> Iterator[tuple[Kind, int, int]]:
        """Yield, for each kind that the run has, how many items were exercised, and of how many."""
        for kind in KINDS:
            items = self.items(kind)
            if items:
                yield kind, sum(item.exercised > 0 for item in items), len(items)

    @property
    def brief(self) -> str:
        """``2 of 44 checks, 1 of 60 goals``: what was never exercised; empty if all was."""
        return ", ".join(
            f"{whole - part:,} of {whole:,} {KINDS[kind][0]}"
            for kind, part, whole in self.counts()
            if part < whole
        )


def _integers(value: JsonValue) -> Iterator[int]:
    if isinstance(value, list):
        yield from (each for each in value if isinstance(each, int))


def exercised_by(stored: StoredRun) -> Exercised:
    """Return what a stored run exercised, also of one that was not finished."""
    exercised = Exercised()
    for judged in stored.judged():
        exercised.add_case(judged)
    add_run(exercised, stored)
    return exercised


def add_run(exercised: Exercised, stored: StoredRun) -> None:
    """Add what of a run stands in no conversation: conditions over several, cases not played."""
    exercised.add_verdicts(stored.concluded)
    if stored.unjudged:
        for asked, _ in stored.asked_batches():
            exercised.add_asked(case.scenario for case in asked.cases)

"""Repeats of one case become one test case, with counts."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sparring.model.case import Case
from sparring.model.verdict import Outcome
from sparring_plugins.reporting.findings import RANK
from sparring_plugins.reporting.junit_testcase import TestCase


@dataclass(slots=True)
class _Open:
    """The repeats of a case so far; `shown` is the first of the worst."""

    scenario: str
    missing: int
    outcomes: Counter[Outcome]
    seconds: float
    shown: TestCase


class Repeats:
    """Holds back the test cases of repeated cases until the last repeat has come.

    Memory: one test case for each repeated case that is not complete.
    """

    def __init__(self, case_ids: Iterable[str]) -> None:
        self._sizes: Counter[str] = Counter()
        for case_id in case_ids:
            base, _, number = case_id.rpartition(".")
            self._sizes[base if base and number.isdigit() else case_id] += 1
        self._open: dict[str, _Open] = {}

    def complete(self, case: Case, made: TestCase) -> TestCase | None:
        """The test case to write now: `made` itself, that of all repeats, or None yet."""
        base = case.id if case.repeat == 1 else case.id.removesuffix(f".{case.repeat}")
        if self._sizes[base] < 2:
            return made
        group = self._open.get(base)
        if group is None:
            group = self._open[base] = _Open(case.scenario, self._sizes[base], Counter(), 0.0, made)
        group.missing -= 1
        group.seconds += made.seconds
        group.outcomes[made.outcome] += 1
        if RANK[made.outcome] < RANK[group.shown.outcome]:
            group.shown = made
        return _merged(base, self._open.pop(base)) if group.missing == 0 else None

    def rest(self) -> Iterator[tuple[str, TestCase]]:
        """What is still held back, with its scenario: ids that only looked like repeats."""
        for base, group in self._open.items():
            yield group.scenario, _merged(base, group)
        self._open.clear()


def _merged(base: str, group: _Open) -> TestCase:
    made, total = group.shown, group.outcomes.total()
    shown_id, made.name, made.seconds = made.name, base, group.seconds
    counts = {f"repeats.{o.value}": str(group.outcomes[o]) for o in RANK if group.outcomes[o]}
    made.properties |= {"repeats": str(total), "repeats.shown": shown_id, **counts}
    if made.tag is not None:
        same = group.outcomes[made.outcome]
        made.message = f"{same} of {total} repeats: {made.message}"
    return made

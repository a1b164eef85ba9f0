"""Variants of a suite side by side: cases × variants, from the stored runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sparring.cli.output import plain
from sparring.model.verdict import Outcome
from sparring_plugins.gating.records import RunRecord
from sparring_plugins.gating.statistics import wilson
from sparring_plugins.language.quantities import duration, money, plural
from sparring_plugins.language.text import one_line

NOT_PLAYED = "-"
# A terminal's screen or two; the viewer has all rows.
_SHOWN = 40
# Room for three variants beside it in 100 columns.
_NAME = 40
_BAD = frozenset({"fail", "flaky", "undecided"})


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant's name, what its run found, and the run's folder if it is known."""

    name: str
    record: RunRecord
    folder: Path | None = None

    @property
    def rate(self) -> str:
        """How many cases pass in every play: ``3 of 4 cases pass (30% to 95%), 1 undecided``.

        With Wilson's interval; of cases that could not be decided nothing is known.
        """
        states = [case.state for case in self.record.cases.values()]
        decided = sum(state in ("pass", "fail", "flaky") for state in states)
        passed = states.count("pass")
        undecided = states.count("undecided")
        more = f", {undecided:,} undecided" if undecided else ""
        interval = wilson(passed, decided)
        if interval is None:
            return f"no case decided{more}"
        low, high = interval
        return f"{passed:,} of {plural(decided, 'case')} pass ({low:.0%} to {high:.0%}){more}"

    @property
    def spent(self) -> str:
        """Means of a play: its time, tokens and cost, if there are any."""
        means = self.record.means
        parts = [duration(means["seconds"])]
        if means["tokens"]:
            parts.append(f"{means['tokens']:,.0f} tokens")
        if means["cost_usd"]:
            parts.append(money(means["cost_usd"]))
        return ", ".join(parts)

    def play(self, name: str) -> str:
        """Return the id of a play that shows what a cell says; empty if none does."""
        case = self.record.cases.get(name)
        if case is None:
            return ""
        failed = (i for i, o in zip(case.play_ids, case.outcomes, strict=True) if o is Outcome.FAIL)
        return next(failed, case.play_ids[0])

    def cell(self, case_id: str) -> str:
        """What the run found of a case: its state, and how many of several plays passed."""
        case = self.record.cases.get(case_id)
        if case is None:
            return NOT_PLAYED
        state = {"fail": "FAIL", "skipped": "not checked"}.get(case.state, case.state)
        if case.plays == 1:
            return state
        return f"{state} {sum(each is Outcome.PASS for each in case.outcomes)}/{case.plays}"


@dataclass(frozen=True, slots=True)
class Row:
    """A case, or a condition over several conversations, in every variant."""

    name: str
    cells: tuple[str, ...]

    @property
    def differs(self) -> bool:
        """Whether not all variants found the same."""
        return len(set(self.cells)) > 1


@dataclass(frozen=True, slots=True)
class Matrix:
    """Cases × variants; the rows in which the variants differ come first."""

    variants: tuple[Variant, ...]
    rows: tuple[Row, ...]

    @property
    def headline(self) -> str:
        """``2 variants of 3 cases: they differ in 1``."""
        cases = len({case_id for each in self.variants for case_id in each.record.cases})
        differing = sum(row.differs for row in self.rows)
        difference = f"they differ in {differing:,}" if differing else "they do not differ"
        return f"{plural(len(self.variants), 'variant')} of {plural(cases, 'case')}: {difference}"


def _case_cells(variants: Sequence[Variant], case_id: str) -> tuple[str, ...]:
    """What each run found of a case, with the checks in which they differ if nothing else does.

    A case fails for one check in the first variant and for two in the second: without their
    names, the variants would look alike.
    """
    cells = tuple(each.cell(case_id) for each in variants)
    if len(set(cells)) > 1:
        return cells
    records = [each.record.cases.get(case_id) for each in variants]
    bad = [
        {label for label, counts in record.checks.items() if counts.state in _BAD}
        if record
        else set[str]()
        for record in records
    ]
    common = set[str].intersection(*bad) if bad else set[str]()
    named = (", ".join(sorted(labels - common)) for labels in bad)
    return tuple(
        f"{cell} {one_line(names, _NAME)}".rstrip()
        for cell, names in zip(cells, named, strict=True)
    )


def matrix_of(variants: Sequence[Variant]) -> Matrix:
    """Return the matrix of variants, with a row for whatever any of them played."""
    cases = dict.fromkeys(case_id for each in variants for case_id in each.record.cases)
    rows = [Row(case_id, _case_cells(variants, case_id)) for case_id in cases]
    several = dict.fromkeys(label for each in variants for label in each.record.several)
    rows += [Row(f"several: {label}", _several(variants, label)) for label in several]
    return Matrix(tuple(variants), tuple(sorted(rows, key=lambda row: not row.differs)))


def _several(variants: Sequence[Variant], label: str) -> tuple[str, ...]:
    conditions = [each.record.several.get(label) for each in variants]
    # That one pair of conversations holds and another does not is a failure, and not flaky.
    return tuple(
        NOT_PLAYED if counts is None else "FAIL" if counts.failed else counts.state
        for counts in conditions
    )


def matrix_lines(matrix: Matrix) -> Iterator[str]:
    """Yield the matrix for a console: numbered variants, the rows, and what each sums up to."""
    yield matrix.headline
    for number, variant in enumerate(matrix.variants, 1):
        yield f"[{number}] {plain(one_line(variant.name, 100))}"
        yield f"    {variant.rate}; {variant.spent} a play; run {variant.record.run_id}"
    yield ""
    names = [f"[{number}]" for number in range(1, len(matrix.variants) + 1)]
    shown = matrix.rows[:_SHOWN]
    labels = [plain(one_line(row.name, _NAME)) for row in shown]
    first = max(map(len, [*labels, "case"]))
    table = [names, *(row.cells for row in shown)]
    widths = [max(len(cells[place]) for cells in table) for place in range(len(names))]
    for label, cells in zip(["case", *labels], table, strict=True):
        texts = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        yield f"{label.ljust(first)}  {'  '.join(texts)}".rstrip()
    rest = matrix.rows[_SHOWN:]
    if rest:
        differing = sum(row.differs for row in rest)
        yield f"and {len(rest):,} more, {differing:,} of which differ"

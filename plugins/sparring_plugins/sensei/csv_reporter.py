"""The reporter `csv`: one row per rule, in the columns of SENSEI's checker."""

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal, TextIO

from pydantic import Field

from sparring.interfaces.plugin import PluginConfig
from sparring.model.talk import IncidentKind
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring_plugins.gating.gate_result import GateResult, gate_of
from sparring_plugins.gating.statistics import wilson
from sparring_plugins.output.files import destination, safe_cell, written_whole
from sparring_plugins.reporting.causes import shrunk
from sparring_plugins.reporting.file_reporter import FileReporter, FinishedRun
from sparring_plugins.search.shrinking.causes import ShrinkResult
from sparring_plugins.sensei.conversations import error_codes
from sparring_plugins.sensei.documents import GENERIC_ROWS

SENSEI_COLUMNS = ("rule", "checks", "pass", "fail", "not_applicable", "fail_rate")
RATE_COLUMNS = ("pass_rate_low", "pass_rate_high", "failed_cases", "flaky_cases")
COLUMNS = (*SENSEI_COLUMNS, "inconclusive", "error", "owner", "oracle", "failing_cases")
_NO_RULES = frozenset(
    {*GENERIC_ROWS, *(kind.value for kind in IncidentKind), "protocol_error", "played", "judge"}
)


class CsvConfig(PluginConfig):
    """Settings of the reporter `csv`.

    `path`: the file to write, from the suite's folder; ``results.csv`` in the run's folder if
    it is left out. `compat: sensei` writes SENSEI's columns and counts as its checker does.
    `failing_cases`: how many cases the last column names per rule.
    """

    path: str | None = Field(default=None, min_length=1)
    compat: Literal["sensei"] | None = None
    failing_cases: int = Field(default=20, ge=0)


class CsvReporter(FileReporter[CsvConfig]):
    """Writes a table of rules when the run ends, from the verdicts of the stored run.

    A cell that a spreadsheet would take for a formula begins with an apostrophe. Memory grows
    with the number of rules, not of conversations.
    """

    Config: ClassVar[type[PluginConfig]] = CsvConfig
    suffixes: ClassVar[tuple[str, ...]] = (".csv",)

    def write(self, finished: FinishedRun) -> Sequence[Path]:
        stored, run_dir = finished.stored, finished.run_dir
        path = destination(self.config.path, "results.csv", self.context.base_dir, run_dir)
        table = _Table(self.config.failing_cases)
        for judged in stored.judged():
            table.add(judged.verdicts)
            table.add_errors(error_codes(judged.trace))
        table.add(stored.concluded)
        with written_whole(path) as file:
            if self.config.compat == "sensei":
                _write_sensei(table, file)
            else:
                _write_all(table, file, shrunk(run_dir), gate_of(finished.summary))
        return [path]


@dataclass(slots=True)
class _Row:
    """The counts of one check of one oracle; `position` is the rule's among its oracle's."""

    oracle: str
    check: str
    position: int | None
    counts: Counter[Outcome] = field(default_factory=Counter[Outcome])
    owners: Counter[Owner] = field(default_factory=Counter[Owner])
    failing: list[str] = field(default_factory=list[str])
    unnamed: int = 0

    def add(self, verdict: Verdict, most: int) -> None:
        none = verdict.outcome is Outcome.SKIPPED and verdict.details.get("checks") == 0
        self.counts[verdict.outcome] += 0 if none else verdict.count
        if verdict.owner is not None:
            self.owners[verdict.owner] += verdict.count
        if verdict.outcome is Outcome.FAIL:
            named = bool(verdict.case_ids) and len(self.failing) < most
            if named:
                self.failing.append(" + ".join(verdict.case_ids))
            self.unnamed += verdict.count - named

    def cells(self) -> tuple[int, int, int, int, int, int]:
        """Checks, pass, fail, not applicable, inconclusive, error."""
        of = self.counts
        return (
            of.total(),
            of[Outcome.PASS],
            of[Outcome.FAIL],
            of[Outcome.SKIPPED],
            of[Outcome.INCONCLUSIVE],
            of[Outcome.ERROR],
        )


class _Table:
    """All rows of a run, as verdicts come."""

    def __init__(self, failing_cases: int) -> None:
        self.conversations = 0
        self.errors: Counter[int] = Counter()
        self._most = failing_cases
        self._rows: dict[tuple[str, str, int | None], _Row] = {}

    def add(self, verdicts: Iterable[Verdict]) -> None:
        for verdict in verdicts:
            found = verdict.details.get("position")
            position = found if isinstance(found, int) else None
            key = (verdict.oracle, verdict.check, position)
            if key not in self._rows:
                self._rows[key] = _Row(*key)
            self._rows[key].add(verdict, self._most)

    def add_errors(self, codes: Sequence[object]) -> None:
        """Count a conversation under each of SENSEI's codes that it has."""
        self.conversations += 1
        self.errors.update(code for code in GENERIC_ROWS.values() if code in codes)

    def rows(self) -> list[_Row]:
        """By oracle as first heard of; its rules in their own order."""
        oracles = list(dict.fromkeys(row.oracle for row in self._rows.values()))
        last = len(self._rows)
        return sorted(
            self._rows.values(),
            key=lambda row: (
                oracles.index(row.oracle),
                last if row.position is None else row.position,
            ),
        )

    def oracles_without_rules(self) -> set[str]:
        """Those that judge what the generic rows count, or whether a case was played."""
        rules = {
            row.oracle
            for row in self._rows.values()
            if row.position is not None or row.check not in _NO_RULES
        }
        return {row.oracle for row in self._rows.values()} - rules


def _write_all(
    table: _Table, file: TextIO, causes: ShrinkResult | None, gate: GateResult | None
) -> None:
    """All columns; those of a gate and of shrinking are more, if the run has them."""
    writer = csv.writer(file)
    rated = gate is not None and gate.repeated
    more = [*(RATE_COLUMNS if rated else ()), *(["causes"] if causes is not None else ())]
    writer.writerow([*COLUMNS, *more])
    for row in table.rows():
        checks, passed, failed, skipped, inconclusive, error = row.cells()
        owners = "; ".join(f"{owner.value} {n}" for owner in Owner if (n := row.owners[owner]))
        failing = [safe_cell(case) for case in row.failing]
        if row.unnamed:
            failing.append(f"and {row.unnamed} more" if failing else f"{row.unnamed} more")
        counts = [checks, passed, failed, skipped, _rate(passed, failed), inconclusive, error]
        named = safe_cell(row.check), safe_cell(row.oracle)
        cause_texts = causes.told((row.oracle, row.check)) if causes else ()
        listed = (
            ["; ".join(safe_cell(text.replace(";", ",")) for text in cause_texts)] if causes else []
        )
        rates = _rates(row, gate) if gate is not None and rated else []
        writer.writerow([named[0], *counts, owners, named[1], "; ".join(failing), *rates, *listed])


def _rates(row: _Row, gate: GateResult) -> list[str]:
    """Return Wilson's interval of a rule over all plays, and its failed and flaky cases."""
    passed, failed = row.counts[Outcome.PASS], row.counts[Outcome.FAIL]
    interval = wilson(passed, passed + failed, gate.rules.confidence)
    bounds = [f"{100 * bound:.2f}%" for bound in interval] if interval else ["", ""]
    label = f"{row.oracle}/{row.check}"
    decisions = Counter(rate.decision for rate in gate.rates if rate.check == label)
    return [*bounds, str(decisions["fail"]), str(decisions["flaky"])]


def _write_sensei(table: _Table, file: TextIO) -> None:
    """Count as SENSEI's checker does.

    What neither passed nor failed did not apply. The last of two rules with one name stands, at
    the place of the first. Then come the four generic rows.
    """
    rows: dict[str, tuple[int, int, int]] = {}
    others = table.oracles_without_rules()
    for row in table.rows():
        if row.oracle not in others and not _is_judges_own(row):
            checks, passed, failed, *_ = row.cells()
            rows[row.check] = (passed, failed, checks - passed - failed)
    for name, code in GENERIC_ROWS.items():
        failed = table.errors[code]
        rows[name] = (table.conversations - failed, failed, 0)
    writer = csv.writer(file)
    writer.writerow(SENSEI_COLUMNS)
    for name, (passed, failed, skipped) in rows.items():
        checks = passed + failed + skipped
        writer.writerow([safe_cell(name), checks, passed, failed, skipped, _rate(passed, failed)])


def _is_judges_own(row: _Row) -> bool:
    """Whether the row is not a rule but says that the oracle itself broke."""
    return row.check == "judge" and row.counts.keys() == {Outcome.ERROR}


def _rate(passed: int, failed: int) -> str:
    applied = passed + failed
    return f"{100.0 * failed / applied if applied else 0.0:.2f}%"

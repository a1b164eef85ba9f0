"""Counts of SENSEI's rules over stored conversations: computed again, and as stored."""

import csv
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sparring.engine.recheck import CheckOptions, check
from sparring.errors import Problem, SparringError
from sparring.interfaces.plugin import Use
from sparring.model.talk import Trace
from sparring.suite.model import OracleUse
from sparring_plugins.sensei.formats.conversations import read_conversations
from sparring_plugins.sensei.formats.layout import GENERIC_ROWS
from sparring_plugins.sensei.formats.trace_writer import error_codes
from sparring_plugins.sensei.tables.data import Execution


@dataclass(frozen=True, slots=True)
class Count:
    """How often a rule was checked, and how often it failed."""

    checks: int
    failed: int
    applied: int


@dataclass(frozen=True)
class Counted:
    """An execution with its conversations read and its rules counted, each when it is asked for."""

    execution: Execution

    @cached_property
    def traces(self) -> tuple[Trace, ...]:
        """The conversations that can be read."""
        found = read_conversations(self.execution.conversations)
        return tuple(one for one in found if not isinstance(one, Problem))

    @cached_property
    def failures(self) -> dict[str, int]:
        """SENSEI's generic failures by name: in how many conversations each was stored."""
        codes = [error_codes(trace) for trace in self.traces]
        return {name: sum(code in found for found in codes) for name, code in GENERIC_ROWS.items()}

    @property
    def rules(self) -> Mapping[str, Count]:
        """The rules that need no model, all taken as active, counted as SENSEI counts them.

        Those that ask a model are not in it.
        """
        return self._judged[0]

    @property
    def problem(self) -> str | None:
        """Why the rules could not be judged again; None where they could."""
        return self._judged[1]

    @cached_property
    def _judged(self) -> tuple[dict[str, Count], str | None]:
        if self.execution.rules is None or not self.traces:
            return {}, None
        try:
            return _checked(self.execution.rules, self.traces), None
        except SparringError as err:
            return {}, f"the rules in {self.execution.rules} cannot be judged again: {err}"

    @cached_property
    def stored(self) -> Mapping[str, Count]:
        """The rules' rows of the stored tables, without the generic ones."""
        found: dict[str, Count] = {}
        for path in self.execution.results:
            found |= read_counts(path)
        return {name: row for name, row in found.items() if name not in GENERIC_ROWS}


def read_counts(path: Path) -> dict[str, Count]:
    """The rows of a table of SENSEI's checker; those that are damaged are passed over."""
    found: dict[str, Count] = {}
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        for row in csv.DictReader(file):
            try:
                checks, passed, failed = (int(row[key]) for key in ("checks", "pass", "fail"))
            except (KeyError, TypeError, ValueError):
                continue
            found[str(row.get("rule"))] = Count(checks, failed, passed + failed)
    return found


def _checked(rules: Path, traces: tuple[Trace, ...]) -> dict[str, Count]:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        uses = OracleUse.model_validate(
            {"use": "rules", "files": [str(rules)], "compat": "sensei", "activate": "all"}
        )
        table, every = folder / "results.csv", folder / "all.csv"
        outputs = (
            Use.model_validate({"use": "csv", "path": str(table), "compat": "sensei"}),
            Use.model_validate({"use": "csv", "path": str(every)}),
        )
        runs = folder / "runs"
        check(traces, CheckOptions(oracles=(uses,), base_dir=folder, runs=runs, outputs=outputs))
        found = read_counts(table)
        undecided = _undecided(every)
    return {
        name: row
        for name, row in found.items()
        if name not in GENERIC_ROWS and name not in undecided
    }


def _undecided(path: Path) -> set[str]:
    """The rules that could not be decided, because they ask a model."""
    with path.open(encoding="utf-8", newline="") as file:
        return {row["rule"] for row in csv.DictReader(file) if row["inconclusive"] != "0"}

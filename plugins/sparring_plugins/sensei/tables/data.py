"""The published data of SENSEI's evaluation: where they are, and counts of rules over them."""

import csv
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from sparring.errors import ConfigurationError, Problem, SparringError
from sparring.interfaces.plugin import Use
from sparring.model.talk import Trace
from sparring.suite.model import OracleUse
from sparring_plugins.judging.check_options import CheckOptions
from sparring_plugins.judging.recheck import check
from sparring_plugins.sensei.conversations import error_codes, read_conversations
from sparring_plugins.sensei.documents import GENERIC_ROWS

Technology = Literal["taskyto", "rasa"]

WILD = Path("chatbots-wild-analysis")
MUTATION = Path("mutation-analysis")
_RASA = "profiles-rasa-new"
_MOST_ENTRIES = 10_000
# "mutant_DA_003" and "DA_3": the kind of mutation, and its number.
_TASKYTO_NAME = re.compile(r"(?:mutant_)?([A-Za-z]{1,60})_(\d{1,6})")
# "mutant_CI_2_bis" is a second run of "CI_2"; the unchanged bot is called `base`.
_RASA_NAME = re.compile(r"(?:mutant_)?([A-Z][A-Z0-9]{0,20})_(\d{1,6})(?:_bis)*")
_ORIGINALS = ("original", "base")
"""What folders of a Rasa chatbot's own runs are called: "original", "base", "baseline"."""
_HEADER = "rule,checks,pass,fail,not_applicable,fail_rate"


@dataclass(frozen=True, slots=True)
class Execution:
    """Stored conversations of one version of a chatbot, and where its rules are.

    `results` are the tables of SENSEI's checker that were stored with them.
    """

    name: str
    conversations: Path
    rules: Path | None
    results: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed chatbot; one that was run again has several executions."""

    operator: str
    name: str
    executions: tuple[Execution, ...]


@dataclass(frozen=True, slots=True)
class Mutated:
    """A chatbot with its mutants; `original` is None if its own run is not in the data."""

    name: str
    technology: Technology
    original: Execution | None
    mutants: tuple[Mutant, ...]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What of the evaluation is in a folder."""

    root: Path
    wild: tuple[Execution, ...]
    mutated: tuple[Mutated, ...]

    @classmethod
    def of(cls, root: Path) -> "Evaluation":
        """Look through a checkout, or the part of one; raises ConfigurationError for another."""
        wild = tuple(_wild(root / WILD))
        mutated = (*_taskyto(root / MUTATION), *_rasa(root / MUTATION / _RASA))
        if not wild and not mutated:
            problem = f"expected {WILD}/output or {MUTATION} of SENSEI's evaluation below it"
            raise ConfigurationError(Problem(problem, str(root)))
        return cls(root, wild, mutated)


def folders(path: Path) -> list[Path]:
    """The folders in a folder, sorted; none if it is not there."""
    if not path.is_dir():
        return []
    return sorted(each for each in path.iterdir() if each.is_dir())[:_MOST_ENTRIES]


def _wild(root: Path) -> Iterator[Execution]:
    for output in folders(root / "output"):
        rules = root / "chatbots" / output.name / "rules"
        yield Execution(output.name, output, _folder(rules), _results(output))


def _taskyto(root: Path) -> Iterator[Mutated]:
    for chatbot in folders(root / "results_data"):
        rules = _rules_of(chatbot.name, root / "checking_rules")
        runs = [
            Execution(each.name, _conversations(each), rules, _results(each))
            for each in folders(chatbot)
        ]
        originals = [run for run in runs if run.name.endswith("original")]
        mutants = [
            Mutant(match[1], run.name.removeprefix("mutant_"), (run,))
            for run in runs
            if (match := _TASKYTO_NAME.fullmatch(run.name))
        ]
        yield Mutated(chatbot.name, "taskyto", next(iter(originals), None), tuple(mutants))


def _rasa(root: Path) -> Iterator[Mutated]:
    for chatbot in folders(root):
        rules = _folder(chatbot / "rules")
        executions: dict[str, list[Execution]] = {}
        original: Execution | None = None
        for each in folders(chatbot / "executions"):
            run = Execution(each.name, each, rules, _results(each))
            match = _RASA_NAME.fullmatch(each.name)
            if match:
                executions.setdefault(f"{match[1]}_{match[2]}", []).append(run)
            elif each.name.lower().startswith(_ORIGINALS):
                original = run
        mutants = [
            Mutant(name.partition("_")[0], name, tuple(runs)) for name, runs in executions.items()
        ]
        yield Mutated(chatbot.name, "rasa", original, tuple(mutants))


def _conversations(folder: Path) -> Path:
    inner = folder / "conversations"
    return inner if inner.is_dir() else folder


def _folder(path: Path) -> Path | None:
    return path if path.is_dir() else None


def _rules_of(chatbot: str, rules: Path) -> Path | None:
    """The rules' folder of a chatbot: its name may be written with other marks."""
    return next((each for each in folders(rules) if _bare(each.name) == _bare(chatbot)), None)


def _bare(name: str) -> str:
    return name.replace("-", "").replace("_", "").lower()


def _results(folder: Path) -> tuple[Path, ...]:
    """The tables of SENSEI's checker in a folder, not those of its conversations."""
    return tuple(path for path in sorted(folder.glob("*.csv")) if _is_result(path))


def _is_result(path: Path) -> bool:
    try:
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            return file.readline(200).strip() == _HEADER
    except OSError:
        return False


# Counts of SENSEI's rules over stored conversations: computed again, and as stored.


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
        conversations = read_conversations(self.execution.conversations)
        return tuple(
            conversation for conversation in conversations if not isinstance(conversation, Problem)
        )

    @cached_property
    def failures(self) -> dict[str, int]:
        """SENSEI's generic failures by name: in how many conversations each was stored."""
        codes = [error_codes(trace) for trace in self.traces]
        return {
            name: sum(code in conversation_codes for conversation_codes in codes)
            for name, code in GENERIC_ROWS.items()
        }

    @property
    def rules(self) -> Mapping[str, Count]:
        """The rules that need no model, all taken as active, counted as SENSEI counts them.

        Those that ask a model are not in it.
        """
        return self._judged[0]

    @property
    def problem(self) -> str | None:
        """Why the rules could not be judged again; None if they could."""
        return self._judged[1]

    @cached_property
    def _judged(self) -> tuple[dict[str, Count], str | None]:
        if self.execution.rules is None or not self.traces:
            return {}, None
        try:
            return _count_checks(self.execution.rules, self.traces), None
        except SparringError as err:
            return {}, f"the rules in {self.execution.rules} cannot be judged again: {err}"

    @cached_property
    def stored(self) -> Mapping[str, Count]:
        """The rules' rows of the stored tables, without the generic ones."""
        counts: dict[str, Count] = {}
        for path in self.execution.results:
            counts |= read_counts(path)
        return {name: row for name, row in counts.items() if name not in GENERIC_ROWS}


def read_counts(path: Path) -> dict[str, Count]:
    """The rows of a table of SENSEI's checker; those that are damaged are passed over."""
    counts: dict[str, Count] = {}
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        for row in csv.DictReader(file):
            try:
                checks, passed, failed = (int(row[key]) for key in ("checks", "pass", "fail"))
            except (KeyError, TypeError, ValueError):
                continue
            counts[str(row.get("rule"))] = Count(checks, failed, passed + failed)
    return counts


def _count_checks(rules: Path, traces: tuple[Trace, ...]) -> dict[str, Count]:
    with tempfile.TemporaryDirectory() as folder_name:
        folder = Path(folder_name)
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
        counts = read_counts(table)
        undecided = _undecided(every)
    return {
        name: row
        for name, row in counts.items()
        if name not in GENERIC_ROWS and name not in undecided
    }


def _undecided(path: Path) -> set[str]:
    """The rules that could not be decided, because they ask a model."""
    with path.open(encoding="utf-8", newline="") as file:
        return {row["rule"] for row in csv.DictReader(file) if row["inconclusive"] != "0"}

"""Where the published data of SENSEI's evaluation lie."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sparring.errors import ConfigurationError, Problem

Technology = Literal["taskyto", "rasa"]

WILD = Path("chatbots-wild-analysis")
MUTATION = Path("mutation-analysis")
_RASA = "profiles-rasa-new"
_MOST_ENTRIES = 10_000
_TASKYTO_NAME = re.compile(r"(?:mutant_)?([A-Za-z]{1,60})_(\d{1,6})")
_RASA_NAME = re.compile(r"([A-Z][A-Z0-9]{0,20})_(\d{1,6})(?:_bis)*")
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
    """A chatbot with its mutants; `original` is None where its own run is not in the data."""

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
    """The folders in a folder, sorted; none where it is not there."""
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
        found: dict[str, list[Execution]] = {}
        original: Execution | None = None
        for each in folders(chatbot / "executions"):
            run = Execution(each.name, each, rules, _results(each))
            match = _RASA_NAME.fullmatch(each.name)
            if match:
                found.setdefault(f"{match[1]}_{match[2]}", []).append(run)
            elif "original" in each.name.lower() or "baseline" in each.name.lower():
                original = run
        mutants = [
            Mutant(name.partition("_")[0], name, tuple(runs)) for name, runs in found.items()
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

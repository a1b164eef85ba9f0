"""Baselines: what of a run was accepted, as a small YAML file that is reviewed like code."""

import re
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

from sparring.documents.checking import checked
from sparring.documents.reading import Document, read_document
from sparring.errors import ConfigurationError
from sparring_plugins.gating.records import CaseRecord, CheckCounts, RunRecord, State

VERSION = 1
HEADER = """\
# What `sparring bless` accepted. `sparring run --baseline` and `sparring compare` fail only for
# what is worse than this. One line for each case that passed; of others the checks that did not.
"""
# "pass" or "pass x3": a baseline is written by `bless`, and read by people who may edit it.
_PASSED = re.compile(r"pass(?: x([1-9][0-9]{0,8}))?")


class _Check(BaseModel):
    """A check that did not always pass: how many of how many plays failed, and why."""

    model_config = ConfigDict(extra="forbid")

    failed: int = Field(default=0, ge=0)
    undecided: int = Field(default=0, ge=0)
    of: int = Field(default=1, ge=1)
    reason: str = ""


class _Baseline(BaseModel):
    model_config = ConfigDict(extra="forbid")

    version: Literal[1]
    suite: str
    run: str = ""
    seed: int = 0
    means: dict[str, float] = {}
    checks: list[str] = []
    cases: dict[str, str | dict[str, _Check]] = {}
    several: dict[str, str | _Check] = {}


def write_baseline(path: Path, record: RunRecord) -> None:
    """Write a baseline of a run; raises ConfigurationError if the file cannot be written."""
    text = HEADER + yaml.safe_dump(
        _as_data(record), sort_keys=False, allow_unicode=True, width=120, default_flow_style=False
    )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as err:
        raise ConfigurationError(
            f"the baseline {path} cannot be written: {err.strerror or err}"
        ) from err


def read_baseline(path: Path) -> RunRecord:
    """Read a baseline; raises ConfigurationError that names the place of what is wrong."""
    if not path.is_file():
        raise ConfigurationError(
            f"there is no baseline {path}; accept a run with: sparring bless last -o {path}"
        )
    document = read_document(path)
    baseline = checked(_Baseline, document)
    record = RunRecord(baseline.suite, baseline.run, baseline.seed, lists_passes=False)
    record.known_checks, record.means = set(baseline.checks), dict(baseline.means)
    for case_id, value in baseline.cases.items():
        record.cases[case_id] = _case(value, ("cases", case_id), document)
    for label, condition in baseline.several.items():
        if isinstance(condition, str):
            _plays_passed(condition, ("several", label), document)
            record.several[label] = CheckCounts(passed=1)
        else:
            record.several[label] = _counts(condition)
    return record


def _case(value: str | dict[str, _Check], at: tuple[str, str], document: Document) -> CaseRecord:
    if isinstance(value, str):
        return CaseRecord(plays=_plays_passed(value, at, document))
    checks = {label: _counts(check) for label, check in value.items()}
    # Checks may have been skipped in some plays: the one that was judged most often tells how many
    # there were.
    plays = max((check.of for check in value.values()), default=1)
    return CaseRecord(checks=checks, plays=plays)


def _plays_passed(text: str, at: tuple[str, str], document: Document) -> int:
    match = _PASSED.fullmatch(text)
    if not match:
        expected = "expected 'pass', 'pass x5' or the checks that did not pass"
        raise ConfigurationError(document.problem(f"{expected}, not {text[:60]!r}", at))
    return int(match[1] or 1)


def _counts(check: _Check) -> CheckCounts:
    passed = max(0, check.of - check.failed - check.undecided)
    return CheckCounts(passed, check.failed, check.undecided, check.reason)


def _as_data(record: RunRecord) -> dict[str, Any]:
    # Three digits, so that the next `bless` does not change a line for a millisecond.
    means = {name: float(f"{value:.3g}") for name, value in record.means.items() if value}
    return {
        "version": VERSION,
        "suite": record.name,
        "run": record.run_id,
        "seed": record.seed,
        "means": means,
        "checks": sorted(record.known_checks),
        # Sorted, so that a change of one case is a change of one line, in whatever order they
        # ended.
        "cases": {case_id: _case_data(record.cases[case_id]) for case_id in sorted(record.cases)},
        **({"several": _several_data(record)} if record.several else {}),
    }


def _several_data(record: RunRecord) -> dict[str, Any]:
    states = sorted(record.several.items())
    return {label: _check_data(counts) or "pass" for label, counts in states}


def _case_data(record: CaseRecord) -> Any:
    checks = {label: _check_data(counts) for label, counts in sorted(record.checks.items())}
    others = {label: data for label, data in checks.items() if data}
    if others:
        return others
    return "pass" if record.plays == 1 else f"pass x{record.plays}"


def _check_data(counts: CheckCounts) -> dict[str, Any]:
    """Return a check that did not always pass; empty if it did."""
    state: State = counts.state
    if state in ("pass", "skipped"):
        return {}
    data: dict[str, Any] = {"failed": counts.failed, "undecided": counts.undecided}
    counted = {name: number for name, number in data.items() if number}
    return {**counted, "of": counts.decided + counts.undecided, "reason": counts.reason}

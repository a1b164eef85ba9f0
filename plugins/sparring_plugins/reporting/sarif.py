"""The reporter `sarif`: findings for code scanning and editors, as SARIF 2.1.0."""

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

from pydantic import Field

import sparring
from sparring.interfaces.plugin import PluginConfig
from sparring.model.verdict import Outcome
from sparring_plugins.language.text import one_line
from sparring_plugins.output.files import report_file
from sparring_plugins.reporting.fault_places import PlacedFault, placed_faults
from sparring_plugins.reporting.file_reporter import FileReporter, FinishedRun
from sparring_plugins.reporting.finding_words import ACCEPTED, FLAKY, Labels
from sparring_plugins.reporting.findings import Fault, described
from sparring_plugins.reproduction.failure_identity import normalised

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Outcome.FAIL.value: "error", Outcome.ERROR.value: "warning", FLAKY: "warning"}
_REASON = 2_000


class SarifConfig(PluginConfig):
    """Settings of the reporter `sarif`.

    `path`: the file to write, from the suite's folder, or ``-`` for standard output;
    ``results.sarif`` in the run's folder if it is left out.
    """

    path: str | None = Field(default=None, min_length=1)


class SarifReporter(FileReporter[SarifConfig]):
    """Writes one result per finding, at the rule, profile or oracle that it comes from.

    A finding has the same fingerprint in every run, so that a server tells new ones from known
    ones. What an app said stands only in messages, as plain text.
    """

    Config: ClassVar[type[PluginConfig]] = SarifConfig
    suffixes: ClassVar[tuple[str, ...]] = (".sarif", ".sarif.json")

    def write(self, finished: FinishedRun) -> Sequence[Path]:
        faults = placed_faults(finished.run, finished.stored)
        place = (self.config.path, "results.sarif", self.context.base_dir, finished.run_dir)
        with report_file(*place) as (file, written):
            json.dump(_document(faults, Labels(finished.summary)), file, indent=1)
            file.write("\n")
        return written


def _document(faults: Sequence[PlacedFault], labels: Labels) -> dict[str, Any]:
    rules = {_rule(placed): placed.fault.description or _rule(placed) for placed in faults}
    driver = {
        "name": "Sparring",
        "semanticVersion": sparring.__version__,
        "rules": [
            {"id": rule, "shortDescription": {"text": about}} for rule, about in rules.items()
        ],
    }
    results = [_result(placed, list(rules), labels.of(placed.fault)) for placed in faults]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(placed: PlacedFault) -> str:
    finding = placed.fault.finding
    return one_line(f"{finding.oracle}/{finding.check}", 200)


def _message(fault: Fault) -> str:
    return one_line(described(fault.description, fault.finding.reason), _REASON)


def _result(placed: PlacedFault, rules: list[str], label: str) -> dict[str, Any]:
    finding, place = placed.fault.finding, placed.place
    rule = _rule(placed)
    # Without order numbers and case ids, so that a known fault stays known in the next run.
    identity = (finding.oracle, finding.check, normalised(finding.reason, finding.case_ids, ()))
    # What does not decide the exit code must not block a merge either.
    level = _LEVELS.get(label, "note") if finding.gating else "note"
    result: dict[str, Any] = {
        "ruleId": rule,
        "ruleIndex": rules.index(rule),
        "level": level,
        "message": {"text": _message(placed.fault) or rule},
        "occurrenceCount": max(1, finding.count),
        "partialFingerprints": {
            "sparring/v1": sha256("\n".join(identity).encode("utf-8", "replace")).hexdigest()
        },
        "properties": {
            "owner": finding.owner.value,
            "outcome": finding.outcome.value,
            "cases": list(finding.case_ids[:20]),
        },
    }
    if label == ACCEPTED:
        justification = "it fails as in the baseline"
        result["suppressions"] = [{"kind": "external", "justification": justification}]
    if place is not None:
        region = {"region": {"startLine": place.line}} if place.line else {}
        location = {"artifactLocation": {"uri": quote(place.file)}, **region}
        result["locations"] = [{"physicalLocation": location}]
    return result

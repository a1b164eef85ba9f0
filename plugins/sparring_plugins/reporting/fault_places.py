"""Where in the user's files the findings of a run come from: a rule, a profile, an oracle."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from sparring.documents.reading import read_document
from sparring.errors import SparringError
from sparring.model.run import Run
from sparring.model.verdict import Outcome, Verdict
from sparring.store import StoredRun
from sparring_plugins.reporting.findings import Fault, Findings

_BAD = (Outcome.FAIL, Outcome.ERROR, Outcome.INCONCLUSIVE)


@dataclass(frozen=True, slots=True)
class Place:
    """A file as it is called from the working folder, and a 1-based line if it is known."""

    file: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class PlacedFault:
    """A finding and its place; `None` if none of the user's files is known."""

    fault: Fault
    place: Place | None


def placed_faults(run: Run, stored: StoredRun) -> list[PlacedFault]:
    """Return the findings of a run in reading order, each with its place.

    That is the rule that failed, else the profile or test case that was played, else the oracle in
    the suite. Files outside the working folder have no place: their paths are nobody's business.
    """
    findings = Findings.of_run(stored)
    folder = Path(run.suite_path).parent if run.suite_path else Path()
    places: dict[tuple[str, str], Place] = {}
    sources: dict[str, str] = {}
    for judged in stored.judged():
        findings.add_case(judged)
        _add_rules(places, judged.verdicts, folder)
        source = judged.trace.meta.get("source")
        if isinstance(source, str) and any(v.outcome in _BAD for v in judged.verdicts):
            sources[judged.trace.case.id] = _shown(source, folder)
    findings.add_concluded(stored.concluded)
    _add_rules(places, stored.concluded, folder)
    suite = _oracle_lines(run)
    return [
        PlacedFault(fault, _place(fault, places, sources, suite)) for fault in findings.faults()
    ]


def _add_rules(
    places: dict[tuple[str, str], Place], verdicts: Iterable[Verdict], folder: Path
) -> None:
    """Note where the rules stand that verdicts are of."""
    for verdict in verdicts:
        file, line = verdict.details.get("file"), verdict.details.get("line")
        key = verdict.oracle, verdict.check
        if key in places or verdict.outcome not in _BAD or not isinstance(file, str):
            continue
        name = _shown(file, folder)
        if name:
            places[key] = Place(name, line if isinstance(line, int) else None)


def _place(
    fault: Fault,
    rules: Mapping[tuple[str, str], Place],
    sources: Mapping[str, str],
    suite: Mapping[str, Place],
) -> Place | None:
    finding = fault.finding
    rule = rules.get((finding.oracle, finding.check))
    if rule is not None:
        return rule
    file = next((sources[case_id] for case_id in fault.example if case_id in sources), "")
    if file:
        return Place(file, 1)
    return suite.get(finding.oracle) or suite.get("")


def _oracle_lines(run: Run) -> dict[str, Place]:
    """Return where each oracle stands in the suite file, by label; the whole suite as ``""``."""
    path = Path(run.suite_path) if run.suite_path else None
    file = _shown(str(path)) if path is not None else ""
    if path is None or not file:
        return {}
    places = {"": Place(file, 1)}
    try:
        document = read_document(path)
    except (SparringError, OSError):
        return places
    for index, oracle in enumerate(_oracles(document.data)):
        keys = cast("dict[str, Any]", oracle) if isinstance(oracle, dict) else {"use": oracle}
        label = str(keys.get("name") or keys.get("use"))
        places.setdefault(label, Place(file, document.line(("oracles", index))))
    return places


def _oracles(suite: Any) -> list[Any]:
    if not isinstance(suite, dict):
        return []
    oracles: Any = cast("dict[str, Any]", suite).get("oracles")
    return cast("list[Any]", oracles) if isinstance(oracles, list) else []


def _shown(file: str, folder: Path | None = None) -> str:
    """Return a file's path from the working folder; empty if it lies elsewhere.

    Verdicts name files as the suite in `folder` does: `rules/price.yaml` of `tests/suite.yaml` is
    `tests/rules/price.yaml` for a job that runs at the top of a repository.
    """
    here = Path.cwd()
    for base in (here,) if folder is None else (here / folder, here):
        try:
            path = (base / file).resolve()
            if path.is_relative_to(here.resolve()) and path.is_file():
                return path.relative_to(here.resolve()).as_posix()
        except (OSError, ValueError):
            continue
    return ""

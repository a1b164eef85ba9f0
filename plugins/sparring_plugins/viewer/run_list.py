"""The runs of a folder, newest first, read without reading their logs whole."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import time
from typing import Any, Literal

import yaml

from sparring.engine.exit_codes import meaning
from sparring.errors import StoredRunError
from sparring.model.events import RunFinished
from sparring.model.run import Summary
from sparring.store import StoredRun
from sparring.store.log import LOG, MANIFEST, unseal
from sparring_plugins.gating.gate_result import gate_of
from sparring_plugins.language.text import one_line
from sparring_plugins.reporting.gate_lines import pass_at_words
from sparring_plugins.viewer.index import Stamp

# A nightly run for five years; all are still counted.
MOST_RUNS = 2000
_TAIL = 262_144
"""Bytes from the end of a log in which its last event is looked for."""

_MOST_LISTED = 100
# A suite has 2 kB; one that lists its cases in itself may have megabytes.
_SUITE = 60_000
# Dots in one line of the page.
_MOST_PLAYS = 60

_FINISHED = b'{"kind":"run_finished"'
_QUIET_S = 120.0
"""A run that was not finished and whose log has not grown for so long is not running."""

State = Literal["finished", "running", "unfinished", "unreadable"]


@dataclass(slots=True)
class RunList:
    """The runs below a folder, or the one run that the folder is."""

    folder: Path
    _cards: dict[str, tuple[Stamp, dict[str, Any]]] = field(
        default_factory=dict[str, tuple[Stamp, dict[str, Any]]]
    )

    def folders(self) -> dict[str, Path]:
        """The run folders by name, the newest last."""
        if (self.folder / MANIFEST).is_file():
            return {self.folder.resolve().name: self.folder}
        manifests = self.folder.glob(f"*/{MANIFEST}") if self.folder.is_dir() else ()
        whole = [path.parent for path in manifests if not path.parent.is_symlink()]
        newest = sorted(whole, key=lambda path: (_changed(path / MANIFEST), path.name))
        return {path.name: path for path in newest[-MOST_RUNS:]}

    def cards(self) -> list[dict[str, Any]]:
        """What the list shows of each run, newest first; what has not changed is not read again."""
        return [self._card(name, path) for name, path in reversed(self.folders().items())]

    def _card(self, name: str, folder: Path) -> dict[str, Any]:
        stamp = Stamp.of(folder / LOG)
        known = self._cards.get(name)
        if known is not None and known[0] == stamp and known[1]["state"] != "running":
            return known[1]
        card = run_card(name, folder)
        self._cards[name] = stamp, card
        return card


def run_card(name: str, folder: Path, *, details: bool = False) -> dict[str, Any]:
    """What the list shows of one run; of one that cannot be read, why.

    With `details` also the rates of repeated checks and what changed since the baseline.
    """
    try:
        manifest = StoredRun(folder).manifest
    except StoredRunError as err:
        return {"name": name, "state": "unreadable", "why": one_line(str(err), 300)}
    finished = _finished(folder / LOG)
    card: dict[str, Any] = {
        "name": name,
        "suite": one_line(manifest.name, 120),
        "kind": manifest.kind,
        "created": manifest.created.isoformat(),
        "seed": manifest.seed,
        "state": "finished" if finished else run_state(folder / LOG),
    }
    if finished is None:
        return card
    summary = finished.summary
    return (
        card
        | _decision(summary, details=details)
        | {
            "stopped": summary.stopped.value,
            "exit_code": summary.exit_code,
            "cases": {outcome.value: count for outcome, count in summary.cases.items() if count},
            "gating": {outcome.value: count for outcome, count in summary.gating.items() if count},
            "seconds": summary.usage.seconds,
            "turns": summary.usage.turns,
            "cost": summary.usage.cost_usd if summary.usage.models.calls else None,
            "tokens": summary.usage.tokens,
        }
    )


def _decision(summary: Summary, *, details: bool) -> dict[str, Any]:
    """What decided the exit code, as the console and the report have it."""
    gate = gate_of(summary)
    decision: dict[str, Any] = {
        "meaning": one_line(meaning(summary), 300),
        "headline": one_line(gate.headline, 200) if gate else "",
        "unit": "play" if gate and gate.repeated else "case",
    }
    if gate is None or not details:
        return decision
    rates = [
        {"case": one_line(rate.case_id, 120), "check": one_line(rate.check, 120)}
        | {"decision": rate.decision, "words": rate.words, "plays": rate.plays[:_MOST_PLAYS]}
        for rate in gate.rates[:_MOST_LISTED]
    ]
    changes = gate.baseline.changes[:_MOST_LISTED] if gate.baseline else []
    return decision | {
        "rates": rates,
        "pass_at": pass_at_words(gate),
        "baseline": one_line(gate.baseline.file, 200) if gate.baseline else "",
        "changes": [{"kind": each.kind, "words": one_line(each.words, 300)} for each in changes],
        "statistics": gate.baseline.statistics if gate.baseline else [],
    }


def run_state(log: Path) -> State:
    """Whether a run without an end is being played, by when its log grew last."""
    return "running" if time() - _changed(log) < _QUIET_S else "unfinished"


def _finished(log: Path) -> RunFinished | None:
    """The end of the last session, if nothing but faults played again came after it."""
    for line in _last_lines(log):
        if line.startswith(_FINISHED):
            try:
                return RunFinished.model_validate_json(unseal(line)[1])
            except ValueError:
                return None
        if line.startswith((b'{"kind":"run_started"', b'{"kind":"case_')):
            return None
    return None


def _last_lines(log: Path) -> Iterator[bytes]:
    try:
        with log.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - _TAIL))
            lines = file.read(_TAIL).splitlines(keepends=True)
    except OSError:
        return
    whole = lines if size <= _TAIL else lines[1:]
    yield from (line for line in reversed(whole) if line.endswith(b"\n"))


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def suite_text(stored: StoredRun) -> str:
    """The suite as it is stored with the run, for people."""
    suite = stored.manifest.suite
    text = yaml.safe_dump(suite, allow_unicode=True, sort_keys=False, width=100) if suite else ""
    return text[:_SUITE]

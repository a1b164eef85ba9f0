"""The pizzeria with customers who act from a script of a few lines, and again from its recording."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.cli.app import invoke
from sparring.model.events import ModelCalled
from sparring.model.talk import IncidentKind
from sparring.store import StoredRun, find_run

from .conftest import Serve
from .test_pizzeria_replay import verdict_lines
from .test_pizzeria_suite import told

SCRIPT = r"""
answers:
  - {when: {asker: user, case: "cancels*"}, error: busy, retry_after: 0.01, times: 1}
  - name: in Spanish, when told so
    when: {asker: user, in: last, contains: write it in Spanish}
    data: {reason: "", goals_met: [], message: "Quiero una pizza.", choice: null, leaves: false}
  - name: customer
    when: {asker: user, in: system, matches: '(?m)^1\. (?P<goal>[^\n]+)$'}
    sequence:
      - data: &move {reason: "", goals_met: [], message: "Hi! I want {goal}.", choice: null, leaves: false}
      - data: {<<: *move, message: "Yes, please."}
      - data: {<<: *move, message: "No, thank you."}
      - data: {<<: *move, message: "What does it cost?"}
      - data: {<<: *move, message: "", leaves: true}
"""


def played(pizzeria: Path, folder: Path, url: str, llm: dict[str, Any], at_once: int) -> StoredRun:
    folder.mkdir()
    (folder / "customers.yaml").write_text(SCRIPT, "utf-8")
    suite = yaml.safe_load((pizzeria / "suite.yaml").read_text("utf-8"))
    suite["app"]["url"] = url
    suite["agent"] |= {"user": "model", "extractor": "patterns"}
    suite["agent"]["profiles"] = str(pizzeria / "profiles" / "*.yml")
    suite["oracles"][1]["files"] = str(pizzeria / "rules" / "*.yaml")
    suite |= {"llm": llm, "reporters": ["jsonl"], "concurrency": at_once}
    (folder / "suite.yaml").write_text(yaml.safe_dump(suite), "utf-8")
    assert invoke(["run", str(folder / "suite.yaml")]) == 1
    return find_run("last", folder / "runs")


@pytest.mark.thorough
def test_a_script_of_few_lines_plays_the_whole_suite_however_many_play_at_once(
    pizzeria: Path, tmp_path: Path, serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    script = {"use": "scripted", "script": "customers.yaml"}
    first = played(pizzeria, tmp_path / "one", serve(), script, 1)
    traces = list(first.traces())
    assert len(traces) == 93
    kinds = {one.kind for trace in traces for one in trace.incidents}
    assert not kinds & {IncidentKind.MODEL_ERROR, IncidentKind.PLAYER_ERROR}
    assert sum(len(trace.turns) for trace in traces) > 200

    many = played(pizzeria, tmp_path / "many", serve(), script, 32)
    assert told(many) == told(first)

    recorded = {"use": "replay", "run": str(first.folder)}
    again = played(pizzeria, tmp_path / "again", serve(), recorded, 32)
    assert list(verdict_lines(again)) == list(verdict_lines(first))
    calls = [event for event in again.events() if isinstance(event, ModelCalled)]
    assert calls
    assert {call.service for call in calls} == {f"replay {first.manifest.id}"}
    busy = [event for event in first.events() if getattr(event, "attempts", 1) > 1]
    assert len(busy) == sum(trace.case.id.startswith("cancels") for trace in traces) > 0

"""What a player finds out before a run is planned: logged, the same when taken up, replayed."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.engine.conduct import RunOptions, conduct
from sparring.store import StoredRun
from sparring.suite.reading import load_suite

SUITE = """
name: wishes
app: {use: echo}
agent: {use: user-simulator, profiles: p.yml}
oracles: [generic-failures]
reporters: []
llm: {use: scripted, script: answers.yaml}
"""
PROFILE = """
test_name: t
user:
  goals: ["a {{x}}", {x: {function: forward(), type: string, data: [cola, any(2 soda drinks)]}}]
conversation: {number: all_combinations, goal_style: {steps: 1}}
"""


def answers(folder: Path, *values: str) -> None:
    entry = {"when": {"asker": "values"}, "data": {"values": list(values)}}
    (folder / "answers.yaml").write_text(yaml.safe_dump({"answers": [entry]}))


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "suite.yaml").write_text(SUITE)
    (tmp_path / "p.yml").write_text(PROFILE)
    answers(tmp_path, "Fizz", "Pop")
    return tmp_path / "suite.yaml"


def run(suite: Path, **changes: Any) -> StoredRun:
    done = conduct(load_suite(suite, changes.pop("overrides", {})), RunOptions(**changes))
    assert done.folder is not None
    return StoredRun(done.folder)


def wanted(stored: StoredRun) -> list[Any]:
    return sorted(judged.trace.case.params["x"][0] for judged in stored.judged())  # type: ignore[index]


def test_values_that_a_model_gave_are_played_and_its_call_is_logged(suite: Path) -> None:
    stored = run(suite)
    assert wanted(stored) == ["Fizz", "Pop", "cola"]
    events = [event.kind for event in stored.events()]
    assert events[:3] == ["run_started", "model_called", "cases_asked"]
    started = next(iter(stored.events()))
    assert started.expected == 3  # type: ignore[union-attr]


def test_a_run_that_is_taken_up_again_keeps_them(suite: Path) -> None:
    first = run(suite, overrides={"budget": {"cases": 1}, "concurrency": 1})
    assert len(first.case_ids) == 1
    again = run(suite, resume=StoredRun(first.folder))
    assert wanted(again) == ["Fizz", "Pop", "cola"]
    assert [event.kind for event in again.events()].count("model_called") == 1

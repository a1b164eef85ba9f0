"""What a part waits for is told while a run goes on: at once, and once."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.cli.app import invoke
from sparring.model.events import ProblemNoted
from sparring.store import StoredRun
from sparring.suite.building import SuiteContext


def written(folder: Path, app: dict[str, Any]) -> Path:
    suite = {
        "name": "gone",
        "app": app,
        "agent": {"use": "sparring.testing.fakes:FakePlayer", "lines": ["Hello"]},
        "strategy": {"use": "exhaustive", "repeats": 4},
        "reporters": ["console"],
        "concurrency": 2,
    }
    path = folder / "suite.yaml"
    path.write_text(yaml.safe_dump(suite))
    return path


@pytest.mark.parametrize("kind", ["rest", "websocket"])
def test_an_app_that_is_tried_again_is_said_to_be_before_the_first_case_ends(
    kind: str, tmp_path: Path, nobody_there: str, capfd: pytest.CaptureFixture[str]
) -> None:
    url = nobody_there if kind == "rest" else nobody_there.replace("http:", "ws:")
    again = {"retry": {"wait_s": 0.05}} if kind == "rest" else {"reconnect": {"wait_s": 0.05}}
    invoke(["run", str(written(tmp_path, {"use": kind, "url": url, **again}))])
    lines = capfd.readouterr().out.splitlines()
    assert "trying again" in lines[0]
    assert "error" in lines[1]
    assert sum("trying again" in line for line in lines) == 1
    (folder,) = tmp_path.glob("runs/*")
    events = list(StoredRun(folder).events())
    noted = [event for event in events if isinstance(event, ProblemNoted)]
    assert [event.source for event in noted] == ["app"]


def test_an_app_that_answers_is_not_waited_for(
    tmp_path: Path, chat_server: str, capfd: pytest.CaptureFixture[str]
) -> None:
    app = {"use": "rest", "url": chat_server, "reply": {"text": "$.reply"},
           "body": {"session": "{case}", "text": "{text}"}}  # fmt: skip
    assert invoke(["run", str(written(tmp_path, app))]) == 0
    assert "warning" not in capfd.readouterr().out


def test_notes_are_told_once_and_not_without_bound(tmp_path: Path) -> None:
    told: list[str] = []
    context = SuiteContext(tmp_path)
    context.note("early")
    assert context.warnings == ["early"]
    context.tell = lambda source, message: told.append(f"{source}: {message}")
    for number in range(100):
        context.note("early")
        context.note(f"late {number}")
        context.note(f"late {number}")
    assert told[0] == "app: late 0"
    assert len(told) == 19

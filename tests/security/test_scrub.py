"""``sparring scrub``: secrets go out of runs that were stored with them, and the run stays whole."""

from pathlib import Path

import pytest

from sparring.store import RunLog, StoredRun
from sparring_plugins.trust.redaction import VAULT

from .conftest import Program

SUITE = """
name: scrubbed
app: {use: echo, greeting: "${WELCOME_CODE}"}
agent: {use: "sparring.testing.fakes:FakePlayer", lines: ["the code is koala-7781", "bye"]}
strategy: {use: "sparring.testing.fakes:FakeStrategy"}
oracles: [generic-failures]
reporters: [console, html, junit, jsonl]
"""


def test_a_stored_run_loses_a_secret_and_can_still_be_read(
    tmp_path: Path, here: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(VAULT, "secrets", {})
    (tmp_path / "suite.yaml").write_text(SUITE)
    here("run", environment={"WELCOME_CODE": "welcome-1"})
    (folder,) = (tmp_path / "runs").iterdir()
    before = [judged.verdicts for judged in StoredRun(folder).judged()]
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert any("koala-7781" in path.read_text("utf-8") for path in files)
    told = {"WELCOME_CODE": "welcome-1", "FOUND_LATER": "koala-7781"}
    done = here("scrub", "last", "--value-of", "FOUND_LATER", environment=told)
    assert done.code == 0, done.said
    assert "log.jsonl" in done.out
    left = [path.name for path in files if "koala-7781" in path.read_text("utf-8")]
    assert left == []
    stored = StoredRun(folder)
    assert [judged.verdicts for judged in stored.judged()] == before
    turn = next(stored.judged()).trace.turns[0]
    assert turn.observation is not None
    assert "[FOUND_LATER]" in turn.observation.text
    assert len(list(stored.events())) > 3
    RunLog.reopen(folder).close()
    assert here("check", environment={"WELCOME_CODE": "welcome-1"}).code == 0
    assert here("scrub", "last", environment=told).out.endswith("0 files changed\n")

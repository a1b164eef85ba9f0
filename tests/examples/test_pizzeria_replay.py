"""A recorded run of the pizzeria, repeated when every server is gone."""

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from sparring.cli.app import invoke
from sparring.model.events import ModelCalled
from sparring.model.run import Spent
from sparring.store import StoredRun

from .conftest import Serve
from .test_pizzeria_models import played


def verdict_lines(run: StoredRun) -> Iterator[str]:
    """Every verdict of the run as it is stored, byte for byte."""
    log = (run.folder / "log.jsonl").read_text("utf-8").splitlines()
    events = [json.loads(line) for line in log]
    judged = {e["trace"]["case"]["id"]: e["verdicts"] for e in events if e["kind"] == "case_judged"}
    for case in sorted(judged):
        yield json.dumps([case, judged[case]], ensure_ascii=False)
    for event in events:
        if event["kind"] == "run_concluded":
            yield json.dumps(event["verdicts"], ensure_ascii=False)


@pytest.mark.thorough
def test_a_whole_run_is_repeated_to_the_byte_with_no_app_and_no_model(
    pizzeria: Path,
    tmp_path: Path,
    serve: Serve,
    servers: ExitStack,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with monkeypatch.context() as there:
        there.syspath_prepend(str(Path(__file__).parent))
        first = played(pizzeria, tmp_path / "suite", serve())
    servers.close()
    monkeypatch.delitem(sys.modules, "acted_model")  # the model is gone, too
    capsys.readouterr()
    assert invoke(["replay", str(first.folder)]) == 1
    assert "same verdicts as" in capsys.readouterr().out
    runs = first.folder.parent
    (second,) = [StoredRun(path) for path in runs.iterdir() if path != first.folder]
    assert list(verdict_lines(second)) == list(verdict_lines(first))
    assert [one.trace for one in second.judged()] == [one.trace for one in first.judged()]
    asked = sum(isinstance(event, ModelCalled) for event in second.events())
    assert second.summary is not None
    assert second.summary.usage.models == Spent(reused=asked)
    assert asked > 500

"""The pizzeria with language models as its customers, their goal checkers and extractors."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.cli.app import invoke
from sparring.model.talk import IncidentKind
from sparring.store import StoredRun, find_run

from .conftest import Serve
from .test_pizzeria_suite import FOUND_BY, failed_checks, told

NOT_PLAYED = {IncidentKind.MODEL_ERROR, IncidentKind.PLAYER_ERROR, IncidentKind.CASE_TIMEOUT}


def played(pizzeria: Path, folder: Path, url: str, **llm: Any) -> StoredRun:
    """The suite of the example with a model behind each agent; its app must be there."""
    folder.mkdir()
    suite = yaml.safe_load((pizzeria / "suite.yaml").read_text("utf-8"))
    suite["app"]["url"] = url
    suite["agent"] |= {"user": "model", "extractor": "model", "goal_checker": "model"}
    suite["agent"]["profiles"] = str(pizzeria / "profiles" / "*.yml")
    suite["oracles"][1]["files"] = str(pizzeria / "rules" / "*.yaml")
    suite |= {"llm": {"use": "acted_model:ActedModel", **llm}, "reporters": ["jsonl"]}
    (folder / "suite.yaml").write_text(yaml.safe_dump(suite), "utf-8")
    assert invoke(["run", str(folder / "suite.yaml")]) == 1
    return find_run("last", folder / "runs")


def calls_of(run: StoredRun) -> list[dict[str, Any]]:
    log = (run.folder / "log.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["request"] for line in log if '"kind":"model_called"' in line]


@pytest.mark.thorough
def test_models_play_the_whole_suite_and_find_what_is_wrong_with_the_bot(
    pizzeria: Path, tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    run = played(pizzeria, tmp_path / "first", serve())
    assert told(run) == told(played(pizzeria, tmp_path / "second", serve()))
    traces = list(run.traces())
    assert len(traces) == 93
    assert not {one.kind for trace in traces for one in trace.incidents} & NOT_PLAYED
    wanted = {check for check, _ in FOUND_BY.values()}
    # The acted model takes orders for met early, and quotes prices before the last topping.
    missed = {"new_order_new_number", "same_toppings_same_price"}
    assert failed_checks(run) >= wanted - missed
    assert sum(all(one.value is not None for one in trace.outputs) for trace in traces) >= 60
    for trace in traces:
        checks: Any = trace.meta["goal_checks"]
        assert [check["goal"] for check in checks if not check["met"]] == trace.meta["goals_unmet"]
        for check in checks:
            assert bool(check["quotation"]) is (check["turn"] is not None) is check["met"]
        for output in trace.outputs:
            assert (output.value is None) is (output.turn is None)

    requests = calls_of(run)
    assert {one["asker"] for one in requests} >= {"user", "goal_checker", "extractor"}
    moves = [one for one in requests if one["asker"] == "user"]
    assert len(moves) > 300
    assert all(move["temperature"] == 0.8 and move["seed"] is not None for move in moves)
    sent_back = [move["messages"][-1]["content"] for move in moves if move["round"]]
    assert [one for one in sent_back if "the person's " not in one] == []

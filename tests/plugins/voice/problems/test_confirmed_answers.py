"""Problems of answers, found by exploring a little skill, and confirmed from fresh sessions."""

import shutil
from pathlib import Path
from typing import Any

import yaml

from sparring.engine.conduct import RunOptions, conduct
from sparring.store import StoredRun
from sparring.suite.reading import load_suite

CLAIMS = Path(__file__).parent / "claims"
SUITE: dict[str, Any] = {
    "name": "claims",
    "seed": 1,
    "app": {"use": "alexa", "skill": "skill", "failures": "speak"},
    "agent": {"use": "explorer", "medium": "voice", "turns": 30, "session_turns": 12},
    "strategy": "sessions",
    "oracles": ["voice-problems"],
    "confirm": True,
    "reporters": [],
}


def confirmed(name: str, to: Path) -> dict[str, tuple[int | None, ...]]:
    """The problems that are found by check: how many inputs each takes; all are confirmed."""
    folder = to / "skill"
    folder.mkdir()
    shutil.copy(CLAIMS / "en-US.json", folder)
    shutil.copy(CLAIMS / f"{name}.py", folder / "lambda_function.py")
    suite = to / "suite.yaml"
    suite.write_text(yaml.safe_dump(SUITE), encoding="utf-8")
    done = conduct(load_suite(suite), RunOptions(runs=to / "runs"))
    assert done.folder is not None
    found: dict[str, tuple[int | None, ...]] = {}
    for one in StoredRun(done.folder).confirmations():
        assert (one.outcome, one.shown, one.tried) == ("confirmed", 3, 3), one.why
        found[one.fault.check] = (*found.get(one.fault.check, ()), one.inputs)
    return found


def test_each_problem_of_a_careless_skill_is_found_once_and_takes_few_inputs(
    tmp_path: Path,
) -> None:
    assert confirmed("careless", tmp_path) == {
        "template_text": (0,),
        "suggestion_not_understood": (2,),
        "ignored_answer": (3,),
        "ignored_slot": (1,),
        "left_open": (1,),
    }


def test_a_careful_skill_has_none(tmp_path: Path) -> None:
    assert confirmed("careful", tmp_path) == {}

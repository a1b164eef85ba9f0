"""``sparring explore`` on the example chatbots: what is found, and that the drafts play."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.servers.example_server import EXAMPLES, serving

from sparring.cli.app import invoke
from sparring.store import StoredRun, find_run

#: For each bot: variables whose values must be among those found, questions, outputs.
CAPABLE: dict[str, tuple[dict[str, set[str]], set[str], set[str]]] = {
    "clinic": (
        {
            "department": {"general practice", "dermatology", "eye clinic", "dentistry"},
            "visit": {"First visit", "Follow-up"},
            "insurance": {"Public insurance", "Private insurance", "No insurance"},
            "day": {"tomorrow"},
            "time": {"10 am"},
        },
        {"when are you open", "where are you"},
        {"appointment_number"},
    ),
    "library": (
        {
            "card": {"Adult card", "Student card", "Child card"},
            "room": {"Quiet room", "Group room", "Media room"},
            "day": {"tomorrow"},
        },
        {"Opening hours", "Renew my books", "I lost my card"},
        {"card_number", "reservation_number", "price"},
    ),
    "workshop": (
        {"bike": {"City bike", "E-bike", "Cargo bike"}, "day": {"tomorrow"}, "time": {"10 am"}},
        {"opening hours"},
        {"price"},
    ),
}


@pytest.fixture(scope="module", params=sorted(CAPABLE))
def bot(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    with serving(request.param) as url:
        yield request.param, url


@pytest.fixture(scope="module")
def explored(bot: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the drafts."""
    name, url = bot
    folder = tmp_path_factory.mktemp(name)
    command = ["explore", str(EXAMPLES / name), "--turns", "100", "--set", f"app.url={url}"]
    assert invoke([*command, "--to", str(folder / "found"), "--runs", str(folder / "runs")]) == 0
    return folder


def profiles(folder: Path) -> list[dict[str, Any]]:
    return [
        yaml.safe_load(path.read_text("utf-8"))
        for path in sorted((folder / "found/profiles").iterdir())
    ]


def test_the_drafts_name_what_the_bot_can_do(bot: tuple[str, str], explored: Path) -> None:
    wanted, questions, told = CAPABLE[bot[0]]
    goals = [goal for one in profiles(explored) for goal in one["user"]["goals"]]
    variables: dict[str, set[str]] = {}
    for goal in goals:
        for name, spec in goal.items() if isinstance(goal, dict) else ():
            variables.setdefault(name, set()).update(map(str, spec["data"]))
    for name, values in wanted.items():
        assert values <= variables.get(name, set()), f"{name} in {variables}"
    assert questions <= {goal for goal in goals if isinstance(goal, str)}
    outputs = {
        key for one in profiles(explored) for item in one["chatbot"]["output"] for key in item
    }
    assert told <= outputs


def test_the_drafts_play_and_most_goals_are_met(
    bot: tuple[str, str], explored: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = explored / "found" / "suite.yaml"
    assert invoke(["validate", str(suite)]) == 0, capsys.readouterr().err
    command = ["run", str(suite), "--exit-zero", "--set", f"app.url={bot[1]}"]
    assert invoke([*command, "--set", "reporters=[]", "--runs", str(explored / "played")]) == 0
    run = find_run("last", explored / "played")
    met = sum(len(one.trace.meta["goals_met"]) for one in run.judged())  # type: ignore[arg-type]
    every = sum(len(one.trace.meta["goals"]) for one in run.judged())  # type: ignore[arg-type]
    assert met / every >= 0.8


def test_the_run_keeps_the_model_in_every_form(explored: Path) -> None:
    run = StoredRun(next((explored / "runs").iterdir()))
    kept = {path.name for path in (run.folder / "models").iterdir() if path.is_file()}
    assert {f"exploration.{form}" for form in ("json", "dot", "mmd", "svg", "model.json")} <= kept

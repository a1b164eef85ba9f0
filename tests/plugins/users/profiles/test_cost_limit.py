"""A conversation that ends when the answers of its models have cost enough."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.engine.conduct import RunOptions, conduct
from sparring.errors import ConfigurationError
from sparring.model.talk import Ended, IncidentKind, Trace
from sparring.model.verdict import Owner
from sparring.store import StoredRun
from sparring.suite.reading import load_suite
from sparring_plugins.users.profiles.profile import Profile
from sparring_plugins.users.profiles.profile_files import read_profiles

UNMET = {"wishes": [{"number": 1, "quotation": None, "turn": None, "met": False}]}


def write(folder: Path, goal_style: Any, **conversation: Any) -> Path:
    path = folder / "p.yml"
    path.write_text(
        yaml.safe_dump(
            {
                "test_name": "t",
                "user": {"goals": ["a pizza"]},
                "conversation": {"number": 1, "goal_style": goal_style, **conversation},
            }
        )
    )
    return path


def profile(folder: Path, goal_style: Any, **conversation: Any) -> Profile:
    path = write(folder, goal_style, **conversation)
    return read_profiles([path], base_dir=folder, seed=0)[0]


@pytest.mark.parametrize("value", [0.5, "0.5", "$0.50", "0.5 USD", "US$ 0.5", "0.50 dollars"])
def test_a_sum_is_written_in_many_ways(tmp_path: Path, value: Any) -> None:
    found = profile(tmp_path, {"cost": value})
    assert (found.goal_style, found.cost) == ("cost", 0.5)
    assert found.conversation[2] == {"goal_style": {"cost": 0.5}}


@pytest.mark.parametrize("value", [0, -1, True, "much", "1 EUR", [], None, float("inf")])
def test_what_is_no_sum_is_refused(tmp_path: Path, value: Any) -> None:
    with pytest.raises(ConfigurationError, match="expected a sum in US dollars"):
        profile(tmp_path, {"cost": value})


def test_it_stands_beside_every_other_stop(tmp_path: Path) -> None:
    beside = profile(tmp_path, {"steps": 3}, cost=0.5)
    assert (beside.goal_style, beside.steps, beside.cost) == ("steps", 3, 0.5)
    mixed = profile(tmp_path, {"steps": 3, "all_answered": {"limit": 9}, "cost": 1})
    assert (mixed.goal_style, mixed.steps, mixed.limit, mixed.cost) == ("all_answered", 3, 9, 1)
    chance = profile(tmp_path, {"random steps": 4, "cost": 1})
    assert (chance.goal_style, chance.steps, chance.cost) == ("random steps", 4, 1)
    with pytest.raises(ConfigurationError, match=r"says again what goal_style.cost says"):
        profile(tmp_path, {"cost": 1}, cost=1)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    write(tmp_path, {"cost": 0.05})
    (tmp_path / "suite.yaml").write_text(
        yaml.safe_dump(
            {
                "name": "paid",
                "app": {"use": "echo"},
                "agent": {
                    "use": "user-simulator",
                    "profiles": "p.yml",
                    "user": {"use": "sparring.testing.fakes:FakeUser", "lines": list("abcdefgh")},
                    "goal_checker": {"use": "model"},
                    "starts": "user",
                    "loop_limit": 50,
                },
                "reporters": [],
                "llm": {
                    "use": "sparring.testing.fakes:FakeLLM",
                    "answers": {"goal_checker": UNMET},
                    "cost_usd": 0.02,
                },
            }
        )
    )
    return tmp_path / "suite.yaml"


def played(suite: Path, **overrides: Any) -> tuple[Trace, StoredRun]:
    done = conduct(load_suite(suite, overrides), RunOptions())
    assert done.folder is not None
    stored = StoredRun(done.folder)
    (judged,) = stored.judged()
    return judged.trace, stored


def test_the_conversation_ends_when_the_limit_is_reached(suite: Path) -> None:
    trace, _ = played(suite)
    assert trace.ended is Ended.COST_LIMIT
    assert len(trace.turns) == 3
    assert trace.meta["cost_usd"] == pytest.approx(0.06)


def test_cached_answers_count_as_what_they_were_worth(suite: Path) -> None:
    first, _ = played(suite, **{"llm.cache": "answers.sqlite"})
    again, stored = played(suite, **{"llm.cache": "answers.sqlite"})
    assert stored.summary is not None
    assert stored.summary.usage.cost_usd == 0.0
    assert (again.ended, len(again.turns)) == (first.ended, len(first.turns)) == ("cost_limit", 3)


def test_a_run_whose_answers_were_cached_replays_alike(suite: Path, capsys: Any) -> None:
    from sparring.cli.app import invoke

    played(suite, **{"llm.cache": "answers.sqlite"})
    _, stored = played(suite, **{"llm.cache": "answers.sqlite"})
    assert invoke(["replay", str(stored.folder), "--suite", str(suite)]) in (0, 1, 3)
    assert "same verdicts" in capsys.readouterr().out


def test_an_unknown_price_is_said_instead_of_guessed(suite: Path) -> None:
    trace, _ = played(suite, **{"llm.cost_usd": None})
    assert trace.ended is Ended.INCIDENT
    incidents = [one for one in trace.incidents if one.kind is IncidentKind.PLAYER_ERROR]
    assert [one.owner for one in incidents] == [Owner.TEST]
    assert "the profile's limit of 0.05 US dollars cannot be kept" in incidents[0].message
    assert "cost_usd" not in trace.meta


def test_a_user_that_costs_nothing_is_never_stopped(suite: Path) -> None:
    trace, _ = played(suite, **{"llm.cost_usd": 0.0, "agent.max_turns": 5})
    assert trace.ended is Ended.TURN_LIMIT
    assert len(trace.turns) == 5

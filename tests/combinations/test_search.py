"""Searches with players, apps and oracles of other methods."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sparring.engine.session import RunResult
from sparring.store import StoredRun

Play = Callable[..., tuple[RunResult, StoredRun]]

FAKES = "sparring.testing.fakes:"
SPACE = """\
name: cafe
about: an assistant that takes orders
style: {politeness: {scale: ordinal, values: {rude: be rude, polite: be polite}}}
content:
  drink: {values: {tea: , coffee: , juice: , water: }}
  size: {values: [none, small, large]}
perturbation: {noise: {values: {none: , applied: {apply: {use: typos, rate: 0.2}}}}}
templates: words.yaml
conversation:
  goals: ["order {{drink}}", "get it {{size}}"]
"""
WORDS = """\
start: "{ask} {drink}[ that is {size}]"
symbols:
  ask:
    - {when: "politeness == 'polite'", any: [Could I please have, I would love to have]}
    - {any: [Give me, Hand me]}
"""
RULE = """\
name: answered
description: There is an answer to everything.
oracle: len(empty_responses()) == 0
"""


@pytest.fixture
def suite(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """A suite in which features of requests are searched."""
    (tmp_path / "space.yaml").write_text(SPACE, encoding="utf-8")
    (tmp_path / "words.yaml").write_text(WORDS, encoding="utf-8")
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "answered.yaml").write_text(RULE, encoding="utf-8")

    def _suite(strategy: dict[str, Any], *oracles: Any, **agent: Any) -> dict[str, Any]:
        return {
            "app": {"use": f"{FAKES}FakeConnector", "replies": ["Which size?", "Here you are."]},
            "agent": {"use": "prompter", "spaces": "space.yaml", **agent},
            "strategy": strategy,
            "oracles": list(oracles) or [{"use": "generic-failures"}],
            "reporters": [],
            "budget": {"cases": 12},
        }

    return _suite


def turns(run: StoredRun) -> list[int]:
    return [len(trace.turns) for trace in run.traces()]


def test_t_wise_drives_simulated_users_judged_by_rules(
    play: Play, suite: Callable[..., dict[str, Any]]
) -> None:
    rules = {"use": "rules", "files": "rules/*.yaml"}
    conducted, run = play(
        **{
            **suite({"use": "t-wise", "strength": 2}, rules, conversation={}),
            "budget": {},
        }
    )
    assert conducted.summary.usage.cases >= 12
    pairs = {(judged.trace.case.params["drink"], judged.trace.case.params["size"])
             for judged in run.judged()}  # fmt: skip
    assert len(pairs) == 12
    assert {one.check for judged in run.judged() for one in judged.verdicts} == {"answered"}
    assert max(turns(run)) > 1


@pytest.mark.parametrize("strategy", ["nsga2", "surrogate", "map-elites", "hypothesis"])
def test_a_search_goes_over_whole_conversations(
    play: Play, suite: Callable[..., dict[str, Any]], strategy: str
) -> None:
    settings = {"use": strategy, "duplicates": {"by": "words", "threshold": 0.95}}
    conducted, run = play(**suite(settings, conversation={}))
    assert conducted.summary.usage.cases == 12
    said = [trace.meta["utterance"] for trace in run.traces()]
    assert len(set(map(str, said))) == (
        12 if strategy != "hypothesis" else len(set(map(str, said)))
    )
    assert max(turns(run)) > 1


def test_nsga2_goes_over_single_requests_judged_by_the_problems_of_voice_apps(
    play: Play, suite: Callable[..., dict[str, Any]]
) -> None:
    settings = {"use": "nsga2", "population": 4, "duplicates": "none"}
    conducted, _ = play(**suite(settings, {"use": "voice-problems"}))
    assert conducted.summary.usage.cases == 12

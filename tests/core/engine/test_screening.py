"""Duplicates are refused before they are played: counted, in the log, the same after a kill."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sparring.engine.exit_codes import NOTHING
from sparring.engine.session import RunResult
from sparring.errors import ConfigurationError
from sparring.interfaces.abilities import Preview
from sparring.model.case import Case
from sparring.model.events import CasesAsked, Refusal
from sparring.store import StoredRun
from sparring.testing.fakes import FakePlayer
from sparring.testing.fakes.agents import filled

Play = Callable[..., RunResult]

HERE = f"{__name__}:"
SPACE = {
    "scenarios": [
        {
            "name": "order",
            "variables": [
                {"name": "what", "domain": ["a pizza", "a salad", "nothing"]},
                {"name": "tone", "domain": ["please", "now", "quick"]},
            ],
        }
    ]
}


class Speaking(FakePlayer):
    """Says what it would say: the tone is not heard, and nothing is nothing."""

    async def preview(self, case: Case) -> Preview:
        if case.params["what"] == "nothing":
            return Preview(text=" ")
        return Preview(text=filled("{what}, hello", case))


def suite(name: str = "Speaking", **strategy: Any) -> dict[str, Any]:
    player = f"{HERE}{name}" if name == "Speaking" else f"sparring.testing.fakes:{name}"
    return {
        "agent": {"use": player, "space": SPACE},
        "strategy": {"use": "exhaustive", **strategy},
        "concurrency": 2,
    }


def refusals(run: RunResult) -> list[Refusal]:
    assert run.folder is not None
    events = StoredRun(run.folder).events()
    asked: Iterator[CasesAsked] = (one for one in events if isinstance(one, CasesAsked))
    return [refusal for one in asked for refusal in one.refused]


def test_what_says_the_same_is_refused_with_its_reason(play: Play) -> None:
    run = play(**suite(duplicates={"by": "words"}))
    found = refusals(run)
    assert run.summary.usage.cases == 2
    assert run.summary.usage.refused == {"duplicate": 4, "unspeakable": 3}
    assert run.summary.usage.previews == 9
    assert len(found) == 7
    first = found[0]
    assert (first.reason, first.text, first.likeness) == ("duplicate", "a pizza, hello", 1.0)
    assert first.like is not None
    assert first.like.startswith("order-")


@pytest.mark.parametrize("written", ["none", False, {"against": "none"}])
def test_none_plays_everything(play: Play, written: Any) -> None:
    run = play(**suite(duplicates=written))
    assert run.summary.usage.cases == 9
    assert run.summary.usage.refused == {}


def test_a_strategy_that_does_not_search_refuses_nothing_by_itself(play: Play) -> None:
    assert play(**suite()).summary.usage.cases == 9


def test_a_search_refuses_duplicates_by_itself(play: Play) -> None:
    run = play(**suite(use="surrogate"), budget={"cases": 9})
    assert run.summary.usage.cases == 2


def test_a_search_that_ends_because_all_is_refused_gives_that_as_its_reason(play: Play) -> None:
    reporters = ["console", "html"]
    run = play(**suite(use="surrogate"), budget={"cases": 9}, reporters=reporters)
    reason = run.summary.reason
    assert reason.startswith("ended early: 7 of the last 9 proposals refused (4 duplicate, 3 unsp")
    assert "compared by words at 0.8, see strategy.duplicates" in reason
    assert run.folder is not None
    page = (run.folder / "report.html").read_text()
    assert f'<div class="notice"><p>{reason}</p></div>' in page
    spent = play(**suite(use="surrogate"), budget={"cases": 1}).summary.reason
    assert "budget" in spent, "what ends by its budget says so as before"


def test_a_run_in_which_nothing_was_played_because_all_was_refused_says_so(play: Play) -> None:
    only = {"name": "order", "variables": [{"name": "what", "domain": ["nothing"]}]}
    data = suite(duplicates={"by": "words"})
    data["agent"]["space"] = {"scenarios": [only]}
    run = play(**data)
    assert run.summary.usage.refused == {"unspeakable": 1}
    assert run.exit_code == NOTHING
    assert run.summary.reason.startswith("ended early: 1 of the last 1 proposals refused (1 unsp")


def test_cases_that_are_refused_among_others_are_no_reason(play: Play) -> None:
    assert play(**suite(duplicates={"by": "words"})).summary.reason == ""


def test_values_are_compared_where_words_are_not_known(play: Play) -> None:
    run = play(**suite("FakePlayer", duplicates={"by": "values", "threshold": 0.6}))
    assert 1 <= run.summary.usage.cases < 9
    assert run.summary.usage.refused["duplicate"] == 9 - run.summary.usage.cases


def test_words_that_cannot_be_known_are_said_to_be_so(play: Play) -> None:
    run = play(**suite("FakePlayer", duplicates="archive"))
    assert run.summary.usage.cases == 9
    assert any("only equal cases" in message for message in run.warnings)
    with pytest.raises(ConfigurationError, match="use by: values"):
        play(**suite("FakePlayer", duplicates={"by": "words"}))


def test_an_unknown_measure_names_the_nearest(play: Play) -> None:
    with pytest.raises(Exception, match="words"):
        play(**suite(duplicates={"by": "word"}))


def test_resumed_it_refuses_what_it_would_have_refused(play: Play) -> None:
    whole = play(**suite(duplicates={"by": "words"}))
    half = play(**suite(duplicates={"by": "words"}), budget={"cases": 1})
    resumed = play(resume=half.folder, **suite(duplicates={"by": "words"}))
    assert ids(resumed) == ids(whole)
    assert resumed.summary.usage.refused == whole.summary.usage.refused


def ids(run: RunResult) -> set[str]:
    folder = run.folder
    assert isinstance(folder, Path)
    return set(StoredRun(folder).case_ids)

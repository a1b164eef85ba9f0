"""Searches through the examples' apps: what they find, and that the features make the cases."""

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.servers.example_server import EXAMPLES, serving

from sparring.engine.conduct import RunOptions, conduct
from sparring.model.events import CaseJudged
from sparring.model.talk import act_text
from sparring.model.verdict import Outcome
from sparring.store import StoredRun
from sparring.suite.reading import load_suite


def judged(suite: Path, runs: Path, *scenarios: str, **changes: Any) -> list[CaseJudged]:
    """The cases of a suite, as they are stored."""
    loaded = load_suite(suite, {"reporters": [], **changes})
    done = conduct(loaded, RunOptions(runs=runs, scenarios=scenarios))
    assert done.folder is not None
    assert done.problems == []
    return list(StoredRun(done.folder).judged())


def failing(one: CaseJudged) -> list[str]:
    """The checks of a case that failed, each with the first word of its reason."""
    bad = [verdict for verdict in one.verdicts if verdict.outcome is Outcome.FAIL]
    return [f"{verdict.check}: {verdict.reason.split(':')[0]}" for verdict in bad]


def talk(one: CaseJudged) -> list[str]:
    """What the user said."""
    return [act_text(turn.act) for turn in one.trace.turns if act_text(turn.act)]


def assert_each_feature_matters(cases: list[CaseJudged], *names: str) -> None:
    """Of the cases that differ in one feature alone, some differ in what was done."""
    for name in names:
        groups: dict[str, set[str]] = {}
        for one in cases:
            others = {k: v for k, v in one.trace.case.params.items() if k != name}
            acts = [turn.act.model_dump_json() for turn in one.trace.turns]
            groups.setdefault(repr(sorted(others.items())), set()).add(repr(acts))
        assert max(map(len, groups.values())) > 1, f"{name} changes nothing"


@pytest.mark.thorough
def test_nsga2_holds_conversations_with_a_skill_and_finds_its_problems(tmp_path: Path) -> None:
    folder = tmp_path / "tea-corner"
    ignored = shutil.ignore_patterns("runs", "__pycache__")
    shutil.copytree(EXAMPLES / "skills" / "tea-corner", folder, ignore=ignored)
    cases = judged(folder / "search.yaml", tmp_path / "runs", **{"budget.cases": 75})
    assert len(cases) == 75
    found = Counter(problem for one in cases for problem in failing(one))
    assert found.keys() >= {
        "unexpected_exit: crash",
        "unexpected_exit: dead question",
        "unexpected_exit: silent exit",
        "privacy_violation: e-mail address",
    }
    assert sum(1 for one in cases if failing(one)) > 30
    assert max(len(one.trace.turns) for one in cases) >= 7
    assert_each_feature_matters(cases, "tea", "errand", "opening", "politeness", "strength")
    white = [one for one in cases if "unexpected_exit: crash" in failing(one)
             and one.trace.case.params["opening"] == "by_name"]  # fmt: skip
    assert white
    assert all(one.trace.case.params["tea"] == "white" for one in white)
    assert all(any("white" in said for said in talk(one)) for one in white)


def test_t_wise_drives_simulated_users_of_the_pizzeria_judged_by_its_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving("pizzeria") as url:
        monkeypatch.setenv("PIZZERIA_URL", url)
        cases = judged(
            EXAMPLES / "pizzeria" / "suite.yaml",
            tmp_path,
            "change_of_mind",
            strategy={"use": "t-wise", "strength": 2},
        )
    pairs = {(one.trace.case.params["size"], one.trace.case.params["second"]) for one in cases}
    assert len(pairs) == 3 * 2
    outcomes = Counter(
        verdict.outcome
        for one in cases
        for verdict in one.verdicts
        if verdict.check == "drinks_survive_changes"
    )
    assert outcomes == {Outcome.FAIL: len(cases)}  # the pizzeria forgets the drinks
    assert not [v for one in cases for v in one.verdicts if v.outcome is Outcome.ERROR]
    for one in cases:
        said = " ".join(talk(one))
        wanted = one.trace.case.params
        assert all(str(wanted[name]) in said for name in ("size", "first", "second", "cans"))


@pytest.mark.thorough
@pytest.mark.browser
def test_map_elites_varies_test_cases_of_the_shop_and_finds_where_assertions_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("playwright.async_api", reason="Playwright is not installed")
    with serving("shop") as url:
        monkeypatch.setenv("SHOP_URL", url)
        cases = judged(EXAMPLES / "shop" / "search.yaml", tmp_path)
    assert len(cases) == 30
    assert {verdict.outcome for one in cases for verdict in one.verdicts} == {
        Outcome.PASS, Outcome.FAIL,
    }  # fmt: skip
    for one in cases:
        params = one.trace.case.params
        plural = params.get("ending") == "s"
        dear = params.get("shipping") == "4.90"
        assert bool(failing(one)) == (plural or dear), (params, failing(one))
    assert {one.trace.case.scenario for one in cases if failing(one)} == {
        "A search finds the article",
        "The cart adds up",
    }
    searches = [one for one in cases if "word" in one.trace.case.params]
    assert len({(one.trace.case.params["article"], one.trace.case.params["ending"])
                for one in searches}) == 8  # fmt: skip

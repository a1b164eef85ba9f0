"""The removals firm: NSGA-II finds its faults by chat, on a page and by voice; chance finds fewer."""

import shutil
from pathlib import Path

import pytest
from tests.servers.example_server import EXAMPLES, serving

from sparring.engine.conduct import RunOptions, conduct
from sparring.model.verdict import Outcome
from sparring.store import StoredRun
from sparring.suite.reading import load_suite

ALL = {"load", "shift", "cover", "receipt"}
ON_THE_PAGE = {"load", "shift"}


@pytest.fixture
def movers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pytest.importorskip("pymoo")
    folder = tmp_path / "movers"
    shutil.copytree(EXAMPLES / "movers", folder, ignore=shutil.ignore_patterns("runs", "__pyc*"))
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    return folder


def broken_terms(suite: Path, seed: int, strategy: str | None = None) -> set[str]:
    """Return the terms that a run finds broken; every case of it must be decided."""
    changes = {"seed": seed, "reporters": [], **({"strategy": strategy} if strategy else {})}
    done = conduct(load_suite(suite, changes), RunOptions(runs=suite.parent / "runs"))
    assert done.folder is not None
    verdicts = [one for judged in StoredRun(done.folder).judged() for one in judged.verdicts]
    assert {one.outcome for one in verdicts} <= {Outcome.PASS, Outcome.FAIL}
    return {one.check for one in verdicts if one.outcome is Outcome.FAIL}


@pytest.mark.thorough
def test_a_search_over_simulated_users_finds_every_fault(movers: Path) -> None:
    assert broken_terms(movers / "users.yaml", seed=1) == ALL


@pytest.mark.thorough
def test_random_users_find_fewer(movers: Path) -> None:
    searched = [broken_terms(movers / "users.yaml", seed) for seed in range(1, 5)]
    drawn = [broken_terms(movers / "users.yaml", seed, "random") for seed in range(1, 5)]
    assert sum(map(len, searched)) >= 15  # of 16
    assert sum(map(len, drawn)) <= 12
    assert all(terms <= ALL for terms in [*searched, *drawn])


@pytest.mark.thorough
def test_a_search_over_a_skill_finds_every_fault(movers: Path) -> None:
    assert broken_terms(movers / "skill.yaml", seed=1) == ALL


@pytest.mark.thorough
@pytest.mark.browser
def test_a_search_over_a_page_finds_every_fault(
    movers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("playwright.async_api", reason="Playwright is not installed")
    from sparring_connectors.browser.installation import NoBrowser, find_browser

    try:
        find_browser("chromium", "")
    except NoBrowser as err:
        pytest.skip(str(err))
    with serving("movers") as url:
        monkeypatch.setenv("MOVERS_URL", url)
        assert broken_terms(movers / "page.yaml", seed=1) == ON_THE_PAGE

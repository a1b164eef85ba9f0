"""The web shop: its test cases find its weak spots, and nothing else."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.servers.example_server import EXAMPLES, serving

from sparring.engine.conduct import RunOptions, conduct
from sparring.model.verdict import Outcome, Owner
from sparring.store import StoredRun
from sparring.suite.reading import load_suite

FOUND = {
    "Search knows plurals": "plurals",
    "The total has the shipping in it": "free-shipping",
    "An empty cart says so": "stale-badge",
    "The account keeps what is saved": "lost-phone",
}
PATIENT = {"action_s": 30, "wait_s": 60, "navigation_s": 120}
"""On a busy machine a case was inconclusive with 15 s for each action."""
pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module", autouse=True)
def _needs_a_browser() -> None:
    pytest.importorskip("playwright.async_api", reason="Playwright is not installed")
    from sparring_connectors.browser.installation import NoBrowser, find_browser

    try:
        find_browser("chromium", "")
    except NoBrowser as err:
        pytest.skip(str(err))


@pytest.fixture(scope="module")
def weak() -> Iterator[str]:
    with serving("shop") as url:
        yield url


@pytest.fixture(scope="module")
def repaired() -> Iterator[str]:
    with serving("shop", "--repaired", "all") as url:
        yield url


def _failed(url: str, runs: Path, monkeypatch: pytest.MonkeyPatch, *names: str) -> dict[str, str]:
    """The test cases that did not pass, with their worst outcome."""
    monkeypatch.setenv("SHOP_URL", url)
    changes = {"app.timeout": PATIENT, "reporters": []}
    done = conduct(load_suite(EXAMPLES / "shop", changes), RunOptions(runs=runs, scenarios=names))
    assert done.folder is not None
    found: dict[str, str] = {}
    for judged in StoredRun(done.folder).judged():
        bad = [one for one in judged.verdicts if one.outcome not in (Outcome.PASS, Outcome.SKIPPED)]
        if bad:
            found[judged.trace.case.scenario] = bad[0].outcome.value
    return found


@pytest.mark.thorough
def test_the_suite_finds_the_weak_spots_and_nothing_else(
    weak: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _failed(weak, tmp_path, monkeypatch) == dict.fromkeys(FOUND, "fail")


@pytest.mark.thorough
def test_a_repaired_shop_passes(
    repaired: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _failed(repaired, tmp_path, monkeypatch, *FOUND) == {}


def _raises(*_: Any, **__: Any) -> Any:
    raise KeyError("injected")


def _of_a_role(answer: Callable[[], Any]) -> Callable[..., Any]:
    async def act(*_: Any) -> Any:
        return answer()

    return act


STRICT = "sparring_plugins.web.runner.strict_agents.Strict"
BROKEN: dict[str, tuple[str, Callable[..., Any]]] = {
    "readiness raises": (f"{STRICT}Readiness.act", _of_a_role(_raises)),
    "the navigator returns None": (f"{STRICT}Navigator.act", _of_a_role(lambda: None)),
    "an assertion is a text": (f"{STRICT}Assertion.act", _of_a_role(lambda: "false")),
    "observe raises": ("sparring_plugins.web.runner.algorithm.observe", _raises),
    "the page is read wrongly": (
        "sparring_connectors.browser.snapshots.SnapshotBuilder.snapshot",
        lambda *_: {},
    ),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", BROKEN)
def test_what_breaks_in_sparring_is_never_the_shops_fault(
    name: str, repaired: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_URL", repaired)
    monkeypatch.setattr(*BROKEN[name])
    changes = {"app.timeout": PATIENT, "reporters": []}
    options = RunOptions(runs=tmp_path, scenarios=("Search finds what it should",))
    summary = conduct(load_suite(EXAMPLES / "shop", changes), options).summary
    assert summary.exit_code == 3
    assert set(summary.owners) == {Owner.TOOL}

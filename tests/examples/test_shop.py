"""The web shop: its test cases find its weak spots, and nothing else."""

import os
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparring.engine.conduct import RunOptions, conduct
from sparring.model.verdict import Outcome
from sparring.store import StoredRun
from sparring.suite.reading import load_suite

SHOP = Path(__file__).parents[2] / "examples" / "shop"
FOUND = {
    "Search knows plurals": "plurals",
    "The total has the shipping in it": "free-shipping",
    "An empty cart says so": "stale-badge",
    "The account keeps what is saved": "lost-phone",
}
pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module", autouse=True)
def _needs_a_browser() -> None:
    pytest.importorskip("playwright.async_api", reason="Playwright is not installed")
    from sparring_connectors.browser.finding import NoBrowser, find

    try:
        find("chromium", "")
    except NoBrowser as err:
        pytest.skip(str(err))


def _serve(*options: str) -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, str(SHOP / "server.py"), "--port", "0", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], 30)
    assert ready, "the server said nothing for 30 seconds"
    yield process.stdout.readline().split()[-1]
    process.terminate()
    process.communicate(timeout=10)
    assert process.returncode == 0, "the server does not stop cleanly"


@pytest.fixture(scope="module")
def weak() -> Iterator[str]:
    yield from _serve()


@pytest.fixture(scope="module")
def repaired() -> Iterator[str]:
    yield from _serve("--repaired", "all")


def _failed(url: str, runs: Path, monkeypatch: pytest.MonkeyPatch, *names: str) -> dict[str, str]:
    """The test cases that did not pass, with their worst outcome."""
    monkeypatch.setenv("SHOP_URL", url)
    changes = {"app.timeout": {"action_s": 15}, "reporters": []}
    done = conduct(load_suite(SHOP, changes), RunOptions(runs=runs, scenarios=names))
    assert done.folder is not None
    found: dict[str, str] = {}
    for judged in StoredRun(done.folder).judged():
        bad = [one for one in judged.verdicts if one.outcome not in (Outcome.PASS, Outcome.SKIPPED)]
        if bad:
            found[judged.trace.case.scenario] = bad[0].outcome.value
    return found


def test_the_suite_finds_the_weak_spots_and_nothing_else(
    weak: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _failed(weak, tmp_path, monkeypatch) == dict.fromkeys(FOUND, "fail")


def test_a_repaired_shop_passes(
    repaired: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _failed(repaired, tmp_path, monkeypatch, *FOUND) == {}

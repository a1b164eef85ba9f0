"""A search that was cut off at any byte of its log ends as if nothing had happened."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.recorded import cut_and_resumed
from tests.search_shop import write_shop

from sparring.discovery.catalog import names
from sparring.engine.conduct import RunOptions, conduct
from sparring.model.events import CasesAsked
from sparring.model.talk import act_text
from sparring.store import StoredRun
from sparring.suite.reading import load_suite
from sparring_plugins.reproduction.strategy_states import StrategyStates

CASES = 36
WORDS = {"against": "archive", "by": "words", "threshold": 0.97}
SMALL = {"batch": 6, "first": 8, "candidates": 40, "read": 12, "duplicates": WORDS}
STEADY = {"mode": "steady-state"}

SEARCHES: dict[str, dict[str, Any]] = {
    "nsga2": {"use": "nsga2", "population": 6, "duplicates": WORDS},
    "nsga2 steady": {"use": "nsga2", "population": 6, **STEADY, "duplicates": WORDS},
    "surrogate": {"use": "surrogate", **SMALL},
    "surrogate steady": {"use": "surrogate", **SMALL, **STEADY},
    "surrogate alone steady": {"use": "surrogate", **SMALL, **STEADY, "duplicates": "none"},
    "map-elites": {"use": "map-elites", "batch": 6, "first": 8, "duplicates": WORDS},
    "map-elites steady": {
        "use": "map-elites",
        "batch": 6,
        "first": 8,
        **STEADY,
        "duplicates": WORDS,
    },
    "hypothesis steady": {"use": "hypothesis", "examples": 8, **STEADY},
    "t-wise": {"use": "t-wise", "strength": 2, "effort": 0.1},
    "coverage": {"use": "coverage", "features": ["mood", "item"]},
    "random": {"use": "random", "duplicates": WORDS},
}
# Installed strategies without a row above are played with their defaults. `selectors` and
# `sessions` are for scenarios of profiles and explorers, not for feature spaces.
_NAMED = {str(row["use"]) for row in SEARCHES.values()} | {"selectors", "sessions"}
SEARCHES |= {name: {"use": name} for name in names("sparring.strategies") if name not in _NAMED}

SLOW = {"surrogate steady", "surrogate alone steady", "hypothesis steady", "nsga2 steady"}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder from which Python imports."""
    folder = tmp_path_factory.mktemp("shop")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield folder


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=pytest.mark.thorough) if name in SLOW else name
        for name in SEARCHES
    ],
)
def whole(request: pytest.FixtureRequest, base: Path) -> Path:
    """The folder of an undisturbed search."""
    path = write_shop(
        base,
        strategy=SEARCHES[request.param],
        name=request.param.replace(" ", "-"),
        budget={"cases": CASES},
        concurrency=1 if "steady" in request.param else 4,
    )
    done = conduct(load_suite(path), RunOptions())
    assert done.folder
    return done.folder


def told(folder: Path) -> list[Any]:
    """The cases in the order asked, with their verdicts."""
    return [(one.trace.case, one.verdicts) for one in StoredRun(folder).judged()]


def last_state(folder: Path) -> Any:
    reader = StrategyStates()
    for event in StoredRun(folder).events():
        if isinstance(event, CasesAsked):
            reader.read(event)
    return reader.state


@settings(
    max_examples=settings().max_examples // 12, suppress_health_check=[HealthCheck.nested_given]
)
@given(share=st.floats(0.02, 0.98))
def test_cut_anywhere_a_search_ends_as_if_never_stopped(whole: Path, share: float) -> None:
    folder, _ = cut_and_resumed(whole, share)
    assert told(folder) == told(whole)
    assert last_state(folder) == last_state(whole)


def test_a_search_that_refuses_nothing_still_hears_what_is_said(base: Path) -> None:
    path = write_shop(
        base,
        name="alone",
        strategy={"use": "surrogate", **SMALL, "duplicates": "none"},
        budget={"cases": 24},
        reporters=[],
    )
    done = conduct(load_suite(path), RunOptions())
    assert done.folder
    stored = StoredRun(done.folder)
    said = {name: text for asked, _ in stored.asked_batches() for name, text in asked.texts.items()}
    acts = {one.trace.case.id: act_text(one.trace.turns[0].act) for one in stored.judged()}
    assert acts.items() <= said.items()
    assert done.summary.usage.previews > len(acts), "no draft was read"

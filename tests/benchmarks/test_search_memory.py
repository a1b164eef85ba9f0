"""Searches over many thousand cases: memory, processor time and log grow with what is new alone."""

import faulthandler
from pathlib import Path
from typing import Any

import pytest
import yaml

from .conftest import Cost, Measure

WORDS = {"against": "archive", "by": "words"}
NONE = {"against": "none"}

SEARCHES: dict[str, dict[str, Any]] = {
    "random": {"use": "random"},
    "random, words": {"use": "random", "duplicates": WORDS},
    "nsga2": {"use": "nsga2", "duplicates": NONE},
    "nsga2, words": {"use": "nsga2", "duplicates": WORDS},
    "surrogate, words": {"use": "surrogate", "batch": 100, "duplicates": WORDS},
}


@pytest.fixture(autouse=True)
def as_long_as_it_takes() -> None:
    """Searches of this size take longer than any other test may."""
    faulthandler.cancel_dump_traceback_later()


def _searched(
    measure: Measure, folder: Path, cases: int, strategy: object, concurrency: int = 20
) -> Cost:
    suite = {
        "name": "many",
        "app": "echo",
        "agent": {"use": "prompter", "spaces": "naviqa-11"},
        "strategy": strategy,
        "oracles": ["parts:Misheard"],
        "reporters": [],
        "budget": {"cases": cases},
        "concurrency": concurrency,
    }
    folder.mkdir(exist_ok=True)
    path = folder / "suite.yaml"
    path.write_text(yaml.safe_dump(suite), encoding="utf-8")
    cost = measure("-m", "sparring", "run", str(path), "--exit-zero")
    assert cost.code == 0, cost.out
    return cost


def _asked(folder: Path) -> int:
    """Bytes of the log that say what was asked."""
    (log,) = folder.glob("runs/*/log.jsonl")
    with log.open("rb") as file:
        return sum(len(line) for line in file if line.startswith(b'{"kind":"cases_asked"'))


@pytest.mark.thorough
@pytest.mark.parametrize("name", SEARCHES)
def test_twenty_thousand_cases_take_the_memory_of_two_thousand(
    name: str, measure: Measure, tmp_path: Path
) -> None:
    """What was asked is all that is kept, some 500 bytes a case, and 700 for the words of it."""
    small = _searched(measure, tmp_path / "small", 2_000, SEARCHES[name])
    large = _searched(measure, tmp_path / "large", 20_000, SEARCHES[name])
    print(
        f"{name}: {small.peak_mib:.0f} MiB and {small.cpu_s:.0f} s for 2,000 cases, "
        f"{large.peak_mib:.0f} MiB and {large.cpu_s:.0f} s for 20,000"
    )
    assert large.peak_mib < small.peak_mib * 1.25
    assert large.cpu_s < small.cpu_s * 20


@pytest.mark.thorough
@pytest.mark.parametrize("use", ["nsga2", "surrogate"])
def test_a_steady_search_logs_what_is_new(use: str, measure: Measure, tmp_path: Path) -> None:
    strategy = {"use": use, "mode": "steady-state", "duplicates": NONE}
    for cases in (500, 2_000):
        _searched(measure, tmp_path / str(cases), cases, strategy, concurrency=1)
    few, many = _asked(tmp_path / "500"), _asked(tmp_path / "2000")
    print(f"{use}: {few / 500:.0f} bytes a case of 500, {many / 2_000:.0f} of 2,000")
    assert many / 2_000 < 1.3 * few / 500
    assert many / 2_000 < 2_000

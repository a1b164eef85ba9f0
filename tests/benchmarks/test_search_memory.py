"""A search over many thousand feature vectors costs no more memory than one over a few."""

from pathlib import Path

import pytest
import yaml

from .conftest import Cost, Measure

_ARCHIVE_MIB = 1.5 * 20_000 * 384 * 4 / 2**20
"""What the vectors of 20,000 utterances take, for strategies that refuse duplicates of them."""


def _peak(measure: Measure, folder: Path, cases: int, strategy: object) -> Cost:
    suite = {
        "name": "many",
        "app": "echo",
        "agent": {"use": "prompter", "spaces": "naviqa-11"},
        "strategy": strategy,
        "oracles": ["generic-failures"],
        "reporters": [],
        "budget": {"cases": cases},
        "concurrency": 20,
    }
    path = folder / "suite.yaml"
    path.write_text(yaml.safe_dump(suite), encoding="utf-8")
    cost = measure("-m", "sparring", "run", str(path), "--exit-zero")
    assert cost.code == 0, cost.out
    return cost


@pytest.mark.thorough
def test_twenty_thousand_evaluated_cases_need_the_memory_of_a_thousand(
    measure: Measure, tmp_path: Path
) -> None:
    small = _peak(measure, tmp_path, 1_000, "random")
    large = _peak(measure, tmp_path, 20_000, "random")
    print(f"{small.peak_mib:.0f} MiB at 1,000 cases, {large.peak_mib:.0f} MiB at 20,000")
    assert large.peak_mib < small.peak_mib + 20
    assert large.cpu_s < small.cpu_s * 25


@pytest.mark.thorough
def test_refusing_duplicates_costs_their_vectors_and_no_more(
    measure: Measure, tmp_path: Path
) -> None:
    strategy = {"use": "random", "duplicates": {"against": "archive", "by": "words"}}
    small = _peak(measure, tmp_path, 1_000, strategy)
    large = _peak(measure, tmp_path, 10_000, strategy)
    print(f"{small.peak_mib:.0f} MiB at 1,000 cases, {large.peak_mib:.0f} MiB at 10,000")
    assert large.peak_mib < small.peak_mib + 20 + 2 * _ARCHIVE_MIB

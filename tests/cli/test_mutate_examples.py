"""The example suites find a sample of the faults that they are documented to find."""

import re
from pathlib import Path

import pytest

from sparring_plugins.mutation.model import MutationRun

from .conftest import Program

EXAMPLES = Path(__file__).parents[2] / "examples"
HOW_TO = Path(__file__).parents[2] / "docs" / "how-to" / "find-what-your-suite-misses.md"
# Each of these was live once: a rule was missing.
SAMPLES = {
    "pizzeria": ["SwapValues-2e8ad8", "DeleteData-c5c65a", "SwapItems-aa1ee6"],
    "library": ["DropValidation-241812", "SwapFields-762816"],
}


@pytest.mark.parametrize(
    "example", ["library", pytest.param("pizzeria", marks=pytest.mark.thorough)]
)
@pytest.mark.thorough
def test_a_sample_of_an_examples_mutants_is_killed(
    example: str, program: Program, tmp_path: Path
) -> None:
    picked = [part for name in SAMPLES[example] for part in ("-m", name)]
    ran = program(
        "mutate", "--plan", EXAMPLES / example / "mutation.yaml", "--runs",
        tmp_path, "--first-kill", "--min-score", "100", *picked,
    )  # fmt: skip
    assert ran.code == 0, ran.out + ran.err
    (report,) = tmp_path.glob("*/report.json")
    run = MutationRun.model_validate_json(report.read_text())
    assert [one.fate.value for one in run.results] == ["killed"] * len(SAMPLES[example])


def test_the_documented_scores_are_those_that_are_asked_for() -> None:
    rows = re.findall(r"^\| (\w+) \|.*\| (\d+\.\d) % \|$", HOW_TO.read_text(), re.MULTILINE)
    scores = {name: float(score) for name, score in rows}
    assert scores["pizzeria"] >= 95
    assert min(scores[name] for name in ("workshop", "clinic", "library")) >= 90

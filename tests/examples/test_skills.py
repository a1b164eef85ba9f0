"""The three example skills: their faults are found, all of them and nothing else."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.engine.conduct import RunOptions, conduct
from sparring.store import StoredRun
from sparring.suite.reading import load_suite

SKILLS = Path(__file__).parents[2] / "examples" / "skills"
NAMES = ("window-garden", "tea-corner", "star-porch")
SEEDS = (1, 2, 3, 4, 5)

#: The SDK's sources hold sequences that newer Pythons warn of when they compile them.
pytestmark = pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")


def copied(name: str, to: Path, *, repaired: bool = False) -> Path:
    """A copy of a skill's folder, for runs leave traces; skips where what runs it is missing."""
    if name == "star-porch" and not shutil.which("node"):
        pytest.skip("there is no Node.js")
    if name == "window-garden":
        pytest.importorskip("ask_sdk_core")
    folder = to / name
    shutil.copytree(SKILLS / name, folder, ignore=shutil.ignore_patterns("runs", "__pycache__"))
    if repaired:
        if not shutil.which("git"):
            pytest.skip("there is no git to apply the patch with")
        subprocess.run(["git", "apply", "repairs.patch"], cwd=folder, check=True)
    return folder


def problems(folder: Path, seed: int) -> list[dict[str, Any]]:
    """The distinct problems that a skill's suite finds."""
    loaded = load_suite(folder / "suite.yaml", {"seed": seed, "reporters": []})
    done = conduct(loaded, RunOptions(runs=folder.parent / "runs"))
    assert done.folder is not None
    concluded = StoredRun(done.folder).concluded
    found = next(one for one in concluded if one.check == "problems").details["problems"]
    assert isinstance(found, list)
    return [dict(one) for one in found if isinstance(one, dict) and one["certainty"] != "possible"]


def faults(name: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = yaml.safe_load((SKILLS / name / "faults.yaml").read_text("utf-8"))
    return found


def shows(problem: dict[str, Any], fault: dict[str, str]) -> bool:
    """Whether a problem is due to a fault."""
    return (
        (problem["kind"], problem["form"]) == (fault["kind"], fault["form"])
        and re.search(fault.get("reason", ""), problem["reason"]) is not None
        and re.search(fault.get("said", ""), problem["path"][-1]) is not None
    )


def assert_exact(name: str, found: list[dict[str, Any]]) -> None:
    """Every fault is found, and everything that is found is a fault."""
    expected = faults(name)
    missed = [one["fault"] for one in expected if not any(shows(p, one) for p in found)]
    false = [one for one in found if not any(shows(one, fault) for fault in expected)]
    assert (missed, false) == ([], [])


@pytest.mark.parametrize(
    "name",
    [
        name if name == "star-porch" else pytest.param(name, marks=pytest.mark.thorough)
        for name in NAMES
    ],
)
def test_all_faults_of_a_skill_are_found_and_no_others(name: str, tmp_path: Path) -> None:
    assert_exact(name, problems(copied(name, tmp_path), seed=1))


@pytest.mark.parametrize("name", NAMES[1:])
def test_nothing_is_found_in_a_repaired_skill(name: str, tmp_path: Path) -> None:
    assert problems(copied(name, tmp_path, repaired=True), seed=1) == []


@pytest.mark.thorough
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", NAMES)
def test_faults_are_found_with_every_seed(name: str, seed: int, tmp_path: Path) -> None:
    assert_exact(name, problems(copied(name, tmp_path), seed=seed))
    (tmp_path / "again").mkdir()
    assert problems(copied(name, tmp_path / "again", repaired=True), seed=seed) == []


@pytest.mark.parametrize("name", NAMES)
def test_the_faults_are_of_all_kinds_and_the_page_tells_of_each(name: str) -> None:
    kinds = {one["kind"] for one in faults(name)}
    assert len(kinds) == 5
    forms = {one["form"] for one in faults(name) if one["kind"] == "unexpected_exit"}
    assert forms == {"crash", "dead question", "silent exit"}
    page = (SKILLS / name / "README.md").read_text("utf-8")
    assert page.count("\n| un") + page.count("\n| privacy") + page.count("\n| one") == len(
        faults(name)
    )

"""Suites as items of pytest, through the front door of pytest."""

import subprocess
import sys
from pathlib import Path

import pytest

SUITE = """
name: drinks
app: {use: echo}
agent: {use: user-simulator, profiles: profiles/*.yaml}
oracles:
  - generic-failures
  - {use: rules, files: rules/*.yaml}
reporters: [console, html]
"""
PROFILE = """
test_name: {name}
user:
  role: You order a drink.
  goals:
    - "a {{{{drink}}}}, please"
    - drink: {{function: forward(), type: string, data: [{drink}]}}
chatbot: {{output: []}}
conversation: {{number: 1}}
"""
RULE = """
name: no_tea
then: "'tea' not in conv[0].drink"
on-error: f"the drink is {conv[0].drink}"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite with a scenario that passes and one that fails."""
    folder = tmp_path_factory.mktemp("drinks")
    (folder / "drinks.sparring.yaml").write_text(SUITE)
    for name, drink in (("likes coffee", "coffee"), ("likes tea", "tea")):
        path = folder / "profiles" / f"{drink}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(PROFILE.format(name=name, drink=drink))
    (folder / "rules").mkdir()
    (folder / "rules" / "no_tea.yaml").write_text(RULE)
    return folder


def run(folder: Path, *arguments: str) -> tuple[int, str]:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:langsmith_plugin",
    ]
    done = subprocess.run(
        [*command, "-q", *arguments], cwd=folder, capture_output=True, text=True, check=False,
        timeout=120,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def test_each_scenario_is_an_item_and_a_failure_can_be_read(folder: Path) -> None:
    code, said = run(folder)
    assert code == 1, said
    assert "1 failed, 1 passed" in said
    assert "FAIL  rules / no_tea" in said
    assert "the drink is ['tea']" in said
    assert "report.html" in said
    assert "sparring show" in said
    assert "Traceback" not in said


def test_all_items_of_a_suite_are_played_in_one_run(folder: Path) -> None:
    before = set((folder / "runs").glob("*"))
    run(folder)
    assert len(set((folder / "runs").glob("*")) - before) == 1


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        pytest.param(["--collect-only"], 0, "drinks.sparring.yaml::likes tea", id="listed"),
        pytest.param(["-k", "coffee"], 0, "1 passed, 1 deselected", id="selected by name"),
        pytest.param(["-k", "water"], 5, "2 deselected", id="nothing selected"),
        pytest.param(["-o", "sparring_suites=*.none"], 5, "no tests ran", id="other patterns"),
    ],
)
def test_pytest_selects_and_lists(folder: Path, arguments: list[str], code: int, said: str) -> None:
    ended, told = run(folder, *arguments)
    assert ended == code, told
    assert said in told


def test_a_faulty_suite_is_an_error_of_collection(tmp_path: Path) -> None:
    (tmp_path / "bad.sparring.yaml").write_text("name: bad\napp: {use: ecco}\nagent: x\n")
    code, told = run(tmp_path)
    assert code == 2, told
    assert "ecco" in told
    assert "echo" in told
    assert "Traceback" not in told


def test_a_suite_with_another_name_is_collected_where_it_is_named(folder: Path) -> None:
    (folder / "suite.yaml").write_text(SUITE)
    code, told = run(folder, "suite.yaml", "-k", "coffee")
    assert code == 0, told
    assert "1 passed" in told

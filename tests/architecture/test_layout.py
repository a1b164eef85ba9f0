"""The folder layout keeps its promises."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.conformance.metadata import (
    declared_entry_points,
    installed_entry_points,
    require_installed,
)

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES = {"core": "sparring", "plugins": "sparring_plugins", "connectors": "sparring_connectors"}
MODULES = [path for folder in PACKAGES for path in sorted((ROOT / folder).rglob("*.py"))]
INTERFACES = {path.name for path in (ROOT / "core/sparring/interfaces").glob("*.py")}
LONGEST = 600


@pytest.mark.parametrize(("folder", "package"), PACKAGES.items())
def test_a_folder_holds_one_package(folder: str, package: str) -> None:
    """Each folder is on sys.path in an editable install, so a stray module would be importable."""
    modules = [p.name for p in (ROOT / folder).iterdir() if p.suffix == ".py" or p.is_dir()]
    assert [m for m in modules if m != "__pycache__"] == [package]


@pytest.mark.parametrize("folder", PACKAGES)
def test_a_folder_is_not_a_package(folder: str) -> None:
    assert not (ROOT / folder / "__init__.py").exists()


@pytest.mark.parametrize("package", PACKAGES.items(), ids=str)
def test_every_package_is_typed(package: tuple[str, str]) -> None:
    assert (ROOT / package[0] / package[1] / "py.typed").is_file()


def test_installed_entry_points_match_pyproject() -> None:
    require_installed(declared_entry_points(), installed_entry_points())


def test_a_module_has_one_concern() -> None:
    lines = {_place(path): path.read_text(encoding="utf-8").count("\n") for path in MODULES}
    too_long = {place: count for place, count in lines.items() if count > LONGEST}
    assert too_long == {}, "what are their two concerns?"


def test_names_say_what_things_are() -> None:
    vague = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "managers"}
    places = [Path(_place(path)) for path in MODULES]
    assert [place for place in places if vague & {*place.parts, place.stem}] == []


def _place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


SAID_OTHERWISE = {
    "json",
    "echo",  # a template of `init`
    "judge",  # a role of agents, and an owner of verdicts
    "replay",  # a command, and the kind of run that it makes
    "length",  # why a model's answer ended
    "terminal",  # what `doctor` looks at
    "csv",  # a format of tables
    "compare",  # a setting of a function that is calibrated
    "tables",  # a command
    "python",  # how pydantic writes data out
    "before",  # when pydantic calls a validator
    "fitness",  # a role of agents
    "rules",  # a command, and the folder that it writes
    "sessions",  # what a connector may offer
    "steps",  # what a path or a test case is made of
    "words",  # what a case says
    "chatbot",  # who speaks in a conversation that a model is shown
    "confirm",  # a key of suites, and a command
    *("calibration", "duplicates", "cache", "gate", "repeats"),  # keys of suites
    *(
        "answers",
        "admission",
        "chosen-cases",
        "isolation",
        "pacing",
        "prices",
        "redaction",
        "remote-runs",
        "secrets",
        "shards",
        "states",
        "unfinished",
    ),  # services
    *("run", "check", "report", "merge"),  # commands, and what a stored run is
}
"""Names of plugins that are also words of the core's own, for something else."""


def test_the_core_knows_no_bundled_plugin_by_name() -> None:
    """Bundled parts come through the door that foreign ones use."""
    names = {
        name
        for group, members in PYPROJECT["project"]["entry-points"].items()
        if group.startswith("sparring.")
        for name in members
        if name not in SAID_OTHERWISE
    }
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.value!r}"
        for path in (ROOT / "core").rglob("*.py")
        if "testing" not in path.parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value in names
    ]
    assert found == []


def test_every_interface_has_a_conformance_kit() -> None:
    kits = {path.name for path in (ROOT / "core/sparring/testing/conformance").glob("*.py")}
    roles = {name for name in INTERFACES if name.endswith("roles.py")}  # typed tasks and answers
    abilities = {"abilities.py"}  # what some parts can do besides
    assert INTERFACES - roles - abilities - {"plugin.py"} <= kits


def test_layers_hold() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_nothing_names_a_place_of_one_machine() -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split("\0")
    place = re.compile(r"(?<![\w.])/(?:work|root|home/\w+)/|artifactory|\bnexus\b", re.IGNORECASE)
    found = [
        f"{name}:{number}"
        for name in filter(None, tracked)
        if (ROOT / name).is_file() and name != "tests/architecture/test_layout.py"
        for number, line in enumerate(_lines(ROOT / name), 1)
        if place.search(line)
    ]
    assert found == []


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="replace").splitlines()

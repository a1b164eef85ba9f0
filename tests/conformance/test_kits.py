"""The kits themselves: right implementations pass, and each wrong one fails the right tests."""

import importlib.util
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest

from sparring.testing.conformance.app_connector import AppConnectorKit
from sparring.testing.conformance.kit import Kit

WRONG = sorted(Path(__file__).with_name("wrong").glob("*.py"))


def imported(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"wrong_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CASES = [
    (path.stem, name, found.fails)
    for path in WRONG
    for name, found in vars(imported(path)).items()
    if name.startswith("Test") and issubclass(found, Kit)
]


def play(report: Path, *tests: str) -> dict[tuple[str, str], set[str]]:
    """Which of these tests of the folder `wrong` fail, by module and class."""
    options = ["-q", "--tb=line", "-p", "no:cacheprovider", "-p", "no:xdist"]
    command = [sys.executable, "-m", "pytest", *options, f"--junitxml={report}", *tests]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout[-3000:] + done.stderr
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for case in ElementTree.parse(report).iter("testcase"):
        module, _, name = case.attrib["classname"].rpartition(".")
        failed = found[module.rpartition(".")[2], name]
        if case.find("failure") is not None or case.find("error") is not None:
            failed.add(case.attrib["name"].partition("[")[0])
    return found


EXPECTED = {(module, name): fails for module, name, fails in CASES}


@pytest.mark.thorough
def test_a_kit_passes_what_is_right_and_notices_what_is_wrong(tmp_path: Path) -> None:
    """Of right classes every test, of wrong ones those that are to fail: all take 22 s of processor time."""
    folder = Path(__file__).with_name("wrong")
    tests = [
        f"{folder / module}.py::{name}{test}"
        for (module, name), fails in EXPECTED.items()
        for test in ([f"::{fail}" for fail in sorted(fails)] or [""])
    ]
    failures = play(tmp_path / "report.xml", *tests)
    assert {key: failures[key] for key in EXPECTED} == EXPECTED


@pytest.mark.thorough
def test_a_kit_notices_what_is_wrong_and_nothing_else(tmp_path: Path) -> None:
    failures = play(tmp_path / "report.xml", *map(str, WRONG))
    assert {key: failures[key] for key in EXPECTED} == EXPECTED


def test_each_interface_has_wrong_implementations() -> None:
    counts = defaultdict[str, int](int)
    for case in CASES:
        counts[case[0]] += bool(case[2])
    assert all(count >= 3 for count in counts.values()), dict(counts)
    assert counts.keys() == {path.stem for path in WRONG}


def test_replacing_a_test_of_a_kit_is_refused() -> None:
    def test_leaving_twice_is_harmless(self: Any) -> None: ...

    message = r"replaces a test of AppConnectorKit: give yours another name, or say in `exceptions`"
    with pytest.raises(TypeError, match=message):
        type("TestMine", (AppConnectorKit,), {"test_leaving_twice_is_harmless": None})
    mixin = type("Mixin", (), {"test_leaving_twice_is_harmless": test_leaving_twice_is_harmless})
    with pytest.raises(TypeError, match=message):
        type("TestMine", (mixin, AppConnectorKit), {})


def test_replacing_a_test_further_down_is_refused() -> None:
    between = type("Between", (AppConnectorKit,), {})
    with pytest.raises(TypeError, match="replaces a test of PluginKit"):
        type("TestMine", (between,), {"test_closing_twice_is_harmless": lambda self: None})


def test_fixtures_and_further_tests_may_be_added() -> None:
    type("TestMine", (AppConnectorKit,), {"plugin": None, "test_of_my_own": lambda self: None})


@pytest.mark.parametrize(
    "exceptions", [{"test_no_such_test": "it is not there"}, {"test_entering_gives_a_session": " "}]
)
def test_an_exception_needs_a_test_and_a_reason(exceptions: dict[str, str]) -> None:
    with pytest.raises(TypeError, match="needs the name of a test of the kit, and a reason"):
        type("TestMine", (AppConnectorKit,), {"exceptions": exceptions})


def test_exceptions_that_are_a_list_are_refused() -> None:
    with pytest.raises(TypeError, match="has to be a mapping"):
        type("TestMine", (AppConnectorKit,), {"exceptions": ["test_entering_gives_a_session"]})


@pytest.mark.thorough
def test_an_exception_is_skipped_with_its_reason(tmp_path: Path) -> None:
    module = tmp_path / "test_mine.py"
    module.write_text(
        "import pytest\n"
        "from sparring.testing.conformance.search_strategy import SearchStrategyKit\n"
        "class TestMine(SearchStrategyKit):\n"
        "    exceptions = {'test_no_case_comes_twice': 'mine repeats itself'}\n"
    )
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rs", str(module)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=tmp_path, timeout=120
    )
    assert "mine repeats itself" in done.stdout
    assert "TestMine does not override the fixture `plugin`" in done.stdout

"""What is doubtful about test cases, before anything is run."""

from pathlib import Path

import pytest

from sparring_plugins.output.lint_findings import LintFinding
from sparring_plugins.web.suites.lint import lint_cases
from sparring_plugins.web.suites.loading import load_test_cases

SEEN = "Assert that 'x' is displayed"


def lint(tmp_path: Path, *steps: str) -> list[LintFinding]:
    path = tmp_path / "cases.yaml"
    lines = "".join(f"      {step}\n" for step in steps)
    path.write_text(f"tests:\n  - name: a\n    steps: |\n{lines}", encoding="utf-8")
    return lint_cases(load_test_cases(path))


ONE = {
    "unclosed": (["Click on 'x", SEEN], "unclosed-quote", "warning", 4),
    "unquoted": (["Click on Save", SEEN], "unquoted-target", "warning", 4),
    "value": (["Fill the field 'a' with some words", SEEN], "unquoted-value", "warning", 4),
    "two ways": (["Press 'enter'", SEEN], "two-readings", "warning", 4),
    "bare number": (["Assert that 'x' is displayed 3 times"], "exactly-or-at-least", "warning", 4),
    "unknown": (["Frobnicate 'x'", SEEN], "not-understood", "error", 4),
    "condition": (
        ["If 'x' is displayed check that 'y' is shown", SEEN],
        "not-understood",
        "error",
        4,
    ),
    "no assertion": (["Click on 'x'"], "no-assertion", "warning", 2),
    "assertion first": ([SEEN, "Click on 'y'"], "action-after-assertions", "warning", 5),
    "variable": (["Click on '%who%'", SEEN], "unknown-variable", "note", 4),
}


@pytest.mark.parametrize(("steps", "kind", "severity", "line"), ONE.values(), ids=list(ONE))
def test_what_is_doubtful_is_found_once_with_its_line(
    tmp_path: Path, steps: list[str], kind: str, severity: str, line: int
) -> None:
    found = lint(tmp_path, *steps)
    assert [(one.kind, one.severity, one.line) for one in found] == [(kind, severity, line)]


def test_a_clean_case_has_no_findings(tmp_path: Path) -> None:
    assert lint(tmp_path, "Click on 'a'", SEEN, "Click on 'b'", SEEN) == []


def test_the_readings_are_named(tmp_path: Path) -> None:
    (found,) = lint(tmp_path, "Press 'enter'", SEEN)
    assert found.readings == ("Press the key 'Enter'", "Click on 'enter'")
    assert (found.case, found.step, found.text) == ("a", 1, "Press 'enter'")


NEAR = {
    "Clik on the 'Save' buton": "Click",
    "Assert 'x' is displaied": "is displayed",
    "Scrol down": "Scroll down",
    "Wayt until 'Done' is displayed": "Wait until",
}


@pytest.mark.parametrize(("text", "near"), NEAR.items(), ids=list(NEAR))
def test_an_unknown_sentence_comes_with_the_nearest_known_form(
    tmp_path: Path, text: str, near: str
) -> None:
    found = next(one for one in lint(tmp_path, text, SEEN) if one.kind == "not-understood")
    assert "; the nearest known form is: " in found.message
    assert near in found.message


@pytest.mark.parametrize(
    "text",
    ["Check that the first row is Ada Brown", "Check that no new booking was added"],
)
def test_what_a_run_may_decide_is_no_error_and_has_no_form_of_something_else(
    tmp_path: Path, text: str
) -> None:
    (found,) = lint(tmp_path, text)
    assert (found.kind, found.severity) == ("not-understood", "warning")
    assert "read weakly" in found.message
    assert "nearest" not in found.message

"""What belongs to a test case: set-up, teardown, rows of data, expected outcomes, repeats."""

import os
import zipfile
from pathlib import Path

import pytest

from .conftest import Done, Site, play

TESTS = {
    "setup": ["Fill the field 'Name' with 'Ada'"],
    "teardown": ["Click on the 'D' button for Customer 'anna'"],
    "tests": [
        {"name": "passes", "steps": ["Assert that the field 'Name' contains 'Ada'"]},
        {"name": "fails", "steps": ["Assert that 'nothing like it' is displayed"]},
        {"name": "stops", "steps": ["Click on 'Nowhere'", "Assert that 'MVC' is displayed"]},
        {"name": "row", "data": [{"who": "anna"}, {"who": "tutu"}],
         "steps": ["Click on the 'D' button for Customer '%who%'",
                   "Assert that 'log: %who%' is displayed"]},
        {"name": "by assertion", "expected": [0, 1],
         "steps": ["Click on 'Idle'", "Assert that 'gone' is displayed",
                   "Assert that 'MVC' is displayed"]},
        {"name": "by step", "expected": [1, 0],
         "steps": ["Click on 'Idle'", "Assert that 'gone' is displayed"]},
        {"name": "unexpected", "expected": [0], "steps": ["Assert that 'MVC' is displayed"]},
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def done(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Done:
    strategy = {"use": "exhaustive", "repeats": 2}
    folder = tmp_path_factory.mktemp("cases")
    return play(folder, TESTS, f"{site.url}/weak.html", strategy=strategy, concurrency=3)


def test_setup_and_teardown_stand_around_every_case(done: Done) -> None:
    for name in ("passes", "fails", "stops"):
        steps = done.record(name).steps
        assert (steps[0].phase, steps[0].outcome, steps[0].step.number) == ("setup", "done", 0)
        assert (steps[-1].phase, steps[-1].outcome) == ("teardown", "done")


def test_a_verdict_is_that_of_the_steps_between(done: Done) -> None:
    verdicts = {name: done.verdict(name) for name in ("passes", "fails", "stops")}
    assert verdicts == {"passes": "pass", "fails": "fail", "stops": "inconclusive"}


def test_a_row_of_data_is_a_test_case(done: Done) -> None:
    assert {"row [anna]", "row [tutu]"} <= done.cases.keys()
    assert done.verdict("row [tutu]") == "pass"
    assert done.record("row [tutu]").steps[1].step.text.endswith("Customer 'tutu'")


def test_what_is_expected_to_be_false_passes_by_being_so(done: Done) -> None:
    assert [done.verdict(n) for n in ("by assertion", "by step", "unexpected")] == [
        "pass", "pass", "fail",
    ]  # fmt: skip
    assert done.record("by assertion").numbering == "assertion"
    assert done.record("by step").numbering == "step"


def test_repeats_give_equal_outcomes_and_equal_evidence(done: Done) -> None:
    for name, cases in done.cases.items():
        assert len(cases) == 2, name
        told = [
            [
                (one["outcome"], one.get("reason"), one.get("target"), one["digest"],
                 one.get("observed", {}).get("facts"))
                for one in case.trace.meta["gui"]["steps"]  # type: ignore[index, call-overload, union-attr]
            ]
            for case in cases
        ]  # fmt: skip
        assert told[0] == told[1], name
    found = [one for one in done.concluded if one.oracle == "consistency"]
    assert {one.score for one in found if one.case_ids} == {1.0}
    assert all("Proposition 3" in one.reason for one in found if one.case_ids)


def test_a_secret_is_nowhere_in_what_is_left_of_a_run(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page shows it, the report, the log, the trace and the pictures' names don't."""
    secret = "opensesame-7313"
    monkeypatch.setenv("TEST_PASSWORD", secret)
    tests = {
        "secrets": ["password"],
        "tests": [
            {"name": "log in", "steps": [
                "Type 'ada' in the field 'User'", "Type '%password%' in the field 'Password'",
                "Click on 'Log in'", "Assert that 'Hello %password%' is displayed"]},
            {"name": "denied", "steps": [
                "Type '%password%' in the field 'User'", "Click on 'Log in'",
                "Assert that 'Hello' is displayed"]},
        ],
    }  # fmt: skip
    done = play(
        tmp_path, tests, f"{site.url}/login.html",
        app={"secrets": {"password": "TEST_PASSWORD"}, "trace": "always"},
        reporters=["html", "junit", "jsonl", "iolts", "csv"],
    )  # fmt: skip
    assert done.outcomes("log in") == ["done", "done", "done", "true"]
    assert done.verdict("denied") == "fail"
    looked = 0
    for path in (Path(at) / name for at, _, names in os.walk(tmp_path) for name in names):
        assert secret.encode() not in path.read_bytes(), path
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as trace:
                for entry in trace.infolist():
                    assert secret.encode() not in trace.read(entry), entry.filename
                    looked += 1
    assert looked > 10
    assert "%password%" in (done.folder / "report.html").read_text()


def test_a_strategy_chooses_what_varies_and_assertions_keep_their_names(
    site: Site, tmp_path: Path
) -> None:
    tests = {
        "tests": [
            {"name": "varied", "vary": {"who": ["anna", "tutu", "nobody"], "end": ["!", "."]},
             "where": "(who == 'anna') == (end == '!')",
             "steps": ["Click on the 'D' button for Customer '%who%'",
                       "Assert that 'log: %who%' is displayed"]},
        ],
    }  # fmt: skip
    done = play(tmp_path, tests, f"{site.url}/weak.html", strategy={"use": "exhaustive"})
    found = {str(one.trace.case.params["who"]): one for one in done.cases["varied"]}
    assert found.keys() == {"anna", "tutu", "nobody"}
    outcomes = {who: {v.check: v.outcome.value for v in one.verdicts} for who, one in found.items()}
    asserted = "Assert that 'log: %who%' is displayed"
    assert outcomes["anna"] == outcomes["tutu"] == {"steps": "pass", asserted: "pass"}
    assert outcomes["nobody"] == {"steps": "inconclusive", asserted: "skipped"}

"""``run --last-failed``: the cases that did not pass in the last run, and no others."""

from pathlib import Path

import pytest
import yaml

from sparring.cli.app import invoke
from sparring.engine.exit_codes import FAILED, NOTHING, PASSED, USAGE
from sparring.store import StoredRun, find_run

FAKES = "sparring.testing.fakes:"

Output = pytest.CaptureFixture[str]


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two of four cases fail: the player says their number, the app repeats it."""
    monkeypatch.chdir(tmp_path)
    rule = "name: low\nthen: n < 3\n"
    (tmp_path / "rule.yaml").write_text(rule, encoding="utf-8")
    path = tmp_path / "suite.yaml"
    write(path, rules={"use": "rules", "files": "rule.yaml"})
    return path


def write(path: Path, rules: object, **changes: object) -> None:
    data = {
        "name": "numbers",
        "app": "echo",
        "agent": {"use": f"{FAKES}FakePlayer", "lines": ["hi"]},
        "strategy": {"use": f"{FAKES}FakeStrategy", "params": [{"n": n} for n in (1, 2, 3, 4)]},
        "oracles": [rules],
        "reporters": ["console"],
        **changes,
    }
    path.write_text(yaml.safe_dump(data), encoding="utf-8")


def last_cases() -> list[object]:
    judged = find_run("last", Path("runs"), played=True).judged()
    return [each.trace.case.params["n"] for each in judged]


def test_only_cases_that_did_not_pass_are_played(suite: Path, capfd: Output) -> None:
    assert invoke(["run", str(suite)]) == FAILED
    whole = find_run("last", Path("runs"))
    capfd.readouterr()

    assert invoke(["run", str(suite), "--last-failed"]) == FAILED

    assert last_cases() == [3, 4]
    printed = capfd.readouterr().out
    assert f"only     2 cases that did not pass in {whole.manifest.id}" in printed
    assert set(find_run("last", Path("runs")).case_ids) < set(whole.case_ids)


def test_all_are_played_if_all_passed(suite: Path, capfd: Output) -> None:
    (suite.parent / "rule.yaml").write_text("name: low\nthen: n < 9\n", encoding="utf-8")
    assert invoke(["run", str(suite)]) == PASSED
    assert invoke(["run", str(suite), "--last-failed"]) == PASSED
    assert "all cases: nothing failed in" in capfd.readouterr().out
    assert last_cases() == [1, 2, 3, 4]


def test_a_run_that_judged_nothing_is_not_said_to_have_passed(suite: Path, capfd: Output) -> None:
    rule = "name: low\nif: n > 9\nthen: n < 9\n"
    (suite.parent / "rule.yaml").write_text(rule, encoding="utf-8")
    assert invoke(["run", str(suite)]) == NOTHING
    capfd.readouterr()
    assert invoke(["run", str(suite), "--last-failed"]) == NOTHING
    out = capfd.readouterr().out
    assert "all cases: nothing failed in" in out
    assert "passed" not in out


def test_cases_that_break_a_condition_together_are_among_them(suite: Path) -> None:
    rule = 'name: same\nconversations: 2\nif: conv[0].n == 1 and conv[1].n == 4\nthen: "False"\n'
    (suite.parent / "rule.yaml").write_text(rule, encoding="utf-8")
    assert invoke(["run", str(suite)]) == FAILED
    assert invoke(["run", str(suite), "--last-failed"]) == FAILED
    assert last_cases() == [1, 4]


def test_repeats_of_a_case_are_played_all(suite: Path) -> None:
    write(suite, {"use": "rules", "files": "rule.yaml"}, repeats=2)
    assert invoke(["run", str(suite)]) == FAILED
    assert invoke(["run", str(suite), "--last-failed"]) == FAILED
    assert sorted(map(str, last_cases())) == ["3", "3", "4", "4"]


@pytest.mark.parametrize("option", ["--resume=last", "--shard=1/2", "--vary=seed=1,2"])
def test_it_begins_a_run_of_its_own(suite: Path, capfd: Output, option: str) -> None:
    assert invoke(["run", str(suite), "--last-failed", option]) == USAGE
    assert "--last-failed begins a run of its own" in capfd.readouterr().err


def test_the_last_run_of_another_suite_is_refused(suite: Path, capfd: Output) -> None:
    assert invoke(["run", str(suite)]) == FAILED
    write(suite, {"use": "rules", "files": "rule.yaml"}, name="others")
    assert invoke(["run", str(suite), "--last-failed"]) == USAGE
    assert "is of the suite 'numbers', not of 'others'" in capfd.readouterr().err


def test_a_run_that_is_stored_says_which_cases_it_left_out(suite: Path) -> None:
    invoke(["run", str(suite)])
    invoke(["run", str(suite), "--last-failed"])
    stored: StoredRun = find_run("last", Path("runs"))
    assert sum(asked.skipped for asked, _ in stored.asked_batches()) == 2


@pytest.mark.parametrize(("pattern", "code"), [("shape:*", PASSED), ("orde", PASSED), ("x", 5)])
def test_a_pattern_chooses_by_name_or_tag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str, code: int
) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke(["init", "first"]) == PASSED
    assert invoke(["run", "first", "-k", pattern]) == code


def test_a_pattern_chooses_by_the_name_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke(["init", "first"]) == PASSED
    profiles = tmp_path / "first" / "profiles"
    text = (profiles / "order.yaml").read_text(encoding="utf-8")
    (profiles / "tuesday.yaml").write_text(
        text.replace("test_name: ", "test_name: other "), encoding="utf-8"
    )
    for pattern in ("tues*", "tuesday.yaml"):
        assert invoke(["run", "first", "-k", pattern]) == PASSED
        stored = find_run("last", Path("first", "runs"))
        assert {judged.trace.case.scenario for judged in stored.judged()} == {"other order"}
    assert invoke(["run", "first", "-k", "profiles/*"]) == NOTHING


def test_a_resumed_run_goes_on_with_what_was_selected(suite: Path) -> None:
    assert invoke(["run", str(suite)]) == FAILED
    assert invoke(["run", str(suite), "--last-failed", "--budget", "cases=1"]) == FAILED
    assert last_cases() == [3]
    assert invoke(["run", "--resume", "last"]) == FAILED
    assert last_cases() == [3, 4]


def test_every_report_says_what_was_selected(suite: Path) -> None:
    paths = [suite.parent / name for name in ("report.html", "junit.xml", "summary.md")]
    outputs = [word for path in paths for word in ("-o", str(path))]
    assert invoke(["run", str(suite), "-k", "ta<b>lk", "-k", "talk", *outputs]) == FAILED
    for path in paths:
        said = path.read_text(encoding="utf-8")
        assert "scenarios that match" in said
        assert "ta<b>lk" not in said or path.suffix == ".md"

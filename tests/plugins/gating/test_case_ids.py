"""Ids of cases up to 0.2, in stored runs, baselines and on the command line."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from sparring.cli.app import invoke
from sparring.engine.exit_codes import FAILED, PASSED
from sparring.model.case import Case
from sparring.model.page import PageSnapshot, PageView
from sparring.model.verdict import Outcome
from sparring.store import StoredRun, find_run
from sparring.store.log import seal, unseal
from sparring.testing.conversations import stored_run, trace_of, verdict_of
from sparring_plugins.gating.baseline import read_baseline, write_baseline
from sparring_plugins.gating.case_ids import has_id, is_old, old_id, renamed
from sparring_plugins.gating.comparison import compare
from sparring_plugins.gating.records import read_record
from sparring_plugins.web.looks import Point, blessed_path

P, F = Outcome.PASS, Outcome.FAIL


SHARE_8_DIGITS = (16_569, 94_384)
"""The first two numbers of which the cases of one scenario had one id up to 0.2."""


def run_of_0_2(folder: Path, plays: Sequence[tuple[Case, Outcome]]) -> StoredRun:
    """A stored run with the ids that its cases had then."""
    old = [(case.model_copy(update={"id": old_id(case.id)}), outcome) for case, outcome in plays]
    return run_of(folder, old)


def run_of(folder: Path, plays: Sequence[tuple[Case, Outcome]]) -> StoredRun:
    traces = [trace_of([("hi", outcome.value)], case=case) for case, outcome in plays]
    verdicts = [
        [verdict_of(trace, outcome, reason="wrong total")]
        for trace, (_, outcome) in zip(traces, plays, strict=True)
    ]
    return stored_run(folder, traces, verdicts, name=folder.name)


def test_cases_that_shared_eight_digits_have_their_own_ids(tmp_path: Path) -> None:
    first, second = (Case.of("order", {"n": n}, run_seed=0) for n in SHARE_8_DIGITS)
    assert old_id(first.id) == old_id(second.id)
    assert first.id != second.id
    stored = run_of(tmp_path / "run", [(first, P), (second, F)])
    assert [judged.trace.case.params for judged in stored.judged()] == [first.params, second.params]


def test_seeds_are_those_of_before() -> None:
    assert Case.of("order", {"n": 1}, run_seed=7).id == "order-0d61eb44c779ee7e"
    assert Case.of("order", {"n": 1}, run_seed=7).seed == 133131576959081
    assert Case.of("order", {"n": 1}, run_seed=7, repeat=2).seed == 220962441991369


@pytest.mark.parametrize("name", ["order", "a-1a2b3c4d", "1a2b3c4d5e6f7a8b", "über weg"])
def test_an_id_begins_with_the_one_of_before(name: str) -> None:
    for repeat in (1, 12):
        case = Case.of(name, {"n": 3}, run_seed=0, repeat=repeat)
        before = old_id(case.id)
        assert is_old(before)
        assert not is_old(case.id)
        assert old_id(before) == before
        assert has_id(case.id, {before})
        assert has_id(case.id, {case.id})
        assert list(renamed([before, "free text"], [case.id])) == [(before, case.id)]
        assert list(renamed([case.id], [case.id])) == []


def test_runs_and_baselines_of_before_are_compared_with_those_of_today(tmp_path: Path) -> None:
    cases = [Case.of("order", {"n": n}, run_seed=0) for n in range(3)]
    again = Case.of("order", {"n": 2}, run_seed=0, repeat=2)
    before = run_of_0_2(tmp_path / "before", [*zip(cases, (P, F, P), strict=True), (again, P)])
    after = run_of(tmp_path / "after", [*zip(cases, (F, P, P), strict=True), (again, P)])
    write_baseline(tmp_path / "baseline.yaml", read_record(before))
    assert (
        old_id(cases[0].id)
        in yaml.safe_load((tmp_path / "baseline.yaml").read_text("utf-8"))["cases"]
    )
    expected = {(cases[0].id, "new failure"), (cases[1].id, "fixed")}
    for record in (read_record(before), read_baseline(tmp_path / "baseline.yaml")):
        comparison = compare(record, read_record(after))
        assert {(change.case_id, change.kind) for change in comparison.changes} == expected
        assert comparison.cases == 3
    backwards = compare(read_record(after), read_record(before))
    assert {(change.case_id, change.kind) for change in backwards.changes} == {
        (cases[0].id, "fixed"),
        (cases[1].id, "new failure"),
    }


def test_a_case_is_shown_by_its_id_of_before(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    case, again = (Case.of("order", {"n": 1}, run_seed=0, repeat=n) for n in (1, 2))
    today = run_of(tmp_path / "today", [(case, P), (again, F)])
    before = run_of_0_2(tmp_path / "before", [(case, P), (again, F)])
    for run in (today, before):
        assert invoke(["show", str(run.folder), old_id(again.id)]) == PASSED
        assert "fail" in capfd.readouterr().out


def test_a_picture_blessed_under_an_id_of_before_is_found(tmp_path: Path) -> None:
    trace = trace_of([("hi", "ho")], case=Case.of("order", {"n": 1}, run_seed=0))
    point = Point("end", 0, PageView(snapshot=PageSnapshot(url="http://localhost/")))
    today = tmp_path / trace.case.id / "end.png"
    before = tmp_path / old_id(trace.case.id) / "end.png"
    assert blessed_path(tmp_path, trace, point) == today, "that is where it is put"
    before.parent.mkdir()
    before.touch()
    assert blessed_path(tmp_path, trace, point) == before
    today.parent.mkdir()
    today.touch()
    assert blessed_path(tmp_path, trace, point) == today


def write_suite(folder: Path) -> Path:
    fakes = "sparring.testing.fakes:"
    (folder / "rule.yaml").write_text("name: low\nthen: n < 3\n", encoding="utf-8")
    suite = {
        "name": "numbers",
        "app": "echo",
        "agent": {"use": f"{fakes}FakePlayer", "lines": ["hi"]},
        "strategy": {"use": f"{fakes}FakeStrategy", "params": [{"n": n} for n in (1, 2, 3, 4)]},
        "oracles": [{"use": "rules", "files": "rule.yaml"}],
        "reporters": [],
    }
    path = folder / "suite.yaml"
    path.write_text(yaml.safe_dump(suite), encoding="utf-8")
    return path


def make_old(run: StoredRun, last_cases: int) -> None:
    """Give a run the ids of 0.2, and leave the last cases unjudged, as if interrupted."""
    ids = {case_id: old_id(case_id) for case_id in run.case_ids}
    lines: list[bytes] = []
    judged = 0
    for line in (run.folder / "log.jsonl").read_bytes().splitlines(keepends=True):
        _, text = unseal(line)
        kind = json.loads(text)["kind"]
        judged += kind == "case_judged"
        if kind == "run_finished" or judged > len(ids) - last_cases:
            break
        for today, before in ids.items():
            text = text.replace(today.encode(), before.encode())
        lines.append(seal(text, len(lines) + 1))
    (run.folder / "log.jsonl").write_bytes(b"".join(lines))


def test_a_run_of_before_is_resumed_and_its_failures_are_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    suite = write_suite(tmp_path)
    assert invoke(["run", str(suite)]) == FAILED
    run = find_run("last", Path("runs"))
    make_old(run, last_cases=2)
    assert invoke(["run", str(suite), "--resume", str(run.folder)]) == FAILED
    resumed = StoredRun(run.folder)
    assert sorted(int(str(each.trace.case.params["n"])) for each in resumed.judged()) == [
        1,
        2,
        3,
        4,
    ]
    assert all(is_old(case_id) for case_id in resumed.case_ids)
    assert invoke(["run", str(suite), "--last-failed"]) == FAILED
    last = find_run("last", Path("runs"), played=True)
    assert last.folder != run.folder
    assert [each.trace.case.params["n"] for each in last.judged()] == [3, 4]

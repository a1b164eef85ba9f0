"""``bless``, ``compare`` and ``run --baseline``: only what is worse fails."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sparring.cli.app import invoke
from sparring.errors import ConfigurationError, StoredRunError
from sparring.model.case import Case
from sparring.model.verdict import Outcome
from sparring.store import StoredRun
from sparring.testing.conversations import stored_run, trace_of, verdict_of
from sparring_plugins.gating.baseline import read_baseline, write_baseline
from sparring_plugins.gating.change_table import WORSE
from sparring_plugins.gating.comparison import compare
from sparring_plugins.gating.comparison_text import rates_lines
from sparring_plugins.gating.record_table import RecordTable
from sparring_plugins.gating.records import Play, RunRecord, read_record, stored_plays

from .conftest import WriteSuite

P, F, I = Outcome.PASS, Outcome.FAIL, Outcome.INCONCLUSIVE  # noqa: E741


def run_of(folder: Path, plays: dict[str, Sequence[Outcome]]) -> StoredRun:
    """A stored run: of each case so many plays with these outcomes."""
    traces, verdicts = [], []
    for name, outcomes in plays.items():
        for number, outcome in enumerate(outcomes, 1):
            case = Case.of(name, {}, run_seed=0, repeat=number)
            trace = trace_of([("hi", f"{outcome.value} {number}")], case=case)
            traces.append(trace)
            verdicts.append([verdict_of(trace, outcome, reason="wrong total")])
    return stored_run(folder, traces, verdicts, name=folder.name)


def kinds(before: RunRecord, after: RunRecord) -> dict[str, str]:
    comparison = compare(before, after)
    return {change.case_id.rpartition("-")[0]: change.kind for change in comparison.changes}


def records(tmp_path: Path, before: Any, after: Any) -> tuple[RunRecord, RunRecord]:
    return (
        read_record(run_of(tmp_path / "before", before)),
        read_record(run_of(tmp_path / "after", after)),
    )


TABLE: list[tuple[str, Sequence[Outcome], Sequence[Outcome], str | None]] = [
    ("passes", [P], [P], None),
    ("breaks", [P], [F], "new failure"),
    ("heals", [F], [P], "fixed"),
    ("stays", [F], [F], "still failing"),
    ("wobbles", [P] * 3, [P, F, P], "flaky"),
    ("wobbled", [P, F, P], [P] * 3, "flaky"),
    ("crumbles", [P] * 30, [P, F] * 15, "fails more often"),
    ("mends", [P, F] * 15, [P] * 30, "fails less often"),
    ("unknown", [P], [I], "undecided"),
    ("unknown-still", [I], [I], "still undecided"),
    ("known-now", [I], [F], "new failure"),
]


def test_each_change_has_its_kind(tmp_path: Path) -> None:
    before = {name: earlier for name, earlier, _, _ in TABLE} | {"gone": [P]}
    after = {name: later for name, _, later, _ in TABLE} | {"new": [P], "new-bad": [F]}
    expected = {name: kind for name, _, _, kind in TABLE if kind} | {
        "gone": "missing case",
        "new": "new case",
        "new-bad": "new case fails",
    }
    first, second = records(tmp_path, before, after)
    assert kinds(first, second) == expected

    path = tmp_path / "baseline.yaml"
    write_baseline(path, first)
    assert kinds(read_baseline(path), second) == expected, "a baseline says as much as the run"


def test_a_play_is_read_from_the_log_as_from_its_event(tmp_path: Path) -> None:
    stored = run_of(tmp_path / "run", {"a": [P], "b": [P, F, P], "c": [I, P]})
    read = list(stored_plays(stored))
    whole = list(map(Play.of, stored.judged()))
    assert [(play.outcomes, play.measures) for play in read] == [
        (play.outcomes, play.measures) for play in whole
    ]
    assert [(play.case.id, play.case.repeat) for play in read] == [
        (play.case.id, play.case.repeat) for play in whole
    ]
    text = stored.log.read_bytes().replace(b'"duration_s":', b'"duration_s":"x","y":')
    stored.log.write_bytes(text)
    with pytest.raises(StoredRunError, match=r"log\.jsonl"):
        list(stored_plays(stored))


@pytest.mark.parametrize("in_memory", [2, 5_000])
def test_plays_of_a_case_come_in_any_order(
    tmp_path: Path, in_memory: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RecordTable.__init__, "__defaults__", (in_memory,))
    traces = [
        trace_of([("hi", "hello")], case=Case.of(f"s{name}", {}, run_seed=0, repeat=repeat))
        for repeat in (2, 1, 3)
        for name in range(6)
    ]
    verdicts = [[verdict_of(trace, P)] for trace in traces]
    record = read_record(stored_run(tmp_path / "run", traces, verdicts))
    assert [case.plays for case in record.cases.values()] == [3] * 6
    assert [id_.rpartition("-")[0] for id_ in record.cases] == [f"s{name}" for name in range(6)]


def test_a_condition_over_several_conversations_is_compared(tmp_path: Path) -> None:
    def run(name: str, outcome: Outcome) -> RunRecord:
        trace = trace_of([("hi", "hello")])
        over = verdict_of(trace, outcome, check="unique", reason="twice")
        return read_record(stored_run(tmp_path / name, [trace], concluded=[over]))

    good, bad = run("good", P), run("bad", F)
    assert [c.kind for c in compare(good, bad).changes] == ["new failure"]
    assert [c.kind for c in compare(bad, bad).changes] == ["still failing"]
    assert compare(bad, good).is_worse is False


def test_rates_of_repeated_cases_are_compared_beside_the_cases(tmp_path: Path) -> None:
    before, after = records(
        tmp_path,
        {"one": [P, P, P, P], "two": [P, P, P, F]},
        {"one": [P, P, F, F], "two": [F, F, F, P]},
    )
    passed, rates, *_ = rates_lines(compare(before, after))
    assert passed.startswith("passed in every play 50.0% -> 0.0% of 2 cases")
    assert rates.startswith("rates  least steady check of a case 87.5% -> 37.5% (")

    path = tmp_path / "baseline.yaml"
    write_baseline(path, before)
    assert list(rates_lines(compare(read_baseline(path), after)))[:2] == [passed, rates]


def test_without_repeats_there_is_one_rate(tmp_path: Path) -> None:
    before, after = records(tmp_path, {"one": [P], "two": [P]}, {"one": [P], "two": [F]})
    (line,) = rates_lines(compare(before, after))
    assert line.startswith("passed 100.0% -> 50.0% of 2 cases")


@given(st.lists(st.tuples(st.sampled_from([P, F, I]), st.sampled_from([P, F, I])), max_size=8))
def test_a_run_is_never_worse_than_itself_and_worse_only_where_it_fails(
    pairs: list[tuple[Outcome, Outcome]],
) -> None:
    def record(place: int) -> RunRecord:
        made = RunRecord("run", "run", 0)
        for number, pair in enumerate(pairs):
            trace = trace_of([("hi", "hello")], n=number)
            case = made.cases.setdefault(trace.case.id, _case())
            case.plays = 1
            case.checks["rules/polite"] = _counts(pair[place])
        made.known_checks = {"rules/polite"}
        return made

    first, second = record(0), record(1)
    assert not compare(first, first).is_worse
    worse = [c for c in compare(first, second).changes if c.kind in WORSE]
    assert len(worse) == sum(a is not F and b is F for a, b in pairs)


def _case() -> Any:
    from sparring_plugins.gating.records import CaseRecord

    return CaseRecord()


def _counts(outcome: Outcome) -> Any:
    from sparring_plugins.gating.records import CheckCounts

    counts = CheckCounts()
    counts.add(outcome, "why")
    return counts


def test_a_baseline_is_read_as_it_was_written(tmp_path: Path) -> None:
    record = read_record(run_of(tmp_path / "run", {"a": [P], "b": [P, F, P], "c": [P, P]}))
    path = tmp_path / "baseline.yaml"
    write_baseline(path, record)
    text = path.read_text("utf-8")
    assert "pass x2" in text
    again = read_baseline(path)
    assert compare(again, record).is_worse is False
    assert {key: case.plays for key, case in again.cases.items()} == {
        key: case.plays for key, case in record.cases.items()
    }
    write_baseline(path, record)
    assert path.read_text("utf-8") == text, "the same run gives the same file"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("version: 2\nsuite: x\n", "1"),
        ("version: 1\nsuite: x\ncases: {a: passed}\n", "baseline.yaml:3: cases.a: expected 'pass'"),
        ("version: 1\nsuite: x\ncases: {a: {r/x: {fail: 1}}}\n", "cases.a.r/x.fail: unknown key"),
        ("- 1\n", "expected keys and values"),
    ],
)
def test_a_broken_baseline_is_refused_with_its_place(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "baseline.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        read_baseline(path)
    assert message.lower() in str(caught.value).lower()


def test_a_missing_baseline_says_how_to_make_one(
    unsteady: WriteSuite, capfd: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["run", str(unsteady()), "--baseline", "none.yaml"]) == 2
    assert "sparring bless last -o" in capfd.readouterr().err
    assert not list(Path("runs").glob("*")), "nothing was played"


def test_only_what_is_worse_than_the_baseline_fails(
    unsteady: WriteSuite, capfd: pytest.CaptureFixture[str]
) -> None:
    suite = str(unsteady({1: 1.0}))
    assert invoke(["run", suite]) == 1
    assert invoke(["bless"]) == 0
    assert invoke(["run", suite, "--baseline", "baseline.yaml", "-o", "same.xml"]) == 0
    out = capfd.readouterr().out
    assert "1 check still failing as accepted" in out
    root = ET.parse("same.xml").getroot()
    assert (root.get("failures"), root.get("errors"), root.get("skipped")) == ("0", "0", "1")

    suite = str(unsteady({2: 1.0}, gate={"baseline": "baseline.yaml"}))
    assert invoke(["run", suite, "-o", "worse.xml", "-o", "worse.html"]) == 1
    out = capfd.readouterr().out
    assert "worse: 1 check of 3 cases" in out
    assert "exit     1: 1 check worse than in the baseline baseline.yaml" in out
    assert ET.parse("worse.xml").getroot().get("failures") == "1"
    assert "new failure" in Path("worse.html").read_text("utf-8")


def test_two_runs_are_compared_side_by_side(
    unsteady: WriteSuite, capfd: pytest.CaptureFixture[str]
) -> None:
    first = str(unsteady())
    assert invoke(["run", first, "--runs", "one"]) == 0
    assert invoke(["run", str(unsteady({2: 1.0})), "--runs", "two"]) == 1
    (before,), (after,) = Path("one").iterdir(), Path("two").iterdir()
    capfd.readouterr()
    assert invoke(["compare", str(before), str(after), "-o", "page.html"]) == 1
    out = capfd.readouterr().out
    assert "new failure: 1" in out
    assert "| < (no answer)" in out
    assert "McNemar p = 1" in out
    page = Path("page.html").read_text("utf-8")
    assert 'class="differs"' in page
    assert "(no answer)" in page
    assert invoke(["compare", str(after), str(before)]) == 0
    assert "fixed: 1" in capfd.readouterr().out
    assert invoke(["compare", str(before), str(before)]) == 0


def test_hostile_texts_are_escaped_in_the_page(tmp_path: Path) -> None:
    from sparring_plugins.gating.comparison_page import comparison_page
    from sparring_plugins.gating.transcripts import differences

    evil = "<script>alert(1)</script>\x1b[31m"
    case = Case.of("talk", {}, run_seed=0)
    runs = []
    for name, outcome in (("a", P), ("b", F)):
        trace = trace_of([("hi", f"{evil} {name}")], case=case)
        verdict = verdict_of(trace, outcome, check=evil, reason=evil)
        runs.append(stored_run(tmp_path / name, [trace], [[verdict]]))
    comparison = compare(read_record(runs[0]), read_record(runs[1]))
    page = comparison_page(comparison, evil, evil, list(differences(comparison, *runs, 5)))
    assert "<script" not in page
    assert "\x1b" not in page


def test_a_conversation_behind_two_changes_is_shown_once(tmp_path: Path) -> None:
    from sparring_plugins.gating.transcripts import differences

    runs = []
    for name, outcome in (("a", P), ("b", F)):
        traces = [
            trace_of([("hi", name)], case=Case.of(scenario, {}, run_seed=0))
            for scenario in ("first", "second")
        ]
        verdicts = [
            [verdict_of(trace, outcome, check=check) for check in ("polite", "brief")]
            for trace in traces
        ]
        runs.append(stored_run(tmp_path / name, traces, verdicts))
    comparison = compare(read_record(runs[0]), read_record(runs[1]))
    shown = list(differences(comparison, *runs, 5))
    assert [[change.check.rpartition("/")[2] for change in talk.changes] for talk in shown] == [
        ["brief", "polite"],
        ["brief", "polite"],
    ]
    assert len(list(differences(comparison, *runs, 1))) == 1


def test_an_unfinished_run_is_not_blessed(
    unsteady: WriteSuite, capfd: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["run", str(unsteady(budget={"cases": 1}))]) == 4
    assert invoke(["bless"]) == 2
    assert "did not come to its end" in capfd.readouterr().err


def test_a_part_of_a_suite_is_not_blessed_as_the_whole(
    unsteady: WriteSuite, capfd: pytest.CaptureFixture[str]
) -> None:
    suite = unsteady({3: 1.0})
    invoke(["run", str(suite)])
    invoke(["run", str(suite), "--last-failed"])
    assert invoke(["bless"]) == 2
    assert "played only a part of its suite" in capfd.readouterr().err
    assert invoke(["bless", "-o", "part.yaml"]) == 0


def test_the_next_command_after_blessing_works_as_printed(
    unsteady: WriteSuite, capfd: pytest.CaptureFixture[str]
) -> None:
    invoke(["run", str(unsteady())])
    capfd.readouterr()
    assert invoke(["bless", "-o", "kept.yaml"]) == 0
    command = capfd.readouterr().out.splitlines()[-1].removeprefix("now: sparring ")
    assert command.endswith("--baseline kept.yaml")
    assert invoke(command.split()) == 0


def test_what_a_new_baseline_changes_is_told(
    unsteady: WriteSuite, capfd: pytest.CaptureFixture[str]
) -> None:
    invoke(["run", str(unsteady())])
    invoke(["bless", "-o", "kept.yaml"])
    invoke(["run", str(unsteady({3: 1.0}))])
    capfd.readouterr()
    assert invoke(["bless", "-o", "kept.yaml"]) == 0
    out = capfd.readouterr().out
    assert "3 cases, 1 of which do not pass" in out
    assert "changed since the last baseline: 1 new failure" in out
    data = yaml.safe_load(Path("kept.yaml").read_text("utf-8"))
    assert sorted(map(type, data["cases"].values()), key=str) == [dict, str, str]

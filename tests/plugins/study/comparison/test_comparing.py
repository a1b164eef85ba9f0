"""What runs saw of their apps, in one run and in several side by side."""

import csv
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.cli.app import invoke
from sparring.model.case import Case
from sparring.model.confirmation import Confirmation
from sparring.model.events import CaseJudged, FaultConfirmed
from sparring.model.talk import (
    AppFacts,
    Incident,
    IncidentKind,
    Parts,
    Trace,
    line_ranges,
)
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict
from sparring.store import StoredRun
from sparring.testing.conversations import run_events, store, trace_of
from sparring.testing.fakes import FakeContext
from sparring_plugins.output.stored_reports import report
from sparring_plugins.reporting.app_tables import AppsReporter, categories
from sparring_plugins.reporting.apps_seen import AppSeen, apps_seen, lines_of
from sparring_plugins.reporting.console import ConsoleReporter
from sparring_plugins.reporting.html.reporter import HtmlReporter
from sparring_plugins.reporting.junit import JUnitReporter
from sparring_plugins.reproduction.failure_identity import faults_of
from sparring_plugins.study.comparison_curves import measured, series_of
from sparring_plugins.study.comparison_page import compared

HOSTILE = "=cmd|'/c calc'!A1 <script>alert(1)</script> \x1b[31m\u202e"


def table(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def facts(name: str, *reached: str, category: str = "GAMES", lines: str = "") -> AppFacts:
    kinds = [Parts(kind="intents", reached=reached, whole=("Go", "Stop", "Help"))]
    if lines:
        kinds.append(Parts(kind="lines", reached=(lines,), whole=("main.py:1-10",)))
    return AppFacts(name=name, category=category, parts=tuple(kinds))


def conversation(app: str, number: int, *said: tuple[str, str], told: AppFacts | None) -> Trace:
    case = Case.of("exploration", {"app": app}, run_seed=1, repeat=number)
    trace = trace_of([(None, "Welcome. Where to?"), *said], case=case)
    return trace.model_copy(update={"app": told})


def problem(
    trace: Trace, turn: int, key: str = "unexpected_exit: silent exit: Where to?"
) -> Verdict:
    return Verdict(
        oracle="voice-problems", check="unexpected_exit", outcome=Outcome.FAIL, owner=Owner.APP,
        case_ids=(trace.case.id,), reason=f"silent exit: it was over {HOSTILE}",
        turns=(TurnRef(case_id=trace.case.id, turn=turn),),
        details={"problems": [{"key": key, "turn": turn, "certainty": "likely", "reason": "over"}]},
    )  # fmt: skip


@pytest.fixture
def run(tmp_path: Path) -> StoredRun:
    """Two apps and a broken one: three conversations of the first, one of the others each."""
    one = facts("first", "Go", lines="main.py:1-3")
    traces = [
        conversation("a", 1, ("go", "We go north."), told=one),
        conversation("a", 2, ("go", "We go north."), ("help", "Say go."),
                     told=facts("first", "Help", lines="main.py:3-5")),
        conversation("a", 3, ("stop", ""), told=one),
        conversation("b", 1, ("hm", "I do not know."), told=facts("second", category="")),
    ]  # fmt: skip
    broken = trace_of([], case=Case.of("exploration", {"app": HOSTILE}, run_seed=1))
    incident = Incident(
        kind=IncidentKind.UNREACHABLE, message="no model " + HOSTILE, owner=Owner.ENVIRONMENT
    )
    traces.append(broken.model_copy(update={"incidents": (incident,)}))
    verdicts = [[problem(traces[0], 1)], [], [problem(traces[2], 1)], [], []]
    events = run_events(traces, verdicts, folder=tmp_path / "run", suite={"agent": "explorer"})
    (fault,) = faults_of(verdicts[0])
    confirmation = Confirmation(
        fault=fault, outcome="confirmed", why="it shows in each of 3 fresh sessions, with 1 input",
        app="a", case_ids=(traces[0].case.id, traces[2].case.id), shown=3, tried=3, inputs=1,
        inputs_before=4, turns=(1,), trace=trace_of([(None, "Welcome."), (HOSTILE, "")]),
    )  # fmt: skip
    at = datetime(2024, 1, 1, 13, tzinfo=UTC)
    events.insert(-1, FaultConfirmed(at=at, confirmation=confirmation))
    return store(tmp_path / "run", events)


def test_what_was_reached_is_added_up_over_conversations(run: StoredRun) -> None:
    first, second, broken = apps_seen(run.judged())
    assert first.parts["intents"].reached == {"Go", "Help"}
    assert first.parts["intents"].missing == ["Stop"]
    assert first.parts["lines"].share == 0.5
    assert first.parts["lines"].missing == ["main.py:6-10"]
    assert (first.turns, first.conversations, first.spoke) == (4, 3, True)
    assert second.parts["intents"].share == 0
    assert (broken.spoke, broken.kinds()) == (False, [])


def test_a_problem_of_several_conversations_is_one(run: StoredRun) -> None:
    first = apps_seen(run.judged())[0]
    (found,) = first.problems
    assert (len(found.cases), found.turn) == (2, 1)


def test_apps_are_summed_by_category(run: StoredRun) -> None:
    rows = categories(apps_seen(run.judged()))
    assert [(row.name, row.apps, row.spoke, row.with_problems, row.total) for row in rows] == [
        ("(none)", 2, 1, 0, 0), ("GAMES", 1, 1, 1, 1), ("all", 3, 2, 1, 1),
    ]  # fmt: skip


def test_four_tables_are_written_and_no_cell_is_a_formula(run: StoredRun) -> None:
    written = report(run, [FakeContext(base_dir=run.folder).build(AppsReporter)])
    assert [path.name for path in written] == [
        "apps.csv", "categories.csv", "coverage.csv", "problems.csv",
    ]  # fmt: skip
    tables = {path.stem: table(path) for path in written}
    assert tables["apps"][0]["intents_reached"] == "2"
    assert tables["apps"][2]["spoke"] == "no"
    assert "no model" in tables["apps"][2]["why_not"]
    assert tables["categories"][-1]["category"] == "all"
    assert {row["kind"] for row in tables["coverage"]} == {"intents", "lines", "sentences"}
    (found,) = tables["problems"]
    assert (found["confirmed"], found["inputs"], found["conversations"]) == ("confirmed", "1", "2")
    for path in written:
        text = path.read_text(encoding="utf-8")
        assert "\x1b" not in text
        rows = csv.reader(text.splitlines())
        assert not [cell for row in rows for cell in row if cell.startswith(("=", "@", "+"))]


def test_reports_show_how_sure_a_fault_is_and_the_shortest_way(
    run: StoredRun, capfd: pytest.CaptureFixture[str]
) -> None:
    context = FakeContext(base_dir=run.folder)
    parts = [context.build(part) for part in (ConsoleReporter, HtmlReporter, JUnitReporter)]
    _, page, junit = [run.folder, *report(run, parts)]
    out = capfd.readouterr().out
    assert "confirmed: a: it shows in each of 3 fresh sessions, with 1 input" in out
    assert "faults   1 confirmed" in out
    assert "reached  intents 2/6, lines 5/10" in out
    assert "GAMES" in out
    assert "\x1b[31m" not in out
    html = page.read_text(encoding="utf-8")
    assert "Played again" in html
    assert "it shows in each of 3 fresh sessions" in html
    assert "<script>alert" not in html
    assert "main.py:6-10" in html
    assert "shortest: (listens) &gt; " in junit.read_text(encoding="utf-8")


def judged(tester: str, seed: str, *said: tuple[str, str], fails: bool = False) -> list[CaseJudged]:
    case = Case.of("exploration", {"app": "a"}, run_seed=int(seed))
    trace = trace_of([(None, "Welcome."), *said], case=case)
    verdicts = (problem(trace, 1),) if fails else ()
    return [CaseJudged(at=datetime(2024, 1, 1, tzinfo=UTC), trace=trace, verdicts=verdicts)]


def test_coverage_is_a_share_of_what_all_testers_saw() -> None:
    eager = [("where", "We sell bread."), ("how", "By bike."), ("when", "At noon.")]
    runs = [
        *series_of("eager", "1", judged("eager", "1", *eager, fails=True)),
        *series_of("lazy", "1", judged("lazy", "1", eager[0], eager[0])),
    ]
    found = {one.measure: one for one in compared(measured(runs), 3)}
    sentences = found["sentences"]
    assert [(row.tester, row.mean) for row in sentences.rows] == [("eager", 1.0), ("lazy", 0.5)]
    assert [point.mean for point in sentences.rows[0].points] == [0.5, 0.75, 1.0]
    assert sentences.rows[0].interval is None, "one seed tells nothing of spread"
    assert sentences.rows[1].better == -0.5
    problems = found["problems"]
    assert [row.mean for row in problems.rows] == [1.0, 0.0]


def test_seeds_give_an_interval() -> None:
    runs = [
        one
        for seed, texts in (("1", ["a cat", "a dog"]), ("2", ["a cat"]), ("3", ["a cow", "a hen"]))
        for one in series_of("t", seed, judged("t", seed, *((t, f"It is {t}.") for t in texts)))
    ]
    (row,) = next(one for one in compared(measured(runs), 2) if one.measure == "sentences").rows
    assert len(row.values) == 3
    assert row.interval is not None
    assert row.interval.low <= row.mean <= row.interval.high
    assert row.interval.low < row.interval.high


def test_the_command_writes_a_page_and_tables(
    run: StoredRun, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "out"
    other = f"<b>other</b>={run.folder}"
    code = invoke(["compare-testers", str(run.folder), other, "-o", str(folder), "--turns", "4"])
    out, err = capfd.readouterr()
    assert (code, err) == (0, "")
    assert "after 4 turns of 2 apps" in out
    page = (folder / "compare.html").read_text(encoding="utf-8")
    assert "<b>other</b>" not in page
    assert "&lt;b&gt;other&lt;/b&gt;" in page
    assert page.count("<polyline") == 2 * page.count("<figure>")
    rows = table(folder / "curves.csv")
    mine = [row for row in rows if (row["app"], row["measure"]) == ("a", "intents")]
    assert [row["count"] for row in mine if row["tester"] == "explorer"] == [
        "0",
        "1",
        "1",
        "2",
        "2",
    ]
    summed = table(folder / "summary.csv")
    assert {row["measure"] for row in summed} >= {"sentences", "semantic", "intents", "problems"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "no run is called 'nowhere'"),
        (["x=nowhere"], "no run is called 'nowhere'"),
        ([], "Missing argument"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert invoke(["compare-testers", *arguments]) == 2
    assert message in capfd.readouterr().err


@given(st.sets(st.integers(1, 400)), st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_lines_survive_being_told_as_ranges(lines: set[int], file: str) -> None:
    assert lines_of(line_ranges(file, lines)) == (file, frozenset(lines))


@pytest.mark.parametrize("told", ["", "x", "a:b", "a:9-1", "a:1-99999999999", ":::", "a:1-2-3"])
def test_any_text_is_read_as_ranges(told: str) -> None:
    assert len(lines_of(told)[1]) <= 1_000_001


def test_an_app_without_facts_has_no_coverage() -> None:
    seen = AppSeen("x")
    assert seen.kinds() == []

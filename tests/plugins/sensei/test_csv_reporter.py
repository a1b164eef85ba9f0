"""The reporter `csv`: SENSEI's columns and accounting, failing cases, safe cells."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import ConfigurationError
from sparring.model.talk import Incident, IncidentKind, Trace
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.testing.conversations import run_events, store, trace_of
from sparring.testing.fakes import FakeContext
from sparring_plugins.sensei.csv_reporter import CsvReporter


def verdict(
    check: str,
    outcome: str,
    *cases: str,
    oracle: str = "rules",
    position: int | None = None,
    count: int = 1,
    owner: Owner = Owner.APP,
) -> Verdict:
    owned = outcome not in ("pass", "skipped")
    return Verdict(
        oracle=oracle,
        check=check,
        outcome=Outcome(outcome),
        case_ids=cases,
        owner=owner if owned else None,
        count=count,
        details={} if position is None else {"position": position},
    )


def talks(number: int, *incidents: Incident) -> list[Trace]:
    return [trace_of([("hi", "hello")], incidents=incidents, n=index) for index in range(number)]


def incident(kind: IncidentKind) -> Incident:
    return Incident(kind=kind, message="x", owner=Owner.APP)


def written(
    tmp_path: Path,
    traces: Sequence[Trace],
    verdicts: Sequence[Sequence[Verdict]] = (),
    concluded: Sequence[Verdict] = (),
    **settings: Any,
) -> str:
    """The table of a run, as the engine makes it: the run is stored, the reporter is told."""
    folder = tmp_path / "run"
    events = run_events(traces, verdicts, concluded=concluded, folder=folder)
    store(folder, events)
    reporter = FakeContext(base_dir=tmp_path).build(CsvReporter, **settings)
    for event in events:
        reporter.handle(event)
    (path,) = reporter.written()
    return path.read_bytes().decode()


def rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def test_the_file_lies_in_the_runs_folder_or_where_the_suite_says(tmp_path: Path) -> None:
    written(tmp_path, talks(1))
    assert (tmp_path / "run" / "results.csv").is_file()
    (tmp_path / "run" / "log.jsonl").unlink()
    (tmp_path / "run").rename(tmp_path / "old")
    written(tmp_path, talks(1), path="deep/table.csv")
    assert (tmp_path / "deep" / "table.csv").is_file()


def test_counts_owners_and_failing_cases_of_each_rule(tmp_path: Path) -> None:
    text = written(
        tmp_path,
        talks(3),
        [
            [verdict("price", "pass"), verdict("polite", "fail", "a")],
            [verdict("price", "skipped"), verdict("polite", "fail", "b")],
            [
                verdict("price", "error", owner=Owner.TEST),
                verdict("polite", "inconclusive", owner=Owner.JUDGE),
            ],
        ],
        [verdict("pairs", "pass", count=4), verdict("pairs", "fail", "a", "b", count=2)],
    )
    assert rows(text) == [
        [
            "rule",
            "checks",
            "pass",
            "fail",
            "not_applicable",
            "fail_rate",
            "inconclusive",
            "error",
            "owner",
            "oracle",
            "failing_cases",
        ],
        ["price", "3", "1", "0", "1", "0.00%", "0", "1", "test 1", "rules", ""],
        ["polite", "3", "0", "2", "0", "100.00%", "1", "0", "app 2; judge 1", "rules", "a; b"],
        ["pairs", "6", "4", "2", "0", "33.33%", "0", "0", "app 2", "rules", "a + b; and 1 more"],
    ]


def test_a_rule_that_always_fails_names_the_first_cases_only(tmp_path: Path) -> None:
    verdicts = [[verdict("r", "fail", f"c{n}")] for n in range(30)]
    assert rows(written(tmp_path, talks(30), verdicts))[1][-1].endswith("c19; and 10 more")
    assert rows(written(tmp_path / "b", talks(30), verdicts, failing_cases=0))[1][-1] == "30 more"


def test_rows_are_grouped_by_oracle_and_follow_the_rules_positions(tmp_path: Path) -> None:
    text = written(
        tmp_path,
        talks(1),
        [
            [
                verdict("c", "pass", position=2),
                verdict("timeout", "pass", oracle="generic-failures"),
                verdict("a", "pass", position=0),
                verdict("a", "fail", position=3),
            ]
        ],
        [verdict("b", "pass", position=1)],
    )
    assert [(row[0], row[3]) for row in rows(text)[1:]] == [
        ("a", "0"),
        ("b", "0"),
        ("c", "0"),
        ("a", "1"),
        ("timeout", "0"),
    ]


def test_sensei_compatible_bytes(tmp_path: Path) -> None:
    traces = [
        *talks(2),
        trace_of(
            [("hi", None)],
            n=10,
            incidents=[incident(IncidentKind.TIMEOUT), incident(IncidentKind.GOAL_NOT_REACHED)],
        ),
        trace_of([("x", None)], n=11, incidents=[incident(IncidentKind.CRASH)] * 2),
        trace_of([("y", None)], n=12, incidents=[incident(IncidentKind.LOOP)]),
        trace_of([("z", None)], n=13, incidents=[incident(IncidentKind.PLAYER_ERROR)]),
    ]
    text = written(
        tmp_path,
        traces,
        [
            [
                verdict("one", "fail", "a", position=1),
                verdict("llm", "inconclusive", position=3),
                verdict("no_response", "pass", oracle="generic-failures"),
                verdict("protocol_error", "error", oracle="generic-failures"),
                verdict("case_timeout", "error", oracle="generic-failures"),
                verdict("played", "error", oracle="sparring"),
                verdict("judge", "error", owner=Owner.JUDGE),
            ],
            [verdict("one", "pass", position=1, count=2)],
        ],
        [verdict("all", "pass", position=0), verdict("all", "skipped", position=0, count=5)],
        compat="sensei",
    )
    assert text == (
        "rule,checks,pass,fail,not_applicable,fail_rate\r\n"
        "all,6,1,0,5,0.00%\r\n"
        "one,3,2,1,0,33.33%\r\n"
        "llm,1,0,0,1,0.00%\r\n"
        "goal_not_completed,6,5,1,0,16.67%\r\n"
        "no_response,6,5,1,0,16.67%\r\n"
        "timeout,6,5,1,0,16.67%\r\n"
        "exceeded_loop_limit,6,5,1,0,16.67%\r\n"
    )


def test_the_last_of_two_rules_of_one_name_stands_for_sensei(tmp_path: Path) -> None:
    text = written(
        tmp_path,
        talks(1),
        [
            [
                verdict("same", "pass", position=0),
                verdict("other", "pass", position=1),
                verdict("same", "fail", position=2),
                verdict("timeout", "fail", position=3),
            ]
        ],
        compat="sensei",
    )
    assert [row[:4] for row in rows(text)[1:5]] == [
        ["same", "1", "0", "1"],
        ["other", "1", "1", "0"],
        ["timeout", "1", "1", "0"],
        ["goal_not_completed", "1", "1", "0"],
    ]


def test_a_run_without_conversations_is_a_table_of_zeros(tmp_path: Path) -> None:
    assert rows(written(tmp_path, [], compat="sensei"))[1] == [
        *("goal_not_completed", "0", "0", "0", "0", "0.00%")
    ]


@pytest.mark.parametrize("compat", [None, "sensei"])
@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+x", "'+x"),
        ("-x", "'-x"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=x", "'\t'=x"),
        ("\rx", "\\x0dx"),
        ("\nx", "'\nx"),
        ("  =x", "  '=x"),
        ("a;=x", "a;'=x"),
        ("＝1", "'＝1"),  # noqa: RUF001
        ("a=b, c-d", "a=b, c-d"),
        ('say "hi"', 'say "hi"'),
        ("two\nlines", "two\nlines"),
        ("ñ 😀 漢", "ñ 😀 漢"),
        ("\x1b[31m\x00\u202e", "\\x1b[31m\\x00\\u202e"),
    ],
)
def test_no_cell_is_a_formula_or_breaks_the_table(
    tmp_path: Path, name: str, cell: str, compat: str | None
) -> None:
    verdicts = [[verdict(name, "fail", name, oracle=name)]]
    table = rows(written(tmp_path, talks(1), verdicts, compat=compat))
    assert table[1][0] == cell
    assert {len(row) for row in table} == {6 if compat else 11}
    if compat is None:
        assert table[1][-1] == table[1][-2] == cell


@pytest.mark.anyio
async def test_a_run_that_nobody_stores_is_reported_too(tmp_path: Path) -> None:
    reporter = FakeContext(base_dir=tmp_path).build(CsvReporter, path="a.csv")
    for event in run_events(talks(1), [[verdict("r", "pass")]]):
        reporter.handle(event)
    await reporter.close()
    assert (tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()[1].startswith("r,1,1,0")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"compat": "botium"}, "compat: input should be 'sensei', found 'botium'"),
        ({"path": ""}, "path: string should have at least 1 character, found ''"),
        ({"failing_cases": -1}, "failing_cases: input should be greater than or equal to 0"),
        ({"file": "x"}, "file: unknown key."),
    ],
)
def test_bad_settings_are_told(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        FakeContext().build(CsvReporter, **settings)
    assert message in str(caught.value)

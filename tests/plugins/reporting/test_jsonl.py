"""The reporter `jsonl`: a line per conversation as it is judged, and the sums at the end."""

import json
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import SparringError
from sparring.model.events import CaseJudged, RunFinished, RunStarted
from sparring.model.talk import Choice, Incident, IncidentKind, Observation, Output, Press
from sparring.model.verdict import Owner
from sparring.testing.conversations import run_events, store, trace_of, verdict_of
from sparring.testing.fakes import FakeContext
from sparring.testing.hostile import TEXTS
from sparring_plugins.reporting.jsonl import JsonLinesReporter


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


def test_a_case_is_written_when_it_is_judged(tmp_path: Path) -> None:
    reporter = FakeContext(base_dir=tmp_path).build(JsonLinesReporter, path="out/r.jsonl")
    traces = [trace_of([("hi", "hello")], n=n) for n in range(3)]
    seen: list[int] = []
    for event in run_events(traces, lambda trace: [verdict_of(trace)]):
        reporter.handle(event)
        if isinstance(event, CaseJudged):
            seen.append(len(lines(tmp_path / "out" / "r.jsonl")))
    assert seen == [1, 2, 3]
    assert reporter.written() == (tmp_path / "out" / "r.jsonl",)


def test_a_line_says_what_was_tried_said_and_judged(tmp_path: Path) -> None:
    trace = trace_of(
        [
            (None, "welcome"),
            ("hi", Observation(text="which?", choices=(Choice(label="big"),), payload={"a": 1})),
            (Press(label="big"), None),
        ],
        scenario="order",
        size="big",
        latencies=[0.1, 0.2],
        outputs=[Output(name="price", value=None)],
        incidents=[Incident(kind=IncidentKind.TIMEOUT, message="slow", owner=Owner.APP, turn=2)],
        meta={"source": "a/0.yml"},
    )
    reporter = FakeContext(base_dir=tmp_path).build(JsonLinesReporter, path="r.jsonl")
    for event in run_events([trace], lambda trace: [verdict_of(trace, "fail", reason="rude")]):
        reporter.handle(event)
    case, _ = lines(tmp_path / "r.jsonl")
    assert case["type"] == "case"
    assert case["case_id"] == trace.case.id
    assert case["scenario"] == "order"
    assert case["params"] == {"size": "big"}
    assert case["outcome"] == "fail"
    assert case["verdicts"][0]["reason"] == "rude"
    assert case["outputs"] == {"price": None}
    assert case["incidents"][0]["kind"] == "timeout"
    assert case["source"] == "a/0.yml"
    assert [(turn["act"], turn["user"], turn["app"]) for turn in case["transcript"]] == [
        ("listen", "", "welcome"),
        ("say", "hi", "which?"),
        ("press", "big", None),
    ]
    assert case["transcript"][1]["choices"][0]["label"] == "big"
    assert case["transcript"][1]["payload"] == {"a": 1}
    assert case["transcript"][1]["latency_s"] == 0.2


def test_the_last_line_is_the_summary_with_the_conditions_over_several(tmp_path: Path) -> None:
    trace = trace_of([("hi", "hello")])
    condition = verdict_of(trace, "fail", check="unique")
    reporter = FakeContext(base_dir=tmp_path).build(JsonLinesReporter, path="r.jsonl")
    for event in run_events([trace], concluded=[condition]):
        reporter.handle(event)
    *_, summary = lines(tmp_path / "r.jsonl")
    assert summary["type"] == "summary"
    assert summary["exit_code"] == 1
    assert summary["outcomes"] == {"fail": 1}
    assert [verdict["check"] for verdict in summary["conditions"]] == ["unique"]


def test_a_report_made_later_is_the_same(tmp_path: Path) -> None:
    traces = [trace_of([("hi", "hello")], n=n) for n in range(3)]
    condition = verdict_of(traces[0], check="unique")
    events = run_events(traces, concluded=[condition], folder=tmp_path / "run")
    context = FakeContext(base_dir=tmp_path)
    live = context.build(JsonLinesReporter, path="live.jsonl")
    (tmp_path / "early").mkdir()
    for event in run_events(traces, concluded=[condition]):
        live.handle(event)
    store(tmp_path / "run", events)
    later = context.build(JsonLinesReporter, path="later.jsonl")
    for event in events:
        if isinstance(event, (RunStarted, RunFinished)):
            later.handle(event)
    assert (tmp_path / "later.jsonl").read_bytes() == (tmp_path / "live.jsonl").read_bytes()


def test_a_run_taken_up_again_is_written_from_its_beginning(tmp_path: Path) -> None:
    traces = [trace_of([("hi", "hello")], n=n) for n in range(4)]
    events = run_events(traces, folder=tmp_path / "run")
    judged = [event for event in events if isinstance(event, CaseJudged)]
    store(tmp_path / "run", [events[0], events[1], *judged[:2]])
    reporter = FakeContext().build(JsonLinesReporter)
    for event in (events[0], *judged[2:], events[-1]):
        reporter.handle(event)
    found = lines(tmp_path / "run" / "results.jsonl")
    assert [line.get("case_id") for line in found] == [*(t.case.id for t in traces), None]


def test_standard_output_gets_the_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reporter = FakeContext().build(JsonLinesReporter, path="-")
    for event in run_events([trace_of([("hi", "hello")])]):
        reporter.handle(event)
    out = capsys.readouterr().out.splitlines()
    assert [json.loads(line)["type"] for line in out] == ["case", "summary"]
    assert reporter.written() == ()


@pytest.mark.parametrize("text", TEXTS, ids=[f"text {n}" for n in range(len(TEXTS))])
def test_whatever_is_said_a_line_is_one_line_of_ascii(tmp_path: Path, text: str) -> None:
    trace = trace_of([("hi", text)], outputs=[Output(name="n", value=float("inf"))])
    reporter = FakeContext(base_dir=tmp_path).build(JsonLinesReporter, path="r.jsonl")
    for event in run_events([trace]):
        reporter.handle(event)
    raw = (tmp_path / "r.jsonl").read_bytes()
    assert raw.isascii()
    assert len(raw.splitlines()) == 2
    assert b"\x1b" not in raw
    case = json.loads(raw.splitlines()[0], parse_constant=pytest.fail)
    observation = trace.turns[0].observation
    assert observation is not None
    assert case["transcript"][0]["app"] == observation.text


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    reporter = FakeContext(base_dir=tmp_path).build(JsonLinesReporter, path="file/r.jsonl")
    with pytest.raises(SparringError, match=r"the report .*r\.jsonl cannot be written"):
        reporter.handle(run_events([])[0])

"""Conversations and stored runs made by hand."""

from pathlib import Path

import pytest

from sparring.model.case import Case
from sparring.model.events import CaseJudged
from sparring.model.talk import (
    Ended,
    IncidentKind,
    Listen,
    Observation,
    Output,
    Press,
    Say,
    Trace,
    Turn,
)
from sparring.model.verdict import Outcome, Owner
from sparring.testing import hostile
from sparring.testing.conversations import (
    run_events,
    store,
    stored_run,
    summary_of,
    trace_of,
    verdict_of,
)


def test_exchanges_become_turns() -> None:
    seen = Observation(text="bye", ended=True)
    trace = trace_of(
        [(None, "hi"), ("pizza", None), (Press(label="yes"), seen)], latencies=[1, 2], size="big"
    )
    assert trace.turns == (
        Turn(act=Listen(), observation=Observation(text="hi"), latency_s=1),
        Turn(act=Say(text="pizza"), started_s=1, latency_s=2),
        Turn(act=Press(label="yes"), observation=seen, started_s=3),
    )
    assert trace.case == Case.of("talk", {"size": "big"}, run_seed=0)
    assert (trace.ended, trace.duration_s) == (Ended.SCRIPT_DONE, 3)


def test_outputs_incidents_and_meta_are_taken_over() -> None:
    crash = hostile.incident(IncidentKind.CRASH, 0)
    trace = trace_of([("hi", None)], outputs={"price": 3}, incidents=[crash], meta={"a": 1})
    assert trace.outputs == (Output(name="price", value=3),)
    assert (trace.incidents, trace.ended, trace.meta) == ((crash,), Ended.INCIDENT, {"a": 1})


def test_a_stored_run_can_be_read_again(tmp_path: Path) -> None:
    traces = [trace_of([("hi", "ho")], nr=nr) for nr in range(3)]
    verdicts = [[verdict_of(traces[0], "fail")], [verdict_of(traces[1])]]
    run = stored_run(tmp_path / "run", traces, verdicts, concluded=[verdict_of(traces[0])])
    assert [judged.trace for judged in run.judged()] == traces
    assert [len(judged.verdicts) for judged in run.judged()] == [1, 1, 0]
    assert run.summary is not None
    assert run.summary.exit_code == 1
    assert run.summary.cases == {Outcome.FAIL: 1, Outcome.PASS: 1, Outcome.SKIPPED: 1}
    assert run.summary.owners == {Owner.APP: 1}
    assert list(run.events()) == run_events(
        traces, verdicts, concluded=[verdict_of(traces[0])], folder=tmp_path / "run"
    )


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [([], 5), (["pass"], 0), (["pass", "error"], 3), (["inconclusive"], 3), (["error", "fail"], 1)],
)
def test_the_sums_give_the_exit_code(outcomes: list[str], code: int) -> None:
    trace = trace_of([])
    verdicts = tuple(verdict_of(trace, outcome) for outcome in outcomes)
    judged = CaseJudged(at=trace.started, trace=trace, verdicts=verdicts)
    assert summary_of([judged]).exit_code == code
    loose = tuple(verdict.model_copy(update={"gating": False}) for verdict in verdicts)
    code = 0 if "pass" in outcomes else 5
    assert summary_of([judged.model_copy(update={"verdicts": loose})]).exit_code == code


def test_a_run_begins_with_its_start(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="the first event of a run is its RunStarted"):
        store(tmp_path / "run", run_events([])[1:])


def test_hostile_traces_are_of_different_cases_and_can_be_stored() -> None:
    traces = hostile.traces()
    assert len({trace.case.id for trace in traces}) == len(traces)
    for trace in traces:
        assert Trace.model_validate_json(trace.model_dump_json()).case == trace.case


def test_hostile_traces_are_the_same_each_time() -> None:
    assert hostile.traces() == hostile.traces()

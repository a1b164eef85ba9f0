"""Conversations, events and stored runs for tests, without playing anything."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from pydantic import JsonValue

from sparring.engine.budget import Tally
from sparring.model.case import Case
from sparring.model.events import (
    CaseJudged,
    CasesAsked,
    CaseStarted,
    Event,
    RunConcluded,
    RunFinished,
    RunStarted,
    TurnTaken,
)
from sparring.model.run import Inconclusive, Run, Stop, Summary, Usage
from sparring.model.talk import (
    Act,
    Ended,
    Incident,
    Listen,
    Observation,
    Output,
    Say,
    Trace,
    Turn,
)
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.store import RunLog, StoredRun

EPOCH = datetime(2024, 1, 1, 12, tzinfo=UTC)
"""When everything made here happened."""

Exchange = tuple[str | Act | None, str | Observation | None]
"""What the user does (None: listens) and what the app answers (None: nothing at all)."""

Verdicts = Sequence[Sequence[Verdict]] | Callable[[Trace], Sequence[Verdict]]


def trace_of(
    exchanges: Iterable[Exchange],
    /,
    *,
    case: Case | None = None,
    scenario: str = "talk",
    outputs: Mapping[str, JsonValue] | Sequence[Output] = (),
    incidents: Sequence[Incident] = (),
    latencies: Sequence[float] = (),
    ended: Ended | None = None,
    meta: Mapping[str, JsonValue] | None = None,
    **params: JsonValue,
) -> Trace:
    """The trace of a conversation: ``trace_of([("hi", "hello"), ("bye", None)], size="big")``.

    `params` are the case's; `latencies` are in seconds, one per turn, 0 from where they end.
    """
    turns = tuple(_turns(exchanges, latencies))
    given = outputs.items() if isinstance(outputs, Mapping) else ()
    named = [Output(name=name, value=value) for name, value in given]
    return Trace(
        case=case or Case.of(scenario, params, run_seed=0),
        turns=turns,
        outputs=tuple(named if isinstance(outputs, Mapping) else outputs),
        incidents=tuple(incidents),
        ended=ended or (Ended.INCIDENT if incidents else Ended.SCRIPT_DONE),
        started=EPOCH,
        duration_s=sum(turn.latency_s for turn in turns),
        meta=dict(meta or {}),
    )


def _turns(exchanges: Iterable[Exchange], latencies: Sequence[float]) -> Iterator[Turn]:
    started = 0.0
    for index, (user, app) in enumerate(exchanges):
        latency = latencies[index] if index < len(latencies) else 0.0
        act = Listen() if user is None else Say(text=user) if isinstance(user, str) else user
        observation = Observation(text=app) if isinstance(app, str) else app
        yield Turn(act=act, observation=observation, started_s=started, latency_s=latency)
        started += latency


def verdict_of(
    trace: Trace,
    outcome: Outcome | str = Outcome.PASS,
    *,
    oracle: str = "rules",
    check: str = "polite",
    reason: str = "",
    gating: bool = True,
) -> Verdict:
    """A verdict on one trace; a non-pass is the app's and has a reason."""
    outcome = Outcome(outcome)
    owned = outcome not in (Outcome.PASS, Outcome.SKIPPED)
    return Verdict(
        oracle=oracle,
        check=check,
        outcome=outcome,
        case_ids=(trace.case.id,),
        owner=Owner.APP if owned else None,
        reason=reason or ("because of the test" if owned else ""),
        gating=gating,
    )


def run_events(
    traces: Iterable[Trace],
    verdicts: Verdicts = (),
    *,
    concluded: Sequence[Verdict] = (),
    name: str = "run",
    folder: Path | None = None,
    suite: Mapping[str, JsonValue] | None = None,
    inconclusive: Inconclusive = "error",
) -> list[Event]:
    """All events of a run in which these traces were judged so, in order.

    `verdicts` are those of each trace, in the order of the traces, or a callable; `inconclusive` is
    the suite's gate.
    """
    told = list(traces)
    judged = [
        CaseJudged(at=EPOCH, trace=trace, verdicts=tuple(_verdicts_on(trace, index, verdicts)))
        for index, trace in enumerate(told)
    ]
    run = Run(id=f"{name}-1", name=name, created=EPOCH, seed=0, suite=dict(suite or {}))
    events: list[Event] = [
        RunStarted(at=EPOCH, run=run, expected=len(told), folder=str(folder) if folder else None),
        CasesAsked(at=EPOCH, cases=tuple(trace.case for trace in told), state=len(told)),
    ]
    for event in judged:
        case = event.trace.case
        events.append(CaseStarted(at=EPOCH, case=case))
        events += [
            TurnTaken(at=EPOCH, case_id=case.id, index=index, turn=turn)
            for index, turn in enumerate(event.trace.turns)
        ]
        events.append(event)
    events.append(RunConcluded(at=EPOCH, verdicts=tuple(concluded)))
    summary = summary_of(judged, concluded, inconclusive=inconclusive)
    events.append(RunFinished(at=EPOCH, summary=summary))
    return events


def _verdicts_on(trace: Trace, index: int, verdicts: Verdicts) -> Sequence[Verdict]:
    if callable(verdicts):
        return verdicts(trace)
    return verdicts[index] if index < len(verdicts) else ()


def stored_run(
    folder: Path,
    traces: Iterable[Trace],
    verdicts: Verdicts = (),
    *,
    concluded: Sequence[Verdict] = (),
    name: str = "run",
    suite: Mapping[str, JsonValue] | None = None,
    inconclusive: Inconclusive = "error",
) -> StoredRun:
    """A finished run of these traces on the disk, in the new folder `folder`."""
    events = run_events(
        traces,
        verdicts,
        concluded=concluded,
        name=name,
        folder=folder,
        suite=suite,
        inconclusive=inconclusive,
    )
    return store(folder, events)


def store(folder: Path, events: Sequence[Event]) -> StoredRun:
    """Write events, the first of which is a `RunStarted`, as a run in the new folder `folder`."""
    first = events[0]
    if not isinstance(first, RunStarted):
        raise TypeError(f"the first event of a run is its RunStarted, not {first.kind}")
    log = RunLog.create(folder, first.run)
    for event in events:
        log.append_event(event)
    log.close()
    return StoredRun(folder)


def summary_of(
    judged: Sequence[CaseJudged],
    concluded: Sequence[Verdict] = (),
    *,
    inconclusive: Inconclusive = "error",
) -> Summary:
    """The sums of a run that was judged so; `inconclusive` is the suite's gate."""
    tally = Tally()
    for event in judged:
        tally.add_case(event.verdicts)
    tally.add(concluded)
    usage = Usage(cases=len(judged), turns=sum(len(event.trace.turns) for event in judged))
    reason = "a gating verdict failed" if tally.gating[Outcome.FAIL] else ""
    return tally.summary(Stop.COMPLETE, usage, reason=reason, inconclusive=inconclusive)

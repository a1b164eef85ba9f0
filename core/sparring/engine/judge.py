"""Asks the oracles for verdicts on traces, within limits of time and size."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from math import ceil
from typing import Any

from sparring.engine import oracle_call
from sparring.engine.broken_off import cutting_incident, not_played, without_blame
from sparring.engine.lag import LagMeter
from sparring.engine.oracle_call import MOST_OF_A_CASE, MOST_OF_ALL, OracleCall
from sparring.errors import BudgetSpent
from sparring.interfaces.oracle import Oracle
from sparring.model.talk import Incident, Trace
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.store import StoredTraces
from sparring.suite.building import Judge

_THOUSAND = 1000


async def judge_trace(
    judges: Sequence[Judge],
    trace: Trace,
    timeout_s: float,
    *,
    soft_limit_s: float | None = None,
    lag: LagMeter | None = None,
) -> list[Verdict]:
    """Return the verdicts of all oracles on a trace, in the order of the suite.

    An oracle that raises, returns what is no verdict, or takes longer than `timeout_s` seconds
    gives an error that the app does not own. If one blocks everything else for more than
    `soft_limit_s` seconds (else `oracle_call.SOFT_LIMIT_S`; 0 means at once), another process
    judges by it from then on, which is killed if it does not return. `lag` measures for how long
    the machine gave no processor time.

    A case that could not be played to its end never looks like a pass, and the app is not blamed
    for what is missing in it. Raises BudgetSpent.
    """
    calls = [
        OracleCall(
            judge=judge,
            ask=partial(judge.oracle.judge, trace),
            subject=trace,
            case_ids=(trace.case.id,),
            most=MOST_OF_A_CASE,
            timeout_s=timeout_s,
            soft_limit_s=oracle_call.SOFT_LIMIT_S if soft_limit_s is None else soft_limit_s,
            lag=lag,
            about=(trace.case.id,),
        )
        for judge in judges
    ]
    if len(calls) == 1:
        answers = [await calls[0].answer()]
    else:
        async with asyncio.TaskGroup() as group:  # unlike gather, it waits for what it cancels
            tasks = [group.create_task(call.answer()) for call in calls]
        answers = [task.result() for task in tasks]
    incident = cutting_incident(trace)
    cut_off = {} if incident is None else {trace.case.id: incident}
    verdicts: list[Verdict] = []
    for judge, answer in zip(judges, answers, strict=True):
        if isinstance(answer, BudgetSpent):  # raised now that no other oracle is at work any more
            raise answer
        verdicts += [_label_verdict(judge, verdict, cut_off) for verdict in answer]
    return [*verdicts, *not_played(trace, verdicts)]


async def conclude(
    judges: Sequence[Judge],
    traces: Iterable[Trace],
    timeout_s: float,
    *,
    soft_limit_s: float | None = None,
    lag: LagMeter | None = None,
) -> list[Verdict]:
    """Return the verdicts over several or all conversations, in the order of the suite.

    The arguments are as for `judge_trace`; of a stored run, both times are granted once for each
    thousand conversations that is begun. Raises BudgetSpent.
    """
    run = traces.run if isinstance(traces, StoredTraces) else None
    times = 1 if run is None else max(1, ceil(len(run.case_ids) / _THOUSAND))
    soft_limit_s = oracle_call.SOFT_LIMIT_S if soft_limit_s is None else soft_limit_s
    verdicts: list[Verdict] = []
    for judge in judges:
        if not concludes(judge.oracle):
            continue
        call = OracleCall(
            judge=judge,
            ask=partial(judge.oracle.conclude, traces),
            subject=None if run is None else run.folder,
            case_ids=None if run is None else frozenset(run.case_ids),
            most=MOST_OF_ALL,
            timeout_s=timeout_s * times,
            soft_limit_s=soft_limit_s * times,
            lag=lag,
        )
        answer = await call.answer()
        if isinstance(answer, BudgetSpent):
            raise answer
        cut_off = _cut_off(traces, answer)
        verdicts += [_label_verdict(judge, verdict, cut_off) for verdict in answer]
    return verdicts


def concludes(oracle: Oracle[Any]) -> bool:
    """Return whether an oracle has conditions over several conversations at all."""
    plain: Any = Oracle
    return type(oracle).conclude is not plain.conclude


def _cut_off(traces: Iterable[Trace], verdicts: Iterable[Verdict]) -> dict[str, Incident]:
    """What cut off the conversations for which verdicts blame the app, by the id of the case."""
    blamed = {
        case_id
        for verdict in verdicts
        if verdict.outcome is Outcome.FAIL and verdict.owner is Owner.APP
        for case_id in verdict.case_ids
    }
    if not blamed:
        return {}
    if isinstance(traces, StoredTraces):
        shown = (traces.run.case(case_id).trace for case_id in blamed)
    else:
        shown = (trace for trace in traces if trace.case.id in blamed)
    incidents = ((trace.case.id, cutting_incident(trace)) for trace in shown)
    return {case_id: incident for case_id, incident in incidents if incident is not None}


def _label_verdict(judge: Judge, verdict: Verdict, cut_off: Mapping[str, Incident]) -> Verdict:
    """A verdict as the run counts it: by the oracle's label, gating, and whose matter it is."""
    gating = verdict.gating and judge.gating
    if verdict.oracle != judge.label or verdict.gating != gating:
        verdict = verdict.model_copy(update={"oracle": judge.label, "gating": gating})
    return without_blame(verdict, cut_off, local=judge.oracle.local) if cut_off else verdict

"""Traces to verdicts, with every oracle kept in bounds."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, cast

from sparring.blame import described
from sparring.errors import BudgetSpent, ModelError
from sparring.interfaces.oracle import Oracle
from sparring.model.talk import IncidentKind, Trace
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict
from sparring.suite.building import Judge

_NOT_PLAYED = (
    IncidentKind.PLAYER_ERROR,
    IncidentKind.MODEL_ERROR,
    IncidentKind.CASE_TIMEOUT,
    IncidentKind.UNREACHABLE,
    IncidentKind.PROTOCOL,
)
_NEVER_HEARD = (*_NOT_PLAYED, IncidentKind.CRASH, IncidentKind.TIMEOUT, IncidentKind.UNRESOLVED)


async def judge_trace(judges: Sequence[Judge], trace: Trace, timeout_s: float) -> list[Verdict]:
    """The verdicts of all oracles on a trace, in the order of the suite.

    An oracle that raises or takes too long gives an error that the judge owns, never a
    failure of the app. A case that could not be played never looks like a pass: it is an error,
    or inconclusive where a value that it needs is not known.
    """
    calls = [
        _bounded(judge, partial(judge.oracle.judge, trace), timeout_s, trace) for judge in judges
    ]
    found = [await calls[0]] if len(calls) == 1 else await asyncio.gather(*calls)
    verdicts = [verdict for each in found for verdict in each]
    outcomes = {verdict.outcome for verdict in verdicts}
    if not outcomes & {Outcome.FAIL, Outcome.ERROR}:
        verdicts += [one for one in _not_played(trace) if one.outcome not in outcomes]
    return verdicts


async def conclude(
    judges: Sequence[Judge], traces: Iterable[Trace], timeout_s: float
) -> list[Verdict]:
    """The verdicts over several or all conversations, in the order of the suite."""
    verdicts: list[Verdict] = []
    for judge in judges:
        if concludes(judge.oracle):
            asked = partial(judge.oracle.conclude, traces)
            verdicts += await _bounded(judge, asked, timeout_s, None)
    return verdicts


def concludes(oracle: Oracle[Any]) -> bool:
    """Whether an oracle has conditions over several conversations at all."""
    plain: Any = Oracle
    return type(oracle).conclude is not plain.conclude


async def _bounded(
    judge: Judge, ask: Callable[[], Any], timeout_s: float, trace: Trace | None
) -> list[Verdict]:
    try:
        async with asyncio.timeout(timeout_s):
            found = cast("Sequence[Verdict]", await ask())
        return [_labelled(judge, verdict) for verdict in found]
    except TimeoutError:
        reason = f"no judgement within {timeout_s:g} seconds (judge_timeout)"
    except BudgetSpent:
        raise
    except ModelError as err:
        reason = str(err)
    except (Exception, SystemExit) as err:  # noqa: BLE001 - an oracle must not stop the run
        reason = described(err)
    return [
        Verdict(
            oracle=judge.label,
            check="judge",
            outcome=Outcome.ERROR,
            owner=Owner.JUDGE,
            case_ids=(trace.case.id,) if trace else (),
            reason=reason,
            gating=judge.gating,
        )
    ]


def _labelled(judge: Judge, verdict: Verdict) -> Verdict:
    gating = verdict.gating and judge.gating
    if verdict.oracle == judge.label and verdict.gating == gating:
        return verdict
    return verdict.model_copy(update={"oracle": judge.label, "gating": gating})


def _not_played(trace: Trace) -> list[Verdict]:
    heard = any(turn.observation is not None for turn in trace.turns)
    kinds = _NOT_PLAYED if heard else _NEVER_HEARD
    return [
        Verdict(
            oracle="sparring",
            check="played",
            outcome=Outcome.INCONCLUSIVE
            if incident.kind is IncidentKind.UNRESOLVED
            else Outcome.ERROR,
            owner=incident.owner,
            case_ids=(trace.case.id,),
            reason=f"{incident.kind.value}: {incident.message}",
            turns=(TurnRef(case_id=trace.case.id, turn=incident.turn),)
            if incident.turn is not None
            else (),
        )
        for incident in trace.incidents
        if incident.kind in kinds
    ][:1]

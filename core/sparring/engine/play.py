"""One case: open the session, let the player act, close whatever happens."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from time import monotonic
from typing import Any, cast

from sparring.blame import described
from sparring.errors import (
    AnswerInvalid,
    AppCrash,
    AppError,
    AppProtocolError,
    AppTimeout,
    AppUnreachable,
    BudgetSpent,
    ModelError,
)
from sparring.interfaces.agent import Player, PlayTask
from sparring.interfaces.app_connector import AppConnector, AppSession
from sparring.model.case import Case
from sparring.model.facts import AppFacts
from sparring.model.talk import Act, Ended, Incident, IncidentKind, Observation, Trace, Turn
from sparring.model.verdict import Owner

Heard = Callable[[Case, int, Turn], None]
"""Told of each turn as it is over."""

KINDS: dict[type[AppError], tuple[IncidentKind, Owner]] = {
    AppCrash: (IncidentKind.CRASH, Owner.APP),
    AppTimeout: (IncidentKind.TIMEOUT, Owner.APP),
    AppProtocolError: (IncidentKind.PROTOCOL, Owner.APP),
    AppUnreachable: (IncidentKind.UNREACHABLE, Owner.INFRASTRUCTURE),
}


def incident_of(err: AppError, turn: int | None) -> Incident:
    """The incident that an app's misbehaviour is recorded as."""
    for kind, (name, owner) in KINDS.items():
        if isinstance(err, kind):
            return Incident(kind=name, message=str(err), owner=owner, turn=turn)
    return Incident(kind=IncidentKind.CRASH, message=str(err), owner=Owner.APP, turn=turn)


def model_incident(err: ModelError, turn: int | None) -> Incident:
    """The incident that a failing language model behind a player is recorded as.

    A model that gives no usable answer is the choice of the test's author; a service that gives
    none at all is a matter of whoever runs it. The app has no part in either.
    """
    owner = Owner.TEST if isinstance(err, AnswerInvalid) else Owner.INFRASTRUCTURE
    return Incident(kind=IncidentKind.MODEL_ERROR, message=str(err), owner=owner, turn=turn)


@dataclass(slots=True)
class RecordingSession(AppSession):
    """Measures and records every turn of the session inside, also the failing ones."""

    inner: AppSession
    case: Case
    turns: list[Turn]
    clock: float
    heard: Heard

    def facts(self) -> AppFacts | None:
        """See `AppSession.facts`."""
        return self.inner.facts()

    async def send(self, act: Act) -> Observation:
        """See `AppSession.send`."""
        began = monotonic()
        turn = Turn(act=act, started_s=began - self.clock)
        try:
            found = cast("object", await self.inner.send(act))
            if not isinstance(found, Observation):
                raise AppProtocolError(
                    f"the connector returned {type(found).__name__}, not an Observation"
                )
            turn = turn.model_copy(update={"observation": found})
            return found
        finally:
            turn = turn.model_copy(update={"latency_s": monotonic() - began})
            self.turns.append(turn)
            self.heard(self.case, len(self.turns) - 1, turn)


async def play(
    player: Player[Any],
    connector: AppConnector[Any],
    case: Case,
    *,
    timeout_s: float,
    heard: Heard,
    problem: Callable[[str], None],
) -> Trace:
    """Play a case and return its trace, whatever the app, the connector or the player do.

    Only cancellation of the run passes, and BudgetSpent. `problem` is told of errors in closing,
    which harm nothing. Where the connector repeats a recorded conversation, its times count.
    """
    recorded = connector.recorded(case)
    task = PlayTask(case, AppSession(), [], recorded.started if recorded else datetime.now(UTC))
    opened: list[AppSession] = []
    trace = await _played(player, connector, task, timeout_s, heard, problem, opened)
    trace = _with_facts(trace, opened, problem)
    return _with_times_of(recorded, trace) if recorded else trace


async def _played(
    player: Player[Any],
    connector: AppConnector[Any],
    task: PlayTask,
    timeout_s: float,
    heard: Heard,
    problem: Callable[[str], None],
    opened: list[AppSession],
) -> Trace:
    turns = cast("list[Turn]", task.turns)
    limit = asyncio.timeout(timeout_s)
    try:
        async with limit:
            return await _in_session(player, connector, task, turns, heard, problem, opened)
    except BudgetSpent:
        raise
    except AppError as err:
        incident = incident_of(err, len(turns) - 1 if turns else None)
    except ModelError as err:
        incident = model_incident(err, len(turns) - 1 if turns else None)
    except (Exception, SystemExit) as err:  # noqa: BLE001 - one case must not stop the run
        if limit.expired():
            message = f"the case was not over after {timeout_s:g} seconds (case_timeout)"
            incident = _test_incident(IncidentKind.CASE_TIMEOUT, message, turns)
        else:
            message = described(err)
            incident = _test_incident(IncidentKind.PLAYER_ERROR, message, turns)
    return task.trace(Ended.INCIDENT, incidents=[incident], meta=_meta(player, task.case))


def _with_facts(trace: Trace, opened: list[AppSession], problem: Callable[[str], None]) -> Trace:
    """The trace with what the connector tells of the app now that its session is closed."""
    for session in opened:
        try:
            facts = cast("object", session.facts())
        except Exception as err:  # noqa: BLE001 - the conversation is over and stays good
            problem(f"facts of the app in {trace.case.id}: {type(err).__name__}: {err}")
            continue
        if isinstance(facts, AppFacts):
            return trace.model_copy(update={"app": facts})
    return trace


def _with_times_of(recorded: Trace, trace: Trace) -> Trace:
    """A repeated conversation with the times of the first one, if it went the same way."""
    if [turn.act for turn in trace.turns] != [turn.act for turn in recorded.turns]:
        return trace
    turns = tuple(
        turn.model_copy(update={"started_s": then.started_s, "latency_s": then.latency_s})
        for turn, then in zip(trace.turns, recorded.turns, strict=True)
    )
    return trace.model_copy(update={"turns": turns, "duration_s": recorded.duration_s})


async def _in_session(
    player: Player[Any],
    connector: AppConnector[Any],
    task: PlayTask,
    turns: list[Turn],
    heard: Heard,
    problem: Callable[[str], None],
    opened: list[AppSession],
) -> Trace:
    trace: Trace | None = None
    async with AsyncExitStack() as stack:
        inner = await stack.enter_async_context(connector.open(task.case))
        session = RecordingSession(inner, task.case, turns, task.clock, heard)
        opened.append(session)
        played = cast("object", await player.act(replace(task, session=session)))
        if not isinstance(played, Trace):
            raise TypeError(f"the player returned {type(played).__name__}, not a Trace")
        if played.case != task.case:
            raise ValueError(f"the player returned the trace of {played.case.id!r}")
        trace = played
        try:
            await stack.aclose()
        except Exception as err:  # noqa: BLE001 - the conversation is over and stays good
            problem(f"closing the session of {task.case.id}: {type(err).__name__}: {err}")
    return trace


def _test_incident(kind: IncidentKind, message: str, turns: list[Turn]) -> Incident:
    turn = len(turns) - 1 if turns else None
    return Incident(kind=kind, message=message, owner=Owner.TEST, turn=turn)


def _meta(player: Player[Any], case: Case) -> dict[str, Any]:
    try:
        return player.meta(case)
    except Exception:  # noqa: BLE001 - the player already failed; its incident says how
        return {}

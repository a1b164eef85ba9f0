"""One case: open the session, let the player act, close whatever happens."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from time import monotonic
from typing import Any, cast

from sparring.engine.blame import described
from sparring.errors import AppCrash, AppError, AppProtocolError, AppTimeout, AppUnreachable
from sparring.interfaces.agent import Player, PlayTask
from sparring.interfaces.app_connector import AppConnector, AppSession
from sparring.model.case import Case
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


@dataclass(slots=True)
class RecordingSession(AppSession):
    """Measures and records every turn of the session inside, also the failing ones."""

    inner: AppSession
    case: Case
    turns: list[Turn]
    clock: float
    heard: Heard

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

    Only cancellation of the run passes. `problem` is told of errors in closing, which harm
    nothing.
    """
    task = PlayTask(case, AppSession(), [], datetime.now(UTC))
    turns = cast("list[Turn]", task.turns)
    limit = asyncio.timeout(timeout_s)
    try:
        async with limit:
            return await _in_session(player, connector, task, turns, heard, problem)
    except AppError as err:
        incident = incident_of(err, len(turns) - 1 if turns else None)
    except (Exception, SystemExit) as err:  # noqa: BLE001 - one case must not stop the run
        if limit.expired():
            message = f"the case was not over after {timeout_s:g} seconds (case_timeout)"
            incident = _test_incident(IncidentKind.CASE_TIMEOUT, message, turns)
        else:
            message = described(err)
            incident = _test_incident(IncidentKind.PLAYER_ERROR, message, turns)
    return task.trace(Ended.INCIDENT, incidents=[incident], meta=_meta(player, case))


async def _in_session(
    player: Player[Any],
    connector: AppConnector[Any],
    task: PlayTask,
    turns: list[Turn],
    heard: Heard,
    problem: Callable[[str], None],
) -> Trace:
    trace: Trace | None = None
    async with AsyncExitStack() as stack:
        inner = await stack.enter_async_context(connector.open(task.case))
        session = RecordingSession(inner, task.case, turns, task.clock, heard)
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

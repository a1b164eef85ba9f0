"""Playing one case without an engine: a session that records, and a play from open to close."""

from datetime import datetime
from time import monotonic
from typing import Any

from sparring.errors import AppError
from sparring.interfaces.agent import Player, PlayTask
from sparring.interfaces.app_connector import AppConnector, AppSession
from sparring.model.case import Case
from sparring.model.talk import Act, Observation, Trace, Turn
from sparring.testing.conversations import EPOCH


class RecordingSession(AppSession):
    """A session that notes each turn in `turns`, also one whose `send` raises."""

    def __init__(self, session: AppSession) -> None:
        self.turns: list[Turn] = []
        self._session = session
        self._began = monotonic()

    async def send(self, act: Act) -> Observation:
        """Send the act on, and record the turn."""
        started = monotonic()
        seen: Observation | None = None
        try:
            seen = await self._session.send(act)
            return seen
        finally:
            self.turns.append(
                Turn(
                    act=act,
                    observation=seen,
                    started_s=started - self._began,
                    latency_s=monotonic() - started,
                )
            )


def task_for(case: Case, session: RecordingSession, *, started: datetime = EPOCH) -> PlayTask:
    """The task of playing a case in a session."""
    return PlayTask(case=case, session=session, turns=session.turns, started=started)


async def play(player: Player[Any], connector: AppConnector[Any], case: Case) -> Trace | AppError:
    """Play a case from opening to closing the session; an AppError that passes is returned."""
    try:
        async with connector.open(case) as session:
            return await player.act(task_for(case, RecordingSession(session)))
    except AppError as err:
        return err

"""Errors of an app that a player went on after: kept in a trace, for a replay to raise again.

A turn without an observation has its error in `Trace.incidents` only if that ended the case.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import JsonValue

from sparring.engine.play import KINDS
from sparring.errors import AppError
from sparring.format_error import error_text
from sparring.interfaces.app_connector import AppSession
from sparring.model.talk import Act, AppFacts, Observation, Trace, Turn

#: The key of `Trace.meta`: by the 0-based number of the turn, the kind of the error and its text.
META = "survived"


class NotingSession(AppSession):
    """A session that keeps which errors the app's session raised, by turn.

    `turns` are those of the conversation, to which the engine adds each turn as it ends.
    """

    def __init__(self, session: AppSession, turns: Sequence[Turn]) -> None:
        self._session = session
        self._turns = turns
        self._errors: dict[int, tuple[str, str]] = {}

    async def send(self, act: Act) -> Observation:
        """See `AppSession.send`."""
        try:
            return await self._session.send(act)
        except AppError as err:
            kind = next((kind for error, (kind, _) in KINDS.items() if isinstance(err, error)), "")
            self._errors[len(self._turns) - 1] = (str(kind), error_text(err))
            raise

    def facts(self) -> AppFacts | None:
        """See `AppSession.facts`."""
        return self._session.facts()

    def upcoming(self) -> tuple[Act, ...] | None:
        """See `AppSession.upcoming`."""
        return self._session.upcoming()

    def meta(self, last: int | None = None) -> dict[str, JsonValue]:
        """Return what a trace keeps: nothing if no error was survived.

        `last` is the turn whose error ended the case: that one is an incident.
        """
        survived: dict[str, JsonValue] = {
            str(turn): list(error) for turn, error in self._errors.items() if turn != last
        }
        return {META: survived} if survived else {}


def survived_error(trace: Trace, turn: int) -> AppError | None:
    """Return the error of a turn that the player went on after, or None if none is kept."""
    errors = trace.meta.get(META)
    entry: Any = (
        cast("Mapping[str, Any]", errors).get(str(turn)) if isinstance(errors, dict) else None
    )
    if not isinstance(entry, list | tuple) or len(cast("list[Any]", entry)) != 2:
        return None
    kind, message = map(str, cast("list[Any]", entry))
    return next((error(message) for error, (name, _) in KINDS.items() if name == kind), None)

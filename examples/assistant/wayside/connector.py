"""The assistant without a network, for searches of many thousand requests.

``app: {use: "wayside.connector:WaysideConnector"}``, with this folder on the Python path.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import ClassVar

from sparring import (
    Act,
    AppConnector,
    AppSession,
    Capability,
    Case,
    Listen,
    Observation,
    PluginConfig,
    act_text,
)
from wayside.assistant import GREETING, Assistant


class WaysideSession(AppSession):
    """One conversation."""

    def __init__(self) -> None:
        self._assistant = Assistant()

    async def send(self, act: Act) -> Observation:
        """Say something to the assistant, or listen to its greeting."""
        if isinstance(act, Listen):
            return Observation(text=GREETING)
        answer = self._assistant.answer(act_text(act))
        return Observation(text=answer.text, payload=answer.shown())


class WaysideConnector(AppConnector[PluginConfig]):
    """Talks to the assistant in this process."""

    offers: ClassVar[frozenset[Capability]] = frozenset({Capability.TEXT, Capability.SESSIONS})

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[AppSession]:
        """Open a conversation."""
        yield WaysideSession()

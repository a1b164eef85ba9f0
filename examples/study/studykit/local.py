"""The assistants without a network, for searches of many thousand requests."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import ClassVar

from sparring import (
    Act,
    AppConnector,
    AppSession,
    Capability,
    Case,
    Observation,
    PluginConfig,
    act_text,
)
from studykit.answers import Assistant


class LocalSession(AppSession):
    """One conversation."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant

    async def send(self, act: Act) -> Observation:
        """Say something to the assistant."""
        answer = self._assistant.answer(act_text(act))
        return Observation(text=answer.text, payload=answer.shown())


class LocalConnector(AppConnector[PluginConfig]):
    """Talks to an assistant in this process; a connector of one says which by `assistant`."""

    offers: ClassVar[frozenset[Capability]] = frozenset({Capability.TEXT, Capability.SESSIONS})

    def assistant(self) -> Assistant:
        """A conversation of its own."""
        raise NotImplementedError

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[AppSession]:
        """Open a conversation."""
        yield LocalSession(self.assistant())

"""Parts that suites of the table of exit codes name: each does one thing that parts should not."""

import asyncio
import errno
import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from sparring.interfaces.agent import PlayTask
from sparring.interfaces.app_connector import AppSession
from sparring.interfaces.plugin import BuildContext
from sparring.model.case import Case
from sparring.model.chat import ChatMessage, ChatRequest
from sparring.model.events import Event
from sparring.model.talk import Act, Observation, Trace
from sparring.testing.fakes import (
    FakeConnector,
    FakeOracle,
    FakePlayer,
    FakeReporter,
    FakeSession,
    FakeStrategy,
)
from sparring.testing.fakes.app_connector import FakeConnectorConfig
from sparring.testing.fakes.reporter import FakeReporterConfig


class _Odd(FakeConnector):
    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[AppSession, None]:  # type: ignore[override]
        yield self.session(case)

    def session(self, case: Case) -> AppSession:
        raise NotImplementedError


class CancellingConnector(_Odd):
    """Its `send` waits for a task of its own that was cancelled."""

    def session(self, case: Case) -> AppSession:
        class Session(FakeSession):
            async def send(self, act: Act) -> Observation:
                task = asyncio.create_task(asyncio.sleep(10))
                task.cancel()
                await task
                return Observation()

        return Session(self.config, case)


class ExitingConnector(_Odd):
    """Its `send` ends the program, as if all were well."""

    def session(self, case: Case) -> AppSession:
        class Session(FakeSession):
            async def send(self, act: Act) -> Observation:
                raise SystemExit(0)

        return Session(self.config, case)


class RaisingConnector(_Odd):
    """Its `send` has a bug."""

    def session(self, case: Case) -> AppSession:
        class Session(FakeSession):
            async def send(self, act: Act) -> Observation:
                return {"text": "hi"}["answer"]  # type: ignore[return-value]

        return Session(self.config, case)


class UnbuildableConnector(FakeConnector):
    """Cannot be made."""

    def __init__(self, config: FakeConnectorConfig, context: BuildContext) -> None:
        raise ZeroDivisionError("no connector today")


class ExitingAtBirth(FakeConnector):
    """Ends the program while it is made, as if all were well."""

    def __init__(self, config: FakeConnectorConfig, context: BuildContext) -> None:
        raise SystemExit(0)


class SilentStrategy(FakeStrategy):
    """Has cases, and asks for none of them."""

    def ask(self, n: int) -> Sequence[Case]:
        return []


class RaisingStrategy(FakeStrategy):
    """Breaks when it is asked for the next cases."""

    def ask(self, n: int) -> Sequence[Case]:
        if self._asked:
            raise LookupError("no more ideas")
        return super().ask(1)


class RaisingReporter(FakeReporter):
    """Breaks at the end of the run, when it would write its report."""

    def __init__(self, config: FakeReporterConfig, context: BuildContext) -> None:
        super().__init__(config, context)

    def handle(self, event: Event) -> None:
        if event.kind == "run_finished":
            raise OSError("no room for the report")


class FullDiskReporter(FakeReporter):
    """Has no space for its report."""

    def handle(self, event: Event) -> None:
        if event.kind == "run_finished":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class RaisingOracle(FakeOracle):
    """Has a bug."""

    async def judge(self, trace: Trace) -> Any:
        raise AttributeError("no such thing")


class AskingTwice(FakePlayer):
    """Asks a language model twice, so that a budget of one token ends every case."""

    async def act(self, task: PlayTask) -> Trace:
        backend = self.context.llm("user")
        assert backend is not None
        for question in ("one?", "two?"):
            asked = (ChatMessage(role="user", content=question),)
            await backend.complete(ChatRequest(asker="user", messages=asked))
        return await super().act(task)

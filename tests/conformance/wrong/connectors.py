"""Connectors that break the interface, each in one way; `fails` are the tests that notice."""

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any, ClassVar

import pytest

from sparring.errors import AppTimeout
from sparring.interfaces.app_connector import AppConnector, AppSession
from sparring.interfaces.plugin import PluginConfig
from sparring.model.case import Case
from sparring.model.talk import Act, Listen, Observation, act_text
from sparring.testing.conformance.app_connector import AppConnectorKit
from sparring.testing.fakes import FakeConnector, FakeSession

BACKGROUND: set[asyncio.Task[Any]] = set()


class Given(AppConnectorKit):
    wrong: ClassVar[type[AppConnector[Any]]]
    fails: ClassVar[set[str]]

    @pytest.fixture
    def plugin(self) -> type[AppConnector[Any]]:
        return self.wrong


class Counting(FakeSession):
    """Numbers its answers, as an app with a memory does."""

    async def send(self, act: Act) -> Observation:
        seen = await super().send(act)
        return Observation(text=f"{len(self.acts)}: {seen.text}"[:100])


def count_open(connector: Any) -> int:
    return sum(not session.closed for session in connector.sessions)


class TestRight(Given):
    wrong = FakeConnector
    fails: ClassVar[set[str]] = set()

    @pytest.fixture
    def open_sessions(self) -> Callable[[AppConnector[Any]], int]:
        return count_open

    @pytest.fixture
    def unreachable_settings(self) -> dict[str, str]:
        return {"fails_to_open": "unreachable"}


class Silent(FakeConnector):
    """Has an app that never answers if it is told so, as `fails_to_open: timeout` stands for."""

    error: ClassVar[type[Exception]] = AppTimeout

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[FakeSession, None]:
        if self.config.fails_to_open == "timeout":
            raise self.error("no answer")
        async with super().open(case) as session:
            yield session


class GivenSilent(Given):
    @pytest.fixture
    def silent_settings(self) -> dict[str, str]:
        return {"fails_to_open": "timeout"}


class TestRightAboutSilence(GivenSilent):
    wrong = Silent
    fails: ClassVar[set[str]] = set()


class LetsTimeoutsPass(Silent):
    error = TimeoutError


class TestLetsTimeoutsPass(GivenSilent):
    wrong = LetsTimeoutsPass
    fails: ClassVar[set[str]] = {"test_an_app_that_never_answers_is_a_time_out"}


class TestMakesAnAnswerUp(Given):
    wrong = FakeConnector
    fails: ClassVar[set[str]] = {"test_an_app_that_never_answers_is_a_time_out"}

    @pytest.fixture
    def silent_settings(self) -> dict[str, str]:
        return {"greeting": "Hello?"}


class SleepsInSend(FakeConnector):
    class Session(FakeSession):
        async def send(self, act: Act) -> Observation:
            time.sleep(0.02)
            return await super().send(act)

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[FakeSession, None]:
        yield self.Session(self.config, case)


class TestSleepsInSend(Given):
    wrong = SleepsInSend
    fails: ClassVar[set[str]] = {"test_waiting_does_not_block_the_event_loop"}


class SleepsInOpen(FakeConnector):
    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[FakeSession, None]:
        time.sleep(0.05)
        yield FakeSession(self.config, case)


class TestSleepsInOpen(Given):
    wrong = SleepsInOpen
    fails: ClassVar[set[str]] = {"test_waiting_does_not_block_the_event_loop"}


class WaitsForAProgram(FakeConnector):
    class Session(FakeSession):
        async def send(self, act: Act) -> Observation:
            subprocess.run(
                [sys.executable, "-S", "-c", "import time; time.sleep(0.05)"], check=True
            )
            return await super().send(act)

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[FakeSession, None]:
        yield self.Session(self.config, case)


class TestWaitsForAProgram(Given):
    wrong = WaitsForAProgram
    fails: ClassVar[set[str]] = {"test_waiting_does_not_block_the_event_loop"}


class SharesOneSession(FakeConnector):
    shared: Counting | None = None

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[FakeSession, None]:
        self.shared = self.shared or Counting(self.config, case)
        yield self.shared


class TestSharesOneSession(Given):
    wrong = SharesOneSession
    fails: ClassVar[set[str]] = {
        "test_each_session_is_an_object_of_its_own",
        "test_a_session_is_not_disturbed_by_another",
        "test_a_second_case_starts_afresh",
    }


class AnswersWithText(FakeConnector):
    class Session(AppSession):
        async def send(self, act: Act) -> Any:
            return act_text(act)

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[AppSession, None]:
        yield self.Session()


class TestAnswersWithText(Given):
    deterministic = False
    wrong = AnswersWithText
    fails: ClassVar[set[str]] = {
        "test_every_text_is_answered_with_an_observation",
        "test_listening_is_legal_at_any_time",
        "test_hostile_texts_end_in_an_answer_or_an_app_error",
        "test_hostile_cases_open_or_raise_an_app_error",
        "test_unexpected_acts_end_in_an_answer_or_an_app_error",
        "test_acts_that_it_does_not_offer_end_in_a_sparring_error",
    }


class SendsAscii(FakeConnector):
    class Session(FakeSession):
        async def send(self, act: Act) -> Observation:
            act_text(act).encode("ascii")
            return await super().send(act)

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[FakeSession, None]:
        yield self.Session(self.config, case)


class TestSendsAscii(Given):
    wrong = SendsAscii
    fails: ClassVar[set[str]] = {"test_hostile_texts_end_in_an_answer_or_an_app_error"}


class CannotListen(FakeConnector):
    class Session(FakeSession):
        async def send(self, act: Act) -> Observation:
            if isinstance(act, Listen):
                raise NotImplementedError
            return await super().send(act)

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[FakeSession, None]:
        yield self.Session(self.config, case)


class TestCannotListen(Given):
    wrong = CannotListen
    fails: ClassVar[set[str]] = {"test_listening_is_legal_at_any_time"}


class KeepsCancellation(FakeConnector):
    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[FakeSession, None]:
        try:
            yield FakeSession(self.config, case)
        except asyncio.CancelledError:
            return


class TestKeepsCancellation(Given):
    wrong = KeepsCancellation
    fails: ClassVar[set[str]] = {"test_cancelling_passes_and_leaves_nothing_running"}


class KeepsErrorsOfThePlayer(FakeConnector):
    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[FakeSession, None]:
        try:
            yield FakeSession(self.config, case)
        except Exception as err:
            if type(err).__name__ != "Boom":
                raise


class TestKeepsErrorsOfThePlayer(Given):
    wrong = KeepsErrorsOfThePlayer
    fails: ClassVar[set[str]] = {"test_what_the_player_raises_passes"}


class LeavesTasksRunning(FakeConnector):
    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[FakeSession, None]:
        BACKGROUND.add(asyncio.create_task(asyncio.Event().wait()))
        yield FakeSession(self.config, case)


class TestLeavesTasksRunning(Given):
    wrong = LeavesTasksRunning
    fails: ClassVar[set[str]] = {"test_cancelling_passes_and_leaves_nothing_running"}


class OneAtATime(FakeConnector):
    lock: asyncio.Lock | None = None

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[FakeSession, None]:
        self.lock = self.lock or asyncio.Lock()
        async with self.lock:
            yield FakeSession(self.config, case)


class TestOneAtATime(Given):
    limit_s = 1.0
    wrong = OneAtATime
    fails: ClassVar[set[str]] = {
        "test_several_sessions_are_open_at_once",
        "test_each_session_is_an_object_of_its_own",
        "test_a_session_is_not_disturbed_by_another",
    }


class RefusesInItsOwnWay(FakeConnector):
    async def probe(self) -> None:
        if self.config.fails_to_open:
            raise ConnectionRefusedError


class TestRefusesInItsOwnWay(Given):
    wrong = RefusesInItsOwnWay
    fails: ClassVar[set[str]] = {"test_an_app_that_is_not_there_is_unreachable"}

    @pytest.fixture
    def unreachable_settings(self) -> dict[str, str]:
        return {"fails_to_open": "unreachable"}


class ForgetsToCloseAfterErrors(FakeConnector):
    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[FakeSession, None]:
        session = FakeSession(self.config, case)
        self.sessions.append(session)
        yield session
        session.closed = True


class TestForgetsToCloseAfterErrors(Given):
    wrong = ForgetsToCloseAfterErrors
    fails: ClassVar[set[str]] = {"test_sessions_are_closed_however_they_end"}

    @pytest.fixture
    def open_sessions(self) -> Callable[[AppConnector[Any]], int]:
        return count_open


class ClosesOnce(FakeConnector):
    async def close(self) -> None:
        assert not self.closed
        await super().close()


class TestClosesOnce(Given):
    wrong = ClosesOnce
    fails: ClassVar[set[str]] = {"test_closing_twice_is_harmless"}


class LooseConfig(PluginConfig):
    model_config = {"extra": "allow"}


class TakesAnySetting(AppConnector[LooseConfig]):
    Config: ClassVar[type[PluginConfig]] = LooseConfig

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[FakeSession, None]:
        yield FakeSession(FakeConnector.Config(), case)  # type: ignore[arg-type]


class TestTakesAnySetting(Given):
    wrong = TakesAnySetting
    fails: ClassVar[set[str]] = {"test_an_unknown_setting_is_refused"}

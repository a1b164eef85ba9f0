"""Backends that break the interface, each in one way; `fails` are the tests that notice."""

import asyncio
import itertools
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from sparring.errors import ModelBusy, ModelError, ModelUnavailable
from sparring.interfaces.plugin import LLMBackend
from sparring.model.chat import ChatReply, ChatRequest
from sparring.testing.conformance.llm_backend import LLMBackendKit
from sparring.testing.fakes import FakeLLM


def answer(request: ChatRequest) -> Any:
    """What a model that obeys answers."""
    return {"polite": True, "reason": "it is"} if request.answer_schema else "hello"


class Service:
    """Misbehaves as a service behind a network does, and counts."""

    calls = 0

    def busy(self, request: ChatRequest) -> ModelError:
        self.calls += 1
        return ModelBusy("not so fast", 2.0)

    def unavailable(self, request: ChatRequest) -> ModelError:
        self.calls += 1
        return ModelUnavailable("out of order")

    async def silent(self, request: ChatRequest) -> ModelError:
        self.calls += 1
        await asyncio.sleep(request.timeout_s)
        return ModelUnavailable("no answer in time")


class Given(LLMBackendKit):
    wrong: ClassVar[type[LLMBackend[Any]]]
    fails: ClassVar[set[str]]

    @pytest.fixture
    def plugin(self) -> type[LLMBackend[Any]]:
        return self.wrong

    @pytest.fixture
    def settings(self) -> dict[str, Any]:
        return {"answers": answer}

    @pytest.fixture
    def failing_settings(self) -> list[dict[str, Any]]:
        return [{"answers": []}, {"answers": {"somebody else": "yes"}}]

    @pytest.fixture
    def service(self) -> "Service":
        return Service()

    @pytest.fixture
    def busy_settings(self, service: "Service") -> dict[str, Any]:
        return {"answers": service.busy}

    @pytest.fixture
    def unavailable_settings(self, service: "Service") -> dict[str, Any]:
        return {"answers": service.unavailable}

    @pytest.fixture
    def silent_settings(self, service: "Service") -> dict[str, Any]:
        return {"answers": service.silent}

    @pytest.fixture
    def calls(self, service: "Service") -> Callable[[], int]:
        return lambda: service.calls


class TestRight(Given):
    exceptions: ClassVar[dict[str, str]] = {
        "test_its_settings_have_a_json_schema": "a fake takes callables",
    }
    wrong = FakeLLM
    fails: ClassVar[set[str]] = set()


class AnswersWithText(FakeLLM):
    async def complete(self, request: ChatRequest) -> Any:
        return (await super().complete(request)).text


class TestAnswersWithText(Given):
    wrong = AnswersWithText
    fails: ClassVar[set[str]] = {
        "test_a_question_is_answered_with_a_reply",
        "test_a_dialogue_is_answered_with_a_reply",
        "test_a_schema_is_honoured_or_nothing_is_parsed",
        "test_nothing_is_parsed_where_no_schema_was_asked",
        "test_several_questions_are_answered_at_once",
        "test_hostile_prompts_end_in_a_reply_or_a_model_error",
        "test_no_time_at_all_ends_in_a_reply_or_a_model_error",
    }


class ParsesAnything(FakeLLM):
    async def complete(self, request: ChatRequest) -> ChatReply:
        return (await super().complete(request)).model_copy(update={"parsed": {"polite": "yes"}})


class TestParsesAnything(Given):
    wrong = ParsesAnything
    fails: ClassVar[set[str]] = {
        "test_a_schema_is_honoured_or_nothing_is_parsed",
        "test_nothing_is_parsed_where_no_schema_was_asked",
    }


class IgnoresTheSchema(FakeLLM):
    async def complete(self, request: ChatRequest) -> ChatReply:
        return await super().complete(request.model_copy(update={"answer_schema": None}))


class TestIgnoresTheSchema(Given):
    wrong = IgnoresTheSchema
    fails: ClassVar[set[str]] = {"test_a_schema_is_honoured_or_nothing_is_parsed"}


class FailsInItsOwnWay(FakeLLM):
    async def complete(self, request: ChatRequest) -> ChatReply:
        try:
            return await super().complete(request)
        except ModelError as err:
            raise KeyError("choices") from err


class TestFailsInItsOwnWay(Given):
    wrong = FailsInItsOwnWay
    fails: ClassVar[set[str]] = {
        "test_failures_are_model_errors",
        "test_a_service_that_asks_for_patience_is_busy",
        "test_what_may_pass_is_unavailable",
        "test_an_answer_that_never_comes_is_not_waited_for",
    }


class PaysItsUsers(FakeLLM):
    async def complete(self, request: ChatRequest) -> ChatReply:
        return (await super().complete(request)).model_copy(update={"cost_usd": -1.0})


class TestPaysItsUsers(Given):
    wrong = PaysItsUsers
    fails: ClassVar[set[str]] = {
        "test_a_question_is_answered_with_a_reply",
        "test_a_dialogue_is_answered_with_a_reply",
        "test_a_schema_is_honoured_or_nothing_is_parsed",
        "test_several_questions_are_answered_at_once",
        "test_hostile_prompts_end_in_a_reply_or_a_model_error",
        "test_no_time_at_all_ends_in_a_reply_or_a_model_error",
    }


class KeepsCancellation(FakeLLM):
    async def complete(self, request: ChatRequest) -> ChatReply:
        try:
            return await super().complete(request)
        except asyncio.CancelledError:
            return ChatReply(text="never mind")


class TestKeepsCancellation(Given):
    wrong = KeepsCancellation
    fails: ClassVar[set[str]] = {"test_cancelling_passes"}


class RetriesByItself(FakeLLM):
    async def complete(self, request: ChatRequest) -> ChatReply:
        try:
            return await super().complete(request)
        except (ModelBusy, ModelUnavailable):
            return await super().complete(request)


class TestRetriesByItself(Given):
    wrong = RetriesByItself
    fails: ClassVar[set[str]] = {
        "test_a_service_that_asks_for_patience_is_busy",
        "test_what_may_pass_is_unavailable",
        "test_an_answer_that_never_comes_is_not_waited_for",
    }


class KnowsOneErrorOnly(FakeLLM):
    async def complete(self, request: ChatRequest) -> ChatReply:
        try:
            return await super().complete(request)
        except ModelError as err:
            raise ModelError(str(err)) from err


class TestKnowsOneErrorOnly(Given):
    wrong = KnowsOneErrorOnly
    fails: ClassVar[set[str]] = {
        "test_a_service_that_asks_for_patience_is_busy",
        "test_what_may_pass_is_unavailable",
        "test_an_answer_that_never_comes_is_not_waited_for",
    }


class MistakesABusyService(FakeLLM):
    async def complete(self, request: ChatRequest) -> ChatReply:
        try:
            return await super().complete(request)
        except ModelBusy as err:
            raise ModelUnavailable(str(err), -1.0) from err


class TestMistakesABusyService(Given):
    wrong = MistakesABusyService
    fails: ClassVar[set[str]] = {"test_a_service_that_asks_for_patience_is_busy"}


class WaitsForever(FakeLLM):
    async def complete(self, request: ChatRequest) -> ChatReply:
        return await super().complete(request.model_copy(update={"timeout_s": 3600.0}))


class TestWaitsForever(Given):
    limit_s = 2.0
    wrong = WaitsForever
    fails: ClassVar[set[str]] = {"test_an_answer_that_never_comes_is_not_waited_for"}


class ShowsItsKey(FakeLLM):
    def identity(self) -> str:
        return "fake with the key sk-0123456789"


class TestShowsItsKey(Given):
    @pytest.fixture(autouse=True)
    def _key(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("FAKE_API_KEY", "sk-0123456789")

    wrong = ShowsItsKey
    fails: ClassVar[set[str]] = {"test_its_identity_is_one_line_without_keys"}


class IsAnotherEachTime(FakeLLM):
    numbers = itertools.count()

    def identity(self) -> str:
        return f"fake {next(self.numbers)}"


class TestIsAnotherEachTime(Given):
    wrong = IsAnotherEachTime
    fails: ClassVar[set[str]] = {"test_its_identity_is_one_line_without_keys"}


class CostsAlthoughFree(FakeLLM):
    free = True

    async def complete(self, request: ChatRequest) -> ChatReply:
        return (await super().complete(request)).model_copy(update={"cost_usd": 1.0})


class TestCostsAlthoughFree(Given):
    wrong = CostsAlthoughFree
    fails: ClassVar[set[str]] = {"test_what_is_free_costs_nothing"}


class OwesCachedTokens(FakeLLM):
    async def complete(self, request: ChatRequest) -> ChatReply:
        return (await super().complete(request)).model_copy(update={"cached_tokens": -1})


class TestOwesCachedTokens(Given):
    wrong = OwesCachedTokens
    fails: ClassVar[set[str]] = {
        "test_a_question_is_answered_with_a_reply",
        "test_a_dialogue_is_answered_with_a_reply",
        "test_a_schema_is_honoured_or_nothing_is_parsed",
        "test_several_questions_are_answered_at_once",
        "test_hostile_prompts_end_in_a_reply_or_a_model_error",
        "test_no_time_at_all_ends_in_a_reply_or_a_model_error",
    }

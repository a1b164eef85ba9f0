"""Backends that break the interface, each in one way; `fails` are the tests that notice."""

import asyncio
from typing import Any, ClassVar

import pytest

from sparring.errors import ModelError
from sparring.interfaces.llm_backend import LLMBackend
from sparring.model.chat import ChatReply, ChatRequest
from sparring.testing.conformance.llm_backend import LLMBackendKit
from sparring.testing.fakes import FakeLLM


def answer(request: ChatRequest) -> Any:
    """What a model that obeys answers."""
    return {"polite": True, "reason": "it is"} if request.answer_schema else "hello"


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
    fails: ClassVar[set[str]] = {"test_failures_are_model_errors"}


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

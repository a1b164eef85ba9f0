"""The conformance kit of the interface `LLMBackend`."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

import pytest
from pydantic import JsonValue

from sparring.errors import ModelError
from sparring.interfaces.llm_backend import LLMBackend
from sparring.interfaces.plugin import Plugin
from sparring.llm.reading import read
from sparring.model.chat import ChatMessage, ChatReply, ChatRequest
from sparring.testing import hostile
from sparring.testing.conformance.kit import Build, PluginKit
from sparring.testing.fakes import FakeContext

SCHEMA: dict[str, JsonValue] = {
    "type": "object",
    "properties": {
        "polite": {"type": "boolean", "description": "whether the answer is polite"},
        "reason": {"type": "string"},
    },
    "required": ["polite", "reason"],
    "additionalProperties": False,
}
"""The schema that the kit asks for; an answer is ``{"polite": true, "reason": "..."}``."""


class LLMBackendKit(PluginKit, kit=True):
    """Tests of a language-model backend: override the fixtures `plugin` and `settings`.

    The settings name a model that is there, such as a small server of yours on the loopback that
    speaks the service's protocol. It should answer anything, and `SCHEMA` where that is asked.
    Override `failing_settings` with settings under which every call fails.
    """

    #: Whether the model answers a request for `SCHEMA` with what satisfies it.
    answers_schemas: ClassVar[bool] = True

    @pytest.fixture
    def failing_settings(self) -> Sequence[Mapping[str, Any]]:
        """Settings under each of which calls fail: nobody there, an error, nonsense."""
        return ()

    def test_a_question_is_answered_with_a_reply(self, build: Build) -> None:
        _check(self._asked(build(), [_ask("Say hello.")])[0])

    def test_a_dialogue_is_answered_with_a_reply(self, build: Build) -> None:
        roles = (("system", "Be brief."), ("user", "Hi"), ("assistant", "Hello"), ("user", "Bye"))
        messages = tuple(
            ChatMessage.model_validate({"role": role, "content": text}) for role, text in roles
        )
        request = ChatRequest(
            messages=messages, asker="user", temperature=0.0, seed=1, max_tokens=50
        )
        _check(self._asked(build(), [request])[0])

    def test_a_schema_is_honoured_or_nothing_is_parsed(self, build: Build) -> None:
        request = _ask("Was that polite?").model_copy(update={"answer_schema": SCHEMA})
        reply = self._asked(build(), [request])[0]
        _check(reply)
        assert reply.parsed is None or _satisfies(reply.parsed), (
            f"parsed is {reply.parsed!r}, which does not satisfy the schema"
        )
        if self.answers_schemas:  # the engine reads the JSON in the text
            found = read(reply, SCHEMA).parsed
            assert found is not None, f"nothing can be parsed from {reply.text!r}"

    def test_nothing_is_parsed_where_no_schema_was_asked(self, build: Build) -> None:
        reply = self._asked(build(), [_ask("Say hello.")])[0]
        assert reply.parsed is None, f"parsed is {reply.parsed!r}"

    def test_requests_are_left_as_they_are(self, build: Build) -> None:
        request = _ask("Was that polite?").model_copy(update={"answer_schema": SCHEMA})
        before = request.model_dump_json()
        self._asked(build(), [request])
        assert request.model_dump_json() == before, "it changed the request"

    def test_several_questions_are_answered_at_once(self, build: Build) -> None:
        async def many() -> list[ChatReply]:
            backend = build()
            asked = (backend.complete(_ask(f"Question {n}")) for n in range(8))
            return list(await asyncio.gather(*asked))

        for reply in self.run(many()):
            _check(reply)

    def test_hostile_prompts_end_in_a_reply_or_a_model_error(self, build: Build) -> None:
        async def survive() -> None:
            backend = build()
            for text in hostile.TEXTS:
                await _survive(backend, _ask(hostile.storable(text)))

        self.run(survive())

    def test_failures_are_model_errors(
        self,
        plugin: type[Plugin[Any]],
        context: FakeContext,
        failing_settings: Sequence[Mapping[str, Any]],
    ) -> None:
        if not failing_settings:
            pytest.skip("the fixture `failing_settings` names no failing model")
        for settings in failing_settings:
            backend: Any = context.build(plugin, **settings)
            with pytest.raises(ModelError) as caught:
                self._asked(backend, [_ask("Say hello.")])
            assert str(caught.value).strip(), "the error says nothing"

    def test_no_time_at_all_ends_in_a_reply_or_a_model_error(self, build: Build) -> None:
        hurried = _ask("Quick!").model_copy(update={"timeout_s": 1e-6})
        self.run(_survive(build(), hurried))

    def test_cancelling_passes(self, build: Build) -> None:
        async def cancel() -> None:
            backend = build()
            for steps in (0, 1, 2, 5, 10):
                task = asyncio.create_task(backend.complete(_ask("Say hello.")))
                for _ in range(steps):
                    await asyncio.sleep(0)
                over = task.done()
                task.cancel()
                await asyncio.wait([task])
                assert over or task.cancelled(), f"a call cancelled after {steps} steps went on"

        self.run(cancel())

    def _asked(self, backend: LLMBackend[Any], requests: Sequence[ChatRequest]) -> list[ChatReply]:
        async def ask() -> list[ChatReply]:
            return [await backend.complete(request) for request in requests]

        return self.run(ask())


def _ask(text: str) -> ChatRequest:
    return ChatRequest(messages=(ChatMessage(role="user", content=text),), asker="kit")


def _check(reply: Any) -> None:
    assert isinstance(reply, ChatReply), f"complete() returned {reply!r}, not a ChatReply"
    assert reply.input_tokens >= 0, f"{reply.input_tokens} tokens read"
    assert reply.output_tokens >= 0, f"{reply.output_tokens} tokens written"
    assert reply.cost_usd is None or reply.cost_usd >= 0, f"it costs {reply.cost_usd}"
    assert reply.latency_s >= 0, f"it took {reply.latency_s} s"
    json.loads(reply.model_dump_json())


def _satisfies(parsed: JsonValue) -> bool:
    if not isinstance(parsed, dict):
        return False
    answer = cast("dict[str, Any]", parsed)
    polite, reason = answer.get("polite"), answer.get("reason")
    return (
        answer.keys() == {"polite", "reason"}
        and isinstance(polite, bool)
        and (isinstance(reason, str))
    )


async def _survive(backend: LLMBackend[Any], request: ChatRequest) -> None:
    shown = request.messages[0].content[:40]
    try:
        _check(await backend.complete(request))
    except ModelError:
        return
    except Exception as err:  # noqa: BLE001 - whatever else comes is what the test is about
        pytest.fail(f"{shown!r} raised {type(err).__name__}: {str(err)[:200]}")

"""The conformance kit of the interface `LLMBackend`."""

import asyncio
import json
import os
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Any, ClassVar, cast

import pytest
from pydantic import JsonValue

from sparring.discovery import drivers
from sparring.discovery.groups import SERVICES
from sparring.errors import ModelBusy, ModelError, ModelUnavailable
from sparring.interfaces.plugin import LLMBackend, Plugin
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
    speaks the service's protocol. It should answer anything, and `SCHEMA` if that is asked for.
    Override `failing_settings` with settings under which every call fails, and, if the service
    can do so, `busy_settings`, `unavailable_settings` and `silent_settings`; with `calls`, which
    counts what reached it, the kit sees that one call is one attempt.
    """

    #: Whether the model answers a request for `SCHEMA` with what satisfies it.
    answers_schemas: ClassVar[bool] = True

    @pytest.fixture
    def failing_settings(self) -> Sequence[Mapping[str, Any]]:
        """Settings under each of which calls fail: nobody there, an error, nonsense."""
        return ()

    @pytest.fixture
    def busy_settings(self) -> Mapping[str, Any] | None:
        """Settings under which the service asks for patience (HTTP 429) at each call."""
        return None

    @pytest.fixture
    def unavailable_settings(self) -> Mapping[str, Any] | None:
        """Settings under which each call fails in a way that may pass (HTTP 503)."""
        return None

    @pytest.fixture
    def silent_settings(self) -> Mapping[str, Any] | None:
        """Settings under which the service takes a call and never answers."""
        return None

    @pytest.fixture
    def calls(self) -> Callable[[], int] | None:
        """How often the services of those three settings were asked until now, in all."""
        return None

    @pytest.fixture(autouse=True)
    def _closes(self, build: Build) -> None:
        """Whatever a test builds is closed at its end, also what is no `build()`."""

    def test_a_question_is_answered_with_a_reply(self, build: Build) -> None:
        _check(self._ask_backend(build(), [_ask("Say hello.")])[0])

    def test_a_dialogue_is_answered_with_a_reply(self, build: Build) -> None:
        roles = (("system", "Be brief."), ("user", "Hi"), ("assistant", "Hello"), ("user", "Bye"))
        messages = tuple(
            ChatMessage.model_validate({"role": role, "content": text}) for role, text in roles
        )
        request = ChatRequest(
            messages=messages, asker="user", temperature=0.0, seed=1, max_tokens=50
        )
        _check(self._ask_backend(build(), [request])[0])

    def test_a_schema_is_honoured_or_nothing_is_parsed(self, build: Build) -> None:
        request = _ask("Was that polite?").model_copy(update={"answer_schema": SCHEMA})
        reply = self._ask_backend(build(), [request])[0]
        _check(reply)
        assert reply.parsed is None or _satisfies(reply.parsed), (
            f"parsed is {reply.parsed!r}, which does not satisfy the schema"
        )
        if self.answers_schemas:  # the engine reads the JSON in the text
            found = drivers.load_value(SERVICES, "answers")(reply, SCHEMA).parsed
            assert found is not None, f"nothing can be parsed from {reply.text!r}"

    def test_nothing_is_parsed_where_no_schema_was_asked(self, build: Build) -> None:
        reply = self._ask_backend(build(), [_ask("Say hello.")])[0]
        assert reply.parsed is None, f"parsed is {reply.parsed!r}"

    def test_requests_are_left_as_they_are(self, build: Build) -> None:
        request = _ask("Was that polite?").model_copy(update={"answer_schema": SCHEMA})
        before = request.model_dump_json()
        self._ask_backend(build(), [request])
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
                self._ask_backend(backend, [_ask("Say hello.")])
            assert str(caught.value).strip(), "the error says nothing"

    def test_a_service_that_asks_for_patience_is_busy(
        self,
        plugin: type[Plugin[Any]],
        context: FakeContext,
        busy_settings: Mapping[str, Any] | None,
        calls: Callable[[], int] | None,
    ) -> None:
        backend = _made(plugin, context, busy_settings, "busy_settings")
        error = self._failed_once(backend, _ask("Say hello."), calls)
        assert isinstance(error, ModelBusy), f"it raised {error!r}, not ModelBusy"
        _check_wait(error.retry_after_s)

    def test_what_may_pass_is_unavailable(
        self,
        plugin: type[Plugin[Any]],
        context: FakeContext,
        unavailable_settings: Mapping[str, Any] | None,
        calls: Callable[[], int] | None,
    ) -> None:
        backend = _made(plugin, context, unavailable_settings, "unavailable_settings")
        error = self._failed_once(backend, _ask("Say hello."), calls)
        assert isinstance(error, ModelUnavailable), f"it raised {error!r}, not ModelUnavailable"
        _check_wait(error.retry_after_s)

    def test_an_answer_that_never_comes_is_not_waited_for(
        self,
        plugin: type[Plugin[Any]],
        context: FakeContext,
        silent_settings: Mapping[str, Any] | None,
        calls: Callable[[], int] | None,
    ) -> None:
        backend = _made(plugin, context, silent_settings, "silent_settings")
        request = _ask("Say hello.").model_copy(update={"timeout_s": 0.5})
        began = monotonic()
        error = self._failed_once(backend, request, calls)
        assert isinstance(error, ModelUnavailable), f"it raised {error!r}, not ModelUnavailable"
        assert monotonic() - began < 10, f"it waited {monotonic() - began:.1f} s instead of 0.5 s"

    def test_its_identity_is_one_line_without_keys(self, build: Build) -> None:
        first, second = build().identity(), build().identity()
        assert first == second, f"two backends of the same settings are {first!r} and {second!r}"
        assert len(first.splitlines()) == 1, f"{first!r} is not one line"
        keys = {name: value for name, value in os.environ.items() if name.endswith("_KEY")}
        shown = [name for name, value in keys.items() if len(value) > 7 and value in first]
        assert not shown, f"it shows what is in {shown}"

    def test_it_names_its_model_or_none(self, build: Build) -> None:
        model = build().model()
        assert model is None or (isinstance(model, str) and model), f"the model is {model!r}"

    def test_what_is_free_costs_nothing(self, build: Build) -> None:
        backend = build()
        reply = self._ask_backend(backend, [_ask("Say hello.")])[0]
        cost = getattr(reply, "cost_usd", None)
        assert not (backend.free and cost), f"it is free, and costs {cost}"

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

    def _ask_backend(
        self, backend: LLMBackend[Any], requests: Sequence[ChatRequest]
    ) -> list[ChatReply]:
        async def ask() -> list[ChatReply]:
            return [await backend.complete(request) for request in requests]

        return self.run(ask())

    def _failed_once(
        self, backend: LLMBackend[Any], request: ChatRequest, calls: Callable[[], int] | None
    ) -> ModelError:
        """How a call fails; if its attempts can be counted, there is one."""
        before = calls() if calls else 0
        with pytest.raises(ModelError) as caught:
            self._ask_backend(backend, [request])
        assert str(caught.value).strip(), "the error says nothing"
        made = calls() - before if calls else 1
        assert made == 1, f"one call made {made} attempts: retries are the engine's"
        return caught.value


def _made(
    plugin: type[Plugin[Any]],
    context: FakeContext,
    settings: Mapping[str, Any] | None,
    fixture: str,
) -> Any:
    if settings is None:
        pytest.skip(f"the fixture `{fixture}` names no such service")
    return context.build(plugin, **settings)


def _check_wait(seconds: float | None) -> None:
    assert seconds is None or 0 <= seconds < float("inf"), f"retry_after_s is {seconds}"


def _ask(text: str) -> ChatRequest:
    return ChatRequest(messages=(ChatMessage(role="user", content=text),), asker="kit")


def _check(reply: Any) -> None:
    assert isinstance(reply, ChatReply), f"complete() returned {reply!r}, not a ChatReply"
    assert reply.input_tokens >= 0, f"{reply.input_tokens} tokens read"
    assert reply.output_tokens >= 0, f"{reply.output_tokens} tokens written"
    assert reply.cost_usd is None or reply.cost_usd >= 0, f"it costs {reply.cost_usd}"
    assert reply.cached_tokens >= 0, f"{reply.cached_tokens} tokens cached"
    assert reply.latency_s >= 0, f"it took {reply.latency_s} s"
    assert reply.finish_reason, "finish_reason is empty"
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

"""The backend `openai` against llama.cpp's own server: a real one, with noise for a model."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any, ClassVar

import httpx2
import pytest
from tests.servers.llama_server import CONTEXT, LlamaServer

from sparring.errors import ModelError, ModelUnavailable
from sparring.testing.conformance.llm_backend import LLMBackendKit
from sparring.testing.fakes import FakeContext
from sparring_plugins.llm.asyncio_transport import AsyncioTransport
from sparring_plugins.llm.openai import OpenAIBackend
from sparring_plugins.llm.refusals import ErrorExplainer, Secrets, ServiceRefusal
from sparring_plugins.prompting.reading import read

from .conftest import ask

pytestmark = pytest.mark.anyio

VERDICT: dict[str, Any] = {
    "title": "Verdict",
    "type": "object",
    "$defs": {"Tone": {"enum": ["kind", "rude", "neutral"]}},
    "properties": {
        "polite": {"type": "boolean"},
        "score": {"type": "integer", "minimum": 0, "maximum": 9},
        "tone": {"$ref": "#/$defs/Tone"},
        "turns": {"type": "array", "items": {"enum": [1, 2, 3]}, "maxItems": 3},
        "note": {"anyOf": [{"type": "string", "pattern": "^[a-z]{1,8}$"}, {"type": "null"}]},
    },
    "required": ["polite", "score", "tone", "turns"],
}


@pytest.fixture
async def backend(llama_server: LlamaServer) -> AsyncIterator[OpenAIBackend]:
    context = FakeContext()
    yield context.build(OpenAIBackend, model="tiny", base_url=llama_server.base_url)
    await context.close()
    assert context.warnings == []


async def test_noise_gives_answers_that_satisfy_the_schema(backend: OpenAIBackend) -> None:
    requests = [ask(answer_schema=VERDICT, seed=seed, max_tokens=400) for seed in range(20)]
    replies = await asyncio.gather(*map(backend.complete, requests))
    values = [read(reply, VERDICT).parsed for reply in replies if reply.finish_reason == "stop"]
    assert len(values) > 15
    assert all(isinstance(value, dict) and len(value) == 5 for value in values)
    assert len({str(value) for value in values}) > 5


async def test_the_same_seed_gives_the_same_answer(backend: OpenAIBackend) -> None:
    async def texts(seed: int) -> str:
        request = ask(seed=seed, temperature=1.0, max_tokens=30)
        return (await backend.complete(request)).text

    first, again, other = await texts(1), await texts(1), await texts(2)
    assert first == again != other


async def test_a_constrained_answer_that_was_cut_is_told_as_cut(backend: OpenAIBackend) -> None:
    reply = await backend.complete(ask(answer_schema=VERDICT, max_tokens=4, seed=1))
    assert reply.finish_reason == "length"
    assert reply.output_tokens == 4
    assert reply.text.startswith("{")
    assert read(reply, VERDICT).parsed is None


@pytest.mark.parametrize("schema", [None, VERDICT])
async def test_too_long_a_prompt_is_named(backend: OpenAIBackend, schema: Any) -> None:
    with pytest.raises(ModelError, match="the prompt is too long for the model 'tiny'") as caught:
        await backend.complete(ask("x " * CONTEXT, answer_schema=schema))
    assert not isinstance(caught.value, ModelUnavailable)


async def test_usage_is_counted(backend: OpenAIBackend) -> None:
    await backend.complete(ask("How much is it?", max_tokens=5))
    reply = await backend.complete(ask("How much is it?", max_tokens=5))
    assert 10 < reply.input_tokens < 60
    assert reply.output_tokens <= 5
    assert 0 < reply.cached_tokens <= reply.input_tokens


async def test_no_time_is_unavailable_and_the_next_call_is_fine(backend: OpenAIBackend) -> None:
    with pytest.raises(ModelUnavailable, match="no answer within"):
        await backend.complete(ask(max_tokens=1500, timeout_s=0.0005))
    assert (await backend.complete(ask(max_tokens=5))).output_tokens == 5


@pytest.mark.parametrize("structured", ["tool", "json_object", "prompt"])
async def test_a_way_that_does_not_bind_gives_noise_or_the_servers_own_500(
    llama_server: LlamaServer, structured: str
) -> None:
    context = FakeContext()
    backend = context.build(
        OpenAIBackend, model="tiny", base_url=llama_server.base_url, structured=structured
    )
    replies = 0
    for seed in range(10):
        try:
            reply = await backend.complete(ask(answer_schema=VERDICT, max_tokens=50, seed=seed))
        except ModelUnavailable as err:
            assert "The model produced output that does not match" in str(err)  # noqa: PT017
            continue
        assert reply.finish_reason in ("stop", "length")
        replies += 1
    assert replies > 0
    await context.close()


async def test_what_the_server_does_not_support_is_final(llama_server: LlamaServer) -> None:
    """Chat is all that the backend asks for; this server has another 501, for embeddings."""
    async with httpx2.AsyncClient(transport=AsyncioTransport()) as client:
        answer = await client.post(f"{llama_server.base_url}/embeddings", json={"input": "hello"})
    assert answer.status_code == 501
    refusal = ServiceRefusal(501, answer.json())
    error = ErrorExplainer("here", "tiny", "KEY", Secrets("")).of(refusal)
    assert type(error) is ModelError
    assert "This server does not support embeddings" in str(error)
    assert refusal.may_concern_mode


class TestKit(LLMBackendKit):
    answers_schemas: ClassVar[bool] = False  # noise in a string does not end in time

    @pytest.fixture
    def plugin(self) -> type[OpenAIBackend]:
        return OpenAIBackend

    @pytest.fixture
    def settings(self, llama_server: LlamaServer) -> Mapping[str, Any]:
        limit = {"max_tokens": 20, "seed": 1}
        return {"model": "tiny", "base_url": llama_server.base_url, "extra": limit}

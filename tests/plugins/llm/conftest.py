"""A model server on the loopback, and backends that ask it."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from tests.servers.llama_server import LlamaServer
from tests.servers.openai_server import Manners, OpenAIServer

from sparring.model.chat import ChatMessage, ChatRequest
from sparring.testing.fakes import FakeContext
from sparring_plugins.llm.openai import OpenAIBackend

SCHEMA: dict[str, Any] = {
    "title": "Polite?",
    "type": "object",
    "properties": {"polite": {"type": "boolean"}, "reason": {"type": "string"}},
    "required": ["polite", "reason"],
}
KEY = "sk-test-0123456789abcdef"

Behave = Callable[..., OpenAIServer]
Make = Callable[..., OpenAIBackend]


def ask(text: str = "Say hello.", **fields: Any) -> ChatRequest:
    return ChatRequest(messages=(ChatMessage(role="user", content=text),), **fields)


@pytest.fixture(scope="session")
def openai_server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


@pytest.fixture
def behave(openai_server: OpenAIServer) -> Behave:
    """Make the server behave so, and forget what it saw."""

    def _behave(**manners: Any) -> OpenAIServer:
        openai_server.manners = Manners(**manners)
        openai_server.forget()
        return openai_server

    return _behave


@pytest.fixture
def context() -> FakeContext:
    return FakeContext()


@pytest.fixture
async def make(
    context: FakeContext, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Make]:
    """A backend that asks the server, with these settings; the key is in the environment."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    def _make(**settings: Any) -> OpenAIBackend:
        given = {"model": "tiny", "base_url": openai_server.base_url, **settings}
        return context.build(OpenAIBackend, **given)

    yield _make
    assert await context.close() == []


@pytest.fixture(scope="session")
def llama_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaServer]:
    """llama.cpp's own server, with a random model."""
    with LlamaServer(tmp_path_factory.mktemp("llama")) as server:
        yield server

"""The backend `ollama`, against a server that speaks Ollama's protocol."""

import asyncio
import json
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from tests.servers.ollama_server import OllamaServer

from sparring.errors import (
    ConfigurationError,
    MissingExtra,
    ModelBusy,
    ModelError,
    ModelUnavailable,
)
from sparring.model.chat import ChatMessage, ChatReply, ChatRequest
from sparring.testing.fakes import FakeContext
from sparring_plugins.llm.ollama import OllamaBackend

pytestmark = pytest.mark.anyio

SCHEMA: dict[str, Any] = {
    "title": "Polite",
    "type": "object",
    "properties": {"polite": {"type": "boolean"}, "reason": {"type": "string", "minLength": 3}},
    "required": ["polite", "reason"],
}


@pytest.fixture
def server() -> Iterator[OllamaServer]:
    with OllamaServer() as running:
        yield running


def ask(text: str = "Say hello.", **more: Any) -> ChatRequest:
    return ChatRequest(messages=(ChatMessage(role="user", content=text),), **more)


async def asked(server: OllamaServer, *requests: ChatRequest, **settings: Any) -> list[ChatReply]:
    """The answers of a fresh backend to requests, one after the other."""
    backend = FakeContext().build(
        OllamaBackend, **{"model": "tiny", "host": server.host, **settings}
    )
    try:
        return [await backend.complete(request) for request in requests]
    finally:
        await backend.close()


async def test_an_answer_says_what_the_server_said_of_it(server: OllamaServer) -> None:
    (reply,) = await asked(server, ask())
    assert reply.text == "You sent 1 messages."
    assert (reply.model, reply.finish_reason) == ("tiny", "stop")
    assert (reply.input_tokens, reply.output_tokens) == (12, 4)
    assert reply.cost_usd == 0.0
    assert reply.latency_s > 0
    assert reply.parsed is None


async def test_settings_of_the_question_go_before_those_of_the_suite(server: OllamaServer) -> None:
    request = ask(temperature=0.0, seed=7, max_tokens=50)
    options = {"temperature": 0.9, "num_ctx": 8192}
    await asked(server, request, ask(), options=options, keep_alive="10m")
    first, second = server.requests
    assert first["options"] == {"temperature": 0.0, "seed": 7, "num_predict": 50, "num_ctx": 8192}
    assert second["options"] == options
    assert (first["keep_alive"], first["stream"]) == ("10m", False)
    assert "format" not in first
    assert "think" not in first


async def test_roles_are_sent_as_they_are(server: OllamaServer) -> None:
    roles = ("system", "user", "assistant", "user")
    messages = tuple(ChatMessage.model_validate({"role": r, "content": f"{r}!"}) for r in roles)
    await asked(server, ChatRequest(messages=messages))
    assert server.requests[0]["messages"] == [{"role": r, "content": f"{r}!"} for r in roles]


async def test_a_cut_answer_says_so(server: OllamaServer) -> None:
    (reply,) = await asked(server, ask(max_tokens=2))
    assert (reply.text, reply.finish_reason) == ("You sent", "length")


async def test_reasoning_is_kept_apart(server: OllamaServer) -> None:
    server.thinks = "They want a greeting."
    (reply,) = await asked(server, ask(), think=True)
    assert reply.reasoning == "They want a greeting."
    assert "greeting" not in reply.text
    assert server.requests[0]["think"] is True


async def test_an_empty_prompt_is_no_crash(server: OllamaServer) -> None:
    (reply,) = await asked(server, ChatRequest(messages=()))
    assert (reply.text, reply.finish_reason) == ("", "load")


async def test_a_schema_is_sent_as_format_and_in_words(server: OllamaServer) -> None:
    (reply,) = await asked(server, ask(answer_schema=SCHEMA))
    assert json.loads(reply.text) == {"polite": True, "reason": "xxx"}
    assert server.requests[0]["format"] == SCHEMA
    assert json.dumps(SCHEMA) in server.requests[0]["messages"][0]["content"]


@pytest.mark.parametrize(
    ("formats", "forms"),
    [
        (("schema", "json"), [SCHEMA, SCHEMA]),
        (("json",), [SCHEMA, "json", "json"]),
        ((), [SCHEMA, "json", None, None]),
    ],
    ids=["new", "old", "older"],
)
async def test_a_refused_format_gives_way_to_the_next_and_is_not_tried_again(
    server: OllamaServer, formats: tuple[str, ...], forms: list[Any]
) -> None:
    server.formats = formats
    for reply in await asked(server, ask(answer_schema=SCHEMA), ask(answer_schema=SCHEMA)):
        assert json.loads(reply.text) == {"polite": True, "reason": "xxx"}
    assert [request.get("format") for request in server.requests] == forms


async def test_a_schema_that_is_no_grammar_does_not_spoil_the_others(server: OllamaServer) -> None:
    server.unparsable = frozenset({"Hard"})
    hard = {**SCHEMA, "title": "Hard"}
    await asked(server, *(ask(answer_schema=one) for one in (hard, SCHEMA, hard)))
    assert [request["format"] for request in server.requests] == [hard, "json", SCHEMA, "json"]


async def test_a_refused_format_uses_up_the_time_of_one_attempt(server: OllamaServer) -> None:
    server.formats, server.delay_s = (), 0.15
    with pytest.raises(ModelUnavailable, match=r"no answer of 'tiny' within 0.25 s"):
        await asked(server, ask(answer_schema=SCHEMA, timeout_s=0.25))


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        ("busy", ModelBusy, r"server busy, please try again.*\(status 503\)"),
        ("too-many", ModelBusy, r"too many requests.*\(status 429\)"),
        ("loading", ModelUnavailable, "llm server loading model"),
        ("crashed", ModelUnavailable, r"llama runner process has terminated.*\(status 500\)"),
        ("bad-gateway", ModelUnavailable, r"Bad Gateway \(status 502\)"),
        ("memory", ModelUnavailable, "requires more system memory"),
        ("drop", ModelUnavailable, "broke off"),
        ("drop-in-body", ModelUnavailable, "broke off"),
        ("reset", ModelUnavailable, "broke off"),
        ("truncated", ModelUnavailable, "no whole JSON"),
        ("page", ModelUnavailable, "no whole JSON"),
        ("not-done", ModelUnavailable, "in the middle of an answer"),
        ("list", ModelError, "does not answer as Ollama does"),
        ("error-in-200", ModelUnavailable, "an error was encountered while running the model"),
        ("unauthorized", ModelError, "OLLAMA_API_KEY"),
        ("bad-option", ModelError, 'option "num_ctx" must be of type integer'),
    ],
)
async def test_a_failure_is_the_error_that_it_is(
    server: OllamaServer, fault: str, kind: type[ModelError], words: str
) -> None:
    server.fault = fault
    with pytest.raises(ModelError, match=words) as caught:
        await asked(server, ask())
    assert type(caught.value) is kind
    assert len(server.requests) == 1, "one call is one attempt"


@pytest.mark.parametrize("fault", ["busy", "too-many", "loading"])
async def test_the_wait_that_a_server_wants_is_told(server: OllamaServer, fault: str) -> None:
    server.fault, server.retry_after = fault, "3"
    with pytest.raises((ModelBusy, ModelUnavailable)) as caught:
        await asked(server, ask())
    assert caught.value.retry_after_s == 3.0


async def test_a_failure_in_a_structured_answer_is_no_refused_format(server: OllamaServer) -> None:
    server.fault = "crashed"
    with pytest.raises(ModelUnavailable):
        await asked(server, ask(answer_schema=SCHEMA))
    assert len(server.requests) == 1


async def test_a_connection_survives_an_error(server: OllamaServer) -> None:
    server.faults = ["busy"]
    backend = FakeContext().build(OllamaBackend, model="tiny", host=server.host)
    with pytest.raises(ModelBusy):
        await backend.complete(ask())
    assert (await backend.complete(ask())).text
    await backend.close()


async def test_a_model_that_is_not_there_is_said_with_the_command_that_fetches_it(
    server: OllamaServer,
) -> None:
    with pytest.raises(
        ModelError, match="has no model 'llama9:7b': ollama pull llama9:7b"
    ) as caught:
        await asked(server, ask(), model="llama9:7b")
    assert type(caught.value) is ModelError


async def test_a_server_that_is_no_ollama_is_said(server: OllamaServer) -> None:
    with pytest.raises(ModelError, match=r"no Ollama at .*/somewhere.*404"):
        await asked(server, ask(), host=f"{server.host}/somewhere")


async def test_nobody_there_may_pass_and_asks_whether_it_runs(nobody_there: str) -> None:
    host = nobody_there.removesuffix("/chat")
    backend = FakeContext().build(OllamaBackend, model="tiny", host=host)
    with pytest.raises(ModelUnavailable, match=f"{host} cannot be reached; is it running"):
        await backend.complete(ask())
    await backend.close()


async def test_a_slow_answer_ends_at_its_time(server: OllamaServer) -> None:
    server.delay_s = 3600
    with pytest.raises(ModelUnavailable, match=r"within 0\.2 s"):
        await asked(server, ask(timeout_s=0.2))


async def test_cancelling_passes_at_once(server: OllamaServer) -> None:
    server.delay_s = 3600
    backend = FakeContext().build(OllamaBackend, model="tiny", host=server.host)
    task = asyncio.create_task(backend.complete(ask()))
    while not server.requests:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await backend.close()


async def test_many_are_asked_at_once(server: OllamaServer) -> None:
    server.together = 60
    backend = FakeContext().build(OllamaBackend, model="tiny", host=server.host)
    await asyncio.gather(*(backend.complete(ask()) for _ in range(120)))
    assert server.most_at_once >= 60
    await backend.close()


async def test_odd_answers_are_replies(server: OllamaServer) -> None:
    server.faults = ["empty", "negative"]
    empty, negative = await asked(server, ask(), ask())
    assert empty.text == ""
    assert negative.output_tokens == 0


@pytest.mark.parametrize("status", [400, 500, 503])
async def test_what_a_server_says_in_an_error_is_made_safe(
    server: OllamaServer, status: int
) -> None:
    server.fault, server.hostile = "hostile", (status, "\x1b[31m\u202e" + "x\n" * 5000)
    with pytest.raises(ModelError) as caught:
        await asked(server, ask())
    assert r"\x1b[31m\u202ex" in str(caught.value)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("said", "host", "here"),
    [
        ("", "http://127.0.0.1:11434", True),
        ("0.0.0.0", "http://127.0.0.1:11434", True),
        ("0.0.0.0:8080", "http://127.0.0.1:8080", True),
        (":8080", "http://127.0.0.1:8080", True),
        ("[::]:8080", "http://127.0.0.1:8080", True),
        ("localhost", "http://localhost:11434", True),
        ("[::1]", "http://[::1]:11434", True),
        ("gpu-box", "http://gpu-box:11434", False),
        ("10.0.0.7:9", "http://10.0.0.7:9", False),
        ("https://ollama.example", "https://ollama.example:443", False),
        ("http://ollama.example/api-of-mine/", "http://ollama.example:80/api-of-mine", False),
        ("http://me:secret@ollama.example", "http://ollama.example:80", False),
    ],
)
def test_a_host_is_read_as_the_client_reads_it(
    said: str, host: str, here: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", said)
    backend = FakeContext().build(OllamaBackend, model="tiny")
    assert f"at {host} " in backend.identity()
    assert backend.free is here


@pytest.mark.parametrize("said", ["ftp://there", "a b", "http://x:port", "http://[::", "x:99999"])
def test_a_host_that_is_none_is_refused_when_it_is_built(said: str) -> None:
    with pytest.raises(ConfigurationError, match="is no address of an Ollama server"):
        FakeContext().build(OllamaBackend, model="tiny", host=said)


@pytest.mark.parametrize("model", ["gpt-oss:120b-cloud", "kimi:cloud"])
def test_a_model_in_the_cloud_is_not_free(model: str) -> None:
    assert not FakeContext().build(OllamaBackend, model=model, host="").free


async def test_what_another_machine_costs_is_unknown(server: OllamaServer) -> None:
    server.models = ("big:1t-cloud",)
    (reply,) = await asked(server, ask(), model="big:1t-cloud")
    assert reply.cost_usd is None


@pytest.mark.parametrize("status", [401, 403, 400, 500, 503, 429])
async def test_the_key_is_sent_and_never_said(
    server: OllamaServer, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setenv("OLLAMA_API_KEY", "secret-of-mine")
    server.hostile = (status, "no: " + "x" * 280 + " secret-of-mine, or Bearer secret-of-mine")
    server.faults = ["ok", "hostile"]
    with pytest.raises(ModelError) as caught:
        await asked(server, ask(), ask())
    assert server.headers[0]["authorization"] == "Bearer secret-of-mine"
    assert "secret" not in str(caught.value)


def test_a_key_that_no_header_can_carry_is_refused_unsaid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_API_KEY", "secret\nof-mine")
    with pytest.raises(ConfigurationError, match="OLLAMA_API_KEY") as caught:
        FakeContext().build(OllamaBackend, model="tiny")
    assert "secret" not in str(caught.value)


async def test_no_proxy_stands_before_this_machine(
    server: OllamaServer, monkeypatch: pytest.MonkeyPatch, nobody_there: str
) -> None:
    monkeypatch.setenv("HTTP_PROXY", nobody_there)
    (reply,) = await asked(server, ask())
    assert reply.text


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "model: missing"),
        ({"model": ""}, "at least 1 character"),
        ({"model": "m", "options": 3}, "options: expected a mapping"),
        ({"model": "m", "think": "very"}, "think"),
        ({"model": "m", "modell": "m"}, "Did you mean 'model'"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        FakeContext().build(OllamaBackend, **settings)


def test_its_identity_names_what_shapes_answers_and_no_more() -> None:
    one = FakeContext().build(OllamaBackend, model="m", host="", options={"top_k": 3}, keep_alive=3)
    other = FakeContext().build(OllamaBackend, model="m", host="", options={"top_k": 3})
    third = FakeContext().build(OllamaBackend, model="m", host="", options={"top_k": 4})
    assert one.identity() == other.identity() != third.identity()
    assert "ollama m at " in one.identity()


def test_a_missing_client_is_said_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sparring_plugins.llm.openai_client", None)
    with pytest.raises(MissingExtra, match=r"pip install 'sparring\[ollama\]'"):
        FakeContext().build(OllamaBackend, model="tiny")

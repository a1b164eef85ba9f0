"""The backend `langchain`, through LangChain's own models against real servers."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage
from tests.servers.llama_server import LlamaServer
from tests.servers.ollama_server import OllamaServer
from tests.servers.openai_server import OpenAIServer

from sparring.errors import (
    ConfigurationError,
    MissingExtra,
    ModelBusy,
    ModelError,
    ModelUnavailable,
)
from sparring.model.chat import ChatMessage, ChatReply, ChatRequest
from sparring.testing.fakes import FakeContext
from sparring_plugins.llm.langchain import LangChainBackend, _finish_reasons, reply_of
from sparring_plugins.llm.langchain_model import LangChainErrors, refusal_of
from sparring_plugins.prompting.reading import read

pytestmark = pytest.mark.anyio

KEY = "sk-of-the-tests-123456"
SCHEMA: dict[str, Any] = {
    "title": "Polite",
    "type": "object",
    "properties": {"polite": {"type": "boolean"}, "reason": {"type": "string"}},
    "required": ["polite", "reason"],
    "additionalProperties": False,
}
ANSWER = {"polite": True, "reason": "x"}

Make = Callable[..., LangChainBackend]


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer(strict=False) as running:
        yield running


@pytest.fixture
def ollama() -> Iterator[OllamaServer]:
    with OllamaServer() as running:
        yield running


@pytest.fixture
def context() -> FakeContext:
    return FakeContext()


@pytest.fixture
async def make(server: OpenAIServer, context: FakeContext) -> AsyncIterator[Make]:
    def made(model: str = "openai:gpt-4o-mini", **settings: Any) -> LangChainBackend:
        more = {"base_url": server.base_url, **settings.pop("settings", {})}
        return context.build(LangChainBackend, model=model, settings=more, **settings)

    yield made
    assert not await context.close()


def ask(text: str = "Say hello.", **more: Any) -> ChatRequest:
    messages = (
        ChatMessage(role="system", content="Be brief."),
        ChatMessage(role="user", content=text),
    )
    return ChatRequest(messages=messages, **more)


def parsed(reply: ChatReply) -> Any:
    return read(reply, SCHEMA).parsed


async def test_an_answer_says_what_the_provider_said_of_it(make: Make) -> None:
    reply = await make().complete(ask())
    assert reply.text == "You said: Say hello."
    assert (reply.model, reply.finish_reason) == ("gpt-4o-mini-0613", "stop")
    assert (reply.input_tokens, reply.output_tokens, reply.cached_tokens) == (4, 4, 2)
    assert reply.cost_usd is None
    assert reply.latency_s > 0
    assert reply.parsed is None


async def test_roles_and_settings_are_sent(make: Make, server: OpenAIServer) -> None:
    backend = make(settings={"top_p": 0.5})
    roles = ("system", "user", "assistant", "user")
    messages = tuple(
        ChatMessage.model_validate({"role": r, "content": f"{r} {{x}}"}) for r in roles
    )
    await backend.complete(ChatRequest(messages=messages, temperature=0.0, seed=7, max_tokens=50))
    await backend.complete(ask())
    first, second = (one.body for one in server.requests)
    assert first["messages"] == [{"role": r, "content": f"{r} {{x}}"} for r in roles]
    assert (first["temperature"], first["seed"], first["top_p"]) == (0.0, 7, 0.5)
    assert first["max_completion_tokens"] == 50
    assert not {"temperature", "seed", "max_completion_tokens"} & second.keys()


async def test_a_schema_is_asked_for_as_a_json_schema(make: Make, server: OpenAIServer) -> None:
    reply = await make().complete(ask(answer_schema=SCHEMA))
    assert parsed(reply) == ANSWER
    form = server.requests[0].body["response_format"]
    assert form["type"] == "json_schema"
    assert form["json_schema"]["schema"]["properties"].keys() == {"polite", "reason"}


@pytest.mark.parametrize("status", [400, 422, 500])
@pytest.mark.parametrize(
    ("refuses", "walked"),
    [
        (["json_schema"], ["json_schema", "tools", "tools"]),
        (["json_schema", "tools"], ["json_schema", "tools", "words", "words"]),
    ],
    ids=["no schemas", "no tools either"],
)
async def test_a_refused_way_gives_way_to_the_next_and_is_not_tried_again(
    make: Make, server: OpenAIServer, status: int, refuses: list[str], walked: list[str]
) -> None:
    server.manners.refuses, server.manners.refusal_status = refuses, status
    backend = make()
    for _ in range(2):
        assert parsed(await backend.complete(ask(answer_schema=SCHEMA))) == ANSWER
    server.forget()
    for _ in range(2):
        assert parsed(await backend.complete(ask(answer_schema=SCHEMA))) == ANSWER
    assert [_way(one.body) for one in server.requests] == [walked[-1]] * 2


def _way(body: dict[str, Any]) -> str:
    if body.get("tools"):
        return "tools"
    return str((body.get("response_format") or {}).get("type", "words"))


async def test_a_schema_may_lack_a_title_or_have_an_odd_one(
    make: Make, server: OpenAIServer
) -> None:
    server.manners.strict = True
    for title in ({}, {"title": "Is it polite?"}, {"title": "x" * 200}, {"title": ""}):
        schema = {**{k: v for k, v in SCHEMA.items() if k != "title"}, **title}
        assert parsed(await make().complete(ask(answer_schema=schema))) == ANSWER
    assert server.statuses[400] == 0


async def test_an_answer_that_is_cut_is_never_mended(make: Make, server: OpenAIServer) -> None:
    server.manners.fault = "length"
    for request in (ask(), ask(answer_schema=SCHEMA)):
        reply = await make().complete(request)
        assert reply.finish_reason == "length"
        assert reply.text
        assert parsed(reply) is None


@pytest.mark.parametrize("schema", [None, SCHEMA], ids=["text", "schema"])
@pytest.mark.parametrize("fault", ["refusal", "content-filter", "azure-filter"])
async def test_a_declined_answer_is_a_refusal(
    make: Make, server: OpenAIServer, fault: str, schema: dict[str, Any] | None
) -> None:
    server.manners.fault = fault
    reply = await make().complete(ask(answer_schema=schema))
    assert reply.finish_reason == "refusal"
    assert parsed(reply) is None


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        ("429", ModelBusy, r"Rate limit reached.*\(status 429\)"),
        ("quota", ModelError, "exceeded your current quota"),
        ("500", ModelUnavailable, r"\(status 500\)"),
        ("503", ModelUnavailable, "overloaded"),
        ("504", ModelUnavailable, "Gateway timeout"),
        ("408", ModelUnavailable, "timed out"),
        ("html-502", ModelUnavailable, r"Bad Gateway"),
        ("reset", ModelUnavailable, "onnection"),
        ("drop", ModelUnavailable, "onnection"),
        ("drop-in-body", ModelUnavailable, "onnection"),
        ("truncated", ModelUnavailable, "no whole JSON"),
        ("empty", ModelUnavailable, "no whole JSON"),
        ("bad-utf8", ModelUnavailable, "not UTF-8"),
        ("empty-choices", ModelUnavailable, "nothing in it"),
        ("null-choices", ModelUnavailable, "nothing in it"),
        ("error-body", ModelUnavailable, "Overloaded"),
        ("400", ModelError, "Invalid request"),
        ("401", ModelError, "Incorrect API key"),
        ("404", ModelError, "does not exist"),
        ("501", ModelError, "does not support"),
        ("html", ModelError, "Unexpected response type"),
        ("list", ModelError, "."),
        ("wrong-shape", ModelError, "."),
        ("null", ModelError, "."),
        ("odd-choices", ModelError, "."),
        ("odd-choice", ModelError, "."),
        ("odd-message", ModelError, "."),
        ("bad-gzip", ModelError, "."),
        ("huge-error", ModelError, "no! no!"),
    ],
)
async def test_a_failure_is_the_error_that_it_is(
    make: Make, server: OpenAIServer, fault: str, kind: type[ModelError], words: str
) -> None:
    server.manners.fault = fault
    with pytest.raises(ModelError, match=words) as caught:
        await make().complete(ask())
    assert isinstance(caught.value, kind)
    if words != ".":
        assert type(caught.value) is kind
    assert sum(server.statuses.values()) == 1, "one call is one attempt"
    assert len(str(caught.value)) < 500
    assert caught.value.__cause__ is caught.value.__context__ is None


@pytest.mark.parametrize(
    "fault", ["null-content", "parts", "odd-reason", "no-usage", "null-usage", "think"]
)
async def test_odd_answers_are_replies(make: Make, server: OpenAIServer, fault: str) -> None:
    server.manners.fault = fault
    reply = await make().complete(ask())
    assert reply.finish_reason == "stop"
    assert min(reply.input_tokens, reply.output_tokens) >= 0


@pytest.mark.parametrize(
    ("headers", "wait"),
    [({"retry_after": "3"}, 3.0), ({"retry_after_ms": "250"}, 0.25), ({}, None)],
)
async def test_the_wait_that_a_service_wants_is_told(
    make: Make, server: OpenAIServer, headers: dict[str, str], wait: float | None
) -> None:
    server.manners.fault = "429"
    for name, value in headers.items():
        setattr(server.manners, name, value)
    with pytest.raises(ModelBusy) as caught:
        await make().complete(ask())
    assert caught.value.retry_after_s == wait


async def test_a_parameter_that_is_not_taken_is_left_out_with_a_warning(
    make: Make, server: OpenAIServer, context: FakeContext
) -> None:
    server.manners.refuses = ["temperature"]
    backend = make()
    for _ in range(2):
        assert (await backend.complete(ask(temperature=0.0, seed=3))).text
    assert ["temperature" in one.body for one in server.requests] == [True, False, False]
    assert all(one.body["seed"] == 3 for one in server.requests)
    assert "is asked without temperature: " in context.warnings[0]


async def test_a_slow_answer_ends_at_its_time(make: Make, server: OpenAIServer) -> None:
    server.manners.fault = "silence"
    with pytest.raises(ModelUnavailable, match=r"no answer within 0\.2 s"):
        await make().complete(ask(timeout_s=0.2))


async def test_cancelling_passes(make: Make, server: OpenAIServer) -> None:
    server.manners.fault = "silence"
    task = asyncio.create_task(make().complete(ask()))
    while not server.at_once:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_nobody_there_may_pass(make: Make, nobody_there: str) -> None:
    with pytest.raises(ModelUnavailable, match="onnection"):
        await make(settings={"base_url": nobody_there}).complete(ask())


async def test_the_key_is_sent_and_never_said(make: Make, server: OpenAIServer) -> None:
    server.manners.fault = "echo-key"
    backend = make()
    with pytest.raises(ModelError) as caught:
        await backend.complete(ask())
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert "[OPENAI_API_KEY]" in str(caught.value)
    assert KEY not in str(caught.value) + backend.identity()


async def test_nothing_is_traced_unless_the_suite_says_so(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    with OpenAIServer() as smith:
        for name in ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"):
            monkeypatch.setenv(name, "true")
        monkeypatch.setenv("LANGSMITH_ENDPOINT", smith.base_url)
        monkeypatch.setenv("LANGSMITH_API_KEY", "ls-of-the-tests")
        for request in (ask(), ask(answer_schema=SCHEMA)):
            assert (await make().complete(request)).text
        from langchain_core.tracers.langchain import wait_for_all_tracers

        wait_for_all_tracers()
        assert smith.connections == 0


@pytest.mark.parametrize("name", ["LANGCHAIN_TRACING", "LANGCHAIN_HANDLER"])
def test_a_variable_with_which_langchain_refuses_everything_is_said(
    name: str, monkeypatch: pytest.MonkeyPatch, context: FakeContext
) -> None:
    monkeypatch.setenv(name, "true")
    with pytest.raises(ConfigurationError, match=f"unset {name}"):
        context.build(LangChainBackend, model="openai:gpt-4o")


async def test_many_are_asked_at_once_and_answered_by_the_model_of_each_question(
    make: Make, server: OpenAIServer
) -> None:
    server.manners.together = 60
    backend = make()
    asked = [ask(f"Number {n}", seed=n, temperature=0.0) for n in range(60)]
    replies = await asyncio.gather(*map(backend.complete, asked))
    assert server.most_at_once == 60
    assert [reply.text for reply in replies] == [f"You said: Number {n}" for n in range(60)]
    for one in server.requests:
        assert one.body["messages"][-1]["content"] == f"Number {one.body['seed']}"


def test_a_model_built_in_one_event_loop_after_another_works(server: OpenAIServer) -> None:
    async def once() -> str:
        context = FakeContext()
        backend = context.build(
            LangChainBackend, model="openai:gpt-4o", settings={"base_url": server.base_url}
        )
        reply = await backend.complete(ask())
        assert not await context.close()
        return reply.text

    assert [asyncio.run(once()) for _ in range(3)] == ["You said: Say hello."] * 3


# Ollama, through LangChain


async def test_ollama_answers_through_langchain(make: Make, ollama: OllamaServer) -> None:
    ollama.thinks = "They want a greeting."
    backend = make("ollama:tiny", settings={"base_url": ollama.host, "reasoning": True})
    reply = await backend.complete(ask(temperature=0.0, seed=7, max_tokens=2))
    assert (reply.text, reply.finish_reason) == ("You sent", "length")
    assert reply.reasoning == "They want a greeting."
    assert (reply.input_tokens, reply.output_tokens) == (14, 2)
    assert ollama.requests[0]["options"] == {"num_predict": 2, "seed": 7, "temperature": 0.0}


async def test_ollama_takes_schemas_through_langchain(make: Make, ollama: OllamaServer) -> None:
    backend = make("ollama:tiny", settings={"base_url": ollama.host})
    assert parsed(await backend.complete(ask(answer_schema=SCHEMA))) == ANSWER
    assert ollama.requests[0]["format"]["properties"].keys() == {"polite", "reason"}


async def test_an_old_ollama_is_asked_in_words_in_the_end(make: Make, ollama: OllamaServer) -> None:
    ollama.formats = ()
    backend = make("ollama:tiny", settings={"base_url": ollama.host})
    for _ in range(4):
        reply = await backend.complete(ask(answer_schema=SCHEMA))
    assert parsed(reply) == ANSWER
    assert "JSON Schema" in ollama.requests[-1]["messages"][-1]["content"]
    assert "tools" not in ollama.requests[-1] or not ollama.requests[-1]["tools"]


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("busy", ModelBusy),
        ("too-many", ModelBusy),
        ("crashed", ModelUnavailable),
        ("drop", ModelUnavailable),
        ("drop-in-body", ModelUnavailable),
        ("reset", ModelUnavailable),
        ("not-done", ModelUnavailable),
        ("page", ModelUnavailable),
        ("error-in-stream", ModelUnavailable),
        ("unauthorized", ModelError),
        ("bad-option", ModelError),
    ],
)
async def test_a_failure_of_ollama_is_the_error_that_it_is(
    make: Make, ollama: OllamaServer, fault: str, kind: type[ModelError]
) -> None:
    ollama.fault = fault
    with pytest.raises(ModelError) as caught:
        await make("ollama:tiny", settings={"base_url": ollama.host}).complete(ask())
    assert type(caught.value) is kind
    assert len(ollama.requests) == 1


# How it is built


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"model": "nosuch:x"}, r"model: LangChain has no provider 'nosuch'\. .*Known: anthropic,"),
        ({"model": "opnai:gpt-4o"}, "Did you mean 'openai'"),
        ({"model": "x", "provider": "opnai"}, "provider: .*Did you mean 'openai'"),
        ({"model": "my-model"}, "name its provider, as in openai:my-model"),
        ({}, "model: missing"),
        ({"model": "openai:x", "settings": {"max_retries": 3}}, "give `attempts` beside `use`"),
        ({"model": "openai:x", "settings": {"timeout": 3}}, "give `timeout` beside `use`"),
        ({"model": "openai:x", "settings": {"api_key": "s"}}, "'api_key' would put a secret"),
        ({"model": "openai:x", "settings": {"openai_api_key": "s"}}, "environment variable"),
        (
            {"model": "openai:x", "settings": {"default_headers": {"Authorization": "s"}}},
            "'Authorization' would put a secret",
        ),
        ({"model": "openai:x", "settings": {"temperature": "hot"}}, "temperature: Input should be"),
    ],
)
def test_wrong_settings_are_refused(
    settings: dict[str, Any], words: str, context: FakeContext
) -> None:
    with pytest.raises(ConfigurationError, match=words):
        context.build(LangChainBackend, **settings)


def test_a_missing_package_is_said_with_what_to_install(context: FakeContext) -> None:
    with pytest.raises(MissingExtra, match=r"pip install langchain-anthropic$"):
        context.build(LangChainBackend, model="anthropic:claude-sonnet-4-5")


def test_langchain_itself_may_be_missing(
    monkeypatch: pytest.MonkeyPatch, context: FakeContext
) -> None:
    monkeypatch.setitem(sys.modules, "langchain.chat_models", None)
    with pytest.raises(MissingExtra, match=r"pip install 'sparring\[langchain\]'"):
        context.build(LangChainBackend, model="openai:gpt-4o")


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("from json import no_such_name", "cannot import name 'no_such_name'"),
        ("import no_such_module_of_the_provider", "No module named 'no_such_module_of_the"),
    ],
)
def test_a_package_that_is_there_and_does_not_import_is_told_so(
    code: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, context: FakeContext
) -> None:
    (tmp_path / "langchain_anthropic").mkdir()
    (tmp_path / "langchain_anthropic" / "__init__.py").write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(MissingExtra, match=r"is installed, but cannot be imported") as caught:
        context.build(LangChainBackend, model="anthropic:claude-sonnet-4-5")
    assert reason in str(caught.value)
    assert "pip install" not in str(caught.value)


def test_no_library_is_imported_before_a_suite_names_it() -> None:
    program = """
import sys
from importlib import import_module
for name in ("ollama", "langchain", "scripted", "terminal", "replay"):
    import_module(f"sparring_plugins.llm.{name}")
heavy = {"ollama", "httpx", "langchain", "langchain_core", "langsmith", "openai"}
print(sorted(heavy & sys.modules.keys()))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_a_missing_key_is_said_with_its_variable(
    monkeypatch: pytest.MonkeyPatch, context: FakeContext
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ConfigurationError, match="set the environment variable OPENAI_API_KEY"):
        context.build(LangChainBackend, model="openai:gpt-4o")


async def test_a_setting_that_the_model_does_not_know_is_warned_of(
    context: FakeContext, ollama: OllamaServer
) -> None:
    settings = {"base_url": ollama.host, "num_ctxt": 5}
    context.build(LangChainBackend, model="ollama:tiny", settings=settings)
    assert "has no setting 'num_ctxt'. Did you mean 'num_ctx'?" in context.warnings[0]
    await context.close()


async def test_its_identity_names_what_shapes_answers(make: Make) -> None:
    one, other = make(settings={"top_p": 0.1}), make(settings={"top_p": 0.2})
    assert one.identity() != other.identity()
    assert one.identity().startswith("langchain openai:gpt-4o-mini {")


@pytest.mark.parametrize(
    ("model", "provider", "name"),
    [("openai:gpt-4o", None, "gpt-4o"), ("gpt-4o", None, "gpt-4o"), ("ft:x", "openai", "ft:x")],
)
def test_the_name_for_the_price_is_without_the_provider(
    context: FakeContext, model: str, provider: str | None, name: str
) -> None:
    backend = context.build(LangChainBackend, model=model, provider=provider)
    assert backend.model() == name


# What providers that are not installed here send and raise


@pytest.mark.parametrize(
    ("about", "finish"),
    [
        ({"stop_reason": "end_turn"}, "stop"),
        ({"stop_reason": "max_tokens"}, "length"),
        ({"stop_reason": "refusal"}, "refusal"),
        ({"finish_reason": "STOP"}, "stop"),
        ({"finish_reason": "MAX_TOKENS"}, "length"),
        ({"finish_reason": "SAFETY"}, "refusal"),
        ({"stopReason": "guardrail_intervened"}, "refusal"),
        ({"finish_reason": None}, "stop"),
        ({"finish_reason": "pause_turn"}, "pause_turn"),
        ({"finish_reason": 7}, "7"),
        ({}, "stop"),
    ],
)
def test_why_an_answer_ended_is_said_in_our_words(about: dict[str, Any], finish: str) -> None:
    assert reply_of(AIMessage("x", response_metadata=about), "m").finish_reason == finish


@pytest.mark.parametrize(
    ("content", "about"),
    [
        ([{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": "A"}], "anthropic"),
        ([{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "A"}], ""),
        ([{"type": "reasoning_content", "reasoning_content": {"text": "hm"}}, {"type": "text", "text": "A"}], "bedrock_converse"),
        ([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "A"}], "google_genai"),
    ],
)  # fmt: skip
def test_reasoning_blocks_are_no_part_of_the_text(content: list[Any], about: str) -> None:
    message = AIMessage(content, response_metadata={"model_provider": about})
    reply = reply_of(message, "m")
    assert (reply.text, reply.reasoning) == ("A", "hm")


def test_reasoning_beside_the_text_is_kept() -> None:
    message = AIMessage("A", additional_kwargs={"reasoning_content": "hm"})
    assert reply_of(message, "m").reasoning == "hm"


BLOCKS = st.lists(
    st.one_of(
        st.text(max_size=5),
        st.dictionaries(
            st.sampled_from(["type", "text", "reasoning", "thinking", "extras", "id"]),
            st.sampled_from(["text", "reasoning", "thinking", "image", "x", "non_standard"]),
        ),
    ),
    max_size=4,
)


@given(BLOCKS, st.sampled_from(["", "anthropic", "openai", "google_genai", "bedrock", "groq"]))
def test_no_content_of_a_provider_raises(content: list[Any], provider: str) -> None:
    message = AIMessage(content, response_metadata={"model_provider": provider})
    assert isinstance(reply_of(message, "m"), ChatReply)


class Response:
    def __init__(self, status: int, headers: dict[str, str]) -> None:
        self.status_code, self.headers = status, headers


def made(name: str, bases: tuple[type, ...] = (Exception,), **attributes: Any) -> Exception:
    err: Exception = type(name, bases, {})("what happened")
    for key, value in attributes.items():
        setattr(err, key, value)
    return err


@pytest.mark.parametrize(
    ("err", "kind", "wait"),
    [
        (made("Error", status_code=429), ModelBusy, None),
        (made("Error", response=Response(429, {"Retry-After": "4"})), ModelBusy, 4.0),
        (made("Error", response=Response(503, {"retry-after": "4"})), ModelUnavailable, 4.0),
        (made("Error", code=429), ModelBusy, None),
        (made("Error", code="429"), ModelError, None),
        (made("ResourceExhausted"), ModelBusy, None),
        (made("ThrottlingException"), ModelBusy, None),
        (made("ReadTimeout"), ModelUnavailable, None),
        (made("DeadlineExceeded"), ModelUnavailable, None),
        (made("Odd", (ConnectionError,)), ModelUnavailable, None),
        (made("APIConnectionError"), ModelUnavailable, None),
        (made("ServiceUnavailable"), ModelUnavailable, None),
        (made("PermissionDenied"), ModelError, None),
        (made("Whatever"), ModelError, None),
        (
            made(
                "ClientError",
                response={
                    "Error": {"Code": "ThrottlingException"},
                    "ResponseMetadata": {"HTTPStatusCode": 400},
                },
            ),
            ModelBusy,
            None,
        ),
        (
            made("ClientError", response={"ResponseMetadata": {"HTTPStatusCode": 503}}),
            ModelUnavailable,
            None,
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_exceptions_of_any_provider_are_told_apart(
    err: Exception, kind: type[ModelError], wait: float | None
) -> None:
    found = LangChainErrors("the chat model").of(refusal_of(err))
    assert type(found) is kind
    assert getattr(found, "retry_after_s", None) == wait
    assert json.dumps(str(found))


# llama.cpp's own server, with noise for a model


@pytest.mark.thorough
async def test_noise_from_a_real_server_gives_answers_that_satisfy_the_schema(
    make: Make, llama_server: LlamaServer, context: FakeContext
) -> None:
    backend = make("openai:tiny", settings={"base_url": llama_server.base_url})
    word = {"type": "string", "pattern": "^[a-z]{1,8}$"}  # other noise is no UTF-8
    schema = {**SCHEMA, "properties": {**SCHEMA["properties"], "reason": word}}
    asked = [ask(answer_schema=schema, seed=seed, max_tokens=400) for seed in range(12)]
    replies = await asyncio.gather(*map(backend.complete, asked))
    whole = [reply for reply in replies if reply.finish_reason == "stop"]
    assert len(whole) > 8
    assert all(read(reply, schema).parsed for reply in whole)
    assert context.warnings == []


async def test_a_real_server_cuts_answers_and_refuses_prompts(
    make: Make, llama_server: LlamaServer
) -> None:
    backend = make("openai:tiny", settings={"base_url": llama_server.base_url})
    for request in (ask(max_tokens=5, seed=1), ask(max_tokens=5, seed=1, answer_schema=SCHEMA)):
        reply = await backend.complete(request)
        assert (reply.finish_reason, reply.output_tokens) == ("length", 5)
        assert parsed(reply) is None
    with pytest.raises(ModelError, match=r"\(status 400\)"):
        await backend.complete(ask("x" * 50_000))


@pytest.mark.parametrize(("word", "meaning"), _finish_reasons().items())
def test_each_listed_finish_reason_is_understood(word: str, meaning: str) -> None:
    message = AIMessage("x", response_metadata={"finish_reason": word.upper()})
    assert reply_of(message, "m").finish_reason == meaning

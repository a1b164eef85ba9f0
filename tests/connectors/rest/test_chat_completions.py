"""A model behind an OpenAI-compatible endpoint as the app: history, tools, streams, errors."""

import asyncio
import json
import threading
from typing import Any

import pytest

from sparring.errors import (
    AppCrash,
    AppError,
    AppProtocolError,
    AppUnreachable,
    ConfigurationError,
)
from sparring.model.case import Case
from sparring.model.talk import Listen, Observation, Press, Say
from sparring.testing.fakes import FakeContext
from sparring_connectors.chat_completions.connector import ChatCompletionsConnector

CASE = Case.of("tea", {}, run_seed=0)
WEATHER = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}


def completion(message: dict[str, Any] | str, **more: Any) -> dict[str, Any]:
    content = {"role": "assistant", "content": message} if isinstance(message, str) else message
    return {"choices": [{"index": 0, "message": content, "finish_reason": "stop"}], **more}


def call(name: str, arguments: str, id: str = "call_1") -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


async def talk(url: str, *acts: Any, **settings: Any) -> list[Observation]:
    wanted = {"model": "small", **settings}
    connector = FakeContext().build(ChatCompletionsConnector, url=url, **wanted)
    try:
        async with connector.open(CASE) as session:
            return [await session.send(Say(text=a) if isinstance(a, str) else a) for a in acts]
    finally:
        await connector.close()


@pytest.mark.anyio
async def test_the_whole_conversation_is_sent_each_time(serve: Any) -> None:
    server = serve(lambda request: completion(f"answer {len(request.json['messages'])}"))
    acts = [Listen(), Listen(), "one", Press(label="Two", value="2")]
    settings = {"system": "Be kind.", "greeting": "Hello!", "parameters": {"temperature": 0}}
    seen = await talk(f"{server.url}/v1/", *acts, api_key="sk-secret", **settings)
    assert [each.text for each in seen] == ["Hello!", "", "answer 3", "answer 5"]
    assert server.requests[0].path == "/v1/chat/completions"
    assert server.requests[0].headers["authorization"] == "Bearer sk-secret"
    assert server.bodies()[1] == {
        "model": "small",
        "temperature": 0,
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "assistant", "content": "Hello!"},
            {"role": "user", "content": "one"},
            {"role": "assistant", "content": "answer 3"},
            {"role": "user", "content": "2"},
        ],
    }


@pytest.mark.anyio
async def test_only_the_latest_turns_are_sent_if_the_suite_says_so(serve: Any) -> None:
    server = serve(lambda request: completion("yes"))
    url = f"{server.url}/v1/chat/completions"
    await talk(url, "one", "two", "three", history_turns=2, system="S")
    sent = [[m["content"] for m in body["messages"]] for body in server.bodies()]
    assert sent == [["S", "one"], ["S", "one", "yes", "two"], ["S", "two", "yes", "three"]]


@pytest.mark.anyio
async def test_tools_get_their_results_and_rules_see_the_calls(serve: Any) -> None:
    def answer(request: Any) -> Any:
        last = request.json["messages"][-1]
        if last["role"] == "tool":
            return completion(f"It is {json.loads(last['content'])['sky']}.", usage={"total": 3})
        return completion({"content": None, "tool_calls": [call("weather", '{"city": "Ghent"}')]})

    server = serve(answer)
    settings = {"tools": [WEATHER], "tool_results": {"weather": {"sky": "grey"}}}
    first, second = await talk(server.url, "Weather?", "And now?", **settings)
    assert first.text == "It is grey." == second.text
    assert first.payload == {
        "tool_calls": [{"name": "weather", "arguments": {"city": "Ghent"}}],
        "finish_reason": "stop",
        "usage": {"total": 3},
    }
    roles = [message["role"] for message in server.bodies()[2]["messages"]]
    assert roles == ["user", "assistant", "tool", "assistant", "user"]


@pytest.mark.anyio
async def test_calls_without_results_are_seen_and_answered_in_the_next_turn(serve: Any) -> None:
    server = serve(
        lambda request: completion(
            {"content": "Let me look.", "tool_calls": [call("weather", "not json", id="")]}
        )
    )
    first, _ = await talk(server.url, "Weather?", "Well?", tools=[WEATHER])
    assert first == Observation(
        text="Let me look.",
        payload={
            "tool_calls": [{"name": "weather", "arguments": "not json"}],
            "finish_reason": "stop",
        },
    )
    assert len(server.requests) == 2
    asked, result, said = server.bodies()[1]["messages"][1:]
    assert result == {
        "role": "tool",
        "tool_call_id": asked["tool_calls"][0]["id"],
        "content": "null",
    }
    assert asked["tool_calls"][0]["id"]
    assert said == {"role": "user", "content": "Well?"}


@pytest.mark.anyio
async def test_tools_that_are_called_for_ever_end(serve: Any) -> None:
    server = serve(lambda request: completion({"tool_calls": [call("weather", "{}")]}))
    settings = {"tools": [WEATHER], "tool_results": {"weather": 1}, "max_tool_rounds": 3}
    (seen,) = await talk(server.url, "Weather?", **settings)
    assert len(server.requests) == 4
    assert seen.text == ""
    assert isinstance(seen.payload, dict)
    assert len(seen.payload["tool_calls"]) == 4  # type: ignore[arg-type]


def stream(*pieces: dict[str, Any], end: str = "data: [DONE]\n\n") -> bytes:
    frames = "".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces)
    return (": keep-alive\n\n" + frames + end).encode()


def delta(reason: str | None = None, **content: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": content, "finish_reason": reason}]}


@pytest.mark.anyio
async def test_a_stream_is_read_whole(serve: Any, answer: Any) -> None:
    piece = {"index": 0, "id": "a", "function": {"name": "weather", "arguments": '{"ci'}}
    rest = {"index": 0, "function": {"arguments": 'ty": "Ghent"}'}}
    body = stream(
        delta(role="assistant", content="Good "),
        delta(content="morning"),
        delta(tool_calls=[piece]),
        delta(tool_calls=[rest]),
        delta("tool_calls"),
        {"choices": [], "usage": {"total_tokens": 9}},
    )
    server = serve(lambda request: answer(body, content_type="text/event-stream"))
    (seen,) = await talk(server.url, "Hello", stream=True, tools=[WEATHER])
    assert seen.text == "Good morning"
    assert seen.payload == {
        "tool_calls": [{"name": "weather", "arguments": {"city": "Ghent"}}],
        "finish_reason": "tool_calls",
        "usage": {"total_tokens": 9},
    }
    assert server.bodies()[0]["stream"] is True


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("body", "message"),
    [
        (stream(delta(content="Good "), end=""), "the stream broke off after: Good"),
        (b"<html>", "the reply is not JSON: <html>"),
        (b"[" * 200_000, "the reply is not JSON"),
        (b"[]", "the reply is a list, not an object"),
        ({"error": {"message": "overloaded"}}, "overloaded"),
        ({"detail": "x"}, "the reply has no choices, but the keys detail"),
        ({"choices": []}, "no choices"),
        ({"choices": [{"text": "x"}]}, "the first choice of the reply has no message"),
        (completion({"tool_calls": {"a": 1}}), "tool_calls is an object, not a list"),
        (completion({"tool_calls": ["a"]}), "a tool call is a text"),
    ],
)
async def test_replies_that_cannot_be_read(
    serve: Any, answer: Any, body: Any, message: str
) -> None:
    server = serve(lambda request: answer(body))
    with pytest.raises(AppProtocolError, match=r".") as caught:
        await talk(server.url, "Hello")
    assert message in str(caught.value)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"content": None}, ""),
        ({"content": [{"type": "text", "text": "a"}, {"type": "image"}, {"text": "b"}]}, "ab"),
        ({"content": None, "refusal": "I cannot."}, "I cannot."),
        ({"content": 7}, ""),
        ({"content": "x", "tool_calls": None}, "x"),
        ({"content": "x", "tool_calls": [{"index": 10**9, "function": 3}]}, "x"),
    ],
)
async def test_what_services_do_differently_is_taken(serve: Any, content: Any, text: str) -> None:
    server = serve(lambda request: completion(content))
    assert (await talk(server.url, "Hello"))[0].text == text


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("status", "error", "message"),
    [
        (401, ConfigurationError, "check the credentials"),
        (404, ConfigurationError, "check url and path"),
        (400, AppProtocolError, "400"),
        (500, AppCrash, "500"),
        (429, AppUnreachable, "its rate limit"),
    ],
)
async def test_refusals_name_their_owner_and_no_key(
    serve: Any, answer: Any, status: int, error: type[AppError], message: str
) -> None:
    server = serve(lambda request: answer({"error": "no: sk-secret-1"}, status=status))
    retry = {"attempts": 2, "wait_s": 0, "max_wait_s": 1}
    with pytest.raises(error, match=r".") as caught:
        await talk(server.url, "Hello", api_key="sk-secret-1", retry=retry)
    assert message in str(caught.value)
    assert "sk-secret-1" not in str(caught.value)


@pytest.mark.anyio
async def test_a_service_that_limits_its_rate_loses_no_case(serve: Any, answer: Any) -> None:
    lock, busy, refused = threading.Lock(), [0], [0]

    def handle(request: Any) -> Any:
        # Three requests are taken at a time: each answer is open for 20 ms.
        with lock:
            if busy[0] >= 3:
                refused[0] += 1
                return answer({"error": "slow down"}, status=429)
            busy[0] += 1
        timer = threading.Timer(0.02, release)
        timer.start()
        return answer(completion("ok"), pause_s=0.02)

    def release() -> None:
        with lock:
            busy[0] -= 1

    server = serve(handle)
    connector = FakeContext().build(
        ChatCompletionsConnector, url=server.url, model="m", retry={"attempts": 50, "wait_s": 0.01}
    )

    async def converse(number: int) -> str:
        async with connector.open(Case.of(f"c{number}", {}, run_seed=0)) as session:
            return (await session.send(Say(text="hi"))).text

    assert await asyncio.gather(*(converse(n) for n in range(40))) == ["ok"] * 40
    assert refused[0] > 0
    await connector.close()


@pytest.mark.anyio
async def test_a_turn_that_failed_leaves_nothing_in_the_history(serve: Any, answer: Any) -> None:
    answers = [completion("a"), answer({}, status=500), completion("c")]
    server = serve(lambda request: answers.pop(0))
    connector = FakeContext().build(ChatCompletionsConnector, url=server.url, model="m")
    async with connector.open(CASE) as session:
        await session.send(Say(text="one"))
        with pytest.raises(AppCrash, match="500"):
            await session.send(Say(text="two"))
        await session.send(Say(text="three"))
    sent = [message["content"] for message in server.bodies()[-1]["messages"]]
    assert sent == ["one", "a", "three"]
    await connector.close()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"url": "host/v1"}, "url: "),
        ({"parameters": {"messages": []}}, "messages has a setting of its own; the connector"),
        ({"parameters": {"stream": True}}, "stream has a setting of its own; write it as stream"),
        ({"tool_results": {"wether": 1}}, "tool_results: 'wether' is no tool of `tools` (none)"),
        ({"modle": "x"}, "modle: unknown key. Did you mean 'model'?"),
        ({"headers": {"a b": "x"}}, "is not a header's name"),
    ],
)
def test_wrong_settings_name_their_key(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=r".") as caught:
        FakeContext().build(
            ChatCompletionsConnector, **{"url": "http://host/v1", "model": "m", **settings}
        )
    assert message in str(caught.value)


@pytest.mark.anyio
async def test_a_probe_asks_for_one_answer(serve: Any, answer: Any) -> None:
    server = serve(lambda request: completion("yes"))
    connector = FakeContext().build(ChatCompletionsConnector, url=server.url, model="m")
    await connector.probe()
    assert len(server.requests) == 1
    await connector.close()
    server = serve(lambda request: answer({"error": {"message": "no such model"}}))
    connector = FakeContext().build(ChatCompletionsConnector, url=server.url, model="m")
    with pytest.raises(AppError, match="no such model"):
        await connector.probe()
    await connector.close()

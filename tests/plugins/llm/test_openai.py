"""The backend `openai` against a server on the loopback that does what real ones do."""

import asyncio
import gc
import json
import logging
import socket
import subprocess
import sys
import traceback
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from sparring.errors import ConfigurationError, ModelBusy, ModelError, ModelUnavailable
from sparring.model.chat import ChatMessage, Quota
from sparring.testing.fakes import FakeContext
from sparring_plugins.llm.openai import OpenAIBackend

from .conftest import KEY, SCHEMA, Behave, Make, ask

pytestmark = pytest.mark.anyio
VALUE = {"polite": True, "reason": "x"}


async def test_a_question_is_sent_as_it_is_and_the_reply_is_read(
    behave: Behave, make: Make
) -> None:
    server = behave(key=KEY)
    messages = (
        ChatMessage(role="system", content="Be brief."),
        ChatMessage(role="user", content="Hi"),
        ChatMessage(role="assistant", content="Hello"),
        ChatMessage(role="user", content="Say \U0001f355"),
    )
    request = ask(temperature=0.5, seed=7, max_tokens=50).model_copy(update={"messages": messages})
    reply = await make().complete(request)
    assert reply.text == "You said: Say \U0001f355"
    assert reply.model == "tiny-0613"
    assert (reply.input_tokens, reply.output_tokens, reply.cached_tokens) == (6, 4, 2)
    assert (reply.finish_reason, reply.parsed, reply.cost_usd) == ("stop", None, None)
    assert reply.latency_s > 0
    asked = server.requests[0]
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.body == {
        "model": "tiny",
        "messages": [{"role": one.role, "content": one.content} for one in messages],
        "temperature": 0.5,
        "seed": 7,
        "max_tokens": 50,
    }


async def test_what_a_request_leaves_open_is_not_sent(behave: Behave, make: Make) -> None:
    server = behave()
    await make().complete(ask())
    assert server.requests[0].body.keys() == {"model", "messages"}


async def test_settings_and_extra_fields_are_sent(behave: Behave, make: Make) -> None:
    server = behave(strict=False)
    backend = make(
        reasoning_effort="low",
        max_tokens_field="max_completion_tokens",
        organization="org-1",
        extra={"top_k": 5, "temperature": 1},
    )
    await backend.complete(ask(max_tokens=9, temperature=0.0))
    asked = server.requests[0]
    assert asked.headers["openai-organization"] == "org-1"
    body = {key: value for key, value in asked.body.items() if key != "messages"}
    assert body == {
        "model": "tiny",
        "reasoning_effort": "low",
        "max_completion_tokens": 9,
        "top_k": 5,
        "temperature": 1,
    }


@pytest.mark.parametrize(
    ("fault", "error", "says"),
    [
        ("400", ModelError, "the model 'tiny' cannot be asked so (http://127.0.0.1:"),
        ("401", ModelError, "the key in OPENAI_API_KEY is missing or not accepted"),
        ("403", ModelError, "the key in OPENAI_API_KEY may not use the model 'tiny'"),
        ("404", ModelError, "there is no model 'tiny', or not for the key in OPENAI_API_KEY"),
        ("413", ModelError, "the prompt is too long for the model 'tiny'"),
        ("422", ModelError, "cannot be asked so"),
        ("501", ModelError, "cannot be asked so"),
        ("quota", ModelError, "the quota or credit of the key in OPENAI_API_KEY is used up"),
        ("408", ModelUnavailable, "status 408: Request timed out."),
        ("409", ModelUnavailable, "status 409"),
        ("429", ModelBusy, "asks for patience: Rate limit reached for requests."),
        ("500", ModelUnavailable, "status 500: The server had an error"),
        ("502", ModelUnavailable, "status 502"),
        ("503", ModelUnavailable, "status 503"),
        ("504", ModelUnavailable, "status 504"),
        ("529", ModelUnavailable, "status 529"),
        ("html-502", ModelUnavailable, "status 502: 502 Bad Gateway"),
        ("html", ModelError, "it answers with a web page: check base_url"),
        ("empty", ModelUnavailable, "the answer is empty"),
        ("truncated", ModelUnavailable, "the answer is no whole JSON"),
        ("bad-gzip", ModelUnavailable, "the connection broke off"),
        ("bad-http", ModelUnavailable, "the connection broke off"),
        ("drop", ModelUnavailable, "the connection broke off"),
        ("reset", ModelUnavailable, "the connection broke off"),
        ("drop-in-body", ModelUnavailable, "the connection broke off"),
        ("redirect", ModelUnavailable, "the connection broke off (TooManyRedirects"),
        ("null", ModelError, "no chat completion"),
        ("list", ModelError, "no chat completion"),
        ("text", ModelError, "no chat completion"),
        ("wrong-shape", ModelError, "no chat completion: check base_url"),
        ("odd-choices", ModelError, "the answer's choices are none"),
        ("odd-choice", ModelError, "the answer's choices are none"),
        ("odd-message", ModelError, "the answer's choice has no message"),
        ("empty-choices", ModelUnavailable, "the answer has no choices"),
        ("null-choices", ModelUnavailable, "the answer has no choices"),
        ("null-content", ModelUnavailable, "the answer has no content"),
        ("error-body", ModelUnavailable, "status 503: Overloaded."),
        ("error-text", ModelUnavailable, "status 503: Overloaded."),
        ("huge-error", ModelError, "no! no!"),
    ],
)
async def test_each_failure_says_what_it_is_after_one_attempt(
    behave: Behave, make: Make, fault: str, error: type[ModelError], says: str
) -> None:
    server = behave(fault=fault)
    with pytest.raises(ModelError) as caught:
        await make().complete(ask())
    assert type(caught.value) is error
    assert says in str(caught.value)
    assert len(str(caught.value)) < 600
    assert len(server.requests) == 1 or fault == "redirect"


async def test_a_server_that_is_not_there_is_unavailable(make: Make, nobody_there: str) -> None:
    with pytest.raises(ModelUnavailable, match=r"http://127\.0\.0\.1:\d+/chat: cannot be reached"):
        await make(base_url=nobody_there).complete(ask())


async def test_an_unknown_host_is_unavailable(make: Make) -> None:
    with pytest.raises(ModelUnavailable, match=r"cannot be reached \(.*Name or service not known"):
        await make(base_url="http://models.invalid/v1").complete(ask())


async def test_a_wrong_path_points_at_the_base_url(behave: Behave, make: Make) -> None:
    server = behave()
    address = server.base_url.removesuffix("/v1")
    with socket.socket():
        backend = make(base_url=f"{address}/nothing-here")
        reply = await backend.complete(ask())  # any path that ends so is served
    assert reply.text
    server.manners.refuses, server.manners.refusal_status = ["messages"], 404
    server.manners.refusal_words = "Not Found"
    with pytest.raises(ModelError, match="check base_url, it often ends in /v1"):
        await backend.complete(ask())


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({}, None),
        ({"retry_after": "2"}, 2.0),
        ({"retry_after": "0.25"}, 0.25),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "2", "retry_after_ms": "150"}, 0.15),
    ],
)
@pytest.mark.parametrize(("status", "error"), [("429", ModelBusy), ("503", ModelUnavailable)])
async def test_how_long_to_wait_is_passed_on(
    behave: Behave,
    make: Make,
    status: str,
    error: type[ModelBusy] | type[ModelUnavailable],
    headers: dict[str, str],
    wait_s: float | None,
) -> None:
    behave(fault=status, **headers)
    with pytest.raises(error) as caught:
        await make().complete(ask())
    assert caught.value.retry_after_s == wait_s


async def test_the_quota_that_a_service_announces_is_passed_on_but_not_stored(
    behave: Behave, make: Make
) -> None:
    behave(calls_left="7")
    reply = await make().complete(ask())
    assert reply.quota == Quota(calls_left=7, renewed_in_s=5)
    assert "quota" not in reply.model_dump_json()
    behave(calls_left=None)
    assert (await make().complete(ask())).quota is None


async def test_a_date_to_wait_for_is_understood(behave: Behave, make: Make) -> None:
    later = datetime.now(UTC) + timedelta(seconds=30)
    behave(fault="429", retry_after=format_datetime(later, usegmt=True))
    with pytest.raises(ModelBusy) as caught:
        await make().complete(ask())
    assert caught.value.retry_after_s is not None
    assert 20 < caught.value.retry_after_s < 31


@pytest.mark.parametrize("fault", ["silence", "stall-in-body"])
async def test_no_answer_in_time_is_unavailable(behave: Behave, make: Make, fault: str) -> None:
    behave(fault=fault)
    with pytest.raises(ModelUnavailable, match=r"no answer within 0\.2 s"):
        await make().complete(ask(timeout_s=0.2))


async def test_a_slow_first_byte_is_waited_for(behave: Behave, make: Make) -> None:
    behave(delay_s=0.2)
    reply = await make().complete(ask(timeout_s=30))
    assert reply.latency_s >= 0.19


async def test_a_broken_exchange_does_not_spoil_the_next(behave: Behave, make: Make) -> None:
    faults = ["ok", "silence", "ok", "drop", "stall-in-body", "truncated", "ok"]
    server = behave(faults=list(faults))
    backend = make()
    answered = 0
    for number, fault in enumerate(faults):
        timeout_s = 60 if fault == "ok" else 0.3  # a busy machine takes longer for an answer
        try:
            reply = await backend.complete(ask(f"{number}", timeout_s=timeout_s))
        except ModelUnavailable:
            continue
        assert reply.text == f"You said: {number}"
        answered += 1
    assert answered == 3
    assert len(server.requests) == 7


async def test_cancelling_passes_and_hangs_up(behave: Behave, make: Make) -> None:
    server = behave(fault="silence")
    backend = make()
    task = asyncio.create_task(backend.complete(ask()))
    while not server.requests:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    while server.at_once:
        await asyncio.sleep(0.01)
    server.manners.fault = "ok"
    assert (await backend.complete(ask("again"))).text == "You said: again"


@pytest.mark.parametrize(
    ("fault", "text", "finish"),
    [
        ("refusal", "I'm sorry, I can't help with that.", "refusal"),
        ("content-filter", "", "refusal"),
        ("length", "You said", "length"),
        ("parts", "You said: Say hello.", "stop"),
        ("odd-reason", "You said: Say hello.", "stop"),
        ("bad-utf8", "Y\ufffd\ufffdu said: Say hello.", "stop"),
        ("think", "<think>\nWhat {is} this?\n</think>\n\nYou said: Say hello.", "stop"),
    ],
)
async def test_answers_that_are_not_plain(
    behave: Behave, make: Make, fault: str, text: str, finish: str
) -> None:
    behave(fault=fault)
    reply = await make().complete(ask())
    assert reply.text.startswith(text)
    assert reply.finish_reason == finish


@pytest.mark.parametrize("fault", ["reasoning", "reasoning_content"])
async def test_reasoning_is_kept_apart(behave: Behave, make: Make, fault: str) -> None:
    behave(fault=fault)
    reply = await make().complete(ask())
    assert (reply.text, reply.reasoning) == ("You said: Say hello.", "What {is} this?")


@pytest.mark.parametrize("fault", ["no-usage", "null-usage", "odd-usage"])
async def test_missing_usage_counts_as_zero(behave: Behave, make: Make, fault: str) -> None:
    behave(fault=fault)
    reply = await make().complete(ask())
    assert (reply.input_tokens, reply.output_tokens, reply.cached_tokens) == (0, 0, 0)


async def test_azures_content_filter_is_a_refusal(behave: Behave, make: Make) -> None:
    behave(fault="azure-filter")
    reply = await make().complete(ask())
    assert (reply.text, reply.finish_reason) == ("", "refusal")


@pytest.mark.parametrize("fault", ["echo-key", "echo-key-400"])
async def test_the_key_is_in_no_error_and_no_log(
    behave: Behave, make: Make, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    behave(fault=fault)
    backend = make()
    caplog.set_level(logging.DEBUG)
    with pytest.raises(ModelError) as caught:
        await backend.complete(ask())
    shown = "".join(traceback.format_exception(caught.value))
    assert "[key]" in str(caught.value)
    assert KEY not in shown + caplog.text + backend.identity() + repr(vars(backend))
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


async def test_identity_tells_settings_apart_and_no_secrets(make: Make) -> None:
    backend = make(base_url=f"http://me:{KEY}@127.0.0.1:9/v1?key={KEY}", extra={"hint": KEY})
    assert KEY not in backend.identity()
    assert "http://127.0.0.1:9/v1" in backend.identity()
    same, other = make(), make(extra={"top_k": 1})
    assert same.identity() == make(api_key_env="OPENAI_API_KEY").identity()
    assert same.identity() != other.identity()
    assert same.identity() != make(model="large").identity()
    assert same.model() == "tiny"


# Structured answers


async def test_openai_is_asked_by_a_strict_json_schema(behave: Behave, make: Make) -> None:
    server = behave()
    reply = await make().complete(ask(answer_schema=SCHEMA))
    assert json.loads(reply.text) == VALUE
    form = server.requests[0].body["response_format"]
    assert form["type"] == "json_schema"
    assert form["json_schema"]["name"] == "Polite"
    assert form["json_schema"]["strict"] is True
    assert form["json_schema"]["schema"]["additionalProperties"] is False
    assert "schema" not in server.requests[0].body["messages"][-1]["content"].lower()


def asked_by(body: dict[str, Any]) -> str:
    form = body.get("response_format") or {}
    name = str(form.get("type", "tool" if "tools" in body else "prompt"))
    return f"{name} with schema" if "schema" in form else name


JSON_SCHEMA, BOTH, OBJECT = "json_schema", "json_object with schema", "json_object"


@pytest.mark.parametrize(
    ("manners", "walked"),
    [
        ({}, [JSON_SCHEMA]),
        ({"refuses": [JSON_SCHEMA], "strict": False}, [JSON_SCHEMA, BOTH]),
        ({"refuses": [JSON_SCHEMA]}, [JSON_SCHEMA, BOTH, OBJECT]),
        ({"refuses": [JSON_SCHEMA, OBJECT]}, [JSON_SCHEMA, BOTH, OBJECT, "prompt"]),
        ({"refuses": ["response_format"]}, [JSON_SCHEMA, BOTH, OBJECT, "prompt"]),
    ],
)
@pytest.mark.parametrize("status", [400, 404, 415, 422, 501])
async def test_the_ladder_is_walked_once_and_the_rung_kept(
    behave: Behave, make: Make, manners: dict[str, Any], walked: list[str], status: int
) -> None:
    server = behave(refusal_status=status, **manners)
    backend = make()
    for _ in range(3):
        reply = await backend.complete(ask(answer_schema=SCHEMA))
        assert '{"polite": true, "reason": "x"}' in reply.text
    assert [asked_by(asked.body) for asked in server.requests] == walked + walked[-1:] * 2
    words = server.requests[-1].body["messages"][-1]["content"]
    assert ('"polite"' in words) is (walked[-1] != JSON_SCHEMA)


async def test_a_rung_that_answers_500_is_left_after_two_tries(behave: Behave, make: Make) -> None:
    server = behave(refuses=[JSON_SCHEMA], refusal_status=500, strict=False)
    backend = make()
    for _ in range(4):
        await backend.complete(ask(answer_schema=SCHEMA))
    rungs = [asked_by(asked.body) for asked in server.requests]
    assert rungs == [JSON_SCHEMA, BOTH, JSON_SCHEMA, BOTH, BOTH, BOTH]


async def test_one_500_does_not_cost_the_best_rung(behave: Behave, make: Make) -> None:
    server = behave(faults=["500"], strict=False)
    backend = make()
    for _ in range(3):
        await backend.complete(ask(answer_schema=SCHEMA))
    rungs = [asked_by(asked.body) for asked in server.requests]
    assert rungs == [JSON_SCHEMA, BOTH, JSON_SCHEMA, JSON_SCHEMA]


async def test_a_500_on_a_proven_rung_is_unavailable(behave: Behave, make: Make) -> None:
    server = behave()
    backend = make()
    await backend.complete(ask(answer_schema=SCHEMA))
    server.manners.faults = ["500"]
    with pytest.raises(ModelUnavailable):
        await backend.complete(ask(answer_schema=SCHEMA))
    assert len(server.requests) == 2


@pytest.mark.parametrize("status", ["500", "503"])
async def test_where_all_rungs_fail_nothing_is_remembered(
    behave: Behave, make: Make, status: str
) -> None:
    server = behave(fault=status)
    backend = make()
    with pytest.raises(ModelUnavailable):
        await backend.complete(ask(answer_schema=SCHEMA))
    assert len(server.requests) == (4 if status == "500" else 1)
    server = behave()
    await backend.complete(ask(answer_schema=SCHEMA))
    assert [asked_by(asked.body) for asked in server.requests] == [JSON_SCHEMA]


@pytest.mark.parametrize("fault", ["401", "403", "429", "404"])
async def test_what_is_no_matter_of_the_rung_ends_the_walk(
    behave: Behave, make: Make, fault: str
) -> None:
    server = behave(fault=fault)
    with pytest.raises(ModelError):
        await make().complete(ask(answer_schema=SCHEMA))
    assert len(server.requests) == 1


async def test_too_long_a_prompt_is_no_matter_of_the_rung(behave: Behave, make: Make) -> None:
    server = behave(
        refuses=["messages"],
        refusal_words="This model's maximum context length is 8192 tokens; you sent 9000.",
    )
    with pytest.raises(ModelError, match="the prompt is too long for the model 'tiny'"):
        await make().complete(ask(answer_schema=SCHEMA))
    assert len(server.requests) == 1


async def test_a_schema_that_the_service_cannot_take_leaves_others_their_rung(
    behave: Behave, make: Make
) -> None:
    server = behave(strict=False)
    backend = make()
    await backend.complete(ask(answer_schema=SCHEMA))
    server.manners.refuses = [JSON_SCHEMA]
    server.manners.refusal_words = "Invalid schema for response_format 'Odd': no."
    odd = {**SCHEMA, "title": "Odd"}
    for _ in range(2):
        await backend.complete(ask(answer_schema=odd))
    server.manners.refuses = []
    await backend.complete(ask(answer_schema=SCHEMA))
    rungs = [asked_by(asked.body) for asked in server.requests]
    assert rungs == [JSON_SCHEMA, JSON_SCHEMA, BOTH, BOTH, JSON_SCHEMA]


async def test_a_server_that_ignores_the_schema_is_told_in_words(
    behave: Behave, make: Make
) -> None:
    server = behave(ignores=[JSON_SCHEMA, BOTH, OBJECT])
    backend = make()
    texts = [(await backend.complete(ask(answer_schema=SCHEMA))).text for _ in range(8)]
    assert len(server.requests) <= 9
    assert '{"polite": true' not in texts[0]
    assert '{"polite": true' in texts[-1]


async def test_many_first_calls_are_not_all_refused(behave: Behave, make: Make) -> None:
    server = behave(refuses=["response_format"], delay_s=0.1)
    backend = make()
    replies = await asyncio.gather(
        *(backend.complete(ask(f"{n}", answer_schema=SCHEMA)) for n in range(40))
    )
    assert all('"polite"' in reply.text for reply in replies)
    assert server.statuses == {200: 40, 400: 3}
    assert server.most_at_once > 4


@pytest.mark.parametrize(
    ("structured", "expected"),
    [("json_schema", JSON_SCHEMA), ("tool", "tool"), ("json_object", OBJECT), ("prompt", "prompt")],
)
async def test_a_chosen_way_is_kept_to(
    behave: Behave, make: Make, structured: str, expected: str
) -> None:
    server = behave()
    backend = make(structured=structured)
    reply = await backend.complete(ask(answer_schema=SCHEMA))
    assert '{"polite": true, "reason": "x"}' in reply.text
    assert reply.finish_reason == "stop"
    server.manners.refuses = [*{"tools" if structured == "tool" else "response_format"}]
    if structured != "prompt":
        with pytest.raises(ModelError):
            await backend.complete(ask(answer_schema=SCHEMA))
    assert {asked_by(asked.body) for asked in server.requests} == {expected}


async def test_an_answer_that_is_cut_off_is_told_as_such(behave: Behave, make: Make) -> None:
    behave(fault="length")
    reply = await make().complete(ask(answer_schema=SCHEMA))
    assert (reply.finish_reason, reply.parsed) == ("length", None)


# Parameters that a model does not take


async def test_refused_parameters_are_left_out_and_remembered(
    behave: Behave, make: Make, context: FakeContext
) -> None:
    server = behave(refuses=["temperature", "max_tokens", "seed"])
    backend = make()
    for _ in range(2):
        await backend.complete(ask(temperature=0.0, seed=1, max_tokens=50))
    assert server.statuses == {400: 3, 200: 2}
    sent = server.requests[-1].body.keys()
    assert sent == {"model", "messages", "max_completion_tokens"}
    assert len(context.warnings) == 3
    assert context.warnings[0].startswith("the model 'tiny' is asked without temperature: Unsup")


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("temperature", "invalid temperature: only 1 is allowed for this model"),
        ("temperature", "`temperature` may only be set to 1 when thinking is enabled."),
        ("temperature", "Unsupported value: 'temperature' does not support 0.0 with this model."),
        ("temperature", "temperature: Extra inputs are not permitted"),
        ("temperature", "`temperature` and `top_p` cannot both be specified for this model."),
        ("temperature", "Argument not recognised: temperature"),
        ("temperature", "Value error, temperature must be in (0, 1)"),
        ("seed", "property 'seed' is unsupported"),
        ("seed", "[{'type': 'extra_forbidden', 'loc': ('body', 'seed')}]"),
        ("seed", "seed must be an integer of at most 31 bits"),
        ("max_tokens", "max_tokens is too large: 8000. This model supports at most 4096."),
        ("max_tokens", "Please replace max_tokens by 'max_completion_tokens'."),
    ],
)
async def test_a_field_that_may_be_left_out_is_left_out_whatever_the_refusals_words(
    field: str, words: str, behave: Behave, make: Make, context: FakeContext
) -> None:
    server = behave(refuses=[field], refusal_words=words)
    backend = make()
    for _ in range(2):
        await backend.complete(ask(temperature=0.0, seed=1, max_tokens=8000))
    assert server.statuses == {400: 1, 200: 2}
    assert field not in server.requests[-1].body
    assert context.warnings[0].startswith(f"the model 'tiny' is asked without {field}")


async def test_a_prompt_that_is_too_long_is_not_asked_again_without_its_limit(
    behave: Behave, make: Make
) -> None:
    words = "Too many tokens for the context length: reduce the messages or max_tokens."
    server = behave(refuses=["max_tokens"], refusal_words=words)
    with pytest.raises(ModelError, match="the prompt is too long"):
        await make().complete(ask(max_tokens=10))
    assert server.statuses == {400: 1}


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ("This model is only supported in v1/responses and not in v1/chat/completions.",
         "use_responses_api: true"),
        ("This is not a chat model and thus not supported in the v1/chat/completions endpoint.",
         "choose a chat model"),
    ],
)  # fmt: skip
async def test_a_model_of_another_api_is_told_with_what_to_do(
    words: str, advice: str, behave: Behave, make: Make
) -> None:
    server = behave(refuses=["messages"], refusal_status=404, refusal_words=words)
    with pytest.raises(ModelError, match=advice):
        await make().complete(ask(answer_schema=SCHEMA))
    assert server.statuses == {404: 1}, "no other way to ask for JSON helps"


async def test_a_reasoning_model_by_its_name_has_room_to_reason(make: Make) -> None:
    assert make(model="o3-mini").reasoning_tokens > 0
    assert make(model="tiny").reasoning_tokens == 0


async def test_system_messages_become_the_users_where_refused(behave: Behave, make: Make) -> None:
    server = behave(refuses=["system"], refusal_words="System role not supported")
    messages = (
        ChatMessage(role="system", content="Be brief."),
        ChatMessage(role="user", content="Hi"),
    )
    request = ask().model_copy(update={"messages": messages})
    reply = await make().complete(request)
    assert server.requests[-1].body["messages"] == [
        {"role": "user", "content": "Be brief.\n\nHi"},
    ]
    assert reply.text == "You said: Be brief.\n\nHi"
    many = make()
    replies = await asyncio.gather(*(many.complete(request) for _ in range(5)))
    assert {reply.text for reply in replies} == {"You said: Be brief.\n\nHi"}


async def test_many_first_calls_of_a_reasoning_model_are_not_all_refused(
    behave: Behave, make: Make
) -> None:
    server = behave(refuses=["temperature"], delay_s=0.01)
    backend = make(model="o3-mini")
    await asyncio.gather(*(backend.complete(ask(f"{n}", temperature=0.0)) for n in range(40)))
    assert server.statuses == {200: 40, 400: 1}


# Keys and addresses


def build(**settings: Any) -> OpenAIBackend:
    return FakeContext().build(OpenAIBackend, **{"model": "m", **settings})


@pytest.mark.parametrize(
    ("settings", "environment", "says"),
    [
        ({}, {}, "https://api.openai.com/v1 needs a key: set the environment variable OPENAI_API_"),
        ({"api_key_env": "MY_KEY"}, {"OPENAI_API_KEY": KEY}, "set the environment variable MY_KEY"),
        ({"base_url": "https://eu.api.openai.com/v1"}, {}, "variable OPENAI_API_KEY"),
        ({"base_url": "http://127.0.0.1:1/v1", "api_key_env": "NO_KEY"}, {}, "variable NO_KEY"),
        ({}, {"OPENAI_API_KEY": "  "}, "variable OPENAI_API_KEY"),
        ({}, {"OPENAI_API_KEY": "sk-\u00e9"}, "OPENAI_API_KEY in the environment has characters"),
        ({"api_key_env": KEY}, {}, "is the name of an environment variable"),
        ({"base_url": "localhost:8000"}, {}, "base_url: is no address of a service"),
        ({"base_url": "ftp://x/v1"}, {}, "is no address of a service, such as http://127.0.0.1"),
        ({"base_url": "http:///v1"}, {}, "is no address of a service"),
        ({"base_url": "http://x:99999/"}, {}, "is no address of a service"),
        ({"base_url": "http://a b/"}, {}, "is no address of a service"),
        ({}, {"OPENAI_BASE_URL": "nonsense"}, "is no address of a service"),
        ({"base_url": "http://x/v1/chat/completions"}, {}, "leave /chat/completions off"),
        ({"extra": {"messages": []}}, {}, "'messages' is not for you to set here"),
        ({"structured": "xml"}, {}, "structured"),
        ({"azure": {}}, {}, "azure.endpoint: missing: give it, or set the environment variable AZ"),
        ({"azure": {"endpoint": "https://x.openai.azure.com"}}, {}, "azure.api_version: missing"),
        (
            {"azure": {"endpoint": "https://x.openai.azure.com", "api_version": "2024-10-21"}},
            {},
            "set the environment variable AZURE_OPENAI_API_KEY",
        ),
        ({"azure": {}, "base_url": "https://x"}, {}, "takes no base_url beside azure"),
        ({"model": ""}, {}, "model"),
    ],
)
def test_what_is_missing_or_wrong_is_said_before_anything_runs(
    settings: dict[str, Any],
    environment: dict[str, str],
    says: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ConfigurationError) as caught:
        build(**settings)
    assert says in str(caught.value)


def test_without_the_sdk_the_extra_is_named_and_without_use_nothing_is_imported() -> None:
    code = (
        "import sys\n"
        "import sparring_plugins.llm.openai as ours\n"
        "assert not {'openai', 'h11', 'httpx2'} & set(sys.modules), 'imported too early'\n"
        "sys.modules['openai'] = None\n"
        "from sparring.testing.fakes import FakeContext\n"
        "FakeContext().build(ours.OpenAIBackend, model='m', base_url='http://127.0.0.1:1/v1')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == (
        "sparring.errors.MissingExtra: the language model 'openai' needs OpenAI's SDK: "
        "pip install 'sparring[openai]'"
    )


async def test_a_server_of_ones_own_needs_no_key(behave: Behave) -> None:
    server = behave()
    context = FakeContext()
    backend = context.build(OpenAIBackend, model="m", base_url=server.base_url)
    assert (await backend.complete(ask())).text
    await context.close()


async def test_the_environment_may_name_the_service(
    behave: Behave, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = behave(key=KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("GATEWAY_KEY", KEY)
    context = FakeContext()
    backend = context.build(OpenAIBackend, model="m", api_key_env="GATEWAY_KEY")
    assert (await backend.complete(ask())).text
    await context.close()


async def test_azure_is_asked_as_azure_wants_it(
    behave: Behave, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = behave(key=KEY)
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_VERSION", "2024-10-21")
    context = FakeContext()
    endpoint = server.base_url.removesuffix("/v1")
    backend = context.build(OpenAIBackend, model="my-gpt", azure={"endpoint": endpoint})
    assert (await backend.complete(ask(max_tokens=5))).text
    asked = server.requests[0]
    path = "/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21"
    assert asked.path == path
    assert asked.headers["api-key"] == KEY
    assert asked.body["max_completion_tokens"] == 5
    await context.close()


async def test_a_proxy_of_the_environment_is_used(
    behave: Behave, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = behave()
    monkeypatch.setenv("HTTP_PROXY", server.base_url.removesuffix("/v1"))
    reply = await make(base_url="http://models.example/v1").complete(ask())
    assert reply.text
    assert server.requests[0].path == "http://models.example/v1/chat/completions"


# Connections


async def test_connections_are_used_again(behave: Behave, make: Make) -> None:
    server = behave()
    before = server.connections
    backend = make()
    for _ in range(5):
        await backend.complete(ask())
    assert server.connections == before + 1


async def test_many_calls_run_at_once(behave: Behave, make: Make) -> None:
    server = behave(together=300)
    backend = make()
    replies = await asyncio.gather(*(backend.complete(ask(f"{n}")) for n in range(300)))
    assert [reply.text for reply in replies] == [f"You said: {n}" for n in range(300)]
    assert server.most_at_once == 300


def test_a_backend_works_on_one_loop_after_another(behave: Behave) -> None:
    """No client is shared by loops, and none is left open: warnings of sockets are errors."""
    server = behave()
    context = FakeContext()
    backend = context.build(OpenAIBackend, model="m", base_url=server.base_url)
    for _ in range(3):
        assert asyncio.run(backend.complete(ask())).text
        assert asyncio.run(backend.complete(ask(answer_schema=SCHEMA))).text
    asyncio.run(context.close())
    gc.collect()


async def test_after_closing_it_can_be_asked_again(behave: Behave, make: Make) -> None:
    behave()
    backend = make()
    await backend.complete(ask())
    await backend.close()
    await backend.close()
    assert (await backend.complete(ask())).text


@pytest.mark.parametrize(
    ("base_url", "listed"),
    [
        ("https://api.openai.com/v1", True),
        ("https://api.deepseek.com/v1", True),
        ("http://127.0.0.1:8000/v1", False),
        ("http://[::1]:8000/v1", False),
        ("http://10.1.2.3/v1", False),
        ("http://models:8000/v1", False),
        ("http://models.internal/v1", False),
    ],
)
async def test_price_lists_count_for_public_services_alone(
    make: Make, base_url: str, listed: bool
) -> None:
    assert make(base_url=base_url).listed is listed

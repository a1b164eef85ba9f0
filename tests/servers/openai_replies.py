"""What a service that speaks OpenAI's chat protocol answers, and how it misbehaves.

A request that the real service refuses is refused here, in its words. The model behind it
obeys: it answers a schema, also one that stands in words in the prompt, with the smallest value
that satisfies it.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any

#: Faults that are a status of their own, with what the service says.
STATUSES = {
    400: "Invalid request: something in it is not right.",
    401: "Incorrect API key provided.",
    403: "Your account may not use this model.",
    404: "The model does not exist or you do not have access to it.",
    408: "Request timed out.",
    409: "Conflict.",
    413: "Request too large.",
    422: "Unprocessable.",
    429: "Rate limit reached for requests.",
    500: "The server had an error while processing your request.",
    501: "This server does not support that.",
    502: "Bad gateway.",
    503: "The engine is currently overloaded.",
    504: "Gateway timeout.",
    529: "Overloaded.",
}
KNOWN = frozenset(
    [
        "model",
        "messages",
        "temperature",
        "top_p",
        "n",
        "stop",
        "max_tokens",
        "max_completion_tokens",
        "seed",
        "stream",
        "stream_options",
        "response_format",
        "tools",
        "tool_choice",
        "parallel_tool_calls",
        "reasoning_effort",
        "user",
        "logprobs",
        "top_logprobs",
        "presence_penalty",
        "frequency_penalty",
        "logit_bias",
        "store",
        "metadata",
        "service_tier",
        "verbosity",
    ]
)
QUOTA = "You exceeded your current quota, please check your plan and billing details."


@dataclass
class Manners:
    """How the server behaves.

    `faults` are those of the coming requests, in order ("ok" for none), `fault` that of all
    others: a status such as "503", or one of the names in `Answer`. `refuses` are features of a
    request that are answered with `refusal_status`: json_schema, json_object_schema, json_object,
    tools, or any field. `strict` refuses fields and schemas that OpenAI refuses.
    """

    delay_s: float = 0.0  # before the first byte
    together: int = 0  # the first answers are held back until so many requests are in hand
    at_once: int | None = None  # requests in hand; any more are answered with 429
    retry_after: str | None = None  # on 429 and 5xx, as is
    retry_after_ms: str | None = None
    calls_left: str | None = None  # announced with answers, renewed in five seconds
    faults: list[str] = field(default_factory=list[str])
    fault: str = "ok"
    refuses: list[str] = field(default_factory=list[str])
    refusal_status: int = 400
    refusal_words: str | None = None
    ignores: list[str] = field(default_factory=list[str])  # ways to ask for JSON it does not heed
    strict: bool = True
    key: str | None = None  # the only key accepted
    models: list[str] = field(default_factory=list[str])  # those that are there; empty: all
    text: str | None = None  # the answer to a question without a schema
    answer: Any = None  # the answer to a schema, or what makes one of it and of the request


@dataclass(frozen=True)
class Asked:
    """A request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


def smallest(schema: Any, root: Any = None) -> Any:
    """The smallest value that satisfies a JSON Schema (of those that our answers have)."""
    root = schema if root is None else root
    if not isinstance(schema, dict):
        return None
    if "$ref" in schema:
        found = root
        for step in schema["$ref"].removeprefix("#").strip("/").split("/"):
            found = found[step] if step else found
        return smallest(found, root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    for word in ("anyOf", "oneOf", "allOf"):
        if schema.get(word):
            return smallest(schema[word][0], root)
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        inner, needed = schema.get("properties", {}), schema.get("required", ())
        return {key: smallest(item, root) for key, item in inner.items() if key in needed}
    if kind == "array":
        least = schema.get("minItems", 0)
        return [smallest(schema.get("items", {}), root)] * least if least else []
    if kind in ("integer", "number"):
        return schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1)
    if kind == "boolean":
        return True
    return None if kind == "null" else "x" * schema.get("minLength", 1)


def refused_by_openai(body: dict[str, Any]) -> tuple[str, str | None] | None:
    """Why the real service would answer 400: the message and the parameter."""
    unknown = [name for name in body if name not in KNOWN]
    if unknown:
        return f"Unrecognized request argument supplied: {unknown[0]}", None
    if "max_tokens" in body and "max_completion_tokens" in body:
        return "Setting 'max_tokens' and 'max_completion_tokens' at the same time is bad.", None
    form = body.get("response_format") or {}
    if form.get("type") == "json_object":
        if set(form) != {"type"}:
            return "Unknown parameter: 'response_format.schema'.", "response_format.schema"
        if "json" not in json.dumps(body["messages"]).lower():
            say = "must contain the word 'json' in some form, to use 'response_format'"
            return f"'messages' {say} of type 'json_object'.", "messages"
    named = [form["json_schema"]] if form.get("type") == "json_schema" else []
    named += [tool["function"] for tool in body.get("tools", ())]
    for item in named:
        if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", item.get("name", "")):
            return "Invalid name: string does not match pattern '^[a-zA-Z0-9_-]+$'.", "name"
        wrong = (
            _not_strict(item.get("schema", item.get("parameters"))) if item.get("strict") else None
        )
        if wrong:
            return f"Invalid schema for {item['name']!r}: In context=(), {wrong}", "response_format"
    return None


def _not_strict(schema: Any, top: bool = True) -> str | None:
    if isinstance(schema, list):
        return next(filter(None, (_not_strict(item, False) for item in schema)), None)
    if not isinstance(schema, dict):
        return None
    if top and schema.get("type") != "object":
        return "schema must be a JSON Schema of 'type: \"object\"'."
    if "properties" in schema or schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            return "'additionalProperties' is required to be supplied and to be false."
        if set(schema.get("required", ())) != set(schema.get("properties", ())):
            return "'required' is required to be supplied and to include every key in properties."
    for word in ("allOf", "oneOf", "not", "if", "patternProperties", "default", "uniqueItems"):
        if word in schema:
            return f"{word!r} is not permitted."
    if "$ref" in schema and set(schema) != {"$ref"}:
        return "$ref cannot have keywords."
    inner = [schema.get("items"), schema.get("anyOf")]
    inner += [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    return next(filter(None, (_not_strict(item, False) for item in inner)), None)


def features(body: dict[str, Any]) -> set[str]:
    """What a request makes use of, as `Manners.refuses` names it."""
    form = body.get("response_format") or {}
    kind = str(form.get("type", ""))
    both = {"json_object_schema", "json_object with schema"} if "schema" in form else set()
    return {*body, kind, *both, *(str(one.get("role")) for one in body["messages"])}


def schema_in(body: dict[str, Any]) -> Any:
    """The schema that a request asks for, however it does."""
    form = body.get("response_format") or {}
    if form.get("type") == "json_schema":
        return form["json_schema"]["schema"]
    if "schema" in form:
        return form["schema"]
    if body.get("tools"):
        return body["tools"][0]["function"]["parameters"]
    for message in reversed(body["messages"]):
        text = str(message.get("content"))
        for start in re.finditer(r"\{", text):
            try:
                found, _ = json.JSONDecoder().raw_decode(text, start.start())
            except ValueError:
                continue
            if "type" in found or "properties" in found or "$ref" in found:
                return found
    return None


class Answer:
    """The answer to one request: a status, a body, and how it is sent."""

    def __init__(self, asked: Asked, manners: Manners, fault: str) -> None:
        self.asked, self.manners, self.fault = asked, manners, fault
        self.status, self.body, self.kind = 200, b"", "application/json"
        self.headers: dict[str, str] = {}
        try:
            self._make()
        except (KeyError, TypeError, AttributeError, ValueError) as err:
            self._refuse(400, f"Invalid request: {err!r}")

    def _make(self) -> None:
        body, manners, fault = self.asked.body, self.manners, self.fault
        key = self.asked.headers.get("authorization", "").removeprefix("Bearer ")
        key = key or self.asked.headers.get("api-key", "")
        if fault.isdigit():
            return self._refuse(int(fault), STATUSES[int(fault)])
        if fault in ("echo-key", "echo-key-400"):
            status = 401 if fault == "echo-key" else 400
            return self._refuse(status, f"Incorrect API key provided: {key}. Headers: {key!r}")
        if fault == "azure-filter":
            words = "The response was filtered due to the prompt triggering Azure's policy."
            return self._refuse(400, words, "prompt", "content_filter")
        if fault == "quota":
            return self._refuse(429, QUOTA, code="insufficient_quota")
        if manners.key not in (None, key):
            return self._refuse(401, f"Incorrect API key provided: {key[:3]}***{key[-4:]}.")
        if not isinstance(body.get("messages"), list) or not body["messages"]:
            return self._refuse(400, "Missing required parameter: 'messages'.", "messages")
        if not body.get("model"):
            return self._refuse(400, "you must provide a model parameter")
        if manners.models and body["model"] not in manners.models:
            words = f"The model `{body['model']}` does not exist or you do not have access to it."
            return self._refuse(404, words, code="model_not_found")
        for name in manners.refuses:
            if name in features(body):
                return self._unsupported(name)
        wrong = refused_by_openai(body) if manners.strict else None
        if wrong:
            return self._refuse(400, *wrong)
        return self._reply()

    def _unsupported(self, name: str) -> None:
        words = f"Unsupported parameter: '{name}' is not supported with this model."
        param: str | None = name
        if name == "temperature":
            words = f"Unsupported value: '{name}' does not support 0 with this model."
        elif name.startswith("json"):
            words = f"Invalid parameter: 'response_format' of type '{name}' is not supported."
            param = None
        self._refuse(self.manners.refusal_status, self.manners.refusal_words or words, param)

    def _refuse(
        self, status: int, message: str, param: str | None = None, code: str | None = None
    ) -> None:
        error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
        self.status, self.body = status, json.dumps({"error": error}).encode()
        if status == 429 or status >= 500:
            named = {"Retry-After": self.manners.retry_after}
            named["retry-after-ms"] = self.manners.retry_after_ms
            self.headers = {name: value for name, value in named.items() if value is not None}

    def _text(self) -> str:
        body, schema = self.asked.body, schema_in(self.asked.body)
        if features(body) & set(self.manners.ignores):
            return "I would rather chat."
        if schema is None:
            if (body.get("response_format") or {}).get("type") == "json_object":
                return "{}"
            said = str(body["messages"][-1].get("content"))
            return f"You said: {said}" if self.manners.text is None else self.manners.text
        answer = self.manners.answer
        value = smallest(schema) if answer is None else answer
        if callable(answer):
            value = answer(schema, body)
        text = json.dumps({"wrong": True} if self.fault == "wrong-answer" else value)
        bare = "response_format" in body or "tools" in body
        return text if bare else f"Sure, here it is:\n```json\n{text}\n```\n"

    def _reply(self) -> None:
        body, text, fault = self.asked.body, self._text(), self.fault
        limit = body.get("max_completion_tokens", body.get("max_tokens"))
        message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None}
        reason = "stop"
        if body.get("tools"):
            call = {"name": body["tools"][0]["function"]["name"], "arguments": text}
            message["tool_calls"] = [{"id": "call_1", "type": "function", "function": call}]
            message["content"] = None
        if fault == "length" or (limit is not None and len(text.split()) > limit):
            message["content"], reason = text[: len(text) // 2], "length"
        if fault == "refusal":
            message |= {"content": None, "refusal": "I'm sorry, I can't help with that."}
        elif fault == "content-filter":
            message["content"], reason = None, "content_filter"
        elif fault == "null-content":
            message["content"] = None
        elif fault == "parts":
            message["content"] = [{"type": "text", "text": text}]
        elif fault == "think":
            message["content"] = f"<think>\nWhat {{is}} this?\n</think>\n\n{text}"
        elif fault in ("reasoning_content", "reasoning"):
            message[fault] = "What {is} this?"
        elif fault == "odd-reason":
            reason = "eos"
        read = sum(len(str(item.get("content")).split()) for item in body["messages"])
        wrote = len(text.split())
        usage: Any = {"prompt_tokens": read, "completion_tokens": wrote}
        usage |= {"total_tokens": read + wrote, "prompt_tokens_details": {"cached_tokens": 2}}
        choice = {"index": 0, "message": message, "finish_reason": reason, "logprobs": None}
        reply: Any = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1_700_000_000}
        reply |= {"model": f"{body['model']}-0613", "choices": [choice], "usage": usage}
        if self.manners.calls_left is not None:
            self.headers["x-ratelimit-remaining-requests"] = self.manners.calls_left
            self.headers["x-ratelimit-reset-requests"] = "5s"
        self._send(self._spoilt(reply))

    def _spoilt(self, reply: dict[str, Any]) -> Any:
        """The reply with the fault in its shape, where it has one."""
        error = {"error": {"message": "Overloaded.", "type": "server_error", "code": 503}}
        changes: dict[str, Any] = {
            "empty-choices": {"choices": []},
            "null-choices": {"choices": None},
            "odd-choices": {"choices": "none"},
            "odd-choice": {"choices": [7]},
            "odd-message": {"choices": [{"index": 0, "message": "hi", "finish_reason": 3}]},
            "null-usage": {"usage": None},
            "odd-usage": {"usage": {"prompt_tokens": "many", "completion_tokens": -3}},
        }
        whole = {"error-body": error, "error-text": {"error": "Overloaded."}, "list": [reply]}
        whole |= {"wrong-shape": {"hello": "world"}, "null": None, "text": "hello"}
        if self.fault == "no-usage":
            del reply["usage"]
        return whole.get(self.fault, {**reply, **changes.get(self.fault, {})})

    def _send(self, reply: Any) -> None:
        self.body = json.dumps(reply).encode()
        if self.fault == "html":
            self.body, self.kind = b"<!doctype html><h1>It works!</h1>", "text/html"
        elif self.fault == "html-502":
            self.status, self.kind = 502, "text/html"
            self.body = b"<html><h1>502 Bad Gateway</h1></html>"
        elif self.fault == "empty":
            self.body = b""
        elif self.fault == "truncated":
            self.body = self.body[: len(self.body) // 2]
        elif self.fault == "bad-utf8":
            self.body = self.body.replace(b"You", b"Y\xff\xfeu")
        elif self.fault == "bad-gzip":
            self.headers["Content-Encoding"] = "gzip"
        elif self.fault == "redirect":
            self.status, self.headers["Location"] = 307, self.asked.path
        elif self.fault == "huge-error":
            self._refuse(400, "no! " * 500_000)
        elif self.asked.body.get("stream"):
            self.body, self.kind = _streamed(reply, self.asked.body), "text/event-stream"

    def head(self) -> bytes:
        """The status line and the headers."""
        named = {"Content-Type": self.kind, "Content-Length": str(len(self.body)), **self.headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in named.items())
        return f"HTTP/1.1 {self.status} Said\r\n{lines}\r\n".encode()


def _streamed(reply: dict[str, Any], body: dict[str, Any]) -> bytes:
    choice, message = reply["choices"][0], reply["choices"][0]["message"]
    common = {**reply, "object": "chat.completion.chunk", "usage": None}
    words = re.findall(r"\S+\s*|\s+", message.get("content") or "")
    deltas = [{"role": "assistant", "content": ""}, *({"content": word} for word in words)]
    if message.get("tool_calls"):
        deltas.append({"tool_calls": [{"index": 0, **message["tool_calls"][0]}]})
    chunks = [
        {**common, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        for delta in deltas
    ]
    end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    chunks.append({**common, "choices": [end]})
    if (body.get("stream_options") or {}).get("include_usage"):
        chunks.append({**common, "choices": [], "usage": reply["usage"]})
    events = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return "".join([*events, "data: [DONE]\n\n"]).encode()

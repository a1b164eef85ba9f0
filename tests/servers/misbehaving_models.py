"""Thirty ways in which a model behind OpenAI's chat protocol misbehaves, as one local server.

``with MisbehavingModel(BEHAVIOURS["trailing-commas"], think) as server:`` and then `server.base_url`,
`server.statuses`, `server.calls`. `think` gives the sound answer to the messages of a request and
the name of the schema's first property, as plain data; the behaviour is what becomes of it.
"""

import asyncio
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from .openai_replies import schema_in

Think = Callable[[list[dict[str, str]], dict[str, Any]], Any]
SEED_LIMIT = 2**31 - 1


@dataclass(frozen=True)
class Reply:
    """What one call is answered with: a status and a message, or the words of a refusal."""

    text: str | None = None
    status: int = 200
    finish: str = "stop"
    error: str = ""
    code: str | None = None
    param: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    message: Mapping[str, Any] = field(default_factory=dict[str, Any])
    drop: bool = False
    reasoning_tokens: int = 0


@dataclass(frozen=True)
class Call:
    """One request: its body, the sound answer, which it is, and how many are under way."""

    body: dict[str, Any]
    answer: Any
    number: int
    under_way: int
    now: float
    times: tuple[float, ...] = ()

    @property
    def text(self) -> str:
        return json.dumps(self.answer)

    @property
    def limit(self) -> int | None:
        return self.body.get("max_completion_tokens", self.body.get("max_tokens"))

    @property
    def is_extraction(self) -> bool:
        return isinstance(self.answer, dict) and "values" in self.answer


Behaviour = Callable[[Call], Reply]


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """A value with each of its leaves changed."""
    if isinstance(value, dict):
        return {key: _mapped(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [_mapped(item, change) for item in value]
    return change(value)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)


def _camelled(value: Any) -> Any:
    if isinstance(value, dict):
        return {_camel(key): _camelled(item) for key, item in value.items()}
    return [_camelled(item) for item in value] if isinstance(value, list) else value


def _quoted(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int) else value


def _with_extras(value: Any) -> Any:
    if isinstance(value, dict):
        return {**{key: _with_extras(item) for key, item in value.items()}, "confidence": 0.9}
    return [_with_extras(item) for item in value] if isinstance(value, list) else value


def _trailing_commas(text: str) -> str:
    return re.sub(r"(?<=[\w\"\]}])(\s*[}\]])", r",\1", text)


def _refusal(error: str, status: int = 400, **more: Any) -> Reply:
    return Reply(status=status, error=error, **more)


def _odd_seed(call: Call) -> Reply:
    seed = call.body.get("seed")
    if isinstance(seed, int) and seed > SEED_LIMIT:
        return _refusal("seed: Input should be less than or equal to 2147483647")
    return Reply(call.text)


def _fixed_temperature(call: Call) -> Reply:
    if call.body.get("temperature") not in (None, 1):
        return _refusal("invalid temperature: only 1 is allowed for this model")
    return Reply(call.text)


def _new_limit(call: Call) -> Reply:
    if "max_tokens" in call.body:
        return _refusal("max_tokens must be replaced: please use 'max_completion_tokens' instead.")
    return Reply(call.text)


def _no_system(call: Call) -> Reply:
    if any(message["role"] == "system" for message in call.body["messages"]):
        return _refusal(
            "Conversation roles must alternate user/assistant: System role not supported"
        )
    return Reply(call.text)


def _no_schemas(call: Call) -> Reply:
    if "response_format" in call.body:
        return _refusal("response_format is not available on this deployment")
    return Reply(f"Sure!\n```json\n{call.text}\n```")


def _reasons_long(call: Call) -> Reply:
    """A model whose reasoning takes 3,000 tokens of the limit before the first word."""
    if call.limit is not None and call.limit < 3_000 + len(call.text) // 4:
        return Reply("", finish="length", reasoning_tokens=call.limit)
    return Reply(call.text, reasoning_tokens=3_000)


def _few_at_once(call: Call) -> Reply:
    return _refusal("Too many requests", 429) if call.under_way > 2 else Reply(call.text)


def _limited_rate(call: Call) -> Reply:
    """Thirty calls a second; a refused one says how long to wait."""
    recent = [moment for moment in call.times if moment > call.now - 1.0]
    if len(recent) >= 30:
        wait_ms = max(1, int(1000 * (recent[0] + 1.0 - call.now)))
        return _refusal("Rate limit reached", 429, headers={"retry-after-ms": str(wait_ms)})
    return Reply(call.text)


def _false_quotations(call: Call) -> Reply:
    def change(value: Any) -> Any:
        return "As I said before, all of it is settled." if isinstance(value, str) else value

    answer = call.answer
    is_move = isinstance(answer, dict) and "message" in answer
    return Reply(call.text if is_move else json.dumps(_mapped(answer, change)))


_SORRY = "I'm sorry, but I can't help with that request."
_CHAT = "Of course! I would be happy to continue this conversation with you. What do you think?"

BEHAVIOURS: dict[str, Behaviour] = {
    # answers as small models give them
    "wrapper": lambda call: Reply(json.dumps({"answer": call.answer})),
    "schema-echo": lambda call: Reply(json.dumps({"type": "object", "properties": call.answer})),
    "tool-call": lambda call: Reply(json.dumps({"name": "answer", "arguments": call.answer})),
    "one-item-list": lambda call: Reply(json.dumps([call.answer])),
    "quoted-values": lambda call: Reply(json.dumps(_mapped(call.answer, _quoted))),
    "trailing-commas": lambda call: Reply(_trailing_commas(json.dumps(call.answer, indent=1))),
    "python-literals": lambda call: Reply(repr(call.answer)),
    "fenced-prose": lambda call: Reply(f"Here it is:\n```json\n{call.text}\n```\nHope that helps!"),
    "extra-keys": lambda call: Reply(json.dumps(_with_extras(call.answer))),
    "dropped-nulls": lambda call: Reply(json.dumps(_without_nulls(call.answer))),
    "camel-case": lambda call: Reply(json.dumps(_camelled(call.answer))),
    "think-tags": lambda call: Reply(f"<think>\nShould it be {{}}?\n</think>\n{call.text}"),
    # answers that nobody can use
    "only-prose": lambda _: Reply(_CHAT),
    "empty": lambda _: Reply(""),
    "refusal-in-words": lambda _: Reply(_SORRY),
    "refusal-field": lambda _: Reply(None, message={"refusal": _SORRY}),
    "content-filter": lambda _: Reply(None, finish="content_filter"),
    "filtered-prompt": lambda _: _refusal("The prompt was filtered", code="content_filter"),
    "always-cut": lambda call: Reply(call.text[: len(call.text) // 2], finish="length"),
    "false-quotations": _false_quotations,
    "no-values": lambda call: Reply(_CHAT if call.is_extraction else call.text),
    "every-third-prose": lambda call: Reply(_CHAT if call.number % 3 == 0 else call.text),
    # services that refuse
    "seed-limit": _odd_seed,
    "fixed-temperature": _fixed_temperature,
    "new-limit-field": _new_limit,
    "no-system-role": _no_system,
    "no-schemas": _no_schemas,
    "reasons-long": _reasons_long,
    "few-at-once": _few_at_once,
    "limited-rate": _limited_rate,
    "every-fourth-broken": lambda call: (
        Reply(drop=True) if call.number % 8 == 0
        else _refusal("The server had an error", 500) if call.number % 4 == 0
        else Reply(call.text)
    ),
}  # fmt: skip


class MisbehavingModel:
    """The server, in threads of its own while it is entered; `delay_s` is how long it thinks."""

    def __init__(self, behaviour: Behaviour, think: Think, *, delay_s: float = 0.0) -> None:
        self.behaviour, self.think, self.delay_s = behaviour, think, delay_s
        self.statuses: Counter[int] = Counter()
        self.bodies: list[dict[str, Any]] = []
        self._lock = threading.Lock()
        self._under_way = self._number = 0
        self._times: list[float] = []
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.model = self

    @property
    def base_url(self) -> str:
        """What a client takes as its base URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def calls(self) -> int:
        """How many requests were answered, refused ones too."""
        return sum(self.statuses.values())

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def reply(self, body: dict[str, Any]) -> Reply:
        """The reply to one request."""
        with self._lock:
            self._number += 1
            self._under_way += 1
            now, number, under_way = time.monotonic(), self._number, self._under_way
            self.bodies.append(body)
        try:
            schema = schema_in(body) or {}
            answer = self.think(body["messages"], schema)
            with self._lock:
                times = tuple(self._times[-200:])
            reply = self.behaviour(Call(body, answer, number, under_way, now, times))
            if reply.status == 200 and self.delay_s:
                time.sleep(self.delay_s)
            with self._lock:
                self.statuses[0 if reply.drop else reply.status] += 1
                if reply.status == 200:
                    self._times.append(now)
            return reply
        finally:
            with self._lock:
                self._under_way -= 1


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512
    model: MisbehavingModel


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        size = int(self.headers.get("Content-Length", 0))
        body = json.loads(self.rfile.read(size) or b"{}")
        reply = self.server.model.reply(body)
        if reply.drop:
            self.close_connection = True
            return
        self._send(reply, _payload(body, reply))

    def _send(self, reply: Reply, payload: dict[str, Any]) -> None:
        data = json.dumps(payload).encode()
        self.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Keep the terminal quiet."""


def _payload(body: dict[str, Any], reply: Reply) -> dict[str, Any]:
    if reply.error:
        error = {"message": reply.error, "code": reply.code, "param": reply.param}
        return {"error": {"type": "invalid_request_error", **error}}
    message = {"role": "assistant", "content": reply.text, **reply.message}
    wrote = len((reply.text or "").split()) + reply.reasoning_tokens
    read = sum(len(str(item["content"]).split()) for item in body["messages"])
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish}],
        "usage": {
            "prompt_tokens": read,
            "completion_tokens": wrote,
            "completion_tokens_details": {"reasoning_tokens": reply.reasoning_tokens},
        },
    }


def run_sync(work: Any) -> Any:
    """The value of a coroutine, in a thread that has no event loop."""
    return asyncio.run(work)

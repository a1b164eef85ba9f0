"""A server on the loopback that speaks Ollama's protocol, and misbehaves on command.

``with OllamaServer() as server:`` and then `server.host`, `server.faults`, `server.requests`.
Its statuses, words and fields are those of Ollama's own server. The model behind it obeys a
`format`, and a schema that stands in words in the prompt, with the smallest value that satisfies
it; else it says how many messages it got. Tests import it with
``from ...servers.ollama_server import OllamaServer``.
"""

import json
import re
import socket
import struct
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from .openai_replies import smallest

CREATED = "2026-11-20T10:00:00.000000Z"
BUSY = "server busy, please try again.  maximum pending requests exceeded"
GRAMMAR = "Failed to initialize samplers: failed to parse grammar"
OLD_FORMAT = "json: cannot unmarshal object into Go struct field ChatRequest.format of type string"

#: Faults that are an answer of their own: the status and what it says.
ERRORS = {
    "busy": (503, BUSY),
    "loading": (503, "llm server loading model"),
    "too-many": (429, "too many requests"),
    "crashed": (500, "llama runner process has terminated: exit status 2"),
    "bad-gateway": (502, "Bad Gateway"),
    "memory": (500, "model requires more system memory (5.6 GiB) than is available (3.1 GiB)"),
    "unauthorized": (401, "unauthorized"),
    "bad-option": (400, 'option "num_ctx" must be of type integer'),
}


class OllamaServer:
    """The server, in threads of its own while it is entered.

    `faults` are those of the coming chats, one each ("ok" for none); `fault` is that of all
    others. Beside the names in `ERRORS`: "drop" (before the answer), "drop-in-body", "reset",
    "truncated" (well-framed, but half the JSON), "page" (a gateway's page), "list" (JSON of another
    shape), "error-in-200", "not-done", "empty", "negative" (token counts), "error-in-stream", and
    "hostile" (the status and words in `hostile`).
    `formats` are the forms of `format` that this version takes: "schema", "json", or neither.
    `retry_after` is sent with errors. `thinks` gives answers a reasoning, and `text` replaces what
    the model says. `together` holds the first answers back until so many chats are in hand.
    """

    def __init__(self, *, models: tuple[str, ...] = ("tiny:latest",), **manners: Any) -> None:
        self.models = models
        self.faults: list[str] = manners.pop("faults", [])
        self.fault: str = manners.pop("fault", "ok")
        self.delay_s: float = manners.pop("delay_s", 0.0)
        self.together: int = manners.pop("together", 0)
        self.formats: tuple[str, ...] = manners.pop("formats", ("schema", "json"))
        self.unparsable: frozenset[str] = frozenset(manners.pop("unparsable", ()))
        self.retry_after: str | None = manners.pop("retry_after", None)
        self.thinks: str | None = manners.pop("thinks", None)
        self.text: str | None = manners.pop("text", None)
        self.hostile: tuple[int, str] | None = None
        assert not manners, f"no such manners: {manners}"
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.hung_up = 0
        self.at_once = self.most_at_once = 0
        self._stop = threading.Event()
        self._others = threading.Condition()

    @property
    def host(self) -> str:
        """What a client takes as OLLAMA_HOST."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        handler = type("Bound", (_Handler,), {"ollama": self})
        self._server = _Server(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}
        )
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def next_fault(self) -> str:
        """The fault of a chat that has just come."""
        return self.faults.pop(0) if self.faults else self.fault

    def waits(self) -> None:
        """Load the model, until the server is stopped."""
        with self._others:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            self._others.notify_all()
            # Two minutes: a client that never asks as much at once is answered, too.
            self._others.wait_for(lambda: self.most_at_once >= self.together, 120)
        self._stop.wait(self.delay_s)
        with self._others:
            self.at_once -= 1

    def refusal(self, body: dict[str, Any]) -> tuple[int, str] | None:
        """Why a chat is refused, if it is."""
        name = body.get("model", "")
        if (name if ":" in name else f"{name}:latest") not in self.models:
            return 404, f"model '{name}' not found"
        if body.get("think") and self.thinks is None:
            return 400, f'"{name}" does not support thinking'
        form = body.get("format")
        if form is None or form == "":
            return None
        if isinstance(form, dict) and "schema" not in self.formats:
            return 400, OLD_FORMAT
        if isinstance(form, dict) and form.get("title") in self.unparsable:
            return 500, GRAMMAR
        if form == "json" and "json" not in self.formats:
            return 400, 'invalid format: "json"; expected "" only'
        if not isinstance(form, dict) and form != "json":
            return 400, f'invalid format: {json.dumps(form)}; expected "json" or a JSON Schema'
        return None

    def says(self, body: dict[str, Any]) -> str:
        """What the model answers."""
        if self.text is not None:
            return self.text
        form = body.get("format")
        if isinstance(form, dict):
            return json.dumps(smallest(form))
        last = body["messages"][-1]["content"]
        schema = re.search(r"JSON Schema.*?\n(\{.*\})\s*$", last, re.DOTALL)
        if schema:
            return json.dumps(smallest(json.loads(schema[1])))
        return "{}" if form == "json" else f"You sent {len(body['messages'])} messages."


class _Server(ThreadingHTTPServer):
    request_queue_size = 512
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each answer waits 40 ms
    ollama: OllamaServer

    def do_GET(self) -> None:
        if self.path == "/":
            return self._send(200, b"Ollama is running", "text/plain; charset=utf-8")
        if self.path == "/api/version":
            return self._json(200, {"version": "0.13.0"})
        if self.path == "/api/tags":
            return self._json(200, {"models": [_listed(name) for name in self.ollama.models]})
        return self._send(404, b"404 page not found", "text/plain")

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path not in ("/api/chat", "/api/show"):
            return self._send(404, b"404 page not found", "text/plain")
        if not raw:
            return self._json(400, {"error": "missing request body"})
        try:
            body = json.loads(raw)
        except ValueError as err:
            return self._json(400, {"error": f"invalid character: {err}"})
        return self._show(body) if self.path == "/api/show" else self._chat(body)

    def _show(self, body: dict[str, Any]) -> None:
        refusal = self.ollama.refusal({"model": body.get("model", "")})
        if refusal:
            return self._json(refusal[0], {"error": refusal[1]})
        details = _listed("tiny:latest")["details"]
        return self._json(200, {"details": details, "capabilities": ["completion"]})

    def _chat(self, body: dict[str, Any]) -> None:
        server = self.ollama
        server.requests.append(body)
        server.headers.append(dict(self.headers))
        fault = server.next_fault()
        server.waits()
        refusal = server.refusal(body) or ERRORS.get(fault)
        if fault == "hostile":
            refusal = server.hostile
        if refusal:
            return self._json(refusal[0], {"error": refusal[1]})
        if fault in ("drop", "reset"):
            return self._hang_up(reset=fault == "reset")
        if fault == "page":
            return self._send(200, b"<html><body>Welcome!</body></html>", "text/html")
        if fault == "list":
            return self._json(200, ["Hello"])
        if fault == "error-in-200":
            return self._json(200, {"error": "an error was encountered while running the model"})
        if body.get("stream", True):
            return self._stream(body, fault)
        return self._whole(body, fault)

    def _whole(self, body: dict[str, Any], fault: str) -> None:
        text, tail = self._answer(body, fault)
        tail["message"] = self._message(text)
        data = json.dumps(tail).encode()
        if fault == "truncated":
            return self._send(200, data[: len(data) // 2], "application/json")
        if fault == "drop-in-body":
            self._head(200, len(data), "application/json")
            self.wfile.write(data[: len(data) // 2])
            return self._hang_up()
        return self._send(200, data, "application/json; charset=utf-8")

    def _answer(self, body: dict[str, Any], fault: str) -> tuple[str, dict[str, Any]]:
        """What the model says, cut where it may say no more, and the last part of an answer."""
        server = self.ollama
        text = "" if fault == "empty" or not body.get("messages") else server.says(body)
        words = re.findall(r"\s*\S+", text)
        most = (body.get("options") or {}).get("num_predict", -1)
        reason = "stop" if body.get("messages") else "load"
        if 0 <= most < len(words):
            words, reason = words[:most], "length"
        tail: dict[str, Any] = {"model": body["model"], "created_at": CREATED}
        if fault == "not-done":
            return "".join(words), {**tail, "done": False}
        asked = sum(len(one["content"].split()) for one in body.get("messages", ()))
        tail |= {"done_reason": reason, "done": True, "total_duration": 4_883_583_458}
        tail |= {"load_duration": 1_334_875, "prompt_eval_count": asked + 10}
        tail |= {"prompt_eval_duration": 342_546_000, "eval_duration": 4_535_599_000}
        tail["eval_count"] = -1 if fault == "negative" else len(words)
        return "".join(words), tail

    def _message(self, text: str) -> dict[str, Any]:
        thinking = {"thinking": self.ollama.thinks} if self.ollama.thinks is not None else {}
        return {"role": "assistant", "content": text, **thinking}

    def _stream(self, body: dict[str, Any], fault: str) -> None:
        text, tail = self._answer(body, fault)
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        parts = re.findall(r"\s*\S+", text)
        if self.ollama.thinks is not None:
            message = {"role": "assistant", "content": "", "thinking": self.ollama.thinks}
            self._line(
                {"model": body["model"], "created_at": CREATED, "message": message, "done": False}
            )
        for number, part in enumerate(parts):
            if fault == "drop-in-body" and number == len(parts) // 2:
                return self._hang_up()
            if fault == "error-in-stream" and number == len(parts) // 2:
                self._line({"error": "an error was encountered while running the model"})
                return self._chunk(b"")
            message = {"role": "assistant", "content": part}
            self._line(
                {"model": body["model"], "created_at": CREATED, "message": message, "done": False}
            )
        self._line({**tail, "message": {"role": "assistant", "content": ""}})
        return self._chunk(b"")

    def _line(self, part: Any) -> None:
        self._chunk(json.dumps(part).encode() + b"\n")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))

    def _json(self, status: int, body: Any) -> None:
        self._send(status, json.dumps(body).encode(), "application/json; charset=utf-8")

    def _send(self, status: int, data: bytes, kind: str) -> None:
        self._head(status, len(data), kind)
        try:
            self.wfile.write(data)
            self.wfile.flush()
        except OSError:
            self.ollama.hung_up += 1
            self.close_connection = True

    def _head(self, status: int, length: int, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length))
        if status >= 400 and self.ollama.retry_after is not None:
            self.send_header("Retry-After", self.ollama.retry_after)
        try:
            self.end_headers()
        except OSError:
            self.close_connection = True

    def _hang_up(self, *, reset: bool = False) -> None:
        self.close_connection = True
        if reset:  # a close without goodbye
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.connection.close() if reset else self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing on standard error."""


def _listed(name: str) -> dict[str, Any]:
    details = {"parent_model": "", "format": "gguf", "family": "llama", "families": ["llama"]}
    details |= {"parameter_size": "0.5M", "quantization_level": "F32"}
    return {
        "name": name,
        "model": name,
        "modified_at": CREATED,
        "size": 500_000,
        "digest": "0" * 64,
        "details": details,
    }

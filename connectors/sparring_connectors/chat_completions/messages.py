"""Requests and replies of the Chat Completions API, as OpenAI documents it.

What other services add or leave out is taken as it comes: `content` as a list of parts, a missing
`finish_reason`, reasoning beside the answer, an error with status 200.
"""

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from sparring.errors import AppProtocolError
from sparring_connectors.described.http_text import json_kind
from sparring_connectors.rest.exchange import RestReply

_SHOWN = 200
_DATA = b"data:"
_STREAM_LINES = (_DATA, b"event:", b":")
_END = b"[DONE]"


@dataclass(slots=True)
class ToolCall:
    """A call that the model asks for; `arguments` is the JSON text that it wrote."""

    id: str = ""
    name: str = ""
    arguments: str = ""

    def as_message_part(self) -> dict[str, Any]:
        """The call as an assistant's message repeats it."""
        function = {"name": self.name, "arguments": self.arguments}
        return {"id": self.id, "type": "function", "function": function}

    def as_payload(self) -> dict[str, Any]:
        """The call as rules read it: its arguments parsed, or as text if they are no JSON."""
        arguments: Any = self.arguments
        with contextlib.suppress(ValueError, RecursionError):
            arguments = json.loads(self.arguments or "{}")
        return {"name": self.name, "arguments": arguments}


@dataclass(slots=True)
class Completion:
    """One answer of the model, from one reply or from all pieces of a stream."""

    text: str = ""
    reasoning: str = ""
    tool_calls: list[ToolCall] = field(default_factory=list[ToolCall])
    finish_reason: str | None = None
    usage: dict[str, Any] | None = None
    model: str | None = None


def read_completion(reply: RestReply) -> Completion:
    """Read a reply, streamed or not; raises AppProtocolError."""
    kind = reply.headers.get("content-type", "").lower()
    # Some services stream without saying so; no JSON object begins like a line of a stream.
    if "text/event-stream" in kind or reply.body.lstrip().startswith(_STREAM_LINES):
        return _read_stream(reply)
    data = _parse(reply, reply.body)
    message = _first_choice(reply, data).get("message")
    if not isinstance(message, dict):
        raise AppProtocolError(f"{reply.label}: the first choice of the reply has no message")
    completion = Completion()
    _add_piece(reply, completion, cast(dict[str, Any], message))
    _add_frame(completion, data)
    return completion


def _read_stream(reply: RestReply) -> Completion:
    completion, ended = Completion(), False
    for data in _events(reply):
        if data is None:
            ended = True
            break
        _add_frame(completion, data)
        if data.get("choices"):
            delta = _first_choice(reply, data).get("delta")
            if isinstance(delta, dict):
                _add_piece(reply, completion, cast(dict[str, Any], delta))
    if not ended and completion.finish_reason is None:
        begun = reply.quote(completion.text, _SHOWN) or "nothing"
        raise AppProtocolError(f"{reply.label}: the stream broke off after: {begun}")
    return completion


def _events(reply: RestReply) -> Iterator[dict[str, Any] | None]:
    """Yield the data of each event; None at the end that the service announces."""
    for line in reply.body.splitlines():
        if not line.startswith(_DATA):
            continue
        content = line[len(_DATA) :].strip()
        if content == _END:
            yield None
            return
        if content:
            yield _parse(reply, content)


def _parse(reply: RestReply, content: bytes) -> dict[str, Any]:
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as err:
        raise AppProtocolError(
            f"{reply.label}: the reply is not JSON: {reply.quote(_decode(content))}"
        ) from err
    if not isinstance(data, dict):
        raise AppProtocolError(f"{reply.label}: the reply is {json_kind(data)}, not an object")
    given = cast(dict[str, Any], data)
    if error := given.get("error"):  # some services answer errors with status 200
        what = error.get("message") if isinstance(error, dict) else error  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        raise AppProtocolError(f"{reply.label}: {reply.quote(str(what), _SHOWN)}")  # pyright: ignore[reportUnknownArgumentType]
    return given


def _first_choice(reply: RestReply, data: dict[str, Any]) -> dict[str, Any]:
    choices = data.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None  # pyright: ignore[reportUnknownVariableType]
    if not isinstance(first, dict):
        keys = ", ".join(reply.quote(str(key), 30) for key in list(data)[:8])
        raise AppProtocolError(
            f"{reply.label}: the reply has no choices, but the keys {keys or 'of an empty object'}"
        )
    return cast(dict[str, Any], first)


def _add_piece(reply: RestReply, completion: Completion, message: dict[str, Any]) -> None:
    """Add a message, or one piece of it, to what there is of the answer."""
    completion.text += _text_of(message.get("content")) + _text_of(message.get("refusal"))
    completion.reasoning += _text_of(message.get("reasoning_content") or message.get("reasoning"))
    calls = message.get("tool_calls") or ()
    if not isinstance(calls, (list, tuple)):
        raise AppProtocolError(f"{reply.label}: tool_calls is {json_kind(calls)}, not a list")
    for number, item in enumerate(cast(list[Any], calls)):
        if not isinstance(item, dict):
            raise AppProtocolError(f"{reply.label}: a tool call is {json_kind(item)}")
        _add_call(completion, cast(dict[str, Any], item), number)


def _add_call(completion: Completion, item: dict[str, Any], number: int) -> None:
    """Add a call, or a piece of the call that its index names."""
    index = item.get("index")
    at = index if isinstance(index, int) and not isinstance(index, bool) else number
    at = min(max(at, 0), len(completion.tool_calls))  # a huge index must not fill the memory
    if at == len(completion.tool_calls):
        completion.tool_calls.append(ToolCall())
    call, function = completion.tool_calls[at], item.get("function")
    parts: dict[str, Any] = cast(dict[str, Any], function) if isinstance(function, dict) else {}
    call.id = call.id or _text_of(item.get("id"))
    call.name += _text_of(parts.get("name"))
    arguments = parts.get("arguments")
    call.arguments += json.dumps(arguments) if isinstance(arguments, dict) else _text_of(arguments)


def _add_frame(completion: Completion, data: dict[str, Any]) -> None:
    """Take what stands beside the message: why it ended, tokens, the model's full name."""
    choices = data.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None  # pyright: ignore[reportUnknownVariableType]
    if isinstance(first, dict):
        reason = cast(dict[str, Any], first).get("finish_reason")
        completion.finish_reason = reason if isinstance(reason, str) else completion.finish_reason
    if isinstance(usage := data.get("usage"), dict):
        completion.usage = cast(dict[str, Any], usage)
    if isinstance(model := data.get("model"), str):
        completion.model = model


def _text_of(content: Any) -> str:
    """A text, or the texts of a list of content parts; empty for anything else."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = cast(list[Any], content)
        texts = [cast(dict[str, Any], p).get("text") for p in parts if isinstance(p, dict)]
        return "".join(text for text in texts if isinstance(text, str))
    return ""


def _decode(content: bytes) -> str:
    return content[:1_000].decode("utf-8", "replace")

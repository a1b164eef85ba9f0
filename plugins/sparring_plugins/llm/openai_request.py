"""The body of a chat completion, and what a server turned out not to take in it."""

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

from pydantic import JsonValue

from sparring.model.chat import ChatMessage, ChatRequest
from sparring_plugins.llm.openai_refusal import Refusal
from sparring_plugins.llm.schema_prompt import with_schema
from sparring_plugins.llm.strict_schema import strict_form
from sparring_plugins.llm.structured_output import Rung

LimitField = Literal["max_tokens", "max_completion_tokens"]

_LIMITS = ("max_tokens", "max_completion_tokens")
_NOT_TAKEN = re.compile(
    r"unsupported|(?:not|n't) support|unrecogni[sz]ed|unknown|unexpected"
    r"|not (?:permitted|allowed)|deprecated",
    re.I,
)
_SYSTEM_NOT_TAKEN = re.compile(r"\bsystem\b.{0,20}\b(?:role|message)|'system' with this", re.I)


class RequestWriter:
    """Writes requests for one service, and leaves out what that refused before."""

    def __init__(
        self,
        settings: Mapping[str, JsonValue],
        limit: LimitField,
        *,
        lengths: bool,
    ) -> None:
        self._settings = settings
        self._limit: LimitField = limit
        self._lengths = lengths
        self._refused: set[str] = set()
        self._no_system = False
        #: Optional fields that were answered, and are safe to send many times at once.
        self.taken: set[str] = set()

    def optional(self, request: ChatRequest) -> dict[str, JsonValue]:
        """The fields that the request asks for and that the service may refuse."""
        asked: dict[str, JsonValue] = {
            "temperature": request.temperature,
            "seed": request.seed,
            self._limit: request.max_tokens,
        }
        return {
            name: value
            for name, value in asked.items()
            if value is not None and name not in self._refused
        }

    def body(self, request: ChatRequest, schema: str, rung: Rung | None) -> dict[str, Any]:
        """The whole body; `schema` is the request's as text, `rung` how it is asked for."""
        messages = request.messages
        if request.answer_schema is not None and rung is not None and rung.in_words:
            messages = with_schema(messages, request.answer_schema)
        if self._no_system:
            messages = _without_system(messages)
        return {
            "messages": [{"role": one.role, "content": one.content} for one in messages],
            **self.optional(request),
            **(_asked_for(schema, self._lengths, rung) if rung else {}),
            **self._settings,
        }

    def learn(self, refusal: Refusal, body: Mapping[str, Any]) -> str | None:
        """What to do without from now on, in words; None where asking again is of no use."""
        if refusal.status not in (400, 422):
            return None
        has_system = any(one["role"] == "system" for one in body["messages"])
        if has_system and _SYSTEM_NOT_TAKEN.search(refusal.text):
            self._no_system = True
            return "system messages"
        name = self._blamed(refusal, body)
        if name is None:
            return None
        self._refused.add(name)
        if name == self._limit:
            self._limit = "max_completion_tokens" if name == "max_tokens" else "max_tokens"
        return name

    def _blamed(self, refusal: Refusal, body: Mapping[str, Any]) -> str | None:
        """The optional field that the server says it does not take."""
        sent = ("temperature", "seed", *_LIMITS)
        names = [name for name in sent if name in body and name not in self._settings]
        if not _NOT_TAKEN.search(refusal.text):
            return None
        if refusal.param in names:
            return refusal.param
        found = ((re.search(rf"\b{name}\b", refusal.text), name) for name in names)
        return min(((at.start(), name) for at, name in found if at), default=(0, None))[1]


def _without_system(messages: tuple[ChatMessage, ...]) -> tuple[ChatMessage, ...]:
    """System messages as the beginning of the user message after them."""
    kept: list[ChatMessage] = []
    waiting: list[str] = []
    for message in messages:
        if message.role == "system":
            waiting.append(message.content)
        elif message.role == "user" and waiting:
            text = "\n\n".join([*waiting, message.content])
            kept.append(ChatMessage(role="user", content=text))
            waiting = []
        else:
            kept.append(message)
    rest = [ChatMessage(role="user", content="\n\n".join(waiting))] if waiting else []
    return (*kept, *rest)


@lru_cache(maxsize=256)
def _asked_for(schema: str, lengths: bool, rung: Rung) -> Mapping[str, Any]:
    """The fields that ask for an answer of a schema."""
    given: dict[str, JsonValue] = json.loads(schema)
    title = re.sub(r"[^A-Za-z0-9_-]+", "_", str(given.get("title", ""))).strip("_")[:64]
    name, strict = title or "answer", strict_form(given, lengths=lengths)
    if rung is Rung.JSON_SCHEMA:
        form = {"name": name, "schema": strict or given, "strict": strict is not None}
        return {"response_format": {"type": "json_schema", "json_schema": form}}
    if rung is Rung.TOOL:
        function: dict[str, Any] = {
            "name": name,
            "description": "Gives the answer.",
            "parameters": strict or given,
            **({"strict": True} if strict else {}),
        }
        choice = {"type": "function", "function": {"name": name}}
        return {"tools": [{"type": "function", "function": function}], "tool_choice": choice}
    if rung is Rung.JSON_OBJECT_SCHEMA:
        return {"response_format": {"type": "json_object", "schema": given}}
    return {"response_format": {"type": "json_object"}} if rung is Rung.JSON_OBJECT else {}

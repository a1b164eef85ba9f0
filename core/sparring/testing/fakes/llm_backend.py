"""A language model that answers from a script."""

import asyncio
import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, cast

from pydantic import Field, InstanceOf, JsonValue
from pydantic.json_schema import SkipJsonSchema

from sparring.errors import ModelError
from sparring.interfaces.plugin import BuildContext, LLMBackend, PluginConfig
from sparring.model.chat import ChatReply, ChatRequest

Answer = SkipJsonSchema[InstanceOf[ChatReply]] | SkipJsonSchema[InstanceOf[ModelError]] | JsonValue

_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}


class FakeLLMConfig(PluginConfig):
    """What the model answers and what it costs.

    `answers` as a list gives one per call, and a ModelError when none is left; as a mapping it
    goes from who asks (`ChatRequest.asker`) to the answer (``"*"`` for anybody else); as a
    callable it gets the request (it may be async). An answer that is not a text is data: it is
    given as `parsed` and written as JSON. `cost_usd` is the price of one call, None for an
    unknown one; `delay_s` is waited before every answer, in seconds.
    """

    answers: (
        SkipJsonSchema[Callable[[ChatRequest], Any]] | tuple[Answer, ...] | dict[str, Answer]
    ) = {"*": "ok"}
    cost_usd: float | None = Field(default=0.0, ge=0)
    model: str = "fake"
    delay_s: float = Field(default=0.0, ge=0)


class FakeLLM(LLMBackend[FakeLLMConfig]):
    """Answers from a script and counts: a token is a word. `requests` are all it was asked."""

    Config: ClassVar[type[PluginConfig]] = FakeLLMConfig

    def __init__(self, config: FakeLLMConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self.tells_cost = config.cost_usd is not None
        self.requests: list[ChatRequest] = []
        self.tokens = 0

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The scripted answer; raises ModelError if the script says so or has ended."""
        number = len(self.requests)
        self.requests.append(request)
        await asyncio.sleep(self.config.delay_s)
        answer = await self._answer(request, number)
        if isinstance(answer, ModelError):
            raise answer
        reply = answer if isinstance(answer, ChatReply) else self._reply(request, answer)
        self.tokens += reply.input_tokens + reply.output_tokens
        return reply

    async def _answer(self, request: ChatRequest, number: int) -> Any:
        answers = self.config.answers
        if callable(answers):
            answer = answers(request)
            return await answer if inspect.isawaitable(answer) else answer
        if isinstance(answers, tuple):
            if number >= len(answers):
                raise ModelError(f"the fake model has only {len(answers)} answers")
            return answers[number]
        by_asker: Mapping[str, Any] = answers
        for name in (request.asker, "*"):
            if name in by_asker:
                return by_asker[name]
        raise ModelError(f"the fake model has no answer for {request.asker!r}")

    def _reply(self, request: ChatRequest, answer: JsonValue) -> ChatReply:
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        parsed = answer
        if isinstance(answer, str):
            parsed = _read(answer) if request.answer_schema else None
        if request.answer_schema and not fits(request.answer_schema, parsed):
            parsed = None
        return ChatReply(
            text=text,
            parsed=parsed,
            model=self.config.model,
            input_tokens=sum(len(message.content.split()) for message in request.messages),
            output_tokens=len(text.split()),
            cost_usd=self.config.cost_usd,
        )


def _read(text: str) -> JsonValue:
    try:
        return cast("JsonValue", json.loads(text))
    except ValueError:
        return None


def fits(schema: Mapping[str, Any], value: Any) -> bool:
    """Whether a value has the shape of a schema: its types, enum, required keys and items.

    Other keywords of JSON Schema are not looked at, which is enough to script a wrong answer.
    """
    kind = schema.get("type")
    if isinstance(kind, str) and not _is(kind, value):
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if isinstance(value, dict):
        keys = cast("dict[str, Any]", value)
        inner: Mapping[str, Any] = schema.get("properties", {})
        return all(key in keys for key in schema.get("required", ())) and all(
            fits(inner[key], item) for key, item in keys.items() if key in inner
        )
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        return all(fits(schema["items"], item) for item in cast("list[Any]", value))
    return True


def _is(kind: str, value: Any) -> bool:
    if isinstance(value, bool) and kind in ("integer", "number"):
        return False
    return isinstance(value, _TYPES.get(kind, object))

"""Models behind OpenAI's chat protocol: OpenAI, Azure, vLLM, llama.cpp, gateways."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from time import perf_counter
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field, JsonValue, field_validator

from sparring.errors import MissingExtra, ModelError
from sparring.interfaces.plugin import BuildContext, LLMBackend, PluginConfig
from sparring.model.chat import ChatReply, ChatRequest
from sparring_plugins.llm.chat_completions import Azure, RequestWriter, reply_of, service_of
from sparring_plugins.llm.refusals import ErrorExplainer, Secrets, ServiceRefusal
from sparring_plugins.llm.structured_output import OutputMode, StructuredOutputFallback

if TYPE_CHECKING:
    from sparring_plugins.llm.openai_client import OpenAIClient

_MODES: dict[str, tuple[OutputMode, ...]] = {
    "auto": (
        OutputMode.JSON_SCHEMA,
        OutputMode.JSON_OBJECT_SCHEMA,
        OutputMode.JSON_OBJECT,
        OutputMode.PROMPT,
    ),
    "json_schema": (OutputMode.JSON_SCHEMA,),
    "tool": (OutputMode.TOOL,),
    "json_object": (OutputMode.JSON_OBJECT,),
    "prompt": (OutputMode.PROMPT,),
}
_FIXED = frozenset({"model", "messages", "stream", "n"})
# "o3-mini", "openai/o1", "gpt-5": models that reason first refuse `temperature` and `max_tokens`.
_REASONING_MODEL = re.compile(r"(?:^|/)(?:o\d|gpt-5)")
# What they think counts as output: with the limit of a short answer, nothing is left for the
# answer.
_REASONING_TOKENS = 8_192
# A refusal comes within a second; after five the first call is thinking, and others need not wait.
_PATIENCE_S = 5.0


class OpenAIConfig(PluginConfig):
    """Settings of the backend `openai`."""

    model: str = Field(min_length=1, description="the model's name; in Azure the deployment's")
    base_url: str | None = Field(
        default=None,
        description="where the service is, often ending in /v1; else what the environment "
        "variable OPENAI_BASE_URL says, else OpenAI's own",
    )
    api_key_env: str | None = Field(
        default=None,
        description="the environment variable that holds the key; else OPENAI_API_KEY, or "
        "AZURE_OPENAI_API_KEY with `azure`. Keys never stand in a suite",
    )
    organization: str | None = Field(default=None, description="who pays, where a key has several")
    azure: Azure | None = Field(default=None, description="for models in Azure")
    structured: Literal["auto", "json_schema", "tool", "json_object", "prompt"] = Field(
        default="auto",
        description="how an answer's schema is asked for; auto: the best way that the service "
        "takes",
    )
    max_tokens_field: Literal["auto", "max_tokens", "max_completion_tokens"] = Field(
        default="auto", description="what the service calls the limit of an answer"
    )
    reasoning_effort: str | None = Field(
        default=None, description="such as low; for models that reason"
    )
    extra: dict[str, JsonValue] = Field(
        default={}, description="further fields of each request, such as top_k for vLLM"
    )

    @field_validator("api_key_env")
    @classmethod
    def _check_name(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value):
            raise ValueError(
                "is the name of an environment variable, such as OPENAI_API_KEY, never the key"
            )
        return value

    @field_validator("extra")
    @classmethod
    def _reject_own_fields(cls, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
        for name in sorted(_FIXED & value.keys()):
            raise ValueError(f"{name!r} is not for you to set here")
        return value


class OpenAIBackend(LLMBackend[OpenAIConfig]):
    """Asks a model through OpenAI's official SDK. One call is one attempt.

    An answer's schema is asked for in the best way that the service takes: as a strict JSON
    schema, as a JSON object with the schema, as any JSON object, or in the words of the prompt
    alone. What the service refused is not tried again; while the best way is not known, one call
    finds it out and the others wait. Parameters that a model does not take, such as the
    temperature of one that reasons, are left out, with a warning.
    """

    Config: ClassVar[type[PluginConfig]] = OpenAIConfig

    def __init__(self, config: OpenAIConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._service = service_of(
            config.base_url, config.api_key_env, config.organization, config.azure
        )
        self.listed = not self._service.is_private
        if _REASONING_MODEL.search(config.model):
            self.reasoning_tokens = _REASONING_TOKENS
        self._secrets = Secrets(self._service.key)
        self._explain = ErrorExplainer(
            self._service.shown, config.model, self._service.key_variable, self._secrets
        )
        self._fallback = StructuredOutputFallback(_MODES[config.structured])
        self._writer = self._make_writer()
        self._client = self._connect()

    def _make_writer(self) -> RequestWriter:
        config, own = self.config, self._service.is_openai
        settings: dict[str, JsonValue] = {"model": config.model}
        if config.reasoning_effort is not None:
            settings["reasoning_effort"] = config.reasoning_effort
        limit = config.max_tokens_field
        if limit == "auto":
            limit = "max_completion_tokens" if own else "max_tokens"
        return RequestWriter({**settings, **config.extra}, limit, lengths=not own)

    def _connect(self) -> "OpenAIClient":
        try:
            from sparring_plugins.llm.openai_client import OpenAIClient
        except ImportError as err:
            raise MissingExtra(
                "the language model 'openai' needs OpenAI's SDK: pip install 'sparring[openai]'"
            ) from err
        return OpenAIClient(self._service, self._explain)

    async def complete(self, request: ChatRequest) -> ChatReply:
        failure: ModelError
        try:
            async with asyncio.timeout(request.timeout_s):
                return await self._answer_in_turn(request)
        except TimeoutError:
            failure = self._explain.unavailable(f"no answer within {request.timeout_s:g} s")
        except ServiceRefusal as refusal:
            if refusal.is_filter:
                return ChatReply(text="", model=self.config.model, finish_reason="refusal")
            failure = self._explain.of(refusal)
        raise failure  # outside of the handlers, so that the error carries no request

    async def _answer_in_turn(self, request: ChatRequest) -> ChatReply:
        schema = request.answer_schema
        text = "" if schema is None else json.dumps(schema)
        if not self._is_new(request, text):
            return await self._answer(request, text)
        async with self._go_first():
            if self._is_new(request, text):
                return await self._answer(request, text)
        return await self._answer(request, text)

    def _is_new(self, request: ChatRequest, schema: str) -> bool:
        """Whether the service may refuse what no call has tried before."""
        if schema and not self._fallback.is_settled(schema):
            return True
        picky = self._service.is_openai or _REASONING_MODEL.search(self.config.model)
        return bool(picky) and not self._writer.optional(request).keys() <= self._writer.taken

    @asynccontextmanager
    async def _go_first(self) -> AsyncGenerator[None, None]:
        """Let one call go first, so that not all are refused; not for long: refusals are quick."""
        first = (await self._client.line()).first
        alone = False
        try:
            async with asyncio.timeout(_PATIENCE_S):
                alone = await first.acquire()
        except TimeoutError:
            pass
        try:
            yield
        finally:
            if alone:
                first.release()

    async def _answer(self, request: ChatRequest, schema: str) -> ChatReply:
        """The answer in the best mode that the service takes."""
        if not schema:
            return await self._ask_once(request, schema, None)
        return await self._fallback.ask(schema, lambda mode: self._ask_once(request, schema, mode))

    async def _ask_once(
        self, request: ChatRequest, schema: str, mode: OutputMode | None
    ) -> ChatReply:
        """One answer; asked again only without what the model does not take."""
        while True:
            began = perf_counter()
            body = self._writer.body(request, schema, mode)
            try:
                payload, quota = await self._client.post(body, request.timeout_s)
                reply = reply_of(payload, self.config.model, self._explain)
            except ServiceRefusal as refusal:
                without = self._writer.learn(refusal, body)
                if without is None:
                    raise
                reason = self._explain.quoted(refusal.message)
                self.context.warn(
                    f"the model {self.config.model!r} is asked without {without}: {reason}"
                )
                continue
            self._writer.taken.update(self._writer.optional(request))
            took_s = perf_counter() - began
            return reply.model_copy(update={"latency_s": took_s, "quota": quota})

    def identity(self) -> str:
        settings = self.config.model_dump(
            mode="json", exclude={"model", "base_url", "api_key_env", "organization"}
        )
        shown = f"openai {self.config.model} at {self._service.shown}"
        return self._secrets.hidden(f"{shown} {json.dumps(settings, sort_keys=True)}")

    async def close(self) -> None:
        await self._client.close()

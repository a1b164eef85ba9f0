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
from sparring.interfaces.llm_backend import LLMBackend
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.llm.json_text import values
from sparring.model.chat import ChatReply, ChatRequest
from sparring_plugins.llm.openai_refusal import Explainer, Refusal, Secrets
from sparring_plugins.llm.openai_reply import reply_of
from sparring_plugins.llm.openai_request import RequestWriter
from sparring_plugins.llm.openai_service import Azure, service_of
from sparring_plugins.llm.structured_output import Ladder, Rung

if TYPE_CHECKING:
    from sparring_plugins.llm.openai_client import OpenAIClient

_LADDERS: dict[str, tuple[Rung, ...]] = {
    "auto": (Rung.JSON_SCHEMA, Rung.JSON_OBJECT_SCHEMA, Rung.JSON_OBJECT, Rung.PROMPT),
    "json_schema": (Rung.JSON_SCHEMA,),
    "tool": (Rung.TOOL,),
    "json_object": (Rung.JSON_OBJECT,),
    "prompt": (Rung.PROMPT,),
}
_FIXED = frozenset({"model", "messages", "stream", "n"})
_REASONING_MODEL = re.compile(r"(?:^|/)(?:o\d|gpt-5)")
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
    def _is_a_name(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value):
            raise ValueError(
                "is the name of an environment variable, such as OPENAI_API_KEY, never the key"
            )
        return value

    @field_validator("extra")
    @classmethod
    def _leaves_ours(cls, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
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
        self._secrets = Secrets(self._service.key)
        self._explain = Explainer(
            self._service.shown, config.model, self._service.key_variable, self._secrets
        )
        self._ladder = Ladder(_LADDERS[config.structured])
        self._writer = self._written()
        self._client = self._connect()

    def _written(self) -> RequestWriter:
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
                return await self._asked(request)
        except TimeoutError:
            failure = self._explain.unavailable(f"no answer within {request.timeout_s:g} s")
        except Refusal as refusal:
            if refusal.is_filter:
                return ChatReply(text="", model=self.config.model, finish_reason="refusal")
            failure = self._explain.of(refusal)
        raise failure  # here, so that nothing of the request hangs on it

    async def _asked(self, request: ChatRequest) -> ChatReply:
        schema = request.answer_schema
        text = "" if schema is None else json.dumps(schema)
        if not self._is_new(request, text):
            return await self._descended(request, text)
        async with self._ahead():
            if self._is_new(request, text):
                return await self._descended(request, text)
        return await self._descended(request, text)

    def _is_new(self, request: ChatRequest, schema: str) -> bool:
        """Whether the service may refuse what no call has tried before."""
        if schema and not self._ladder.is_settled(schema):
            return True
        picky = self._service.is_openai or _REASONING_MODEL.search(self.config.model)
        return bool(picky) and not self._writer.optional(request).keys() <= self._writer.taken

    @asynccontextmanager
    async def _ahead(self) -> AsyncGenerator[None, None]:
        """Alone, so that many calls are not all refused; for a while, as refusals come fast."""
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

    async def _descended(self, request: ChatRequest, schema: str) -> ChatReply:
        """The answer on the first rung that the service takes."""
        if not schema:
            return await self._once(request, schema, None)
        refused: list[Rung] = []
        doubted: list[Rung] = []
        *upper, last = self._ladder.rungs(schema)
        for rung in upper:
            try:
                reply = await self._once(request, schema, rung)
            except Refusal as refusal:
                if not self._goes_on(rung, refusal):
                    raise
                if refusal.is_of_this_schema:
                    self._ladder.unfit(rung, schema)
                else:
                    (doubted if refusal.status == 500 else refused).append(rung)
            else:
                self._learn(reply, rung, refused, doubted)
                return reply
        reply = await self._once(request, schema, last)
        self._learn(reply, last, refused, doubted)
        return reply

    def _learn(
        self, reply: ChatReply, rung: Rung, refused: list[Rung], doubted: list[Rung]
    ) -> None:
        if refused or doubted or not self._ladder.is_proven(rung):
            self._ladder.took(rung, _heeded(reply), refused, doubted)

    def _goes_on(self, rung: Rung, refusal: Refusal) -> bool:
        """Whether it is the rung that was refused, so that the next may be taken."""
        unsure = not self._ladder.is_proven(rung)
        return refusal.may_be_of_the_rung and (unsure or refusal.is_of_this_schema)

    async def _once(self, request: ChatRequest, schema: str, rung: Rung | None) -> ChatReply:
        """One answer; asked again only without what the model does not take."""
        while True:
            began = perf_counter()
            body = self._writer.body(request, schema, rung)
            try:
                payload = await self._client.post(body, request.timeout_s)
                reply = reply_of(payload, self.config.model, self._explain)
            except Refusal as refusal:
                without = self._writer.learn(refusal, body)
                if without is None:
                    raise
                said = self._explain.quoted(refusal.message)
                self.context.warn(
                    f"the model {self.config.model!r} is asked without {without}: {said}"
                )
                continue
            self._writer.taken.update(self._writer.optional(request))
            return reply.model_copy(update={"latency_s": perf_counter() - began})

    def identity(self) -> str:
        settings = self.config.model_dump(
            mode="json", exclude={"model", "base_url", "api_key_env", "organization"}
        )
        shown = f"openai {self.config.model} at {self._service.shown}"
        return self._secrets.hidden(f"{shown} {json.dumps(settings, sort_keys=True)}")

    async def close(self) -> None:
        await self._client.close()


def _heeded(reply: ChatReply) -> bool | None:
    """Whether there is any JSON in an answer; None for one that was cut off or declined."""
    if any(True for _ in values(reply.text)):
        return True
    return False if reply.finish_reason == "stop" else None

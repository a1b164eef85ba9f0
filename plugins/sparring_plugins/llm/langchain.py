"""Any chat model of LangChain's, by name."""

import asyncio
import json
import re
import warnings
from contextlib import AbstractContextManager, nullcontext
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field, JsonValue, field_validator

from sparring.errors import ModelError
from sparring.interfaces.llm_backend import LLMBackend
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.llm.json_text import values
from sparring.model.chat import ChatReply, ChatRequest
from sparring_plugins.llm.langchain_model import build
from sparring_plugins.llm.langchain_refusal import Explainer, refusal_of
from sparring_plugins.llm.langchain_reply import cut_reply, reply_of
from sparring_plugins.llm.openai_refusal import Refusal
from sparring_plugins.llm.schema_prompt import with_schema
from sparring_plugins.llm.structured_output import Ladder, Rung

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

_METHODS = {Rung.JSON_SCHEMA: "json_schema", Rung.TOOL: "function_calling"}
_SECRET = re.compile(
    r"(?:api|access|secret)_?key|secret|passw|credential|authorization|token$", re.I
)
_OURS = {
    "model": "is a key of its own, beside settings",
    "model_provider": "is the key `provider`, beside settings",
    "max_retries": "is Sparring's: give `attempts` beside `use`",
    "timeout": "is Sparring's: give `timeout` beside `use`",
    "request_timeout": "is Sparring's: give `timeout` beside `use`",
    "cache": "is Sparring's: give `cache` beside `use`",
    "rate_limiter": "is Sparring's: give `concurrency` beside `use`",
    "callbacks": "is for programs",
    "configurable_fields": "is for programs",
    "config_prefix": "is for programs",
}


class LangChainConfig(PluginConfig):
    """Settings of the backend `langchain`."""

    model: str = Field(
        min_length=1, description="provider and name, such as anthropic:claude-sonnet-4-5"
    )
    provider: str | None = Field(
        default=None, description="the provider, where the model's name does not say it"
    )
    settings: dict[str, JsonValue] = Field(
        default={},
        description="what else the chat model is made with, such as base_url. Keys never stand "
        "in a suite: each provider has an environment variable for its own",
    )
    trace: bool = Field(
        default=False,
        description="send prompts and answers to LangSmith, where its environment variables say "
        "so; else they are passed over",
    )

    @field_validator("settings")
    @classmethod
    def _leaves_ours(cls, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
        for name in sorted(_OURS.keys() & value.keys()):
            raise ValueError(f"{name!r} {_OURS[name]}")
        secret = _secret_in(value)
        if secret is not None:
            raise ValueError(
                f"{secret!r} would put a secret into a suite: set the environment variable of the "
                f"provider instead, such as OPENAI_API_KEY"
            )
        return value


class LangChainBackend(LLMBackend[LangChainConfig]):
    """Asks any chat model that LangChain's `init_chat_model` makes. One call is one attempt.

    The schema of an answer is asked for as a JSON schema, then as a tool call, then in the words
    of the prompt; what a provider refused is not tried again. Nothing is sent to LangSmith unless
    `trace` says so. What a call costs is worked out from the tokens that the provider tells of.
    """

    Config: ClassVar[type[PluginConfig]] = LangChainConfig

    def __init__(self, config: LangChainConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._explain = Explainer(f"the chat model {config.model!r}")
        self._chat = build(config.model, config.provider, config.settings, context.warn)
        self._ladder = Ladder((Rung.JSON_SCHEMA, Rung.TOOL, Rung.PROMPT))
        self._left_out: set[str] = set()

    async def complete(self, request: ChatRequest) -> ChatReply:
        began = monotonic()
        failure: ModelError
        try:
            async with asyncio.timeout(request.timeout_s):
                with self._traced():
                    reply = await self._asked(request)
            return reply.model_copy(update={"latency_s": monotonic() - began})
        except TimeoutError:
            failure = self._explain.unavailable(f"no answer within {request.timeout_s:g} s")
        except Refusal as refusal:
            if refusal.is_filter:
                return ChatReply(text="", model=self.config.model, finish_reason="refusal")
            failure = self._explain.of(refusal)
        raise failure  # here, so that nothing of the request hangs on it

    def _traced(self) -> AbstractContextManager[None]:
        if self.config.trace:
            return nullcontext()
        from langsmith import run_helpers

        helpers: Any = run_helpers  # its types are not whole
        off: AbstractContextManager[None] = helpers.tracing_context(enabled=False)
        return off

    async def _asked(self, request: ChatRequest) -> ChatReply:
        """The answer, asked for in the best way that the provider takes."""
        if request.answer_schema is None:
            return await self._once(request, None)
        schema = json.dumps(request.answer_schema)
        refused: list[Rung] = []
        doubted: list[Rung] = []
        *upper, last = self._ladder.rungs(schema)
        for rung in upper:
            try:
                reply = await self._once(request, rung)
            except Refusal as refusal:
                if not self._goes_on(rung, refusal):
                    raise
                if refusal.is_of_this_schema:
                    self._ladder.unfit(rung, schema)
                else:
                    (doubted if refusal.status == 500 else refused).append(rung)
            else:
                self._ladder.took(rung, _heeded(reply), refused, doubted)
                return reply
        reply = await self._once(request, last)
        self._ladder.took(last, _heeded(reply), refused, doubted)
        return reply

    def _goes_on(self, rung: Rung, refusal: Refusal) -> bool:
        """Whether it is the rung that was refused, so that the next may be taken."""
        unsure = not self._ladder.is_proven(rung)
        return refusal.may_be_of_the_rung and (unsure or refusal.is_of_this_schema)

    async def _once(self, request: ChatRequest, rung: Rung | None) -> ChatReply:
        """One answer; asked again only without what the model does not take."""
        while True:
            asked = self._settings(request)
            try:
                return await self._invoked(request, rung, asked)
            except Refusal as refusal:
                without = next((name for name in asked if _is_about(refusal, name)), None)
                if without is None:
                    raise
                said = self._explain.quoted(refusal.message)
                self._leave_out(without, said)

    def _settings(self, request: ChatRequest) -> dict[str, Any]:
        asked = {
            "temperature": request.temperature,
            "seed": request.seed,
            "max_tokens": request.max_tokens,
        }
        return {k: v for k, v in asked.items() if v is not None and k not in self._left_out}

    def _leave_out(self, name: str, why: str) -> None:
        self._left_out.add(name)
        self.context.warn(f"the chat model {self.config.model!r} is asked without {name}: {why}")

    async def _invoked(
        self, request: ChatRequest, rung: Rung | None, asked: dict[str, Any]
    ) -> ChatReply:
        """The provider's answer; raises Refusal for whatever it raises."""
        model, missing = self._chat.with_settings(asked)
        for name in missing:
            self._leave_out(name, "it has no such setting")
        messages = request.messages
        if rung is Rung.PROMPT and request.answer_schema is not None:
            messages = with_schema(messages, request.answer_schema)
        prompt = [(one.role, one.content) for one in messages]
        try:
            if rung is None or rung is Rung.PROMPT:
                answer = await model.ainvoke(prompt)
            else:
                answer = (await _structured(model, rung, request).ainvoke(prompt))["raw"]
            return self._reply(answer)
        except (Refusal, TimeoutError):
            raise
        except NotImplementedError as err:
            raise Refusal(501, f"it has no structured answers: {err}") from None
        except Exception as err:  # noqa: BLE001 - each provider has exceptions of its own
            cut = cut_reply(err, self.config.model)
            if cut is not None:
                return cut
            raise refusal_of(err) from None

    def _reply(self, answer: "AIMessage") -> ChatReply:
        about = answer.response_metadata
        ollama = type(self._chat.model).__module__.startswith("langchain_ollama")
        if ollama and not about.get("done"):
            raise Refusal(503, "the server broke off in the middle of an answer")
        return reply_of(answer, self.config.model)

    def identity(self) -> str:
        settings = json.dumps(self.config.settings, sort_keys=True)
        provider = f" of {self.config.provider}" if self.config.provider else ""
        return self._explain.hidden(f"langchain {self.config.model}{provider} {settings}")

    def model(self) -> str | None:
        name = self.config.model
        return name if self.config.provider else name.partition(":")[2] or name

    async def close(self) -> None:
        await self._chat.close()


def _structured(model: Any, rung: Rung, request: ChatRequest) -> Any:
    """The chat model bound to a schema; LangChain's own parsing, which mends JSON, is not used."""
    schema = {"title": "answer", **(request.answer_schema or {})}
    schema["title"] = re.sub(r"[^a-zA-Z0-9_-]", "_", str(schema["title"]))[:64] or "answer"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it takes another way for a model
        return model.with_structured_output(schema, method=_METHODS[rung], include_raw=True)


def _is_about(refusal: Refusal, name: str) -> bool:
    """Whether a request was refused because of a parameter."""
    if refusal.status not in (400, 422) or "support" not in refusal.text.lower():
        return False
    return refusal.param == name or re.search(rf"\b{name}\b", refusal.text) is not None


def _heeded(reply: ChatReply) -> bool | None:
    """Whether there is any JSON in an answer; None for one that was cut off or declined."""
    if any(True for _ in values(reply.text)):
        return True
    return False if reply.finish_reason == "stop" else None


def _secret_in(value: JsonValue) -> str | None:
    """The name of a setting, at any depth, that is for a secret."""
    if isinstance(value, dict):
        for name, item in value.items():
            found = name if _SECRET.search(name) else _secret_in(item)
            if found is not None:
                return found
    if isinstance(value, list):
        return next((found for found in map(_secret_in, value) if found is not None), None)
    return None

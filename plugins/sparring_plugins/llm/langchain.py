"""Any chat model of LangChain's, by name, and its messages as replies."""

import asyncio
import json
import re
import warnings
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, cast

from pydantic import Field, JsonValue, TypeAdapter, field_validator

from sparring.errors import ModelError
from sparring.interfaces.plugin import BuildContext, LLMBackend, PluginConfig
from sparring.model.chat import ChatReply, ChatRequest
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.llm.langchain_model import LangChainErrors, build, refusal_of
from sparring_plugins.llm.refusals import ServiceRefusal
from sparring_plugins.llm.structured_output import OutputMode, StructuredOutputFallback, with_schema

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage


# From LangChain's messages to ours, whichever provider they are of.

_REASONS = ("finish_reason", "stop_reason", "stopReason", "done_reason")


def reply_of(message: "AIMessage", model: str) -> ChatReply:
    """A reply of an answer: text apart from reasoning, tokens, and why it ended."""
    about: dict[str, Any] = dict(message.response_metadata)
    text, reasoning = _parts(message)
    called = _tool_arguments(message)
    refused: Any = message.additional_kwargs.get("refusal")
    finish = _finish_reason(about)
    if isinstance(refused, str) and refused:
        text, finish = text or refused, "refusal"
    usage = _mapping(message.usage_metadata)
    named: Any = about.get("model_name") or about.get("model")
    return ChatReply(
        text=text if text.strip() or called is None else called,
        reasoning=reasoning,
        model=named if isinstance(named, str) else model,
        input_tokens=_count(usage.get("input_tokens")),
        output_tokens=_count(usage.get("output_tokens")),
        cached_tokens=_count(_mapping(usage.get("input_token_details")).get("cache_read")),
        finish_reason=finish,
    )


def cut_reply(err: Exception, model: str) -> ChatReply | None:
    """The reply in the exceptions by which OpenAI's SDK tells of a cut or filtered answer."""
    kind = type(err).__name__
    if kind == "ContentFilterFinishReasonError":
        return ChatReply(text="", model=model, finish_reason="refusal")
    if kind != "LengthFinishReasonError":
        return None
    completion: Any = getattr(err, "completion", None)
    usage: Any = getattr(completion, "usage", None)
    choices: Any = getattr(completion, "choices", None) or [None]
    content: Any = getattr(getattr(choices[0], "message", None), "content", None)
    return ChatReply(
        text=content if isinstance(content, str) else "",
        model=str(getattr(completion, "model", None) or model),
        input_tokens=_count(getattr(usage, "prompt_tokens", None)),
        output_tokens=_count(getattr(usage, "completion_tokens", None)),
        finish_reason="length",
    )


def _parts(message: "AIMessage") -> tuple[str, str]:
    """The text and the reasoning."""
    blocks: list[Any]
    try:
        blocks = list(message.content_blocks)
    except Exception:  # noqa: BLE001 - its translators trust what providers send
        blocks = [{"type": "text", "text": message.text}]
    texts: list[str] = []
    thoughts: list[str] = []
    for block in map(_mapping, blocks):
        kind, text = block.get("type"), block.get("text")
        if kind == "text" and isinstance(text, str):
            texts.append(text)
        elif kind == "reasoning" and isinstance(block.get("reasoning"), str):
            thoughts.append(block["reasoning"])
    if not thoughts:
        reasoning: Any = message.additional_kwargs.get("reasoning_content")
        thoughts = [reasoning] if isinstance(reasoning, str) else []
    return "".join(texts), "\n".join(filter(None, thoughts))


def _tool_arguments(message: "AIMessage") -> str | None:
    """The arguments of a tool call as JSON, even if they are invalid."""
    if message.tool_calls:
        return json.dumps(message.tool_calls[0]["args"], ensure_ascii=False)
    wrong: Any = message.invalid_tool_calls
    args = wrong[0].get("args") if wrong else None
    return args if isinstance(args, str) else None


@cache
def _finish_reasons() -> Mapping[str, str]:
    """What the providers' words for the end of an answer mean."""
    data = bundled_yaml("sparring_plugins.llm", "finish_reasons.yaml")
    meanings = TypeAdapter(dict[str, tuple[str, ...]]).validate_python(data)
    return {word: meaning for meaning, words in meanings.items() for word in words}


def _finish_reason(about: dict[str, Any]) -> str:
    reason = next((about[name] for name in _REASONS if about.get(name)), "stop")
    word = str(getattr(reason, "name", reason))
    return _finish_reasons().get(word.lower(), word)


def _mapping(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _count(value: Any) -> int:
    return max(value, 0) if isinstance(value, int) and not isinstance(value, bool) else 0


_METHODS = {OutputMode.JSON_SCHEMA: "json_schema", OutputMode.TOOL: "function_calling"}
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
    def _reject_own_keys(cls, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
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
        self._explain = LangChainErrors(f"the chat model {config.model!r}")
        self._chat = build(config.model, config.provider, config.settings, context.warn)
        self._fallback = StructuredOutputFallback(
            (OutputMode.JSON_SCHEMA, OutputMode.TOOL, OutputMode.PROMPT)
        )
        self._left_out: set[str] = set()

    async def complete(self, request: ChatRequest) -> ChatReply:
        began = monotonic()
        failure: ModelError
        try:
            async with asyncio.timeout(request.timeout_s):
                with self._tracing():
                    reply = await self._answer(request)
            return reply.model_copy(update={"latency_s": monotonic() - began})
        except TimeoutError:
            failure = self._explain.unavailable(f"no answer within {request.timeout_s:g} s")
        except ServiceRefusal as refusal:
            if refusal.is_filter:
                return ChatReply(text="", model=self.config.model, finish_reason="refusal")
            failure = self._explain.of(refusal)
        raise failure  # outside of the handlers, so that the error carries no request

    def _tracing(self) -> AbstractContextManager[None]:
        if self.config.trace:
            return nullcontext()
        from langsmith import run_helpers

        helpers: Any = run_helpers  # its types are not whole
        off: AbstractContextManager[None] = helpers.tracing_context(enabled=False)
        return off

    async def _answer(self, request: ChatRequest) -> ChatReply:
        """The answer, asked for in the best way that the provider takes."""
        if request.answer_schema is None:
            return await self._ask_once(request, None)
        return await self._fallback.ask(
            json.dumps(request.answer_schema), lambda mode: self._ask_once(request, mode)
        )

    async def _ask_once(self, request: ChatRequest, mode: OutputMode | None) -> ChatReply:
        """One answer; asked again only without what the model does not take."""
        while True:
            settings = self._settings(request)
            try:
                return await self._invoke(request, mode, settings)
            except ServiceRefusal as refusal:
                without = refusal.names(settings)
                if without is None:
                    raise
                message = self._explain.quoted(refusal.message)
                self._leave_out(without, message)

    def _settings(self, request: ChatRequest) -> dict[str, Any]:
        settings = {
            "temperature": request.temperature,
            "seed": request.seed,
            "max_tokens": request.max_tokens,
        }
        return {k: v for k, v in settings.items() if v is not None and k not in self._left_out}

    def _leave_out(self, name: str, why: str) -> None:
        self._left_out.add(name)
        self.context.warn(f"the chat model {self.config.model!r} is asked without {name}: {why}")

    async def _invoke(
        self, request: ChatRequest, mode: OutputMode | None, settings: dict[str, Any]
    ) -> ChatReply:
        """The provider's answer; raises Refusal for whatever it raises."""
        model, missing = self._chat.with_settings(settings)
        for name in missing:
            self._leave_out(name, "it has no such setting")
        messages = request.messages
        if mode is OutputMode.PROMPT and request.answer_schema is not None:
            messages = with_schema(messages, request.answer_schema)
        prompt = [(message.role, message.content) for message in messages]
        try:
            if mode is None or mode is OutputMode.PROMPT:
                answer = await model.ainvoke(prompt)
            else:
                answer = (await _bind_schema(model, mode, request).ainvoke(prompt))["raw"]
            return self._reply(answer)
        except (ServiceRefusal, TimeoutError):
            raise
        except NotImplementedError as err:
            raise ServiceRefusal(501, f"it has no structured answers: {err}") from None
        except Exception as err:  # noqa: BLE001 - each provider has exceptions of its own
            cut = cut_reply(err, self.config.model)
            if cut is not None:
                return cut
            raise refusal_of(err) from None

    def _reply(self, answer: "AIMessage") -> ChatReply:
        about = answer.response_metadata
        ollama = type(self._chat.model).__module__.startswith("langchain_ollama")
        if ollama and not about.get("done"):
            raise ServiceRefusal(503, "the server broke off in the middle of an answer")
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


def _bind_schema(model: Any, mode: OutputMode, request: ChatRequest) -> Any:
    """The chat model bound to a schema; LangChain's own parsing, which mends JSON, is not used."""
    schema = {"title": "answer", **(request.answer_schema or {})}
    schema["title"] = re.sub(r"[^a-zA-Z0-9_-]", "_", str(schema["title"]))[:64] or "answer"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it takes another way for a model
        return model.with_structured_output(schema, method=_METHODS[mode], include_raw=True)


def _secret_in(value: JsonValue) -> str | None:
    """The name of a setting, at any depth, that is for a secret."""
    if isinstance(value, dict):
        for name, item in value.items():
            secret = name if _SECRET.search(name) else _secret_in(item)
            if secret is not None:
                return secret
    if isinstance(value, list):
        return next((secret for secret in map(_secret_in, value) if secret is not None), None)
    return None

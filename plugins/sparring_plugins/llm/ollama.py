"""Models that Ollama serves: its own chat protocol over the transport of the backend `openai`."""

import asyncio
import json
import os
import re
from collections.abc import Mapping
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, JsonValue, ValidationError

from sparring.errors import (
    ConfigurationError,
    MissingExtra,
    ModelBusy,
    ModelError,
    ModelUnavailable,
)
from sparring.interfaces.plugin import BuildContext, LLMBackend, PluginConfig
from sparring.model.chat import ChatReply, ChatRequest
from sparring_plugins.language.text import one_line
from sparring_plugins.llm.chat_completions import OpenAIService, is_loopback
from sparring_plugins.llm.refusals import ErrorExplainer, Secrets, ServiceRefusal
from sparring_plugins.llm.structured_output import OutputMode, StructuredOutputFallback, with_schema

if TYPE_CHECKING:
    from sparring_plugins.llm.openai_client import OpenAIClient

_KEY = "OLLAMA_API_KEY"
_BUSY_WORDS = ("server busy", "maximum pending requests", "too many requests")
_FORMAT_WORDS = ("format", "grammar", "schema")


class OllamaConfig(PluginConfig):
    """Settings of the backend `ollama`."""

    model: str = Field(min_length=1, description="the model's name, as `ollama list` shows it")
    host: str | None = Field(
        default=None,
        description="where Ollama listens; else what the environment variable OLLAMA_HOST says, "
        "else this machine",
    )
    keep_alive: float | str | None = Field(
        default=None,
        description="how long the model stays loaded after an answer, as 300 (seconds) or '10m'",
    )
    think: bool | Literal["low", "medium", "high"] | None = Field(
        default=None, description="whether the model reasons first; else its own way"
    )
    options: dict[str, JsonValue] = Field(
        default={},
        description="model options such as num_ctx, the length of its context in tokens: Ollama "
        "cuts longer prompts without a word",
    )


class OllamaBackend(LLMBackend[OllamaConfig]):
    """Asks a model on an Ollama server. One call is one attempt.

    The schema of an answer goes into Ollama's `format`, which binds the model to it, and into the
    prompt, because the model does not see the former. Servers too old for that get
    ``format: json``, and if that is refused, too, the words alone; what a server refused is not
    tried again. Models on this machine cost nothing; what others cost is unknown. The client
    itself reads the environment variable OLLAMA_API_KEY.
    """

    Config: ClassVar[type[PluginConfig]] = OllamaConfig

    def __init__(self, config: OllamaConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._host = _address(config.host or os.environ.get("OLLAMA_HOST") or "")
        is_local = is_loopback(urlsplit(self._host).hostname or "")
        key = os.environ.get(_KEY, "")
        if not re.fullmatch("[!-~]*", key):
            raise ConfigurationError(f"{_KEY} in the environment has characters that no key has")
        self._explain = _OllamaErrors(self._host, config.model, Secrets(key))
        self._client = self._connect(
            OpenAIService(
                f"{self._host}/api", key, _KEY, path="/chat", needs_key=False, is_local=is_local
            )
        )
        self._fallback = StructuredOutputFallback(
            (OutputMode.JSON_SCHEMA, OutputMode.JSON_OBJECT, OutputMode.PROMPT)
        )
        self.listed = False
        self.free = is_local and not _is_cloud(config.model)

    def _connect(self, service: OpenAIService) -> "OpenAIClient":
        try:
            from sparring_plugins.llm.openai_client import OpenAIClient
        except ImportError as err:
            raise MissingExtra(
                "the language model 'ollama' needs OpenAI's SDK: pip install 'sparring[ollama]'"
            ) from err
        return OpenAIClient(service, self._explain, _OllamaRefusal)

    async def complete(self, request: ChatRequest) -> ChatReply:
        failure: ModelError
        try:
            async with asyncio.timeout(request.timeout_s):
                return await self._answer(request)
        except TimeoutError:
            failure = ModelUnavailable(
                f"no answer of {self.config.model!r} within {request.timeout_s:g} s"
            )
        except ServiceRefusal as refusal:
            failure = self._explain.of(refusal)
        raise failure  # outside of the handlers, so that the error carries no request

    async def _answer(self, request: ChatRequest) -> ChatReply:
        """The answer in the best mode that the server takes."""
        if request.answer_schema is None:
            return await self._ask_once(request, None)
        schema = json.dumps(request.answer_schema, sort_keys=True)
        return await self._fallback.ask(schema, lambda mode: self._ask_once(request, mode))

    async def _ask_once(self, request: ChatRequest, mode: OutputMode | None) -> ChatReply:
        began = monotonic()
        payload, _ = await self._client.post(self._body(request, mode), request.timeout_s)
        return self._reply(payload, monotonic() - began)

    def _body(self, request: ChatRequest, mode: OutputMode | None) -> dict[str, Any]:
        messages = request.messages
        if request.answer_schema is not None:
            messages = with_schema(messages, request.answer_schema)
        forms = {OutputMode.JSON_SCHEMA: request.answer_schema, OutputMode.JSON_OBJECT: "json"}
        options = {
            **self.config.options,
            **_without_none(
                temperature=request.temperature, seed=request.seed, num_predict=request.max_tokens
            ),
        }
        return {
            "model": self.config.model,
            "messages": [message.model_dump(include={"role", "content"}) for message in messages],
            "stream": False,
            "options": options,
            **_without_none(
                format=forms.get(mode) if mode else None,
                keep_alive=self.config.keep_alive,
                think=self.config.think,
            ),
        }

    def _reply(self, payload: object, latency_s: float) -> ChatReply:
        try:
            answer = _Answer.model_validate(payload)
        except ValidationError as err:
            raise self._explain.malformed(payload) from err
        if answer.done is False:
            raise ModelUnavailable(f"Ollama at {self._host} broke off in the middle of an answer")
        return ChatReply(
            text=answer.message.content or "",
            reasoning=answer.message.thinking or "",
            model=answer.model or self.config.model,
            input_tokens=max(answer.prompt_eval_count or 0, 0),
            output_tokens=max(answer.eval_count or 0, 0),
            cost_usd=0.0 if self.free else None,
            latency_s=latency_s,
            finish_reason=answer.done_reason or "stop",
        )

    def identity(self) -> str:
        settings = self.config.model_dump(exclude={"model", "host", "keep_alive"})
        return f"ollama {self.config.model} at {self._host} {json.dumps(settings, sort_keys=True)}"

    async def close(self) -> None:
        await self._client.close()


class _Message(BaseModel):
    content: str | None = None
    thinking: str | None = None


class _Answer(BaseModel):
    """The part of Ollama's answer that is read."""

    message: _Message
    model: str | None = None
    done: bool | None = None
    done_reason: str | None = None
    prompt_eval_count: int | None = None
    eval_count: int | None = None


class _OllamaRefusal(ServiceRefusal):
    """An error of Ollama's; it names the `format` that it cannot work with in its own words."""

    @property
    def is_of_this_schema(self) -> bool:
        """Whether this schema cannot be turned into a grammar, though others can."""
        words = self.text.lower()
        return "grammar" in words or "schema" in words

    @property
    def may_concern_mode(self) -> bool:
        """Whether another `format`, or none, may help."""
        words = self.text.lower()
        return self.status != 429 and any(word in words for word in _FORMAT_WORDS)


class _OllamaErrors(ErrorExplainer):
    """Says what an error of Ollama's means, and which command mends it."""

    def __init__(self, host: str, model: str, secrets: Secrets) -> None:
        super().__init__(f"Ollama at {host}", model, _KEY, secrets)
        self._host, self._name = host, one_line(model, 200)

    def of(self, refusal: ServiceRefusal) -> ModelError:
        """The error to raise for a refusal."""
        status, reason = refusal.status, self.quoted(refusal.message)
        words = refusal.text.lower()
        if status == 404 and "not found" in words and "page" not in words:
            return ModelError(f"{self.where} has no model {self._name!r}: ollama pull {self._name}")
        if status == 404:
            return ModelError(f"there is no {self.where}: {reason} (status 404)")
        if status in (401, 403):
            return ModelError(f"{self.where} refuses the key in {_KEY}, or wants one: {reason}")
        message = f"{self.where}: {reason} (status {status})"
        if status == 429 or (status == 503 and any(word in words for word in _BUSY_WORDS)):
            return ModelBusy(message, refusal.wait_s)
        if status in (408, 425) or status >= 500:
            return ModelUnavailable(message, refusal.wait_s)
        return ModelError(message)

    def unreachable(self, cause: object) -> ModelUnavailable:
        """The error for a server that takes no connection."""
        return ModelUnavailable(f"{self.where} cannot be reached; is it running? (ollama serve)")

    def broken_off(self, cause: object) -> ModelUnavailable:
        """The error for a connection that ended before the answer did."""
        return ModelUnavailable(f"{self.where} broke off: {self.quoted(str(cause))}")

    def unreadable(self, text: str) -> ModelError:
        """The error for an answer that is no JSON: cut short, or a gateway's page."""
        return ModelUnavailable(f"the answer of {self._host} is no whole JSON")

    def malformed(self, payload: object) -> ModelError:
        """The error for an answer of another shape: a gateway may send errors with status 200."""
        if isinstance(payload, Mapping) and "error" in payload:
            return self.unavailable(str(payload["error"]))  # pyright: ignore[reportUnknownArgumentType]
        return ModelError(f"{self._host} does not answer as Ollama does")


def _without_none(**values: Any) -> dict[str, Any]:
    """The values that are set."""
    return {name: value for name, value in values.items() if value is not None}


def _address(host: str) -> str:
    """The server's whole address, without name and password; raises ConfigurationError.

    It is read as Ollama's own clients read it: the port is 11434 if only a name is given, and an
    empty text is this machine. So is the address by which a server listens everywhere, which
    OLLAMA_HOST often holds.
    """
    scheme, separator, rest = host.strip().partition("://")
    if not separator:
        scheme, rest = "http", host.strip()
    try:
        parts = urlsplit(f"//{rest}")
        name, port = parts.hostname or "127.0.0.1", parts.port
    except ValueError as err:
        raise ConfigurationError(f"{host!r} is no address of an Ollama server: {err}") from err
    if scheme not in ("http", "https") or re.search(r"[^\w.:%-]", name):
        raise ConfigurationError(
            f"{host!r} is no address of an Ollama server: it reads http://NAME:PORT"
        )
    if name in ("0.0.0.0", "::"):
        name = "127.0.0.1"
    if ":" in name:
        name = f"[{name}]"
    port = port or ({"http": 80, "https": 443}[scheme] if separator else 11434)
    return f"{scheme}://{name}:{port}{parts.path.rstrip('/')}"


def _is_cloud(model: str) -> bool:
    """Whether Ollama passes on what a model is asked to its makers' machines."""
    tag = model.rpartition(":")[2]
    return ":" in model and (tag == "cloud" or tag.endswith("-cloud"))

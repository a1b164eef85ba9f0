"""Models that Ollama serves, through its official client."""

import asyncio
import json
import os
import re
from contextlib import suppress
from ipaddress import ip_address
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast
from urllib.parse import urlsplit

from pydantic import Field, JsonValue, ValidationError

from sparring.errors import (
    ConfigurationError,
    MissingExtra,
    ModelBusy,
    ModelError,
    ModelUnavailable,
)
from sparring.interfaces.llm_backend import LLMBackend
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.model.chat import ChatReply, ChatRequest
from sparring.suite.environment import Redactor
from sparring_plugins.language.visible import one_line
from sparring_plugins.llm.retry_after import retry_after_s
from sparring_plugins.llm.schema_prompt import with_schema

if TYPE_CHECKING:
    import httpx
    import ollama

_KEY = "OLLAMA_API_KEY"
_BUSY_WORDS = ("server busy", "maximum pending requests", "too many requests")
_FORMAT_WORDS = ("format", "grammar", "schema")
_SCHEMA, _JSON, _WORDS = range(3)
"""How an answer's schema is asked for: as a grammar, as any JSON, in words alone."""


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
    ``format: json``, and where that is refused, too, the words alone; what a server refused is not
    tried again. Models on this machine cost nothing; what others cost is unknown. The client
    itself reads the environment variable OLLAMA_API_KEY.
    """

    Config: ClassVar[type[PluginConfig]] = OllamaConfig

    def __init__(self, config: OllamaConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._redactor = Redactor()  # a server may echo the key
        self._host = _host(config.host or os.environ.get("OLLAMA_HOST") or "")
        self._client: Any = self._connect()  # its types are not whole
        self._lowest = _SCHEMA
        self._refused: set[str] = set()
        self.listed = False
        self.free = _is_here(self._host) and not _is_cloud(config.model)

    def _connect(self) -> "ollama.AsyncClient":
        try:
            import httpx
            import ollama
        except ModuleNotFoundError as err:
            raise MissingExtra(
                "the language model 'ollama' needs Ollama's client: pip install 'sparring[ollama]'"
            ) from err
        if not re.fullmatch("[!-~]*", os.environ.get(_KEY, "")):
            raise ConfigurationError(f"{_KEY} in the environment has characters that no key has")
        try:
            return ollama.AsyncClient(
                self._host,
                trust_env=not _is_here(self._host),  # no proxy reaches this machine
                event_hooks={"response": [_heed_refusal]},
                # The pool looks at all idle connections for each request: with 64 calls at once
                # that costs more time than new connections do.
                limits=httpx.Limits(max_connections=None, max_keepalive_connections=0),
            )
        except (ValueError, httpx.InvalidURL) as err:
            raise ConfigurationError(f"{self._host!r} is no address of an Ollama server") from err

    async def complete(self, request: ChatRequest) -> ChatReply:
        began = monotonic()
        try:
            async with asyncio.timeout(request.timeout_s):
                answer = await self._asked(request)
        except TimeoutError as err:
            raise ModelUnavailable(
                f"no answer of {self.config.model!r} within {request.timeout_s:g} s"
            ) from err
        return self._reply(answer, monotonic() - began)

    async def _asked(self, request: ChatRequest) -> "ollama.ChatResponse":
        """The answer, asked for in the best way that the server takes."""
        schema = request.answer_schema
        if schema is None:
            return await self._chat(request, None)
        key = json.dumps(schema, sort_keys=True)
        way = max(self._lowest, _JSON if key in self._refused else _SCHEMA)
        while True:
            forms: tuple[Any, ...] = (schema, "json", None)
            try:
                return await self._chat(request, forms[way])
            except _FormatRefused as err:
                self._remember(way, key, err)
                way += 1

    def _remember(self, way: int, key: str, refusal: "_FormatRefused") -> None:
        """Do not try again what was refused: for this schema, or for all where none is taken."""
        if way == _SCHEMA and refusal.of_this_schema:
            self._refused.add(key)
        else:
            self._lowest = max(self._lowest, way + 1)

    async def _chat(self, request: ChatRequest, form: Any) -> "ollama.ChatResponse":
        """Ask once; raises _FormatRefused where the server does not take the form."""
        import httpx

        messages = request.messages
        if request.answer_schema is not None:
            messages = with_schema(messages, request.answer_schema)
        try:
            answer: ollama.ChatResponse = await self._client.chat(
                model=self.config.model,
                messages=[{"role": one.role, "content": one.content} for one in messages],
                format=form,
                options=self._options(request),
                keep_alive=self.config.keep_alive,
                think=self.config.think,
            )
            return answer
        except _Refusal as err:
            raise self._explained(err, form is not None) from err
        except ConnectionError as err:
            raise ModelUnavailable(
                f"Ollama at {self._host} cannot be reached; is it running? (ollama serve)"
            ) from err
        except httpx.HTTPError as err:
            raise ModelUnavailable(
                f"Ollama at {self._host} broke off: {self._quoted(str(err) or type(err).__name__)}"
            ) from err
        except (ValidationError, TypeError, RecursionError) as err:
            raise self._misfit(err) from err
        except ValueError as err:  # JSON that ends too soon, a page of a gateway
            raise ModelUnavailable(f"the answer of {self._host} is no whole JSON") from err

    def _quoted(self, said: str) -> str:
        """What a server says of an error: on one line, short, no key and nothing invisible."""
        return one_line(self._redactor.message(said[:20_000]), 300) or "it says nothing"

    def _options(self, request: ChatRequest) -> dict[str, JsonValue]:
        asked: dict[str, JsonValue] = {
            "temperature": request.temperature,
            "seed": request.seed,
            "num_predict": request.max_tokens,
        }
        given = {name: value for name, value in asked.items() if value is not None}
        return {**self.config.options, **given}

    def _explained(self, refusal: "_Refusal", formatted: bool) -> Exception:
        status, said, words = refusal.status, self._quoted(refusal.said), refusal.said.lower()
        if status == 404 and "not found" in words and "page" not in words:
            name = one_line(self.config.model, 200)
            return ModelError(f"Ollama at {self._host} has no model {name!r}: ollama pull {name}")
        if status == 404:
            return ModelError(f"there is no Ollama at {self._host}: {said} (status 404)")
        if formatted and status != 429 and any(word in words for word in _FORMAT_WORDS):
            return _FormatRefused(of_this_schema="grammar" in words or "schema" in words)
        if status in (401, 403):
            return ModelError(
                f"Ollama at {self._host} refuses the key in {_KEY}, or wants one: {said}"
            )
        told = f"Ollama at {self._host}: {said} (status {status})"
        if status == 429 or (status == 503 and any(word in words for word in _BUSY_WORDS)):
            return ModelBusy(told, refusal.wait_s)
        if status in (408, 425) or status >= 500:
            return ModelUnavailable(told, refusal.wait_s)
        return ModelError(told)

    def _misfit(self, err: Exception) -> ModelError:
        """What an answer of another shape is: an error that a gateway sends with status 200."""
        found: Any = err.errors()[0]["input"] if isinstance(err, ValidationError) else None
        if isinstance(found, dict) and "error" in found:
            said = self._quoted(str(cast("dict[str, Any]", found)["error"]))
            return ModelUnavailable(f"Ollama at {self._host}: {said}")
        return ModelError(f"{self._host} does not answer as Ollama does")

    def _reply(self, answer: "ollama.ChatResponse", latency_s: float) -> ChatReply:
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


class _FormatRefused(Exception):
    """The server does not take this form of `format`: the next is tried."""

    def __init__(self, *, of_this_schema: bool) -> None:
        super().__init__("format refused")
        self.of_this_schema = of_this_schema


class _Refusal(Exception):
    """The server answered with an error."""

    def __init__(self, status: int, said: str, wait_s: float | None) -> None:
        super().__init__(status, said)
        self.status, self.said, self.wait_s = status, said, wait_s


async def _heed_refusal(response: "httpx.Response") -> None:
    """Raise for errors before the client does: it drops the headers, which say how long to wait."""
    if response.status_code < 400:
        return
    said = (await response.aread()).decode("utf-8", "replace")
    with suppress(ValueError, RecursionError):
        found: Any = json.loads(said)
        said = str(found["error"]) if isinstance(found, dict) and "error" in found else said  # pyright: ignore[reportUnknownArgumentType]
    raise _Refusal(response.status_code, said, retry_after_s(response.headers))


def _host(said: str) -> str:
    """The server's whole address, without name and password; raises ConfigurationError.

    As the client reads it: port 11434 where only a name is given, and an empty text is this
    machine. So is what a server has for listening everywhere, as OLLAMA_HOST often says.
    """
    scheme, given, rest = said.strip().partition("://")
    if not given:
        scheme, rest = "http", said.strip()
    try:
        parts = urlsplit(f"//{rest}")
        name, port = parts.hostname or "127.0.0.1", parts.port
    except ValueError as err:
        raise ConfigurationError(f"{said!r} is no address of an Ollama server: {err}") from err
    if scheme not in ("http", "https") or re.search(r"[^\w.:%-]", name):
        raise ConfigurationError(
            f"{said!r} is no address of an Ollama server: it reads http://NAME:PORT"
        )
    if name in ("0.0.0.0", "::"):
        name = "127.0.0.1"
    if ":" in name:
        name = f"[{name}]"
    port = port or ({"http": 80, "https": 443}[scheme] if given else 11434)
    return f"{scheme}://{name}:{port}{parts.path.rstrip('/')}"


def _is_here(host: str) -> bool:
    """Whether an address is on this machine."""
    name = urlsplit(host).hostname or ""
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


def _is_cloud(model: str) -> bool:
    """Whether Ollama passes on what a model is asked to its makers' machines."""
    tag = model.rpartition(":")[2]
    return ":" in model and (tag == "cloud" or tag.endswith("-cloud"))

"""OpenAI's chat protocol: the address and key of a service, request bodies, and replies."""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import ip_address
from typing import Any, Literal, cast
from urllib.parse import SplitResult, urlsplit

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sparring.errors import ConfigurationError, ModelError, ModelUnavailable, Problem
from sparring.model.chat import ChatMessage, ChatReply, ChatRequest
from sparring_plugins.llm.refusals import ErrorExplainer, ServiceRefusal
from sparring_plugins.llm.structured_output import OutputMode, strict_form, with_schema

LimitField = Literal["max_tokens", "max_completion_tokens"]

_LIMITS = ("max_tokens", "max_completion_tokens")
# "System role not supported" (the template of Gemma): the same words are sent as the user's then.
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
        fields: dict[str, JsonValue] = {
            "temperature": request.temperature,
            "seed": request.seed,
            self._limit: request.max_tokens,
        }
        return {
            name: value
            for name, value in fields.items()
            if value is not None and name not in self._refused
        }

    def body(self, request: ChatRequest, schema: str, mode: OutputMode | None) -> dict[str, Any]:
        """The whole body; `schema` is the request's as text, `mode` how it is asked for."""
        messages = request.messages
        if request.answer_schema is not None and mode is not None and mode.needs_words:
            messages = with_schema(messages, request.answer_schema)
        if self._no_system:
            messages = _merge_system(messages)
        return {
            "messages": [
                {"role": message.role, "content": message.content} for message in messages
            ],
            **self.optional(request),
            **(_schema_fields(schema, self._lengths, mode) if mode else {}),
            **self._settings,
        }

    def learn(self, refusal: ServiceRefusal, body: Mapping[str, Any]) -> str | None:
        """Name what to leave out from now on; `None` if asking again has no effect."""
        # 401 or 429 say nothing of the fields: leaving one out would lose the seed for no reason.
        if refusal.status not in (400, 422):
            return None
        has_system = any(message["role"] == "system" for message in body["messages"])
        if has_system and _SYSTEM_NOT_TAKEN.search(refusal.text):
            self._no_system = True
            return "system messages"
        name = self._refused_field(refusal, body)
        if name is None:
            return None
        self._refused.add(name)
        # OpenAI's reasoning models take `max_completion_tokens`, older servers `max_tokens`: the
        # other is tried.
        if name == self._limit:
            self._limit = "max_completion_tokens" if name == "max_tokens" else "max_tokens"
        return name

    def _refused_field(self, refusal: ServiceRefusal, body: Mapping[str, Any]) -> str | None:
        """The optional field that the server says it does not take."""
        sent = ("temperature", "seed", *_LIMITS)
        return refusal.names(name for name in sent if name in body and name not in self._settings)


def _merge_system(messages: tuple[ChatMessage, ...]) -> tuple[ChatMessage, ...]:
    """System messages as the beginning of the user message after them."""
    others: list[ChatMessage] = []
    waiting: list[str] = []
    for message in messages:
        if message.role == "system":
            waiting.append(message.content)
        elif message.role == "user" and waiting:
            text = "\n\n".join([*waiting, message.content])
            others.append(ChatMessage(role="user", content=text))
            waiting = []
        else:
            others.append(message)
    rest = [ChatMessage(role="user", content="\n\n".join(waiting))] if waiting else []
    return (*others, *rest)


@lru_cache(maxsize=256)
def _schema_fields(schema: str, lengths: bool, mode: OutputMode) -> Mapping[str, Any]:
    """The fields that ask for an answer of a schema."""
    loose: dict[str, JsonValue] = json.loads(schema)
    # OpenAI takes names of 64 letters, digits, _ and - for schemas and tools.
    title = re.sub(r"[^A-Za-z0-9_-]+", "_", str(loose.get("title", ""))).strip("_")[:64]
    name, strict = title or "answer", strict_form(loose, lengths=lengths)
    if mode is OutputMode.JSON_SCHEMA:
        form = {"name": name, "schema": strict or loose, "strict": strict is not None}
        return {"response_format": {"type": "json_schema", "json_schema": form}}
    if mode is OutputMode.TOOL:
        function: dict[str, Any] = {
            "name": name,
            "description": "Gives the answer.",
            "parameters": strict or loose,
            **({"strict": True} if strict else {}),
        }
        choice = {"type": "function", "function": {"name": name}}
        return {"tools": [{"type": "function", "function": function}], "tool_choice": choice}
    if mode is OutputMode.JSON_OBJECT_SCHEMA:
        return {"response_format": {"type": "json_object", "schema": loose}}
    return {"response_format": {"type": "json_object"}} if mode is OutputMode.JSON_OBJECT else {}


# Reading a chat completion, however malformed, as a ChatReply.

_FINISHES = {
    "tool_calls": "stop",
    "function_call": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "refusal",
}


def reply_of(payload: object, model: str, explain: ErrorExplainer) -> ChatReply:
    """Read a chat completion as the model's reply.

    Raises Refusal if an error came as if it were an answer, ModelUnavailable for an answer
    that has nothing in it, and ModelError for anything that is no chat completion.
    """
    if not isinstance(payload, dict):
        raise explain.format_error("the answer is no chat completion: check base_url")
    answer = cast("dict[str, Any]", payload)
    choice = _first_choice(answer, explain)
    message = _mapping(choice.get("message"))
    if message is None:
        raise explain.format_error("the answer's choice has no message")
    finish = choice.get("finish_reason")
    finish = _FINISHES.get(finish, finish) if isinstance(finish, str) and finish else "stop"
    text, refused = _text(message), message.get("refusal")
    if isinstance(refused, str) and refused:
        text, finish = text or refused, "refusal"
    # A reasoning model that spent its limit, or one that declined, has no text: that is an answer.
    if text is None and finish not in ("length", "refusal"):
        raise _empty_error(choice, explain)
    usage = _mapping(answer.get("usage")) or {}
    details = _mapping(usage.get("prompt_tokens_details")) or {}
    named = answer.get("model")
    return ChatReply(
        text=text or "",
        reasoning=_reasoning(message),
        model=named if isinstance(named, str) and named else model,
        input_tokens=_count(usage.get("prompt_tokens")),
        output_tokens=_count(usage.get("completion_tokens")),
        cached_tokens=_count(
            details.get("cached_tokens", usage.get("prompt_cache_hit_tokens")),  # DeepSeek's
        ),
        finish_reason=finish,
    )


def _first_choice(answer: Mapping[str, Any], explain: ErrorExplainer) -> Mapping[str, Any]:
    choices = answer.get("choices")
    if not choices and answer.get("error"):
        raise ServiceRefusal.with_status_200(answer["error"])
    if choices is None and "choices" not in answer:
        raise explain.format_error("the answer is no chat completion: check base_url")
    if not choices:
        raise explain.unavailable("the answer has no choices")
    first = _mapping(cast("list[Any]", choices)[0]) if isinstance(choices, list) else None
    if first is None:
        raise explain.format_error("the answer's choices are none")
    if first.get("error") and first.get("finish_reason") == "error":
        raise ServiceRefusal.with_status_200(first["error"])
    return first


def _empty_error(
    choice: Mapping[str, Any], explain: ErrorExplainer
) -> ModelError | ModelUnavailable:
    if (_mapping(choice["message"]) or {}).get("content") is None:
        return explain.unavailable("the answer has no content")
    return explain.format_error("the answer's content is no text")


def _text(message: Mapping[str, Any]) -> str | None:
    """The text, also as a list of parts, or else what a tool is called with."""
    content = message.get("content")
    if isinstance(content, list):
        parts = [_mapping(part) or {} for part in cast("list[Any]", content)]
        texts = [part.get("text") for part in parts if part.get("type") in ("text", "output_text")]
        content = "".join(text for text in texts if isinstance(text, str)) or None
    called = _tool_arguments(message)
    # Asked by a tool, a model puts the answer into its arguments, and leaves the text empty.
    if called is not None and not (isinstance(content, str) and content.strip()):
        return called
    return content if isinstance(content, str) else None


def _tool_arguments(message: Mapping[str, Any]) -> str | None:
    calls = message.get("tool_calls")
    first = _mapping(cast("list[Any]", calls)[0]) if isinstance(calls, list) and calls else None
    function = _mapping((first or {}).get("function")) or {}
    arguments = function.get("arguments")
    return arguments if isinstance(arguments, str) else None


def _reasoning(message: Mapping[str, Any]) -> str:
    texts = (message.get(name) for name in ("reasoning_content", "reasoning"))
    return next((text for text in texts if isinstance(text, str) and text), "")


def _mapping(value: Any) -> dict[str, Any] | None:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _count(value: Any) -> int:
    return max(value, 0) if isinstance(value, int) and not isinstance(value, bool) else 0


# Where a service with OpenAI's protocol is, and with what key it is asked.

KEY = "OPENAI_API_KEY"
AZURE_KEY = "AZURE_OPENAI_API_KEY"
_DEFAULT = "https://api.openai.com/v1"
_PATH = "/chat/completions"


class Azure(BaseModel):
    """How to reach a model in Azure; the suite's `model` is the name of the deployment."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    endpoint: str | None = Field(
        default=None, description="https://NAME.openai.azure.com; else AZURE_OPENAI_ENDPOINT's"
    )
    api_version: str | None = Field(
        default=None, description="such as 2024-10-21; else what OPENAI_API_VERSION says"
    )


@dataclass(frozen=True)
class OpenAIService:
    """An address and a key; the key is in no text made of it.

    `path` is where chats are posted, below the address. Without `needs_key`, no key is sent if
    there is none. A service that `is_local` is never reached through a proxy.
    """

    base_url: str
    key: str = field(repr=False)
    key_variable: str
    organization: str | None = None
    azure_api_version: str | None = None
    path: str = _PATH
    needs_key: bool = True
    is_local: bool = False

    @property
    def is_openai(self) -> bool:
        """Whether it is OpenAI's own, or Azure's, which want a key and take strict schemas."""
        host = urlsplit(self.base_url).hostname or ""
        own = host == "openai.com" or host.endswith((".openai.com", ".openai.azure.com"))
        return own or self.azure_api_version is not None

    @property
    def is_private(self) -> bool:
        """Whether it is somebody's own server, by its address: its prices are in no list."""
        host = urlsplit(self.base_url).hostname or ""
        try:
            address = ip_address(host)
        except ValueError:
            return "." not in host or host.endswith((".local", ".internal", ".lan", ".test"))
        return not address.is_global

    @property
    def shown(self) -> str:
        """The address for errors and logs: no name, password or query in it."""
        parts = urlsplit(self.base_url)
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{host}{port}{parts.path.rstrip('/')}"


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def service_of(
    base_url: str | None,
    key_variable: str | None,
    organization: str | None,
    azure: Azure | None,
) -> OpenAIService:
    """The service that settings and environment name; raises ConfigurationError.

    A key is needed if OpenAI or Azure serve, or if the settings name its variable.
    """
    version = None
    if azure is None:
        url = base_url or os.environ.get("OPENAI_BASE_URL", "").strip() or _DEFAULT
    else:
        if base_url is not None:
            raise _setting_error(
                "base_url", "takes no base_url beside azure: give azure.endpoint alone"
            )
        url = _setting(azure.endpoint, "AZURE_OPENAI_ENDPOINT", "azure.endpoint")
        version = _setting(azure.api_version, "OPENAI_API_VERSION", "azure.api_version")
    variable = key_variable or (KEY if azure is None else AZURE_KEY)
    key = os.environ.get(variable, "").strip()
    service = OpenAIService(_address(url), key, variable, organization, version)
    if not key and (service.is_openai or key_variable is not None):
        raise ConfigurationError(
            f"the model's service at {service.shown} needs a key: "
            f"set the environment variable {variable}"
        )
    if not re.fullmatch(r"[!-~]*", key):
        raise ConfigurationError(f"{variable} in the environment has characters that no key has")
    return service


def _setting(value: str | None, variable: str, key: str) -> str:
    setting = value or os.environ.get(variable, "").strip()
    if not setting:
        raise _setting_error(key, f"missing: give it, or set the environment variable {variable}")
    return setting


def _address(url: str) -> str:
    try:
        sound = _is_valid(urlsplit(url))
    except ValueError:
        sound = False
    if not sound:
        raise _setting_error(
            "base_url", "is no address of a service, such as http://127.0.0.1:8000/v1"
        )
    if url.rstrip("/").endswith(_PATH):
        raise _setting_error("base_url", f"leave {_PATH} off: the client adds it")
    return url


def _is_valid(parts: SplitResult) -> bool:
    host = parts.hostname or ""
    odd = re.search(r"[^\w.:%-]", host) or re.search(r"[\x00-\x20]", parts.geturl())
    return parts.scheme in ("http", "https") and bool(host) and not odd and parts.port != 0


def _setting_error(key: str, message: str) -> ConfigurationError:
    return ConfigurationError(Problem(message, key=key))

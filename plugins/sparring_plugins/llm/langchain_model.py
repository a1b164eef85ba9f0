"""Builds LangChain's chat models by provider and name, and explains their exceptions."""

import json
import os
import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any, cast
from urllib.request import getproxies

import httpx2
from pydantic import JsonValue, ValidationError

from sparring.documents.checking import nearest
from sparring.errors import (
    ConfigurationError,
    MissingExtra,
    ModelBusy,
    ModelError,
    ModelUnavailable,
    Problem,
)
from sparring.llm.rate_headers import retry_after_s
from sparring.suite.environment import Redactor
from sparring_plugins.language.text import one_line
from sparring_plugins.llm.asyncio_transport import AsyncioTransport
from sparring_plugins.llm.refusals import ServiceRefusal

# What the exceptions of LangChain's many providers mean.

#: By parts of the names of an exception's classes, if no status is known; the first counts.
_BY_NAME = (
    (("RateLimit", "Throttl", "TooManyRequests", "ResourceExhausted"), 429),
    (("Timeout", "DeadlineExceeded"), 408),
    (("Connection", "ConnectError", "TransportError", "EndpointConnection"), 503),
    (("ServiceUnavailable", "InternalServer", "ServerError", "ModelAPIError"), 503),
    (("Authentication", "PermissionDenied", "NoCredentials", "DefaultCredentials"), 401),
    (("NotFound",), 404),
    (("BadRequest", "InvalidRequest", "InvalidArgument", "ContextOverflow"), 400),
)
_UNKNOWN = 0
_BUSY_WORDS = ("server busy", "maximum pending requests")
_TRANSIENT = frozenset({408, 409, 425})
_QUOTA_WORDS = ("insufficient_quota", "exceeded your current quota", "billing")


def refusal_of(err: Exception) -> ServiceRefusal:
    """The exception of a provider as what its service answered; its status is 0 if unknown.

    Found are the attributes that SDKs use for the status: `status_code` (OpenAI, Anthropic,
    Ollama and most), `code` (Google), the `response` of boto3, and else the classes' names.
    """
    response: Any = getattr(err, "response", None)
    headers: Any = getattr(response, "headers", None)
    payload: Any = getattr(err, "body", None)
    status = _status(err, response)
    if isinstance(err, ValueError) and err.args and isinstance(err.args[0], dict):
        return ServiceRefusal.with_status_200(cast("dict[str, Any]", err.args[0]))
    if isinstance(err, json.JSONDecodeError):
        status, payload = 502, f"the answer is no whole JSON: {err.msg}"
    elif isinstance(err, UnicodeDecodeError):
        status, payload = 502, "the answer is not UTF-8 text"
    elif isinstance(err, (IndexError, TypeError)) and status == _UNKNOWN:
        status, payload = 502, f"the answer has nothing in it: {err}"
    wait = retry_after_s(cast("Mapping[str, str]", headers)) if _is_mapping(headers) else None
    return ServiceRefusal(status, payload or f"{type(err).__name__}: {err}", wait)


def _is_mapping(headers: Any) -> bool:
    return hasattr(headers, "items") and hasattr(headers, "get")


def _status(err: Exception, response: Any) -> int:
    codes = [getattr(err, "status_code", None), getattr(response, "status_code", None)]
    codes += [getattr(err, "code", None), getattr(err, "http_status", None)]
    names = " ".join(kind.__name__ for kind in type(err).__mro__)
    if isinstance(response, dict):  # boto3's, which throttles with status 400
        answer = cast("dict[str, Any]", response)
        names = str(answer.get("Error"))
        codes.append(429 if "Throttl" in names else _aws_status(answer))
    for status in codes:
        if isinstance(status, int) and 400 <= status <= 599:
            return status
    for parts, status in _BY_NAME:
        if any(part in names for part in parts):
            return status
    return 503 if getattr(err, "status_code", None) == -1 else _UNKNOWN  # in Ollama's stream


def _aws_status(response: Mapping[str, Any]) -> Any:
    about = response.get("ResponseMetadata")
    return cast("dict[str, Any]", about).get("HTTPStatusCode") if isinstance(about, dict) else None


class LangChainErrors:
    """Says what went wrong with a chat model, without any key of the environment."""

    def __init__(self, label: str) -> None:
        self._label = one_line(label, 100)
        self._redactor = Redactor()

    def of(self, refusal: ServiceRefusal) -> ModelError:
        """The error to raise for a refusal."""
        status, words = refusal.status, refusal.text.lower()
        shown = f" (status {status})" if status else ""
        message = f"{self._label}: {self.quoted(refusal.message)}{shown}"
        busy = status == 429 or (status == 503 and any(word in words for word in _BUSY_WORDS))
        if busy and not any(word in words for word in _QUOTA_WORDS):
            return ModelBusy(message, refusal.wait_s)
        if status in _TRANSIENT or (status >= 500 and status != 501):
            return ModelUnavailable(message, refusal.wait_s)
        if refusal.is_of_another_api:
            message += "; for a model of the Responses API: `settings: {use_responses_api: true}`"
        return ModelError(message)

    def unavailable(self, what: str) -> ModelUnavailable:
        """The error for a call that got no answer."""
        return ModelUnavailable(f"{self._label}: {self.quoted(what)}")

    def quoted(self, text: str) -> str:
        """A service's or library's words, short, on one line and without keys."""
        return one_line(self._redactor.message(text[:20_000]), 300) or "it says nothing"

    def hidden(self, text: str) -> str:
        """A text without keys."""
        return self._redactor.text(text)


_OLD_TRACING = ("LANGCHAIN_TRACING", "LANGCHAIN_HANDLER")
# "Please install it with `pip install langchain-groq`": what LangChain advises is the best advice.
_INSTALL = re.compile(r"pip install [`'\"]?([\w.\[\]-]+)")
# "Did not find groq_api_key, please add an environment variable `GROQ_API_KEY`": the message names
# what is missing.
_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]*_(?:[A-Z0-9]+_)*(?:KEY|TOKEN|CREDENTIALS)\b")
_SETTINGS_OF = {
    "temperature": ("temperature",),
    "seed": ("seed", "random_seed"),
    "max_tokens": ("max_tokens", "max_output_tokens", "num_predict", "max_new_tokens"),
}


class ChatModel:
    """A chat model of LangChain's, and what of it is ours to close."""

    def __init__(self, model: Any, client: Any | None) -> None:
        self.model = model
        self._client = client

    def with_settings(self, settings: Mapping[str, Any]) -> tuple[Any, list[str]]:
        """The model with temperature, seed and length as asked, and what it has no field for."""
        fields = _field_names(type(self.model))
        update: dict[str, Any] = {}
        missing: list[str] = []
        for name, value in settings.items():
            accepted = next((field for field in _SETTINGS_OF[name] if field in fields), None)
            if accepted is None:
                missing.append(name)
            else:
                update[accepted] = value
        return (self.model.model_copy(update=update) if update else self.model), missing

    async def close(self) -> None:
        """Close the connections that no other model shares."""
        if self._client is not None:
            await self._client.aclose()
        own: Any = getattr(self.model, "_async_client", None)
        if type(own).__module__.startswith("ollama"):
            await own.close()


def build(
    model: str,
    provider: str | None,
    settings: Mapping[str, JsonValue],
    warn: Callable[[str], None],
) -> ChatModel:
    """The chat model; what LangChain warns of is passed on.

    Raises MissingExtra if a package is missing, and ConfigurationError for everything else
    that is found out without asking: an unknown provider, a missing key, settings that it refuses.
    """
    _refuse_old_tracing()
    explain = LangChainErrors(f"the chat model {model!r}")
    chat = _make(model, provider, settings, explain, warn)
    fields = _field_names(type(chat))
    for name in settings:
        if name not in fields:
            hint = nearest(name, sorted(fields)).partition(" Known:")[0]
            warn(f"the chat model {model!r} has no setting {name!r}.{hint}")
    more: dict[str, Any] = {"max_retries": 0} if "max_retries" in fields else {}
    client = _own_client(chat, fields, settings)
    if client is not None:
        more["http_async_client"] = client
    if more:
        chat = _make(model, provider, {**settings, **more}, explain, lambda _: None)
    return ChatModel(chat, client)


def _refuse_old_tracing() -> None:
    """LangChain refuses every call if these are set, unless it may trace."""
    for name in _OLD_TRACING:
        if os.environ.get(name, "") not in ("", "0", "false", "False"):
            raise ConfigurationError(
                f"unset {name}: LangChain runs nothing with it (`trace: true` and "
                f"LANGSMITH_TRACING trace to LangSmith)"
            )


def _make(
    model: str,
    provider: str | None,
    settings: Mapping[str, Any],
    explain: LangChainErrors,
    warn: Callable[[str], None],
) -> Any:
    try:
        from langchain.chat_models import init_chat_model
    except ImportError as err:
        if not _is_missing(err, "langchain"):
            raise _broken_import("LangChain", err, explain) from err
        raise MissingExtra(
            "the language model 'langchain' needs LangChain: pip install 'sparring[langchain]', "
            "and the package of the provider, such as langchain-openai"
        ) from err
    any_model: Any = init_chat_model
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            chat = any_model(model, model_provider=provider, **settings)
    except ImportError as err:
        raise _package_error(model, err, explain) from err
    except Exception as err:  # noqa: BLE001 - each provider has exceptions of its own
        raise _settings_error(model, provider, err, explain) from None
    for warning in caught:
        warn(explain.quoted(f"LangChain: {warning.message}"))
    return chat


def _is_missing(err: ImportError, package: str) -> bool:
    """Whether a package is not there, and not merely something that it imports itself."""
    name = (err.name or "").partition(".")[0].replace("_", "-")
    return isinstance(err, ModuleNotFoundError) and name == package


def _broken_import(what: str, err: ImportError, explain: LangChainErrors) -> MissingExtra:
    reason = explain.quoted(f"{type(err).__name__}: {err}")
    return MissingExtra(
        f"{what} is installed, but cannot be imported ({reason}): its version may not fit the "
        "others; see what `pip check` says"
    )


def _package_error(model: str, err: ImportError, explain: LangChainErrors) -> MissingExtra:
    """Tell a provider's package that is missing from one that is there and does not import.

    LangChain says of both that the package should be installed; the cause tells which it is.
    """
    match = _INSTALL.search(str(err))
    package = match[1].rstrip(".") if match else "the provider's LangChain package"
    causes = [cause for cause in (err.__cause__, err.__context__) if isinstance(cause, ImportError)]
    cause = causes[0] if causes else err
    if cause.name and not _is_missing(cause, package.partition("[")[0]):
        return _broken_import(package, cause, explain)
    return MissingExtra(
        f"the language model {model!r} needs a package of LangChain's: pip install {package}"
    )


def _settings_error(
    model: str, provider: str | None, err: Exception, explain: LangChainErrors
) -> ConfigurationError:
    """Explain why a model cannot be made with its settings."""
    message = str(err)
    if isinstance(err, ValidationError):  # whose own text shows what was put in
        problems = err.errors(include_input=False, include_url=False)
        message = "; ".join(f"{'.'.join(map(str, p['loc']))}: {p['msg']}" for p in problems)
    if "model provider" in message or "Unsupported provider" in message:
        return _provider_error(model, provider, message)
    names = list(dict.fromkeys(_VARIABLE.findall(message)))
    if names:
        listed = " or ".join(names)
        return ConfigurationError(
            f"the chat model {model!r} needs a key: set the environment variable {listed}"
        )
    return ConfigurationError(f"the chat model {model!r} cannot be made: {explain.quoted(message)}")


def _provider_error(model: str, provider: str | None, text: str) -> ConfigurationError:
    listed = re.search(r"(?:providers|providers are): (.*)", text)
    providers = listed[1].strip().split(", ") if listed else []
    named = provider or (model.partition(":")[0] if ":" in model else "")
    if named:
        message = f"LangChain has no provider {named!r}.{nearest(named, providers)}"
    else:
        message = (
            f"whose model {model!r} is cannot be told: name its provider, as in openai:{model}."
        )
    return ConfigurationError(Problem(message, key="provider" if provider else "model"))


def _field_names(kind: Any) -> set[str]:
    """The names of the fields that a chat model's class takes."""
    names: set[str] = set()
    for name, info in kind.model_fields.items():
        names |= {name, info.alias or name}
    return names


def _own_client(model: Any, fields: set[str], settings: Mapping[str, Any]) -> Any | None:
    """A client of our own, as langchain-openai shares its clients by all models and event loops."""
    own = any(kind.__module__.startswith("langchain_openai") for kind in type(model).__mro__)
    if not own or not {"http_async_client", "openai_proxy"} <= fields:
        return None
    if getattr(model, "openai_proxy", None) or "http_async_client" in settings:
        return None
    proxies = getproxies()
    direct = not any(proxies.get(scheme) for scheme in ("http", "https", "all"))
    return httpx2.AsyncClient(
        transport=AsyncioTransport() if direct else None,
        limits=httpx2.Limits(max_connections=1000, max_keepalive_connections=1000),
        timeout=None,
        follow_redirects=True,
    )

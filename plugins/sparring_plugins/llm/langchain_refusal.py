"""What the exceptions of LangChain's many providers mean."""

import json
from collections.abc import Mapping
from typing import Any, cast

from sparring.errors import ModelBusy, ModelError, ModelUnavailable
from sparring.suite.environment import Redactor
from sparring_plugins.language.visible import one_line
from sparring_plugins.llm.openai_refusal import Refusal
from sparring_plugins.llm.retry_after import retry_after_s

#: By parts of the names of an exception's classes, where no status is known; the first counts.
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


def refusal_of(err: Exception) -> Refusal:
    """The exception of a provider as what its service answered; its status is 0 if unknown.

    Found are the attributes that SDKs use for the status: `status_code` (OpenAI, Anthropic,
    Ollama and most), `code` (Google), the `response` of boto3, and else the classes' names.
    """
    response: Any = getattr(err, "response", None)
    headers: Any = getattr(response, "headers", None)
    payload: Any = getattr(err, "body", None)
    status = _status(err, response)
    if isinstance(err, ValueError) and err.args and isinstance(err.args[0], dict):
        return Refusal.with_status_200(cast("dict[str, Any]", err.args[0]))
    if isinstance(err, json.JSONDecodeError):
        status, payload = 502, f"the answer is no whole JSON: {err.msg}"
    elif isinstance(err, UnicodeDecodeError):
        status, payload = 502, "the answer is not UTF-8 text"
    elif isinstance(err, (IndexError, TypeError)) and status == _UNKNOWN:
        status, payload = 502, f"the answer has nothing in it: {err}"
    wait = retry_after_s(cast("Mapping[str, str]", headers)) if _is_mapping(headers) else None
    return Refusal(status, payload or f"{type(err).__name__}: {err}", wait)


def _is_mapping(headers: Any) -> bool:
    return hasattr(headers, "items") and hasattr(headers, "get")


def _status(err: Exception, response: Any) -> int:
    found = [getattr(err, "status_code", None), getattr(response, "status_code", None)]
    found += [getattr(err, "code", None), getattr(err, "http_status", None)]
    names = " ".join(kind.__name__ for kind in type(err).__mro__)
    if isinstance(response, dict):  # boto3's, which throttles with status 400
        answer = cast("dict[str, Any]", response)
        names = str(answer.get("Error"))
        found.append(429 if "Throttl" in names else _aws_status(answer))
    for status in found:
        if isinstance(status, int) and 400 <= status <= 599:
            return status
    for parts, status in _BY_NAME:
        if any(part in names for part in parts):
            return status
    return 503 if getattr(err, "status_code", None) == -1 else _UNKNOWN  # in Ollama's stream


def _aws_status(response: Mapping[str, Any]) -> Any:
    about = response.get("ResponseMetadata")
    return cast("dict[str, Any]", about).get("HTTPStatusCode") if isinstance(about, dict) else None


class Explainer:
    """Says what went wrong with a chat model, without any key of the environment."""

    def __init__(self, label: str) -> None:
        self._label = one_line(label, 100)
        self._redactor = Redactor()

    def of(self, refusal: Refusal) -> ModelError:
        """The error to raise for a refusal."""
        status, words = refusal.status, refusal.text.lower()
        shown = f" (status {status})" if status else ""
        told = f"{self._label}: {self.quoted(refusal.message)}{shown}"
        busy = status == 429 or (status == 503 and any(word in words for word in _BUSY_WORDS))
        if busy and not any(word in words for word in _QUOTA_WORDS):
            return ModelBusy(told, refusal.wait_s)
        if status in _TRANSIENT or (status >= 500 and status != 501):
            return ModelUnavailable(told, refusal.wait_s)
        return ModelError(told)

    def unavailable(self, what: str) -> ModelUnavailable:
        """The error for a call that got no answer."""
        return ModelUnavailable(f"{self._label}: {self.quoted(what)}")

    def quoted(self, said: str) -> str:
        """What a service or library said, short, on one line and without keys."""
        return one_line(self._redactor.message(said[:20_000]), 300) or "it says nothing"

    def hidden(self, text: str) -> str:
        """A text without keys."""
        return self._redactor.text(text)

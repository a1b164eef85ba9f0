"""Refusals of a service with OpenAI's protocol: what they mean, and how long to wait."""

import base64
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Self, cast
from urllib.parse import quote

from sparring.errors import ModelBusy, ModelError, ModelUnavailable
from sparring_plugins.language.text import one_line

# A local server is given a key such as "x": taken out of its messages, it would leave holes in
# words.
_SHORTEST_KEY = 4
# Status 429 has two meanings: "slow down" passes, but a quota that is used up does not, and asking
# again would only wait.
_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|billing_hard_limit", re.I)
# "This model's maximum context length is 8192 tokens" names `max_tokens` in passing: the prompt is
# at fault, and no field that could be left out.
_TOO_LONG = re.compile(
    r"context_length|context (?:length|size|window)|too long|too many tokens|maximum length", re.I
)
# "Invalid schema for response_format" (OpenAI), "failed to parse grammar" (llama.cpp): asked in
# another way, the same service answers.
_SCHEMA = re.compile(r"invalid[_ ](?:json[_ ])?schema|grammar|schema conversion|subschema", re.I)
# "The model 'gpt-9' does not exist or you do not have access to it": the name may be long, so that
# the two halves stand far apart.
_MODEL = re.compile(
    r"model_not_found|\bmodel\b.{0,300}?(?:not (?:exist|found)|no access)", re.I | re.S
)
# "This model is only supported in v1/responses": the model is there, and another API has it.
_RESPONSES = re.compile(r"v1/responses|\bresponses (?:api|endpoint)", re.I)
_NO_CHAT = re.compile(r"not a chat model|v1/completions endpoint", re.I)
# Gateways send errors with status 200, so that only words say what went wrong: a key first, then
# the model, then what passes by itself ("overloaded, try again").
_BAD_KEY = re.compile(r"api[_ ]key|unauthorized|authenticat|permission", re.I)
_PASSING = re.compile(r"overload|unavailable|timeout|timed out|try again|server_error", re.I)
_BUSY = re.compile(r"rate.?limit|too many requests", re.I)
# Request timeout, conflict and too early: what the same request may be spared a moment later.
_TRANSIENT = {408, 409, 425}


class ServiceRefusal(Exception):
    """The service answered with an error. `status` is its HTTP status, or stands for one.

    `text` is all that it said, as one text to search in; `message` the part for a reader.
    """

    def __init__(self, status: int, payload: object, wait_s: float | None = None) -> None:
        super().__init__(status)
        self.status, self.wait_s = status, wait_s
        error = _error_of(payload)
        self.param, self.code = str(error.get("param") or ""), str(error.get("code") or "")
        self.message = str(error.get("message") or "") or _as_text(payload)
        parts = (self.message, self.code, error.get("type"), error.get("param"))
        self.text = "\n".join(str(item) for item in parts if item)[:20_000]

    @classmethod
    def with_status_200(cls, error: object) -> Self:
        """An error that a gateway sent as if it were an answer; its code is what counts."""
        refusal = cls(0, {"error": error})
        if refusal.code.isdigit() and 400 <= int(refusal.code) <= 599:
            refusal.status = int(refusal.code)
        elif _BUSY.search(refusal.text) or _QUOTA.search(refusal.text):
            refusal.status = 429
        elif _BAD_KEY.search(refusal.text):
            refusal.status = 401
        elif _MODEL.search(refusal.text):
            refusal.status = 404
        else:
            refusal.status = 503 if _PASSING.search(refusal.text) else 500
        return refusal

    @property
    def is_of_this_schema(self) -> bool:
        """Whether it is this schema that the service cannot work with, not schemas as such."""
        return bool(_SCHEMA.search(self.text))

    @property
    def is_filter(self) -> bool:
        """Whether a content filter stopped the prompt, as Azure says it."""
        return self.status == 400 and self.code == "content_filter"

    @property
    def is_of_another_api(self) -> bool:
        """Whether the model is there, but takes no chat completions."""
        return bool(_RESPONSES.search(self.text) or _NO_CHAT.search(self.text))

    def names(self, fields: Iterable[str]) -> str | None:
        """Return the optional field of the request that it is about, `None` if none is named.

        Providers word this in many ways ("is not supported", "only 1 is allowed", "Extra inputs are
        not permitted", "may only be set to 1"), so that the name alone counts: a field that may be
        left out is worth one more call. What is said of a prompt that is too long, or of a schema,
        names fields for other reasons.
        """
        if self.status not in (400, 422) or _TOO_LONG.search(self.text) or self.is_filter:
            return None
        field_names = list(fields)
        if self.param in field_names:
            return self.param
        if self.is_of_this_schema:
            return None
        matches = ((re.search(rf"\b{name}\b", self.text), name) for name in field_names)
        return min(((at.start(), name) for at, name in matches if at), default=(0, None))[1]

    @property
    def may_concern_mode(self) -> bool:
        """Whether asking for the answer's schema in another way may help."""
        if self.is_filter or self.is_of_another_api:
            return False
        if self.status == 404 and _MODEL.search(self.text):
            return False
        return self.status in (400, 404, 415, 422, 500, 501) and not _TOO_LONG.search(self.text)


class Secrets:
    """Takes a key out of texts, however a server echoes it."""

    def __init__(self, key: str) -> None:
        plain = {key, quote(key, safe=""), json.dumps(key)[1:-1]} if key else set[str]()
        coded = {base64.b64encode(text.encode()).decode() for text in (key, f":{key}") if key}
        self._all = sorted(
            (text for text in plain | coded if len(text) >= _SHORTEST_KEY), key=len, reverse=True
        )

    def hidden(self, text: str) -> str:
        """The text without the key."""
        for secret in self._all:
            text = text.replace(secret, "[key]")
        return text


def other_api_advice(model: str, refusal: ServiceRefusal) -> str:
    """Say how a model is asked that takes no chat completions."""
    if _RESPONSES.search(refusal.text):
        return (
            f"the model {model!r} is offered through the Responses API only: ask it with `llm: "
            f"{{use: langchain, model: {model!r}, provider: openai, settings: "
            "{use_responses_api: true}}`, or choose another model"
        )
    return f"the model {model!r} completes texts and takes no chat: choose a chat model"


class ErrorExplainer:
    """Explains errors to people who read the run, and what to do about them."""

    def __init__(self, where: str, model: str, key_variable: str, secrets: Secrets) -> None:
        self.where, self._model = where, one_line(model, 100)
        self._key, self._secrets = key_variable, secrets

    def of(self, refusal: ServiceRefusal) -> ModelError:
        """The error to raise for a refusal."""
        status, message = refusal.status, self.quoted(refusal.message)
        if status == 429 and not _QUOTA.search(refusal.text):
            return ModelBusy(f"{self.where} asks for patience: {message}", refusal.wait_s)
        answer = f"{self.where} answered with status {status}: {message}"
        if status in _TRANSIENT or (status >= 500 and status != 501):
            return ModelUnavailable(answer, refusal.wait_s)
        return ModelError(f"{self._advice(refusal)} ({answer})")

    def _advice(self, refusal: ServiceRefusal) -> str:
        status = refusal.status
        if status in (400, 404) and refusal.is_of_another_api:
            return other_api_advice(self._model, refusal)
        if status in (402, 429):
            return f"the quota or credit of the key in {self._key} is used up"
        if status == 401:
            return f"the key in {self._key} is missing or not accepted"
        if status == 403:
            return f"the key in {self._key} may not use the model {self._model!r}"
        if status == 404 and (_MODEL.search(refusal.text) or self._model in refusal.text):
            return f"there is no model {self._model!r}, or not for the key in {self._key}"
        if status in (404, 405):
            return "no chat completions are offered there: check base_url, it often ends in /v1"
        if status == 413 or _TOO_LONG.search(refusal.text):
            return f"the prompt is too long for the model {self._model!r}"
        return f"the model {self._model!r} cannot be asked so"

    def unavailable(self, what: str) -> ModelUnavailable:
        """The error for a call that got no answer."""
        return ModelUnavailable(f"{self.where}: {self.quoted(what)}")

    def unreachable(self, cause: object) -> ModelUnavailable:
        """The error for a service that takes no connection."""
        return self.unavailable(f"cannot be reached ({cause})")

    def broken_off(self, cause: object) -> ModelUnavailable:
        """The error for a connection that ended before the answer did."""
        return self.unavailable(f"the connection broke off ({cause})")

    def unreadable(self, text: str) -> ModelError:
        """The error for an answer that is no JSON."""
        if text.lstrip()[:1] == "<":
            return self.format_error(
                "it answers with a web page: check base_url, it often ends in /v1"
            )
        return self.unavailable(f"the answer {'is no whole JSON' if text.strip() else 'is empty'}")

    def format_error(self, what: str) -> ModelError:
        """Return the error for an answer that has not the form of the protocol."""
        return ModelError(f"{self.where}: {self.quoted(what)}")

    def quoted(self, text: str) -> str:
        """A server's words, short, on one line and without the key."""
        return one_line(self._secrets.hidden(text[:20_000]), 300) or "it says nothing"


def _error_of(payload: object) -> Mapping[str, Any]:
    if not isinstance(payload, dict):
        return {}
    answer = cast("dict[str, Any]", payload)
    error: Any = answer.get("error", answer)
    if isinstance(error, str):
        return {**answer, "message": error}
    return cast("dict[str, Any]", error) if isinstance(error, dict) else {}


def _as_text(payload: object) -> str:
    if isinstance(payload, str):
        return re.sub(r"<[^<>]*+>", " ", payload[:20_000])
    return json.dumps(payload, ensure_ascii=False)[:20_000]

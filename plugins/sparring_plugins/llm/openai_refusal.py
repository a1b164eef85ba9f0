"""What a service with OpenAI's protocol says when it does not answer, and what that means."""

import base64
import json
import re
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import quote

from sparring.errors import ModelBusy, ModelError, ModelUnavailable
from sparring_plugins.language.visible import one_line

_SHORTEST_KEY = 4
_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|billing_hard_limit", re.I)
_TOO_LONG = re.compile(
    r"context_length|context (?:length|size|window)|too long|too many tokens|maximum length", re.I
)
_SCHEMA = re.compile(r"invalid[_ ](?:json[_ ])?schema|grammar|schema conversion|subschema", re.I)
_MODEL = re.compile(r"model_not_found|\bmodel\b.*(?:not (?:exist|found)|no access)", re.I | re.S)
_BAD_KEY = re.compile(r"api[_ ]key|unauthorized|authenticat|permission", re.I)
_PASSING = re.compile(r"overload|unavailable|timeout|timed out|try again|server_error", re.I)
_BUSY = re.compile(r"rate.?limit|too many requests", re.I)
_TRANSIENT = {408, 409, 425}


class Refusal(Exception):
    """The service answered with an error. `status` is its HTTP status, or as good as.

    `text` is all that it said, as one text to search in; `message` the part for a reader.
    """

    def __init__(self, status: int, payload: object, wait_s: float | None = None) -> None:
        super().__init__(status)
        self.status, self.wait_s = status, wait_s
        error = _error_in(payload)
        self.param, self.code = str(error.get("param") or ""), str(error.get("code") or "")
        self.message = str(error.get("message") or "") or _as_text(payload)
        known = (self.message, self.code, error.get("type"), error.get("param"))
        self.text = "\n".join(str(item) for item in known if item)[:20_000]

    @classmethod
    def with_status_200(cls, error: object) -> "Refusal":
        """An error that a gateway sent as if it were an answer; its code is what counts."""
        found = cls(0, {"error": error})
        if found.code.isdigit() and 400 <= int(found.code) <= 599:
            found.status = int(found.code)
        elif _BUSY.search(found.text) or _QUOTA.search(found.text):
            found.status = 429
        elif _BAD_KEY.search(found.text):
            found.status = 401
        elif _MODEL.search(found.text):
            found.status = 404
        else:
            found.status = 503 if _PASSING.search(found.text) else 500
        return found

    @property
    def is_of_this_schema(self) -> bool:
        """Whether it is this schema that the service cannot work with, not schemas as such."""
        return bool(_SCHEMA.search(self.text))

    @property
    def is_filter(self) -> bool:
        """Whether a content filter stopped the prompt, as Azure says it."""
        return self.status == 400 and self.code == "content_filter"

    @property
    def may_be_of_the_rung(self) -> bool:
        """Whether asking for the answer's schema in another way may help."""
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


class Explainer:
    """Says what an error means to whoever reads the run, and what to do about it."""

    def __init__(self, where: str, model: str, key_variable: str, secrets: Secrets) -> None:
        self._where, self._model = where, one_line(model, 100)
        self._key, self._secrets = key_variable, secrets

    def of(self, refusal: Refusal) -> ModelError:
        """The error to raise for a refusal."""
        status, said = refusal.status, self.quoted(refusal.message)
        if status == 429 and not _QUOTA.search(refusal.text):
            return ModelBusy(f"{self._where} asks for patience: {said}", refusal.wait_s)
        told = f"{self._where} answered with status {status}: {said}"
        if status in _TRANSIENT or (status >= 500 and status != 501):
            return ModelUnavailable(told, refusal.wait_s)
        return ModelError(f"{self._advice(refusal)} ({told})")

    def _advice(self, refusal: Refusal) -> str:
        status = refusal.status
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
        return ModelUnavailable(f"{self._where}: {self.quoted(what)}")

    def misfit(self, what: str) -> ModelError:
        """The error for an answer that is none."""
        return ModelError(f"{self._where}: {self.quoted(what)}")

    def quoted(self, said: str) -> str:
        """What a server said, short, on one line and without the key."""
        return one_line(self._secrets.hidden(said[:20_000]), 300) or "it says nothing"


def _error_in(payload: object) -> Mapping[str, Any]:
    if not isinstance(payload, dict):
        return {}
    found = cast("dict[str, Any]", payload)
    error: Any = found.get("error", found)
    if isinstance(error, str):
        return {**found, "message": error}
    return cast("dict[str, Any]", error) if isinstance(error, dict) else {}


def _as_text(payload: object) -> str:
    if isinstance(payload, str):
        return re.sub(r"<[^<>]*+>", " ", payload[:20_000])
    return json.dumps(payload, ensure_ascii=False)[:20_000]

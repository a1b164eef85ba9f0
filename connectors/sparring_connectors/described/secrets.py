"""Keeps keys that stand in a suite's settings out of every message."""

import os
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import parse_qsl, unquote, urlsplit

from sparring_connectors.described.http_text import excerpt
from sparring_connectors.described.request_config import RequestParts

# "X-Api-Key", "sessionid", "signature": what a setting is called tells that its value is to be
# hidden, whoever gave it.
_SECRET_NAME = re.compile(r"auth|key|token|secret|passw|pwd|cred|cookie|session|sign", re.I)
# An app may echo headers in megabytes of text; messages quote far less of it.
_READ = 20_000
_SHORTEST = 4
"""Shorter values are not hidden: they would be found all over innocent texts."""


class AppSecrets:
    """What no message may show: secret values of headers, cookies, queries and variables.

    The suite's settings arrive with `${NAME}` already replaced, so the values of environment
    variables whose names suggest a secret are hidden too, wherever they stand.
    """

    def __init__(self, values: Iterable[str]) -> None:
        hidden = {value for value in values if len(value) >= _SHORTEST}
        longest_first = sorted(hidden, key=lambda value: (-len(value), value))
        pattern = "|".join(re.escape(value) for value in longest_first)
        self._pattern = re.compile(pattern) if pattern else None

    @classmethod
    def of(
        cls, requests: Sequence[RequestParts], environ: Mapping[str, str] | None = None
    ) -> "AppSecrets":
        """The secrets of an app's settings: of all requests that they describe."""
        values = [value for request in requests for value in _of_request(request)]
        texts = (text for request in requests for _, text in request.templates())
        return cls.beside(values, texts, environ)

    @classmethod
    def beside(
        cls,
        values: Iterable[str],
        texts: Iterable[str],
        environ: Mapping[str, str] | None = None,
    ) -> "AppSecrets":
        """Hide `values`, and secret environment variables that stand in texts of a suite."""
        values = list(values)
        settings = "\n".join(texts)
        for name, value in (os.environ if environ is None else environ).items():
            if len(value) >= 2 * _SHORTEST and _SECRET_NAME.search(name) and value in settings:
                values.append(value)
        return cls(values)

    def hide(self, text: str) -> str:
        """The text with every secret replaced."""
        return self._pattern.sub("***", text) if self._pattern else text

    def quote(self, said: bytes | str, limit: int = 120) -> str:
        """The beginning of what an app said, for a message: hidden first, and then cut."""
        text = said if isinstance(said, str) else said[:_READ].decode("utf-8", "backslashreplace")
        return excerpt(self.hide(text[:_READ]), limit)


def _of_request(request: RequestParts) -> list[str]:
    values: list[str] = []
    for texts in (request.headers, request.query):
        values += secret_values(texts.items())
    values += [value for value in request.cookies.values() if value]
    if url := getattr(request, "url", None):
        values += secrets_in_url(url)
    return [value for value in values if not re.fullmatch(r"\{\w+(\|\w+)?\}", value)]


def secret_values(given: Iterable[tuple[str, str | None]]) -> list[str]:
    """The values whose names suggest a secret."""
    values: list[str] = []
    for name, value in given:
        if value and _SECRET_NAME.search(name):
            values += [value, *value.split()[1:]]  # `Bearer x`: also the x alone
    return values


def secrets_in_url(url: str) -> list[str]:
    """What is secret in an address: user, password, and parts of the query."""
    parts = urlsplit(url)
    user, password = parts.username or "", parts.password or ""
    basic = b64encode(f"{unquote(user)}:{unquote(password)}".encode()).decode()
    values = [user, password, basic if user else ""]
    values += [value for name, value in parse_qsl(parts.query) if _SECRET_NAME.search(name)]
    return [form for value in values if value for form in (value, unquote(value))]

"""Variables in what is typed, and secrets in what is shown."""

import json
import os
import re
from base64 import b64encode
from collections.abc import Iterator
from html import escape
from typing import Any, cast
from urllib.parse import quote, quote_plus

from sparring_connectors.browser.config import BrowserConfig

# A secret of three letters in base64 or percent signs is found by chance in any page.
_SHORTEST_CODED = 4
_LEFT_BY_BROWSERS = "!$&'()*+,/:;=?@[]|^~"
"""What browsers write into an address as it is."""
_HEAD = re.compile(r"(\w+:)?//[^/?#]*|(?=.)")
_MARK = re.compile(r"%(\w[\w.-]*)%")


class Variables:
    """Puts values in the place of ``%name%`` at the last moment, and takes them out again.

    A secret is taken out wherever it stands, also inside other words and as an address writes it;
    a plain variable only as words of its own.
    """

    def __init__(self, config: BrowserConfig) -> None:
        secrets = {name: os.environ.get(env, "") for name, env in config.secrets.items()}
        self._values = {**config.variables, **secrets}
        forms: dict[str, str] = {}
        for name, value in secrets.items():
            for form in _encoded_forms(value):
                forms.setdefault(form, name)
        self._secret = _alternatives(forms)
        self._secret_names = forms
        plain = {value: name for name, value in reversed(config.variables.items()) if value.strip()}
        self._plain_names = plain
        pattern = _alternatives(plain)
        self._plain = re.compile(rf"(?<!\w)(?:{pattern.pattern})(?!\w)") if pattern else None

    @property
    def has_secrets(self) -> bool:
        """Whether there is anything that must never be shown."""
        return self._secret is not None

    def fill(self, text: str) -> str:
        """A text with the values of the variables that it names."""
        return _MARK.sub(lambda mark: self._values.get(mark[1], mark[0]), text)

    def fill_address(self, text: str) -> str:
        """As `fill`, with values quoted if they stand in a path or a query."""
        head = _HEAD.match(text)
        if head is None or _MARK.fullmatch(text):
            return self.fill(text)
        rest = _MARK.sub(self._quote_value, text[head.end() :])
        return self.fill(head[0]) + rest

    def _quote_value(self, mark: re.Match[str]) -> str:
        value = self._values.get(mark[1])
        return mark[0] if value is None else quote(value, safe="", errors="replace")

    def hide(self, text: str) -> str:
        """A text with the names of variables in the place of their values."""
        if self._secret is not None:
            text = self._secret.sub(lambda found: f"%{self._secret_names[found[0]]}%", text)
        if self._plain is not None:
            text = self._plain.sub(lambda found: f"%{self._plain_names[found[0]]}%", text)
        return text

    def without_secrets(self, text: str) -> str:
        """A text with the names of secrets in the place of their values."""
        if self._secret is None:
            return text
        return self._secret.sub(lambda found: f"%{self._secret_names[found[0]]}%", text)

    def hide_in(self, value: Any) -> Any:
        """Plain data with the names of variables in the place of their values."""
        if self._secret is None and self._plain is None:
            return value
        if isinstance(value, str):
            return self.hide(value)
        if isinstance(value, list):
            return [self.hide_in(item) for item in cast("list[Any]", value)]
        if isinstance(value, dict):
            items = cast("dict[str, Any]", value).items()
            return {key: self.hide_in(item) for key, item in items}
        return value


def _alternatives(texts: dict[str, str]) -> re.Pattern[str] | None:
    longest_first = sorted(texts, key=lambda text: (-len(text), text))
    return re.compile("|".join(map(re.escape, longest_first))) if longest_first else None


def _encoded_forms(secret: str) -> Iterator[str]:
    """A secret as it is, and as addresses, markup, JSON and headers write it."""
    if not secret.strip():
        return
    yield secret
    yield " ".join(secret.split())
    if len(secret) >= _SHORTEST_CODED:
        for safe in ("", "/", _LEFT_BY_BROWSERS, _LEFT_BY_BROWSERS.replace("'", "")):
            yield quote(secret, safe=safe, errors="replace")
        yield quote_plus(secret, errors="replace")
        yield escape(secret)
        yield escape(secret, quote=False)
        for ascii_only in (True, False):
            yield json.dumps(secret, ensure_ascii=ascii_only)[1:-1]
        yield b64encode(secret.encode("utf-8", "replace")).decode().rstrip("=")

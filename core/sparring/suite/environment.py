"""Environment references in a suite, and what must never be shown."""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, cast

from sparring.documents.reading import Document, Key
from sparring.errors import Problem

_REFERENCE = re.compile(r"\$(\$)?\{([^}]*)\}")
_NAME = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(:-(.*))?", re.DOTALL)
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTH", re.IGNORECASE)
_SHORTEST = 6


@dataclass(slots=True)
class Expansion:
    """A suite's data with references replaced, and the problems met."""

    data: Any = None
    problems: list[Problem] = field(default_factory=list[Problem])


def expand(document: Document, environment: Mapping[str, str] | None = None) -> Expansion:
    """Replace ``${NAME}`` and ``${NAME:-otherwise}`` in every text of a document."""
    known = os.environ if environment is None else environment
    expansion = Expansion()

    def walk(value: Any, at: tuple[Key, ...]) -> Any:
        if isinstance(value, dict):
            items = cast("dict[Any, Any]", value).items()
            return {key: walk(item, (*at, key)) for key, item in items}
        if isinstance(value, list):
            listed = cast("list[Any]", value)
            return [walk(item, (*at, index)) for index, item in enumerate(listed)]
        if isinstance(value, str) and "${" in value:
            return _REFERENCE.sub(lambda match: _value(match, at), value)
        return value

    def _value(match: re.Match[str], at: tuple[Key, ...]) -> str:
        if match[1]:
            return "${" + match[2] + "}"
        name = _NAME.fullmatch(match[2])
        if not name:
            message = f"{match[0]!r} is not a reference; write ${{NAME}}, or $${{ for a plain ${{"
            expansion.problems.append(document.problem(message, at))
            return ""
        if name[1] in known:
            return known[name[1]]
        if name[2]:
            return name[3]
        close = get_close_matches(name[1], list(known), n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        message = f"the environment variable {name[1]!r} is not set.{hint}"
        expansion.problems.append(document.problem(message, at))
        return ""

    expansion.data = walk(document.data, ())
    return expansion


class Redactor:
    """Replaces the values of secret environment variables by their names.

    Secret is a variable whose name says so (key, token, secret, password, credential, auth),
    if its value has at least six characters.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        known = os.environ if environment is None else environment
        self._secrets: list[tuple[str, str]] = []
        for name, value in known.items():
            if _SECRET.search(name) and len(value) >= _SHORTEST:
                shown = f"[{name}]"
                ascii_form, plain_form = json.dumps(value), json.dumps(value, ensure_ascii=False)
                forms = dict.fromkeys((value, ascii_form[1:-1], plain_form[1:-1]))
                self._secrets.extend((form, shown) for form in forms)
        self._secrets.sort(key=lambda pair: -len(pair[0]))
        self._bytes = [(form.encode("utf-8", "surrogateescape"), shown.encode())
                       for form, shown in self._secrets]  # fmt: skip

    def text(self, text: str) -> str:
        """A text without secrets."""
        for secret, shown in self._secrets:
            if secret in text:
                text = text.replace(secret, shown)
        return text

    def line(self, line: bytes) -> bytes:
        """A line of JSON without secrets; the very same object where it holds none."""
        if not any(secret in line for secret, _ in self._bytes):
            return line
        clean = self._cleaned(json.loads(line))
        return json.dumps(clean, ensure_ascii=False, separators=(",", ":")).encode()

    def _cleaned(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._cleaned(item) for item in cast("list[Any]", value)]
        if isinstance(value, dict):
            items = cast("dict[str, Any]", value).items()
            return {self.text(key): self._cleaned(item) for key, item in items}
        return value

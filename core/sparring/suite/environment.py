"""Environment references in a suite, and what must never be shown."""

import json
import os
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import Enum
from html import escape
from typing import Any, Literal, cast, get_origin
from urllib.parse import quote, quote_plus

from pydantic import BaseModel

from sparring.documents.reading import Document, Key
from sparring.errors import Problem

_REFERENCE = re.compile(r"\$(\$)?\{([^}]*)\}")
_NAME = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(:-(.*))?", re.DOTALL)
_SECRET = re.compile(
    r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|(?:^|_)PASS(?:_|$)|_PWD|PWD_|CREDENTIAL"
    r"|AUTH(?!OR(?!I))|BEARER|COOKIE|JWT",  # not GIT_AUTHOR_NAME, and not PWD itself
    re.IGNORECASE,
)
_SHORTEST = 6
_SHORTEST_CODED = 9
_PIECE = 12


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
            # Only up to the last brace: without one, each "${" would be read on to the end.
            head, brace, tail = value.rpartition("}")
            return _REFERENCE.sub(lambda match: _value(match, at), head + brace) + tail
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

    Secret is a variable whose name says so (key, token, secret, password, credential, auth, bearer,
    cookie), if its value has at least six characters. The value is also found as an app may give
    it back: inside JSON, in an address, in HTML, in base64 together with something else.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        known = os.environ if environment is None else environment
        forms: dict[str, str] = {}
        for name, value in known.items():
            if _SECRET.search(name) and len(value) >= _SHORTEST:
                for form in _forms(value):
                    forms.setdefault(form, f"[{name}]")
        self._secrets = sorted(forms.items(), key=lambda pair: (-len(pair[0]), pair[0]))
        self._in_lines = frozenset(line for form in forms for line in _in_json(form))

    def text(self, text: str) -> str:
        """A text without secrets."""
        for secret, shown in self._secrets:
            if secret in text:
                text = text.replace(secret, shown)
        return text

    def message(self, text: str) -> str:
        """A message without secrets, and without the pieces left of those that were cut."""
        text = self.text(text)
        for secret, shown in self._secrets:
            for start in range(len(secret) - _PIECE + 1):
                if secret[start : start + _PIECE] not in text:
                    continue
                end = start + _PIECE
                while end < len(secret) and secret[start : end + 1] in text:
                    end += 1
                text = text.replace(secret[start:end], shown)
        return text

    def is_needed(self, line: bytes) -> bool:
        """Whether a line of JSON holds a secret."""
        return any(secret in line for secret in self._in_lines)

    def cleaned(self, value: Any) -> Any:
        """Plain data or a model without secrets; what is no free text stays as it is."""
        if isinstance(value, str):
            return value if isinstance(value, Enum) else self.text(value)
        if isinstance(value, BaseModel):
            fields = type(value).model_fields.items()
            free = [name for name, info in fields if get_origin(info.annotation) is not Literal]
            return value.model_copy(update={n: self.cleaned(getattr(value, n)) for n in free})
        if isinstance(value, (list, tuple)):
            items = [self.cleaned(item) for item in cast("list[Any]", value)]
            return tuple(items) if isinstance(value, tuple) else items
        if isinstance(value, dict):
            pairs = cast("dict[Any, Any]", value).items()
            return {self.cleaned(key): self.cleaned(item) for key, item in pairs}
        return value


def _forms(secret: str) -> list[str]:
    """A secret as it is, and as programs write it."""
    plain = secret.strip()
    forms = [secret]
    if len(plain) >= _SHORTEST:
        forms += [plain, " ".join(plain.split())]
        for ascii_only in (True, False):
            once = json.dumps(plain, ensure_ascii=ascii_only)[1:-1]
            forms += [once, json.dumps(once)[1:-1]]
        forms += [quote(plain, safe=safe, errors="surrogateescape") for safe in ("", "/")]
        forms += [quote_plus(plain, errors="surrogateescape"), escape(plain), *_base64(plain)]
    return list(dict.fromkeys(forms))


def _base64(secret: str) -> Iterator[str]:
    """What of a secret's base64 does not depend on what stands before and after it."""
    data = secret.encode("utf-8", "surrogateescape")
    if len(data) < _SHORTEST_CODED:
        return
    for before, touched in ((0, 0), (1, 2), (2, 3)):
        coded = b64encode(bytes(before) + data).decode()
        core = coded[touched : (before + len(data)) * 8 // 6]
        yield core
        yield core.replace("+", "-").replace("/", "_")


def _in_json(text: str) -> Iterator[bytes]:
    for ascii_only in (True, False):
        shown = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
        yield shown.encode("utf-8", "surrogateescape")

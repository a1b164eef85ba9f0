"""The service ``redaction``: replaces secrets by their names in everything stored or shown."""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cache
from typing import Any, Literal, cast, get_origin

from pydantic import BaseModel

from sparring.documents.reading import Key
from sparring.suite.environment import Reference
from sparring_plugins.trust.secret_patterns import (
    SHORTEST,
    WORD,
    anchor_of,
    base64_forms,
    cut_forms,
    pattern_of,
)
from sparring_plugins.trust.secrets_of_suites import (
    Secret,
    is_harmless,
    is_secret_place,
    is_secret_variable,
    secrets_in,
)

_PIECE = 12
_LABEL = re.compile(r"\[[^\[\]\s]{1,200}\]")
_MARKS = 0xF0000
"""Characters for private use stand for secrets while others are looked for.

Else a secret such as ``key`` would be found inside the label of another one.
"""

_CODED = chr(0xFFFFD)
"""Follows such a character if what it stands for was base64."""


@dataclass(slots=True)
class Vault:
    """What this process knows to be secret beside the environment, from all suites it has read.

    It is one for the whole process, so that an error text that nobody expected loses what is
    secret, too, and it only grows: a value that was secret once is not shown later. `secrets` are
    by value: the label, and the secret as the last document that has it names it.
    """

    secrets: dict[str, tuple[str, Secret]] = field(default_factory=dict[str, tuple[str, Secret]])
    changes: int = 0

    def keep(self, secret: Secret) -> None:
        """Keep one secret under its label."""
        if self.secrets.get(secret.value) != (secret.label, secret):
            self.secrets[secret.value] = secret.label, secret
            self.changes += 1

    def learn(
        self, data: Any, references: Iterable[Reference], environment: Mapping[str, str]
    ) -> list[str]:
        """Keep what is secret in a document from now on; returns warnings for the user."""
        warnings: list[str] = []
        values: set[str] = set()
        numbers: Counter[str] = Counter()
        for secret in secrets_in(data, references, environment):
            is_short = len(secret.value.strip()) < WORD
            if secret.value in values or is_harmless(secret.value):
                continue
            if _LABEL.fullmatch(secret.value):
                continue  # a stored suite has lost it
            if is_short and not secret.named:
                continue  # ${N} in an address: it says nothing, and stands everywhere
            values.add(secret.value)
            numbers[secret.label] += 1
            number = numbers[secret.label]
            label = secret.label if number == 1 else f"{secret.label}#{number}"
            self.keep(replace(secret, label=label))
            if is_short:
                warnings.append(_warning(secret))
        return warnings


def _warning(secret: Secret) -> str:
    return (
        f"{secret.label} is a secret of {len(secret.value)} character(s), which stand in any text "
        f"by chance: it is taken out of settings and beside {secret.key!r}, and is looked for "
        f"nowhere else; use one of at least {WORD} characters, better {SHORTEST}"
    )


VAULT = Vault()
learn = VAULT.learn


class _Finder:
    """Finds one secret in texts."""

    def __init__(self, label: str, secret: Secret) -> None:
        self.label, self.secret = label, secret
        self.value = secret.value.strip() or secret.value
        self.pattern = pattern_of(secret.value, secret.key)
        self.anchor = anchor_of(secret.value)
        self.anchor_bytes = self.anchor.encode()
        self.codes = tuple(dict.fromkeys(base64_forms(secret.value)))
        self.code_bytes = tuple(code.encode() for code in self.codes)

    def may_be_in(self, line: bytes) -> bool:
        """Whether a line of JSON may hold the secret: for sure not if this says so."""
        return self.anchor_bytes in line or any(code in line for code in self.code_bytes)

    def replaced(self, text: str, mark: str) -> str:
        """The text with `mark` in the place of the secret, or of what a cut left of it."""
        if self.anchor in text:
            text = self.pattern.sub(lambda match: _kept(match) + mark, text)
        for code in self.codes:
            if code in text:
                # A short value put back between letters would not be found as a word again.
                text = text.replace(code, mark + _CODED if len(self.value) < SHORTEST else mark)
        if len(self.value) > SHORTEST and self.value[:4] in text:
            text = self._without_cut(text, mark)
        return text

    def _without_cut(self, text: str, mark: str) -> str:
        half = max(SHORTEST, len(self.value) // 2)
        for piece, length in cut_forms(self.value):
            if piece in text:
                text = text.replace(piece, mark + piece[length:])
            elif length >= half and text.endswith(self.value[:length]):
                text = text[:-length] + mark
        return text


class Redaction:
    """Replaces secrets by ``[NAME]``: of the environment, and of the suites that were read.

    Of the environment, variables count that are named like secrets and have at least six
    characters; of suites, everything that `secrets_of_suites` finds. With an `environment` of its
    own it knows nothing else.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._alone = environment is not None
        values = os.environ if environment is None else environment
        self._named = {
            name: Secret(value, name)
            for name, value in values.items()
            if is_secret_variable(name) and len(value) >= SHORTEST
        }
        self._strong = _sort_finders(_Finder(name, secret) for name, secret in self._named.items())
        self._seen = -1
        self._all: list[_Finder] = []
        self._numbers: dict[str, str] = {}
        self._short: dict[tuple[str, str], str] = {}
        self._values: dict[str, str] = {}

    def text(self, text: str) -> str:
        """A text without secrets."""
        return _without(text, self._finders())

    def message(self, text: str) -> str:
        """A message without secrets, and without the pieces left of those that were cut."""
        text = self.text(text)
        for finder in self._finders():
            value = finder.secret.value
            for start in range(len(value) - _PIECE + 1):
                if value[start : start + _PIECE] not in text:
                    continue
                end = start + _PIECE
                while end < len(value) and value[start : end + 1] in text:
                    end += 1
                text = text.replace(value[start:end], f"[{finder.label}]")
        return text

    def is_needed(self, line: bytes) -> bool:
        """Whether a line of JSON may hold a secret."""
        return any(finder.may_be_in(line) for finder in self._finders())

    def cleaned(self, value: Any) -> Any:
        """Plain data or a model without secrets; what is no free text stays as it is."""
        self._finders()
        return self._map_texts(value, self.text, fields=True)

    def for_judges(self, value: Any) -> Any:
        """What judges see: everything but variables that are named like secrets.

        A rule that looks for ``tea`` must not fail because somebody's password is ``tea``: a
        verdict's own texts are cleaned when it is stored.
        """
        shown = self.restored(value)
        if not self._strong:
            return shown  # as most conversations: this was a third of what a web case costs
        return self._map_texts(shown, lambda text: _without(text, self._strong))

    def restored(self, value: Any) -> Any:
        """Stored data with the values in the place of their labels, if they are known here."""
        self._finders()
        if not self._values:
            return value
        return self._map_texts(
            value,
            lambda text: (
                _LABEL.sub(lambda match: self._values.get(match[0], match[0]), text)
                if "[" in text
                else text
            ),
        )

    def suite(self, data: Mapping[str, Any], at: tuple[Key, ...] = ()) -> dict[str, Any]:
        """A suite's data as it may be stored: literals at secret places lose their values."""
        shown = {
            key: self._show_value(value, (*at, *key.split("."))) for key, value in data.items()
        }
        cleaned: dict[str, Any] = self.cleaned(shown)
        return cleaned

    def _show_value(self, value: Any, at: tuple[Key, ...]) -> Any:
        if isinstance(value, dict):
            pairs = cast("dict[Any, Any]", value).items()
            return {key: self._show_value(item, (*at, key)) for key, item in pairs}
        if isinstance(value, list):
            items = cast("list[Any]", value)
            return [self._show_value(item, (*at, index)) for index, item in enumerate(items)]
        short = len(str(value)) < WORD and isinstance(value, (str, int))
        if short and not isinstance(value, bool) and value != "" and is_secret_place(at):
            return f"[{'.'.join(str(key) for key in at)}]"
        return value

    def _finders(self) -> list[_Finder]:
        """One for each secret, the longest first; made again if another suite was read."""
        if self._seen == VAULT.changes:
            return self._all
        by_value = {} if self._alone else dict(VAULT.secrets)
        by_value |= {secret.value: (name, secret) for name, secret in self._named.items()}
        self._all = _sort_finders(_Finder(label, secret) for label, secret in by_value.values())
        self._seen = VAULT.changes
        self._values = {f"[{f.label}]": f.secret.value for f in self._all}
        self._numbers = {f.value: f"[{f.label}]" for f in self._all if f.value.isdigit()}
        self._short = {
            (f.secret.key.lower(), f.value): f"[{f.label}]"
            for f in self._all
            if len(f.value) < WORD
        }
        return self._all

    def _map_texts(self, value: Any, change: Callable[[str], str], *, fields: bool = False) -> Any:
        """The same value with each free text changed; `fields` also looks at keys and numbers."""
        if isinstance(value, str):
            return value if isinstance(value, Enum) else change(value)
        if isinstance(value, BaseModel):
            return value.model_copy(
                update={
                    name: self._payload(getattr(value, name), change, fields=fields)
                    if name == "payload"
                    else self._map_texts(getattr(value, name), change, fields=fields)
                    for name in _free_fields(type(value))
                }
            )
        if isinstance(value, (list, tuple)):
            items = [
                self._map_texts(item, change, fields=fields) for item in cast("list[Any]", value)
            ]
            return tuple(items) if isinstance(value, tuple) else items
        if isinstance(value, dict):
            pairs = cast("dict[Any, Any]", value).items()
            return {
                self._map_texts(key, change, fields=fields): self._field(key, item, change, fields)
                for key, item in pairs
            }
        return value

    def _field(self, key: Any, item: Any, change: Callable[[str], str], fields: bool) -> Any:
        short = self._short.get((str(key).lower(), str(item))) if fields and self._short else None
        return short or self._map_texts(item, change, fields=fields)

    def _payload(self, value: Any, change: Callable[[str], str], *, fields: bool) -> Any:
        """What an app answered as JSON, in which also a number may be a secret."""
        if fields and self._numbers:
            value = self._without_numbers(value)
        return self._map_texts(value, change, fields=fields)

    def _without_numbers(self, value: Any) -> Any:
        if isinstance(value, dict):
            pairs = cast("dict[Any, Any]", value).items()
            return {key: self._without_numbers(item) for key, item in pairs}
        if isinstance(value, list):
            return [self._without_numbers(item) for item in cast("list[Any]", value)]
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return self._numbers.get(str(value), value)
        return value


@cache
def _free_fields(model: type[BaseModel]) -> tuple[str, ...]:
    """The names of a model's fields but for those that hold one of a few words."""
    infos = model.model_fields.items()
    return tuple(name for name, info in infos if get_origin(info.annotation) is not Literal)


def _sort_finders(finders: Iterable[_Finder]) -> list[_Finder]:
    """The longest first: a secret may hold another one."""
    return sorted(finders, key=lambda finder: (-len(finder.value), finder.label))


def _kept(match: re.Match[str]) -> str:
    """What stands beside a very short secret and stays: the name of its key."""
    return match.groupdict().get("kept") or ""


def _without(text: str, finders: list[_Finder]) -> str:
    clean = text
    used: dict[str, str] = {}
    for number, finder in enumerate(finders):
        mark = chr(_MARKS + number)
        replaced = finder.replaced(clean, mark)
        if replaced != clean:
            used[mark] = f"[{finder.label}]"
            clean = replaced
    for mark, label in used.items():
        clean = clean.replace(mark + _CODED, label[:-1] + ";base64]").replace(mark, label)
    return clean

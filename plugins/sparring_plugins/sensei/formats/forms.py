"""What reading SENSEI's documents needs throughout: errors, what is kept, texts, lists."""

import json
from collections.abc import Sequence
from typing import Any, TypeGuard, cast

from sparring.documents.checking import shown
from sparring.documents.reading import Key
from sparring_plugins.sensei.formats.unmapped_data import plain

MISSING = object()
"""Stands for a key that a document does not have."""


def is_map(value: Any) -> TypeGuard[dict[Any, Any]]:
    """Whether a value read from YAML has keys and values."""
    return isinstance(value, dict)


class UnexpectedForm(Exception):
    """A document is not what SENSEI writes; `at` is the path inside document `index`."""

    def __init__(self, message: str, index: int = 0, at: Sequence[Key] = ()) -> None:
        super().__init__(message)
        self.index, self.at = index, tuple(at)


class Kept(dict[str, Any]):
    """What has to be kept: replacements by document, and what was absent."""

    def replace(self, document: str, key: Any, raw: Any) -> None:
        self.setdefault(document, {})[key] = raw

    def absent(self, document: str, key: str) -> None:
        self.setdefault("absent", []).append([document, key])


def text_of(value: Any) -> str:
    """What a person reads of a value that should have been a text."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, (list, dict)):
        return json.dumps(plain(value), ensure_ascii=False)
    return str(value)


def listed(metadata: dict[Any, Any], key: str, expected: str, kept: Kept) -> list[Any]:
    """A list that may be absent or null."""
    raw = metadata.get(key, MISSING)
    if isinstance(raw, list):
        return cast("list[Any]", raw)
    if raw is MISSING:
        kept.absent("metadata", key)
    elif raw is None:
        kept.replace("metadata", key, None)
    else:
        raise UnexpectedForm(f"expected {expected}, found {shown(raw)}", 0, (key,))
    return []

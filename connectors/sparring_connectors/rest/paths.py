"""JSONPath: where something is in an app's reply."""

import warnings
from functools import lru_cache
from typing import Any

from jsonpath_ng import Child, Fields, Index, JSONPath, Root, This
from jsonpath_ng.exceptions import JSONPathError
from jsonpath_ng.ext.parser import parse

_EMPTY: tuple[Any, ...] = (None, "", [], {})


@lru_cache(maxsize=512)
def compiled(path: str) -> JSONPath:
    """The parsed path; raises ValueError that says what is wrong with it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            return parse(path)
    except (JSONPathError, AttributeError, TypeError, ValueError, IndexError) as err:
        reason = str(err).rstrip("!. ") or type(err).__name__
        raise ValueError(
            f"{path!r} is not a JSONPath ({reason}); "
            "write for example $.reply or $.messages[*].text"
        ) from err


def find(path: str, data: Any) -> list[Any]:
    """Every value at a path, in order; none where a filter cannot cope with the data."""
    return _values(compiled(path), data)


def _values(node: JSONPath, data: Any) -> list[Any]:
    try:
        return [match.value for match in node.find(data)]
    except (TypeError, ValueError, LookupError, AttributeError, RecursionError):
        return []


def first(paths: tuple[str, ...], data: Any) -> Any:
    """The first value that is not null at the first path that has one, else None."""
    for path in paths:
        for value in find(path, data):
            if value is not None:
                return value
    return None


def contradicted(path: str, data: Any) -> bool:
    """Whether data has another shape than a path expects, as against holding nothing there.

    ``$.messages[*].text`` finds nothing in ``{"messages": []}`` and in ``{"messages": [{}]}``,
    both of which are silence, and nothing in ``{"answer": "Hi"}``, which is another shape.
    """
    node = compiled(path)
    if _values(node, data):
        return False
    while isinstance(node, Child):
        node = node.left
        found = _values(node, data)
        if not found:
            continue
        if _names_one(node):
            return found[0] not in _EMPTY
        return any(value is not None and not isinstance(value, dict) for value in found)
    return data not in _EMPTY


def _names_one(node: JSONPath) -> bool:
    """Whether a path names one place, rather than all items of a list."""
    while isinstance(node, Child):
        right = node.right
        if not (
            isinstance(right, Index) or (isinstance(right, Fields) and "*" not in right.fields)
        ):
            return False
        node = node.left
    return isinstance(node, (Root, This, Fields))

"""JSONPath: where something is in an app's reply.

jsonpath-ng reads the paths, and evaluates those with filters, slices and descendants. Paths of
names, indices and ``[*]``, which nearly all are, are walked here instead: a reply of a megabyte
of empty objects would else keep every other conversation waiting for twenty seconds.
"""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from jsonpath_ng import Child, Fields, Index, JSONPath, Root, Slice, This
from jsonpath_ng.exceptions import JSONPathError
from jsonpath_ng.ext.parser import parse

_EMPTY: tuple[Any, ...] = (None, "", [], {})


@dataclass(frozen=True, slots=True)
class _Step:
    """One step of a simple path: names, or indices, or with neither everything inside."""

    names: tuple[str, ...] = ()
    indices: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Path:
    """A path as it was read; `steps` is None where jsonpath-ng must walk it."""

    node: JSONPath
    steps: tuple[_Step, ...] | None


@lru_cache(maxsize=512)
def compiled(path: str) -> _Path:
    """The parsed path; raises ValueError that says what is wrong with it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            node = parse(path)
    except (JSONPathError, AttributeError, TypeError, ValueError, IndexError) as err:
        reason = str(err).rstrip("!. ") or type(err).__name__
        raise ValueError(
            f"{path!r} is not a JSONPath ({reason}); "
            "write for example $.reply or $.messages[*].text"
        ) from err
    return _Path(node, _steps(node))


def find(path: str, data: Any) -> list[Any]:
    """Every value at a path, in order; none where a filter cannot cope with the data."""
    ready = compiled(path)
    return _walked(ready.steps, data) if ready.steps is not None else _asked(ready.node, data)


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
    if find(path, data):
        return False
    node = compiled(path).node
    while isinstance(node, Child):
        node = node.left
        steps = _steps(node)
        found = _asked(node, data) if steps is None else _walked(steps, data)
        if found and steps is not None and all(step.names or step.indices for step in steps):
            return found[0] not in _EMPTY
        if found:
            return any(value is not None and not isinstance(value, dict) for value in found)
    return data not in _EMPTY


def _asked(node: JSONPath, data: Any) -> list[Any]:
    try:
        return [match.value for match in node.find(data)]
    except (TypeError, ValueError, LookupError, AttributeError, RecursionError):
        return []


def _walked(steps: Sequence[_Step], data: Any) -> list[Any]:
    values = [data]
    for step in steps:
        values = [inner for value in values for inner in _inside(value, step)]
    return values


def _inside(value: Any, step: _Step) -> Iterable[Any]:
    """What one step finds in a value."""
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        if step.names:
            return [members[name] for name in step.names if name in members]
        return () if step.indices else members.values()
    if isinstance(value, list) and not step.names:
        items = cast("list[Any]", value)
        if step.indices:
            return [items[i] for i in step.indices if -len(items) <= i < len(items)]
        return items
    return ()


def _steps(node: JSONPath) -> tuple[_Step, ...] | None:
    """The steps of a simple path, None for any other."""
    steps: list[_Step] = []
    while isinstance(node, Child):
        step = _step(node.right)
        if step is None:
            return None
        steps.append(step)
        node = node.left
    if not isinstance(node, (Root, This)):
        step = _step(node)
        if step is None:
            return None
        steps.append(step)
    return tuple(reversed(steps))


def _step(node: JSONPath) -> _Step | None:
    if isinstance(node, Fields):
        return _Step() if node.fields == ("*",) else _Step(names=node.fields)
    if isinstance(node, Index):
        return _Step(indices=node.indices)
    # Before 1.9, `[*]` is read as the slice of everything.
    whole = isinstance(node, Slice) and (node.start, node.end, node.step) == (None, None, None)
    return _Step() if whole or type(node).__name__ == "Wildcard" else None

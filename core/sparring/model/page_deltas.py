"""How the pages of a conversation are stored: each element once, whatever shows it again.

A page is stored as a list of its elements. An entry is an element with what is not the default,
or a run of the elements of the page before: ``[first, count]``, ``[first, count, dy]`` if they
moved down by `dy` pixels, ``[first, count, dy, document]`` if a new document shows the same. Waits
for a page that stays the same so take a few bytes, and a new page what is new on it.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from sparring.model.page import Element

_DEFAULTS: Mapping[str, Any] = {
    name: json.loads(json.dumps(field.get_default(call_default_factory=True)))
    for name, field in Element.model_fields.items()
    if not field.is_required()
}


def compact(turns: Iterable[Any]) -> None:
    """Replace the elements of all pages of turns, which are data as in JSON, by those entries."""
    before: Sequence[dict[str, Any]] = ()
    for snapshot in _snapshots(turns):
        elements: list[dict[str, Any]] = snapshot.get("elements") or []
        snapshot["elements"] = _entries(before, elements)
        before = elements


def expand(turns: Iterable[Any]) -> None:
    """Replace those entries by the elements; raises ValueError for entries that refer to nothing.

    Elements that are written in full, as by versions before, stay as they are.
    """
    before: Sequence[Any] = ()
    for snapshot in _snapshots(turns):
        entries: list[Any] = snapshot.get("elements") or []
        elements: list[Any] = []
        for entry in entries:
            if isinstance(entry, list):
                elements += _encode_repeats(before, cast("list[Any]", entry))
            else:
                elements.append(entry)
        snapshot["elements"] = before = elements


def _snapshots(turns: Iterable[Any]) -> Iterable[dict[str, Any]]:
    for turn in turns:
        part: Any = turn
        for key in ("observation", "page", "snapshot"):
            part = cast("dict[str, Any]", part).get(key) if isinstance(part, dict) else None
        if isinstance(part, dict):
            yield cast("dict[str, Any]", part)


def _entries(before: Sequence[dict[str, Any]], elements: Sequence[dict[str, Any]]) -> list[Any]:
    indices: dict[str, int] = {}
    for place, element in enumerate(before):
        indices.setdefault(_identity(element), place)
    entries: list[Any] = []
    run: list[Any] | None = None
    for element in elements:
        index = indices.get(_identity(element))
        repeat = None if index is None else _repeat(before[index], element)
        if index is None or repeat is None:
            run = None
            entries.append({k: v for k, v in element.items() if v != _DEFAULTS.get(k, _REQUIRED)})
        elif run is not None and run[0] + run[1] == index and run[2:] == repeat:
            run[1] += 1
        else:
            run = [index, 1, *repeat]
            entries.append(run)
    return entries


_REQUIRED = object()


def _identity(element: Mapping[str, Any]) -> str:
    """Return an element without its document and its height on the page, as text."""
    box = element.get("box")
    parent = element.get("parent")
    compared = {
        **element,
        "id": _node(element["id"]),
        "parent": _node(parent) if parent else parent,
        "box": {**box, "y": 0} if box else box,
    }
    return json.dumps(compared, sort_keys=True)


def _node(identifier: str) -> str:
    return identifier.rpartition(".")[2]


def _document(identifier: str) -> str:
    return identifier.rpartition(".")[0]


def _repeat(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Any] | None:
    """Return how far an element moved, and its document; None if that does not say it exactly."""
    document = _document(new["id"])
    distance = new["box"]["y"] - old["box"]["y"] if new.get("box") else 0
    if _move_element(old, document, distance) != new:  # the sum may be another by the last bit
        return None
    if document != _document(old["id"]):
        return [distance, document]
    return [distance] if distance else []


def _move_element(old: Mapping[str, Any], document: str, distance: float) -> dict[str, Any]:
    """Return an element as another document shows it, further down."""
    separator = "." if document else ""
    element = {**old, "id": f"{document}{separator}{_node(old['id'])}"}
    if old.get("parent") and _document(old["parent"]) == _document(old["id"]):
        element["parent"] = f"{document}{separator}{_node(old['parent'])}"
    if old.get("box") and distance:
        element["box"] = {**old["box"], "y": old["box"]["y"] + distance}
    return element


def _encode_repeats(before: Sequence[Any], entry: Sequence[Any]) -> list[Any]:
    first, count, *more = entry
    distance, document = more[0] if more else 0, more[1] if len(more) > 1 else None
    if first < 0 or count < 1 or first + count > len(before):
        raise ValueError("a page refers to elements that the page before does not have")
    return [
        _move_element(element, _document(element["id"]) if document is None else document, distance)
        for element in before[first : first + count]
    ]

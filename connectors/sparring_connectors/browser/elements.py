"""From what the script in a document tells to the elements of a snapshot."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from sparring.model.page import Box, Element, Option

_STATES = (
    "disabled", "readonly", "editable", "required", "invalid", "multiple", "checked", "selected",
    "pressed", "expanded", "level", "url", "placeholder", "title", "description", "alternative",
    "label", "value", "adjacent", "row", "column", "name", "text", "tag",
)  # fmt: skip
_NOT_COMPARED = frozenset({"n", "parent", "box"})

Identify = Callable[[int], str]
"""From a node's number in its document to the id of its element."""


def element_of(
    told: Mapping[str, Any], frame: int, identify: Identify, origin: tuple[float, float],
    region: tuple[str, ...], host: str | None, seen: bool,
) -> Element:  # fmt: skip
    """The element that an entry of a document describes.

    `origin` is where the frame's document begins on the page, `region` what the frame lies in,
    `host` the id of the frame's own element, and `seen` whether that one is visible.
    """
    x, y, width, height = told["box"]
    visible = bool(told["visible"]) and seen
    fields = {key: told[key] for key in _STATES if told.get(key) is not None}
    if told["role"] == "text":
        fields.pop("tag", None)
    return Element(
        id=identify(told["n"]),
        role=told["role"],
        parent=identify(told["parent"]) if told.get("parent") else host,
        frame=frame,
        attributes=told.get("attributes") or {},
        region=(*region, *told["region"]),
        input_type=told.get("type"),
        options=tuple(
            Option(label=label, value=value, selected=selected, disabled=disabled)
            for label, value, selected, disabled in told.get("options") or ()
        ),
        visible=visible,
        covered=bool(told.get("covered")) and visible,
        in_viewport=bool(told.get("in")) and visible,
        interactive=bool(told.get("interactive")),
        focused=bool(told.get("focused")),
        box=Box(x=x + origin[0], y=y + origin[1], width=width, height=height),
        **fields,
    )


def digest_of(about: Sequence[Any], told: Iterable[Mapping[str, Any]]) -> str:
    """A short text that is the same for equal pages, whatever the ids and places of elements."""
    digest = sha256(json.dumps(about, ensure_ascii=True).encode())
    for entry in told:
        shown = {key: value for key, value in entry.items() if key not in _NOT_COMPARED}
        digest.update(json.dumps(shown, ensure_ascii=True).encode())
    return digest.hexdigest()[:16]

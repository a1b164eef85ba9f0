"""From what the scripts in a tab's frames answer to one snapshot of the page."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from sparring.model.page import Box, Element, Option, PageSnapshot
from sparring_connectors.browser.config import SnapshotConfig
from sparring_connectors.browser.in_page import Documents, FrameReading
from sparring_connectors.browser.tabs import Tab, Tabs
from sparring_connectors.browser.variables import Variables

# From what the script in a document tells to the elements of a snapshot.

_STATES = (
    "disabled", "readonly", "editable", "required", "invalid", "multiple", "checked", "selected",
    "pressed", "expanded", "level", "url", "placeholder", "title", "description", "alternative",
    "label", "value", "adjacent", "row", "column", "name", "text", "tag",
)  # fmt: skip
_NOT_COMPARED = frozenset({"n", "parent", "box"})

Identify = Callable[[int], str]
"""From a node's number in its document to the id of its element."""


def build_element(
    data: Mapping[str, Any], frame: int, identify: Identify, origin: tuple[float, float],
    region: tuple[str, ...], host: str | None, seen: bool,
) -> Element:  # fmt: skip
    """The element that an entry of a document describes.

    `origin` is the point at which the frame's document begins on the page, `region` what the frame
    lies in, `host` the id of the frame's own element, and `seen` whether that one is visible.
    """
    visible = bool(data["visible"]) and seen
    fields = {key: data[key] for key in _STATES if data.get(key) is not None}
    if data["role"] == "text":
        fields.pop("tag", None)
    return Element(
        id=identify(data["n"]),
        role=data["role"],
        parent=identify(data["parent"]) if data.get("parent") else host,
        frame=frame,
        attributes=data.get("attributes") or {},
        region=(*region, *data["region"]),
        input_type=data.get("type"),
        options=tuple(
            Option(label=label, value=value, selected=selected, disabled=disabled)
            for label, value, selected, disabled in data.get("options") or ()
        ),
        visible=visible,
        covered=bool(data.get("covered")) and visible,
        in_viewport=bool(data.get("in")) and visible,
        interactive=bool(data.get("interactive")),
        focused=bool(data.get("focused")),
        box=place_box(data, origin),
        **fields,
    )


def place_box(data: Mapping[str, Any], origin: tuple[float, float]) -> Box:
    """The place of an entry on the page, if its frame's document begins at `origin`."""
    x, y, width, height = data["box"]
    return Box(x=x + origin[0], y=y + origin[1], width=width, height=height)


def page_digest(about: Sequence[Any], parts: Iterable[bytes]) -> str:
    """A short text that is the same for equal pages, whatever the ids and places of elements."""
    digest = sha256(json.dumps(about, ensure_ascii=True).encode())
    for part in parts:
        digest.update(part)
    return digest.hexdigest()[:16]


def digest_part(entry: Mapping[str, Any]) -> bytes:
    """What of an entry counts for the page's digest."""
    shown = {key: value for key, value in entry.items() if key not in _NOT_COMPARED}
    if "src" in (entry.get("attributes") or {}):  # of a picture: it may hold a token that is new
        shown["attributes"] = {k: v for k, v in shown["attributes"].items() if k != "src"}
    return json.dumps(shown, ensure_ascii=True).encode()


# Reading so many takes seconds; a page made to be endless would never be read.
_MOST_NODES = 200_000


def snapshot_options(
    config: SnapshotConfig, apart: str = "", marks: Sequence[str] = ()
) -> dict[str, Any]:
    """What the script in a document is asked for.

    The text of what matches the selector `apart` is kept apart from the text around it. What
    matches one of the selectors `marks` has these as its attribute ``matches``.
    """
    return {
        "elements": config.elements, "text": config.text, "options": config.options,
        "interactive": config.interactive, "nodes": _MOST_NODES, "apart": apart,
        "marks": list(marks),
    }  # fmt: skip


class _Built(NamedTuple):
    """An element with what it was built from, and its part of the page's digest.

    `key` is the number of its document, and that of its node.
    """

    key: tuple[int, int]
    entry: Mapping[str, Any]
    frame: tuple[Any, ...]
    element: Element
    digest: bytes


class SnapshotBuilder:
    """Puts snapshots together; no secret is in them.

    Elements that are as they were in the snapshot before, or have only moved, are taken from it:
    after an act most of a page is, and building its elements anew took half of a snapshot's
    processor time.
    """

    def __init__(self, documents: Documents, variables: Variables) -> None:
        self._documents = documents
        self._variables = variables
        self._last: dict[tuple[int, int], _Built] = {}

    def snapshot(self, reading: FrameReading, tab: Tab, tabs: Tabs) -> PageSnapshot:
        """Return the snapshot of a tab, from the readings of its frames."""
        gathered = _PageContents()
        self._collect(reading, gathered, None)
        self._last = {built.key: built for built in gathered.built}
        main = reading.data
        _, scroll_y, height, shown, _ = main["scroll"]
        url, title = self._variables.hide(main["url"]), self._variables.hide(main["title"])
        about = [
            url,
            title,
            tabs.place,
            len(tabs.all),
            gathered.frames,
            gathered.left,
            main["scroll"],
        ]
        return PageSnapshot(
            url=url,
            title=title,
            elements=tuple(built.element for built in gathered.built),
            document=tab.documents,
            tab=tabs.place,
            tabs=len(tabs.all),
            frames=tuple(gathered.frames),
            scroll_y=scroll_y,
            scroll_height=height,
            viewport_height=shown,
            truncated=gathered.left,
            digest=page_digest(about, (built.digest for built in gathered.built)),
        )

    def _collect(
        self, reading: FrameReading, gathered: "_PageContents", host: Element | None
    ) -> None:
        """Add a frame's elements, and those of the frames in it at their places."""
        number = self._documents.number(reading.frame, str(reading.data["token"]))
        frame = _FramePlace(number, len(gathered.frames), host)
        gathered.frames.append(self._variables.hide(reading.data["url"]))
        gathered.left += int(reading.data["left"]) + reading.unread
        inner = dict(reading.children)
        entries: Sequence[Mapping[str, Any]] = self._variables.hide_in(reading.data["elements"])
        for entry in entries:
            built = frame.build(entry, self._last)
            gathered.built.append(built)
            if (child := inner.pop(entry["n"], None)) is not None:
                self._collect(child, gathered, built.element)


class _PageContents:
    """The contents of a page's frames, in reading order."""

    def __init__(self) -> None:
        self.built: list[_Built] = []
        self.frames: list[str] = []
        self.left = 0


class _FramePlace:
    """A document at its place on the page."""

    def __init__(self, number: int, place: int, host: Element | None) -> None:
        self._number = number
        self._place = place
        self._host = host
        box = host.box if host is not None else None
        self._origin = (box.x, box.y) if box is not None else (0.0, 0.0)
        self._region: tuple[str, ...] = ()
        if host is not None:
            self._region = (*host.region, host.name) if host.name else host.region

    def build(self, entry: Mapping[str, Any], before: Mapping[tuple[int, int], _Built]) -> _Built:
        """Return the element of an entry: the one of the snapshot before if nothing differs."""
        host, key = self._host, (self._number, int(entry["n"]))
        frame = (
            self._place, self._origin, self._region,
            host.id if host is not None else None, host is None or host.visible,
        )  # fmt: skip
        last = before.get(key)
        if last is not None and last.frame == frame:
            if last.entry == entry:
                return last
            if {**last.entry, "box": entry["box"]} == entry:
                box = place_box(entry, self._origin)
                moved = last.element.model_copy(update={"box": box})
                return last._replace(entry=entry, element=moved)
        element = build_element(entry, frame[0], self._identify, *frame[1:])
        return _Built(key, entry, frame, element, digest_part(entry))

    def _identify(self, node: int) -> str:
        return f"{self._number}.{node}"

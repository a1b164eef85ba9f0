"""From what the frames of a tab tell to one snapshot."""

from collections.abc import Mapping, Sequence
from typing import Any

from sparring.model.page import Element, PageSnapshot
from sparring_connectors.browser.config import SnapshotConfig
from sparring_connectors.browser.documents import Documents, Told
from sparring_connectors.browser.elements import digest_of, element_of
from sparring_connectors.browser.tabs import Tab, Tabs
from sparring_connectors.browser.variables import Variables

_MOST_NODES = 200_000


def questions(config: SnapshotConfig, apart: str = "") -> dict[str, Any]:
    """What the script in a document is asked for.

    The text of what matches the selector `apart` is told apart from the text around it.
    """
    return {
        "elements": config.elements, "text": config.text, "options": config.options,
        "interactive": config.interactive, "nodes": _MOST_NODES, "apart": apart,
    }  # fmt: skip


class Viewer:
    """Puts snapshots together; no secret is in them."""

    def __init__(self, documents: Documents, variables: Variables) -> None:
        self._documents = documents
        self._variables = variables

    def snapshot(self, told: Told, tab: Tab, tabs: Tabs) -> PageSnapshot:
        """The snapshot of a tab, from what its frames told."""
        gathered = _Gathered()
        self._collect(told, gathered, None)
        main = told.told
        _, scroll_y, height, shown, _ = main["scroll"]
        url, title = self._variables.hidden(main["url"]), self._variables.hidden(main["title"])
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
            elements=tuple(gathered.elements),
            document=tab.documents,
            tab=tabs.place,
            tabs=len(tabs.all),
            frames=tuple(gathered.frames),
            scroll_y=scroll_y,
            scroll_height=height,
            viewport_height=shown,
            truncated=gathered.left,
            digest=digest_of(about, gathered.told),
        )

    def _collect(self, told: Told, gathered: "_Gathered", host: Element | None) -> None:
        """Add a frame's elements, and those of the frames in it where they stand."""
        number = self._documents.number(told.frame, str(told.told["token"]))
        frame = _Frame(number, len(gathered.frames), host)
        gathered.frames.append(self._variables.hidden(told.told["url"]))
        gathered.left += int(told.told["left"]) + told.unread
        inner = dict(told.children)
        entries: Sequence[Mapping[str, Any]] = self._variables.hidden_in(told.told["elements"])
        for entry in entries:
            element = frame.element(entry)
            gathered.elements.append(element)
            gathered.told.append(entry)
            if (child := inner.pop(entry["n"], None)) is not None:
                self._collect(child, gathered, element)


class _Gathered:
    """What the frames of a page told, in reading order."""

    def __init__(self) -> None:
        self.elements: list[Element] = []
        self.told: list[Mapping[str, Any]] = []
        self.frames: list[str] = []
        self.left = 0


class _Frame:
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

    def element(self, entry: Mapping[str, Any]) -> Element:
        host = self._host
        return element_of(
            entry, self._place, self._identify, self._origin, self._region,
            host.id if host is not None else None, host is None or host.visible,
        )  # fmt: skip

    def _identify(self, node: int) -> str:
        return f"{self._number}.{node}"

"""From what the frames of a tab tell to one snapshot."""

from collections.abc import Mapping, Sequence
from typing import Any

from sparring.model.page import Element, PageSnapshot
from sparring_connectors.browser.config import SnapshotConfig
from sparring_connectors.browser.documents import Documents, Told
from sparring_connectors.browser.elements import element_of, with_digest
from sparring_connectors.browser.tabs import Tab, Tabs
from sparring_connectors.browser.variables import Variables

_MOST_NODES = 200_000


def questions(config: SnapshotConfig) -> dict[str, Any]:
    """What the script in a document is asked for."""
    return {
        "elements": config.elements, "text": config.text, "options": config.options,
        "interactive": config.interactive, "nodes": _MOST_NODES,
    }  # fmt: skip


class Viewer:
    """Puts snapshots together; no secret is in them."""

    def __init__(self, documents: Documents, variables: Variables) -> None:
        self._documents = documents
        self._variables = variables

    def snapshot(self, told: Told, tab: Tab, tabs: Tabs) -> PageSnapshot:
        """The snapshot of a tab, from what its frames told."""
        elements: list[Element] = []
        frames: list[str] = []
        left = self._collect(told, elements, frames, None)
        main = told.told
        _, scroll_y, height, shown, _ = main["scroll"]
        return with_digest(
            PageSnapshot(
                url=self._variables.hidden(main["url"]),
                title=self._variables.hidden(main["title"]),
                elements=tuple(elements),
                document=tab.documents,
                tab=tabs.place,
                tabs=len(tabs.all),
                frames=tuple(frames),
                scroll_y=scroll_y,
                scroll_height=height,
                viewport_height=shown,
                truncated=left,
            )
        )

    def _collect(
        self, told: Told, elements: list[Element], frames: list[str], host: Element | None
    ) -> int:
        """Add a frame's elements, and those of the frames in it where they stand."""
        number = self._documents.number(told.frame, str(told.told["token"]))
        place = len(frames)
        frames.append(self._variables.hidden(told.told["url"]))
        inner = dict(told.children)
        left = int(told.told["left"])
        entries: Sequence[Mapping[str, Any]] = self._variables.hidden_in(told.told["elements"])
        frame = _Frame(number, place, host)
        for entry in entries:
            element = frame.element(entry)
            elements.append(element)
            if (child := inner.pop(entry["n"], None)) is not None:
                left += self._collect(child, elements, frames, element)
        return left


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

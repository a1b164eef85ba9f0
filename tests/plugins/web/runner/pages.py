"""Snapshots made by hand, for tests of the agents that read them."""

from typing import Any

from sparring.model.page import Element, Option, PageEvent, PageEventKind, PageSnapshot, PageView


def element(role: str, name: str = "", *, id: str = "", **more: Any) -> Element:
    """An element with its usual tag; a button, link or field can be acted upon."""
    tags = {"link": "a", "button": "button", "textbox": "input", "checkbox": "input",
            "combobox": "select", "heading": "h1", "row": "tr", "cell": "td"}  # fmt: skip
    acted = role in ("link", "button", "textbox", "checkbox", "radio", "combobox", "tab")
    more.setdefault("interactive", acted)
    more.setdefault("editable", role == "textbox")
    more.setdefault("tag", tags.get(role, "div"))
    if role in ("link", "button", "heading", "cell"):
        more.setdefault("text", name)
    if role == "textbox":
        more.setdefault("value", "")
        more.setdefault("label", name)
    return Element(id=id or f"{role}-{name}-{more.get('row', '')}", role=role, name=name, **more)


def text(words: str, **more: Any) -> Element:
    """A piece of text."""
    return Element(id=f"text-{words}", role="text", text=words, **more)


def options(*labels: str, selected: str = "") -> tuple[Option, ...]:
    """The options of a list."""
    return tuple(Option(label=one, value=one, selected=one == selected) for one in labels)


def page(*elements: Element, url: str = "http://shop.test/", **more: Any) -> PageView:
    """A view of a page; what a control shows is also there as text, as a connector sends it."""
    listed: list[Element] = []
    for one in elements:
        listed.append(one)
        if one.text and one.role in ("link", "button", "heading", "cell", "alert"):
            piece = Element(
                id=f"{one.id}-text", role="text", text=one.text, parent=one.id, row=one.row,
                visible=one.visible, column=one.column, region=one.region,
            )  # fmt: skip
            listed.append(piece)
    events = more.pop("events", ())
    digest = more.pop("digest", str(hash(tuple(e.model_dump_json() for e in listed))))
    snapshot = PageSnapshot(url=url, elements=tuple(listed), digest=digest, **more)
    return PageView(snapshot=snapshot, events=events)


def message(words: str, at_s: float = 1.0, gone_s: float | None = 2.0) -> PageEvent:
    """A message that went again."""
    return PageEvent(kind=PageEventKind.MESSAGE, text=words, at_s=at_s, gone_s=gone_s)

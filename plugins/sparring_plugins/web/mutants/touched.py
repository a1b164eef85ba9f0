"""What a suite touched when it was played: elements acted upon, texts asserted, requests made."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from pydantic import JsonValue, ValidationError

from sparring.model.page import Element, PageEvent, PageEventKind, PageSnapshot, PageView
from sparring.model.talk import GuiAction, Listen, Trace
from sparring_plugins.web.runner.records import META, GuiRecord, StepRecord

_NAMED = ("id", "name")
_CHANGING = re.compile(r"\d{2,}|[0-9a-f]{8}-")
_LONGEST_TEXT = 160


@dataclass(frozen=True, slots=True)
class Seen:
    """An element of a page: on which path, and which of those that are called the same."""

    element: Element
    page: str
    nth: int | None

    @property
    def on(self) -> dict[str, JsonValue]:
        """How the connector finds it again."""
        one = self.element
        attributes: dict[str, JsonValue] = {
            name: value
            for name in _NAMED
            if (value := one.attributes.get(name)) and not _CHANGING.search(value)
        }
        told: dict[str, JsonValue] = {"role": one.role, "name": one.name}
        if one.tag:
            told["tag"] = one.tag
        if attributes:
            told["attributes"] = attributes
        if self.nth is not None:
            told["nth"] = self.nth
        return told

    @property
    def words(self) -> str:
        """What a person calls it."""
        name = self.element.name or self.element.placeholder or self.element.attributes.get("id")
        called = f"{self.element.role} {name!r}" if name else self.element.role
        return called if self.nth is None else f"{called} (number {self.nth} of its kind)"


@dataclass(frozen=True, slots=True)
class Touch:
    """An element that was acted upon, with what came of it."""

    seen: Seen
    act: GuiAction
    requests: tuple[PageEvent, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """A text on a page."""

    text: str
    page: str


def touches(traces: Iterable[Trace]) -> Iterator[Touch]:
    """The acts on elements, in order."""
    for trace in traces:
        before: PageView | None = None
        for turn in trace.turns:
            after = turn.observation.page if turn.observation else None
            act = turn.act
            if isinstance(act, GuiAction) and before is not None:
                element = _target(act, before.snapshot)
                if element is not None:
                    events = after.events if after is not None else ()
                    made = tuple(one for one in events if one.kind is PageEventKind.REQUEST)
                    yield Touch(seen_in(before.snapshot, element), act, made)
            before = after or before


def _target(act: GuiAction, snapshot: PageSnapshot) -> Element | None:
    """What an act is done to: its target, or what has the focus where a key is pressed."""
    if act.target:
        return snapshot.element(act.target)
    if act.action in ("press", "type"):
        return next((one for one in snapshot.elements if one.focused), None)
    return None


def seen_in(snapshot: PageSnapshot, element: Element) -> Seen:
    """An element with its place among those that are called the same."""
    alike = [one for one in snapshot.elements if _key(one) == _key(element)]
    nth = alike.index(element) + 1 if len(alike) > 1 else None
    return Seen(element, page_of(snapshot, element), nth)


def _key(element: Element) -> tuple[Any, ...]:
    named = tuple(element.attributes.get(name) for name in _NAMED)
    return element.role, element.name, element.tag, element.frame, named


def page_of(snapshot: PageSnapshot, element: Element) -> str:
    """The path of the document that an element is in; its changing parts are ``*``."""
    frames = snapshot.frames
    url = frames[element.frame] if element.frame < len(frames) else snapshot.url
    return path_pattern(urlsplit(url).path)


def path_pattern(path: str) -> str:
    """A path in which numbers and other ids are ``*``, since they may differ between runs."""
    parts = (path or "/").split("/")
    return "/".join("*" if re.fullmatch(r"\d+|[0-9a-f-]{16,}", part) else part for part in parts)


def views(trace: Trace) -> Iterator[PageView]:
    """The views of a case, in order."""
    for turn in trace.turns:
        if turn.observation is not None and turn.observation.page is not None:
            yield turn.observation.page


def asserted(traces: Iterable[Trace]) -> Iterator[tuple[StepRecord, PageSnapshot, list[Element]]]:
    """The assertions that held, with the page and the elements that showed it."""
    for trace in traces:
        record = _record(trace)
        by_digest = {view.snapshot.digest: view.snapshot for view in views(trace)}
        for step in record.steps if record else ():
            snapshot = by_digest.get(step.digest)
            if not step.step.asserts or snapshot is None or step.assertion is None:
                continue
            ids = set(step.assertion.elements)
            yield step, snapshot, [one for one in snapshot.elements if one.id in ids]


def _record(trace: Trace) -> GuiRecord | None:
    data = trace.meta.get(META)
    try:
        return None if data is None else GuiRecord.model_validate(data)
    except ValidationError:
        return None


def texts_of(snapshot: PageSnapshot, elements: Sequence[Element]) -> Iterator[Shown]:
    """The texts of elements: their own pieces of text, else what they are called."""
    for element in elements:
        inside = _pieces(snapshot, element)
        for piece in inside or [element]:
            text = piece.text or piece.name
            if piece.visible and text.strip() and "\n" not in text and len(text) < _LONGEST_TEXT:
                yield Shown(" ".join(text.split()), page_of(snapshot, piece))


def _pieces(snapshot: PageSnapshot, element: Element) -> list[Element]:
    if element.role == "text":
        return [element]
    inside = {element.id}
    pieces: list[Element] = []
    for one in snapshot.elements:
        if one.parent in inside:
            inside.add(one.id)
            if one.role == "text":
                pieces.append(one)
    return pieces


def acting_turns(trace: Trace) -> list[int]:
    """The turns that did something, and did not only wait or look."""
    return [
        number
        for number, turn in enumerate(trace.turns)
        if not isinstance(turn.act, Listen)
        and not (isinstance(turn.act, GuiAction) and turn.act.action == "wait")
    ]

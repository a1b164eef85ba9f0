"""The pages of a suite that was played: elements acted upon, texts asserted, requests made."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from pydantic import JsonValue, ValidationError

from sparring.model.page import Element, PageEvent, PageEventKind, PageSnapshot, PageView
from sparring.model.talk import GuiAction, Listen, Trace
from sparring_plugins.web.rehearsals import without_rehearsals
from sparring_plugins.web.runner.records import META, GuiRecord, StepRecord

_IDENTIFIERS = ("id", "name")
# "row-1234" and parts of UUIDs are other ones in the next run.
_CHANGING = re.compile(r"\d{2,}|[0-9a-f]{8}-")
_MAX_TEXT = 160


@dataclass(frozen=True, slots=True)
class LocatedElement:
    """An element with the path of its page, and its number among those with the same name."""

    element: Element
    page: str
    nth: int | None

    @property
    def locator(self) -> dict[str, JsonValue]:
        """The data by which the connector finds the element again."""
        element = self.element
        attributes: dict[str, JsonValue] = {
            name: value
            for name in _IDENTIFIERS
            if (value := element.attributes.get(name)) and not _CHANGING.search(value)
        }
        locator: dict[str, JsonValue] = {"role": element.role, "name": element.name}
        if element.tag:
            locator["tag"] = element.tag
        if attributes:
            locator["attributes"] = attributes
        if self.nth is not None:
            locator["nth"] = self.nth
        return locator

    @property
    def words(self) -> str:
        """What a person calls the element."""
        name = self.element.name or self.element.placeholder or self.element.attributes.get("id")
        words = f"{self.element.role} {name!r}" if name else self.element.role
        return words if self.nth is None else f"{words} (number {self.nth} of its kind)"


@dataclass(frozen=True, slots=True)
class Touch:
    """An element that was acted upon, with the act and the requests that followed."""

    located: LocatedElement
    act: GuiAction
    requests: tuple[PageEvent, ...]


@dataclass(frozen=True, slots=True)
class PageText:
    """A text on a page."""

    text: str
    page: str


def touches(traces: Iterable[Trace]) -> Iterator[Touch]:
    """Yield the acts on elements, in order."""
    for trace in traces:
        before: PageView | None = None
        for _, turn in without_rehearsals(trace.turns):
            after = turn.observation.page if turn.observation else None
            act = turn.act
            if isinstance(act, GuiAction) and before is not None:
                element = _target(act, before.snapshot)
                if element is not None:
                    events = after.events if after is not None else ()
                    requests = tuple(e for e in events if e.kind is PageEventKind.REQUEST)
                    yield Touch(locate(before.snapshot, element), act, requests)
            before = after or before


def _target(act: GuiAction, snapshot: PageSnapshot) -> Element | None:
    """Return the target of an act; for a key without one, the element in focus."""
    if act.target:
        return snapshot.element(act.target)
    if act.action in ("press", "type"):
        return next((element for element in snapshot.elements if element.focused), None)
    return None


def locate(snapshot: PageSnapshot, element: Element) -> LocatedElement:
    """Return an element with its page and its number among those with the same name."""
    same_name = [other for other in snapshot.elements if _key(other) == _key(element)]
    nth = same_name.index(element) + 1 if len(same_name) > 1 else None
    return LocatedElement(element, page_of(snapshot, element), nth)


def _key(element: Element) -> tuple[Any, ...]:
    named = tuple(element.attributes.get(name) for name in _IDENTIFIERS)
    return element.role, element.name, element.tag, element.frame, named


def page_of(snapshot: PageSnapshot, element: Element) -> str:
    """Return the path of the document that an element is in; its changing parts are ``*``."""
    frames = snapshot.frames
    url = frames[element.frame] if element.frame < len(frames) else snapshot.url
    return path_pattern(urlsplit(url).path)


def path_pattern(path: str) -> str:
    """Return a path with ``*`` for numbers and other ids, because they may differ between runs."""
    parts = (path or "/").split("/")
    return "/".join("*" if re.fullmatch(r"\d+|[0-9a-f-]{16,}", part) else part for part in parts)


def views(trace: Trace) -> Iterator[PageView]:
    """Yield the views of a case, in order."""
    for turn in trace.turns:
        if turn.observation is not None and turn.observation.page is not None:
            yield turn.observation.page


def asserted(traces: Iterable[Trace]) -> Iterator[tuple[StepRecord, PageSnapshot, list[Element]]]:
    """Yield the assertions with the page and the elements on which they were decided."""
    for trace in traces:
        record = record_of(trace)
        by_digest = {view.snapshot.digest: view.snapshot for view in views(trace)}
        for step in record.steps if record else ():
            snapshot = by_digest.get(step.digest)
            if not step.step.asserts or snapshot is None or step.assertion is None:
                continue
            ids = set(step.assertion.elements)
            yield step, snapshot, [e for e in snapshot.elements if e.id in ids]


def record_of(trace: Trace) -> GuiRecord | None:
    """Return the step runner's record in a trace, or `None` without one that can be read."""
    data = trace.meta.get(META)
    try:
        return None if data is None else GuiRecord.model_validate(data)
    except ValidationError:
        return None


def texts_of(snapshot: PageSnapshot, elements: Sequence[Element]) -> Iterator[PageText]:
    """Yield the texts of elements: their own pieces of text, else their names."""
    for element in elements:
        for piece in _text_pieces(snapshot, element) or [element]:
            text = piece.text or piece.name
            if piece.visible and text.strip() and "\n" not in text and len(text) < _MAX_TEXT:
                yield PageText(" ".join(text.split()), page_of(snapshot, piece))


def _text_pieces(snapshot: PageSnapshot, element: Element) -> list[Element]:
    if element.role == "text":
        return [element]
    inside = {element.id}
    pieces: list[Element] = []
    for other in snapshot.elements:
        if other.parent in inside:
            inside.add(other.id)
            if other.role == "text":
                pieces.append(other)
    return pieces


def acting_turns(trace: Trace) -> list[int]:
    """Return the turns that did something, and did not only wait or look."""
    return [
        number
        for number, turn in enumerate(trace.turns)
        if not isinstance(turn.act, Listen)
        and not (isinstance(turn.act, GuiAction) and turn.act.action == "wait")
    ]


OTHER_TEXT = "Something else"
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
# A page has hundreds of texts; those in headings and with numbers are worth an assertion.
_MAX_PER_PAGE = 8


def increment_number(text: str) -> str | None:
    """Return a text with its first number plus one, with as many digits; None without a number."""
    match = re.search(r"\d+", text)
    if match is None:
        return None
    digits = match[0]
    return f"{text[: match.start()]}{int(digits) + 1:0{len(digits)}d}{text[match.end() :]}"


def asserted_texts(traces: Sequence[Trace]) -> Iterator[PageText]:
    """Yield the texts that assertions are about, each once."""
    texts = (text for _, snapshot, es in asserted(traces) for text in texts_of(snapshot, es))
    yield from dict.fromkeys(texts)


def unasserted_texts(traces: Sequence[Trace]) -> Iterator[PageText]:
    """Yield headings and numbers that no assertion is about: some of each page."""
    used = {shown.text for shown in asserted_texts(traces)}
    sentences = " ".join(record.step.text for record, _, _ in asserted(traces))
    per_page = Counter[str]()
    for shown in _prominent_texts(traces):
        if shown.text in used or shown.text in sentences:
            continue
        used.add(shown.text)
        per_page[shown.page] += 1
        if per_page[shown.page] <= _MAX_PER_PAGE:
            yield shown


def _prominent_texts(traces: Sequence[Trace]) -> Iterator[PageText]:
    for trace in traces:
        for view in views(trace):
            headings = {e.id for e in view.snapshot.elements if e.role == "heading"}
            for element in view.snapshot.elements:
                if element.role != "text" or not element.visible or len(element.text) < 2:
                    continue
                if element.parent in headings or _NUMBER.search(element.text):
                    yield from texts_of(view.snapshot, [element])

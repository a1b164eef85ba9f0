"""A page as text for a language model: a line for each element, and nothing twice.

A line is the id, the kind, the name, and what holds: ``1.17 button 'Add' (row 'Teapot 12.50')``.
Text that is the name of a control shown stands in the line of that control, and the cells of a
row stand in one line.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import JsonValue
from rapidfuzz import fuzz

from sparring.model.page import Element, PageView
from sparring_plugins.web.pages.layout import Layout
from sparring_plugins.web.pages.text_fit import cased, plain

_WORD = re.compile(r"\w+")
_MAX_TEXT = 160
_MAX_OPTIONS = 30
_MAX_PLACE = 40
_STATES = ("disabled", "focused", "readonly", "required", "invalid", "selected", "expanded")
_NAMED = frozenset({"heading", "img", "dialog", "alertdialog", "alert", "status", "iframe"})


@dataclass(frozen=True)
class PageData:
    """A page as a model is shown it; `left_out` counts the elements that had no room.

    `ids` are those that an answer may name, `words` all that stands there, for quotations.
    """

    page: dict[str, JsonValue]
    ids: frozenset[str]
    left_out: int
    words: str = ""


@dataclass(frozen=True, slots=True)
class _Line:
    ids: tuple[str, ...]
    text: str
    is_control: bool


def page_data(view: PageView, words: str, *, elements: int, characters: int) -> PageData:
    """Return what is shown of a page, in reading order.

    If there is no room for all, the lines least similar to `words` are left out. So a model can
    see that something is there, but not that something is missing.
    """
    lines = list(_lines(Layout(view.snapshot)))
    relevance = _relevance(words, lines)
    ranked = sorted(range(len(lines)), key=lambda n: -relevance[n])
    kept: set[int] = set()
    room = characters
    for number in ranked[:elements]:
        room -= len(lines[number].text) + 1
        if room < 0:
            break
        kept.add(number)
    shown = [line for number, line in enumerate(lines) if number in kept]
    messages = [f"{e.kind.value}: {e.text[:_MAX_TEXT]}" for e in view.events[-10:] if e.text]
    page: dict[str, JsonValue] = {
        "address": view.snapshot.url[:300],
        "title": view.snapshot.title[:_MAX_TEXT],
        "elements": [line.text for line in shown],
    }
    if messages:
        page["messages"] = list(dict.fromkeys(messages))
    ids = frozenset(identifier for line in shown for identifier in line.ids)
    text = "\n".join((view.snapshot.title, *(line.text for line in shown), *messages))
    return PageData(page, ids, len(lines) - len(shown) + view.snapshot.truncated, text)


def quotes_page(quotation: str, shown: PageData) -> bool:
    """Return whether a text stands on the page as it is shown, to the letter but for spaces."""
    words = cased(quotation).strip("\"'")
    return bool(words) and any(
        words in cased(text) for text in (shown.words, shown.words.replace(" | ", " "))
    )


def _relevance(words: str, lines: Sequence[_Line]) -> list[float]:
    """Return how much each line has of the words of a step, rare words most.

    In "Add 'Plant 31'" the number decides: every row has a button 'Add'.
    """
    wanted = set(_WORD.findall(plain(words)))
    parts = [wanted & set(_WORD.findall(plain(line.text))) for line in lines]
    counts = Counter(word for part in parts for word in part)
    similar = [fuzz.ratio(plain(words), plain(line.text)) / 1_000 for line in lines]
    return [
        sum(1 / counts[word] for word in part) + similarity + (0.05 if line.is_control else 0)
        for line, part, similarity in zip(lines, parts, similar, strict=True)
    ]


def _lines(layout: Layout) -> Iterator[_Line]:
    """Yield the lines of a page: controls, headings and pictures; the other text by rows."""
    shown: set[str] = set()
    texts: list[Element] = []
    for element in layout.snapshot.elements:
        is_text = element.role == "text"
        if not element.visible or not (is_text or _has_own_line(element)):
            continue
        if is_text and _is_text_of_holder(element, layout, shown):
            continue
        if texts and not (is_text and element.row and element.row == texts[-1].row):
            yield _text_line(texts)
            texts = []
        if is_text:
            texts.append(element)
        elif not _is_told_by_holder(element, layout, shown):
            shown.add(element.id)
            yield _Line((element.id,), _line(element), element.interactive)
    if texts:
        yield _text_line(texts)


def _has_own_line(element: Element) -> bool:
    return element.interactive or bool(element.role in _NAMED and _name(element))


def _shown_holder(element: Element, layout: Layout, shown: set[str]) -> Element | None:
    """Return the nearest element around it that has a line."""
    return next((holder for holder in layout.above(element) if holder.id in shown), None)


def _is_text_of_holder(element: Element, layout: Layout, shown: set[str]) -> bool:
    """Return whether a text is already read in the name of the control that it stands in."""
    holder = _shown_holder(element, layout, shown)
    return holder is not None and cased(element.text) in cased(_name(holder))


def _is_told_by_holder(element: Element, layout: Layout, shown: set[str]) -> bool:
    """Return whether it is the picture in a link, or a second element around the same name."""
    holder = _shown_holder(element, layout, shown)
    if holder is None or element.editable:
        return False
    return element.role not in ("button", "link") and cased(_name(element)) in cased(_name(holder))


def _name(element: Element) -> str:
    names = (element.name, element.label, element.text, element.placeholder, element.title)
    return next((" ".join(name.split()) for name in names if name.strip()), element.adjacent)


def _text_line(texts: Sequence[Element]) -> _Line:
    said = " | ".join(" ".join(e.text.split()) for e in texts)
    ids = tuple(e.id for e in texts)
    return _Line(ids, f"{ids[0]} {_quoted(said, 4 * _MAX_TEXT)}", False)


def _line(element: Element) -> str:
    parts = [element.id, element.role or element.tag, _quoted(_name(element))]
    if element.options:
        labels = [option.label[:40] for option in element.options[:_MAX_OPTIONS]]
        chosen = [option.label[:40] for option in element.options if option.selected]
        parts += [f"= {_quoted(', '.join(chosen))}", f"of {', '.join(labels)}"]
    elif element.value:
        parts.append(f"= {_quoted(element.value)}")
    parts += _states(element)
    row = " ".join(element.row.split())
    if row and plain(row) != plain(_name(element)):
        # The end of a long row says as little as the middle; its beginning says which row it is.
        parts.append(f"(row {_quoted(row, _MAX_PLACE)})")
    return " ".join(part for part in parts if part)


def _states(element: Element) -> list[str]:
    states = [state for state in _STATES if getattr(element, state)]
    if element.checked is not None:
        states.append("checked" if element.checked else "not checked")
    return [*states, "covered"] if element.covered else states


def _quoted(text: str, most: int = _MAX_TEXT) -> str:
    if not text:
        return ""
    line = " ".join(text.split())
    return f"'{line if len(line) <= most else line[: most - 3] + '...'}'"

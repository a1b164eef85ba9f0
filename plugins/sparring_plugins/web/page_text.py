"""A page as text for a language model: a line for each element or row, and nothing twice.

A line is the id, the kind, the name, and what holds. What lies in one row stands in one line:
``1.15 'Teapot' | '12.50' | 1.17 button 'Add'``. Text that is the name of a control shown stands in
the line of that control. Messages and dialogs since the last act have ids of their own (``m1``).
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from pydantic import JsonValue
from rapidfuzz import fuzz

from sparring.model.page import Element, PageEvent, PageEventKind, PageView
from sparring_plugins.web.pages.grounding import is_nameless_icon
from sparring_plugins.web.pages.layout import Layout
from sparring_plugins.web.pages.text_fit import cased, plain

_WORD = re.compile(r"\w+")
_MAX_TEXT = 160
# A row whose cells fit in a line is shown as one; a layout table is not.
_MAX_LINE = 600
# A list of all countries would be half of the prompt: those that the sentence names come first.
_MAX_OPTIONS = 12
_MAX_OPTION = 70
_MAX_PLACE = 40
_LIKE_ABOVE = "of the same options as a list above"
#: "sites" and "site" are alike by so many letters.
_STEM = 4
_MAX_GONE = 8
#: How many lines around a control belong to it, and how many characters name a part of a form.
_NEIGHBOURS = 3
# A control's neighbours tell what it is for; a paragraph beside it does not.
_FEW_WORDS = 40
#: The longest side of an icon in pixels.
_MAX_ICON = 80
_ICON = "icon"
# Icons without names stand in one line; a grid of hundreds is cut.
_MAX_ICONS = 10
#: So many lines of one shape are a list, which may take more room than another page.
_FEWEST_ROWS = 8
#: Attributes by which a nameless element may be recognised, the most telling first.
_TELLING_ATTRIBUTES = ("data-testid", "data-test", "name", "id", "class")
_STATES = ("disabled", "focused", "readonly", "required", "invalid", "selected", "expanded")
_NAMED = frozenset({"heading", "img", "dialog", "alertdialog", "alert", "status", "iframe"})
#: Kinds of events that a person notices; errors of scripts are no part of what a page shows.
_NOTICED = {
    PageEventKind.MESSAGE: "message",
    PageEventKind.DIALOG: "dialog",
    PageEventKind.POPUP: "new tab",
    PageEventKind.TAB_CLOSED: "closed tab",
    PageEventKind.DOWNLOAD: "download",
    PageEventKind.UPLOAD: "upload",
    PageEventKind.CRASH: "crash",
}


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
class _Part:
    """An element as it is shown, or texts in a row; `words` is what a person reads there."""

    elements: tuple[Element, ...]
    text: str
    words: str

    @property
    def is_text(self) -> bool:
        return self.elements[0].role == "text"


@dataclass(frozen=True, slots=True)
class _Line:
    ids: tuple[str, ...]
    text: str
    words: str
    is_control: bool
    is_covered: bool
    is_field: bool
    lists: tuple[Element, ...] = ()

    @property
    def shape(self) -> str:
        """The line without its texts and numbers: rows of a list have the same."""
        return re.sub(r"'[^']*'|[\d.]+", "", self.text)


def page_data(
    view: PageView,
    words: str,
    *,
    elements: int,
    characters: int,
    list_characters: int = 0,
    before: PageView | None = None,
) -> PageData:
    """Return what is shown of a page, in reading order.

    If there is no room for all, the lines least similar to `words` are left out. So a model can
    see that something is there, but not that something is missing. A page that is mostly one long
    list may take `list_characters`. With `before`, what the page showed then and does not show any
    more is added.
    """
    lines = _page_lines(view, words)
    messages = [
        _message(number, event) for number, event in enumerate(_list_noticed_events(view), 1)
    ]
    gone = _gone(before, lines) if before is not None else []
    page: dict[str, JsonValue] = {
        "address": view.snapshot.url[:200],
        "title": view.snapshot.title[:_MAX_TEXT],
        "elements": [],
    }
    if messages:
        page["messages"] = [*messages]
    if gone:
        page["no_longer_shown"] = [*gone]
    room = max(characters, list_characters if _is_list(lines) else 0)
    kept = _fitting(lines, words, elements, room - len(json.dumps(page, ensure_ascii=False)))
    shown = [line for number, line in enumerate(lines) if number in kept]
    page["elements"] = [*_without_equal_lists(shown, words)]
    ids = frozenset(identifier for line in shown for identifier in line.ids)
    marks = frozenset(message.split(maxsplit=1)[0] for message in messages)
    text = "\n".join((view.snapshot.title, *(line.text for line in shown), *messages))
    read = " ".join(line.words for line in shown)
    left_out = len(lines) - len(shown) + view.snapshot.truncated
    return PageData(page, ids | marks, left_out, f"{text}\n{read}")


def _without_equal_lists(lines: Sequence[_Line], words: str) -> Iterator[str]:
    """Yield lines in which options that stand above are not given again."""
    seen: set[str] = set()
    for line in lines:
        text = line.text
        for options in (_show_options(element, words) for element in line.lists):
            if options in seen and len(options) > len(_LIKE_ABOVE):
                text = text.replace(options, _LIKE_ABOVE)
            seen.add(options)
        yield text


def quotes_page(quotation: str, shown: PageData) -> bool:
    """Return whether a text stands on the page as it is shown, to the letter but for spaces.

    Models quote a long line with dots in its middle: then all pieces must be there.
    """
    page = cased(shown.words)
    page_texts = (page, page.replace(" | ", " "), page.replace("' | '", " "))
    pieces = [cased(piece).strip("\"' |") for piece in re.split(r"\.{3}|…", quotation)]
    pieces = [piece for piece in pieces if piece]
    return bool(pieces) and all(any(piece in text for text in page_texts) for piece in pieces)


def _page_lines(view: PageView, words: str) -> list[_Line]:
    layout = Layout(view.snapshot)
    parts = list(_join_icons(_parts(layout, words)))
    names = Counter(part.text.split(" ", 1)[-1] for part in parts if not part.is_text)
    lines: list[_Line] = []
    for row, group in groupby(parts, lambda part: part.elements[0].row):
        members = list(group)
        joined = _join(members)
        if row and len(joined.text) <= _MAX_LINE:
            lines.append(joined)
            continue
        # A row as long as a page says little about each of its parts, but tells twins apart.
        for member in members:
            twins = names[member.text.split(" ", 1)[-1]] > 1 and not member.is_text
            place = f" (row {_quote_text(row, _MAX_PLACE)})" if row and twins else ""
            lines.append(_join([member], place))
    return lines


def _join(parts: Sequence[_Part], place: str = "") -> _Line:
    """Return parts as one line; of texts only the first has its id there."""
    elements = [element for part in parts for element in part.elements]
    return _Line(
        ids=tuple(element.id for element in elements),
        text=" | ".join(_with_ids(parts)) + place,
        words=" ".join(part.words for part in parts if part.words),
        is_control=any(element.interactive for element in elements),
        is_covered=all(element.covered for element in elements if element.interactive),
        is_field=any(element.editable for element in elements),
        lists=tuple(element for element in elements if element.options),
    )


def _with_ids(parts: Sequence[_Part]) -> Iterator[str]:
    """Yield the texts of a line's parts; an icon like one before it without its class."""
    icons: set[str] = set()
    for number, part in enumerate(parts):
        text = _ICON if part.text in icons else part.text
        if part.text.startswith(_ICON):
            icons.add(part.text)
        yield text if number and part.is_text else f"{part.elements[0].id} {text}"


def _fitting(lines: Sequence[_Line], words: str, most: int, room: int) -> set[int]:
    """Return the numbers of the lines that have room, those most similar to `words` first."""
    relevance = _relevance(words, lines)
    kept: set[int] = set()
    for number in sorted(range(len(lines)), key=lambda n: -relevance[n])[:most]:
        room -= len(lines[number].text) + 6  # the marks and blanks around a line of JSON
        if room < 0:
            break
        kept.add(number)
    return kept


def _is_list(lines: Sequence[_Line]) -> bool:
    """Return whether lines of one shape make up a third of a page and more."""
    shapes = Counter(line.shape for line in lines)
    most = max(shapes.values(), default=0)
    return most >= _FEWEST_ROWS and 3 * most >= len(lines)


def _list_noticed_events(view: PageView) -> list[PageEvent]:
    events = {(event.kind, event.text): event for event in view.events if _is_noticed(event, view)}
    return list(events.values())[-8:]


def _is_noticed(event: PageEvent, view: PageView) -> bool:
    if event.kind is PageEventKind.HTTP_ERROR:
        return event.text == view.snapshot.url
    return event.kind in _NOTICED and bool(event.text.strip())


def _message(number: int, event: PageEvent) -> str:
    kind = _NOTICED.get(event.kind, f"error {event.details.get('status') or ''}".strip())
    answer = event.details.get("answer")
    ending = f" answered by {answer}" if isinstance(answer, str) and answer else ""
    ending += " (gone by now)" if event.gone_s is not None else ""
    return f"m{number} {kind} {_quote_text(event.text)}{ending}"


def _gone(before: PageView, lines: Sequence[_Line]) -> list[str]:
    """Return what people read before and do not read now."""
    now = " ".join(plain(line.words) for line in lines)
    texts = (part.words for part in _parts(Layout(before.snapshot)))
    gone = [text[:80] for text in texts if len(text) > 1 and plain(text) not in now]
    return list(dict.fromkeys(gone))[:_MAX_GONE]


def _relevance(words: str, lines: Sequence[_Line]) -> list[float]:
    """Return how much each line has of the words of a step, rare words most.

    In "Add 'Plant 31'" the number decides: every row has a button 'Add'. What a dialog covers
    comes last.
    """
    spoken = _WORD.findall(plain(words))
    # "Log in" is a button 'Login', "e mail" a field 'Email'
    wanted = {*spoken, *map("".join, pairwise(spoken))}
    parts = [wanted & set(_WORD.findall(plain(line.text))) for line in lines]
    counts = Counter(word for part in parts for word in part)
    similar = [fuzz.ratio(plain(words), plain(line.text)) / 1_000 for line in lines]
    relevance = [
        sum(1 / counts[word] for word in part)
        + similarity
        + (0.05 if line.is_control else 0)
        # "Sign in as Ada" names no field: without this, rows of text would crowd out the form
        + (0.1 if line.is_field else 0)
        - (2 if line.is_covered and line.is_control else 0)
        for line, part, similarity in zip(lines, parts, similar, strict=True)
    ]
    return [_with_neighbours(number, lines, relevance) for number in range(len(lines))]


def _with_neighbours(number: int, lines: Sequence[_Line], relevance: Sequence[float]) -> float:
    """Return the relevance of a line, at least almost that of the controls around it.

    A field for a password has no words, but stands below the field 'Login'; the button that sends
    a form shares no word with what is filled in. Rows of a list have enough words of their own.
    """
    if not lines[number].is_control or len(lines[number].words) > _FEW_WORDS:
        return relevance[number]
    around = range(max(0, number - _NEIGHBOURS), min(len(lines), number + _NEIGHBOURS + 1))
    near = [relevance[n] * 0.9 for n in around if n != number and lines[n].is_control]
    return max(relevance[number], *near) if near else relevance[number]


def _parts(layout: Layout, words: str = "") -> Iterator[_Part]:
    """Yield what is shown of a page: controls, headings and pictures; the other text by rows."""
    shown: set[str] = set()
    labels: set[str] = set()
    texts: list[Element] = []
    icons = _icons(layout)
    for element in layout.snapshot.elements:
        is_text = element.role == "text"
        if element.id not in icons and not _is_to_be_read(element, layout, labels, shown):
            continue
        if texts and not (is_text and element.row and element.row == texts[-1].row):
            yield _text_part(texts)
            texts = []
        if is_text:
            texts.append(element)
        elif not _is_told_by_holder(element, layout, shown):
            shown.add(element.id)
            yield _Part((element,), _describe(element, words), _words(element))
    if texts:
        yield _text_part(texts)


def _join_icons(parts: Iterable[_Part]) -> Iterator[_Part]:
    """Yield parts, of them equal icons side by side as one: five stars beside each product."""
    for text, group in groupby(parts, lambda part: part.text):
        members = list(group)
        if not text.startswith(_ICON) or len(members) == 1:
            yield from members
            continue
        elements = tuple(part.elements[0] for part in members[:_MAX_ICONS])
        others = ", ".join(element.id for element in elements[1:])
        yield _Part(elements, f"{text} and {others}", "")


def _icons(layout: Layout) -> frozenset[str]:
    """Return the ids of clickables that show nothing but a drawing, and have no role of their own.

    The menu of a table's column may open by an `<svg>` beside its heading.
    """
    elements = [element for element in layout.snapshot.elements if element.visible]
    full = {
        holder.id
        for element in elements
        if element.interactive or element.text or element.role in _NAMED
        for holder in layout.above(element)
    }
    return frozenset(
        element.id
        for element in elements
        if is_nameless_icon(element)
        and element.role in _PARTS
        and element.id not in full
        and _is_small(element)
    )


def _is_small(element: Element) -> bool:
    """Return whether a person sees an icon, and not the darkened page around a dialog."""
    box = element.box
    return box is None or max(box.width, box.height) <= _MAX_ICON


def _is_to_be_read(element: Element, layout: Layout, labels: set[str], shown: set[str]) -> bool:
    """Return whether an element is shown, and not already as a label or a part of one's name."""
    is_text = element.role == "text"
    if not element.visible or not (is_text or _has_own_line(element)):
        return False
    if (is_text and element.parent in labels) or _is_label_of_shown(element, layout):
        labels.add(element.id)
        return False
    return not (is_text and _is_text_of_holder(element, layout, shown))


def _has_own_line(element: Element) -> bool:
    if element.interactive:
        if element.role in _PARTS and not _name(element):
            return False
        # A page's main part may take clicks for all that lies in it: its text is no name.
        return element.role not in _PARTS or len(_name(element)) <= _MAX_TEXT
    return bool(element.role in _NAMED and _name(element))


_PARTS = frozenset({"", "article", "main", "region", "generic", "group", "form", "section", "list",
                    "listitem", "table", "row", "cell", "tabpanel", "document"})  # fmt: skip


def _shown_holder(element: Element, layout: Layout, shown: set[str]) -> Element | None:
    """Return the nearest element around it that has a line."""
    return next((holder for holder in layout.above(element) if holder.id in shown), None)


def _is_text_of_holder(element: Element, layout: Layout, shown: set[str]) -> bool:
    """Return whether a text is already read in the name of the control that it stands in.

    Styles write "Users" as "USERS": capitals make no second text.
    """
    holder = _shown_holder(element, layout, shown)
    return holder is not None and plain(element.text) in plain(_name(holder)[: _MAX_TEXT - 3])


def _is_told_by_holder(element: Element, layout: Layout, shown: set[str]) -> bool:
    """Return whether it is the picture in a link, or a second element around the same name."""
    holder = _shown_holder(element, layout, shown)
    # a list or a box in the middle of its label has the same name, and is what one acts upon
    if holder is None or element.editable or element.role not in _PARTS | _NAMED:
        return False
    return plain(_name(element)) in plain(_name(holder)[: _MAX_TEXT - 3])


def _is_label_of_shown(element: Element, layout: Layout) -> bool:
    """Return whether it is the label of a control that is shown, and so has a name already."""
    if element.tag != "label":
        return False
    words = plain(_name(element))
    return any(
        other.visible and other.interactive and other.label and plain(other.label) in words
        for other in layout.snapshot.elements
        if other is not element and other.tag != "label"
    )


def _name(element: Element) -> str:
    names = (element.name, element.label, element.text, element.placeholder, element.title)
    return next((" ".join(name.split()) for name in names if name.strip()), element.adjacent)


def _words(element: Element) -> str:
    return " ".join(f"{_name(element)} {element.value or ''}".split())


def _text_part(texts: Sequence[Element]) -> _Part:
    words = [" ".join(element.text.split()) for element in texts]
    return _Part(tuple(texts), _quote_text(" | ".join(words), 4 * _MAX_TEXT), " ".join(words))


def _show_options(element: Element, words: str) -> str:
    """Return the options of a list; of a long one those that a step may mean, in their order."""
    labels = [" ".join(option.label.split())[:_MAX_OPTION] for option in element.options]
    if len(labels) <= _MAX_OPTIONS:
        return f"of {', '.join(labels)}"
    wanted = {word[:_STEM] for word in _WORD.findall(plain(words))}
    shared = [sum(w[:_STEM] in wanted for w in _WORD.findall(plain(label))) for label in labels]
    ranked = sorted(range(len(labels)), key=lambda n: -shared[n])[:_MAX_OPTIONS]
    shown = ", ".join(labels[n] for n in sorted(ranked))
    return f"of {shown} and {len(labels) - len(ranked)} more"


def _describe(element: Element, words: str) -> str:
    name = _name(element)
    role = element.role or element.tag
    parts = [role, _quote_text(name)]
    if not name:
        parts = [_ICON if role in _PARTS else role, _hint(element)]
    if element.input_type == "file":
        parts.append("for a file")
    if element.options:
        chosen = ", ".join(o.label[:_MAX_OPTION] for o in element.options if o.selected)
        # a list without a label is called by its value
        parts = parts[:1] if chosen == name else parts
        parts += [f"= {_quote_text(chosen)}" if chosen else "", _show_options(element, words)]
    elif element.value and not element.checked and element.value != _name(element):
        parts.append(f"= {_quote_text(element.value)}")
    return " ".join(part for part in (*parts, *_states(element)) if part)


def _hint(element: Element) -> str:
    """Return what the page's source calls an element that has no name."""
    if element.input_type == "password":
        return "(password)"
    named = ((key, element.attributes.get(key, "")) for key in _TELLING_ATTRIBUTES)
    return next(
        (f"({key} {' '.join(text.split())[:_MAX_PLACE]})" for key, text in named if text), ""
    )


def _states(element: Element) -> list[str]:
    states = [state for state in _STATES if getattr(element, state)]
    if element.checked is not None:
        states.append("checked" if element.checked else "not checked")
    return [*states, "covered"] if element.covered else states


def _quote_text(text: str, most: int = _MAX_TEXT) -> str:
    if not text:
        return ""
    line = " ".join(text.split())
    return f"'{line if len(line) <= most else line[: most - 3] + '...'}'"

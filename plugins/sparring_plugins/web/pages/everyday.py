"""What everyday sentences ask of a page: link addresses, patterns, units, downloads, its health."""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import Any, cast
from urllib.parse import unquote, urljoin

import regex

from sparring.model.page import Element, PageEvent, PageEventKind, PageView
from sparring_plugins.language.quantities import first_number
from sparring_plugins.web.pages.controls import in_words
from sparring_plugins.web.pages.displayed import MeantElements
from sparring_plugins.web.pages.grounding import ground
from sparring_plugins.web.pages.predicates import asked_for, compare, compared
from sparring_plugins.web.pages.tables import cell_holds, column_total, sorted_by
from sparring_plugins.web.pages.text_fit import contains, plain
from sparring_plugins.web.pages.visible_content import VisibleContent
from sparring_plugins.web.roles import Judged
from sparring_plugins.web.step import (
    CellHolds,
    ColumnTotal,
    Compared,
    Condition,
    Downloaded,
    LeadsTo,
    Matching,
    Measured,
    PageSound,
    Recalled,
    SortedBy,
    Target,
)

#: How long a pattern of a test case may search one page.
_PATTERN_S = 1.0


def judge_everyday(
    condition: Condition, content: VisibleContent, before: Sequence[PageView]
) -> Judged:
    """Judge a condition of an everyday sentence; `before` are the views before this one."""
    match condition:
        case CellHolds():
            return _cell(condition, content)
        case ColumnTotal():
            return column_total(condition, content.layout)
        case SortedBy():
            return sorted_by(condition, content.layout)
        case LeadsTo():
            return _leads_to(condition, content)
        case Matching():
            return _matching(condition, content)
        case Measured():
            return _measured(condition, content)
        case Downloaded():
            events = [event for view in (*before, content.view) for event in view.events]
            return _downloaded(condition, events)
        case PageSound():
            return _page_sound(condition, content, before)
        case Recalled():
            return Judged(reason="nothing was remembered before: write Remember '...' as a name")
        case _:
            return Judged(reason=f"{condition.kind} is not judged here")


def _cell(condition: CellHolds, content: VisibleContent) -> Judged:
    """Judge a cell; on a page without such a table, an amount beside a name in a card or item."""
    judged = cell_holds(condition, content.layout)
    if judged is not None:
        return judged
    if condition.row and first_number(condition.text) is not None:
        target = Target(text=condition.column, row=condition.row)
        number = Compared(target=target, comparison=condition.comparison, number=condition.text)
        return compared(number, content)
    return Judged(reason=f"no table on the page has a column '{condition.column}'")


def compared_in_cell(condition: Compared, content: VisibleContent) -> Judged:
    """Compare the number in a cell, if the target is the column of a row; else beside a label."""
    target = condition.target
    if condition.number and target.text and (target.row or target.row_number):
        cell = CellHolds(
            column=target.text, row=target.row or "", row_number=target.row_number,
            text=condition.number, comparison=condition.comparison,
        )  # fmt: skip
        judged = cell_holds(cell, content.layout)
        if judged is not None and judged.truth is not None:
            return judged
    return compared(condition, content)


def _leads_to(condition: LeadsTo, content: VisibleContent) -> Judged:
    grounding = ground(
        condition.target, content.layout, lambda e: e.url is not None, usable=lambda e: e.visible
    )
    link = grounding.chosen
    if link is None:
        links = {content.layout.by_id[c.element].url for c in grounding.tied}
        if len(links) != 1:
            return Judged(reason=grounding.reason)
        link = content.layout.by_id[grounding.tied[0].element]
    page = content.view.snapshot.url
    actual, wanted = link.url or "", condition.address.strip()
    is_same = wanted and _address(actual, page) == _address(wanted, page)
    truth = is_same or _address(actual, page) in (f"mailto:{wanted}", f"tel:{wanted}")
    reason = f"{in_words(link)} leads to '{actual[:300]}'"
    return Judged(truth=bool(truth), reason=reason, elements=(link.id,))


def _address(address: str, page: str) -> str:
    """Return a whole address, to be compared with others."""
    try:
        return unquote(urljoin(page, address)).rstrip("/")
    except ValueError:
        return address


def _matching(condition: Matching, content: VisibleContent) -> Judged:
    """Search the lines of a page, or what the target's own text says, for a pattern."""
    try:
        pattern = regex.compile(condition.pattern)
    except regex.error as err:
        return Judged(reason=f"'{condition.pattern}' is no regular expression: {err}")
    texts = [*content.blocks, content.text] if condition.target is None else None
    if texts is None:
        texts = _texts_of(cast("Target", condition.target), content)
        if not texts:
            name = cast("Target", condition.target).text
            return Judged(reason=f"there is no single text that '{name}' names")
    found = _search(pattern, texts, words_apart=condition.target is not None)
    if found is None:
        return Judged(reason=f"the pattern '{condition.pattern}' took more than {_PATTERN_S:g} s")
    if found:
        return Judged(truth=True, reason=f"'{found[:120]}' matches '{condition.pattern}'")
    shown = f": '{texts[0][:120]}'" if condition.target is not None else ""
    return Judged(truth=False, reason=f"no text matches '{condition.pattern}'{shown}")


def _search(pattern: Any, texts: Iterable[str], *, words_apart: bool) -> str | None:
    r"""Return what matches, an empty text if nothing does, None if it takes too long.

    With `words_apart`, a part of the text between blanks may match as a whole: "Your reference is
    AL-2207" has a reference that matches ``^AL-\d+$``.
    """
    try:
        for text in texts:
            for part in (text, *(text.split() if words_apart else ())):
                if (match := pattern.search(part, timeout=_PATTERN_S)) is not None:
                    return str(match[0]) or " "
    except TimeoutError:
        return None
    return ""


def _texts_of(target: Target, content: VisibleContent) -> list[str]:
    """Return the texts that a target names: the value of its field, or the lines with its words."""
    if not target.quoted and plain(target.text).removeprefix("page ") in _PAGE_TEXTS:
        snapshot = content.view.snapshot
        return [snapshot.title if "title" in plain(target.text) else snapshot.url]
    if target.by or target.role:
        elements = MeantElements.of(target, content).sure
        return [e.value or e.text or e.name for e in elements]
    return _field_values(target, content) or _lines_around(target, content)


def _field_values(target: Target, content: VisibleContent) -> list[str]:
    """Return what the visible fields of that name hold."""
    fields = [e for e in content.view.snapshot.elements if e.visible and e.value]
    words = plain(target.text)
    return [e.value or "" for e in fields if words in (plain(e.label), plain(e.name))]


def _lines_around(target: Target, content: VisibleContent) -> list[str]:
    """Return the shortest text around the words: a label and its value may be two elements."""
    passages = [p for p in content.passages if contains(target.text, p.text)]
    holders = [h for p in passages for h in list(content.layout.above(p))[:1]]
    around = sorted({h.text for h in holders if len(h.text) < _LONGEST_LINE}, key=len)
    lines = [line for line in content.blocks if contains(target.text, line)]
    return around[:1] or lines[:1]


# "the line with 'Total'" is the smallest block around it, and no whole section.
_LONGEST_LINE = 300
_PAGE_TEXTS = frozenset({"title", "url", "address", "page's title", "page's url"})


def _measured(condition: Measured, content: VisibleContent) -> Judged:
    """Compare the one number with the unit in the texts that have the words."""
    words = [word for word in plain(condition.words).split() if word not in _LEFT_OUT]
    unit = regex.escape(condition.unit).removesuffix("s")
    pattern = regex.compile(rf"(?<![\w.,])([-+]?\d[\d.,]*)\s?{unit}s?(?!\w)", regex.IGNORECASE)
    texts = [t for t in (*content.sentences, *_nearby(content, words)) if _has_all(words, t)]
    numbers: dict[float, str] = {}
    for text in texts:
        for match in pattern.finditer(text, timeout=_PATTERN_S):
            if (number := first_number(match[1].rstrip(".,"))) is not None:
                numbers.setdefault(number, text)
    wanted = first_number(condition.number)
    if len(numbers) != 1 or wanted is None:
        count = f"{len(numbers)} numbers" if numbers else "no number"
        return Judged(reason=f"{count} in {condition.unit} beside '{condition.words}'")
    number, text = next(iter(numbers.items()))
    return Judged(
        truth=compare(number, condition.comparison, wanted),
        reason=f"'{text[:120]}'; {asked_for(condition.comparison, wanted)}",
    )


def _has_all(words: Sequence[str], text: str) -> bool:
    """Return whether a text has all words, in the singular or as they are."""
    return all(contains(word, text) or contains(word.rstrip("s"), text) for word in words)


_LEFT_OUT = frozenset({"of", "the", "left", "in", "is", "are", "our", "your"})


def _nearby(content: VisibleContent, words: Sequence[str]) -> list[str]:
    """Return the short texts of elements around a word: a label and its number in two boxes."""
    return [
        holder.text
        for passage in content.passages
        if words and contains(words[0], passage.text)
        for holder in list(content.layout.above(passage))[:2]
        if len(holder.text) <= 80
    ]


def _downloaded(condition: Downloaded, events: Sequence[PageEvent]) -> Judged:
    """Judge the latest file of that name, or the latest of all."""
    files = [event for event in events if event.kind is PageEventKind.DOWNLOAD]
    named = [event for event in files if not condition.name or _is_called(condition.name, event)]
    if not named:
        others = ", ".join(f"'{event.text}'" for event in files[-3:])
        came = f"; downloaded was {others}" if others else ""
        return Judged(truth=False, reason=f"no file '{condition.name}' was downloaded{came}")
    event = named[-1]
    if error := event.details.get("error"):
        return Judged(truth=False, reason=f"the download of '{event.text}' failed: {error}")
    if not condition.text and condition.rows is None:
        return Judged(truth=True, reason=f"'{event.text}' was downloaded")
    content = event.details.get("content")
    if not isinstance(content, str):
        size = event.details.get("bytes")
        return Judged(reason=f"'{event.text}' ({size} bytes) is no text that can be read here")
    if condition.rows is not None:
        return _rows_of(event.text, content, condition.rows)
    return _text_in(event, content, condition.text)


def _text_in(event: PageEvent, content: str, text: str) -> Judged:
    is_in = contains(text, content) or text in content
    reason = f"'{event.text}' {'has' if is_in else 'does not have'} '{text}'"
    if not is_in and event.details.get("cut"):
        return Judged(reason=f"{reason} in its first part")
    return Judged(truth=is_in, reason=reason)


def _is_called(name: str, event: PageEvent) -> bool:
    return plain(name) == plain(event.text) or plain(name) == plain(event.text.rpartition(".")[0])


def _rows_of(name: str, content: str, wanted: int) -> Judged:
    """Compare the rows of a file; some people count its head and some do not."""
    try:
        data = json.loads(content)
    except ValueError:
        rows = [row for row in csv.reader(io.StringIO(content)) if any(c.strip() for c in row)]
        total = len(rows)
        has_head = total > 1 and not any(first_number(cell) is not None for cell in rows[0])
        counted = total - 1 if has_head else total
        if wanted == total != counted:
            return Judged(reason=f"'{name}' has {counted} rows and a head")
    else:
        items = cast("list[Any]", data) if isinstance(data, list) else []
        counted = len(items)
    return Judged(
        truth=counted == wanted, reason=f"'{name}' has {counted} rows; asked for {wanted}"
    )


def _page_sound(
    condition: PageSound, content: VisibleContent, before: Sequence[PageView]
) -> Judged:
    if condition.part == "images":
        return _images_loaded(content)
    kinds = (PageEventKind.CONSOLE_ERROR, PageEventKind.PAGE_ERROR)
    errors = [e for view in (*before, content.view) for e in view.events if e.kind in kinds]
    if errors:
        return Judged(truth=False, reason=f"{len(errors)} errors: '{errors[0].text[:200]}'")
    return Judged(truth=True, reason="scripts reported no errors")


def _images_loaded(content: VisibleContent) -> Judged:
    pictures = [e for e in content.view.snapshot.elements if e.tag == "img" and e.visible]
    broken = [e for e in pictures if _is_broken(e)]
    if broken:
        names = ", ".join(in_words(e) for e in broken[:3])
        ids = tuple(e.id for e in broken)
        return Judged(truth=False, reason=f"not loaded: {names}", elements=ids)
    if not pictures:
        return Judged(reason="there is no picture on the page")
    return Judged(truth=True, reason=f"all {len(pictures)} pictures are loaded")


def _is_broken(element: Element) -> bool:
    return element.attributes.get("loaded") == "false"

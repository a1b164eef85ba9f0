"""Labels and values that only stand beside each other: "Members", "4", "Topics", "6"."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from sparring.model.page import Box, Element

_MOST_LABEL_WORDS = 5
_MOST_VALUE_WORDS = 12
_FEWEST_PAIRS = 2
_NUMBER = re.compile(r"[-+−]?[£$€]?\d[\d.,]*\s?[%£$€]?")
_VALUE = re.compile(r"\d|^(?:none|null|n/a|yes|no|true|false|–|-|—)$", re.I)


def pair_texts(elements: Sequence[Element]) -> Iterator[tuple[Element, Element]]:
    """Yield each label with its value, from runs of texts in which they alternate.

    Whether a run begins with a label or a value shows in its numbers: in "4 Members 6 Topics" the
    value comes first. A run that may be read both ways gives nothing.
    """
    for run in _runs(elements):
        if len(run) % 2 or len(run) < 2 * _FEWEST_PAIRS:
            continue
        pairs = list(zip(run[::2], run[1::2], strict=True))
        if _are_pairs([label for label, _ in pairs], [value for _, value in pairs]):
            yield from pairs
        elif _are_pairs([label for _, label in pairs], [value for value, _ in pairs]):
            yield from ((label, value) for value, label in pairs)


def _runs(elements: Sequence[Element]) -> Iterator[list[Element]]:
    """Yield the texts that follow each other in the same part, nothing else between them."""
    run: list[Element] = []
    for element in elements:
        goes_on = element.role == "text" and (not run or run[-1].parent == element.parent)
        if goes_on:
            run.append(element)
            continue
        if run:
            yield run
        run = [element] if element.role == "text" else []
    if run:
        yield run


def _are_pairs(labels: Sequence[Element], values: Sequence[Element]) -> bool:
    texts = [label.text.strip(" :") for label in labels]
    short = all(0 < len(text.split()) <= _MOST_LABEL_WORDS for text in texts)
    named = not any(_NUMBER.fullmatch(t) or t.endswith((".", "!", "?")) for t in texts)
    brief = all(len(value.text.split()) <= _MOST_VALUE_WORDS for value in values)
    # at least half of the values must look like values: two columns of words are no pairs
    shaped = sum(bool(_VALUE.search(value.text.strip())) for value in values)
    by_colon = all(label.text.rstrip().endswith(":") for label in labels)
    distinct = len(set(texts)) == len(texts)
    return short and named and brief and distinct and (by_colon or 2 * shaped >= len(values))


_MOST_TILE_WORDS = 4
_TILE_GAP = 30
"""Pixels between the number of a tile and its label, above or below it."""
_ALIGNED = 6
_MOST_TILES = 200
"""A page with more numbers than that lists data, and each is compared with all labels."""
_QUANTITY = re.compile(r"[-+−]?[£$€]?\d[\d.,]*\s?(?:[%£$€]|[a-zA-Z]{1,5})?")


def pair_tiles(elements: Sequence[Element]) -> Iterator[tuple[Element, Element]]:
    """Yield each label with the number of the tile that it is drawn in: "Orders" above "12".

    Label and number are the nearest to each other, on the same side in at least two tiles.
    """
    texts = [e for e in elements if e.role == "text" and not e.row and e.box is not None]
    numbers = [e for e in texts if _QUANTITY.fullmatch(e.text.strip())]
    labels = list(filter(_may_label, texts)) if len(numbers) <= _MOST_TILES else []
    sides: dict[str, list[tuple[Element, Element]]] = {}
    for number in numbers:
        near = _nearest(number, labels)
        if near is not None and (back := _nearest(near[0], numbers)) and back[0] is number:
            sides.setdefault(near[1], []).append((near[0], number))
    for pairs in sides.values():
        if len(pairs) >= _FEWEST_PAIRS:
            yield from pairs


def _may_label(element: Element) -> bool:
    text = element.text
    is_short = 0 < len(text.split()) <= _MOST_TILE_WORDS
    return is_short and not re.search(r"\d", text) and re.search(r"[^\W\d_]{2}", text) is not None


def _nearest(element: Element, others: Sequence[Element]) -> tuple[Element, str] | None:
    """Return the nearest of other texts and its side, if no other one is as near."""
    placed = [(*place, o) for o in others if (place := _place(element.box, o.box))]
    placed.sort(key=lambda place: place[0])
    if not placed or (len(placed) > 1 and placed[1][0] < placed[0][0] + 1):
        return None
    return placed[0][2], placed[0][1]


_STACK_GAP = 12
"""Pixels between a label and the value that is set below it."""
_MOST_STACKED = 60


def pair_stacked(elements: Sequence[Element]) -> Iterator[tuple[Element, Element]]:
    """Yield each label in small letters or capitals with the text right below it: "DUE", "Jan. 5".

    At least two of them have to be set alike; a heading labels nothing, nor does what is clicked.
    """
    texts = [e for e in elements if e.role == "text" and e.box is not None and e.text.strip()]
    pairs = [
        (label, below)
        for label in _labels_among(texts, elements)
        if (below := _right_below(label, texts)) is not None
    ]
    alike = Counter(_height(label) for label, _ in pairs)
    yield from (pair for pair in pairs if alike[_height(pair[0])] >= _FEWEST_PAIRS)


def _labels_among(texts: Sequence[Element], elements: Sequence[Element]) -> list[Element]:
    clickable = {e.id for e in elements if e.interactive or e.role in _NO_LABELS}
    return [e for e in texts if _may_label(e) and e.parent not in clickable][:_MOST_STACKED]


_NO_LABELS = frozenset({"heading", "link", "button", "tab", "option", "menuitem", "columnheader"})


def _right_below(label: Element, texts: Sequence[Element]) -> Element | None:
    """Return the only text right below a label, if it is set in another way than the label."""
    near = [e for e in texts if e.id != label.id and _lies_below(label.box, e.box)]
    if len(near) != 1:
        return None
    value = near[0]
    is_smaller = _height(label) < _height(value) - 1
    is_capital = label.text.isupper() and not (value.text.isupper() and len(value.text) > 3)
    brief = len(value.text.split()) <= _MOST_VALUE_WORDS
    return value if brief and (is_smaller or is_capital) else None


def _height(element: Element) -> int:
    return round(element.box.height) if element.box else 0


def _lies_below(box: Box | None, other: Box | None) -> bool:
    if box is None or other is None:
        return False
    gap = other.y - (box.y + box.height)
    return abs(box.x - other.x) <= _ALIGNED and -2 <= gap <= _STACK_GAP


def _place(box: Box | None, other: Box | None) -> tuple[float, str] | None:
    """Return how far above or below another box is in the same column; `None` if it is not."""
    if box is None or other is None:
        return None
    middle, centre = box.x + box.width / 2, other.x + other.width / 2
    in_column = abs(box.x - other.x) <= _ALIGNED or abs(middle - centre) <= _ALIGNED
    above, below = box.y - (other.y + other.height), other.y - (box.y + box.height)
    gap = max(above, below)
    if in_column and -_ALIGNED <= gap <= _TILE_GAP:
        return max(gap, 0.0), "above" if above > below else "below"
    return None

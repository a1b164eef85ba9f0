"""Act on things by their order: click them in order, sort them, move one to a place, choose."""

import re
from collections.abc import Callable, Sequence

from sparring.model.page import Box, Element
from sparring_plugins.web.grammar.free.words import FREE
from sparring_plugins.web.pages.controls import takes_clicks
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.runner.clauses.page_hands import (
    ClauseNotMet,
    PageHands,
    called,
    nth_index,
    only,
)
from sparring_plugins.web.runner.clauses.reading import Clause, table

_NUMBER = re.compile(r"[-−]?\d+(?:[.,]\d+)*")
_DOWNWARDS = frozenset({"descending", "decreasing"})
# "the 200th result" turns pages; it is given up before it reads a whole catalogue.
_MOST_PAGES = 10


def _key(things: str) -> Callable[[str], float | str | None]:
    """Return what texts are ordered by; None for a text that is no such thing."""
    if things.casefold() == "numbers":
        return lambda text: _number(text) if _NUMBER.fullmatch(text.strip()) else None
    return lambda text: plain(text) or None


def _number(text: str) -> float:
    return float(text.strip().replace("−", "-").replace(",", ""))


async def click_in_order(page: PageHands, clause: Clause) -> None:
    """Click on all things of a kind, each once, in order of their numbers or words."""
    things = clause.text("things").casefold()
    key = _key(things)
    controls = [e for e in page.controls() if key(e.text) is not None]
    if len(controls) < 2:
        raise ClauseNotMet(f"there are no {things} to click on")
    downwards = clause.text("order").casefold() in _DOWNWARDS
    for element in _sorted(controls, key, downwards=downwards):
        # pages draw what is left anew after each click
        twins = [e for e in page.controls() if called(e, element.text)]
        now = next((e for e in twins if e.id == element.id), None)
        await page.click(now or only(twins, f"'{element.text}'"), "the next in order")


def _sorted(
    elements: Sequence[Element], key: Callable[[str], float | str | None], *, downwards: bool
) -> list[Element]:
    return sorted(elements, key=lambda e: key(e.text), reverse=downwards)  # type: ignore[arg-type,return-value]


def _items(page: PageHands, parent: str | None = None) -> list[Element]:
    """Return the items of the one list on the page, or of that in which an item lies."""
    items = [e for e in page.visible() if e.role in ("listitem", "row", "option") and e.box]
    parents = {e.parent for e in items} if parent is None else {parent}
    if len(parents) != 1:
        raise ClauseNotMet(f"{len(parents) or 'no'} lists are on the page")
    return [e for e in items if e.parent in parents]


async def sort_by_drag(page: PageHands, clause: Clause) -> None:
    """Drag the items of a list until they stand in order."""
    key = _key(clause.text("things"))
    downwards = clause.text("order").casefold() in _DOWNWARDS
    items = _items(page)
    if any(key(e.text) is None for e in items):
        raise ClauseNotMet("not all items of the list are of that kind")
    for index, wanted in enumerate(_sorted(items, key, downwards=downwards)):
        await _move(page, wanted.id, index, items[0].parent)


async def drag_to_place(page: PageHands, clause: Clause) -> None:
    """Drag an item of a list or grid to another place in it."""
    named = [e for e in _all_items(page) if called(e, clause.text("name"))]
    item = only(named, f"items '{clause.text('name')}'")
    items = _items(page, item.parent)
    index = _index_of(clause, item, items)
    if not 0 <= index < len(items):
        raise ClauseNotMet("there is no such place in the list")
    await _move(page, item.id, index, item.parent)


def _all_items(page: PageHands) -> list[Element]:
    return [e for e in page.visible() if e.role in ("listitem", "row", "option") and e.box]


def _index_of(clause: Clause, item: Element, items: Sequence[Element]) -> int:
    place = clause.text("place").casefold()
    now = next(index for index, e in enumerate(items) if e.id == item.id)
    columns = len({round(_box(e).x) for e in items})
    if place in ("up", "down", "left", "right"):
        said = clause.text("count").casefold()
        by = int(said) if said.isdigit() else table().numbers[said]
        way = columns if place in ("up", "down") else 1
        return now + (way * by if place in ("down", "right") else -way * by)
    if place in ("top", "bottom") and columns == 1:
        return 0 if place == "top" else len(items) - 1
    if re.fullmatch(table().fragments["nth"], place):
        index = nth_index(place)
        return index if index >= 0 else len(items) - 1
    return _grid_index(place, len(items), columns)


def _grid_index(place: str, count: int, columns: int) -> int:
    """Return the index of "bottom center" in a grid."""
    rows = count // columns
    words = re.split(r"[ -]", place)
    vertical = {"top": 0, "upper": 0, "bottom": rows - 1, "lower": rows - 1}
    across = {"left": 0, "right": columns - 1}
    row = next((vertical[w] for w in words if w in vertical), rows // 2)
    column = next((across[w] for w in words if w in across), columns // 2)
    is_middle = len(words) == 1 or any(w in ("center", "centre", "middle") for w in words)
    if is_middle and (rows % 2 == 0 or columns % 2 == 0):
        raise ClauseNotMet("the grid has no middle")
    return row * columns + column


def _box(element: Element) -> Box:
    if element.box is None:
        raise ClauseNotMet(f"'{element.text}' has no place on the page")
    return element.box


async def _move(page: PageHands, item: str, index: int, parent: str | None) -> None:
    """Drag an item to the place of another one, a little beyond it; sees whether it is there."""
    items = _items(page, parent)
    now = next((i for i, e in enumerate(items) if e.id == item), None)
    if now is None:
        raise ClauseNotMet("the item went away")
    if now == index:
        return
    start, goal = _box(items[now]), _box(items[index])
    x, y = goal.x - start.x, goal.y - start.y
    # lists make room as soon as an item lies over most of another one
    beyond = 0.15 if index > now else -0.15
    x += beyond * start.width if abs(x) > 1 else 0
    y += beyond * start.height if abs(y) > 1 else 0
    await page.drag(items[now], x, y, f"to place {index + 1}")
    after = [e.id for e in _items(page, parent)]
    if item in after and (place := after.index(item)) != index:
        raise ClauseNotMet(f"after the drag it lies at place {place + 1} and not {index + 1}")


_MONEY = re.compile(r"[$€£]\s?(\d[\d,]*(?:\.\d+)?)|(\d[\d,]*(?:\.\d+)?)\s?(?:€|EUR|USD|GBP)")
# "2h 30m", "45 min".
_DURATION = re.compile(r"(?:(\d+) ?h(?:ours?|rs?)?)?(?: ?(\d+) ?m(?:in(?:ute)?s?)?)?\b", re.I)
_CHEAP = frozenset({"price", "cost", "fare", "fee", "rate"})
_TIMES = frozenset({"duration", "time", "length", "runtime"})
_LEAST = frozenset(
    ("shortest", "cheapest", "lowest", "smallest", "fewest", "least", "least expensive")
) | {"least costly"}
_BY_PRICE = frozenset({"cheapest", "dearest", "priciest"})


async def choose_extreme(page: PageHands, clause: Clause) -> None:
    """Press the one button of the row or card with the smallest or largest amount."""
    most = clause.text("most").casefold()
    by_price = most in _BY_PRICE or most.endswith(("expensive", "costly"))
    what = clause.text("what").casefold() or ("price" if by_price else "duration")
    rows: dict[str, list[Element]] = {}
    for element in page.controls():
        if element.role in ("button", "link") and len(element.row.split()) > 1:
            rows.setdefault(element.row, []).append(element)
    values = {row: value for row in rows if (value := _amount(row, what)) is not None}
    if len(values) < 2 or len(values) < len(rows):
        raise ClauseNotMet(f"there are no rows to compare by {what}")
    wanted = (min if most in _LEAST else max)(values.values())
    best = [row for row, value in values.items() if value == wanted]
    if len(best) != 1:
        raise ClauseNotMet(f"{len(best)} have the {most} {what}")
    await page.click(only(rows[best[0]], "buttons in that row"), f"the {most} {what}")


def _amount(row: str, what: str) -> float | None:
    """Return the price or duration of a row; None if it has none, or several."""
    if what in _CHEAP:
        found = {a or b for a, b in _MONEY.findall(row)}
        return _number(found.pop()) if len(found) == 1 else None
    if what in _TIMES:
        times = {(h, m) for h, m in _DURATION.findall(row) if h or m}
        hours, minutes = times.pop() if len(times) == 1 else ("", "")
        return int(hours or 0) * 60 + int(minutes or 0) if hours or minutes else None
    labelled = re.findall(rf"\b{re.escape(what)}s?\b\s*:?\s*([-\d.,]*\d)", row, re.I)
    return _number(labelled[0]) if len(labelled) == 1 else None


async def nth_result(page: PageHands, clause: Clause) -> None:
    """Click the n-th link of a list of results, which may stand on a further page of it."""
    left = nth_index(clause.text("nth"))
    if left < 0:
        raise ClauseNotMet("which result is the last is not known before all pages are seen")
    for number in range(1, _MOST_PAGES):
        results = await page.until(lambda: _results(page) or None, "there are no results")
        if left < len(results):
            await page.click(results[left], f"result {clause.text('nth')}")
            return
        left -= len(results)
        await page.click(_next_page(page, number + 1), f"page {number + 1} of the results")
    raise ClauseNotMet("there are not so many results")


def _results(page: PageHands) -> list[Element]:
    """Return the links that are results: most of one kind, and no numbers of pages."""
    kinds: dict[tuple[str, str], list[Element]] = {}
    for element in page.visible():
        name = plain(element.name or element.text)
        turns = name.isdigit() or name in (*FREE.next_names, *FREE.previous_names)
        turns = turns or name in (*FREE.first_names, *FREE.last_names)
        in_navigation = any(a.role == "navigation" for a in page.layout.above(element))
        if element.role == "link" and takes_clicks(element) and not turns and not in_navigation:
            kinds.setdefault((element.tag, element.attributes.get("class", "")), []).append(element)
    groups = sorted(kinds.values(), key=len, reverse=True)
    if len(groups) > 1 and len(groups[0]) == len(groups[1]):
        raise ClauseNotMet("it is not clear which links are the results")
    return groups[0] if groups else []


def _next_page(page: PageHands, number: int) -> Element:
    for element in page.controls():
        name = plain(element.name or element.text)
        if name in map(plain, FREE.next_names) and not element.disabled:
            return element
    numbers = [e for e in page.controls() if plain(e.name or e.text) == str(number)]
    return only(numbers, "ways to the next page")

"""Find a thing by its name, on this page or a further one, and act in its row, card or entry."""

import re
from collections.abc import Iterable, Sequence

from sparring.model.page import Element
from sparring_plugins.web.grammar.free.intent import Intent
from sparring_plugins.web.grammar.free.words import split_words, stem
from sparring_plugins.web.pages.controls import takes_clicks, takes_text
from sparring_plugins.web.pages.text_fit import contains, plain
from sparring_plugins.web.pages.weak.acts.finding import MOST_MOVES, Seeker
from sparring_plugins.web.runner.clauses.page_hands import (
    ClauseNotMet,
    PageHands,
    called,
    only,
)
from sparring_plugins.web.runner.clauses.reading import Clause, table

_NAMING = ("class", "id", "data-testid", "data-test", "data-action", "aria-label", "href")
# "firstName" as an id has the words "first" and "Name".
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_WHOLE_PARTS = frozenset({"list", "table", "grid", "rowgroup", "main", "form", "feed", "document"})
# A button that belongs to a text follows it closely; after sixteen elements another thing has
# begun.
_MOST_BEHIND = 16
# A name beside a control is short; a paragraph is no name.
_MOST_WORDS = 4


async def find(page: PageHands, clause: Clause) -> None:
    """Find the thing that a clause names, also on further pages; the last one if it names none."""
    if name := clause.text("name"):
        await find_named(page, name)


async def find_named(page: PageHands, name: str) -> None:
    """Remember where the only thing with a name stands; raises ClauseNotMet if there is none."""
    page.name = name
    seeker = Seeker(Intent(verb="open", words=name, said="find", quoted=True), insists=True)
    for _ in range(MOST_MOVES):
        if _anchors(page, name):
            break
        move = seeker.next_move(page.hands.task())
        if move is None:
            break
        for act in move.acts:
            await page.do(act, move.reason)
    page.holder = _only_anchor(page).id


async def press_in(page: PageHands, clause: Clause) -> None:
    """Press what a label names in the row of the thing found, or on its own page."""
    await _press(page, clause.text("label"))


async def mark(page: PageHands, clause: Clause) -> None:
    """Mark a thing by the control for that in its row, or on its own page."""
    await find(page, clause)
    await _press(page, clause.text("label"))


async def delete(page: PageHands, clause: Clause) -> None:
    """Delete the thing by the control for that in its row, or on its own page."""
    await find(page, clause)
    await _press(page, "delete")


async def reply(page: PageHands, clause: Clause) -> None:
    """Open the reply to the message found, write the text, and send it."""
    await find(page, clause)
    await _press(page, "reply")
    body = await page.until(lambda: _text_body(page), "no field for the text of the reply")
    await page.fill(body, clause.text("text"), "the text of the reply")
    await _send(page)


async def forward(page: PageHands, clause: Clause) -> None:
    """Forward the message found to somebody."""
    await find(page, clause)
    await _press(page, "forward")
    to = await page.until(lambda: _address_line(page), "no field for whom to forward it to")
    await page.fill(to, clause.text("to"), "whom it is forwarded to")
    await _send(page)


async def in_row(page: PageHands, clause: Clause) -> None:
    """Press a control in the first row, card or post that has a name."""
    await find(page, clause)
    await _press(page, clause.text("label"))


async def for_each(page: PageHands, clause: Clause) -> None:
    """Press the same control in several rows, cards or posts that have a name."""
    name, said = clause.text("name"), clause.text("count").casefold()
    anchors = _anchors(page, name)
    numbers = table().numbers
    count = int(said) if said.isdigit() else numbers.get(said, len(anchors))
    if not anchors or len(anchors) < count:
        raise ClauseNotMet(f"there are {len(anchors)} of '{name}' and not {count}")
    for anchor in anchors[:count]:
        control = _pick(_near(page, anchor), clause.text("label"))
        if control is None:
            raise ClauseNotMet(f"'{clause.text('label')}' is not beside each '{name}'")
        await page.click(control, f"beside '{name}'")


def _anchors(page: PageHands, name: str) -> list[Element]:
    """Return the texts that are a name; if there are none, those that have it as whole words."""
    texts = [e for e in page.visible() if e.role == "text"]
    exact = [e for e in texts if called(e, name)]
    return exact or [e for e in texts if contains(name, e.text) and not _is_control(page, e)]


def _is_control(page: PageHands, text: Element) -> bool:
    """Return whether a text is that of a button: "Block @ida" is no post of @ida."""
    parents = list(page.layout.above(text))
    return bool(parents) and parents[0].role in ("button", "menuitem", "option", "listitem")


def _only_anchor(page: PageHands) -> Element:
    anchors = _anchors(page, page.name)
    places = {_place(page, anchor) for anchor in anchors}
    if len(places) > 1:
        raise ClauseNotMet(f"{len(places)} things on the page are called '{page.name}'")
    if not anchors:
        raise ClauseNotMet(f"'{page.name}' is on no page that was looked at")
    return anchors[0]


def _place(page: PageHands, anchor: Element) -> str:
    holder = _holder(page, anchor)
    return holder.id if holder else anchor.row or anchor.id


def _holder(page: PageHands, anchor: Element) -> Element | None:
    """Return the row or card around a text: the innermost part that has a control or is one."""
    layout = page.layout
    for above in layout.above(anchor):
        if above.role in _WHOLE_PARTS:
            return None
        has_control = any(takes_clicks(e) and layout.holds(above, e) for e in layout.by_id.values())
        if has_control or (takes_clicks(above) and above.role not in ("link", "heading")):
            return above
    return None


def _near(page: PageHands, anchor: Element, *, hidden: bool = False) -> list[Element]:
    """Return the controls of the row or card of a text, also where pages give it no such part."""
    layout = page.layout
    usable = [e for e in page.elements if (e.visible or hidden) and not takes_text(e)]
    usable = [e for e in usable if takes_clicks(e)]
    if (holder := _holder(page, anchor)) is not None:
        return [e for e in usable if layout.holds(holder, e)]
    if anchor.row:
        return [e for e in usable if _row_of(page, e) == anchor.row]
    return _behind(page, anchor, usable)


def _row_of(page: PageHands, element: Element) -> str:
    """Return the row of an element, or that of the folded menu that it lies in."""
    rows = (e.row for e in (element, *page.layout.above(element)) if len(e.row.split()) > 1)
    return next(rows, "")


def _behind(page: PageHands, anchor: Element, usable: Sequence[Element]) -> list[Element]:
    """Return the controls behind a heading, up to the next heading.

    Entries of a directory are often a name with lines below it and nothing around them.
    """
    elements = list(page.visible())
    start = next((i for i, e in enumerate(elements) if e.id == anchor.id), len(elements))
    ids: set[str] = set()
    for element in elements[start + 1 : start + 1 + _MOST_BEHIND]:
        if element.role == "heading" or element.role in _WHOLE_PARTS:
            break
        ids.add(element.id)
    return [e for e in usable if e.id in ids]


def _words_of(element: Element, lines: Iterable[Element]) -> set[str]:
    """Return the stems of what an element is called, for people or by its author."""
    text = element.text if len(element.text.split()) <= _MOST_WORDS else ""
    names = [element.name, text, element.title, element.label, element.column]
    names += [element.attributes.get(name, "") for name in _NAMING]
    # "Phone: 555-0100": the line around a link has its label
    shown = element.text
    labelled = [e.text for e in lines if shown and e.text.endswith(shown) and ":" in e.text]
    names += [text.split(":")[0] for text in labelled]
    return {stem(word.casefold()) for name in names for word in _WORD.findall(name)}


def _pick(controls: Sequence[Element], label: str, lines: Sequence[Element] = ()) -> Element | None:
    """Return the control that a label names best; raises ClauseNotMet if several do."""
    exact = [e for e in controls if called(e, label)]
    if len(exact) == 1:
        return exact[0]
    wanted = [_meanings(word) for word in split_words(plain(label))]
    scores = [sum(bool(w & _words_of(e, lines)) for w in wanted) for e in controls]
    best = max(scores, default=0)
    if not best:
        return None
    found = [e for e, score in zip(controls, scores, strict=True) if score == best]
    # a button and the picture in it are one control
    inner = {e.parent for e in found}
    found = [e for e in found if e.id not in inner]
    if len(found) > 1:
        raise ClauseNotMet(f"{len(found)} controls may be '{label}'")
    return found[0]


def _meanings(word: str) -> set[str]:
    synonyms = table().synonyms.values()
    words = {word, *(other for group in synonyms if word in group for other in group)}
    return {stem(word) for word in words}


async def _press(page: PageHands, label: str) -> None:
    """Press a control of the thing found: in its row, behind its menu, or on its own page."""
    anchor = _only_anchor(page)
    near = _near(page, anchor)
    lines = [e for e in page.visible() if e.role == "text"]
    control = _pick(near, label, lines)
    if control is not None:
        return await page.click(control, f"in the row of '{page.name}'")
    if await _open_menu(page, anchor, near, label):
        return None
    holder = _holder(page, anchor)
    if holder is None:
        raise ClauseNotMet(f"nothing beside '{page.name}' is called '{label}'")
    before = {e.id for e in page.controls()}
    await page.click(holder, f"'{page.name}' itself")
    own = await page.until(
        lambda: _pick([e for e in page.controls() if e.id not in before], label),
        f"nothing on the page of '{page.name}' is called '{label}'",
    )
    return await page.click(own, f"on the page of '{page.name}'")


async def _open_menu(page: PageHands, anchor: Element, near: Sequence[Element], label: str) -> bool:
    """Press what is in the folded menu of a row; returns whether there is such a menu."""
    folded = [e for e in _near(page, anchor, hidden=True) if not e.visible]
    texts = [e for e in folded if called(e, label) or contains(label, _own_text(page, e))]
    opener = _pick(near, "more") if texts else None
    if opener is None:
        return False
    only(texts, f"entries '{label}' in that menu")
    await page.click(opener, f"the menu of '{page.name}'")
    # pages may draw the menu anew where it is shown
    shown = await page.until(
        lambda: next((e for e in page.controls() if called(e, label)), None),
        f"'{label}' is not in the menu",
    )
    await page.click(shown, f"in the menu of '{page.name}'")
    return True


def _own_text(page: PageHands, element: Element) -> str:
    """Return the text of a hidden element, which has none of its own to see."""
    layout = page.layout
    return " ".join(e.text for e in page.elements if e.role == "text" and layout.holds(element, e))


def _text_body(page: PageHands) -> Element | None:
    """Return the one large empty field, which takes the text of a message."""
    empty = [e for e in page.fields() if not e.value]
    large = [e for e in empty if e.tag == "textarea" or (e.editable and e.tag not in ("input", ""))]
    return large[0] if len(large) == 1 else None


def _address_line(page: PageHands) -> Element | None:
    """Return the empty field that is labelled "to", or else the only empty one of a line."""
    lines = [e for e in page.fields() if not e.value and e.tag == "input"]
    names = table().synonyms["address_line"]
    for element in lines:
        labels = (element.label, element.name, element.placeholder, element.adjacent)
        if any(plain(label).strip(" :*") in names for label in labels):
            return element
    return lines[0] if len(lines) == 1 else None


async def _send(page: PageHands) -> None:
    control = await page.until(lambda: _pick(page.controls(), "send"), "nothing sends it")
    await page.click(control, "sends it")

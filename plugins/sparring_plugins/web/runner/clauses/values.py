"""Take a value from the page, or work it out, and enter it into another field."""

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from sparring.model.page import Element
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.free.words import split_words, stem
from sparring_plugins.web.pages.controls import takes_clicks
from sparring_plugins.web.pages.layout import Layout
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.pages.weak.page.page_content import page_content
from sparring_plugins.web.runner.clauses.page_hands import (
    ClauseNotMet,
    PageHands,
    called,
    nth_index,
    only,
)
from sparring_plugins.web.runner.clauses.reading import Clause, table

_NUMBER = r"-?\d+(?:\.\d+)?"
_OPERATOR = r"[-+*/x×÷−]"
# "3 + 4 = ?" on the page.
_SUM = re.compile(rf"(?P<a>{_NUMBER}) *(?P<op>{_OPERATOR}) *(?P<b>{_NUMBER}) *=? *\??")
_EQUATION = re.compile(
    rf"(?P<a>[a-z]|{_NUMBER}) *(?P<op>[-+*/×÷−]) *(?P<b>[a-z]|{_NUMBER}) *= *(?P<c>{_NUMBER})"
)


def _is_large(kind: str) -> bool:
    return "area" in kind.casefold()


def _of_kind(fields: list[Element], kind: str) -> list[Element]:
    """Return the fields of the kind that the words name; all if it is just "the field"."""
    if _is_large(kind):
        return [e for e in fields if e.tag == "textarea"] or fields
    return [e for e in fields if e.tag != "textarea"] or fields


async def copy(page: PageHands, clause: Clause) -> None:
    """Take the text of a field, which may also be counted: "the second text area"."""
    fields = _of_kind(page.fields(), clause.text("kind"))
    if nth := clause.text("nth"):
        index = nth_index(nth)
        if index >= len(fields):
            raise ClauseNotMet(f"there are only {len(fields)} such fields")
        source = fields[index]
    else:
        source = only([e for e in fields if e.value], "such fields with a text")
    page.value, page.source = source.value or "", source.id


async def select_text(page: PageHands, clause: Clause) -> None:
    """Select the text of a paragraph or field, or the words that the sentence quotes."""
    wanted = clause.text("text")
    kind = clause.text("kind").casefold() or "text"
    if wanted:
        source = _holder_of(page, wanted)
    else:
        texts = [e for e in page.visible() if e.role == "paragraph"] or _texts(page)
        holders = texts if kind in ("paragraph", "text") else _of_kind(page.fields(), kind)
        source = _pick_nth(holders, clause.text("nth"))
    act = GuiAction(action="select_text", target=source.id, value=wanted or None)
    await page.do(act, "selects its text")


def _holder_of(page: PageHands, text: str) -> Element:
    """Return the innermost element with a text, best one that has nothing else."""
    exact = [e for e in page.visible() if text in (e.text, e.value or "")]
    holders = exact or [e for e in page.visible() if text in e.text or text in (e.value or "")]
    outer = {e.parent for e in holders}
    return only([e for e in holders if e.id not in outer], f"texts '{text}'")


def _pick_nth(holders: list[Element], nth: str) -> Element:
    if not nth:
        return only(holders, "such texts")
    index = nth_index(nth)
    if index >= len(holders):
        raise ClauseNotMet(f"there are only {len(holders)} such texts")
    return holders[index]


async def find_word(page: PageHands, clause: Clause) -> None:
    """Take the n-th word of a text, without the marks around it."""
    text = _text_of(page, clause.text("kind"))
    words = [word for word in (part.strip(".,;:!?\"'()") for part in text.split()) if word]
    index = nth_index(clause.text("nth"))
    if index >= len(words):
        raise ClauseNotMet(f"the text has only {len(words)} words")
    page.value = words[index]


def _text_of(page: PageHands, kind: str) -> str:
    if kind.casefold() in ("paragraph", "text"):
        paragraphs = [e for e in page.visible() if e.role == "paragraph"]
        return only(paragraphs or _texts(page), "paragraphs").text
    source = only([e for e in _of_kind(page.fields(), kind) if e.value], "fields with a text")
    page.source = source.id
    return source.value or ""


def _texts(page: PageHands) -> list[Element]:
    """Return the texts that are no names of controls or fields."""
    layout = page.layout
    return [
        e
        for e in page.visible()
        if e.role == "text"
        and not e.text.rstrip().endswith(":")
        and not any(takes_clicks(above) or above.role == "heading" for above in layout.above(e))
    ]


async def solve(page: PageHands, clause: Clause) -> None:
    """Work out the one sum or equation with one unknown that the page shows: "3 + 4 ="."""
    unknown = clause.text("unknown")
    texts = [e.text.strip() for e in _texts(page)]
    pattern = _EQUATION if unknown else _SUM
    found = [match for text in texts if (match := pattern.fullmatch(text))]
    if len(found) != 1:
        raise ClauseNotMet(f"{len(found) or 'no'} sums are on the page")
    parts = found[0].groupdict()
    result = _unknown(parts) if unknown else _apply(parts["op"], _num(parts["a"]), _num(parts["b"]))
    page.value = str(result) if result.denominator == 1 else f"{float(result):.10g}"


def _num(text: str) -> Fraction:
    return Fraction(text)


def _apply(op: str, a: Fraction, b: Fraction) -> Fraction:
    if op == "+":
        return a + b
    if op in "-−":
        return a - b
    if op in "*x×":
        return a * b
    if not b:
        raise ClauseNotMet("it divides by zero")
    return a / b


def _unknown(parts: dict[str, str]) -> Fraction:
    """Return what the letter stands for in "x - 8 = 27" or "8 - x = 3"."""
    op, total = parts["op"], _num(parts["c"])
    inverse = {"+": "-", "-": "+", "−": "+", "*": "/", "×": "/", "/": "*", "÷": "*"}
    if parts["a"].isalpha() and not parts["b"].isalpha():
        return _apply(inverse[op], total, _num(parts["b"]))
    if parts["b"].isalpha() and not parts["a"].isalpha():
        known = _num(parts["a"])
        if op in "-−/÷":
            return _apply(op, known, total)
        return _apply(inverse[op], total, known)
    raise ClauseNotMet("it has not one unknown")


async def enter_it(page: PageHands, clause: Clause) -> None:
    """Put the value taken or worked out into the only empty field of that kind."""
    if page.value is None:
        raise ClauseNotMet("nothing was copied or worked out")
    await page.fill(_goal(page, clause.text("kind")), page.value, "what was taken before")


def _goal(page: PageHands, kind: str) -> Element:
    fields = [e for e in page.fields() if e.id != page.source and not e.value]
    return only(_of_kind(fields, kind), "empty fields of that kind")


async def enter_text_below(page: PageHands, clause: Clause) -> None:
    """Type the only text of the page that belongs to no control: a code to repeat."""
    text = only(_texts(page), "texts that may be meant").text
    await page.fill(_goal(page, clause.text("kind")), text.strip(), "the text of the page")


async def enter_value_of(page: PageHands, clause: Clause) -> None:
    """Type what the page shows beside a label, in a table or a line."""
    goal = _goal(page, clause.text("kind"))
    await page.fill(goal, _fact(page, clause.text("name"), goal), "what stands beside that label")


def _fact(page: PageHands, label: str, goal: Element) -> str:
    """Return the one value beside a label; raises ClauseNotMet if there are none or several."""
    label = plain(label).strip(" :*")
    cells = [e for e in page.visible() if e.role in ("cell", "rowheader", "term")]
    # rows of a table without headings: a label and its value
    behind = pairwise(cells)
    values = {b.text.strip() for a, b in behind if called(a, label) and a.parent == b.parent}
    if not values:
        layout = page.layout
        pressed = {e.id for e in page.controls()}
        values = {
            fact.value
            for fact in page_content(page.hands.task().view).facts
            if plain(fact.label).strip(" :*") == label
            and fact.element != goal.id
            and pressed.isdisjoint((fact.element, *(e.id for e in _above(layout, fact.element))))
        }
    if len(values) != 1:
        raise ClauseNotMet(f"{len(values) or 'no'} values stand beside '{label}'")
    return values.pop()


def _above(layout: Layout, identifier: str | None) -> list[Element]:
    element = layout.by_id.get(identifier or "")
    return [] if element is None else list(layout.above(element))


async def enter_values_by_label(page: PageHands, clause: Clause) -> None:
    """Fill each empty field with what the page shows beside the same label elsewhere."""
    del clause
    entries: list[tuple[Element, str]] = []
    for element in page.fields():
        label = element.label or element.name or element.placeholder or element.adjacent
        if not element.value and label:
            entries.append((element, _fact(page, label, element)))
    if not entries:
        raise ClauseNotMet("no empty field has a label")
    for element, value in entries:
        await page.fill(element, value, "what stands beside the same label")


async def scroll_field(page: PageHands, clause: Clause) -> None:
    """Scroll within a field that has more text than it shows."""
    field = only(_of_kind(page.fields(), clause.text("kind")), "such fields")
    act = GuiAction(action="scroll", target=field.id, value=clause.text("end").casefold())
    await page.do(act, "to its end")


_FILLERS = frozenset(
    ("the", "a", "an", "from", "by", "in", "of", "with", "for", "and", "made", "written")
)


async def search_by_fields(page: PageHands, clause: Clause) -> None:
    """Fill a search form with several fields: "novels written by Holm from the year 1998".

    A word with the stem of a field's name ("directed": Director) is followed by its value. What is
    left in front of the noun belongs to the only field that is left.
    """
    fields = [e for e in page.fields() if not e.value]
    words = clause.text("words").split()
    entries, used = _named_entries(words, fields)
    left = [e for e in fields if e.id not in entries]
    rest = [w for i, w in enumerate(words) if i not in used and w.casefold() not in _FILLERS]
    if len(left) == 1 and len(rest) == 2:  # "hardback novels": the noun says what is searched for
        entries[left.pop().id] = rest.pop(0)
    if len(entries) < 2 or len(rest) > 1 or left:
        raise ClauseNotMet("the words do not tell what belongs in which field")
    for element in fields:
        await page.fill(element, entries[element.id], "a word of the search")
    await _start_search(page)


async def _start_search(page: PageHands) -> None:
    senders = ("search", *table().synonyms["send"])
    buttons = [e for e in page.controls() if any(called(e, name) for name in senders)]
    await page.click(only(buttons, "buttons that search"), "searches")


def _named_entries(
    words: Sequence[str], fields: Sequence[Element]
) -> tuple[dict[str, str], set[int]]:
    """Return the values that stand behind a field's name, by its id, and the words used up."""
    labels = {e.id: _field_stems(e) for e in fields}
    entries: dict[str, str] = {}
    used: set[int] = set()
    for index, word in enumerate(words):
        owners = [e.id for e in fields if any(_is_kin(word, name) for name in labels[e.id])]
        behind = index + 1
        while behind < len(words) and words[behind].casefold() in _FILLERS:
            behind += 1
        if len(owners) == 1 and behind < len(words) and _is_value(words[behind]):
            entries[owners[0]] = words[behind]
            used |= set(range(index, behind + 1))
    return entries, used


def _field_stems(element: Element) -> set[str]:
    names = (element.label, element.name, element.placeholder, element.adjacent)
    return {stem(word) for name in names for word in split_words(plain(name)) if len(word) > 3}


def _is_kin(word: str, name: str) -> bool:
    """Return whether two words have the same root: "directed", "director"."""
    low = stem(word.casefold())
    shared = min(len(low), len(name), 6)
    return shared >= 4 and low[:shared] == name[:shared]


def _is_value(word: str) -> bool:
    return word[:1].isupper() or word.strip(".").isdigit()

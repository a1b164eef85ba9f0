"""Numbers and amounts of money on a page: "the 'Total' is greater than 30"."""

from sparring.model.page import Element
from sparring_plugins.language.first_number import first_number
from sparring_plugins.web.pages.control_kinds import is_a
from sparring_plugins.web.pages.places import placed
from sparring_plugins.web.pages.text_fit import behind, contains, plain
from sparring_plugins.web.pages.truth import compare
from sparring_plugins.web.pages.visible_text import Shown
from sparring_plugins.web.roles.page_agents import Judged
from sparring_plugins.web.roles.step import Compared, Target


def compared(condition: Compared, shown: Shown) -> Judged:
    """Compare the number beside a label with a number, or with that beside another label."""
    left = number_of(condition.target, shown)
    if condition.other is not None:
        right = number_of(condition.other, shown)
    else:
        right = first_number(condition.number or "")
    for value, target in ((left, condition.target), (right, condition.other or condition.target)):
        if value is None:
            return Judged(truth=None, reason=f"there is no single number at '{target.text}'")
    if left is None or right is None:
        return Judged(truth=None, reason="there is no number to compare")
    truth = compare(left, condition.comparison, right)
    return Judged(
        truth=truth,
        reason=f"'{condition.target.text}' is {left:g}; {condition.comparison} {right:g}",
    )


def number_of(target: Target, shown: Shown) -> float | None:
    """The number that belongs to `target`; None where there is none, or several that differ.

    It is that of a field so called; or stands behind the words in the same text; or in the same
    row or list of terms; or in the next piece of text.
    """
    elements = [e for e in shown.view.snapshot.elements if e.visible and is_a(e, target.role)]
    kept, _ = placed(elements, target, shown.layout)
    finders = (_in_fields, _behind_words, _in_rows)
    for find in finders:
        values = set(find(target.text, list(kept)))
        if values:
            return values.pop() if len(values) == 1 else None
    return _in_next_piece(target.text, shown)


def _in_fields(words: str, elements: list[Element]) -> list[float]:
    fields = [e for e in elements if e.value and plain(words) in (plain(e.label), plain(e.name))]
    return _numbers([e.value or "" for e in fields])


def _behind_words(words: str, elements: list[Element]) -> list[float]:
    """Numbers behind the words in the smallest texts that have both."""
    texts = sorted({e.text for e in elements if contains(words, e.text)}, key=len)
    for text in texts[:5]:
        if (value := first_number(behind(words, text)[:60])) is not None:
            return [value]
    return []


def _in_rows(words: str, elements: list[Element]) -> list[float]:
    rows = {e.row for e in elements if e.row and contains(words, e.row)}
    return _numbers([behind(words, row) for row in rows])


def _in_next_piece(words: str, shown: Shown) -> float | None:
    pieces = shown.blocks
    found = [n for n, text in enumerate(pieces) if contains(words, text)]
    if len(found) != 1 or found[0] + 1 >= len(pieces):
        return None
    return first_number(pieces[found[0] + 1])


def _numbers(texts: list[str]) -> list[float]:
    return [value for text in texts if (value := first_number(text)) is not None]

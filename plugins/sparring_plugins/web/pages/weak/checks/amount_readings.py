"""Readings of statements about numbers beside a label, and of numbers in a shape: "1-5 of 12"."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from sparring.model.page import PageView
from sparring_plugins.web.grammar.free.number_phrases import read_number
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import (
    FREE,
    split_words,
    stem,
    stems,
    word_similarity,
)
from sparring_plugins.web.pages.predicates import compare
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.pages.weak.checks.answers import SAME, WeakAnswer, answer
from sparring_plugins.web.pages.weak.checks.measures import column_called, is_money, summed_row
from sparring_plugins.web.pages.weak.checks.property_readings import find_item, in_part
from sparring_plugins.web.pages.weak.page.page_content import Collection, PageContent

_DASHES = str.maketrans({"−": "-", "–": "-", "—": "-"})
_AMOUNT = re.compile(
    r"[-+]?\s?(?:[£$€]\s?)?\d{1,30}(?:[.,]\d{1,30}){0,6}(?:\s?(?:[£$€%]|[A-Z]{3}))?"
)


def read_amount(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The expenses add up to 340.50``: the only number beside the text that is the subject."""
    amounts = _AMOUNT.findall(s.unmask(s.complement).translate(_DASHES))
    label = [w for w in split_words(s.unmask(s.subject)) if w not in FREE.stop]
    if len(amounts) != 1 or not label or s.position or s.verb not in FREE.measuring:
        return None
    wanted = _number(amounts[0])
    # "the total is £90" below a column of guests and one of prices: the one with this sign
    values = set(_summed(label, is_money(amounts[0]), page)) or set(_beside(label, page))
    if wanted is None or _says_more(s, label) or len(values) != 1:
        return None
    shown = values.pop()
    if shown == -wanted and wanted != 0 and s.comparison == "==":
        return answer("amount", None, f"it is {shown:g}: whether the sign matters is not said")
    truth = compare(shown, s.comparison, wanted)
    return answer("amount", truth, f"{' '.join(label)}: {shown:g}", denies=s.denies)


_PRICES = ("price", "total", "sum", "value", "much", "paid", "fee")
_FIRST_AMOUNT = re.compile(rf"\s*({_AMOUNT.pattern})(?![\w:/-])")


def read_cost(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The ferry costs 12.50``: the amount in its row, in the only column that has amounts."""
    amounts = _AMOUNT.findall(s.unmask(s.complement))
    if s.verb not in ("costs", "cost") or len(amounts) != 1 or s.position:
        return None
    wanted = _number(amounts[0])
    thing = re.sub(r"^(?:that )?(?:the |an? )?", "", s.unmask(s.subject), flags=re.I)
    thing = re.sub(r" (?:now|still|again)$", "", thing)
    for table in page.tables:
        item, columns = find_item(thing, table), _price_columns(table)
        if item is None or len(columns) != 1 or wanted is None or columns[0] >= len(item.cells):
            continue
        shown = _first_amount(item.cells[columns[0]][1])
        if shown is not None:
            holds = compare(shown, s.comparison, wanted)
            truth = None if not holds and in_part(thing, item) else holds
            return answer("cost", truth, f"'{thing}': {shown:g}", denies=s.denies)
    return None


_OF_THING = re.compile(r"^(?:the )?[a-z][\w -]{0,40} of (?:the )?(?P<thing>[A-Z⟦].*)$")


def read_only_amount(
    s: Statement, page: PageContent, before: Sequence[PageView]
) -> WeakAnswer | None:
    """``The debt of Ida is -4.00``: the only amount in her row of a table without headings.

    As nothing says what the amount is, another one shows nothing.
    """
    match = _OF_THING.match(s.subject)
    wanted = _number(s.unmask(s.complement)) if _is_amount(s.unmask(s.complement)) else None
    if match is None or wanted is None or s.verb not in ("is", "was") or s.denies:
        return None
    for table in page.tables:
        item = find_item(s.unmask(match["thing"]), table)
        cells = [text for _, text in item.cells if _is_amount(text)] if item else []
        if table not in page.main_tables and len(cells) == 1 and _number(cells[0]) == wanted:
            return answer("only amount", True, f"the only amount of its row is {cells[0].strip()}")
    return None


def _first_amount(text: str) -> float | None:
    match = _FIRST_AMOUNT.match(text.translate(_DASHES))
    return _number(match[1]) if match else None


def _price_columns(table: Collection) -> list[int]:
    """Return the columns of which each cell begins with an amount, and is one of money."""
    columns: list[int] = []
    for index, head in enumerate(table.columns):
        cells = [item.cells[index][1] for item in table.data if index < len(item.cells)]
        is_amount = bool(cells) and all(_first_amount(cell) is not None for cell in cells)
        has_cents = all(re.search(r"[£$€]|\d[.,]\d\d(?!\d)", cell) for cell in cells)
        named = any(
            word_similarity(w, price) >= SAME for w in split_words(head) for price in _PRICES
        )
        if is_amount and (has_cents or named):
            columns.append(index)
    return columns


def _says_more(s: Statement, label: Sequence[str]) -> bool:
    skipped = {*label, *FREE.measure_fillers, *FREE.statements}
    return any(word not in skipped and read_number(word) is None for word in s.words)


def _number(text: str) -> float | None:
    bare = re.sub(r"[\s£$€%A-Z+]", "", text.translate(_DASHES))
    value = read_number(bare.lstrip("-"))
    return None if value is None else (-value if bare.startswith("-") else value)


def _is_amount(text: str) -> bool:
    return _AMOUNT.fullmatch(text.translate(_DASHES).strip()) is not None


def _beside(label: Sequence[str], page: PageContent) -> Iterator[float]:
    """Yield the numbers that stand beside a text which is the label: in its row or on its line."""
    wanted = tuple(map(stem, label))
    for head, value in _neighbours(page):
        if _is_label(wanted, head) and _is_amount(value) and (n := _number(value)) is not None:
            yield n


def _neighbours(page: PageContent) -> Iterator[tuple[str, str]]:
    """Yield each text with the one right behind it, and each label with its value."""
    groups = [[text for _, text in item.cells] for table in page.tables for item in table.items]
    groups += [[e.text for e in line] for line in page.visible.lines]
    groups += [item.text.split("\n") for group in page.lists for item in group.items]
    for texts in groups:
        yield from pairwise([" ".join(text.split()) for text in texts if text.strip()])
    yield from ((f.label, f.value) for f in page.facts if not f.is_entered and not f.row)


def _summed(label: Sequence[str], money: bool, page: PageContent) -> Iterator[float]:
    """Yield the amounts of a last row that sums columns up: of the column named, or of this kind.

    "The total number of guests" names a column; "the total" alone is of money or of other things.
    """
    if not set(label) & FREE.summing:
        return
    named = [
        w for w in label if w not in FREE.summing | FREE.measure_fillers | {"number", "amount"}
    ]
    for table in page.tables:
        cells = summed_row(table)
        if sum(map(_is_amount, cells)) > 1:
            values = (_number(text) for text in _cells_summed(named, money, table) if text)
            yield from (value for value in values if value is not None)


def _cells_summed(named: Sequence[str], money: bool, table: Collection) -> Sequence[str]:
    cells = [text if _is_amount(text) else "" for text in summed_row(table)]
    column = column_called(named, table) if named else None
    if column is not None:
        return cells[column : column + 1]
    return [] if named else [text for text in cells if is_money(text) is money]


def _is_label(wanted: tuple[str, ...], text: str) -> bool:
    return stems(text.strip(" :*")) == wanted


# Shapes

_SHAPE = re.compile(
    r"(?<![\w./])\d{1,9}(?:\s?[-–]\s?\d{1,9})?\s?(?:of|/|×|x|by)\s?\d{1,9}(?![\w.]|/\d)"
)


def read_shape(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The pager says 6-10 of 12``, ``2 of 3 are open``: the only text of this shape."""
    if s.quoted or s.position or s.comparison != "==":
        return None
    shapes = _SHAPE.findall(s.low)
    if len(shapes) != 1:
        return None
    wanted = _normal(shapes[0])
    shown = {
        _normal(match)
        for line in page.text_lines
        for match in _SHAPE.findall(plain(line))
        if _kind(_normal(match)) == _kind(wanted)
    }
    if wanted in shown:
        truth = True if len(shown) == 1 or not s.denies else None
    else:
        truth = False if len(shown) == 1 else None
    if not shown:
        return None
    return answer("shape", truth, f"the page has {', '.join(sorted(shown)[:3])}", denies=s.denies)


def _normal(text: str) -> str:
    return re.sub(r"\s", "", text.translate(_DASHES).replace("by", "×").replace("x", "×"))


def _kind(text: str) -> str:
    return re.sub(r"\d+", "#", text)

"""Readings of the numbers in the row of a thing, and of a list with a single entry."""

import re
from collections.abc import Sequence

from sparring.model.page import PageView
from sparring_plugins.web.grammar.free.number_phrases import read_number
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import (
    FREE,
    LIST_JOINT,
    content,
    split_words,
    stem,
    stems,
)
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.pages.weak.checks.answers import WeakAnswer, answer
from sparring_plugins.web.pages.weak.checks.count_readings import shows_a_part
from sparring_plugins.web.pages.weak.checks.property_readings import find_item, in_part
from sparring_plugins.web.pages.weak.page.page_content import Collection, Item, PageContent

_NUMBER_OF = re.compile(r"(?:exactly |just |a total of )?(?P<number>\S+) (?P<label>[a-z][a-z -]*)")
#: "a Spanish book of 17 words": its kinds, what it is, and a number
_KIND_OF = re.compile(
    r"an? (?P<kinds>(?:[\w-]+ )*)(?P<noun>[a-z-]+) (?:of|with) (?P<number>\S+) (?P<label>[a-z -]+)"
)
#: "a single book in the list, 'Heron'", "only one boat is listed: 'Heron'"
_SINGLE = re.compile(
    r"(?:there (?:is|should be|must be) )?(?:a single|(?:exactly |only |just )one) "
    r"(?P<noun>[a-z]+(?: [a-z]+)?)(?: (?:is|should be))?(?: (?:left|listed|shown|found|displayed))?"
    r"(?: (?:in|on) the (?:list|table|results?|overview))?(?:,|:| -) (?P<name>⟦\d+⟧)",
    re.I,
)
_WHOLE_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+|\d+")


def read_numbers(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``German has 2 books and 4 terms``: the numbers in its row, below these headings."""
    if s.verb not in ("has", "have", "had") or s.comparison != "==":
        return None
    parts = [_NUMBER_OF.fullmatch(part) for part in LIST_JOINT.split(s.complement)]
    wanted = [(match["number"], match["label"]) for match in parts if match]
    if len(wanted) < len(parts):
        return None
    answers = [a for table in page.tables if (a := _judge_numbers(s, wanted, (), table))]
    return answers[0] if len({a.truth for a in answers}) == 1 else None


def read_kind_with_number(
    s: Statement, page: PageContent, before: Sequence[PageView]
) -> WeakAnswer | None:
    """``Heron is a Dutch boat with 4 oars``: the number in its row, and cells with these kinds."""
    match = _KIND_OF.fullmatch(s.complement)
    if match is None or s.verb not in ("is", "was") or s.comparison != "==":
        return None
    if not _speaks_of(page, match["noun"]):
        return None
    wanted = [(match["number"], match["label"])]
    kinds = match["kinds"].split()
    answers = [a for table in page.tables if (a := _judge_numbers(s, wanted, kinds, table))]
    return answers[0] if len({a.truth for a in answers}) == 1 else None


def _speaks_of(page: PageContent, noun: str) -> bool:
    """Return whether a page has the word for a kind of thing: a harbour has no "plane"."""
    heads = (head for table in page.tables for head in table.columns)
    shown = {stem(word) for word in split_words(" ".join((page.text, *heads)))}
    return {stem(word) for word in content(noun)} <= shown


def _judge_numbers(
    s: Statement, wanted: Sequence[tuple[str, str]], kinds: Sequence[str], table: Collection
) -> WeakAnswer | None:
    thing = re.sub(
        r"^(?:the|an?) ", "", s.quoted[0] if s.quoted else s.unmask(s.subject), flags=re.I
    )
    row = find_item(thing, table)
    if row is None or in_part(thing, row):
        return None
    facts = [_has_number(number, label, row, table) for number, label in wanted]
    facts += [_has_kind(kind, row, table) for kind in kinds]
    if None in facts and False not in facts:
        return None
    reason = f"its row is '{' '.join(row.text.split())[:80]}'"
    return answer("numbers", all(facts), reason, denies=s.denies)


def _has_number(said: str, label: str, row: Item, table: Collection) -> bool | None:
    """Return whether the cell below a heading is this number; `None` if it is no whole number."""
    columns = [n for n, head in enumerate(table.columns) if _counts(head, label)]
    number = read_number(said)
    if number is None or len(columns) != 1 or columns[0] >= len(row.cells):
        return None
    shown = row.cells[columns[0]][1].strip()
    return float(shown.replace(",", "")) == number if _WHOLE_NUMBER.fullmatch(shown) else None


def _counts(head: str, label: str) -> bool:
    """Return whether a column has the numbers of things: 'Word count' or 'Words' of "words".

    'Order' may hold the number of each order, and not how many there are.
    """
    words = split_words(head)
    measures = [word for word in words if word in FREE.counting]
    counted = [word for word in words if word not in FREE.counting]
    is_count = bool(measures) or any(word.endswith("s") and stem(word) != word for word in counted)
    return bool(counted) and is_count and {stem(w) for w in counted} == set(stems(label))


def _has_kind(kind: str, row: Item, table: Collection) -> bool | None:
    """Return whether a cell says what a thing is: not if another row has that in its column."""
    cells = [plain(text) for _, text in row.cells]
    if plain(kind) in cells:
        return True
    columns = {
        n
        for item in table.data
        for n, (_, text) in enumerate(item.cells)
        if plain(text) == plain(kind)
    }
    filled = len(columns) == 1 and all(n < len(cells) and cells[n].strip() for n in columns)
    return False if filled else None


def read_single(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``A single book in the list, "Heron"``: the only table has one row, that of the Heron."""
    match = _SINGLE.fullmatch(s.text)
    tables = [table for table in page.main_tables if table.columns]
    if match is None or len(tables) != 1 or shows_a_part(page):
        return None
    if not _speaks_of(page, match["noun"]):
        return None
    rows, name = tables[0].data, s.unmask(match["name"])
    row = find_item(name, tables[0])
    count = f"{len(rows)} rows are listed"
    if row is None or in_part(name, row):
        is_there = plain(name) in plain(page.text)  # in a part of a name, or beside the table
        return None if is_there else answer("single", False, f"{count}, none of them '{name}'")
    return answer("single", len(rows) == 1, f"{count}, one of them '{name}'")

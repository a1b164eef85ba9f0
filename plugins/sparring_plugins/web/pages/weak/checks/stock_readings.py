"""Readings of how many of one thing there are, and of what belongs to somebody in several rows.

"14 oak crates are in stock" of the card 'Oak crate' with "14 in stock", "Brook Farm has two orders"
of a table of orders with two rows of that customer.
"""

import re
from collections.abc import Sequence

from sparring.model.page import PageView
from sparring_plugins.web.grammar.free.number_phrases import read_number
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import split_words
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.pages.weak.checks.answers import WeakAnswer, answer
from sparring_plugins.web.pages.weak.checks.claimed_things import Things, find_things
from sparring_plugins.web.pages.weak.checks.count_readings import has_further_pages
from sparring_plugins.web.pages.weak.checks.measures import is_called, is_money
from sparring_plugins.web.pages.weak.checks.records import Record
from sparring_plugins.web.pages.weak.page.page_content import PageContent
from sparring_plugins.web.pages.weak.page.times import find_times

_STOCK = re.compile(
    r"^(?:that )?(?:there (?:is|are) )?(?:still |now |only |exactly )*(?P<number>\w+) "
    r"(?P<thing>[a-z][\w -]{1,40}?|⟦\d+⟧)(?: (?:is|are|remains?))?(?: still| now)?"
    r" (?P<where>in stock|left|left over|available|in store|on hand|remaining)(?: (?:now|over))?$",
    re.I,
)


def read_stock(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``14 oak crates are in stock``: the only number of the card or row that is called so."""
    match = _STOCK.match(s.text)
    number = read_number(match["number"]) if match else None
    if match is None or number is None or s.comparison != "==":
        return None
    names = _singulars(s.unmask(match["thing"]))
    answers: list[WeakAnswer] = []
    for things in find_things(page):
        named = [r for r in things.records if any(r.named(name) for name in names)]
        numbers = _numbers_of(named[0], match["where"]) if len(named) == 1 else []
        if len(numbers) == 1:
            answers.append(answer("stock", numbers[0] == number, f"it has {numbers[0]:g}"))
    return answers[0] if len({a.truth for a in answers}) == 1 else None


def _singulars(name: str) -> list[str]:
    name = plain(name)
    return [name, *(name.removesuffix(end) + new for end, new in _PLURALS if name.endswith(end))]


_PLURALS = (("s", ""), ("es", ""), ("ies", "y"))
_WORD = re.compile(r"[£$€]?\d+(?:[.,]\d+)*|[^\W\d_]+")


def _numbers_of(record: Record, where: str) -> list[float]:
    """Return the number beside the words for a stock, else the only one that is no money."""
    beside: list[float] = []
    others: list[float] = []
    for slot in record.slots:
        if any(find_times(slot.text)):
            continue
        words = _WORD.findall(slot.text)
        for word in words:
            value = read_number(word) if word[-1].isdigit() and not is_money(word) else None
            if value is not None:
                others.append(value)
                beside += [value] if set(split_words(where)) <= set(map(str.lower, words)) else []
        if not words and slot.text.strip() == "0":
            others.append(0.0)
    if not beside and re.search(
        r"\b(?:out of|not in) stock|sold out|none left", record.item.text, re.I
    ):
        return [0.0]
    return beside or others


_OWNS = re.compile(
    r"^(?:that )?(?P<name>(?:The )?[A-Z][\w'&.-]*(?: [\w'&.-]+){0,4}?|⟦\d+⟧) "
    r"(?:has|have|made|placed|owns|holds|took) (?:only |exactly |just )?(?P<number>\w+) "
    r"(?P<noun>[a-z]+)(?: (?:here|there|on this page|in the (?:list|table)|altogether|in all))?$"
)


def read_owned(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``Brook Farm has two orders``: so many rows of a table of orders have this name in a cell.

    There may be more elsewhere, so that another number says nothing.
    """
    match = _OWNS.match(s.text)
    number = read_number(match["number"]) if match else None
    if match is None or number is None or s.denies or s.comparison != "==":
        return None
    name = s.unmask(match["name"])
    counts: set[int] = set()
    for things in find_things(page):
        if things.group.kind == "table" and _lists(match["noun"], things):
            counts |= {n} if (n := sum(r.named(name) for r in things.records)) else set()
    if len(counts) != 1:
        return None
    count = counts.pop()
    if count != number or has_further_pages(page):
        return None  # others may not be shown here
    return answer("owned", True, f"{count} rows have '{name[:60]}'")


def _lists(noun: str, things: Things) -> bool:
    """Return whether the rows are what a noun says, and no column is called so."""
    titled = is_called(noun, things.group, things.page.headings)
    return titled and not any(plain(head) == plain(noun) for head in things.group.columns)

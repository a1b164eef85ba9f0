"""How many of the things on a page are in a state: "two of the three bookings are paid".

A state is known by the page alone: it is what some of the things have as the whole text of a part.
"""

import re
from collections.abc import Iterator, Sequence

from sparring.model.page import PageView
from sparring_plugins.web.grammar.free.number_phrases import read_number
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import FREE, split_words, stem
from sparring_plugins.web.pages.weak.checks.answers import WeakAnswer, answer
from sparring_plugins.web.pages.weak.checks.count_readings import has_further_pages
from sparring_plugins.web.pages.weak.checks.records import Record, read_records
from sparring_plugins.web.pages.weak.page.page_content import PageContent

_HOW_MANY = re.compile(
    r"^(?:that )?(?P<number>all|both|none|no|every|each|\w+)"
    r"(?P<of> of (?:them|these|the(?: (?P<whole>\w+))?))?(?: (?P<whole2>\w+))??"
    r"(?P<noun> [a-z]+)? (?:is|are) (?:now |still |already |currently )?(?P<state>[\w' -]{2,40})$",
    re.I,
)
_BOTH = 2


def read_state_count(
    s: Statement, page: PageContent, before: Sequence[PageView]
) -> WeakAnswer | None:
    """Judge how many things have a state; None if no part of them is called so."""
    match = _read_how_many(s)
    if match is None or has_further_pages(page):
        return None
    groups = [r for r in _groups(page) if _column_of(match["state"], r) is not None]
    wanted, whole = _wanted(match), _whole(match)
    if len(groups) != 1 or wanted is None:
        return None
    records = groups[0]
    if whole != len(records) and not _is_called(match, page):
        return None
    key = _column_of(match["state"], records) or ""
    count = sum(_has_state(match["state"], record, key) for record in records)
    low = match["number"].lower()
    whole = _BOTH if low == "both" else whole
    if whole not in (None, len(records)):
        return answer("state count", None, f"there are {len(records)} of them")
    number = len(records) if low in _ALL else wanted
    return answer("state count", count == number, f"{count} of {len(records)} are so")


def _read_how_many(s: Statement) -> re.Match[str] | None:
    is_plain = s.comparison == "==" and not (s.position or s.quoted)
    return _HOW_MANY.match(s.text.strip(" .")) if is_plain else None


_ALL = frozenset({"all", "both", "every", "each"})


def _wanted(match: re.Match[str]) -> float | None:
    low = match["number"].lower()
    if low in _ALL:
        return -1.0
    return 0.0 if low in ("none", "no") else read_number(low)


def _whole(match: re.Match[str]) -> float | None:
    words = [w for w in (match["whole"], match["whole2"]) if w]
    return next((n for w in words if (n := read_number(w)) is not None), None)


def _is_called(match: re.Match[str], page: PageContent) -> bool:
    """Return whether nothing else is counted: "two windows are open" on a page about rooms.

    A noun has to be in a heading, or the sentence has none.
    """
    noun = (match["noun"] or match["whole2"] or "").strip().lower()
    if not noun or noun in FREE.rows or read_number(noun) is not None or noun == "ones":
        return True
    shown = {stem(w) for text in page.headings for w in split_words(text)}
    named = {stem(w) for group in page.collections for n in group.names for w in split_words(n)}
    return stem(noun) in shown | named


def _groups(page: PageContent) -> Iterator[Sequence[Record]]:
    for group in page.collections:
        records = read_records(group, page)
        if len(records) > 1:
            yield records


def _column_of(state: str, records: Sequence[Record]) -> str | None:
    """Return the key of the only part with just that text, or its opposite, in some records."""
    said = [stem(w) for w in split_words(state)]
    for fits in (said, *_opposites(said)):
        keys = {slot.key for r in records for slot in r.slots if _stems(slot.text) == list(fits)}
        if keys:
            return keys.pop() if len(keys) == 1 else None
    return None


def _opposites(said: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the stems of the opposites of a state: "closed" if all are 'Open'."""
    for pair in FREE.opposites:
        for one, other in (pair, pair[::-1]):
            if len(said) == 1 and said[0] in one:
                yield from ([word] for word in sorted(other))


def _has_state(state: str, record: Record, key: str) -> bool:
    said = [stem(w) for w in split_words(state)]
    return any(slot.key == key and _stems(slot.text) == said for slot in record.slots)


def _stems(text: str) -> list[str]:
    return [stem(w) for w in split_words(text)]

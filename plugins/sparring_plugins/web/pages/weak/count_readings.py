"""Readings of statements about how many there are: what the page says, and what it shows."""

import re
from collections.abc import Sequence

from sparring.model.page import PageView
from sparring_plugins.web.grammar.free.statements import Statement, read_number
from sparring_plugins.web.grammar.free.words import (
    FREE,
    split_words,
    stem,
    stems,
)
from sparring_plugins.web.pages.predicates import compare
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.pages.weak.answers import (
    WeakAnswer,
    answer,
)
from sparring_plugins.web.pages.weak.page_content import Collection, PageContent

_COUNTED_BEFORE = re.compile(
    r"(?:exactly|only|just|a total of|all|still|now|altogether|as many as)\s+$"
)


def read_count(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``Four rows are left``: what the page says of them, and how many rows there are."""
    counted = _counted_noun(s)
    if counted is None:
        return None
    number, noun = counted
    said = _numbers_said(noun, page)
    shown = _numbers_shown(noun, page)
    sign, denies = s.comparison, s.denies and number > 0  # "no items" is the number 0
    values = said | shown
    if not values:
        return answer("count", None, f"nothing on the page counts {noun}")
    truths = {compare(v, sign, number) for v in values}  # type: ignore[arg-type]
    if len(truths) == 1 and (len(values) == 1 or truths == {True}):
        truth = truths.pop()
        sure = truth or (len(said) == 1) or _is_data_noun(noun)
        reason = f"the page has {', '.join(f'{v:g}' for v in sorted(values))} {noun}"
        return answer("count", truth if sure else None, reason, denies=denies)
    # "1-10 of 24 rows" says more than the ten rows that are shown
    if number in said and len(said) == 1:
        return answer("count", True, f"the page says {number:g} {noun}", denies=denies)
    if number in values and len(said) > 1 and number in shown:
        return answer("count", True, f"{number:g} {noun} are shown", denies=denies)
    return answer("count", None, f"{sorted(values)} may be the number of {noun}")


def _counted_noun(s: Statement) -> tuple[float, str] | None:
    """Return the number and the noun that it counts, if the statement is about nothing else."""
    if s.quoted or not s.numbers:
        return None
    for value, behind in s.numbers:
        words = [w for w in split_words(behind) if w not in ("more", "other", "such", "matching")]
        noun = next((w for w in words[:3] if w not in FREE.stop and w not in FREE.statements), "")
        whole = value == int(value) and value >= 0
        if not noun or not whole or noun in ("of", "px", "page") or noun[0].isdigit():
            continue
        rest = [w for w in s.words if w != noun and read_number(w) is None
                and stem(w) not in _NEUTRAL and w not in FREE.statements | FREE.places]  # fmt: skip
        if not rest:
            return value, noun
    return None


_NEUTRAL = frozenset(
    stem(word)
    for word in [
        "exactly",
        "only",
        "just",
        "left",
        "found",
        "reported",
        "shown",
        "listed",
        "displayed",
        "returned",
        "match",
        "matches",
        "remain",
        "remains",
        "announced",
        "visible",
        "total",
        "altogether",
        "so",
        "far",
        "result",
        "available",
        "there",
        "planned",
        "current",
        "appear",
        "appears",
        "come",
        "comes",
        "exist",
        "exists",
        "still",
        "now",
    ]
)


def _is_data_noun(noun: str) -> bool:
    return stem(noun) in {stem(word) for word in FREE.rows}


def _numbers_said(noun: str, page: PageContent) -> set[float]:
    """Return the numbers that the page writes before or behind the noun: "24 rows", "Items: 3"."""
    wanted = stem(noun)
    numbers: set[float] = set()
    for line in page.visible.blocks:
        words = re.findall(r"[£$€]?\d+(?:[.,]\d+)*|[^\W\d_]+|:", plain(line))
        for index, word in enumerate(words):
            if not _means(word, wanted):
                continue
            behind = words[index + 1 : index + 3]
            if (
                behind[:1] == [":"]
                and len(behind) > 1
                and (n := read_number(behind[1])) is not None
            ):
                numbers.add(n)
            if (index and (n := read_number(words[index - 1])) is not None) or (
                index > 1
                and (n := read_number(words[index - 2])) is not None
                and words[index - 1].isalpha()
            ):
                numbers.add(n)
    return numbers


def _means(word: str, wanted: str) -> bool:
    return stem(word) == wanted


def _numbers_shown(noun: str, page: PageContent) -> set[float]:
    """Return the sizes of the collections that the noun may count."""
    fitting = [c for c in page.collections if _is_called(c, noun)]
    if not fitting and _is_data_noun(noun):
        tables = page.tables
        fitting = [max(tables, key=lambda c: len(c.items))] if tables else []
        if not fitting and len(page.lists) == 1:
            fitting = list(page.lists)
    if not fitting:
        titled = any(stem(noun) in stems(heading) for heading in page.headings)
        if titled and len(page.tables) == 1:
            fitting = list(page.tables)
        elif titled and not page.tables and len(page.lists) == 1:
            fitting = list(page.lists)
    return {float(len(c.items)) for c in fitting}


def _is_called(collection: Collection, noun: str) -> bool:
    words = {stem(word) for name in collection.names for word in split_words(name)}
    return stem(noun) in words and len(collection.items) > 0

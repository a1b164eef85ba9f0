"""Readings of statements about how many there are: what the page says, and what it shows."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from sparring.model.page import Element, PageView
from sparring_plugins.web.grammar.free.number_phrases import LIMIT_AT, read_number
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import (
    FREE,
    split_words,
    stem,
    stems,
)
from sparring_plugins.web.pages.controls import takes_clicks
from sparring_plugins.web.pages.predicates import compare
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.pages.weak.checks.answers import (
    WeakAnswer,
    answer,
)
from sparring_plugins.web.pages.weak.checks.measures import is_called
from sparring_plugins.web.pages.weak.page.page_content import (
    RECENT_PAGES,
    Collection,
    PageContent,
    page_content,
)
from sparring_plugins.web.step import Comparison

_COUNTED_BEFORE = re.compile(
    r"(?:exactly|only|just|a total of|all|still|now|altogether|as many as)\s+$"
)


_ON_PAGE = re.compile(r"\bon (?:the|this|its) (?:\w+ )?page\b")
_SEEN = re.compile(rf"\b(?:shown|displayed|visible|listed)\b|{_ON_PAGE.pattern}")


def read_count(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``Four rows are left``: what the page says of them, and how many rows there are."""
    counted = _counted_noun(s, page)
    if counted is None:
        return _count_by_other_words(s, page)
    number, noun = counted
    said, shown = _numbers_of(number, noun, page, s, before)
    denies = s.denies and number > 0  # "no items" is the number 0
    if _SEEN.search(s.low) and len(shown) == 1 and (shown == {number} or _ON_PAGE.search(s.low)):
        # "7 rows are shown on this page" of 87: those that can be seen
        return _answer_shown(number, noun, s, shown, denies=denies)
    if number == 0 and not said | shown:
        return None  # "there is no Report offered": whether the name can be read decides
    truth, reason = _compare_counts(number, s.comparison, said, shown)
    is_sure = len(said) == 1 or _is_data_noun(noun) or _shows_all(noun, page, s)
    # others may stand on further pages, or it may be something else that is counted
    if truth is False and (not is_sure or (not said and has_further_pages(page))):
        truth = None
    return answer("count", truth, f"{reason} {noun}", denies=denies)


def _numbers_of(
    number: float, noun: str, page: PageContent, s: Statement, before: Sequence[PageView]
) -> tuple[set[float], set[float]]:
    """Return the numbers that a page says, and those it shows; beside the noun there is one."""
    said, shown = _numbers_said(noun, page), _numbers_shown(noun, page, s)
    labelled = set(_numbers_labelled(noun, page))
    if len(labelled) == 1 and (number in labelled or number not in said | shown):
        return labelled, set[float]()  # what stands beside the noun counts nothing else
    if number not in shown and (totals := set(_total_of_pages(noun, page))):
        return totals, set[float]()  # the rows of one page are no other number of them
    return (said, shown) if said | shown else (said, _numbers_as_before(number, noun, page, before))


_COUNTING = FREE.saying | {
    "lists", "contains", "counts", "count", "shows", "has", "have", "reports",
}  # fmt: skip


def _count_by_other_words(s: Statement, page: PageContent) -> WeakAnswer | None:
    """``The summary counts 7 pages``: true if that is the only number of pages it can mean.

    What counts them is called otherwise on the page, so that another number says nothing.
    """
    if s.verb not in _COUNTING or s.denies or s.comparison != "==":
        return None
    rest = Statement(f"there are {s.complement}", s.quotes)
    counted = _counted_noun(rest, page)
    if counted is None or Statement(s.subject, ()).numbers:
        return None
    number, noun = counted
    if _numbers_said(noun, page) != {number}:
        return None
    return answer("count", True, f"the page says {number:g} {noun}")


def _answer_shown(
    number: float, noun: str, s: Statement, shown: set[float], *, denies: bool
) -> WeakAnswer:
    (value,) = shown
    truth = compare(value, s.comparison, number)
    return answer("count", truth, f"{value:g} {noun} are shown", denies=denies)


def has_further_pages(page: PageContent) -> bool:
    """Return whether one can go on to a next page."""
    return any(not e.disabled for e in _called(FREE.next_names, page))


def _called(names: Sequence[str], page: PageContent) -> list[Element]:
    """Return what takes clicks and has one of the names."""
    return [
        e for e in page.elements if takes_clicks(e) and plain(e.name or e.text).strip() in names
    ]


def shows_a_part(page: PageContent) -> bool:
    """Return whether a list has further pages, after or before the one in view.

    "Back" alone leads from one view to another; beside a "Next" it turns the pages of a list.
    """
    following = _called(FREE.next_names, page)
    previous = _called(FREE.previous_names, page) if following else []
    return any(not e.disabled for e in (*following, *previous))


def _compare_counts(
    number: float, sign: Comparison, said: set[float], shown: set[float]
) -> tuple[bool | None, str]:
    """Compare with what the page says and what it shows; don't know if these differ."""
    values = said | shown
    if not values:
        return None, "nothing on the page counts"
    truths = {compare(value, sign, number) for value in values}
    counted = ", ".join(f"{value:g}" for value in sorted(values))
    if len(truths) == 1 and (truths == {True} or len(values) == 1 or said & shown):
        return truths.pop(), f"the page has {counted}"
    # "1-10 of 24 rows" says more than the ten rows that are shown
    if said == {number} or (len(said) > 1 and number in shown):
        return True, f"the page says or shows {number:g}"
    return None, f"{counted} may be the number of"


def _limited_numbers(s: Statement) -> list[tuple[float, str]]:
    """Return the numbers that may count: "No item costs more than £20" only compares with 20."""
    return [number for number in s.numbers if s.limit is None or number[0] == s.limit]


def _counted_noun(s: Statement, page: PageContent) -> tuple[float, str] | None:
    """Return the number and the noun that it counts, if the statement is about nothing else."""
    if s.quoted or not s.numbers or _REPORTED.search(s.low):
        return None
    skipped = _skipped_words(s, page)
    for value, behind in _limited_numbers(s):
        noun = _first_noun(behind)
        if not noun or value != int(value) or value < 0:
            continue
        rest = [w for w in s.words if w != noun and stem(w) not in skipped]
        if all(read_number(w) is not None for w in rest):
            return value, noun
    return None


_NOTHINGS = r"no [a-z][a-z -]{0,40}?(?:,? (?:and|or) no [a-z][a-z -]{0,40}?)*"
_SO_FAR = (
    r"(?: (?:yet|so far|here|left|any ?more|at all|shown|listed|displayed|found"
    r"|on (?:the|this) page))*$"
)
_NONE = re.compile(
    rf"^(?:that )?(?:there (?:is|are)|it has|we have) (?P<things>{_NOTHINGS}){_SO_FAR}", re.I
)
# "no boat is found", "no boats were listed"
_NONE_FOUND = re.compile(
    rf"^(?:that )?(?P<things>{_NOTHINGS}) (?:is|are|was|were|has been|have been)"
    rf"(?= (?:found|listed|shown|displayed|left|here)){_SO_FAR}",
    re.I,
)
# "no warning was ever raised": a number of nothing beside the noun says so
_NONE_DONE = re.compile(
    rf"^(?:that )?(?P<things>{_NOTHINGS}) (?:has|have|was|were) (?:been )?(?:ever )?[a-z]+(?:ed|en)"
    rf"{_SO_FAR}$",
    re.I,
)


def read_none(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``There are no images and no documents yet``: the page says 0, or that it has none."""
    match = _NONE.match(s.low) or _NONE_FOUND.match(s.low)
    if match is None and (done := _NONE_DONE.match(s.low)):
        noun = done["things"].split()[-1]
        zero = set(_numbers_labelled(noun, page)) == {0.0}
        return answer("none", True, f"the page has 0 {noun}") if zero else None
    if match is None:
        return None
    nouns = [part.removeprefix("no ") for part in re.split(r",? (?:and|or) ", match["things"])]
    truths = [_is_none(noun.split()[-1], page) for noun in nouns]
    if None in truths:
        return None
    return answer("none", all(truths), f"of {', '.join(nouns)} the page says how many there are")


def _is_none(noun: str, page: PageContent) -> bool | None:
    said = _numbers_said(noun, page)
    if said == {0.0}:
        return True
    for line in page.text_lines:
        words, shown = line.split(), plain(line)
        says = re.search(FREE.says_nothing, shown) or re.search(r"\bno \w+|n't .*\bany\b", shown)
        if len(words) <= 20 and says and stem(noun) in stems(line):
            return True
        if says and len(words) <= 8 and any(stem(noun) in stems(head) for head in page.headings):
            return True
    return False if len(said) == 1 and _is_data_noun(noun) else None


def _skipped_words(s: Statement, page: PageContent) -> frozenset[str]:
    """Return the stems of words that do not change what is counted."""
    words = set(FREE.statements | FREE.places | FREE.counted)
    words |= set(split_words(" ".join((*_HERE.findall(s.low), *LIMIT_AT.findall(s.low)))))
    # "the site summary counts 7 pages" below the heading 'Site summary'
    subject = set(split_words(s.subject.lower())) - FREE.stop
    # a name in the subject is one of several things: "Oak holds 3 boards"
    is_named = re.search(r"(?<=\w )[A-Z]|^(?!The |This |Its )[A-Z]|⟦", s.subject) is not None
    titled = not is_named and any(subject <= set(split_words(head)) for head in page.headings)
    words |= subject if titled and not Statement(s.subject, ()).numbers else set()
    # "four boats are managed here" below the heading 'Manage boats'
    verb = s.complement.split()[:1]
    if s.verb in ("is", "are") and verb and verb[0].endswith("ed"):
        words |= {w for head in page.headings for w in verb if stem(w) in stems(head)}
    if re.search(r"\b(?:table|list)\b", s.low):
        # "the table under Birds has four rows": the name of the table is no other thing
        words |= {w for c in page.collections for name in c.names for w in split_words(name)}
    return frozenset(map(stem, words))


#: "complains that the two dates do not match": what a message says is not counted.
_REPORTED = re.compile(rf"\b(?:{'|'.join(sorted(FREE.saying | FREE.speaking))}) (?:that|about)\b")
#: "on the second page", "for the word mill": where they are, which changes nothing of their number.
_HERE = re.compile(rf"{_ON_PAGE.pattern}|\bin (?:all|total|the list|the table)\b")


def _first_noun(behind: str) -> str:
    skipped = FREE.stop | FREE.statements | {"more", "other", "such", "matching"}
    noun = next((w for w in split_words(behind)[:3] if w not in skipped), "")
    return "" if noun in ("px", "page") or noun[:1].isdigit() else noun


def _is_named_by_id(noun: str, page: PageContent) -> bool:
    """Return whether the only table of data has the noun in its id: "boats_table"."""
    tables = page.main_tables
    return len(tables) == 1 and stem(noun) in stems(re.sub(r"[_-]", " ", tables[0].key))


def _is_data_noun(noun: str) -> bool:
    return stem(noun) in {stem(word) for word in FREE.rows}


def _numbers_said(noun: str, page: PageContent) -> set[float]:
    """Return the numbers that the page writes before or behind the noun: "24 rows", "Items: 3"."""
    wanted = stem(noun)
    numbers = {*_numbers_in_brackets(noun, page), *_numbers_in_rows(noun, page)}
    numbers |= {*_numbers_labelled(noun, page), *_total_of_pages(noun, page)}
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


_PAGING = re.compile(r"\d+ ?[-–] ?\d+ of (\d+)")


def _total_of_pages(noun: str, page: PageContent) -> Iterator[float]:
    """Yield 13 of "1-5 of 13" below the only table, if its rows are called so."""
    totals = [m[1] for line in page.visible.blocks if (m := _PAGING.fullmatch(plain(line)))]
    tables = page.main_tables
    if len(totals) == 1 and len(tables) == 1 and is_called(noun, tables[0], _own_headings(page)):
        yield float(totals[0])


def _own_headings(page: PageContent) -> tuple[str, ...]:
    return (*page.headings[:1], page.view.snapshot.title)


_BRACKETS = re.compile(
    r"^(?:all|list|total|overview|everything|\w+)\s*\((?:[\d –-]{1,20} of )?(\d{1,9})\)$"
)


def _numbers_in_brackets(noun: str, page: PageContent) -> Iterator[float]:
    """Yield the number of "Plants (12)"; of "All (12)" if the page is called after the noun."""
    # the page's own heading or title: "All (5)" is said of no other part of it
    titled = any(stem(noun) in stems(heading) for heading in _own_headings(page))
    controls = (e.name or e.text for e in page.elements if takes_clicks(e))
    for line in (*page.visible.blocks, *controls):
        if match := _BRACKETS.match(plain(line)):
            general = plain(line).startswith(("all", "list", "total", "overview", "everything"))
            if (general and titled) or stem(noun) in stems(line):
                yield float(match[1])


def _numbers_in_rows(noun: str, page: PageContent) -> Iterator[float]:
    """Yield the number in a row of two cells that is labelled by the noun: "Plants | 12"."""
    for table in page.tables:
        for item in table.items:
            cells = [text for _, text in item.cells if text.strip()]
            if len(cells) == 2 and stems(cells[0]) == (stem(noun),):
                value = read_number(cells[1].strip())
                if value is not None:
                    yield value


def _numbers_labelled(noun: str, page: PageContent) -> Iterator[float]:
    """Yield the number that only stands beside the noun: "Members", "4"."""
    fitting = [
        fact for fact in page.facts
        # "Trees in total", "Number of trees"
        if [stem(w) for w in split_words(fact.label) if w not in _OF_TOTALS] == [stem(noun)]
    ]  # fmt: skip
    for fact in fitting:
        # "Bandages: 120 left" in the only row of bandages
        if not fact.is_entered and (not fact.row or len({f.row for f in fitting}) == 1):
            first, _, rest = fact.value.strip().partition(" ")
            value = read_number(first) if re.fullmatch(r"[a-z]*", rest) else None
            if value is not None and first[:1].isdigit():
                yield value


_OF_TOTALS = FREE.summing | {"in", "of", "number", "count", "all", "the", "no"}


def _means(word: str, wanted: str) -> bool:
    return stem(word) == wanted


def _numbers_shown(noun: str, page: PageContent, s: Statement) -> set[float]:
    """Return the sizes of the collections that the noun may count."""
    fitting = _find_counted(noun, page, s)
    if not fitting:
        return _numbers_of_kind(noun, page) & {number for number, _ in s.numbers}
    tables = [c for c in fitting if c.kind == "table"]
    # a card within each item of a list is no list of its own, and beside a table lists are menus
    lists = [c for c in fitting if c.kind not in ("repeated", "card")] or fitting
    several = [c for c in lists if len(c.items) > 1]
    return _sizes(tables or several or lists, s)


def _find_counted(noun: str, page: PageContent, s: Statement) -> Sequence[Collection]:
    """Return the collections that are called so, that hold data, or the only one of the page."""
    fitting: Sequence[Collection] = [c for c in page.collections if _is_called(c, noun)]
    if not fitting and (named := _collection_named(s, page)):
        return [named]
    if not fitting and _is_data_noun(noun):
        fitting = _tables_named(s, page) or _only_list(page)
    fitting = fitting or _find_titled_collections(noun, page) or _only_group(noun, page)
    return [c for c in fitting if not _has_column_of(noun, c)]


def _shows_all(noun: str, page: PageContent, s: Statement) -> bool:
    """Return whether the only table or list called just so has no way to more of it."""
    if _is_named_by_id(noun, page):
        return True
    called = [
        c for c in _find_counted(noun, page, s)
        if c.kind != "repeated"
        and any(set(stems(name)) == {stem(noun)} for name in (*c.names, *c.columns[:1]))
    ]  # fmt: skip
    # "two ferries remain" may be said of those that are not gone
    if len(called) != 1 or len(called[0].data) < _FEWEST_SHOWN or _LEFT.search(s.low):
        return False
    names = (plain(e.name or e.text) for e in page.elements if takes_clicks(e) and not e.options)
    return not any(_LEADS_ON.match(name) for name in names)


_FEWEST_SHOWN = 2
_LEADS_ON = re.compile(r"(?:(?:show|load|see|view) )?(?:more|all|next|older)\b")
_LEFT = re.compile(r"\b(?:remain\w*|left)\b")


def _has_column_of(noun: str, collection: Collection) -> bool:
    """Return whether a column is called so: "customers" are no rows of a table of orders."""
    columns = [stems(head) for head in collection.columns if head.strip()]
    return (stem(noun),) in columns[1:]


_PART_OF_CLASS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def _numbers_of_kind(noun: str, page: PageContent) -> set[float]:
    """Return how many parts have the noun in a class or test id of their own: "comment__body".

    It is the number that most of these names have: one of them may be of the form for a new one.
    A single part says nothing, as an empty page has that form, too.
    """
    counts = _count_classes(noun, page)
    numbers = Counter(number for number in counts.values() if number > 1)
    common = numbers.most_common(2)
    if not common or (len(common) > 1 and common[0][1] == common[1][1]):
        return set()
    return {float(common[0][0])}


def _count_classes(noun: str, page: PageContent) -> Counter[str]:
    """Return how many elements have each class or test id with the noun as a word."""
    counts: Counter[str] = Counter()
    for element in page.elements:
        names = element.attributes.get("class", "").split()
        for name in {*names, element.attributes.get("data-testid", "")}:
            words = [word.lower() for word in _PART_OF_CLASS.findall(name)]
            if any(stem(w) == stem(noun) and not w.endswith("s") for w in words):
                counts[name] += 1
    return counts


def _numbers_as_before(
    number: float, noun: str, page: PageContent, before: Sequence[PageView]
) -> set[float]:
    """Return how many parts are left of a kind that an earlier page had several of: one, or none.

    "Only one topic is left": a single part is known by the class that all topics had.
    """
    now = _count_classes(noun, page)
    counts = {
        now[name]
        for view in before[-RECENT_PAGES:]
        for name, several in _count_classes(noun, page_content(view)).items()
        if several > 1
    }
    return {number} if counts == {int(number)} else set()


def _sizes(collections: Sequence[Collection], s: Statement) -> set[float]:
    sizes = {float(len(c.data)) for c in collections}
    # of parts that only look alike there may be more: they say that there are so many, or nothing
    alike = all(c.kind == "repeated" for c in collections)
    return sizes & {number for number, _ in s.numbers} if alike else sizes


def _only_list(page: PageContent) -> list[Collection]:
    return list(page.lists) if len(page.lists) == 1 else []


def _collection_named(s: Statement, page: PageContent) -> Collection | None:
    """Return the only table or list that is the subject: "the diary has three entries"."""
    words = set(stems(s.subject)) - FREE.stop
    named = [
        c for c in page.collections
        if c.kind != "repeated" and words and any(words == set(stems(name)) for name in c.names)
    ]  # fmt: skip
    return named[0] if len(named) == 1 else None


def _tables_named(s: Statement, page: PageContent) -> list[Collection]:
    """Return the table that the statement names, or else the largest one."""
    words = set(stems(s.low))
    named = [t for t in page.tables if any(set(stems(name)) <= words for name in t.names if name)]
    return named[:1] if len(named) == 1 else sorted(page.tables, key=lambda c: -len(c.items))[:1]


def _only_group(noun: str, page: PageContent) -> list[Collection]:
    """Return the only group of cards or items of a page that has the noun somewhere."""
    groups = [c for c in page.collections if len(c.items) > 1]
    # beside one table of data, lists and rows without headings are menus and summaries
    groups = list(page.main_tables) if len(page.main_tables) == 1 else groups
    if len(groups) != 1 or not any(stem(noun) in stems(line) for line in page.visible.blocks):
        return []
    return groups


def _find_titled_collections(noun: str, page: PageContent) -> list[Collection]:
    """Return the only table, or the only list, of a page whose heading has the noun."""
    if not any(stem(noun) in stems(heading) for heading in page.headings):
        return []
    tables = [t for t in page.tables if t.items and sum(map(bool, map(str.strip, t.columns))) > 1]
    if tables:
        return tables if len(tables) == 1 else []
    return list(page.lists) if len(page.lists) == 1 else []


def _is_called(collection: Collection, noun: str) -> bool:
    words = {stem(word) for name in collection.names for word in split_words(name)}
    # the first heading says what a row is: "account | units | cost"
    first = next((stems(head) for head in collection.columns if head.strip()), ())
    return (stem(noun) in words or first == (stem(noun),)) and len(collection.items) > 0

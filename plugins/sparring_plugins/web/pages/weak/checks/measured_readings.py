"""Readings of what is measured of several things: which has the most, in which order they stand.

"The cheapest room costs £20", "the Great Hall is the largest", "the rooms are sorted by size",
"the bookings are in order of date". What an adjective measures is known only if the things have one
amount that it can mean: of money, of days, or the only other number of each.
"""

import re
from collections.abc import Sequence

from sparring.model.page import PageView
from sparring_plugins.web.grammar.free.number_phrases import read_number
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import FREE, split_words, stem, word_similarity
from sparring_plugins.web.pages.text_fit import contains, plain
from sparring_plugins.web.pages.weak.checks.answers import SAME, WeakAnswer, answer
from sparring_plugins.web.pages.weak.checks.claimed_things import Things, find_things
from sparring_plugins.web.pages.weak.checks.measures import Measure, find_measures, is_called
from sparring_plugins.web.pages.weak.checks.records import Record
from sparring_plugins.web.pages.weak.page.page_content import PageContent

_SUPERLATIVE = re.compile(
    r"\b(?P<word>most expensive|least expensive|cheapest|dearest|priciest|largest|biggest|smallest"
    r"|longest|shortest|heaviest|lightest|tallest|newest|latest|most recent|oldest|earliest"
    r"|highest-priced|lowest-priced)\b",
    re.I,
)
#: What an adjective measures, and whether it means the greatest of it.
_MEANS: dict[str, tuple[str, bool]] = {
    "most expensive": ("money", True), "dearest": ("money", True), "priciest": ("money", True),
    "highest-priced": ("money", True), "cheapest": ("money", False),
    "least expensive": ("money", False), "lowest-priced": ("money", False),
    "newest": ("date", True), "latest": ("date", True), "most recent": ("date", True),
    "oldest": ("date", False), "earliest": ("date", False),
    "longest": ("", True), "shortest": ("", False), "heaviest": ("", True),
    "lightest": ("", False), "tallest": ("", True), "largest": ("", True),
    "biggest": ("", True), "smallest": ("", False),
}  # fmt: skip


def _measure_for(kind: str, things: Things) -> Measure | None:
    """Return the only measure of a kind: of money, of days, or the only one that is neither."""
    measures = find_measures(things.group, things.records)
    fitting = [m for m in measures if _kind_of(m) == kind]
    return fitting[0] if len(fitting) == 1 else None


def _kind_of(measure: Measure) -> str:
    last = measure.name.rpartition(" ")[2]
    if last in ("price", "date"):
        return "money" if last == "price" else last
    if set(split_words(measure.name)) & FREE.identifiers:
        return "identifier"  # order 17 is no larger than order 3
    # "the oldest book" of a table with a column of years and one of the days of purchase
    are_years = all(value == int(value) and 1000 < value < 2200 for value in measure.values)
    return "date" if are_years else ""


def read_superlative(
    s: Statement, page: PageContent, before: Sequence[PageView]
) -> WeakAnswer | None:
    """``The Great Hall is the largest``, ``the cheapest room costs £20``: which has the most."""
    match = _SUPERLATIVE.search(s.low)
    if match is None or s.denies or not s.verb:
        return None
    groups = find_things(page)
    answers = [a for group in groups if (a := _judge_most(s, match["word"], group)) is not None]
    return answers[0] if len({a.truth for a in answers}) == 1 else None


def _judge_most(s: Statement, word: str, things: Things) -> WeakAnswer | None:
    kind, greatest = _MEANS[word]
    measure = _measure_for(kind, things)
    best = measure.extreme(greatest=greatest) if measure else None
    if measure is None or best is None or len(things.records) != len(measure.values):
        return None
    truth = _says_so(s, things.records[best], measure.values[best], things)
    # what is largest or oldest may be meant by something that the page does not show
    if truth is None or (not truth and kind != "money"):
        return None
    shown = " ".join(things.records[best].item.text.split())[:60]
    return answer("superlative", truth, f"'{shown}' is the {word}")


def _says_so(s: Statement, best: Record, value: float, things: Things) -> bool | None:
    """Return whether the thing that a sentence names, or the amount that it says, is that one."""
    in_subject = _SUPERLATIVE.search(s.subject) is not None
    other = s.unmask(s.complement if in_subject else s.subject)
    named = [r for r in things.records if _names(other, r)]
    if named:  # "the dearest order is from Ida", who has several
        return best in named
    numbers = [n for word in other.split() if re.search(r"\d", word) and (n := read_number(word))]
    if in_subject and len(numbers) == 1 and not named:
        return numbers[0] == value
    return None


def _names(text: str, record: Record) -> bool:
    """Return whether a text has a whole cell or line of a record, which no number is."""
    return any(
        contains(slot.text, text)
        for slot in record.slots
        if re.search(r"[^\W\d_]{3}", slot.text) and len(slot.text.split()) <= _LONGEST_NAME
    )


_LONGEST_NAME = 7
_ORDERED = re.compile(
    r"\b(?:sorted|ordered|arranged|listed|are|is|come) "
    r"(?:in (?:the )?(?:ascending |descending |rising |falling )?order of|by|in order of)"
    r"(?: (?:the|their|its))? (?P<by>[a-z]+)(?:,? (?P<way>[a-z ,]+))?$"
)
_MONEY = ("price", "cost", "fee", "amount", "rate")
_DAYS = ("date", "day", "time", "age")
_SIZES = ("size", "capacity", "seats", "number", "length", "weight", "rating", "score", "distance")
_NAMES = ("name", "title", "alphabet")


def read_order_by(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The rooms are sorted by size``, ``the bookings are in order of date``: by what each has."""
    match = _ORDERED.search(s.low)
    if match is None or s.quoted or s.denies:
        return None
    noun = split_words(s.subject.lower())[-1:]
    answers: list[WeakAnswer] = []
    for things in find_things(page):
        if not _is_about(noun, things):
            continue
        truth = _is_in_order(match["by"], match["way"] or "", things)
        if truth is not None:
            answers.append(answer("order by", truth, f"by their {match['by']}"))
    return answers[0] if len({a.truth for a in answers}) == 1 else None


def _is_about(noun: Sequence[str], things: Things) -> bool:
    if not noun or noun[0] in ("they", "these", "those", "all"):
        return len(find_things(things.page)) == 1
    return is_called(noun[0], things.group, things.page.headings)


def _is_in_order(by: str, way: str, things: Things) -> bool | None:
    if any(word_similarity(by, name) >= SAME for name in _NAMES):
        if things.group.kind == "table":
            return None  # its columns say which cell is the name
        names = [plain(record.slots[0].text) for record in things.records if record.slots]
        return names == sorted(names) if len(names) == len(things.records) > 1 else None
    measure = _named_measure(by, things)
    if measure is None or len(measure.values) < _FEWEST:
        return None
    return _is_sorted(measure, set(split_words(way)))


def _is_sorted(measure: Measure, words: set[str]) -> bool | None:
    """Return whether values are in the order that words say: "highest first", "descending"."""
    if words & {"first", "top"} and words & (_GREATEST | _LEAST):
        return measure.is_sorted(descending=bool(words & _GREATEST))
    if words & {"descending", "falling", "first"} and not words <= _DOWNWARDS:
        return None
    if words & {"descending", "falling"}:
        return measure.is_sorted(descending=True)
    if words & {"ascending", "rising"}:
        return measure.is_sorted(descending=False)
    # "sorted by size" says nothing of the direction
    return measure.is_sorted(descending=True) or measure.is_sorted(descending=False)


_FEWEST = 2
_GREATEST = frozenset({"newest", "latest", "highest", "largest", "biggest", "dearest", "most"})
_LEAST = frozenset({"oldest", "earliest", "lowest", "smallest", "cheapest", "fewest", "least"})
_DOWNWARDS = frozenset({"descending", "falling", "in", "order"})


def _named_measure(by: str, things: Things) -> Measure | None:
    measures = find_measures(things.group, things.records)
    named = [m for m in measures if any(_is_like(by, word) for word in split_words(m.name))]
    if len(named) == 1:
        return named[0]
    for words, kind in ((_MONEY, "money"), (_DAYS, "date"), (_SIZES, "")):
        if not named and any(word_similarity(by, word) >= SAME for word in words):
            return _measure_for(kind, things)
    return None


def _is_like(word: str, other: str) -> bool:
    return stem(word) == stem(other) or word_similarity(word, other) >= SAME


_TIMES = re.compile(
    r"^(?:that )?(?:the )?(?P<name>\S.{0,60}?) (?:is|are|was|has been|appears?|occurs?|stands) "
    r"(?:there |(?P<verb>[a-z]+ed|shown|on the list|in the (?:list|table)) )?"
    r"(?P<count>once|twice|(?P<number>\w+) times)"
    r"(?: (?:in the (?:list|table)|on the (?:list|page)))?$",
    re.I,
)
_THERE = frozenset({"listed", "shown", "displayed", "mentioned"})


def read_times(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The Great Hall is booked twice``: in so many rows of a table a cell is just this name.

    What is done must be what the rows are: "booked" of the table below the heading 'Bookings'.
    """
    match = _TIMES.match(s.unmask(s.text))
    number = _times_said(match) if match else None
    if match is None or number is None or s.denies:
        return None
    verb = (match["verb"] or "").lower()
    counts: set[int] = set()
    for things in find_things(page):
        if things.group.kind != "table" or not _is_done_here(verb, things):
            continue
        counts |= {n} if (n := sum(r.named(match["name"]) for r in things.records)) else set()
    if len(counts) != 1:
        return None
    count = counts.pop()
    return answer("times", count == number, f"{count} rows have '{match['name'][:60]}'")


def _times_said(match: re.Match[str]) -> int | None:
    count = match["count"].lower()
    if count in ("once", "twice"):
        return 1 if count == "once" else 2
    value = read_number(match["number"])
    return int(value) if value is not None and value == int(value) else None


def _is_done_here(verb: str, things: Things) -> bool:
    if not verb or " " in verb or verb in _THERE:
        return True
    titles = " ".join((*things.group.names, *things.group.columns[:1], *things.page.headings))
    return stem(verb) in {stem(stem(word)) for word in split_words(titles)} - FREE.stop

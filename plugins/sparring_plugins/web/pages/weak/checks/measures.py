"""What can be measured of each of several things: amounts of money, counts with a unit, dates."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sparring_plugins.web.grammar.free.number_phrases import read_number
from sparring_plugins.web.grammar.free.words import FREE, split_words, stem, stems, word_similarity
from sparring_plugins.web.pages.tables import read_dates
from sparring_plugins.web.pages.weak.checks.answers import SAME
from sparring_plugins.web.pages.weak.checks.records import Record
from sparring_plugins.web.pages.weak.page.page_content import Collection

CURRENCIES = "£$€¥"
_NUMBER = re.compile(
    rf"(?<![\w.,:/-])[{CURRENCIES}]?\s?\d+(?:[.,]\d+)*\s?[{CURRENCIES}%]?(?![\w/-])"
)
_REACH = 3
"""How many words may stand between a number and the word that says what it counts."""


@dataclass(frozen=True)
class Measure:
    """One number for each of several things, in their order, and what it is."""

    name: str
    values: tuple[float, ...]

    def is_sorted(self, *, descending: bool) -> bool:
        """Return whether the numbers follow each other in this order."""
        pairs = pairwise(self.values)
        return all(b <= a if descending else a <= b for a, b in pairs)

    def extreme(self, *, greatest: bool) -> int | None:
        """Return which thing has the most, or the least; None if several have."""
        best = max(self.values) if greatest else min(self.values)
        return self.values.index(best) if self.values.count(best) == 1 else None


def is_money(text: str) -> bool:
    """Return whether a text is an amount with the sign of a currency."""
    bare = text.strip()
    return bool(bare) and bare.strip(CURRENCIES) != bare and _NUMBER.fullmatch(bare) is not None


def find_measures(group: Collection, records: Sequence[Record]) -> tuple[Measure, ...]:
    """Return all that each of `records` has one number or date of."""
    if group.kind == "table":
        return tuple(_measure_columns(group))
    return tuple(_measure_lines(records))


def _measure_columns(group: Collection) -> Iterator[Measure]:
    for index, head in enumerate(group.columns):
        texts = [item.cells[index][1] for item in group.data if index < len(item.cells)]
        if len(texts) != len(group.data) or not all(map(str.strip, texts)):
            continue
        if all(_NUMBER.fullmatch(text.strip()) for text in texts):
            yield from _measure_numbers(head, texts)
        elif (measured := _measure_with_unit(texts)) is not None:
            yield Measure(f"{head} {measured[0]}", measured[1])
        elif (dates := read_dates(texts)) is not None:
            yield Measure(f"{head} date", tuple(dates))


def _measure_numbers(head: str, texts: Sequence[str]) -> Iterator[Measure]:
    numbers = [read_number(text.strip()) for text in texts]
    if all(number is not None for number in numbers):
        name = f"{head} price" if all(map(is_money, texts)) else head
        yield Measure(name, tuple(number for number in numbers if number is not None))


_WITH_UNIT = re.compile(r"(?P<number>\d+(?:[.,]\d+)*)\s?(?P<unit>[^\W\d_]+|°\w?)")


def _measure_with_unit(texts: Sequence[str]) -> tuple[str, tuple[float, ...]] | None:
    """Return the unit and the numbers of "12 km", "6 km", if all have the same unit."""
    found = [_WITH_UNIT.fullmatch(text.strip()) for text in texts]
    units = {match["unit"].rstrip("s") for match in found if match}
    numbers = [read_number(match["number"]) for match in found if match]
    if None in found or None in numbers or len(units) != 1:
        return None
    return units.pop(), tuple(n for n in numbers if n is not None)


def _measure_lines(records: Sequence[Record]) -> Iterator[Measure]:
    """Yield the money, and the other number, that each card has exactly one of."""
    money = [_numbers_of(record, money=True) for record in records]
    others = [_numbers_of(record, money=False) for record in records]
    times = [_times_of(record) for record in records]
    yield from _measure_units(records)
    for name, found in (("price", money), ("", others), ("date", times)):
        if found and all(len(numbers) == 1 for numbers in found):
            yield Measure(name, tuple(numbers[0] for numbers in found))


def _measure_units(records: Sequence[Record]) -> Iterator[Measure]:
    """Yield what each card has one number of beside a word: "4 seats, built 1998"."""
    if all(len(_numbers_of(record, money=False)) == 1 for record in records):
        return  # the only number of each is what any adjective measures
    texts = [slot.text for record in records[:1] for slot in record.slots]
    words = {word for text in texts for word in re.findall(r"[a-z]{3,}", text)}
    for word in sorted({stem(w) for w in words if w not in FREE.stop}):
        found = [numbers_beside([word], record) for record in records]
        if all(len(numbers) == 1 for numbers in found):
            yield Measure(word, tuple(numbers[0] for numbers in found))


def _numbers_of(record: Record, *, money: bool) -> list[float]:
    numbers: list[float] = []
    for slot in record.slots:
        for match in _NUMBER.finditer(slot.text):
            value = read_number(match[0].replace(" ", ""))
            if value is not None and is_money(match[0]) == money:
                numbers.append(value)
    return numbers


def _times_of(record: Record) -> list[float]:
    """Return the times of day that a record has as texts of their own, in minutes."""
    found = (re.fullmatch(r"(\d{1,2}):(\d\d)", slot.text.strip()) for slot in record.slots)
    return [int(time[1]) * 60.0 + int(time[2]) for time in found if time]


_KEY_WORD = re.compile(r"[a-z]{3,}")


def numbers_beside(words: Sequence[str], record: Record) -> list[float]:
    """Return the numbers of a card beside one of some words: "9 guests", "Seats up to 40"."""
    wanted = {stem(word) for word in words}
    numbers: list[float] = []
    for slot in record.slots:
        if slot.text.strip().isdigit() and wanted & {stem(w) for w in _KEY_WORD.findall(slot.key)}:
            numbers.append(float(slot.text.strip()))  # a number with the class "likes"
        tokens = re.findall(rf"[{CURRENCIES}]?\d+(?:[.,]\d+)*|[^\W\d_]+|[.,;|·]", slot.text)
        for index, token in enumerate(tokens):
            # "no replies" are none
            value = read_number(token) if token[-1].isdigit() or token.lower() == "no" else None
            near = _words_near(tokens, index)
            if value is not None and wanted & {stem(word.lower()) for word in near}:
                numbers.append(value)
    return numbers


def _words_near(tokens: Sequence[str], index: int) -> list[str]:
    """Return the words on both sides of a number, up to another number or the end of a sentence."""
    near: list[str] = []
    for side in (
        tokens[index + 1 : index + 1 + _REACH],
        tokens[max(0, index - _REACH) : index][::-1],
    ):
        for token in side:
            if not token[0].isalpha():
                break
            near.append(token)
    return near


def column_called(words: Sequence[str], group: Collection) -> int | None:
    """Return the only column whose heading has one of the words, or what means the same."""
    fitting = [
        index
        for index, head in enumerate(group.columns)
        if any(word_similarity(w, part) >= SAME for w in words for part in split_words(head))
    ]
    return fitting[0] if len(fitting) == 1 else None


def money_column(group: Collection) -> int | None:
    """Return the only column in which all cells are amounts of money."""
    fitting = [
        index
        for index in range(len(group.columns))
        if group.data
        and all(index < len(i.cells) and is_money(i.cells[index][1]) for i in group.data)
    ]
    return fitting[0] if len(fitting) == 1 else None


def summed_row(group: Collection) -> tuple[str, ...]:
    """Return what the last row of a table has below each heading if it sums up the others."""
    if group.kind != "table" or len(group.data) == len(group.items):
        return ()
    below = {head: text for head, text in group.items[-1].cells if head}
    return tuple(below.get(head, "") for head in group.columns)


def is_called(noun: str, group: Collection, headings: Sequence[str]) -> bool:
    """Return whether a noun is what the things of a group are called: "rows", or by a heading."""
    titles = (*group.names, *group.columns[:1], *headings)
    # "booking" loses its ending, "bookings" only its last letter
    words = {stem(word) for title in titles for word in stems(title)}
    return stem(stem(noun)) in words or stem(noun) in {stem(w) for w in FREE.rows}

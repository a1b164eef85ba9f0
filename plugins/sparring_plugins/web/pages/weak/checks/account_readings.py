"""A reading that accounts for each word of a statement by one record, or a page about one thing.

"Order 2207 was placed by Ida Lund and costs 12.50" is so if the row of 2207 has both values; it is
not if the row has another name where other rows have "Ida Lund". What a record does not account
for, and what is no mere relation, leaves the statement open.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from sparring.model.page import PageView
from sparring_plugins.web.grammar.free.number_phrases import read_number
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import (
    FREE,
    has_phrase,
    split_words,
    stem,
    word_similarity,
)
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.pages.weak.checks.answers import WeakAnswer, answer, is_within
from sparring_plugins.web.pages.weak.checks.records import Record, read_records
from sparring_plugins.web.pages.weak.page.page_content import PageContent

_LONGEST_VALUE = 6
_SHORTEST_NUMBER = 3
_MOST_UNKNOWN = 2
_NEAR = 2
#: What compares, counts or denies is not said of one record by its values alone.
_BARRED = (
    (FREE.relating - {"total", "sum", "under", "until", "since", "by", "inside", "within", "each"})
    | FREE.negations
    | {"can", "can't", "cannot", "may", "both", "most", "least"}
)
_PREPOSITIONS = frozenset(
    {
        "by",
        "to",
        "in",
        "on",
        "at",
        "from",
        "until",
        "till",
        "since",
        "under",
        "with",
        "as",
        "for",
        "into",
        "of",
    }
)
_WORD = re.compile(r"[^\s,;:()]+")


@dataclass(frozen=True)
class Value:
    """A text of a record, below a heading or behind a label."""

    label: str
    text: str


@dataclass(frozen=True)
class Unit:
    """What is spoken of: its name, its values, and those of its siblings."""

    name: str
    values: tuple[Value, ...]
    others: tuple[Value, ...] = ()

    @cached_property
    def known(self) -> tuple[str, ...]:
        """The texts of all values, longest first."""
        texts = {v.text for v in (*self.values, *self.others)}
        return tuple(sorted(texts, key=len, reverse=True))


@dataclass
class _Word:
    text: str
    low: str
    role: str = ""


def read_account(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """Judge what a statement says of one record by all of its words."""
    words = _words(s)
    unit = _find_unit(words, page)
    if unit is None or _is_barred(s, unit) or _names_another(words, unit):
        return None
    truths = [*_judge_texts(words, unit), *_judge_numbers(words, unit)]
    unknown = _unknown(words, unit, page)
    if unknown is None:
        return None
    shown = " ".join(v.text for v in unit.values)[:80]
    if False in truths and len(unknown) <= _MOST_UNKNOWN and not _lists(s):
        return answer("account", False, f"'{shown}' has something else there")
    if truths and all(truths) and all(_relates(i, words) for i in unknown):
        return answer("account", True, f"'{shown}' has it")
    return None


def _words(s: Statement) -> list[_Word]:
    """Return the words of a statement; none if it compares, or speaks of an order."""
    if s.comparison != "==" or s.position:
        return []
    said = (match[0].strip("'\".") for match in _WORD.finditer(_text(s)))
    return [_Word(word, plain(word)) for word in said]


def _unknown(words: Sequence[_Word], unit: Unit, page: PageContent) -> list[int] | None:
    """Return the places of the words that nothing accounts for; None if one is a name or number."""
    left = [i for i, word in enumerate(words) if not word.role]
    left = [i for i in left if not _is_neutral(i, words, unit, page)]
    is_open = any(_is_literal(i, words) or _is_counted(i, words) for i in left)
    return None if is_open else left


def _lists(s: Statement) -> bool:
    """Return whether a statement says that there is such a thing, which may be another one."""
    return s.low.startswith("there ") or has_phrase(s.low, _LISTING) != ""


_LISTING = ("is listed", "are listed", "lists", "contains", "shows", "entry")


def _names_another(words: Sequence[_Word], unit: Unit) -> bool:
    """Return whether another record is named, too: "Oak and so is Elm lent to Ida"."""
    labels = {v.label for v in unit.values if plain(v.text) == plain(unit.name)}
    others = [v.text for v in unit.others if v.label in labels and _is_name(v.text)]
    return any(_find(split_words(text), words) is not None for text in others)


def _is_counted(at: int, words: Sequence[_Word]) -> bool:
    """Return whether a word is what a number counts: no record says "4 oars" by a mere 4."""
    counts = at > 0 and not words[at - 1].role and read_number(words[at - 1].low) is not None
    behind = at > 0 and words[at - 1].role == "value" and words[at - 1].low.isdigit()
    return (counts or behind) and words[at].low.isalpha()


def _text(s: Statement) -> str:
    return re.sub(r"['’]s\b", "", s.unmask(s.text))


_BARRED_PHRASES = ("instead of", "rather than", "from", "has to", "have to")


def _is_barred(s: Statement, unit: Unit) -> bool:
    """Return whether a word counts, compares or denies; what a record is called so does not."""
    # "is assigned to nobody" where a row says so; 'No items yet' does not excuse any other "no"
    said = [text for text in unit.known if has_phrase(s.low, (plain(text),))]
    states = {word for text in said for word in split_words(text)}
    words = (set(split_words(s.low)) | set(s.low.split())) - states
    phrases = (*FREE.greatest, *FREE.smallest, *_BARRED_PHRASES)
    absent = has_phrase(s.low, FREE.absence)
    is_absent = bool(absent) and absent != "closed" and not set(split_words(absent)) & states
    return bool(words & _BARRED) or is_absent or bool(has_phrase(s.low, phrases))


# The record


def _find_unit(words: list[_Word], page: PageContent) -> Unit | None:
    """Return what is named first: a record, or the one thing that the page is about."""
    found: list[tuple[int, int, Unit]] = []
    for unit, name in _units(page):
        at = _find(split_words(name), words)
        if at is not None:
            found.append((at, -len(name), unit))
    found.sort(key=lambda f: f[:2])
    if not found or (len(found) > 1 and found[0][:2] == found[1][:2] and not _same(found)):
        return None
    unit = found[0][2]
    _mark(words, found[0][0], len(split_words(unit.name)), "name")
    return unit


def _same(found: Sequence[tuple[int, int, Unit]]) -> bool:
    return found[0][2].values == found[1][2].values


def _units(page: PageContent) -> Iterator[tuple[Unit, str]]:
    for group in page.collections:
        records = read_records(group, page)
        if len(records) < 2 and group.kind != "table":
            continue
        labels = [_values(record, page) for record in records]
        for index, own in enumerate(labels):
            rest = tuple(v for i, other in enumerate(labels) if i != index for v in other)
            for value in own:
                is_alone = all(plain(v.text) != plain(value.text) for v in rest)
                if is_alone and _is_name(value.text):
                    yield Unit(value.text, tuple(own), rest), value.text
    yield from _own_page(page)


def _own_page(page: PageContent) -> Iterator[tuple[Unit, str]]:
    """Yield what a page without records is about: the words of its heading name it."""
    if any(len(group.items) > 1 for group in page.tables):
        return
    facts = tuple(Value(f.label, f.value) for f in page.facts if not f.row)
    heads = [e for e in page.elements if e.role == "heading" and e.level in (1, 2)][:1]
    for head in heads:
        for word in split_words(head.text):
            if word.isdigit() and len(word) >= _SHORTEST_NUMBER:
                yield Unit(word, facts), word


def _values(record: Record, page: PageContent) -> list[Value]:
    """Return the texts of a record, also the parts of a cell: '3' beside a mark 'low'."""
    values = [Value(_label(slot.key, record.item.cells), slot.text) for slot in record.slots]
    parts = [
        Value(e.column, e.text) for e in page.elements_in(record.item)
        if e.role == "text" and e.column and e.text
    ]  # fmt: skip
    return list(dict.fromkeys((*values, *parts)))


def _label(key: str, cells: Sequence[tuple[str, str]]) -> str:
    """Return the heading of a column; what is in no table has none, and only a key."""
    return cells[int(key)][0] if key.isdigit() and int(key) < len(cells) else f"{_KEY}{key}"


#: Before what tells the parts of cards apart, which is no word of the page.
_KEY = "#"


def _is_name(text: str) -> bool:
    words = split_words(text)
    if not words or len(words) > _LONGEST_VALUE or not set(words) - FREE.stop:
        return False
    if text.strip().isdigit():
        return len(text.strip()) >= _SHORTEST_NUMBER
    return any(c.isupper() for c in text) or not text.isalpha()


# The values


def _judge_texts(words: list[_Word], unit: Unit) -> list[bool]:
    """Return for each text of the records that the statement has whether this record has it."""
    truths: list[bool] = []
    for text in unit.known:
        parts = split_words(text)
        if not parts or len(parts) > _LONGEST_VALUE or not any(c.isalpha() for c in text):
            continue
        at = _find(parts, words)
        if at is None or (len(parts) == 1 and parts[0] in FREE.stop):
            continue
        truth = _has_text(text, _label_at(at, len(parts), words, unit), unit)
        if truth is not None:
            truths.append(truth)
            _mark(words, at, len(parts), "value")
    for index, word in enumerate(words):
        if index == 0 or word.role or words[index - 1].low not in _BEING:
            continue
        if opposite := _opposite_of(word.low, unit):
            truths.append(False)
            words[index].role = f"not {opposite}"
    return truths


def _has_text(text: str, label: str, unit: Unit) -> bool | None:
    """Return whether the record has a text, below the label that stands beside it if one does."""
    held = {v.label for v in unit.values if plain(v.text) == plain(text)}
    filled = {v.label for v in unit.values if v.text.strip()}
    if label:
        return label in held if label in filled else None
    if held:
        return True
    others = {v.label for v in unit.others if plain(v.text) == plain(text)}
    return False if others & filled else None


def _opposite_of(word: str, unit: Unit) -> str:
    """Return the value of the record that is the opposite of a state: 'Closed' of "open"."""
    said = stem(word)
    for pair in FREE.opposites:
        for one, other in (pair, pair[::-1]):
            if said in one:
                held = [v.text for v in unit.values if {stem(w) for w in split_words(v.text)} and
                        {stem(w) for w in split_words(v.text)} <= other]  # fmt: skip
                if held:
                    return held[0]
    return ""


def _judge_numbers(words: list[_Word], unit: Unit) -> list[bool]:
    truths: list[bool] = []
    for index, word in enumerate(words):
        number = read_number(word.low) if not word.role else None
        truth = None if number is None else _judge_number(index, number, words, unit)
        if truth is not None:
            truths.append(truth)
            word.role = "value"
    return truths


def _judge_number(at: int, number: float, words: list[_Word], unit: Unit) -> bool | None:
    """Return whether the record has a number, below the label that stands beside it if one does."""
    said = words[at].low
    label = _label_at(at, 1, words, unit)
    if label == _UNCLEAR or any(_has_sign(said, v.text) for v in unit.values):
        return None
    values = [v for v in unit.values if not label or v.label == label]
    if not label and not _is_exact(said):
        values = [v for v in values if _counts_next(v.text, at, words)]
    for value in values:
        if is_within(said, value.text) or _number_in(value.text) == number:
            if _counts_next(value.text, at, words):
                words[at + 1].role = "value"
            return True
    return _is_other_number(number, label, values, unit)


def _is_other_number(
    number: float, label: str, values: Sequence[Value], unit: Unit
) -> Literal[False] | None:
    """Return False if the record has another number where this one would stand."""
    numeric = {v.label for v in values if _number_in(v.text) is not None}
    labels = {label} if label else {v.label for v in unit.others if _number_in(v.text) == number}
    return False if numeric & labels else None


def _is_exact(text: str) -> bool:
    """Return whether a number is hardly there by chance: an amount, or one of three digits."""
    digits = sum(c.isdigit() for c in text)
    return digits >= _SHORTEST_NUMBER and not text.isalpha()


def _counts_next(text: str, at: int, words: Sequence[_Word]) -> bool:
    """Return whether a value has the word behind a number, too: '4 items' of "four items"."""
    behind = words[at + 1].low if at + 1 < len(words) else ""
    return bool(behind) and stem(behind) in {stem(w) for w in split_words(text)}


def _has_sign(text: str, shown: str) -> bool:
    """Return whether a number is shown with a sign that is not said: '−235' of "235"."""
    return re.search(rf"[-−–]\s?[£$€]?{re.escape(text)}(?!\d)", shown) is not None


def _number_in(text: str) -> float | None:
    numbers = re.findall(r"\d[\d.,]*", text)
    return read_number(numbers[0]) if len(numbers) == 1 else None


def _label_at(at: int, length: int, words: Sequence[_Word], unit: Unit) -> str:
    """Return the label beside a value: "room 9", "3 nights", "the status is open"."""
    near = [*range(at - 1, at - 1 - _NEAR, -1), *range(at + length, at + length + 1)]
    for index in near:
        if not 0 <= index < len(words) or words[index].role == "name":
            continue
        labels = {v.label for v in unit.values if _labels(words[index].low, v.label)}
        if index > at and labels and words[index].low not in split_words(" ".join(labels)):
            return _UNCLEAR  # 'Berth' has the number of a berth, and not of "3 berths"
        if labels:
            return labels.pop() if len(labels) == 1 else _UNCLEAR
    return ""


def _labels(word: str, label: str) -> bool:
    said = () if label.startswith(_KEY) else split_words(label)
    return any(word_similarity(word, w) >= _ALIKE for w in said)


#: Several headings have the word beside a value: none of them is meant for sure.
_UNCLEAR = "?"


_ALIKE = 0.95


# The rest


def _is_neutral(at: int, words: Sequence[_Word], unit: Unit, page: PageContent) -> bool:
    """Return whether a word says nothing beside a value: a heading, a kind, a verb of being."""
    low = words[at].low
    said = split_words(low)
    quiet = FREE.stop | FREE.part_fillers | FREE.statements | FREE.places | FREE.counted | FREE.rows
    if not said or all(w in quiet for w in said):
        return True
    behind = words[at + 1 : at + 2]
    if behind and behind[0].role == "name" and low.isalpha():
        return True  # "order 2207"
    labels = [w for v in unit.values for w in split_words(v.label)]
    shown = [w for text in page.headings for w in split_words(text)]
    return any(word_similarity(said[0], w) >= _ALIKE for w in (*labels, *shown))


def _is_literal(at: int, words: Sequence[_Word]) -> bool:
    """Return whether a word is a name or a number that no record accounts for."""
    text = words[at].text
    return any(c.isdigit() for c in text) or (at > 0 and text[:1].isupper())


def _relates(at: int, words: Sequence[_Word]) -> bool:
    """Return whether a word only joins the thing and a value: "placed by Ida"."""
    behind = words[at + 1 : at + 2]
    # "is a Dutch plane with 4 seats": what a value stands in front of is a thing
    is_first = at > 0 and (words[at - 1].role == "name" or words[at - 1].low in _BEING)
    is_verb = is_first and bool(behind) and behind[0].low in _PREPOSITIONS
    return is_verb and any(w.role == "value" for w in words[at + 2 : at + 5])


_BEING = frozenset(
    {"is", "are", "was", "were", "been", "be", "and", "now", "still", "again", "remains", "stays"}
)


def _find(parts: Sequence[str], words: Sequence[_Word]) -> int | None:
    """Return where words stand in a row, if no other value has them."""
    size = len(parts)
    flat = [(split_words(w.low) or (w.low,), w.role) for w in words]
    for at in range(len(words)):
        taken: list[str] = []
        end = at
        while end < len(words) and len(taken) < size and not flat[end][1]:
            taken += flat[end][0]
            end += 1
        if taken == list(parts):
            return at
    return None


def _mark(words: list[_Word], at: int, size: int, role: str) -> None:
    count = 0
    while count < size and at < len(words):
        words[at].role = role
        count += max(1, len(split_words(words[at].low)))
        at += 1

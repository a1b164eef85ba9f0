"""Readings of statements about the cells of one table: of a row, a whole column, its order.

Their words are found by the table's own texts: "the Wren was ringed by Jo Hill" has a cell of one
row before the verb and a cell behind it, whether or not anything is in quotes.
"""

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass

from sparring.model.page import PageView
from sparring_plugins.web.grammar.free.number_phrases import read_number
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import (
    FREE,
    LIST_JOINT,
    has_phrase,
    split_words,
    stem,
    stems,
    word_similarity,
)
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.pages.weak.checks.answers import SAME, WeakAnswer, answer
from sparring_plugins.web.pages.weak.page.page_content import Collection, PageContent

_LONGEST_SPAN = 8
_MOST_LINES = 12


@dataclass(frozen=True)
class CellSpan:
    """Words of a statement that are the whole text of cells, with their rows and columns."""

    words: str
    places: tuple[tuple[int, int], ...]

    @property
    def rows(self) -> frozenset[int]:
        """The rows that have it."""
        return frozenset(row for row, _ in self.places)

    @property
    def columns(self) -> frozenset[int]:
        """The columns that have it."""
        return frozenset(column for _, column in self.places)


def _grid(collection: Collection) -> list[list[str]]:
    """Return the cells of each row; of a card or list item, its lines."""
    if collection.kind == "table":
        return [[text for _, text in item.cells] for item in collection.data]
    return [item.text.split("\n") for item in collection.items]


def _spans(text: str, grid: Sequence[Sequence[str]]) -> list[CellSpan]:
    """Return the longest parts of a text that are cells, from the left, none within another."""
    cells: dict[str, list[tuple[int, int]]] = {}
    for row, texts in enumerate(grid):
        for column, shown in enumerate(texts):
            cells.setdefault(plain(shown), []).append((row, column))
    words = [w.strip(".,;:!?()") for w in plain(text).split()]
    spans: list[CellSpan] = []
    start = 0
    while start < len(words):
        end = next((e for e in _ends(start, words) if _names(" ".join(words[start:e]), cells)), 0)
        if end:
            key = " ".join(words[start:end])
            spans.append(CellSpan(key, tuple(cells[key])))
        start = end or start + 1
    return spans


def _ends(start: int, words: Sequence[str]) -> range:
    return range(min(len(words), start + _LONGEST_SPAN), start, -1)


def _names(key: str, cells: Container[str]) -> bool:
    return key in cells and (len(key) > 2 or key.isdigit()) and key not in FREE.stop


def _common_row(spans: Sequence[CellSpan]) -> int | None:
    """Return the only row that has all of `spans`."""
    if not spans:
        return None
    first, *others = [span.rows for span in spans]
    rows = first.intersection(*others)
    return next(iter(rows)) if len(rows) == 1 else None


def read_row(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The Wren was ringed by Jo Hill``: the row of the Wren has this cell, or it has another.

    It is false only if the value stands in the same column of another row, or is a line of its own
    on another card: "the lamp is in stock", as others are.
    """
    if not s.verb or s.position or s.comparison != "==" or _relates(s):
        return None
    answers = [a for group in page.collections if (a := _judge_row(s, group)) is not None]
    return answers[0] if len({a.truth for a in answers}) == 1 else None


_DENIAL = re.compile(r"\b(?:is|are|was|were|does|do|has|have|offers?|shows?|can)(?:n't| not| no)\b")


def _relates(s: Statement) -> bool:
    """Return whether more is said than that a thing has, or does not have, a property."""
    words = set(split_words(_DENIAL.sub(" ", s.low)))
    return bool(words & (FREE.relating | FREE.negations)) or bool(has_phrase(s.low, FREE.absence))


def _judge_row(s: Statement, group: Collection) -> WeakAnswer | None:
    grid = _grid(group)
    # a card with dozens of lines is a part of the page, and says nothing of one thing
    if group.kind != "table" and max(map(len, grid), default=0) > _MOST_LINES:
        return None
    named, values = _spans(s.unmask(s.subject), grid), _spans(s.unmask(s.complement), grid)
    row = _common_row(named)
    if row is None or not values or _says_more(s, (*named, *values), group):
        return None
    if _counts_something_else(s, values, row, group):
        return None
    shown = " ".join(group.items[row].text.split())[:80]
    wrong = [value for value in values if row not in value.rows]
    if not wrong:
        return answer("row", True, f"the row '{shown}' has it", denies=s.denies)
    # "was ringed by Ida": Ida stands in the same column of another row, so this one has another
    is_other = group.kind != "table" or _holds_another(grid[row], wrong[0].columns)
    if len(wrong) > 1 or not is_other:
        return None
    reason = f"the row '{shown}' does not have '{wrong[0].words}'"
    return answer("row", False, reason, denies=s.denies)


def _counts_something_else(
    s: Statement, values: Sequence[CellSpan], row: int, group: Collection
) -> bool:
    """Return whether a number stands below another heading than the statement names beside it.

    "Heron does not have 2 oars" says nothing of the 2 that counts its sails.
    """
    numbers = [value for value in values if read_number(value.words) is not None]
    for part in LIST_JOINT.split(s.unmask(s.complement)):
        said, words = set(stems(part)), plain(part).split()
        named = {n for n, head in enumerate(group.columns) if _is_counted_by(head, said)}
        for value in (value for value in numbers if named and value.words in words):
            columns = {n for at, n in value.places if at == row} or value.columns
            if named.isdisjoint(columns):
                return True
    return False


def _is_counted_by(head: str, said: Container[str]) -> bool:
    """Return whether all that a heading counts is among some stems: "oar" of 'Oar count'."""
    counted = [word for word in split_words(head) if word not in FREE.counting]
    return bool(counted) and all(stem(word) in said for word in counted)


def _says_more(s: Statement, spans: Sequence[CellSpan], group: Collection) -> bool:
    labels = [head for head in group.columns if head.strip()]
    left = _words_left(s, [span.words for span in spans], labels)
    return len(left) > 1 or (bool(left) and not _is_participle(left[0], s.low))


def _holds_another(cells: Sequence[str], columns: frozenset[int]) -> bool:
    """Return whether the cell has one value, and so not another one too ("red, blue")."""
    if len(columns) != 1 or max(columns) >= len(cells):
        return False
    text = cells[max(columns)].strip()
    return bool(text) and "," not in text and "\n" not in text


def _words_left(s: Statement, used: Sequence[str], labels: Sequence[str]) -> list[str]:
    text = plain(f"{s.unmask(s.subject)} {s.unmask(s.complement)}")
    for words in sorted(used, key=len, reverse=True):
        text = text.replace(words, " ", 1)
    heads = {word for label in labels for word in split_words(label)}
    skipped = FREE.stop | FREE.statements | FREE.rows | FREE.places | FREE.neutral | FREE.tables
    return [
        word
        for word in split_words(text)
        if word not in skipped and not any(_is_like(word, head) for head in heads)
    ]


def _is_like(word: str, head: str) -> bool:
    """Return whether a word has the meaning or the stem of a heading: "stationed" of "Station"."""
    short, long = sorted((word, head), key=len)
    return word_similarity(word, head) >= SAME or (len(short) >= 5 and long.startswith(short))


def _is_participle(word: str, low: str) -> bool:
    """Return whether a word only links a thing and its property: "was ringed by"."""
    pattern = (
        rf"\b(?:is|are|was|were|been|be) {re.escape(word)} (?:by|at|in|on|from|to|for|with|of)\b"
    )
    return re.search(pattern, low) is not None


# Columns


def read_column(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``Every row has Mill as its place``, ``all tasks are open``: what a whole column holds."""
    match = re.match(r"^(?:all|every|each|any)\b(?: (?:of )?(?:the|one of the))?", s.low)
    if match is None or s.denies or len(page.main_tables) != 1 or _OF_CONTROL.search(s.low):
        return None
    table = page.main_tables[0]
    values = _spans(s.unmask(s.complement), _grid(table))
    if len(values) != 1 or not table.data:
        return None
    named = _named_columns(s, table) or values[0].columns
    columns = [c for c in named if c in values[0].columns]
    if len(columns) != 1:
        return None
    # "every remaining row": those that are there
    left = set(_words_left(s, [values[0].words], table.columns)) - {"remaining", "left", "other"}
    if len(left) > 1:
        return None
    texts = _texts_of_column(table, columns[0])
    others = [text for text in texts if text != values[0].words]
    reason = f"{len(texts) - len(others)} of {len(texts)} rows have '{values[0].words}'"
    return answer("column", not others, reason)


#: "every order has a Cancel button": a cell may have other buttons, too
_OF_CONTROL = re.compile(r"\b(?:buttons?|links?|icons?|boxe?s?|checkboxe?s?)$")


def _texts_of_column(table: Collection, column: int) -> list[str]:
    return [plain(item.cells[column][1]) for item in table.data if column < len(item.cells)]


def _named_columns(s: Statement, table: Collection, text: str = "") -> list[int]:
    """Return the columns whose headings a statement names, those with the longest heading."""
    words = split_words(text or _unquoted(s))
    fitting = [
        (len(head), index)
        for index, label in enumerate(table.columns)
        if (head := split_words(label))
        and all(any(word_similarity(word, part) >= 0.95 for word in words) for part in head)
    ]
    most = max((size for size, _ in fitting), default=0)
    return [index for size, index in fitting if size == most]


def _unquoted(s: Statement) -> str:
    return re.sub(r"⟦\d+⟧", " ", s.low)


_SORTED = re.compile(
    r"\b(?:sorted|ordered|arranged|in (?:ascending|descending|alphabetical) order)\b"
)


def read_sorting(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The rows are sorted by year descending``: the values of that column, in that order."""
    if not _SORTED.search(s.low) or s.quoted or len(page.main_tables) != 1:
        return None
    table = page.main_tables[0]
    if _is_of_a_list(s, page):
        return None  # "the boats are sorted" is said of the list of boats
    # "the files are sorted by size": what stands behind "by" names the column
    columns = _named_columns(s, table, re.split(r"\bby\b", s.low)[-1])
    if len(columns) != 1 or len(table.data) < 2:
        return None
    values = _sortable([item.cells[columns[0]][1] for item in table.data
                        if columns[0] < len(item.cells)])  # fmt: skip
    if values is None or len(values) != len(table.data):
        return answer("sorting", None, "the values of this column can't be compared")
    down = _direction(s.low)
    ascending = list(values) == sorted(values)
    descending = list(values) == sorted(values, reverse=True)
    truth = (descending if down else ascending) if down is not None else ascending or descending
    shown = ", ".join(str(value) for value in values[:4])
    denies = bool(set(split_words(s.low)) & FREE.negations)
    return answer("sorting", truth, f"{table.columns[columns[0]]}: {shown}", denies=denies)


def _is_of_a_list(s: Statement, page: PageContent) -> bool:
    noun = stems(s.subject)[-1:]
    return any(noun == stems(name)[-1:] for c in page.lists for name in c.names if noun)


def _direction(low: str) -> bool | None:
    down = any(re.search(rf"\b{re.escape(phrase)}\b", low) for phrase in FREE.descending)
    up = any(re.search(rf"\b{re.escape(phrase)}\b", low) for phrase in FREE.ascending)
    return None if down == up else down


def _sortable(texts: Sequence[str]) -> Sequence[float] | Sequence[str] | None:
    """Return numbers, dates of ISO 8601 or words that compare; None if kinds are mixed or empty."""
    clean = [" ".join(text.split()) for text in texts]
    if not all(clean):
        return None
    numbers = [read_number(text.split()[0]) for text in clean]
    if all(number is not None for number in numbers):
        return [number for number in numbers if number is not None]
    if any(number is not None for number in numbers) and not all(
        re.match(r"\d{4}-\d\d-\d\d", text) for text in clean
    ):
        return None
    return [plain(text) for text in clean]


# Superlatives


def read_extreme(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The Wren has the most eggs``: no other row has more in the column of eggs."""
    most, least = has_phrase(s.low, FREE.greatest), has_phrase(s.low, FREE.smallest)
    if bool(most) == bool(least) or s.denies or s.position < 0:
        return None
    answers = [
        a for table in page.tables if (a := _judge_extreme(s, table, bool(most))) is not None
    ]
    return answers[0] if len(answers) == 1 else None


def _judge_extreme(s: Statement, table: Collection, most: bool) -> WeakAnswer | None:
    grid = _grid(table)
    row, columns = _common_row(_spans(s.unmask(s.subject), grid)), _counting_columns(s, table)
    if row is None or len(columns) != 1:
        return None
    values = [_first_number(cells, columns[0]) for cells in grid]
    numbers = [value for value in values if value is not None]
    own = values[row]
    # a row without a number may have more than all others
    if own is None or len(numbers) != len(values) or len(numbers) < 2:
        return None
    best = max(numbers) if most else min(numbers)
    truth = None if numbers.count(best) > 1 and own == best else own == best
    return answer("extreme", truth, f"{own:g} of {min(numbers):g} to {max(numbers):g}")


def _first_number(cells: Sequence[str], column: int) -> float | None:
    words = cells[column].split() if column < len(cells) else []
    return read_number(words[0]) if words else None


def _counting_columns(s: Statement, table: Collection) -> list[int]:
    """Return the columns named, or the only one with numbers."""
    if named := _named_columns(s, table):
        return named
    grid = _grid(table)
    numeric = [
        index
        for index, head in enumerate(table.columns)
        if not set(split_words(head)) & FREE.identifiers
        and all(_first_number(cells, index) is not None for cells in grid)
    ]
    return numeric if len(numeric) == 1 else []

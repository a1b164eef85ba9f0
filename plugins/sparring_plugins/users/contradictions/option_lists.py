"""Lists that are broken: numbers that skip or come twice, options twice, a wrong count."""

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from sparring_plugins.language.candidates import date_spans, find_times
from sparring_plugins.language.numbers import find_money, find_number_words
from sparring_plugins.language.text import folded
from sparring_plugins.users.contradictions.messages import (
    Contradiction,
    Message,
    contradiction,
    contradiction_words,
    names_any,
)

_NUMBERED = re.compile(r"^\s*[\[(]?(\d{1,2})[.):\]]+\s+(\S.*)$")
_ITEM = re.compile(r"^\s*(?:[-*•]|[\[(]?\d{1,2}[.):\]]+)\s+\S")
_DIGITS = re.compile(r"(?<![\w.,/:-])\d{1,2}(?![\w/:-]|[.,]\d)")
"""How many there are, in digits: no part of an amount, a date or a time."""
_LEAST = 3
"""Items of a list that is numbered on purpose: "3. März 2027" alone is a date."""
_MOST = 20


def broken_lists(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find lists with a number that is left out or comes twice, and with an option twice."""
    for message in messages:
        for items in _numbered_lists(message.text):
            problem = _numbering(items) or _repetition([label for _, label in items])
            if problem:
                yield _broken(message, problem, "; ".join(f"{mark}. {x}" for mark, x in items))
        labels = [choice.label for choice in message.reply.choices]
        # of an emoji nothing is left that could be compared
        counts = Counter(word for label in labels if (word := folded(label)))
        double = next((label for label in labels if counts[folded(label)] > 1), None)
        if double is not None:
            yield _broken(message, f'"{double}" is offered twice', "; ".join(labels))


def _broken(message: Message, problem: str, items: str) -> Contradiction:
    return contradiction("list", problem, (message.index, items), (message.index, message.text))


def _numbered_lists(text: str) -> Iterator[list[tuple[int, str]]]:
    """The runs of lines that begin with a number, at least three that begin with 0 or 1."""
    items: list[tuple[int, str]] = []
    for line in [*text.split("\n"), ""]:
        match = _NUMBERED.match(line)
        # "3. März 2027" is a date and no third item
        is_date = any(span.start <= 2 for span in date_spans(line))
        if match is not None and not is_date:
            items.append((int(match[1]), match[2]))
            continue
        if len(items) >= _LEAST and items[0][0] <= 1:
            yield items
        items = []


def _numbering(items: Sequence[tuple[int, str]]) -> str | None:
    """What is wrong with the numbers of a list; the last one may be "0. Back" or "9. Exit"."""
    marks = [mark for mark, _ in items]
    for before, after in itertools.pairwise(marks[:-1]):
        if after == before:
            return f"The number {after} comes twice"
        if after > before + 1:
            return f"The list goes from {before} to {after}"
    return f"The number {marks[-1]} comes twice" if marks[-1] == marks[-2] else None


def _repetition(labels: Sequence[str]) -> str | None:
    """The day or hour that a list offers twice; two books may well have one title."""
    moments = [label for label in labels if find_times(label) or date_spans(label)]
    words = [folded(label) for label in moments]
    double = next((word for word in words if words.count(word) > 1), None)
    return None if double is None else f'"{moments[words.index(double)]}" is offered twice'


def wrong_counts(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find lists with more or fewer items than the line above them says that there are.

    "These are the five departures:" above four.
    """
    for message in messages:
        lines = [line for line in message.text.split("\n") if line.strip()]
        for place, line in enumerate(lines):
            stated = _stated_count(line)
            if stated is None:
                continue
            rest = lines[place + 1 :]
            size = next((at for at, item in enumerate(rest) if not _ITEM.match(item)), len(rest))
            if size > 1 and size != stated:
                text = f"The list has {size} items and not {stated}"
                listed = "; ".join(item.strip() for item in rest[:size])
                places = (message.index, line.strip()), (message.index, listed)
                yield contradiction("list", text, *places)


def _stated_count(line: str) -> int | None:
    """The one number in a line that says how many items there are below; None if there is none."""
    lists = contradiction_words()
    intro = line.strip()
    starts = any(f"{folded(intro)} ".startswith(f"{folded(word)} ") for word in lists.counting)
    if not starts or not intro.endswith(":") or find_money(intro):
        return None
    for span in reversed([*date_spans(intro), *find_times(intro)]):
        intro = f"{intro[: span.start]} . {intro[span.end :]}"
    numbers = [span.value for span in find_number_words(intro)]
    numbers += [int(digits) for digits in _DIGITS.findall(intro)]
    # "the next 3 days:" may have any number of hours below
    if len(numbers) != 1 or names_any(intro, tuple(lists.counted)):
        return None
    count = numbers[0]
    return int(count) if isinstance(count, int) and 1 < count <= _MOST else None

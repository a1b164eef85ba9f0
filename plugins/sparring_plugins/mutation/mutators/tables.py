"""Faults for definitions of any shape: numbers, hours, lists, texts and switches in YAML."""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

from sparring_plugins.mutation.model import (
    Change,
    Definition,
    Delete,
    Mutator,
    Operator,
    Place,
    Replace,
    Swap,
)
from sparring_plugins.mutation.mutators.plain_data import (
    change_at,
    every,
    mapping,
    sequence,
    short,
    without_holes,
)

# "9:30" and "23:59" as a whole; "ratio 4:30 won" is a text, and 24:00 no time of day.
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")
# "2026-05-04" is made a week later; "4 May" and numbers of orders are left as they are.
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def _values(definition: Definition) -> Iterator[tuple[str, Place, Any]]:
    for file, data in definition.items():
        for place, value in every(data):
            # A file that is one bare value, such as `0`, has no entry to edit.
            if place or isinstance(value, (dict, list)):
                yield file, place, value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def change_number(definition: Definition) -> Iterator[Change]:
    """A number becomes half as much more, at least one more."""
    for file, place, value in _values(definition):
        if _is_number(value) and abs(value) < 1e15:
            other = value + max(1, abs(value) // 2)
            yield change_at(file, place, f"{value:g} is {other:g}", Replace(place, other))


def change_moment(definition: Definition) -> Iterator[Change]:
    """A time of day comes an hour later, a day a week later."""
    for file, place, value in _values(definition):
        later = _later(value)
        if later is not None:
            yield change_at(file, place, f"{value} is {later}", Replace(place, later))


def _later(value: Any) -> str | None:
    if not isinstance(value, str):
        return None
    clock = _CLOCK.fullmatch(value)
    if clock:
        return f"{(int(clock[1]) + 1) % 24:02d}:{clock[2]}"
    if _DAY.fullmatch(value):
        try:
            return str(date.fromisoformat(value) + timedelta(7))
        except (ValueError, OverflowError):
            return None
    return None


def swap_values(definition: Definition) -> Iterator[Change]:
    """Two numbers or texts of a mapping that follow one another, exchanged."""
    for file, place, value in _values(definition):
        items = mapping(value)
        for first_key, other in pairwise(list(items)):
            first, second = items[first_key], items[other]
            # A number in the place of a text is a definition that an app refuses, and no fault in
            # it.
            alike = (_is_number(first) and _is_number(second)) or (
                isinstance(first, str) and isinstance(second, str)
            )
            if alike and first != second:
                edit = Swap((*place, first_key), (*place, other))
                yield change_at(file, place, f"{first_key} and {other} exchanged", edit)


def swap_items(definition: Definition) -> Iterator[Change]:
    """The order of two items of a list that follow one another."""
    for file, place, value in _values(definition):
        items = sequence(value)
        for first_index, other in pairwise(range(len(items))):
            if items[first_index] != items[other]:
                edit = Swap((*place, first_index), (*place, other))
                what = f"{short(items[first_index])} and {short(items[other])} in the other order"
                yield change_at(file, place, what, edit)


def delete_item(definition: Definition) -> Iterator[Change]:
    """An item of a list."""
    for file, place, value in _values(definition):
        items = sequence(value)
        for index, item in enumerate(items if len(items) > 1 else ()):
            yield change_at(file, place, f"{short(item)} deleted", Delete((*place, index)))


def delete_entry(definition: Definition) -> Iterator[Change]:
    """A number of a mapping of numbers, with its name."""
    for file, place, value in _values(definition):
        items = mapping(value)
        # `{small: 8, large: 12}` is a list of prices, of which one may be missing; `{name: Roma,
        # price: 8}` is one thing, of which each part is needed.
        if len(items) > 1 and all(_is_number(item) for item in items.values()):
            for name in items:
                yield change_at(file, (*place, name), "deleted", Delete((*place, name)))


def delete_data(definition: Definition) -> Iterator[Change]:
    """One thing that a text would tell."""
    for file, place, value in _values(definition):
        if isinstance(value, str):
            for hole, number, rest in without_holes(value):
                yield change_at(file, place, f"{hole} not told ({number})", Replace(place, rest))


def switch(definition: Definition) -> Iterator[Change]:
    """A switch: on is off, off is on."""
    for file, place, value in _values(definition):
        if isinstance(value, bool):
            yield change_at(file, place, "off" if value else "on", Replace(place, not value))


TABLES = Mutator(
    about="Definitions of any shape: numbers, hours, lists, texts and switches.",
    operators=(
        Operator("ChangeNumber", "a number", change_number),
        Operator("ChangeMoment", "a time of day, or a day", change_moment),
        Operator("SwapValues", "two values of a mapping", swap_values),
        Operator("SwapItems", "the order of two items", swap_items),
        Operator("DeleteItem", "an item of a list", delete_item),
        Operator("DeleteEntry", "a number and its name", delete_entry),
        Operator("DeleteData", "one thing that a text tells", delete_data),
        Operator("Switch", "a switch", switch),
    ),
)

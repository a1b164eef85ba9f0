"""Rows of small numbers as short texts, for the saved states of searches.

Texts of more rows begin with those of fewer, so that of a state that lists every case so far only
the end is new.
"""

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from math import prod
from typing import Any, Generic, TypeVar

from sparring_plugins.search.space.encoding import Indices

ItemT = TypeVar("ItemT")


class GrowingText(Generic[ItemT]):
    """The text of what only grows; what was written once is not written again."""

    def __init__(self, written: Callable[[Sequence[ItemT]], str]) -> None:
        self._written = written
        self._text = ""
        self._count = 0

    def of(self, items: list[ItemT] | dict[ItemT, Any]) -> str:
        """The text of items, or of the keys of a map; the first are those of the last time."""
        new = list(islice(reversed(items), len(items) - self._count))
        self._text += self._written(new[::-1])
        self._count = len(items)
        return self._text


def growing_rows(sizes: Sequence[int]) -> GrowingText[Indices]:
    """A text for rows of variables of these sizes."""

    def written(rows: Sequence[Indices]) -> str:
        return packed_rows(rows, sizes)

    return GrowingText(written)


def packed(numbers: Iterable[int]) -> str:
    """Numbers as a text."""
    return "".join(f"{number} " for number in numbers)


def unpacked(text: object) -> list[int]:
    """The numbers again; raises ValueError for another text."""
    if not isinstance(text, str):
        raise ValueError("packed numbers are a text")
    return [int(number) for number in text.split()]


def packed_rows(rows: Iterable[Sequence[int]], sizes: Sequence[int]) -> str:
    """Rows of variables of these sizes as a text: the number of each among all rows there are."""
    width = _width(sizes)
    return b64encode(b"".join(_number(row, sizes).to_bytes(width, "big") for row in rows)).decode()


def unpacked_rows(text: object, sizes: Sequence[int]) -> list[Indices]:
    """The rows again; raises ValueError where one is no row of variables of these sizes."""
    if not isinstance(text, str):
        raise ValueError("packed rows are a text")
    data, width = b64decode(text, validate=True), _width(sizes)
    if len(data) % width:
        raise ValueError("the packed text has half a row")
    return [
        _row(int.from_bytes(data[at : at + width], "big"), sizes)
        for at in range(0, len(data), width)
    ]


def _width(sizes: Sequence[int]) -> int:
    """Bytes of a row: a multiple of three, which base 64 writes without a rest."""
    return max(1, -(-(prod(sizes) - 1).bit_length() // 24)) * 3


def _number(row: Sequence[int], sizes: Sequence[int]) -> int:
    number = 0
    for at, size in zip(row, sizes, strict=True):
        number = number * size + at
    return number


def _row(number: int, sizes: Sequence[int]) -> Indices:
    row: list[int] = []
    for size in reversed(sizes):
        number, at = divmod(number, size)
        row.append(at)
    if number:
        raise ValueError("a packed number stands for no value")
    return tuple(reversed(row))

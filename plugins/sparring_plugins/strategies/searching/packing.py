"""Rows of small numbers as short texts, for the saved states of searches."""

from array import array
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from zlib import compress, decompressobj

_MOST_BYTES = 1 << 30


def packed(numbers: Iterable[int]) -> str:
    """Numbers below 2^31 as a text."""
    made = array("i", numbers)
    return b64encode(compress(made.tobytes(), 6)).decode()


def unpacked(text: object) -> list[int]:
    """The numbers again; raises ValueError for another text."""
    if not isinstance(text, str):
        raise ValueError("packed numbers are a text")
    numbers = array("i")
    try:
        reader = decompressobj()
        numbers.frombytes(reader.decompress(b64decode(text, validate=True), _MOST_BYTES))
        if not reader.eof:
            raise ValueError("cut off")
    except Exception as err:
        raise ValueError(f"no packed numbers: {err}") from err
    return numbers.tolist()


def packed_rows(rows: Sequence[Sequence[int]]) -> str:
    """Rows of equal length as a text."""
    return packed(number for row in rows for number in row)


def unpacked_rows(text: object, sizes: Sequence[int]) -> list[tuple[int, ...]]:
    """The rows again; raises ValueError where one is no row of variables of these sizes."""
    numbers = unpacked(text)
    width = len(sizes)
    if not width or len(numbers) % width:
        raise ValueError("the numbers make no rows")
    rows = [tuple(numbers[at : at + width]) for at in range(0, len(numbers), width)]
    if any(not 0 <= at < size for row in rows for at, size in zip(row, sizes, strict=True)):
        raise ValueError("a number stands for no value")
    return rows

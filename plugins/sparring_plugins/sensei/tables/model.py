"""Tables of published results that are computed again from their data."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sparring.model.base import Value


class Source(StrEnum):
    """Where a cell comes from.

    `RAW`: computed from the raw data. `STORED`: read from a result that was published with them.
    `MANUAL`: a person's judgement that the data do not hold. `ABSENT`: its data are not there.
    """

    RAW = "raw"
    STORED = "stored"
    MANUAL = "manual"
    ABSENT = "absent"


class Cell(Value):
    """A cell; without a value for those that are MANUAL or ABSENT."""

    value: int | float | str | None = None
    source: Source = Source.RAW


class DataTable(Value):
    """A table: `name` is what it is chosen by, each row has a cell per column.

    `notes` say how it was computed, and what in it contradicts what was published.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableMaker:
    """Computes the tables of one publication: the entry points of the group ``sparring.tables``.

    `about` says in a line what they are. `make` computes them from the folder of the data; it
    raises ConfigurationError where that is no such folder. What the folder lacks gives cells
    that say so.
    """

    about: str
    make: Callable[[Path], Iterable[DataTable]]

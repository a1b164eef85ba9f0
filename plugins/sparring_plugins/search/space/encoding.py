"""Cases as vectors of numbers, and back (STELLAR, section III).

An ordinal value is its index divided by the number of values, so that the second of four is 0.25;
a categorical value is its index. Decoding takes any finite numbers: those beyond the ends count as
the first or the last value.
"""

import json
from collections.abc import Mapping, Sequence
from math import isfinite

from pydantic import JsonValue

from sparring.model.space import Variable

_SLACK = 1e-9
"""What rounding may take from an index on its way through a quotient."""

Indices = tuple[int, ...]
"""The number of the value of each variable."""


class Encoding:
    """The encoding of one scenario's variables, in their order."""

    def __init__(self, variables: Sequence[Variable]) -> None:
        self.variables = tuple(variables)
        self.names = tuple(variable.name for variable in variables)
        self.sizes = tuple(len(variable.domain) for variable in variables)
        self.ordinal = tuple(variable.scale == "ordinal" for variable in variables)
        self._places = [_places(variable.domain) for variable in variables]

    def indices(self, params: Mapping[str, JsonValue]) -> Indices:
        """The index of each value; raises ValueError for a name or a value of no variable."""
        missing = [name for name in self.names if name not in params]
        unknown = [name for name in params if name not in self.names]
        if missing or unknown:
            what = f"no value for {missing[0]!r}" if missing else f"no variable {unknown[0]!r}"
            raise ValueError(f"there is {what}")
        return tuple(self.place(number, params[name]) for number, name in enumerate(self.names))

    def place(self, number: int, value: JsonValue) -> int:
        """The index of a value of a variable; 1, 1.0 and true are three values. Else ValueError."""
        found = self._places[number].get(_key(value))
        if found is None:
            raise ValueError(f"{value!r} is no value of {self.names[number]!r}")
        return found

    def params(self, indices: Sequence[int]) -> dict[str, JsonValue]:
        """The values at indices."""
        return {
            variable.name: variable.domain[at]
            for variable, at in zip(self.variables, indices, strict=True)
        }

    def vector(self, indices: Sequence[int]) -> list[float]:
        """Indices as numbers."""
        return [
            at / size if ordinal else float(at)
            for at, size, ordinal in zip(indices, self.sizes, self.ordinal, strict=True)
        ]

    def nearest(self, vector: Sequence[float]) -> Indices:
        """The indices that numbers stand for; raises ValueError for too few, many, or no numbers.

        An ordinal number belongs to the value whose interval ``[i/n, (i+1)/n)`` holds it, a
        categorical one to the nearest index.
        """
        if len(vector) != len(self.names) or not all(isfinite(x) for x in vector):
            raise ValueError(f"a vector has {len(self.names)} finite numbers, one per variable")
        return tuple(
            _within(int(min(x, 1.0) * size + _SLACK) if ordinal and x > 0 else round(x), size)
            for x, size, ordinal in zip(vector, self.sizes, self.ordinal, strict=True)
        )

    def bounds(self) -> list[tuple[float, float]]:
        """The smallest and the largest number that a value of each variable is encoded as."""
        return [
            (0.0, (size - 1) / size if ordinal else float(size - 1))
            for size, ordinal in zip(self.sizes, self.ordinal, strict=True)
        ]


def _within(at: int, size: int) -> int:
    return min(max(at, 0), size - 1)


def _places(domain: Sequence[JsonValue]) -> dict[str, int]:
    found: dict[str, int] = {}
    for at, value in enumerate(domain):
        found.setdefault(_key(value), at)
    return found


def _key(value: JsonValue) -> str:
    """A text that equal values of one type share, and no others."""
    return json.dumps(value, sort_keys=True)

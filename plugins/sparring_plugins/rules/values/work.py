"""How much an expression may do, and what its values may be.

Work is counted in units of at most about a microsecond of time and about 32 bytes of memory. It is
charged before it is done, from the sizes of the operands, so that a count is the same everywhere.
"""

# Values of any type are computed with here, which a type checker cannot follow.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false

from collections.abc import Sized
from datetime import date, datetime, timedelta
from types import NoneType
from typing import Any

from sparring_plugins.rules.values.errors import Refused, TooMuchWork

SCALARS: frozenset[type] = frozenset({int, float, bool, NoneType, date, datetime, timedelta})
"""Values of fixed size (whole numbers are bounded where they are made)."""

SEQUENCES: frozenset[type] = frozenset({list, tuple, set, frozenset, range})

MAX_BITS = 4096
"""Size of the largest whole number."""


class Work:
    """What is left to do in one evaluation."""

    __slots__ = ("left", "limit")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.left = limit

    def begin(self) -> None:
        """Start another evaluation."""
        self.left = self.limit

    def charge(self, units: int) -> None:
        """Take units off; raises TooMuchWork where none are left."""
        left = self.left = self.left - units
        if left < 0:
            raise TooMuchWork(f"the expression needs more than {self.limit:,} units of work")

    def sized(self, value: Any) -> Any:
        """Charge for reading all of a value, and give it back."""
        kind = type(value)
        if kind is str:
            self.charge(1 + (len(value) >> 4))
        elif kind not in SCALARS:
            self.charge(self.weigh(value))
        return value

    def weigh(self, value: Any) -> int:
        """The size of a value with everything in it; raises TooMuchWork as soon as it is too big.

        Values may share parts, so that a small expression can make one of astronomical size.
        """
        stack: list[Any] = [value]
        cost = 0
        while stack:
            item = stack.pop()
            kind = type(item)
            if kind is str:
                cost += 1 + (len(item) >> 4)
            elif kind in SCALARS:
                cost += 1
            else:
                cost += 1 + self._inside(kind, item)
                if cost > self.left:
                    self.charge(cost)
                _open(kind, item, stack)
        return cost

    def _inside(self, kind: Any, item: Sized) -> int:
        if kind is dict:
            return 2 * len(item)
        if kind in SEQUENCES:
            return length(item)
        raise Refused(not_a_value(item))


def _open(kind: Any, item: Any, stack: list[Any]) -> None:
    if kind is dict:
        stack.extend(item.keys())
        stack.extend(item.values())
    elif kind is not range:
        stack.extend(item)


def length(item: Sized) -> int:
    """The length of a container, also of a range too long for Python to count."""
    try:
        return len(item)
    except OverflowError:
        return 1 << 62


def not_a_value(item: object) -> str:
    """The message about something that expressions cannot compute with."""
    kind = type(item)
    if kind is not dict and issubclass(kind, dict):
        return "a conversation is not a value: name what you want of it, as in conv[0].price"
    return f"{kind.__name__!r} is not a value of the rules language"

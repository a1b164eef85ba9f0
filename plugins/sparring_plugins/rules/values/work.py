"""Bounded evaluation: units of work, the errors of expressions, the order and keys of values.

Work is counted in units of at most about a microsecond of time and about 32 bytes of memory. It is
charged before it is done, from the sizes of the operands, so that a count is the same everywhere.
"""

# Values of any type are computed with here, which a type checker cannot follow.
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from collections import Counter
from collections.abc import Iterable, Sized
from datetime import date, datetime, timedelta
from types import NoneType
from typing import Any

from sparring.model.chat import ChatRequest

# Why an expression has no value.


class RuleFault(Exception):
    """An expression has no value, for a reason of the rules language's own."""


class UnknownName(RuleFault):
    """The conversation has no variable of the name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"this conversation has no `{name}`")
        self.name = name


class UnreadValue(RuleFault):
    """Nobody could look for the value of an output: what depends on it cannot be decided."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"nobody could read `{name}`: {why}")


class NotApplicable(RuleFault):
    """The expression has no meaning here, for a reason that is no failure."""


class NoPrevious(UnknownName):
    """There is no turn before the first."""

    def __init__(self) -> None:
        super().__init__("previous")
        self.args = ("there is no turn before the first",)


class TooMuchWork(RuleFault):
    """The expression needs more work or memory than a rule may use."""


class RefusedOperation(RuleFault):
    """The expression does what rules may not do, found out only when it was evaluated."""


class BrokenFunction(RuleFault):
    """A library function broke, or returned what it must not: no fault of the rule's."""


class NeedsModel(RuleFault):
    """The expression asks a language model, and there is none."""


class PendingAnswer(RuleFault):
    """A part of the expression waits for a model and is evaluated later."""


class NeedsAnswer(BaseException):
    """Suspends an evaluation until the model has answered.

    Not an Exception, so that a function which catches those cannot swallow it.
    """

    def __init__(self, request: ChatRequest) -> None:
        super().__init__("a model's answer is needed")
        self.request = request


SCALARS: frozenset[type] = frozenset({int, float, bool, NoneType, date, datetime, timedelta})
"""Values of fixed size (whole numbers are bounded where they are made)."""

SEQUENCES: frozenset[type] = frozenset({list, tuple, set, frozenset, range})

MAX_BITS = 4096
"""Size of the largest whole number."""

_MOST_WITH_ONE_HASH = 100
"""Different keys of a set or dict that may have the same hash.

Python hashes texts with a secret, but a whole number is its own hash modulo 2**61 - 1, and the
hash of a tuple follows from those of its items: 20,000 multiples of 2**61 - 1 are compared with
each other one by one, which takes half a minute in C code that nothing interrupts. Values that were
not made for this share a hash in pairs (-1 and -2).
"""


class Work:
    """The units of work that are left in one evaluation."""

    __slots__ = ("left", "limit")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.left = limit

    def begin(self) -> None:
        """Start another evaluation."""
        self.left = self.limit

    def charge(self, units: int) -> None:
        """Take units off; raises TooMuchWork if none are left."""
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

    def keys(self, keys: Iterable[Any]) -> None:
        """Refuse keys of a set or dict that were made to collide; raises TooMuchWork.

        Their number and sizes are charged by the caller. Raises TypeError for a key without a hash.
        """
        doubtful = [key for key in keys if type(key) is not str]
        if len(doubtful) <= _MOST_WITH_ONE_HASH:
            return
        sizes = Counter(map(hash, doubtful))
        crowded = {value for value, size in sizes.items() if size > _MOST_WITH_ONE_HASH}
        different: dict[int, list[Any]] = {}
        for key in doubtful if crowded else ():
            if (value := hash(key)) not in crowded:
                continue
            same_hash = different.setdefault(value, [])
            if key not in same_hash:
                same_hash.append(key)
                if len(same_hash) > _MOST_WITH_ONE_HASH:
                    raise TooMuchWork(
                        f"more than {_MOST_WITH_ONE_HASH} different keys have the same hash: "
                        "a set or dict of them would be slow without end"
                    )

    def _inside(self, kind: Any, item: Sized) -> int:
        if kind is dict:
            return 2 * len(item)
        if kind in SEQUENCES:
            return length(item)
        raise RefusedOperation(not_a_value(item))


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


# A fixed order for sets, so that equal conversations give equal results in every process.


_SETS = (set, frozenset)


def _rank(item: Any) -> tuple[str, Any]:
    kind = type(item).__name__
    return (kind, item) if isinstance(item, (str, int, float)) else (kind, text_of(item, True))


def stable(values: Any) -> Any:
    """A set as a sorted list; anything else as it is."""
    kind = type(values)
    return sorted(values, key=_rank) if kind in _SETS else values


def text_of(value: Any, quoted: bool = False) -> str:
    """A value as Python writes it, but sets in a fixed order."""
    if not _holds_set(value):
        return repr(value) if quoted else str(value)
    kind = type(value)
    if kind is dict:
        pairs = (f"{text_of(key, True)}: {text_of(item, True)}" for key, item in value.items())
        return f"{{{', '.join(pairs)}}}"
    inside = ", ".join(text_of(item, True) for item in stable(value))
    if kind in _SETS:
        return f"{{{inside}}}" if inside else "set()"
    if kind is tuple:
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    return f"[{inside}]"


def _holds_set(value: Any) -> bool:
    stack: list[Any] = [value]
    while stack:
        item = stack.pop()
        kind = type(item)
        if kind in _SETS:
            return True
        if kind is dict:
            stack.extend(item.keys())
            stack.extend(item.values())
        elif kind in (list, tuple):
            stack.extend(item)
    return False


# Keys for look-ups: equal exactly when values are equal in an expression.


def key_of(value: Any) -> Any:
    """A hashable stand-in for a value; stands-in are equal when the values are."""
    kind = type(value)
    if kind is float and value != value:
        return object()  # not a number: equal to nothing, not even to itself
    if kind in (list, tuple):
        return (kind, *(_inner(item) for item in value))
    if kind is dict:
        return (dict, frozenset((key, _inner(item)) for key, item in value.items()))
    if kind is range:
        return (range, value)
    return frozenset(value) if kind is set else value


def _inner(value: Any) -> Any:
    """Inside of containers, Python takes one and the same object for equal."""
    return ("nan", id(value)) if isinstance(value, float) and value != value else key_of(value)

"""Python's own functions that expressions may call, each charged before it works."""

# Values of any type are computed with here, which a type checker cannot follow.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false

from collections.abc import Callable
from datetime import date
from functools import partial
from types import GeneratorType
from typing import Any

from sparring_plugins.rules.values.ordering import stable, text_of
from sparring_plugins.rules.values.record import Record
from sparring_plugins.rules.values.work import SCALARS, SEQUENCES, Work, length

_LONGEST_NUMBER = 400
_NONE: Any = object()

KINDS: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (float,),
    "bool": (bool,),
    "list": (list,),
    "tuple": (tuple,),
    "dict": (dict,),
    "set": (set, frozenset),
}
"""What `isinstance` may ask for."""


class Basics:
    """The functions, bound to the work of one evaluator."""

    def __init__(self, work: Work) -> None:
        self.work = work

    def table(self) -> dict[str, Callable[..., Any]]:
        """The functions by the names that rules use."""
        return {
            "abs": self.absolute,
            "all": self.all_true,
            "any": self.any_true,
            "bool": self.truth,
            "dict": self.as_dict,
            "enumerate": self.numbered,
            "float": self.as_float,
            "int": self.as_int,
            "len": self.size,
            "list": self.as_list,
            "max": partial(self._extreme, max),
            "min": partial(self._extreme, min),
            "range": self.span,
            "repr": partial(self.text, quoted=True),
            "reversed": self.backwards,
            "round": self.rounded,
            "set": self.as_set,
            "sorted": self.in_order,
            "str": self.text,
            "sum": self.total,
            "tuple": self.as_tuple,
            "zip": self.side_by_side,
        }

    def _items(self, values: Any) -> list[Any]:
        """All items of a container, charged."""
        kind = type(values)
        if kind is not GeneratorType:
            if kind not in SEQUENCES and kind is not str and kind is not dict:
                raise TypeError(f"{kind.__name__!r} object is not iterable")
            self.work.charge(1 + length(values))
        return list(stable(values))

    def absolute(self, number: Any) -> Any:
        """The size of a number without its sign."""
        return abs(number)

    def all_true(self, values: Any) -> bool:
        """Whether all items are true."""
        return all(values if type(values) is GeneratorType else self._items(values))

    def any_true(self, values: Any) -> bool:
        """Whether at least one item is true."""
        return any(values if type(values) is GeneratorType else self._items(values))

    def truth(self, value: Any = False) -> bool:
        """Whether a value counts as true."""
        return bool(value)

    def as_dict(self, pairs: Any = (), **named: Any) -> dict[Any, Any]:
        """A dict from another one or from pairs."""
        items = pairs if type(pairs) is dict else self._items(pairs)
        self.work.sized(items)
        return dict(items, **named)

    def numbered(self, values: Any, start: int = 0) -> list[tuple[int, Any]]:
        """Items with their numbers."""
        items = self._items(values)
        self.work.charge(3 * len(items))
        return list(enumerate(items, start))

    def as_float(self, value: Any = 0.0) -> float:
        """A text or number as a number."""
        if isinstance(value, str) and len(value) > _LONGEST_NUMBER:
            raise ValueError(f"a number of more than {_LONGEST_NUMBER} digits")
        return float(value)

    def as_int(self, value: Any = 0, base: Any = _NONE) -> int:
        """A text or number as a whole number."""
        if isinstance(value, str) and len(value) > _LONGEST_NUMBER:
            raise ValueError(f"a number of more than {_LONGEST_NUMBER} digits")
        return int(value) if base is _NONE else int(value, base)

    def size(self, value: Any) -> int:
        """The number of characters or items."""
        kind = type(value)
        if kind in SEQUENCES or kind is str or kind is dict:
            return len(value)
        raise TypeError(f"object of type {kind.__name__!r} has no len()")

    def as_list(self, values: Any = ()) -> list[Any]:
        """The items as a list."""
        return self._items(values)

    def as_tuple(self, values: Any = ()) -> tuple[Any, ...]:
        """The items as a tuple."""
        return tuple(self._items(values))

    def as_set(self, values: Any = ()) -> set[Any]:
        """The items, each once."""
        items = self._items(values)
        self.work.charge(2 * self.work.weigh(items))
        return set(items)

    def _extreme(self, pick: Any, *values: Any, key: Any = None, **default: Any) -> Any:
        items = self._items(values[0]) if len(values) == 1 else list(values)
        self.work.sized(items)
        if len(values) == 1:
            return pick(items, key=key, **default)
        return pick(*items, key=key)

    def span(self, *bounds: Any) -> range:
        """Whole numbers from a start to before a stop."""
        return range(*bounds)

    def backwards(self, values: Any) -> list[Any]:
        """The items from the last to the first."""
        return self._items(values)[::-1]

    def rounded(self, number: Any, digits: Any = None) -> Any:
        """A number rounded to so many decimals."""
        if digits is not None and not (isinstance(digits, int) and abs(digits) <= 20):
            raise ValueError("round() takes -20 to 20 digits")
        return round(number) if digits is None else round(number, digits)

    def in_order(self, values: Any, *, key: Any = None, reverse: Any = False) -> list[Any]:
        """The items in order."""
        items = self._items(values)
        self.work.charge(self.work.weigh(items) * max(1, len(items).bit_length()))
        return sorted(items, key=key, reverse=bool(reverse))

    def total(self, values: Any, start: Any = 0) -> Any:
        """The sum of numbers."""
        items = self._items(values)
        for item in (start, *items):
            if type(item) not in SCALARS or isinstance(item, date):
                raise TypeError(f"sum() needs numbers, not {type(item).__name__!r}")
        return sum(items, start)

    def text(self, value: Any = "", quoted: bool = False) -> str:
        """A value as text."""
        self.work.sized(value)
        return text_of(value, quoted)

    def side_by_side(self, *values: Any) -> list[tuple[Any, ...]]:
        """Items of several lists side by side, up to the end of the shortest."""
        columns = [self._items(one) for one in values]
        self.work.charge(sum(len(column) for column in columns))
        return list(zip(*columns, strict=False))


def is_kind(value: Any, kinds: tuple[str, ...]) -> bool:
    """Whether a value is of one of the named kinds."""
    if isinstance(value, Record):
        return False
    return isinstance(value, tuple(kind for name in kinds for kind in KINDS[name]))


def has_name(record: Any, name: str) -> bool:
    """Whether a conversation has a variable."""
    if not isinstance(record, Record):
        raise TypeError("hasattr() is for conversations, as in hasattr(conv[0], 'price')")
    return record.has(name)


def name_or(record: Any, name: str, default: Any = None) -> Any:
    """A variable of a conversation, or a default where it has none."""
    return record[name] if has_name(record, name) else default

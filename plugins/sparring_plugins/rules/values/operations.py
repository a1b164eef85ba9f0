"""Operations of expressions that can be large: each is charged before it is done.

What is not here (comparisons of charged values, `not`, `/`, picking an item) is Python's own on
plain values, and cannot grow.
"""

# Values of any type are computed with here, which a type checker cannot follow.
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import re
from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta
from functools import partial
from types import GeneratorType
from typing import Any

from sparring_plugins.rules.values.record import Record
from sparring_plugins.rules.values.work import (
    MAX_BITS,
    SCALARS,
    SEQUENCES,
    RefusedOperation,
    Work,
    length,
    stable,
    text_of,
)

# "{price:>1000000}" would write a megabyte of blanks: the width has three digits at most, and is
# charged.
_SPEC = re.compile(r"(?:.?[<>=^])?[-+ ]?#?0?(?P<width>\d{0,3})[,_]?(?:\.\d{1,2})?[a-zA-Z%]?")
# `%-d` and others are the C library's own: some machines print what others refuse.
_DATE_SPEC = re.compile(r"(?:%[%YymdHMSjaAbBpIuwUW]|[^%]){0,60}")
_NUMBERS = (int, float)
_PARTS: dict[str, tuple[type, ...]] = {
    "year": (date,),
    "month": (date,),
    "day": (date,),
    "hour": (datetime,),
    "minute": (datetime,),
    "days": (timedelta,),
}


class Guards:
    """The guarded operations, bound to the work of one evaluator."""

    def __init__(self, work: Work) -> None:
        self.work = work

    def table(self) -> dict[str, Callable[..., Any]]:
        """The operations under the names that compiled expressions call them by."""
        return {
            "g_s": self.work.sized,
            "g_iter": self.iterated,
            "g_key": self.key,
            "g_set": self.set_of,
            "g_dict": self.dict_of,
            "g_add": self.add,
            "g_sub": self.subtract,
            "g_mul": self.multiply,
            "g_mod": self.modulo,
            "g_pow": self.power,
            "g_and": self.both,
            "g_or": self.either,
            "g_xor": self.one_of,
            "g_slice": self.slice,
            "g_format": self.format,
            "g_concat": self.concat,
            "g_part": self.part,
        }

    def iterated(self, value: Any, weight: int) -> Iterable[Any]:
        """The values that a comprehension iterates over, charged for all of its steps."""
        kind = type(value)
        if kind in SEQUENCES or kind is str or kind is dict:
            self.work.charge(1 + length(value) * weight)
            steps: Iterable[Any] = stable(value)
            return steps
        raise TypeError(f"{kind.__name__!r} object is not iterable")

    def key(self, value: Any) -> Any:
        """A key of a dict, an item of a set, or an index."""
        return value if type(value) in SCALARS else self.work.sized(value)

    def set_of(self, keys: list[Any]) -> set[Any]:
        """The set that a comprehension makes; its keys are charged already."""
        self.work.keys(keys)
        return set(keys)

    def dict_of(self, pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
        """The dict that a comprehension makes; its keys are charged already."""
        self.work.keys([key for key, _ in pairs])
        return dict(pairs)

    def add(self, left: Any, right: Any) -> Any:
        """Addition of numbers and dates; joining of texts and lists."""
        if type(left) not in SCALARS:
            self.work.charge(self._shallow(left) + self._shallow(right))
        return left + right

    def subtract(self, left: Any, right: Any) -> Any:
        """Subtraction of numbers and dates; difference of sets."""
        if type(left) not in SCALARS:
            self.work.charge(self._shallow(left) + self.work.weigh(right))
        return left - right

    def multiply(self, left: Any, right: Any) -> Any:
        """Multiplication of numbers; repetition of texts and lists."""
        if type(left) is float or type(right) is float:
            return left * right
        if type(left) in SCALARS and type(right) in SCALARS:
            if _bits(left) + _bits(right) > MAX_BITS:
                raise RefusedOperation(f"a whole number of more than {MAX_BITS} bits")
            return left * right
        times, item = (left, right) if isinstance(left, int) else (right, left)
        if isinstance(times, int):
            self.work.charge(1 + max(0, times) * (1 + self._shallow(item)))
        return left * right

    def modulo(self, left: Any, right: Any) -> Any:
        """The rest of a division; not Python's formatting of texts."""
        if isinstance(left, str):
            raise RefusedOperation("`%` does not format texts here: write an f-string")
        return left % right

    def power(self, left: Any, right: Any) -> Any:
        """A power of numbers; whole ones up to `MAX_BITS` bits."""
        if not isinstance(left, _NUMBERS) or not isinstance(right, _NUMBERS):
            raise TypeError("`**` needs two numbers")
        if isinstance(left, int) and isinstance(right, int) and _bits(left) * abs(right) > MAX_BITS:
            raise RefusedOperation(f"a whole number of more than {MAX_BITS} bits")
        result = left**right
        if isinstance(result, complex):
            raise ValueError("an uneven root of a negative number")
        return result

    def both(self, left: Any, right: Any) -> Any:
        """``&`` of sets, booleans or whole numbers."""
        self._weigh_both(left, right)
        return left & right

    def either(self, left: Any, right: Any) -> Any:
        """``|`` of sets, dicts, booleans or whole numbers."""
        self._weigh_both(left, right)
        return left | right

    def one_of(self, left: Any, right: Any) -> Any:
        """``^`` of sets, booleans or whole numbers."""
        self._weigh_both(left, right)
        return left ^ right

    def slice(self, value: Any, start: Any, stop: Any, step: Any) -> Any:
        """A part of a text or a list."""
        if not isinstance(value, (str, list, tuple)):
            raise TypeError(f"{type(value).__name__!r} object cannot be sliced")
        self.work.charge(1 + self._shallow(value))
        return value[start:stop:step]

    def format(self, value: Any, conversion: str, spec: str) -> str:
        """One hole of an f-string."""
        self.work.sized(value)
        if conversion:
            value = text_of(value, quoted=conversion != "s")
            value = ascii(value)[1:-1] if conversion == "a" else value
        if not spec:
            return text_of(value)
        if isinstance(value, date):
            allowed = _DATE_SPEC.fullmatch(spec)
        else:
            allowed = _SPEC.fullmatch(spec) if isinstance(value, (str, int, float)) else None
        if not allowed:
            raise RefusedOperation(f"the format {spec[:40]!r} is not one that rules may use")
        return format(value, spec)

    def concat(self, *parts: str) -> str:
        """The parts of an f-string, joined."""
        self.work.charge(1 + sum(len(part) for part in parts) // 16)
        return "".join(parts)

    def part(self, value: Any, name: str) -> Any:
        """A name of a conversation, or a part of a date or of a span of time."""
        if isinstance(value, Record):
            return value[name]
        if isinstance(value, _PARTS.get(name, ())):
            return getattr(value, name)
        kind = type(value).__name__
        raise TypeError(f"{kind!r} object has no part `{name}` that rules may use")

    def _shallow(self, value: Any) -> int:
        """The size of copying a value: its own length, not what it holds."""
        if type(value) is str:
            return 1 + (len(value) >> 4)
        if type(value) in SEQUENCES or type(value) is dict:
            return 1 + length(value) // 4
        if type(value) in SCALARS:
            return 1
        return self.work.weigh(value)  # refuses what is no value

    def _weigh_both(self, left: Any, right: Any) -> None:
        if type(left) not in SCALARS:
            self.work.charge(self.work.weigh(left) + self.work.weigh(right))


def _bits(value: Any) -> int:
    return value.bit_length() if isinstance(value, int) else 1


# Python's own functions that expressions may call, each charged before it works.


# `int("9" * 5000)` takes time that grows with the square of its digits.
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
            "abs": abs,
            "all": self.all_true,
            "any": self.any_true,
            "bool": bool,
            "dict": self.as_dict,
            "enumerate": self.numbered,
            "float": self.as_float,
            "int": self.as_int,
            "len": self.size,
            "list": self.as_list,
            "max": partial(self._extreme, max),
            "min": partial(self._extreme, min),
            "range": range,
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

    def all_true(self, values: Any) -> bool:
        """Whether all items are true."""
        return all(values if type(values) is GeneratorType else self._items(values))

    def any_true(self, values: Any) -> bool:
        """Whether at least one item is true."""
        return any(values if type(values) is GeneratorType else self._items(values))

    def as_dict(self, pairs: Any = (), **named: Any) -> dict[Any, Any]:
        """A dict from another one or from pairs."""
        items = pairs if type(pairs) is dict else self._items(pairs)
        self.work.sized(items)
        if type(items) is list:
            self.work.keys([pair[0] for pair in items if type(pair) in (list, tuple) and pair])
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
        self.work.keys(items)
        return set(items)

    def _extreme(self, pick: Any, *values: Any, key: Any = None, **default: Any) -> Any:
        items = self._items(values[0]) if len(values) == 1 else list(values)
        self.work.sized(items)
        if len(values) == 1:
            return pick(items, key=key, **default)
        return pick(*items, key=key)

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
        columns = [self._items(value) for value in values]
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
    """A variable of a conversation, or a default if it has none."""
    return record[name] if has_name(record, name) else default


# The methods that expressions may call on texts, lists, dicts, sets and dates.


_TEXT_SIMPLE = (
    *("lower", "upper", "title", "capitalize", "casefold"),
    *("swapcase", "startswith", "endswith", "count", "find", "index"),
    *("removeprefix", "removesuffix", "partition"),
    *("isdigit", "isalpha", "isalnum", "isnumeric", "isdecimal", "isspace"),
    *("isupper", "islower", "istitle"),
)
# Python looks backwards for a text, and for each character among those to strip, by comparing all
# with all: `('a' * n).rfind('ab' + 'a' * n)` takes n * n steps, where `find` takes n.
_TEXT_SCANS = ("strip", "lstrip", "rstrip", "rfind", "rindex", "rpartition")
_SET_SIMPLE = (
    *("union", "intersection", "difference", "symmetric_difference"),
    *("issubset", "issuperset", "isdisjoint"),
)
Call = Callable[..., Any]


class Methods:
    """The table of methods by type, bound to the work of one evaluator."""

    def __init__(self, work: Work) -> None:
        self.work = work
        text: dict[str, Call] = {name: self._charge(getattr(str, name)) for name in _TEXT_SIMPLE}
        text |= {name: self._scan(getattr(str, name)) for name in _TEXT_SCANS}
        text |= {
            "join": self._join,
            "replace": self._replace,
            "split": self._split,
            "rsplit": self._rsplit,
            "splitlines": self._lines,
        }
        sets = {name: self._charge(getattr(set, name)) for name in _SET_SIMPLE}
        listed: dict[str, Call] = {"count": self._count, "index": self._index}
        self.of: dict[type, dict[str, Call]] = {
            str: text,
            list: listed,
            tuple: listed,
            set: sets,
            dict: {
                "get": self._get,
                "keys": lambda item: self._list_view(item.keys()),
                "values": lambda item: self._list_view(item.values()),
                "items": lambda item: self._list_view(item.items()),
            },
            date: {"isoformat": date.isoformat, "weekday": date.weekday},
            datetime: {"isoformat": datetime.isoformat, "weekday": date.weekday},
            timedelta: {"total_seconds": timedelta.total_seconds},
        }

    def call(self, item: Any, name: str, *args: Any, **named: Any) -> Any:
        """Call a method of a value; AttributeError if its type offers none of the name."""
        kind = type(item)
        method = self.of.get(kind, {}).get(name)
        if method is None:
            raise AttributeError(f"{kind.__name__!r} object has no method `{name}` for rules")
        return method(item, *args, **named)

    def _charge(self, method: Call) -> Call:
        def called(item: Any, *args: Any) -> Any:
            work = self.work
            work.sized(item)
            for arg in args:
                work.sized(arg)
            return method(item, *args)

        return called

    def _scan(self, method: Call) -> Call:
        called = self._charge(method)

        def scanned(item: Any, wanted: Any = None, *args: Any) -> Any:
            self._charge_scan(item, wanted)
            return called(item, wanted, *args)

        return scanned

    def _charge_scan(self, item: str, wanted: Any) -> None:
        if type(wanted) is str:
            self.work.charge(len(item) * len(wanted) >> 9)

    def _join(self, glue: str, parts: Any) -> str:
        texts: list[Any] = list(stable(parts)) if type(parts) is not list else parts
        for number, part in enumerate(texts):
            if type(part) is not str:
                kind = type(part).__name__
                raise TypeError(f"join() needs texts, but item {number} is {kind!r}")
        size = sum(len(text) for text in texts) + len(glue) * len(texts)
        self.work.charge(1 + len(texts) + (size >> 4))
        return glue.join(texts)

    def _replace(self, text: str, old: str, new: str, count: int = -1) -> str:
        self.work.charge(1 + (len(text) >> 4))
        occurrences = text.count(old)
        size = len(text) + max(0, len(new) - len(old)) * occurrences
        self.work.charge(1 + (size >> 4))
        return text.replace(old, new, count)

    def _split(self, text: str, sep: str | None = None, maxsplit: int = -1) -> list[str]:
        self._charge_pieces(text, sep)
        return text.split(sep, maxsplit)

    def _rsplit(self, text: str, sep: str | None = None, maxsplit: int = -1) -> list[str]:
        self._charge_pieces(text, sep)
        self._charge_scan(text, sep)
        return text.rsplit(sep, maxsplit)

    def _lines(self, text: str) -> list[str]:
        self._charge_pieces(text, None)
        return text.splitlines()

    def _charge_pieces(self, text: str, sep: str | None) -> None:
        self.work.charge(1 + (len(text) >> 4))
        # Words are a letter and a blank each at the smallest; a piece takes about 64 bytes.
        pieces = text.count(sep) if sep else len(text) // 4
        self.work.charge(2 * pieces)

    def _count(self, items: Any, item: Any) -> int:
        self.work.sized(items)
        return int(items.count(item))

    def _index(self, items: Any, item: Any) -> int:
        self.work.sized(items)
        return int(items.index(item))

    def _get(self, table: dict[Any, Any], key: Any, default: Any = None) -> Any:
        return table.get(self.work.sized(key), default)

    def _list_view(self, view: Any) -> list[Any]:
        self.work.charge(1 + 2 * len(view))
        return list(view)


def unknown_method(name: str) -> RefusedOperation:
    """The refusal of a method that no type offers."""
    hint = " Write an f-string." if name in ("format", "format_map") else ""
    return RefusedOperation(f"the method `{name}` is not one that rules may call.{hint}")


KNOWN: tuple[str, ...] = tuple(
    sorted({name for table in Methods(Work(1)).of.values() for name in table})
)
"""The names of all methods."""

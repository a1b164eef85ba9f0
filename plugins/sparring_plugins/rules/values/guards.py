"""Operations of expressions that can be large: each is charged before it is done.

What is not here (comparisons of charged values, `not`, `/`, picking an item) is Python's own on
plain values, and cannot grow.
"""

# Values of any type are computed with here, which a type checker cannot follow.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false

import re
from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta
from typing import Any

from sparring_plugins.rules.values.errors import Refused
from sparring_plugins.rules.values.ordering import stable, text_of
from sparring_plugins.rules.values.record import Record
from sparring_plugins.rules.values.work import MAX_BITS, SCALARS, SEQUENCES, Work, length

_SPEC = re.compile(r"(?:.?[<>=^])?[-+ ]?#?0?(?P<width>\d{0,3})[,_]?(?:\.\d{1,2})?[a-zA-Z%]?")
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
        """What a comprehension runs over, charged for all of its steps."""
        kind = type(value)
        if kind in SEQUENCES or kind is str or kind is dict:
            self.work.charge(1 + length(value) * weight)
            steps: Iterable[Any] = stable(value)
            return steps
        raise TypeError(f"{kind.__name__!r} object is not iterable")

    def key(self, value: Any) -> Any:
        """A key of a dict, an item of a set, or an index."""
        return value if type(value) in SCALARS else self.work.sized(value)

    def add(self, one: Any, two: Any) -> Any:
        """Addition of numbers and dates; joining of texts and lists."""
        if type(one) not in SCALARS:
            self.work.charge(self._shallow(one) + self._shallow(two))
        return one + two

    def subtract(self, one: Any, two: Any) -> Any:
        """Subtraction of numbers and dates; difference of sets."""
        if type(one) not in SCALARS:
            self.work.charge(self._shallow(one) + self.work.weigh(two))
        return one - two

    def multiply(self, one: Any, two: Any) -> Any:
        """Multiplication of numbers; repetition of texts and lists."""
        if type(one) is float or type(two) is float:
            return one * two
        if type(one) in SCALARS and type(two) in SCALARS:
            if _bits(one) + _bits(two) > MAX_BITS:
                raise Refused(f"a whole number of more than {MAX_BITS} bits")
            return one * two
        times, item = (one, two) if isinstance(one, int) else (two, one)
        if isinstance(times, int):
            self.work.charge(1 + max(0, times) * (1 + self._shallow(item)))
        return one * two

    def modulo(self, one: Any, two: Any) -> Any:
        """The rest of a division; not Python's formatting of texts."""
        if isinstance(one, str):
            raise Refused("`%` does not format texts here: write an f-string")
        return one % two

    def power(self, one: Any, two: Any) -> Any:
        """A power of numbers; whole ones up to `MAX_BITS` bits."""
        if not isinstance(one, _NUMBERS) or not isinstance(two, _NUMBERS):
            raise TypeError("`**` needs two numbers")
        if isinstance(one, int) and isinstance(two, int) and _bits(one) * abs(two) > MAX_BITS:
            raise Refused(f"a whole number of more than {MAX_BITS} bits")
        result = one**two
        if isinstance(result, complex):
            raise ValueError("an uneven root of a negative number")
        return result

    def both(self, one: Any, two: Any) -> Any:
        """``&`` of sets, booleans or whole numbers."""
        self._weigh_both(one, two)
        return one & two

    def either(self, one: Any, two: Any) -> Any:
        """``|`` of sets, dicts, booleans or whole numbers."""
        self._weigh_both(one, two)
        return one | two

    def one_of(self, one: Any, two: Any) -> Any:
        """``^`` of sets, booleans or whole numbers."""
        self._weigh_both(one, two)
        return one ^ two

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
            raise Refused(f"the format {spec[:40]!r} is not one that rules may use")
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

    def _weigh_both(self, one: Any, two: Any) -> None:
        if type(one) not in SCALARS:
            self.work.charge(self.work.weigh(one) + self.work.weigh(two))


def _bits(value: Any) -> int:
    return value.bit_length() if isinstance(value, int) else 1

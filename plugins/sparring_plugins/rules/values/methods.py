"""The methods that expressions may call on texts, lists, dicts, sets and dates."""

# Values of any type are computed with here, which a type checker cannot follow.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false

from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

from sparring_plugins.rules.values.errors import Refused
from sparring_plugins.rules.values.ordering import stable
from sparring_plugins.rules.values.work import Work

_TEXT_SIMPLE = (
    *("lower", "upper", "strip", "lstrip", "rstrip", "title", "capitalize", "casefold"),
    *("swapcase", "startswith", "endswith", "count", "find", "rfind", "index", "rindex"),
    *("removeprefix", "removesuffix", "partition", "rpartition"),
    *("isdigit", "isalpha", "isalnum", "isnumeric", "isdecimal", "isspace"),
    *("isupper", "islower", "istitle"),
)
_SET_SIMPLE = (
    *("union", "intersection", "difference", "symmetric_difference"),
    *("issubset", "issuperset", "isdisjoint"),
)
Call = Callable[..., Any]


class Methods:
    """The table of methods by type, bound to the work of one evaluator."""

    def __init__(self, work: Work) -> None:
        self.work = work
        text: dict[str, Call] = {name: self._charged(getattr(str, name)) for name in _TEXT_SIMPLE}
        text |= {
            "join": self._join,
            "replace": self._replace,
            "split": self._split,
            "rsplit": self._rsplit,
            "splitlines": self._lines,
        }
        sets = {name: self._charged(getattr(set, name)) for name in _SET_SIMPLE}
        listed: dict[str, Call] = {"count": self._count, "index": self._index}
        self.of: dict[type, dict[str, Call]] = {
            str: text,
            list: listed,
            tuple: listed,
            set: sets,
            dict: {
                "get": self._get,
                "keys": lambda item: self._listed(item.keys()),
                "values": lambda item: self._listed(item.values()),
                "items": lambda item: self._listed(item.items()),
            },
            date: {"isoformat": date.isoformat, "weekday": date.weekday},
            datetime: {"isoformat": datetime.isoformat, "weekday": date.weekday},
            timedelta: {"total_seconds": timedelta.total_seconds},
        }

    def call(self, item: Any, name: str, *args: Any, **named: Any) -> Any:
        """Call a method of a value; AttributeError where its type offers none of the name."""
        kind = type(item)
        found = self.of.get(kind, {}).get(name)
        if found is None:
            raise AttributeError(f"{kind.__name__!r} object has no method `{name}` for rules")
        return found(item, *args, **named)

    def _charged(self, method: Call) -> Call:
        def called(item: Any, *args: Any) -> Any:
            work = self.work
            work.sized(item)
            for arg in args:
                work.sized(arg)
            return method(item, *args)

        return called

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
        found = text.count(old)
        size = len(text) + max(0, len(new) - len(old)) * found
        self.work.charge(1 + (size >> 4))
        return text.replace(old, new, count)

    def _split(self, text: str, sep: str | None = None, maxsplit: int = -1) -> list[str]:
        self._charge_pieces(text, sep)
        return text.split(sep, maxsplit)

    def _rsplit(self, text: str, sep: str | None = None, maxsplit: int = -1) -> list[str]:
        self._charge_pieces(text, sep)
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

    def _listed(self, view: Any) -> list[Any]:
        self.work.charge(1 + 2 * len(view))
        return list(view)


def unknown_method(name: str) -> Refused:
    """The refusal of a method that no type offers."""
    hint = " Write an f-string." if name in ("format", "format_map") else ""
    return Refused(f"the method `{name}` is not one that rules may call.{hint}")


KNOWN: tuple[str, ...] = tuple(
    sorted({name for table in Methods(Work(1)).of.values() for name in table})
)
"""The names of all methods."""

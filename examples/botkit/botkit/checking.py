"""Reading plain data key by key, with complaints that name the place."""

from collections.abc import Collection
from datetime import date
from difflib import get_close_matches
from typing import Any, cast, overload

_ABSENT: Any = object()


class DefinitionError(Exception):
    """A definition is wrong; carries every problem found."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def named(name: str, known: Collection[str]) -> str:
    """The end of a message about an unknown name."""
    close = get_close_matches(name, known, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return f"{hint} There are: {', '.join(sorted(known)) or 'none'}."


class Reader:
    """One mapping of a definition; what is not taken from it is unknown."""

    def __init__(self, data: Any, place: str, problems: list[str], at: str = "") -> None:
        self.place = place
        self.at = at
        self._problems = problems
        self._data: dict[Any, Any] = {}
        self._taken: set[Any] = set()
        if isinstance(data, dict):
            self._data = cast("dict[Any, Any]", data)
        elif data is not None:
            self.complain("expected keys and values")

    def complain(self, message: str, key: str = "") -> None:
        """Note a problem of this place."""
        self._problems.append(f"{self.place}: {f'{key}: ' if key else ''}{message}")

    def has(self, key: str) -> bool:
        """Whether a key is given."""
        return key in self._data

    def names(self) -> list[str]:
        """The keys, as texts; all of them count as known."""
        self._taken |= set(self._data)
        return [str(key) for key in self._data]

    def take(self, key: str, otherwise: Any = None) -> Any:
        """The value of a key as it is."""
        self._taken.add(key)
        return self._data.get(key, otherwise)

    @overload
    def text(self, key: str) -> str: ...
    @overload
    def text(self, key: str, otherwise: str) -> str: ...
    @overload
    def text(self, key: str, otherwise: None) -> str | None: ...
    def text(self, key: str, otherwise: Any = _ABSENT) -> str | None:
        """A text; numbers and days count as texts."""
        value = self.take(key)
        if value is None:
            if otherwise is _ABSENT:
                self.complain("missing", key)
                return ""
            return cast("str | None", otherwise)
        if isinstance(value, (dict, list, bool)):
            self.complain("expected a text", key)
            return ""
        return str(value)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts; one text alone is a list of one."""
        value = self.take(key)
        items = cast("list[Any]", value) if isinstance(value, list) else [value]
        if value is None:
            return ()
        if any(isinstance(item, (dict, list, bool)) or item is None for item in items):
            self.complain("expected texts (put yes, no, on and off in quotes)", key)
            return ()
        return tuple(str(item) for item in items)

    def number(self, key: str, otherwise: float) -> float:
        """A number."""
        value = self.take(key, otherwise)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.complain("expected a number", key)
            return otherwise
        return float(value)

    def day(self, key: str, *, required: bool = False) -> date | None:
        """A date as YYYY-MM-DD."""
        value = self.take(key)
        if type(value) is not date and (value is not None or required):
            self.complain("expected a day such as 2027-03-01", key)
            return None
        return cast("date | None", value)

    def sequence(self, key: str) -> list[Any]:
        """A list of anything."""
        value = self.take(key, [])
        if not isinstance(value, list):
            self.complain("expected a list", key)
            return []
        return cast("list[Any]", value)

    def items(self, key: str) -> list["Reader"]:
        """A list of mappings."""
        return [
            Reader(item, f"{self.place}: {key}[{index}]", self._problems)
            for index, item in enumerate(self.sequence(key))
        ]

    def inside(self, key: str) -> "Reader":
        """The mapping below a key; an empty one where there is none."""
        return Reader(self.take(key), f"{self.place}: {key}", self._problems, key)

    def parts(self, key: str) -> list["Reader"]:
        """The mappings below the keys below a key, each with its name in `at`."""
        outer = self.inside(key)
        return [
            Reader(outer.take(name), f"{outer.place}.{name}", self._problems, str(name))
            for name in list(outer._data)
        ]

    def done(self) -> None:
        """Complain of keys that nobody took."""
        for key in self._data:
            if key not in self._taken:
                self.complain(f"unknown key {key!r}.{named(str(key), [*map(str, self._taken)])}")

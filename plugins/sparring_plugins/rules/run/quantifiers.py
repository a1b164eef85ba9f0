"""The functions over all conversations that a rule's filter lets pass.

Tests and values were found for each conversation beforehand; here they are put together.
"""

# Values of any type are computed with here, which a type checker cannot follow.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any, Protocol

from sparring.documents.checking import shown
from sparring_plugins.rules.compile.evaluation import Noted, Raised
from sparring_plugins.rules.functions.slots import is_missing
from sparring_plugins.rules.run.decisions import is_missing_value
from sparring_plugins.rules.values.errors import NotApplicable, UnknownName
from sparring_plugins.rules.values.keys import key_of
from sparring_plugins.rules.values.work import Work

ABSENT: Any = object()
"""Stands for what a conversation does not have."""

_MOST_SHOWN = 5


@dataclass(slots=True)
class Duplicate:
    """What shows that a statement over all conversations is false."""

    text: str = ""
    case_ids: list[str] = field(default_factory=list[str])

    def note(self, text: str, case_ids: Sequence[str]) -> None:
        """Take the first thing that shows it."""
        if not self.text:
            self.text = text
            self.case_ids += case_ids


class Entry(Protocol):
    """What one conversation contributes: its tests and values, by their texts."""

    case_id: str
    tests: dict[str, Any]


class Quantifiers:
    """The functions, bound to some conversations.

    `plain` takes off what was noted beside a value found beforehand.
    """

    def __init__(
        self,
        among: Sequence[Entry],
        plain: Callable[[Any], Any],
        work: Work,
        shows: Duplicate,
    ) -> None:
        self.among = among
        self.plain = plain
        self.work = work
        self.shows = shows

    def table(self) -> dict[str, Callable[..., Any]]:
        """The functions by the names that rules use."""
        return {
            "all_of": self.all_of,
            "none_of": self.none_of,
            "share": self.share,
            "values": self.values,
            "same": self.same,
            "average": self.average,
            "median": lambda text: self.percentile(text, 50),
            "percentile": self.percentile,
            "total": self.total,
            "smallest": lambda text: min(self._numbers("smallest", text), default=None),
            "largest": lambda text: max(self._numbers("largest", text), default=None),
        }

    def all_of(self, test: str) -> bool:
        """Whether a test is true of every conversation that has its names."""
        return self._every(test, wanted=True)

    def none_of(self, test: str) -> bool:
        """Whether a test is true of no conversation."""
        return self._every(test, wanted=False)

    def share(self, test: str) -> float | None:
        """The share, from 0 to 1, of those with a value of which the test is true."""
        found = [bool(value) for _, value in self._present(test)]
        return sum(found) / len(found) if found else None

    def values(self, text: str) -> list[Any]:
        """The values in the order of the conversations; missing ones are left out."""
        found = [value for _, value in self._present(text)]
        self.work.charge(self.work.weigh(found))
        return found

    def same(self, text: str) -> bool:
        """Whether all conversations have the same value; missing ones are left out.

        Raises NotApplicable for fewer than two values: nothing can be said of them.
        """
        first: tuple[str, Any, Any] | None = None
        others = 0
        for case_id, value in self._present(text):
            key = key_of(self.work.sized(value))
            if first is None:
                first = (case_id, value, key)
                continue
            others += 1
            if key != first[2]:
                one, two = f"{shown(first[1])} in {first[0]}", f"{shown(value)} in {case_id}"
                self.shows.note(f"{text} is {one} and {two}", (first[0], case_id))
                return False
        if not others:
            raise NotApplicable(f"fewer than two conversations have a value of `{text}`")
        return True

    def average(self, text: str) -> float | None:
        """The mean of the values; None without any."""
        found = self._numbers("average", text)
        return sum(found) / len(found) if found else None

    def total(self, text: str) -> float:
        """The sum of the values."""
        return sum(self._numbers("total", text))

    def percentile(self, text: str, percent: Any) -> float | None:
        """The smallest value that `percent` of a hundred values do not exceed; None without any."""
        if isinstance(percent, bool) or not isinstance(percent, (int, float)):
            raise TypeError("percentile() needs a number from 0 to 100")
        if not 0 <= percent <= 100:
            raise ValueError(f"percentile() needs a number from 0 to 100, not {percent}")
        found = sorted(self._numbers("percentile", text))
        return found[max(1, ceil(len(found) * percent / 100)) - 1] if found else None

    def _every(self, test: str, *, wanted: bool) -> bool:
        against: list[str] = []
        doubt: Exception | None = None
        for case_id, value in self._found(test):
            if type(value) is not Raised:
                against += [case_id] if bool(value) is not wanted else []
            elif not isinstance(value.error, UnknownName):
                doubt = doubt or value.error
        if against:
            more = f" and {len(against) - _MOST_SHOWN:,} more" if against[_MOST_SHOWN:] else ""
            said = f"`{test}` is {'false' if wanted else 'true'} in "
            listed = against[:_MOST_SHOWN]
            self.shows.note(f"{said}{', '.join(listed)}{more}", listed)
            return False
        if doubt is not None:
            raise doubt.with_traceback(None)
        return True

    def _numbers(self, function: str, text: str) -> list[float]:
        """The numbers among the values; a list of numbers counts as each of them."""
        found: list[float] = []
        for _, value in self._present(text):
            for one in value if type(value) in (list, tuple) else (value,):
                if isinstance(one, bool) or not isinstance(one, (int, float)):
                    if is_missing(one):
                        continue
                    raise TypeError(f"{function}({text!r}) needs numbers, not {shown(one)}")
                found.append(one)
        self.work.charge(1 + len(found))
        return found

    def _present(self, text: str) -> Iterator[tuple[str, Any]]:
        """The conversations that have a value, with it; raises what is no missing value."""
        for case_id, value in self._found(text):
            if type(value) is Raised:
                if isinstance(value.error, UnknownName) or is_missing_value(value.error):
                    continue
                raise value.error.with_traceback(None)
            if not is_missing(value):
                yield case_id, value

    def _found(self, text: str) -> Iterator[tuple[str, Any]]:
        self.work.charge(1 + len(self.among))
        for one in self.among:
            value = one.tests[text]
            yield one.case_id, self.plain(value) if type(value) is Noted else value

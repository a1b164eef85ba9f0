"""The functions of rules over all conversations, and the groups that such rules judge apart."""

# Values of any type are computed with here, which a type checker cannot follow.
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any, Protocol, TypeVar

from sparring.documents.checking import shown
from sparring.model.verdict import Outcome, Verdict
from sparring_plugins.rules.compile.evaluation import NotedValue, RaisedError
from sparring_plugins.rules.functions.plain_values import is_missing
from sparring_plugins.rules.run.decisions import (
    PASS,
    RuleDecision,
    VerdictFactory,
    is_missing_value,
)
from sparring_plugins.rules.values.work import NotApplicable, UnknownName, Work, key_of

ABSENT: Any = object()
"""Stands for what a conversation does not have."""

_MOST_SHOWN = 5


@dataclass(slots=True)
class Duplicate:
    """The conversations that show a statement over all to be false."""

    text: str = ""
    case_ids: list[str] = field(default_factory=list[str])

    def note(self, text: str, case_ids: Sequence[str]) -> None:
        """Take the first thing that shows it."""
        if not self.text:
            self.text = text
            self.case_ids += case_ids


class QuantifiedCase(Protocol):
    """The tests and values of one conversation, by their texts."""

    case_id: str
    tests: dict[str, Any]


class Quantifiers:
    """The functions, bound to some conversations.

    `plain` takes off what was noted beside a value found beforehand.
    """

    def __init__(
        self,
        among: Sequence[QuantifiedCase],
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
        return self._test_all(test, expected=True)

    def none_of(self, test: str) -> bool:
        """Whether a test is true of no conversation."""
        return self._test_all(test, expected=False)

    def share(self, test: str) -> float | None:
        """The share, from 0 to 1, of those with a value of which the test is true."""
        truths = [bool(value) for _, value in self._values_present(test)]
        return sum(truths) / len(truths) if truths else None

    def values(self, text: str) -> list[Any]:
        """The values in the order of the conversations; missing ones are left out."""
        present = [value for _, value in self._values_present(text)]
        self.work.charge(self.work.weigh(present))
        return present

    def same(self, text: str) -> bool:
        """Whether all conversations have the same value; missing ones are left out.

        Raises NotApplicable for fewer than two values.
        """
        first: tuple[str, Any, Any] | None = None
        others = 0
        for case_id, value in self._values_present(text):
            key = key_of(self.work.sized(value))
            if first is None:
                first = (case_id, value, key)
                continue
            others += 1
            if key != first[2]:
                first_case, this_case = (
                    f"{shown(first[1])} in {first[0]}",
                    f"{shown(value)} in {case_id}",
                )
                self.shows.note(f"{text} is {first_case} and {this_case}", (first[0], case_id))
                return False
        # One value is the same as itself, which shows nothing of the app.
        if not others:
            raise NotApplicable(f"fewer than two conversations have a value of `{text}`")
        return True

    def average(self, text: str) -> float | None:
        """The mean of the values; None without any."""
        numbers = self._numbers("average", text)
        return sum(numbers) / len(numbers) if numbers else None

    def total(self, text: str) -> float:
        """The sum of the values."""
        return sum(self._numbers("total", text))

    def percentile(self, text: str, percent: Any) -> float | None:
        """The smallest value that `percent` of a hundred values do not exceed; None without any."""
        if isinstance(percent, bool) or not isinstance(percent, (int, float)):
            raise TypeError("percentile() needs a number from 0 to 100")
        if not 0 <= percent <= 100:
            raise ValueError(f"percentile() needs a number from 0 to 100, not {percent}")
        numbers = sorted(self._numbers("percentile", text))
        return numbers[max(1, ceil(len(numbers) * percent / 100)) - 1] if numbers else None

    def _test_all(self, test: str, *, expected: bool) -> bool:
        against: list[str] = []
        doubt: Exception | None = None
        for case_id, value in self._passed_values(test):
            if type(value) is not RaisedError:
                against += [case_id] if bool(value) is not expected else []
            # A conversation without the name is not meant: `all_of('price < 20')` is about those
            # that have a price.
            elif not isinstance(value.error, UnknownName):
                doubt = doubt or value.error
        # One that breaks the rule is enough, whatever the undecided ones are.
        if against:
            more = f" and {len(against) - _MOST_SHOWN:,} more" if against[_MOST_SHOWN:] else ""
            listed_cases = f"`{test}` is {'false' if expected else 'true'} in "
            listed = against[:_MOST_SHOWN]
            self.shows.note(f"{listed_cases}{', '.join(listed)}{more}", listed)
            return False
        if doubt is not None:
            raise doubt.with_traceback(None)
        return True

    def _numbers(self, function: str, text: str) -> list[float]:
        """The numbers among the values; a list of numbers counts as each of them."""
        numbers: list[float] = []
        for _, value in self._values_present(text):
            # `prices` of a conversation may be several: the average is one over all of them.
            for number in value if type(value) in (list, tuple) else (value,):
                # True would count as 1: an average of yes and no is what `share` is for.
                if isinstance(number, bool) or not isinstance(number, (int, float)):
                    if is_missing(number):
                        continue
                    raise TypeError(f"{function}({text!r}) needs numbers, not {shown(number)}")
                numbers.append(number)
        self.work.charge(1 + len(numbers))
        return numbers

    def _values_present(self, text: str) -> Iterator[tuple[str, Any]]:
        """The conversations that have a value, with it; raises what is no missing value."""
        for case_id, value in self._passed_values(text):
            if type(value) is RaisedError:
                if isinstance(value.error, UnknownName) or is_missing_value(value.error):
                    continue
                raise value.error.with_traceback(None)
            if not is_missing(value):
                yield case_id, value

    def _passed_values(self, text: str) -> Iterator[tuple[str, Any]]:
        self.work.charge(1 + len(self.among))
        for passed in self.among:
            value = passed.tests[text]
            yield passed.case_id, self.plain(value) if type(value) is NotedValue else value


# Groups of conversations that have the same values, for rules over all conversations.


class Grouped(Protocol):
    """Something with the values that it is grouped by."""

    group: tuple[Any, ...]


MemberT = TypeVar("MemberT", bound=Grouped)


def grouped(
    members: Sequence[MemberT],
) -> tuple[list[tuple[tuple[Any, ...], list[MemberT]]], int]:
    """The groups in the order of their first members, and how many belong to none.

    If a value is missing a member belongs to no group.
    """
    groups: dict[Any, tuple[tuple[Any, ...], list[MemberT]]] = {}
    apart = 0
    for member in members:
        values = tuple(_plain(value) for value in member.group)
        if any(is_missing(value) for value in values):
            apart += 1
            continue
        groups.setdefault(key_of(values), (values, []))[1].append(member)
    return list(groups.values()), apart


def sum_up(verdicts: Sequence[Verdict], make: VerdictFactory, listed: int) -> list[Verdict]:
    """Passes in one verdict, and skips; of others those up to `listed`, and the rest summed up."""
    passed = sum(verdict.outcome is Outcome.PASS for verdict in verdicts)
    skipped = [verdict for verdict in verdicts if verdict.outcome is Outcome.SKIPPED]
    others = [
        verdict for verdict in verdicts if verdict.outcome not in (Outcome.PASS, Outcome.SKIPPED)
    ]
    verdicts_listed = others[:listed]
    for outcome in dict.fromkeys(other.outcome for other in others[listed:]):
        more = [other for other in others[listed:] if other.outcome is outcome]
        reason = f"{len(more):,} more groups like those listed"
        verdicts_listed.append(make.of(RuleDecision(outcome, more[0].owner, reason), (), len(more)))
    verdicts_listed += [make.of(PASS, (), passed)] if passed else []
    if skipped:
        verdicts_listed.append(
            make.of(RuleDecision(Outcome.SKIPPED, reason=skipped[0].reason), (), len(skipped))
        )
    return verdicts_listed


def _plain(value: Any) -> Any:
    if type(value) is NotedValue:
        return value.value
    return None if type(value) is RaisedError else value

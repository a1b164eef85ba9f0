"""Groups of conversations that have the same values, for rules over all conversations."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from sparring.model.verdict import Outcome, Verdict
from sparring_plugins.rules.compile.evaluation import Noted, Raised
from sparring_plugins.rules.functions.slots import is_missing
from sparring_plugins.rules.run.decisions import PASS, Decision, Verdicts
from sparring_plugins.rules.values.keys import key_of


class Grouped(Protocol):
    """Something with the values that it is grouped by."""

    group: tuple[Any, ...]


MemberT = TypeVar("MemberT", bound=Grouped)


def grouped(
    members: Sequence[MemberT],
) -> tuple[list[tuple[tuple[Any, ...], list[MemberT]]], int]:
    """The groups in the order of their first members, and how many belong to none.

    Where a value is missing a member belongs to no group.
    """
    found: dict[Any, tuple[tuple[Any, ...], list[MemberT]]] = {}
    apart = 0
    for one in members:
        values = tuple(_plain(value) for value in one.group)
        if any(is_missing(value) for value in values):
            apart += 1
            continue
        found.setdefault(key_of(values), (values, []))[1].append(one)
    return list(found.values()), apart


def sum_up(verdicts: Sequence[Verdict], make: Verdicts, listed: int) -> list[Verdict]:
    """Passes in one verdict, and skips; of others those up to `listed`, and the rest summed up."""
    passed = sum(one.outcome is Outcome.PASS for one in verdicts)
    skipped = [one for one in verdicts if one.outcome is Outcome.SKIPPED]
    others = [one for one in verdicts if one.outcome not in (Outcome.PASS, Outcome.SKIPPED)]
    found = others[:listed]
    for outcome in dict.fromkeys(one.outcome for one in others[listed:]):
        more = [one for one in others[listed:] if one.outcome is outcome]
        reason = f"{len(more):,} more groups like those listed"
        found.append(make.of(Decision(outcome, more[0].owner, reason), (), len(more)))
    found += [make.of(PASS, (), passed)] if passed else []
    if skipped:
        found.append(make.of(Decision(Outcome.SKIPPED, reason=skipped[0].reason), (), len(skipped)))
    return found


def _plain(value: Any) -> Any:
    if type(value) is Noted:
        return value.value
    return None if type(value) is Raised else value

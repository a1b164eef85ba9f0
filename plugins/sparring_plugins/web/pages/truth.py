"""Three-valued truth: true, false, and None for *don't know* (Kleene's strong logic)."""

from collections.abc import Iterable

from sparring_plugins.web.roles.page_agents import Judged
from sparring_plugins.web.roles.step import Comparison

Truth = bool | None


def negated(judged: Judged) -> Judged:
    """The opposite, for the same reason."""
    truth = None if judged.truth is None else not judged.truth
    return judged.model_copy(update={"truth": truth})


def all_of(parts: Iterable[Judged]) -> Judged:
    """True where all are, false where one is, else unknown."""
    return _joined(list(parts), decisive=False)


def any_of(parts: Iterable[Judged]) -> Judged:
    """True where one is, false where all are, else unknown."""
    return _joined(list(parts), decisive=True)


def _joined(parts: list[Judged], *, decisive: bool) -> Judged:
    deciding = [part for part in parts if part.truth is decisive]
    unknown = [part for part in parts if part.truth is None]
    if deciding:
        truth: Truth = decisive
        shown = deciding
    elif unknown:
        truth, shown = None, unknown
    else:
        truth, shown = not decisive, parts
    return Judged(
        truth=truth,
        reason="; ".join(part.reason for part in shown if part.reason),
        elements=tuple(dict.fromkeys(one for part in shown for one in part.elements)),
        facts=tuple(fact for part in parts for fact in part.facts),
        strict=all(part.strict for part in parts),
    )


def compare(left: float, comparison: Comparison, right: float) -> bool:
    """Whether the comparison of two numbers holds."""
    match comparison:
        case "==":
            return left == right
        case "!=":
            return left != right
        case ">=":
            return left >= right
        case ">":
            return left > right
        case "<=":
            return left <= right
        case "<":
            return left < right


def between(least: int, most: int, comparison: Comparison, number: int) -> Truth:
    """The comparison of a count that lies somewhere from `least` to `most`, both included."""
    answers = {compare(count, comparison, number) for count in _telling(least, most, number)}
    return answers.pop() if len(answers) == 1 else None


def _telling(least: int, most: int, number: int) -> set[int]:
    """The counts of the range that can make a difference."""
    near = {number - 1, number, number + 1}
    return {least, most} | {count for count in near if least <= count <= most}

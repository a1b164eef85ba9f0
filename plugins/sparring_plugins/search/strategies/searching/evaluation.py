"""What a search learns from the verdicts on a case."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from sparring.model.verdict import Outcome, Verdict
from sparring_plugins.search.failure_classes import failing, kind_of

OUTCOME = "outcome"
"""The objective where no verdict has a score: 1 for a case that passed, 0 for one that failed."""

_UNKNOWN = 1.0
"""The value of an objective that no verdict tells: nothing to go after."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How a case did.

    `objectives` are in [0, 1] and to be made small (1 is as good as can be of the app), in the
    order of the search's objectives. `failed` says that a gating verdict of the app's failed.
    `kind` tells kinds of failures apart: its parts, sorted; none for a case that did not fail.
    """

    objectives: tuple[float, ...]
    failed: bool
    kind: tuple[str, ...] = ()


class Objectives:
    """The objectives of a search, by the names of checks (``check`` or ``oracle/check``).

    Without names, all checks with a score in the verdicts that come first; where there is none,
    whether the case failed.
    """

    def __init__(self, named: Sequence[str] | None) -> None:
        self.named = named
        self.names: tuple[str, ...] | None = tuple(named) if named else None

    def settle(self, several: Iterable[Sequence[Verdict]]) -> list[str]:
        """Find out what they are from the first verdicts; the named ones that none of these has."""
        known = {
            name
            for verdicts in several
            for one in verdicts
            if self.named or _score(one) is not None
            for name in (one.check, f"{one.oracle}/{one.check}")
        }
        if self.names is not None:
            return [name for name in self.names if name not in known] if known else []
        self.names = tuple(sorted(name for name in known if "/" in name)) or (OUTCOME,)
        return []

    def evaluated(self, verdicts: Sequence[Verdict]) -> Evaluation:
        """What verdicts say of a case, once the objectives are settled."""
        failed = failing(verdicts)
        found = _scores(verdicts)
        found[OUTCOME] = 0.0 if failed else 1.0
        values = tuple(found.get(name, _UNKNOWN) for name in self.names or (OUTCOME,))
        return Evaluation(values, bool(failed), kind_of(verdicts))


def _score(verdict: Verdict) -> float | None:
    if verdict.outcome in (Outcome.ERROR, Outcome.SKIPPED):
        return None
    return verdict.score


def _scores(verdicts: Sequence[Verdict]) -> dict[str, float]:
    """The worst score of each check, under both of its names; its outcome where it has none."""
    found: dict[str, float] = {}
    plain = {Outcome.PASS: 1.0, Outcome.FAIL: 0.0}
    for one in verdicts:
        score = _score(one)
        value = plain.get(one.outcome) if score is None else score
        if value is not None:
            for name in (one.check, f"{one.oracle}/{one.check}"):
                found[name] = min(value, found.get(name, 1.0))
    return found


def stored(evaluation: Evaluation) -> JsonValue:
    """An evaluation as plain data."""
    return [list(evaluation.objectives), evaluation.failed, list(evaluation.kind)]


def loaded(data: Any) -> Evaluation:
    """An evaluation from plain data; raises ValueError, TypeError."""
    objectives, failed, kind = data
    return Evaluation(tuple(map(float, objectives)), bool(failed), tuple(map(str, kind)))

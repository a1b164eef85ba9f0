"""Root causes of failures, as conditions on values and words, found from cases that were played.

A condition is a smallest set of facts (a feature has a value, a word is said) with which all cases
fail that were played. What one failure may be due to is enumerated; further cases tell these
conditions apart, as in adaptive group testing and delta debugging (Zeller and Hildebrandt 2002).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sparring_plugins.search.strategies.surrogate.facts import BESIDE, Condition, PlayedFacts
from sparring_plugins.search.strategies.surrogate.hypotheses import (
    TOLERATED,
    Hypotheses,
    hypotheses_of,
)

_MOSTLY, _MERGED = 0.7, 4
"""The share of cases that must fail with what several root causes share, and how many, to merge."""

_AT_TIMES = 0.5
"""The share of cases that must fail with a root cause of an app that fails by chance."""

_SURE, _SUPPORT, _MORE = 0.8, 3, 6
"""The weight among all conditions, and the number of failures, that confirm a root cause, and how
many do where some cases pass."""

_ABREAST = 2
"""The failures that show one symptom, and nothing explains, that are looked into at a time."""

_KEPT = 0.9
"""The share of failures with a condition that have a fact that narrows it."""


@dataclass(frozen=True, slots=True)
class RootCause:
    """A condition under which cases fail, with the parts of the failure classes that they show.

    With `mostly`, some cases pass: several narrower conditions were merged, as for a word that
    loses a value unless it happens to be the one that was wanted.
    """

    condition: Condition
    parts: frozenset[str]
    mostly: bool = False

    def explains(self, facts: Condition, part: str) -> bool:
        """Whether it explains a part of the failure class of a case."""
        return part in self.parts and self.condition <= facts


Unexplained = tuple[int, str]
"""The number of a failed case, and the part of its failure class that nothing explains."""


@dataclass
class CauseModel:
    """The root causes that were confirmed, and the failures that none of them explains.

    `effort` is how many cases are spent on one failure, `most` how many failures are looked into
    at a time.
    """

    effort: int
    most: int = 6
    played: PlayedFacts = field(default_factory=PlayedFacts)
    causes: list[RootCause] = field(default_factory=list[RootCause])
    open: list[Unexplained] = field(default_factory=list[Unexplained])
    spent: Counter[Unexplained] = field(default_factory=Counter[Unexplained])
    last_found: int = 0
    _hypotheses: dict[Unexplained, Hypotheses | None] = field(
        default_factory=dict[Unexplained, Hypotheses | None]
    )

    def update(self) -> None:
        """Confirm, refute and merge root causes by all cases that were played."""
        self.causes = [
            self._refine(replace(cause, parts=parts))
            for cause in self.causes
            if (parts := cause.parts - self.played.general) and self._holds(cause)
        ]
        self.open = []
        self._hypotheses.clear()
        given_up = 0
        for case, part in self._unexplained():
            given_up += self.spent[case, part] >= self.effort
            if len(self.open) >= self.most or given_up > self.most:
                break
            if not self._explained(case, part):
                self._look_into(case, part)
        self._drop_covered()

    def _is_looked_into(self, case: int, part: str) -> bool:
        """Whether enough open failures have a part already, or one that always stands beside it.

        What they are due to is likely the reason of this one too, and cases that were spent on both
        would tell the same twice. Others may have another reason, so that a few are looked into.
        """
        failing = self.played.failing(part)
        twins = {p for p in self.played.parts[case] if self.played.failing(p) == failing}
        own = [(other, p) for other, p in self.open if p in twins]
        return len(own) >= _ABREAST or any(other == case for other, _ in own)

    def _drop_covered(self) -> None:
        """Drop root causes of which the others explain each failure, those with the fewest first.

        "cargo and want" was found before "cargo and statement", and every "want" is a statement.
        """
        shown = [self._failures_of(cause) for cause in self.causes]
        kept = list(range(len(self.causes)))
        order = sorted(kept, key=lambda at: (sum(map(int.bit_count, shown[at].values())), -at))
        for at in order:
            others = [other for other in kept if other != at]
            if all(
                not cases & ~self._explained_by(part, others) for part, cases in shown[at].items()
            ):
                kept = others
        self.causes = [self.causes[at] for at in kept]

    def _failures_of(self, cause: RootCause) -> dict[str, int]:
        cases = self.played.having(cause.condition)
        return {part: cases & self.played.failing(part) for part in sorted(cause.parts)}

    def _explained_by(self, part: str, causes: Iterable[int]) -> int:
        """Return the cases in which one of these root causes explains a part."""
        cases = 0
        for at in causes:
            if part in self.causes[at].parts:
                cases |= self.played.having(self.causes[at].condition)
        return cases

    def _holds(self, cause: RootCause) -> bool:
        return self._passes(cause.condition) <= (1 - _AT_TIMES if cause.mostly else TOLERATED)

    def _passes(self, condition: Condition) -> float:
        """Return the share of the cases with a condition that pass."""
        cases = self.played.having(condition)
        return (cases & ~self.played.failed).bit_count() / max(1, cases.bit_count())

    def _refine(self, cause: RootCause) -> RootCause:
        if cause.mostly:
            return cause
        condition = cause.condition
        for part in sorted(cause.parts):
            condition = self._narrow(condition, part)
        return RootCause(condition, cause.parts)

    def _narrow(self, condition: Condition, part: str) -> Condition:
        """Return a condition with one more fact if that is what cases lack that pass with it.

        Known root causes are played most, so that few of the cases with a condition that is too
        wide pass: "Saturday and a towel" failed in 96 of 98 cases, always for two people.
        """
        cases = self.played.having(condition)
        positive = cases & self.played.failing(part)
        passed = cases & ~self.played.failed
        if not passed or not positive:
            return condition
        facts = self.played.facts[positive.bit_length() - 1] - condition
        for fact in sorted(facts, key=lambda item: (item.startswith('"'), item)):
            having = self.played.having((fact,))
            kept = (positive & having).bit_count()
            if not passed & having and kept >= _KEPT * positive.bit_count():
                return condition | {fact}
        return condition

    def hypotheses(self, failure: Unexplained) -> Hypotheses | None:
        """Return what an unexplained failure may be due to, as far as is known now."""
        if failure not in self._hypotheses:
            case, part = failure
            explained = self._explained_by(part, range(len(self.causes)))
            self._hypotheses[failure] = hypotheses_of(
                self.played, case, part, self.hiding(part), explained
            )
        return self._hypotheses[failure]

    def _unexplained(self) -> list[Unexplained]:
        pairs = [
            (case, part)
            for case, parts in enumerate(self.played.parts)
            for part in sorted(parts - self.played.general)
            if not self._explained(case, part)
        ]
        # a failure that was looked into for long comes after those that were not
        return sorted(pairs, key=lambda pair: (self.spent[pair] >= self.effort, *pair))

    def _explained(self, case: int, part: str) -> bool:
        facts = self.played.facts[case]
        return any(cause.explains(facts, part) for cause in self.causes)

    def _look_into(self, case: int, part: str) -> None:
        explained = self._explained_by(part, range(len(self.causes)))
        hypotheses = hypotheses_of(self.played, case, part, self.hiding(part), explained)
        if hypotheses is None:
            return
        best = self._narrow(hypotheses.best, part)
        support = (self.played.having(best) & self.played.failing(part) & ~explained).bit_count()
        needed = _MORE if self._passes(best) > TOLERATED else _SUPPORT
        if support >= needed and self._weight(hypotheses, hypotheses.best) >= _SURE:
            self._confirm(best, part)
        elif self.spent[case, part] < self.effort and not self._is_looked_into(case, part):
            self.open.append((case, part))

    def _weight(self, hypotheses: Hypotheses, best: Condition) -> float:
        """Return the weight of a condition with all that hold in the same cases as it.

        Nothing that was played tells these apart ("hurry" is said whenever somebody is rude).
        """
        cases = self.played.having(best)
        return sum(
            weight
            for condition, weight in hypotheses.weights.items()
            if condition == best or self.played.having(condition) == cases
        )

    def hiding(self, part: str) -> list[Condition]:
        """Return the conditions of root causes that hide a part of failure classes."""
        return [
            cause.condition
            for cause in self.causes
            if part not in cause.parts and self.hides(cause)
        ]

    def hides(self, cause: RootCause) -> bool:
        """Whether cases with a root cause show hardly anything but its own parts."""
        cases = self.played.having(cause.condition) & self.played.failed
        beside = self.played.failing_beside(cause.parts | self.played.general) & cases
        return beside.bit_count() <= BESIDE * cases.bit_count()

    def _confirm(self, condition: Condition, part: str) -> None:
        """Add a root cause, and merge it with others that it has a condition in common with."""
        new = RootCause(condition, frozenset({part}), mostly=self._passes(condition) > TOLERATED)
        for cause in self.causes:
            if condition <= cause.condition:  # it was narrower than need be
                new = RootCause(condition, new.parts | cause.parts, new.mostly)
            elif part in cause.parts and (merged := self._common(cause.condition, condition, part)):
                new = RootCause(merged, new.parts | cause.parts, mostly=True)
                break
        narrower = [at for at, cause in enumerate(self.causes) if new.condition <= cause.condition]
        if narrower:
            self.causes[narrower[0]] = new
            self.causes = [c for at, c in enumerate(self.causes) if at not in narrower[1:]]
        else:
            self.causes.append(new)
        self.last_found = len(self.played.facts) if not narrower else self.last_found

    def _common(self, first: Condition, second: Condition, part: str) -> Condition | None:
        """Return what two conditions share, if cases with it mostly fail; None if they do not.

        Where they differ in words, a value that all of their failures have may stand for these: of
        "er" and "uh" that both fail, the value that inserts such words.
        """
        common = first & second
        if not common:
            return None
        if self._mostly_fails(common, part, beside=(first, second)):
            return common
        failing = self.played.failing(part)
        cases = (self.played.having(first) | self.played.having(second)) & failing
        shared: Condition | None = None
        while cases:
            at = cases.bit_length() - 1
            cases ^= 1 << at
            shared = self.played.facts[at] if shared is None else shared & self.played.facts[at]
        for fact in sorted(shared or ()):
            wider = common | {fact}
            beside = (first, second)
            if not fact.startswith('"') and self._mostly_fails(wider, part, beside):
                return wider
        return None

    def _mostly_fails(self, condition: Condition, part: str, beside: Sequence[Condition]) -> bool:
        """Whether most cases with a condition fail, also those without some narrower ones.

        These are played most, because they are known to fail: they say nothing about the rest.
        """
        cases = self.played.having(condition)
        for narrower in beside:
            cases &= ~self.played.having(narrower)
        failing = (cases & self.played.failing(part)).bit_count()
        for hidden in self.hiding(part):
            cases &= ~(self.played.having(hidden) & self.played.failed)
        return failing >= _MERGED and failing >= _MOSTLY * cases.bit_count()

    def seen(self, parts: frozenset[str]) -> int:
        """Return how many failures had just these parts, beside general ones."""
        general = self.played.general
        return sum(
            n for known, n in self.played.classes.items() if known and known - general == parts
        )

    def is_explained(self, case: int) -> bool:
        """Whether root causes explain all parts of the failure class of a case."""
        parts = self.played.parts[case] - self.played.general
        return all(self._explained(case, part) for part in parts)

    def causes_in(self, facts: Condition) -> list[int]:
        """Return the numbers of the root causes that a case has."""
        return [at for at, cause in enumerate(self.causes) if cause.condition <= facts]

    def estimate(self) -> float:
        """Return how many root causes are likely left, by the estimator Chao1.

        A failure that no root cause explains counts as one that was seen once.
        """
        counts = [
            (self.played.having(cause.condition) & self.played.failed).bit_count()
            for cause in self.causes
        ]
        return chao_missing([*counts, *[1] * len(self.open)])

    def state(self) -> dict[str, Any]:
        """Return what `restore` needs beside the cases that were played."""
        return {
            "causes": [
                [sorted(cause.condition), sorted(cause.parts), cause.mostly]
                for cause in self.causes
            ],
            "last_found": self.last_found,
            "open": [list(failure) for failure in self.open],
            "spent": [[case, part, count] for (case, part), count in sorted(self.spent.items())],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Resume; raises ValueError, KeyError, TypeError for another state."""
        self.causes = [
            RootCause(frozenset(map(str, condition)), frozenset(map(str, parts)), bool(mostly))
            for condition, parts, mostly in state["causes"]
        ]
        self.last_found = int(state["last_found"])
        self.open = [(int(case), str(part)) for case, part in state["open"]]
        self.spent = Counter(
            {(int(case), str(part)): int(count) for case, part, count in state["spent"]}
        )


def chao_missing(counts: Sequence[int]) -> float:
    """Return how many classes were likely never seen, by how often each other one was (Chao 1984).

    The bias-corrected form: ``f1 (f1 - 1) / (2 (f2 + 1))`` for classes seen once and twice.
    """
    once, twice = counts.count(1), counts.count(2)
    return once * (once - 1) / (2 * (twice + 1))


def unseen_mass(counts: Sequence[int]) -> float:
    """Return how likely the next failure is of a class that was never seen (Good 1953, Turing)."""
    total = sum(counts)
    return counts.count(1) / total if total else 1.0

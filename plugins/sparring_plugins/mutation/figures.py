"""What a report says of a mutation run: sums per operator, and what each check killed."""

from collections.abc import Sequence
from dataclasses import dataclass

from sparring_plugins.mutation.comparison import named
from sparring_plugins.mutation.model import Fate, Killer, Mutant, MutantResult, MutationRun
from sparring_plugins.mutation.results import score


@dataclass(frozen=True, slots=True)
class OperatorRow:
    """The mutants of one operator by what became of them."""

    operator: str
    fates: dict[Fate, int]
    score: float | None

    @property
    def mutants(self) -> int:
        """How many are through."""
        return sum(self.fates.values())

    @property
    def detected(self) -> int:
        """How many the suite did not pass on: killed or noticed."""
        return self.fates[Fate.KILLED] + self.fates[Fate.NOTICED]

    @property
    def counted(self) -> int:
        """How many the suite could have detected."""
        return self.detected + self.fates[Fate.LIVE]


@dataclass(frozen=True, slots=True)
class CheckRow:
    """What one check killed; `alone` counts mutants that no other check killed."""

    check: str
    kills: int
    alone: int
    by_operator: dict[str, int]


def operator_rows(run: MutationRun) -> list[OperatorRow]:
    """A row per operator, in the order in which they come."""
    by_operator: dict[str, list[MutantResult]] = {}
    for mutant, result in pairs(run):
        by_operator.setdefault(mutant.operator, []).append(result)
    return [OperatorRow(name, fates(found), score(found)) for name, found in by_operator.items()]


def fates(found: Sequence[MutantResult]) -> dict[Fate, int]:
    """How many mutants met each fate."""
    return {fate: sum(one.fate is fate for one in found) for fate in Fate}


def shown_fates(run: MutationRun) -> list[Fate]:
    """The fates that a table has a column for: `noticed` only for running apps."""
    return [fate for fate in Fate if fate is not Fate.NOTICED or of_running(run)]


def of_running(run: MutationRun) -> bool:
    """Whether the faults are put into a running app."""
    return any(mutant.settings for mutant in run.mutants)


def idle(run: MutationRun) -> list[str]:
    """The checks that killed nothing."""
    return [row.check for row in check_rows(run) if not row.kills]


def pairs(run: MutationRun) -> list[tuple[Mutant, MutantResult]]:
    """The mutants that are through, with their results."""
    mutants = {mutant.id: mutant for mutant in run.mutants}
    return [(mutants[one.id], one) for one in run.results]


def of_fate(run: MutationRun, *wanted: Fate) -> list[tuple[Mutant, MutantResult]]:
    """The mutants that met one of some fates."""
    return [(mutant, one) for mutant, one in pairs(run) if one.fate in wanted]


def check_rows(run: MutationRun) -> list[CheckRow]:
    """A row per check, those that killed most first; checks that killed nothing are there, too."""
    killed: dict[str, list[tuple[Mutant, bool]]] = {name: [] for name in run.checks}
    for mutant, result in of_fate(run, Fate.KILLED):
        for one in result.killers:
            row = killed.setdefault(check_name(one), [])
            row.append((mutant, len(result.killers) == 1))
    rows = [
        CheckRow(name, len(found), sum(alone for _, alone in found), _by_operator(found))
        for name, found in killed.items()
    ]
    return sorted(rows, key=lambda row: (-row.kills, row.check))


def _by_operator(found: Sequence[tuple[Mutant, bool]]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for mutant, _ in found:
        counts[mutant.operator] = counts.get(mutant.operator, 0) + 1
    return counts


def check_name(killer: Killer) -> str:
    """A check as people write it."""
    return named((killer.oracle, killer.check))


def percent(value: float | None) -> str:
    """A share as people read it; a dash where there is none."""
    return "–" if value is None else f"{100 * value:.1f} %"


def wrongly_marked(run: MutationRun) -> list[str]:
    """Warnings of mutants that are marked as equivalent and were killed."""
    return [
        f"{mutant.id} is marked as equivalent, and was killed by {check_name(one.killers[0])}"
        for mutant, one in of_fate(run, Fate.KILLED)
        if mutant.marked is not None
    ]

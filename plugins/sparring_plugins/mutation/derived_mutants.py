"""Mutants of a running app: faults derived from what a suite did when it was played."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue

from sparring.discovery import catalog
from sparring.discovery.drivers import load_value
from sparring.discovery.groups import RUN_MUTATORS
from sparring.errors import ConfigurationError
from sparring.model.talk import Trace
from sparring.store import StoredRun
from sparring_plugins.mutation.model import (
    Effect,
    Mutant,
    RunMutator,
    RunOperator,
    SuiteChange,
    Survival,
    SurvivalKind,
)
from sparring_plugins.mutation.mutants import (
    MOST_MUTANTS,
    Made,
    chosen,
    id_of,
    select_operators,
    unused_marks,
)
from sparring_plugins.mutation.plan import MutatorUse, WebPlan


@dataclass(frozen=True, slots=True)
class Derived:
    """The mutants chosen, of how many, and those that marks may name."""

    made: tuple[Made, ...]
    found: int
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Deriver:
    """The operators of a plan with their mutators, and how mutants are chosen."""

    plan: WebPlan
    operators: tuple[tuple[RunOperator, RunMutator], ...]
    marked: Mapping[str, str]
    select: tuple[str, ...] = ()

    @property
    def recording(self) -> dict[str, JsonValue]:
        """The keys of the suite that are set for every play."""
        sets: dict[str, JsonValue] = {}
        for _, mutator in self.operators:
            sets.update(mutator.recording)
        return sets

    def derive(self, original: StoredRun) -> Derived:
        """The mutants for the run of the original."""
        traces = list(original.traces())
        drafts = self._made(traces)
        warnings = tuple(unused_marks(drafts, self.marked))
        plan = self.plan
        picked = chosen(drafts, seed=plan.seed, limit=plan.limit, per_operator=plan.per_operator)
        if self.select:
            picked = [draft for draft in drafts if draft.mutant.id.startswith(self.select)]
        return Derived(tuple(picked), len(drafts), warnings)

    def _made(self, traces: Sequence[Trace]) -> list[Made]:
        drafts: dict[str, Made] = {}
        settings: list[Mapping[str, JsonValue]] = []
        for operator, _ in self.operators:
            for change in operator.find(traces):
                if change.settings in settings:
                    continue
                settings.append(change.settings)
                draft = self._one(operator, change, drafts)
                drafts[draft.mutant.id] = draft
                if len(drafts) > MOST_MUTANTS:
                    raise ConfigurationError(f"there are more than {MOST_MUTANTS:,} mutants")
        return list(drafts.values())

    def _one(self, operator: RunOperator, change: SuiteChange, taken: Mapping[str, Made]) -> Made:
        name = id_of(operator.name, change.where, change.target, taken.keys())
        mutant = Mutant(
            id=name, operator=operator.name, file=change.where, target=change.target, diff="",
            marked=self.marked.get(name), settings=dict(change.settings),
        )  # fmt: skip
        return Made(mutant)

    def effect(self, mutant: Mutant, original: StoredRun, played: StoredRun) -> "Shown | None":
        """Where a mutant's fault first took effect, or None if it never did."""
        compare = next(m.effect for o, m in self.operators if o.name == mutant.operator)
        case_ids = set(original.case_ids)
        for trace in played.traces():
            if trace.case.id not in case_ids:
                continue
            effect = compare(original.case(trace.case.id).trace, trace)
            if effect is not None:
                return Shown(trace.case.id, effect)
        return None

    def survival(self, mutant: Mutant, original: StoredRun, played: StoredRun) -> Survival | None:
        """Why a live mutant was passed: the case in which an assertion could most easily see it."""
        explain = next(m.explain for o, m in self.operators if o.name == mutant.operator)
        if explain is None:
            return None
        case_ids = set(original.case_ids)
        traces = (trace for trace in played.traces() if trace.case.id in case_ids)
        survivals = [explain(original.case(trace.case.id).trace, trace) for trace in traces]
        # A vacuous assertion stands in the right place already: that is the least to mend.
        order = (SurvivalKind.VACUOUS, SurvivalKind.NOT_COVERED, SurvivalKind.NO_EFFECT)
        return min(
            (survival for survival in survivals if survival is not None),
            key=lambda survival: order.index(survival.kind),
            default=None,
        )


@dataclass(frozen=True, slots=True)
class Shown:
    """The case in which a fault took effect, and how."""

    case_id: str
    effect: Effect


def run_operators(uses: Sequence[MutatorUse]) -> tuple[tuple[RunOperator, RunMutator], ...]:
    """The operators that a plan names, all that are installed if it names none.

    Raises PluginError or ConfigurationError.
    """
    chosen_uses = uses or [
        MutatorUse(use=listing.name) for listing in catalog.listings(RUN_MUTATORS)
    ]
    operators: list[tuple[RunOperator, RunMutator]] = []
    for use in chosen_uses:
        mutator = cast("RunMutator", load_value(RUN_MUTATORS, use.use, RunMutator))
        operators += [(operator, mutator) for operator in select_operators(use, mutator.operators)]
    if not operators:
        raise ConfigurationError("no package is installed that finds faults for running apps")
    return tuple(operators)

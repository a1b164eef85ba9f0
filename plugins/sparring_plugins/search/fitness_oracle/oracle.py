"""The oracle ``fitness``."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar

from pydantic import Field, JsonValue, field_validator

from sparring.engine.foreign_incident import broken_off
from sparring.errors import AnswerInvalid, ConfigurationError, Problem
from sparring.interfaces.agent import Agent
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import BuildContext, PluginConfig, Use, UseOf
from sparring.model.space import Space
from sparring.model.talk import Incident, Trace
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict
from sparring_plugins.search.fitness_oracle.failure_classes import AppConfig, Classes, Classified
from sparring_plugins.search.fitness_oracle.formula import NAME, Formula
from sparring_plugins.search.fitness_oracle.task import task_of
from sparring_plugins.search.roles.fitness import Fitness, FitnessTask, Fitting

FitnessUse = Annotated[Use, UseOf("sparring.agents", role="fitness")]
_LONGEST = 600


class FitnessConfig(PluginConfig):
    """Settings of the oracle ``fitness``."""

    values: Annotated[
        dict[str, FitnessUse],
        Field(min_length=1, description="the fitness values, by the names that `fails` uses"),
    ]
    thresholds: Annotated[
        dict[str, Annotated[float, Field(ge=0, le=1)]],
        Field(description="values that fail below a number, where `fails` says nothing else"),
    ] = {}
    fails: str | None = Field(
        default=None, description="what is a failure, such as f1 < 0.75 or f2 < 0.75"
    )
    check: str = Field(
        default="answer", min_length=1, max_length=100, description="what reports call the verdict"
    )
    app: AppConfig = Field(
        default=AppConfig(), description="where the app says in its answer what it did"
    )

    @field_validator("values")
    @classmethod
    def _names(cls, values: dict[str, Use]) -> dict[str, Use]:
        for name in values:
            if not NAME.fullmatch(name):
                raise ValueError(f"{name!r} cannot be a name: write letters, digits and _, as f1")
        return values


class FitnessOracle(Oracle[FitnessConfig]):
    """How good the app was in one case, as numbers, and whether that is a failure.

    Each value gives a verdict of its name that does not gate, with the value as its score: what a
    search climbs by. `fails` gives one that does. Its `details` have ``kind``, texts that tell
    kinds of failures apart (the class of the failure and the features that were answered wrongly),
    ``class``, and ``fitness``, the values by name. Where the app gave no answer at all, all values
    are 0; so is a value that is undecided because nothing was returned, where the app took the
    request for none of the `app`'s `intents`. Where another value is undecided, the verdict is
    inconclusive unless it does not depend on it. It is inconclusive, too, if the conversation broke
    off and the app was not to blame.
    """

    Config: ClassVar[type[PluginConfig]] = FitnessConfig

    def __init__(self, config: FitnessConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        names = tuple(config.values)
        unknown = sorted(set(config.thresholds) - set(names))
        if unknown:
            raise ConfigurationError(
                f"`thresholds` has {unknown[0]!r}, which is none of the values"
            )
        self.formula = Formula.of(_formula(config), names, context)
        self.parts: dict[str, Agent[FitnessTask, Fitness, Any]] = {
            name: context.part(Agent, use, role="fitness") for name, use in config.values.items()
        }
        self.classes = Classes(config.app)

    def misfits(self, space: Space) -> list[Problem]:
        fitting = {name: part for name, part in self.parts.items() if isinstance(part, Fitting)}
        return [
            replace(problem, key=f"values.{name}.{problem.key}")
            for name, part in fitting.items()
            for problem in part.misfits(space)
        ]

    def checks(self) -> frozenset[str]:
        return frozenset({*self.config.values, self.config.check})

    async def judge(self, trace: Trace) -> Sequence[Verdict]:
        if not _played(trace):
            return ()
        if (incident := broken_off(trace)) is not None:
            return (self._unknown(trace, incident),)
        task = task_of(trace)
        broken = self.classes.broken(task)
        values = _nothing(self.parts, broken) if broken else await self._values(task)
        told = [self._told(trace, name, value) for name, value in values.items()]
        return (*told, self._verdict(trace, task, values, broken))

    def _unknown(self, trace: Trace, incident: Incident) -> Verdict:
        """The verdict on a conversation that broke off, and not by the app."""
        told = " ".join(incident.message.split())[:_LONGEST]
        reason = f"the conversation broke off, and not by the app ({incident.kind.value}: {told})"
        check = self.config.check
        return _verdict(trace, check, Outcome.INCONCLUSIVE, reason, owner=incident.owner)

    async def _values(self, task: FitnessTask) -> dict[str, Fitness]:
        found = await asyncio.gather(*(_asked(part, task) for part in self.parts.values()))
        if (mistaken := self.classes.mistaken(task)) is not None:
            reason = f"nothing is returned: the app took the request for {mistaken!r}"
            not_served = Fitness(value=0.0, reason=reason)
            found = [not_served if one.unserved else one for one in found]
        return dict(zip(self.parts, found, strict=True))

    def _told(self, trace: Trace, name: str, fitness: Fitness) -> Verdict:
        """The verdict of one value."""
        least = self.config.thresholds.get(name)
        outcome = Outcome.PASS
        if fitness.value is None:
            outcome = Outcome.INCONCLUSIVE
        elif least is not None and fitness.value < least:
            outcome = Outcome.FAIL
        parts: dict[str, JsonValue] = dict(fitness.parts)
        return _verdict(
            trace, name, outcome, fitness.reason, score=fitness.value, gating=False,
            turns=fitness.turns, details={"parts": parts} if parts else {},
        )  # fmt: skip

    def _verdict(
        self,
        trace: Trace,
        task: FitnessTask,
        values: Mapping[str, Fitness],
        broken: Classified | None,
    ) -> Verdict:
        numbers = {name: one.value for name, one in values.items()}
        try:
            fails = True if broken else self.formula.fails(numbers)
        except ValueError as err:
            told = f"{self.formula.text}: {err}"
            return _verdict(trace, self.config.check, Outcome.ERROR, told, owner=Owner.TEST)
        fitness: dict[str, JsonValue] = dict(numbers)
        details: dict[str, JsonValue] = {"fitness": fitness, "formula": self.formula.text}
        score = min((one for one in numbers.values() if one is not None), default=None)
        if not fails:
            outcome = Outcome.INCONCLUSIVE if fails is None else Outcome.PASS
            reason = _undecided(values) if fails is None else ""
            return _verdict(trace, self.config.check, outcome, reason, score=score, details=details)
        found = broken or self.classes.of(task, values)
        kind: list[JsonValue] = list(found.kind)
        turns = tuple(sorted({turn for one in values.values() for turn in one.turns}))
        return _verdict(
            trace, self.config.check, Outcome.FAIL, _reason(found), score=score,
            turns=turns or _last(trace), details={**details, "kind": kind, "class": found.failure},
        )  # fmt: skip


def _formula(config: FitnessConfig) -> str:
    if config.fails is not None:
        return config.fails
    if not config.thresholds:
        example = " or ".join(f"{name} < 0.75" for name in list(config.values)[:2])
        raise ConfigurationError(f"say what is a failure, for example `fails: {example}`")
    return " or ".join(f"{name} < {least!r}" for name, least in config.thresholds.items())


async def _asked(part: Agent[FitnessTask, Fitness, Any], task: FitnessTask) -> Fitness:
    try:
        return await part.act(task)
    except AnswerInvalid as err:
        return Fitness(reason=str(err))


def _nothing(names: Mapping[str, Any], broken: Classified) -> dict[str, Fitness]:
    """The values of an answer that is none."""
    told = Fitness(value=0.0, reason=f"there is no answer to judge: {', '.join(broken.kind)}")
    return dict.fromkeys(names, told)


def _played(trace: Trace) -> bool:
    """Whether the app can be judged: what it was never asked is nobody's failure of the app."""
    if any(turn.observation is not None for turn in trace.turns):
        return True
    return any(incident.owner is Owner.APP for incident in trace.incidents)


def _verdict(
    trace: Trace,
    check: str,
    outcome: Outcome,
    reason: str,
    *,
    score: float | None = None,
    gating: bool = True,
    turns: Sequence[int] = (),
    details: Mapping[str, JsonValue] | None = None,
    owner: Owner | None = None,
) -> Verdict:
    owner = owner or (Owner.APP if outcome is Outcome.FAIL else Owner.JUDGE)
    return Verdict(
        oracle="fitness",
        check=check,
        outcome=outcome,
        case_ids=(trace.case.id,),
        owner=None if outcome is Outcome.PASS else owner,
        score=score,
        reason=reason,
        turns=tuple(TurnRef(case_id=trace.case.id, turn=turn) for turn in turns),
        gating=gating,
        details=dict(details or {}),
    )


def _last(trace: Trace) -> tuple[int, ...]:
    return (len(trace.turns) - 1,) if trace.turns else ()


def _reason(found: Classified) -> str:
    """The kind alone, so that failures of one kind are one finding; the values say why."""
    first, *others = found.kind
    return f"{first}: {', '.join(others)}" if others else first


def _undecided(values: Mapping[str, Fitness]) -> str:
    return "; ".join(
        f"{name} is undecided: {one.reason[:_LONGEST]}"
        for name, one in values.items()
        if one.value is None
    )

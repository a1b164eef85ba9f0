"""The oracle ``fitness``: fitness values of a conversation, and whether they are a failure.

A formula over the values decides, which may be undecided themselves.
"""

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Annotated, Any, ClassVar, cast

from pydantic import Field, JsonValue, field_validator

from sparring.errors import AnswerInvalid, ConfigurationError, Problem
from sparring.interfaces.agent import Agent
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import BuildContext, PluginConfig, Use, UseOf
from sparring.model.space import Space
from sparring.model.talk import (
    Incident,
    Listen,
    Observation,
    Trace,
    Turn,
    act_text,
    broken_off,
    meant_by,
)
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict
from sparring_plugins.rules.conditions import Condition, condition_of
from sparring_plugins.search.fitness.classification import (
    AppConfig,
    ClassifiedFailure,
    FailureClassifier,
)
from sparring_plugins.search.roles import ChecksSettings, Fitness, FitnessTask

NAME = re.compile(r"[A-Za-z_]\w{0,60}")
# A formula is tried with 0 and 1 for each undecided value: 2**6 = 64 times at most.
_MOST_UNDECIDED = 6


@dataclass(frozen=True, slots=True)
class Formula:
    """A compiled condition that is true for values that are a failure."""

    text: str
    condition: Condition

    @classmethod
    def of(cls, text: str, names: tuple[str, ...], context: BuildContext) -> "Formula":
        """Compile a formula over fitness values; raises ConfigurationError."""
        condition = condition_of(context, text, names)
        if not condition.names:
            raise ConfigurationError(f"`fails` speaks of no fitness value: {', '.join(names)}")
        return cls(text, condition)

    def fails(self, values: Mapping[str, float | None]) -> bool | None:
        """Whether values are a failure; None if that depends on undecided values.

        Raises ValueError if the formula cannot be evaluated for them.
        """
        answers = {self.condition.holds(world) for world in _worlds(values, self.condition.names)}
        return answers.pop() if len(answers) == 1 else None


def _worlds(
    values: Mapping[str, float | None], names: tuple[str, ...]
) -> Iterator[dict[str, JsonValue]]:
    """Yield the values with 0 and with 1 in place of each undecided one."""
    decided: dict[str, JsonValue] = dict(values)
    undecided = [name for name in names if values[name] is None][:_MOST_UNDECIDED]
    for ends in product((0.0, 1.0), repeat=len(undecided)):
        yield {**decided, **dict(zip(undecided, ends, strict=True))}


_Map = Mapping[str, Any]


def task_of(trace: Trace) -> FitnessTask:
    """Return the task of any fitness for a trace.

    What the prompter leaves in `Trace.meta` is used if present; for any other player, the case's
    inputs are what is wanted.
    """
    meta: _Map = trace.meta
    user_turns = [turn for turn in trace.turns if not isinstance(turn.act, Listen)]
    last = _last(user_turns)
    observation = (last.observation if last else None) or Observation()
    features = _map(meta.get("features")) if "features" in meta else dict(trace.inputs)
    return FitnessTask(
        request=_request(meta, user_turns),
        said=_text(meta.get("utterance")) or (act_text(user_turns[0].act) if user_turns else ""),
        answer=observation.text,
        payload=observation.payload,
        turns=trace.turns,
        incidents=trace.incidents,
        features=cast("dict[str, JsonValue]", features),
        labels={name: str(label) for name, label in _map(meta.get("labels")).items()},
        wanted=_list_wanted_features(meta, features),
        language=_text(meta.get("language")) or "English",
        seed=trace.case.seed,
    )


def _last(turns: list[Turn]) -> Turn | None:
    """Return the last turn with an answer, else the last one."""
    answered = [turn for turn in turns if turn.observation is not None]
    candidates = answered or turns
    return candidates[-1] if candidates else None


def _request(meta: _Map, said: list[Turn]) -> str:
    goals = meta.get("goals")
    if isinstance(goals, list) and len(said) != 1:
        return "; ".join(map(str, cast("list[Any]", goals)))
    return _text(meta.get("written")) or (meant_by(said[0].act) if said else "")


def _list_wanted_features(meta: _Map, features: _Map) -> dict[str, tuple[str, ...]]:
    if isinstance(meta.get("wanted"), dict):
        return {name: _texts(words) for name, words in _map(meta["wanted"]).items()}
    return {
        name: (str(value),)
        for name, value in features.items()
        if isinstance(value, (str, int, float)) and not isinstance(value, bool)
    }


def _texts(words: Any) -> tuple[str, ...]:
    return tuple(map(str, cast("list[Any]", words))) if isinstance(words, list) else (str(words),)


def _map(value: Any) -> dict[str, Any]:
    return dict(cast("dict[str, Any]", value)) if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


FitnessUse = Annotated[Use, UseOf("sparring.agents", role="fitness")]
_LONGEST = 600


class FitnessConfig(PluginConfig):
    """Settings of the oracle ``fitness``."""

    values: dict[str, FitnessUse] = Field(
        min_length=1, description="the fitness values, by the names that `fails` uses"
    )
    thresholds: dict[str, Annotated[float, Field(ge=0, le=1)]] = Field(
        default={}, description="values that fail below a number, unless `fails` is given"
    )
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

    Each value gives a verdict of its name that does not gate, with the value as its score: a search
    improves on it. `fails` gives one that gates. Its `details` have ``kind``, the failure class
    (its category and the features that were answered wrongly), ``class``, the category, and
    ``fitness``, the values by name. If the app gave no answer at all, all values are 0; so is a
    value that is undecided because nothing was returned, if the app took the request for none of
    the `app`'s `intents`. If another value is undecided, the verdict is inconclusive unless it does
    not depend on it. It is inconclusive, too, if the conversation broke off for another reason than
    the app.
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
        self.classes = FailureClassifier(config.app)

    def validation_errors(self, space: Space) -> list[Problem]:
        fitting = {
            name: part for name, part in self.parts.items() if isinstance(part, ChecksSettings)
        }
        return [
            replace(problem, key=f"values.{name}.{problem.key}")
            for name, part in fitting.items()
            for problem in part.validation_errors(space)
        ]

    def checks(self) -> frozenset[str]:
        return frozenset({*self.config.values, self.config.check})

    async def judge(self, trace: Trace) -> Sequence[Verdict]:
        if not _was_played(trace):
            return ()
        if (incident := broken_off(trace)) is not None:
            return (self._broken_off_verdict(trace, incident),)
        task = task_of(trace)
        broken = self.classes.broken(task)
        values = _zeros(self.parts, broken) if broken else await self._values(task)
        verdicts = [self._value_verdict(trace, name, value) for name, value in values.items()]
        return (*verdicts, self._verdict(trace, task, values, broken))

    def _broken_off_verdict(self, trace: Trace, incident: Incident) -> Verdict:
        """Return the verdict on a conversation that broke off, and not because of the app."""
        message = " ".join(incident.message.split())[:_LONGEST]
        reason = (
            f"the conversation broke off, and not by the app ({incident.kind.value}: {message})"
        )
        check = self.config.check
        return _verdict(trace, check, Outcome.INCONCLUSIVE, reason, owner=incident.owner)

    async def _values(self, task: FitnessTask) -> dict[str, Fitness]:
        values = await asyncio.gather(*(_rate(part, task) for part in self.parts.values()))
        if (mistaken := self.classes.mistaken(task)) is not None:
            reason = f"nothing is returned: the app took the request for {mistaken!r}"
            not_served = Fitness(value=0.0, reason=reason)
            values = [not_served if fitness.unserved else fitness for fitness in values]
        return dict(zip(self.parts, values, strict=True))

    def _value_verdict(self, trace: Trace, name: str, fitness: Fitness) -> Verdict:
        """Return the verdict of one value."""
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
        broken: ClassifiedFailure | None,
    ) -> Verdict:
        numbers = {name: value.value for name, value in values.items()}
        try:
            fails = True if broken else self.formula.fails(numbers)
        except ValueError as err:
            message = f"{self.formula.text}: {err}"
            return _verdict(trace, self.config.check, Outcome.ERROR, message, owner=Owner.TEST)
        fitness: dict[str, JsonValue] = dict(numbers)
        details: dict[str, JsonValue] = {"fitness": fitness, "formula": self.formula.text}
        score = min((number for number in numbers.values() if number is not None), default=None)
        if not fails:
            outcome = Outcome.INCONCLUSIVE if fails is None else Outcome.PASS
            reason = _undecided(values) if fails is None else ""
            return _verdict(trace, self.config.check, outcome, reason, score=score, details=details)
        failure = broken or self.classes.of(task, values)
        kind: list[JsonValue] = list(failure.kind)
        turns = tuple(sorted({turn for value in values.values() for turn in value.turns}))
        return _verdict(
            trace, self.config.check, Outcome.FAIL, _reason(failure), score=score,
            turns=turns or _last_number(trace),
            details={**details, "kind": kind, "class": failure.failure},
        )  # fmt: skip


def _formula(config: FitnessConfig) -> str:
    if config.fails is not None:
        return config.fails
    if not config.thresholds:
        example = " or ".join(f"{name} < 0.75" for name in list(config.values)[:2])
        raise ConfigurationError(f"say what is a failure, for example `fails: {example}`")
    return " or ".join(f"{name} < {least!r}" for name, least in config.thresholds.items())


async def _rate(part: Agent[FitnessTask, Fitness, Any], task: FitnessTask) -> Fitness:
    try:
        return await part.act(task)
    except AnswerInvalid as err:
        return Fitness(reason=str(err))


def _zeros(names: Mapping[str, Any], broken: ClassifiedFailure) -> dict[str, Fitness]:
    """Return the values of a missing answer: all 0."""
    zero = Fitness(value=0.0, reason=f"there is no answer to judge: {', '.join(broken.kind)}")
    return dict.fromkeys(names, zero)


def _was_played(trace: Trace) -> bool:
    """Whether the app can be judged: if nothing was said to it, no failure is the app's."""
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


def _last_number(trace: Trace) -> tuple[int, ...]:
    return (len(trace.turns) - 1,) if trace.turns else ()


def _reason(failure: ClassifiedFailure) -> str:
    """Return the failure class alone, so that failures of one class are one finding.

    The fitness values explain the details.
    """
    first, *others = failure.kind
    return f"{first}: {', '.join(others)}" if others else first


def _undecided(values: Mapping[str, Fitness]) -> str:
    return "; ".join(
        f"{name} is undecided: {value.reason[:_LONGEST]}"
        for name, value in values.items()
        if value.value is None
    )

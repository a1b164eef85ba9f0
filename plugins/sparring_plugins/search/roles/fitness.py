"""The typed task and answer of the role ``fitness``: how good an app was in one case (STELLAR).

A search needs a number to climb by, where an oracle says only whether something is wrong. Several
fitness values make one verdict by a formula (the oracle ``fitness``).
"""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from pydantic import Field, JsonValue, model_validator

from sparring.errors import Problem
from sparring.model.base import AppText, Value
from sparring.model.space import Space
from sparring.model.talk import Incident, Observation, Say, Turn, act_text


class FitnessTask(Value):
    """Role ``fitness``: how good was the app in this conversation, by one measure?

    `request` is what the user wanted in plain words (before perturbations), `said` what was really
    said to the app, `answer` what the app said to it and `payload` its structured answer. `turns`
    is the whole conversation, `incidents` what went wrong in it. `features` has the value of each
    feature of the case, `labels` a word for people per value, and `wanted` for each content feature
    that is asked for the words by which a reader knows it. `language` is the one that is spoken,
    by its English name. `seed` and `sample` are as in `JudgeTask`.

    What is said and answered may be given by `turns` alone, or by `request` and `answer` alone.
    """

    request: AppText = ""
    said: AppText = ""
    answer: AppText = ""
    payload: JsonValue = None
    turns: tuple[Turn, ...] = ()
    incidents: tuple[Incident, ...] = ()
    features: dict[str, JsonValue] = {}
    labels: dict[str, str] = {}
    wanted: dict[str, tuple[str, ...]] = {}
    language: str = "English"
    seed: int = 0
    sample: int = 0

    @model_validator(mode="after")
    def _complete(self) -> "FitnessTask":
        fields = self.model_fields_set
        if self.turns and not fields & {"answer", "payload"}:
            return self._filled(**_last_of(self.turns))
        if not self.turns and "answer" in fields:
            seen = Observation(text=self.answer, payload=self.payload)
            return self._filled(
                turns=(Turn(act=Say(text=self.said or self.request), observation=seen),)
            )
        return self

    def _filled(self, **found: Any) -> "FitnessTask":
        for name, value in found.items():
            if name not in self.model_fields_set:
                object.__setattr__(self, name, value)
        return self


def _last_of(turns: tuple[Turn, ...]) -> dict[str, Any]:
    """What was said and answered last, as a task has it."""
    seen = turns[-1].observation or Observation()
    said = act_text(turns[-1].act)
    return {"request": said, "said": said, "answer": seen.text, "payload": seen.payload}


@runtime_checkable
class Fitting(Protocol):
    """A fitness agent that knows whether its settings fit the cases that it is to judge."""

    def misfits(self, space: Space) -> Sequence[Problem]:
        """What does not fit, as `Oracle.misfits`; keys are below its own settings."""
        ...


class Fitness(Value):
    """Role ``fitness``: the value in [0, 1], 1 for as good as can be; None where undecided.

    `parts` are the numbers that it is made of, by name, as they were before weighing. `wrong` are
    the features of the case that were answered wrongly, where that is known; `misread` those of
    them that the app itself says it understood otherwise. `broken` names rules of a policy that
    were broken. `reason` says in a sentence why. `turns` are the 0-based turns that show it.
    `unserved` says of an undecided value that nothing was returned and nobody knows whether there
    is anything: a judge may know that the app took the request for another one.
    """

    value: float | None = Field(default=None, ge=0, le=1)
    reason: AppText = ""
    parts: dict[str, float] = {}
    wrong: tuple[str, ...] = ()
    misread: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    turns: tuple[int, ...] = ()
    unserved: bool = False

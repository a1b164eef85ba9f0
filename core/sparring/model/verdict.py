"""What an oracle says, and what a person reads of it."""

from enum import StrEnum
from typing import Self

from pydantic import Field, JsonValue, model_validator

from sparring.model.base import AppText, Value


class Outcome(StrEnum):
    """The five outcomes of a check."""

    PASS = "pass"
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    ERROR = "error"
    SKIPPED = "skipped"


class Owner(StrEnum):
    """Who has to act on a verdict that is not a pass.

    ``APP``: the team of the app under test. ``TEST``: the author of the suite, profile or rule.
    ``JUDGE``: whoever set up the judge that gave no usable judgement. ``SIMULATED_USER``: the
    simulated user (or the model behind it) that did not do its part. ``TOOL``: Sparring or a
    plugin, which broke. ``ENVIRONMENT``: the machine, the network or a missing program.

    Runs stored before 0.2 say ``infrastructure``, which reads as ``ENVIRONMENT``.
    """

    APP = "app"
    TEST = "test"
    JUDGE = "judge"
    SIMULATED_USER = "simulated user"
    TOOL = "tool"
    ENVIRONMENT = "environment"
    #: Deprecated since 0.2: the old name of ``ENVIRONMENT``.
    INFRASTRUCTURE = "environment"

    @classmethod
    def _missing_(cls, value: object) -> "Owner | None":
        return cls.ENVIRONMENT if value == "infrastructure" else None


class TurnRef(Value):
    """A turn that shows what a verdict says; `turn` is 0-based."""

    case_id: str
    turn: int


class Verdict(Value):
    """One oracle's word on one check of one or several cases.

    `oracle` is the part's label in the suite, `check` the rule or condition. `score` in
    [0, 1], if there is one, is 1 for as good as can be. `count` is how many checks of the
    same outcome this verdict stands for (pairs of a rule over two conversations are many).
    A verdict that is not gating is shown but never fails a run. Skipped means that the check
    did not apply. Fail, inconclusive and error name their owner.
    """

    oracle: str
    check: str
    outcome: Outcome
    case_ids: tuple[str, ...] = ()
    owner: Owner | None = None
    score: float | None = Field(default=None, ge=0, le=1)
    reason: AppText = ""
    turns: tuple[TurnRef, ...] = ()
    count: int = Field(default=1, ge=1)
    gating: bool = True
    details: dict[str, JsonValue] = {}

    @property
    def measures(self) -> bool:
        """Whether it only says how good something was: nothing is right or wrong by it."""
        return self.score is not None and not self.gating and self.outcome is Outcome.PASS

    @model_validator(mode="after")
    def _owned(self) -> Self:
        owned = self.outcome in (Outcome.FAIL, Outcome.INCONCLUSIVE, Outcome.ERROR)
        if owned != (self.owner is not None):
            need = "names an owner" if owned else "has no owner"
            raise ValueError(f"a verdict with outcome {self.outcome.value!r} {need}")
        return self


class Finding(Value):
    """Verdicts that show the same fault, with the shortest case that shows it."""

    oracle: str
    check: str
    outcome: Outcome
    owner: Owner
    reason: str
    count: int
    case_ids: tuple[str, ...]
    shortest: str | None = None
    turns: tuple[TurnRef, ...] = ()
    gating: bool = True

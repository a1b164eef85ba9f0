"""A run: its manifest, and the sums at its end."""

from datetime import datetime
from enum import StrEnum
from typing import Literal

from pydantic import Field, JsonValue

from sparring.model.base import Value
from sparring.model.verdict import Outcome, Owner


class MeasuredJudge(Value):
    """What ``sparring calibrate`` measured of a judge, for the reports of runs that it judges.

    `accuracy` is the share of right answers among those that decided, `low` and `high` its 95 %
    interval, `sigma` is sqrt(p(1-p)), `level` its sigma level (`level_low` the lower bound, for a
    judge that was never wrong). `unusable` of the `answers` were invalid or decided nothing.
    """

    judge: str
    calibration: str
    created: datetime
    model: str | None = None
    examples: int = 0
    answers: int = 0
    unusable: int = 0
    accuracy: float | None = None
    low: float | None = None
    high: float | None = None
    sigma: float | None = None
    level: float | None = None
    level_low: float | None = None


class Stop(StrEnum):
    """Why a run stopped.

    ``BROKEN``: a part without which the run cannot go on broke, or a case that was asked never
    ended. ``LOST``: the executor was gone. What was judged until then is kept.
    """

    COMPLETE = "complete"
    BUDGET = "budget"
    INTERRUPTED = "interrupted"
    BROKEN = "broken"
    LOST = "lost"


Inconclusive = Literal["error", "allow", "fail"]
"""What an inconclusive gating verdict means for the exit code (``gate.inconclusive``)."""


RUN_VERSION = 2
"""Version of stored runs; readers refuse a newer one. Since 2 each line of the log is sealed."""


class Run(Value):
    """The manifest of a run, written once before anything is played.

    `kind` tells a run of cases from a check of stored conversations and from a replay of a log.
    `suite` is the suite as written, environment references unexpanded, and `overrides` what the
    command line set in it, by dotted key, which a resumed run keeps. `inputs` has the SHA-256 of
    every file that shaped the cases or the judging. `names` are all inputs and outputs of the
    suite's scenarios, selected or not. `judges` has, by the label of an oracle, what was measured
    of its judge. `learns`: the strategy learns from verdicts, so that no case can be played again.
    `shard` is which part of a run this is, as in ``3/16``, and `selection` which of the suite's
    cases were to be played, if not all: `patterns`, `cases`, `failed_in`.
    """

    schema_version: int = RUN_VERSION
    kind: Literal["run", "check", "replay", "calibration"] = "run"
    id: str
    name: str
    created: datetime
    seed: int
    suite_path: str | None = None
    suite: dict[str, JsonValue] = {}
    overrides: dict[str, JsonValue] = {}
    inputs: dict[str, str] = {}
    names: tuple[str, ...] = ()
    versions: dict[str, str] = {}
    judges: dict[str, MeasuredJudge] = {}
    learns: bool = False
    shard: str = Field(default="", exclude_if=lambda shard: not shard)
    selection: dict[str, tuple[str, ...]] = Field(default={}, exclude_if=lambda chosen: not chosen)


class Spent(Value):
    """What asking language models took, of a run, a role or a case.

    `calls` were answered by a service, `reused` by the cache or a recording for nothing.
    `cost_usd` is the sum of the known prices, and `unpriced` how many calls had none.
    `lenient` answers were read although they were not quite of the wanted form.
    """

    calls: int = 0
    reused: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0
    lenient: int = Field(default=0, exclude_if=lambda count: not count)

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(
            calls=self.calls + other.calls,
            reused=self.reused + other.reused,
            tokens=self.tokens + other.tokens,
            cost_usd=self.cost_usd + other.cost_usd,
            unpriced=self.unpriced + other.unpriced,
            lenient=self.lenient + other.lenient,
        )


class Usage(Value):
    """What was spent: `cost_usd` is None as soon as one price is unknown.

    `models` says what language models took in all, and `by_role` for each role that asked.
    `previews` counts the cases that were put into words before they were played or refused, and
    `refused` those that were not played, by reason.
    `fallbacks` counts, by role, unusable answers of models in whose place another agent answered.
    """

    cases: int = 0
    turns: int = 0
    seconds: float = 0.0
    model_calls: int = 0
    tokens: int = 0
    cost_usd: float | None = 0.0
    models: Spent = Spent()
    by_role: dict[str, Spent] = {}
    previews: int = 0
    refused: dict[str, int] = {}
    fallbacks: dict[str, int] = Field(default={}, exclude_if=lambda counts: not counts)


class Summary(Value):
    """The sums of a run.

    `outcomes` counts checks (`Verdict.count`) but those that only measure (`measured`), `gating`
    only those that gate; `cases` counts judged cases by their worst outcome; `owners` counts
    non-passes by who has to act. `inconclusive` says what an inconclusive check meant for the exit
    code; `strict`, which runs before 0.2 have instead, that it counted as failed. `gate` says how
    repeats or a baseline decided the exit code, if the suite has them (the service ``gate``).
    """

    stopped: Stop = Stop.COMPLETE
    exit_code: int = 0
    reason: str = ""
    strict: bool = False
    inconclusive: Inconclusive = "allow"
    cases: dict[Outcome, int] = Field(default_factory=dict[Outcome, int])
    outcomes: dict[Outcome, int] = Field(default_factory=dict[Outcome, int])
    measured: int = Field(default=0, ge=0)
    gating: dict[Outcome, int] = Field(default_factory=dict[Outcome, int])
    owners: dict[Owner, int] = Field(default_factory=dict[Owner, int])
    gate: dict[str, JsonValue] = Field(default={}, exclude_if=lambda gate: not gate)
    usage: Usage = Usage()

"""What ``sparring calibrate`` found out about judges, as it is stored."""

from datetime import datetime
from typing import Literal, Protocol, runtime_checkable

from pydantic import JsonValue

from sparring.model.base import SCHEMA_VERSION, AppText, Value
from sparring.model.run import MeasuredJudge, Stop, Usage

CALIBRATION = "calibration.json"
"""The file of the result, in the calibration's folder."""


class Estimate(Value, defer_build=True):
    """A measured value and its 95 % interval; None if it is undefined."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


class ClassMeasures(Value, defer_build=True):
    """One class: how often it was expected and answered, and how well it is found."""

    label: str
    expected: int
    answered: int
    precision: Estimate
    recall: Estimate
    f1: Estimate


class PositionBias(Value, defer_build=True):
    """What the order of the options does to a judge that chooses among them.

    `changed` is the share of examples whose answer was another one when the options were shown
    in the reverse order; `noise` the share of examples that two answers in one and the same order
    would change, which is what a judge without any bias would show. `first` is the share of the
    option shown first among the answers that chose the first or the last: 0.5 is no preference.
    """

    examples: int
    changed: Estimate
    noise: float | None = None
    first: float | None = None


class PerAnswer(Value, defer_build=True):
    """What an answer costs on average. `cost_usd` is None if a price is unknown.

    Latencies are in seconds: what the model took, or the judge itself if it asks none.
    """

    model_calls: float = 0.0
    input_tokens: float = 0.0
    output_tokens: float = 0.0
    cost_usd: float | None = 0.0
    latency_mean_s: float | None = None
    latency_p95_s: float | None = None


class ExampleResult(Value, defer_build=True):
    """A judge's answers to one example; `reason` is one that it gave for a wrong answer."""

    id: str
    shown: AppText = ""
    expected: str | None = None
    answers: dict[str, int] = {}
    right: int = 0
    wrong: int = 0
    undecided: int = 0
    invalid: int = 0
    errors: int = 0
    reason: AppText = ""


class JudgeResult(Value, defer_build=True):
    """What was measured of one judge.

    `answers` are all that were asked for in the given order of options: those that decided,
    `undecided` (the judge said that it cannot), `invalid` (nothing usable came, also after it was
    sent back) and `errors` (it could not be asked). Accuracy, precision, recall, F1 and kappa
    are about the decided ones. `target` is the class or function, `llm` and `model` what it asks.

    An agent that was measured in a stored run also has `runs`, its accuracy in each repeat;
    `false_pass` counts its answers ``true`` where ``false`` is right, `false_fail` the others.
    """

    name: str
    kind: Literal["agent", "function", "oracle"]
    use: str
    role: str | None = None
    target: str = ""
    settings: dict[str, JsonValue] = {}
    llm: dict[str, JsonValue] | None = None
    model: str | None = None
    repeats: int = 1
    examples: int = 0
    answers: int = 0
    decided: int = 0
    undecided: int = 0
    invalid: int = 0
    errors: int = 0
    accuracy: Estimate = Estimate()
    sigma: float | None = None
    level: Estimate = Estimate()
    weight: float | None = None
    positive: str | None = None
    precision: Estimate = Estimate()
    recall: Estimate = Estimate()
    f1: Estimate = Estimate()
    kappa: Estimate = Estimate()
    classes: tuple[ClassMeasures, ...] = ()
    confusion: dict[str, dict[str, int]] = {}
    self_agreement: float | None = None
    always_alike: float | None = None
    position: PositionBias | None = None
    false_pass: int | None = None
    false_fail: int | None = None
    runs: tuple[float, ...] = ()
    per_answer: PerAnswer = PerAnswer()
    results: tuple[ExampleResult, ...] = ()

    def in_brief(self, source: str, created: datetime) -> MeasuredJudge:
        """What a run's manifest keeps of it."""
        return MeasuredJudge(
            judge=self.name,
            calibration=source,
            created=created,
            model=self.model,
            examples=self.examples,
            answers=self.answers,
            unusable=self.undecided + self.invalid,
            accuracy=self.accuracy.value,
            low=self.accuracy.low,
            high=self.accuracy.high,
            sigma=self.sigma,
            level=self.level.value,
            level_low=self.level.low,
        )


class LabelledAnswer(Value, defer_build=True):
    """What an agent said in a stored conversation, if it is known what is right.

    `item` is the question, the same in every repeat, and `shown` it in words. `answer` is None
    where the agent could not tell. `strict` says that it went by plain rules.
    """

    role: str
    item: str
    shown: AppText = ""
    expected: str
    answer: str | None = None
    reason: AppText = ""
    strict: bool = True


class Agreement(Value, defer_build=True):
    """Cohen's kappa of two raters, or Fleiss' of several, over the examples that they share."""

    kind: Literal["cohen", "fleiss"]
    raters: tuple[str, ...]
    of: Literal["judges", "people", "judges and people"]
    kappa: Estimate
    examples: int


class Calibration(Value, defer_build=True):
    """The result of ``sparring calibrate``.

    `labels` counts the examples by what is right, `inputs` has the SHA-256 of every file read.
    """

    schema_version: int = SCHEMA_VERSION
    id: str
    name: str
    created: datetime
    file: str | None = None
    seed: int = 0
    repeats: int = 1
    examples: int = 0
    labels: dict[str, int] = {}
    people: tuple[str, ...] = ()
    judges: tuple[JudgeResult, ...] = ()
    agreements: tuple[Agreement, ...] = ()
    stopped: Stop = Stop.COMPLETE
    exit_code: int = 0
    reason: str = ""
    usage: Usage = Usage()
    inputs: dict[str, str] = {}
    versions: dict[str, str] = {}


@runtime_checkable
class TakesCalibration(Protocol):
    """An oracle that uses what was measured of the agents behind the conversations."""

    def calibrated(self, measured: Calibration) -> bool:
        """Take the result that the suite names beside the oracle (``calibration: FILE``).

        Returns `False` if it says how far the oracle's own judge can be trusted instead. Raises
        ConfigurationError if it does not fit.
        """
        ...

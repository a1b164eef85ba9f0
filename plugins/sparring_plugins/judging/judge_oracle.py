"""The oracle `judge`: a question, or a rubric, that judges of a conversation answer."""

import asyncio
import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import Field, JsonValue, model_validator

from sparring.errors import AnswerInvalid
from sparring.interfaces.agent import Agent
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import BuildContext, PluginConfig, Use
from sparring.interfaces.roles import Judgement, JudgeTask
from sparring.model.talk import Trace, broken_off
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict
from sparring.store import StoredTraces
from sparring_plugins.judging.calibration.results import Calibration, JudgeResult
from sparring_plugins.judging.corrected_rates import JudgeErrors, Rate, rogan_gladen
from sparring_plugins.judging.labelled_shots import (
    LabelledShot,
    LabelledShots,
    choose_shots,
    load_shots,
)

# A model that was asked for one sentence may repeat the conversation.
_LONGEST = 1_000
_DECIDED = (Outcome.PASS, Outcome.FAIL)
_SETTINGS = "settings"
"""The detail of a verdict that tells which of several oracles `judge` it is of."""


class Shot(PluginConfig):
    """An example for the judge: what is said, and the right answer."""

    said: str = Field(min_length=1, max_length=4_000, description="what is said in it")
    answer: str = Field(description="the right answer, one of the options")
    because: str = Field(default="", max_length=1_000, description="why it is right")


class JudgeConfig(PluginConfig):
    """Settings of the oracle `judge`."""

    question: str = Field(min_length=1, max_length=4_000, description="what the judge decides")
    criterion: str = Field(
        default="", max_length=8_000, description="how to decide, in words; what each answer means"
    )
    options: tuple[str, ...] = Field(
        default=("yes", "no"),
        min_length=2,
        max_length=12,
        description="the answers to choose from; those of a rubric are its scores",
    )
    passes: tuple[str, ...] | None = Field(
        default=None, min_length=1, description="the answers that pass; else the first option"
    )
    rubric: dict[int, Annotated[str, Field(min_length=1, max_length=1_000)]] | None = Field(
        default=None,
        min_length=2,
        max_length=12,
        description="scores instead of options, each with an anchor: what a conversation has to "
        "be like to get it",
    )
    pass_from: int | None = Field(
        default=None, description="the least score that passes; of a rubric, else its best one"
    )
    examples: tuple[Shot, ...] = Field(
        default=(), max_length=20, description="conversations with the right answers, as a guide"
    )
    labelled: LabelledShots | None = Field(
        default=None,
        description="more of them from a file of labelled examples, such as a calibration's; a "
        "conversation is never its own example",
    )
    judges: tuple[Use, ...] = Field(
        default=(Use(use="model"),),
        min_length=1,
        max_length=9,
        description="who judges: parts of the role judge, with their settings",
    )
    samples: int = Field(
        default=1, ge=1, le=25, description="how often each judge is asked, independently"
    )
    swap: bool = Field(
        default=True,
        description="whether every second sample shows the options in the reverse order, since "
        "judges favour the first or the last",
    )
    agreement: float = Field(
        default=0.6,
        gt=0.5,
        le=1,
        description="the share of answers that a decision needs; less is inconclusive",
    )
    check: str = Field(
        default="judgement", min_length=1, max_length=100, description="what reports call it"
    )

    @model_validator(mode="after")
    def _fits(self) -> "JudgeConfig":
        if self.rubric is None and self.pass_from is not None:
            raise ValueError("`pass_from` is a score of a `rubric`, which is not given")
        if self.rubric is not None and "options" in self.model_fields_set:
            raise ValueError("`options` are the scores of the `rubric`: give one of both")
        if self.rubric is not None and self.passes is not None:
            raise ValueError("a `rubric` passes from a score on: give `pass_from`, not `passes`")
        answers = self.answers
        if len(set(answers)) < len(answers):
            raise ValueError("two `options` are the same")
        if not set(answers) - set(self.passing):
            raise ValueError("every answer would pass")
        wrong = [name for name in self.passing if name not in answers]
        wrong += [shot.answer for shot in self.examples if shot.answer not in answers]
        if wrong:
            raise ValueError(f"{wrong[0]!r} is none of the answers: {', '.join(answers)}")
        return self

    @property
    def answers(self) -> tuple[str, ...]:
        """The answers to choose from; those of a rubric from the best score down."""
        if self.rubric is None:
            return self.options
        return tuple(str(score) for score in sorted(self.rubric, reverse=True))

    @property
    def passing(self) -> tuple[str, ...]:
        """The answers that pass."""
        if self.rubric is None:
            return self.passes or self.options[:1]
        least = max(self.rubric) if self.pass_from is None else self.pass_from
        return tuple(answer for answer in self.answers if int(answer) >= least)


@dataclass(frozen=True, slots=True)
class _Answer:
    """What one judge said in one sample; why it is not usable, if so."""

    judge: str
    judgement: Judgement
    unusable: str = ""


class JudgeOracle(Oracle[JudgeConfig]):
    """Fails a conversation if the majority of its judges choose an answer that does not pass.

    Each of the `judges` is asked `samples` times; with `swap`, every second time with the options
    in the reverse order. Judges that cannot decide, that disagree by more than `agreement` allows,
    or that give nothing usable make it inconclusive. Judging by the same question, options and
    model as ``sparring calibrate`` with the oracle's settings, or with the same task of the role
    judge, asks exactly what was measured. With a `calibration` beside the oracle, each verdict has
    the measured errors of the judge in `details`, and the run ends with the rate of failures
    corrected for them.
    """

    Config: ClassVar[type[PluginConfig]] = JudgeConfig

    def __init__(self, config: JudgeConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self.judges: list[tuple[str, Agent[JudgeTask, Judgement, Any]]] = [
            (use.use, context.part(Agent, use, role="judge")) for use in config.judges
        ]
        self._criterion = _criterion(config)
        self._labelled = (
            load_shots(config.labelled, config.answers, config.passing, context)
            if config.labelled is not None
            else ()
        )
        self._errors: JudgeErrors | None = None
        self._measured: JudgeResult | None = None
        self._failed: dict[str, bool] = {}
        self._fingerprint = hashlib.sha256(config.model_dump_json().encode()).hexdigest()[:12]

    def checks(self) -> frozenset[str]:
        return frozenset({self.config.check, self._rate_check})

    @property
    def _rate_check(self) -> str:
        return f"{self.config.check}: rate"

    def calibrated(self, measured: Calibration) -> bool:
        """Take the errors of this oracle's judge; see `TakesCalibration`."""
        results = [result for result in measured.judges if self._is_of(result)]
        if len(results) == 1:
            failing = set(self.config.answers) - set(self.config.passing)
            self._measured = results[0]
            self._errors = JudgeErrors.of(results[0].confusion, failing)
        return False

    def _is_of(self, result: JudgeResult) -> bool:
        """Whether a result is of answers like those of this oracle, by the only judge of it."""
        known = {*result.confusion, *(a for row in result.confusion.values() for a in row)}
        names = {name for name, _ in self.judges}
        if result.kind == "oracle":
            return result.use == "judge" and bool(known)
        own = self.config.samples == 1 and names == {result.use}
        return own and bool(known) and known <= set(self.config.answers)

    async def judge(self, trace: Trace) -> Sequence[Verdict]:
        if not trace.turns:
            return ()
        if (incident := broken_off(trace)) is not None:
            reason = f"the conversation broke off, and not by the app ({incident.kind.value})"
            return (self._verdict(trace, Outcome.INCONCLUSIVE, reason, owner=incident.owner),)
        answers = await asyncio.gather(
            *(
                self._ask(name, part, trace, sample)
                for name, part in self.judges
                for sample in range(self.config.samples)
            )
        )
        return (self._decide(trace, answers),)

    def task(self, trace: Trace, sample: int = 0) -> JudgeTask:
        """Return what a judge is asked about a conversation."""
        options = self.config.answers
        if self.config.swap and sample % 2:
            options = options[::-1]
        return JudgeTask(
            question=self.config.question,
            options=options,
            criterion=self._guided_criterion(trace),
            turns=trace.turns,
            sample=sample,
            seed=0,
        )

    def _guided_criterion(self, trace: Trace) -> str:
        """Return how to decide, with examples from the file of labelled ones, if there is one."""
        if self.config.labelled is None:
            return self._criterion
        shots = choose_shots(self._labelled, trace.turns, self.config.labelled.most)
        return "\n".join([self._criterion, *map(_shot_line, shots)]).strip()

    async def _ask(
        self, name: str, part: Agent[JudgeTask, Judgement, Any], trace: Trace, sample: int
    ) -> _Answer:
        try:
            return _Answer(name, await part.act(self.task(trace, sample)))
        except AnswerInvalid as err:
            return _Answer(name, Judgement(answer=None), str(err))

    def _decide(self, trace: Trace, answers: Sequence[_Answer]) -> Verdict:
        counts = Counter(
            item.judgement.answer for item in answers if item.judgement.answer is not None
        )
        details: dict[str, JsonValue] = {"answers": dict(sorted(counts.items()))}
        if not counts:
            why = next((a.unusable or a.judgement.reason for a in answers), "")
            reason = f"no judge could decide: {why}"
            return self._verdict(trace, Outcome.INCONCLUSIVE, reason, details=details)
        best, count = max(counts.items(), key=lambda entry: (entry[1], entry[0]))
        share = count / len(answers)
        if len(answers) > 1:
            details["agreement"] = round(share, 3)
        if share < self.config.agreement:
            listed = ", ".join(f"{number} × {answer!r}" for answer, number in counts.most_common())
            reason = f"the judges disagree: {listed} of {len(answers)} answers"
            return self._verdict(trace, Outcome.INCONCLUSIVE, reason, details=details)
        chosen = next(item for item in answers if item.judgement.answer == best)
        passed = best in self.config.passing
        if not passed:
            details["kind"] = [f"{self.config.check}: {best}"]
        self._failed[trace.case.id] = not passed
        return self._verdict(
            trace,
            Outcome.PASS if passed else Outcome.FAIL,
            f"{best}: {chosen.judgement.reason}",
            score=self._score(best),
            turns=chosen.judgement.turns,
            details=details,
        )

    def _score(self, answer: str) -> float:
        """Return 1 for the best answer: by a rubric's scores, else 1 if it passes."""
        if self.config.rubric is None:
            return float(answer in self.config.passing)
        low, high = min(self.config.rubric), max(self.config.rubric)
        return (int(answer) - low) / (high - low)

    def _verdict(
        self,
        trace: Trace,
        outcome: Outcome,
        reason: str,
        *,
        score: float | None = None,
        turns: Sequence[int] = (),
        details: dict[str, JsonValue] | None = None,
        owner: Owner | None = None,
    ) -> Verdict:
        known = self._errors
        if known is not None and outcome in _DECIDED:
            wrong = known.blamed if outcome is Outcome.FAIL else known.missed
            right = known.caught if outcome is Outcome.FAIL else known.cleared
            measured: JsonValue = {"wrong": wrong, "of": wrong + right}
            details = {**(details or {}), "measured_error": measured}
        if outcome in _DECIDED:  # also by a worker, which knows no calibration
            details = {**(details or {}), _SETTINGS: self._fingerprint}
        owner = owner or (Owner.APP if outcome is Outcome.FAIL else Owner.JUDGE)
        turns = [turn for turn in turns if 0 <= turn < len(trace.turns)]
        return Verdict(
            oracle="judge",
            check=self.config.check,
            outcome=outcome,
            case_ids=(trace.case.id,),
            owner=None if outcome is Outcome.PASS else owner,
            score=score,
            reason=reason[:_LONGEST],
            turns=tuple(TurnRef(case_id=trace.case.id, turn=turn) for turn in turns),
            details=details or {},
        )

    def conditions(self) -> frozenset[str]:
        """Return nothing: the rate of failures only informs."""
        return frozenset()

    async def conclude(self, traces: Iterable[Trace]) -> Sequence[Verdict]:
        """Return the rate of failures, corrected for the judge's errors if these were measured."""
        if self._errors is None:
            return ()
        decided = self._decisions(traces)
        rate = rogan_gladen(sum(decided), len(decided), self._errors)
        if rate is None:
            return ()
        reason = (
            f"{sum(decided)} of {len(decided)} conversations that were decided fail as judged, "
            f"{_percent(rate)} corrected for the errors of the judge"
        )
        details: dict[str, JsonValue] = {
            "rate": rate.value, "low": rate.low, "high": rate.high, "decided": len(decided),
        }  # fmt: skip
        return (
            Verdict(
                oracle="judge",
                check=self._rate_check,
                outcome=Outcome.SKIPPED,
                reason=reason,
                gating=False,
                details=details,
            ),
        )

    def _decisions(self, traces: Iterable[Trace]) -> list[bool]:
        """Return for each decided conversation whether it failed.

        Of a stored run these are the verdicts in its log: other processes may have judged, as those
        of isolated oracles, of workers and of the run that this one resumes.
        """
        if not isinstance(traces, StoredTraces):
            cases = (trace.case.id for trace in traces)
            return [self._failed[case_id] for case_id in cases if case_id in self._failed]
        failed = {
            judged.trace.case.id: verdict.outcome is Outcome.FAIL
            for judged in traces.run.judged()
            for verdict in judged.verdicts
            if verdict.outcome in _DECIDED and verdict.details.get(_SETTINGS) == self._fingerprint
        }
        return list(failed.values())


def _percent(rate: Rate) -> str:
    return f"{rate.value:.1%} (95 %: {rate.low:.1%} to {rate.high:.1%})"


def _criterion(config: JudgeConfig) -> str:
    """Return how to decide: the author's words, the anchors of a rubric, and examples."""
    lines = [config.criterion] if config.criterion else []
    if config.rubric is not None:
        lines += [f"{score}: {config.rubric[score]}" for score in sorted(config.rubric)]
    return "\n".join([*lines, *map(_shot_line, config.examples)])


def _shot_line(shot: Shot | LabelledShot) -> str:
    why = f" ({shot.because})" if shot.because else ""
    return f"For example, of {shot.said!r} the answer is {shot.answer!r}{why}."

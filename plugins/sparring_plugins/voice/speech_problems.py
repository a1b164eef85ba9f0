"""The oracle `speech-problems`: what goes wrong between two who speak, whatever the words are.

It reads what a connector recorded of each turn by voice (`audio` of the payload): when the app was
heard, how long it paused, and what it said while the user spoke.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, cast, get_args

from pydantic import Field, JsonValue

from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import PluginConfig
from sparring.model.talk import Listen, Trace, Turn, act_text, broken_off
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict

ORACLE = "speech-problems"
SpeechProblem = Literal["silence", "slow_answer", "long_pause", "talks_over", "ignores_barge_in"]
SPEECH_PROBLEMS: tuple[SpeechProblem, ...] = get_args(SpeechProblem)
_STARVED_SHARE = 0.25
"""Share of a limit for which the machine may have been busy with other things.

An answer that is 3.1 s late on a machine that gave Sparring nothing for one of these seconds
says nothing of the app.
"""


class SpeechProblemsConfig(PluginConfig):
    """Settings of the oracle `speech-problems`: which checks, and their limits in seconds."""

    checks: tuple[SpeechProblem, ...] = Field(
        default=SPEECH_PROBLEMS, min_length=1, description="which to look for"
    )
    answer_s: float = Field(
        default=3, gt=0, le=600, description="until the first sound after the user's last word"
    )
    pause_s: float = Field(default=2, gt=0, le=600, description="a pause inside an answer")
    over_s: float = Field(
        default=0.5, ge=0, le=600, description="sound of the app while the user speaks"
    )
    yield_s: float = Field(
        default=1, ge=0, le=600, description="until an app that is interrupted is quiet"
    )


@dataclass(frozen=True, slots=True)
class _Sighting:
    """A problem in a turn: what was measured, and against which limit, in seconds."""

    turn: int
    reason: str
    limit_s: float = 0.0


class SpeechProblems(Oracle[SpeechProblemsConfig]):
    """Silence, slow answers, long pauses, and an app that does not let the user speak.

    Each is a check of every conversation by voice, and does not apply to others. What was measured
    while the machine was busy with something else is inconclusive.
    """

    Config: ClassVar[type[PluginConfig]] = SpeechProblemsConfig
    local: ClassVar[bool] = True

    def checks(self) -> frozenset[str]:
        return frozenset(self.config.checks)

    async def judge(self, trace: Trace) -> Sequence[Verdict]:
        spoken = [
            (number, turn, report)
            for number, turn in enumerate(trace.turns)
            if (report := _report(turn)) is not None
        ]
        return tuple(self._verdict(trace, check, spoken) for check in self.config.checks)

    def _verdict(
        self,
        trace: Trace,
        check: SpeechProblem,
        spoken: Sequence[tuple[int, Turn, dict[str, Any]]],
    ) -> Verdict:
        verdict = Verdict(oracle=ORACLE, check=check, outcome=Outcome.PASS, score=1.0,
                          case_ids=(trace.case.id,))  # fmt: skip
        measured = [(turn, one) for number, turn, report in spoken
                    if (one := _look(check, number, turn, report, self.config))]  # fmt: skip
        changes = _update_with(trace, check, measured)
        return verdict.model_copy(update=changes or _without_problem(trace, check, bool(measured)))


def _update_with(
    trace: Trace, check: SpeechProblem, measured: Sequence[tuple[Turn, _Sighting]]
) -> dict[str, object]:
    """What of a passed verdict changes by the problems that turns show; nothing if there are none.

    Those that the machine may have caused count only if there are no others.
    """
    problems = [(turn, one) for turn, one in measured if one.reason]
    if not problems:
        return {}
    sure = [one for turn, one in problems if turn.starved_s <= _STARVED_SHARE * one.limit_s]
    shown = sure or [one for _, one in problems]
    busy = "" if sure else "; the machine was busy meanwhile"
    return {
        "outcome": Outcome.FAIL if sure else Outcome.INCONCLUSIVE,
        "owner": Owner.APP if sure else Owner.ENVIRONMENT,
        "score": 0.0 if sure else None,
        "reason": f"{shown[0].reason}{busy}",
        "turns": tuple(TurnRef(case_id=trace.case.id, turn=one.turn) for one in shown),
        "details": {"kind": list[JsonValue]([check])},
    }


def _without_problem(trace: Trace, check: str, was_measured: bool) -> dict[str, object]:
    """What of a passed verdict changes if the conversation says little about the check."""
    incident = broken_off(trace)
    if incident is not None:
        reason = f"the conversation broke off ({incident.kind.value})"
        return {"outcome": Outcome.INCONCLUSIVE, "owner": incident.owner, "score": None,
                "reason": reason}  # fmt: skip
    if not was_measured:
        reason = f"does not apply: no turn shows anything of {check}"
        return {"outcome": Outcome.SKIPPED, "score": None, "reason": reason}
    return {}


def _report(turn: Turn) -> dict[str, Any] | None:
    """What the connector recorded of the sound of a turn; `None` for turns without sound."""
    payload = turn.observation.payload if turn.observation is not None else None
    report = payload.get("audio") if isinstance(payload, dict) else None
    return cast("dict[str, Any]", report) if isinstance(report, dict) else None


def _seconds(report: dict[str, Any], key: str) -> float | None:
    value = report.get(key)
    return float(value) if isinstance(value, (int, float)) else None


@dataclass(frozen=True, slots=True)
class _Measure:
    """Which seconds of a report a check compares, with which limit, and what it says of them."""

    key: str
    limit: Callable[[SpeechProblemsConfig], float]
    reason: str


_MEASURES: dict[SpeechProblem, _Measure] = {
    "slow_answer": _Measure(
        "first_sound_s",
        lambda config: config.answer_s,
        "the answer to '{said}' was heard after {seconds:.1f} s",
    ),
    "long_pause": _Measure(
        "longest_gap_s",
        lambda config: config.pause_s,
        "in the middle of an answer nothing was heard for {seconds:.1f} s",
    ),
    "talks_over": _Measure(
        "spoke_over_s",
        lambda config: config.over_s,
        "it spoke for {seconds:.1f} s while the user still said '{said}'",
    ),
    "ignores_barge_in": _Measure(
        "went_on_s",
        lambda config: config.yield_s,
        "interrupted by '{said}', it went on for {seconds:.1f} s",
    ),
}


def _look(
    check: SpeechProblem,
    number: int,
    turn: Turn,
    report: dict[str, Any],
    config: SpeechProblemsConfig,
) -> _Sighting | None:
    """Return what a turn shows of a check: None for nothing, no reason if all is well."""
    user_text = act_text(turn.act)[:120]
    if check == "silence":
        if isinstance(turn.act, Listen):
            return None  # whoever only listens is owed no answer
        reason = f"nothing was heard after '{user_text}'"
        return _Sighting(number, reason if report.get("silent") is True else "", config.answer_s)
    measure = _MEASURES[check]
    seconds = _seconds(report, measure.key)
    if seconds is None or (check == "long_pause" and not _seconds(report, "sound_s")):
        return None
    limit_s = measure.limit(config)
    reason = measure.reason.format(said=user_text, seconds=seconds)
    return _Sighting(number, reason if seconds > limit_s else "", limit_s)

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
        look = _LOOKS[check]
        measured = [(turn, one) for number, turn, report in spoken
                    if (one := look(number, turn, report, self.config)) is not None]  # fmt: skip
        found = _update_with(trace, check, measured)
        return verdict.model_copy(update=found or _without_problem(trace, check, bool(measured)))


def _update_with(
    trace: Trace, check: SpeechProblem, measured: Sequence[tuple[Turn, _Sighting]]
) -> dict[str, object]:
    """What of a passed verdict changes by the problems that turns show; nothing if there are none.

    Those that the machine may have caused count only if there are no others.
    """
    seen = [(turn, one) for turn, one in measured if one.reason]
    if not seen:
        return {}
    sure = [one for turn, one in seen if turn.starved_s <= _STARVED_SHARE * one.limit_s]
    shown = sure or [one for _, one in seen]
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


def _silence(
    number: int, turn: Turn, report: dict[str, Any], config: SpeechProblemsConfig
) -> _Sighting | None:
    if isinstance(turn.act, Listen):
        return None  # whoever only listens is owed no answer
    said = f"nothing was heard after '{act_text(turn.act)[:120]}'"
    return _Sighting(number, said if report.get("silent") is True else "", config.answer_s)


def _slow_answer(
    number: int, turn: Turn, report: dict[str, Any], config: SpeechProblemsConfig
) -> _Sighting | None:
    first_s = _seconds(report, "first_sound_s")
    if first_s is None:
        return None
    reason = f"the answer to '{act_text(turn.act)[:120]}' was heard after {first_s:.1f} s"
    return _Sighting(number, reason if first_s > config.answer_s else "", config.answer_s)


def _long_pause(
    number: int, turn: Turn, report: dict[str, Any], config: SpeechProblemsConfig
) -> _Sighting | None:
    gap_s = _seconds(report, "longest_gap_s")
    if gap_s is None or not _seconds(report, "sound_s"):
        return None
    reason = f"in the middle of an answer nothing was heard for {gap_s:.1f} s"
    return _Sighting(number, reason if gap_s > config.pause_s else "", config.pause_s)


def _talks_over(
    number: int, turn: Turn, report: dict[str, Any], config: SpeechProblemsConfig
) -> _Sighting | None:
    over_s = _seconds(report, "spoke_over_s")
    if over_s is None:
        return None
    said = act_text(turn.act)[:120]
    reason = f"it spoke for {over_s:.1f} s while the user still said '{said}'"
    return _Sighting(number, reason if over_s > config.over_s else "", config.over_s)


def _ignores_barge_in(
    number: int, turn: Turn, report: dict[str, Any], config: SpeechProblemsConfig
) -> _Sighting | None:
    on_s = _seconds(report, "went_on_s")
    if on_s is None:
        return None
    reason = f"interrupted by '{act_text(turn.act)[:120]}', it went on for {on_s:.1f} s"
    return _Sighting(number, reason if on_s > config.yield_s else "", config.yield_s)


_Look = Callable[[int, Turn, dict[str, Any], SpeechProblemsConfig], _Sighting | None]
_LOOKS: dict[SpeechProblem, _Look] = {
    "silence": _silence,
    "slow_answer": _slow_answer,
    "long_pause": _long_pause,
    "talks_over": _talks_over,
    "ignores_barge_in": _ignores_barge_in,
}
"""What each check measures: `None` if a turn shows nothing of it, no reason if all is well."""

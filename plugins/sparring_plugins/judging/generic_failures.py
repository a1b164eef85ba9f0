"""The oracle `generic-failures`: what goes wrong in any conversation, whatever it is about."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.model.talk import Incident, IncidentKind, Trace, breaking_incidents
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict

ORACLE = "generic-failures"

CheckName = Literal["goal_not_completed", "no_response", "timeout", "exceeded_loop_limit"]

CHECKS: dict[CheckName, IncidentKind] = {
    "goal_not_completed": IncidentKind.GOAL_NOT_REACHED,
    "no_response": IncidentKind.CRASH,
    "timeout": IncidentKind.TIMEOUT,
    "exceeded_loop_limit": IncidentKind.LOOP,
}
"""SENSEI's four checks (its codes 1001, 500, 504 and 1000): each passes or fails."""

ERRORS: dict[IncidentKind, str] = {
    IncidentKind.PROTOCOL: "protocol_error",
    IncidentKind.UNREACHABLE: "unreachable",
    IncidentKind.PLAYER_ERROR: "player_error",
    IncidentKind.CONNECTOR_ERROR: "connector_error",
    IncidentKind.MODEL_ERROR: "model_error",
    IncidentKind.CASE_TIMEOUT: "case_timeout",
    IncidentKind.ENVIRONMENT: "environment",
    IncidentKind.MACHINE_BUSY: "machine_busy",
}
"""What keeps a conversation from being judged: no verdict if it did not happen, else an error.

A machine without processor time says nothing of anybody: that is inconclusive.
"""

# A traceback of the app's would be the whole report.
_LONGEST = 400


class GenericFailuresConfig(PluginConfig):
    """Settings of the oracle `generic-failures`."""

    checks: tuple[CheckName, ...] = Field(
        default=tuple(CHECKS), min_length=1, description="which of the four checks to make"
    )


class GenericFailures(Oracle[GenericFailuresConfig]):
    """Checks each conversation for goals not reached, crashes, time-outs and endless loops.

    Every check is pass or fail for every conversation (SENSEI, section 3.5), as far as the app has
    to do with it: what is not the app's doing is never a failure. If the app crashed or was late,
    that is the failure, and whether goals were reached is skipped. It is inconclusive if anything
    else broke the conversation off, if the simulated user did not do its part, or if nobody knows a
    value that the case needs; a loop of the user's own is inconclusive, too. What broke the
    conversation off, such as an app that cannot be reached or a part that broke, is an error of its
    owner. If the app was never heard because of that, there is no conversation to check, and the
    four are skipped.
    """

    Config: ClassVar[type[PluginConfig]] = GenericFailuresConfig
    local: ClassVar[bool] = True

    def __init__(self, config: GenericFailuresConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._passes = {
            name: Verdict(oracle=ORACLE, check=name, outcome=Outcome.PASS) for name in config.checks
        }

    def checks(self) -> frozenset[str]:
        return frozenset({*self.config.checks, *ERRORS.values()})

    async def judge(self, trace: Trace) -> Sequence[Verdict]:
        verdicts = [self._check(name, trace) for name in self.config.checks]
        if trace.incidents:
            verdicts += _errors(trace)
        return verdicts

    def _check(self, name: CheckName, trace: Trace) -> Verdict:
        incidents = [incident for incident in trace.incidents if incident.kind is CHECKS[name]]
        if name == "goal_not_completed" and (broke := self._told_as_break(trace)):
            return Verdict(
                oracle=ORACLE,
                check=name,
                outcome=Outcome.SKIPPED,
                case_ids=(trace.case.id,),
                reason=f"the app broke the conversation off ({broke.kind.value})",
            )
        if (break_off := _never_heard(trace)) is not None:
            return Verdict(
                oracle=ORACLE,
                check=name,
                outcome=Outcome.SKIPPED,
                case_ids=(trace.case.id,),
                reason=f"there was no conversation ({break_off.kind.value})",
            )
        if not incidents and (lost := _lost(name, trace)):
            return _verdict(name, trace, lost, Outcome.INCONCLUSIVE)
        if not incidents:
            return self._passes[name].model_copy(update={"case_ids": (trace.case.id,)})
        apps = [incident for incident in incidents if incident.owner is Owner.APP]
        if apps:
            return _verdict(name, trace, apps, Outcome.FAIL)
        return _verdict(name, trace, incidents, Outcome.INCONCLUSIVE)

    def _told_as_break(self, trace: Trace) -> Incident | None:
        """What of the app's broke the conversation off, if another check says so.

        Goals that it leaves open are no second failure: an app that crashes is told as a crash.
        """
        told = {*ERRORS, *(CHECKS[name] for name in self.config.checks)}
        return next(
            (
                incident
                for incident in breaking_incidents(trace)
                if incident.owner is Owner.APP and incident.kind in told
            ),
            None,
        )


def _never_heard(trace: Trace) -> Incident | None:
    """Return what kept the app from being heard at all, if that is an error of its own here.

    One app that is not running was five findings of each conversation.
    """
    if not trace.incidents or any(turn.observation is not None for turn in trace.turns):
        return None
    breaking = (each for each in breaking_incidents(trace) if each.owner is not Owner.APP)
    return next((each for each in breaking if each.kind in ERRORS), None)


def _lost(name: CheckName, trace: Trace) -> list[Incident]:
    """What keeps from saying that a check passes.

    Goals may have been reached later if something broke the conversation off that is not the app's
    doing. That the app neither crashed nor was late is true of what it did answer, if anything.
    """
    if not trace.incidents:
        return []
    broke = [incident for incident in breaking_incidents(trace) if incident.owner is not Owner.APP]
    has_replied = any(turn.observation is not None for turn in trace.turns)
    return broke if name == "goal_not_completed" or not has_replied else []


def _errors(trace: Trace) -> list[Verdict]:
    verdicts: list[Verdict] = []
    for kind, name in ERRORS.items():
        if incidents := [incident for incident in trace.incidents if incident.kind is kind]:
            busy = kind is IncidentKind.MACHINE_BUSY
            outcome = Outcome.INCONCLUSIVE if busy else Outcome.ERROR
            verdicts.append(_verdict(name, trace, incidents, outcome))
    return verdicts


def _verdict(name: str, trace: Trace, incidents: Sequence[Incident], outcome: Outcome) -> Verdict:
    turns = dict.fromkeys(
        TurnRef(case_id=trace.case.id, turn=incident.turn)
        for incident in incidents
        if incident.turn is not None
    )
    return Verdict(
        oracle=ORACLE,
        check=name,
        outcome=outcome,
        owner=_owner(incidents),
        case_ids=(trace.case.id,),
        reason=_reason(incidents),
        turns=tuple(turns),
    )


def _owner(incidents: Sequence[Incident]) -> Owner:
    """The app if it has a part in it, else the owner of the first incident."""
    owners = [incident.owner for incident in incidents]
    return Owner.APP if Owner.APP in owners else owners[0]


def _reason(incidents: Sequence[Incident]) -> str:
    first = " ".join(incidents[0].message.split()) or incidents[0].kind.value
    text = first if len(first) <= _LONGEST else first[: _LONGEST - 3] + "..."
    more = len(incidents) - 1
    return f"{text} (and {more} more)" if more else text

"""Conversations that an incident broke off: never a pass, and no blame for what is missing."""

from collections.abc import Mapping, Sequence

from sparring.model.talk import Ended, Incident, IncidentKind, Trace
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict

_OF_TALK = frozenset({IncidentKind.LOOP, IncidentKind.GOAL_NOT_REACHED})
"""What a conversation that went on to its own end may have: oracles judge these."""

_UNDECIDED = frozenset({IncidentKind.UNRESOLVED, IncidentKind.MACHINE_BUSY, IncidentKind.NO_ANSWER})
"""After these nobody knows what the app would have done: inconclusive, and no error."""

_LONGEST = 200


def breaking_incidents(trace: Trace) -> list[Incident]:
    """Return the incidents that keep a conversation from having been played to its end."""
    return [incident for incident in trace.incidents if incident.kind not in _OF_TALK]


def cutting_incident(trace: Trace) -> Incident | None:
    """Return what cut a conversation off that is not the app's doing, or `None`.

    Of several incidents the last one counts. If the app crashed and the player broke because of
    that, the first incident is the app's, but what is missing after it says nothing of the app.
    """
    if trace.ended is not Ended.INCIDENT:
        return None
    last = next(reversed(breaking_incidents(trace)), None)
    return None if last is None or last.owner is Owner.APP else last


def not_played(trace: Trace, verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Return the verdict ``played`` for a case that was broken off and that nobody else counts.

    Otherwise a crash after the first words would pass if the rules do not apply to what is left
    of the conversation. Empty if a gating check failed or ended in an error already.
    """
    # A failure that does not gate leaves the exit code as it is, and the case green.
    outcomes = {verdict.outcome for verdict in verdicts if verdict.gating}
    if outcomes & {Outcome.FAIL, Outcome.ERROR}:
        return []
    incident = _first_breaking(trace)
    if incident is None:
        return []
    undecided = incident.kind in _UNDECIDED
    outcome = Outcome.INCONCLUSIVE if undecided else Outcome.ERROR
    if outcome in outcomes:
        return []
    shown = () if incident.turn is None else (TurnRef(case_id=trace.case.id, turn=incident.turn),)
    return [
        Verdict(
            oracle="sparring",
            check="played",
            outcome=outcome,
            owner=incident.owner,
            case_ids=(trace.case.id,),
            reason=f"{incident.kind.value}: {incident.message}",
            turns=shown,
        )
    ]


def _first_breaking(trace: Trace) -> Incident | None:
    breaking = breaking_incidents(trace)
    if breaking or trace.ended is not Ended.INCIDENT:
        return next(iter(breaking), None)
    if trace.incidents:
        return trace.incidents[0]
    message = "the conversation was broken off, and no incident says by what"
    return Incident(kind=IncidentKind.PLAYER_ERROR, message=message, owner=Owner.TOOL)


def without_blame(
    verdict: Verdict, cut_off: Mapping[str, Incident], *, local: bool = False
) -> Verdict:
    """Return the verdict, or an inconclusive one if it blames the app for a cut-off conversation.

    `cut_off` has the incidents that are not the app's doing, by the id of the case that they cut
    off. An oracle that is `local` sees all that is wrong in the turns that it names: its verdict
    stands if they all were over when the incident came.
    """
    if verdict.outcome is not Outcome.FAIL or verdict.owner is not Owner.APP:
        return verdict
    for case_id in verdict.case_ids:
        incident = cut_off.get(case_id)
        if incident is None or (local and _was_over(verdict, case_id, incident)):
            continue
        message = " ".join(incident.message.split())
        why = message if len(message) <= _LONGEST else f"{message[: _LONGEST - 3]}..."
        reason = f"the conversation was cut off ({incident.kind.value}: {why}): {verdict.reason}"
        return verdict.model_copy(
            update={"outcome": Outcome.INCONCLUSIVE, "owner": incident.owner, "reason": reason}
        )
    return verdict


def _was_over(verdict: Verdict, case_id: str, incident: Incident) -> bool:
    """Whether the turns that a verdict names were complete before an incident."""
    turns = [shown.turn for shown in verdict.turns if shown.case_id == case_id]
    if not turns:
        return False
    # An incident of no turn came after all of them: values could not be read from the talk, say.
    return incident.turn is None or max(turns) < incident.turn


def broken_off(trace: Trace) -> Incident | None:
    """Return what broke a conversation off that was not the app's doing, or None.

    The rest of the talk is unknown then: a price that was not said yet may have been said later. A
    loop or a goal that was not reached is what a conversation came to, and breaks none off.
    """
    foreign = (
        incident for incident in breaking_incidents(trace) if incident.owner is not Owner.APP
    )
    return next(foreign, None)

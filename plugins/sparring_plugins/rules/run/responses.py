"""Conversations of which rules can say nothing, or less than they seem to.

The app was not heard; something broke the conversation off that is not the app's doing; or the
simulated user did not do its part. What is missing then is not the app's fault.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from sparring.engine.foreign_incident import broken_off
from sparring.model.talk import Incident, IncidentKind, Trace, Turn
from sparring.model.verdict import Outcome, Owner
from sparring_plugins.rules.compile.evaluation import Expression
from sparring_plugins.rules.run.decisions import Decision, app_failed, one_line

OF_TALK = frozenset({IncidentKind.LOOP, IncidentKind.GOAL_NOT_REACHED})
"""What a conversation came to, which breaks none off."""

_ABOUT_INCIDENTS = frozenset({"errors", "incidents"})
_OF_USER = frozenset(
    {*_ABOUT_INCIDENTS, "ended", "goals_met", "goals_unmet", "outputs", "data_output"}
)
"""Names whose values depend on whether the user did its part."""

_OF_OUTPUTS = frozenset({"missing_slots", "missing_outputs", "data_collected"})
_BEFOREHAND = frozenset(
    {"inputs", "case_id", "scenario", "repeat", "profile", "serial", "language", "role", "persona",
     "context", "goals", "source", "started_on"}
)  # fmt: skip
"""Names whose values are known before a conversation begins."""


def never_heard(trace: Trace) -> str:
    """What kept the app from ever saying anything; empty if it was heard."""
    if any(turn.observation is not None for turn in trace.turns):
        return ""
    why = (one for one in trace.incidents if one.kind not in OF_TALK)
    return next((f"{one.kind.value}: {one_line(one.message)}" for one in why), "")


def of_the_user(trace: Trace) -> Incident | None:
    """Return the loop or the goal not reached that was not the app's doing, if there is one."""
    foreign = (one for one in trace.incidents if one.owner is not Owner.APP)
    return next((one for one in foreign if one.kind in OF_TALK), None)


def before_the_break(trace: Trace, broken: Incident) -> int:
    """Return how many turns were over when a conversation broke off."""
    turns: tuple[Turn, ...] = trace.turns
    if broken.turn is None:
        return len(turns)
    whole = broken.turn < len(turns) and turns[broken.turn].observation is not None
    return min(len(turns), broken.turn + whole)


class Hearing:
    """How far one rule can judge a conversation.

    It leaves out those in which the app was never heard. One that broke off without the app's doing
    is inconclusive, and so is a failure of a rule that depends on whether the user did its part
    if the user did not. A rule that speaks of `errors` or `incidents` is about those that are the
    app's own. With SENSEI's readings nothing is left out, and nothing is inconclusive.
    """

    def __init__(self, expressions: Iterable[Expression]) -> None:
        every = tuple(expressions)
        self._names = {name for one in every for _, name in one.uses.names}
        self._names |= {name for one in every for name in (*one.uses.asked, *one.uses.unique)}
        self._functions = {name for one in every for name in one.uses.functions}
        self._about_turns = {name for one in every for name in one.uses.turn_names}
        self._of_conversation = any(
            one.scope.functions[name].conversation
            for one in every
            for name in one.uses.functions
            if name in one.scope.functions
        )
        self.sensei = any(one.scope.sensei for one in every)
        self.about_incidents = bool(_ABOUT_INCIDENTS & self._names)

    def left_out(self, trace: Trace) -> str:
        """Why the rule says nothing about a conversation; empty if it is judged."""
        if self.sensei:
            return ""
        why = never_heard(trace)
        if why and self.about_incidents and app_failed(trace):
            return ""
        return why and f"the app was never heard: {why}"

    def cut_off(self, trace: Trace) -> Incident | None:
        """Return what broke a conversation off, if the rule cannot judge it because of that."""
        if self.sensei or (self.about_incidents and app_failed(trace)):
            return None
        return broken_off(trace)

    def is_about_turns_alone(self, trace: Trace) -> bool:
        """Whether a rule with `for_each` needs nothing of a conversation that may come later."""
        if self._of_conversation or "last" in self._about_turns:
            return False
        known = _BEFOREHAND | trace.case.params.keys()
        return self._names <= known - {output.name for output in trace.outputs}

    def settled(self, decision: Decision, trace: Trace) -> Decision:
        """A decision as it stands if the simulated user may not have done its part."""
        incident = self.doubt(trace) if decision.outcome is Outcome.FAIL else None
        return decision if incident is None else doubted(decision, incident)

    def doubt(self, trace: Trace) -> Incident | None:
        """Return what the simulated user did not do, if the rule depends on that."""
        incident = None if self.sensei else of_the_user(trace)
        return incident if incident is not None and self._depends_on_the_user(trace) else None

    def _depends_on_the_user(self, trace: Trace) -> bool:
        missing = {output.name for output in trace.outputs if output.value is None}
        missing |= {f"data_output_{name}" for name in missing}
        return bool(self._names & (_OF_USER | missing) or self._functions & _OF_OUTPUTS)


class Heard(Iterable[Trace]):
    """The conversations that a rule judges; can be passed over again and again."""

    def __init__(self, traces: Iterable[Trace], judges: Callable[[Trace], bool]) -> None:
        self._traces = traces
        self._judges = judges

    def __iter__(self) -> Iterator[Trace]:
        return filter(self._judges, self._traces)


def unknown_rest(incident: Incident) -> Decision:
    """What a rule says of a conversation that broke off."""
    told = f"{incident.kind.value}: {one_line(incident.message)}"
    reason = f"inconclusive: the conversation broke off, and not by the app ({told})"
    return Decision(Outcome.INCONCLUSIVE, incident.owner, reason)


def doubted(decision: Decision, incident: Incident) -> Decision:
    """A failure that an incident which is not the app's doing makes inconclusive."""
    told = f"{incident.kind.value}, {incident.owner.value}: {one_line(incident.message)}"
    reason = f"inconclusive, for it depends on what was not the app's doing ({told}): "
    return replace(
        decision,
        outcome=Outcome.INCONCLUSIVE,
        owner=incident.owner,
        reason=f"{reason}{decision.reason}",
    )


def left_out_reason(count: int) -> str:
    """What is said of several conversations that are left out."""
    were = "1 conversation was" if count == 1 else f"{count:,} conversations were"
    return f"{were} left out: the app was never heard, or it broke off and not by the app"

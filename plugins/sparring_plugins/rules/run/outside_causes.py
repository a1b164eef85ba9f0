"""Causes outside of the app that keep a rule from blaming it.

The app never responded; something else broke the conversation off; the simulated user did not do
its part; or the machine gave Sparring no processor time. Such verdicts are skipped or inconclusive.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from sparring.model.talk import Incident, IncidentKind, Listen, Trace, Turn, broken_off
from sparring.model.verdict import Outcome, Owner
from sparring_plugins.execution.machine_load import machine_loads
from sparring_plugins.rules.compile.evaluation import Expression
from sparring_plugins.rules.run.decisions import RuleDecision, app_failed, one_line

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


def never_responded(trace: Trace) -> str:
    """Why the app never responded; empty if it did."""
    if any(turn.observation is not None for turn in trace.turns):
        return ""
    why = (incident for incident in trace.incidents if incident.kind not in OF_TALK)
    return next((f"{cause.kind.value}: {one_line(cause.message)}" for cause in why), "")


def user_incident(trace: Trace) -> Incident | None:
    """Return the loop or the goal not reached that was not the app's doing, if there is one."""
    foreign = (incident for incident in trace.incidents if incident.owner is not Owner.APP)
    return next((cause for cause in foreign if cause.kind in OF_TALK), None)


def turns_before_break(trace: Trace, broken: Incident) -> int:
    """Return how many turns were over when a conversation broke off."""
    turns: tuple[Turn, ...] = trace.turns
    if broken.turn is None:
        return len(turns)
    whole = broken.turn < len(turns) and turns[broken.turn].observation is not None
    return min(len(turns), broken.turn + whole)


class Judgeability:
    """Decides how far one rule can judge a conversation.

    It leaves out those in which the app never responded. One that the app did not break off itself
    is inconclusive, and so is a failure of a rule that depends on whether the user did its part
    if the user did not. A rule that speaks of `errors` or `incidents` is about those that are the
    app's own. With SENSEI's readings nothing is left out, and nothing is inconclusive.
    """

    def __init__(self, expressions: Iterable[Expression]) -> None:
        all_expressions = tuple(expressions)
        self._names = {name for expression in all_expressions for _, name in expression.uses.names}
        self._names |= {
            name
            for expression in all_expressions
            for name in (*expression.uses.asked, *expression.uses.unique)
        }
        self._functions = {
            name for expression in all_expressions for name in expression.uses.functions
        }
        self._about_turns = {
            name for expression in all_expressions for name in expression.uses.turn_names
        }
        self._of_conversation = any(
            expression.scope.functions[name].conversation
            for expression in all_expressions
            for name in expression.uses.functions
            if name in expression.scope.functions
        )
        self.sensei = any(expression.scope.sensei for expression in all_expressions)
        self.about_incidents = bool(_ABOUT_INCIDENTS & self._names)

    def skip_reason(self, trace: Trace) -> str:
        """The reason why the rule skips a conversation; empty if it judges it."""
        if self.sensei:
            return ""
        why = never_responded(trace)
        if why and self.about_incidents and app_failed(trace):
            return ""
        return why and f"the app was never heard: {why}"

    def breaking_incident(self, trace: Trace) -> Incident | None:
        """Return what broke a conversation off, if the rule cannot judge it because of that."""
        if self.sensei or (self.about_incidents and app_failed(trace)):
            return None
        return broken_off(trace)

    def is_about_turns_alone(self, trace: Trace) -> bool:
        """Whether a rule with `for_each` needs no value that may only be known later."""
        if self._of_conversation or "last" in self._about_turns:
            return False
        known_beforehand = _BEFOREHAND | trace.case.params.keys()
        return self._names <= known_beforehand - {output.name for output in trace.outputs}

    def adjust(self, decision: RuleDecision, trace: Trace) -> RuleDecision:
        """A decision as it stands if the simulated user may not have done its part."""
        incident = self.doubt(trace) if decision.outcome is Outcome.FAIL else None
        return decision if incident is None else make_inconclusive(decision, incident)

    def doubt(self, trace: Trace) -> Incident | None:
        """Return what the simulated user did not do, if the rule depends on that."""
        incident = None if self.sensei else user_incident(trace)
        return incident if incident is not None and self._depends_on_the_user(trace) else None

    def _depends_on_the_user(self, trace: Trace) -> bool:
        missing = {output.name for output in trace.outputs if output.value is None}
        missing |= {f"data_output_{name}" for name in missing}
        return bool(self._names & (_OF_USER | missing) or self._functions & _OF_OUTPUTS)


class JudgedTraces(Iterable[Trace]):
    """The conversations that a rule judges; can be iterated again and again."""

    def __init__(self, traces: Iterable[Trace], judges: Callable[[Trace], bool]) -> None:
        self._traces = traces
        self._judges = judges

    def __iter__(self) -> Iterator[Trace]:
        return filter(self._judges, self._traces)


def decide_broken_off(incident: Incident) -> RuleDecision:
    """Decide on a conversation that broke off."""
    cause = f"{incident.kind.value}: {one_line(incident.message)}"
    reason = f"inconclusive: the conversation broke off, and not by the app ({cause})"
    return RuleDecision(Outcome.INCONCLUSIVE, incident.owner, reason)


def make_inconclusive(decision: RuleDecision, incident: Incident) -> RuleDecision:
    """A failure that an incident which is not the app's doing makes inconclusive."""
    cause = f"{incident.kind.value}, {incident.owner.value}: {one_line(incident.message)}"
    reason = f"inconclusive, for it depends on what was not the app's doing ({cause}): "
    return replace(
        decision,
        outcome=Outcome.INCONCLUSIVE,
        owner=incident.owner,
        reason=f"{reason}{decision.reason}",
    )


def left_out_reason(count: int) -> str:
    """Word the reason for leaving out several conversations."""
    were = "1 conversation was" if count == 1 else f"{count:,} conversations were"
    return f"{were} left out: the app was never heard, or it broke off and not by the app"


# Rules about time on a machine that gave Sparring no processor time.
#
# A latency that was measured meanwhile lies somewhere between what was measured and that less the
# time without a processor. If a rule decides otherwise at the other end, or too much of the
# time is unknown, its result is inconclusive.

SHARE = 0.1
"""Share of a latency without processor time from which a failure about it is inconclusive.

An answer after 2.2 seconds, of which the machine gave Sparring no processor time for 0.3: the app,
which often runs on the same machine, waited, too.
"""

_OF_TALK = frozenset({"response_times", "max_response_time", "average_response_time"})
_WHOLE = "conversation_time"
_OF_TURN = frozenset({"latency", "started"})
_OF_LIST = "response_time"
"""The key of the list `turns` that has a turn's latency."""

Again = Callable[[Trace], RuleDecision]
"""Decides the same about a conversation with other times."""


@dataclass(frozen=True, slots=True)
class StarvedTime:
    """For how many of the seconds that apps took the machine gave no processor time."""

    starved_s: float = 0.0
    latency_s: float = 0.0

    @classmethod
    def of(cls, turns: Iterable[Turn]) -> "StarvedTime":
        """The sums over the turns in which the app was asked something."""
        spoken = [turn for turn in turns if not isinstance(turn.act, Listen)]
        return cls(sum(t.starved_s for t in spoken), sum(t.latency_s for t in spoken))

    def __add__(self, other: "StarvedTime") -> "StarvedTime":
        return StarvedTime(self.starved_s + other.starved_s, self.latency_s + other.latency_s)

    @property
    def is_large(self) -> bool:
        """Whether the app cannot be blamed for a failure about these times."""
        return self.starved_s > 0 and self.starved_s >= SHARE * self.latency_s

    def doubt(self, decision: RuleDecision) -> RuleDecision:
        """The decision as inconclusive, with the reason."""
        return _environments_doing(
            decision,
            f"for {self.starved_s:.2g} of {self.latency_s:.2g} seconds the machine gave Sparring "
            "no processor time",
        )


class Timing:
    """Finds verdicts about times that the machine or the simulated user spoiled."""

    def __init__(self, expressions: Sequence[Expression]) -> None:
        names = {name for expression in expressions for _, name in expression.uses.names}
        names |= {
            name
            for expression in expressions
            for name in (*expression.uses.asked, *expression.uses.unique)
        }
        self._of_turn = any(expression.uses.turn_names & _OF_TURN for expression in expressions)
        self._whole = _WHOLE in names
        listed = any(_has_text(expression.uses.tree, _OF_LIST) for expression in expressions)
        self._of_talk = bool(names & _OF_TALK) or listed
        sensei = any(expression.scope.sensei for expression in expressions)
        self.reads = not sensei and (self._of_turn or self._whole or self._of_talk)

    def starved(self, trace: Trace) -> StarvedTime:
        """The seconds of a conversation that are unknown; none if the rule reads no times."""
        if not self.reads:
            return StarvedTime()
        starved = StarvedTime.of(trace.turns)
        loaded_s = sum(turn.latency_s for turn in trace.turns) - sum(_least_latencies(trace))
        return replace(starved, starved_s=max(starved.starved_s, loaded_s))

    def adjust(
        self, decision: RuleDecision, trace: Trace, again: Again, turn: Turn | None = None
    ) -> RuleDecision:
        """A decision as it stands, though the machine or the simulated user took part of the time.

        `turn` is the one that a rule with `for_each` is about. A pass stands if it is one also
        without the time that the machine took: less time is no worse for most rules.
        """
        if not self.reads or decision.outcome not in (Outcome.PASS, Outcome.FAIL):
            return decision
        one_turn = turn is not None and not (self._of_talk or self._whole)
        starved = StarvedTime.of([turn] if one_turn and turn is not None else trace.turns)
        if starved.starved_s > 0:
            failed = decision.outcome is Outcome.FAIL
            if failed and starved.is_large:
                return starved.doubt(decision)
            if again(_remove_starved_time(trace)).outcome is not decision.outcome:
                return starved.doubt(decision)
        if decision.outcome is Outcome.PASS:
            return decision
        decision = _remove_load(decision, trace, again)
        is_failure = decision.outcome is Outcome.FAIL
        return _remove_user_time(decision, trace, again) if self._whole and is_failure else decision


def _remove_starved_time(trace: Trace) -> Trace:
    """A conversation with the times that it would have taken at least."""
    return _with_latencies(trace, [max(0.0, t.latency_s - t.starved_s) for t in trace.turns])


def _with_latencies(trace: Trace, latencies: Sequence[float]) -> Trace:
    turns = tuple(
        turn.model_copy(update={"latency_s": latency_s})
        for turn, latency_s in zip(trace.turns, latencies, strict=True)
    )
    gained = sum(turn.latency_s for turn in trace.turns) - sum(latencies)
    duration_s = max(0.0, trace.duration_s - gained)
    return trace.model_copy(update={"turns": turns, "duration_s": duration_s})


def _least_latencies(trace: Trace) -> list[float]:
    """What each turn would have taken at least if the app had not shared its processor.

    Beside eleven other tasks per processor, an app that computes for 0.1 s answers after 1.1 s; one
    that sleeps for a second does, too, and of that nothing here can know.
    """
    loads = machine_loads(trace)
    return [turn.latency_s / loads.get(index, 1.0) for index, turn in enumerate(trace.turns)]


def _remove_load(decision: RuleDecision, trace: Trace, again: Again) -> RuleDecision:
    """A failure, unless the app may have been fast enough if it had had a processor alone.

    A pass needs no such look: no app is faster because the machine is busy.
    """
    loads = machine_loads(trace)
    least = _with_latencies(trace, _least_latencies(trace))
    if not loads or again(least).outcome is Outcome.FAIL:
        return decision
    load = max(loads.values())
    return _environments_doing(
        decision,
        f"while the app answered, {load:.3g} tasks shared each processor of this machine, and "
        "alone it may have been fast enough",
    )


def _environments_doing(decision: RuleDecision, why: str) -> RuleDecision:
    """The decision as inconclusive, because of the machine and not of the app."""
    reason = ": ".join(filter(None, (f"inconclusive: {why}", decision.reason)))
    return replace(decision, outcome=Outcome.INCONCLUSIVE, owner=Owner.ENVIRONMENT, reason=reason)


def _remove_user_time(decision: RuleDecision, trace: Trace, again: Again) -> RuleDecision:
    """A failure about the time of a whole conversation, unless the user took it and not the app."""
    own_s = sum(turn.latency_s for turn in trace.turns)
    if again(trace.model_copy(update={"duration_s": own_s})).outcome is not Outcome.PASS:
        return decision
    reason = f"inconclusive: of {trace.duration_s:.3g} seconds the app took {own_s:.3g}"
    return replace(
        decision,
        outcome=Outcome.INCONCLUSIVE,
        owner=Owner.SIMULATED_USER,
        reason=f"{reason}: {decision.reason}",
    )


def _has_text(tree: ast.AST, text: str) -> bool:
    return any(isinstance(node, ast.Constant) and node.value == text for node in ast.walk(tree))

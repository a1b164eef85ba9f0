"""Conversations of which rules can say nothing: the app was not heard, or a model cut them off."""

from collections.abc import Iterable, Iterator

from sparring.model.talk import IncidentKind, Trace
from sparring.model.verdict import Owner
from sparring_plugins.oracles.rules.decisions import one_line
from sparring_plugins.oracles.rules.evaluation import Expression

_OF_TALK = frozenset({IncidentKind.LOOP, IncidentKind.GOAL_NOT_REACHED})
_ABOUT_INCIDENTS = frozenset({"errors", "incidents"})


def never_heard(trace: Trace) -> str:
    """What kept the app from ever saying anything; empty where it was heard."""
    if any(turn.observation is not None for turn in trace.turns):
        return ""
    why = (one for one in trace.incidents if one.kind not in _OF_TALK)
    return next((f"{one.kind.value}: {one_line(one.message)}" for one in why), "")


def cut_off(trace: Trace) -> str:
    """How a language model behind the player failed, which leaves the rest of a talk unknown."""
    failed = (one for one in trace.incidents if one.kind is IncidentKind.MODEL_ERROR)
    return next((one_line(one.message) for one in failed), "")


class Hearing:
    """Which conversations one rule leaves out.

    They are those in which the app was never heard, and those in which a language model behind
    the player failed: what is missing then is not the app's fault. A rule that speaks of `errors`
    or `incidents` is about those that are the app's own. With SENSEI's readings nothing is left
    out.
    """

    def __init__(self, expressions: Iterable[Expression]) -> None:
        every = tuple(expressions)
        names = {name for one in every for _, name in one.uses.names}
        asked = {name for one in every for name in one.uses.asked}
        self.sensei = any(one.scope.sensei for one in every)
        self.about_incidents = bool(_ABOUT_INCIDENTS & (names | asked))

    def left_out(self, trace: Trace) -> str:
        """Why the rule says nothing about a conversation; empty where it is judged."""
        if self.sensei:
            return ""
        if failed := cut_off(trace):
            return f"a language model failed, not the app: {failed}"
        why = never_heard(trace)
        if why and self.about_incidents and any(i.owner is Owner.APP for i in trace.incidents):
            return ""
        return why and f"the app was never heard: {why}"

    def heard(self, traces: Iterable[Trace]) -> "Heard":
        """The conversations that are not left out."""
        return Heard(self, traces)


class Heard(Iterable[Trace]):
    """The conversations that a rule does not leave out; can be passed over again and again."""

    def __init__(self, hearing: Hearing, traces: Iterable[Trace]) -> None:
        self._hearing = hearing
        self._traces = traces

    def __iter__(self) -> Iterator[Trace]:
        return (trace for trace in self._traces if not self._hearing.left_out(trace))


def left_out_reason(count: int) -> str:
    """What is said of several conversations that are left out."""
    were = "1 conversation was" if count == 1 else f"{count:,} conversations were"
    return f"{were} left out: the app was never heard, or a language model failed"

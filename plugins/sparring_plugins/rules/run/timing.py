"""Rules about time on a machine that gave Sparring no processor time.

A latency that was measured meanwhile lies somewhere between what was measured and that less the
time without a processor. If a rule comes to another result at the other end, or too much of the
time is unknown, it says nothing of the app.
"""

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from sparring.model.talk import Listen, Trace, Turn
from sparring.model.verdict import Outcome, Owner
from sparring_plugins.rules.compile.evaluation import Expression
from sparring_plugins.rules.run.decisions import Decision

SHARE = 0.1
"""Share of a latency without processor time from which a failure about it says nothing.

An answer after 2.2 seconds, of which the machine gave Sparring no processor time for 0.3: the app,
which often runs on the same machine, waited, too.
"""

_OF_TALK = frozenset({"response_times", "max_response_time", "average_response_time"})
_WHOLE = "conversation_time"
_OF_TURN = frozenset({"latency", "started"})
_OF_LIST = "response_time"
"""The key of the list `turns` that has a turn's latency."""

Again = Callable[[Trace], Decision]
"""Decides the same about a conversation with other times."""


@dataclass(frozen=True, slots=True)
class Starved:
    """For how many of the seconds that apps took the machine gave no processor time."""

    starved_s: float = 0.0
    latency_s: float = 0.0

    @classmethod
    def of(cls, turns: Iterable[Turn]) -> "Starved":
        """The sums over the turns in which the app was asked something."""
        spoken = [turn for turn in turns if not isinstance(turn.act, Listen)]
        return cls(sum(one.starved_s for one in spoken), sum(one.latency_s for one in spoken))

    def __add__(self, other: "Starved") -> "Starved":
        return Starved(self.starved_s + other.starved_s, self.latency_s + other.latency_s)

    @property
    def is_large(self) -> bool:
        """Whether a failure about these times says nothing of the app."""
        return self.starved_s > 0 and self.starved_s >= SHARE * self.latency_s

    def doubt(self, decision: Decision) -> Decision:
        """The decision as inconclusive, with the reason."""
        reason = (
            f"inconclusive: for {self.starved_s:.2g} of {self.latency_s:.2g} seconds the machine "
            "gave Sparring no processor time"
        )
        told = f"{reason}: {decision.reason}" if decision.reason else reason
        return replace(decision, outcome=Outcome.INCONCLUSIVE, owner=Owner.ENVIRONMENT, reason=told)


class Timing:
    """What one rule reads of the times of conversations."""

    def __init__(self, expressions: Sequence[Expression]) -> None:
        names = {name for one in expressions for _, name in one.uses.names}
        names |= {name for one in expressions for name in (*one.uses.asked, *one.uses.unique)}
        self._of_turn = any(one.uses.turn_names & _OF_TURN for one in expressions)
        self._whole = _WHOLE in names
        listed = any(_has_text(one.uses.tree, _OF_LIST) for one in expressions)
        self._of_talk = bool(names & _OF_TALK) or listed
        sensei = any(one.scope.sensei for one in expressions)
        self.reads = not sensei and (self._of_turn or self._whole or self._of_talk)

    def starved(self, trace: Trace) -> Starved:
        """What is unknown of the times of a conversation; nothing if the rule reads none."""
        return Starved.of(trace.turns) if self.reads else Starved()

    def settled(
        self, decision: Decision, trace: Trace, again: Again, turn: Turn | None = None
    ) -> Decision:
        """A decision as it stands, though the machine or the simulated user took part of the time.

        `turn` is the one that a rule with `for_each` is about. A pass stands if it is one also
        without the time that the machine took: less time is no worse for most rules.
        """
        if not self.reads or decision.outcome not in (Outcome.PASS, Outcome.FAIL):
            return decision
        one_turn = turn is not None and not (self._of_talk or self._whole)
        starved = Starved.of([turn] if one_turn and turn is not None else trace.turns)
        if starved.starved_s > 0:
            failed = decision.outcome is Outcome.FAIL
            if failed and starved.is_large:
                return starved.doubt(decision)
            if again(_without_starving(trace)).outcome is not decision.outcome:
                return starved.doubt(decision)
        if self._whole and decision.outcome is Outcome.FAIL:
            return _without_the_user(decision, trace, again)
        return decision


def _without_starving(trace: Trace) -> Trace:
    """A conversation with the times that it would have taken at least."""
    turns = tuple(
        turn.model_copy(update={"latency_s": max(0.0, turn.latency_s - turn.starved_s)})
        for turn in trace.turns
    )
    gained = sum(turn.latency_s for turn in trace.turns) - sum(one.latency_s for one in turns)
    duration_s = max(0.0, trace.duration_s - gained)
    return trace.model_copy(update={"turns": turns, "duration_s": duration_s})


def _without_the_user(decision: Decision, trace: Trace, again: Again) -> Decision:
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

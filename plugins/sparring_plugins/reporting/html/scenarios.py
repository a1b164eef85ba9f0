"""What came of each scenario: the table that SENSEI's global report has, and outcomes beside it."""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from sparring.model.talk import IncidentKind, Listen, Trace
from sparring.model.verdict import Outcome
from sparring_plugins.language.quantities import OUTCOME_ORDER, duration, money

MOST_ROWS = 200


@dataclass(slots=True)
class Score:
    """What is known of one scenario, or of all: counts, response times in seconds, costs."""

    outcomes: Counter[Outcome] = field(default_factory=Counter[Outcome])
    incidents: Counter[IncidentKind] = field(default_factory=Counter[IncidentKind])
    turns: int = 0
    answers: int = 0
    total_s: float = 0.0
    fastest_s: float = 0.0
    slowest_s: float = 0.0
    cost_usd: float = 0.0

    def add(self, trace: Trace, outcome: Outcome) -> None:
        """Take in a conversation; greetings, for which nobody waited, have no response time."""
        self.outcomes[outcome] += 1
        self.incidents.update(incident.kind for incident in trace.incidents)
        self.turns += len(trace.turns)
        cost = trace.meta.get("cost_usd")
        self.cost_usd += cost if isinstance(cost, (int, float)) and 0 < cost < 1e9 else 0.0
        for turn in trace.turns:
            if turn.observation is not None and not isinstance(turn.act, Listen):
                self._answered(turn.latency_s)

    def _answered(self, seconds: float) -> None:
        if not (math.isfinite(seconds) and seconds >= 0):
            return
        self.fastest_s = min(self.fastest_s, seconds) if self.answers else seconds
        self.slowest_s = max(self.slowest_s, seconds)
        self.total_s += seconds
        self.answers += 1


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table, as it is shown; `outcomes` are the counts that are not zero."""

    name: str
    conversations: int
    outcomes: tuple[tuple[str, int], ...]
    turns: str
    average: str
    fastest: str
    slowest: str
    incidents: str
    cost: str


class Scenarios:
    """The scores of all scenarios, in memory that grows with their number alone."""

    def __init__(self) -> None:
        self._all = Score()
        self._each: dict[str, Score] = {}

    def add(self, trace: Trace, outcome: Outcome) -> None:
        """Take in a conversation."""
        for score in (self._all, self._each.setdefault(trace.case.scenario, Score())):
            score.add(trace, outcome)

    @property
    def has_costs(self) -> bool:
        """Whether any conversation is known to have cost something."""
        return self._all.cost_usd > 0

    @property
    def left_out(self) -> int:
        """How many scenarios have no row, for want of room."""
        return max(0, len(self._each) - MOST_ROWS)

    def rows(self) -> Iterator[Row]:
        """The rows, by name."""
        return (_row(name, self._each[name]) for name in sorted(self._each)[:MOST_ROWS])

    def total(self) -> Row | None:
        """The row for all, where there are several."""
        return _row("all", self._all) if len(self._each) > 1 else None


def _row(name: str, score: Score) -> Row:
    count = score.outcomes.total()
    counts = ((outcome.value, score.outcomes[outcome]) for outcome in OUTCOME_ORDER)
    kinds = sorted(score.incidents.items(), key=lambda item: (-item[1], item[0]))
    return Row(
        name=name,
        conversations=count,
        outcomes=tuple((outcome, number) for outcome, number in counts if number),
        turns=f"{score.turns / count:.1f}" if count else "",
        average=duration(score.total_s / score.answers) if score.answers else "",
        fastest=duration(score.fastest_s) if score.answers else "",
        slowest=duration(score.slowest_s) if score.answers else "",
        incidents=", ".join(f"{number:,} {kind.value.replace('_', ' ')}" for kind, number in kinds),
        cost=money(score.cost_usd) if score.cost_usd else "",
    )

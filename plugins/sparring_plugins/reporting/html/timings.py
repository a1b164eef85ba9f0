"""Response times of a run, counted in constant memory, and when its cases were played."""

import math
from array import array
from collections import Counter
from dataclasses import dataclass, field

from sparring.model.talk import Trace
from sparring.model.verdict import Outcome

# Bins 5 % wide: quantiles are right to 2.5 %, in constant memory for a million turns.
_PER_DECADE = 48
# By the number of the turn, a slow first answer is seen; later turns are alike.
_MOST_TURNS = 30
_SHORTEST, _LONGEST = 1e-6, 1e7
_OUTCOMES = tuple(Outcome)

MOST_TIMELINE_BARS = 300
"""Of more cases, nothing is drawn for each, and no names are kept."""


@dataclass(slots=True)
class Durations:
    """A distribution of durations in seconds: counts in narrow logarithmic bins.

    A quantile is exact to 2.5 %; zeros are counted apart.
    """

    bins: Counter[int] = field(default_factory=Counter[int])
    count: int = 0
    longest: float = 0.0
    shortest: float = math.inf

    def add(self, seconds: float) -> None:
        """Count one duration; what is not a positive number counts as nothing measured."""
        if not (math.isfinite(seconds) and seconds > 0):
            return
        seconds = min(max(seconds, _SHORTEST), _LONGEST)
        self.count += 1
        self.longest = max(self.longest, seconds)
        self.shortest = min(self.shortest, seconds)
        self.bins[math.floor(math.log10(seconds) * _PER_DECADE)] += 1

    def quantile(self, share: float) -> float:
        """The duration that `share` of all do not exceed; 0 without any."""
        left = share * self.count
        for index in sorted(self.bins):
            left -= self.bins[index]
            if left <= 0:
                return self._inside(10 ** ((index + 0.5) / _PER_DECADE))
        return self.longest if self.count else 0.0

    def columns(self, most: int) -> tuple[list[float], list[int]]:
        """A histogram of at most `most` columns: their edges in seconds, and their counts."""
        first, last = min(self.bins), max(self.bins)
        wide = max(1, math.ceil((last - first + 1) / most))
        size = max(6, math.ceil((last - first + 1) / wide))
        counts = [0] * size
        for index, count in self.bins.items():
            counts[(index - first) // wide] += count
        edges = [10 ** ((first + wide * n) / _PER_DECADE) for n in range(size + 1)]
        return edges, counts

    def _inside(self, seconds: float) -> float:
        return min(max(seconds, self.shortest), self.longest)


class Timings:
    """Response times in all and by turn, and a start and a length for each case.

    A turn without an answer has no response time; `unanswered` counts them. A case takes 17 bytes;
    `case_ids` are those of the first `MOST_TIMELINE_BARS`.
    """

    def __init__(self) -> None:
        self.responses = Durations()
        self.unanswered = 0
        self.by_turn: list[Durations] = []
        self.starts = array("d")
        self.lengths = array("d")
        self._outcomes = array("b")
        self.case_ids: list[str] = []

    def add(self, trace: Trace, outcome: Outcome) -> None:
        """Take in a conversation."""
        for index, turn in enumerate(trace.turns):
            if turn.observation is None:
                self.unanswered += 1
                continue
            self.responses.add(turn.latency_s)
            if index < _MOST_TURNS:
                while len(self.by_turn) <= index:
                    self.by_turn.append(Durations())
                self.by_turn[index].add(turn.latency_s)
        length = trace.duration_s
        self.starts.append(trace.started.timestamp())
        self.lengths.append(min(length, _LONGEST) if length > 0 else 0.0)
        self._outcomes.append(_OUTCOMES.index(outcome))
        if len(self.case_ids) < MOST_TIMELINE_BARS:
            self.case_ids.append(trace.case.id)

    def outcome(self, index: int) -> Outcome:
        """The outcome of a case, by its place among those that were added."""
        return _OUTCOMES[self._outcomes[index]]

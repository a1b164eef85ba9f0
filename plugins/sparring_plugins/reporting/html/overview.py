"""What the page needs to know of the whole run before it shows the first conversation."""

import math
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import itemgetter

from sparring.model.talk import IncidentKind, Listen, Trace
from sparring.model.verdict import Outcome, Verdict
from sparring.store import StoredRun
from sparring_plugins.language.quantities import OUTCOME_ORDER, duration, money
from sparring_plugins.reporting.exercised import Exercised, add_run
from sparring_plugins.reporting.findings import (
    RANK,
    Fault,
    Findings,
    case_length,
    description_of,
    worst,
)
from sparring_plugins.reporting.html.timings import Timings

# What came of each scenario: the table that SENSEI's global report has, and outcomes beside it.

# A search has as many scenarios as it likes; a table of two hundred rows is scrolled, a longer one
# is not.
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
        self.turns += case_length(trace)
        cost = trace.meta.get("cost_usd")
        # The log may be somebody else's: NaN, a text or 1e300 would spoil the sum of all.
        self.cost_usd += cost if isinstance(cost, (int, float)) and 0 < cost < 1e9 else 0.0
        for turn in trace.turns:
            if turn.observation is not None and not isinstance(turn.act, Listen):
                self._add_response_time(turn.latency_s)

    def _add_response_time(self, seconds: float) -> None:
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
    def has_incidents(self) -> bool:
        """Whether anything went wrong while a conversation was played."""
        return bool(self._all.incidents)

    @property
    def steps(self) -> int:
        """The turns of all conversations, or the steps of test cases in plain language."""
        return self._all.turns

    @property
    def left_out(self) -> int:
        """How many scenarios have no row, for want of room."""
        return max(0, len(self._each) - MOST_ROWS)

    def rows(self) -> Iterator[Row]:
        """The rows, by name."""
        return (_row(name, self._each[name]) for name in sorted(self._each)[:MOST_ROWS])

    def total(self) -> Row | None:
        """The row for all, if there are several."""
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


# A condition over pairs fails in thousands of pairs for one wrong price.
_MOST_CONDITIONS = 20


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition over several conversations: its counts, and some of the non-passes."""

    oracle: str
    check: str
    outcome: Outcome
    counts: dict[Outcome, int]
    shown: tuple[Verdict, ...]
    more: int
    description: str


@dataclass(frozen=True, slots=True)
class Selection:
    """Which conversations the page shows whole (`whole`), which only in a line (`brief`)."""

    whole: tuple[str, ...]
    brief: tuple[str, ...]
    passes: int
    sampled: int

    @property
    def is_complete(self) -> bool:
        """Whether every conversation is shown whole."""
        return not self.brief and self.sampled == self.passes


class Overview:
    """One pass over a stored run: findings, timings, names; no text of any conversation.

    `total` is how many conversations there are, and `counts` how many with each outcome. A passed
    conversation takes 18 bytes.
    """

    def __init__(self, stored: StoredRun) -> None:
        self.findings = Findings.of_run(stored)
        self.timings = Timings()
        self.scenarios: Counter[str] = Counter()
        self.scores = Scenarios()
        self.exercised = Exercised()
        self.counts: Counter[Outcome] = Counter()
        self._case_ids = stored.cases
        self._ranks = array("b")
        for judged in stored.judged():
            self.findings.add_case(judged)
            self.exercised.add_case(judged)
            outcome = worst(judged.verdicts)
            self.timings.add(judged.trace, outcome)
            self.scores.add(judged.trace, outcome)
            self.scenarios[judged.trace.case.scenario] += 1
            self.counts[outcome] += 1
            self._ranks.append(RANK[outcome])
        self.total = len(self._ranks)
        self.concluded = stored.concluded
        self.findings.add_concluded(self.concluded)
        add_run(self.exercised, stored)
        self.faults: list[Fault] = self.findings.faults()

    def selection(self, limit: int) -> Selection:
        """At most `limit` conversations: what shows findings, other non-passes, then passes.

        Passes are taken evenly over the order in which they were asked.
        """
        ranked = [(rank, case_id) for rank, case_id in self._ranked() if rank < RANK[Outcome.PASS]]
        bad = [case_id for _, case_id in sorted(ranked, key=itemgetter(0))]
        # Each finding names three conversations, which the page has then, whatever else there is no
        # room for.
        examples = {i for fault in self.faults for i in fault.example[:3]}
        first = sorted(bad, key=lambda i: i not in examples)[:limit]
        room = limit - len(first)
        passing_examples = list(islice((i for i in self._passed() if i in examples), room))
        sampled = self._sample(passing_examples, room)
        chosen = {*first, *sampled}
        whole = [i for i in bad if i in chosen] + [i for i in self._passed() if i in chosen]
        brief = tuple(i for i in bad if i not in chosen)
        return Selection(tuple(whole), brief, self.total - len(bad), len(sampled))

    def _ranked(self) -> Iterator[tuple[int, str]]:
        return zip(self._ranks, self._case_ids, strict=True)

    def _passed(self) -> Iterator[str]:
        return (case_id for rank, case_id in self._ranked() if rank >= RANK[Outcome.PASS])

    def _sample(self, wanted: Sequence[str], room: int) -> list[str]:
        """At most `room` that passed: the wanted ones, the rest at even distances."""
        passes = sum(rank >= RANK[Outcome.PASS] for rank in self._ranks)
        if passes <= room:
            return list(self._passed())
        kept = set(wanted)
        others, places = passes - len(kept), room - len(kept)
        # The first hundred that passed are one scenario; at even distances they are of all.
        places_taken = {number * others // places for number in range(places)}
        rest = (case_id for case_id in self._passed() if case_id not in kept)
        return [*wanted, *(case_id for at, case_id in enumerate(rest) if at in places_taken)]

    def concluded_by_case(self) -> dict[str, list[Verdict]]:
        """The non-passes over several conversations, by the conversations that they name."""
        by_case: dict[str, list[Verdict]] = {}
        for verdict in self.concluded:
            if RANK[verdict.outcome] < RANK[Outcome.PASS]:
                # "No two prices differ" may name all ten thousand conversations.
                for case_id in verdict.case_ids[:50]:
                    by_case.setdefault(case_id, []).append(verdict)
        return by_case

    def conditions(self) -> Iterator[Condition]:
        """The conditions over several conversations, the worst first."""
        groups: dict[tuple[str, str], list[Verdict]] = {}
        for verdict in self.concluded:
            groups.setdefault((verdict.oracle, verdict.check), []).append(verdict)
        conditions = [_condition(oracle, check, each) for (oracle, check), each in groups.items()]
        return iter(sorted(conditions, key=lambda c: (RANK[c.outcome], c.oracle, c.check)))


def _condition(oracle: str, check: str, verdicts: Sequence[Verdict]) -> Condition:
    counts: Counter[Outcome] = Counter()
    for verdict in verdicts:
        counts[verdict.outcome] += verdict.count
    bad = [v for v in verdicts if RANK[v.outcome] < RANK[Outcome.PASS]]
    shown = tuple(sorted(bad, key=lambda v: RANK[v.outcome])[:_MOST_CONDITIONS])
    outcome = min((v.outcome for v in verdicts), key=RANK.__getitem__)
    more = sum(v.count for v in bad) - sum(v.count for v in shown)
    description = next((text for each in shown if (text := description_of(each))), "")
    return Condition(oracle, check, outcome, dict(counts), shown, more, description)

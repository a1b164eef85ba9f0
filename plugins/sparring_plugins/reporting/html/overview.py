"""What the page needs to know of the whole run before it shows the first conversation."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sparring.model.verdict import Outcome, Verdict
from sparring.store import StoredRun
from sparring_plugins.reporting.findings import RANK, Fault, Findings, worst
from sparring_plugins.reporting.html.scenarios import Scenarios
from sparring_plugins.reporting.html.timings import Timings

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
    """One pass over a stored run: findings, timings, names; no text of any conversation."""

    def __init__(self, stored: StoredRun) -> None:
        self.findings = Findings()
        self.timings = Timings()
        self.scenarios: Counter[str] = Counter()
        self.scores = Scenarios()
        self.outcomes: dict[str, Outcome] = {}
        for judged in stored.judged():
            self.findings.add_case(judged)
            outcome = worst(judged.verdicts)
            self.timings.add(judged.trace, outcome)
            self.scores.add(judged.trace, outcome)
            self.scenarios[judged.trace.case.scenario] += 1
            self.outcomes[judged.trace.case.id] = outcome
        self.concluded = stored.concluded
        self.findings.add_concluded(self.concluded)
        self.faults: list[Fault] = self.findings.faults()

    @property
    def counts(self) -> Counter[Outcome]:
        """Conversations by outcome."""
        return Counter(self.outcomes.values())

    def selection(self, limit: int) -> Selection:
        """At most `limit` conversations: what shows findings, other non-passes, then passes.

        Passes are taken evenly over the order in which they were asked.
        """
        order = sorted(self.outcomes, key=lambda i: min(RANK[self.outcomes[i]], 3))
        bad = [i for i in order if RANK[self.outcomes[i]] < RANK[Outcome.PASS]]
        good = order[len(bad) :]
        examples = {i for fault in self.faults for i in fault.example[:3]}
        first = sorted(bad, key=lambda i: i not in examples)[:limit]
        chosen = dict.fromkeys(first)
        wanted = [i for i in good if i in examples][: max(0, limit - len(chosen))]
        sampled = _evenly(good, wanted, max(0, limit - len(chosen)))
        chosen |= dict.fromkeys(sampled)
        whole = tuple(i for i in order if i in chosen)
        brief = tuple(i for i in bad if i not in chosen)
        return Selection(whole, brief, len(good), len(sampled))

    def concluded_by_case(self) -> dict[str, list[Verdict]]:
        """The non-passes over several conversations, by the conversations that they name."""
        found: dict[str, list[Verdict]] = {}
        for verdict in self.concluded:
            if RANK[verdict.outcome] < RANK[Outcome.PASS]:
                for case_id in verdict.case_ids[:50]:
                    found.setdefault(case_id, []).append(verdict)
        return found

    def conditions(self) -> Iterator[Condition]:
        """The conditions over several conversations, the worst first."""
        groups: dict[tuple[str, str], list[Verdict]] = {}
        for verdict in self.concluded:
            groups.setdefault((verdict.oracle, verdict.check), []).append(verdict)
        made = [_condition(oracle, check, each) for (oracle, check), each in groups.items()]
        return iter(sorted(made, key=lambda c: (RANK[c.outcome], c.oracle, c.check)))


def _condition(oracle: str, check: str, verdicts: Sequence[Verdict]) -> Condition:
    counts: Counter[Outcome] = Counter()
    for verdict in verdicts:
        counts[verdict.outcome] += verdict.count
    bad = [v for v in verdicts if RANK[v.outcome] < RANK[Outcome.PASS]]
    shown = tuple(sorted(bad, key=lambda v: RANK[v.outcome])[:_MOST_CONDITIONS])
    outcome = min((v.outcome for v in verdicts), key=RANK.__getitem__)
    more = sum(v.count for v in bad) - sum(v.count for v in shown)
    return Condition(oracle, check, outcome, dict(counts), shown, more)


def _evenly(items: Sequence[str], wanted: Sequence[str], room: int) -> list[str]:
    """At most `room` of the items: the wanted ones, the rest at even distances."""
    if len(items) <= room:
        return list(items)
    kept = dict.fromkeys(wanted)
    others = [item for item in items if item not in kept]
    places = room - len(kept)
    kept |= dict.fromkeys(others[n * len(others) // places] for n in range(places))
    return list(kept)

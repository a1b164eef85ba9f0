"""The service ``repeats``: plays each case that a strategy proposes several times.

The engine sees one strategy (`RepeatingStrategy`), which gets the verdicts of every play and
passes them to the suite's strategy once per case; batches are made by the suite's own batching
and repeated here.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, ClassVar

from pydantic import JsonValue

from sparring.engine.batches import Batch, Batching
from sparring.errors import StoredRunError
from sparring.interfaces.abilities import (
    LearnsFromConversations,
    ReadsPreviews,
    expected_cases,
    is_open_ended,
    learning,
)
from sparring.interfaces.plugin import PluginConfig
from sparring.interfaces.search_strategy import Learning, SearchStrategy
from sparring.model.case import Case
from sparring.model.events import CasesAsked
from sparring.model.run import Usage
from sparring.model.space import Space
from sparring.model.talk import Trace
from sparring.model.verdict import Verdict
from sparring.suite.model import Repeats, Suite
from sparring_plugins.gating.gate_result import Rules
from sparring_plugins.gating.records import CheckCounts, case_key, gating_outcomes, label_of
from sparring_plugins.gating.sequential import next_look
from sparring_plugins.gating.statistics import spent_by, wilson


def repeats(strategy: SearchStrategy[Any], suite: Suite) -> "RepeatedCases":
    """Return what plays each case of a strategy as often as a suite says."""
    rules = Rules.of(suite.gate, suite.repeats)
    return RepeatedCases(strategy, suite.repeats, rules, suite.seed)


@dataclass(slots=True)
class _Group:
    """The plays of one case: how many were asked for, and the verdicts of those that are over."""

    case: Case
    asked: int = 0
    told: int = 0
    counts: dict[str, CheckCounts] = field(default_factory=dict[str, CheckCounts])
    scores: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    worst: dict[str, Verdict] = field(default_factory=dict[str, Verdict])
    dropped: bool = False

    def add(self, verdicts: Sequence[Verdict]) -> None:
        """Add the verdicts of one play."""
        self.told += 1
        for label, (outcome, _) in gating_outcomes(verdicts).items():
            self.counts.setdefault(label, CheckCounts()).add(outcome)
        for verdict in verdicts:
            label = label_of(verdict)
            if verdict.score is not None:
                self.scores.setdefault(label, []).append(verdict.score)
            known = self.worst.get(label)
            if known is None or _RANK[verdict.outcome.value] < _RANK[known.outcome.value]:
                self.worst[label] = verdict

    def verdicts(self) -> list[Verdict]:
        """Return one verdict per check: the worst of all plays, with the mean of their scores.

        ``details.pass_rate`` is the share of decided plays that passed. It is the score of a check
        without one, so that a search minimises it: an app that fails one time in ten is then
        nearer to failing always than one that never fails.
        """
        return [self._summary(label, verdict) for label, verdict in self.worst.items()]

    def _summary(self, label: str, verdict: Verdict) -> Verdict:
        rate = self.pass_rate(label)
        scores = self.scores.get(label)
        score = sum(scores) / len(scores) if scores else rate
        details = verdict.details if rate is None else {**verdict.details, "pass_rate": rate}
        update = {"score": score, "details": details, "case_ids": (self.case.id,)}
        return verdict.model_copy(update=update)

    def pass_rate(self, label: str) -> float | None:
        """Return the share of decided plays of a check that passed; None after a single play."""
        counts = self.counts.get(label)
        several = counts is not None and counts.decided and self.told > 1
        return counts.passed / counts.decided if counts is not None and several else None

    @property
    def severity(self) -> tuple[float, float]:
        """How badly its checks did: the largest share of failures, then the lowest mean score."""
        shares = [c.failed / c.decided for c in self.counts.values() if c.decided]
        means = [sum(scores) / len(scores) for scores in self.scores.values()]
        return max(shares, default=0.0), 1 - min(means, default=1.0)

    def stored(self) -> JsonValue:
        """Return the group as JSON."""
        return {
            "case": self.case.model_dump(mode="json"),
            "asked": self.asked,
            "told": self.told,
            "counts": {k: [c.passed, c.failed, c.undecided] for k, c in self.counts.items()},
            "scores": {label: list(scores) for label, scores in self.scores.items()},
            "worst": {label: v.model_dump(mode="json") for label, v in self.worst.items()},
            "dropped": self.dropped,
        }

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> "_Group":
        """Return a stored group."""
        return cls(
            case=Case.model_validate(data["case"]),
            asked=data["asked"],
            told=data["told"],
            counts={label: CheckCounts(*numbers) for label, numbers in data["counts"].items()},
            scores=data["scores"],
            worst={label: Verdict.model_validate(v) for label, v in data["worst"].items()},
            dropped=bool(data.get("dropped", False)),
        )


_RANK = {"fail": 0, "error": 1, "inconclusive": 2, "pass": 3, "skipped": 4}


class RepeatedCases:
    """Both sides of repeating: the strategy that the loop sees, and the batches it plays.

    The verdicts of a case's plays are kept until the last of them is over, and is part of the
    strategy's state, so that a resumed run goes on in the middle of a case.
    """

    def __init__(
        self, repeated: SearchStrategy[Any], settings: Repeats, rules: Rules, seed: int
    ) -> None:
        self.repeated = repeated
        self.settings = settings
        self.rules = rules
        self._seed = seed
        self.groups: dict[str, _Group] = {}
        self.strategy: SearchStrategy[Any] = RepeatingStrategy(self)

    def batches(self, batching: Batching) -> Batching:
        """See `Repeating.batches`."""
        return RepeatingBatches(self, batching)

    @property
    def most(self) -> int:
        """How often a case is played at most."""
        settings = self.settings
        return settings.times if settings.until is None or settings.halving else settings.most

    @property
    def keeps_groups(self) -> bool:
        """Whether anybody has to know what all plays of a case said."""
        return self.goes_on or learning(self.repeated) != "never"

    @property
    def goes_on(self) -> bool:
        """Whether what is played next depends on the plays before it."""
        return self.settings.until is not None or self.settings.halving

    def begin(self, cases: Sequence[Case]) -> Iterator[Case]:
        """Yield the first plays of new cases."""
        for case in cases:
            group = _Group(case)
            if self.keeps_groups:
                self.groups[_key(case)] = group
            yield from self._plays(group, self._planned(0))

    def go_on(self) -> list[Case]:
        """Return further plays of the cases of which not enough is known."""
        if self.settings.halving:
            self._halve()
        more: list[Case] = []
        for group in self.groups.values():
            if group.told == group.asked and not self._is_over(group):
                more += self._plays(group, self._planned(group.asked))
        return more

    def _halve(self) -> None:
        """Drop the better half of the cases in play once all of them were played equally often.

        Successive halving (Karnin et al. 2013, Jamieson and Talwalkar 2016): each round plays half
        as many cases twice as often, so that few plays go to cases that never fail.
        """
        playing = [group for group in self.groups.values() if not self._is_over(group)]
        if not playing or any(group.told < group.asked for group in self.groups.values()):
            return
        worst_first = sorted(playing, key=lambda group: group.severity, reverse=True)
        for group in worst_first[(len(playing) + 1) // 2 :]:
            group.dropped = True
        if learning(self.repeated) != "per-batch":
            self._finish(list(self.groups))

    def tell(self, case: Case, verdicts: Sequence[Verdict]) -> None:
        """Add a play; the last one of a case passes the verdicts of all to the strategy."""
        key = self._group_of(case)
        group = self.groups.get(key)
        if group is None:
            return
        group.add(verdicts)
        if learning(self.repeated) != "per-batch":
            self._finish([key])
        elif all(each.told == each.asked and self._is_over(each) for each in self.groups.values()):
            self._finish(list(self.groups))  # in the order asked, as such a strategy is promised

    def case_of(self, play: Case) -> Case:
        """Return the strategy's case that a play belongs to; itself if none is known."""
        group = self.groups.get(self._group_of(play))
        return play if group is None else group.case

    def _finish(self, keys: Sequence[str]) -> None:
        """Forget the groups that are over, and tell the strategy of them if it learns."""
        for key in keys:
            group = self.groups[key]
            if group.told == group.asked and self._is_over(group):
                del self.groups[key]
                if learning(self.repeated) != "never":
                    self.repeated.tell(group.case, group.verdicts())

    def _group_of(self, case: Case) -> str:
        """Return the key of the group that a play belongs to.

        The strategy may number cases of equal content itself: play k of its case j has the number
        (j - 1) · most + k.
        """
        return f"{case_key(case)} {(case.repeat - 1) // self.most + 1}"

    def _planned(self, asked: int) -> int:
        """Return how many plays there will be before the next look."""
        if self.settings.halving:
            return min(self.settings.times, max(1, 2 * asked))
        if self.settings.until is None:
            return self.settings.times
        return next_look(asked, self.most)

    def _plays(self, group: _Group, until: int) -> list[Case]:
        first = group.asked
        group.asked = until
        return [self._play(group.case, number) for number in range(first + 1, until + 1)]

    def _play(self, case: Case, number: int) -> Case:
        repeat = (case.repeat - 1) * self.most + number
        if repeat == case.repeat:
            return case
        base = case_key(case)
        case_id = base if repeat == 1 else f"{base}.{repeat}"
        digest = sha256(f"{self._seed}/{case_id}".encode("utf-8", "surrogatepass")).digest()
        seed = int.from_bytes(digest[:6], "big")
        return case.model_copy(update={"id": case_id, "seed": seed, "repeat": repeat})

    def _is_over(self, group: _Group) -> bool:
        if self.settings.halving:
            return group.dropped or group.asked >= self.most
        if self.settings.until is None or group.asked >= self.most:
            return True
        return all(self.is_known(counts, group.asked) for counts in group.counts.values())

    def is_known(self, counts: CheckCounts, asked: int) -> bool:
        """Whether the rate of a check is known closely enough, or is decided for the gate.

        Looking often finds something by chance: the interval of each look has only its share of the
        error, and the gate decides at the level of the look, so that all looks together keep the
        confidence.
        """
        if not counts.decided:
            return True
        alpha = self._alpha(asked)
        low, high = wilson(counts.passed, counts.decided, 1 - alpha) or (0.0, 1.0)
        if (high - low) / 2 <= (self.settings.until or 0):
            return True
        return self.rules.settles(counts.passed, counts.decided) is not None

    def _alpha(self, asked: int) -> float:
        """Return what the look after this many plays may spend of 1 - confidence."""
        whole, before = 1 - self.rules.confidence, 0
        look = self._planned(0)
        while look < asked:
            before, look = look, self._planned(look)
        return spent_by(asked / self.most, whole) - spent_by(before / self.most, whole)

    def state(self) -> JsonValue:
        """Return the strategy's state, with that of the cases that are not over."""
        groups = {key: group.stored() for key, group in self.groups.items()}
        return {"strategy": self.repeated.state(), "groups": groups}

    def restore(self, state: JsonValue) -> None:
        """Go on from a stored state; raises StoredRunError if it is none."""
        if not isinstance(state, dict) or not isinstance(state.get("groups"), dict):
            raise StoredRunError("the saved state is of a suite without repeats")
        try:
            stored: Any = state["groups"]
            self.groups = {key: _Group.read(data) for key, data in stored.items()}
        except (KeyError, TypeError, ValueError) as err:
            raise StoredRunError(f"the saved state of repeats is damaged: {err}") from err
        self.repeated.restore(state.get("strategy"))


def _key(case: Case) -> str:
    return f"{case_key(case)} {case.repeat}"


class RepeatingStrategy(SearchStrategy[PluginConfig]):
    """What the loop sees: the suite's strategy with each of its cases several times."""

    Config: ClassVar[type[PluginConfig]] = PluginConfig

    def __init__(self, cases: RepeatedCases) -> None:
        super().__init__(PluginConfig(), cases.repeated.context)
        self._cases = cases
        self._repeated = cases.repeated

    def learning(self) -> Learning:
        """As the suite's strategy; whether cases are played until enough is known counts, too."""
        own = learning(self._repeated)
        if self._cases.settings.halving:
            return "per-batch"  # the plays of a round are compared with each other
        return "per-case" if own == "never" and self._cases.keeps_groups else own

    def start(self, space: Space, seed: int) -> None:
        self._cases.groups.clear()
        self._repeated.start(space, seed)

    def ask(self, n: int) -> Sequence[Case]:
        return self._cases.go_on() or list(self._cases.begin(self._repeated.ask(n)))

    def tell(self, case: Case, verdicts: Sequence[Verdict]) -> None:
        self._cases.tell(case, verdicts)

    @property
    def done(self) -> bool:
        return self._repeated.done and not (self._cases.goes_on and self._cases.groups)

    def state(self) -> JsonValue:
        return self._cases.state()

    def restore(self, state: JsonValue) -> None:
        self._cases.restore(state)

    def played(self, trace: Trace) -> None:
        """Let a strategy that learns from conversations learn from every play.

        It is told of the case that it asked for: play 2 of its session 3 has another id, by which
        `sessions` would not know that the exploration is over.
        """
        if isinstance(self._repeated, LearnsFromConversations):
            case = self._cases.case_of(trace.case)
            self._repeated.played(trace.model_copy(update={"case": case}))

    def read(self, case: Case, text: str) -> None:
        """Let a resumed strategy learn again what cases say."""
        if isinstance(self._repeated, ReadsPreviews):
            self._repeated.read(case, text)

    def expected(self) -> int | None:
        """How many plays there will be; of an open number, only whether there are any."""
        number = expected_cases(self._repeated)
        if number is None or not self._cases.goes_on:
            return number if number is None else number * self._cases.settings.times
        return None if number else 0

    def open_ended(self) -> bool:
        return is_open_ended(self._repeated)


class WrappedBatching(Batching):
    """The base of what changes the batches of another batching, and passes on all else."""

    def __init__(self, batching: Batching) -> None:
        self._batching = batching

    def interrupt(self) -> None:
        """See `Batching.interrupt`."""
        self._batching.interrupt()

    def resume(self, asked: CasesAsked) -> None:
        """See `Batching.resume`."""
        self._batching.resume(asked)

    def counted(self, usage: Usage) -> Usage:
        """See `Batching.counted`."""
        return self._batching.counted(usage)


class RepeatingBatches(WrappedBatching):
    """Batches of plays: further ones of cases that are not over, else the first of new cases."""

    def __init__(self, cases: RepeatedCases, batching: Batching) -> None:
        super().__init__(batching)
        self._cases = cases

    async def next_batch(self, number: int) -> Batch:
        """See `Batching.next_batch`; `number` counts plays."""
        more = self._cases.go_on()
        if more:
            return Batch(more)
        if self._cases.repeated.done:
            return Batch()
        planned = min(number, max(1, -(-number // self._cases.settings.times)))
        if learning(self._cases.repeated) == "per-batch" or self._cases.settings.halving:
            planned = number
        batch = await self._batching.next_batch(planned)
        batch.cases = list(self._cases.begin(batch.cases))
        return batch

"""What a run may spend, what it has spent, and the sums of its verdicts."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from time import monotonic

from sparring.engine.exit_codes import exit_code
from sparring.model.events import ModelCalled
from sparring.model.run import Inconclusive, Spent, Stop, Summary, Usage
from sparring.model.space import APP, Space
from sparring.model.talk import IncidentKind, Trace
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.suite.model import Budget


@dataclass(slots=True)
class ExpectedSpending:
    """What a case is expected to take of language models, by those that are over."""

    cases: int = 0
    tokens: int = 0
    most_tokens: int = 0
    cost_usd: float = 0.0
    most_usd: float = 0.0

    def add(self, spent: Spent | None) -> None:
        """Learn from a case that is over; one that asked no model took nothing."""
        spent = spent or Spent()
        self.cases += 1
        self.tokens += spent.tokens
        self.cost_usd += spent.cost_usd
        self.most_tokens = max(self.most_tokens, spent.tokens)
        self.most_usd = max(self.most_usd, spent.cost_usd)

    def reserve(self) -> Spent:
        """What is kept for one case: halfway from the mean to the dearest.

        The mean alone cuts off every second case where some have twice the turns of others, and the
        dearest alone leaves places empty because of one that went round in circles.
        """
        number = max(1, self.cases)
        return Spent(
            tokens=round((self.tokens / number + self.most_tokens) / 2),
            cost_usd=(self.cost_usd / number + self.most_usd) / 2,
        )


class Spending:
    """Counts what a run spends and says when a limit is reached."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._began = monotonic()
        self.started = 0
        self.cases = 0
        self.turns = 0
        self.failures = 0
        self._missed: dict[str | None, int] = {None: 0}
        self.models = Spent()
        self.by_role: dict[str, Spent] = defaultdict(Spent)
        self.by_case: dict[str, Spent] = defaultdict(Spent)
        #: Cases (None: judging the whole run) that were refused a model's answer: they are not
        #: over, whatever their parts made of it.
        self.refused: set[str | None] = set()
        self.fallbacks: Counter[str] = Counter()
        self.expected = ExpectedSpending()
        self.running: set[str] = set()
        self._earlier_s = 0.0

    def expect(self, space: Space) -> None:
        """Count for each app of the space by itself how often it was not reached."""
        apps = {
            str(app)
            for scenario in space.scenarios
            for variable in scenario.variables
            if variable.name == APP
            for app in variable.domain
        }
        self._missed = dict.fromkeys(sorted(apps), 0) if apps else {None: 0}

    def resume(self, seconds: float) -> None:
        """Add the time that earlier sessions of the run took."""
        self._earlier_s = seconds

    @property
    def cost_usd(self) -> float | None:
        """What was spent on models, in US dollars; None as soon as one price is unknown."""
        return None if self.models.unpriced else self.models.cost_usd

    def model_called(self, event: ModelCalled) -> None:
        """Count a call of a model: for the run, for its role, and for its case."""
        spent = _spent(event)
        self.models += spent
        self.by_role[event.request.asker] += spent
        if event.request.case_id is not None:
            self.by_case[event.request.case_id] += spent

    def case_played(self, trace: Trace) -> None:
        """Count a case that did not reach its app; one that did begins the app's count anew."""
        self.count_fallbacks(trace)
        app = trace.case.params.get(APP)
        name = None if app is None else str(app)
        missed = any(one.kind is IncidentKind.UNREACHABLE for one in trace.incidents)
        self._missed[name] = self._missed.get(name, 0) + 1 if missed else 0

    def count_fallbacks(self, trace: Trace) -> None:
        """Count by role the answers that agents gave in the place of models."""
        self.fallbacks.update(fallback.role for fallback in trace.fallbacks)

    def case_over(self, case_id: str) -> Spent | None:
        """What a case took; it is forgotten with that. None if it asked no model."""
        self.running.discard(case_id)
        return self.by_case.pop(case_id, None)

    def admits(self) -> bool:
        """Whether the budget has room for what one more case is expected to take of models.

        What the running ones may still take is kept for them, so that a budget cuts off one case at
        most instead of all that run. As long as nothing is known, one case runs alone to find out.
        """
        limits = self.budget
        if (limits.tokens is None and limits.cost is None) or not self.running:
            return True
        if not self.expected.cases:
            return False
        reserve = self.expected.reserve()
        running = [self.by_case.get(case_id, Spent()) for case_id in self.running]
        tokens = sum(max(0, reserve.tokens - spent.tokens) for spent in running) + reserve.tokens
        cost = sum(max(0.0, reserve.cost_usd - spent.cost_usd) for spent in running)
        return (limits.tokens is None or self.models.tokens + tokens <= limits.tokens) and (
            limits.cost is None or self.models.cost_usd + cost + reserve.cost_usd <= limits.cost
        )

    def no_more_calls(self) -> str | None:
        """Why no further call of a model is allowed, in words; None while there is room."""
        limits = self.budget
        if limits.tokens is not None and self.models.tokens >= limits.tokens:
            return f"the budget of {limits.tokens:g} tokens is spent (budget.tokens)"
        if limits.cost is None:
            return None
        if self.models.unpriced:
            return (
                "the price of an answer is unknown, so that the budget of "
                f"{limits.cost:g} US dollars cannot be kept (budget.cost)"
            )
        if self.models.cost_usd >= limits.cost:
            return f"the budget of {limits.cost:g} US dollars is spent (budget.cost)"
        return None

    def cases_left(self) -> int | None:
        """How many cases may still be started; None for any number."""
        return None if self.budget.cases is None else max(0, self.budget.cases - self.started)

    def spent(self) -> str | None:
        """The limit that is reached, in words; None while there is room for another case."""
        limits = self.budget
        minutes = (monotonic() - self._began) / 60
        checks = (
            ("cases", limits.cases, self.started, "cases"),
            ("turns", limits.turns, self.turns, "turns"),
            ("minutes", limits.minutes, minutes, "minutes"),
            ("failures", limits.failures, self.failures, "failed cases"),
        )
        for name, limit, used, unit in checks:
            if limit is not None and used >= limit:
                return f"the budget of {limit:g} {unit} is spent (budget.{name})"
        missed = min(self._missed.values())
        if limits.unreachable is not None and missed >= limits.unreachable:
            apps = len(self._missed)
            what = "the app could not" if apps == 1 else f"none of {apps} apps could"
            return f"{what} be reached for {missed} cases in a row (budget.unreachable)"
        return self.no_more_calls()

    def usage(self) -> Usage:
        """What was spent so far."""
        return Usage(
            cases=self.cases,
            turns=self.turns,
            seconds=round(self._earlier_s + monotonic() - self._began, 3),
            model_calls=self.models.calls,
            tokens=self.models.tokens,
            cost_usd=self.cost_usd,
            models=self.models,
            by_role=dict(sorted(self.by_role.items())),
            fallbacks=dict(sorted(self.fallbacks.items())),
        )


def _spent(event: ModelCalled) -> Spent:
    """What one call took: an answer from memory takes nothing."""
    reply = event.reply
    lenient = int(reply is not None and bool(reply.lenient))
    if event.source != "service":
        return Spent(reused=1, lenient=lenient)
    if reply is None:
        return Spent(calls=1)
    return Spent(
        calls=1,
        tokens=reply.input_tokens + reply.output_tokens,
        cost_usd=reply.cost_usd or 0.0,
        unpriced=reply.cost_usd is None,
        lenient=lenient,
    )


_WORST = (Outcome.FAIL, Outcome.ERROR, Outcome.INCONCLUSIVE, Outcome.PASS)


def worst(verdicts: Iterable[Verdict]) -> Outcome:
    """The outcome of a case: the worst of its verdicts, skipped if none applied."""
    outcomes = {verdict.outcome for verdict in verdicts}
    return next((outcome for outcome in _WORST if outcome in outcomes), Outcome.SKIPPED)


class Tally:
    """Counts verdicts as they come; holds no verdict."""

    def __init__(self) -> None:
        self.cases: Counter[Outcome] = Counter()
        self.outcomes: Counter[Outcome] = Counter()
        self.measured = 0
        self.gating: Counter[Outcome] = Counter()
        self.owners: Counter[Owner] = Counter()

    def add_case(self, verdicts: Iterable[Verdict]) -> Outcome:
        """Count a judged case; its outcome."""
        listed = list(verdicts)
        self.add(listed)
        outcome = worst(verdict for verdict in listed if verdict.gating)
        self.cases[outcome] += 1
        return outcome

    def add(self, verdicts: Iterable[Verdict]) -> None:
        """Count verdicts that belong to no single case."""
        for verdict in verdicts:
            if verdict.measures:
                self.measured += verdict.count
            else:
                self.outcomes[verdict.outcome] += verdict.count
            if verdict.gating:
                self.gating[verdict.outcome] += verdict.count
            if verdict.owner is not None:
                self.owners[verdict.owner] += verdict.count

    def exit_code(self, stopped: Stop, *, inconclusive: Inconclusive = "error") -> int:
        """Return the exit code of a run with these sums: see `sparring.engine.exit_codes`."""
        passed = self.outcomes[Outcome.PASS] + self.measured
        return exit_code(stopped, gating=self.gating, passed=passed, inconclusive=inconclusive)

    def summary(
        self,
        stopped: Stop,
        usage: Usage,
        *,
        reason: str = "",
        inconclusive: Inconclusive = "error",
    ) -> Summary:
        """Return the sums as they are stored."""
        return Summary(
            stopped=stopped,
            exit_code=self.exit_code(stopped, inconclusive=inconclusive),
            reason=reason,
            strict=inconclusive == "fail",
            inconclusive=inconclusive,
            cases=_sort_counts(self.cases),
            outcomes=_sort_counts(self.outcomes),
            measured=self.measured,
            gating=_sort_counts(self.gating),
            owners={owner: self.owners[owner] for owner in Owner if self.owners[owner]},
            usage=usage,
        )


def _sort_counts(counts: Counter[Outcome]) -> dict[Outcome, int]:
    return {outcome: counts[outcome] for outcome in Outcome if counts[outcome]}

"""What a run may spend, and what it has spent."""

from time import monotonic

from sparring.model.run import Usage
from sparring.suite.model import Budget


class Spending:
    """Counts what a run spends and says when a limit is reached."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._began = monotonic()
        self.started = 0
        self.cases = 0
        self.turns = 0
        self.failures = 0
        self.model_calls = 0
        self.tokens = 0
        self.cost_usd: float | None = 0.0
        self._earlier_s = 0.0

    def take_up(self, seconds: float) -> None:
        """Add the time that earlier sessions of the run took."""
        self._earlier_s = seconds

    def model_called(self, tokens: int, cost_usd: float | None) -> None:
        """Count a model call; a price that is unknown makes the sum unknown."""
        self.model_calls += 1
        self.tokens += tokens
        if cost_usd is None or self.cost_usd is None:
            self.cost_usd = None
        else:
            self.cost_usd += cost_usd

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
            ("tokens", limits.tokens, self.tokens, "tokens"),
            ("cost", limits.cost, self.cost_usd or 0.0, "US dollars"),
            ("failures", limits.failures, self.failures, "failed cases"),
        )
        for name, limit, used, unit in checks:
            if limit is not None and used >= limit:
                return f"the budget of {limit:g} {unit} is spent (budget.{name})"
        return None

    def usage(self) -> Usage:
        """What was spent so far."""
        return Usage(
            cases=self.cases,
            turns=self.turns,
            seconds=round(self._earlier_s + monotonic() - self._began, 3),
            model_calls=self.model_calls,
            tokens=self.tokens,
            cost_usd=self.cost_usd,
        )

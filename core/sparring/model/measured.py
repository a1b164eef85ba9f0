"""What is known of a judge, beside its verdicts."""

from datetime import datetime

from sparring.model.base import Value


class MeasuredJudge(Value):
    """What ``sparring calibrate`` measured of a judge, for the reports of runs that it judges.

    `accuracy` is the share of right answers among those that decided, `low` and `high` its 95 %
    interval, `sigma` is sqrt(p(1-p)), `level` its sigma level (`level_low` the lower bound, for a
    judge that was never wrong). `unusable` of the `answers` were invalid or decided nothing.
    """

    judge: str
    calibration: str
    created: datetime
    model: str | None = None
    examples: int = 0
    answers: int = 0
    unusable: int = 0
    accuracy: float | None = None
    low: float | None = None
    high: float | None = None
    sigma: float | None = None
    level: float | None = None
    level_low: float | None = None

    def in_words(self, *, ascii_only: bool = False) -> str:
        """``0.93 accurate [0.88–0.96] on 120 examples, 3.0σ``."""
        text = self._words()
        return text.replace("–", "-").replace("σ", " sigma") if ascii_only else text

    def _words(self) -> str:
        examples = f"{self.examples:,} example{'' if self.examples == 1 else 's'}"
        if self.accuracy is None:
            return f"accuracy unknown on {examples}"
        known = self.low is not None and self.high is not None
        bounds = f" [{self.low:.2f}–{self.high:.2f}]" if known else ""
        return f"{self.accuracy:.2f} accurate{bounds} on {examples}{self._level()}{self._rest()}"

    def _level(self) -> str:
        if self.level is not None:
            return f", {self.level:.1f}σ"
        if self.accuracy == 1 and self.level_low is not None:
            return f", at least {self.level_low:.1f}σ"
        return ""

    def _rest(self) -> str:
        share = self.unusable / self.answers if self.answers else 0.0
        return f", {share:.0%} of its answers unusable" if share >= 0.005 else ""

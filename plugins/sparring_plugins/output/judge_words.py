"""What was measured of a judge, in one line of a report."""

from sparring.model.run import MeasuredJudge


def judge_words(judge: MeasuredJudge, *, ascii_only: bool = False) -> str:
    """Return ``0.93 accurate [0.88–0.96] on 120 examples, 3.0σ``."""
    text = _words(judge)
    return text.replace("–", "-").replace("σ", " sigma") if ascii_only else text


def _words(judge: MeasuredJudge) -> str:
    examples = f"{judge.examples:,} example{'' if judge.examples == 1 else 's'}"
    if judge.accuracy is None:
        return f"accuracy unknown on {examples}"
    has_interval = judge.low is not None and judge.high is not None
    bounds = f" [{judge.low:.2f}–{judge.high:.2f}]" if has_interval else ""
    return f"{judge.accuracy:.2f} accurate{bounds} on {examples}{_level(judge)}{_rest(judge)}"


def _level(judge: MeasuredJudge) -> str:
    if judge.level is not None:
        return f", {judge.level:.1f}σ"
    if judge.accuracy == 1 and judge.level_low is not None:
        return f", at least {judge.level_low:.1f}σ"
    return ""


def _rest(judge: MeasuredJudge) -> str:
    share = judge.unusable / judge.answers if judge.answers else 0.0
    return f", {share:.0%} of its answers unusable" if share >= 0.005 else ""

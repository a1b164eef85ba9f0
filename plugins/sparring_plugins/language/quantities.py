"""Durations, counts and money as people read them, and the first number in a text."""

import math
import re
from collections.abc import Mapping

from sparring.model.run import Spent, Summary, Usage
from sparring.model.verdict import Outcome

OUTCOME_ORDER = (
    Outcome.PASS,
    Outcome.FAIL,
    Outcome.ERROR,
    Outcome.INCONCLUSIVE,
    Outcome.SKIPPED,
)


def plural(count: int, noun: str) -> str:
    """``1 turn``, ``1,200 turns``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def played(count: int, expected: int | None, noun: str = "conversation") -> str:
    """``4 conversations of 15 were played``, for a run that was stopped."""
    of = f" of {expected:,}" if expected and expected >= count else ""
    if count == 0:
        return f"no {noun}{of} was played"
    return f"{plural(count, noun)}{of} {'was' if count == 1 else 'were'} played"


def duration(seconds: float) -> str:
    """A duration given in seconds, with the precision that matters: ``350 ms``, ``2 min 05 s``."""
    if not math.isfinite(seconds):
        return "unknown"
    if 0 < seconds < 0.00095:
        return f"{seconds * 1000:.1f} ms" if seconds >= 0.00005 else "<0.1 ms"
    # The bounds are those of rounding: 0.9996 s is "1.0 s" and not "1000 ms".
    if seconds < 0.9995:
        return f"{max(0.0, seconds) * 1000:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    return f"{minutes // 60} h {minutes % 60:02} min"


def outcomes(counts: Mapping[Outcome, int]) -> str:
    """``43 pass, 5 fail``; outcomes that did not occur are left out."""
    parts = [f"{counts[o]:,} {o.value}" for o in OUTCOME_ORDER if counts.get(o)]
    return ", ".join(parts) or "none"


def checks(summary: Summary) -> str:
    """``43 pass, 5 fail; 24 measured``: checks by outcome, and those that only measure."""
    if not summary.measured:
        return outcomes(summary.outcomes)
    judged = f"{outcomes(summary.outcomes)}; " if summary.outcomes else ""
    return f"{judged}{summary.measured:,} measured"


def money(cost_usd: float | None) -> str:
    """A cost in US dollars; unknown prices are never shown as nothing."""
    if cost_usd is None:
        return "price unknown"
    return f"${cost_usd:.2f}" if cost_usd >= 1 else f"${cost_usd:.4f}"


def spend(usage: Usage) -> str:
    """Turns, time and model calls that a run used."""
    parts = [plural(usage.cases, "case"), plural(usage.turns, "turn"), duration(usage.seconds)]
    if usage.models.calls or usage.models.reused:
        parts.append(asked(usage.models))
    if usage.refused:
        parts.append(refused(usage))
    return ", ".join(parts)


def refused(usage: Usage) -> str:
    """Cases not played, by reason: ``12 refused before they were played (12 duplicate)``."""
    number = sum(usage.refused.values())
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in usage.refused.items())
    worded = f"{usage.previews:,} put into words"
    return f"{number:,} refused before they were played ({reasons}; {worded})"


def fallbacks(counts: Mapping[str, int]) -> str:
    """Unusable answers of models: ``4 answered without a model (user 3, extractor 1)``."""
    roles = ", ".join(f"{role} {count:,}" for role, count in counts.items())
    return f"{sum(counts.values()):,} answered without a model ({roles})"


def price(spent: Spent) -> str:
    """The cost of model calls; if some have no known price, at least that of the others."""
    if not spent.unpriced:
        return money(spent.cost_usd)
    if not spent.cost_usd:
        return money(None)
    return f"at least {money(spent.cost_usd)}, {plural(spent.unpriced, 'call')} of unknown price"


def asked(spent: Spent) -> str:
    """The effort of asking models: ``12 model calls, 3,400 tokens, $0.0021, 5 answers reused``."""
    parts: list[str] = []
    if spent.calls:
        parts += [plural(spent.calls, "model call"), plural(spent.tokens, "token"), price(spent)]
    if spent.reused:
        parts.append(f"{plural(spent.reused, 'answer')} reused")
    if spent.lenient:
        parts.append(f"{spent.lenient:,} read leniently")
    return ", ".join(parts)


# The first number in a text, in either notation.

_LONGEST = 400
# "1,234" and "1'234" are 1234; "12,50" has no three digits and is 12.5.
_THOUSANDS = re.compile(r"(?<=\d)[,\u00a0\u202f'](?=\d{3}(?!\d))")
# "1.234,5" is 1234.5, but "1.234" alone is a decimal.
_DOTTED_THOUSANDS = re.compile(r"(?<=\d)\.(?=\d{3}(?:\.\d{3}){0,5},\d)")
# "-$5" is minus five; the hyphen of "a-5" is no sign.
_NUMBER = re.compile(
    r"(?P<sign>(?<![\w.])[-+\u2212])?(?(sign)[$€£¥₹]?)(?P<digits>\d*\.\d+|\d+)", re.ASCII
)


def first_number(text: str) -> float | None:
    """The first number in a text, read as `extract_float` does; `None` if there is none."""
    match = _NUMBER.search(_plain_digits(text))
    if match is None:
        return None
    value = float(match["digits"][:_LONGEST])
    sign = (match["sign"] or "").strip()
    return -value if sign in ("-", "\u2212") else value


def _plain_digits(text: str) -> str:
    """The text with its thousands marks removed and decimal commas made points."""
    text = _DOTTED_THOUSANDS.sub("", text) if "," in text else text
    text = _THOUSANDS.sub("", text)
    return re.sub(r"(?<=\d),(?=\d)", ".", text) if "," in text else text

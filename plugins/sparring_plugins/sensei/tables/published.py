"""What the publication says of mutation scores, held against itself."""

from dataclasses import dataclass
from fractions import Fraction

_MOST_MUTANTS = 200


@dataclass(frozen=True, slots=True)
class Claim:
    """Two statements of the publication that should fit: a score, and what stands with it.

    `score` is in per cent as printed, cut or rounded to two digits; `other` is another score that
    is given for the same mutants, `live` the number of mutants said to have survived.
    """

    score: str
    other: str | None = None
    live: int | None = None


CLAIMS = (
    Claim("88.67", other="92.5"),
    Claim("81.25", live=1),
    Claim("92.85", live=2),
)


def totals(claim: Claim) -> str:
    """Whether the statements fit, in a sentence: by the numbers of mutants that allow them."""
    if claim.other is not None:
        return (
            f"the paper contradicts itself: {claim.score} % in one place, {claim.other} % in"
            " another for the same score"
        )
    live = claim.live or 0
    fitting = [n for n in range(live, _MOST_MUTANTS) if n and _says(claim.score, n, live)]
    total, alive = _smallest(claim.score)
    least = f"{total - alive} of {total} mutants have that score, with {alive} alive"
    if not fitting:
        return (
            f"the paper contradicts itself: {claim.score} % with {live} live"
            f" {'mutant' if live == 1 else 'mutants'} fits no number of mutants; {least}"
        )
    return (
        f"the paper says {claim.score} % with {live} live mutants: that takes {fitting[0]} mutants;"
        f" {least}"
    )


def _smallest(score: str) -> tuple[int, int]:
    """The fewest mutants that have a score, and how many of them live."""
    for total in range(1, _MOST_MUTANTS):
        for alive in range(total + 1):
            if _says(score, total, alive):
                return total, alive
    raise ValueError(f"no number of mutants has the score {score} %")


def _says(score: str, total: int, live: int) -> bool:
    """Whether a number of live mutants gives a score, rounded or cut to its digits."""
    digits = len(score.partition(".")[2])
    exact = Fraction(100 * (total - live), total)
    scaled = exact * 10**digits
    return Fraction(score) * 10**digits in (int(scaled), round(scaled))

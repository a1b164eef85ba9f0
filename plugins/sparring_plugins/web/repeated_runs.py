"""Repeated runs of one test case: how consistent they should be, and how consistent they were.

Salva and Taguelmimt, Sections 4 and 5. An agent that is right with probability p has the standard
deviation sqrt(p(1-p)), at most 0.5; decisions by plain rules have none. A step then counts
1 - 2 sigma for each agent that was asked about it, and a test case the mean of its steps. Opening
the first page is not counted.

Runs diverge at the first step with different outcomes. The app caused that only if it showed
another page of its own accord: after the same acts on the same pages, on a machine that had
processor time, and not because a part or a service broke.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Literal

from sparring.model.verdict import Owner
from sparring.time_limits import explains
from sparring_plugins.web.runner.records import GuiRecord, StepRecord

#: The share of right answers at three sigma, with the usual shift of 1.5: 66,807 errors a million.
THREE_SIGMA = NormalDist().cdf(1.5)
# Six sigma: with no failure at all the level would be infinite.
_MAX_LEVEL = 6.0


def deviation(p: float) -> float:
    """Return the standard deviation of an agent that is right with probability `p` in [0, 1]."""
    if not 0 <= p <= 1:
        raise ValueError(f"a probability lies in [0, 1], not {p}")
    return sqrt(p * (1 - p))


def sigma_level(p: float) -> float:
    """Return the Six-Sigma level of a share of right answers, from 0 to 6: 3 for 0.9332."""
    if p <= 0:
        return 0.0
    if p >= 1:
        return _MAX_LEVEL
    return min(_MAX_LEVEL, max(0.0, NormalDist().inv_cdf(p) + 1.5))


@dataclass(frozen=True)
class Sigmas:
    """The agents' standard deviations; None if they were never measured."""

    readiness: float | None = None
    navigator: float | None = None
    assertion: float | None = None


@dataclass(frozen=True)
class StepDecision:
    """Who decided a step: for each agent that was asked, whether plain rules gave its answer."""

    kind: Literal["navigation", "assertion"]
    strict_readiness: bool = True
    strict_navigation: bool = True
    strict_assertion: bool = True


def step_consistency(step: StepDecision, sigmas: Sigmas) -> float | None:
    """Return s_r * s_n of a navigation step, s_a of an assertion; None if a sigma is missing."""
    if step.kind == "assertion":
        return _factor(step.strict_assertion, sigmas.assertion)
    readiness = _factor(step.strict_readiness, sigmas.readiness)
    navigation = _factor(step.strict_navigation, sigmas.navigator)
    return None if readiness is None or navigation is None else readiness * navigation


def _factor(strict: bool, sigma: float | None) -> float | None:
    if strict:
        return 1.0
    return None if sigma is None else 1 - 2 * sigma


def consistency(steps: Sequence[StepDecision], sigmas: Sigmas) -> float | None:
    """Return the mean over the steps of a test case, 1 for no steps; None if a sigma is missing."""
    values = [value for step in steps if (value := step_consistency(step, sigmas)) is not None]
    if len(values) < len(steps):
        return None
    return sum(values) / len(values) if values else 1.0


Proposition = Literal["3", "2", "none"]


def proposition(steps: Sequence[StepDecision], sigmas: Sigmas) -> Proposition:
    """Return which of the paper's propositions says that a fail may be trusted.

    Proposition 3 if plain rules decided everything; 2 if each agent that was asked is within
    three sigma; else none.
    """
    asked: set[float | None] = set()
    for step in steps:
        if step.kind == "assertion":
            asked |= set() if step.strict_assertion else {sigmas.assertion}
            continue
        asked |= set() if step.strict_readiness else {sigmas.readiness}
        asked |= set() if step.strict_navigation else {sigmas.navigator}
    if not asked:
        return "3"
    limit = deviation(THREE_SIGMA)
    return "2" if all(sigma is not None and sigma <= limit for sigma in asked) else "none"


@dataclass(frozen=True)
class RelativeErrors:
    """Mean relative errors of predictions: with their signs, and without."""

    signed: float
    absolute: float


def relative_errors(pairs: Sequence[tuple[float, float]]) -> RelativeErrors | None:
    """Return the MRE of (predicted, observed) pairs without those observed as 0, if any is left."""
    errors = [(predicted - observed) / observed for predicted, observed in pairs if observed]
    if not errors:
        return None
    return RelativeErrors(
        signed=sum(errors) / len(errors), absolute=sum(map(abs, errors)) / len(errors)
    )


FlakinessSource = Literal["app", "agent", "other"]
_NEITHER_APP_NOR_AGENT = (Owner.TOOL, Owner.ENVIRONMENT, Owner.SIMULATED_USER)


@dataclass(frozen=True)
class RepeatedRuns:
    """The runs of one test case, compared.

    `observed` is the share of the most frequent vector of outcomes, `correct` the share of runs
    whose assertions came out as expected, if the test case says what is. `flaky` is ``app`` if
    runs diverged because the page was another one, ``agent`` if they did on equal pages, and
    ``other`` if something else interfered, such as a machine without processor time; `step` is
    the number of the step at which they diverged, and `owner` who has to act on it.
    """

    runs: int
    observed: float
    correct: float | None
    flaky: FlakinessSource | None = None
    step: int | None = None
    owner: Owner | None = None


def compare_runs(records: Sequence[GuiRecord]) -> RepeatedRuns:
    """Compare the runs of one test case; at least one."""
    vectors = Counter(tuple(step.outcome for step in record.steps) for record in records)
    most = vectors.most_common(1)[0][1]
    flaky, step, owner = _find_divergence(records) if len(vectors) > 1 else (None, None, None)
    return RepeatedRuns(
        runs=len(records),
        observed=most / len(records),
        correct=_correct_share(records),
        flaky=flaky,
        step=step,
        owner=owner,
    )


def _correct_share(records: Sequence[GuiRecord]) -> float | None:
    labelled = [record for record in records if record.expected is not None]
    if not labelled:
        return None
    return sum(_is_as_expected(record) for record in labelled) / len(labelled)


def _is_as_expected(record: GuiRecord) -> bool:
    """Return whether every assertion was reached and came out as the test case expects."""
    assertions = [step for step in record.steps if step.asserts]
    return bool(assertions) and all(
        step.outcome == ("true" if step.expected is not False else "false") for step in assertions
    )


def _find_divergence(records: Sequence[GuiRecord]) -> tuple[FlakinessSource, int, Owner]:
    """Return why runs diverge, the number of the step that caused it, and who has to act."""
    rows = list(zip(*(record.steps for record in records), strict=False))
    end = next((i for i, row in enumerate(rows) if len({s.outcome for s in row}) > 1), None)
    if end is None:  # one run has more steps than another
        return "agent", rows[-1][0].step.number if rows else 0, Owner.JUDGE
    rows = rows[: end + 1]
    for row in rows:
        if owner := next(filter(None, map(_interfering_owner, row)), None):
            return "other", row[0].step.number, owner
    return _blame_app_or_agent(rows)


def _blame_app_or_agent(
    rows: Sequence[Sequence[StepRecord]],
) -> tuple[FlakinessSource, int, Owner]:
    """Return who made runs diverge in the last of their `rows` of steps."""
    page = next((index for index, row in enumerate(rows) if _pages_differ(row)), None)
    # Another act on an equal page: the pages after it differ because of it.
    before_page = rows if page is None else rows[:page]
    agent = next((row for row in before_page if len({s.target for s in row}) > 1), None)
    if agent is None and page is not None and _pages_differ(rows[-1]):
        return "app", rows[page][0].step.number, Owner.APP
    return "agent", (agent or rows[-1])[0].step.number, Owner.JUDGE


def _pages_differ(row: Sequence[StepRecord]) -> bool:
    return len({step.digest for step in row if step.digest}) > 1


def _interfering_owner(record: StepRecord) -> Owner | None:
    """Return who is neither app nor agent and affected the outcome of a step, if anybody."""
    if record.outcome == "inconclusive" and record.owner in _NEITHER_APP_NOR_AGENT:
        return record.owner
    return Owner.ENVIRONMENT if explains(record.starved_s, record.duration_s) else None


def step_decisions(record: GuiRecord) -> list[StepDecision]:
    """Return who decided each step that was tried, except opening the first page."""
    tried = [step for step in record.steps if step.outcome != "not_reached"]
    return [_decision(step) for index, step in enumerate(tried) if index or not step.opens_page]


def _decision(record: StepRecord) -> StepDecision:
    if record.asserts:
        assertion = record.assertion
        return StepDecision("assertion", strict_assertion=assertion is None or assertion.strict)
    return StepDecision(
        "navigation",
        strict_readiness=record.readiness is None or record.readiness.strict,
        strict_navigation=record.navigation is None or record.navigation.strict,
    )

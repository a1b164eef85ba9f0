"""Several runs of one test case side by side: what came again, and whose matter the rest is.

Runs part where one step comes to something else than in another run. That is the app's doing only
if it showed another page, of its own accord: after the same acts on the same pages, on a machine
that had processor time, and not because a part or a service broke.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sparring.engine.lag import explains
from sparring.model.verdict import Owner
from sparring_plugins.web.oracles.formulas import Deciding
from sparring_plugins.web.runner.records import GuiRecord, StepRecord

Flaky = Literal["app", "agent", "other"]
Part = tuple[Flaky, int, Owner]
_OTHERS = (Owner.TOOL, Owner.ENVIRONMENT, Owner.SIMULATED_USER)


@dataclass(frozen=True)
class Repeated:
    """What the runs of one test case came to.

    `observed` is the share of the most frequent vector of outcomes, `correct` the share of runs
    whose assertions came out as expected, where the test case says so. `flaky` is ``app`` if
    runs parted because the page was another one, ``agent`` if they did on equal pages, and
    ``other`` if something else came between, such as a machine without processor time; `step` is
    the number of the first step where they did, and `owner` who has to act on it.
    """

    runs: int
    observed: float
    correct: float | None
    flaky: Flaky | None = None
    step: int | None = None
    owner: Owner | None = None


def compared(records: Sequence[GuiRecord]) -> Repeated:
    """Compare the runs of one test case; at least one."""
    vectors = Counter(tuple(one.outcome for one in record.steps) for record in records)
    most = vectors.most_common(1)[0][1]
    flaky, step, owner = _parting(records) if len(vectors) > 1 else (None, None, None)
    return Repeated(
        runs=len(records),
        observed=most / len(records),
        correct=_correct(records),
        flaky=flaky,
        step=step,
        owner=owner,
    )


def _correct(records: Sequence[GuiRecord]) -> float | None:
    known = [record for record in records if record.expected is not None]
    if not known:
        return None
    return sum(_as_expected(record) for record in known) / len(known)


def _as_expected(record: GuiRecord) -> bool:
    """Whether every assertion was reached and came out as the test case expects."""
    asserted = [one for one in record.steps if one.asserts]
    return bool(asserted) and all(
        one.outcome == ("true" if one.expected is not False else "false") for one in asserted
    )


def _parting(records: Sequence[GuiRecord]) -> Part:
    """Where runs part, and why."""
    agent = other = page = None
    number = 0
    for steps in zip(*(record.steps for record in records), strict=False):
        number = steps[0].step.number
        pages = len({one.digest for one in steps if one.digest})
        if page is None and pages > 1:
            page = number
        if page is None and agent is None and len({one.target for one in steps}) > 1:
            agent = number  # another act on an equal page: the pages after it differ because of it
        if other is None:
            other = next(((number, owner) for owner in map(_other, steps) if owner), None)
        if len({one.outcome for one in steps}) > 1:
            if other is not None:
                return "other", *other
            if agent is None and pages > 1:
                return "app", page or number, Owner.APP
            return "agent", agent or number, Owner.JUDGE
    return "agent", number, Owner.JUDGE  # one run has more steps than another


def _other(record: StepRecord) -> Owner | None:
    """Who is neither app nor agent and had a part in what a step came to; else None."""
    if record.outcome == "inconclusive" and record.owner in _OTHERS:
        return record.owner
    return Owner.ENVIRONMENT if explains(record.starved_s, record.duration_s) else None


def deciding(record: GuiRecord) -> list[Deciding]:
    """Who decided each step that was tried, but for opening the first page."""
    tried = [one for one in record.steps if one.outcome != "not_reached"]
    return [_deciding(one) for number, one in enumerate(tried) if number or not _opens(one)]


def _opens(record: StepRecord) -> bool:
    reading = record.step.reading
    return reading is not None and reading.action == "open"


def _deciding(record: StepRecord) -> Deciding:
    if record.asserts:
        asserted = record.assertion
        return Deciding("assertion", strict_assertion=asserted is None or asserted.strict)
    return Deciding(
        "navigation",
        strict_readiness=record.readiness is None or record.readiness.strict,
        strict_navigation=record.navigation is None or record.navigation.strict,
    )

"""Several runs of one test case side by side: what came again, and who is to blame for the rest."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sparring_plugins.agents.gui.records import GuiRecord, StepRecord
from sparring_plugins.consistency.formulas import Deciding

Flaky = Literal["app", "agent"]


@dataclass(frozen=True)
class Repeated:
    """What the runs of one test case came to.

    `observed` is the share of the most frequent vector of outcomes, `correct` the share of runs
    whose assertions came out as expected, where the test case says so. `flaky` is ``app`` where
    runs parted because the page was another one, ``agent`` where they did on equal pages, and
    `step` the number of the first step where they did.
    """

    runs: int
    observed: float
    correct: float | None
    flaky: Flaky | None = None
    step: int | None = None


def compared(records: Sequence[GuiRecord]) -> Repeated:
    """Compare the runs of one test case; at least one."""
    vectors = Counter(tuple(one.outcome for one in record.steps) for record in records)
    most = vectors.most_common(1)[0][1]
    flaky, step = _parting(records) if len(vectors) > 1 else (None, None)
    return Repeated(
        runs=len(records),
        observed=most / len(records),
        correct=_correct(records),
        flaky=flaky,
        step=step,
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


def _parting(records: Sequence[GuiRecord]) -> tuple[Flaky | None, int | None]:
    """Where runs first differ, and whether the pages that they met there did, too."""
    for steps in zip(*(record.steps for record in records), strict=False):
        if len({_page(one) for one in steps}) > 1:
            return "app", steps[0].step.number
        if len({one.outcome for one in steps}) > 1:
            return "agent", steps[0].step.number
    return None, None


def _page(record: StepRecord) -> str:
    return record.digest


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

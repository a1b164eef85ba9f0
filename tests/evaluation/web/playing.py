"""Running the suites of real applications as the command does, and what came of them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median, quantiles

from sparring.engine.conduct import RunOptions, conduct
from sparring.model.verdict import Outcome, Verdict
from sparring.store import StoredRun
from sparring.suite.reading import load_suite
from sparring_plugins.web.assertion_oracle import record_of
from sparring_plugins.web.runner.records import GuiRecord, StepRecord


@dataclass(frozen=True)
class Played:
    """A run of a suite: the record of each play, and all verdicts."""

    records: tuple[GuiRecord, ...]
    verdicts: tuple[Verdict, ...]

    @property
    def wrong(self) -> list[str]:
        """What did not come out as it should, with its case."""
        return [
            f"{one.case_ids}: {one.check}: {one.outcome.value}: {one.reason}"
            for one in self.verdicts
            if one.outcome is not Outcome.PASS
        ]

    @property
    def observed(self) -> list[float]:
        """The observed consistency of each test case."""
        found = (one for one in self.verdicts if one.oracle == "consistency" and one.case_ids)
        return [float(one.score) for one in found if one.score is not None]

    @property
    def differing(self) -> list[str]:
        """The test cases whose evidence was not the same in every play."""
        seen: dict[str, set[tuple[object, ...]]] = {}
        for record in self.records:
            told = tuple(_told(step) for step in record.steps)
            seen.setdefault(record.test, set()).add(told)
        return [test for test, evidence in seen.items() if len(evidence) > 1]

    @property
    def expected_fails(self) -> int:
        """How many assertions were expected to be false."""
        return sum(step.expected is False for record in self.records for step in record.steps)

    @property
    def times(self) -> str:
        """Seconds of a step that was carried out: the median and the 95th percentile."""
        times = [step.duration_s for record in self.records for step in _acts(record)]
        return f"median {median(times):.3f} s, 95th percentile {quantiles(times, n=20)[-1]:.3f} s"


def _told(step: StepRecord) -> tuple[object, ...]:
    """All that a step says but for times: what it met, acted upon, found and decided."""
    seen = step.observed
    return (step.outcome, step.reason, step.target, step.digest, seen and (seen.reason, seen.facts))


def _acts(record: GuiRecord) -> Iterable[StepRecord]:
    return (step for step in record.steps if step.outcome == "done")


def play(suite: Path, runs: Path, *, repeats: int = 1) -> Played:
    """Run a suite, each test case so many times."""
    loaded = load_suite(suite)
    assert not loaded.suite.llm, "these suites ask no model"
    wanted = {"use": "exhaustive", "repeats": repeats}
    strategy = type(loaded.suite.strategy).model_validate(wanted)
    changed = loaded.suite.model_copy(update={"strategy": strategy, "reporters": ()})
    conducted = conduct(replace(loaded, suite=changed), RunOptions(runs=runs))
    assert conducted.folder is not None, conducted.summary
    run = StoredRun(conducted.folder)
    judged = list(run.judged())
    records = [record_of(one.trace) for one in judged]
    verdicts = [verdict for one in judged for verdict in one.verdicts]
    return Played(
        tuple(record for record in records if record is not None), (*verdicts, *run.concluded)
    )

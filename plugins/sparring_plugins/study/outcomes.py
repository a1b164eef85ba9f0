"""What a study needs of each of its runs, read from the run's log."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sparring.model.events import CaseJudged
from sparring.model.verdict import Outcome
from sparring.store import StoredRun
from sparring_plugins.search.failure_classes import Kind, classes_of, kind_of
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.utterance_text import said_in
from sparring_plugins.study.cells import Cell


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed case: the how-manieth test it was (from 1), its kind, and what was said.

    `classes` are those of the failure.
    """

    test: int
    case_id: str
    kind: Kind
    classes: Kind
    text: str


@dataclass(slots=True)
class RunOutcome:
    """A run of a study, as far as it is compared.

    `rows` has the cases by scenario, each with whether it failed; `generated` how often words were
    generated for a case, whether it was played or refused; `skipped` how many cases were not
    judged to the end (errors, inconclusive), `refused` how many were not played as duplicates.
    """

    cell: Cell
    tests: int = 0
    failures: list[Failure] = field(default_factory=list[Failure])
    rows: dict[str, list[tuple[Indices, bool]]] = field(
        default_factory=dict[str, list[tuple[Indices, bool]]]
    )
    skipped: int = 0
    generated: int = 0
    refused: int = 0
    model_calls: int = 0
    tokens: int = 0
    cost_usd: float | None = 0.0

    def curve(self, tests: list[int]) -> list[int]:
        """How many of the counted tests were among the first i, for each i up to the last test."""
        counted = set(tests)
        found: list[int] = []
        total = 0
        for test in range(1, self.tests + 1):
            total += test in counted
            found.append(total)
        return found


def outcome_of(
    cell: Cell, run: StoredRun, cases: Mapping[str, CaseSpace], most: int | None
) -> RunOutcome:
    """Read a run, its first `most` cases at most; raises StoredRunError."""
    found = RunOutcome(cell)
    for judged in run.judged():
        if most is not None and found.tests >= most:
            break
        found.tests += 1
        _add(found, judged, cases)
    summary = run.summary
    if summary is not None:
        usage = summary.usage
        found.model_calls, found.tokens = usage.model_calls, usage.tokens
        found.cost_usd = usage.cost_usd
        found.refused = sum(usage.refused.values())
        found.generated = usage.previews
    found.generated = max(found.generated, found.tests)
    return found


def _add(found: RunOutcome, judged: CaseJudged, cases: Mapping[str, CaseSpace]) -> None:
    case = judged.trace.case
    kind = kind_of(judged.verdicts)
    if kind:
        text = said_in(judged.trace)
        found.failures.append(
            Failure(found.tests, case.id, kind, classes_of(judged.verdicts), text)
        )
    elif any(
        one.gating and one.outcome in (Outcome.ERROR, Outcome.INCONCLUSIVE)
        for one in judged.verdicts
    ):
        found.skipped += 1
    space = cases.get(case.scenario)
    if space is None:
        return
    try:
        row = space.indices(case.params)
    except ValueError:  # not of this space any more
        return
    found.rows.setdefault(case.scenario, []).append((row, bool(kind)))

"""The measures of the runs on one app that need all of them together."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparring.model.events import CaseJudged
from sparring.model.verdict import Outcome
from sparring.store import StoredRun
from sparring_plugins.language.embeddings import PART
from sparring_plugins.search.diversity import (
    Clustering,
    InteractionSpace,
    TextEmbedding,
    clusterings,
    count_cells,
    mean_coverage,
    pick_distinct,
)
from sparring_plugins.search.failure_classes import (
    FailureClass,
    categories_of,
    effective_number,
    failure_class_of,
)
from sparring_plugins.search.shrinking.words import user_text
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.study.plan import Cell, StudyPlan

if TYPE_CHECKING:
    from sparring_plugins.search.diversity import Vectors


# What a study needs of each of its runs, read from the run's log.


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed case: its number among the tests (from 1), its kind, and what was said.

    `classes` are those of the failure.
    """

    test: int
    case_id: str
    kind: FailureClass
    classes: FailureClass
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
    seconds: float = 0.0

    def curve(self, tests: list[int]) -> list[int]:
        """How many of the counted tests were among the first i, for each i up to the last test."""
        counted = set(tests)
        counts: list[int] = []
        total = 0
        for test in range(1, self.tests + 1):
            total += test in counted
            counts.append(total)
        return counts


def outcome_of(
    cell: Cell, run: StoredRun, cases: Mapping[str, CaseSpace], most: int | None
) -> RunOutcome:
    """Read a run, its first `most` cases at most; raises StoredRunError."""
    outcome = RunOutcome(cell)
    for judged in run.judged():
        if most is not None and outcome.tests >= most:
            break
        outcome.tests += 1
        _add(outcome, judged, cases)
    summary = run.summary
    if summary is not None:
        usage = summary.usage
        outcome.model_calls, outcome.tokens = usage.model_calls, usage.tokens
        outcome.cost_usd, outcome.seconds = usage.cost_usd, usage.seconds
        outcome.refused = sum(usage.refused.values())
        outcome.generated = usage.previews
    outcome.generated = max(outcome.generated, outcome.tests)
    return outcome


def _add(outcome: RunOutcome, judged: CaseJudged, cases: Mapping[str, CaseSpace]) -> None:
    case = judged.trace.case
    kind = failure_class_of(judged.verdicts)
    if kind:
        text = user_text(judged.trace)
        outcome.failures.append(
            Failure(outcome.tests, case.id, kind, categories_of(judged.verdicts), text)
        )
    elif any(
        verdict.gating and verdict.outcome in (Outcome.ERROR, Outcome.INCONCLUSIVE)
        for verdict in judged.verdicts
    ):
        outcome.skipped += 1
    space = cases.get(case.scenario)
    if space is None:
        return
    try:
        row = space.indices(case.params)
    except ValueError:  # not of this space any more
        return
    outcome.rows.setdefault(case.scenario, []).append((row, bool(kind)))


# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false


class Embedded:
    """Vectors of texts, kept in a file beside the study so that none is made twice."""

    def __init__(self, likeness: TextEmbedding, file: Path) -> None:
        self.likeness = likeness
        self._file = file
        self._rows: dict[bytes, Any] = {}
        self._read()

    def of(self, texts: Sequence[str]) -> "Vectors":
        """A row per text."""
        import numpy as np

        for part in self.parts(texts):
            self.take(part, self.likeness.vectors(part))
        if not texts:
            return self.likeness.vectors([])
        vectors: Vectors = np.stack([self._rows[_key(text)] for text in texts])
        return vectors

    def parts(self, texts: Iterable[str]) -> list[list[str]]:
        """The texts that have no vector yet, in parts of which vectors are made at once."""
        new = list({key: text for text in texts if (key := _key(text)) not in self._rows}.values())
        return [new[start : start + PART] for start in range(0, len(new), PART)]

    def take(self, part: Sequence[str], rows: "Vectors") -> None:
        """Keep the vectors of a part, whoever made them."""
        self._rows.update(zip(map(_key, part), rows, strict=True))

    def store(self) -> None:
        """Keep all vectors for the next time."""
        import numpy as np

        if not self._rows:
            return
        temporary = self._file.with_suffix(".new.npz")
        keys = np.frombuffer(b"".join(self._rows), dtype=np.uint8).reshape(-1, 16)
        np.savez(temporary, keys=keys, vectors=np.stack(list(self._rows.values())))
        temporary.replace(self._file)

    def _read(self) -> None:
        import numpy as np

        try:
            with np.load(self._file, allow_pickle=False) as data:
                keys, vectors = data["keys"], data["vectors"]
        except (OSError, ValueError, KeyError, EOFError):  # none yet, or cut off: made again
            return
        self._rows = {bytes(key): row for key, row in zip(keys, vectors, strict=True)}


def _key(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]


@dataclass(frozen=True)
class Measured:
    """A run with its measures, and the tests (from 1) of its distinct failures."""

    outcome: RunOutcome
    values: Mapping[str, float | None]
    distinct: tuple[int, ...]
    rows: tuple[int, ...]
    classes: Mapping[str, int]


@dataclass(frozen=True)
class AppMeasured:
    """All runs on an app, with the clusterings of their failures."""

    runs: tuple[Measured, ...]
    clusterings: tuple[Clustering, ...]

    def pooled_coverage(self, strategy: str) -> float | None:
        """The share of clusters that all runs of a strategy hit together."""
        rows = [row for run in self.runs if run.outcome.cell.strategy == strategy
                for row in run.rows]  # fmt: skip
        return mean_coverage(self.clusterings, rows)


def measure_app(
    outcomes: Sequence[RunOutcome],
    spaces: Mapping[str, CaseSpace],
    embedded: Embedded,
    plan: StudyPlan,
) -> AppMeasured:
    """Measure all runs on one app; raises MissingExtra."""
    vectors = embedded.of([failure.text for run in outcomes for failure in run.failures])
    said: Any = vectors.any(axis=1)
    clustered = clusterings(
        vectors[said],
        repetitions=plan.repetitions,
        most=plan.clusters,
    )
    places = _places(said)
    interactions = {
        name: InteractionSpace.of(space, plan.strength) for name, space in spaces.items()
    }
    measured: list[Measured] = []
    start = 0
    for run in outcomes:
        end = start + len(run.failures)
        rows = tuple(places[at] for at in range(start, end) if at in places)
        distinct = tuple(
            run.failures[at].test for at in pick_distinct(vectors[start:end], plan.threshold)
        )
        values: dict[str, float | None] = {
            **_count_failures(run, distinct),
            "coverage": mean_coverage(clustered, rows),
            **_measure_coverage(run, interactions, plan.archive),
        }
        classes = Counter(part for failure in run.failures for part in failure.classes)
        measured.append(Measured(run, values, distinct, rows, classes))
        start = end
    return AppMeasured(tuple(measured), tuple(clustered))


def _places(said: Any) -> dict[int, int]:
    """Where among the clustered rows each failure is; those that say nothing are nowhere."""
    indices = (at for at, here in enumerate(said) if here)
    return {at: number for number, at in enumerate(indices)}


def _count_failures(run: RunOutcome, distinct: tuple[int, ...]) -> dict[str, float | None]:
    kinds = [failure.kind for failure in run.failures]
    return {
        "tests": run.tests,
        "failures": len(run.failures),
        "failure_ratio": len(run.failures) / run.tests if run.tests else None,
        "distinct": len(distinct),
        "kinds": len(set(kinds)),
        "effective_kinds": effective_number(kinds),
        "generated": run.generated,
        "refused": run.refused,
        "first_failure": run.failures[0].test if run.failures else run.tests + 1,
        "skipped": run.skipped,
        "seconds": run.seconds,
        "cost": run.cost_usd,
    }


def _measure_coverage(
    run: RunOutcome, interactions: Mapping[str, InteractionSpace], archive: Sequence[str]
) -> dict[str, float | None]:
    """The shares of interactions and of an archive's cells that a run covers, in all scenarios."""
    possible = sum(interaction.possible or 0 for interaction in interactions.values())
    unknown = any(interaction.possible is None for interaction in interactions.values())
    tried = sum(one.covered(_rows(run, name)) for name, one in interactions.items())
    failed = sum(one.covered(_rows(run, name, True)) for name, one in interactions.items())
    share = None if unknown or not possible else possible
    return {
        "interactions": tried / share if share else None,
        "failing_interactions": failed / share if share else None,
        "archive": _archive(run, interactions, archive),
    }


def _archive(
    run: RunOutcome, interactions: Mapping[str, InteractionSpace], archive: Sequence[str]
) -> float | None:
    cells = hit = 0
    for name, interaction in interactions.items():
        spaces = interaction.cases
        if not archive or not set(archive) <= set(spaces.names):
            continue
        features = [spaces.names.index(feature) for feature in archive]
        cells += prod(spaces.sizes[feature] for feature in features)
        hit += count_cells(list(_rows(run, name, True)), features)
    return hit / cells if cells else None


def _rows(run: RunOutcome, scenario: str, failed: bool = False) -> Iterable[tuple[int, ...]]:
    return (row for row, fails in run.rows.get(scenario, ()) if fails or not failed)

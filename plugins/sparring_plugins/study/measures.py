"""The measures of the runs on one app: what can only be said of them together."""

# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparring_plugins.search.diversity.clusters import Clustering, clusterings, mean_coverage
from sparring_plugins.search.diversity.embedded_texts import Likeness, one_of_each
from sparring_plugins.search.diversity.interactions import InteractionSpace, cells_hit
from sparring_plugins.search.failure_classes import effective_number
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.study.outcomes import RunOutcome
from sparring_plugins.study.plan import StudyPlan

if TYPE_CHECKING:
    from sparring_plugins.search.diversity.embedded_texts import Vectors

_BATCH = 1_000


class Embedded:
    """Vectors of texts, kept in a file beside the study so that none is made twice."""

    def __init__(self, likeness: Likeness, file: Path) -> None:
        self._likeness = likeness
        self._file = file
        self._rows: dict[bytes, Any] = {}
        self._read()

    def of(self, texts: Sequence[str]) -> "Vectors":
        """A row per text."""
        import numpy as np

        keys = [_key(text) for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._rows}
        fresh = list(new)
        for start in range(0, len(fresh), _BATCH):
            part = fresh[start : start + _BATCH]
            made = self._likeness.vectors([new[key] for key in part])
            self._rows.update(zip(part, made, strict=True))
        if not keys:
            return self._likeness.vectors([])
        found: Vectors = np.stack([self._rows[key] for key in keys])
        return found

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
        rows = [row for one in self.runs if one.outcome.cell.strategy == strategy
                for row in one.rows]  # fmt: skip
        return mean_coverage(self.clusterings, rows)


def measure_app(
    outcomes: Sequence[RunOutcome],
    spaces: Mapping[str, CaseSpace],
    embedded: Embedded,
    plan: StudyPlan,
) -> AppMeasured:
    """Measure all runs on one app; raises MissingExtra."""
    vectors = embedded.of([one.text for run in outcomes for one in run.failures])
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
            run.failures[at].test for at in one_of_each(vectors[start:end], plan.threshold)
        )
        values: dict[str, float | None] = {
            **_counted(run, distinct),
            "coverage": mean_coverage(clustered, rows),
            **_covered(run, interactions, plan.archive),
        }
        classes = Counter(part for one in run.failures for part in one.classes)
        measured.append(Measured(run, values, distinct, rows, classes))
        start = end
    return AppMeasured(tuple(measured), tuple(clustered))


def _places(said: Any) -> dict[int, int]:
    """Where among the clustered rows each failure is; those that say nothing are nowhere."""
    found = (at for at, here in enumerate(said) if here)
    return {at: number for number, at in enumerate(found)}


def _counted(run: RunOutcome, distinct: tuple[int, ...]) -> dict[str, float | None]:
    kinds = [one.kind for one in run.failures]
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
    }


def _covered(
    run: RunOutcome, interactions: Mapping[str, InteractionSpace], archive: Sequence[str]
) -> dict[str, float | None]:
    """The shares of interactions and of an archive's cells that a run covers, in all scenarios."""
    possible = sum(one.possible or 0 for one in interactions.values())
    unknown = any(one.possible is None for one in interactions.values())
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
    for name, one in interactions.items():
        spaces = one.cases
        if not archive or not set(archive) <= set(spaces.names):
            continue
        features = [spaces.names.index(feature) for feature in archive]
        cells += prod(spaces.sizes[feature] for feature in features)
        hit += cells_hit(list(_rows(run, name, True)), features)
    return hit / cells if cells else None


def _rows(run: RunOutcome, scenario: str, failed: bool = False) -> Iterable[tuple[int, ...]]:
    return (row for row, fails in run.rows.get(scenario, ()) if fails or not failed)

"""Which clusters of failures a search found some of (STELLAR, section IV).

The failures of all strategies are clustered together by k-means, with the k of the best
silhouette. Chance is taken out by doing so several times.
"""

# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportMissingTypeStubs=false

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sparring_plugins.search.diversity.embedded_texts import require_sklearn

if TYPE_CHECKING:
    from sparring_plugins.search.diversity.embedded_texts import Vectors

SAMPLE = 1_000
"""Failures by which k is chosen, at most; all of them are clustered then."""


@dataclass(frozen=True, slots=True)
class Clustering:
    """One clustering: the cluster of each row, and how well `k` separates them (-1 to 1)."""

    k: int
    silhouette: float
    labels: tuple[int, ...]

    def coverage(self, rows: Iterable[int]) -> float:
        """The share of the clusters that some of the rows are in."""
        return len({self.labels[row] for row in rows}) / self.k


def clusterings(
    vectors: "Vectors", *, repetitions: int = 10, most: int = 20, seed: int = 0
) -> list[Clustering]:
    """Cluster rows several times, each with a seed of its own; raises MissingExtra.

    `most` bounds k. Nothing comes back for fewer than three different rows, which have no
    silhouette.
    """
    require_sklearn()
    import numpy as np

    different = len(np.unique(vectors, axis=0)) if len(vectors) else 0
    if different < 3:
        return []
    largest = min(most, different - 1)
    return [_clustering(vectors, largest, seed * 1_000 + at) for at in range(repetitions)]


def _clustering(vectors: "Vectors", largest: int, seed: int) -> Clustering:
    import numpy as np
    from sklearn.metrics import pairwise_distances

    draw = np.random.default_rng(seed)
    number = min(SAMPLE, len(vectors))
    sample = vectors[np.sort(draw.choice(len(vectors), number, replace=False))]
    distances = pairwise_distances(sample)
    np.fill_diagonal(distances, 0.0)
    best, score = 2, -2.0
    for k in range(2, largest + 1):
        found = _separation(distances, _fitted(sample, k, seed).labels_)
        if found > score:
            best, score = k, found
    labels = _fitted(vectors, best, seed).labels_
    return Clustering(best, score, tuple(int(label) for label in labels))


def _fitted(vectors: "Vectors", k: int, seed: int) -> Any:
    from sklearn import cluster

    means: Any = cluster.KMeans
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fewer different rows than clusters: fewer clusters
        return means(n_clusters=k, n_init=1, random_state=seed).fit(vectors)


def _separation(distances: Any, labels: Any) -> float:
    from sklearn.metrics import silhouette_score

    number = len(set(labels.tolist()))
    if not 2 <= number < len(labels):
        return -1.0
    return float(silhouette_score(distances, labels, metric="precomputed"))


def mean_coverage(found: Sequence[Clustering], rows: Sequence[int]) -> float | None:
    """The coverage by some rows, on average over clusterings; None where there are none."""
    if not found:
        return None
    return sum(one.coverage(rows) for one in found) / len(found)

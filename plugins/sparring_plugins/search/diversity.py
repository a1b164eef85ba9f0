"""How diverse failures are: clusters, interactions of features, cells of an archive.

Clusters are those of STELLAR, section IV: the failures of all strategies are clustered together by
k-means, with the k of the best silhouette, several times to average out chance. Texts are compared
by the cosine of their vectors.
"""

# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportMissingTypeStubs=false

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

from sparring.errors import ConfigurationError, MissingExtra, SparringError
from sparring_plugins.search.similarity import WIDTH, Embed
from sparring_plugins.search.similarity import vectors as word_vectors
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.space.encoding import Indices

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

By = Literal["auto", "minilm", "words"]
"""What similarity is measured by: meaning, words, or meaning if its model is installed."""

_WIDTHS = {"all-MiniLM-L6-v2": 384, "words": WIDTH}


@dataclass(frozen=True)
class TextEmbedding:
    """Embeds texts in the same way as duplicates are compared. `name` is shown in reports."""

    name: str
    embed: Embed

    def vectors(self, texts: Sequence[str]) -> "Vectors":
        """Return a row of length 1 per text, or of zeros for a text without words."""
        import numpy as np

        rows: Vectors = np.zeros((len(texts), _WIDTHS[self.name]), dtype=np.float32)
        non_empty = [at for at, text in enumerate(texts) if text.strip()]
        if non_empty:
            rows[non_empty] = self.embed([texts[at] for at in non_empty])
        return rows


def text_embedding(by: By) -> TextEmbedding:
    """Return the embedding to measure similarity by; raises MissingExtra if it is not installed."""
    if by != "words":
        from sparring_plugins.language.embeddings import embedder

        try:
            return TextEmbedding("all-MiniLM-L6-v2", embedder().compute)
        except MissingExtra:
            if by == "minilm":
                raise
    return TextEmbedding("words", word_vectors)


def require_sklearn() -> None:
    """Raise MissingExtra if scikit-learn is not installed."""
    if find_spec("sklearn") is None:
        raise MissingExtra("clusters need scikit-learn: pip install 'sparring[study]'")


def pick_distinct(vectors: "Vectors", threshold: float = 0.8) -> list[int]:
    """Return rows of which no two are as similar as `threshold`: the first of each similar group.

    Rows of zeros are similar to nothing and are left out.
    """
    import numpy as np

    kept = np.zeros_like(vectors)
    chosen: list[int] = []
    for at, vector in enumerate(vectors):
        if not vector.any():
            continue
        similarities = kept[: len(chosen)] @ vector
        if similarities.size and similarities.max() >= threshold:
            continue
        kept[len(chosen)] = vector
        chosen.append(at)
    return chosen


SAMPLE = 1_000
"""The number of failures by which k is chosen, at most; then all of them are clustered."""


@dataclass(frozen=True, slots=True)
class Clustering:
    """One clustering: the cluster of each row, and how well `k` separates them (-1 to 1)."""

    k: int
    silhouette: float
    labels: tuple[int, ...]

    def coverage(self, rows: Iterable[int]) -> float:
        """Return the share of the clusters that contain some of the rows."""
        return len({self.labels[row] for row in rows}) / self.k


def clusterings(
    vectors: "Vectors", *, repetitions: int = 10, most: int = 20, seed: int = 0
) -> list[Clustering]:
    """Cluster rows several times, each with a seed of its own; raises MissingExtra.

    `most` bounds k. Returns nothing for fewer than three different rows, which have no silhouette.
    """
    require_sklearn()
    import numpy as np

    distinct_rows = len(np.unique(vectors, axis=0)) if len(vectors) else 0
    if distinct_rows < 3:
        return []
    largest = min(most, distinct_rows - 1)
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
        separation = _separation(distances, _fit(sample, k, seed).labels_)
        if separation > score:
            best, score = k, separation
    labels = _fit(vectors, best, seed).labels_
    return Clustering(best, score, tuple(int(label) for label in labels))


def _fit(vectors: "Vectors", k: int, seed: int) -> Any:
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


def mean_coverage(several: Sequence[Clustering], rows: Sequence[int]) -> float | None:
    """Return the coverage by some rows, averaged over clusterings; None if there are none."""
    if not several:
        return None
    return sum(clustering.coverage(rows) for clustering in several) / len(several)


# All combinations of four features with ten values each, for 20 features, are 48 million counters.
_LARGEST = 5_000_000


@dataclass(frozen=True)
class InteractionSpace:
    """The tuples of `strength` values that valid cases of a scenario may contain.

    `possible` is their number; None if it takes too much work to compute.
    """

    cases: CaseSpace
    strength: int
    possible: int | None

    @classmethod
    def of(cls, cases: CaseSpace, strength: int) -> "InteractionSpace":
        """Return the interactions of a scenario, of fewer features if it has fewer."""
        import numpy as np

        from sparring_plugins.search.strategies.t_wise.interactions import Validity, interactions

        strength = min(strength, len(cases.names))
        try:
            model = interactions(cases.sizes, strength)
            if model.cells > _LARGEST:
                return cls(cases, strength, None)
            return cls(cases, strength, int(np.count_nonzero(Validity(cases).possible(model))))
        except (SparringError, ConfigurationError):
            return cls(cases, strength, None)

    def covered(self, rows: Iterable[Indices]) -> int:
        """Return how many different tuples the rows contain."""
        import numpy as np

        from sparring_plugins.search.strategies.t_wise.interactions import interactions

        listed = list(rows)
        if not listed or not self.strength:
            return 0
        model = interactions(self.cases.sizes, self.strength)
        contained = np.zeros(model.cells, dtype=bool)
        for start in range(0, len(listed), 1_000):
            contained[model.places(np.asarray(listed[start : start + 1_000], dtype=np.intp))] = True
        return int(contained.sum())

    def share(self, rows: Iterable[Indices]) -> float | None:
        """Return the share of the possible tuples that the rows contain."""
        return self.covered(rows) / self.possible if self.possible else None


def count_cells(rows: Sequence[Indices], features: Sequence[int]) -> int:
    """Return how many cells of an archive over some features the rows fall into (MAP-Elites)."""
    return len({tuple(row[number] for number in features) for row in rows})

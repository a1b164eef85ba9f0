"""Texts as vectors of length 1, of which the cosine says how alike they are."""

# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportMissingTypeStubs=false

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal

from sparring.errors import MissingExtra
from sparring_plugins.search.similarity.vectors import Embed
from sparring_plugins.search.similarity.words import WIDTH
from sparring_plugins.search.similarity.words import vectors as word_vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

By = Literal["auto", "minilm", "words"]
"""What likeness is measured by: meaning, words, or meaning where its model is installed."""

_WIDTHS = {"all-MiniLM-L6-v2": 384, "words": WIDTH}


@dataclass(frozen=True)
class Likeness:
    """Makes vectors of texts, as duplicates are refused by. `name` says how, for reports."""

    name: str
    embed: Embed

    def vectors(self, texts: Sequence[str]) -> "Vectors":
        """A row of length 1 per text, or of zeros for a text that says nothing."""
        import numpy as np

        found: Vectors = np.zeros((len(texts), _WIDTHS[self.name]), dtype=np.float32)
        said = [at for at, text in enumerate(texts) if text.strip()]
        if said:
            found[said] = self.embed([texts[at] for at in said])
        return found


def likeness(by: By) -> Likeness:
    """What to measure likeness by; raises MissingExtra where it is not installed."""
    if by != "words":
        from sparring_plugins.language.embeddings import embedder

        try:
            return Likeness("all-MiniLM-L6-v2", embedder().vectors)
        except MissingExtra:
            if by == "minilm":
                raise
    return Likeness("words", word_vectors)


def require_sklearn() -> None:
    """Raise MissingExtra where scikit-learn is not installed."""
    if find_spec("sklearn") is None:
        raise MissingExtra("clusters need scikit-learn: pip install 'sparring[study]'")


def one_of_each(vectors: "Vectors", threshold: float = 0.8) -> list[int]:
    """The rows of which no two are as alike as `threshold`: each that none kept before it is like.

    Rows of zeros are like nothing and are left out.
    """
    import numpy as np

    kept = np.zeros_like(vectors)
    found: list[int] = []
    for at, vector in enumerate(vectors):
        if not vector.any():
            continue
        alike = kept[: len(found)] @ vector
        if alike.size and alike.max() >= threshold:
            continue
        kept[len(found)] = vector
        found.append(at)
    return found

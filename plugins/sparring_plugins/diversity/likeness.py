"""Texts as vectors of length 1, of which the cosine says how alike they are."""

# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportMissingTypeStubs=false

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, Protocol

from sparring.errors import MissingExtra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

By = Literal["auto", "minilm", "words"]
"""What likeness is measured by: meaning, words, or meaning where its model is installed."""

_WORDS = 4_096


class Likeness(Protocol):
    """Makes vectors of texts. `name` says how, for reports."""

    name: str

    def vectors(self, texts: Sequence[str]) -> "Vectors":
        """A row of length 1 per text, or of zeros for a text that says nothing."""
        ...


class ByMeaning:
    """Sentence embeddings of all-MiniLM-L6-v2; raises MissingExtra."""

    name = "all-MiniLM-L6-v2"

    def __init__(self) -> None:
        from sparring_plugins.functions.minilm import embedder

        self._embedder = embedder()

    def vectors(self, texts: Sequence[str]) -> "Vectors":
        import numpy as np

        found: Vectors = np.zeros((len(texts), 384), dtype=np.float32)
        said = [at for at, text in enumerate(texts) if text.strip()]
        if said:
            found[said] = self._embedder.vectors([texts[at] for at in said])
        return found


class ByWords:
    """Counts of words, hashed, each weighed by the square root of how often it comes.

    It needs no model and no corpus, so that a text has the same vector whatever it is compared
    with. Raises MissingExtra.
    """

    name = "words"

    def __init__(self) -> None:
        require_sklearn()
        from sklearn.feature_extraction.text import HashingVectorizer

        self._vectorizer: Any = HashingVectorizer(
            n_features=_WORDS, norm="l2", alternate_sign=False, ngram_range=(1, 2)
        )

    def vectors(self, texts: Sequence[str]) -> "Vectors":
        import numpy as np

        if not texts:
            return np.zeros((0, _WORDS), dtype=np.float32)
        counted = self._vectorizer.transform(texts).sqrt()
        dense: Vectors = counted.toarray().astype(np.float32)
        lengths = np.linalg.norm(dense, axis=1, keepdims=True)
        shown: Vectors = np.divide(dense, lengths, out=dense, where=lengths > 0)
        return shown


def likeness(by: By) -> Likeness:
    """What to measure likeness by; raises MissingExtra where it is not installed."""
    if by == "words":
        return ByWords()
    try:
        return ByMeaning()
    except MissingExtra:
        if by == "minilm":
            raise
        return ByWords()


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

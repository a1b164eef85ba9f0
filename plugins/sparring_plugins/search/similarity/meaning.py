"""Likeness of meaning: cosine of sentence embeddings (all-MiniLM-L6-v2, as STELLAR)."""

from sparring.interfaces.likeness import Likeness, LikenessIndex
from sparring_plugins.search.similarity.vectors import VectorIndex


class Meaning(Likeness):
    """Compares what two utterances mean; raises MissingExtra where the model is not installed."""

    preference = 2

    def index(self) -> LikenessIndex:
        from sparring_plugins.language.embeddings import embedder

        return VectorIndex(embedder().vectors)


MINILM = Meaning()

"""How alike two outputs are in meaning, by sentence embeddings, where they are installed."""

from sparring_plugins.voice.outputs.dialogue_acts import gist_of
from sparring_plugins.voice.outputs.similarity import against

_LEAST = 0.8
"""A cosine from which on two outputs mean the same."""


def require() -> None:
    """Raise MissingExtra where the embeddings are not installed."""
    from sparring_plugins.language.embeddings import model_folder

    model_folder()


def alike(one: str, other: str) -> float:
    """Likeness in meaning, on the scale of `likeness`: 0.75 where two outputs mean the same.

    Outputs that contradict each other, or of which one does not understand, are not alike.
    """
    from sparring_plugins.language.embeddings import embedder

    a, b = gist_of(one), gist_of(other)
    if a.confused != b.confused or bool(a.specific) != bool(b.specific) or against(one, other):
        return 0.0
    cosine = embedder().alike([a.frame or one], [b.frame or other])[0][0]
    return max(0.0, min(1.0, 0.75 + (cosine - _LEAST)))

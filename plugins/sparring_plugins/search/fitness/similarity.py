"""How alike two texts are: by meaning, or by words where the model is not installed."""

from typing import Annotated, Literal

from pydantic import Field

from sparring.errors import MissingExtra
from sparring.interfaces.plugin import BuildContext
from sparring_plugins.language.similarity import NoWords, tf_idf
from sparring_plugins.search.fitness.value_matching import Alike

By = Annotated[
    Literal["auto", "minilm", "tf-idf"],
    Field(
        description="what likeness is measured by: meaning (all-MiniLM-L6-v2), or words; auto"
        " takes meaning where the model is installed"
    ),
]


def likeness(by: By, context: BuildContext) -> Alike:
    """A measure of how alike two texts are, from 0 to 1; raises MissingExtra for `minilm`."""
    if by == "tf-idf":
        return _by_words
    try:
        return _by_meaning()
    except MissingExtra as err:
        if by == "minilm":
            raise
        context.warn(f"texts are compared by words, not by meaning: {err}")
        return _by_words


def _by_meaning() -> Alike:
    from sparring_plugins.language.embeddings import embedder

    made = embedder()

    def alike(first: str, second: str) -> float:
        return min(1.0, max(0.0, made.alike([first], [second])[0][0]))

    return alike


def _by_words(first: str, second: str) -> float:
    try:
        return min(1.0, tf_idf(first, second))
    except NoWords:
        return float(first == second)

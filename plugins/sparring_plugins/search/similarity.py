"""Measures of similarity between cases, by the words they would say or by their values.

They are used to refuse duplicates before these are played. Texts become vectors of length 1, so
that the similarity of two is their product (the cosine).
"""

# numpy is optional, and known by name only when an index is made.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false

import re
import unicodedata
from abc import ABC, abstractmethod
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from importlib.util import find_spec
from math import log, sqrt
from typing import Any
from zlib import crc32

from sparring.errors import MissingExtra
from sparring_plugins.language.embeddings import PART
from sparring_plugins.search.archive_tables import BLOCK, KeyTable, Postings, VectorTables


class SimilarityIndex(ABC):
    """Texts by their keys; finds the text that is most similar to another one."""

    def prepare(self, texts: Sequence[str]) -> None:  # noqa: B027 - many need not
        """Do the slow part of looking up texts soon; called off the event loop's thread."""

    @abstractmethod
    def add(self, key: str, text: str) -> None:
        """Keep a text under a key; a key is added once."""

    @abstractmethod
    def nearest(self, text: str, among: Collection[str] | None = None) -> tuple[str, float] | None:
        """Return the key of the most similar text, of some keys or all, and its similarity.

        The similarity is 1 for texts that mean the same, and near 0 for those that have nothing in
        common. Of equals the one that was added first is returned. None if there is no text.
        """


class Similarity(ABC):
    """A measure of similarity; entry points of ``sparring.likeness`` are instances.

    `of` says what is compared: ``words`` (what a case would say first) or ``values`` (the case's
    values, one ``name=value`` per line). A suite names one under ``strategy.duplicates.by``.
    """

    of: str = "words"
    #: Of those installed that compare words, ``auto`` takes the one with the highest.
    preference: int = 0

    @abstractmethod
    def index(self) -> SimilarityIndex:
        """Return an empty index; raises MissingExtra if something is not installed."""


Embed = Callable[[Sequence[str]], Sequence[Any]]
Places = Callable[[str], tuple[Sequence[int], Sequence[float]]]

_KEPT = 4_096
"""Vectors that are kept for texts that are looked up again: a search often proposes the same."""


class _Index(SimilarityIndex):
    """Keys in the order in which they were added: the place of each is its number."""

    def __init__(self) -> None:
        self._keys = KeyTable()

    @abstractmethod
    def _best(self, text: str, places: Sequence[int] | None) -> tuple[int, float]:
        """Return the first of the most similar texts, of some places or all, and its similarity."""

    def nearest(self, text: str, among: Collection[str] | None = None) -> tuple[str, float] | None:
        if not len(self._keys):
            return None
        places = None
        if among is not None:
            found = map(self._keys.place, among)
            places = sorted(place for place in found if place is not None)
            if not places:
                return None
        place, similarity = self._best(text, places)
        return self._keys[place], round(float(similarity), 4)


class VectorIndex(_Index):
    """Texts by their dense vectors: four bytes per number, of the first ones in memory.

    Vectors of texts that are looked up soon may be made elsewhere: see `parts` and `take`.
    """

    def __init__(self, embed: Embed) -> None:
        super().__init__()
        self._embed = embed
        self._tables = VectorTables()
        self._known: OrderedDict[str, Any] = OrderedDict()
        self._most = _KEPT

    def prepare(self, texts: Sequence[str]) -> None:
        for part in self.parts(texts):
            self.take(part, self._embed(part))

    def parts(self, texts: Sequence[str]) -> list[list[str]]:
        """Return those texts of which there are no vectors yet, in parts of `PART`."""
        self._most = max(_KEPT, len(texts))
        new: list[str] = []
        for text in dict.fromkeys(texts):
            if text in self._known:
                self._known.move_to_end(text)
            else:
                new.append(text)
        return [new[start : start + PART] for start in range(0, len(new), PART)]

    def take(self, part: Sequence[str], vectors: Sequence[Any]) -> None:
        """Keep the vectors of a part for when its texts are looked up."""
        self._known.update(zip(part, vectors, strict=True))
        while len(self._known) > self._most:
            self._known.popitem(last=False)

    def _vector(self, text: str) -> Any:
        if text not in self._known:
            self.take([text], self._embed([text]))
        return self._known[text]

    def add(self, key: str, text: str) -> None:
        if self._keys.add(key):
            self._tables.append(self._vector(text))

    def _best(self, text: str, places: Sequence[int] | None) -> tuple[int, float]:
        import numpy as np

        vector = self._vector(text)
        best: tuple[int, float] | None = None
        wanted = None if places is None else {place // BLOCK for place in places}
        for number, table in self._tables.tables(wanted):
            start = number * BLOCK
            similarities = (table @ vector)[: len(self._keys) - start]
            if places is None:
                at = int(np.argmax(similarities))
            else:
                end = start + BLOCK
                own = [place - start for place in places if start <= place < end]
                at = own[int(np.argmax(similarities[own]))]
            if best is None or similarities[at] > best[1]:
                best = start + at, similarities[at]
        assert best is not None
        return best


class MeaningIndex(VectorIndex):
    """Texts by the vectors of all-MiniLM-L6-v2, which workers of the run may make, too."""


class SparseIndex(_Index):
    """Texts by the few non-zero places of their vectors: eight bytes for each.

    Weights are kept by place, so that a text is compared only with those that share a place.
    """

    def __init__(self, of: Places) -> None:
        super().__init__()
        self._of = of
        self._postings = Postings()

    def add(self, key: str, text: str) -> None:
        row = len(self._keys)
        if self._keys.add(key):
            for place, weight in zip(*self._of(text), strict=True):
                self._postings.add(place, row, weight)

    def _best(self, text: str, places: Sequence[int] | None) -> tuple[int, float]:
        import numpy as np

        similarities = np.zeros(len(self._keys), np.float32)
        for place, weight in zip(*self._of(text), strict=True):
            for rows, weights in self._postings.of(place):
                similarities[np.frombuffer(rows, np.uint32)] += np.float32(weight) * np.frombuffer(
                    weights, np.float32
                )
        if places is None:
            at = int(np.argmax(similarities))
        else:
            at = places[int(np.argmax(similarities[places]))]
        return at, similarities[at]


WIDTH = 512
"""Numbers of a vector."""

_WORD = re.compile(r"\w+")
_LONGEST = 5_000


def _require_numpy() -> None:
    if find_spec("numpy") is None:
        raise MissingExtra("refusing duplicates needs numpy: pip install 'sparring[search]'")


class Words(Similarity):
    """Compares the words of two utterances, in any order and case of letters.

    Words share `WIDTH` places by a checksum (feature hashing, Weinberger et al. 2009), and a word
    that occurs n times weighs 1 + log n. A text without words is similar only to the same text.
    """

    preference = 1

    def index(self) -> SimilarityIndex:
        _require_numpy()
        return SparseIndex(_word_places)


def vectors(texts: Sequence[str]) -> list[Any]:
    """Return a vector of length 1 for each text."""
    return [_vector(text[:_LONGEST]) for text in texts]


@lru_cache(maxsize=4_096)
def _word_places(text: str) -> tuple[list[int], list[float]]:
    """Return the non-zero places of a text's vector, and the numbers there."""
    vector = _count_words(text[:_LONGEST])
    places = vector.nonzero()[0]
    return places.tolist(), vector[places].tolist()


@lru_cache(maxsize=4_096)
def _vector(text: str) -> Any:
    return _count_words(text)


def _count_words(text: str) -> Any:
    import numpy as np

    # "?!" has no words, and is like itself alone.
    counts = Counter(_WORD.findall(text.casefold())) or Counter([text])
    vector = np.zeros(WIDTH, np.float32)
    for word, number in counts.items():
        vector[crc32(word.encode("utf-8", "surrogatepass")) % WIDTH] += 1 + np.log(number)
    return vector / np.linalg.norm(vector)


WORDS = Words()


class Letters(Similarity):
    """Compares utterances by their groups of three letters, in any language and script.

    Words that are inflected ("Haus", "Häuser"), compounded or written without blanks (Chinese,
    Thai) are alike as far as their letters are; `Words` sees nothing in common. It needs no model.
    """

    def index(self) -> SimilarityIndex:
        _require_numpy()
        return SparseIndex(_letter_places)


@lru_cache(maxsize=4_096)
def _letter_places(text: str) -> tuple[list[int], list[float]]:
    """Return a place for each group of three letters of a text, and its weight."""
    words = _WORD.findall(unicodedata.normalize("NFKC", text[:_LONGEST]).casefold())
    folded = f" {' '.join(words)} "
    counts = Counter(folded[at : at + 3] for at in range(len(folded) - 2)) or Counter([text])
    weights: dict[int, float] = {}
    for letters, number in counts.items():
        place = crc32(letters.encode("utf-8", "surrogatepass"))
        weights[place] = weights.get(place, 0.0) + 1 + log(number)
    length = sqrt(sum(weight * weight for weight in weights.values()))
    return list(weights), [weight / length for weight in weights.values()]


LETTERS = Letters()


class Meaning(Similarity):
    """Compares the meaning of utterances by sentence embeddings (all-MiniLM-L6-v2, as in STELLAR).

    Raises MissingExtra if the model is not installed.
    """

    preference = 2

    def index(self) -> SimilarityIndex:
        from sparring_plugins.language.embeddings import embedder

        return MeaningIndex(embedder().compute)


MINILM = Meaning()


class Values(Similarity):
    """Compares the values of two cases, for players that cannot preview what they would say.

    The similarity is the share of features in which the cases agree.
    """

    of = "values"

    def index(self) -> SimilarityIndex:
        _require_numpy()
        return SparseIndex(_value_places)


def _value_places(text: str) -> tuple[list[int], list[float]]:
    """Return the places of a text's lines in its vector, and the weight of each."""
    lines = (line.encode("utf-8", "surrogatepass") for line in text.split("\n"))
    # The whole checksum, as only places in use are kept: with 1,024 places, two values shared one.
    places = sorted({crc32(line) for line in lines})
    return places, [len(places) ** -0.5] * len(places)


VALUES = Values()


# The names until 0.2, for packages that import them from `sparring.interfaces.likeness`.
Likeness, LikenessIndex = Similarity, SimilarityIndex

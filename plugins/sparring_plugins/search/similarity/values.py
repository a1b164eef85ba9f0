"""Likeness of values: the share of features in which two cases agree."""

from importlib.util import find_spec
from zlib import crc32

from sparring.errors import MissingExtra
from sparring.interfaces.likeness import Likeness, LikenessIndex
from sparring_plugins.search.similarity.vectors import SparseIndex

_WIDTH = 1_024


class Values(Likeness):
    """Compares the values of two cases, for players that cannot say what they would say."""

    of = "values"

    def index(self) -> LikenessIndex:
        if find_spec("numpy") is None:
            raise MissingExtra("refusing duplicates needs numpy: pip install 'sparring[search]'")
        return SparseIndex(_places)


def _places(text: str) -> tuple[list[int], list[float]]:
    """Where the lines of a text are in its vector, and what each of them weighs."""
    lines = (line.encode("utf-8", "surrogatepass") for line in text.split("\n"))
    places = sorted({crc32(line) % _WIDTH for line in lines})
    return places, [len(places) ** -0.5] * len(places)


VALUES = Values()

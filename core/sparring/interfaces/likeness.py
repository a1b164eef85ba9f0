"""How alike what cases say is: the entry-point group `sparring.likeness`."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence


class LikenessIndex(ABC):
    """Texts by their keys, and which of them is the most like another text."""

    def prepare(self, texts: Sequence[str]) -> None:
        """Do the lengthy part of looking up texts soon; called off the event loop's thread."""

    @abstractmethod
    def add(self, key: str, text: str) -> None:
        """Keep a text under a key; a key comes once."""

    @abstractmethod
    def nearest(self, text: str, among: Collection[str] | None = None) -> tuple[str, float] | None:
        """The key of the text that is most like `text`, of some keys or all, and how alike.

        Likeness is 1 for texts that mean the same, and near 0 for those that have nothing in
        common. Of equals the one that was added first. None where there is none.
        """


class Likeness(ABC):
    """A measure of likeness; entry points of ``sparring.likeness`` are instances.

    `of` says what is compared: ``words`` (what a case would say first) or ``values`` (the case's
    values, one ``name=value`` per line). A suite names one under ``strategy.duplicates.by``.
    """

    of: str = "words"
    #: Of those installed that compare words, ``auto`` takes the one with the highest.
    preference: int = 0

    @abstractmethod
    def index(self) -> LikenessIndex:
        """An empty index; raises MissingExtra where something is not installed."""

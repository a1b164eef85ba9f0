"""How to ask for an answer of a schema: from the best way that a service has to mere words."""

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum


class Rung(StrEnum):
    """A way to ask, as services with OpenAI's protocol know it."""

    JSON_SCHEMA = "json_schema"
    TOOL = "tool"
    JSON_OBJECT_SCHEMA = "json_object with schema"
    JSON_OBJECT = "json_object"
    PROMPT = "prompt"

    @property
    def in_words(self) -> bool:
        """Whether the schema has to stand in the prompt, too."""
        return self not in (Rung.JSON_SCHEMA, Rung.TOOL)


class Ladder:
    """What is known of the ways to ask one service; the best one that works is kept to.

    A rung that the service refused is only given up once it took a lower one. Where the refusal
    may have been chance (a server error, an answer without any JSON), it takes two.
    """

    _DOUBTS = 2
    _UNDECIDED = 3

    def __init__(self, rungs: Sequence[Rung]) -> None:
        self._rungs = tuple(rungs)
        self._proven: set[Rung] = set()
        self._given_up: set[Rung] = set()
        self._unfit: dict[str, set[Rung]] = {}
        self._doubts = Counter[Rung]()
        self._undecided = Counter[Rung]()

    def rungs(self, schema: str) -> tuple[Rung, ...]:
        """What to try for a schema (as text), in this order."""
        without = self._given_up | self._unfit.get(schema, set())
        return tuple(rung for rung in self._rungs if rung not in without) or self._rungs[-1:]

    def is_proven(self, rung: Rung) -> bool:
        """Whether the rung was answered before."""
        return rung in self._proven

    def is_settled(self, schema: str) -> bool:
        """Whether there is nothing to find out any more."""
        rungs = self.rungs(schema)
        return len(rungs) == 1 or self.is_proven(rungs[0])

    def took(
        self, rung: Rung, heeded: bool | None, refused: Iterable[Rung], doubted: Iterable[Rung]
    ) -> None:
        """The service took a rung after it had refused those above, some perhaps by chance.

        `heeded` is whether the answer was JSON; None where it was cut off or declined, which
        tells nothing until it happens again and again.
        """
        self._given_up.update(refused)
        for above in doubted:
            self._doubt(above)
        if heeded is None:
            self._undecided[rung] += 1
        if heeded or self._undecided[rung] >= self._UNDECIDED:
            self._proven.add(rung)
        elif heeded is False and rung not in self._proven:
            self._doubt(rung)

    def _doubt(self, rung: Rung) -> None:
        self._doubts[rung] += 1
        if self._doubts[rung] >= self._DOUBTS:
            self._given_up.add(rung)

    def unfit(self, rung: Rung, schema: str) -> None:
        """The rung takes other schemas, and not this one."""
        self._unfit.setdefault(schema, set()).add(rung)

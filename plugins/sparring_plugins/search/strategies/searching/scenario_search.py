"""The search over one scenario, whatever its method."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from hashlib import sha256
from random import Random
from typing import Any

from pydantic import JsonValue

from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.strategies.searching.evaluation import Evaluation
from sparring_plugins.search.strategies.searching.fresh import Fresh
from sparring_plugins.search.strategies.searching.packed_rows import (
    growing_rows,
    unpacked_rows,
)

Told = tuple[Indices, Evaluation]


class ScenarioSearch(ABC):
    """Proposes cases of one scenario, as indices, and learns from how they did.

    `seen` are all cases that were proposed, whether they were played or refused, in order.
    Chance comes from `draw`, anew for each round, so that there is no generator to save.
    """

    def __init__(self, cases: CaseSpace, seed: int) -> None:
        self.cases = cases
        digest = sha256(f"{seed}/{cases.scenario.name}".encode("utf-8", "surrogatepass")).digest()
        self.seed = int.from_bytes(digest[:6], "big")
        self.seen: dict[Indices, None] = {}
        self._seen_text = growing_rows(self.cases.sizes)
        self.round = 0
        self.exhausted = False
        self.immigrants = 0
        self.fresh = Fresh(cases, self.seed)

    @property
    @abstractmethod
    def batch(self) -> int:
        """How many cases the next round should have."""

    @abstractmethod
    def proposed(self, number: int, draw: Random) -> Sequence[Indices]:
        """Up to so many cases, none of `seen`, valid, in this order; chance is `draw`'s alone."""

    @abstractmethod
    def learn(self, told: Sequence[Told]) -> None:
        """Learn from cases that were played, in the order in which they were proposed."""

    def refused(self, row: Indices) -> None:  # noqa: B027 - many need not hear it
        """Hear that a proposed case is not played."""

    def propose(self, number: int) -> list[Indices]:
        """Cases for this round; random new ones where the method has too few."""
        draw = Random(f"{self.seed}/{self.round}")
        self.round += 1
        rows: list[Indices] = []
        for row in self.proposed(number, draw):
            if row not in self.seen and len(rows) < number:
                self.seen[row] = None
                rows.append(row)
        while len(rows) < number and (other := self.stranger()) is not None:
            self.immigrants += 1
            rows.append(other)
        return rows

    def stranger(self) -> Indices | None:
        """A random case that was not proposed before, now seen; None where there is none."""
        row = self.fresh.draw(self.seen)
        if row is None:
            self.exhausted = True
        else:
            self.seen[row] = None
        return row

    def state(self) -> dict[str, JsonValue]:
        """All that `restore` needs."""
        return {
            "seen": self._seen_text.of(self.seen),
            "round": self.round,
            "fresh": self.fresh.position,
            "immigrants": self.immigrants,
            "exhausted": self.exhausted,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take up a state; raises ValueError, KeyError, TypeError for another one."""
        self.seen = dict.fromkeys(unpacked_rows(state["seen"], self.cases.sizes))
        self._seen_text = growing_rows(self.cases.sizes)
        self.round, self.immigrants = int(state["round"]), int(state["immigrants"])
        self.fresh.position = int(state["fresh"])
        self.exhausted = bool(state["exhausted"])


class Repeated(ScenarioSearch):
    """A scenario that leaves nothing open: its one case, as often as its author asks for."""

    def __init__(self, cases: CaseSpace, seed: int) -> None:
        super().__init__(cases, seed)
        number = cases.scenario.number
        self._left = max(1, number) if isinstance(number, int) else 1

    @property
    def batch(self) -> int:
        return self._left

    def proposed(self, number: int, draw: Random) -> Sequence[Indices]:
        return ()

    def propose(self, number: int) -> list[Indices]:
        taken = min(number, self._left)
        self._left -= taken
        self.exhausted = not self._left
        return [()] * taken

    def learn(self, told: Sequence[Told]) -> None:
        pass

    def state(self) -> dict[str, JsonValue]:
        return {"left": self._left}

    def restore(self, state: dict[str, Any]) -> None:
        self._left = int(state["left"])
        self.exhausted = not self._left

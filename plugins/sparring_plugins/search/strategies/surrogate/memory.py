"""What a search remembers of the cases that were played."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from pydantic import JsonValue

from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.strategies.searching.evaluation import Evaluation
from sparring_plugins.search.strategies.searching.packed_rows import (
    GrowingText,
    growing_rows,
    packed,
    unpacked,
    unpacked_rows,
)
from sparring_plugins.search.strategies.surrogate.word_features import Numbers

REMEMBERED = 1_500
"""The last cases that are learnt from."""

_FAILING = 600
"""Failures that are learnt from at least, where there are as many."""

_MOST_LABELS = 20
_MOST_KINDS = 5_000
_LATE = 100
"""Cases of late."""

_STEPS = 200
"""Steps in which objectives are remembered."""

_TEXTS = 6_000
"""The last texts that are remembered."""


class Memory:
    """The played cases, the kinds of failures with their counts, and what was said (`said`).

    `kinds` has the number of the kind of each played case, -1 for no failure; `values` its
    objectives, one case after the other, in steps of 1/200.
    """

    def __init__(self, sizes: Indices) -> None:
        self._sizes = sizes
        self._failed: list[int] = []
        self._new: list[int] = []
        self.played: list[Indices] = []
        self.kinds: list[int] = []
        self.values: list[int] = []
        self.known: dict[tuple[str, ...], int] = {}
        self.counts: Counter[int] = Counter()
        self.said: dict[Indices, str] = {}
        self._begin_texts()

    def _begin_texts(self) -> None:
        self._rows_text = growing_rows(self._sizes)
        self._kinds_text = GrowingText[int](packed)
        self._values_text = GrowingText[int](packed)

    def add(self, row: Indices, evaluation: Evaluation) -> None:
        """Remember how a case did."""
        self.played.append(row)
        self.values += (round(one * _STEPS) for one in evaluation.objectives)
        kind = -1
        if evaluation.failed:
            name = evaluation.kind
            if name not in self.known and len(self.known) >= _MOST_KINDS:
                name = name[:1] if name[:1] in self.known else next(iter(self.known))
            if name not in self.known:
                self._new.append(len(self.kinds))
            kind = self.known.setdefault(name, len(self.known))
            self.counts[kind] += 1
            self._failed.append(len(self.kinds))
        self.kinds.append(kind)

    def read(self, row: Indices, text: str) -> None:
        """Remember what a case says that is played, and forget what was said long ago."""
        self.said[row] = text
        if len(self.said) > _TEXTS:
            del self.said[next(iter(self.said))]

    def failing(self) -> tuple[list[Indices], list[float]]:
        """The last failures, with weights that let kinds that are seldom be heard."""
        places = self._failed[-REMEMBERED:]
        return (
            [self.played[at] for at in places],
            [self.counts[self.kinds[at]] ** -0.5 for at in places],
        )

    def parts(self) -> list[str]:
        """The parts of kinds, the commonest first, as many as are learnt."""
        found: Counter[str] = Counter()
        for name, kind in self.known.items():
            for part in name:
                found[part] += self.counts[kind]
        ranked = sorted(found.items(), key=lambda one: (-one[1], one[0]))
        return [part for part, _ in ranked[:_MOST_LABELS]]

    def lesson(self, parts: list[str]) -> tuple[list[Indices], Numbers, Numbers]:
        """The cases to learn from, and whether each failed, its kind's parts, and how bad it was.

        How bad is 1 less the value of each objective. At the end, which of these are known of each
        case: kinds of failures alone.
        """
        names = {kind: name for name, kind in self.known.items()}
        places = self._places()
        width = len(self.values) // max(1, len(self.played))
        values = np.array([self.values[at * width : (at + 1) * width] for at in places], np.float32)
        labels = np.zeros((len(places), 1 + len(parts)), np.float32)
        for line, at in enumerate(places):
            kind = self.kinds[at]
            if kind >= 0:
                labels[line, 0] = 1
                labels[line, 1:] = [part in names[kind] for part in parts]
        found = np.hstack([labels, np.float32(1) - values / np.float32(_STEPS)])
        told = np.ones_like(found)
        told[:, 1 : 1 + len(parts)] = labels[:, :1]
        return [self.played[at] for at in places], found, told

    def news(self, first: int) -> int:
        """The kinds first seen in the last hundred cases.

        Kinds of the first cases are not counted, since all are new then.
        """
        return len(self._new) - bisect_left(self._new, max(first, len(self.kinds) - _LATE))

    def recent(self) -> tuple[list[Indices], list[bool]]:
        """The cases that are learnt from, and whether each failed."""
        places = self._places()
        return [self.played[at] for at in places], [self.kinds[at] >= 0 for at in places]

    def _places(self) -> list[int]:
        """The last cases, and before them failures where those are few."""
        first = max(0, len(self.played) - REMEMBERED)
        before = bisect_left(self._failed, first)
        missing = _FAILING - (len(self._failed) - before)
        earlier = self._failed[max(0, before - missing) : before] if missing > 0 else []
        return [*earlier, *range(first, len(self.played))]

    def shown(self, parts: Sequence[str]) -> Counter[tuple[int, ...]]:
        """How often each kind was seen, told by the numbers of its parts; without any, left out."""
        number = {part: at for at, part in enumerate(parts)}
        found: Counter[tuple[int, ...]] = Counter()
        for name, kind in self.known.items():
            if own := tuple(sorted({number[part] for part in name if part in number})):
                found[own] += self.counts[kind]
        return found

    def state(self) -> dict[str, JsonValue]:
        """All that `restore` needs; texts are read again."""
        return {
            "played": self._rows_text.of(self.played),
            "kinds": self._kinds_text.of(self.kinds),
            "values": self._values_text.of(self.values),
            "known": [list(name) for name in self.known],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take up a state; raises ValueError, KeyError, TypeError."""
        self.played = unpacked_rows(state["played"], self._sizes)
        self.kinds = unpacked(state["kinds"])
        self.values = unpacked(state["values"])
        self.known = {tuple(map(str, name)): at for at, name in enumerate(state["known"])}
        self.counts = Counter(kind for kind in self.kinds if kind >= 0)
        self._failed = [at for at, kind in enumerate(self.kinds) if kind >= 0]
        self._new = sorted({kind: at for at, kind in reversed([*enumerate(self.kinds)])
                            if kind >= 0}.values())  # fmt: skip
        self._begin_texts()
        if (
            len(self.kinds) != len(self.played)
            or any(kind >= len(self.known) for kind in self.kinds)
            or len(self.values) % max(1, len(self.played))
        ):
            raise ValueError("it has other cases")

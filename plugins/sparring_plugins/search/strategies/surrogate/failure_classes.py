"""Which kinds of failures cases would show, and how seldom these were seen."""

from collections import Counter

import numpy as np

from sparring_plugins.search.strategies.surrogate.word_features import Numbers

_DOUBT = 0.005
"""How unlikely a part of a kind is thought to be at least, and its absence."""


class Kinds:
    """The kinds that cases would show if they failed.

    `parts` has a line for each case with the chances of each part of kinds, given that it fails;
    they are taken as independent of each other. `counts` is how often each kind was seen, told by
    the numbers of its parts.
    """

    def __init__(self, parts: Numbers, counts: Counter[tuple[int, ...]]) -> None:
        likely = parts.clip(_DOUBT, 1 - _DOUBT)
        self._present: Numbers = np.log(likely).astype(np.float32)
        self._absent: Numbers = np.log(1 - likely).astype(np.float32)
        self._guessed = parts > 0.5
        self._places = {kind: at for at, kind in enumerate(counts)}
        self._counts: Numbers = np.array(list(counts.values()), np.float32)
        has = np.zeros((len(counts), parts.shape[1]), np.float32)
        for line, kind in enumerate(counts):
            has[line, list(kind)] = 1
        self._chances = self._chances_of(has)

    @property
    def known(self) -> bool:
        """Whether any kind is."""
        return bool(self._places)

    def _chances_of(self, has: Numbers) -> Numbers:
        return np.exp(self._present @ has.T + self._absent @ (1 - has).T).astype(np.float32)

    def rarity(self) -> Numbers:
        """How seldom the kind of each case was seen: 1 for never, falling to 0."""
        often = 1 - (1 + self._counts) ** -0.5
        return (1 - self._chances @ often).clip(0, 1).astype(np.float32)

    def expect(self, place: int) -> None:
        """Count the kind that a case shows most likely, since the case is to be played."""
        kind = tuple(np.flatnonzero(self._guessed[place]).tolist())
        at = self._places.setdefault(kind, len(self._counts))
        if at < len(self._counts):
            self._counts[at] += 1
        else:
            has = self._guessed[place][None].astype(np.float32)
            self._chances = np.hstack([self._chances, self._chances_of(has)])
            self._counts = np.append(self._counts, np.float32(1))

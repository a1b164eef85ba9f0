"""Rows of combinations, computed from their number and never listed."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import blake2b
from random import Random

from sparring_plugins.users.selectors.notation import Selector

_LISTED = 65_536
_ROUNDS = 8


@dataclass(frozen=True)
class Nest:
    """Variables that move together: one forward variable and all that refer to it.

    `weights` says after how many rows a variable takes its next value. The variable that the
    others refer to moves fastest; those that refer to one variable follow in written order.
    """

    sizes: Mapping[str, int]
    weights: Mapping[str, int]

    @cached_property
    def rows(self) -> int:
        """How many combinations there are."""
        return math.prod(self.sizes.values())

    @property
    def chained(self) -> bool:
        """Whether several variables depend on each other."""
        return len(self.sizes) > 1

    def at(self, row: int) -> dict[str, int]:
        """The index of each variable's value in a row."""
        return {name: row // self.weights[name] % size for name, size in self.sizes.items()}


def nests(sizes: Mapping[str, int], selectors: Mapping[str, Selector]) -> list[Nest]:
    """The nests of the forward variables among `sizes`, by first variable in written order."""
    forward = [name for name in sizes if selectors[name].kind == "forward"]
    roots = {name: _root(name, selectors) for name in forward}
    found: list[Nest] = []
    for root in dict.fromkeys(roots.values()):
        members = [name for name in forward if roots[name] == root]
        members.sort(key=lambda name: _depth(name, selectors))
        weights: dict[str, int] = {}
        weight = 1
        for name in members:
            weights[name] = weight
            weight *= sizes[name]
        found.append(Nest({name: sizes[name] for name in members}, weights))
    return found


def _root(name: str, selectors: Mapping[str, Selector]) -> str:
    while (after := selectors[name].after) is not None:
        name = after
    return name


def _depth(name: str, selectors: Mapping[str, Selector]) -> int:
    depth = 0
    while (after := selectors[name].after) is not None:
        name, depth = after, depth + 1
    return depth


def product_row(parts: Sequence[Nest], row: int) -> list[int]:
    """The row of each nest in a row of their product; the last nest moves fastest."""
    rows: list[int] = []
    for part in reversed(parts):
        row, inner = divmod(row, part.rows)
        rows.append(inner)
    return rows[::-1]


def sample_count(share: float, rows: int) -> int:
    """How many of `rows` a share is: to the nearest whole, halves up, at least one."""
    exact = Fraction(str(share)) * rows
    return max(1, math.floor(exact + Fraction(1, 2)))


class DistinctRows:
    """`count` different rows out of `rows` in a random order, each computed when asked for.

    Small numbers are drawn and listed. Large ones go through a keyed permutation (a Feistel
    network over the next power of four, walked until it falls inside), so that a sample of a
    thousand million rows takes no memory.
    """

    def __init__(self, rows: int, count: int, seed: int) -> None:
        self.rows = rows
        self.seed = seed
        self._listed: Sequence[int] | None = None
        if rows <= _LISTED:
            self._listed = Random(seed).sample(range(rows), count)
        self._half = (max(2, (rows - 1).bit_length()) + 1) // 2
        self._mask = (1 << self._half) - 1

    def __getitem__(self, index: int) -> int:
        if self._listed is not None:
            return self._listed[index]
        row = self._mixed(index)
        while row >= self.rows:
            row = self._mixed(row)
        return row

    def _mixed(self, value: int) -> int:
        left, right = value >> self._half, value & self._mask
        for number in range(_ROUNDS):
            text = f"{self.seed}/{number}/{right}".encode()
            digest = blake2b(text, digest_size=self._half // 8 + 1).digest()
            left, right = right, left ^ (int.from_bytes(digest) & self._mask)
        return left << self._half | right

"""What cases a scenario gives: its rows and the values picked in each."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import blake2b
from itertools import count as counting
from random import Random
from typing import Literal

from pydantic import JsonValue

from sparring.model.space import Scenario
from sparring_plugins.users.selectors.notation import (
    Inputs,
    Number,
    Params,
    Plan,
    Selector,
    stream_name,
    stream_seed,
)
from sparring_plugins.users.selectors.sensei_plan import SenseiPlan

# --- Rows of combinations, computed from their number and never listed

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
    groups: list[Nest] = []
    for root in dict.fromkeys(roots.values()):
        members = [name for name in forward if roots[name] == root]
        members.sort(key=lambda name: _depth(name, selectors))
        weights: dict[str, int] = {}
        weight = 1
        for name in members:
            weights[name] = weight
            weight *= sizes[name]
        groups.append(Nest({name: sizes[name] for name in members}, weights))
    return groups


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
        row = self._mix(index)
        while row >= self.rows:
            row = self._mix(row)
        return row

    def _mix(self, value: int) -> int:
        left, right = value >> self._half, value & self._mask
        for number in range(_ROUNDS):
            text = f"{self.seed}/{number}/{right}".encode()
            digest = blake2b(text, digest_size=self._half // 8 + 1).digest()
            left, right = right, left ^ (int.from_bytes(digest) & self._mask)
        return left << self._half | right


class SelectorPlan:
    """The cases of a scenario as the paper describes them.

    With a whole number, every forward nest and every other selector goes its own way from
    case to case. With ``all``, ``sample`` or no number, rows of the product of all forward
    nests are played once each: in order, or a random share of them. Where a scenario has no
    forward variable, those that take a single value form the product instead.
    """

    def __init__(self, inputs: Inputs, number: Number, seed: int) -> None:
        self._inputs = inputs
        self._stream = stream_name(seed, inputs.scenario.name)
        self._nests = nests(inputs.sizes, inputs.selectors)
        self._counted = isinstance(number.count, int)
        if not self._counted and not self._nests:
            self._nests = _single_values(inputs)
        rows = math.prod(nest.rows for nest in self._nests)
        self._sampled: DistinctRows | None = None
        if isinstance(number.count, int):
            self._count = number.count
        elif number.sample is not None:
            self._count = sample_count(number.sample, rows)
            self._sampled = DistinctRows(rows, self._count, stream_seed(f"{self._stream}/sample"))
        else:
            self._count = rows
        self._scalars = {name for nest in self._nests if nest.chained for name in nest.sizes}
        self._dealt: dict[str, tuple[int, Sequence[int]]] = {}
        self.period: int | None = self._period()

    @property
    def count(self) -> int:
        return self._count

    def _period(self) -> int | None:
        if not self._inputs.distinct:
            return None
        if not self._counted:
            return self._count
        moved = {name for nest in self._nests for name in nest.sizes}
        for name, selector in self._inputs.selectors.items():
            if name not in moved and selector.kind != "default" and self._inputs.sizes[name] > 1:
                return None
        return math.lcm(*(nest.rows for nest in self._nests))

    def params(self, start: int) -> Iterator[Params]:
        return (self._at(position) for position in counting(start))

    def _at(self, position: int) -> Params:
        indexes = self._list_positions(position)
        picked: Params = {}
        for name, variable in self._inputs.variables.items():
            if name in indexes:
                value = variable.domain[indexes[name]]
                single = self._inputs.plain or name in self._scalars
                picked[name] = value if single else [value]
            else:
                picked[name] = self._pick_values(name, variable.domain, position)
        return picked

    def _list_positions(self, position: int) -> dict[str, int]:
        """The index of every variable that moves through combinations."""
        if self._counted:
            rows = [position % nest.rows for nest in self._nests]
        else:
            row = self._sampled[position] if self._sampled is not None else position
            rows = product_row(self._nests, row)
        return {
            name: index
            for nest, row in zip(self._nests, rows, strict=True)
            for name, index in nest.at(row).items()
        }

    def _pick_values(
        self, name: str, domain: Sequence[JsonValue], position: int
    ) -> list[JsonValue]:
        selector = self._inputs.selectors[name]
        if selector.kind == "default":
            return list(domain)
        if selector.kind == "another":
            return [domain[self._another(name, len(domain), position)]]
        random = _random(f"{self._stream}/{name}/{position}")
        if selector.count is None:
            return [domain[random.randrange(len(domain))]]
        many = random.randint(1, len(domain)) if selector.count == "rand" else selector.count
        return random.sample(domain, min(many, len(domain)))

    def _another(self, name: str, size: int, position: int) -> int:
        """Deal a shuffled permutation, then a new one."""
        deal, place = divmod(position, size)
        dealt = self._dealt.get(name)
        if dealt is None or dealt[0] != deal:
            order = _random(f"{self._stream}/{name}/deal {deal}").sample(range(size), size)
            dealt = self._dealt[name] = (deal, order)
        return dealt[1][place]


def _random(stream: str) -> Random:
    return Random(stream_seed(stream))


def _single_values(inputs: Inputs) -> list[Nest]:
    """A nest for each variable that takes one value at a time."""
    return [
        Nest({name: size}, {name: 1})
        for name, size in inputs.sizes.items()
        if inputs.selectors[name].takes_one
    ]


def plan_of(
    scenario: Scenario,
    seed: int,
    *,
    compat: Literal["sensei"] | None = None,
    number: Number | None = None,
) -> Plan:
    """The plan of a scenario; raises ConfigurationError.

    `number` replaces the scenario's own. `compat` is for scenarios with selectors; others
    have no meaning in SENSEI and are planned as usual.
    """
    inputs = Inputs.of(scenario)
    wanted = number or Number(scenario.number, scenario.sample)
    if compat == "sensei" and (not inputs.plain or not inputs.variables):
        return SenseiPlan(inputs, wanted, seed)
    return SelectorPlan(inputs, wanted, seed)

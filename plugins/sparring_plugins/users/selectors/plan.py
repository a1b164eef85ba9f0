"""What cases a scenario gives: its rows and the values picked in each."""

import math
from collections.abc import Iterator, Sequence
from itertools import count as counting
from random import Random
from typing import Literal

from pydantic import JsonValue

from sparring.model.space import Scenario
from sparring_plugins.users.selectors.combinations import (
    DistinctRows,
    Nest,
    nests,
    product_row,
    sample_count,
)
from sparring_plugins.users.selectors.inputs import (
    Inputs,
    Params,
    Plan,
    stream_name,
    stream_seed,
)
from sparring_plugins.users.selectors.notation import Number
from sparring_plugins.users.selectors.sensei import SenseiPlan


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
        indexes = self._moved(position)
        picked: Params = {}
        for name, variable in self._inputs.variables.items():
            if name in indexes:
                value = variable.domain[indexes[name]]
                single = self._inputs.plain or name in self._scalars
                picked[name] = value if single else [value]
            else:
                picked[name] = self._picked(name, variable.domain, position)
        return picked

    def _moved(self, position: int) -> dict[str, int]:
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

    def _picked(self, name: str, domain: Sequence[JsonValue], position: int) -> list[JsonValue]:
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
        known = self._dealt.get(name)
        if known is None or known[0] != deal:
            order = _random(f"{self._stream}/{name}/deal {deal}").sample(range(size), size)
            known = self._dealt[name] = (deal, order)
        return known[1][place]


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

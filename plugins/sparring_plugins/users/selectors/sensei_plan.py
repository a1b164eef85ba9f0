"""The cases as SENSEI's own code makes them: the switch ``compat: sensei``."""

from collections.abc import Iterator
from itertools import count as counting
from random import Random

from pydantic import JsonValue

from sparring_plugins.users.selectors.notation import (
    Inputs,
    Number,
    Params,
    Selector,
    stream_name,
    stream_seed,
)


class SenseiPlan:
    """The cases of a scenario as SENSEI's code makes them, faults included.

    Only dependency chains count as combinations (none is 0 cases), a sample is the first
    rows in order, and all random choices come from one stream in SENSEI's order, so that they
    equal SENSEI's own after ``random.seed(stream_seed(stream_name(...)))``.
    """

    period: int | None = None

    def __init__(self, inputs: Inputs, number: Number, seed: int) -> None:
        self._inputs = inputs
        self._seed = stream_seed(stream_name(seed, inputs.scenario.name))
        self._referred = {s.after for s in inputs.selectors.values() if s.after is not None}
        self._weights = {name: self._weight(name) for name in inputs.selectors}
        if isinstance(number.count, int):
            self._count = number.count
        elif number.sample is not None:
            self._count = round(self.combinations * number.sample)
        else:
            self._count = self.combinations

    @property
    def count(self) -> int:
        return self._count

    @property
    def combinations(self) -> int:
        """The largest product over the dependency chains; 0 if there is none."""
        sizes = self._inputs.sizes
        return max(
            (
                self._weights[name] * sizes[name]
                for name, selector in self._inputs.selectors.items()
                if selector.after is not None
            ),
            default=0,
        )

    def _weight(self, name: str) -> int:
        weight = 1
        while (after := self._inputs.selectors[name].after) is not None:
            name = after
            weight *= self._inputs.sizes[name]
        return weight

    def params(self, start: int) -> Iterator[Params]:
        random = Random(self._seed)
        dealt: dict[str, list[JsonValue]] = {}
        for position in counting():
            picked = self._at(position, random, dealt)
            if position >= start:
                yield picked

    def _at(self, position: int, random: Random, dealt: dict[str, list[JsonValue]]) -> Params:
        picked: Params = {}
        chains: Params = {}
        for name, variable in self._inputs.variables.items():
            domain, selector = variable.domain, self._inputs.selectors[name]
            if selector.kind != "forward":
                picked[name] = _sensei_pick(selector, name, list(domain), random, dealt)
                continue
            value = domain[position // self._weights[name] % len(domain)]
            if selector.after is not None or name in self._referred:
                chains[name] = value
            else:
                chains[name] = [value]
        return picked | chains


def _sensei_pick(
    selector: Selector,
    name: str,
    domain: list[JsonValue],
    random: Random,
    dealt: dict[str, list[JsonValue]],
) -> list[JsonValue]:
    if selector.kind == "default":
        return [domain]  # the whole list as one value
    if selector.kind == "another":
        if not dealt.get(name):
            random.shuffle(domain)
            dealt[name] = domain
        return [dealt[name].pop(0)]
    if selector.count is None:
        return [random.choice(domain)]
    many = random.randint(1, len(domain)) if selector.count == "rand" else selector.count
    return random.sample(domain, min(many, len(domain)))

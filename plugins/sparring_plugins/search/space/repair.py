"""The nearest case that satisfies all constraints."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from random import Random

from sparring_plugins.search.space.encoding import Encoding, Indices
from sparring_plugins.search.space.restrictions import Restriction, TooHard, all_hold

_TRIED = 20_000
"""Cases that are looked at for one that differs in few values."""

_WALKED = 3_000
"""Values that are changed at random for a case, before all are tried."""

_STEPS = 300_000
"""Values that are tried for a case that differs in any number of them."""


@dataclass(frozen=True)
class Repair:
    """Repairs cases of one scenario. The same case is always repaired in the same way.

    First what constraints assign is assigned, in their order, until nothing changes. Where that is
    not enough, the case with the fewest other values is taken, if it is found in time: ordinal
    values move as little as they can, categorical ones to one that a digest of the case picks, and
    values that only say which cases a constraint is about are changed last. A case that satisfies
    all constraints stays as it is, so that repairing twice changes no more than once.
    """

    encoding: Encoding
    restrictions: tuple[Restriction, ...]

    def __call__(self, indices: Indices) -> Indices | None:
        """The repaired case; None where there is none. Raises TooHard."""
        case = indices if all_hold(self.restrictions, indices) else self._assigned(indices)
        if all_hold(self.restrictions, case):
            return case
        near = self._near(case) or self._walked(case)
        return near if near is not None else self.solve({}, case)

    def solve(self, pins: Mapping[int, int], start: Indices) -> Indices | None:
        """A case with the pinned values, as like `start` as may be; None where there is none.

        Raises TooHard where that cannot be found out with bounded work.
        """
        order = self._order(pins)
        checks = _checks(order, self.restrictions)
        case = list(start)
        for number, at in pins.items():
            case[number] = at
        choices: list[Iterator[int]] = []
        steps = 0
        while len(choices) < len(order):
            choices.append(self._values(order[len(choices)], start, pins))
            while choices:
                chosen = next(choices[-1], None)
                steps += 1
                if steps > _STEPS:
                    raise TooHard(f"more than {_STEPS:,} values were tried")
                if chosen is None:
                    choices.pop()
                    continue
                case[order[len(choices) - 1]] = chosen
                if all(one.holds(case) for one in checks[len(choices) - 1]):
                    break
            else:
                return None
        return tuple(case) if all_hold(self.restrictions, case) else None

    def _assigned(self, indices: Indices) -> Indices:
        """What constraints assign, written back; cycles end after as many rounds as there are."""
        case = list(indices)
        for _ in range(len(self.restrictions) + 1):
            before = list(case)
            for one in self.restrictions:
                if one.assign and not one.holds(case):
                    for number, at in one.assign.items():
                        case[number] = at
            if case == before:
                break
        return tuple(case)

    def _near(self, case: Indices) -> Indices | None:
        """The first case found that differs in the fewest values; None if that takes too long."""
        draw = Random(sha256(repr(case).encode()).digest())
        tried = 0
        level: list[tuple[Indices, frozenset[int]]] = [(case, frozenset())]
        seen = {case}
        while level:
            further: list[tuple[Indices, frozenset[int]]] = []
            for now, changed in level:
                for found, number in self._changes(now, changed, draw):
                    if found in seen:
                        continue
                    tried += 1
                    if all_hold(self.restrictions, found):
                        return found
                    if tried > _TRIED:
                        return None
                    seen.add(found)
                    further.append((found, changed | {number}))
            level = further
        return None

    def _walked(self, case: Indices) -> Indices | None:
        """A case found by changing values of broken constraints at random; None for none.

        What need not have been changed is taken back.
        """
        draw = Random(sha256(f"walk {case!r}".encode()).digest())
        now = list(case)
        for _ in range(_WALKED):
            broken = [one for one in self.restrictions if one.variables and not one.holds(now)]
            if not broken:
                return self._taken_back(now, case)
            number = draw.choice(draw.choice(broken).variables)
            now[number] = draw.randrange(self.encoding.sizes[number])
        return None

    def _taken_back(self, now: list[int], case: Indices) -> Indices | None:
        if not all_hold(self.restrictions, now):
            return None
        for number, at in enumerate(case):
            changed, now[number] = now[number], at
            if not all_hold(self.restrictions, now):
                now[number] = changed
        return tuple(now)

    def _changes(
        self, case: Indices, changed: frozenset[int], draw: Random
    ) -> Iterator[tuple[Indices, int]]:
        """The case with one value of its first broken constraint changed, in order of preference.

        Whatever satisfies the constraint differs in one of its values.
        """
        broken = next(one for one in self.restrictions if not one.holds(case))
        free = [number for number in broken.variables if number not in changed]
        for number in sorted(free, key=lambda number: number in broken.premise):
            for at in self._others(number, case[number], draw):
                yield (*case[:number], at, *case[number + 1 :]), number

    def _others(self, number: int, now: int, draw: Random) -> Sequence[int]:
        """The other values of a variable: the nearest first where they have an order."""
        others = [at for at in range(self.encoding.sizes[number]) if at != now]
        if self.encoding.ordinal[number]:
            return sorted(others, key=lambda at: (abs(at - now), at))
        return draw.sample(others, len(others))

    def _order(self, pins: Mapping[int, int]) -> list[int]:
        """The variables that constraints speak of, those of the most constraints first."""
        counts: dict[int, int] = dict.fromkeys(pins, len(self.restrictions) + 1)
        for one in self.restrictions:
            for number in one.variables:
                counts[number] = counts.get(number, 0) + 1
        return sorted(counts, key=lambda number: (-counts[number], number))

    def _values(self, number: int, start: Indices, pins: Mapping[int, int]) -> Iterator[int]:
        if number in pins:
            return iter((pins[number],))
        now = start[number]
        others = (at for at in range(self.encoding.sizes[number]) if at != now)
        return iter((now, *sorted(others, key=lambda at: (abs(at - now), at))))


def _checks(order: Sequence[int], restrictions: Sequence[Restriction]) -> list[list[Restriction]]:
    """Which constraints can be checked once each variable of the order has its value."""
    checks: list[list[Restriction]] = [[] for _ in order]
    places = {number: place for place, number in enumerate(order)}
    for one in restrictions:
        if one.variables:
            checks[max(places[number] for number in one.variables)].append(one)
    return checks

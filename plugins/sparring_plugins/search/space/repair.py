"""Find the nearest case that satisfies all constraints."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from random import Random

from sparring_plugins.search.space.encoding import Encoding, Indices, Restriction, TooHard, all_hold

_TRIED = 20_000
"""Cases that are looked at for one that differs in few values."""

_WALKED = 3_000
"""Values that are changed at random for a case, before all are tried."""

_STEPS = 300_000
"""Values that are tried for a case that differs in any number of them."""


@dataclass(frozen=True)
class Repair:
    """Repairs cases of one scenario; the same case is always repaired in the same way.

    First the values that constraints assign are set, in their order, until nothing changes. If that
    is not enough, the case with the fewest different values is taken, if it is found in time:
    ordinal values move as little as possible, categorical ones to a value that a digest of the case
    selects, and values that only select the cases of a constraint are changed last. A valid case
    stays as it is, so repairing is idempotent.
    """

    encoding: Encoding
    restrictions: tuple[Restriction, ...]

    def __call__(self, indices: Indices) -> Indices | None:
        """Return the repaired case; None if there is none. Raises TooHard."""
        case = indices if all_hold(self.restrictions, indices) else self._assign(indices)
        if all_hold(self.restrictions, case):
            return case
        # a breadth-first search is exact but may not end in time; walking finds some near case
        near = self._search_nearby(case) or self._walk(case)
        return near if near is not None else self.solve({}, case)

    def solve(self, pins: Mapping[int, int], start: Indices) -> Indices | None:
        """Return a case with the pinned values, similar to `start`; None if there is none.

        A depth-first search over the variables that constraints mention. Raises TooHard if the
        answer cannot be found with bounded work.
        """
        order = self._order(pins)
        checks = _checks(order, self.restrictions)
        case = list(start)
        for number, value in pins.items():
            case[number] = value
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
                if all(check.holds(case) for check in checks[len(choices) - 1]):
                    break
            else:
                return None
        return tuple(case) if all_hold(self.restrictions, case) else None

    def _assign(self, indices: Indices) -> Indices:
        """Set what constraints assign; cycles end after as many rounds as there are constraints."""
        case = list(indices)
        for _ in range(len(self.restrictions) + 1):
            before = list(case)
            for restriction in self.restrictions:
                if restriction.assign and not restriction.holds(case):
                    for number, value in restriction.assign.items():
                        case[number] = value
            if case == before:
                break
        return tuple(case)

    def _search_nearby(self, case: Indices) -> Indices | None:
        """Return the first case that differs in the fewest values; None if that takes too long.

        A breadth-first search: each level changes one more value.
        """
        draw = Random(sha256(repr(case).encode()).digest())
        tried = 0
        level: list[tuple[Indices, frozenset[int]]] = [(case, frozenset())]
        visited = {case}
        while level:
            further: list[tuple[Indices, frozenset[int]]] = []
            for now, changed in level:
                for neighbour, number in self._changes(now, changed, draw):
                    if neighbour in visited:
                        continue
                    tried += 1
                    if all_hold(self.restrictions, neighbour):
                        return neighbour
                    if tried > _TRIED:
                        return None
                    visited.add(neighbour)
                    further.append((neighbour, changed | {number}))
            level = further
        return None

    def _walk(self, case: Indices) -> Indices | None:
        """Change values of broken constraints at random until all hold; None if that fails.

        Changes that turn out to be unnecessary are undone.
        """
        draw = Random(sha256(f"walk {case!r}".encode()).digest())
        now = list(case)
        for _ in range(_WALKED):
            broken = [
                restriction
                for restriction in self.restrictions
                if restriction.variables and not restriction.holds(now)
            ]
            if not broken:
                return self._undo_changes(now, case)
            number = draw.choice(draw.choice(broken).variables)
            now[number] = draw.randrange(self.encoding.sizes[number])
        return None

    def _undo_changes(self, now: list[int], case: Indices) -> Indices | None:
        """Undo each change that the constraints do not need."""
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
        """Yield the case with one value of its first broken constraint changed, best first.

        Any case that satisfies that constraint differs in one of its values.
        """
        broken = next(
            restriction for restriction in self.restrictions if not restriction.holds(case)
        )
        free = [number for number in broken.variables if number not in changed]
        for number in sorted(free, key=lambda number: number in broken.premise):
            for at in self._others(number, case[number], draw):
                yield (*case[:number], at, *case[number + 1 :]), number

    def _others(self, number: int, now: int, draw: Random) -> Sequence[int]:
        """Return the other values of a variable, the nearest first if they have an order."""
        others = [at for at in range(self.encoding.sizes[number]) if at != now]
        if self.encoding.ordinal[number]:
            return sorted(others, key=lambda at: (abs(at - now), at))
        return draw.sample(others, len(others))

    def _order(self, pins: Mapping[int, int]) -> list[int]:
        """Return the variables that constraints mention, the most constrained first."""
        counts: dict[int, int] = dict.fromkeys(pins, len(self.restrictions) + 1)
        for restriction in self.restrictions:
            for number in restriction.variables:
                counts[number] = counts.get(number, 0) + 1
        return sorted(counts, key=lambda number: (-counts[number], number))

    def _values(self, number: int, start: Indices, pins: Mapping[int, int]) -> Iterator[int]:
        if number in pins:
            return iter((pins[number],))
        now = start[number]
        others = (at for at in range(self.encoding.sizes[number]) if at != now)
        return iter((now, *sorted(others, key=lambda at: (abs(at - now), at))))


def _checks(order: Sequence[int], restrictions: Sequence[Restriction]) -> list[list[Restriction]]:
    """Return the constraints that can be checked once each variable of the order has its value."""
    checks: list[list[Restriction]] = [[] for _ in order]
    places = {number: place for place, number in enumerate(order)}
    for restriction in restrictions:
        if restriction.variables:
            checks[max(places[number] for number in restriction.variables)].append(restriction)
    return checks

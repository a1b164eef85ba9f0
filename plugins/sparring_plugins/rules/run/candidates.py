"""Which conversations come into question at each place of a tuple."""

# Values of any type are computed with here, which a type checker cannot follow.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false

from collections import defaultdict
from collections.abc import Callable, Sequence
from enum import Enum
from functools import cached_property
from typing import Any

from sparring_plugins.rules.compile.evaluation import Raised
from sparring_plugins.rules.compile.plan import Join, Plan
from sparring_plugins.rules.values.keys import key_of
from sparring_plugins.rules.values.work import SCALARS

_SHORT = 200

Row = tuple[Any, ...]
Pick = Callable[..., Sequence[Row]]


class State(Enum):
    """Whether a condition on one conversation holds."""

    HOLDS = 0
    FAILS = 1
    DOUBTFUL = 2


class _Doubtful:
    """The key of a conversation whose side of an equality has no value: it may equal any."""


_DOUBTFUL = _Doubtful()


class Candidates:
    """Reads the columns of a plan into rows, look-ups and marks."""

    def __init__(
        self,
        plan: Plan,
        columns: list[list[Any]],
        size: int,
        is_false: Callable[[Exception], bool],
    ) -> None:
        self.plan = plan
        self.columns = columns
        self.size = size
        self.is_false = is_false
        self._keys: dict[int, list[Any]] = {}

    def shape(self, column: int) -> str:
        """How a column's values are to be used (see `loops`)."""
        return self._shapes[column]

    @cached_property
    def _shapes(self) -> list[str]:
        return [
            "plain" if column.record else _shape(values)
            for column, values in zip(self.plan.columns, self.columns, strict=True)
        ]

    @cached_property
    def _states(self) -> list[list[State]]:
        """For each place, the state of each conversation there."""
        return [self._at(place) for place in range(self.plan.size)]

    def _at(self, place: int) -> list[State]:
        states = [State.HOLDS] * self.size
        for column in self.plan.singles[place]:
            _lower(states, [self._state(value) for value in self.columns[column]])
        sides = [join.column for join in self.plan.joins[place]]
        sides += [
            c for joins in self.plan.joins for c, at in (j.left for j in joins) if at == place
        ]
        for column in sides:
            keys = self._key_column(column)
            doubts = (State.DOUBTFUL if key is _DOUBTFUL else State.HOLDS for key in keys)
            _lower(states, list(doubts))
            _lower(states, [self._side(value) for value in self.columns[column]])
        return states

    def _state(self, value: Any) -> State:
        if type(value) is Raised:
            return self._side(value)
        return State.HOLDS if value else State.FAILS

    def _side(self, value: Any) -> State:
        if type(value) is not Raised:
            return State.HOLDS
        return State.FAILS if self.is_false(value.error) else State.DOUBTFUL

    @cached_property
    def dirty(self) -> bool:
        """Whether some conversation is marked for closer inspection."""
        return any(State.DOUBTFUL in states for states in self._states)

    def rows(self, carried: list[list[int]]) -> list[list[Row]]:
        """For each place, the conversations that may stand there, with what they bring along."""
        return [self._rows(place, carried[place]) for place in range(self.plan.size)]

    def _rows(self, place: int, carried: list[int]) -> list[Row]:
        columns = [self.columns[self.plan.places[number][0]] for number in carried]
        states = self._states[place]
        if not self.dirty:
            return [
                (index, *(column[index] for column in columns))
                for index, state in enumerate(states)
                if state is State.HOLDS
            ]
        return [
            (index, state is State.DOUBTFUL, *(column[index] for column in columns))
            for index, state in enumerate(states)
            if state is not State.FAILS
        ]

    def picks(self, carried: list[list[int]]) -> list[Pick | None]:
        """For each place with equalities, what finds its candidates for the places before it."""
        return [
            self._pick(place, self._rows(place, carried[place])) if self.plan.joins[place] else None
            for place in range(self.plan.size)
        ]

    def _pick(self, place: int, rows: list[Row]) -> Pick:
        joins = [join for join in self.plan.joins[place] if self._sure(join)]
        mine = [self._key_column(join.column) for join in joins]
        buckets: defaultdict[tuple[Any, ...], list[Row]] = defaultdict(list)
        wild: list[Row] = []
        for row in rows:
            key = tuple(keys[row[0]] for keys in mine)
            (wild if _DOUBTFUL in key else buckets[key]).append(row)
        if wild:
            for found in buckets.values():
                found += wild
                found.sort(key=lambda row: row[0])
        lefts = [(self._key_column(join.left[0]), join.left[1]) for join in joins]

        def pick(*indexes: int) -> Sequence[Row]:
            key = tuple([keys[indexes[at]] for keys, at in lefts])
            return rows if _DOUBTFUL in key else buckets.get(key, wild)

        return pick

    def _sure(self, join: Join) -> bool:
        """Whether an equality holds wherever those hold that it follows from, all without doubt."""
        return not any(_DOUBTFUL in self._key_column(column) for column in join.via)

    def _key_column(self, column: int) -> list[Any]:
        if column not in self._keys:
            self._keys[column] = [_key(value) for value in self.columns[column]]
        return self._keys[column]


def _key(value: Any) -> Any:
    """The key of a column's value; where none can be made, all tuples are looked at."""
    if type(value) is Raised:
        return _DOUBTFUL
    try:
        return key_of(value)
    except (TypeError, RecursionError):
        return _DOUBTFUL


def _lower(states: list[State], others: list[State]) -> None:
    """Take the worse of two states each: one that fails decides."""
    for index, other in enumerate(others):
        if other is State.FAILS or (other is State.DOUBTFUL and states[index] is State.HOLDS):
            states[index] = other


def _shape(values: list[Any]) -> str:
    kinds = {type(value) for value in values}
    if Raised in kinds:
        return "raising"
    if not kinds <= SCALARS and not kinds <= {*SCALARS, str}:
        return "sized"
    longest = max((len(value) for value in values if type(value) is str), default=0)
    return "plain" if longest <= _SHORT else "sized"

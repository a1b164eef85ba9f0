"""The conversations that are candidates for each place of a tuple."""

# Values of any type are computed with here, which a type checker cannot follow.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false

from collections import defaultdict
from collections.abc import Callable, Sequence
from enum import Enum
from functools import cached_property
from typing import Any

from sparring_plugins.rules.compile.evaluation import RaisedError
from sparring_plugins.rules.compile.tuple_plan import Join, TuplePlan
from sparring_plugins.rules.values.work import SCALARS, key_of

# Long texts are grouped by their size, as the work of comparing them grows with it.
_SHORT = 200

Row = tuple[Any, ...]
Pick = Callable[..., Sequence[Row]]


class ConditionState(Enum):
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
        plan: TuplePlan,
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
        """How the loop reads a column's values: plain, sized or raising (see `tuple_plan`)."""
        return self._shapes[column]

    @cached_property
    def _shapes(self) -> list[str]:
        return [
            "plain" if column.record else _shape(values)
            for column, values in zip(self.plan.columns, self.columns, strict=True)
        ]

    @cached_property
    def _states(self) -> list[list[ConditionState]]:
        """For each place, the state of each conversation there."""
        return [self._states_at(place) for place in range(self.plan.size)]

    def _states_at(self, place: int) -> list[ConditionState]:
        # A condition on one conversation is asked once for each, not once for each pair: of
        # `conv[0].lang == 'en' and conv[1].lang == 'de'` both halves rule out most rows at once.
        states = [ConditionState.HOLDS] * self.size
        for column in self.plan.singles[place]:
            _lower_states(states, [self._state(value) for value in self.columns[column]])
        sides = [join.column for join in self.plan.joins[place]]
        sides += [
            c for joins in self.plan.joins for c, at in (j.left for j in joins) if at == place
        ]
        for column in sides:
            keys = self._key_column(column)
            doubts = (
                ConditionState.DOUBTFUL if key is _DOUBTFUL else ConditionState.HOLDS
                for key in keys
            )
            _lower_states(states, list(doubts))
            _lower_states(states, [self._state_of_side(value) for value in self.columns[column]])
        return states

    def _state(self, value: Any) -> ConditionState:
        if type(value) is RaisedError:
            return self._state_of_side(value)
        return ConditionState.HOLDS if value else ConditionState.FAILS

    def _state_of_side(self, value: Any) -> ConditionState:
        if type(value) is not RaisedError:
            return ConditionState.HOLDS
        return ConditionState.FAILS if self.is_false(value.error) else ConditionState.DOUBTFUL

    @cached_property
    def dirty(self) -> bool:
        """Whether some conversation is marked for closer inspection."""
        return any(ConditionState.DOUBTFUL in states for states in self._states)

    def rows(self, carried: list[list[int]]) -> list[list[Row]]:
        """For each place, the conversations that may stand there, with what they bring along."""
        return [self._rows(place, carried[place]) for place in range(self.plan.size)]

    def _rows(self, place: int, carried: list[int]) -> list[Row]:
        columns = [self.columns[self.plan.places[number][0]] for number in carried]
        states = self._states[place]
        # Without doubt, rows carry no mark and the loop tests none: the usual case, the fast one.
        if not self.dirty:
            return [
                (index, *(column[index] for column in columns))
                for index, state in enumerate(states)
                if state is ConditionState.HOLDS
            ]
        return [
            (index, state is ConditionState.DOUBTFUL, *(column[index] for column in columns))
            for index, state in enumerate(states)
            if state is not ConditionState.FAILS
        ]

    def picks(self, carried: list[list[int]]) -> list[Pick | None]:
        """For each place with equalities, what finds its candidates for the places before it."""
        return [
            self._pick(place, self._rows(place, carried[place])) if self.plan.joins[place] else None
            for place in range(self.plan.size)
        ]

    def _pick(self, place: int, rows: list[Row]) -> Pick:
        joins = [join for join in self.plan.joins[place] if self._is_sure(join)]
        mine = [self._key_column(join.column) for join in joins]
        buckets: defaultdict[tuple[Any, ...], list[Row]] = defaultdict(list)
        wild: list[Row] = []
        for row in rows:
            key = tuple(keys[row[0]] for keys in mine)
            (wild if _DOUBTFUL in key else buckets[key]).append(row)
        if wild:
            # What may equal any value belongs to each bucket, at its place: the order of tuples,
            # and so of the failures that are listed, does not depend on who is in doubt.
            for bucket in buckets.values():
                bucket += wild
                bucket.sort(key=lambda row: row[0])
        lefts = [(self._key_column(join.left[0]), join.left[1]) for join in joins]

        def pick(*indexes: int) -> Sequence[Row]:
            # a list first: faster here than a generator, and this runs once for each pair
            key = tuple([keys[indexes[at]] for keys, at in lefts])
            return rows if _DOUBTFUL in key else buckets.get(key, wild)

        return pick

    def _is_sure(self, join: Join) -> bool:
        """Whether an equality holds wherever those hold that it follows from, all without doubt."""
        return not any(_DOUBTFUL in self._key_column(column) for column in join.via)

    def _key_column(self, column: int) -> list[Any]:
        if column not in self._keys:
            self._keys[column] = [_key(value) for value in self.columns[column]]
        return self._keys[column]


def _key(value: Any) -> Any:
    """The key of a column's value; if none can be made, all tuples are looked at."""
    if type(value) is RaisedError:
        return _DOUBTFUL
    try:
        return key_of(value)
    except (TypeError, RecursionError):
        return _DOUBTFUL


def _lower_states(states: list[ConditionState], others: list[ConditionState]) -> None:
    """Take the worse of two states each: one that fails decides."""
    for index, other in enumerate(others):
        if other is ConditionState.FAILS or (
            other is ConditionState.DOUBTFUL and states[index] is ConditionState.HOLDS
        ):
            states[index] = other


def _shape(values: list[Any]) -> str:
    kinds = {type(value) for value in values}
    if RaisedError in kinds:
        return "raising"
    # Work on a number is one step; on a list or a long text it depends on the size, which the loop
    # then counts, so that `in` on a transcript of a megabyte spends what it costs.
    if not kinds <= SCALARS and not kinds <= {*SCALARS, str}:
        return "sized"
    longest = max((len(value) for value in values if type(value) is str), default=0)
    return "plain" if longest <= _SHORT else "sized"

"""How the states of a strategy are stored: whole now and then, and else what changed.

A state may list every case so far. Stored whole with each proposal, a log would grow with the
square of its cases.
"""

import json
from typing import cast

from pydantic import JsonValue

from sparring.errors import StoredRunError
from sparring.model.events import CasesAsked

_SMALL = 1_000
"""Characters of a state that is always stored whole."""

_SHARE = 4
"""A state is stored whole again once the changes are this many times as long."""

Map = dict[str, JsonValue]

_LENGTH = "length"
_APPENDED = "+"


class StrategyStates:
    """The states of one session, in their order: as they are written, or as they are read.

    `state` is the strategy's right after the proposal that was read last.
    """

    def __init__(self) -> None:
        self.state: JsonValue = None
        self._last: JsonValue = None
        self._whole = self._since = 0

    def stored(self, state: JsonValue) -> tuple[JsonValue, JsonValue]:
        """The `state` and the `change` of `CasesAsked` for a state: one of the two is None."""
        before, self._last = self._last, _copy(state)
        if self._whole > _SMALL:
            change = change_of(before, self._last)
            self._since += len(json.dumps(change))
            if self._since <= _SHARE * self._whole:
                return None, change
        self._whole, self._since = len(json.dumps(self._last)), 0
        return state, None

    def read(self, cases_asked: CasesAsked) -> None:
        """Take in a proposal, in the order of the log.

        Raises StoredRunError for a change that does not fit what was before it.
        """
        if cases_asked.change is None:
            self.state = _copy(cases_asked.state)
            return
        try:
            self.state = changed(self.state, cases_asked.change)
        except (ValueError, KeyError, IndexError, TypeError) as err:
            raise StoredRunError(
                f"the log is damaged: what changed at {cases_asked.at:%H:%M:%S} does not fit the "
                f"state before it ({type(err).__name__}: {err})"
            ) from err


def change_of(before: JsonValue, after: JsonValue) -> JsonValue:
    """What makes one plain value of another; see `CasesAsked` for the notation."""
    if isinstance(before, dict) and isinstance(after, dict):
        return _change_of_maps(before, after)
    if isinstance(before, list) and isinstance(after, list):
        return _change_of_lists(before, after)
    if type(before) is type(after) and before == after:
        return {}
    if isinstance(before, str) and isinstance(after, str) and after.startswith(before):
        return {_APPENDED: after[len(before) :]}
    return [after]


def _change_of_maps(before: Map, after: Map) -> JsonValue:
    kept = [key for key in before if key in after]
    if [*kept, *(key for key in after if key not in before)] != list(after):
        return [after]  # a strategy may go through its keys: they keep their order
    change_by_key: Map = {key: [] for key in before if key not in after}
    for key, value in after.items():
        change = change_of(before[key], value) if key in before else [value]
        if change != {}:
            change_by_key[key] = change
    return change_by_key


def _change_of_lists(before: list[JsonValue], after: list[JsonValue]) -> JsonValue:
    change_by_index: Map = {}
    if len(after) < len(before):
        change_by_index[_LENGTH] = [len(after)]
    for at, value in enumerate(after):
        change = change_of(before[at], value) if at < len(before) else [value]
        if change != {}:
            change_by_index[str(at)] = change
    return change_by_index


def changed(before: JsonValue, change: JsonValue) -> JsonValue:
    """The value that a change makes of another one, which may be changed in place.

    Raises ValueError, KeyError, IndexError, TypeError if it does not fit.
    """
    if isinstance(change, list):
        (value,) = change
        return value
    if not isinstance(change, dict):
        raise TypeError("it is no change")
    if not change:
        return before
    if isinstance(before, str):
        appended = change[_APPENDED]
        return f"{before}{appended}"
    if isinstance(before, list):
        _change_list(before, change)
    elif isinstance(before, dict):
        _change_map(before, change)
    else:
        raise TypeError("there is nothing to change")
    return before


def _change_map(before: Map, change: Map) -> None:
    for key, own in change.items():
        if own == []:
            del before[key]
        else:
            before[key] = changed(before.get(key), own)


def _change_list(before: list[JsonValue], change: Map) -> None:
    for key, own in change.items():
        if key == _LENGTH:
            del before[cast("int", changed(None, own)) :]
        elif int(key) == len(before):
            before.append(changed(None, own))
        else:
            before[int(key)] = changed(before[int(key)], own)


def _copy(value: JsonValue) -> JsonValue:
    """A copy that shares no list and no map."""
    if isinstance(value, dict):
        return {key: _copy(own) for key, own in value.items()}
    if isinstance(value, list):
        return [_copy(own) for own in value]
    return value

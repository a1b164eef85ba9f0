"""States stored as what changed come back as they were."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from sparring.errors import StoredRunError
from sparring.model.events import CasesAsked
from sparring_plugins.reproduction.strategy_states import StrategyStates, change_of, changed

NOW = datetime(2026, 1, 2, tzinfo=UTC)
LEAVES = st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.0, 1.0, "", "a", "ab"])
KEYS = st.sampled_from(["0", "1", "+", "length", "a"])
STATES: Any = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


def asked(state: JsonValue, change: JsonValue) -> CasesAsked:
    """The event as it is read from a log."""
    event = CasesAsked(at=NOW, cases=(), state=state, change=change)
    return CasesAsked.model_validate_json(event.model_dump_json())


@given(STATES, STATES)
def test_a_change_makes_one_state_of_the_other(before: JsonValue, after: JsonValue) -> None:
    change = json.loads(json.dumps(change_of(before, after)))
    found = changed(json.loads(json.dumps(before)), change)
    assert json.dumps(found) == json.dumps(after)
    assert change_of(after, after) == {}


@given(st.lists(STATES, min_size=1, max_size=6), st.booleans())
def test_states_come_back_in_their_order(states: list[JsonValue], long: bool) -> None:
    writer, reader = StrategyStates(), StrategyStates()
    ballast: JsonValue = "x" * 2_000 if long else ""
    for state in states:
        whole: JsonValue = [ballast, state]
        reader.read(asked(*writer.stored(whole)))
        assert json.dumps(reader.state) == json.dumps(whole)


def test_a_state_that_grows_is_stored_at_the_cost_of_what_is_new() -> None:
    writer, reader = StrategyStates(), StrategyStates()
    seen: dict[str, Any] = {"seen": "", "done": [], "at": 0}
    stored = 0
    for at in range(1_000):
        seen["seen"] += "abcd"
        seen["done"].append(at)
        seen["at"] = at
        event = asked(*writer.stored(seen))
        stored += len(event.model_dump_json())
        reader.read(event)
        assert reader.state == seen
    assert stored < 1_000 * 300


@pytest.mark.parametrize(
    "change",
    [[], [1, 2], 3, {"b": {"+": "x"}}, {"a": {"5": [1]}}, {"a": {"x": [1]}}, {"b": []}],
    ids=str,
)
def test_a_change_that_does_not_fit_is_told(change: JsonValue) -> None:
    reader = StrategyStates()
    reader.read(asked({"a": [1]}, None))
    with pytest.raises(StoredRunError, match="the log is damaged: what changed at"):
        reader.read(asked(None, change))

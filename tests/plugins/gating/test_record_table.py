"""Records in memory and in a file behave like one mapping."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring_plugins.gating.record_table import RecordTable

STEPS = st.lists(
    st.tuples(st.sampled_from(["set", "del", "get"]), st.integers(0, 12), st.integers()),
    max_size=60,
)


@given(STEPS, st.integers(0, 6))
def test_a_table_is_a_mapping_in_the_order_of_its_ids(
    steps: list[tuple[str, int, int]], in_memory: int
) -> None:
    table = RecordTable[list[int]](in_memory)
    known: dict[str, list[int]] = {}
    for step, number, value in steps:
        key = f"case-{number}"
        if step == "set":
            known[key] = table[key] = [value]
        elif step == "del" and key in known:
            del known[key], table[key]
        assert table.get(key) == known.get(key)
        assert (key in table) == (key in known)
    assert dict(table) == known
    assert len(table) == len(known)


def test_ids_keep_the_order_in_which_they_came() -> None:
    table = RecordTable[int](2)
    ids = [f"case-{number}" for number in (5, 3, 9, 1, 7)]
    for number, key in enumerate(ids):
        table[key] = number
    table[ids[3]] = 30
    table[ids[0]] = 50
    assert list(table) == ids
    assert list(table.values()) == [50, 1, 2, 30, 4]
    with pytest.raises(KeyError):
        table["case-0"]
    with pytest.raises(KeyError):
        del table["case-0"]

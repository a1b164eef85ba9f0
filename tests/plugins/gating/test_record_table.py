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


@given(st.permutations(range(8)), st.lists(st.integers(0, 11), max_size=30), st.integers(1, 4))
def test_ids_are_found_in_any_order(order: list[int], wanted: list[int], in_memory: int) -> None:
    table = RecordTable[int](in_memory)
    for number in order:
        table[f"case-{number}"] = number
    find = table.finder()
    for number in wanted:
        assert find(f"case-{number}") == (number if number < 8 else None)


def test_ids_in_the_order_of_the_table_are_not_looked_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = RecordTable[int](2)
    for number in range(20):
        table.add(f"case-{number}", number)
    looked_up: list[object] = []
    find_row = RecordTable[int].find_row

    def count(self: RecordTable[int], key: object) -> tuple[int, bytes] | None:
        looked_up.append(key)
        return find_row(self, key)

    monkeypatch.setattr(RecordTable, "find_row", count)
    find = table.finder()
    assert [find(f"case-{number}") for number in range(20)] == list(range(20))
    assert looked_up == []
    assert [key for key, _ in table.in_order()] == list(table)
    # One that is missing here costs one look-up, and one that is missing there two.
    find = table.finder()
    ids = ["case-0", "other", "case-1", "case-3", "case-4", "case-5", "case-6"]
    assert [find(key) for key in ids] == [0, None, 1, 3, 4, 5, 6]
    assert looked_up == ["other", "case-3", "case-4"]


def test_an_id_with_half_a_surrogate_pair_is_kept() -> None:
    table = RecordTable[int](1)
    table["case-\ud800"], table["case-1"] = 1, 2
    assert dict(table) == {"case-\ud800": 1, "case-1": 2}

"""Changes in memory and in a file are read in the same order."""

from hypothesis import given
from hypothesis import strategies as st

from sparring_plugins.gating.change_table import ORDER, WORSE, Change, ChangeTable
from sparring_plugins.gating.records import CheckCounts

CHANGES = st.lists(
    st.builds(
        Change,
        st.sampled_from(ORDER),
        st.text(max_size=3),
        st.text(max_size=2),
        st.none(),
        st.builds(CheckCounts, st.integers(0, 3)),
    ),
    max_size=12,
)


@given(CHANGES, st.integers(1, 4))
def test_changes_come_by_kind_id_and_check(changes: list[Change], in_memory: int) -> None:
    table = ChangeTable(in_memory)
    for change in changes:
        table.add(change)
    ordered = sorted(changes, key=lambda c: (ORDER.index(c.kind), c.case_id, c.check))
    assert list(table) == ordered
    assert len(table) == len(changes)
    worse = [change for change in ordered if change.kind in WORSE]
    assert list(table.of(*WORSE)) == worse
    assert list(table.of(*WORSE, most=2)) == worse[:2]
    assert table.counts.total() == len(changes)
    assert all(change in table for change in changes)

"""A table's test fails, with the names of all entries that fail."""

import pytest
from tests.for_each import for_each


@for_each([(1, 1), (2, 2)])
def test_a_table_that_holds(left: int, right: int) -> None:
    assert left == right


def test_all_entries_that_fail_are_named() -> None:
    @for_each(["a", "B", "C"])
    def lower(text: str) -> None:
        assert text.islower()

    with pytest.raises(AssertionError, match=r"(?s)2 of 3 fail:.*'B'.*'C'"):
        lower()


def test_an_empty_table_proves_nothing() -> None:
    @for_each([])
    def nothing(text: str) -> None: ...

    with pytest.raises(AssertionError, match="no entry"):
        nothing()

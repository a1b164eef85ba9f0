"""Reasons where there is little room for them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring_plugins.reporting.findings import brief_reason


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        ("", ""),
        ("too dear (`a > 1` is false: a is 2)", "too dear (`a > 1` is false: a is 2)"),
        ("too dear (`a > 1 and b > 1 and c > 1` is false)", "too dear"),
        ("`a > 1 and b > 1 and c > 1` is false: a is 0", "`a > 1 and b > 1 and c > 1` is false..."),
        (
            "it was much too dear: 50 instead of the 30 dollars",
            "it was much too dear: 50 instead of...",
        ),
        ("x" * 50, "x" * 37 + "..."),
    ],
)
def test_the_message_is_kept_and_cut_between_words(reason: str, shown: str) -> None:
    assert brief_reason(reason, 40) == shown


@given(st.text(max_size=300), st.integers(10, 100))
def test_it_is_one_line_that_fits(reason: str, limit: int) -> None:
    shown = brief_reason(reason, limit)
    assert len(shown) <= limit
    assert "\n" not in shown

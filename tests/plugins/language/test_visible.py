"""What makes hostile text safe to show."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring_plugins.language.text import cut, one_line, visible

ANY_TEXT = st.text(st.characters(codec=None))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("é 日本語 👩\u200d🚀 auf\u200clage", "é 日本語 👩\u200d🚀 auf\u200clage"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\x00b\x7f\x9bc", "a\\x00b\\x7f\\x9bc"),
        ("\u202eright to left\u2069", "\\u202eright to left\\u2069"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("\U000e0041tag", "\\U000e0041tag"),
        ("\ud800", "\\ud800"),
        ("line\r\nline\rline\n\tx", "line\nline\\x0dline\n\tx"),
        ("a\u2028b", "a\\u2028b"),
    ],
)
def test_what_is_invisible_or_steers_is_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(ANY_TEXT)
def test_visible_text_has_no_control_characters_and_can_be_encoded(text: str) -> None:
    shown = visible(text)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)
    shown.encode("utf-8")
    assert visible(shown) == shown


@given(ANY_TEXT, st.integers(4, 60))
def test_one_line_is_one_line_within_its_limit(text: str, limit: int) -> None:
    shown = one_line(text, limit)
    assert len(shown) <= limit
    assert len(shown.splitlines()) <= 1


def test_one_line_says_that_it_was_cut() -> None:
    assert one_line("a b\n\nc   d", 20) == "a b c d"
    assert one_line("word " * 10, 12) == "word word..."
    assert one_line(" " * 1000 + "x", 10).endswith("...")


def test_cut_counts_what_is_left_out() -> None:
    assert cut("x" * 1000, 10) == ("x" * 10, 990)
    assert cut("short", 10) == ("short", 0)

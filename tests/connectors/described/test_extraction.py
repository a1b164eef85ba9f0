"""Where something is in a reply, and when a reply has another shape."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonpath_ng.ext.parser import parse

from sparring_connectors.described import extraction


@pytest.mark.parametrize(
    ("path", "data", "found"),
    [
        ("$.text", {"text": "a"}, ["a"]),
        ("text", {"text": "a"}, ["a"]),
        ("$[*].text", [{"text": "a"}, {}, {"text": None}], ["a", None]),
        ("$.m[-1].t", {"m": [{"t": 1}, {"t": 2}]}, [2]),
        ("$..t", {"a": {"t": 1}, "b": [{"t": 2}]}, [1, 2]),
        ("$.m[?(@.by=='bot')].t", {"m": [{"by": "me", "t": 1}, {"by": "bot", "t": 2}]}, [2]),
        ("$['odd key'].x", {"odd key": {"x": 1}}, [1]),
        ("$.m[?(@.n>1)].t", {"m": [{"n": "x"}, {"n": None}, 3, "a"]}, []),
        ("$.a.b", "text", []),
        ("$[0].a", None, []),
    ],
)
def test_values_are_found(path: str, data: Any, found: list[Any]) -> None:
    assert extraction.find_values(path, data) == found


@pytest.mark.parametrize(
    ("path", "data", "wrong"),
    [
        ("$.text", {"text": None}, False),
        ("$.text", {}, False),
        ("$.text", {"other": 1}, True),
        ("$.text", ["a"], True),
        ("$.a.text", {"a": {}}, False),
        ("$.a.text", {"a": None}, False),
        ("$.a.text", {"a": "x"}, True),
        ("$.a.text", {"b": {}}, True),
        ("$.m[*].text", {"m": []}, False),
        ("$.m[*].text", {"m": [{"typing": 1}]}, False),
        ("$.m[*].text", {"m": [1, 2]}, True),
        ("$.m[*].text", {"n": []}, True),
        ("$.m[0].text", {"m": []}, False),
        ("$.m[0].text", {"m": [{"other": 1}]}, True),
        ("text", {"other": 1}, True),
        ("$", {"other": 1}, False),
    ],
)
def test_silence_is_told_from_another_shape(path: str, data: Any, wrong: bool) -> None:
    assert extraction.contradicts(path, data) is wrong


NAMES = st.sampled_from(["a", "b", "*", "odd key", "", "0"])
DATA = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=12,
)
STEPS = st.sampled_from(
    [".a", "['b']", "['odd key']", "['a','b']", "[*]", ".*", "[0]", "[-1]", "[2]"]
)


@given(st.lists(STEPS, max_size=4).map(lambda steps: "$" + "".join(steps)), DATA)
def test_simple_paths_are_walked_as_the_library_would(path: str, data: Any) -> None:
    assert extraction.find_values(path, data) == [match.value for match in parse(path).find(data)]


def test_a_hostile_reply_is_walked_in_no_time() -> None:
    data: list[Any] = [{} for _ in range(300_000)]
    begun = time.process_time()
    assert extraction.find_values("$[*].buttons[*]", data) == []
    assert not extraction.contradicts("$[*].text", data)
    assert time.process_time() - begun < 2


def test_first_takes_the_first_path_that_has_something() -> None:
    assert extraction.first_value(("$.a", "$.b", "$.c"), {"a": None, "b": 0, "c": 1}) == 0
    assert extraction.first_value(("$.a",), {}) is None

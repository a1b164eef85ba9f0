"""Where something is in a reply, and when a reply has another shape."""

from typing import Any

import pytest

from sparring_connectors.rest import paths


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
    assert paths.find(path, data) == found


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
    assert paths.contradicted(path, data) is wrong


def test_first_takes_the_first_path_that_has_something() -> None:
    assert paths.first(("$.a", "$.b", "$.c"), {"a": None, "b": 0, "c": 1}) == 0
    assert paths.first(("$.a",), {}) is None

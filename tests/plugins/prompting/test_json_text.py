"""JSON in what models write: found where it stands, never guessed, in linear time."""

import json
import math
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring_plugins.prompting.json_text import DEEPEST, NoJson, is_plain, parsed, unfenced, values

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
objects = st.dictionaries(st.text(), plain, max_size=4)
PROSE = st.text(st.characters(exclude_characters='{}[]"`', exclude_categories=("Cs",)))


@given(plain)
def test_whatever_json_writes_is_read(value: Any) -> None:
    assert parsed(json.dumps(value)) == value
    assert parsed(f"\ufeff \n{json.dumps(value, indent=2, ensure_ascii=False)}\n") == value


@given(PROSE, objects, PROSE)
def test_an_object_is_found_in_any_prose(before: str, value: dict[str, Any], after: str) -> None:
    assert list(values(f"{before} {json.dumps(value)} {after}")) == [value]


@given(st.text())
def test_no_text_breaks_the_search(text: str) -> None:
    for value in values(text):
        assert is_plain(value)


@given(st.text(alphabet='{}[]",:\\ 1aé\n`', max_size=60))
def test_no_mess_of_brackets_breaks_the_search(text: str) -> None:
    for value in values(text):
        assert is_plain(value)
        assert isinstance(value, (dict, list)) or "```" in text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is empty"),
        ("yes", "Expecting value (line 1, column 1)"),
        ('{"a": 1,}', "Expecting property name enclosed in double quotes"),
        ('{"a": 1', "Expecting ',' delimiter"),
        ('{"a": 1} {"a": 1}', "Extra data"),
        ("{'a': 1}", "Expecting property name"),
        ('{"a": NaN}', "NaN is not JSON"),
        ("-Infinity", "-Infinity is not JSON"),
        ('{"a": 1e999}', "a number in it is too large"),
        ("9" * 5000, "a number in it has too many digits"),
        ('{"a": 1, "a": 2}', "an object has a key twice"),
        ("[" * 65 + "]" * 65, "nested deeper than 64 levels"),
        ("[" * 200_000, "nested deeper than 64 levels"),
        (" " * 1_000_001, "longer than 1,000,000 characters"),
    ],
    ids=lambda text: text[:20],
)
def test_what_is_not_to_be_read_is_refused_in_words(text: str, reason: str) -> None:
    with pytest.raises(NoJson) as caught:
        parsed(text)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('Use { to open: {"a": 1}', [{"a": 1}]),
        ('Note [1]: {"a": 1}', [[1], {"a": 1}]),
        ('a [link], a [ ] and {"a": "}"}', [[], {"a": "}"}]),
        ('{"outer": {"a": 1}}', [{"outer": {"a": 1}}]),
        ('{"broken": {"a": 1},} {"b": 2}', [{"b": 2}]),
        ('{"never": [1, 2 {"a": 1}', []),
        ('"{" {"a": 1}', []),
        ('{"a": "\\"}"} x', [{"a": '"}'}]),
        ('{"a": 1, "a": {"b": 2}}', []),
        ('{"quoted": "{\\"a\\": 1}"}', [{"quoted": '{"a": 1}'}]),
        ('```json\n{"a": 1}\n```\nand\n```\n"yes"\n```', [{"a": 1}, "yes"]),
        ("```\nfour\n```", []),
    ],
)
def test_values_stand_where_they_stand(text: str, found: list[Any]) -> None:
    assert list(values(text)) == found


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ('```json\n{"a": 1}\n```', '{"a": 1}\n'),
        ("  ```\n3\n  ```  ", "3\n"),
        ("``` ```", "``` ```"),
        ("```\n1\n```\n```\n2\n```", "```\n1\n```\n```\n2\n```"),
        ("see ```x```", "see ```x```"),
        ("```", "```"),
    ],
)
def test_one_fence_around_everything_is_taken_off(text: str, inside: str) -> None:
    assert unfenced(text) == inside


HOSTILE = {
    "open brackets": "[" * 900_000,
    "open objects": '{"a":' * 180_000,
    "small broken objects": '{"a",}' * 150_000,
    "prose brackets": "{x " * 300_000,
    "escaped quotes": '["' + '\\"' * 450_000,
    "an open string each": '["x ' * 200_000,
    "fences": "```json\n" * 110_000,
    "many objects": '{"a":1} ' * 110_000,
    "spaces": "{" + " " * 450_000 + "{" + " " * 450_000,
    "one deep": "[" * 60 + "1," * 400_000 + "]" * 60,
    "line breaks": "[1x]\n" * 180_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_megabyte_of_anything_takes_no_longer_than_its_length_says(text: str) -> None:
    assert len(text) > 700_000
    small, large = text[: len(text) // 8], text

    def took(what: str) -> float:
        began = time.process_time()
        list(values(what))
        return time.process_time() - began

    took(small)
    assert min(took(large) for _ in range(3)) < 30 * max(took(small), 0.02)


def test_data_is_plain_up_to_a_depth_and_without_what_json_lacks() -> None:
    nested: Any = 1
    for _ in range(DEEPEST):
        nested = [nested]
    assert is_plain(nested)
    assert not is_plain([nested])
    assert not is_plain({"a": [math.inf]})
    assert not is_plain(math.nan)
    assert is_plain({"a": None, "b": [{}, []]})

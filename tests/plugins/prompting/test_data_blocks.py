import json
import re
import time
from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from sparring.model.talk import Choice, Observation, Press
from sparring.testing import hostile
from sparring.testing.conversations import trace_of
from sparring_plugins.prompting.data_blocks import (
    LIMIT,
    as_json,
    block,
    clipped,
    conversation,
    plain,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=20,
)  # fmt: skip


@given(JSON)
def test_small_data_comes_back_as_it_was(value: Any) -> None:
    assert json.loads(as_json(value)) == value


@given(JSON, st.integers(-5, 3000))
def test_data_keeps_to_its_limit_and_is_json(value: Any, limit: int) -> None:
    text = as_json([value, value], limit)
    json.loads(text)
    assert len(text) <= max(limit, 200)
    assert not re.search("[<>]", text)


@given(st.text(st.characters(codec=None), max_size=300))
def test_nothing_hidden_and_no_markup_is_left_in_a_block(text: str) -> None:
    shown = str(block(text))
    assert re.fullmatch(r'<data>\n"[^<>\n]*"\n</data>', shown)
    assert not re.search("[\x00-\x08\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]", shown)
    assert json.loads(shown.split("\n")[1]) == text


@pytest.mark.parametrize("text", hostile.TEXTS)
def test_whatever_an_app_says_can_be_sent(text: str) -> None:
    str(block(text)).encode("utf-8")


class Colour(Enum):
    RED = "red"


class Pizza(BaseModel):
    size: str
    price: float


@dataclass
class Order:
    pizza: Pizza
    day: date


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Order(Pizza(size="big", price=1.5), date(2024, 2, 29)),
         {"pizza": {"size": "big", "price": 1.5}, "day": "2024-02-29"}),
        (Colour.RED, "red"),
        ((1, 2), [1, 2]),
        ({3, 1, 2}, [1, 2, 3]),
        ({1: "a", None: "b"}, {"1": "a", "None": "b"}),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (10**1000, "[... a number of about 996 digits ...]"),
        (b"ab", "[... 2 bytes left out ...]"),
        (Exception("secret"), "[... a Exception left out ...]"),
        (test_whatever_an_app_says_can_be_sent, "[... a function left out ...]"),
    ],
)  # fmt: skip
def test_values_become_plain_data(value: object, expected: object) -> None:
    assert plain(value) == expected


def test_what_is_too_deep_is_named() -> None:
    text = as_json(hostile.nested(60))
    assert "[... a " in text
    assert len(text) < 2_000


def test_long_texts_are_cut_in_the_middle_and_short_ones_left() -> None:
    said = [{"text": "hello"}, {"text": "a" + "x" * 5_000 + "z"}, {"text": "bye"}]
    shown = json.loads(as_json(said, 1_000))
    assert [one["text"] for one in (shown[0], shown[2])] == ["hello", "bye"]
    cut = re.fullmatch(r"ax+ \[\.\.\. ([\d,]+) characters left out \.\.\.\] x+z", shown[1]["text"])
    assert cut is not None
    left = len(shown[1]["text"]) - len(f" [... {cut[1]} characters left out ...] ")
    assert left + int(cut[1].replace(",", "")) == 5_002


@pytest.mark.parametrize("count", [100, 10_000, 200_000])
def test_long_lists_are_cut_in_the_middle_and_the_rest_is_counted(count: int) -> None:
    shown = json.loads(as_json(list(range(count)), 300))
    notes = [item for item in shown if isinstance(item, str)]
    assert notes == [f"[... {count - len(shown) + 1:,} items left out ...]"]
    assert shown[0] == 0
    assert shown[-1] == count - 1


def test_large_mappings_are_cut_too() -> None:
    shown = json.loads(as_json({f"key {n}": n for n in range(10_000)}, 500))
    assert shown["..."] == f"[... {10_001 - len(shown):,} keys left out ...]"
    assert "key 0" in shown
    assert "key 9999" in shown


@pytest.mark.parametrize(
    "value",
    [
        "x" * 10_000_000,
        ["\x00" * 300_000] * 100,
        [[["x" * 1000] * 100] * 100] * 10,
        list(range(1_000_000)),
        {f"{n}" * 50: {f"{n}": n} for n in range(50_000)},
    ],
    ids=["text", "texts", "nested", "numbers", "keys"],
)
def test_huge_data_costs_little_time(value: object) -> None:
    start = time.process_time()
    assert len(as_json(value)) <= LIMIT
    assert time.process_time() - start < 8  # 0.9 at most where nothing else runs


@given(st.text(max_size=500), st.integers(0, 400))
def test_a_clipped_text_is_not_much_longer_than_its_limit(text: str, limit: int) -> None:
    assert len(clipped(text, limit)) <= max(limit + 50, 50)
    assert clipped(text, 500) == text


def test_a_conversation_counts_turns_from_one_and_names_the_speakers() -> None:
    menu = Observation(text="Which size?", choices=(Choice(label="big"), Choice(label="small")))
    turns = trace_of([(None, "Hi!"), ("A pizza", menu), (Press(label="big"), None)]).turns
    assert conversation(turns) == [
        {"turn": 1, "speaker": "chatbot", "text": "Hi!"},
        {"turn": 2, "speaker": "user", "text": "A pizza"},
        {"turn": 2, "speaker": "chatbot", "text": "Which size?", "choices": ["big", "small"]},
        {"turn": 3, "speaker": "user", "text": "big"},
        {"turn": 3, "speaker": "chatbot", "text": None},
    ]
    assert conversation(turns[:1], app="Assistant")[0]["speaker"] == "Assistant"

"""The tables of words that are data: every entry is of use."""

import re
from itertools import chain
from random import Random

from tests.for_each import for_each

from sparring_plugins.language.candidates import (
    VALUE_WORDS,
    date_spans,
    find_durations,
    find_times,
)
from sparring_plugins.language.numbers import find_money
from sparring_plugins.language.typos import LEAST, slipped, typos
from sparring_plugins.language.vocabulary import _language_names, language_name

BY_EAR = [(name, pair) for name, pairs in typos().by_ear.items() for pair in pairs]


@for_each(_language_names().values())
def test_a_language_is_known_by_its_name_in_any_case(name: str) -> None:
    assert language_name(f" {name.upper()} ") == name


@for_each(BY_EAR)
def test_a_spelling_by_ear_occurs(language: str, pair: tuple[str, str]) -> None:
    right, wrong = pair
    assert right != wrong
    word = f"x{right}xxx"[: max(LEAST, len(right) + 2)]
    spellings = {slipped(word, Random(seed), language) for seed in range(300)}
    assert word.replace(right, wrong) in spellings


@for_each(typos().layouts.values())
def test_a_layout_is_a_keyboard(layout: str) -> None:
    assert len(typos().rows[layout]) == 3


def sample(pattern: str) -> str:
    """A text that an entry matches: the first of each choice, optional parts included."""
    text = re.sub(r"\(\?<![^)]*\)", "", pattern).replace(r"\s", " ").replace(r"\u2019", "'")
    text = re.sub(r"\[(.)[^\]]*\]", r"\1", text)
    text = re.sub(r"\(\?:([^|()]*)[^()]*\)", r"\1", text)
    return text.replace("?", "")


def entries(table: str) -> list[str]:
    words = getattr(VALUE_WORDS, table)
    patterns = words if isinstance(words, tuple) else chain.from_iterable(words.values())
    return [sample(pattern) for pattern in patterns]


@for_each(entries("months"))
def test_a_month_makes_a_date(month: str) -> None:
    assert [span.text for span in date_spans(f"It was {month} 3, then.")] == [f"{month} 3"]


@for_each(entries("weekdays") + entries("relative_days"))
def test_a_day_is_a_date(day: str) -> None:
    assert [span.text for span in date_spans(f"It is {day}.")] == [day]


@for_each(entries("time_units"))
def test_a_unit_of_time_makes_a_duration(unit: str) -> None:
    assert [span.text for span in find_durations(f"It takes 3 {unit} or so.")] == [f"3 {unit}"]


@for_each(entries("duration_phrases"))
def test_a_phrase_is_a_duration(phrase: str) -> None:
    assert [span.text for span in find_durations(f"It takes {phrase}.")] == [phrase]


@for_each(entries("duration_numbers"))
def test_a_number_word_makes_a_duration(count: str) -> None:
    assert [span.text for span in find_durations(f"It is {count} days.")] == [f"{count} days"]


@for_each(entries("named_times"))
def test_a_name_is_a_time_of_day(time: str) -> None:
    assert [span.text for span in find_times(f"It is {time}.")] == [time]


@for_each(entries("currency_names") + entries("currency_codes"))
def test_a_currency_makes_an_amount(currency: str) -> None:
    assert [span.text for span in find_money(f"It costs 3 {currency}.")] == [f"3 {currency}"]

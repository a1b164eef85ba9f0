"""The functions that rules may call, one by one (what rules do with them: tests of the oracle)."""

from math import isclose
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.model.talk import Listen, Press, Trace
from sparring.testing.conversations import trace_of
from sparring_plugins.language.similarity import (
    NoWords,
    TooAlike,
    jaccard,
    sequence_matcher,
    tf_idf,
)
from sparring_plugins.rules.functions import sensei_functions as sensei
from sparring_plugins.rules.functions.conversations import (
    chatbot_returns,
    empty_responses,
    not_repeated_answers,
    repeated_answers,
)
from sparring_plugins.rules.functions.plain_values import (
    conversation_length,
    currency,
    data_collected,
    extract_float,
    length,
    missing_slots,
)

NUMBERS: list[tuple[str, float | None, float | type[Exception] | None]] = [
    # text, Sparring, SENSEI
    ("10", 10.0, 10.0),
    ("$12.50", 12.5, 12.5),
    ("1,000.50", 1000.5, 1000.5),
    ("1,234,567 items", 1234567.0, 1234567.0),
    ("-5", -5.0, 5.0),
    ("-5.5", -5.5, -5.5),
    ("+7", 7.0, 7.0),
    ("-$5", -5.0, 5.0),
    ("$-5", -5.0, 5.0),
    ("5-10", 5.0, 5.0),
    ("order-5", 5.0, 5.0),
    ("1.234,50 €", 1234.5, 1.2345),
    ("1,5", 1.5, 15.0),
    ("12:30", 12.0, 12.0),
    (".5", 0.5, 0.5),
    ("about 20 dollars or 30", 20.0, 20.0),
    ("", None, None),
    ("none", None, None),
    ("\u2212 3", 3.0, 3.0),
    ("\u22123", -3.0, 3.0),
]


@pytest.mark.parametrize(("text", "mine", "theirs"), NUMBERS)
def test_extract_float(text: str, mine: float | None, theirs: Any) -> None:
    assert extract_float.call(text) == mine
    assert sensei.extract_float.call(text) == theirs


def test_extract_float_takes_numbers_but_not_none() -> None:
    assert extract_float.call(3) == 3.0
    for wrong in (None, ["1"], True):
        with pytest.raises(TypeError, match="needs a text"):
            extract_float.call(wrong)
    with pytest.raises(TypeError):
        sensei.extract_float.call(3)


@given(st.text(max_size=60))
def test_extract_float_takes_any_text(text: str) -> None:
    found = extract_float.call(text)
    assert found is None or isinstance(found, float)


CURRENCIES = [
    ("$12", "USD", "USD"),
    ("12 €", "EUR", "EUR"),
    ("£1", "GBP", "GBP"),
    ("¥1", "JPY", "JPY"),
    ("₹1", "INR", "INR"),
    ("12 EUR", "EUR", "EUR"),
    ("12 eur", "EUR", None),
    ("10 euro", "EUR", None),
    ("10 euros", "EUR", "EUR"),
    ("10 Euros", "EUR", KeyError),
    ("5 dollars, or 4 €", "USD", "EUR"),
    ("EURO", "EUR", None),
    ("yens", "JPY", None),
    ("a pound of flour", "GBP", None),
    ("nothing", None, None),
    ("", None, None),
]


@pytest.mark.parametrize(("text", "mine", "theirs"), CURRENCIES)
def test_currency(text: str, mine: str | None, theirs: Any) -> None:
    assert currency.call(text) == mine
    if isinstance(theirs, type):
        with pytest.raises(theirs):
            sensei.currency.call(text)
    else:
        assert sensei.currency.call(text) == theirs


@pytest.mark.parametrize(
    ("item", "kind", "mine", "theirs"),
    [
        ("abc", "min", 3, 3),
        (["a", "bbb"], "min", 1, 1),
        (["a", "bbb"], "MAX", 3, 3),
        (["a" * 10, "b" * 20, "c" * 30], "average", 20, 15),
        ([], "min", None, 100_000_000),
        ([], "max", None, 0),
        ([], "average", None, 0),
    ],
)
def test_length(item: Any, kind: str, mine: Any, theirs: Any) -> None:
    assert length.call(item, kind) == mine
    assert sensei.length.call(item, kind) == theirs


@pytest.mark.parametrize("item", [None, 3, [1], {"a": "b"}])
def test_length_takes_texts_only(item: Any) -> None:
    with pytest.raises(TypeError, match="a text or a list of texts"):
        length.call(item)


TALK = trace_of(
    [
        (Listen(), "Welcome!"),
        ("a pizza", "Which one?"),
        (Press(label="Margarita"), "Which one?"),
        ("bye", None),
    ],
    outputs={"price": "$1", "time": None, "id": "None", "name": "null"},
)


@pytest.mark.parametrize(
    ("who", "mine", "theirs"),
    [("both", 6, 6), ("user", 3, 3), ("Assistant", 3, 3), ("chatbot", 3, 0)],
)
def test_conversation_length(who: str, mine: int, theirs: int) -> None:
    assert conversation_length.call(TALK, who) == mine
    assert sensei.conversation_length.call(TALK, who) == theirs


def test_chatbot_returns_gives_places_among_all_messages() -> None:
    assert chatbot_returns.call(TALK, "Which") == [2, 4]
    assert chatbot_returns.call(TALK, "which") == []
    assert chatbot_returns.call(TALK, "pizza") == []
    assert chatbot_returns.call(TALK, "W", and_not="one") == [0]
    assert chatbot_returns.call(TALK, "one", and_not="W") == [2, 4]


def test_chatbot_returns_looks_after_the_first_occurrence_only() -> None:
    trace = trace_of([("x", "b a b a")])
    assert chatbot_returns.call(trace, "a", and_not="b") == []
    assert chatbot_returns.call(trace, "b a b a", and_not="b") == [1]


def test_empty_responses() -> None:
    trace = trace_of([("a", ""), ("b", " \n"), ("c", "x"), ("d", None)])
    assert empty_responses.call(trace) == [1, 3]


def test_missing_slots() -> None:
    assert missing_slots.call(TALK) == ["time", "id"]
    assert not data_collected.call(TALK)
    assert data_collected.call(trace_of([("a", "b")], outputs={"x": 0, "y": ""}))


def said(*answers: str) -> Trace:
    return trace_of([("hi", answer) for answer in answers])


def test_repeated_answers_groups_by_the_first_one_that_is_alike() -> None:
    trace = said("one two", "three", "one two", "two one", "three")
    assert repeated_answers.call(trace) == {"one two": ["one two"], "three": ["three"]}
    by_words = repeated_answers.call(trace, "jaccard", 1)
    assert by_words == {"one two": ["one two", "two one"], "three": ["three"]}
    assert repeated_answers.call(said("a", "b")) == {}
    assert not_repeated_answers.call(said("a", "b")) is True
    assert not_repeated_answers.call(trace, method="tf-idf", threshold=0.75) is False


@pytest.mark.parametrize("threshold", [0.01, 0.4, 1, 1.0])
def test_exact_repeats_do_not_depend_on_the_threshold(threshold: float) -> None:
    assert repeated_answers.call(said("x", "y", "x"), "exact", threshold) == {"x": ["x"]}


def test_thresholds_outside_of_0_to_1() -> None:
    assert repeated_answers.call(said("x", "y", "x"), "exact", 0) == {"x": ["y", "x"]}
    assert repeated_answers.call(said("x", "y", "x"), "exact", 2) == {}


def test_answers_without_words_are_alike_when_equal_but_raise_in_sensei() -> None:
    trace = said("!", "?", "!")
    assert repeated_answers.call(trace, "tf-idf") == {"!": ["!"]}
    with pytest.raises(NoWords):
        sensei.repeated_answers.call(trace, "tf-idf")
    blank = said("", " ", "")
    assert repeated_answers.call(blank, "jaccard") == {"": [""]}
    with pytest.raises(ZeroDivisionError):
        sensei.repeated_answers.call(blank, "jaccard")


#: Values of scikit-learn's TfidfVectorizer fitted on the two texts, and of difflib.
SIMILAR = [
    ("Sure! Which drink would you like?", "Sure! Which pizza would you like?",
     0.716811741443062, 0.7142857142857143, 0.8787878787878788),
    ("a small pizza", "a small pizza", 1.0, 1.0, 1.0),
    ("Small small PIZZA", "pizza small", 0.948683298050514, 1.0, 0.5),
    ("one two", "three four", 0.0, 0.0, 0.35294117647058826),
    ("ok", "!", 0.0, 0.0, 0.0),
    ("été à Málaga, 12€ por día", "Málaga: 12€ cada día",
     0.5101490193104813, 0.25, 0.6666666666666666),
    ("x_1 y_2 x_1", "x_1 zz", 0.474330706497194, 0.3333333333333333, 0.47058823529411764),
]  # fmt: skip


@pytest.mark.parametrize(("one", "two", "cosine", "words", "letters"), SIMILAR)
def test_similarities(one: str, two: str, cosine: float, words: float, letters: float) -> None:
    assert isclose(tf_idf(one, two), cosine, abs_tol=1e-12)
    assert isclose(tf_idf(two, one), cosine, abs_tol=1e-12)
    assert jaccard(one, two) == words
    assert sequence_matcher()(one, two) == letters


@given(st.text("abc ", max_size=30), st.text("abc ", max_size=30))
def test_tf_idf_is_symmetric_and_between_0_and_1(one: str, two: str) -> None:
    try:
        value = tf_idf(one, two)
    except NoWords:
        return
    assert 0 <= value <= 1 + 1e-12
    assert isclose(value, tf_idf(two, one), abs_tol=1e-12)


def test_texts_made_to_be_slow_are_not_compared_character_by_character() -> None:
    measure = sequence_matcher()
    alphabet = [chr(0x4E00 + number) for number in range(150)]
    random = Random(2)
    one, two = ("".join(random.choices(alphabet, k=9000)) for _ in range(2))
    with pytest.raises(TooAlike):
        [measure(one, two) for _ in range(200)]

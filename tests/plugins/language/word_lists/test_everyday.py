"""The bundled word list: what it knows it knows exactly, and it guesses nothing."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.testing.hostile import TEXTS
from sparring_plugins.language.word_lists import EVERYDAY, everyday

KINDS = everyday().kinds


@pytest.mark.parametrize(
    ("description", "language", "first"),
    [
        ("soda drinks", "English", "cola"),
        ("Kinds of Fruit", "English", "apple"),
        ("refrescos", "Spanish", "cola"),
        ("colours", "Spanish", "rojo"),
        ("cities in Spain", "French", "Madrid"),
        ("common first names", "English", "Emma"),
        ("a pizza's topping", "English", None),
        ("toppings for a pizza", "English", "mushrooms"),
    ],
)
def test_a_kind_is_found_by_the_words_of_its_description(
    description: str, language: str, first: str | None
) -> None:
    found = EVERYDAY.find(description, language)
    assert (found[0] if found else None) == first


@pytest.mark.parametrize(
    "description",
    [
        "",
        "things",
        "soda drinks without sugar",
        "cheap cities",
        "famous people",
        "a and of",
        "not a city",
    ],
)
def test_what_is_not_known_exactly_is_not_guessed(description: str) -> None:
    assert EVERYDAY.find(description, "English") is None


def test_a_language_that_it_does_not_know_gives_no_words_of_another() -> None:
    assert EVERYDAY.find("colours", "Finnish") is None


def test_no_description_stands_for_two_kinds() -> None:
    spanish = {kind.called[0] for kind in KINDS.values() if "Spanish" in kind.words}
    assert len(spanish) > 50
    for kind in KINDS.values():
        for name in kind.called:
            language = next(iter(kind.words))
            found = EVERYDAY.find(name, "English" if language == "any" else language)
            assert found == kind.words[language], name


@pytest.mark.parametrize("name", KINDS)
def test_the_words_of_a_kind_are_enough_and_differ(name: str) -> None:
    for language, words in KINDS[name].words.items():
        assert language in ("any", "English", "Spanish")
        assert len(words) >= 4
        twice = [word for word, n in Counter(word.casefold() for word in words).items() if n > 1]
        assert not twice
        assert all(word == word.strip() and len(word) < 60 for word in words)


@given(st.one_of(st.text(max_size=300), st.sampled_from(TEXTS)))
def test_any_description_is_borne(text: str) -> None:
    found = EVERYDAY.find(text, "English")
    assert found is None or len(found) >= 4

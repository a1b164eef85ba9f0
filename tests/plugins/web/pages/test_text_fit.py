"""How words of a step fit texts of a page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring_plugins.web.pages.text_fit import (
    Grade,
    behind,
    contains,
    fit,
    occurrences,
    plain,
    presence,
)


@pytest.mark.parametrize(
    ("words", "text", "least", "most"),
    [
        ("Sign in", "Sign in", 1.0, 1.0),
        ("sign in", "Sign In", 0.97, 0.99),
        ("Name", "Name:", 0.98, 0.995),
        ("Name", "  Name * ", 0.98, 0.995),
        ("Cart", "Shopping Cart", 0.7, 0.85),
        ("Cart", "My Cart now", 0.7, 0.75),
        ("Report", "Reports", 0.89, 0.91),
        ("Boxes", "Box", 0.0, 0.45),
        ("Crosses", "Cross", 0.89, 0.91),
        ("New", "News", 0.35, 0.45),
        ("password user", "User and password", 0.6, 0.65),
        ("Regster", "Register", 0.45, 0.55),
        ("log", "Catalogue", 0.35, 0.45),
        ("e", "Cheese", 0.0, 0.0),
        ("Bleu d'Auvergne", "Bleu d\u2019Auvergne", 0.97, 1.0),
        ("Bleu d'Nimes", "Bleu d'Auvergne", 0.0, 0.4),
        ("", "anything", 0.0, 0.0),
        ("x", "", 0.0, 0.0),
        ("\u767b\u5f55", "\u8bf7\u767b\u5f55\u5427", 0.7, 0.75),
    ],
)
def test_words_fit_in_degrees(words: str, text: str, least: float, most: float) -> None:
    assert least <= fit(words, text) <= most


def test_whole_words_are_sure_and_parts_of_words_possible() -> None:
    found = occurrences("form", "A form has information; two forms.")
    assert (found.sure, found.possible) == (1, 3)
    assert not contains("form", "Information")


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_texts_can_be_compared(words: str, text: str) -> None:
    assert 0.0 <= fit(words, text) <= 1.0
    found = occurrences(words, text)
    assert 0 <= found.sure <= found.possible


@given(st.text(alphabet=st.characters(categories=["L", "N", "Zs"]), min_size=1, max_size=40))
def test_a_text_names_itself(text: str) -> None:
    if text.strip():
        assert fit(text, text) == 1.0
        assert plain(plain(text)) == plain(text)


def test_a_word_within_another_is_not_where_the_amount_stands() -> None:
    sums = "Subtotal 27.50 € Shipping 4.90 € Total 32.40 €"
    assert behind("Total", sums) == " 32.40 €"
    assert behind("Discount", sums) == behind("", sums) == ""


@pytest.mark.parametrize(
    ("words", "text", "grade"),
    [
        ("Deposit: 40.00", "Deposit: $40.00", Grade.WEAK),
        ("Deposit: 40.00", "Deposit: \u20ac 40.00 a week", Grade.WEAK),
        ("Deposit: 40.00", "Deposit: $140.00", Grade.ABSENT),
        ("Deposit: 40", "Deposit: $40.50", Grade.ABSENT),
        ("Deposit: $40.00", "Deposit: \u20ac40.00", Grade.ABSENT),
        ("Rent: 40.00", "Deposit: $40.00", Grade.ABSENT),
    ],
)
def test_the_sign_of_a_currency_within_a_phrase_is_a_weak_match(
    words: str, text: str, grade: Grade
) -> None:
    assert presence(words, text).grade is grade

"""The values of a sentence that fills in a form, with the words around them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring_plugins.web.grammar.free.entry_parts import EntryPart, read_entry_parts
from sparring_plugins.web.grammar.free.sentences import split_sentence


def parts(sentence: str) -> list[tuple[str, str]]:
    """Return the words and the value of each part of the first clause."""
    _, read = read_entry_parts(split_sentence(sentence)[0])
    return [(" ".join(part.words), part.value) for part in read]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "Add the bill 'Ferry', paid by Ida, 45, dated 2024-04-02",
            [("bill", "Ferry"), ("paid", "Ida"), ("", "45"), ("dated", "2024-04-02")],
        ),
        # one chunk with two values
        ("Add the bill 'Ferry' paid by Fritz Falk", [("bill", "Ferry"), ("paid", "Fritz Falk")]),
        ("Fill in the form with 'Oak' and 90", [("", "Oak"), ("", "90")]),
        # the label may stand behind the value
        (
            "Enter Ida as the name, ida@falk.test as email",
            [("name", "Ida"), ("email", "ida@falk.test")],
        ),
        # what stands in brackets is no value
        ("Log 20 minutes (the other 40 later)", [("minutes", "20")]),
        # commas in numbers and dots at the end of a sentence
        ("Enter 1,250.50 as the price.", [("price", "1,250.50")]),
        # a quotation is entered to the letter
        ('Make this page with the text "Two ladders."', [("text", "Two ladders.")]),
        ("Fill in Oak and treated", [("", "Oak"), ("treated", "")]),
    ],
)
def test_values_are_read_with_the_words_around_them(
    sentence: str, expected: list[tuple[str, str]]
) -> None:
    assert parts(sentence) == expected


def test_what_is_denied_and_what_is_quoted_is_told() -> None:
    verb, read = read_entry_parts(split_sentence("Fill in 'Oak' and not treated")[0])
    assert verb == "fill in"
    assert read == (
        EntryPart((), "Oak", quoted=True),
        EntryPart(("treated",), denied=True),
    )


def test_a_clause_without_a_verb_has_no_parts() -> None:
    assert read_entry_parts(split_sentence("Yesterday's weather, 12 degrees")[0]) == ("", ())


@given(st.text(alphabet="Aab1 ,.;:()'⟦⟧@-%€", max_size=120))
def test_no_sentence_breaks_the_reading(rest: str) -> None:
    for clause in split_sentence(f"Enter {rest}"):
        _, read = read_entry_parts(clause)
        assert all(part.value or part.words for part in read)

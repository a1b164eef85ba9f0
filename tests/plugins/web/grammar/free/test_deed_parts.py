"""What a sentence does to a thing, and the values that it gives."""

import pytest

from sparring_plugins.web.grammar.free.deed_parts import read_deed


@pytest.mark.parametrize(
    ("sentence", "values"),
    [
        (
            "Lend the Heron to Ida Falk, mooring 214",
            {"Heron": "", "Ida Falk": "", "214": "mooring"},
        ),
        ("Book a berth: name Wren, length 12, not insured", {"Wren": "name", "12": "length"}),
        ("Change its toll from 3.50 to 4.20", {"4.20": "toll", "3.50": ""}),
        ("Add a log entry saying the mast is cracked", {"the mast is cracked": ""}),
        ("Reject it with 'too long' as reason", {"too long": "reason"}),
        ("Move the Heron to pier 7 instead of selling it", {"Heron": "", "7": "pier"}),
        ("Rename chart.png to chart-old.png", {"chart.png": "", "chart-old.png": ""}),
        (
            "arriving on 3 May 2031, leaving on the 9th",
            {"3 May 2031": "arriving", "9th": "leaving"},
        ),
    ],
)
def test_values_stand_beside_the_words_for_them(sentence: str, values: dict[str, str]) -> None:
    deed = read_deed(sentence)
    assert deed is not None
    found = {part.value: part.words for part in deed.parts if part.value}
    assert set(values) <= set(found), found
    for value, word in values.items():
        assert not word or word in found[value], found


def test_the_verbs_of_all_clauses_are_known_behind_a_place_in_front() -> None:
    deed = read_deed("Under Moorings raise the toll and notify Ida")
    assert deed is not None
    assert deed.verbs == ("raise", "notify")


def test_the_name_of_a_record_is_no_value() -> None:
    deed = read_deed("Set Heron's toll to 40")
    assert deed is not None
    (part,) = deed.values_without("Heron")
    assert (part.words, part.value) == (("toll",), "40")

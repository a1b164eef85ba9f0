"""Homophones are those that speakers of American English would name."""

import csv
from pathlib import Path

from sparring_plugins.search.perturbations.sounds import homophones, misheard_words


def test_homophones_of_fifty_words_are_right_and_nearly_complete() -> None:
    """The list was written before it was looked at what the dictionary has."""
    offered = named = right = 0
    with Path(__file__).with_name("homophones.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            expected, found = set(row["homophones"].split()), set(homophones(row["word"]))
            assert bool(found) == bool(expected), row["word"]
            offered += len(found)
            named += len(expected)
            right += len(found & expected)
    assert right / offered >= 0.95
    assert right / named >= 0.85


def test_a_word_without_a_homophone_is_misheard_as_one_that_lacks_a_sound() -> None:
    assert homophones("table") == ()
    assert "able" in misheard_words("table")


def test_other_languages_have_homophones_of_their_own() -> None:
    assert homophones("Das", "German") == ("dass",)
    assert homophones("sont", "french") == ("son",)
    assert homophones("hay", "Spanish") == ("ahí", "ay")
    assert homophones("hay", "Klingon") == ()
    assert "meet" in homophones("meat")

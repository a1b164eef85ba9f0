"""Times, ages, names and languages in the ways in which people write them."""

import pytest

from sparring_plugins.users.agenda.profile.facts import facts_of
from sparring_plugins.users.agenda.profile.party import place_of_count
from sparring_plugins.users.agenda.profile.roles import places_of_way
from sparring_plugins.users.agenda.state.value_matching import best_option, mentions
from sparring_plugins.users.agenda.words.goal_phrases import language_of


@pytest.mark.parametrize(
    ("wanted", "place"), [("18h", 3), ("18 h", 3), ("18:00", 3), ("8h30", 0), ("9h", None)]
)
def test_an_hour_with_h_chooses_its_time(wanted: str, place: int | None) -> None:
    assert best_option(("8 h 30", "10 h", "13 h 30", "18 h"), wanted) == place


def test_a_length_of_time_is_no_hour() -> None:
    assert not mentions("it takes 45 h", "18:00")


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("Ada Quist is your name", "Ada Quist"),
        ("vous êtes M. Durand", "Durand"),
        ("vous êtes Mme Colin", "Colin"),
    ],
)
def test_a_name_is_read_before_its_label_and_after_a_title(sentence: str, name: str) -> None:
    assert [fact.text for fact in facts_of([sentence]) if "name" in fact.kinds] == [name]


@pytest.mark.parametrize("sentence", ["they are 4 and 9", "sie sind 4 und 9", "ils ont 4 et 9 ans"])
def test_ages_of_several_count_nobody(sentence: str) -> None:
    facts = facts_of([f"you bring your children, {sentence}"])
    assert {"4", "9"} <= {fact.text for fact in facts if "age" in fact.kinds}
    assert not [fact for fact in facts if "number" in fact.kinds]


@pytest.mark.parametrize(
    ("question", "told", "place"),
    [
        ("How many children are coming?", "you ride alone", 0),
        ("How many adults are coming?", "you come with your wife", 2),
        ("How many bags do you have?", "you like tea", 0),
        ("Which floor?", "you like tea", None),
    ],
)
def test_a_number_to_press_is_that_of_the_party_or_the_least(
    question: str, told: str, place: int | None
) -> None:
    assert place_of_count(question, ("0", "1", "2", "3"), (told,)) == place


def test_words_are_no_count() -> None:
    assert place_of_count("How many children?", ("None", "Some"), ()) is None


def test_home_is_no_town() -> None:
    assert [place for place, _ in places_of_way("von Linz nach Hause")] == ["Linz"]


@pytest.mark.parametrize(
    ("text", "declared", "language"),
    [
        ("à 8h30", "French", "French"),
        ("dir OF-1200 schicken lassen", "German", "German"),
        ("book a table for the evening", "French", "English"),
    ],
)
def test_accents_and_codes_are_no_english(text: str, declared: str, language: str) -> None:
    assert language_of(text, declared) == language

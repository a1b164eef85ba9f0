"""Interaction styles, drawn with the case's seed."""

from collections import Counter
from typing import Any

from sparring.testing import hostile
from sparring_plugins.users.profiles.interaction_styles import (
    language_of_turn,
    languages_of,
    names_of,
    played,
    styles_of_case,
)

CHANGING: Any = {"change language": ["French", "Spanish"]}
RANDOM: Any = ({"random": ["default", "long phrases", "single question", CHANGING]},)


def test_plain_styles_are_those_of_the_case() -> None:
    styles = ("long phrases", CHANGING)
    assert styles_of_case(styles, 1) == styles
    assert names_of(styles) == {"long phrases", "change language"}
    assert languages_of(styles) == ["French", "Spanish"]


def test_random_styles_are_drawn_with_the_seed_from_one_to_all_of_them() -> None:
    drawn = [styles_of_case(RANDOM, seed) for seed in range(300)]
    assert drawn == [styles_of_case(RANDOM, seed) for seed in range(300)]
    assert {len(styles) for styles in drawn} == {1, 2, 3, 4}
    assert all(len(styles) == len(names_of(styles)) for styles in drawn)
    assert Counter(name for one in drawn for name in names_of(one)).most_common()[-1][1] > 100


def test_another_language_is_spoken_in_three_turns_of_ten() -> None:
    said = [language_of_turn((CHANGING,), "English", 5, turn) for turn in range(3000)]
    assert said == [language_of_turn((CHANGING,), "English", 5, turn) for turn in range(3000)]
    counts = Counter(said)
    assert set(counts) == {"English", "French", "Spanish"}
    assert 0.66 < counts["English"] / 3000 < 0.74
    assert abs(counts["French"] - counts["Spanish"]) < 100
    assert language_of_turn(("default",), "English", 5, 3) == "English"


def test_the_styles_as_played_are_recorded_as_sensei_stores_them() -> None:
    block = ({"interaction_style": ["x"]}, {"number": 2}, {"steps": 3})
    said = [language_of_turn((CHANGING,), "English", 5, turn) for turn in range(4)]
    found = played(block, ("single question", CHANGING), language="English", seed=5, spoken=4)
    styles: list[Any] = ["single questions", {"change languages": said}]
    assert found == [{"interaction_style": styles}, {"number": 2}, {"steps": 3}]


def test_odd_styles_are_passed_over() -> None:
    odd: Any = ({"style": ["", 1, None]}, hostile.MARK, 3, None, [], {"random": []}, {})
    assert styles_of_case(odd, 1) == odd
    assert languages_of(({"change language": [1, "", "French"]},)) == ["", "French"]
    assert language_of_turn(({"change language": ["", " "]},), "English", 1, 1) == "English"
    assert names_of(odd) >= {hostile.MARK}
    assert played(["x", {"number": 1}], odd, language="", seed=0, spoken=2) == ["x", {"number": 1}]

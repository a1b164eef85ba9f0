"""Times of day that are said in words."""

import pytest

from sparring_plugins.language.spoken_times import with_clock_times


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("at half past six in the evening", "at 18:30"),
        ("from 2 to 5 in the afternoon", "from 14:00 to 17:00"),
        ("from 11 to 2 in the afternoon", "from 11:00 to 14:00"),
        ("quarter to seven", "6:45"),
        ("seven in the morning", "7:00"),
        ("um halb sieben", "um 6:30"),
        ("um acht Uhr abends", "um 20:00"),
        ("a las seis y media de la tarde", "a las 18:30"),
        ("à six heures et demie du soir", "à 18:30"),
    ],
)
def test_a_time_in_words_is_written_in_digits(said: str, written: str) -> None:
    assert with_clock_times(said) == written


@pytest.mark.parametrize(
    "text",
    [
        "six o'clock",
        "half an hour",
        "open from ten to twelve",
        "two adults and two children in the evening",
        "at 10:30 in the morning",
        "two and a half",
        "at 14:00",
        "",
    ],
)
def test_what_is_no_spoken_time_stays_as_it_is(text: str) -> None:
    assert with_clock_times(text) == text

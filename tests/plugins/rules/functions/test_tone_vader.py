"""The tone of English texts by VADER."""

import pytest

from sparring_plugins.rules.functions.lingua_vader import tone
from sparring_plugins.rules.functions.plain_values import CannotSay, ExplainedByTexts

TONES = [
    ("That is great, thank you so much!", "POSITIVE"),
    ("I hate this terrible bot", "NEGATIVE"),
    ("A small pizza is 10 dollars", "NEUTRAL"),
    ("Margarita", "NEUTRAL"),
    ("", "NEUTRAL"),
    ("\x00\u202e", "NEUTRAL"),
]


@pytest.mark.parametrize(("text", "expected"), TONES)
def test_tones(text: str, expected: str) -> None:
    found = tone.call(text)
    assert isinstance(found, ExplainedByTexts)
    assert found.value == [expected]
    assert "no model judged" in found.reason
    assert "0.05" in found.reason


def test_each_text_has_its_tone_and_negative_ones_are_shown_first() -> None:
    texts = ["Great!", "A pizza", "Terrible."]
    found = tone.call(texts)
    assert found.value == ["POSITIVE", "NEUTRAL", "NEGATIVE"]
    assert found.texts == ("Terrible.", "Great!")


def test_no_texts_have_no_tones() -> None:
    assert tone.call([]).value == []


def test_the_threshold_is_the_suites() -> None:
    assert tone.call("ok").value == ["POSITIVE"]
    assert tone.call("ok", threshold=0.5).value == ["NEUTRAL"]
    assert tone.call("ok", threshold=0.0).value == ["POSITIVE"]


def test_other_languages_are_not_judged() -> None:
    for text in ("¡Qué desastre, no me gusta nada!", "gracias", "Danke schön", "最悪です"):
        with pytest.raises(CannotSay, match="VADER judges English alone"):
            tone.call(["Great!", text])

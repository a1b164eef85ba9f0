"""Spelling mistakes: recognisable, where they belong, as often as asked for."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import DamerauLevenshtein

from sparring.testing import hostile
from sparring_plugins.language.typos import LEAST, misspelt, neighbours, slipped
from sparring_plugins.users.agenda.words.phrase_book import LANGUAGES

WORDS = {
    "English": "thought physical necessary weather kitchen believe separate definitely tomorrow",
    "Spanish": "quiero llevar zapato hacer huevo guitarra mañana también servicio cabello",
    "French": "beaucoup manger français téléphone première quelque aussi pomme journée",
    "German": "straße spielen fahren schnell vielleicht größer jemand katze bestellen",
    "Italian": "chiesa quattro bagno famiglia piazza perché qualità bottiglia",
    "Portuguese": "coração chave filho queijo passar irmão café também",
}


def never(start: int, end: int) -> bool:
    return False


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_misspelt_word_is_another_one_that_is_still_recognised(language: str) -> None:
    for word in WORDS[language].split():
        for seed in range(60):
            wrong = slipped(word, Random(seed), language)
            assert wrong != word
            assert wrong[0] == word[0]
            assert DamerauLevenshtein.distance(word, wrong) <= 3
            assert DamerauLevenshtein.normalized_similarity(word, wrong) >= 0.5
            assert len(wrong) >= LEAST - 1


def test_words_are_also_spelt_as_they_sound() -> None:
    found = {
        language: {slipped(word, Random(seed), language) for seed in range(300)}
        for language, word in (
            ("English", "weather"), ("Spanish", "llevar"), ("German", "straße"),
            ("French", "téléphone"), ("Italian", "piazza"), ("Portuguese", "coração"),
        )
    }  # fmt: skip
    assert "weether" in found["English"]
    assert "llebar" in found["Spanish"]
    assert "strasse" in found["German"]
    assert "téléfone" in found["French"]
    assert "piaza" in found["Italian"]
    assert "corassão" in found["Portuguese"]


@pytest.mark.parametrize(
    ("layout", "key", "beside"),
    [
        ("qwerty", "g", "fhtyvb"),
        ("qwertz", "t", "rzfg"),
        ("azerty", "q", "saz"),
        ("qwerty", "p", "ol"),
    ],
)
def test_a_finger_slips_to_a_key_that_touches_the_right_one(
    layout: str, key: str, beside: str
) -> None:
    near = neighbours(layout)[key]
    assert set(near) <= set(beside) | {"w"}
    assert len(near) >= 2


@pytest.mark.parametrize("layout", ["qwerty", "qwertz", "azerty"])
def test_keys_touch_each_other(layout: str) -> None:
    found = neighbours(layout)
    for key, near in found.items():
        assert key not in near
        assert all(key in found[other] for other in near)


@pytest.mark.parametrize("rate", [0.05, 0.2, 0.5])
def test_the_rate_is_the_share_of_words_that_are_misspelt(rate: float) -> None:
    text = " ".join(WORDS["English"].split() * 200)
    wrong = misspelt(text, rate, Random(1), "English", never).split()
    share = sum(a != b for a, b in zip(text.split(), wrong, strict=True)) / len(wrong)
    assert abs(share - rate) < 0.03


@given(st.text(max_size=300), st.integers(0, 5), st.floats(0, 1))
def test_nothing_but_words_is_touched(text: str, seed: int, rate: float) -> None:
    wrong = misspelt(text, rate, Random(seed), "English", never)
    assert wrong == misspelt(text, rate, Random(seed), "English", never)
    assert [c for c in wrong if not c.isalpha()] == [c for c in text if not c.isalpha()]
    assert misspelt(text, 0.0, Random(seed), "English", never) == text
    assert misspelt(text, 1.0, Random(seed), "English", lambda a, b: True) == text


def test_short_words_stay_and_odd_ones_do_no_harm() -> None:
    assert misspelt("a can of tea", 1.0, Random(1), "English", never) == "a can of tea"
    for text in (hostile.MARK, "ﬃﬃﬃﬃ", "İstanbul", "ßßßß", "文字文字文字", "aaaa" * 5000):
        assert misspelt(text, 1.0, Random(1), "Klingon", never)

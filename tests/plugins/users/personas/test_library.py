"""The bundled personas, and the phrases they speak with."""

import pytest

from sparring.documents.reading import read_document
from sparring_plugins.language.numbers import find_number_words
from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import concepts, has_cue
from sparring_plugins.users.personas.speech import LANGUAGES, persona_speech
from sparring_plugins.users.personas.traits import (
    KINDS,
    Traits,
    trait_problems,
    traits_in_words,
    traits_of,
)
from sparring_plugins.users.profiles.character import persona_file, persona_names

SENSEIS = {"conversational": "friendly"}
WANTED = {"direct", "disorganized", "impatient", "elderly", "curious", "sarcastic", "rude",
          "skeptical", "friendly", "formal", "non-native", "child", "screen-reader", "adversarial",
          "hesitant", "texting", "verbose"}  # fmt: skip


def test_the_library_has_senseis_ten_kinds_and_more() -> None:
    assert set(persona_names()) == WANTED


@pytest.mark.parametrize("name", persona_names())
def test_a_persona_has_sentences_and_traits_that_make_a_difference(name: str) -> None:
    path = persona_file(name)
    assert path is not None
    data = read_document(path, "yaml11").data
    assert set(data) == {"context", "traits"}
    assert all(isinstance(one, str) and one.strip() for one in data["context"])
    assert not trait_problems(data["traits"])
    assert traits_of(data["traits"]) != Traits()
    assert traits_in_words(data["traits"])


@pytest.mark.parametrize(
    ("written", "stem"),
    [("elderly", "elderly"), ("Elderly ", "elderly"), ("Screen reader", "screen-reader"),
     ("non_native", "non-native"), ("nobody", None), ("", None), ("../rude", None)],
)  # fmt: skip
def test_a_persona_is_found_by_its_name(written: str, stem: str | None) -> None:
    path = persona_file(written)
    assert (path.stem if path else None) == stem


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_remarks_of_every_kind_before_and_after(language: str) -> None:
    known = persona_speech(language)
    assert set(known.kinds) == set(KINDS)
    for kind, remarks in known.kinds.items():
        assert remarks.before, kind
        assert remarks.after, kind
    assert known.marks
    assert known.articles
    assert known.simpler
    assert len(known.injections) >= 3
    assert len(known.contradictions) >= 3
    assert known.flood.endswith(" ")


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_remark_can_be_taken_for_an_answer(language: str) -> None:
    for kind, remarks in persona_speech(language).kinds.items():
        for text in (*remarks.before, *remarks.after):
            words = folded(text)
            taken = [cue for cue in ("positive", "negative", "affirm", "deny", "farewell",
                                     "no_thanks", "fallback", "refusal") if has_cue(words, cue)]  # fmt: skip
            assert not taken, (kind, text)
            numbers = [number.text for number in find_number_words(words)]
            assert set(numbers) <= {"mil", "mille"}, (kind, text)  # "mil gracias"
            assert not any(char.isdigit() for char in text)
            assert not concepts(text) & {"~small", "~medium", "~big", "~drink", "~price"}, text
            assert text.strip()[-1] in ".!?:,", text


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_remarks_are_not_left_in_english(language: str) -> None:
    english = persona_speech("English")
    for kind, remarks in persona_speech(language).kinds.items():
        theirs = english.kinds[kind]
        assert not {*remarks.before, *remarks.after} & {*theirs.before, *theirs.after}


def test_who_is_rude_does_not_swear() -> None:
    bad = {"idiot", "stupid", "dumb", "moron", "hell", "damn", "shut", "useless", "trash", "fool"}
    for language in LANGUAGES:
        remarks = persona_speech(language).kinds["demanding"]
        assert not bad & set(folded(" ".join((*remarks.before, *remarks.after))).split())


def test_a_language_without_remarks_of_its_own_has_those_of_english() -> None:
    assert persona_speech("Dutch") == persona_speech("English")

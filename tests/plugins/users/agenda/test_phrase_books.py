"""The phrase books: all languages have all frames, and goals of each language become sentences."""

import re

import pytest

from sparring.interfaces.roles import Goal, UserTask
from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.state.user_goals import Style, phrasings, user_goals_of
from sparring_plugins.users.agenda.words.goal_phrases import language_of
from sparring_plugins.users.agenda.words.phrase_book import (
    LANGUAGES,
    PhraseBook,
    is_goodbye,
    phrases,
)

FILLED = (
    "request", "action", "doing", "question", "topic", "about", "whether", "statement", "missing",
    "missing_question", "value", "correction", "correction_action", "revise", "revise_action", "revise_statement",
    "quote",
)  # fmt: skip
SAID = (
    "yes", "no", "yes_please", "accept", "thats_all", "goodbye", "indifferent", "unknown",
    "smalltalk", "thanks", "listen", "why", "why_service",
    "stop_it",
)  # fmt: skip
NEEDED = ("strip", "adverbs", "wanting", "having", "asking", "about_words", "whether_words",
          "question_words", "self_words", "polite", "saying", "greeting", "orders", "knowing",
          "determiners", "definite", "cut_after", "rethinking", "wishing", "thanking")  # fmt: skip


def ways(phrase: str, language: str, inputs: tuple[str, ...] = ()) -> list[str]:
    goal = Goal(phrase=phrase, template=phrase, inputs=inputs)
    return phrasings(user_goals_of(UserTask(goals=(goal,), language=language))[0], 1)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_frame_of_every_language_has_its_hole_and_no_other(language: str) -> None:
    book = phrases(language)
    for name in FILLED:
        listed: tuple[str, ...] = getattr(book, name)
        assert listed
        for frame in listed:
            assert re.findall(r"\{\w*\}", frame) in (["{x}"], ["{X}"]), (name, frame)
    for name in (*SAID, *NEEDED):
        listed = getattr(book, name)
        assert listed, name
        assert not any("{" in text for text in listed)
    assert book.and_
    assert book.how_many
    assert book.what_day
    assert book.what_time
    assert book.hello


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_a_book_has_as_many_ways_to_insist_and_is_no_copy_of_the_english_one(language: str) -> None:
    english, book = phrases("English"), phrases(language)
    for name in (
        "correction",
        "correction_action",
        "revise",
        "revise_action",
        "revise_statement",
        "value",
    ):
        assert len(getattr(book, name)) == len(getattr(english, name)), name
    for name in (*FILLED, *SAID):
        same = set(getattr(english, name)) & set(getattr(book, name))
        assert {folded(text) for text in same} <= {"x", "no"}, (name, same)


def test_there_is_a_key_for_everything_that_the_model_of_a_book_names() -> None:
    others = {"and_", "how_many", "what_day", "what_time", "hello", "persons", "inversion",
              "verbs", "gerunds", "announcing", "the", "asking_for", "infinitive", "finite", "modals", "acts", "telling", "me", "that_wishing", "that_asking"}  # fmt: skip
    assert set(PhraseBook.model_fields) == {*FILLED, *SAID, *NEEDED, *others}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_goodbye_of_any_language_is_known_for_one(language: str) -> None:
    assert all(is_goodbye(folded(text)) for text in phrases(language).goodbye)


@pytest.mark.parametrize(
    ("language", "phrase", "inputs", "expected"),
    [
        ("French", "une petite pizza", ("size",), "Je voudrais une petite pizza, s'il vous plaît."),
        ("French", "demander les horaires", (), "Pouvez-vous me dire les horaires ?"),
        (
            "French",
            "demander ce qu'il faut apporter",
            (),
            "Pouvez-vous me dire ce qu'il faut apporter ?",
        ),
        ("French", "Quels sont vos horaires ?", (), "Quels sont vos horaires ?"),
        ("French", "réserver une table", (), "Je voudrais réserver une table, s'il vous plaît."),
        ("German", "eine kleine Pizza", ("size",), "Ich hätte gern eine kleine Pizza, bitte."),
        ("German", "frage nach den Preisen", (), "Können Sie mir etwas zu den Preisen sagen?"),
        ("German", "Wann haben Sie geöffnet?", (), "Wann haben Sie geöffnet?"),
        ("Italian", "una pizza piccola", ("size",), "Vorrei una pizza piccola, per favore."),
        ("Italian", "prenotare un tavolo", (), "Vorrei prenotare un tavolo, per favore."),
        ("Italian", "il prezzo della pizza", (), "Può dirmi il prezzo della pizza?"),
        ("Portuguese", "uma pizza pequena", ("size",), "Eu queria uma pizza pequena, por favor."),
        ("Portuguese", "perguntar sobre o menu", (), "Pode me informar sobre o menu?"),
        ("Portuguese", "Quais são os horários?", (), "Quais são os horários?"),
        ("Spanish", "preguntar por los horarios", (), "¿Me puedes informar sobre los horarios?"),
    ],
)
def test_goals_of_each_language_become_sentences(
    language: str, phrase: str, inputs: tuple[str, ...], expected: str
) -> None:
    said = ways(phrase, language, inputs)
    assert expected in said[:2]
    assert len({folded(one) for one in said}) >= 2


@pytest.mark.parametrize(
    ("text", "declared", "language"),
    [
        ("the price of the pizza", "French", "English"),
        ("le prix de la pizza", "French", "French"),
        ("pizza", "German", "German"),
        ("what the price is", "Portuguese", "English"),
        ("el precio de la pizza", "English", "Spanish"),
        ("de prijs van de pizza", "Dutch", "Other"),
    ],
)
def test_a_goal_is_put_into_frames_of_its_own_language(
    text: str, declared: str, language: str
) -> None:
    assert language_of(text, declared) == language


@pytest.mark.parametrize("language", LANGUAGES[1:])
@pytest.mark.parametrize(
    "phrase",
    ["a small pizza", "What does it cost?", "ask about vegan options", "I am hungry", "order tea"],
)
def test_abroad_a_goals_own_words_stand_in_phrases_of_the_language(
    language: str, phrase: str
) -> None:
    goal = Goal(phrase=phrase, template=phrase)
    want = user_goals_of(UserTask(goals=(goal,)))[0]
    said = phrasings(want, 1, Style(language, "English"))
    assert folded(want.words) in folded(said[0])
    assert len(folded(said[0]).split()) > len(folded(want.words).split())
    assert language_of(said[0], language) in (language, "English")
    assert said[0] not in phrasings(want, 1)

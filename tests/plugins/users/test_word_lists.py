"""The word lists of the simulated users: every entry is what the code compares it with."""

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel
from tests.for_each import for_each

from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import concepts
from sparring_plugins.users.agenda.replies.named_options import inline_options
from sparring_plugins.users.agenda.replies.question_kinds import asks_for_yes
from sparring_plugins.users.agenda.words import phrase_book
from sparring_plugins.users.agenda.words.persons import asked_by_user, first_person
from sparring_plugins.users.extraction import output_form
from sparring_plugins.users.model_user import move_checks
from sparring_plugins.users.personas.traits import ATTACKS, KINDS, trait_sentences

AGENDA = phrase_book.word_lists()
OUTPUTS = output_form.word_lists()
SIGNS = move_checks.word_lists()
DETAILS = phrase_book.details()

UNFOLDED = {"option_verbs", "option_fillers", "option_articles", "available", "telling", "types"}
"""Lists that are compared with texts as written."""


def entries(lists: BaseModel) -> Iterator[tuple[str, str]]:
    """Every text of word lists, with the name of its list."""
    for name in type(lists).model_fields:
        values: Any = getattr(lists, name)
        groups = values.values() if isinstance(values, dict) else [values]
        for group in groups:
            texts: Any = [group] if isinstance(group, str) else group
            for text in texts:
                yield name, text


ENTRIES = [
    (name, text)
    for lists in (AGENDA, OUTPUTS, SIGNS)
    for name, text in sorted(entries(lists))
    if name not in {"scripts", "types", "form_concepts"}
]


@for_each(ENTRIES)
def test_an_entry_is_written_as_it_is_compared(name: str, text: str) -> None:
    assert text == text.strip().lower()
    if name not in UNFOLDED and not text.startswith("~"):
        assert folded(text) == text


@for_each([AGENDA, OUTPUTS, SIGNS])
def test_no_list_has_an_entry_twice(lists: BaseModel) -> None:
    for name in type(lists).model_fields:
        values: Any = getattr(lists, name)
        if isinstance(values, tuple):
            assert len(set(values)) == len(values), name


@for_each(AGENDA.reply_verbs)
def test_who_tells_to_reply_yes_wants_to_be_confirmed(verb: str) -> None:
    assert all(asks_for_yes(f"please {verb} {word} now") for word in AGENDA.yes_words)


@for_each(AGENDA.option_verbs)
def test_options_begin_after_a_verb(verb: str) -> None:
    assert inline_options(f"so {verb} the red, blue or green?", asking=True) == (
        "red",
        "blue",
        "green",
    )


@for_each(AGENDA.option_articles)
def test_an_option_has_no_article(article: str) -> None:
    assert inline_options(f"Now: blue, {article} red?", asking=True) == ("blue", "red")


@for_each(AGENDA.available)
def test_an_option_is_not_called_available(word: str) -> None:
    assert inline_options(f"Now: blue, red {word}?", asking=True) == ("blue", "red")


@for_each(AGENDA.object_leads)
def test_who_is_an_object_says_me(lead: str) -> None:
    assert first_person(f"they {lead} you now", {}, english=True) == f"they {lead} me now"


@for_each(AGENDA.user_actions)
def test_what_users_do_is_asked_of_oneself(action: str) -> None:
    asked = asked_by_user(f"whether you can also {action} it", {}, english=True)
    assert asked == f"whether I can also {action} it"


@for_each(sorted(AGENDA.answer_kinds | AGENDA.generic_concepts))
def test_a_generic_concept_is_one_that_words_have(concept: str) -> None:
    assert concept.startswith("~") or concept == concept.casefold()
    assert not concept.startswith("~") or concept[1:].isalpha()


@for_each(OUTPUTS.units)
def test_a_unit_is_a_word_with_a_meaning(unit: str) -> None:
    assert concepts(unit)


@for_each(DETAILS.narrower)
def test_narrower_details_are_asked_for_by_words_of_their_own(kind: str) -> None:
    assert set(DETAILS.narrower[kind]) <= set(DETAILS.asks)
    assert kind in DETAILS.asks


def test_every_remark_and_attack_has_its_sentence() -> None:
    sentences = trait_sentences()
    assert set(sentences.asides) == set(KINDS)
    assert set(sentences.attacks) == set(ATTACKS)


def test_small_words_are_of_the_languages_that_the_user_speaks() -> None:
    assert set(AGENDA.small_words) == set(phrase_book.LANGUAGES)

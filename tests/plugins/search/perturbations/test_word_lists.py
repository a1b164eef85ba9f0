"""The word lists of the perturbations: each entry does what the list is for."""

import asyncio

import pytest
from pydantic import ValidationError

from sparring.interfaces.agent import Agent
from sparring.testing.fakes import FakeContext
from sparring_plugins.search.perturbations.sounds import AsrNoise
from sparring_plugins.search.perturbations.texts import Translations, translations, word_lists
from sparring_plugins.search.perturbations.words import CodeSwitching, Fillers
from sparring_plugins.search.roles import Perturbed, PerturbTask


def perturbed(agent: Agent[PerturbTask, Perturbed, object], text: str, language: str) -> str:
    return asyncio.run(agent.act(PerturbTask(text=text, language=language))).text


@pytest.mark.parametrize(
    ("language", "filler"),
    [(name, filler) for name, fillers in word_lists().fillers.items() for filler in fillers],
)
def test_each_filler_is_said_in_its_language(language: str, filler: str) -> None:
    agent = FakeContext().build(Fillers, rate=1.0)
    assert filler.lower() in perturbed(agent, "Find me a cheap bakery. " * 40, language).lower()


@pytest.mark.parametrize("emoji", word_lists().emoji)
def test_each_emoji_is_no_word(emoji: str) -> None:
    assert emoji.strip() == emoji
    assert not any(char.isalnum() or char.isspace() for char in emoji)


@pytest.mark.parametrize("word", sorted(word_lists().small_words))
def test_each_small_word_gets_lost(word: str) -> None:
    agent = FakeContext().build(AsrNoise, rate=0.0, lost=1.0)
    assert perturbed(agent, f"restaurant {word} restaurant", "English") == "restaurant restaurant"


@pytest.mark.parametrize("row", translations().words, ids=lambda row: row[0])
def test_each_word_is_switched(row: tuple[str, ...]) -> None:
    languages = translations().languages
    agent = FakeContext().build(CodeSwitching, rate=1.0, to="German")
    english, german = row[languages.index("English")], row[languages.index("German")]
    if english.isalpha() and english.lower() != german.lower():
        assert perturbed(agent, english, "English").lower() != english.lower()


def test_a_row_has_a_word_for_each_language() -> None:
    with pytest.raises(ValidationError, match="one word per language"):
        Translations(languages=("English", "German"), words=(("please",),))

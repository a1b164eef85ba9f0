"""The conformance kit of word lists (`sparring.word_lists`)."""

from collections.abc import Sequence

import pytest

from sparring.testing import hostile
from sparring.testing.conformance.kit import Kit
from sparring_plugins.language.word_lists import WordList


class WordListKit(Kit, kit=True):
    """Tests of a word list: override the fixtures `word_list` and `known`.

    `known` are descriptions, with a language, of which the list knows words.
    """

    @pytest.fixture
    def word_list(self) -> WordList:
        """The list under test."""
        pytest.fail(f"{type(self).__qualname__} does not override the fixture `word_list`")

    @pytest.fixture
    def known(self) -> Sequence[tuple[str, str]]:
        """Descriptions and languages of which it knows words."""
        pytest.fail(f"{type(self).__qualname__} does not override the fixture `known`")

    def test_it_says_of_what_it_knows_words(self, word_list: WordList) -> None:
        assert word_list.about.strip(), "`about` says nothing"
        assert "\n" not in word_list.about, "`about` is more than a line"

    def test_it_knows_different_words_of_what_it_knows(
        self, word_list: WordList, known: Sequence[tuple[str, str]]
    ) -> None:
        for description, language in known:
            words = word_list.find(description, language)
            assert words, f"it knows nothing of {description!r} in {language}"
            assert all(word.strip() for word in words), words
            assert len(set(words)) == len(words), f"a word comes twice in {words!r}"

    def test_it_always_finds_the_same(
        self, word_list: WordList, known: Sequence[tuple[str, str]]
    ) -> None:
        for description, language in known:
            first = word_list.find(description, language)
            assert word_list.find(description, language) == first

    def test_it_never_guesses(self, word_list: WordList) -> None:
        for description in ("qwrtzpsdfg", "", "   "):
            found = word_list.find(description, "English")
            assert found is None, f"it takes {description!r} for something: {found!r}"

    def test_it_bears_any_description_and_language(self, word_list: WordList) -> None:
        for text in hostile.TEXTS:
            word_list.find(hostile.storable(text)[:10_000], "English")
            word_list.find("colours", hostile.storable(text)[:1_000])

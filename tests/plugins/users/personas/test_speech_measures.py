"""Measures over utterances."""

from sparring_plugins.users.personas import speech as measuring

SAID = ["A small pizza, please.", "NOW!", "thanks \U0001f642", "2", "Are you there?"]


def test_measures_count_what_they_say() -> None:
    assert measuring.mean_words(["a b c", "d"]) == 2
    assert measuring.polite_share(SAID) == 0.4
    assert measuring.polite_share(["Una pizza, por favor."], "Spanish") == 1
    assert measuring.shouting_share(SAID) == 0.25
    assert measuring.small_letter_share(SAID) == 0.25
    assert measuring.emoji_share(SAID) == 0.2
    assert measuring.question_share(SAID) == 0.2
    assert measuring.remark_share(["FOCUS. A pizza", "A pizza"], "demanding") == 0.5


def test_of_nothing_all_measures_are_zero() -> None:
    assert measuring.mean_words([]) == 0
    assert measuring.polite_share([]) == 0
    assert measuring.shouting_share(["2"]) == 0
    assert measuring.misspelt_share([]) == 0


def test_misspelt_are_the_longer_words_that_changed() -> None:
    pairs = [("I would like pizza", "I woud like PIZZA"), ("a can of tea", "can tea")]
    assert measuring.misspelt_share(pairs) == 1 / 3

"""Traits: what is valid, what they mean in words."""

from typing import Any

import pytest

from sparring_plugins.users.personas.traits import (
    ATTACKS,
    KINDS,
    Traits,
    plain_traits,
    trait_problems,
    traits_in_words,
    traits_of,
)


@pytest.mark.parametrize(
    ("data", "place", "message"),
    [
        ({"typo": 1}, ("typo",), "unknown trait. Did you mean 'typos'?"),
        ({5: 1}, ("5",), "unknown trait."),
        ({"typos": 0.7}, ("typos",), "input should be less than or equal to 0.5"),
        ({"politeness": -1}, ("politeness",), "input should be greater than or equal to 0"),
        ({"politeness": "very"}, ("politeness",), "input should be a valid number"),
        ({"patience": 0}, ("patience",), "input should be greater than or equal to 1"),
        ({"presses": "maybe"}, ("presses",), "input should be a valid boolean"),
        ({"sentence_length": "huge"}, ("sentence_length",), "input should be 'short', 'normal'"),
        ({"asides": {"ironik": 0.3}}, ("asides", "ironik"), "unknown kind of remark. Did you mean 'ironic'?"),
        ({"asides": {"ironic": 2}}, ("asides",), "the share of ironic is from 0 to 1, not 2"),
        ({"asides": {"ironic": "often"}}, ("asides", "ironic"), "input should be a valid number"),
        ({"asides": ["ironic"]}, ("asides",), "input should be a valid dictionary"),
        ({"attack_kinds": []}, ("attack_kinds",), "name at least one kind of attack"),
        ({"attack_kinds": ["bomb"]}, ("attack_kinds", 0), "input should be 'injection'"),
        ({"emoji": float("nan")}, ("emoji",), "input should be"),
    ],
)  # fmt: skip
def test_traits_that_are_wrong_say_where_and_why(
    data: dict[Any, Any], place: tuple[str | int, ...], message: str
) -> None:
    (found,) = trait_problems(data)
    assert found[0] == place
    assert found[1].startswith(message)


def test_only_what_differs_from_the_usual_is_kept() -> None:
    traits = traits_of({"typos": 0.1, "presses": True, "asides": {"ironic": 0.5, "formal": 0.2}})
    assert plain_traits(traits) == {"typos": 0.1, "asides": {"formal": 0.2, "ironic": 0.5}}
    assert traits_of(plain_traits(traits)) == traits
    assert plain_traits(Traits()) == {}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({}, ""),
        ({"politeness": 0}, "Never say please or thank you."),
        ({"politeness": 0.7}, "Say please or thank you in most of your messages."),
        ({"sentence_length": "short"}, "Use as few words as you can."),
        ({"typos": 0.1}, "Misspell a few of your longer words; leave numbers"),
        ({"typos": 0.3, "typos_in_values": True}, "Misspell some of your longer words."),
        ({"patience": 1}, "Bring a matter up once at most"),
        ({"patience": 4}, "Bring a matter up 4 times at most"),
        ({"presses": False}, "Press no choices"),
        ({"capitals": "none"}, "Write everything in small letters."),
        ({"punctuation": "none"}, "Leave out full stops"),
        ({"emoji": 1}, "Put emoji into all of your messages."),
        ({"grammar": 0.9}, "Leave out articles and simplify verbs in most"),
        ({"attacks": 0.5, "attack_kinds": ["nonsense"]}, "In about half of your messages send"),
        ({"asides": {"ironic": 0}}, ""),
        ({"typos": "many"}, ""),
    ],
)
def test_each_trait_is_said_in_words(data: dict[str, Any], words: str) -> None:
    found = traits_in_words(data)
    assert len(found) == bool(words)
    assert " ".join(found).startswith(words)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_remark_has_words(kind: str) -> None:
    (words,) = traits_in_words({"asides": {kind: 0.3}})
    assert words.endswith(", in some of your messages.")


def test_all_attacks_have_words() -> None:
    (words,) = traits_in_words({"attacks": 1.0})
    assert words.count(", or ") == len(ATTACKS) - 1

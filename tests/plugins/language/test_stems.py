"""Which words mean the same."""

import pytest

from sparring_plugins.language.vocabulary import concepts, vocabulary


@pytest.mark.parametrize(
    ("word", "family"),
    [
        ("time", "~time"),
        ("times", "~time"),
        ("hour", "~time"),
        ("multiplied", "~product"),
        ("fecha", "~date"),
        ("fechado", "~open"),
        ("nombre", "~name"),
        ("numéro", "~number"),
        ("tarifa", "~price"),
        ("tariff", "~plan"),
        ("Größe", "~size"),
        ("großer", "~big"),
    ],
)
def test_a_word_counts_for_its_own_family_before_that_of_its_stem(word: str, family: str) -> None:
    assert concepts(word) == {family}


def test_no_two_english_families_share_a_word() -> None:
    """What is left are words of one language that mean something else in another."""
    owners: dict[str, list[str]] = {}
    for name, members in vocabulary().families.items():
        for word in members:
            owners.setdefault(word, []).append(name)
    shared = {word for word, names in owners.items() if len(names) > 1}
    assert shared == {"tiempo", "fecha", "grosse", "grossen", "nombre", "domicilio"}
